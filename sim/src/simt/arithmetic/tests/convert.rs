//! Conversions against integers of 128 bits and `rustc_apfloat`.

use super::super::lanes::Value;
use super::super::{Arithmetic, ConversionRounding as C, Number, Real, Rounding, Whole};
use super::{ROUNDINGS, WHOLES, bits_of_32, bits_of_64, each, one};
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

fn convert(to: Number, from: Number, rounding: C) -> Arithmetic {
    Arithmetic::Convert {
        to,
        from,
        rounding,
        flushes: false,
        saturates: false,
    }
}

/// The same conversion with `.ftz` and `.sat`.
fn modified(arithmetic: Arithmetic, flushes: bool, saturates: bool) -> Arithmetic {
    match arithmetic {
        Arithmetic::Convert {
            to, from, rounding, ..
        } => Arithmetic::Convert {
            to,
            from,
            rounding,
            flushes,
            saturates,
        },
        other => other,
    }
}

fn round(rounding: Rounding) -> Round {
    match rounding {
        Rounding::Nearest | Rounding::Approximate => Round::NearestTiesToEven,
        Rounding::Zero => Round::TowardZero,
        Rounding::Down => Round::TowardNegative,
        Rounding::Up => Round::TowardPositive,
    }
}

fn number(whole: Whole, bits: u64) -> i128 {
    let width = whole.bits();
    let low = i128::from(bits) & ((1 << width) - 1);
    if whole.is_signed() && low >> (width - 1) == 1 {
        low - (1 << width)
    } else {
        low
    }
}

fn limits(whole: Whole) -> (i128, i128) {
    let width = whole.bits();
    if whole.is_signed() {
        (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    } else {
        (0, (1 << width) - 1)
    }
}

fn low(whole: Whole, value: i128) -> u64 {
    (value & ((1 << whole.bits()) - 1)) as u64
}

/// Integers of all lengths, those halfway between numbers of 24 and 53 bits, and random ones.
fn integers() -> Vec<[u64; 3]> {
    let mut random = fastrand::Rng::with_seed(7);
    let mut all = vec![[0, 0, 0]];
    for length in 0..64 {
        let power = 1u64 << length;
        let halves = [
            power >> 24,
            power >> 53,
            power >> 24 | power >> 23,
            power >> 53 | power >> 52,
        ];
        for value in
            halves
                .map(|half| power | half)
                .into_iter()
                .chain([power - 1, power, power + 1])
        {
            all.extend(
                [
                    value,
                    value.wrapping_neg(),
                    value + 1,
                    value.wrapping_sub(1),
                ]
                .map(|value| [value, 0, 0]),
            );
        }
        for _ in 0..64 {
            all.push([random.u64(..) >> length, 0, 0]);
        }
    }
    all
}

fn floats(specials: Vec<u64>, one: u64, exponent: u64) -> Vec<[u64; 3]> {
    let mut random = fastrand::Rng::with_seed(8);
    let mut all: Vec<_> = specials.into_iter().map(|bits| [bits, 0, 0]).collect();
    for _ in 0..10_000 {
        let fraction = random.u64(..) & !exponent;
        let step = (exponent & exponent.wrapping_neg()) * random.u64(..70);
        all.extend([
            [random.u64(..), 0, 0],
            [fraction | (one - exponent / 1024 + step) & exponent, 0, 0],
        ]);
        // A half between integers.
        let half = f64::from(random.u32(..1 << 20)) + 0.5;
        all.push([
            if one >> 32 == 0 {
                u64::from((half as f32).to_bits())
            } else {
                half.to_bits()
            },
            0,
            0,
        ]);
    }
    all
}

fn of_32() -> Vec<[u64; 3]> {
    floats(bits_of_32(), 0x3f80_0000, 0x7f80_0000)
}

fn of_64() -> Vec<[u64; 3]> {
    let mut all = floats(bits_of_64(), 0x3ff0 << 48, 0x7ff0 << 48);
    // Numbers around those of 32 bits, denormal ones too.
    let mut random = fastrand::Rng::with_seed(9);
    for _ in 0..10_000 {
        let near = f64::from(f32::from_bits(random.u32(..))).to_bits();
        all.push([near + (random.u64(..3) << 28) + random.u64(..3) - 1, 0, 0]);
    }
    all
}

#[test]
fn integers_become_integers() {
    for from in WHOLES {
        for to in WHOLES {
            let plain = convert(Number::Whole(to), Number::Whole(from), C::Exact);
            each(plain, &integers(), |[a, ..], result| {
                assert_eq!(result, low(to, number(from, a)), "{plain} {a:x}");
            });
            let saturating = modified(plain, false, true);
            let (least, most) = limits(to);
            each(saturating, &integers(), |[a, ..], result| {
                assert_eq!(
                    result,
                    low(to, number(from, a).clamp(least, most)),
                    "{saturating} {a:x}"
                );
            });
        }
    }
}

#[test]
fn integers_become_floating_point_numbers() {
    for from in WHOLES {
        for rounding in ROUNDINGS {
            let to = |real| convert(Number::Real(real), Number::Whole(from), C::ToReal(rounding));
            each(to(Real::F32), &integers(), |[a, ..], result| {
                let expected = Single::from_i128_r(number(from, a), round(rounding)).value;
                assert_eq!(
                    u128::from(result),
                    expected.to_bits(),
                    "{} {a:x}",
                    to(Real::F32)
                );
            });
            each(to(Real::F64), &integers(), |[a, ..], result| {
                let expected = Double::from_i128_r(number(from, a), round(rounding)).value;
                assert_eq!(
                    u128::from(result),
                    expected.to_bits(),
                    "{} {a:x}",
                    to(Real::F64)
                );
            });
        }
    }
    let odd = ROUNDINGS.map(|rounding| {
        let (to, from) = (Number::Real(Real::F32), Number::Whole(Whole::S32));
        one(convert(to, from, C::ToReal(rounding)), [0x0100_0001, 0, 0])
    });
    assert_eq!(odd, [0x4b80_0000, 0x4b80_0000, 0x4b80_0000, 0x4b80_0001]);
}

/// A floating-point number as an integer of a type, by the integers of `rustc_apfloat`.
fn integer<F: Float>(value: F, to: Whole, rounding: Rounding, wide_source: bool) -> u64 {
    if value.is_nan() {
        let unordered = wide_source || to.bits() == 64;
        return if unordered { 1 << (to.bits() - 1) } else { 0 };
    }
    let (round, mut exact) = (round(rounding), false);
    let width = to.bits() as usize;
    if to.is_signed() {
        low(to, value.to_i128_r(width, round, &mut exact).value)
    } else {
        low(
            to,
            value
                .to_u128_r(width, round, &mut exact)
                .value
                .cast_signed(),
        )
    }
}

#[test]
fn floating_point_numbers_become_integers() {
    for to in WHOLES {
        for rounding in ROUNDINGS {
            for saturates in [false, true] {
                let from = |real| {
                    let plain =
                        convert(Number::Whole(to), Number::Real(real), C::ToWhole(rounding));
                    modified(plain, false, saturates)
                };
                each(from(Real::F32), &of_32(), |[a, ..], result| {
                    let expected = integer(Single::of(a), to, rounding, false);
                    assert_eq!(result, expected, "{} {a:x}", from(Real::F32));
                });
                each(from(Real::F64), &of_64(), |[a, ..], result| {
                    let expected = integer(Double::of(a), to, rounding, true);
                    assert_eq!(result, expected, "{} {a:x}", from(Real::F64));
                });
            }
        }
    }
}

#[test]
fn what_is_no_number_becomes_an_integer_by_type() {
    let from = |to, real| {
        convert(
            Number::Whole(to),
            Number::Real(real),
            C::ToWhole(Rounding::Zero),
        )
    };
    let nan = [0x7fff_ffff, 0, 0];
    assert_eq!(one(from(Whole::S32, Real::F32), nan), 0);
    assert_eq!(one(from(Whole::U32, Real::F32), nan), 0);
    assert_eq!(one(from(Whole::S64, Real::F32), nan), 1 << 63);
    let nan = [0x7ff8 << 48, 0, 0];
    assert_eq!(one(from(Whole::S32, Real::F64), nan), 1 << 31);
    assert_eq!(one(from(Whole::U64, Real::F64), nan), 1 << 63);
}

#[test]
fn floating_point_numbers_change_their_width() {
    let widening = convert(Number::Real(Real::F64), Number::Real(Real::F32), C::Exact);
    each(widening, &of_32(), |[a, ..], result| {
        let expected: Double = Single::of(a).convert(&mut false).value;
        assert_eq!(result, expected.bits(), "{a:x}");
    });
    for rounding in ROUNDINGS {
        let narrowing = convert(
            Number::Real(Real::F32),
            Number::Real(Real::F64),
            C::ToReal(rounding),
        );
        each(narrowing, &of_64(), |[a, ..], result| {
            let (wide, narrow) = (f64::of(a), f32::of(result));
            if !wide.is_finite() {
                assert_eq!(result, (wide as f32).bits(), "{a:x}");
                return;
            }
            // The result lies on its side, and no other lies between.
            let (below, above) = (f64::from(narrow.next_down()), f64::from(narrow.next_up()));
            let value = f64::from(narrow);
            let lower =
                value <= wide && (wide < above || rounding == Rounding::Down && above == value);
            let upper =
                value >= wide && (wide > below || rounding == Rounding::Up && below == value);
            let holds = match rounding {
                Rounding::Down => lower,
                Rounding::Up => upper,
                Rounding::Zero if wide > 0.0 => lower,
                Rounding::Zero => upper,
                _ => {
                    (Double::of(a)
                        .convert_r(Round::NearestTiesToEven, &mut false)
                        .value as Single)
                        .bits()
                        == result
                }
            };
            assert!(
                holds && wide.is_sign_negative() == narrow.is_sign_negative(),
                "{narrowing} {a:x} {result:x}"
            );
        });
    }
}

#[test]
fn floating_point_numbers_become_integral() {
    for rounding in ROUNDINGS {
        let to = |real| convert(Number::Real(real), Number::Real(real), C::ToWhole(rounding));
        each(to(Real::F32), &of_32(), |[a, ..], result| {
            let expected = Single::of(a).round_to_integral(round(rounding)).value;
            assert_eq!(result, expected.bits(), "{} {a:x}", to(Real::F32));
        });
        each(to(Real::F64), &of_64(), |[a, ..], result| {
            let expected = Double::of(a).round_to_integral(round(rounding)).value;
            assert_eq!(result, expected.bits(), "{} {a:x}", to(Real::F64));
        });
    }
}

#[test]
fn conversions_flush_only_32_bits() {
    let (f32, f64) = (Number::Real(Real::F32), Number::Real(Real::F64));
    let up = C::ToWhole(Rounding::Up);
    let flushed = |arithmetic, a| one(modified(arithmetic, true, false), [a, 0, 0]);
    assert_eq!(flushed(convert(Number::Whole(Whole::S32), f32, up), 1), 0);
    assert_eq!(
        one(convert(Number::Whole(Whole::S32), f32, up), [1, 0, 0]),
        1
    );
    assert_eq!(flushed(convert(f32, f32, up), 0x8000_0001), 0x8000_0000);
    assert_eq!(flushed(convert(f64, f32, C::Exact), 0x8000_0001), 1 << 63);
    assert_eq!(flushed(convert(f64, f64, C::Exact), 1), 1);
    let tiny = (-1e-40f64).to_bits();
    assert_eq!(
        flushed(convert(f32, f64, C::ToReal(Rounding::Nearest)), tiny),
        0x8000_0000
    );
}

#[test]
fn saturated_conversions_lie_between_0_and_1() {
    let (f32, f64) = (Number::Real(Real::F32), Number::Real(Real::F64));
    let nearest = C::ToReal(Rounding::Nearest);
    let saturated = |arithmetic, a| one(modified(arithmetic, false, true), [a, 0, 0]);
    for (value, expected) in [
        (0.5f64, 0.5f32),
        (2.0, 1.0),
        (-2.0, 0.0),
        (-0.0, 0.0),
        (f64::NAN, 0.0),
    ] {
        let narrowed = saturated(convert(f32, f64, nearest), value.to_bits());
        assert_eq!(narrowed, u64::from(expected.to_bits()), "{value}");
        let same = saturated(convert(f64, f64, C::Exact), value.to_bits());
        assert_eq!(same, f64::from(expected).to_bits(), "{value}");
    }
    assert_eq!(
        saturated(convert(f32, Number::Whole(Whole::S32), nearest), 7),
        0x3f80_0000
    );
}
