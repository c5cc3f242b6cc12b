//! Three kernels, traced by hand: what the compiler would make of them, executed in Rust.

use super::assemble::{At, Irregular, Kernel, Warp};

const ALL: u32 = u32::MAX;
const X: u64 = 0x7f4a_a000_0000;
const Y: u64 = 0x7f4a_a020_0000;
const Z: u64 = 0x7f4a_a041_0000;
const SHARED: u64 = 0;
const LOCAL: u64 = 0xff_fc00;

/// The files and what is in them.
pub fn files() -> Vec<(&'static str, String)> {
    let list = format!(
        "MemcpyHtoD,{X:#018x},16000\nMemcpyHtoD,{Y:#018x},16000\nMemcpyHtoD,{Z:#018x},65536\n\
         kernel-1-saxpy.traceg\nkernel-2-gather.traceg\nkernel-3-transpose.traceg\n"
    );
    vec![
        ("kernelslist.g", list),
        ("kernel-1-saxpy.traceg", saxpy()),
        ("kernel-2-gather.traceg", gather()),
        ("kernel-3-transpose.traceg", transpose()),
    ]
}

/// The lanes for which a condition holds.
fn lanes(condition: impl Fn(u32) -> bool) -> u32 {
    (0..32)
        .filter(|&lane| condition(lane))
        .map(|lane| 1 << lane)
        .sum()
}

/// y[i] = a x[i] + y[i] for 4,000 elements by 1,024 threads in a grid-stride loop, whose fourth pass
/// is a partial one: 8 blocks of 4 warps.
fn saxpy() -> String {
    const ELEMENTS: u32 = 4000;
    const THREADS: u32 = 1024;
    let kernel = Kernel {
        name: "_Z5saxpyifPKfPf",
        id: 1,
        blocks: 8,
        threads: 128,
        registers: 14,
        shared_memory: 0,
        binary_version: 80,
        tracer_version: 5,
        line_info: false,
        irregular: Irregular::Deltas,
    };
    kernel.trace(|block, number, warp| {
        let first = block * 128 + number * 32;
        let at = |pc| At(pc, 0);
        warp.plain(at(0x00), ALL, "MOV", "R1 <-");
        warp.plain(at(0x10), ALL, "S2R", "R0 <-");
        warp.plain(at(0x20), ALL, "S2R", "R3 <-");
        warp.plain(at(0x30), ALL, "IMAD", "R0 <- R0 R3");
        warp.plain(at(0x40), ALL, "ISETP.GE.AND", "R0");
        warp.plain(at(0x50), 0, "EXIT", "");
        warp.plain(at(0x60), ALL, "ULDC.64", "");
        warp.plain(at(0x70), ALL, "HFMA2.MMA", "R7 <- R255 R255");
        let mut mask = ALL;
        for pass in (0..).take_while(|pass| first + pass * THREADS < ELEMENTS) {
            let element = |lane: u32| first + pass * THREADS + lane;
            mask = lanes(|lane| element(lane) < ELEMENTS);
            let byte = |lane: u32| 4 * u64::from(element(lane));
            warp.plain(at(0x80), mask, "IMAD.WIDE", "R2 <- R0 R7");
            warp.plain(at(0x90), mask, "IMAD.WIDE", "R4 <- R0 R7");
            warp.memory(at(0xa0), mask, "LDG.E.CONSTANT", "R2 <- R2", |lane| {
                X + byte(lane)
            });
            warp.memory(at(0xb0), mask, "LDG.E", "R9 <- R4", |lane| Y + byte(lane));
            warp.plain(at(0xc0), mask, "MOV", "R11 <-");
            warp.plain(at(0xd0), mask, "ULDC", "");
            warp.plain(at(0xe0), mask, "IMAD", "R0 <- R11 R0");
            warp.plain(at(0xf0), mask, "ISETP.GE.AND", "R0");
            warp.plain(at(0x100), mask, "FFMA", "R9 <- R2 R9");
            warp.memory(at(0x110), mask, "STG.E", "R4 R9", |lane| Y + byte(lane));
            warp.plain(at(0x120), mask, "BRA", "");
        }
        // Lanes that left the loop a pass earlier leave the kernel first.
        if mask != ALL {
            warp.plain(at(0x130), !mask, "EXIT", "");
        }
        warp.plain(at(0x130), mask, "EXIT", "");
    })
}

/// A permutation of 14 bits that scatters neighbours: an odd multiplier and an offset.
fn scatter(value: u32) -> u32 {
    (value.wrapping_mul(0x2e51) + 0x1357) & 0x3fff
}

/// Each thread follows a chain of one to four indices through a table, and counts where it ends:
/// gathers under divergent masks. Three blocks of 2.5 warps; with line information.
fn gather() -> String {
    let kernel = Kernel {
        name: "_Z6gatherPK5int2Pj",
        id: 2,
        blocks: 3,
        threads: 80,
        registers: 12,
        shared_memory: 0,
        binary_version: 61,
        tracer_version: 4,
        line_info: true,
        irregular: Irregular::List,
    };
    kernel.trace(|block, number, warp| {
        let live = lanes(|lane| number * 32 + lane < 80);
        let thread = |lane: u32| block * 80 + number * 32 + lane;
        let length = |lane: u32| 1 + scatter(thread(lane)) % 4;
        let index = |lane: u32, hop: u32| (0..=hop).fold(thread(lane), |at, _| scatter(at));
        warp.plain(At(0x08, 11), live, "MOV", "R1 <-");
        warp.plain(At(0x10, 12), live, "S2R", "R0 <-");
        warp.plain(At(0x18, 12), live, "XMAD", "R0 <- R0 R255");
        warp.plain(At(0x28, 13), live, "SSY", "");
        for hop in 0..4 {
            let mask = live & lanes(|lane| hop < length(lane));
            let again = live & lanes(|lane| hop + 1 < length(lane));
            warp.plain(At(0x30, 14), mask, "SHL", "R4 <- R0");
            warp.plain(At(0x38, 14), mask, "IADD.X", "R5 <- R0");
            let entry = |lane| X + 8 * u64::from(index(lane, hop));
            warp.memory(At(0x48, 14), mask, "LDG.E.64", "R2 <- R4", entry);
            warp.plain(At(0x50, 15), mask, "ISETP.NE.AND", "R3");
            warp.plain(At(0x58, 15), mask & !again, "SYNC", "");
            warp.plain(At(0x68, 15), again, "BRA", "");
            if again == 0 {
                break;
            }
        }
        let count = |lane| Y + 4 * u64::from(index(lane, length(lane) - 1) % 64);
        warp.memory(At(0x70, 17), live, "RED.E.ADD", "R6 R2", count);
        let odd = live & lanes(|lane| lane % 2 == 1);
        let old = |lane| Y + 0x1000 + 4 * u64::from(lane);
        warp.memory(At(0x78, 18), odd, "ATOM.E.ADD", "R8 <- R6 R2", old);
        // No lane's predicate is true: the address list is empty.
        warp.memory(At(0x88, 19), 0, "ST.E.U8", "R6 R2", |_| 0);
        warp.plain(At(0x90, 20), live, "EXIT", "");
    })
}

/// A tile of 32 x 32 words, read along rows and written down columns a page apart, four words a
/// store; with a spill to local memory, a write from the highest lane to the lowest, and a read
/// through the window of shared memory.
fn transpose() -> String {
    let kernel = Kernel {
        name: "_Z9transposePK4int4PS_",
        id: 3,
        blocks: 4,
        threads: 64,
        registers: 24,
        shared_memory: 4096,
        binary_version: 86,
        tracer_version: 5,
        line_info: false,
        irregular: Irregular::Deltas,
    };
    kernel.trace(|block, number, warp: &mut Warp| {
        let at = |pc| At(pc, 0);
        let (tile, half) = (u64::from(block), u64::from(number));
        warp.plain(at(0x00), ALL, "S2R", "R0 <-");
        warp.plain(at(0x10), ALL, "IMAD.WIDE.U32", "R2 <- R0 R7");
        let row = |lane: u32| Z + tile * 0x4000 + half * 0x200 + 16 * u64::from(lane);
        warp.memory(at(0x20), ALL, "LDG.E.128", "R4 <- R2", row);
        let slot = |lane: u32| SHARED + half * 0x200 + 16 * u64::from(lane);
        warp.memory(at(0x30), ALL, "STS.128", "R8 R4", slot);
        warp.plain(at(0x40), ALL, "BAR.SYNC.DEFER_BLOCKING", "");
        // Row 8 apart in steps of 33 words, so that no two lanes meet in a bank.
        let skewed = |lane: u32| SHARED + 4 * u64::from(lane % 8 * 33 + lane / 8);
        warp.memory(at(0x50), ALL, "LDS", "R12 <- R8", skewed);
        warp.memory(at(0x60), ALL, "STL.64", "R1 R12", |lane| {
            LOCAL + 8 * u64::from(lane)
        });
        let window = |lane: u32| 0x7f4a_d400_0000 + 4 * u64::from(lane);
        warp.memory(at(0x70), ALL, "LD.E", "R13 <- R10", window);
        for step in 0..8 {
            let pc = 0x80 + 0x20 * step;
            let column = |lane: u32| {
                Y + 0x10000 * u64::from(lane) + tile * 0x800 + half * 0x400 + 16 * u64::from(step)
            };
            warp.plain(at(pc), ALL, "IADD3", "R14 <- R14 R2 R255");
            warp.memory(at(pc + 0x10), ALL, "STG.E.128", "R14 R4", column);
        }
        let reversed = |lane: u32| Z + 0x10_0000 + tile * 0x100 + 4 * u64::from(31 - lane);
        warp.memory(at(0x180), ALL, "STG.E", "R16 R12", reversed);
        // Doublewords that are spread over many lines: every third lane is off.
        let third = lanes(|lane| lane % 3 != 2);
        let ragged = |lane: u32| Z + 0x20_0000 + tile * 0x1000 + 120 * u64::from(lane);
        warp.memory(at(0x190), third, "STG.E.64", "R18 R12", ragged);
        warp.memory(at(0x1a0), 1, "STG.E.U16", "R18 R255", |_| Z + 0x30_0ffe);
        warp.plain(at(0x1b0), ALL, "EXIT", "");
    })
}
