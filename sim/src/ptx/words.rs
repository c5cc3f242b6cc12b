//! The words of PTX: types, state spaces, modifiers, special registers, mnemonics.

use serde::Serialize;

/// An enum with the word that PTX has for each of its values.
macro_rules! words {
    ($(#[$about:meta])* pub enum $name:ident { $($value:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        pub enum $name {
            $(#[doc = concat!("`", $word, "`")] #[serde(rename = $word)] $value,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$value),*];

            /// Its word, without a point.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$value => $word,)* }
            }

            /// The one of this word.
            #[must_use]
            pub fn of_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$value),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.word())
            }
        }
    };
}

words! {
    /// A fundamental type (PTX ISA 5.2.1); `pred` is a predicate.
    pub enum Type {
        Pred = "pred",
        B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64",
        U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64",
        S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64",
        F32 = "f32", F64 = "f64",
    }
}

/// What the bits of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A predicate.
    Predicate,
    /// No meaning of their own.
    Bits,
    /// An integer without a sign.
    Unsigned,
    /// An integer with a sign.
    Signed,
    /// A floating-point number.
    Float,
}

impl Type {
    /// What its bits mean.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::Pred => Kind::Predicate,
            Self::B8 | Self::B16 | Self::B32 | Self::B64 => Kind::Bits,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Kind::Unsigned,
            Self::S8 | Self::S16 | Self::S32 | Self::S64 => Kind::Signed,
            Self::F32 | Self::F64 => Kind::Float,
        }
    }

    /// Its width in bits; 1 for a predicate.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Pred => 1,
            Self::B8 | Self::U8 | Self::S8 => 8,
            Self::B16 | Self::U16 | Self::S16 => 16,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 => 32,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 => 64,
        }
    }

    /// Its size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// The bit of this type in a set of types.
    pub(super) const fn mask(self) -> u32 {
        1 << self as u32
    }

    /// The type of this kind and so many bits.
    pub(super) fn of(kind: Kind, bits: u32) -> Option<Self> {
        let all = Self::ALL.iter().copied();
        all.into_iter()
            .find(|ty| ty.kind() == kind && ty.bits() == bits)
    }

    /// Whether an instruction of this type takes a register of another one (PTX ISA 9.5, 9.5.1). A wider register
    /// serves only loads, stores and conversions.
    pub(super) fn takes(self, register: Self, wider: bool) -> bool {
        let width = match wider && register.kind() != Kind::Float {
            true => register.bits() >= self.bits(),
            false => register.bits() == self.bits(),
        };
        let kind = match (self.kind(), register.kind()) {
            (Kind::Predicate, other) | (other, Kind::Predicate) => other == Kind::Predicate,
            (Kind::Bits, _) | (_, Kind::Bits) => true,
            (own, other) => (own == Kind::Float) == (other == Kind::Float),
        };
        width && kind
    }
}

words! {
    /// A state space (PTX ISA 5.1).
    pub enum Space {
        Generic = "generic",
        Global = "global",
        Shared = "shared",
        Const = "const",
        Local = "local",
        Param = "param",
    }
}

words! {
    /// What a mnemonic says beyond its type and state space (PTX ISA 9.7).
    pub enum Modifier {
        Lo = "lo", Hi = "hi", Wide = "wide", Ls = "ls", Hs = "hs",
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge",
        Equ = "equ", Neu = "neu", Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu", Num = "num", Nan = "nan",
        And = "and", Or = "or", Xor = "xor",
        Add = "add", Inc = "inc", Dec = "dec", Min = "min", Max = "max", Exch = "exch", Cas = "cas",
        Rn = "rn", Rz = "rz", Rm = "rm", Rp = "rp", Rni = "rni", Rzi = "rzi", Rmi = "rmi", Rpi = "rpi",
        Approx = "approx", Full = "full", Ftz = "ftz", Sat = "sat", Cc = "cc",
        Ca = "ca", Cg = "cg", Cs = "cs", Lu = "lu", Cv = "cv", Wb = "wb", Wt = "wt", Nc = "nc",
        Volatile = "volatile", Relaxed = "relaxed", Weak = "weak",
        Cta = "cta", Gl = "gl", Gpu = "gpu", Sys = "sys",
        V2 = "v2", V4 = "v4", To = "to", Uni = "uni", Sync = "sync",
        OneDimension = "1d", TwoDimensions = "2d",
        Finite = "finite", Infinite = "infinite", Number = "number", NotANumber = "notanumber",
        Normal = "normal", Subnormal = "subnormal",
        Ballot = "ballot", All = "all", Any = "any",
        Up = "up", Down = "down", Butterfly = "bfly", Index = "idx", ShiftAmount = "shiftamt",
    }
}

impl Modifier {
    /// Comparisons of `setp` and `set`; `lo`, `ls`, `hi` and `hs` are those without a sign.
    pub const COMPARISONS: &[Self] = &[
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
        Self::Lo,
        Self::Ls,
        Self::Hi,
        Self::Hs,
        Self::Equ,
        Self::Neu,
        Self::Ltu,
        Self::Leu,
        Self::Gtu,
        Self::Geu,
        Self::Num,
        Self::Nan,
    ];
    /// What combines a comparison with a predicate.
    pub const COMBINATIONS: &[Self] = &[Self::And, Self::Or, Self::Xor];
    /// The part of a product that is kept.
    pub const PARTS: &[Self] = &[Self::Lo, Self::Hi, Self::Wide];
    /// Roundings to a floating-point number.
    pub const ROUNDINGS: &[Self] = &[Self::Rn, Self::Rz, Self::Rm, Self::Rp];
    /// Roundings to an integer.
    pub const INTEGER_ROUNDINGS: &[Self] = &[Self::Rni, Self::Rzi, Self::Rmi, Self::Rpi];
    /// Operations of `atom` and `red`.
    pub const ATOMICS: &[Self] = &[
        Self::Add,
        Self::Min,
        Self::Max,
        Self::Inc,
        Self::Dec,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Exch,
        Self::Cas,
    ];
    /// Votes that give a predicate.
    pub const VOTES: &[Self] = &[Self::All, Self::Any, Self::Uni];
    /// The lanes that `shfl` reads.
    pub const SHUFFLES: &[Self] = &[Self::Up, Self::Down, Self::Butterfly, Self::Index];
    /// Tests of `testp`.
    pub const TESTS: &[Self] = &[
        Self::Finite,
        Self::Infinite,
        Self::Number,
        Self::NotANumber,
        Self::Normal,
        Self::Subnormal,
    ];
}

/// A set of modifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers(u128);

impl Modifiers {
    /// Whether this modifier is one of them.
    #[must_use]
    pub const fn has(self, modifier: Modifier) -> bool {
        self.0 >> modifier as u32 & 1 != 0
    }

    /// The first of these that is one of them, such as the comparison.
    #[must_use]
    pub fn among(self, modifiers: &[Modifier]) -> Option<Modifier> {
        modifiers
            .iter()
            .copied()
            .find(|&modifier| self.has(modifier))
    }

    pub(super) fn insert(&mut self, modifier: Modifier) {
        self.0 |= 1 << modifier as u32;
    }
}

words! {
    /// A special register of 32 bits (PTX ISA 10).
    pub enum Special {
        TidX = "%tid.x", TidY = "%tid.y", TidZ = "%tid.z",
        NtidX = "%ntid.x", NtidY = "%ntid.y", NtidZ = "%ntid.z",
        CtaidX = "%ctaid.x", CtaidY = "%ctaid.y", CtaidZ = "%ctaid.z",
        NctaidX = "%nctaid.x", NctaidY = "%nctaid.y", NctaidZ = "%nctaid.z",
        Laneid = "%laneid", Warpid = "%warpid",
    }
}

words! {
    /// The operation of an instruction (PTX ISA 9.7).
    pub enum Opcode {
        Abs = "abs", Add = "add", Addc = "addc", And = "and", Atom = "atom", Bar = "bar", Bfe = "bfe", Bfi = "bfi", Bra = "bra",
        Call = "call", Cnot = "cnot", Copysign = "copysign", Cos = "cos", Cvt = "cvt", Cvta = "cvta", Div = "div",
        Ex2 = "ex2", Exit = "exit", Fma = "fma", Ld = "ld", Lg2 = "lg2", Mad = "mad", Mad24 = "mad24", Madc = "madc", Max = "max",
        Membar = "membar", Min = "min", Mov = "mov", Mul = "mul", Mul24 = "mul24", Neg = "neg", Not = "not",
        Or = "or", Rcp = "rcp", Red = "red", Rem = "rem", Ret = "ret", Rsqrt = "rsqrt", Selp = "selp", Set = "set",
        Setp = "setp", Shl = "shl", Shr = "shr", Sin = "sin", Slct = "slct", Sqrt = "sqrt", St = "st", Sub = "sub", Subc = "subc",
        Testp = "testp", Tex = "tex", Xor = "xor",
        Bfind = "bfind", Brev = "brev", Clz = "clz", Popc = "popc", Shfl = "shfl", Vote = "vote",
    }
}

/// Mnemonics of PTX ISA 8 that are no [`Opcode`].
#[rustfmt::skip]
pub(super) const OTHER_MNEMONICS: &[&str] = &[
    "activemask", "alloca", "applypriority", "barrier", "bmsk", "brkpt", "brx",
    "clusterlaunchcontrol", "cp", "createpolicy", "discard", "dp2a", "dp4a", "elect", "fence", "fns",
    "getctarank", "griddepcontrol", "isspacep", "istypep", "ldmatrix", "ldu", "lop3", "mapa", "match",
    "mbarrier", "mma", "movmatrix", "multimem", "nanosleep", "pmevent", "prefetch", "prefetchu",
    "prmt", "redux", "sad", "setmaxnreg", "shf", "stackrestore", "stacksave", "stmatrix",
    "suld", "sured", "suq", "sust", "szext", "tanh", "tcgen05", "tensormap", "tld4", "trap", "txq",
    "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4", "vavrg2", "vavrg4", "vmad", "vmax",
    "vmax2", "vmax4", "vmin", "vmin2", "vmin4", "vset", "vset2", "vset4", "vshl", "vshr", "vsub",
    "vsub2", "vsub4", "wgmma", "wmma",
];

/// Types of PTX ISA 8 that are no [`Type`].
#[rustfmt::skip]
pub(super) const OTHER_TYPES: &[&str] = &[
    "b1", "b128", "bf16", "bf16x2", "e4m3", "e4m3x2", "e5m2", "e5m2x2", "f16", "f16x2", "f32x2", "s16x2", "samplerref",
    "s4", "surfref", "texref", "tf32", "u16x2", "u4",
];

/// Special registers of PTX ISA 8 that are no [`Special`], without their dimension or number.
#[rustfmt::skip]
pub(super) const OTHER_SPECIALS: &[&str] = &[
    "aggr_smem_size", "clock", "clock64", "clock_hi", "cluster_ctaid", "cluster_ctarank", "cluster_nctaid",
    "cluster_nctarank", "clusterid", "current_graph_exec", "dynamic_smem_size", "envreg",
    "globaltimer", "globaltimer_hi", "globaltimer_lo", "gridid", "is_explicit_cluster", "lanemask_eq",
    "lanemask_ge", "lanemask_gt", "lanemask_le", "lanemask_lt", "nclusterid", "nsmid",
    "nwarpid", "pm", "reserved_smem_offset_begin", "reserved_smem_offset_cap", "reserved_smem_offset_end",
    "reserved_smem_offset", "smid", "total_smem_size",
];

/// Directives of PTX ISA 8 that are read nowhere.
#[rustfmt::skip]
pub(super) const OTHER_DIRECTIVES: &[&str] = &[
    "alias", "attribute", "blocksareclusters", "branchtargets", "callprototype", "calltargets", "const",
    "explicitcluster", "global", "managed", "maxclusterrank", "reqnctapercluster", "samplerref", "sreg", "surfref",
    "tex", "unified",
];
