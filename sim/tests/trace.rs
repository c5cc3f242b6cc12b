//! The trace reader on the project's own traces and on patterns of addresses.

#[path = "../examples/write_traces/assemble.rs"]
mod assemble;
#[path = "../examples/write_traces/kernels.rs"]
mod kernels;
mod reading;

use std::io::Cursor;
use std::path::{Path, PathBuf};

use assemble::{At, Irregular, Kernel};
use faultline_sim::trace::{Class, GlobalAccesses, NO_REGISTER, Reader, SAXPY, Space, Summary};
use reading::instructions;

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("traces")
        .join(name)
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
    // In each warp the store without an active lane, and the last branch back.
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
    assert_eq!(accesses.resident_blocks(), 8, "the whole grid fits");
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
