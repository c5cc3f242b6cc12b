//! Kernels of a few instructions, executed, and kernels that are refused.

use super::*;
use crate::ptx::{Space, Type, parse};
use crate::simt::{Launch, Memory, Width, run};

/// Where the kernels of these tests write.
const TO: u64 = 0x1_0000_0000;
/// Where their input is.
const FROM: u64 = 0x2_0000_0000;

/// A kernel with these declarations and statements, whose parameters are `to`, `from` and `number`.
fn kernel(outside: &str, body: &str) -> String {
    format!(
        ".version 7.8 .target sm_35 .address_size 64
         .global .texref picture;
         {outside}
         .entry kernel(.param .u64 to, .param .u64 from, .param .s32 number) {{
             .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .b64 %d<16>;
             ld.param.u64 %d0, [to]; ld.param.u64 %d1, [from]; ld.param.s32 %r0, [number];
             mov.u32 %r15, %tid.x; mul.wide.u32 %d15, %r15, 8; add.s64 %d14, %d0, %d15;
             {body}
             ret;
         }}"
    )
}

fn bindings() -> Bindings {
    Bindings {
        parameters: vec![
            TO.to_le_bytes().to_vec(),
            FROM.to_le_bytes().to_vec(),
            (-7i32).to_le_bytes().to_vec(),
        ],
        textures: vec![(
            "picture".to_owned(),
            Textured {
                address: FROM,
                ty: Type::U8,
                channels: 2,
                width: 4,
                height: 2,
                is_normalized: false,
            },
        )],
        ..Bindings::default()
    }
}

/// The input: a word of 8 bytes for each number.
fn input() -> Memory {
    let mut memory = Memory::new();
    for place in 0..64 {
        let word = 0x0807_0605_0403_0201u64.wrapping_mul(place + 1);
        memory.write(FROM + 8 * place, Width::Eight, word);
    }
    memory
}

/// What 32 threads of a kernel leave in their words, in each way that is compared.
fn words(text: &str) -> Vec<u64> {
    let module = parse(text).unwrap();
    assert_eq!(module.unsupported, []);
    let (number, _) = entry(&module, None).unwrap();
    let of = |options| {
        let lowered = lower(&module, number, &bindings(), options).unwrap();
        let launch = Launch {
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_memory: lowered.shared,
        };
        let mut memory = input();
        for (place, &byte) in lowered.variables.iter().enumerate() {
            memory.write(GLOBAL_VARIABLES + place as u64, Width::One, byte.into());
        }
        let ended = run(&lowered.program, &launch, memory).unwrap();
        let word = |place: u64| ended.memory.read(TO + 8 * place, Width::Eight);
        (0..32).map(word).collect::<Vec<_>>()
    };
    let plain = of(Options::default());
    for (way, options) in Options::COMPARED {
        assert_eq!(plain, of(options), "{way}");
    }
    plain
}

/// What lane `lane` leaves.
fn word(body: &str, lane: usize) -> u64 {
    words(&kernel("", body))[lane]
}

/// The line and the message of the error that a kernel is refused with.
fn refused(text: &str) -> (Option<u32>, String) {
    let module = parse(text).unwrap();
    let (number, _) = entry(&module, None).unwrap();
    let error = lower(&module, number, &bindings(), Options::default()).unwrap_err();
    (error.line, error.what)
}

#[test]
fn parameters_are_read_with_their_sign() {
    let body = "ld.param.s32 %d2, [number]; st.global.u64 [%d14], %d2;";
    assert_eq!(word(body, 3), (-7i64).cast_unsigned());
    let body = "ld.param.u32 %d2, [number]; st.global.u64 [%d14], %d2;";
    assert_eq!(word(body, 3), 0xffff_fff9);
    let body = "ld.param.u8 %r1, [number+3]; st.global.u32 [%d14], %r1;";
    assert_eq!(word(body, 3), 0xff);
    // The address of a parameter is one in constant memory.
    let body = "mov.u64 %d2, from; ld.param.u64 %d3, [%d2+0]; st.global.u64 [%d14], %d3;";
    assert_eq!(word(body, 0), FROM);
}

#[test]
fn loads_extend_what_they_read() {
    let load = |load: &str| {
        word(
            &format!("mov.u64 %d2, -1; {load} st.global.u64 [%d14], %d2;"),
            0,
        )
    };
    assert_eq!(load("ld.global.u8 %d2, [%d1+7];"), 8);
    assert_eq!(load("ld.global.s8 %d2, [%d1+263];"), 0x08);
    assert_eq!(load("ld.global.s16 %d2, [%d1+8];"), 0x0402);
    // Word 31 is 32 times word 0: its bytes are 0x20, 0x40, .., 0xe0, 0x00.
    assert_eq!(
        load("ld.global.s8 %d2, [%d1+252];"),
        (0xa0u8.cast_signed() as i64).cast_unsigned()
    );
    assert_eq!(load("ld.global.s32 %d2, [%d1+252];"), 0x00e0_c0a0);
    assert_eq!(load("ld.global.s32 %d2, [%d1+248];"), 0xffff_ffff_8060_4020);
    assert_eq!(load("ld.global.u32 %d2, [%d1+248];"), 0x8060_4020);
}

#[test]
fn a_vector_may_hold_the_register_of_its_address() {
    let body =
        "ld.global.v2.u64 {%d1, %d2}, [%d1+8]; add.u64 %d1, %d1, %d2; st.global.u64 [%d14], %d1;";
    assert_eq!(word(body, 5), 0x0807_0605_0403_0201u64.wrapping_mul(5));
    let body =
        "ld.global.v4.u8 {%h0, _, %h2, %h3}, [%d1]; cvt.u32.u16 %r1, %h3; mov.b32 %r2, {%h0, %h2};
                st.global.v2.u32 [%d14], {%r1, %r2};";
    assert_eq!(word(body, 5), 0x0003_0001_0000_0004);
}

#[test]
fn a_guard_holds_back_what_is_no_branch() {
    let body =
        "mov.u32 %r1, 1; setp.lt.u32 %p0, %r15, 4; @%p0 mov.u32 %r1, 2; @!%p0 add.u32 %r1, %r1, 5;
                st.global.u32 [%d14], %r1;";
    assert_eq!((word(body, 3), word(body, 4)), (2, 6));
    let body = "mov.u64 %d2, 9; st.global.u64 [%d14], %d2; setp.eq.u32 %p0, %r15, 6; @%p0 exit;
                mov.u64 %d2, 8; st.global.u64 [%d14], %d2;";
    assert_eq!((word(body, 6), word(body, 7)), (9, 8));
}

#[test]
fn comparisons_have_two_results_and_are_combined() {
    let body = "setp.gt.u32 %p0, %r15, 9; setp.lt.and.u32 %p1|%p2, %r15, 12, %p0;
                selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 1, 0, %p2; st.global.v2.u32 [%d14], {%r1, %r2};";
    let found = [9, 10, 12].map(|lane| word(body, lane));
    assert_eq!(found, [0, 1, 1 << 32]);
    let body = "setp.eq.u32 %p0, %r15, 1; setp.ne.or.u32 %p1, %r15, 2, !%p0; not.pred %p2, %p1;
                set.gt.u32.u32 %r1, %r15, 1; selp.u32 %r2, 7, 8, %p2; st.global.v2.u32 [%d14], {%r1, %r2};";
    assert_eq!(word(body, 2), 8 << 32 | 0xffff_ffff);
    let body = "set.le.and.f32.s32 %f1, %r0, -7, %p7; set.le.f32.s32 %f2, %r0, -7; st.global.v2.f32 [%d14], {%f1, %f2};";
    assert_eq!(word(body, 0), u64::from(1f32.to_bits()) << 32);
    let body = "mov.f32 %f1, 0f80000000; slct.u32.f32 %r1, 3, 4, %f1; slct.u32.s32 %r2, 3, 4, %r0;
                st.global.v2.u32 [%d14], {%r1, %r2};";
    assert_eq!(word(body, 0), 4 << 32 | 3);
}

#[test]
fn values_are_taken_apart_and_put_together() {
    let body = "ld.global.u64 %d2, [%d1]; mov.b64 {%r1, %r2}, %d2; mov.b64 %d3, {%r2, %r1}; st.global.u64 [%d14], %d3;";
    assert_eq!(word(body, 0), 0x0403_0201_0807_0605);
    // A part may stand in the register of the whole.
    let body = "ld.global.u32 %r1, [%d1]; mov.b32 {%h1, %h2}, %r1; mov.b32 %r1, {%h2, %h1}; st.global.u32 [%d14], %r1;";
    assert_eq!(word(body, 0), 0x0201_0403);
    let body = "ld.global.u64 %d2, [%d1]; mov.b64 {%h0, %h1, %h2, %h3}, %d2; mov.b64 %d2, {%h3, %h2, %h1, %h0};
                st.global.u64 [%d14], %d2;";
    assert_eq!(word(body, 0), 0x0201_0403_0605_0807);
}

#[test]
fn fields_are_inserted_and_extracted() {
    let body =
        "mov.u32 %r1, 5; mov.u32 %r2, 3; bfi.b32 %r3, -1, 0, %r1, %r2; bfi.b32 %r4, 0, -1, 8, 16;
                st.global.v2.u32 [%d14], {%r3, %r4};";
    assert_eq!(word(body, 0), 0xff00_00ff_0000_00e0);
    let body =
        "bfe.s32 %r1, %r0, 0, 4; bfe.u32 %r2, %r0, 0, 4; st.global.v2.u32 [%d14], {%r1, %r2};";
    assert_eq!(word(body, 0), 0x9_ffff_fff9);
}

#[test]
fn conversions_fill_a_wider_register() {
    let body = "mov.u32 %r1, 0x1ff; cvt.s8.u32 %r2, %r1; cvt.u8.u32 %r3, %r1; st.global.v2.u32 [%d14], {%r2, %r3};";
    assert_eq!(word(body, 0), 0xff_ffff_ffff);
    let body = "cvt.s64.s32 %d2, %r0; st.global.u64 [%d14], %d2;";
    assert_eq!(word(body, 0), (-7i64).cast_unsigned());
    let body =
        "cvt.rn.f32.s32 %f1, %r0; cvt.rzi.u32.f32 %r2, %f1; st.global.v2.u32 [%d14], {%f1, %r2};";
    let body = body
        .replace("{%f1,", "{%r3,")
        .replace("cvt.rzi", "mov.b32 %r3, %f1; cvt.rzi");
    assert_eq!(word(&body, 0), u64::from((-7f32).to_bits()));
}

#[test]
fn functions_stand_in_the_places_of_their_calls() {
    let outside = ".func (.param .b32 sum) add(.param .b32 a, .param .align 4 .b8 b[8]) {
            .reg .b32 %r<8>; .reg .pred %p<2>;
            ld.param.u32 %r1, [a]; ld.param.v2.u32 {%r2, %r3}, [b];
            setp.gt.u32 %p1, %r1, 1; @%p1 bra LONG;
            st.param.b32 [sum], %r1; ret;
        LONG:
            add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.param.b32 [sum], %r1;
        }";
    let call = "{ .param .b32 p; .param .align 4 .b8 q[8]; .param .b32 s;
        st.param.b32 [p], %r15; st.param.v2.b32 [q], {%r0, %r15}; call (s), add, (p, q); ld.param.b32 %r1, [s]; }";
    let text = kernel(
        outside,
        &format!("{call} {call} st.global.u32 [%d14], %r1;"),
    );
    let found = words(&text);
    assert_eq!(
        (found[0], found[1], found[2], found[20]),
        (0, 1, 0xffff_fffd, 33)
    );
}

#[test]
fn memory_spaces_are_found_for_generic_addresses() {
    let outside = ".const .align 4 .u32 table[4] = {11, 12, 13, 14}; .global .align 4 .u32 counts[2] = {5, 6};
                   .shared .align 4 .b8 tile[128];";
    let body = "
        .local .align 8 .b8 depot[16];
        and.b32 %r2, %r15, 3; mul.wide.u32 %d2, %r2, 4;
        mov.u64 %d3, table; cvta.const.u64 %d4, %d3; add.s64 %d4, %d4, %d2; ld.u32 %r3, [%d4];
        mov.u64 %d5, depot; cvta.local.u64 %d6, %d5; add.s64 %d6, %d6, %d2; st.u32 [%d6], %r15; ld.local.u32 %r4, [%d5+4];
        mov.u32 %r5, tile; cvt.u64.u32 %d7, %r5; cvta.shared.u64 %d8, %d7; mul.wide.u32 %d9, %r15, 4; add.s64 %d8, %d8, %d9;
        st.u32 [%d8], %r3; bar.sync 0; ld.shared.u32 %r6, [tile+4];
        ld.global.u32 %r7, [counts+4]; add.u32 %r6, %r6, %r7;
        shl.b32 %r6, %r6, 16; or.b32 %r6, %r6, %r4; st.global.v2.u32 [%d14], {%r3, %r6};";
    let found = words(&kernel(outside, body));
    assert_eq!(found[5], (18 << 48) | (5 << 32) | 12);
    assert_eq!(found[6], (18 << 48) | 13);
    let mixed = "mov.u64 %d3, table; cvta.const.u64 %d4, %d3; mov.u32 %r5, tile; cvt.u64.u32 %d7, %r5;
                 cvta.shared.u64 %d8, %d7; setp.gt.u32 %p1, %r15, 3; selp.u64 %d9, %d4, %d8, %p1; ld.u32 %r1, [%d9];
                 st.global.u32 [%d14], %r1;";
    // The lanes up to 3 read shared memory, which is empty.
    let found = words(&kernel(outside, mixed));
    assert_eq!((found[3], found[4]), (0, 11));
    let (line, what) = refused(&kernel(
        outside,
        &mixed.replace("ld.u32 %r1, [%d9]", "st.u32 [%d9], %r1"),
    ));
    assert!(line.is_some());
    assert_eq!(
        what,
        "the address may be in constant memory, which is not written"
    );
}

#[test]
fn an_address_of_several_spaces_is_looked_up() {
    // A third of the lanes each accesses shared, local and global memory by the same instructions.
    let outside = ".shared .align 8 .b8 tile[256]; .global .align 8 .b8 counts[256];";
    let body = "
        .local .align 8 .b8 depot[16];
        mul.wide.u32 %d2, %r15, 8; rem.u32 %r1, %r15, 3; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;
        mov.u64 %d3, tile; cvta.shared.u64 %d4, %d3; add.s64 %d4, %d4, %d2;
        mov.u64 %d5, depot; cvta.local.u64 %d6, %d5; mov.u64 %d7, counts; cvta.global.u64 %d8, %d7; add.s64 %d8, %d8, %d2;
        selp.u64 %d9, %d6, %d8, %p2; selp.u64 %d9, %d4, %d9, %p1;
        st.u32 [%d9+4], %r15; ld.u64 %d10, [%d9]; add.s64 %d9, %d9, 12; ld.u32 %r2, [%d9+-8]; cvt.u64.u32 %d11, %r2;
        add.s64 %d10, %d10, %d11; @%p2 bra SKIP; atom.add.u32 %r3, [%d9+-8], 5;
        SKIP: cvta.to.shared.u64 %d12, %d4; sub.s64 %d12, %d12, %d2; sub.s64 %d12, %d12, %d3; add.s64 %d10, %d10, %d12;
        st.global.u64 [%d14], %d10;";
    let body = body.replace(
        "atom.add.u32 %r3, [%d9+-8], 5;",
        "selp.u64 %d13, %d4, %d8, %p1; atom.add.u32 %r3, [%d13+4], 5; cvt.u64.u32 %d13, %r3; add.s64 %d10, %d10, %d13;",
    );
    let found = words(&kernel(outside, &body));
    for (lane, &found) in found.iter().enumerate() {
        let lane = lane as u64;
        let added = if lane % 3 == 1 { lane } else { 2 * lane };
        assert_eq!(found, (lane << 32) + added, "lane {lane}");
    }
}

#[test]
fn a_parameter_is_an_address_of_global_memory_among_those_of_variables() {
    // The lanes below 16 access a variable, the others what a parameter, or memory, has the address of.
    let outside = ".shared .align 8 .b8 tile[256]; .const .align 8 .u64 table[2] = {3, 4};";
    let start = "
        .local .align 8 .b8 depot[16];
        mul.wide.u32 %d2, %r15, 8; setp.lt.u32 %p1, %r15, 16; mov.u64 %d3, tile; cvta.shared.u64 %d4, %d3;
        add.s64 %d4, %d4, %d2; cvt.u64.u32 %d5, %r15; st.u64 [%d4], %d5;";
    let of = |body: &str| words(&kernel(outside, &format!("{start} {body}")));
    let input = |place: u64| 0x0807_0605_0403_0201u64.wrapping_mul(place + 1);
    let loads = "ld.u64 %d8, [%d7]; st.global.u64 [%d14], %d8;";
    let mixes = [
        "add.s64 %d6, %d1, %d2; selp.u64 %d7, %d4, %d6, %p1;",
        "add.s64 %d6, %d1, %d2; mov.u64 %d7, %d4; @!%p1 mov.u64 %d7, %d6;",
        "sub.s64 %d6, %d4, %d2; selp.u64 %d7, %d6, %d1, %p1; add.s64 %d7, %d7, %d2;",
        "st.global.u64 [%d14], %d1; ld.global.u64 %d6, [%d14]; add.s64 %d6, %d6, %d2; selp.u64 %d7, %d4, %d6, %p1;",
    ];
    for mix in mixes {
        let found = of(&format!("{mix} {loads}"));
        assert_eq!((found[5], found[20]), (5, input(20)), "{mix}");
    }
    let found = of(&format!(
        "mov.u64 %d5, depot; cvta.local.u64 %d5, %d5; mov.u64 %d6, 9; st.local.u64 [depot], %d6; add.s64 %d6, %d1, %d2;
         selp.u64 %d7, %d4, %d5, %p1; setp.lt.u32 %p2, %r15, 24; selp.u64 %d7, %d7, %d6, %p2; {loads}"
    ));
    assert_eq!((found[5], found[20], found[30]), (5, 9, input(30)));
    let found = of(
        "mov.u64 %d5, table; cvta.const.u64 %d5, %d5; selp.u64 %d7, %d5, %d1, %p1;
                    ld.u64 %d8, [%d7+8]; st.global.u64 [%d14], %d8;",
    );
    assert_eq!((found[5], found[20]), (4, input(1)));
    let found = of("selp.u64 %d7, %d4, %d14, %p1; add.s64 %d5, %d5, 100; mov.u64 %d8, 1; st.global.u64 [%d14], %d8;
                    st.u64 [%d7], %d5; atom.add.u32 %r1, [%d7], 1; ld.shared.u64 %d9, [%d3]; ld.global.u64 %d10, [%d14];
                    add.s64 %d10, %d10, %d9; st.global.u64 [%d14], %d10;");
    assert_eq!((found[5], found[20]), (102, 222));
}

#[test]
fn an_address_and_a_number_are_in_the_space_of_the_address() {
    let outside = ".shared .align 8 .b8 tile[256];";
    let lines = |number: &str| {
        let body = format!(
            "mov.u64 %d3, tile; cvta.shared.u64 %d4, %d3; mul.wide.u32 %d2, %r15, 8; mov.u64 %d5, 0;
             {number} add.s64 %d6, %d4, %d5; st.u64 [%d6], %d2;"
        );
        let text = kernel(outside, &body);
        let module = parse(&text).unwrap();
        let lowered = lower(&module, 0, &bindings(), Options::default()).unwrap();
        let instructions = lowered.program.instructions();
        let mut stores = instructions.iter();
        let is_store = stores.any(|one| {
            one.operation == crate::simt::Operation::Store(crate::simt::Space::Shared, Width::Eight)
        });
        let has_branch = instructions
            .iter()
            .any(|one| matches!(one.operation, crate::simt::Operation::Branch(_)));
        assert!(is_store && !has_branch, "{number}");
    };
    lines("ld.global.u64 %d5, [%d1];");
    lines("cvt.s64.s32 %d5, %r0;");
    lines("and.b64 %d5, %d4, 15; sub.s64 %d5, %d2, %d5;");
    lines("sub.s64 %d5, %d1, %d0;");
    lines("mad.lo.s64 %d5, %d2, %d2, %d5;");
}

#[test]
fn an_address_less_a_difference_of_addresses_is_one() {
    let outside = ".shared .align 8 .b8 tile[512];";
    let body = "
        mov.u64 %d3, tile; cvta.shared.u64 %d4, %d3; mul.wide.u32 %d2, %r15, 8; add.s64 %d5, %d4, %d2;
        sub.s64 %d6, %d5, %d4; add.s64 %d7, %d4, 256; sub.s64 %d8, %d7, %d6; st.u64 [%d8], %d2;
        sub.s64 %d9, %d3, %d2; ld.shared.u64 %d10, [%d9+256]; st.global.u64 [%d14], %d10;";
    assert_eq!(words(&kernel(outside, body))[7], 56);
}

#[test]
fn no_address_of_a_variable_is_null() {
    let outside = ".shared .align 8 .b8 tile[256]; .const .align 4 .u32 table[4] = {1, 2, 3, 4};";
    let body = "
        .local .align 8 .b8 depot[16];
        mov.u64 %d3, tile; cvta.shared.u64 %d3, %d3; mov.u64 %d4, depot; cvta.local.u64 %d4, %d4;
        mov.u64 %d5, table; cvta.const.u64 %d5, %d5;
        setp.ne.u64 %p1, %d3, 0; setp.ne.and.u64 %p1, %d4, 0, %p1; setp.ne.and.u64 %p1, %d5, 0, %p1;
        selp.u64 %d2, 1, 0, %p1; st.global.u64 [%d14], %d2;";
    assert_eq!(words(&kernel(outside, body))[0], 1);
}

#[test]
fn the_difference_of_addresses_is_an_index() {
    let outside = ".shared .align 8 .b8 tile[256];";
    let body = "
        mov.u64 %d3, tile; cvta.shared.u64 %d4, %d3; mul.wide.u32 %d2, %r15, 8; add.s64 %d5, %d4, %d2;
        sub.s64 %d6, %d5, %d4; add.s64 %d6, %d6, %d0; st.u64 [%d6], %d2;";
    assert_eq!(words(&kernel(outside, body))[7], 56);
}

#[test]
fn textures_end_at_their_edges() {
    let outside = "";
    let body = "sub.s32 %r1, %r15, 1; cvt.rn.f32.s32 %f1, %r1; mov.f32 %f2, 0f3fc00000;
                tex.2d.v4.u32.f32 {%r2, %r3, %r4, _}, [picture, {%f1, %f2}]; st.global.v2.u32 [%d14], {%r2, %r3};";
    let found = words(&kernel(outside, body));
    // The second row is word 1: its bytes are 2, 4, 6, 8, 10, 12, 14, 16.
    assert_eq!(found[0], 4 << 32 | 2);
    assert_eq!(found[1], 4 << 32 | 2);
    assert_eq!(found[2], 8 << 32 | 6);
    assert_eq!(found[31], 16 << 32 | 14);
    let body = "tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [picture, {%r15}]; add.u32 %r2, %r2, %r4; st.global.v2.u32 [%d14], {%r2, %r3};";
    assert_eq!(words(&kernel(outside, body))[2], 6 << 32 | 5);
}

#[test]
fn atomics_do_what_they_say() {
    // The lanes come one after the other, lowest first.
    let atomic = |operation: &str| {
        let body = format!(
            "{operation} st.global.u32 [%d14], %r2; ld.global.u32 %r3, [%d1+8]; st.global.u32 [%d14+4], %r3;"
        );
        word(&body, 31)
    };
    let old = 0x0806_0402u64;
    assert_eq!(
        atomic("atom.global.exch.b32 %r2, [%d1+8], %r15;"),
        31 << 32 | 30
    );
    assert_eq!(
        atomic("atom.global.add.u32 %r2, [%d1+8], 1;"),
        ((old + 32) << 32) | (old + 31)
    );
    assert_eq!(
        atomic("atom.global.min.s32 %r2, [%d1+8], %r0;"),
        0xffff_fff9_ffff_fff9
    );
    assert_eq!(
        atomic("atom.global.max.u32 %r2, [%d1+8], %r0;"),
        0xffff_fff9_ffff_fff9
    );
    assert_eq!(atomic("atom.global.inc.u32 %r2, [%d1+8], 4;"), 1 << 32);
    assert_eq!(atomic("atom.global.dec.u32 %r2, [%d1+8], 4;"), 3 << 32 | 4);
    assert_eq!(atomic("atom.global.and.b32 %r2, [%d1+8], 15;"), 2 << 32 | 2);
    assert_eq!(
        atomic("atom.global.cas.b32 %r2, [%d1+8], 7, %r15;"),
        old << 32 | old
    );
    let swap = format!("atom.global.cas.b32 %r2, [%d1+8], {old}, %r15;");
    assert_eq!(atomic(&swap), 0);
    assert_eq!(
        atomic("mov.u32 %r2, 0; red.global.or.b32 [%d1+8], 1;"),
        (old | 1) << 32
    );
}

#[test]
fn what_nothing_reads_is_left_out() {
    let module = parse(&kernel(
        "",
        "mov.u32 %r9, 1; add.u32 %r8, %r9, 2; st.global.u32 [%d14], %r9;",
    ))
    .unwrap();
    let lowered = lower(&module, 0, &bindings(), Options::default()).unwrap();
    let text = lowered.program.to_string();
    assert_eq!(lowered.program.instructions().len(), 5, "{text}");
    assert_eq!(lowered.lines.len(), 5);
    assert!(text.contains("], 1\n"), "{text}");
    assert_eq!(lowered.program.registers(), 2, "{text}");
}

#[test]
fn what_is_not_supported_is_named_with_its_line() {
    let line = |body: &str| refused(&kernel("", &format!("\n\n{body}")));
    assert_eq!(
        line("bar.sync 1;"),
        (
            Some(10),
            "bar.sync 1;: only barrier 0 is supported".to_owned()
        )
    );
    assert!(
        line("bar.sync 0, 64;")
            .1
            .contains("a barrier of some threads")
    );
    let (number, what) = line("match.any.sync.b32 %r1, %r2, -1;");
    assert!(number == Some(10) && what.contains("match"), "{what}");
    let recursive = ".func again(.param .b32 a) { .param .b32 p; call again, (p); ret; }";
    let call = "{ .param .b32 p; call again, (p); }";
    let (number, what) = refused(&kernel(recursive, call));
    assert!(
        number == Some(3) && what.starts_with("a recursion"),
        "{what}"
    );
    let mut many = String::from(".reg .b32 %m<300>;");
    (0..300).for_each(|register| many += &format!("add.u32 %m{register}, %r15, {register};"));
    (0..300).for_each(|register| many += &format!("st.global.u32 [%d14], %m{register};"));
    let (number, what) = line(&many);
    assert!(
        number == Some(10) && what.contains("more than 255 registers"),
        "{what}"
    );
}

#[test]
fn a_launch_gives_what_the_kernel_takes() {
    let module = parse(&kernel(".const .b32 known;", "")).unwrap();
    let lower = |change: &dyn Fn(&mut Bindings)| {
        let mut bindings = bindings();
        change(&mut bindings);
        lower(&module, 0, &bindings, Options::default())
            .map(|_| ())
            .unwrap_err()
            .what
    };
    let what = lower(&|bindings| bindings.parameters.truncate(2));
    assert_eq!(what, "the kernel has 3 parameters, and the launch gives 2");
    let what = lower(&|bindings| bindings.parameters[2].push(0));
    assert_eq!(what, "number has 4 bytes, and the launch gives 5");
    let what = lower(&|bindings| bindings.symbols.push(("other".to_owned(), vec![1])));
    assert_eq!(what, "there is no variable other to be set");
    let what = lower(&|bindings| bindings.symbols.push(("known".to_owned(), vec![1; 5])));
    assert_eq!(what, "known has 4 bytes, and the launch sets 5");
    let what = lower(&|bindings| bindings.textures[0].0 = "other".to_owned());
    assert_eq!(what, "there is no texture reference other to be bound");
    assert!(
        entry(&module, Some("other"))
            .unwrap_err()
            .what
            .ends_with("there are: kernel")
    );
}

#[test]
fn what_is_passed_is_passed_by_value() {
    let swap = ".func (.param .b32 x, .param .b32 y) swap(.param .b32 a, .param .b32 b) {
            .reg .b32 %r<4>; ld.param.b32 %r1, [b]; st.param.b32 [x], %r1; ld.param.b32 %r2, [a]; st.param.b32 [y], %r2; ret;
        }";
    let call = "{ .param .b32 p; .param .b32 q; mov.u32 %r1, 3; mov.u32 %r2, 4; st.param.b32 [p], %r1; st.param.b32 [q], %r2;
        call (p, q), swap, (p, q); ld.param.b32 %r1, [p]; ld.param.b32 %r2, [q]; st.global.v2.u32 [%d14], {%r1, %r2}; }";
    assert_eq!(words(&kernel(swap, call))[0], (3 << 32) | 4);
    // A part has as many bits as it is passed with.
    let low = ".func (.param .b32 x) low(.param .b8 a) {
            .reg .b32 %r<4>; ld.param.u8 %r1, [a]; st.param.b32 [x], %r1; ret;
        }";
    let call =
        "{ .param .b8 p; .param .b32 q; mov.u32 %r1, 511; st.param.b8 [p], %r1; call (q), low, (p);
        ld.param.b32 %r2, [q]; st.global.u32 [%d14], %r2; }";
    assert_eq!(words(&kernel(low, call))[0], 255);
    let half = ".func (.param .f32 x) half(.param .f32 a) {
            .reg .f32 %f<4>; ld.param.f32 %f1, [a]; mul.f32 %f1, %f1, 0f3f000000; st.param.f32 [x], %f1; ret;
        }";
    let call = "{ .param .f32 q; call (q), half, (3.0); ld.param.f32 %f2, [q]; st.global.f32 [%d14], %f2; }";
    assert_eq!(words(&kernel(half, call))[0], u64::from(1.5f32.to_bits()));
    // A load of fewer bytes gets the low ones, with their sign.
    let narrow = ".func (.param .b32 x, .param .b64 y) narrow(.param .b32 a, .param .b64 b) {
            .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>;
            ld.param.s8 %h1, [a]; ld.param.u8 %h2, [a]; ld.param.s16 %d1, [b]; ld.param.u32 %r2, [b];
            cvt.s32.s16 %r1, %h1; st.param.b32 [x], %r1; cvt.u32.u16 %r1, %h2; add.u32 %r1, %r1, %r2;
            cvt.u64.u32 %d2, %r1; shl.b64 %d2, %d2, 32; and.b64 %d1, %d1, 0xffffffff; or.b64 %d1, %d1, %d2;
            st.param.b64 [y], %d1; ret;
        }";
    let call = |load: &str| {
        let body = format!(
            "{{ .param .b32 p; .param .b64 q; .param .b32 s; .param .b64 t; mov.u32 %r1, 0x1fe; mov.u64 %d2, 0x70001f000;
             st.param.b32 [p], %r1; st.param.b64 [q], %d2; call (s, t), narrow, (p, q); {load}
             st.global.u64 [%d14], %d3; }}"
        );
        kernel(narrow, &body)
    };
    let found = words(&call("ld.param.b64 %d3, [t];"))[0];
    assert_eq!(found, (0x1_f0fe << 32) | 0xffff_f000);
    assert_eq!(words(&call("ld.param.s8 %d3, [s];"))[0], u64::MAX - 1);
    assert_eq!(words(&call("ld.param.u16 %d3, [s];"))[0], 0xfffe);
    // Of several parts it is not put together.
    let (line, what) = refused(&kernel(
        "",
        "{ .param .b64 p; st.param.b32 [p], %r0; st.param.b32 [p+4], %r0; ld.param.b64 %d2, [p]; }",
    ));
    assert!(line.is_some());
    assert_eq!(
        what,
        "p is accessed in parts of different sizes, which is not supported"
    );
    let (_, what) = refused(&kernel(low, "{ .param .b8 p; st.param.b32 [p], %r1; }"));
    assert_eq!(what, "the access goes past the end of p, which has 1 bytes");
}

#[test]
fn parts_are_of_any_width() {
    let body = "mov.u32 %r1, 0x04030201; .reg .b8 %b<4>; mov.b32 {%b0, %b1, %b2, %b3}, %r1; mov.b32 %r2, {%b3, %b0, %b1, %b2};
                st.global.u32 [%d14], %r2;";
    assert_eq!(word(body, 0), 0x0302_0104);
    let body = "ld.global.u32 %r1, [%d1]; shl.b32 %r2, %r1, 8; or.b32 %r2, %r2, 4; bfi.b32 %r3, -1, 0, %r2, %r2;
                st.global.u32 [%d14], %r3;";
    assert_eq!(word(body, 0), 0xf0);
}

#[test]
fn addresses_of_shared_memory_have_32_bits() {
    let outside = ".shared .align 4 .b8 tile[128]; .extern .shared .align 64 .b8 more[];";
    let body = "mov.u32 %r1, tile; add.s32 %r2, %r1, -8; mov.u32 %r4, 7; st.shared.u32 [tile], %r4; ld.shared.u32 %r3, [%r2+8];
                mov.u64 %d2, tile+-4; ld.shared.u32 %r5, [%d2+4]; add.u32 %r3, %r3, %r5; st.global.u32 [%d14], %r3;";
    assert_eq!(words(&kernel(outside, body))[0], 14);
    let body = "mov.u32 %r1, more; mov.u32 %r2, tile; st.global.v2.u32 [%d14], {%r1, %r2};";
    assert_eq!(words(&kernel(outside, body))[0], 128);
    let outside = ".shared .align 4 .b8 tile[16]; .extern .shared .align 64 .b8 more[];";
    assert_eq!(words(&kernel(outside, body))[0], 64);
}

#[test]
fn what_is_too_large_is_refused() {
    let (line, what) = refused(&kernel(
        ".shared .b8 tile[4294967296];",
        "mov.u32 %r1, tile; st.global.u32 [%d14], %r1;",
    ));
    assert!(
        line == Some(3) && what.starts_with("tile has 4294967296 bytes"),
        "{what}"
    );
    let (_, what) = refused(&kernel(".global .b8 all[1099511627776];", ""));
    assert!(what.starts_with("all has 1099511627776 bytes"), "{what}");
    let (_, what) = refused(&kernel(
        "",
        ".local .b8 own[4294967304]; mov.u64 %d2, own; st.local.u8 [%d2], 1;",
    ));
    assert!(what.starts_with("a thread has more than"), "{what}");
    // Each function calls the next one twice.
    let mut outside = String::from(".func f30() { ret; }");
    for number in (0..30).rev() {
        outside += &format!(
            ".func f{number}() {{ call f{}; call f{}; }}",
            number + 1,
            number + 1
        );
    }
    let (_, what) = refused(&kernel(&outside, "call f0;"));
    assert!(what.contains("makes more than"), "{what}");
}

#[test]
fn loads_are_hoisted_as_far_as_stores_let_them() {
    let text = kernel(
        "",
        "add.s64 %d13, %d1, %d15;
         ld.global.u32 %r1, [%d13];
         add.u32 %r1, %r1, 1;
         ld.global.u32 %r2, [%d13+8];
         add.u32 %r2, %r2, %r1;
         st.global.u32 [%d14], %r2;
         ld.global.u32 %r3, [%d13+16];
         add.u32 %r3, %r3, %r2;
         st.global.u32 [%d14+4], %r3;",
    );
    let module = parse(&text).unwrap();
    let accesses = |options| {
        let lowered = lower(&module, 0, &bindings(), options).unwrap();
        let all = lowered.program.instructions().iter().enumerate();
        let accesses = all.filter(|(_, one)| one.operation.memory().is_some());
        let accesses: Vec<_> = accesses.map(|(place, one)| (place, one.offset)).collect();
        accesses
    };
    let plain = accesses(Options::default());
    let hoisted = accesses(Options {
        hoists: true,
        ..Options::default()
    });
    assert_eq!(plain[1].0 - plain[0].0, 2);
    assert_eq!(hoisted[1].0 - hoisted[0].0, 1);
    let offsets = |accesses: &[(usize, i64)]| accesses.iter().map(|one| one.1).collect::<Vec<_>>();
    assert_eq!(offsets(&plain), [0, 8, 0, 16, 4]);
    assert_eq!(offsets(&hoisted), [0, 8, 0, 16, 4]);
    let without = accesses(Options {
        without_offsets: true,
        ..Options::default()
    });
    assert_eq!(offsets(&without), [0; 5]);
    assert_eq!(without[4].0, plain[4].0 + 3);
}

#[test]
fn carries_make_longer_integers() {
    // Two numbers of 96 bits, from lane to lane others: their sum, difference and the sum of one with a product.
    let of = |body: &str| words(&kernel("", body));
    let load = "mul.wide.u32 %d13, %r15, 16; add.s64 %d13, %d1, %d13; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d13];
        not.b32 %r4, %r4; not.b32 %r5, %r1; shl.b32 %r6, %r2, 3;";
    let number = |lane: usize| {
        let word = |place: usize| {
            let whole = 0x0807_0605_0403_0201u64.wrapping_mul((2 * lane + place / 2 + 1) as u64);
            u128::from((whole >> (32 * (place % 2))) as u32)
        };
        let first = word(0) | word(1) << 32 | word(2) << 64;
        let second = u128::from(!word(3) as u32)
            | u128::from(!word(0) as u32) << 32
            | u128::from((word(1) as u32) << 3) << 64;
        (first, second)
    };
    for (instructions, expected) in [
        (
            ["add.cc.u32", "addc.cc.u32", "addc.u32"],
            u128::wrapping_add as fn(u128, u128) -> u128,
        ),
        (
            ["sub.cc.s32", "subc.cc.u32", "subc.s32"],
            u128::wrapping_sub,
        ),
    ] {
        let [low, middle, high] = instructions;
        let all =
            format!("{load} {low} %r1, %r1, %r4; {middle} %r2, %r2, %r5; {high} %r3, %r3, %r6;");
        let lows = of(&format!(
            "{all} mov.b64 %d2, {{%r1, %r2}}; st.global.u64 [%d14], %d2;"
        ));
        let highs = of(&format!(
            "{all} cvt.u64.u32 %d2, %r3; st.global.u64 [%d14], %d2;"
        ));
        for lane in 0..32 {
            let (first, second) = number(lane);
            let found = u128::from(lows[lane]) | u128::from(highs[lane]) << 64;
            let wanted = expected(first, second) & ((1 << 96) - 1);
            assert_eq!(found, wanted, "{low} in lane {lane}");
        }
    }
    // A product of 64 bits by parts of 32, and a sum of 128 bits by parts of 64.
    let product = format!(
        "{load} mul.lo.u32 %r7, %r1, %r4; mul.hi.u32 %r8, %r1, %r4; mov.u32 %r9, 0;
        mad.lo.cc.u32 %r8, %r1, %r5, %r8; madc.hi.u32 %r9, %r1, %r5, %r9;
        mad.lo.cc.u32 %r8, %r2, %r4, %r8; madc.hi.cc.u32 %r9, %r2, %r4, %r9; addc.u32 %r10, 0, 0;
        mad.lo.cc.u32 %r9, %r2, %r5, %r9; madc.hi.u32 %r10, %r2, %r5, %r10;"
    );
    let lows = of(&format!(
        "{product} mov.b64 %d2, {{%r7, %r8}}; st.global.u64 [%d14], %d2;"
    ));
    let highs = of(&format!(
        "{product} mov.b64 %d2, {{%r9, %r10}}; st.global.u64 [%d14], %d2;"
    ));
    let wide = of(
        "ld.global.v2.u64 {%d2, %d3}, [%d1]; not.b64 %d4, %d2; add.s64 %d4, %d4, %d15;
        add.cc.u64 %d4, %d2, %d4; addc.u64 %d5, %d3, 5; st.global.u64 [%d14], %d5;",
    );
    for lane in 0..32 {
        let (first, second) = number(lane);
        let [first, second] = [first, second].map(|number| number as u64);
        let found = u128::from(lows[lane]) | u128::from(highs[lane]) << 64;
        assert_eq!(found, u128::from(first) * u128::from(second), "lane {lane}");
        let high = 0x100e_0c0a_0806_0402 + 5 + u64::from(lane > 0);
        assert_eq!(wide[lane], high, "lane {lane}");
    }
}

#[test]
fn a_file_names_what_is_not_supported_by_its_operands() {
    let module = parse(&kernel(
        "",
        "\nbar.sync 1;\nbar.sync 0, 64;\natom.global.cas.b64 %d2, [%d1], 1, 2;\natom.shared.cas.b64 %d2, [%d1], 1, 2;",
    ))
    .unwrap();
    let found: Vec<_> = module
        .unsupported
        .iter()
        .map(|item| (item.line, item.reason.as_str()))
        .collect();
    assert_eq!(found[0], (9, "only barrier 0 is supported"));
    assert_eq!(found[1].0, 10);
    assert_eq!(found[2].0, 11);
    assert!(
        found[2]
            .1
            .starts_with("a compare-and-swap of 64 bits in global memory")
    );
    assert_eq!(found.len(), 3);
}

#[test]
fn doubles_keep_the_payload_of_what_is_no_number() {
    let of = |operation: &str| {
        word(
            &format!(
                "mov.b64 %d2, 0xfff8123456789abc; {operation}.f64 %d3, %d2; st.global.b64 [%d14], %d3;"
            ),
            0,
        )
    };
    assert_eq!(of("abs"), 0x7ff8_1234_5678_9abc);
    assert_eq!(of("neg"), 0x7ff8_1234_5678_9abc);
}

#[test]
fn an_approximate_quotient_by_a_large_number_is_zero() {
    let of = |dividend: &str, divisor: &str, operation: &str| {
        let body = format!(
            "mov.f32 %f1, {dividend}; mov.f32 %f2, {divisor}; {operation}.f32 %f3, %f1, %f2; st.global.f32 [%d14], %f3;"
        );
        f32::from_bits(word(&body, 0) as u32)
    };
    // 2^126, the next number, and 2^127.
    assert_eq!(of("0f7E800000", "0f7E800000", "div.approx"), 1.0);
    assert_eq!(of("0f7E800000", "0f7E800001", "div.approx"), 0.0);
    assert_eq!(of("0f7F000000", "0fFF000000", "div.approx"), 0.0);
    assert!(of("0f7F800000", "0f7F000000", "div.approx").is_nan());
    assert_eq!(of("0f3F800000", "0f7F800000", "div.approx"), 0.0);
    assert_eq!(of("0f7F000000", "0f7F000000", "div.full"), 1.0);
}

#[test]
fn local_memory_ends_for_each_thread() {
    let run_to = |offset: u32| {
        let body = format!(
            ".local .align 8 .b8 depot[24]; mov.u64 %d2, depot; and.b32 %r1, %r15, 1; mul.wide.u32 %d3, %r1, {offset};
            add.s64 %d2, %d2, %d3; st.local.u32 [%d2], %r15;"
        );
        let module = parse(&kernel("", &body)).unwrap();
        let lowered = lower(&module, 0, &bindings(), Options::default()).unwrap();
        let launch = Launch {
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_memory: lowered.shared,
        };
        run(&lowered.program, &launch, input()).map(drop)
    };
    assert_eq!(run_to(20), Ok(()));
    let error = run_to(24).unwrap_err().to_string();
    assert!(
        error.starts_with("local memory is accessed at 0x18, past its end at 0x18"),
        "{error}"
    );
}

#[test]
fn bits_are_counted_and_turned() {
    let of = |text: &str| word(&format!("{text} st.global.u32 [%d14], %r1;"), 0);
    assert_eq!(of("ld.global.u64 %d2, [%d1]; popc.b64 %r1, %d2;"), 13);
    assert_eq!(of("mov.u32 %r2, 0x1000; clz.b32 %r1, %r2;"), 19);
    assert_eq!(of("mov.u32 %r2, 0x13; brev.b32 %r1, %r2;"), 0xc800_0000);
    assert_eq!(of("mov.u32 %r2, -5; bfind.s32 %r1, %r2;"), 2);
    assert_eq!(of("mov.u32 %r2, 5; bfind.shiftamt.u32 %r1, %r2;"), 29);
    assert_eq!(of("mov.u64 %d2, 0; bfind.u64 %r1, %d2;"), 0xffff_ffff);
}

#[test]
fn lanes_vote() {
    // Lanes 0 to 9 go one way, and vote there.
    let body = |vote: &str| {
        format!(
            "mov.u32 %r1, 7; mov.u32 %r3, -1; setp.gt.u32 %p1, %r15, 9; setp.lt.u32 %p2, %r15, 4;
             @%p1 bra OVER; {vote} OVER: st.global.u32 [%d14], %r1;"
        )
    };
    let ballot = words(&kernel("", &body("vote.ballot.b32 %r1, %p2;")));
    assert_eq!((ballot[0], ballot[9], ballot[10]), (0xf, 0xf, 7));
    let none = words(&kernel("", &body("vote.ballot.b32 %r1, !%p2;")));
    assert_eq!((none[0], none[9], none[10]), (0x3f0, 0x3f0, 7));
    let of = |vote: &str| word(&body(&format!("{vote} selp.u32 %r1, 1, 0, %p3;")), 0);
    assert_eq!(of("vote.all.pred %p3, %p2;"), 0);
    assert_eq!(of("vote.any.pred %p3, %p2;"), 1);
    assert_eq!(of("vote.uni.pred %p3, %p2;"), 0);
    assert_eq!(of("vote.uni.pred %p3, %p1;"), 1);
    assert_eq!(of("vote.sync.any.pred %p3, %p2, %r3;"), 1);
    let part = kernel("", "vote.sync.any.pred %p3, %p2, 15;");
    assert_eq!(
        refused(&part).1,
        "vote.sync is supported for all lanes alone, with the mask 0xffffffff"
    );
    // A mask that is written twice is not known, wherever the text has the second.
    let twice =
        "mov.u32 %r3, 15; @%p1 bra ON; mov.u32 %r3, -1; ON: vote.sync.any.pred %p3, %p2, %r3;";
    assert_eq!(refused(&kernel("", twice)).1, refused(&part).1);
    let later = "mov.u32 %r3, -1; AGAIN: vote.sync.any.pred %p3, %p2, %r3; mov.u32 %r3, 15; @%p3 bra AGAIN;";
    assert_eq!(refused(&kernel("", later)).1, refused(&part).1);
}

#[test]
fn windows_are_known_by_their_addresses() {
    assert_eq!(window_of(0x100_0080), Some(Space::Shared));
    assert_eq!(window_of(0x2ff_ffff), Some(Space::Local));
    assert_eq!(window_of(0x300_0000), Some(Space::Const));
    assert_eq!((window_of(0x80), window_of(0x400_0000)), (None, None));
}

#[test]
fn lanes_shuffle() {
    let body = "mul.lo.s32 %r1, %r15, 3; shfl.down.b32 %r2|%p1, %r1, 2, 31;
        selp.u32 %r3, 1000, 0, %p1; add.u32 %r2, %r2, %r3; st.global.u32 [%d14], %r2;";
    let down = words(&kernel("", body));
    assert_eq!((down[0], down[29], down[30]), (1006, 1093, 90));
    let body = "cvt.rn.f32.u32 %f1, %r15; shfl.bfly.b32 %f1, %f1, 1, 31;
        cvt.rzi.u32.f32 %r1, %f1; st.global.u32 [%d14], %r1;";
    let turned = words(&kernel("", body));
    assert_eq!((turned[0], turned[7]), (1, 6));
    // A sum over the warp, as a loop of a compiler.
    let body = "mov.u32 %r1, %r15; mov.u32 %r2, 16;
        AGAIN: shfl.bfly.b32 %r3, %r1, %r2, 31; add.u32 %r1, %r1, %r3; shr.u32 %r2, %r2, 1;
        setp.ne.u32 %p1, %r2, 0; @%p1 bra AGAIN; st.global.u32 [%d14], %r1;";
    assert_eq!(words(&kernel("", body))[13], 31 * 16);
}

#[test]
fn predicates_do_not_go_through_registers() {
    let lowered = |body: &str| {
        let module = parse(&kernel("", body)).unwrap();
        let (number, _) = entry(&module, None).unwrap();
        let lowered = lower(&module, number, &bindings(), Options::default()).unwrap();
        lowered.program.instructions().len()
    };
    let store = "selp.u32 %r3, 5, 6, %p3; st.global.u32 [%d14], %r3;";
    let direct = "setp.gt.u32 %p1, %r15, 9; vote.all.pred %p3, %p1;";
    let around = "setp.gt.u32 %p1, %r15, 9; selp.u32 %r1, 1, 0, %p1; setp.ne.u32 %p4, %r1, 0;
        vote.all.pred %p2, %p4; selp.u32 %r2, 1, 0, %p2; setp.ne.u32 %p3, %r2, 0;";
    let [direct, around] = [direct, around].map(|vote| format!("{vote} {store}"));
    assert_eq!(lowered(&around), lowered(&direct));
    assert_eq!(word(&around, 3), word(&direct, 3));
    let turned = "mov.u32 %r3, 5; setp.gt.u32 %p1, %r15, 9; selp.u32 %r1, 1, 0, %p1;
        setp.eq.u32 %p2, %r1, 0; @%p2 bra OVER; mov.u32 %r3, 6; OVER: st.global.u32 [%d14], %r3;";
    let known = "mov.u32 %r3, 5; setp.gt.u32 %p1, %r15, 9; @!%p1 bra OVER; mov.u32 %r3, 6;
        OVER: st.global.u32 [%d14], %r3;";
    assert_eq!(lowered(turned), lowered(known));
    let changed = words(&kernel("", turned));
    assert_eq!((changed[9], changed[10]), (5, 6));
    // The predicate is another one when the number is tested, and a block ends between.
    let body = "setp.gt.u32 %p3, %r15, 9; selp.u32 %r1, 1, 0, %p3; setp.lt.u32 %p3, %r15, 9;
        @%p3 bra OVER; OVER: setp.ne.u32 %p3, %r1, 0;";
    let changed = words(&kernel("", &format!("{body} {store}")));
    assert_eq!((changed[9], changed[10]), (6, 5));
}

#[test]
fn loads_stay_behind_fences_and_volatile_loads() {
    // The second load waits until its register was read; the third does not.
    let order = |fence: &str, volatile: &str| {
        let body = format!(
            "add.s64 %d13, %d1, %d15; ld.global.u32 %r1, [%d13]; add.u32 %r2, %r1, 1; ld.global.u32 %r1, [%d13+4]; {fence}
             ld{volatile}.global.u32 %r3, [%d13+8]; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%d14], %r1;"
        );
        let module = parse(&kernel("", &body)).unwrap();
        let options = Options {
            hoists: true,
            ..Options::default()
        };
        let lowered = lower(&module, 0, &bindings(), options).unwrap();
        let all = lowered.program.instructions().iter();
        let accesses = all.filter(|one| one.operation.memory().is_some());
        accesses.map(|one| one.offset).collect::<Vec<_>>()
    };
    assert_eq!(order("", ""), [0, 8, 4, 0]);
    assert_eq!(order("membar.gl;", ""), [0, 4, 8, 0]);
    assert_eq!(order("", ".volatile"), [0, 4, 8, 0]);
}

#[test]
fn a_kernel_without_registers_to_spare_keeps_its_loads() {
    let sums: String = (0..300)
        .map(|place| {
            format!(
                "ld.global.u32 %r1, [%d1+{}]; add.u32 %r2, %r2, %r1;\n",
                4 * (place % 64)
            )
        })
        .collect();
    let wide: String = (0..300)
        .map(|place| {
            format!(
                "ld.global.u32 %v{place}, [%d1+{}]; add.u32 %r2, %r2, %v{place};\n",
                4 * (place % 64)
            )
        })
        .collect();
    let body = |loads: &str| {
        format!(".reg .b32 %v<300>; mov.u32 %r2, 0; {loads} st.global.u32 [%d14], %r2;")
    };
    assert_eq!(
        words(&kernel("", &body(&sums))),
        words(&kernel("", &body(&wide)))
    );
}
