//! Texts that are PTX, that are not supported, and that are no PTX.

use super::*;

/// The programs of this project, as a compiler wrote them.
const PROGRAMS: [(&str, &str); 3] = [
    ("matrix", include_str!("../../programs/matrix.ptx")),
    ("lattice", include_str!("../../programs/lattice.ptx")),
    ("histogram", include_str!("../../programs/histogram.ptx")),
];

/// A kernel with these statements from line 10 on.
fn kernel(statements: &str) -> String {
    format!(
        ".version 7.8\n.target sm_35\n.address_size 64\n\
         .global .texref picture; .global .align 4 .b8 table[64]; .const .u32 limit = 7;\n\
         .func (.param .b32 result) twice(.param .b32 value) {{ ret; }}\n\
         .entry kernel(.param .u64 to, .param .align 8 .b8 whole[24]) {{\n\
         .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<8>; .reg .f64 %fd<4>;\n\
         .reg .u32 %u<2>; .reg .s32 %s<2>; .local .align 8 .b8 depot[16]; .shared .f32 tile[4][4];\n\
         .param .b32 passed; .param .b32 returned; START:\n\
         {statements}\nret; }}\n"
    )
}

/// The instructions of such a kernel, without its last one.
fn instructions(statements: &str) -> Vec<Instruction> {
    let module = parse(&kernel(statements)).unwrap_or_else(|error| {
        panic!("{}: {error}: {statements}", error.line);
    });
    assert!(module.unsupported.is_empty(), "{:?}", module.unsupported);
    let mut body = module.functions[1].body.clone();
    assert_eq!(body.pop().map(|last| last.opcode), Some(Opcode::Ret));
    body
}

#[rustfmt::skip]
#[test]
fn every_instruction_of_the_subset_is_read_in_every_type() {
    // A form with `TYPE` stands for one in each of the types.
    let register = |ty: &str| match ty {
        "u16" | "s16" | "b16" | "u8" | "s8" | "b8" => "%h1",
        "u32" | "s32" | "b32" => "%r1",
        "u64" | "s64" | "b64" => "%rd1",
        "f32" => "%f1",
        "f64" => "%fd1",
        _ => "%p1",
    };
    let (ints, floats, bits) = ("u16 u32 u64 s16 s32 s64", "f32 f64", "b16 b32 b64");
    let (signed, all) = ("s16 s32 s64", "u16 u32 u64 s16 s32 s64 b16 b32 b64 f32 f64");
    let stored = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64";
    let forms: &[(&str, &[&str])] = &[
        (
            ints,
            &[
                "add.T D, D, D", "sub.T D, D, 1", "mul.lo.T D, D, D", "mul.hi.T D, D, D", "mad.lo.T D, D, 3, D",
                "div.T D, D, D", "rem.T D, D, D", "min.T D, D, D", "max.T D, D, -1", "shr.T D, D, %r2",
                "setp.lt.T %p1, D, D", "setp.ge.and.T %p1|%p2, D, D, !%p3", "selp.T D, D, D, !%p1",
                "set.eq.u32.T %r2, D, D", "slct.T.s32 D, D, D, %r2", "mov.T D, D",
            ],
        ),
        ("u16 u32", &["setp.lo.T %p1, D, D", "setp.hs.or.T _|%p1, D, D, %p2"]),
        (
            floats,
            &[
                "add.T D, D, D", "sub.rn.T D, D, 0d3FF0000000000000", "mul.rz.T D, D, 1.5", "mad.rn.T D, D, D, D",
                "fma.rm.T D, D, D, 0f3F800000", "div.rn.T D, D, D", "neg.T D, D", "abs.T D, D", "min.T D, D, D",
                "max.T D, D, D", "rcp.rn.T D, D", "sqrt.rn.T D, D", "rsqrt.approx.T D, D", "testp.finite.T %p1, D",
                "copysign.T D, D, D", "setp.neu.T %p1, D, D", "setp.num.xor.T %p1|_, D, D, %p2",
                "selp.T D, D, D, !%p1", "set.ltu.f32.T %f1, D, D", "slct.T.f32 D, D, D, %f1", "mov.T D, 2.0",
            ],
        ),
        (
            "f32",
            &[
                "add.rn.ftz.sat.T D, D, D", "mul.ftz.T D, D, D", "fma.rn.ftz.T D, D, D, D", "div.approx.ftz.T D, D, D",
                "div.full.T D, D, D", "rcp.approx.ftz.T D, D", "sqrt.approx.T D, D", "ex2.approx.ftz.T D, D",
                "lg2.approx.T D, D", "sin.approx.T D, D", "cos.approx.ftz.T D, D", "setp.gt.ftz.T %p1, D, D",
                "abs.ftz.T D, D", "min.ftz.T D, D, D", "rsqrt.approx.ftz.T D, D",
            ],
        ),
        (signed, &["neg.T D, D", "abs.T D, D"]),
        ("s32", &["add.sat.T D, D, D", "mad.hi.sat.T D, D, D, D", "sub.sat.T D, D, D"]),
        ("u32 s32", &["mul24.lo.T D, D, D", "mad24.hi.T D, D, D, D", "mul.wide.T %rd1, D, D", "mad.wide.T %rd1, D, 4, %rd2"]),
        ("u16 s16", &["mul.wide.T %r1, D, D"]),
        ("u32 u64 s32 s64", &["bfe.T D, D, %r2, 8"]),
        ("b32 b64", &["bfi.T D, D, D, 4, %r2"]),
        (bits, &["and.T D, D, D", "or.T D, D, 0xFF", "xor.T D, D, D", "not.T D, D", "cnot.T D, D", "shl.T D, D, 3", "setp.ne.T %p1, D, D"]),
        ("pred", &["and.T D, D, D", "or.T D, D, %p2", "xor.T D, D, D", "not.T D, D", "mov.T D, D", "mov.T D, 1"]),
        (all, &["mov.T D, D", "selp.T D, D, D, %p1", "@!%p2 mov.T D, D"]),
        (
            stored,
            &[
                "ld.param.T D, [whole+8]", "ld.global.T D, [%rd1]", "ld.global.nc.T D, [%rd1+-4]", "ld.shared.T D, [tile+4]",
                "ld.const.T D, [%rd2+0x10]", "ld.local.T D, [depot]", "ld.T D, [%rd1]", "ld.volatile.shared.T D, [%r1]",
                "ld.global.cg.T D, [table]", "ld.global.v2.T {D, D}, [%rd1]", "ld.relaxed.gpu.global.T D, [%rd1]", "ld.local.T D, [16]",
                "st.global.T [%rd1+-8], D", "st.shared.v2.T [tile], {D, D}", "st.local.T [depot+8], D", "st.T [%rd1], D",
                "st.global.wt.T [%rd1], D", "st.param.T [passed+0], D", "ld.local.v2.T {D, _}, [depot]",
            ],
        ),
        ("b8 u8 s8 u16 u32 s32 f32", &["ld.global.v4.T {D, D, D, D}, [%rd1]", "st.global.v4.T [%rd1], {D, D, D, D}"]),
        ("u32 s32 u64 f32 f64", &["atom.global.add.T D, [%rd1], D", "red.shared.add.T [tile], D", "atom.add.T _, [%rd1], D"]),
        ("u32 s32 u64 s64", &["atom.shared.min.T D, [%rd1], D", "atom.global.max.T D, [%rd1], D", "red.global.max.T [%rd1], 1"]),
        ("b32 b64", &["atom.global.exch.T D, [%rd1], D", "atom.shared.cas.T D, [%rd1], D, D", "red.global.xor.T [%rd1], D", "atom.relaxed.gpu.global.or.T D, [%rd1], D"]),
        ("u32", &["atom.global.inc.T D, [%rd1], D", "red.global.dec.T [%rd1], D"]),
        ("u32 u64", &["cvta.to.global.T D, D", "cvta.shared.T D, tile", "cvta.local.T D, depot+8", "mov.T D, table", "mov.T D, tile+4"]),
        ("f32 s32 u32", &["tex.1d.v4.T.s32 {D, _, D, D}, [picture, {%r1}]", "tex.1d.v4.T.f32 {D, D, D, D}, [picture, %f1]", "tex.2d.v4.T.f32 {D, D, D, D}, [picture, {%f1, %f2}]"]),
    ];
    for (types, forms) in forms {
        for ty in types.split(' ') {
            for form in *forms {
                let text = form.replace(".T", &format!(".{ty}")).replace('D', register(ty));
                // A hexadecimal double has a D of its own.
                let text = text.replace(&format!("0d3FF{}", "0".repeat(13)), "1.0");
                let read = instructions(&format!("{text};"));
                assert_eq!(read.len(), 1, "{text}");
                let mnemonic = read[0].opcode.word();
                assert!(text.contains(mnemonic), "{text}");
                assert!(read[0].ty == Type::of_word(ty) || read[0].second == Type::of_word(ty), "{text}");
            }
        }
    }
}

#[rustfmt::skip]
#[test]
fn conversions_have_the_roundings_of_their_types() {
    for text in [
        "cvt.u32.u16 %r1, %h1", "cvt.s64.s32 %rd1, %r1", "cvt.u16.u32 %h1, %r1", "cvt.u8.u32 %h1, %r1", "cvt.s16.s8 %h1, %h2",
        "cvt.rn.f32.s32 %f1, %r1", "cvt.rn.f32.u8 %f1, %h1", "cvt.rzi.s32.f32 %r1, %f1", "cvt.rni.ftz.sat.u8.f32 %h1, %f1",
        "cvt.rn.f32.f64 %f1, %fd1", "cvt.f64.f32 %fd1, %f1", "cvt.rmi.f32.f32 %f1, %f2", "cvt.sat.f32.f32 %f1, %f2",
        "cvt.rpi.f64.f64 %fd1, %fd2", "cvt.u64.u32 %rd1, %tid.x", "cvt.sat.s8.s32 %h1, %r1",
    ] {
        assert_eq!(instructions(&format!("{text};"))[0].opcode, Opcode::Cvt, "{text}");
    }
    for text in [
        "cvt.f32.s32 %f1, %r1", "cvt.s32.f32 %r1, %f1", "cvt.f32.f64 %f1, %fd1", "cvt.rn.f64.f32 %fd1, %f1", "cvt.rn.u32.u16 %r1, %h1",
        "cvt.rzi.f32.s32 %f1, %r1", "cvt.ftz.u32.u16 %r1, %h1",
    ] {
        let error = parse(&kernel(&format!("{text};"))).unwrap_err();
        assert_eq!(error.line, 10, "{text}");
    }
}

#[test]
fn control_moves_and_calls_are_read() {
    let text = "@%p1 bra START; bra.uni AFTER; AFTER: bar.sync 0; bar.sync 0; membar.gl; membar.cta; exit; ret.uni;
        mov.u32 %r1, %ctaid.y; mov.b64 %rd1, {%r1, %r2}; mov.b64 {%r1, _}, %rd1; mov.b32 {%h1, %h2}, %r1; mov.u32 %r1, WARP_SZ;
        mov.b64 {%h0, %h1, %h2, %h3}, %rd1; mov.u64 %rd1, table+-4; mov.b32 %r1, 0f3F800000;
        call.uni (returned), twice, (passed); call (_), twice, (7); call (%r1), twice, (%f1);";
    let read = instructions(text);
    assert_eq!(read[0].operands, [Operand::Label(0)]);
    assert_eq!(read[0].guard, Some((Register(1), false)));
    assert_eq!(read[1].operands, [Operand::Label(1)]);
    assert_eq!(read[8].operands[1], Operand::Special(Special::CtaidY));
    assert_eq!(read[12].operands[1], Operand::Immediate(32));
    assert_eq!(
        read[14].operands[1],
        Operand::AddressOf(Symbol::Module(0), -4)
    );
    assert_eq!(read[15].operands[1], Operand::Immediate(0x3f80_0000));
    let call = &read[16].operands;
    assert_eq!(call[0], Operand::Function(0));
    assert!(
        matches!(&call[2], Operand::Vector(all) if matches!(all[..], [Operand::Variable(Symbol::Function(_))]))
    );
}

#[rustfmt::skip]
#[test]
fn numbers_have_the_bits_of_their_type() {
    for (statement, bits) in [
        ("mov.u16 %h1, -1", 0xffff), ("mov.u32 %r1, 0x1F", 31), ("mov.u32 %r1, 017", 15), ("mov.u32 %r1, 0b101U", 5),
        ("mov.s64 %rd1, -9223372036854775808", 1 << 63), ("mov.f32 %f1, 1.5", 0x3fc0_0000), ("mov.f32 %f1, -1.0", 0xbf80_0000),
        ("mov.f64 %fd1, 0d3FF0000000000000", 0x3ff0_0000_0000_0000), ("mov.f64 %fd1, 25e-1", 0x4004_0000_0000_0000),
        ("mov.f32 %f1, 0d3FF0000000000000", 0x3f80_0000), ("mov.u32 %r1, 0", 0), ("mov.pred %p1, 5", 1),
        ("mov.u64 %rd1, 18446744073709551615", u64::MAX),
    ] {
        let read = instructions(&format!("{statement};"));
        assert_eq!(read[0].operands[1], Operand::Immediate(bits), "{statement}");
    }
}

#[test]
fn variables_have_sizes_alignments_and_first_bytes() {
    let module = parse(
        ".version 6.0 .target sm_70, debug .address_size 64 // one line\n\
         .file 1 \"a.cu\"\n.section .debug { .b8 1 }\n\
         .visible .global .align 16 .u16 pair[2][3] = {1, -1, 0x203};\n\
         .extern .shared .align 8 .b8 all[]; .const .f32 half = 0.5, one = 1.0; .weak .const .s8 open[] = {1, 2};\n\
         .visible .entry k(.param .u64 .ptr .global .align 4 p, .param .f64 d) .maxntid 128, 1, 1 .minnctapersm 4\n\
         { .pragma \"nounroll\";\n.loc 1 2 3, function_name L, inlined_at 1 2 3\n ret; /* two\nlines */ }",
    );
    let module = module.unwrap();
    assert_eq!((module.version, module.target.as_str()), ((6, 0), "sm_70"));
    let sizes: Vec<_> = module
        .variables
        .iter()
        .map(|one| (one.name.as_str(), one.bytes, one.align))
        .collect();
    assert_eq!(
        sizes,
        [
            ("pair", 12, 16),
            ("all", 0, 8),
            ("half", 4, 4),
            ("one", 4, 4),
            ("open", 2, 1)
        ]
    );
    assert_eq!(
        module.variables[0].initial,
        Some(vec![1, 0, 255, 255, 3, 2])
    );
    assert_eq!(
        module.variables[3].initial,
        Some(1f32.to_le_bytes().to_vec())
    );
    assert!(module.variables[1].is_extern);
    let kernel = &module.functions[0];
    assert_eq!(
        kernel.performance,
        [
            ("maxntid".to_owned(), vec![128, 1, 1]),
            ("minnctapersm".to_owned(), vec![4])
        ]
    );
    assert_eq!(
        kernel
            .parameters()
            .iter()
            .map(|one| one.bytes)
            .collect::<Vec<_>>(),
        [8, 8]
    );
    assert_eq!(kernel.body[0].line, 9);
}

#[test]
fn names_belong_to_their_scope() {
    let read = instructions(
        "mov.u32 %r1, 1; { .reg .b32 %r<3>; mov.u32 %r1, 2; bra INNER; bra START; INNER: } \
         { .reg .b32 own; mov.u32 own, 3; INNER: bra INNER; bra LATER; } LATER: mov.u32 %r7, 4;",
    );
    let first = |place: usize| read[place].operands[0].clone();
    assert_ne!(first(0), first(1));
    assert_eq!(
        [first(2), first(3), first(5), first(6)],
        [1, 0, 2, 3].map(Operand::Label)
    );
    for (statements, told) in [
        ("{ .reg .b32 own; } mov.u32 own, 1;", "own is not declared"),
        ("{ INNER: } bra INNER;", "the label INNER is in no scope"),
    ] {
        let error = parse(&kernel(statements)).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
}

#[rustfmt::skip]
#[test]
fn what_is_wrong_is_told_with_its_line() {
    for (statement, told) in [
        ("add.s32 %r1, %r2, %r9;", "%r9 is not declared before this line"),
        ("add.s32 %r1, %r2, %r01;", "%r01 is not declared"),
        ("bra NOWHERE;", "the label NOWHERE is in no scope around this branch"),
        (".reg .b32 %r3;", "%r3 is declared on line 7 already"),
        (".reg .f32 %r<2>;", "%r is declared on line 7 already"),
        (".reg .b32 %<5>;", "\"%\" stands where"),
        (".reg .b32 %x<20>; .reg .f32 %x1<5>;", "%x1 is declared on line 10 already"),
        (".reg .b32 %x1<5>; .reg .f32 %x<11>;", "%x is declared on line 10 already"),
        ("START: ret;", "START is declared on line 9 already"),
        ("add.s32 %r1, %r2;", "add.s32 takes 3 operands"),
        ("add.s32 %r1, %r2, %r3, %r4;", "add.s32 takes 3 operands"),
        ("ret %r1;", "\"%r1\" stands where a semicolon should"),
        (".loc 1 2 3 ret; bogus.foo %r1;", "PTX has no instruction bogus"),
        ("bar.sync;", "bar.sync takes 1 operand;"),
        ("mov.u32 %r1;", "mov.u32 takes 2 operands"),
        ("setp.eq.and.s32 %p1, %r1, %r2;", "setp.eq.and.s32 takes 4 operands"),
        ("add.s32 %f1, %r2, %r3;", "%f1 is of type .f32, but add.s32 takes .s32 there"),
        ("add.f32 %f1, %f2, %s1;", "%s1 is of type .s32, but add.f32 takes .f32 there"),
        ("add.s32 %r1, %rd1, %r3;", "%rd1 is of type .b64, but add.s32 takes .s32"),
        ("add.f32 %f1, %f2, 1;", "\"1\" stands where a register or a number of type .f32 should"),
        ("add.s32 %r1, %r2, 1.0;", "\"1.0\" stands where a register or a number of type .s32 should"),
        ("add.s32 %r1, %r2, %tid.x;", "%tid.x is of type .u32, but add.s32 takes a register"),
        ("add.s32 %r1 %r2, %r3;", "\"%r2\" stands where a comma and another operand should"),
        ("add.s32 %r1, %r2, %r3\nret;", "\"ret\" stands where a semicolon should"),
        ("ld.global.u32 %r1, %rd1;", "\"%rd1\" stands where an address, such as [%rd1+16], should"),
        ("ld.global.u32 %r1, [%h1];", "%h1 is of type .b16, but ld.global.u32 takes an integer of 32 or 64 bits"),
        ("ld.global.u32 %r1, [%rd1-4];", "\"-\" stands where the bracket that ends the address should"),
        ("mov.f32 %f1, -0f3F800000;", "\"-\" stands where a register or a number of type .f32 should"),
        (".s64 %rd1, %rd2;", "\".s64\" stands where an instruction, a label or a directive should"),
        ("mov.u32 %r1, %ctaid;", "%ctaid is not declared"),
        ("ld.global.u32 %r1, [tile];", "tile is in .shared, but ld.global.u32 takes a variable in .global"),
        ("ld.global.f32 %fd1, [%rd1];", "%fd1 is of type .f64"),
        ("ld.global.u64 %r1, [%rd1];", "%r1 is of type .b32"),
        ("ld.global.v4.f64 {%fd1, %fd1, %fd1, %fd1}, [%rd1];", "a vector has at most 16 bytes"),
        ("ld.global.v2.f32 {%f1}, [%rd1];", "a comma, for the vector has 2 elements"),
        ("st.const.u32 [%rd1], %r1;", "is missing, or stands after something else"),
        ("@%r1 ret;", "%r1 is of type .b32, but a guard takes a predicate there"),
        ("selp.b32 %r1, %r2, %r3, %r4;", "%r4 is of type .b32, but selp.b32 takes .pred"),
        ("ad.s32 %r1, %r2, %r3;", "PTX has no instruction ad"),
        ("add.b32 %r1, %r2, %r3;", "add.b32: the type must be .u16, .u32"),
        ("add.s32.sat %r1, %r2, %r3;", "add of this type has no .sat, or not in this place"),
        ("mul.s32 %r1, %r2, %r3;", "mul.s32: one of .lo, .hi, .wide is missing"),
        ("mul.wide.s64 %rd1, %rd1, %rd1;", "a product of 64-bit numbers has no .wide"),
        ("setp.lo.s32 %p1, %r2, %r3;", ".lo does not compare values of type .s32"),
        ("setp.lt.b32 %p1, %r2, %r3;", ".lt does not compare values of type .b32"),
        ("fma.f32 %f1, %f1, %f1, %f1;", "one of .rn, .rz, .rm, .rp is missing"),
        ("atom.global.inc.u64 %rd1, [%rd1], %rd1;", ".inc takes the types .u32"),
        ("red.global.cas.b32 [%rd1], %r1;", "red has no .cas; use atom"),
        ("bra.s32 START;", "bra has no type"),
        ("call (returned), twice, (passed, passed);", "twice takes 1 argument and gives 1 result"),
        ("call (returned), twice, (whole);", "whole is 24 bytes long, but twice takes 4 bytes"),
        ("call kernel;", "kernel takes no call, for it is a kernel"),
        ("mov.f32 %f1, table;", "table is a variable, of which an instruction takes the address"),
        (".reg .b99 %x;", "\".b99\" stands where a type such as .u32 should"),
        (".local .align 3 .b8 x[4];", "\"3\" stands where an alignment, a power of two, should"),
        (".local .b64 x[999999999999];", "the size of this variable in bytes is more than 1099511627776"),
        (".reg .b32 %many<300000>;", "the number of this function's registers is more than 262144"),
        ("mov.u32 %r1, 0x;", "\"0x\" stands where a number of PTX"),
        ("mov.u32 %r1, 99999999999999999999;", "stands where"),
        ("/* ret;", "\"/*\" stands where a comment that ends with */ should"),
        ("\"text\nret;", "stands where a text that ends with a quote on its line should"),
        ("\u{e9};", "\"\u{e9}\" stands where a token of PTX should"),
        ("; 7;", "\"7\" stands where an instruction, a label or a directive should"),
    ] {
        let error = parse(&kernel(statement)).expect_err(statement);
        let expected = if statement.contains("\nret") && told.starts_with("\"ret") { 11 } else { 10 };
        assert!(error.to_string().contains(told), "{statement}: {error}");
        assert_eq!(error.line, expected, "{statement}: {error}");
    }
}

#[rustfmt::skip]
#[test]
fn files_that_are_no_ptx_are_told() {
    let header = ".version 7.8\n.target sm_35\n.address_size 64\n";
    for (text, line, told) in [
        ("", 1, "the file ends where the directive .version, with which PTX begins, should stand"),
        ("int main", 1, "\"int\" stands where the directive .version"),
        (".version 7\n", 1, "\"7\" stands where a version such as 7.8 should"),
        (".version 7.8\n.entry", 2, "\".entry\" stands where the directive .target"),
        (".version 7.8 .target sm_35 .address_size 48", 1, "\"48\" stands where 32 or 64 should"),
        (&format!("{header}.entry k {{ ret;"), 4, "the file ends where the brace that ends the function should stand"),
        (&format!("{header}.entry k\nret"), 5, "\"ret\" stands where the body of the function, or a semicolon, should"),
        (&format!("{header}.global .u32 a;\n.global .u32 a;"), 5, "a is declared on line 4 already"),
        (&format!("{header}.entry k {{ }}\n.entry k {{ }}"), 5, "k is declared on line 4 already"),
        (&format!("{header}.global .u8 a[2] = {{1, 2, 3}};"), 4, "which is longer than the variable"),
        (&format!("{header}.global .u8 a[2] = {{1, }};"), 4, "stands where a number of type .u8 should"),
        (&format!("{header}ret;"), 4, "\"ret\" stands where a directive"),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.to_string().contains(told), "{text}: {error}");
        assert_eq!(error.line, line, "{text}: {error}");
    }
}

#[test]
fn what_is_not_supported_is_listed_and_reading_goes_on() {
    let statements = "match.any.sync.b32 %r1, %r2, -1;\n.reg .f16 %x<3>, y;\nadd.f16 %x1, %x2, y;\nmov.b16 %h1, y;\nmax.xorsign.abs.f32 %r1, %r2, %r3;\n\
        mov.u64 %rd1, %clock64;\n@%p1 redux.sync.add.s32 %r1, %r2,\n  -1;\ncall (returned), %rd1, (passed), proto;\n\
        tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [picture, {%f1, %f2, %f3, %f4}];\nld.u32 %r1, [table];\nmov.u32 %r1, (1+2);\n.branchtargets START;\n\
        mov.u32 %r1, 1<<4;\nand.b32 %r1, %r2, ~3;\nld.local.u32 %r1, [depot+4*2];\nadd.s32 %r1, %r2, -(1);\n.local .b8 y0[1<<4];\n\
        .reg .b32 %y1<5>; .reg .b32 %y<10>;\n\
        add.s32 %r1, %r2, %r3;";
    let module = parse(&kernel(statements)).unwrap();
    let lines: Vec<_> = module
        .unsupported
        .iter()
        .map(|item| (item.line, item.reason.as_str()))
        .collect();
    let expected = [
        (10, "the instruction match is not supported"),
        (11, "a variable of type .f16 is not supported"),
        (12, ".f16 is not supported with add"),
        (13, "y is declared by what is not supported"),
        (14, ".xorsign is not supported with max"),
        (15, "the special register %clock64 is not supported"),
        (16, "the instruction redux is not supported"),
        (18, "a call through a register is not supported"),
        (19, ".3d is not supported with tex"),
        (
            20,
            "a variable's name as a generic address is not supported",
        ),
        (21, "a constant expression is not supported"),
        (22, "the directive .branchtargets is not supported here"),
        (23, "a constant expression is not supported"),
        (24, "a constant expression is not supported"),
        (25, "a constant expression is not supported"),
        (26, "a constant expression is not supported"),
        (27, "a constant expression is not supported"),
    ];
    assert_eq!(lines, expected);
    assert_eq!(
        module.unsupported[6].text,
        "@%p1 redux.sync.add.s32 %r1, %r2, -1;"
    );
    assert!(
        module
            .unsupported
            .iter()
            .all(|item| item.function == Some(1))
    );
    let left: Vec<_> = module.functions[1]
        .body
        .iter()
        .map(|instruction| instruction.opcode)
        .collect();
    assert_eq!(left, [Opcode::Add, Opcode::Ret]);
}

#[test]
fn suffixes_of_ptx_that_are_not_supported_are_no_errors() {
    for (statement, word) in [
        ("bar.red.popc.u32 %r1, 0, %p1;", "red"),
        (
            "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [picture, {%f1, %f2}], %f3;",
            "level",
        ),
        ("cvt.pack.sat.s16.s32 %r1, %r2, %r3;", "pack"),
        ("add.rn.f32x2 %rd1, %rd2, %rd3;", "f32x2"),
    ] {
        let module = parse(&kernel(statement)).unwrap();
        let [unsupported] = &module.unsupported[..] else {
            panic!("{statement}: {:?}", module.unsupported);
        };
        let reason = format!(".{word} is not supported with ");
        assert!(
            unsupported.reason.starts_with(&reason),
            "{}",
            unsupported.reason
        );
    }
}

#[test]
fn items_of_a_module_that_are_not_supported_are_listed() {
    let module = parse(
        ".version 7.8 .target sm_35 .address_size 64\n.global .f16 h[2] = {0x1, 0x2};\n.global .u64 place = other;\n.alias a, b;\n\
         .func (.reg .b32 %r) inner(.reg .b32 %a) { ret; }\n.extern .func outside(.param .b32 x); .func later();\n\
         .entry k(.param .b32 x) {\n.reg .b16 %h; .reg .b64 %rd;\nld.global.b16 %h, [h];\ncall outside, (x);\ncall later;\ncall inner; ret; }\n.func later() { ret; }\n.entry spread() .blocksareclusters { ret; }",
    )
    .unwrap();
    let lines: Vec<_> = module.unsupported.iter().map(|item| item.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 9, 10, 12, 14]);
    assert!(
        module.unsupported[5]
            .reason
            .contains("outside has no body here")
    );
    assert_eq!(module.functions[2].body.len(), 3);
}

#[test]
fn programs_of_this_project_are_supported() {
    for (name, text) in PROGRAMS {
        let module = parse(text).unwrap();
        assert_eq!(module.unsupported, [], "{name}");
        let summary = Summary::of(&module);
        assert!(
            summary.kernels.iter().all(|kernel| kernel.instructions > 0),
            "{name}"
        );
    }
    let lattice = Summary::of(&parse(PROGRAMS[1].1).unwrap());
    let [kernel, function] = &lattice.kernels[..] else {
        panic!("{lattice:?}");
    };
    assert!(kernel.is_kernel && !function.is_kernel);
    assert_eq!(
        kernel.parameters.iter().map(|one| one.bytes).sum::<u64>(),
        40
    );
    assert_eq!(kernel.local_bytes, 36);
    let matrix = Summary::of(&parse(PROGRAMS[0].1).unwrap());
    let shared: Vec<_> = matrix
        .kernels
        .iter()
        .map(|kernel| {
            (
                kernel.name.as_str(),
                kernel.shared_bytes,
                kernel.has_dynamic_shared,
            )
        })
        .collect();
    assert_eq!(shared, [("matrix", 2048, false), ("row_sums", 0, true)]);
}

/// Whatever a text is, it is read or refused, and an error names one of its lines.
#[test]
fn no_text_ends_the_reader() {
    let check = |text: &str| {
        if let Err(error) = parse(text) {
            let lines = text.lines().count().max(1) as u32 + 1;
            assert!((1..=lines).contains(&error.line), "{error:?}");
            assert!(!error.to_string().is_empty());
        }
    };
    let mut random = fastrand::Rng::with_seed(7);
    let whole = kernel(
        "{ add.s32 %r1, %r2, 0x7; mov.b64 {%r1, _}, %rd1; call (returned), twice, (passed); }",
    );
    for text in PROGRAMS
        .map(|(_, text)| text)
        .into_iter()
        .chain([whole.as_str()])
    {
        for _ in 0..400 {
            check(&text[..random.usize(..text.len())]);
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..random.usize(1..4) {
                let place = random.usize(..bytes.len());
                let other = random.usize(..bytes.len());
                match random.u8(..4) {
                    0 => bytes[place] = b"{}[]();,.%@!|<>+-_0x7aZ\" \n/*"[random.usize(..28)],
                    1 => drop(bytes.remove(place)),
                    2 => bytes.insert(place, bytes[other]),
                    _ => {
                        // A piece of the text stands a second time, somewhere else.
                        let piece =
                            bytes[other..(other + random.usize(..40)).min(bytes.len())].to_vec();
                        bytes.splice(place..place, piece);
                    }
                }
            }
            check(&String::from_utf8_lossy(&bytes));
        }
    }
    check(&kernel(&format!(
        "not.pred %p1, {}%p1;",
        "!".repeat(100_000)
    )));
    check(&"{".repeat(100_000));
    let error = parse(&kernel(&"{".repeat(100_000))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the depth of braces in braces is more than 256; reduce it"
    );
    let most = 255;
    let nested = format!("{}{}", "{".repeat(most), "}".repeat(most));
    assert!(parse(&kernel(&nested)).is_ok());
    check(&kernel(&format!("mov.u32 %r1, {};", "-".repeat(100_000))));
}
