//! Arithmetic by type, after the PTX ISA (sections 9.7.1 to 9.7.9): what a program that a compiler made computes.
//!
//! A value of `n` bits stands in the low `n` bits of a register. Nothing reads the bits above it; a result has zeros there.

mod compare;
mod convert;
mod directed;
mod lanes;
mod name;
mod real;
#[cfg(test)]
mod tests;
mod whole;

use super::warp::Lanes;

/// An integer of some width, with a sign or without (PTX ISA 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Whole {
    /// 8 bits without a sign.
    U8,
    /// 8 bits with a sign.
    S8,
    /// 16 bits without a sign.
    U16,
    /// 16 bits with a sign.
    S16,
    /// 32 bits without a sign.
    U32,
    /// 32 bits with a sign.
    S32,
    /// 64 bits without a sign.
    U64,
    /// 64 bits with a sign.
    S64,
}

/// A floating-point number of IEEE 754 (PTX ISA 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Real {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

/// A number (PTX ISA 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// An integer.
    Whole(Whole),
    /// A floating-point number.
    Real(Real),
}

/// What is computed with integers; sources are `a`, `b` and `c` (PTX ISA 9.7.1 and 9.7.8). The products of 24 bits are
/// about 32 bits, whatever the width of the type. A result of more than 64 bits has the low 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WholeOperation {
    /// `a + b`.
    Add,
    /// `a + b`, limited to the type.
    AddSaturated,
    /// `a - b`.
    Subtract,
    /// `a - b`, limited to the type.
    SubtractSaturated,
    /// The low half of `a * b`.
    Multiply,
    /// The high half of `a * b`.
    MultiplyHigh,
    /// All of `a * b`, twice as wide as the type.
    MultiplyWide,
    /// The low half of `a * b`, plus `c`.
    MultiplyAdd,
    /// The high half of `a * b`, plus `c`.
    MultiplyAddHigh,
    /// The high half of `a * b`, plus `c`, limited to the type.
    MultiplyAddHighSaturated,
    /// `a * b + c`, twice as wide as the type, as `c` is.
    MultiplyAddWide,
    /// The low 32 bits of the product of the low 24 bits.
    Multiply24,
    /// The high 32 bits of the 48 bits of that product.
    Multiply24High,
    /// [`Multiply24`](Self::Multiply24), plus `c`.
    MultiplyAdd24,
    /// [`Multiply24High`](Self::Multiply24High), plus `c`.
    MultiplyAdd24High,
    /// [`Multiply24High`](Self::Multiply24High), plus `c`, limited to the type.
    MultiplyAdd24HighSaturated,
    /// `a / b`, towards zero; all ones if `b` is 0.
    Divide,
    /// The remainder of that quotient; `a` if `b` is 0.
    Remainder,
    /// The value without its sign.
    Absolute,
    /// `-a`.
    Negate,
    /// The lesser.
    Minimum,
    /// The greater.
    Maximum,
    /// `c` bits of `a` from bit `b` on, with the sign of the field if the type has one (PTX ISA, `bfe`).
    Extract,
    /// `b` with the low bits of `a` in a field of it (PTX ISA, `bfi`); `c` has the field's first bit in bits 7:0 and its
    /// length in bits 15:8.
    Insert,
    /// Bits of both.
    And,
    /// Bits of either.
    Or,
    /// Bits of one.
    Xor,
    /// Bits that `a` has not.
    Not,
    /// 1 if `a` is 0, else 0.
    IsZero,
    /// The number of ones, 32 bits.
    CountOnes,
    /// The number of zeros above the highest one, 32 bits.
    CountLeadingZeros,
    /// The bits in the opposite order.
    Reverse,
    /// The place of the highest bit that is not the sign, 32 bits; all ones if there is none (PTX ISA, `bfind`).
    HighestBit,
    /// The distance that shifts that bit to the top, 32 bits; all ones if there is none.
    HighestBitShift,
    /// `a` shifted left by `b`, 32 bits without a sign; 0 if that is the width or more.
    ShiftLeft,
    /// `a` shifted right by `b`, as [`ShiftLeft`](Self::ShiftLeft); the sign follows if the type has one.
    ShiftRight,
}

/// What is computed with floating-point numbers; sources are `a`, `b` and `c` (PTX ISA 9.7.3). A result that is no number
/// is `0x7fffffff` or `0x7ff8000000000000`, whatever the sources were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RealOperation {
    /// `a + b`.
    Add,
    /// `a - b`.
    Subtract,
    /// `a * b`.
    Multiply,
    /// `a * b + c`, rounded once.
    MultiplyAdd,
    /// `a / b`.
    Divide,
    /// `a / b`, and 0 times `a` for a finite `b` beyond 2^126 (PTX ISA 9.7.3.8, `div.approx`).
    QuickDivide,
    /// `1 / a`.
    Reciprocal,
    /// The square root.
    SquareRoot,
    /// 1 / square root.
    InverseSquareRoot,
    /// 2 to the power of `a`.
    Exponential,
    /// The logarithm to base 2.
    Logarithm,
    /// The sine of radians.
    Sine,
    /// The cosine of radians.
    Cosine,
    /// The value without its sign.
    Absolute,
    /// `-a`.
    Negate,
    /// The lesser, -0 less than +0; the other if one is no number.
    Minimum,
    /// The greater, -0 less than +0; the other if one is no number.
    Maximum,
    /// `b` with the sign of `a`, bit by bit.
    CopySign,
}

/// How a floating-point result is rounded (PTX ISA 6.5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest, to even if there are two.
    Nearest,
    /// Towards zero.
    Zero,
    /// Down.
    Down,
    /// Up.
    Up,
    /// Within the bound that the PTX ISA names for `.approx` or, for divisions, `.full`; to the nearest where it names
    /// none.
    Approximate,
}

/// How a floating-point operation treats its result and denormal numbers (PTX ISA 9.7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// The rounding.
    pub rounding: Rounding,
    /// Denormal sources and results become zeros with their sign (`.ftz`).
    pub flushes: bool,
    /// The result is limited to 0 to 1, no number to 0 (`.sat`).
    pub saturates: bool,
}

/// How two values are compared (PTX ISA 9.7.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// The relation holds; between unordered numbers none does, not even `!=` (PTX ISA 9.7.6, `setp`).
    Ordered(super::Relation),
    /// The relation holds, or the numbers are unordered.
    Unordered(super::Relation),
    /// Both are numbers.
    Numbers,
    /// One is no number.
    NotNumbers,
}

/// A test of one floating-point number (PTX ISA 9.7.3.1, `testp`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// Neither infinite nor no number.
    Finite,
    /// Infinite.
    Infinite,
    /// A number.
    Number,
    /// No number.
    NotNumber,
    /// A normal number or a zero.
    Normal,
    /// A denormal number.
    Subnormal,
}

/// How a conversion rounds (PTX ISA 9.7.9, `cvt`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConversionRounding {
    /// Nothing is rounded. Where the result cannot have all bits, an integer is rounded towards zero and a floating-point
    /// number to the nearest.
    Exact,
    /// To a floating-point number.
    ToReal(Rounding),
    /// To an integer, also if the result is a floating-point number.
    ToWhole(Rounding),
}

/// Arithmetic on values with types (PTX ISA 9.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// On integers.
    Whole(WholeOperation, Whole),
    /// On floating-point numbers.
    Real(RealOperation, Real, Mode),
    /// 1 if a comparison of `a` and `b` holds, else 0; denormal numbers are zeros before it if `flushes`.
    Compare {
        /// What is compared.
        of: Number,
        /// The comparison.
        comparison: Comparison,
        /// `.ftz`.
        flushes: bool,
    },
    /// 1 if a test of `a` holds, else 0.
    Test(Test, Real),
    /// `a` as another number (PTX ISA 9.7.9, `cvt`). What is no number becomes 0 of 32 bits and less if it has 32 itself,
    /// else an integer with only its highest bit.
    Convert {
        /// The result.
        to: Number,
        /// The source.
        from: Number,
        /// How it is rounded.
        rounding: ConversionRounding,
        /// `.ftz`: sources and results of 32 bits alone.
        flushes: bool,
        /// `.sat`.
        saturates: bool,
    },
    /// `a` in the low half and `b` in the high half of so many bits: 16, 32 or 64.
    Join(u32),
}

impl Arithmetic {
    /// A conversion between integers, with nothing rounded or limited.
    #[must_use]
    pub const fn exact(to: Whole, from: Whole) -> Self {
        Self::Convert {
            to: Number::Whole(to),
            from: Number::Whole(from),
            rounding: ConversionRounding::Exact,
            flushes: false,
            saturates: false,
        }
    }

    /// The result in each lane, active or not, as the PTX ISA has it (9.7).
    #[must_use]
    pub fn evaluate(self, sources: [&Lanes; 3]) -> Lanes {
        let [a, b, _] = sources;
        match self {
            Self::Whole(operation, whole) => whole::evaluate(operation, whole, sources),
            Self::Real(operation, Real::F32, mode) => {
                real::evaluate::<f32>(operation, mode, sources)
            }
            Self::Real(operation, Real::F64, mode) => {
                real::evaluate::<f64>(operation, mode, sources)
            }
            Self::Compare {
                of,
                comparison,
                flushes,
            } => compare::evaluate(of, comparison, flushes, a, b),
            Self::Test(test, Real::F32) => compare::test::<f32>(test, a),
            Self::Test(test, Real::F64) => compare::test::<f64>(test, a),
            Self::Convert {
                to,
                from,
                rounding,
                flushes,
                saturates,
            } => {
                let converted = convert::evaluate(to, from, rounding, flushes, saturates, a);
                convert::finish(to, flushes, saturates, converted)
            }
            Self::Join(bits) => {
                let half = bits / 2;
                let low = lanes::ones(half);
                lanes::binary(a, b, |a: u64, b: u64| {
                    (a & low) | (b & low).checked_shl(half).unwrap_or(0)
                })
            }
        }
    }

    /// The number of its sources. The field of `bfi` is one (PTX ISA 9.7.1).
    #[must_use]
    pub const fn sources(self) -> usize {
        use WholeOperation as W;
        match self {
            Self::Whole(
                W::MultiplyAdd
                | W::MultiplyAddHigh
                | W::MultiplyAddHighSaturated
                | W::MultiplyAddWide
                | W::MultiplyAdd24
                | W::MultiplyAdd24High
                | W::MultiplyAdd24HighSaturated
                | W::Extract
                | W::Insert,
                _,
            )
            | Self::Real(RealOperation::MultiplyAdd, ..) => 3,
            Self::Whole(
                W::Absolute
                | W::Negate
                | W::Not
                | W::IsZero
                | W::CountOnes
                | W::CountLeadingZeros
                | W::Reverse
                | W::HighestBit
                | W::HighestBitShift,
                _,
            )
            | Self::Test(..)
            | Self::Convert { .. } => 1,
            Self::Real(
                RealOperation::Add
                | RealOperation::Subtract
                | RealOperation::Multiply
                | RealOperation::Divide
                | RealOperation::QuickDivide
                | RealOperation::Minimum
                | RealOperation::Maximum
                | RealOperation::CopySign,
                ..,
            )
            | Self::Whole(..)
            | Self::Compare { .. }
            | Self::Join(_) => 2,
            Self::Real(..) => 1,
        }
    }

    /// Needs the special-function unit: divisions, counts of bits (`POPC`, `FLO` and `BREV` of a trace), the functions of PTX ISA 9.7.3 that have `.approx`, and conversions of
    /// floating-point numbers.
    #[must_use]
    pub const fn is_special(self) -> bool {
        match self {
            Self::Whole(operation, _) => {
                matches!(
                    operation,
                    WholeOperation::Divide
                        | WholeOperation::Remainder
                        | WholeOperation::CountOnes
                        | WholeOperation::CountLeadingZeros
                        | WholeOperation::Reverse
                        | WholeOperation::HighestBit
                        | WholeOperation::HighestBitShift
                )
            }
            Self::Real(operation, ..) => matches!(
                operation,
                RealOperation::Divide
                    | RealOperation::QuickDivide
                    | RealOperation::Reciprocal
                    | RealOperation::SquareRoot
                    | RealOperation::InverseSquareRoot
                    | RealOperation::Exponential
                    | RealOperation::Logarithm
                    | RealOperation::Sine
                    | RealOperation::Cosine
            ),
            Self::Convert { to, from, .. } => {
                !matches!((to, from), (Number::Whole(_), Number::Whole(_)))
            }
            Self::Compare { .. } | Self::Test(..) | Self::Join(_) => false,
        }
    }
}

/// `a * b + c` of 32-bit floats in each lane, rounded once to the nearest.
pub(super) fn fused(sources: [&Lanes; 3]) -> Lanes {
    <f32 as real::Binary>::fused(sources)
}

impl Number {
    /// Its width in bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Whole(whole) => whole.bits(),
            Self::Real(Real::F32) => 32,
            Self::Real(Real::F64) => 64,
        }
    }
}
