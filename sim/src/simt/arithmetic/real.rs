//! Arithmetic on floating-point numbers (PTX ISA 9.7.3).

use super::super::warp::Lanes;
use super::directed::{self, Exact};
use super::lanes::{Value, binary, ones, ternary, unary};
use super::{Mode, RealOperation, Rounding};
use num_traits::{AsPrimitive, Float};
use rustc_apfloat::ieee::{Double, Single};

/// A floating-point number as Rust has it.
pub(super) trait Binary: Value + Float + AsPrimitive<f64> {
    /// The same format, rounded in any direction.
    type Exact: Exact;

    /// Its width.
    const BITS: u32;

    /// The bits of its exponent.
    const EXPONENT: u64;

    /// Its bits as they are.
    fn raw(self) -> u64;

    /// The nearest number.
    fn nearest(value: f64) -> Self;

    /// `a * b + c` in each lane, rounded once to the nearest.
    fn fused(sources: [&Lanes; 3]) -> Lanes;
}

impl Value for f32 {
    #[inline(always)]
    fn of(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(if self.is_nan() {
            0x7fff_ffff
        } else {
            self.to_bits()
        })
    }
}

impl Value for f64 {
    #[inline(always)]
    fn of(bits: u64) -> Self {
        Self::from_bits(bits)
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        if self.is_nan() {
            0x7ff8_0000_0000_0000
        } else {
            self.to_bits()
        }
    }
}

impl Binary for f32 {
    type Exact = Single;
    const BITS: u32 = 32;
    const EXPONENT: u64 = Self::INFINITY.to_bits() as u64;

    #[inline(always)]
    fn raw(self) -> u64 {
        self.to_bits().into()
    }

    #[inline(always)]
    fn nearest(value: f64) -> Self {
        value as Self
    }

    /// The product is exact in 64 bits. The sum of 64 bits has the nearest number of the exact one but halfway between
    /// two of them, and where numbers are denormal.
    fn fused(sources: [&Lanes; 3]) -> Lanes {
        let sums = ternary(sources, |a: Self, b: Self, c: Self| {
            f64::from(a) * f64::from(b) + f64::from(c)
        });
        let doubtful = sums.iter().fold(false, |doubtful, &bits| {
            let sum = f64::from_bits(bits);
            let denormal = (sum.abs() < Self::MIN_POSITIVE.into()) & (sum != 0.0);
            doubtful | denormal | (bits as u32 & 0x1fff_ffff == 0x1000_0000)
        });
        if doubtful {
            ternary(sources, fused)
        } else {
            unary(&sums, |sum: f64| sum as Self)
        }
    }
}

/// The sum is rounded to odd in 64 bits and then to 32, which is one rounding, as 53 bits are more than 2 * 24 + 1
/// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
fn fused(a: f32, b: f32, c: f32) -> f32 {
    let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + addend;
    let part = sum - product;
    let error = (product - (sum - part)) + (addend - part);
    let bits = sum.to_bits();
    let step = u64::from(error.abs() > 0.0) & !bits;
    let opposite = (error.to_bits() ^ bits) >> 63;
    f64::from_bits(bits.wrapping_add(step).wrapping_sub((step & opposite) << 1)) as f32
}

impl Binary for f64 {
    type Exact = Double;
    const BITS: u32 = 64;
    const EXPONENT: u64 = Self::INFINITY.to_bits();

    #[inline(always)]
    fn raw(self) -> u64 {
        self.to_bits()
    }

    #[inline(always)]
    fn nearest(value: f64) -> Self {
        value
    }

    fn fused(sources: [&Lanes; 3]) -> Lanes {
        ternary(sources, Self::mul_add)
    }
}

/// The values with zeros in place of denormal numbers; the sign stays.
pub(super) fn flush<R: Binary>(values: &Lanes) -> Lanes {
    let sign = 1 << (R::BITS - 1);
    unary(values, |value: u64| {
        let kept = if value & R::EXPONENT == 0 {
            sign
        } else {
            ones(R::BITS)
        };
        value & kept
    })
}

/// A result as the mode has it. The limits of `.sat` make +0 of -0.
pub(super) fn finish<R: Binary>(flushes: bool, saturates: bool, mut result: Lanes) -> Lanes {
    if flushes {
        result = flush::<R>(&result);
    }
    if saturates {
        result = unary(&result, |value: R| match value {
            value if value >= R::one() => R::one(),
            value if value > R::zero() => value,
            _ => R::zero(),
        });
    }
    result
}

/// The result in each lane.
pub(super) fn evaluate<R: Binary>(
    operation: RealOperation,
    mode: Mode,
    sources: [&Lanes; 3],
) -> Lanes {
    let flushed;
    let sources = if mode.flushes {
        flushed = sources.map(flush::<R>);
        flushed.each_ref()
    } else {
        sources
    };
    let directed = directed::direction(mode.rounding)
        .and_then(|direction| directed::evaluate::<R>(operation, direction, sources));
    let result = match directed {
        Some(result) => result,
        None if is_gross::<R>(operation, mode) => gross::<R>(operation, sources),
        None => nearest::<R>(operation, sources),
    };
    finish::<R>(mode.flushes, mode.saturates, result)
}

/// The nearest number or, for a function that is approximate, one within its bound.
fn nearest<R: Binary>(operation: RealOperation, sources: [&Lanes; 3]) -> Lanes {
    use RealOperation as O;
    let [a, b, _] = sources;
    match operation {
        O::Add => binary(a, b, |a: R, b: R| a + b),
        O::Subtract => binary(a, b, |a: R, b: R| a - b),
        O::Multiply => binary(a, b, |a: R, b: R| a * b),
        O::MultiplyAdd => R::fused(sources),
        O::Divide => binary(a, b, |a: R, b: R| a / b),
        O::QuickDivide => binary(a, b, |a: R, b: R| {
            let is_beyond = wide(b).abs() > 2f64.powi(126) && wide(b).is_finite();
            if is_beyond {
                a * R::nearest(0f64.copysign(wide(b)))
            } else {
                a / b
            }
        }),
        O::Reciprocal => unary(a, |a: R| R::one() / a),
        O::SquareRoot => unary(a, |a: R| a.sqrt()),
        O::InverseSquareRoot => unary(a, |a: R| R::nearest(1.0 / wide(a).sqrt())),
        O::Exponential => unary(a, |a: R| R::nearest(libm::exp2(wide(a)))),
        O::Logarithm => unary(a, |a: R| R::nearest(libm::log2(wide(a)))),
        O::Sine => unary(a, |a: R| R::nearest(libm::sin(wide(a)))),
        O::Cosine => unary(a, |a: R| R::nearest(libm::cos(wide(a)))),
        // Doubles keep the payload of what is no number, singles do not (PTX ISA 9.7.3).
        O::Absolute if R::BITS == 64 => unary(a, |a: u64| a & (u64::MAX >> 1)),
        O::Negate if R::BITS == 64 => unary(a, |a: u64| a ^ (1 << 63)),
        O::Absolute => unary(a, |a: R| a.abs()),
        O::Negate => unary(a, |a: R| -a),
        O::Minimum => binary(a, b, |a: R, b: R| {
            let first = (a < b) | ((a == b) & a.is_sign_negative()) | b.is_nan();
            if first { a } else { b }
        }),
        O::Maximum => binary(a, b, |a: R, b: R| {
            let first = (a > b) | ((a == b) & a.is_sign_positive()) | b.is_nan();
            if first { a } else { b }
        }),
        O::CopySign => {
            let sign = 1 << (R::BITS - 1);
            binary(a, b, |a: u64, b: u64| (a & sign) | (b & (sign - 1)))
        }
    }
}

#[inline(always)]
fn wide<R: Binary>(value: R) -> f64 {
    value.as_()
}

/// `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` know only the upper 32 bits (PTX ISA 9.7.3.14 and 9.7.3.17).
fn is_gross<R: Binary>(operation: RealOperation, mode: Mode) -> bool {
    let rough = matches!(
        operation,
        RealOperation::Reciprocal | RealOperation::InverseSquareRoot
    );
    R::BITS == 64 && rough && mode.flushes && mode.rounding == Rounding::Approximate
}

/// The upper 32 bits of the function of the upper 32 bits. What is no number has bits of its own.
fn gross<R: Binary>(operation: RealOperation, [a, b, c]: [&Lanes; 3]) -> Lanes {
    let upper = !ones(32);
    let source = unary(a, |a: R| a.bits() & upper);
    let result = nearest::<R>(operation, [&source, b, c]);
    unary(&result, |value: R| {
        if value.is_nan() {
            0x7fff_ffff_0000_0000
        } else {
            value.raw() & upper
        }
    })
}
