//! What an instruction does: operations, their classes, and their names in a program's text.

use std::borrow::Cow;

use super::across::{Shuffle, Vote};
use super::arithmetic::{Arithmetic, Number, Whole};
use super::exception::Exception;

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `a == b`.
    Equal,
    /// `a != b`.
    NotEqual,
    /// `a < b`.
    Less,
    /// `a <= b`.
    LessEqual,
    /// `a > b`.
    Greater,
    /// `a >= b`.
    GreaterEqual,
}

impl Relation {
    /// Whether it holds; of unordered floats only [`Relation::NotEqual`] does.
    pub(super) fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterEqual => left >= right,
        }
    }
}

/// The memory that an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global memory, which is translated and may fault.
    Global,
    /// Shared memory of the thread block, which is neither.
    Shared,
    /// Memory of the thread. It lies in global memory, where words of 8 bytes of a warp's lanes are neighbours.
    Local,
    /// Constants of the program, which are neither translated nor written.
    Constant,
}

/// Bytes that a lane accesses. A load clears the bits of the register above them, or extends their sign: that of 1 and 2 bytes to
/// 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 1 byte.
    One,
    /// 1 byte with a sign.
    SignedOne,
    /// 2 bytes.
    Two,
    /// 2 bytes with a sign.
    SignedTwo,
    /// 4 bytes.
    Four,
    /// 4 bytes with a sign.
    SignedFour,
    /// 8 bytes.
    Eight,
}

impl Width {
    /// The number of bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::One | Self::SignedOne => 1,
            Self::Two | Self::SignedTwo => 2,
            Self::Four | Self::SignedFour => 4,
            Self::Eight => 8,
        }
    }

    /// Whether a load extends the sign of what it has read.
    pub(super) const fn is_signed(self) -> bool {
        matches!(self, Self::SignedOne | Self::SignedTwo | Self::SignedFour)
    }

    /// What a load leaves in a register of the bytes that it has read.
    pub(super) const fn extended(self, value: u64) -> u64 {
        match self {
            Self::SignedOne => value as u8 as i8 as u32 as u64,
            Self::SignedTwo => value as u16 as i16 as u32 as u64,
            Self::SignedFour => value as u32 as i32 as u64,
            Self::One | Self::Two | Self::Four | Self::Eight => value,
        }
    }

    /// What stands for it in the name of an access.
    const fn suffix(self) -> &'static str {
        match self {
            Self::One => ".8",
            Self::SignedOne => ".s8",
            Self::Two => ".16",
            Self::SignedTwo => ".s16",
            Self::Four => "",
            Self::SignedFour => ".s32",
            Self::Eight => ".64",
        }
    }

    /// That of a number.
    #[must_use]
    pub const fn of(number: Number) -> Self {
        match number.bits() {
            8 => Self::One,
            16 => Self::Two,
            32 => Self::Four,
            _ => Self::Eight,
        }
    }
}

/// What an atomic leaves in memory of what was there and its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atomic {
    /// The sum.
    Add,
    /// The lesser.
    Minimum,
    /// The greater.
    Maximum,
    /// One more, or 0 if it was the data or more.
    Increment,
    /// One less, or the data if it was 0 or more than the data.
    Decrement,
    /// Bits of both.
    And,
    /// Bits of either.
    Or,
    /// Bits of one.
    Xor,
    /// The data.
    Exchange,
    /// Another value, if the one that it compares with was there. Of 32 bits, the data has both, the one that it compares with
    /// in its lower half, so that a log of two operands keeps them; of 64 bits the other value is the third source.
    CompareExchange,
}

impl Atomic {
    /// Its word in PTX.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Minimum => "min",
            Self::Maximum => "max",
            Self::Increment => "inc",
            Self::Decrement => "dec",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Exchange => "exch",
            Self::CompareExchange => "cas",
        }
    }
}

impl Space {
    /// What stands for it in the name of an access.
    const fn suffix(self) -> &'static str {
        match self {
            Self::Global => "",
            Self::Shared => "s",
            Self::Local => "l",
            Self::Constant => "c",
        }
    }
}

/// The lanes that a branch takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// All of them.
    Always,
    /// Those whose source is not 0.
    NotZero,
    /// Those whose source is 0.
    Zero,
}

/// The unit of the pipeline that an instruction needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A math unit.
    Math,
    /// The special-function unit.
    Special,
    /// The load/store unit, reading global memory.
    GlobalLoad,
    /// The load/store unit, writing global memory; an atomic counts here, because it keeps data
    /// besides its address, even if it has a destination as well.
    GlobalStore,
    /// The load/store unit, shared memory.
    Shared,
    /// The unit of divisions and traps, which may raise an exception.
    Raising,
    /// The branch unit.
    Branch,
    /// The barrier of the thread block.
    Barrier,
    /// The end of the lanes.
    Exit,
}

impl Class {
    /// Goes through address translation, so that it can fault.
    #[must_use]
    pub const fn is_global(self) -> bool {
        matches!(self, Self::GlobalLoad | Self::GlobalStore)
    }

    /// Decides what the warp fetches next, so that fetch waits for its commit (Tanasic et al.,
    /// section 2.1).
    #[must_use]
    pub const fn is_control(self) -> bool {
        matches!(self, Self::Branch | Self::Barrier | Self::Exit)
    }
}

/// What an instruction does. Integers are of 64 bits and wrap; comparisons, minimum, maximum, quotient and
/// remainder take them as signed. Floats are of 32 bits, in the lower half of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The source itself.
    Move,
    /// Integer sum.
    Add,
    /// Integer difference.
    Subtract,
    /// Integer product.
    Multiply,
    /// Integer `a * b + c`.
    MultiplyAdd,
    /// Integer quotient, towards zero. It is all ones where the divisor is 0, which raises an exception.
    Divide,
    /// Integer remainder with the sign of the dividend. It is the dividend where the divisor is 0, which raises an exception.
    Remainder,
    /// The lesser integer.
    Minimum,
    /// The greater integer.
    Maximum,
    /// Bits of both.
    And,
    /// Bits of either.
    Or,
    /// Bits of one.
    Xor,
    /// Shift to the left; only the low 6 bits of the distance count.
    ShiftLeft,
    /// Shift to the right, zeros follow; only the low 6 bits of the distance count.
    ShiftRight,
    /// 1 if the relation holds between integers, else 0.
    Compare(Relation),
    /// The second source if the first is not 0, else the third.
    Select,
    /// Float sum.
    FloatAdd,
    /// Float difference.
    FloatSubtract,
    /// Float product.
    FloatMultiply,
    /// Float `a * b + c`, rounded once.
    FloatMultiplyAdd,
    /// The lesser float.
    FloatMinimum,
    /// The greater float.
    FloatMaximum,
    /// 1 if the relation holds between floats, else 0.
    FloatCompare(Relation),
    /// Signed integer to the nearest float.
    ToFloat,
    /// Float to a signed integer, towards zero.
    ToInteger,
    /// 1 / a.
    Reciprocal,
    /// Square root.
    SquareRoot,
    /// 1 / square root.
    InverseSquareRoot,
    /// Sine of radians.
    Sine,
    /// Cosine of radians.
    Cosine,
    /// 2 to the power of a.
    Exponential,
    /// Logarithm to base 2.
    Logarithm,
    /// Raises an exception, and does nothing else.
    Trap,
    /// Reads memory.
    Load(Space, Width),
    /// Writes memory.
    Store(Space, Width),
    /// Reads a number and writes another one at once; the destination, if any, takes what was there before.
    Atomic(Atomic, Number, Space),
    /// Arithmetic by type.
    Arithmetic(Arithmetic),
    /// A vote of the active lanes on a predicate.
    Vote(Vote),
    /// The first source of another lane, by a distance and limits.
    Shuffle(Shuffle),
    /// 1 if a shuffle of that distance and those limits reads a lane in range, else 0.
    ShuffleRange(Shuffle),
    /// Goes on elsewhere.
    Branch(Condition),
    /// Waits for the other warps of the thread block.
    Barrier,
    /// Ends the lanes.
    Exit,
}

/// Whether an operation has a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    Needed,
    Possible,
    Absent,
}

const U32: Number = Number::Whole(Whole::U32);
const U64: Number = Number::Whole(Whole::U64);

use Operation as O;
use Relation as R;
use Space::{Constant, Global, Local, Shared};
use Width::{Eight, Four};

/// The operations that a program's text may have, with their names.
pub(super) const NAMES: [(&str, Operation); 60] = [
    ("mov", O::Move),
    ("add", O::Add),
    ("sub", O::Subtract),
    ("mul", O::Multiply),
    ("mad", O::MultiplyAdd),
    ("div", O::Divide),
    ("rem", O::Remainder),
    ("min", O::Minimum),
    ("max", O::Maximum),
    ("and", O::And),
    ("or", O::Or),
    ("xor", O::Xor),
    ("shl", O::ShiftLeft),
    ("shr", O::ShiftRight),
    ("seteq", O::Compare(R::Equal)),
    ("setne", O::Compare(R::NotEqual)),
    ("setlt", O::Compare(R::Less)),
    ("setle", O::Compare(R::LessEqual)),
    ("setgt", O::Compare(R::Greater)),
    ("setge", O::Compare(R::GreaterEqual)),
    ("select", O::Select),
    ("fadd", O::FloatAdd),
    ("fsub", O::FloatSubtract),
    ("fmul", O::FloatMultiply),
    ("fma", O::FloatMultiplyAdd),
    ("fmin", O::FloatMinimum),
    ("fmax", O::FloatMaximum),
    ("fseteq", O::FloatCompare(R::Equal)),
    ("fsetne", O::FloatCompare(R::NotEqual)),
    ("fsetlt", O::FloatCompare(R::Less)),
    ("fsetle", O::FloatCompare(R::LessEqual)),
    ("fsetgt", O::FloatCompare(R::Greater)),
    ("fsetge", O::FloatCompare(R::GreaterEqual)),
    ("i2f", O::ToFloat),
    ("f2i", O::ToInteger),
    ("rcp", O::Reciprocal),
    ("sqrt", O::SquareRoot),
    ("rsqrt", O::InverseSquareRoot),
    ("sin", O::Sine),
    ("cos", O::Cosine),
    ("exp2", O::Exponential),
    ("log2", O::Logarithm),
    ("trap", O::Trap),
    ("ld", O::Load(Global, Four)),
    ("ld.64", O::Load(Global, Eight)),
    ("st", O::Store(Global, Four)),
    ("st.64", O::Store(Global, Eight)),
    ("atom", O::Atomic(Atomic::Add, U32, Global)),
    ("atom.64", O::Atomic(Atomic::Add, U64, Global)),
    ("lds", O::Load(Shared, Four)),
    ("lds.64", O::Load(Shared, Eight)),
    ("sts", O::Store(Shared, Four)),
    ("sts.64", O::Store(Shared, Eight)),
    ("atoms", O::Atomic(Atomic::Add, U32, Shared)),
    ("atoms.64", O::Atomic(Atomic::Add, U64, Shared)),
    ("bra", O::Branch(Condition::Always)),
    ("brnz", O::Branch(Condition::NotZero)),
    ("brz", O::Branch(Condition::Zero)),
    ("bar", O::Barrier),
    ("exit", O::Exit),
];

impl Operation {
    /// All that a program's text may have.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|&(_, operation)| operation)
    }

    /// Its name in a program's text; that of PTX if no text may have it.
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        let known = NAMES.iter().find(|(_, operation)| *operation == self);
        match (known, self) {
            (Some((name, _)), _) => (*name).into(),
            (None, O::Arithmetic(arithmetic)) => arithmetic.to_string().into(),
            (None, O::Vote(vote)) => vote.name().into(),
            (None, O::Shuffle(shuffle)) => shuffle.name().into(),
            (None, O::ShuffleRange(shuffle)) => format!("{}.range", shuffle.name()).into(),
            (None, O::Load(space, width)) => {
                format!("ld{}{}", space.suffix(), width.suffix()).into()
            }
            (None, O::Store(space, width)) => {
                format!("st{}{}", space.suffix(), width.suffix()).into()
            }
            (None, O::Atomic(atomic, number, space)) => {
                format!("atom{}.{}.{number}", space.suffix(), atomic.word()).into()
            }
            _ => "".into(),
        }
    }

    /// The operation of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let known = NAMES.iter().find(|(known, _)| *known == name);
        known.map(|&(_, operation)| operation)
    }

    /// The unit that it needs.
    #[must_use]
    pub const fn class(self) -> Class {
        match self {
            O::ToFloat
            | O::ToInteger
            | O::Reciprocal
            | O::SquareRoot
            | O::InverseSquareRoot
            | O::Sine
            | O::Cosine
            | O::Exponential
            | O::Logarithm => Class::Special,
            O::Divide | O::Remainder | O::Trap => Class::Raising,
            O::Load(Global | Local, _) => Class::GlobalLoad,
            O::Store(Global | Local, _) | O::Atomic(_, _, Global | Local) => Class::GlobalStore,
            O::Load(Shared | Constant, _)
            | O::Store(Shared | Constant, _)
            | O::Atomic(_, _, Shared | Constant) => Class::Shared,
            O::Arithmetic(arithmetic) if arithmetic.is_special() => Class::Special,
            O::Branch(_) => Class::Branch,
            O::Barrier => Class::Barrier,
            O::Exit => Class::Exit,
            _ => Class::Math,
        }
    }

    /// The number of its sources.
    #[must_use]
    pub const fn sources(self) -> usize {
        match self {
            O::Trap | O::Barrier | O::Exit | O::Branch(Condition::Always) => 0,
            O::MultiplyAdd | O::FloatMultiplyAdd | O::Select | O::Shuffle(_) => 3,
            // The last source of an access of local memory is where the lane's begins.
            O::Load(Local, _) | O::Store(Local, _) => 3,
            O::Atomic(Atomic::CompareExchange, number, _) if number.bits() == 64 => 3,
            O::Arithmetic(arithmetic) => arithmetic.sources(),
            O::Move | O::Load(..) | O::Vote(_) | O::Branch(_) => 1,
            _ => match self.class() {
                Class::Special => 1,
                _ => 2,
            },
        }
    }

    /// The memory that it accesses, and how wide, if it does.
    #[must_use]
    pub const fn memory(self) -> Option<(Space, Width)> {
        match self {
            O::Load(space, width) | O::Store(space, width) => Some((space, width)),
            O::Atomic(_, number, space) => Some((space, Width::of(number))),
            _ => None,
        }
    }

    /// What it raises in lanes that cannot go on.
    #[must_use]
    pub const fn exception(self) -> Option<Exception> {
        match self {
            O::Divide | O::Remainder => Some(Exception::DivisionByZero),
            O::Trap => Some(Exception::Trap),
            _ => None,
        }
    }

    /// Its sources are floats.
    #[must_use]
    pub const fn takes_floats(self) -> bool {
        match self {
            O::FloatAdd
            | O::FloatSubtract
            | O::FloatMultiply
            | O::FloatMultiplyAdd
            | O::FloatMinimum
            | O::FloatMaximum
            | O::FloatCompare(_) => true,
            O::ToFloat | O::Arithmetic(_) => false,
            _ => matches!(self.class(), Class::Special),
        }
    }

    pub(super) const fn destination(self) -> Destination {
        match self {
            O::Atomic(..) => Destination::Possible,
            O::Store(..) | O::Trap | O::Branch(_) | O::Barrier | O::Exit => Destination::Absent,
            _ => Destination::Needed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_operations_are_one_to_one() {
        for (name, operation) in NAMES {
            assert_eq!(operation.name(), name);
            assert_eq!(Operation::named(name), Some(operation));
        }
    }

    #[test]
    fn what_raises_an_exception_has_a_class_of_its_own() {
        for operation in Operation::all() {
            let raises = operation.exception().is_some();
            assert_eq!(operation.class() == Class::Raising, raises, "{operation:?}");
        }
    }

    #[test]
    fn classes_follow_the_units() {
        let class = |name| Operation::named(name).map(Operation::class);
        assert_eq!(class("fma"), Some(Class::Math));
        assert_eq!(class("f2i"), Some(Class::Special));
        assert_eq!(class("atom"), Some(Class::GlobalStore));
        assert_eq!(class("atoms"), Some(Class::Shared));
        assert_eq!(class("brz"), Some(Class::Branch));
        assert_eq!(class("rem"), Some(Class::Raising));
    }
}
