//! Floating-point numbers: the processor rounds to the nearest one, software in the other directions.

use faultline_sim::ptx::{Instruction, Modifier, Opcode, Type};
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, Round};

use super::mask;

/// What a NaN is that an instruction makes.
const NAN32: u64 = 0x7fff_ffff;
const NAN64: u64 = 0x7ff8_0000_0000_0000;

/// The number that the bits of a floating-point type are.
pub fn real(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

pub fn flushed(flushes: bool, ty: Type, bits: u64) -> u64 {
    match flushes && ty == Type::F32 && bits & 0x7f80_0000 == 0 {
        true => bits & 0x8000_0000,
        false => bits,
    }
}

pub fn canonical(ty: Type, bits: u64) -> u64 {
    match (real(ty, bits).is_nan(), ty) {
        (true, Type::F32) => NAN32,
        (true, _) => NAN64,
        _ => bits,
    }
}

/// A result as the modifiers leave it.
pub fn finished(instruction: &Instruction, ty: Type, bits: u64) -> u64 {
    let bits = flushed(instruction.modifiers.has(Modifier::Ftz), ty, bits);
    let value = real(ty, bits);
    let one = match ty {
        Type::F32 => u64::from(1f32.to_bits()),
        _ => 1f64.to_bits(),
    };
    match instruction.modifiers.has(Modifier::Sat) {
        true if value.is_nan() || value <= 0.0 => 0,
        true if value > 1.0 => one,
        _ => canonical(ty, bits),
    }
}

pub fn direction(modifier: Option<Modifier>) -> Round {
    match modifier {
        Some(Modifier::Rz) => Round::TowardZero,
        Some(Modifier::Rm) => Round::TowardNegative,
        Some(Modifier::Rp) => Round::TowardPositive,
        _ => Round::NearestTiesToEven,
    }
}

/// The square root of a number that is not negative, rounded in a direction.
fn root(value: f64, is_single: bool, round: Round) -> u64 {
    let (nearest, order) = if is_single {
        let nearest = f64::from((value as f32).sqrt());
        (nearest, (nearest * nearest).total_cmp(&value))
    } else {
        let (up, down) = match value < 1e-150 {
            true => (2f64.powi(600), 2f64.powi(-300)),
            false => (1.0, 1.0),
        };
        let scaled = (value * up).sqrt();
        let rest = scaled.mul_add(scaled, -(value * up));
        (scaled * down, rest.total_cmp(&0.0))
    };
    let exact = order.is_eq() || value == 0.0 || !value.is_finite();
    let step = match round {
        _ if exact => 0,
        Round::TowardPositive if order.is_lt() => 1,
        Round::TowardZero | Round::TowardNegative if order.is_gt() => -1,
        _ => 0,
    };
    // The bits of positive numbers have their order.
    match is_single {
        true => u64::from((nearest as f32).to_bits()).wrapping_add_signed(step),
        false => nearest.to_bits().wrapping_add_signed(step),
    }
}

macro_rules! rounded {
    ($name:ident, $native:ty, $bits:ty, $soft:ty) => {
        /// An operation to the nearest number by the processor, in another direction by software.
        pub fn $name(opcode: Opcode, round: Round, bits: &[u64]) -> u64 {
            let native = |place: usize| <$native>::from_bits(bits[place] as $bits);
            let soft = |place: usize| <$soft>::from_bits(bits[place].into());
            if opcode == Opcode::Sqrt && native(0) >= 0.0 && native(0).to_bits().leading_zeros() > 0
            {
                let is_single = <$bits>::BITS == 32;
                return root(native(0).into(), is_single, round);
            }
            if round == Round::NearestTiesToEven || opcode == Opcode::Sqrt {
                let value = match opcode {
                    Opcode::Add => native(0) + native(1),
                    Opcode::Sub => native(0) - native(1),
                    Opcode::Mul => native(0) * native(1),
                    Opcode::Div => native(0) / native(1),
                    Opcode::Rcp => 1.0 / native(0),
                    Opcode::Sqrt => native(0).sqrt(),
                    _ => native(0).mul_add(native(1), native(2)),
                };
                return value.to_bits().into();
            }
            let one = <$soft>::from_bits((1.0 as $native).to_bits().into());
            let value = match opcode {
                Opcode::Add => soft(0).add_r(soft(1), round),
                Opcode::Sub => soft(0).sub_r(soft(1), round),
                Opcode::Mul => soft(0).mul_r(soft(1), round),
                Opcode::Div => soft(0).div_r(soft(1), round),
                Opcode::Rcp => one.div_r(soft(0), round),
                _ => soft(0).mul_add_r(soft(1), soft(2), round),
            };
            value.value.to_bits() as u64
        }
    };
}

rounded!(single, f32, u32, Single);
rounded!(double, f64, u64, Double);

/// An instruction on floating-point numbers.
pub fn float(instruction: &Instruction, ty: Type, sources: &[u64]) -> u64 {
    let modifiers = instruction.modifiers;
    let sign = 1 << (ty.bits() - 1);
    let flush = |&bits: &u64| flushed(modifiers.has(Modifier::Ftz), ty, bits);
    let sources: Vec<u64> = sources.iter().map(flush).collect();
    let values: Vec<f64> = sources.iter().map(|&bits| real(ty, bits)).collect();
    match instruction.opcode {
        Opcode::Copysign => sources[0] & sign | sources[1] & !sign,
        // Only doubles keep the payload of a NaN.
        Opcode::Abs | Opcode::Neg if ty == Type::F32 && values[0].is_nan() => {
            canonical(ty, sources[0])
        }
        Opcode::Abs => sources[0] & !sign,
        Opcode::Neg => sources[0] ^ sign,
        Opcode::Min | Opcode::Max => {
            let is_first = match (values[0].is_nan(), values[1].is_nan()) {
                (true, _) => false,
                (_, true) => true,
                // Zeros have an order.
                _ => values[0].total_cmp(&values[1]).is_lt() == (instruction.opcode == Opcode::Min),
            };
            canonical(ty, sources[usize::from(!is_first)])
        }
        opcode => {
            let round = direction(modifiers.among(Modifier::ROUNDINGS));
            let bits = match ty {
                Type::F32 => single(opcode, round, &sources),
                _ => double(opcode, round, &sources),
            };
            finished(instruction, ty, bits)
        }
    }
}

pub fn test(instruction: &Instruction, ty: Type, bits: u64) -> bool {
    let (exponent, fraction) = match ty {
        Type::F32 => (bits >> 23 & 0xff, bits & mask(23)),
        _ => (bits >> 52 & 0x7ff, bits & mask(52)),
    };
    let most = if ty == Type::F32 { 0xff } else { 0x7ff };
    match instruction.modifiers.among(Modifier::TESTS) {
        Some(Modifier::Finite) => exponent != most,
        Some(Modifier::Infinite) => exponent == most && fraction == 0,
        Some(Modifier::Number) => exponent != most || fraction == 0,
        Some(Modifier::NotANumber) => exponent == most && fraction != 0,
        // Zeros are normal.
        Some(Modifier::Normal) => exponent != most && (exponent != 0 || fraction == 0),
        _ => exponent == 0 && fraction != 0,
    }
}
