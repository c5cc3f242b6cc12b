//! Arithmetic on integers (PTX ISA 9.7.1 and 9.7.8).

use super::super::warp::Lanes;
use super::lanes::{Value, binary, ones, ternary, unary};
use super::{Whole, WholeOperation};
use num_traits::{AsPrimitive, CheckedRem, PrimInt, WrappingAdd, WrappingNeg};

/// An integer as Rust has it.
pub(super) trait Integer:
    Value
    + PrimInt
    + CheckedRem
    + WrappingAdd
    + WrappingNeg
    + AsPrimitive<Self::Wide>
    + AsPrimitive<u64>
    + AsPrimitive<i128>
    + AsPrimitive<f32>
    + AsPrimitive<f64>
{
    /// An integer twice as wide.
    type Wide: Value + PrimInt + WrappingAdd + AsPrimitive<Self>;

    /// Its width.
    const BITS: u32;

    /// Its values have a sign.
    const SIGNED: bool;
}

macro_rules! integers {
    ($($integer:ty, $wide:ty;)*) => {$(
        impl Integer for $integer {
            type Wide = $wide;
            const BITS: u32 = <$integer>::BITS;
            const SIGNED: bool = <$integer>::MIN != 0;
        }
    )*};
}

integers! {
    u8, u16;
    i8, i16;
    u16, u32;
    i16, i32;
    u32, u64;
    i32, i64;
    u64, u128;
    i64, i128;
}

/// Evaluates an expression in which a name is the Rust type of a [`Whole`].
macro_rules! with_integer {
    ($whole:expr, $integer:ident => $body:expr) => {
        with_integer!(@ $whole, $integer, $body, U8 u8, S8 i8, U16 u16, S16 i16, U32 u32, S32 i32, U64 u64, S64 i64)
    };
    (@ $whole:expr, $integer:ident, $body:expr, $($name:ident $rust:ty),*) => {
        match $whole {
            $($crate::simt::arithmetic::Whole::$name => {
                type $integer = $rust;
                $body
            })*
        }
    };
}
pub(super) use with_integer;

impl Whole {
    /// That of so many bits without a sign; of 64 if there is none.
    #[must_use]
    pub const fn of_bits(bits: u32) -> Self {
        match bits {
            8 => Self::U8,
            16 => Self::U16,
            32 => Self::U32,
            _ => Self::U64,
        }
    }

    /// Its width (PTX ISA 5.2.1).
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 8,
            Self::U16 | Self::S16 => 16,
            Self::U32 | Self::S32 => 32,
            Self::U64 | Self::S64 => 64,
        }
    }

    /// Its values have a sign (PTX ISA 5.2.1).
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }
}

/// The result in each lane.
pub(super) fn evaluate(operation: WholeOperation, whole: Whole, sources: [&Lanes; 3]) -> Lanes {
    use WholeOperation as W;
    match operation {
        W::Multiply24
        | W::Multiply24High
        | W::MultiplyAdd24
        | W::MultiplyAdd24High
        | W::MultiplyAdd24HighSaturated => {
            if whole.is_signed() {
                of_24_bits::<i32>(operation, sources)
            } else {
                of_24_bits::<u32>(operation, sources)
            }
        }
        W::Add
        | W::Subtract
        | W::Multiply
        | W::MultiplyAdd
        | W::Negate
        | W::Insert
        | W::And
        | W::Or
        | W::Xor
        | W::Not
        | W::IsZero
        | W::CountOnes
        | W::CountLeadingZeros
        | W::Reverse
        | W::ShiftLeft => modular(operation, whole.bits(), sources),
        _ => with_integer!(whole, T => typed::<T>(operation, sources)),
    }
}

/// Operations whose low bits follow from the low bits of the sources, and from no sign.
fn modular(operation: WholeOperation, width: u32, sources: [&Lanes; 3]) -> Lanes {
    use WholeOperation as W;
    let [a, b, _] = sources;
    let mask = ones(width);
    match operation {
        W::Add => binary(a, b, |a: u64, b: u64| a.wrapping_add(b) & mask),
        W::Subtract => binary(a, b, |a: u64, b: u64| a.wrapping_sub(b) & mask),
        W::Multiply => binary(a, b, |a: u64, b: u64| a.wrapping_mul(b) & mask),
        W::MultiplyAdd => ternary(sources, |a: u64, b: u64, c: u64| {
            a.wrapping_mul(b).wrapping_add(c) & mask
        }),
        W::Negate => unary(a, |a: u64| a.wrapping_neg() & mask),
        W::Insert => ternary(sources, |a, b, field| insert(a, b, field) & mask),
        W::And => binary(a, b, |a: u64, b: u64| a & b & mask),
        W::Or => binary(a, b, |a: u64, b: u64| (a | b) & mask),
        W::Xor => binary(a, b, |a: u64, b: u64| (a ^ b) & mask),
        W::Not => unary(a, |a: u64| !a & mask),
        W::IsZero => unary(a, |a: u64| a & mask == 0),
        W::CountOnes => unary(a, |a: u64| (a & mask).count_ones()),
        W::CountLeadingZeros => unary(a, |a: u64| (a & mask).leading_zeros() + width - u64::BITS),
        W::Reverse => unary(a, |a: u64| a.reverse_bits() >> (u64::BITS - width)),
        W::ShiftLeft => binary(a, b, |a: u64, distance: u32| {
            if distance < width {
                a << distance & mask
            } else {
                0
            }
        }),
        // `evaluate` sends no other.
        _ => *a,
    }
}

/// Operations on numbers of a type.
fn typed<T: Integer>(operation: WholeOperation, sources: [&Lanes; 3]) -> Lanes {
    use WholeOperation as W;
    let [a, b, _] = sources;
    match operation {
        W::AddSaturated => binary(a, b, |a: T, b: T| a.saturating_add(b)),
        W::SubtractSaturated => binary(a, b, |a: T, b: T| a.saturating_sub(b)),
        W::MultiplyHigh => binary(a, b, high::<T>),
        W::MultiplyWide => binary(a, b, wide::<T>),
        W::MultiplyAddHigh => ternary(sources, |a: T, b: T, c: T| high(a, b).wrapping_add(&c)),
        W::MultiplyAddHighSaturated => {
            ternary(sources, |a: T, b: T, c: T| high(a, b).saturating_add(c))
        }
        W::MultiplyAddWide => ternary(sources, |a: T, b: T, c: T::Wide| {
            wide(a, b).wrapping_add(&c)
        }),
        W::Divide => binary(a, b, quotient::<T>),
        W::Remainder => binary(a, b, remainder::<T>),
        W::Absolute => unary(a, |a: T| if a < T::zero() { a.wrapping_neg() } else { a }),
        W::Minimum => binary(a, b, |a: T, b: T| a.min(b)),
        W::Maximum => binary(a, b, |a: T, b: T| a.max(b)),
        W::HighestBit => unary(a, |a: T| highest(a).unwrap_or(u32::MAX)),
        W::HighestBitShift => unary(a, |a: T| {
            highest(a).map_or(u32::MAX, |place| T::BITS - 1 - place)
        }),
        W::Extract => ternary(sources, extract::<T>),
        W::ShiftRight => binary(a, b, |a: T, distance: u32| {
            if distance < T::BITS {
                a >> distance as usize
            } else if T::SIGNED {
                a >> (T::BITS - 1) as usize
            } else {
                T::zero()
            }
        }),
        // `evaluate` sends no other.
        _ => *a,
    }
}

/// All of a product.
#[inline(always)]
fn wide<T: Integer>(a: T, b: T) -> T::Wide {
    let wide = |value: T| -> T::Wide { value.as_() };
    wide(a) * wide(b)
}

/// The high half of a product.
#[inline(always)]
fn high<T: Integer>(a: T, b: T) -> T {
    (wide(a, b) >> T::BITS as usize).as_()
}

/// A quotient, with all ones where the divisor is 0; the least number by -1 wraps.
fn quotient<T: Integer>(a: T, b: T) -> T {
    match a.checked_div(&b) {
        Some(quotient) => quotient,
        None if b.is_zero() => !T::zero(),
        None => a,
    }
}

/// The remainder of [`quotient`].
fn remainder<T: Integer>(a: T, b: T) -> T {
    match a.checked_rem(&b) {
        Some(remainder) => remainder,
        None if b.is_zero() => a,
        None => T::zero(),
    }
}

/// The place of the highest bit that is not the sign.
fn highest<T: Integer>(a: T) -> Option<u32> {
    let value = if a < T::zero() { !a } else { a };
    value.bits().checked_ilog2()
}

/// A field of `a`, `length` bits from bit `position` on (PTX ISA, `bfe`). The sign of the field follows it; it is the
/// number's where the field ends beyond it.
#[inline(always)]
fn extract<T: Integer>(a: T, position: u8, length: u8) -> T {
    let (position, length) = (u32::from(position), u32::from(length));
    let present = length.min(T::BITS.saturating_sub(position));
    let field = a.bits().checked_shr(position).unwrap_or(0) & ones(present);
    let last = (position + length).saturating_sub(1).min(T::BITS - 1);
    let negative = T::SIGNED && length != 0 && a.bits() >> last & 1 == 1;
    T::of(if negative {
        field | !ones(present)
    } else {
        field
    })
}

/// `b` with the low bits of `a` in a field (PTX ISA, `bfi`).
#[inline(always)]
fn insert(a: u64, b: u64, field: u16) -> u64 {
    let [position, length] = field.to_le_bytes().map(u32::from);
    let place = |bits: u64| bits.checked_shl(position).unwrap_or(0);
    let mask = place(ones(length));
    (b & !mask) | (place(a) & mask)
}

/// Products of the low 24 bits of two numbers of 32.
fn of_24_bits<T: Integer>(operation: WholeOperation, sources: [&Lanes; 3]) -> Lanes {
    use WholeOperation as W;
    let [a, b, _] = sources;
    let short = |value: T| value << 8 >> 8;
    let product = |a, b| wide(short(a), short(b));
    let low = |a, b| -> T { product(a, b).as_() };
    let high = |a, b| -> T { (product(a, b) >> 16).as_() };
    match operation {
        W::Multiply24High => binary(a, b, high),
        W::MultiplyAdd24 => ternary(sources, |a, b, c| low(a, b).wrapping_add(&c)),
        W::MultiplyAdd24High => ternary(sources, |a, b, c| high(a, b).wrapping_add(&c)),
        W::MultiplyAdd24HighSaturated => ternary(sources, |a, b, c| high(a, b).saturating_add(c)),
        _ => binary(a, b, low),
    }
}
