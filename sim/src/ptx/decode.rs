//! Mnemonics with their suffixes.

use super::error::{Fault, Stop};
use super::module::Instruction;
use super::table::{B_WORDS, F, Part, Row, S_WORDS, S32, TABLE, U_WORDS};
use super::words::{Kind, Modifier, Modifiers, OTHER_MNEMONICS, OTHER_TYPES, Opcode, Space, Type};

/// Why a compare-and-swap of 64 bits in global memory is refused.
pub(super) const WIDE_SWAP: &str = "a compare-and-swap of 64 bits in global memory has three operands, and the log keeps two; use 32 bits";

/// Words of PTX ISA 8 that are parts of supported mnemonics and are not supported themselves.
#[rustfmt::skip]
const OTHER_PARTS: &[&str] = &[
    "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms", "NaN", "abs", "xorsign", "acq_rel",
    "acquire", "aligned", "arrive", "async", "base", "clear", "cluster", "constant", "evict_first",
    "evict_last", "evict_normal", "grad", "level", "mmio", "noftz", "pack", "popc", "proxy", "red", "relu",
    "release", "rna", "rs", "satfinite", "unified", "v8", "warp", "wrap",
];

/// Reads a mnemonic and its suffixes, `words`; gives the row that it is in with the instruction, still without operands.
pub(super) fn decode(
    name: &str,
    words: &[&str],
    line: u32,
) -> Result<(&'static Row, Instruction), Stop> {
    let whole = std::iter::once(name)
        .chain(words.iter().copied())
        .collect::<Vec<_>>()
        .join(".");
    let wrong = |reason: String| {
        let instruction = whole.clone();
        Fault::Suffix {
            instruction,
            reason,
        }
        .at(line)
    };
    let Some(opcode) = Opcode::of_word(name) else {
        return Err(match OTHER_MNEMONICS.contains(&name) {
            true => Stop::Unsupported(format!("the instruction {name} is not supported")),
            false => Fault::Mnemonic(name.to_owned()).at(line),
        });
    };
    let rows = || TABLE.iter().filter(|row| row.opcode == opcode);
    let first = words.iter().find_map(|word| Type::of_word(word));
    let of_type = rows().find(|row| match first {
        Some(ty) => row.types() & ty.mask() != 0,
        None => true,
    });
    let other = words.iter().find(|word| {
        let is_type = OTHER_TYPES.contains(word) || word.contains(':');
        Type::of_word(word).is_none() && (is_type || OTHER_PARTS.contains(word))
    });
    if let Some(word) = other {
        let reason = format!(".{word} is not supported with {name}");
        return Err(Stop::Unsupported(reason));
    }
    let row = of_type.ok_or_else(|| {
        let all = rows().fold(0, |all, row| all | row.types());
        match all {
            0 => wrong(format!("{name} has no type; remove it")),
            _ => wrong(format!("the type must be {}", types(all))),
        }
    })?;
    let mut instruction = Instruction {
        line,
        guard: None,
        opcode,
        ty: None,
        second: None,
        space: Space::Generic,
        modifiers: Modifiers::default(),
        operands: Vec::new(),
    };
    let mut words = words.iter().copied().peekable();
    for part in row.parts {
        let word = words.peek().copied().unwrap_or_default();
        let taken = match *part {
            Part::May(modifiers) | Part::Must(modifiers) => {
                let modifier =
                    Modifier::of_word(word).filter(|modifier| modifiers.contains(modifier));
                if let Some(modifier) = modifier {
                    instruction.modifiers.insert(modifier);
                }
                modifier.is_some()
            }
            Part::MaySpace(spaces) | Part::MustSpace(spaces) => {
                let space = Space::of_word(word).filter(|space| spaces.contains(space));
                instruction.space = space.unwrap_or(Space::Generic);
                space.is_some()
            }
            Part::Type(set) | Part::Second(set) => {
                let ty = Type::of_word(word).filter(|ty| ty.mask() & set != 0);
                match part {
                    Part::Type(_) => instruction.ty = ty,
                    _ => instruction.second = ty,
                }
                ty.is_some()
            }
        };
        if taken {
            words.next();
        } else if let Some(needed) = needed(part) {
            return Err(wrong(format!(
                "{needed} is missing, or stands after something else"
            )));
        }
    }
    if let Some(word) = words.next() {
        return Err(wrong(format!(
            "{name} of this type has no .{word}, or not in this place"
        )));
    }
    check(&instruction).map_err(wrong)?;
    Ok((row, instruction))
}

/// What is missing without this part, if it has to be there.
fn needed(part: &Part) -> Option<String> {
    let words = |words: Vec<&str>| format!("one of .{}", words.join(", ."));
    match part {
        Part::Must(all) => Some(words(all.iter().map(|modifier| modifier.word()).collect())),
        Part::MustSpace(all) => Some(words(all.iter().map(|space| space.word()).collect())),
        Part::Type(set) => Some(format!("the type ({})", types(*set))),
        Part::Second(set) => Some(format!("the second type ({})", types(*set))),
        Part::May(_) | Part::MaySpace(_) => None,
    }
}

/// The types of a set, for a sentence.
fn types(set: u32) -> String {
    let all = Type::ALL.iter().filter(|ty| set & ty.mask() != 0);
    let words: Vec<_> = all.map(|ty| format!(".{ty}")).collect();
    words.join(", ")
}

/// Checks what the order of the parts does not say.
fn check(instruction: &Instruction) -> Result<(), String> {
    let Some(ty) = instruction.ty else {
        return Ok(());
    };
    let modifiers = instruction.modifiers;
    let second = instruction.second.unwrap_or(ty);
    if let Some(comparison) = modifiers.among(Modifier::COMPARISONS)
        && matches!(instruction.opcode, Opcode::Setp | Opcode::Set)
    {
        // The place of the comparison in the list tells what it compares (PTX ISA 6.4.1 and 9.7.6).
        let place = Modifier::COMPARISONS
            .iter()
            .position(|&other| other == comparison);
        let most = match second.kind() {
            Kind::Bits | Kind::Predicate => 0..2,
            Kind::Signed => 0..6,
            Kind::Unsigned => 0..10,
            Kind::Float => 0..18,
        };
        let is_unsigned =
            second.kind() == Kind::Float && place.is_some_and(|place| (6..10).contains(&place));
        if is_unsigned || !place.is_some_and(|place| most.contains(&place)) {
            return Err(format!(
                ".{comparison} does not compare values of type .{second}"
            ));
        }
    }
    let is_float = |ty: Type| ty.kind() == Kind::Float;
    if instruction.opcode == Opcode::Cvt {
        let to_integer = modifiers.among(Modifier::INTEGER_ROUNDINGS).is_some();
        let to_float = modifiers.among(Modifier::ROUNDINGS).is_some();
        let (wants_integer, wants_float) = match (is_float(ty), is_float(second)) {
            (false, true) => (true, false),
            (true, false) => (false, true),
            (true, true) => (to_integer && ty == second, ty.bits() < second.bits()),
            (false, false) => (false, false),
        };
        if to_integer != wants_integer || to_float != wants_float {
            let wanted = match (wants_integer, wants_float) {
                (true, _) => "a rounding to an integer, such as .rzi",
                (_, true) => "a rounding, such as .rn",
                _ => "no rounding",
            };
            return Err(format!("a conversion of .{second} to .{ty} has {wanted}"));
        }
    }
    if modifiers.has(Modifier::Ftz)
        && matches!(instruction.opcode, Opcode::Cvt | Opcode::Set | Opcode::Slct)
        && ![ty, second].contains(&Type::F32)
    {
        return Err(".ftz needs the type .f32".to_owned());
    }
    if instruction.opcode == Opcode::Mad
        && modifiers.has(Modifier::Sat)
        && !(ty == Type::S32 && modifiers.has(Modifier::Hi))
        && !is_float(ty)
    {
        return Err(".sat needs .hi and the type .s32".to_owned());
    }
    if modifiers.has(Modifier::Wide) && modifiers.has(Modifier::Cc) {
        return Err("a carry is that of .lo or .hi".to_owned());
    }
    if modifiers.has(Modifier::Wide) && ty.bits() == 64 {
        return Err("a product of 64-bit numbers has no .wide".to_owned());
    }
    if instruction.elements() * ty.bytes() > 16 {
        return Err("a vector has at most 16 bytes".to_owned());
    }
    if matches!(instruction.opcode, Opcode::Atom | Opcode::Red) {
        return check_atomic(instruction, ty);
    }
    Ok(())
}

/// The types of each atomic operation (PTX ISA 9.7.13).
fn check_atomic(instruction: &Instruction, ty: Type) -> Result<(), String> {
    let Some(operation) = instruction.modifiers.among(Modifier::ATOMICS) else {
        return Ok(());
    };
    let allowed = match operation {
        Modifier::Add => U_WORDS | S32 | F,
        Modifier::Min | Modifier::Max => U_WORDS | S_WORDS,
        Modifier::Inc | Modifier::Dec => Type::U32.mask(),
        _ => B_WORDS,
    };
    let is_swap = matches!(operation, Modifier::Exch | Modifier::Cas);
    if instruction.opcode == Opcode::Red && is_swap {
        return Err(format!("red has no .{operation}; use atom"));
    }
    match allowed & ty.mask() {
        0 => Err(format!(".{operation} takes the types {}", types(allowed))),
        _ => Ok(()),
    }
}
