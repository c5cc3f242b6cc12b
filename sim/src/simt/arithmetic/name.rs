//! The names of operations, as PTX has them.

use super::super::operation::Relation;
use super::{
    Arithmetic, Comparison, ConversionRounding, Mode, Number, Real, RealOperation, Rounding, Test,
    Whole, WholeOperation,
};
use std::fmt;

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            if self.is_signed() { 's' } else { 'u' },
            self.bits()
        )
    }
}

impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(whole) => whole.fmt(f),
            Self::Real(real) => real.fmt(f),
        }
    }
}

impl WholeOperation {
    const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::AddSaturated => "add.sat",
            Self::Subtract => "sub",
            Self::SubtractSaturated => "sub.sat",
            Self::Multiply => "mul.lo",
            Self::MultiplyHigh => "mul.hi",
            Self::MultiplyWide => "mul.wide",
            Self::MultiplyAdd => "mad.lo",
            Self::MultiplyAddHigh => "mad.hi",
            Self::MultiplyAddHighSaturated => "mad.hi.sat",
            Self::MultiplyAddWide => "mad.wide",
            Self::Multiply24 => "mul24.lo",
            Self::Multiply24High => "mul24.hi",
            Self::MultiplyAdd24 => "mad24.lo",
            Self::MultiplyAdd24High => "mad24.hi",
            Self::MultiplyAdd24HighSaturated => "mad24.hi.sat",
            Self::Divide => "div",
            Self::Remainder => "rem",
            Self::Absolute => "abs",
            Self::Negate => "neg",
            Self::Minimum => "min",
            Self::Maximum => "max",
            Self::Extract => "bfe",
            Self::Insert => "bfi",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Not => "not",
            Self::IsZero => "cnot",
            Self::CountOnes => "popc",
            Self::CountLeadingZeros => "clz",
            Self::Reverse => "brev",
            Self::HighestBit => "bfind",
            Self::HighestBitShift => "bfind.shiftamt",
            Self::ShiftLeft => "shl",
            Self::ShiftRight => "shr",
        }
    }

    /// Its type in PTX is one of bits, without a sign.
    const fn is_of_bits(self) -> bool {
        matches!(
            self,
            Self::Insert
                | Self::And
                | Self::Or
                | Self::Xor
                | Self::Not
                | Self::IsZero
                | Self::CountOnes
                | Self::CountLeadingZeros
                | Self::Reverse
                | Self::ShiftLeft
        )
    }
}

impl RealOperation {
    const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Subtract => "sub",
            Self::Multiply => "mul",
            Self::MultiplyAdd => "fma",
            Self::Divide | Self::QuickDivide => "div",
            Self::Reciprocal => "rcp",
            Self::SquareRoot => "sqrt",
            Self::InverseSquareRoot => "rsqrt",
            Self::Exponential => "ex2",
            Self::Logarithm => "lg2",
            Self::Sine => "sin",
            Self::Cosine => "cos",
            Self::Absolute => "abs",
            Self::Negate => "neg",
            Self::Minimum => "min",
            Self::Maximum => "max",
            Self::CopySign => "copysign",
        }
    }

    /// The modifier that says how it is rounded.
    const fn rounding(self, rounding: Rounding) -> &'static str {
        match (self, rounding) {
            (Self::Absolute | Self::Negate | Self::Minimum | Self::Maximum | Self::CopySign, _) => {
                ""
            }
            (
                Self::InverseSquareRoot
                | Self::Exponential
                | Self::Logarithm
                | Self::Sine
                | Self::Cosine,
                _,
            ) => ".approx",
            (Self::Divide, Rounding::Approximate) => ".full",
            (_, Rounding::Approximate) => ".approx",
            (_, rounding) => to_real(rounding),
        }
    }
}

const fn to_real(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::Nearest | Rounding::Approximate => ".rn",
        Rounding::Zero => ".rz",
        Rounding::Down => ".rm",
        Rounding::Up => ".rp",
    }
}

const fn to_whole(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::Nearest | Rounding::Approximate => ".rni",
        Rounding::Zero => ".rzi",
        Rounding::Down => ".rmi",
        Rounding::Up => ".rpi",
    }
}

const fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "eq",
        Relation::NotEqual => "ne",
        Relation::Less => "lt",
        Relation::LessEqual => "le",
        Relation::Greater => "gt",
        Relation::GreaterEqual => "ge",
    }
}

const fn test(test: Test) -> &'static str {
    match test {
        Test::Finite => "finite",
        Test::Infinite => "infinite",
        Test::Number => "number",
        Test::NotNumber => "notanumber",
        Test::Normal => "normal",
        Test::Subnormal => "subnormal",
    }
}

const fn flag(is_set: bool, name: &'static str) -> &'static str {
    if is_set { name } else { "" }
}

/// As an instruction of PTX without its operands.
impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Whole(operation, whole) if operation.is_of_bits() => {
                write!(f, "{}.b{}", operation.name(), whole.bits())
            }
            Self::Whole(operation, whole) => write!(f, "{}.{whole}", operation.name()),
            Self::Real(operation, real, mode) => {
                let Mode {
                    rounding,
                    flushes,
                    saturates,
                } = mode;
                let (name, rounding) = (operation.name(), operation.rounding(rounding));
                let (ftz, sat) = (flag(flushes, ".ftz"), flag(saturates, ".sat"));
                write!(f, "{name}{rounding}{ftz}{sat}.{real}")
            }
            Self::Compare {
                of,
                comparison,
                flushes,
            } => {
                let (name, unordered) = match comparison {
                    Comparison::Ordered(held) => (relation(held), ""),
                    Comparison::Unordered(held) => {
                        (relation(held), flag(matches!(of, Number::Real(_)), "u"))
                    }
                    Comparison::Numbers => ("num", ""),
                    Comparison::NotNumbers => ("nan", ""),
                };
                write!(f, "setp.{name}{unordered}{}.{of}", flag(flushes, ".ftz"))
            }
            Self::Test(held, real) => write!(f, "testp.{}.{real}", test(held)),
            Self::Convert {
                to,
                from,
                rounding,
                flushes,
                saturates,
            } => {
                let rounding = match rounding {
                    ConversionRounding::Exact => "",
                    ConversionRounding::ToReal(rounding) => to_real(rounding),
                    ConversionRounding::ToWhole(rounding) => to_whole(rounding),
                };
                let (ftz, sat) = (flag(flushes, ".ftz"), flag(saturates, ".sat"));
                write!(f, "cvt{rounding}{ftz}{sat}.{to}.{from}")
            }
            Self::Join(bits) => write!(f, "mov.b{bits}"),
        }
    }
}
