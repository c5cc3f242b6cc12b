//! Roundings in a direction against exact criteria, without other floating-point numbers of the same width.

use super::super::lanes::Value;
use super::super::real::Binary;
use super::super::{Arithmetic, Real, RealOperation as R, Rounding};
use super::real::sources;
use super::{DIRECTIONS, bits_of_32, bits_of_64, each, mode};
use rustc_apfloat::FloatConvert;
use rustc_apfloat::ieee::{Double, Quad};
use std::cmp::Ordering;

/// A result of 32 bits is the number next to an exact one.
fn assert_next(exact: f64, result: f32, rounding: Rounding, what: [u64; 3]) {
    let (below, above) = (f64::from(result.next_down()), f64::from(result.next_up()));
    let wide = f64::from(result);
    let holds = match rounding {
        Rounding::Down => wide <= exact && exact < above,
        Rounding::Up => below < exact && exact <= wide,
        _ if exact >= 0.0 => wide <= exact && exact < above,
        _ => below < exact && exact <= wide,
    };
    assert!(holds, "{exact:e} {rounding:?} {result:e} {what:x?}");
}

#[test]
fn directions_hold_of_exact_values_of_64_bits() {
    let mut random = fastrand::Rng::with_seed(3);
    let sources = sources::<f32>(&bits_of_32(), &mut random);
    for rounding in DIRECTIONS {
        let arithmetic = |operation| Arithmetic::Real(operation, Real::F32, mode(rounding));
        let finite = |bits: u64| Some(f64::from(f32::of(bits))).filter(|value| value.is_finite());
        each(arithmetic(R::Multiply), &sources, |sources, result| {
            if let [Some(a), Some(b), _] = sources.map(finite) {
                assert_next(a * b, f32::of(result), rounding, sources);
            }
        });
        let mut exact = 0;
        each(arithmetic(R::MultiplyAdd), &sources, |sources, result| {
            if let [Some(a), Some(b), Some(c)] = sources.map(finite) {
                let (product, sum) = (a * b, a * b + c);
                if sum - product == c && sum - c == product {
                    exact += 1;
                    assert_next(sum, f32::of(result), rounding, sources);
                }
            }
        });
        assert!(exact > 1_000, "{exact}");
    }
}

/// A finite positive number as an integer and a power of 2.
fn parts<B: Binary>(value: B) -> (u128, i32) {
    let (mantissa, exponent, _) = value.integer_decode();
    (mantissa.into(), exponent.into())
}

/// How the square of a root compares with a number.
fn compare_square<B: Binary>(root: B, value: B) -> Ordering {
    let ((root, root_exponent), (value, exponent)) = (parts(root), parts(value));
    // A root has half of the exponent and less than 64 bits, so that both sides fit.
    match exponent - 2 * root_exponent {
        shift @ 0.. => (root * root).cmp(&(value << shift)),
        shift => ((root * root) << -shift).cmp(&value),
    }
}

fn roots<B: Binary>(real: Real, specials: &[u64]) {
    let mut random = fastrand::Rng::with_seed(4);
    let mut sources: Vec<_> = specials.iter().map(|&a| [a, 0, 0]).collect();
    for _ in 0..20_000 {
        sources.push([random.u64(..) >> 1, 0, 0]);
        // The square of a short number, and its neighbours.
        let short = B::nearest(f64::from(random.u32(1..1 << 12)));
        sources.push([(short * short).raw() + random.u64(..3) - 1, 0, 0]);
    }
    for rounding in DIRECTIONS {
        each(
            Arithmetic::Real(R::SquareRoot, real, mode(rounding)),
            &sources,
            |[a, ..], result| {
                let (value, root) = (B::of(a), B::of(result));
                if !(value > B::zero() && value.is_finite()) {
                    assert_eq!(result, value.sqrt().bits(), "{a:x}");
                    return;
                }
                let (square, above, below) = (
                    compare_square(root, value),
                    compare_square(B::of(root.raw() + 1), value),
                    compare_square(B::of(root.raw() - 1), value),
                );
                if rounding == Rounding::Up {
                    assert!(square.is_ge() && below.is_lt(), "{a:x} {result:x}");
                } else {
                    assert!(square.is_le() && above.is_gt(), "{a:x} {result:x}");
                }
            },
        );
    }
}

#[test]
fn squares_of_directed_roots_enclose_the_number() {
    roots::<f32>(Real::F32, &bits_of_32());
    roots::<f64>(Real::F64, &bits_of_64());
}

#[test]
fn products_of_directed_reciprocals_enclose_1() {
    let mut random = fastrand::Rng::with_seed(5);
    let sources: Vec<_> = (0..20_000)
        .map(|_| [random.u64(1 << 62..0x7fd << 52), 0, 0])
        .collect();
    let quad = |value: f64| -> Quad { Double::of(value.to_bits()).convert(&mut false).value };
    let one = quad(1.0);
    for rounding in DIRECTIONS {
        each(
            Arithmetic::Real(R::Reciprocal, Real::F64, mode(rounding)),
            &sources,
            |[a, ..], result| {
                let (value, result) = (f64::of(a), f64::of(result));
                // Two numbers of 53 bits have a product of 106, which 113 hold.
                let product = |reciprocal: f64| (quad(value) * quad(reciprocal)).value;
                if rounding == Rounding::Up {
                    assert!(
                        product(result) >= one && product(result.next_down()) < one,
                        "{a:x}"
                    );
                } else {
                    assert!(
                        product(result) <= one && product(result.next_up()) > one,
                        "{a:x}"
                    );
                }
            },
        );
    }
}
