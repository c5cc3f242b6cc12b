//! What the computing instructions of PTX do (PTX ISA 9.7.1 to 9.7.9), a value at a time.

use faultline_sim::ptx::{Instruction, Kind, Modifier, Opcode, Type};
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use float::{canonical, direction, double, finished, float, flushed, real, single, test};

mod float;

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Bits as the integer that a type makes of them.
pub fn integer(ty: Type, bits: u64) -> i128 {
    let value = i128::from(bits & mask(ty.bits()));
    match ty.kind() == Kind::Signed && value >> (ty.bits() - 1) != 0 {
        true => value - (1 << ty.bits()),
        false => value,
    }
}

/// The lowest and the highest integer of a type.
fn range(ty: Type) -> (i128, i128) {
    match ty.kind() {
        Kind::Signed => (-(1 << (ty.bits() - 1)), (1 << (ty.bits() - 1)) - 1),
        _ => (0, (1 << ty.bits()) - 1),
    }
}

fn clamped(ty: Type, value: i128) -> i128 {
    let (least, most) = range(ty);
    value.clamp(least, most)
}

/// Whether two values of a type compare as an instruction says, without what it combines that with.
pub fn compare(instruction: &Instruction, ty: Type, first: u64, second: u64) -> bool {
    let comparison = instruction.modifiers.among(Modifier::COMPARISONS);
    let comparison = comparison.unwrap();
    let flushes = instruction.modifiers.has(Modifier::Ftz);
    let order = match ty.kind() {
        Kind::Float => {
            let value = |bits| real(ty, flushed(flushes, ty, bits));
            value(first).partial_cmp(&value(second))
        }
        _ => Some(integer(ty, first).cmp(&integer(ty, second))),
    };
    match (comparison, order) {
        (Modifier::Num, _) => order.is_some(),
        (Modifier::Nan, _) => order.is_none(),
        (Modifier::Equ | Modifier::Neu | Modifier::Ltu, None) => true,
        (Modifier::Leu | Modifier::Gtu | Modifier::Geu, None) => true,
        (_, None) => false,
        (Modifier::Eq | Modifier::Equ, Some(order)) => order.is_eq(),
        (Modifier::Ne | Modifier::Neu, Some(order)) => order.is_ne(),
        (Modifier::Lt | Modifier::Ltu | Modifier::Lo, Some(order)) => order.is_lt(),
        (Modifier::Le | Modifier::Leu | Modifier::Ls, Some(order)) => order.is_le(),
        (Modifier::Gt | Modifier::Gtu | Modifier::Hi, Some(order)) => order.is_gt(),
        (_, Some(order)) => order.is_ge(),
    }
}

/// Combines a comparison with a predicate.
pub fn combine(instruction: &Instruction, compared: bool, other: Option<u64>) -> bool {
    let other = other.is_some_and(|bits| bits & 1 != 0);
    match instruction.modifiers.among(Modifier::COMBINATIONS) {
        Some(Modifier::And) => compared & other,
        Some(Modifier::Or) => compared | other,
        Some(_) => compared ^ other,
        None => compared,
    }
}

/// A conversion between types (PTX ISA 9.7.9.21).
fn convert(instruction: &Instruction, to: Type, from: Type, bits: u64) -> u64 {
    let modifiers = instruction.modifiers;
    let round = direction(modifiers.among(Modifier::ROUNDINGS));
    let bits = flushed(modifiers.has(Modifier::Ftz), from, bits);
    let value = real(from, bits);
    let whole = match modifiers.among(Modifier::INTEGER_ROUNDINGS) {
        Some(Modifier::Rni) => value.round_ties_even(),
        Some(Modifier::Rzi) => value.trunc(),
        Some(Modifier::Rmi) => value.floor(),
        Some(Modifier::Rpi) => value.ceil(),
        _ => value,
    };
    match (to.kind() == Kind::Float, from.kind() == Kind::Float) {
        (false, false) => {
            let value = integer(from, bits);
            match modifiers.has(Modifier::Sat) {
                true => clamped(to, value) as u64,
                false => value as u64,
            }
        }
        (false, true) if value.is_nan() => match from == Type::F64 || to.bits() == 64 {
            true => 1 << (to.bits() - 1),
            false => 0,
        },
        (false, true) => clamped(to, whole as i128) as u64,
        (true, false) => {
            let value = integer(from, bits);
            let bits = match to {
                Type::F32 => Single::from_i128_r(value, round).value.to_bits(),
                _ => Double::from_i128_r(value, round).value.to_bits(),
            };
            finished(instruction, to, bits as u64)
        }
        (true, true) => {
            let bits = match (to, from) {
                (Type::F32, Type::F64) if round == Round::NearestTiesToEven => {
                    (value as f32).to_bits().into()
                }
                (Type::F32, Type::F64) => {
                    let soft = Double::from_bits(bits.into());
                    let narrow: Single = soft.convert_r(round, &mut false).value;
                    narrow.to_bits() as u64
                }
                (Type::F64, _) => whole.to_bits(),
                _ => (whole as f32).to_bits().into(),
            };
            finished(instruction, to, bits)
        }
    }
}

/// A field of bits that is taken out.
fn extracted(ty: Type, value: u64, start: u64, length: u64) -> u64 {
    let (start, length) = (start as u32 & 0xff, length as u32 & 0xff);
    let most = ty.bits() - 1;
    let bit = |place: u32| value >> place & 1;
    let sign = match ty.kind() == Kind::Unsigned || length == 0 {
        true => 0,
        false => bit((start + length - 1).min(most)),
    };
    let one = |place: u32| match place < length && start + place <= most {
        true => bit(start + place),
        false => sign,
    };
    (0..=most).fold(0, |all, place| all | one(place) << place)
}

/// A field of bits that is put in.
fn inserted(ty: Type, sources: &[u64]) -> u64 {
    let (start, length) = (sources[2] as u32 & 0xff, sources[3] as u32 & 0xff);
    let places = (0..length).take_while(|place| start + place < ty.bits());
    places.fold(sources[1], |all, place| {
        let bit = sources[0] >> place & 1;
        all & !(1 << (start + place)) | bit << (start + place)
    })
}

/// The result of an instruction with one destination, of sources whose bits are those of their types.
pub fn result(instruction: &Instruction, sources: &[u64]) -> u64 {
    let ty = instruction.ty.unwrap();
    let (modifiers, bits) = (instruction.modifiers, ty.bits());
    let has = |modifier| modifiers.has(modifier);
    let whole = |place: usize| integer(ty, sources[place]);
    // Numbers of 24 bits have their sign in bit 23.
    let short = |place: usize| match ty.kind() {
        Kind::Signed => (whole(place) << 104) >> 104,
        _ => whole(place) & 0xff_ffff,
    };
    let saturated = |value: i128| match has(Modifier::Sat) {
        true => clamped(ty, value),
        false => value,
    };
    // The product of two numbers of 64 bits without a sign needs all bits.
    let high = || match ty.kind() {
        Kind::Unsigned => ((whole(0) as u128 * whole(1) as u128) >> bits) as i128,
        _ => (whole(0) * whole(1)) >> bits,
    };
    let bit = |place: u32| i128::from(sources[0] >> place & 1);
    let second = instruction.second.unwrap_or(ty);
    let amount = |place: usize| sources[place].min(bits.into()) as u32;
    let value = match instruction.opcode {
        Opcode::Testp => i128::from(test(instruction, ty, sources[0])),
        Opcode::Selp => whole(usize::from(sources[2] & 1 == 0)),
        Opcode::Slct => {
            let flushes = has(Modifier::Ftz);
            let is_first = match second {
                Type::F32 => real(second, flushed(flushes, second, sources[2])) >= 0.0,
                _ => integer(second, sources[2]) >= 0,
            };
            whole(usize::from(!is_first))
        }
        Opcode::Set => {
            let compared = compare(instruction, second, sources[0], sources[1]);
            let one = match ty {
                Type::F32 => 1f32.to_bits().into(),
                _ => -1,
            };
            match combine(instruction, compared, sources.get(2).copied()) {
                true => one,
                false => 0,
            }
        }
        Opcode::Cvt => convert(instruction, ty, second, sources[0]).into(),
        Opcode::Mov => sources[0].into(),
        _ if ty.kind() == Kind::Float => float(instruction, ty, sources).into(),
        Opcode::Add => saturated(whole(0) + whole(1)),
        Opcode::Sub => saturated(whole(0) - whole(1)),
        Opcode::Mul if has(Modifier::Hi) => high(),
        Opcode::Mul => whole(0).wrapping_mul(whole(1)),
        Opcode::Mad if has(Modifier::Wide) => {
            (whole(0) * whole(1)).wrapping_add(i128::from(sources[2]))
        }
        Opcode::Mad if has(Modifier::Hi) => saturated(high() + whole(2)),
        Opcode::Mad => whole(0).wrapping_mul(whole(1)).wrapping_add(whole(2)),
        Opcode::Mul24 if has(Modifier::Hi) => (short(0) * short(1)) >> 16,
        Opcode::Mul24 => short(0) * short(1),
        Opcode::Mad24 if has(Modifier::Hi) => saturated(((short(0) * short(1)) >> 16) + whole(2)),
        Opcode::Mad24 => short(0) * short(1) + whole(2),
        // A quotient by zero is unspecified.
        Opcode::Div => whole(0).checked_div(whole(1)).unwrap_or(-1),
        Opcode::Rem => whole(0).checked_rem(whole(1)).unwrap_or(-1),
        Opcode::Abs => whole(0).abs(),
        Opcode::Neg => -whole(0),
        Opcode::Min => whole(0).min(whole(1)),
        Opcode::Max => whole(0).max(whole(1)),
        Opcode::Bfe => extracted(ty, sources[0], sources[1], sources[2]).into(),
        Opcode::Bfi => inserted(ty, sources).into(),
        Opcode::And => whole(0) & whole(1),
        Opcode::Or => whole(0) | whole(1),
        Opcode::Xor => whole(0) ^ whole(1),
        Opcode::Not => !whole(0),
        Opcode::Cnot => i128::from(whole(0) == 0),
        Opcode::Popc => (0..bits).map(bit).sum(),
        Opcode::Clz => (0..bits).rev().take_while(|&place| bit(place) == 0).count() as i128,
        Opcode::Brev => (0..bits)
            .map(|place| bit(place) << (bits - 1 - place))
            .sum(),
        Opcode::Bfind => {
            let sign = i128::from(whole(0) < 0);
            match (0..bits).rev().find(|&place| bit(place) != sign) {
                Some(place) if has(Modifier::ShiftAmount) => (bits - 1 - place).into(),
                Some(place) => place.into(),
                None => -1,
            }
        }
        Opcode::Shl => whole(0) << amount(1),
        Opcode::Shr => whole(0) >> amount(1),
        other => panic!("{other} is not interpreted"),
    };
    value as u64
}

/// What an atomic leaves of the word that it finds.
pub fn atomic(instruction: &Instruction, is_shared: bool, old: u64, sources: &[u64]) -> u64 {
    let ty = instruction.ty.unwrap();
    let (was, with) = (integer(ty, old), integer(ty, sources[0]));
    let value = match instruction.modifiers.among(Modifier::ATOMICS).unwrap() {
        // Sums in global memory flush, those in shared memory do not.
        Modifier::Add if ty == Type::F32 => {
            let both = [old, sources[0]].map(|bits| flushed(!is_shared, ty, bits));
            let sum = single(Opcode::Add, direction(None), &both);
            canonical(ty, flushed(!is_shared, ty, sum)).into()
        }
        Modifier::Add if ty == Type::F64 => {
            canonical(ty, double(Opcode::Add, direction(None), &[old, sources[0]])).into()
        }
        Modifier::Add => was + with,
        Modifier::Min => was.min(with),
        Modifier::Max => was.max(with),
        Modifier::Inc => {
            if was >= with {
                0
            } else {
                was + 1
            }
        }
        Modifier::Dec => {
            if was == 0 || was > with {
                with
            } else {
                was - 1
            }
        }
        Modifier::And => was & with,
        Modifier::Or => was | with,
        Modifier::Xor => was ^ with,
        Modifier::Exch => with,
        _ => {
            if was == with {
                integer(ty, sources[1])
            } else {
                was
            }
        }
    };
    value as u64 & mask(ty.bits())
}
