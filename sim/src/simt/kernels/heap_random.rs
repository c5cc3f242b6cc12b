//! heap-random: every thread allocates objects of random sizes, from 16 to 512 B, and writes to both ends of each.

use super::super::builder::Builder;
use super::super::instruction::SpecialRegister::{Block, BlockSize, Thread};
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::Layout;
use super::heap::{Heap, SMALLEST_LOG, store};

/// Threads of a block.
const THREADS: usize = 256;
/// Blocks for a scale of 1.
const BLOCKS: usize = 12;
/// Objects of a thread.
const OBJECTS: usize = 4;
/// Sizes; each is as likely.
const SIZES: u64 = 6;
/// The next random number of 64 bits follows from the last one by this product and sum (Knuth's MMIX).
const FACTOR: u64 = 6_364_136_223_846_793_005;
const SUM: u64 = 1_442_695_040_888_963_407;
const REGISTERS: u32 = 32;

/// The kernel; a scale of 1 has 12 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let blocks = BLOCKS * scale as usize;
    let threads = THREADS * blocks;
    let mut layout = Layout::default();
    let b = &mut Builder::new();
    let heap = Heap::new(&mut layout, b);
    let pointers = layout.cleared("pointers", 2 * OBJECTS * threads);
    let [thread, slot, left, random, log, object, last] = b.registers();
    b.mad(thread, Block(0), BlockSize(0), Thread(0));
    b.mad(slot, thread, 8, pointers);
    b.mad(random, thread, FACTOR, SUM);
    b.mov(left, OBJECTS as u64);
    b.repeat(|b| {
        b.mad(random, random, FACTOR, SUM);
        b.shr(log, random, 48);
        b.mul(log, log, SIZES);
        b.shr(log, log, 16);
        b.add(log, log, u64::from(SMALLEST_LOG));
        heap.allocate(b, object, log);
        b.shl(last, 1, log);
        b.add(last, last, object);
        store(b, object, 0, thread);
        store(b, last, -8, left);
        store(b, slot, 0, object);
        b.add(slot, slot, 8 * threads as u64);
        b.sub(left, left, 1);
        left
    });
    b.exit();
    let about = "heap: every thread allocates four objects of random sizes, 16 to 512 B";
    let launch = Launch {
        grid: [blocks as u32, 1, 1],
        block: [THREADS as u32, 1, 1],
        shared_memory: 0,
    };
    let kernel = layout.kernel(b, "heap-random", about, launch, REGISTERS)?;
    Ok(Kernel {
        is_ordered: true,
        ..kernel
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::operation::Width::Eight;
    use super::super::heap::tests::{assert_apart, left, words};
    use super::*;

    /// The sizes of a thread's objects, as powers of two.
    fn logs(thread: u64) -> impl Iterator<Item = u32> {
        let next = |random: u64| random.wrapping_mul(FACTOR).wrapping_add(SUM);
        let first = next(next(thread));
        let randoms = std::iter::successors(Some(first), move |&random| Some(next(random)));
        randoms.map(|random| SMALLEST_LOG + (((random >> 48) * SIZES) >> 16) as u32)
    }

    #[test]
    fn objects_of_all_sizes_are_their_threads_alone() {
        let kernel = kernel(1).unwrap();
        let threads = kernel.launch.blocks() as usize * THREADS;
        let memory = left(&kernel);
        let pointers = words(&kernel, &memory, "pointers", OBJECTS * threads);
        let mut objects = Vec::new();
        let mut of_size = [0; SIZES as usize];
        for thread in 0..threads {
            for (round, log) in (0..OBJECTS).zip(logs(thread as u64)) {
                let (pointer, bytes) = (pointers[round * threads + thread], 1u64 << log);
                assert_eq!(memory.read(pointer, Eight), thread as u64);
                let last = memory.read(pointer + bytes - 8, Eight);
                assert_eq!(last, (OBJECTS - round) as u64);
                objects.push((pointer, bytes));
                of_size[(log - SMALLEST_LOG) as usize] += 1;
            }
        }
        let expected = OBJECTS * threads / SIZES as usize;
        let is_fair = |&count: &usize| (expected * 9 / 10..expected * 11 / 10).contains(&count);
        assert!(of_size.iter().all(is_fair), "{of_size:?}");
        assert_apart(&kernel, objects);
    }
}
