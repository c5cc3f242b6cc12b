//! Conversions between numbers (PTX ISA 9.7.9, `cvt`).

use super::super::warp::{LANES, Lanes};
use super::directed::direction;
use super::lanes::{Value, ones, unary};
use super::real;
use super::whole::{Integer, with_integer};
use super::{ConversionRounding, Number, Real, Rounding, Whole};
use num_traits::AsPrimitive;
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// The result in each lane, before [`finish`].
pub(super) fn evaluate(
    to: Number,
    from: Number,
    rounding: ConversionRounding,
    flushes: bool,
    saturates: bool,
    a: &Lanes,
) -> Lanes {
    let directed = match rounding {
        ConversionRounding::ToReal(rounding) => direction(rounding),
        ConversionRounding::Exact | ConversionRounding::ToWhole(_) => None,
    };
    match (from, to) {
        (Number::Whole(from), Number::Whole(to)) if saturates => limited(from, to, a),
        (Number::Whole(from), Number::Whole(to)) => extended(from, to, a),
        (Number::Whole(from), Number::Real(to)) => match (to, directed) {
            (Real::F32, None) => with_integer!(from, T => unary(a, |a: T| -> f32 { a.as_() })),
            (Real::F64, None) => with_integer!(from, T => unary(a, |a: T| -> f64 { a.as_() })),
            (Real::F32, Some(direction)) => of_whole::<Single>(from, direction, a),
            (Real::F64, Some(direction)) => of_whole::<Double>(from, direction, a),
        },
        (Number::Real(from), Number::Whole(to)) => {
            let rounding = match rounding {
                ConversionRounding::ToWhole(rounding) | ConversionRounding::ToReal(rounding) => {
                    rounding
                }
                ConversionRounding::Exact => Rounding::Zero,
            };
            let mut values = widened(from, flushes, a);
            // The conversion itself rounds towards zero.
            if rounding != Rounding::Zero {
                round(rounding, &mut values);
            }
            let unordered = if from == Real::F64 || to.bits() == 64 {
                1 << (to.bits() - 1)
            } else {
                0
            };
            with_integer!(to, T => to_whole::<T>(&values, unordered))
        }
        (Number::Real(from), Number::Real(to)) => {
            let mut values = widened(from, flushes, a);
            if let ConversionRounding::ToWhole(rounding) = rounding {
                round(rounding, &mut values);
            }
            match (to, directed) {
                (Real::F64, _) => values.map(f64::bits),
                (Real::F32, None) => values.map(|value| (value as f32).bits()),
                (Real::F32, Some(direction)) => values.map(|value| narrowed(value, direction)),
            }
        }
    }
}

/// A converted value as the modifiers have it: `.ftz` is about 32 bits alone, `.sat` of integers is done.
pub(super) fn finish(to: Number, flushes: bool, saturates: bool, converted: Lanes) -> Lanes {
    match to {
        Number::Whole(_) => converted,
        Number::Real(Real::F32) => real::finish::<f32>(flushes, saturates, converted),
        Number::Real(Real::F64) => real::finish::<f64>(false, saturates, converted),
    }
}

/// The low bits of an integer that its sign or zeros extend.
fn extended(from: Whole, to: Whole, a: &Lanes) -> Lanes {
    let mask = ones(to.bits());
    with_integer!(from, T => unary(a, |a: T| {
        let extended: u64 = a.as_();
        extended & mask
    }))
}

/// Integers that any other fits in.
fn integers(from: Whole, a: &Lanes) -> [i128; LANES] {
    with_integer!(from, T => a.map(|a| T::of(a).as_()))
}

/// An integer, limited to a type.
fn limited(from: Whole, to: Whole, a: &Lanes) -> Lanes {
    let (least, most) = with_integer!(to, T => (i128::from(T::MIN), i128::from(T::MAX)));
    let mask = ones(to.bits());
    integers(from, a).map(|value| value.clamp(least, most).bits() & mask)
}

/// The floating-point number next to an integer in a direction.
fn of_whole<E: Value + Float>(from: Whole, direction: Round, a: &Lanes) -> Lanes {
    integers(from, a).map(|value| E::from_i128_r(value, direction).value.bits())
}

/// Floating-point numbers as 64 bits, which is exact.
fn widened(from: Real, flushes: bool, a: &Lanes) -> [f64; LANES] {
    match (from, flushes) {
        (Real::F32, true) => real::flush::<f32>(a).map(|a| f32::of(a).into()),
        (Real::F32, false) => a.map(|a| f32::of(a).into()),
        (Real::F64, _) => a.map(f64::of),
    }
}

/// Rounds to integers.
fn round(rounding: Rounding, values: &mut [f64; LANES]) {
    *values = match rounding {
        Rounding::Nearest | Rounding::Approximate => values.map(f64::round_ties_even),
        Rounding::Zero => values.map(f64::trunc),
        Rounding::Down => values.map(f64::floor),
        Rounding::Up => values.map(f64::ceil),
    };
}

/// Integral values, limited to a type.
fn to_whole<T: Integer>(values: &[f64; LANES], unordered: u64) -> Lanes
where
    f64: AsPrimitive<T>,
{
    values.map(|value| {
        let converted: T = value.as_();
        if value.is_nan() {
            unordered
        } else {
            converted.bits()
        }
    })
}

/// The number of 32 bits next to one of 64 in a direction.
fn narrowed(value: f64, direction: Round) -> u64 {
    let narrowed: Single = Double::of(value.to_bits())
        .convert_r(direction, &mut false)
        .value;
    narrowed.bits()
}
