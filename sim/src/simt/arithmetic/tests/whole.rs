//! Integers against integers of 128 bits.

use super::super::{Arithmetic, Whole, WholeOperation};
use super::{WHOLES, each, one, triples};
use WholeOperation as W;

const OPERATIONS: [WholeOperation; 36] = [
    W::Add,
    W::AddSaturated,
    W::Subtract,
    W::SubtractSaturated,
    W::Multiply,
    W::MultiplyHigh,
    W::MultiplyWide,
    W::MultiplyAdd,
    W::MultiplyAddHigh,
    W::MultiplyAddHighSaturated,
    W::MultiplyAddWide,
    W::Multiply24,
    W::Multiply24High,
    W::MultiplyAdd24,
    W::MultiplyAdd24High,
    W::MultiplyAdd24HighSaturated,
    W::Divide,
    W::Remainder,
    W::Absolute,
    W::Negate,
    W::Minimum,
    W::Maximum,
    W::Extract,
    W::Insert,
    W::And,
    W::Or,
    W::Xor,
    W::Not,
    W::IsZero,
    W::CountOnes,
    W::CountLeadingZeros,
    W::Reverse,
    W::HighestBit,
    W::HighestBitShift,
    W::ShiftLeft,
    W::ShiftRight,
];

/// The number in the low bits.
fn number(bits: u64, width: u32, signed: bool) -> i128 {
    let low = i128::from(bits) & ((1 << width) - 1);
    if signed && low >> (width - 1) == 1 {
        low - (1 << width)
    } else {
        low
    }
}

fn reference(operation: WholeOperation, whole: Whole, sources: [u64; 3]) -> u64 {
    let signed = whole.is_signed();
    let width = match operation {
        W::Multiply24
        | W::Multiply24High
        | W::MultiplyAdd24
        | W::MultiplyAdd24High
        | W::MultiplyAdd24HighSaturated => 32,
        _ => whole.bits(),
    };
    let [a, b, c] = sources.map(|bits| number(bits, width, signed));
    let [a24, b24] = [sources[0], sources[1]].map(|bits| number(bits, 24, signed));
    let (least, most) = if signed {
        (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    } else {
        (0, (1 << width) - 1)
    };
    let limited = |value: i128| value.clamp(least, most);
    // A product of 128 bits without a sign wraps, which its low half does not show.
    let product = a.wrapping_mul(b);
    let high = if signed {
        product >> width
    } else {
        (product.cast_unsigned() >> width).cast_signed()
    };
    let high24 = (a24 * b24) >> 16;
    let position = (sources[1] & 0xff) as u32;
    let length = (sources[2] & 0xff) as u32;
    let bit = |bits: u64, index: u32| bits >> index & 1;
    let (result, kept) = match operation {
        W::Add => (a + b, width),
        W::AddSaturated => (limited(a + b), width),
        W::Subtract => (a - b, width),
        W::SubtractSaturated => (limited(a - b), width),
        W::Multiply => (product, width),
        W::MultiplyHigh => (high, width),
        W::MultiplyWide => (product, 2 * width),
        W::MultiplyAdd => (product.wrapping_add(c), width),
        W::MultiplyAddHigh => (high + c, width),
        W::MultiplyAddHighSaturated => (limited(high + c), width),
        W::MultiplyAddWide => (product.wrapping_add(i128::from(sources[2])), 2 * width),
        W::Multiply24 => (a24 * b24, 32),
        W::Multiply24High => (high24, 32),
        W::MultiplyAdd24 => (a24 * b24 + c, 32),
        W::MultiplyAdd24High => (number(high24 as u64, 32, signed) + c, 32),
        W::MultiplyAdd24HighSaturated => (limited(number(high24 as u64, 32, signed) + c), 32),
        W::Divide => (if b == 0 { -1 } else { a / b }, width),
        W::Remainder => (if b == 0 { a } else { a % b }, width),
        W::Absolute => (a.abs(), width),
        W::Negate => (-a, width),
        W::Minimum => (a.min(b), width),
        W::Maximum => (a.max(b), width),
        // As the PTX ISA has it, bit by bit.
        W::Extract => {
            let last = width - 1;
            let sign = if !signed || length == 0 {
                0
            } else {
                bit(sources[0], (position + length - 1).min(last))
            };
            let bits = (0..width).map(|index| {
                let present = index < length && position + index <= last;
                let bit = if present {
                    bit(sources[0], position + index)
                } else {
                    sign
                };
                i128::from(bit) << index
            });
            (bits.sum(), width)
        }
        W::Insert => {
            let (position, length) = ((sources[2] & 0xff) as u32, (sources[2] >> 8 & 0xff) as u32);
            let bits = (0..width).map(|index| {
                let inside = (position..position + length).contains(&index);
                let bit = if inside {
                    bit(sources[0], index - position)
                } else {
                    bit(sources[1], index)
                };
                i128::from(bit) << index
            });
            (bits.sum(), width)
        }
        W::And => (a & b, width),
        W::Or => (a | b, width),
        W::Xor => (a ^ b, width),
        W::Not => (-1 - a, width),
        W::IsZero => (i128::from(a == 0), width),
        W::CountOnes => (
            (0..width)
                .filter(|&index| bit(sources[0], index) == 1)
                .count() as i128,
            32,
        ),
        W::CountLeadingZeros => {
            let zeros = (0..width)
                .rev()
                .take_while(|&index| bit(sources[0], index) == 0);
            (zeros.count() as i128, 32)
        }
        W::Reverse => {
            let turned = |index| i128::from(bit(sources[0], index)) << (width - 1 - index);
            ((0..width).map(turned).sum(), width)
        }
        W::HighestBit | W::HighestBitShift => {
            let differs = |&index: &u32| bit(sources[0], index) != u64::from(a < 0);
            let place = (0..width).rev().find(differs).map_or(-1, i128::from);
            let shift = operation == W::HighestBitShift && place >= 0;
            (
                if shift {
                    i128::from(width) - 1 - place
                } else {
                    place
                },
                32,
            )
        }
        W::ShiftLeft | W::ShiftRight => {
            let distance = (sources[1] & 0xffff_ffff).min(u64::from(width)) as u32;
            let right = operation == W::ShiftRight;
            (if right { a >> distance } else { a << distance }, width)
        }
    };
    number(result as u64, kept.min(64), false) as u64
}

#[test]
fn integers_are_those_of_128_bits() {
    let mut random = fastrand::Rng::with_seed(1);
    for whole in WHOLES {
        let width = whole.bits();
        let (sign, all) = (1 << (width - 1), u64::MAX >> (64 - width));
        let mut values = vec![0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 255];
        values.extend([
            sign - 1,
            sign,
            sign + 1,
            all - 1,
            all,
            0x0555_5555_5555_5555 & all,
        ]);
        values.extend(
            [
                0x7f_ffff, 0x80_0000, 0xff_ffff, 0x0810, 0x2000, 0xff01, 0x0120,
            ]
            .map(|value| value & all),
        );
        let sources = triples(&values, width, &mut random);
        for operation in OPERATIONS {
            each(
                Arithmetic::Whole(operation, whole),
                &sources,
                |sources, result| {
                    let expected = reference(operation, whole, sources);
                    assert_eq!(result, expected, "{operation:?} {whole:?} {sources:x?}");
                },
            );
        }
    }
}

#[test]
fn divisions_have_a_result_for_each_divisor() {
    let divide = Arithmetic::Whole(W::Divide, Whole::S32);
    let remainder = Arithmetic::Whole(W::Remainder, Whole::S32);
    let least = 0x8000_0000;
    assert_eq!(one(divide, [7, 0, 0]), 0xffff_ffff);
    assert_eq!(one(remainder, [7, 0, 0]), 7);
    assert_eq!(one(divide, [least, 0xffff_ffff, 0]), least);
    assert_eq!(one(remainder, [least, 0xffff_ffff, 0]), 0);
}

#[test]
fn halves_are_joined() {
    let sources = [0xaaaa_bbbb_cccc_dddd, 0x1111_2222_3333_4444, 0];
    assert_eq!(one(Arithmetic::Join(64), sources), 0x3333_4444_cccc_dddd);
    assert_eq!(one(Arithmetic::Join(32), sources), 0x4444_dddd);
}
