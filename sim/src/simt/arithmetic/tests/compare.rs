//! Comparisons and tests, by their definitions.

use super::super::super::operation::Relation;
use super::super::lanes::Value;
use super::super::{Arithmetic, Comparison, Number, Real, Test};
use super::{WHOLES, bits_of_32, bits_of_64, each, one, triples};
use std::cmp::Ordering;

const RELATIONS: [Relation; 6] = [
    Relation::Equal,
    Relation::NotEqual,
    Relation::Less,
    Relation::LessEqual,
    Relation::Greater,
    Relation::GreaterEqual,
];

fn comparisons() -> impl Iterator<Item = Comparison> {
    let ordered = RELATIONS.into_iter().map(Comparison::Ordered);
    let unordered = RELATIONS.into_iter().map(Comparison::Unordered);
    ordered
        .chain(unordered)
        .chain([Comparison::Numbers, Comparison::NotNumbers])
}

/// Whether a comparison holds, by the order of the numbers.
fn holds(comparison: Comparison, order: Option<Ordering>) -> bool {
    match (comparison, order) {
        (Comparison::Numbers, order) => order.is_some(),
        (Comparison::NotNumbers | Comparison::Unordered(_), None) => true,
        (Comparison::NotNumbers, Some(_)) | (Comparison::Ordered(_), None) => false,
        (Comparison::Ordered(relation) | Comparison::Unordered(relation), Some(order)) => {
            match relation {
                Relation::Equal => order.is_eq(),
                Relation::NotEqual => order.is_ne(),
                Relation::Less => order.is_lt(),
                Relation::LessEqual => order.is_le(),
                Relation::Greater => order.is_gt(),
                Relation::GreaterEqual => order.is_ge(),
            }
        }
    }
}

fn pairs(values: &[u64]) -> Vec<[u64; 3]> {
    let pairs = values
        .iter()
        .flat_map(|&a| values.iter().map(move |&b| [a, b, 0]));
    pairs.collect()
}

#[test]
fn integers_compare_by_their_order() {
    let mut random = fastrand::Rng::with_seed(10);
    for whole in WHOLES {
        let width = whole.bits();
        let (sign, all) = (1 << (width - 1), u64::MAX >> (64 - width));
        let sources = triples(&[0, 1, sign - 1, sign, sign + 1, all], width, &mut random);
        for comparison in comparisons() {
            let arithmetic = Arithmetic::Compare {
                of: Number::Whole(whole),
                comparison,
                flushes: false,
            };
            each(arithmetic, &sources, |[a, b, _], result| {
                // An offset of half the range makes unsigned numbers of signed ones.
                let key = |bits: u64| (bits & all) ^ if whole.is_signed() { sign } else { 0 };
                let expected = holds(comparison, Some(key(a).cmp(&key(b))));
                assert_eq!(result, u64::from(expected), "{arithmetic} {a:x} {b:x}");
            });
        }
    }
}

#[test]
fn floating_point_numbers_compare_by_their_order() {
    for comparison in comparisons() {
        for flushes in [false, true] {
            let of = |real| Arithmetic::Compare {
                of: Number::Real(real),
                comparison,
                flushes,
            };
            let flush = |value: f32| {
                if flushes && value.is_subnormal() {
                    0.0
                } else {
                    value
                }
            };
            each(of(Real::F32), &pairs(&bits_of_32()), |[a, b, _], result| {
                let expected = holds(
                    comparison,
                    flush(f32::of(a)).partial_cmp(&flush(f32::of(b))),
                );
                assert_eq!(result, u64::from(expected), "{} {a:x} {b:x}", of(Real::F32));
            });
        }
        let arithmetic = Arithmetic::Compare {
            of: Number::Real(Real::F64),
            comparison,
            flushes: false,
        };
        each(arithmetic, &pairs(&bits_of_64()), |[a, b, _], result| {
            let expected = holds(comparison, f64::of(a).partial_cmp(&f64::of(b)));
            assert_eq!(result, u64::from(expected), "{arithmetic} {a:x} {b:x}");
        });
    }
}

#[test]
fn tests_are_of_the_class_of_a_number() {
    const TESTS: [Test; 6] = [
        Test::Finite,
        Test::Infinite,
        Test::Number,
        Test::NotNumber,
        Test::Normal,
        Test::Subnormal,
    ];
    for (of_32, of_64, expected) in [
        (0x8000_0000, 1 << 63, [1, 0, 1, 0, 1, 0]),
        (0x0000_0001, 1, [1, 0, 1, 0, 0, 1]),
        (0x807f_ffff, 0x800f << 48, [1, 0, 1, 0, 0, 1]),
        (0x0080_0000, 0x0010 << 48, [1, 0, 1, 0, 1, 0]),
        (0xff7f_ffff, 0xffef << 48, [1, 0, 1, 0, 1, 0]),
        (0xff80_0000, 0xfff0 << 48, [0, 1, 1, 0, 0, 0]),
        (0x7f80_0001, 0x7ff8 << 48, [0, 0, 0, 1, 0, 0]),
    ] {
        let above = 0x7fc0_0000_u64 << 32;
        let results =
            TESTS.map(|test| one(Arithmetic::Test(test, Real::F32), [above | of_32, 0, 0]));
        assert_eq!(results, expected, "{of_32:x}");
        let results = TESTS.map(|test| one(Arithmetic::Test(test, Real::F64), [of_64, 0, 0]));
        assert_eq!(results, expected, "{of_64:x}");
    }
}
