//! heap-fixed: every thread allocates small objects of one size and fills them, as a test of an allocator's throughput does.

use super::super::builder::Builder;
use super::super::instruction::SpecialRegister::{Block, BlockSize, Thread};
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::Layout;
use super::heap::{Heap, store};

/// Threads of a block.
const THREADS: usize = 256;
/// Blocks for a scale of 1.
const BLOCKS: usize = 12;
/// Objects of a thread.
const OBJECTS: usize = 4;
/// Bytes of an object, as a power of two.
const LOG: u64 = 4;
const REGISTERS: u32 = 32;

/// The kernel; a scale of 1 has 12 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let blocks = BLOCKS * scale as usize;
    let threads = THREADS * blocks;
    let mut layout = Layout::default();
    let b = &mut Builder::new();
    let heap = Heap::new(&mut layout, b);
    let pointers = layout.cleared("pointers", 2 * OBJECTS * threads);
    let [thread, slot, left, object] = b.registers();
    b.mad(thread, Block(0), BlockSize(0), Thread(0));
    b.mad(slot, thread, 8, pointers);
    b.mov(left, OBJECTS as u64);
    b.repeat(|b| {
        heap.allocate(b, object, LOG);
        store(b, object, 0, thread);
        store(b, object, 8, left);
        store(b, slot, 0, object);
        b.add(slot, slot, 8 * threads as u64);
        b.sub(left, left, 1);
        left
    });
    b.exit();
    let about = "heap: every thread allocates four objects of 16 B and fills them";
    let launch = Launch {
        grid: [blocks as u32, 1, 1],
        block: [THREADS as u32, 1, 1],
        shared_memory: 0,
    };
    let kernel = layout.kernel(b, "heap-fixed", about, launch, REGISTERS)?;
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

    #[test]
    fn every_object_is_its_threads_alone() {
        let kernel = kernel(2).unwrap();
        let threads = kernel.launch.blocks() as usize * THREADS;
        let memory = left(&kernel);
        let pointers = words(&kernel, &memory, "pointers", OBJECTS * threads);
        for (at, &pointer) in pointers.iter().enumerate() {
            let (round, thread) = (at / threads, at % threads);
            assert_eq!(memory.read(pointer, Eight), thread as u64);
            assert_eq!(memory.read(pointer + 8, Eight), (OBJECTS - round) as u64);
        }
        assert_apart(
            &kernel,
            pointers.into_iter().map(|at| (at, 1 << LOG)).collect(),
        );
    }
}
