//! heap-reuse: every thread allocates two objects at a time, writes both, reads one and frees it, and keeps the other; what it
//! has freed it allocates again.

use super::super::builder::Builder;
use super::super::instruction::SpecialRegister::{Block, BlockSize, Thread};
use super::super::operation::Operation;
use super::super::operation::Space::Global;
use super::super::operation::Width::Eight;
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::Layout;
use super::heap::{Heap, store};

/// Threads of a block.
const THREADS: usize = 256;
/// Blocks for a scale of 1.
const BLOCKS: usize = 12;
/// Pairs of objects of a thread.
const ROUNDS: usize = 4;
/// Bytes of an object, as a power of two.
const LOG: u64 = 6;
const REGISTERS: u32 = 32;

/// The kernel; a scale of 1 has 12 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let blocks = BLOCKS * scale as usize;
    let threads = THREADS * blocks;
    let mut layout = Layout::default();
    let b = &mut Builder::new();
    let heap = Heap::new(&mut layout, b);
    let pointers = layout.cleared("pointers", 2 * ROUNDS * threads);
    let sums = layout.cleared("sums", 2 * threads);
    let [thread, slot, left, list] = b.registers();
    let [freed, kept, value, sum] = b.registers();
    b.mad(thread, Block(0), BlockSize(0), Thread(0));
    b.mad(slot, thread, 8, pointers);
    b.mov(left, ROUNDS as u64);
    b.mov(list, 0);
    b.mov(sum, 0);
    b.repeat(|b| {
        b.mad(value, thread, 8, left);
        for object in [freed, kept] {
            heap.reuse(b, object, list, LOG);
            store(b, object, 0, value);
            store(b, object, (1 << LOG) - 8, thread);
        }
        b.access(Operation::Load(Global, Eight), Some(value), freed, 0, None);
        b.add(sum, sum, value);
        heap.free(b, freed, list);
        store(b, slot, 0, kept);
        b.add(slot, slot, 8 * threads as u64);
        b.sub(left, left, 1);
        left
    });
    b.mad(slot, thread, 8, sums);
    store(b, slot, 0, sum);
    b.exit();
    let about = "heap: every thread allocates, writes, reads and frees, and allocates again";
    let launch = Launch {
        grid: [blocks as u32, 1, 1],
        block: [THREADS as u32, 1, 1],
        shared_memory: 0,
    };
    let kernel = layout.kernel(b, "heap-reuse", about, launch, REGISTERS)?;
    Ok(Kernel {
        is_ordered: true,
        ..kernel
    })
}

#[cfg(test)]
mod tests {
    use super::super::heap::tests::{assert_apart, left, words};
    use super::*;

    #[test]
    fn what_was_freed_comes_again_and_what_was_kept_stays() {
        let kernel = kernel(1).unwrap();
        let threads = kernel.launch.blocks() as usize * THREADS;
        let memory = left(&kernel);
        let kept = words(&kernel, &memory, "pointers", ROUNDS * threads);
        for (at, &pointer) in kept.iter().enumerate() {
            let (round, thread) = ((at / threads) as u64, (at % threads) as u64);
            let value = 8 * thread + ROUNDS as u64 - round;
            assert_eq!(memory.read(pointer, Eight), value);
            assert_eq!(memory.read(pointer + (1 << LOG) - 8, Eight), thread);
        }
        let rounds = 1..=ROUNDS as u64;
        let sum = |thread: u64| rounds.clone().map(|left| 8 * thread + left).sum::<u64>();
        let sums = words(&kernel, &memory, "sums", threads);
        assert!(sums.into_iter().eq((0..threads as u64).map(sum)));
        assert_apart(&kernel, kept.into_iter().map(|at| (at, 1 << LOG)).collect());
        // A thread takes a new object for each that it keeps, and one more. The counter of a size follows the heap's, a line each.
        let taken = words(&kernel, &memory, "counters", 64)[16 * (LOG as usize - 3)];
        assert_eq!(taken, ((ROUNDS + 1) * threads) as u64);
    }
}
