//! Comparisons and tests (PTX ISA 9.7.6, `setp`, and 9.7.3.1, `testp`).

use super::super::operation::Relation;
use super::super::warp::Lanes;
use super::lanes::{Value, binary, unary};
use super::real::{self, Binary};
use super::whole::with_integer;
use super::{Comparison, Number, Real, Test};

/// 1 in each lane where a comparison holds, else 0.
pub(super) fn evaluate(
    of: Number,
    comparison: Comparison,
    flushes: bool,
    a: &Lanes,
    b: &Lanes,
) -> Lanes {
    match of {
        Number::Whole(whole) => with_integer!(whole, T => compare::<T>(comparison, a, b)),
        Number::Real(Real::F32) => real::<f32>(comparison, flushes, a, b),
        Number::Real(Real::F64) => real::<f64>(comparison, flushes, a, b),
    }
}

fn real<R: Binary>(comparison: Comparison, flushes: bool, a: &Lanes, b: &Lanes) -> Lanes {
    if flushes {
        compare::<R>(comparison, &real::flush::<R>(a), &real::flush::<R>(b))
    } else {
        compare::<R>(comparison, a, b)
    }
}

#[expect(clippy::eq_op, reason = "what is no number does not equal itself")]
fn compare<T: Value + PartialOrd>(comparison: Comparison, a: &Lanes, b: &Lanes) -> Lanes {
    match comparison {
        Comparison::Ordered(Relation::Equal) => binary(a, b, |a: T, b: T| a == b),
        Comparison::Ordered(Relation::NotEqual) => binary(a, b, |a: T, b: T| (a < b) | (a > b)),
        Comparison::Ordered(Relation::Less) => binary(a, b, |a: T, b: T| a < b),
        Comparison::Ordered(Relation::LessEqual) => binary(a, b, |a: T, b: T| a <= b),
        Comparison::Ordered(Relation::Greater) => binary(a, b, |a: T, b: T| a > b),
        Comparison::Ordered(Relation::GreaterEqual) => binary(a, b, |a: T, b: T| a >= b),
        Comparison::Numbers => binary(a, b, |a: T, b: T| (a == a) & (b == b)),
        Comparison::Unordered(relation) => {
            let opposite = Comparison::Ordered(opposite(relation));
            compare::<T>(opposite, a, b).map(|holds| holds ^ 1)
        }
        Comparison::NotNumbers => compare::<T>(Comparison::Numbers, a, b).map(|holds| holds ^ 1),
    }
}

/// The relation of numbers that holds where this one does not.
const fn opposite(relation: Relation) -> Relation {
    match relation {
        Relation::Equal => Relation::NotEqual,
        Relation::NotEqual => Relation::Equal,
        Relation::Less => Relation::GreaterEqual,
        Relation::LessEqual => Relation::Greater,
        Relation::Greater => Relation::LessEqual,
        Relation::GreaterEqual => Relation::Less,
    }
}

/// 1 in each lane where a test holds, else 0. A zero is a normal number.
pub(super) fn test<R: Binary>(test: Test, a: &Lanes) -> Lanes {
    match test {
        Test::Finite => unary(a, |a: R| a.is_finite()),
        Test::Infinite => unary(a, |a: R| a.is_infinite()),
        Test::Number => unary(a, |a: R| !a.is_nan()),
        Test::NotNumber => unary(a, |a: R| a.is_nan()),
        Test::Normal => unary(a, |a: R| a.is_normal() | a.is_zero()),
        Test::Subnormal => unary(a, |a: R| a.is_subnormal()),
    }
}
