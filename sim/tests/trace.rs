//! The trace reader on the project's own traces and on broken ones.

#[path = "../examples/write_traces/assemble.rs"]
mod assemble;
#[path = "../examples/write_traces/kernels.rs"]
mod kernels;

use std::io::Cursor;
use std::path::{Path, PathBuf};

use assemble::{At, Irregular, Kernel};
use faultline_sim::trace::{
    Class, Event, GlobalAccesses, Instruction, NO_REGISTER, Reader, SAXPY, Space, Summary, Trace,
};

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("traces")
        .join(name)
}

/// Reads all instructions, or gives the error's sentence.
fn instructions(text: &[u8]) -> Result<Vec<Instruction>, String> {
    let reader = Reader::new(Cursor::new(text), "t").map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for event in reader {
        if let Event::Instruction(instruction) = event.map_err(|error| error.to_string())? {
            all.push(instruction);
        }
    }
    Ok(all)
}

fn kernel(tracer_version: u32, line_info: bool, irregular: Irregular) -> Kernel {
    Kernel {
        name: "_Z1kv",
        id: 1,
        blocks: 1,
        threads: 32,
        registers: 8,
        shared_memory: 0,
        binary_version: 80,
        tracer_version,
        line_info,
        irregular,
    }
}

#[test]
fn committed_traces_equal_their_generator() {
    for (name, text) in kernels::files() {
        let committed = std::fs::read_to_string(own(name)).unwrap();
        assert!(
            committed == text,
            "{name} differs: run the example write_traces"
        );
    }
}

#[test]
fn every_address_mode_gives_the_addresses_that_were_written() {
    let patterns: [fn(u32) -> u64; 5] = [
        |lane| 0x7f00_0000_0000 + 4 * u64::from(lane),
        |lane| 0x7f00_0000_0000 - 8 * u64::from(lane),
        |_| 0x1234,
        |lane| u64::from(lane.wrapping_mul(0x9e37_79b9)),
        |lane| u64::MAX - 1000 * u64::from(lane * lane) - 3,
    ];
    let masks = [
        u32::MAX,
        1,
        1 << 31,
        0x00ff_0000,
        0x8000_0001,
        0x5555_5555,
        0,
    ];
    for (version, lines) in [(3, false), (4, false), (4, true), (5, false), (5, true)] {
        for irregular in [Irregular::List, Irregular::Deltas] {
            let kernel = kernel(version, lines, irregular);
            let text = kernel.trace(|_, _, warp| {
                for mask in masks {
                    for pattern in patterns {
                        warp.memory(At(0xabc0, 77), mask, "LDG.E", "R2 <- R4", pattern);
                    }
                }
            });
            let read = instructions(text.as_bytes()).unwrap();
            let expected = masks
                .iter()
                .flat_map(|&mask| patterns.map(|pattern| (mask, pattern)));
            assert_eq!(read.len(), masks.len() * patterns.len());
            for (instruction, (mask, pattern)) in read.iter().zip(expected) {
                assert_eq!(instruction.pc, 0xabc0);
                assert_eq!(instruction.mask, mask);
                assert_eq!(instruction.source_line, lines.then_some(77));
                assert_eq!(instruction.immediate, (version == 5).then_some(0));
                assert_eq!(
                    (&*instruction.destinations, &*instruction.sources),
                    (&[2][..], &[4][..])
                );
                for (lane, &address) in instruction
                    .access
                    .as_ref()
                    .unwrap()
                    .addresses
                    .iter()
                    .enumerate()
                {
                    let active = mask >> lane & 1 == 1;
                    assert_eq!(address, if active { pattern(lane as u32) } else { 0 });
                }
            }
        }
    }
}

#[test]
fn versions_before_3_name_block_and_warp_on_every_line() {
    let text = "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = 2\n#BEGIN_TB\n\
        thread block = 0,0,0\nwarp = 0\ninsts = 1\n0 0 0 0 0010 ffffffff 1 R1 MOV 0 0\n#END_TB\n";
    assert_eq!(instructions(text.as_bytes()).unwrap()[0].pc, 0x10);
}

#[test]
fn summary_counts_what_was_written() {
    let summary = Summary::of(&own("kernelslist.g"), |_, _| {}).unwrap();
    assert_eq!(summary.copies.len(), 3);
    assert_eq!(summary.kernels.len(), 3);
    let saxpy = &summary.kernels[0].counts;
    assert_eq!((saxpy.blocks, saxpy.warps), (8, 32));
    // 4,000 elements in warps of 32 lanes: 125 passes, each with two loads and a store.
    assert_eq!(
        (
            saxpy.global.loads,
            saxpy.global.stores,
            saxpy.global.atomics
        ),
        (250, 125, 0)
    );
    assert_eq!(saxpy.global.lanes, 12_000);
    assert_eq!(saxpy.global.lines.iter().collect::<Vec<_>>(), [(&1, &375)]);
    // 16,000 bytes of x, which start a page, and as much of y.
    assert_eq!((saxpy.global.pages_4k, saxpy.global.pages_64k), (8, 2));
    assert_eq!(saxpy.registers_named, 12);

    let gather = &summary.kernels[1].counts;
    assert_eq!((gather.blocks, gather.warps), (3, 9));
    assert_eq!((gather.global.stores, gather.global.atomics), (9, 18));
    // In each warp the store that nobody does, and the last branch back.
    assert_eq!((gather.global.lines[&0], gather.without_lanes), (9, 18));

    let transpose = &summary.kernels[2].counts;
    assert_eq!(
        transpose.global.loads, 8,
        "the read through the shared window is not global"
    );
    assert_eq!(transpose.classes[&Class::Load(Space::Shared)], 16);
    assert_eq!(transpose.classes[&Class::Store(Space::Local)], 8);
    assert_eq!(transpose.global.stores, 8 * 11);
    assert_eq!(
        transpose.global.lines[&32],
        8 * 8,
        "a column takes a line for each lane"
    );

    let total = &summary.total;
    let parts: u64 = summary
        .kernels
        .iter()
        .map(|kernel| kernel.counts.instructions)
        .sum();
    assert_eq!(total.instructions, parts);
    assert_eq!(total.classes.values().sum::<u64>(), parts);
    assert_eq!(
        total.global.lines.values().sum::<u64>(),
        total.global.instructions()
    );
    // y is written by saxpy and counted by gather: the union is smaller than the sum.
    let sum: u64 = summary
        .kernels
        .iter()
        .map(|kernel| kernel.counts.global.pages_4k)
        .sum();
    assert!(total.global.pages_4k < sum && total.global.pages_64k <= total.global.pages_4k);

    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["kernels"][0]["counts"]["classes"]["global store"], 125);
    assert_eq!(json["kernels"][0]["counts"]["global"]["lines"]["1"], 375);
}

#[test]
fn accesses_keep_program_order_and_the_limits_of_an_sm() {
    let reader = Reader::new(Cursor::new(SAXPY), "saxpy").unwrap();
    let accesses = GlobalAccesses::new(reader);
    assert_eq!(accesses.resident_blocks(), 16);
    let accesses: Vec<_> = accesses.map(Result::unwrap).collect();
    assert_eq!(accesses.len(), 375);
    for warp in 0..32 {
        let pcs: Vec<u32> = accesses
            .iter()
            .filter(|access| access.warp_slot == warp)
            .map(|access| access.pc)
            .collect();
        assert!(
            pcs.len() == 12 || pcs.len() == 9,
            "warp {warp} has {} accesses",
            pcs.len()
        );
        assert!(pcs.chunks(3).all(|pass| pass == [0xa0, 0xb0, 0x110]));
    }
    // The warps take turns, so the first load of all comes before the second load of any.
    assert!(accesses[..32].iter().all(|access| access.pc == 0xa0));
    let store = accesses.iter().find(|access| access.is_store).unwrap();
    assert_eq!((store.address_register, store.data_register), (4, 9));
    assert_eq!(store.destination, NO_REGISTER);
    let load = &accesses[0];
    assert_eq!(
        (load.address_register, load.data_register, load.destination),
        (2, NO_REGISTER, 2)
    );
    assert_ne!(store.data()[0], store.data()[1]);
    assert_eq!(store.data(), store.clone().data());
}

#[test]
fn a_block_that_ends_makes_room_for_the_next() {
    let kernel = Kernel {
        blocks: 7,
        threads: 1024,
        ..kernel(5, false, Irregular::Deltas)
    };
    let text = kernel.trace(|block, warp, program| {
        // Blocks of different length, so that the slots drift apart.
        for _ in 0..=(block * 3 + warp) % 5 {
            program.memory(At(0, 0), 3, "STG.E", "R2 R4", |lane| u64::from(lane) * 64);
        }
    });
    let accesses = GlobalAccesses::new(Reader::new(Cursor::new(text), "t").unwrap());
    assert_eq!(accesses.resident_blocks(), 2, "64 warps are 2 blocks of 32");
    let mut resident = [None; 2];
    let mut seen = Vec::new();
    for access in accesses.map(Result::unwrap) {
        assert!(access.warp_slot < 64 && access.warp_slot / 32 == access.block_slot);
        let slot = &mut resident[usize::from(access.block_slot)];
        if *slot != Some(access.block) {
            assert!(!seen.contains(&access.block), "a block must not come back");
            seen.push(access.block);
            *slot = Some(access.block);
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn every_truncation_is_an_error_with_its_line() {
    let text = kernels::files()[3].1.clone().into_bytes();
    let blocks: Vec<usize> = (0..text.len())
        .filter(|&at| text[..at].ends_with(b"#END_TB"))
        .collect();
    assert_eq!(blocks.len(), 4);
    for end in 0..text.len() {
        // After a whole block the rest of the grid may be missing: tracers can be told to stop there.
        let between = |&at: &usize| end >= at && text[at..end].iter().all(u8::is_ascii_whitespace);
        let result = instructions(&text[..end]).map(|_| ());
        if blocks.iter().any(between) {
            assert!(result.is_ok(), "cut at {end}");
            continue;
        }
        let sentence = result.expect_err("a cut trace");
        let lines = text[..end].iter().filter(|&&byte| byte == b'\n').count();
        let line: usize = sentence.split(':').nth(1).unwrap().parse().unwrap();
        assert!(
            (lines..=lines + 1).contains(&line) || end == 0,
            "cut at {end}: {sentence}"
        );
        assert!(!sentence.contains('\n'), "{sentence}");
    }
}

/// A trace whose line `number` is replaced.
fn with_line(number: usize, line: &str) -> String {
    let mut lines: Vec<&str> = SAXPY.lines().collect();
    lines[number - 1] = line;
    lines.join("\n")
}

#[test]
fn wrong_fields_are_named_with_file_and_line() {
    // Line 21 holds `warp = 0`, line 22 `insts = ...`, line 23 the first instruction.
    let cases = [
        (3, "-grid dim = (0,1,1)", "t:3: the grid is \"(0,1,1)\""),
        (
            3,
            "-grid dim = (4294967295,4294967295,4294967295)",
            "t:3: the grid is 18446744073709551615",
        ),
        (
            4,
            "-block dim = (1025,1,1)",
            "t:4: the thread block is 1025, and at most 1024",
        ),
        (
            12,
            "-accelsim tracer version = 6",
            "t:12: tracer version 6 is not known",
        ),
        (
            12,
            "-accelsim = 5",
            "t:17: the header has no line \"-accelsim tracer version = ...\"",
        ),
        (15, "what", "t:15: \"what\" stands where a header line"),
        (
            19,
            "thread block = 8,0,0",
            "t:19: the thread block is \"8,0,0\"",
        ),
        (21, "warp = 4", "t:21: the warp number is 4, and at most 3"),
        (
            22,
            "insts = 1000000000000",
            "t:77: \"warp = 1 (999999999947 short",
        ),
        (
            22,
            "insts = 99999999999999999999",
            "t:22: the number of instructions is \"99999999999999999999\"",
        ),
        (
            22,
            "insts = -1",
            "t:22: the number of instructions is \"-1\"",
        ),
        (
            23,
            "0000 1ffffffff 1 R1 MOV 0 0 0",
            "t:23: the lane mask is \"1ffffffff\"",
        ),
        (
            23,
            "0000 ffffffff 1 R256 MOV 0 0 0",
            "t:23: the destination register is \"R256\"",
        ),
        (
            23,
            "0000 ffffffff 9 R1 MOV 0 0 0",
            "t:23: the number of destinations is 9, and at most 8",
        ),
        (
            23,
            "0000 ffffffff 1 R1 MOV 4000000000 0 0",
            "t:23: the number of sources is 4000000000",
        ),
        (
            23,
            "0000 ffffffff 1 R1 MOV 0 0",
            "t:23: the line ends before the immediate",
        ),
        (
            23,
            "0000 ffffffff 1 R1 MOV 0 0 0 0",
            "t:23: \"0\" follows the last field",
        ),
        (
            23,
            "0000 ffffffff 1 R1 LDG.E 1 R2 4 3 0 0",
            "t:23: the address mode is 3, and at most 2",
        ),
        (
            23,
            "0000 00000005 1 R1 LDG.E 1 R2 4 1 0x0 4 0",
            "t:23: address mode 1 needs active lanes",
        ),
        (
            23,
            "0000 00000003 1 R1 LDG.E 1 R2 4 1 0x0 -4 0",
            "t:23: the address of lane 1 does not fit",
        ),
        (
            23,
            "0000 1 1 R1 LDG.E 1 R2 4 0 0xfffffffffffffffd 0",
            "t:23: the address of lane 0 does not",
        ),
        (
            23,
            "0000 1 1 R1 LDG.E 1 R2 4 2 0x10000000000000000 0",
            "t:23: the base address is",
        ),
    ];
    for (number, line, expected) in cases {
        let sentence = instructions(with_line(number, line).as_bytes()).expect_err(line);
        assert!(
            sentence.starts_with(expected),
            "{sentence}\nshould start with\n{expected}"
        );
        assert!(
            !sentence.contains('\n') && sentence.len() < 200,
            "{sentence}"
        );
    }
}

#[test]
fn files_that_are_no_traces_get_a_sentence() {
    let long = [b"-kernel name = ".to_vec(), vec![b'x'; 70_000]].concat();
    let cases: [(&[u8], &str); 8] = [
        (b"", "t:1: the file is empty"),
        (b"\n \n\n", "t:3: the file is empty"),
        (
            b"\x7fELF\x02\x01\x01\0\0",
            "t:1: this is no text (byte 0x7f in column 1)",
        ),
        (
            b"-kernel name = \xff\xfe",
            "t:1: this is no text (byte 0xff in column 16)",
        ),
        (b"\xfd7zXZ\0", "t:1: the file is compressed with xz"),
        (b"\x1f\x8b\x08", "t:1: the file is compressed with gzip"),
        (&long, "t:1: the line is longer than 65536 bytes"),
        (b"hello\n", "t:1: \"hello\" stands where a header line"),
    ];
    for (bytes, expected) in cases {
        let sentence = instructions(bytes).expect_err(expected);
        assert!(sentence.starts_with(expected), "{sentence}");
        let list = Trace::read(Cursor::new(bytes), Path::new("t"));
        assert!(list.is_err() || bytes.starts_with(b"-"), "{expected}");
    }
    let sentence = Summary::of(Path::new("/nonexistent/x"), |_, _| {})
        .unwrap_err()
        .to_string();
    assert!(
        sentence.starts_with("/nonexistent/x: the file cannot be opened"),
        "{sentence}"
    );
    let sentence = Summary::of(Path::new("/"), |_, _| {})
        .unwrap_err()
        .to_string();
    assert!(
        sentence.starts_with("/:1: the file cannot be read"),
        "{sentence}"
    );
}

#[test]
fn a_list_names_its_wrong_line() {
    let cases = [
        (
            "MemcpyHtoD,0x10\nkernel-1.traceg",
            "t:1: the line ends before the copy's size",
        ),
        (
            "MemcpyHtoD,0xzz,1\nkernel-1.traceg",
            "t:1: the copy's address is \"0xzz\"",
        ),
        (
            "MemcpyHtoD,0x10,5\n",
            "t:1: the file ends where a kernel's file name",
        ),
        (
            "MemcpyHtoD,0x10,5\nkernel-1.traceg.xz",
            "t:2: \"kernel-1.traceg.xz\" stands where",
        ),
        ("MemcpyHtoD,0x10,5\nrun me", "t:2: \"run me\" stands where"),
    ];
    for (text, expected) in cases {
        let sentence = Trace::read(Cursor::new(text), Path::new("t"))
            .unwrap_err()
            .to_string();
        assert!(sentence.starts_with(expected), "{sentence}");
    }
    let text = "MemcpyHtoD,0x10,5\nMemcpyDtoH,0x10,5\nkernel-1.traceg\nkernel-2.traceg\n";
    let list = Trace::read(Cursor::new(text), Path::new("folder/kernelslist.g")).unwrap();
    assert_eq!(list.copies.len(), 1);
    assert_eq!(
        list.kernels,
        [
            Path::new("folder/kernel-1.traceg"),
            Path::new("folder/kernel-2.traceg")
        ]
    );
}
