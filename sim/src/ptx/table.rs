//! The instructions by mnemonic and type (PTX ISA 9.7).

use super::words::{Modifier, Opcode, Space, Type};

/// A part of a mnemonic, in the order of the parts.
pub(super) enum Part {
    /// One of these may stand there.
    May(&'static [Modifier]),
    /// One of these must.
    Must(&'static [Modifier]),
    /// One of these state spaces may.
    MaySpace(&'static [Space]),
    /// One of them must.
    MustSpace(&'static [Space]),
    /// One of the types of this set must.
    Type(u32),
    /// A second type, of this set, must.
    Second(u32),
}

/// An instruction for some types.
///
/// Its operands, a letter each: `D` a destination of the type, `S` one that may be `_`, `W` one that is twice as wide
/// under `.wide`, `Q` a predicate or two, `P` a predicate, `U` one of 32 bits,
/// `R` one of the type with perhaps a predicate, `V` a vector under `.v2` or `.v4`; `a` a source of the type,
/// `w` one that is twice as wide under `.wide`, `x` one of the second type, `u` an integer of 32 bits, `o` one that may be
/// absent, `p` a predicate, `n` one that stands there if comparisons are combined, `c` a source that
/// only `.cas` has, `k` a mask that only `.sync` has, `v` a vector under `.v2` or `.v4`; `m` an address, `s` a source or the address of a variable, `l` a label,
/// `t` a texture with coordinates. `M` stands for the operands of `mov`, `C` for those of `call`.
pub(super) struct Row {
    pub opcode: Opcode,
    pub parts: &'static [Part],
    pub operands: &'static str,
}

impl Row {
    /// The first types that it is for; none for an instruction without a type.
    pub fn types(&self) -> u32 {
        let types = self.parts.iter().find_map(|part| match part {
            Part::Type(types) => Some(*types),
            _ => None,
        });
        types.unwrap_or_default()
    }
}

const fn set(types: &[Type]) -> u32 {
    let (mut set, mut place) = (0, 0);
    while place < types.len() {
        set |= types[place].mask();
        place += 1;
    }
    set
}

/// The types of each kind, without those of 8 bits.
const B: u32 = set(&[Type::B16, Type::B32, Type::B64]);
pub(super) const B_WORDS: u32 = set(&[Type::B32, Type::B64]);
const U: u32 = set(&[Type::U16, Type::U32, Type::U64]);
pub(super) const U_WORDS: u32 = set(&[Type::U32, Type::U64]);
const S: u32 = set(&[Type::S16, Type::S32, Type::S64]);
pub(super) const S_WORDS: u32 = set(&[Type::S32, Type::S64]);
pub(super) const S32: u32 = Type::S32.mask();
const WORDS: u32 = Type::S32.mask() | Type::U32.mask();
const B32: u32 = Type::B32.mask();
const F32: u32 = Type::F32.mask();
const F64: u32 = Type::F64.mask();
pub(super) const F: u32 = F32 | F64;
const PRED: u32 = Type::Pred.mask();
const BYTES: u32 = set(&[Type::B8, Type::U8, Type::S8]);
const INTEGERS: u32 = set(&[Type::U8, Type::S8]) | U | S;
const STORED: u32 = BYTES | B | U | S | F;

const LOW: &[Modifier] = &[Modifier::Lo, Modifier::Hi];
const FTZ: Part = Part::May(&[Modifier::Ftz]);
const SAT: Part = Part::May(&[Modifier::Sat]);
const CARRY: Part = Part::May(&[Modifier::Cc]);
const SAT_OR_CARRY: Part = Part::May(&[Modifier::Sat, Modifier::Cc]);
const ROUND: Part = Part::May(Modifier::ROUNDINGS);
const ROUNDED: Part = Part::Must(Modifier::ROUNDINGS);
const APPROX: Part = Part::Must(&[Modifier::Approx]);
const APPROX_OR_ROUNDED: Part = Part::Must(&[
    Modifier::Approx,
    Modifier::Rn,
    Modifier::Rz,
    Modifier::Rm,
    Modifier::Rp,
]);
const DIVIDED: Part = Part::Must(&[
    Modifier::Approx,
    Modifier::Full,
    Modifier::Rn,
    Modifier::Rz,
    Modifier::Rm,
    Modifier::Rp,
]);
const CONVERTED: Part = Part::May(&[
    Modifier::Rn,
    Modifier::Rz,
    Modifier::Rm,
    Modifier::Rp,
    Modifier::Rni,
    Modifier::Rzi,
    Modifier::Rmi,
    Modifier::Rpi,
]);
const ORDER: Part = Part::May(&[Modifier::Weak, Modifier::Volatile, Modifier::Relaxed]);
const SCOPE: Part = Part::May(&[Modifier::Cta, Modifier::Gpu, Modifier::Sys]);
const LOADED_FROM: Part = Part::MaySpace(&[
    Space::Global,
    Space::Shared,
    Space::Const,
    Space::Local,
    Space::Param,
]);
const STORED_TO: Part = Part::MaySpace(&[Space::Global, Space::Shared, Space::Local, Space::Param]);
const CHANGED: Part = Part::MaySpace(&[Space::Global, Space::Shared]);
const READ_BY: Part = Part::May(&[
    Modifier::Ca,
    Modifier::Cg,
    Modifier::Cs,
    Modifier::Lu,
    Modifier::Cv,
]);
const WRITTEN_BY: Part = Part::May(&[Modifier::Wb, Modifier::Cg, Modifier::Cs, Modifier::Wt]);
const VECTOR: Part = Part::May(&[Modifier::V2, Modifier::V4]);
const COMPARED: Part = Part::Must(Modifier::COMPARISONS);
const COMBINED: Part = Part::May(Modifier::COMBINATIONS);
const UNIFORM: Part = Part::May(&[Modifier::Uni]);
const SYNC: Part = Part::May(&[Modifier::Sync]);
const RELAXED: Part = Part::May(&[Modifier::Relaxed]);

const fn row(opcode: Opcode, parts: &'static [Part], operands: &'static str) -> Row {
    Row {
        opcode,
        parts,
        operands,
    }
}

/// All instructions. Where the types of a mnemonic differ in their parts or operands, it has several rows.
#[rustfmt::skip]
pub(super) static TABLE: &[Row] = &[
    // Integers.
    row(Opcode::Add, &[SAT_OR_CARRY, Part::Type(S32)], "Daa"),
    row(Opcode::Add, &[CARRY, Part::Type(U_WORDS | S_WORDS)], "Daa"),
    row(Opcode::Add, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Sub, &[SAT_OR_CARRY, Part::Type(S32)], "Daa"),
    row(Opcode::Sub, &[CARRY, Part::Type(U_WORDS | S_WORDS)], "Daa"),
    row(Opcode::Sub, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Mul, &[Part::Must(Modifier::PARTS), Part::Type(U | S)], "Waa"),
    row(Opcode::Mad, &[Part::Must(Modifier::PARTS), SAT_OR_CARRY, Part::Type(U_WORDS | S_WORDS)], "Waaw"),
    row(Opcode::Mad, &[Part::Must(Modifier::PARTS), SAT, Part::Type(U | S)], "Waaw"),
    row(Opcode::Addc, &[CARRY, Part::Type(U_WORDS | S_WORDS)], "Daa"),
    row(Opcode::Subc, &[CARRY, Part::Type(U_WORDS | S_WORDS)], "Daa"),
    row(Opcode::Madc, &[Part::Must(LOW), CARRY, Part::Type(U_WORDS | S_WORDS)], "Daaa"),
    row(Opcode::Mul24, &[Part::Must(LOW), Part::Type(WORDS)], "Daa"),
    row(Opcode::Mad24, &[Part::Must(LOW), SAT, Part::Type(WORDS)], "Daaa"),
    row(Opcode::Div, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Rem, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Abs, &[Part::Type(S)], "Da"),
    row(Opcode::Neg, &[Part::Type(S)], "Da"),
    row(Opcode::Min, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Max, &[Part::Type(U | S)], "Daa"),
    row(Opcode::Bfe, &[Part::Type(U_WORDS | S_WORDS)], "Dauu"),
    row(Opcode::Bfi, &[Part::Type(B_WORDS)], "Daauu"),
    row(Opcode::Popc, &[Part::Type(B_WORDS)], "Ua"),
    row(Opcode::Clz, &[Part::Type(B_WORDS)], "Ua"),
    row(Opcode::Brev, &[Part::Type(B_WORDS)], "Da"),
    row(Opcode::Bfind, &[Part::May(&[Modifier::ShiftAmount]), Part::Type(U_WORDS | S_WORDS)], "Ua"),
    // Floating-point numbers.
    row(Opcode::Add, &[ROUND, FTZ, SAT, Part::Type(F32)], "Daa"),
    row(Opcode::Add, &[ROUND, Part::Type(F64)], "Daa"),
    row(Opcode::Sub, &[ROUND, FTZ, SAT, Part::Type(F32)], "Daa"),
    row(Opcode::Sub, &[ROUND, Part::Type(F64)], "Daa"),
    row(Opcode::Mul, &[ROUND, FTZ, SAT, Part::Type(F32)], "Daa"),
    row(Opcode::Mul, &[ROUND, Part::Type(F64)], "Daa"),
    row(Opcode::Mad, &[ROUNDED, FTZ, SAT, Part::Type(F32)], "Daaa"),
    row(Opcode::Mad, &[ROUNDED, Part::Type(F64)], "Daaa"),
    row(Opcode::Fma, &[ROUNDED, FTZ, SAT, Part::Type(F32)], "Daaa"),
    row(Opcode::Fma, &[ROUNDED, Part::Type(F64)], "Daaa"),
    row(Opcode::Div, &[DIVIDED, FTZ, Part::Type(F32)], "Daa"),
    row(Opcode::Div, &[ROUNDED, Part::Type(F64)], "Daa"),
    row(Opcode::Abs, &[FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Abs, &[Part::Type(F64)], "Da"),
    row(Opcode::Neg, &[FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Neg, &[Part::Type(F64)], "Da"),
    row(Opcode::Min, &[FTZ, Part::Type(F32)], "Daa"),
    row(Opcode::Min, &[Part::Type(F64)], "Daa"),
    row(Opcode::Max, &[FTZ, Part::Type(F32)], "Daa"),
    row(Opcode::Max, &[Part::Type(F64)], "Daa"),
    row(Opcode::Rcp, &[APPROX_OR_ROUNDED, FTZ, Part::Type(F)], "Da"),
    row(Opcode::Sqrt, &[APPROX_OR_ROUNDED, FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Sqrt, &[ROUNDED, Part::Type(F64)], "Da"),
    row(Opcode::Rsqrt, &[APPROX, FTZ, Part::Type(F)], "Da"),
    row(Opcode::Ex2, &[APPROX, FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Lg2, &[APPROX, FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Sin, &[APPROX, FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Cos, &[APPROX, FTZ, Part::Type(F32)], "Da"),
    row(Opcode::Testp, &[Part::Must(Modifier::TESTS), Part::Type(F)], "Pa"),
    row(Opcode::Copysign, &[Part::Type(F)], "Daa"),
    // Comparisons and selections.
    row(Opcode::Setp, &[COMPARED, COMBINED, FTZ, Part::Type(F32)], "Qaan"),
    row(Opcode::Setp, &[COMPARED, COMBINED, Part::Type(B | U | S | F64)], "Qaan"),
    row(Opcode::Set, &[COMPARED, COMBINED, FTZ, Part::Type(WORDS | F32), Part::Second(B | U | S | F)], "Dxxn"),
    row(Opcode::Selp, &[Part::Type(B | U | S | F)], "Daap"),
    row(Opcode::Slct, &[FTZ, Part::Type(B | U | S | F), Part::Second(S32 | F32)], "Daax"),
    // Logic.
    row(Opcode::And, &[Part::Type(PRED | B)], "Daa"),
    row(Opcode::Or, &[Part::Type(PRED | B)], "Daa"),
    row(Opcode::Xor, &[Part::Type(PRED | B)], "Daa"),
    row(Opcode::Not, &[Part::Type(PRED | B)], "Da"),
    row(Opcode::Cnot, &[Part::Type(B)], "Da"),
    row(Opcode::Shl, &[Part::Type(B)], "Dau"),
    row(Opcode::Shr, &[Part::Type(B | U | S)], "Dau"),
    // Between the lanes of a warp.
    row(Opcode::Vote, &[SYNC, Part::Must(&[Modifier::Ballot]), Part::Type(B32)], "Dpk"),
    row(Opcode::Vote, &[SYNC, Part::Must(Modifier::VOTES), Part::Type(PRED)], "Ppk"),
    row(Opcode::Shfl, &[SYNC, Part::Must(Modifier::SHUFFLES), Part::Type(B32)], "Rauuk"),
    // Moves, conversions, memory.
    row(Opcode::Mov, &[Part::Type(PRED | B | U | S | F)], "M"),
    row(Opcode::Cvt, &[CONVERTED, FTZ, SAT, Part::Type(INTEGERS | F), Part::Second(INTEGERS | F)], "Dx"),
    row(Opcode::Cvta, &[
        Part::May(&[Modifier::To]),
        Part::MustSpace(&[Space::Global, Space::Shared, Space::Const, Space::Local]),
        Part::Type(U_WORDS),
    ], "Ds"),
    row(Opcode::Ld, &[ORDER, SCOPE, LOADED_FROM, READ_BY, Part::May(&[Modifier::Nc]), VECTOR, Part::Type(STORED)], "Vm"),
    row(Opcode::St, &[ORDER, SCOPE, STORED_TO, WRITTEN_BY, VECTOR, Part::Type(STORED)], "mv"),
    row(Opcode::Atom, &[RELAXED, SCOPE, CHANGED, Part::Must(Modifier::ATOMICS), Part::Type(B_WORDS | U_WORDS | S_WORDS | F)], "Smac"),
    row(Opcode::Red, &[RELAXED, SCOPE, CHANGED, Part::Must(Modifier::ATOMICS), Part::Type(B_WORDS | U_WORDS | S_WORDS | F)], "ma"),
    row(Opcode::Tex, &[
        Part::Must(&[Modifier::OneDimension, Modifier::TwoDimensions]),
        Part::Must(&[Modifier::V4]),
        Part::Type(WORDS | F32),
        Part::Second(S32 | F32),
    ], "Vt"),
    // Control.
    row(Opcode::Bra, &[UNIFORM], "l"),
    row(Opcode::Call, &[UNIFORM], "C"),
    row(Opcode::Ret, &[UNIFORM], ""),
    row(Opcode::Exit, &[], ""),
    row(Opcode::Bar, &[Part::Must(&[Modifier::Sync])], "uo"),
    row(Opcode::Membar, &[Part::Must(&[Modifier::Cta, Modifier::Gl, Modifier::Sys])], ""),
];
