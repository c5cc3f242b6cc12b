//! histo: a histogram of many bins.
//!
//! A block counts in shared memory, over which it clears before and hands to global memory after, each
//! behind a barrier; values that the shared part has no bin for go to global memory at once. The
//! values crowd in the middle, so that lanes meet in the same bin. Each thread strides over its share
//! and loads one value at a time, as the compiled kernel does.

use super::super::builder::Builder;
use super::super::instruction::SpecialRegister::{Block, BlockSize, Thread};
use super::super::operation::Space::{Global, Shared};
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::{Layout, Values};

/// Threads of a block.
const THREADS: usize = 768;
/// Blocks for a scale of 1.
const BLOCKS: usize = 6;
/// All bins.
const BINS: usize = 12_288;
/// The first bin in shared memory.
const FIRST: usize = 3072;
/// Bins in shared memory.
const SHARED_BINS: usize = 6144;
/// Values of a thread.
const SHARE: usize = 24;
const REGISTERS: u32 = 19;

fn values(scale: u32) -> Vec<u32> {
    let mut values = Values(6);
    // The mean of four numbers: a bell.
    let value = |_| (0..4).map(|_| values.below(BINS as u32)).sum::<u32>() / 4;
    (0..THREADS * BLOCKS * SHARE * scale as usize)
        .map(value)
        .collect()
}

/// The kernel; a scale of 1 has 6 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let blocks = BLOCKS * scale as usize;
    let mut layout = Layout::default();
    let from = layout.input("values", &values(scale));
    let bins = layout.output("bins", BINS);
    let stride = 4 * (THREADS * blocks) as u64;

    let b = &mut Builder::new();
    let [pointer, slot, left, count, place, outside, value] = b.registers();
    b.shl(slot, Thread(0), 2);
    for step in 0..SHARED_BINS / THREADS {
        b.store(Shared, slot, 4 * (step * THREADS) as i64, 0);
    }
    b.mad(pointer, Block(0), BlockSize(0), Thread(0));
    b.mad(pointer, pointer, 4, from);
    b.barrier();
    b.mov(left, SHARE as i32);
    b.repeat(|b| {
        b.load(Global, value, pointer, 0);
        b.add(pointer, pointer, stride);
        b.sub(left, left, 1);
        b.sub(count, value, FIRST as i32);
        b.set_lt(place, count, 0);
        b.set_lt(outside, SHARED_BINS as i32 - 1, count);
        b.or(outside, outside, place);
        b.when_else(
            outside,
            |b| {
                b.mad(place, value, 4, bins);
                b.atomic_add(Global, place, 0, 1);
            },
            |b| {
                b.shl(place, count, 2);
                b.atomic_add(Shared, place, 0, 1);
            },
        );
        left
    });
    b.barrier();
    b.add(place, slot, bins);
    for step in 0..SHARED_BINS / THREADS {
        let bin = 4 * (step * THREADS) as i64;
        b.load(Shared, count, slot, bin);
        b.set_lt(outside, 0, count);
        b.when(outside, |b| {
            b.atomic_add(Global, place, bin + 4 * FIRST as i64, count);
        });
    }
    b.exit();
    let about = "histogram: atomics in shared memory, some in global, few blocks of many warps";
    let launch = Launch {
        grid: [blocks as u32, 1, 1],
        block: [THREADS as u32, 1, 1],
        shared_memory: 4 * SHARED_BINS as u32,
    };
    layout.kernel(b, "histo", about, launch, REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::super::data::result;
    use super::*;

    #[test]
    fn counts_every_value_once() {
        for scale in [1, 2] {
            let mut expected = vec![0; BINS];
            for value in values(scale) {
                expected[value as usize] += 1;
            }
            assert_eq!(result(&kernel(scale).unwrap(), "bins"), expected);
        }
    }
}
