//! Names, sources and units.

use super::super::super::operation::Relation;
use super::super::{
    Arithmetic as A, Comparison as K, ConversionRounding as C, Mode, Number, Real,
    RealOperation as R, Rounding, Test, Whole, WholeOperation as W,
};
use super::mode;

fn modes(rounding: Rounding, flushes: bool, saturates: bool) -> Mode {
    Mode {
        rounding,
        flushes,
        saturates,
    }
}

const F32: Number = Number::Real(Real::F32);
const F64: Number = Number::Real(Real::F64);
const S32: Number = Number::Whole(Whole::S32);

const fn compare(of: Number, comparison: K, flushes: bool) -> A {
    A::Compare {
        of,
        comparison,
        flushes,
    }
}

const fn convert(to: Number, from: Number, rounding: C, flushes: bool, saturates: bool) -> A {
    A::Convert {
        to,
        from,
        rounding,
        flushes,
        saturates,
    }
}

#[test]
fn names_sources_and_units_are_those_of_ptx() {
    let real = |operation, mode| A::Real(operation, Real::F32, mode);
    for (arithmetic, name, sources, special) in [
        (A::Whole(W::Add, Whole::S32), "add.s32", 2, false),
        (
            A::Whole(W::SubtractSaturated, Whole::S32),
            "sub.sat.s32",
            2,
            false,
        ),
        (A::Whole(W::Multiply, Whole::U64), "mul.lo.u64", 2, false),
        (
            A::Whole(W::MultiplyWide, Whole::U16),
            "mul.wide.u16",
            2,
            false,
        ),
        (
            A::Whole(W::MultiplyAddWide, Whole::U16),
            "mad.wide.u16",
            3,
            false,
        ),
        (
            A::Whole(W::MultiplyAddHighSaturated, Whole::S32),
            "mad.hi.sat.s32",
            3,
            false,
        ),
        (
            A::Whole(W::MultiplyAdd24High, Whole::U32),
            "mad24.hi.u32",
            3,
            false,
        ),
        (A::Whole(W::Divide, Whole::U32), "div.u32", 2, true),
        (A::Whole(W::Remainder, Whole::S64), "rem.s64", 2, true),
        (A::Whole(W::Negate, Whole::S16), "neg.s16", 1, false),
        (A::Whole(W::Extract, Whole::S32), "bfe.s32", 3, false),
        (A::Whole(W::Insert, Whole::U32), "bfi.b32", 3, false),
        (A::Whole(W::And, Whole::U32), "and.b32", 2, false),
        (A::Whole(W::IsZero, Whole::U32), "cnot.b32", 1, false),
        (A::Whole(W::CountOnes, Whole::U64), "popc.b64", 1, true),
        (A::Whole(W::HighestBit, Whole::S32), "bfind.s32", 1, true),
        (A::Whole(W::ShiftLeft, Whole::U64), "shl.b64", 2, false),
        (A::Whole(W::ShiftRight, Whole::S32), "shr.s32", 2, false),
        (
            real(R::MultiplyAdd, modes(Rounding::Nearest, true, false)),
            "fma.rn.ftz.f32",
            3,
            false,
        ),
        (
            real(R::Add, modes(Rounding::Zero, true, true)),
            "add.rz.ftz.sat.f32",
            2,
            false,
        ),
        (
            A::Real(R::Multiply, Real::F64, mode(Rounding::Down)),
            "mul.rm.f64",
            2,
            false,
        ),
        (
            A::Real(R::Divide, Real::F64, mode(Rounding::Up)),
            "div.rp.f64",
            2,
            true,
        ),
        (
            real(R::Divide, mode(Rounding::Approximate)),
            "div.full.f32",
            2,
            true,
        ),
        (
            real(R::Reciprocal, modes(Rounding::Approximate, true, false)),
            "rcp.approx.ftz.f32",
            1,
            true,
        ),
        (
            real(R::SquareRoot, mode(Rounding::Nearest)),
            "sqrt.rn.f32",
            1,
            true,
        ),
        (
            real(R::Exponential, mode(Rounding::Approximate)),
            "ex2.approx.f32",
            1,
            true,
        ),
        (
            real(R::Minimum, modes(Rounding::Nearest, true, false)),
            "min.ftz.f32",
            2,
            false,
        ),
        (
            real(R::CopySign, mode(Rounding::Nearest)),
            "copysign.f32",
            2,
            false,
        ),
        (
            compare(F32, K::Unordered(Relation::Less), false),
            "setp.ltu.f32",
            2,
            false,
        ),
        (
            compare(F32, K::Ordered(Relation::GreaterEqual), true),
            "setp.ge.ftz.f32",
            2,
            false,
        ),
        (
            compare(S32, K::Unordered(Relation::NotEqual), false),
            "setp.ne.s32",
            2,
            false,
        ),
        (compare(F64, K::Numbers, false), "setp.num.f64", 2, false),
        (compare(F64, K::NotNumbers, false), "setp.nan.f64", 2, false),
        (
            A::Test(Test::Finite, Real::F64),
            "testp.finite.f64",
            1,
            false,
        ),
        (
            A::Test(Test::NotNumber, Real::F32),
            "testp.notanumber.f32",
            1,
            false,
        ),
        (
            convert(S32, F32, C::ToWhole(Rounding::Zero), false, false),
            "cvt.rzi.s32.f32",
            1,
            true,
        ),
        (
            convert(F32, S32, C::ToReal(Rounding::Nearest), false, false),
            "cvt.rn.f32.s32",
            1,
            true,
        ),
        (
            convert(F32, F64, C::ToReal(Rounding::Down), true, true),
            "cvt.rm.ftz.sat.f32.f64",
            1,
            true,
        ),
        (
            convert(F64, F32, C::Exact, false, false),
            "cvt.f64.f32",
            1,
            true,
        ),
        (
            convert(S32, Number::Whole(Whole::U8), C::Exact, false, true),
            "cvt.sat.s32.u8",
            1,
            false,
        ),
        (A::Join(64), "mov.b64", 2, false),
    ] {
        assert_eq!(arithmetic.to_string(), name);
        assert_eq!(arithmetic.sources(), sources, "{name}");
        assert_eq!(arithmetic.is_special(), special, "{name}");
    }
}
