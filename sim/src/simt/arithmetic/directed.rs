//! Floating-point results that are rounded in a direction: every bit of the exact result counts.

use super::super::warp::Lanes;
use super::lanes::{Value, binary, ternary, unary};
use super::real::Binary;
use super::{RealOperation, Rounding};
use rustc_apfloat::ieee::{Double, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

/// A floating-point number that any rounding is known for.
pub(super) trait Exact: Value + Float + FloatConvert<Quad> {}

impl Exact for Single {}
impl Exact for Double {}

impl Value for Single {
    fn of(bits: u64) -> Self {
        Self::from_bits(u128::from(bits as u32))
    }

    fn bits(self) -> u64 {
        f32::from_bits(self.to_bits() as u32).bits()
    }
}

impl Value for Double {
    fn of(bits: u64) -> Self {
        Self::from_bits(u128::from(bits))
    }

    fn bits(self) -> u64 {
        f64::from_bits(self.to_bits() as u64).bits()
    }
}

/// The direction of a rounding that has one.
pub(super) const fn direction(rounding: Rounding) -> Option<Round> {
    match rounding {
        Rounding::Nearest | Rounding::Approximate => None,
        Rounding::Zero => Some(Round::TowardZero),
        Rounding::Down => Some(Round::TowardNegative),
        Rounding::Up => Some(Round::TowardPositive),
    }
}

/// The result in each lane; none for an operation that rounds nothing.
pub(super) fn evaluate<R: Binary>(
    operation: RealOperation,
    direction: Round,
    sources: [&Lanes; 3],
) -> Option<Lanes> {
    let [a, b, _] = sources;
    Some(match operation {
        RealOperation::SquareRoot => unary(a, |a: R| root(a, direction)),
        RealOperation::Reciprocal => unary(a, |a: R::Exact| {
            R::Exact::of(R::one().raw()).div_r(a, direction).value
        }),
        RealOperation::Add => binary(a, b, |a: R::Exact, b| a.add_r(b, direction).value),
        RealOperation::Subtract => binary(a, b, |a: R::Exact, b| a.sub_r(b, direction).value),
        RealOperation::Multiply => binary(a, b, |a: R::Exact, b| a.mul_r(b, direction).value),
        RealOperation::Divide => binary(a, b, |a: R::Exact, b| a.div_r(b, direction).value),
        RealOperation::MultiplyAdd => ternary(sources, |a: R::Exact, b, c| {
            a.mul_add_r(b, c, direction).value
        }),
        _ => return None,
    })
}

/// A square root: the nearest, corrected by the sign of what its square lacks. The square is exact in 128 bits.
fn root<R: Binary>(value: R, direction: Round) -> R {
    let nearest = value.sqrt();
    if !nearest.is_normal() {
        return nearest;
    }
    let quad = |value: R| -> Quad { R::Exact::of(value.raw()).convert(&mut false).value };
    let square = (quad(nearest) * quad(nearest)).value;
    match (square.partial_cmp(&quad(value)), direction) {
        (Some(Ordering::Less), Round::TowardPositive) => R::of(nearest.raw() + 1),
        (Some(Ordering::Greater), Round::TowardZero | Round::TowardNegative) => {
            R::of(nearest.raw() - 1)
        }
        _ => nearest,
    }
}
