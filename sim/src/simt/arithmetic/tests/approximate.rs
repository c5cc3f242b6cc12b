//! Approximate functions, within the bounds and with the special values of the PTX ISA.

use super::super::lanes::Value;
use super::super::{Arithmetic, Mode, Real, RealOperation as R, Rounding};
use super::{bits_of_32, each, mode, one};
use std::f64::consts::PI;

fn approximate(operation: R) -> Arithmetic {
    Arithmetic::Real(operation, Real::F32, mode(Rounding::Approximate))
}

fn flushing(operation: R, real: Real) -> Arithmetic {
    let mode = Mode {
        flushes: true,
        ..mode(Rounding::Approximate)
    };
    Arithmetic::Real(operation, real, mode)
}

/// Special numbers, positive ones of all exponents, and positive ones below a limit, each with any other number.
fn numbers(below: f64) -> Vec<[u64; 3]> {
    let mut random = fastrand::Rng::with_seed(11);
    let mut all = Vec::new();
    for bits in bits_of_32() {
        all.push([bits, u64::from(random.u32(..)), 0]);
    }
    for _ in 0..50_000 {
        all.push([
            u64::from(random.u32(1..0x7f80_0000)),
            u64::from(random.u32(..)),
            0,
        ]);
        let value = (random.f64() * below) as f32;
        all.push([value.to_bits().into(), u64::from(random.u32(..)), 0]);
    }
    all
}

/// The distance of a result to the exact value, in units of the last place of the nearest number.
fn ulps(exact: f64, result: f32) -> f64 {
    let nearest = exact as f32;
    if nearest.is_infinite() || nearest.is_nan() {
        return if nearest.bits() == result.bits() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let unit = f64::from(nearest.abs().next_up()) - f64::from(nearest.abs());
    (f64::from(result) - exact).abs() / unit
}

#[test]
fn reciprocals_are_within_1_ulp_and_quotients_within_2() {
    each(
        approximate(R::Reciprocal),
        &numbers(4.0),
        |[a, ..], result| {
            let exact = 1.0 / f64::from(f32::of(a));
            assert!(ulps(exact, f32::of(result)) <= 1.0, "{a:x} {result:x}");
        },
    );
    each(
        approximate(R::Divide),
        &numbers(4.0),
        |[a, b, _], result| {
            let exact = f64::from(f32::of(a)) / f64::from(f32::of(b));
            assert!(
                ulps(exact, f32::of(result)) <= 2.0,
                "{a:x} {b:x} {result:x}"
            );
        },
    );
}

#[test]
fn roots_are_within_their_relative_errors() {
    let relative = |operation, bound: f64, exact: fn(f64) -> f64| {
        each(approximate(operation), &numbers(4.0), |[a, ..], result| {
            let value = f64::from(f32::of(a));
            if value > 0.0 && value.is_finite() {
                let (exact, result) = (exact(value), f64::from(f32::of(result)));
                assert!(
                    (result - exact).abs() <= bound * exact,
                    "{operation:?} {value:e} {result:e}"
                );
            }
        });
    };
    relative(R::SquareRoot, (-23f64).exp2(), f64::sqrt);
    relative(R::InverseSquareRoot, (-22.9f64).exp2(), |value| {
        1.0 / value.sqrt()
    });
}

#[test]
fn powers_are_within_2_ulps() {
    let mut sources = numbers(128.0);
    sources.extend(
        numbers(150.0)
            .into_iter()
            .map(|[a, ..]| [a ^ 1 << 31, 0, 0]),
    );
    each(approximate(R::Exponential), &sources, |[a, ..], result| {
        let exact = f64::from(f32::of(a)).exp2();
        assert!(ulps(exact, f32::of(result)) <= 2.0, "{a:x} {result:x}");
    });
}

#[test]
fn logarithms_are_within_2_to_the_minus_22() {
    let bound = (-22f64).exp2();
    each(
        approximate(R::Logarithm),
        &numbers(2.0),
        |[a, ..], result| {
            let (value, result) = (f64::from(f32::of(a)), f64::from(f32::of(result)));
            if value > 0.0 && value.is_finite() {
                let exact = value.log2();
                let scale = if (0.5..2.0).contains(&value) {
                    1.0
                } else {
                    exact.abs()
                };
                assert!(
                    (result - exact).abs() <= bound * scale,
                    "{value:e} {result:e}"
                );
            }
        },
    );
}

#[test]
fn sines_and_cosines_are_within_2_to_the_minus_20_5() {
    for (operation, exact) in [(R::Sine, f64::sin as fn(f64) -> f64), (R::Cosine, f64::cos)] {
        for (range, bound) in [(2.0 * PI, -20.5f64), (100.0 * PI, -14.7)] {
            each(
                approximate(operation),
                &numbers(range),
                |[a, ..], result| {
                    let (value, result) = (f64::from(f32::of(a)), f64::from(f32::of(result)));
                    if value.abs() <= range {
                        assert!(
                            (result - exact(value)).abs() <= bound.exp2(),
                            "{operation:?} {value:e} {result:e}"
                        );
                    }
                },
            );
        }
    }
}

#[test]
fn special_values_of_32_bits_are_those_of_the_tables() {
    const INFINITY: f32 = f32::INFINITY;
    const NAN: f32 = f32::NAN;
    // The results for -infinity, -1, -0, +0, +infinity and what is no number.
    for (operation, expected) in [
        (R::Reciprocal, [-0.0, -1.0, -INFINITY, INFINITY, 0.0, NAN]),
        (R::SquareRoot, [NAN, NAN, -0.0, 0.0, INFINITY, NAN]),
        (
            R::InverseSquareRoot,
            [NAN, NAN, -INFINITY, INFINITY, 0.0, NAN],
        ),
        (R::Exponential, [0.0, 0.5, 1.0, 1.0, INFINITY, NAN]),
        (
            R::Logarithm,
            [NAN, NAN, -INFINITY, -INFINITY, INFINITY, NAN],
        ),
        (R::Sine, [NAN, (-1f32).sin(), -0.0, 0.0, NAN, NAN]),
        (R::Cosine, [NAN, 1f32.cos(), 1.0, 1.0, NAN, NAN]),
    ] {
        let sources =
            [-INFINITY, -1.0, -0.0, 0.0, INFINITY, NAN].map(|value| value.to_bits().into());
        let results = sources.map(|source| one(approximate(operation), [source, 0, 0]));
        assert_eq!(results, expected.map(Value::bits), "{operation:?}");
        // A denormal number is a zero for `.ftz`.
        for (denormal, zero) in [(0x8000_0001, 2), (0x0000_0001, 3)] {
            let result = one(flushing(operation, Real::F32), [denormal, 0, 0]);
            assert_eq!(result, expected[zero].bits(), "{operation:?}");
        }
    }
    // Denormal results are zeros for `.ftz`.
    let low = u64::from((-127f32).to_bits());
    assert_eq!(one(approximate(R::Exponential), [low, 0, 0]), 0x0040_0000);
    assert_eq!(one(flushing(R::Exponential, Real::F32), [low, 0, 0]), 0);
    assert_eq!(
        one(flushing(R::Reciprocal, Real::F32), [0xff00_0000, 0, 0]),
        0x8000_0000
    );
}

#[test]
fn gross_functions_know_the_upper_32_bits() {
    let (infinity, nan) = (0x7ff0 << 48, 0x7fff_ffff << 32);
    let sign = 1 << 63;
    for (operation, expected) in [
        (
            R::Reciprocal,
            [
                sign,
                sign | infinity,
                sign | infinity,
                infinity,
                infinity,
                0,
                nan,
            ],
        ),
        (
            R::InverseSquareRoot,
            [
                nan,
                sign | infinity,
                sign | infinity,
                infinity,
                infinity,
                0,
                nan,
            ],
        ),
    ] {
        let sources = [
            sign | infinity,
            sign | 1,
            sign,
            0,
            1,
            infinity,
            infinity | 1,
        ];
        let results = sources.map(|source| one(flushing(operation, Real::F64), [source, 0, 0]));
        assert_eq!(results, expected, "{operation:?}");
    }
    let mut random = fastrand::Rng::with_seed(12);
    let sources: Vec<_> = (0..10_000)
        .map(|_| [random.u64(1 << 60..0x7fc << 52), 0, 0])
        .collect();
    for (operation, exact) in [
        (R::Reciprocal, (|value| 1.0 / value) as fn(f64) -> f64),
        (R::InverseSquareRoot, |value| 1.0 / value.sqrt()),
    ] {
        each(
            flushing(operation, Real::F64),
            &sources,
            |[a, ..], result| {
                assert_eq!(result as u32, 0);
                let upper = a >> 32 << 32;
                assert_eq!(result, one(flushing(operation, Real::F64), [upper, 0, 0]));
                let exact = exact(f64::of(a));
                // Each of the source and the result lacks less than a bit of 20.
                assert!(
                    (f64::of(result) - exact).abs() <= exact * (-19f64).exp2(),
                    "{a:x} {result:x}"
                );
            },
        );
    }
    let full = Arithmetic::Real(R::InverseSquareRoot, Real::F64, mode(Rounding::Approximate));
    assert_eq!(
        one(full, [2f64.to_bits(), 0, 0]),
        (1.0 / 2f64.sqrt()).to_bits()
    );
}
