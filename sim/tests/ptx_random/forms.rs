//! The computing instructions that a random program has.

/// Bits at the edges of types: least and greatest integers, floats that are no numbers, infinite, subnormal, zero, near to
/// one another, and at the edges of integers.
#[rustfmt::skip]
pub const NUMBERS: &[u64] = &[
    0, 1, u64::MAX, 1 << 63, i64::MAX as u64, 0x8000_0000, 0x7fff_ffff, 0xffff_ffff, 0x8000, 0x7fff, 0xffff, 0x80, 0x7f, 0xff,
    0x80_0000, 0x7f_ffff, 0xff_ffff, 0x1_0000_0000, 0xffff_ffff_0000_0000, 31, 32, 33, 63, 64, 65, 255, 256,
    0x3f80_0000, 0xbf80_0000, 0x3f00_0000, 0x3fc0_0000, 0x4020_0000, 0xc020_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffc1_2345, 0x7f80_0001,
    0x0080_0000, 0x8080_0000, 0x007f_ffff, 0x807f_ffff, 0x7f7f_ffff, 0xff7f_ffff, 0x4f00_0000, 0xcf00_0000, 0x4f80_0000, 0x5f00_0000, 0x5f80_0000,
    0x3f7f_ffff, 0x3f80_0001, 0x3eff_ffff, 0x4b00_0001, 0x4aff_ffff, 0x437f_8000, 0x42ff_0000, 0x2000_0000, 0x1fff_ffff,
    0x3ff0_0000_0000_0000, 0xbff0_0000_0000_0000, 0x3fe0_0000_0000_0000, 0x3ff8_0000_0000_0000, 0x4004_0000_0000_0000, 0xc004_0000_0000_0000,
    0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000, 0x7ff8_0000_0000_0000, 0xfff8_1234_5678_9abc, 0x7ff0_0000_0000_0001,
    0x0010_0000_0000_0000, 0x800f_ffff_ffff_ffff, 0x7fef_ffff_ffff_ffff, 0x41e0_0000_0000_0000, 0x41df_ffff_ffe0_0000, 0x41ef_ffff_fff0_0000,
    0x43e0_0000_0000_0000, 0x43f0_0000_0000_0000, 0x3fdf_ffff_ffff_ffff, 0x3810_0000_0000_0000, 0x380f_ffff_ffff_ffff, 0x36a0_0000_0000_0000,
    0x47ef_ffff_e000_0000, 0x47ef_ffff_f000_0000, 0x3ff0_0000_1000_0000, 0x4330_0000_0000_0001, 0x405f_e000_0000_0000,
];

/// Instructions with the types that they have.
///
/// `#` is the type, and `<a|b>` one of the alternatives. `$d` is a destination of the type and `$s` a source, `$r` one that is
/// a register; `$W` and `$w` are the same at twice the width; `$P` is a predicate that is written, `$Q` one or two, `$p` one
/// that is read, perhaps negated; `$u` is an amount, `$i` a source of type s32, `$f` one of type f32, `$h` and `$k` are registers of 16 and 32
/// bits; `$H` and `$I` are two destinations of 16 and of 32 bits; `$n` is the width, `$t` a register of this width for a moment, `$x`
/// a special register.
pub const FORMS: &[(&str, &str)] = &[
    (INTEGERS, "<add|sub|min|max>.# $d, $s, $s"),
    (INTEGERS, "mul.<lo|hi>.# $d, $s, $s"),
    (INTEGERS, "mad.<lo|hi>.# $d, $s, $s, $s"),
    (INTEGERS, "or.b$n $t, $s, 1; <div|rem>.# $d, $s, $t"),
    (INTEGERS, "shr.# $d, $s, $u"),
    (INTEGERS, "setp.<eq|ne|lt|le|gt|ge>.# $Q, $s, $s"),
    (
        INTEGERS,
        "setp.<eq|ne|lt|le|gt|ge>.<and|or|xor>.# $Q, $s, $s, $p",
    ),
    ("u16 u32 u64", "setp.<lo|ls|hi|hs>.# $Q, $s, $s"),
    ("u16 u32 s16 s32", "mul.wide.# $W, $s, $s"),
    ("u16 u32 s16 s32", "mad.wide.# $W, $s, $s, $w"),
    ("s32", "<add|sub>.sat.# $d, $s, $s"),
    ("s32", "<mad|mad24>.hi.sat.# $d, $s, $s, $s"),
    ("u32 s32", "mul24.<lo|hi>.# $d, $s, $s"),
    ("u32 s32", "mad24.<lo|hi>.# $d, $s, $s, $s"),
    ("s16 s32 s64", "<abs|neg>.# $d, $s"),
    ("u32 u64 s32 s64", "bfe.# $d, $s, $u, $u"),
    ("b32 b64", "bfi.# $d, $s, $s, $u, $u"),
    (BITS, "<and|or|xor>.# $d, $s, $s"),
    (BITS, "<not|cnot>.# $d, $s"),
    (BITS, "<shl|shr>.# $d, $s, $u"),
    ("u32", "<popc|clz>.b$n $d, $s"),
    ("b32 b64", "brev.# $d, $s"),
    ("u32 s32", "<bfind|bfind.shiftamt>.# $d, $s"),
    (BITS, "setp.<eq|ne>.# $Q, $s, $s"),
    (BITS, "setp.<eq|ne>.<and|or|xor>.# $Q, $s, $s, $p"),
    ("pred", "<and|or|xor>.# $d, $r, $r"),
    ("pred", "<not|mov>.# $d, $r"),
    ("pred", "mov.# $d, <0|1>"),
    (ALL, "selp.# $d, $s, $s, $p"),
    (ALL, "mov.# $d, $s"),
    (ALL, "slct.#.s32 $d, $s, $s, $i"),
    (ALL, "slct<|.ftz>.#.f32 $d, $s, $s, $f"),
    (
        "f32",
        "<add|sub|mul><|.rn|.rz|.rm|.rp><|.ftz><|.sat>.# $d, $s, $s",
    ),
    ("f64", "<add|sub|mul><|.rn|.rz|.rm|.rp>.# $d, $s, $s"),
    (
        "f32",
        "<fma|mad>.<rn|rz|rm|rp><|.ftz><|.sat>.# $d, $s, $s, $s",
    ),
    ("f64", "<fma|mad>.<rn|rz|rm|rp>.# $d, $s, $s, $s"),
    // A product halfway between two numbers, to which little is added.
    (
        "f32",
        "fma.<rn|rn|rz|rp>.# $d, 0f3FC00000, 0f<3F800001|3F800003|BF800001>, <0f00000001|0f80000001|$s>",
    ),
    ("f32", "div.<rn|rz|rm|rp><|.ftz>.# $d, $s, $s"),
    ("f64", "div.<rn|rz|rm|rp>.# $d, $s, $s"),
    ("f32", "<rcp|sqrt>.<rn|rz|rm|rp><|.ftz>.# $d, $s"),
    ("f64", "<rcp|sqrt>.<rn|rz|rm|rp>.# $d, $s"),
    ("f32", "<abs|neg><|.ftz>.# $d, $s"),
    ("f64", "<abs|neg>.# $d, $s"),
    ("f32", "<min|max><|.ftz>.# $d, $s, $s"),
    ("f64", "<min|max>.# $d, $s, $s"),
    (
        "f32 f64",
        "testp.<finite|infinite|number|notanumber|normal|subnormal>.# $P, $s",
    ),
    ("f32 f64", "copysign.# $d, $s, $s"),
    (
        "f32",
        "setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan><|.ftz>.# $Q, $s, $s",
    ),
    (
        "f64",
        "setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan>.# $Q, $s, $s",
    ),
    (
        "f32 f64",
        "setp.<eq|lt|neu|geu|nan>.<and|or|xor>.# $Q, $s, $s, $p",
    ),
    ("b32", "mov.# $d, {$h, $h}"),
    ("b64", "mov.# $d, {$k, $k}"),
    ("b64", "mov.# $d, {$h, $h, $h, $h}"),
    ("b32", "mov.# {$H}, $r"),
    ("b64", "mov.# {$I}, $r"),
    ("b64", "mov.# {$H, _, _}, $r"),
    ("b64", "mov.# {_, $h, _, _}, $r"),
    ("u32 s32 b32", "mov.# $d, %$x"),
    ("u64", "cvt.#.u32 $d, %$x"),
];

const INTEGERS: &str = "u16 u32 u64 s16 s32 s64";
const BITS: &str = "b16 b32 b64";
const ALL: &str = "u16 u32 u64 s16 s32 s64 b16 b32 b64 f32 f64";
