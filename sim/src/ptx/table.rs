//! The instructions by mnemonic and type (PTX ISA 9.7).

use super::error::{Fault, Stop};
use super::module::Instruction;
use super::words::{Kind, Modifier, OTHER_MNEMONICS, OTHER_TYPES, Opcode, Space, Type};

/// A part of a mnemonic, in the order of the parts.
pub(super) enum Part {
    /// One of these may stand there.
    May(&'static [Modifier]),
    /// One of these must.
    Must(&'static [Modifier]),
    /// One of these state spaces may.
    MaySpace(&'static [Space]),
    /// One of them must.
    MustSpace(&'static [Space]),
    /// One of the types of this set must.
    Type(u32),
    /// A second type, of this set, must.
    Second(u32),
}

/// An instruction for some types.
///
/// Its operands, a letter each: `D` a destination of the type, `S` one that may be `_`, `W` one that is twice as wide
/// under `.wide`, `Q` a predicate or two, `P` a predicate, `V` a vector under `.v2` or `.v4`; `a` a source of the type,
/// `w` one that is twice as wide under `.wide`, `x` one of the second type, `u` an integer of 32 bits, `o` one that may be
/// absent, `p` a predicate, `n` one that may be negated and stands there if comparisons are combined, `c` a source that
/// only `.cas` has, `v` a vector under `.v2` or `.v4`; `m` an address, `s` a source or the address of a variable, `l` a label,
/// `t` a texture with coordinates. `M` stands for the operands of `mov`, `C` for those of `call`.
pub(super) struct Row {
    pub opcode: Opcode,
    pub parts: &'static [Part],
    pub operands: &'static str,
}

impl Row {
    /// The first types that it is for; none for an instruction without a type.
    fn types(&self) -> u32 {
        let types = self.parts.iter().find_map(|part| match part {
            Part::Type(types) => Some(*types),
            _ => None,
        });
        types.unwrap_or_default()
    }
}

const fn set(types: &[Type]) -> u32 {
    let (mut set, mut place) = (0, 0);
    while place < types.len() {
        set |= types[place].mask();
        place += 1;
    }
    set
}

/// The types of each kind, without those of 8 bits.
const B: u32 = set(&[Type::B16, Type::B32, Type::B64]);
const B_WORDS: u32 = set(&[Type::B32, Type::B64]);
const U: u32 = set(&[Type::U16, Type::U32, Type::U64]);
const U_WORDS: u32 = set(&[Type::U32, Type::U64]);
const S: u32 = set(&[Type::S16, Type::S32, Type::S64]);
const S_WORDS: u32 = set(&[Type::S32, Type::S64]);
const S32: u32 = Type::S32.mask();
const WORDS: u32 = Type::S32.mask() | Type::U32.mask();
const F32: u32 = Type::F32.mask();
const F64: u32 = Type::F64.mask();
const F: u32 = F32 | F64;
const PRED: u32 = Type::Pred.mask();
const BYTES: u32 = set(&[Type::B8, Type::U8, Type::S8]);
const INTEGERS: u32 = set(&[Type::U8, Type::S8]) | U | S;
const STORED: u32 = BYTES | B | U | S | F;

const LOW: &[Modifier] = &[Modifier::Lo, Modifier::Hi];
const FTZ: Part = Part::May(&[Modifier::Ftz]);
const SAT: Part = Part::May(&[Modifier::Sat]);
const ROUND: Part = Part::May(Modifier::ROUNDINGS);
const ROUNDED: Part = Part::Must(Modifier::ROUNDINGS);
const APPROX: Part = Part::Must(&[Modifier::Approx]);
const APPROX_OR_ROUNDED: Part = Part::Must(&[
    Modifier::Approx,
    Modifier::Rn,
    Modifier::Rz,
    Modifier::Rm,
    Modifier::Rp,
]);
const DIVIDED: Part = Part::Must(&[
    Modifier::Approx,
    Modifier::Full,
    Modifier::Rn,
    Modifier::Rz,
    Modifier::Rm,
    Modifier::Rp,
]);
const CONVERTED: Part = Part::May(&[
    Modifier::Rn,
    Modifier::Rz,
    Modifier::Rm,
    Modifier::Rp,
    Modifier::Rni,
    Modifier::Rzi,
    Modifier::Rmi,
    Modifier::Rpi,
]);
const ORDER: Part = Part::May(&[Modifier::Weak, Modifier::Volatile, Modifier::Relaxed]);
const SCOPE: Part = Part::May(&[Modifier::Cta, Modifier::Gpu, Modifier::Sys]);
const LOADED_FROM: Part = Part::MaySpace(&[
    Space::Global,
    Space::Shared,
    Space::Const,
    Space::Local,
    Space::Param,
]);
const STORED_TO: Part = Part::MaySpace(&[Space::Global, Space::Shared, Space::Local, Space::Param]);
const CHANGED: Part = Part::MaySpace(&[Space::Global, Space::Shared]);
const READ_BY: Part = Part::May(&[
    Modifier::Ca,
    Modifier::Cg,
    Modifier::Cs,
    Modifier::Lu,
    Modifier::Cv,
]);
const WRITTEN_BY: Part = Part::May(&[Modifier::Wb, Modifier::Cg, Modifier::Cs, Modifier::Wt]);
const VECTOR: Part = Part::May(&[Modifier::V2, Modifier::V4]);
const COMPARED: Part = Part::Must(Modifier::COMPARISONS);
const COMBINED: Part = Part::May(Modifier::COMBINATIONS);
const UNIFORM: Part = Part::May(&[Modifier::Uni]);
const RELAXED: Part = Part::May(&[Modifier::Relaxed]);

const fn row(opcode: Opcode, parts: &'static [Part], operands: &'static str) -> Row {
    Row {
        opcode,
        parts,
        operands,
    }
}

/// All instructions. Where the types of a mnemonic differ in their parts or operands, it has several rows.
#[rustfmt::skip]
static TABLE: &[Row] = &[
    // Integers.
    row(Opcode::Add, &[SAT, Part::Type(S32)], "Daa"),
    row(Opcode::Add, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Sub, &[SAT, Part::Type(S32)], "Daa"),
    row(Opcode::Sub, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Mul, &[Part::Must(Modifier::PARTS), Part::Type(U | S)], "Waa"),
    row(Opcode::Mad, &[Part::Must(Modifier::PARTS), SAT, Part::Type(U | S)], "Waaw"),
    row(Opcode::Mul24, &[Part::Must(LOW), Part::Type(WORDS)], "Daa"),
    row(Opcode::Mad24, &[Part::Must(LOW), SAT, Part::Type(WORDS)], "Daaa"),
    row(Opcode::Div, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Rem, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Abs, &[Part::Type(S)], "Da"),
    row(Opcode::Neg, &[Part::Type(S)], "Da"),
    row(Opcode::Min, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Max, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Bfe, &[Part::Type(U_WORDS | S_WORDS)], "Dauu"),
    row(Opcode::Bfi, &[Part::Type(B_WORDS)], "Daauu"),
    // Floating-point numbers.
    row(Opcode::Add, &[ROUND, FTZ, SAT, Part::Type(F32)], "Daa"),
    row(Opcode::Add, &[ROUND, Part::Type(F64)], "Daa"),
    row(Opcode::Sub, &[ROUND, FTZ, SAT, Part::Type(F32)], "Daa"),
    row(Opcode::Sub, &[ROUND, Part::Type(F64)], "Daa"),
    row(Opcode::Mul, &[ROUND, FTZ, SAT, Part::Type(F32)], "Daa"),
    row(Opcode::Mul, &[ROUND, Part::Type(F64)], "Daa"),
    row(Opcode::Mad, &[ROUNDED, FTZ, SAT, Part::Type(F32)], "Daaa"),
    row(Opcode::Mad, &[ROUNDED, Part::Type(F64)], "Daaa"),
    row(Opcode::Fma, &[ROUNDED, FTZ, SAT, Part::Type(F32)], "Daaa"),
    row(Opcode::Fma, &[ROUNDED, Part::Type(F64)], "Daaa"),
    row(Opcode::Div, &[DIVIDED, FTZ, Part::Type(F32)], "Daa"),
    row(Opcode::Div, &[ROUNDED, Part::Type(F64)], "Daa"),
    row(Opcode::Abs, &[FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Abs, &[Part::Type(F64)], "Da"),
    row(Opcode::Neg, &[FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Neg, &[Part::Type(F64)], "Da"),
    row(Opcode::Min, &[FTZ, Part::Type(F32)], "Daa"),
    row(Opcode::Min, &[Part::Type(F64)], "Daa"),
    row(Opcode::Max, &[FTZ, Part::Type(F32)], "Daa"),
    row(Opcode::Max, &[Part::Type(F64)], "Daa"),
    row(Opcode::Rcp, &[APPROX_OR_ROUNDED, FTZ, Part::Type(F)], "Da"),
    row(Opcode::Sqrt, &[APPROX_OR_ROUNDED, FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Sqrt, &[ROUNDED, Part::Type(F64)], "Da"),
    row(Opcode::Rsqrt, &[APPROX, FTZ, Part::Type(F)], "Da"),
    row(Opcode::Ex2, &[APPROX, FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Lg2, &[APPROX, FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Sin, &[APPROX, FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Cos, &[APPROX, FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Testp, &[Part::Must(Modifier::TESTS), Part::Type(F)], "Pa"),
    row(Opcode::Copysign, &[Part::Type(F)], "Daa"),
    // Comparisons and selections.
    row(Opcode::Setp, &[COMPARED, COMBINED, FTZ, Part::Type(F32)], "Qaan"),
    row(Opcode::Setp, &[COMPARED, COMBINED, Part::Type(B | U | S | F64)], "Qaan"),
    row(Opcode::Set, &[COMPARED, COMBINED, FTZ, Part::Type(WORDS | F32), Part::Second(B | U | S | F)], "Dxxn"),
    row(Opcode::Selp, &[Part::Type(B | U | S | F)], "Daap"),
    row(Opcode::Slct, &[FTZ, Part::Type(B | U | S | F), Part::Second(S32 | F32)], "Daax"),
    // Logic.
    row(Opcode::And, &[Part::Type(PRED | B)], "Daa"),
    row(Opcode::Or, &[Part::Type(PRED | B)], "Daa"),
    row(Opcode::Xor, &[Part::Type(PRED | B)], "Daa"),
    row(Opcode::Not, &[Part::Type(PRED | B)], "Da"),
    row(Opcode::Cnot, &[Part::Type(B)], "Da"),
    row(Opcode::Shl, &[Part::Type(B)], "Dau"),
    row(Opcode::Shr, &[Part::Type(B | U | S)], "Dau"),
    // Moves, conversions, memory.
    row(Opcode::Mov, &[Part::Type(PRED | B | U | S | F)], "M"),
    row(Opcode::Cvt, &[CONVERTED, FTZ, SAT, Part::Type(INTEGERS | F), Part::Second(INTEGERS | F)], "Dx"),
    row(Opcode::Cvta, &[
        Part::May(&[Modifier::To]),
        Part::MustSpace(&[Space::Global, Space::Shared, Space::Const, Space::Local]),
        Part::Type(U_WORDS),
    ], "Ds"),
    row(Opcode::Ld, &[ORDER, SCOPE, LOADED_FROM, READ_BY, Part::May(&[Modifier::Nc]), VECTOR, Part::Type(STORED)], "Vm"),
    row(Opcode::St, &[ORDER, SCOPE, STORED_TO, WRITTEN_BY, VECTOR, Part::Type(STORED)], "mv"),
    row(Opcode::Atom, &[RELAXED, SCOPE, CHANGED, Part::Must(Modifier::ATOMICS), Part::Type(B_WORDS | U_WORDS | S_WORDS | F)], "Smac"),
    row(Opcode::Red, &[RELAXED, SCOPE, CHANGED, Part::Must(Modifier::ATOMICS), Part::Type(B_WORDS | U_WORDS | S_WORDS | F)], "ma"),
    row(Opcode::Tex, &[
        Part::Must(&[Modifier::OneDimension, Modifier::TwoDimensions]),
        Part::Must(&[Modifier::V4]),
        Part::Type(WORDS | F32),
        Part::Second(S32 | F32),
    ], "Vt"),
    // Control.
    row(Opcode::Bra, &[UNIFORM], "l"),
    row(Opcode::Call, &[UNIFORM], "C"),
    row(Opcode::Ret, &[UNIFORM], ""),
    row(Opcode::Exit, &[], ""),
    row(Opcode::Bar, &[Part::Must(&[Modifier::Sync])], "uo"),
    row(Opcode::Membar, &[Part::Must(&[Modifier::Cta, Modifier::Gl, Modifier::Sys])], ""),
];

/// Words of PTX ISA 8 that are parts of supported mnemonics and are not supported themselves.
const OTHER_PARTS: &[&str] = &[
    "1d",
    "2d",
    "3d",
    "a1d",
    "a2d",
    "cube",
    "acube",
    "2dms",
    "a2dms",
    "NaN",
    "abs",
    "xorsign",
    "acq_rel",
    "acquire",
    "aligned",
    "and",
    "arrive",
    "cc",
    "clear",
    "cluster",
    "constant",
    "evict_first",
    "evict_last",
    "evict_normal",
    "level",
    "mmio",
    "noftz",
    "or",
    "popc",
    "pragma",
    "red",
    "relu",
    "release",
    "rna",
    "rs",
    "satfinite",
    "shiftamt",
    "sync",
    "unified",
    "v8",
    "warp",
    "wrap",
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
        Type::of_word(word).is_none() && (OTHER_TYPES.contains(word) || word.contains(':'))
    });
    if let Some(word) = other {
        return Err(Stop::Unsupported(format!(".{word} is not supported here")));
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
        modifiers: Default::default(),
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
            return Err(
                match OTHER_PARTS.contains(&word) && Type::of_word(word).is_none() {
                    true => Stop::Unsupported(format!(".{word} is not supported with {name}")),
                    false => wrong(format!(
                        "{needed} is missing, or stands after something else"
                    )),
                },
            );
        }
    }
    match words.next() {
        Some(word) if OTHER_PARTS.contains(&word) => {
            return Err(Stop::Unsupported(format!(
                ".{word} is not supported with {name}"
            )));
        }
        Some(word) => {
            return Err(wrong(format!(
                "{name} of this type has no .{word}, or not in this place"
            )));
        }
        None => {}
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
