//! Floating-point numbers against those of `rustc_apfloat`.

use super::super::lanes::Value;
use super::super::real::Binary;
use super::super::{Arithmetic, Mode, Real, RealOperation, Rounding};
use super::{ROUNDINGS, bits_of_32, bits_of_64, each, mode, one, triples};
use RealOperation as R;
use rustc_apfloat::ieee::{Double, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

const ROUNDED: [RealOperation; 6] = [
    R::Add,
    R::Subtract,
    R::Multiply,
    R::MultiplyAdd,
    R::Divide,
    R::Reciprocal,
];

fn round(rounding: Rounding) -> Round {
    match rounding {
        Rounding::Nearest | Rounding::Approximate => Round::NearestTiesToEven,
        Rounding::Zero => Round::TowardZero,
        Rounding::Down => Round::TowardNegative,
        Rounding::Up => Round::TowardPositive,
    }
}

fn computed<F: Float>(operation: RealOperation, [a, b, c]: [F; 3], round: Round) -> F {
    match operation {
        R::Add => a.add_r(b, round).value,
        R::Subtract => a.sub_r(b, round).value,
        R::Multiply => a.mul_r(b, round).value,
        R::MultiplyAdd => a.mul_add_r(b, c, round).value,
        R::Divide => a.div_r(b, round).value,
        _ => F::from_u128(1).value.div_r(a, round).value,
    }
}

/// Of a direction, a result of 128 bits that is rounded again in the same direction is rounded once.
fn reference<F: Float + FloatConvert<Quad> + Value>(
    operation: RealOperation,
    rounding: Rounding,
    sources: [u64; 3],
) -> u64
where
    Quad: FloatConvert<F>,
{
    let sources = sources.map(F::of);
    let result = if rounding == Rounding::Nearest {
        computed(operation, sources, Round::NearestTiesToEven)
    } else {
        let wide = sources.map(|source| source.convert(&mut false).value);
        computed::<Quad>(operation, wide, round(rounding))
            .convert_r(round(rounding), &mut false)
            .value
    };
    result.bits()
}

/// Triples of special values, random ones, and sums that nearly cancel.
pub(super) fn sources<B: Binary>(specials: &[u64], random: &mut fastrand::Rng) -> Vec<[u64; 3]> {
    let few: Vec<u64> = specials.iter().copied().step_by(3).collect();
    let mut all = triples(&few, B::BITS, random);
    for &a in specials {
        for &b in specials {
            all.push([a, b, specials[random.usize(..specials.len())]]);
        }
    }
    // Exponents around that of 1, so that products and quotients are finite.
    let near = |random: &mut fastrand::Rng| {
        let fraction = random.u64(..) & !B::EXPONENT;
        let one = B::one().raw();
        let step = (B::EXPONENT & B::EXPONENT.wrapping_neg()) * random.u64(..60);
        fraction | (one - step)
    };
    let one = B::one().raw();
    let sign = 1 << (B::BITS - 1);
    for kind in 0..4 {
        for _ in 0..20_000 {
            let [a, b, c] = [(); 3].map(|()| near(random));
            let product = B::of(a) * B::of(b);
            all.push(match kind {
                0 => [a, b, c],
                1 => [a, b, product.raw() ^ sign ^ random.u64(..4)],
                2 => [a, a ^ sign ^ random.u64(..4), c],
                // A product that lies halfway or next to it, and an addend far below.
                _ => [one + 1, one + random.u64(..3), random.u64(..3)],
            });
        }
    }
    all
}

fn rounded<B: Binary, F: Float + FloatConvert<Quad> + Value>(real: Real, specials: &[u64])
where
    Quad: FloatConvert<F>,
{
    let mut random = fastrand::Rng::with_seed(2);
    let sources = sources::<B>(specials, &mut random);
    for operation in ROUNDED {
        for rounding in ROUNDINGS {
            each(
                Arithmetic::Real(operation, real, mode(rounding)),
                &sources,
                |sources, result| {
                    let expected = reference::<F>(operation, rounding, sources);
                    assert_eq!(result, expected, "{operation:?} {rounding:?} {sources:x?}");
                },
            );
        }
    }
}

#[test]
fn numbers_of_32_bits_are_those_of_apfloat() {
    rounded::<f32, Single>(Real::F32, &bits_of_32());
}

#[test]
fn numbers_of_64_bits_are_those_of_apfloat() {
    rounded::<f64, Double>(Real::F64, &bits_of_64());
}

#[test]
fn sums_beside_half_a_denormal_number_are_rounded_once() {
    let sum = Arithmetic::Real(R::MultiplyAdd, Real::F32, mode(Rounding::Nearest));
    // The products are 2^-150 * (1 + 2^-46) and 2^-150 * (1 - 2^-47).
    let (above, below) = ([0x1a00_1001, 0x19ff_e002], [0x1a21_e58f, 0x19ca_6691]);
    for ([a, b], c, expected) in [
        (above, 0x40_0000, 0x40_0001),
        (above, 0x40_0001, 0x40_0002),
        (below, 0x40_0000, 0x40_0000),
        (below, 0x40_0001, 0x40_0001),
    ] {
        assert_eq!(one(sum, [a, b, c]), expected, "{a:x} {c:x}");
        assert_eq!(
            reference::<Single>(R::MultiplyAdd, Rounding::Nearest, [a, b, c]),
            expected
        );
    }
}

#[test]
fn minimum_and_maximum_skip_what_is_no_number() {
    let arithmetic = |operation| Arithmetic::Real(operation, Real::F32, mode(Rounding::Nearest));
    let bits = |value: f32| u64::from(value.to_bits());
    let (nan, zero, negative) = (0x7f80_0001, bits(0.0), bits(-0.0));
    for (a, b, least, most) in [
        (bits(1.0), bits(2.0), bits(1.0), bits(2.0)),
        (bits(-1.0), bits(-2.0), bits(-2.0), bits(-1.0)),
        (zero, negative, negative, zero),
        (nan, bits(2.0), bits(2.0), bits(2.0)),
        (nan, negative, negative, negative),
        (nan, nan, 0x7fff_ffff, 0x7fff_ffff),
    ] {
        for sources in [[a, b, 0], [b, a, 0]] {
            assert_eq!(one(arithmetic(R::Minimum), sources), least, "{sources:x?}");
            assert_eq!(one(arithmetic(R::Maximum), sources), most, "{sources:x?}");
        }
    }
}

#[test]
fn signs_are_cleared_turned_and_copied() {
    let real = |operation, real| Arithmetic::Real(operation, real, mode(Rounding::Nearest));
    let negative = 1 << 63;
    for bits in bits_of_64() {
        assert_eq!(
            one(real(R::Absolute, Real::F64), [bits, 0, 0]),
            bits & !negative
        );
        assert_eq!(
            one(real(R::Negate, Real::F64), [bits, 0, 0]),
            bits ^ negative
        );
        assert_eq!(
            one(real(R::CopySign, Real::F64), [negative, bits, 0]),
            bits | negative
        );
        assert_eq!(
            one(real(R::CopySign, Real::F64), [0, bits, 0]),
            bits & !negative
        );
    }
    assert_eq!(
        one(real(R::Absolute, Real::F32), [0xbf80_0000, 0, 0]),
        0x3f80_0000
    );
    assert_eq!(
        one(real(R::Negate, Real::F32), [0x3f80_0000, 0, 0]),
        0xbf80_0000
    );
    assert_eq!(
        one(
            real(R::CopySign, Real::F32),
            [0xffff_ffff_8000_0000, 0x7f80_0001, 0]
        ),
        0xff80_0001
    );
}

#[test]
fn what_is_no_number_has_the_bits_of_the_hardware() {
    let add = |real| Arithmetic::Real(R::Add, real, mode(Rounding::Nearest));
    let up = |real| Arithmetic::Real(R::Add, real, mode(Rounding::Up));
    let (infinity, opposite) = (0x7ff0 << 48, 0xfff0 << 48);
    assert_eq!(
        one(add(Real::F32), [0x7f80_0000, 0xff80_0000, 0]),
        0x7fff_ffff
    );
    assert_eq!(one(up(Real::F32), [0x7f80_0001, 0, 0]), 0x7fff_ffff);
    assert_eq!(one(add(Real::F64), [infinity, opposite, 0]), 0x7ff8 << 48);
    assert_eq!(one(up(Real::F64), [infinity + 1, 0, 0]), 0x7ff8 << 48);
}

#[test]
fn denormal_sources_and_results_are_flushed() {
    let mut random = fastrand::Rng::with_seed(6);
    let sources = sources::<f32>(&bits_of_32(), &mut random);
    let flush = |bits: u64| {
        let value = f32::of(bits);
        if value.is_subnormal() {
            u64::from(0f32.copysign(value).to_bits())
        } else {
            bits & 0xffff_ffff
        }
    };
    for operation in [
        R::Add,
        R::Multiply,
        R::MultiplyAdd,
        R::Divide,
        R::Absolute,
        R::Negate,
        R::Minimum,
        R::SquareRoot,
    ] {
        for rounding in ROUNDINGS {
            let plain = Arithmetic::Real(operation, Real::F32, mode(rounding));
            let flushing = Mode {
                flushes: true,
                ..mode(rounding)
            };
            each(
                Arithmetic::Real(operation, Real::F32, flushing),
                &sources,
                |sources, result| {
                    let expected = flush(one(plain, sources.map(flush)));
                    assert_eq!(result, expected, "{operation:?} {rounding:?} {sources:x?}");
                },
            );
        }
    }
    let flushing = Mode {
        flushes: true,
        ..mode(Rounding::Nearest)
    };
    let product = Arithmetic::Real(R::Multiply, Real::F32, flushing);
    assert_eq!(one(product, [0x8080_0000, 0x3f00_0000, 0]), 0x8000_0000);
    assert_eq!(one(product, [0x8000_0001, 0x7f00_0000, 0]), 0x8000_0000);
}

#[test]
fn saturated_results_lie_between_0_and_1() {
    for rounding in ROUNDINGS {
        let saturating = Mode {
            saturates: true,
            ..mode(rounding)
        };
        let add = Arithmetic::Real(R::Add, Real::F32, saturating);
        let sum = |a: f32| {
            f32::from_bits(one(add, [a.to_bits().into(), 0x8000_0000, 0]) as u32).to_bits()
        };
        for (value, expected) in [
            (0.25, 0.25),
            (1.0, 1.0),
            (1.5, 1.0),
            (f32::INFINITY, 1.0),
            (-0.0, 0.0),
            (-0.5, 0.0),
            (f32::NEG_INFINITY, 0.0),
            (f32::NAN, 0.0),
        ] {
            assert_eq!(sum(value), f32::to_bits(expected), "{value} {rounding:?}");
        }
    }
}
