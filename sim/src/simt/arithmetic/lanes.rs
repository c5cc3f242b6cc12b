//! Values in the lanes of a warp, and loops over them.

use super::super::warp::{LANES, Lanes};

/// What stands in the low bits of a register.
pub(super) trait Value: Copy {
    /// The value of the low bits.
    fn of(bits: u64) -> Self;

    /// Its bits, with zeros above them. A floating-point number that is none has the bits that NVIDIA's units give it.
    fn bits(self) -> u64;
}

macro_rules! integer_values {
    ($($integer:ty, $unsigned:ty;)*) => {$(
        impl Value for $integer {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as $integer
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self as $unsigned as u64
            }
        }
    )*};
}

integer_values! {
    u8, u8;
    i8, u8;
    u16, u16;
    i16, u16;
    u32, u32;
    i32, u32;
    u64, u64;
    i64, u64;
    u128, u128;
    i128, u128;
}

impl Value for bool {
    #[inline(always)]
    fn of(bits: u64) -> Self {
        bits & 1 == 1
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self)
    }
}

/// So many ones from bit 0 on.
pub(super) const fn ones(count: u32) -> u64 {
    match u64::MAX.checked_shl(count) {
        Some(above) => !above,
        None => u64::MAX,
    }
}

/// A function of one source, lane by lane.
#[inline(always)]
pub(super) fn unary<A: Value, R: Value>(a: &Lanes, function: impl Fn(A) -> R) -> Lanes {
    let mut result = [0; LANES];
    for (result, a) in result.iter_mut().zip(a) {
        *result = function(A::of(*a)).bits();
    }
    result
}

/// A function of two sources, lane by lane.
#[inline(always)]
pub(super) fn binary<A: Value, B: Value, R: Value>(
    a: &Lanes,
    b: &Lanes,
    function: impl Fn(A, B) -> R,
) -> Lanes {
    let mut result = [0; LANES];
    for ((result, a), b) in result.iter_mut().zip(a).zip(b) {
        *result = function(A::of(*a), B::of(*b)).bits();
    }
    result
}

/// A function of three sources, lane by lane.
#[inline(always)]
pub(super) fn ternary<A: Value, B: Value, C: Value, R: Value>(
    [a, b, c]: [&Lanes; 3],
    function: impl Fn(A, B, C) -> R,
) -> Lanes {
    let mut result = [0; LANES];
    for (((result, a), b), c) in result.iter_mut().zip(a).zip(b).zip(c) {
        *result = function(A::of(*a), B::of(*b), C::of(*c)).bits();
    }
    result
}
