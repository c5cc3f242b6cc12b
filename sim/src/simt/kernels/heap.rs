//! A heap from which threads allocate on the device, with atomics.
//!
//! The heap is cut into chunks, and each chunk serves allocations of one size, a power of two; so do the slabs of Halloc
//! (Adinetz and Pleiter, 2014), whose benchmarks the paper runs. Each size has a counter of the places that were given out. A
//! thread takes the next place by a fetch-and-add. The thread that takes a chunk's first place also takes the chunk, from the
//! heap's counter, and enters it into a table of the size; the others wait for that entry. The places of a warp lie side by
//! side, and groups of 32 places are spread over the chunk, so that warps that allocate one after the other do not meet in a
//! page.
//!
//! A thread keeps what it frees in a list of its own, which goes through the first bytes of what was freed, and takes from there
//! first. So memory never passes from one warp to another, and what a warp reads does not depend on other warps.
//!
//! Counters and tables are zeros that the CPU has written. The heap's pages are unowned until they are used.

use super::super::builder::{Builder, Reg};
use super::super::instruction::Operand;
use super::super::operation::Operation;
use super::super::operation::Space::Global;
use super::super::operation::Width::Eight;
use super::data::Layout;

/// Bytes of a chunk, as a power of two.
pub const CHUNK_LOG: u32 = 21;
/// The smallest allocation, and the number of sizes; each is twice the one before. Bytes, as powers of two.
pub const SMALLEST_LOG: u32 = 4;
const SIZES: u64 = 6;
/// Chunks: enough for every kernel at a scale of 1,024.
const CHUNKS: u64 = 4096;
/// Each counter has a line of memory of its own.
const LINE: u64 = 128;
/// Bytes of a size's table.
const TABLE: u64 = 4 * CHUNKS;
/// The distance, in groups of 32 places, from a group to the next: odd, so that each place of a chunk comes once.
const SPREAD: u64 = 40_503;

/// A heap, and registers for the code that allocates from it.
pub struct Heap {
    /// The heap's counter of chunks, with those of the sizes behind it.
    counters: u64,
    tables: u64,
    /// Where the chunks begin.
    start: u64,
    registers: [Reg; 6],
}

impl Heap {
    /// A heap of which nothing is allocated.
    pub fn new(layout: &mut Layout, b: &mut Builder) -> Self {
        let words = |bytes: u64| (bytes / 4) as usize;
        Self {
            counters: layout.cleared("counters", words(LINE * (1 + SIZES))),
            tables: layout.cleared("tables", words(TABLE * SIZES)),
            start: layout.output("heap", words(CHUNKS << CHUNK_LOG)),
            registers: b.registers(),
        }
    }

    /// Each lane gets the address of so many bytes, which are given as a power of two.
    pub fn allocate(&self, b: &mut Builder, to: Reg, log: impl Into<Operand>) {
        let log = log.into();
        let [entry, place, places_log, inside, chunk, waits] = self.registers;
        let smallest = u64::from(SMALLEST_LOG);
        b.sub(places_log, u64::from(CHUNK_LOG), log);
        b.mad(entry, log, LINE, self.counters - LINE * (smallest - 1));
        b.fetch_add(Global, place, entry, 0, 1);
        b.mad(entry, log, TABLE, self.tables - TABLE * smallest);
        b.shr(chunk, place, places_log);
        b.mad(entry, chunk, 4, entry);
        b.shl(inside, 1, places_log);
        b.sub(inside, inside, 1);
        b.and(place, place, inside);
        b.set_eq(waits, place, 0);
        b.when(waits, |b| {
            b.mov(waits, self.counters);
            b.fetch_add(Global, chunk, waits, 0, 1);
            // An entry of 0 is none.
            b.add(chunk, chunk, 1);
            b.store(Global, entry, 0, chunk);
        });
        b.repeat(|b| {
            b.fetch_add(Global, chunk, entry, 0, 0);
            b.set_eq(waits, chunk, 0);
            waits
        });
        b.shr(places_log, place, 5);
        b.mul(places_log, places_log, 32 * SPREAD);
        b.and(place, place, 31);
        b.add(place, place, places_log);
        b.and(place, place, inside);
        b.shl(place, place, log);
        b.mad(to, chunk, 1 << CHUNK_LOG, place);
        b.add(to, to, self.start - (1 << CHUNK_LOG));
    }

    /// As [`Heap::allocate`], but what the thread has freed last comes first; all of its list is of this size.
    pub fn reuse(&self, b: &mut Builder, to: Reg, list: Reg, log: impl Into<Operand>) {
        b.when_else(
            list,
            |b| {
                b.mov(to, list);
                b.access(Operation::Load(Global, Eight), Some(list), to, 0, None);
            },
            |b| self.allocate(b, to, log),
        );
    }

    /// Puts an allocation into the thread's list.
    pub fn free(&self, b: &mut Builder, freed: Reg, list: Reg) {
        store(b, freed, 0, list);
        b.mov(list, freed);
    }
}

/// `st.64 [address + offset], data`.
pub fn store(b: &mut Builder, address: Reg, offset: i64, data: Reg) {
    let operation = Operation::Store(Global, Eight);
    b.access(operation, None, address, offset, Some(data));
}

#[cfg(test)]
pub mod tests {
    use super::super::super::assemble;
    use super::super::super::instruction::SpecialRegister::{Block, Thread};
    use super::super::super::memory::Memory;
    use super::super::super::run::run;
    use super::super::super::warp::Launch;
    use super::super::{ALLOCATING, Kernel};
    use super::*;

    /// What a kernel leaves.
    pub fn left(kernel: &Kernel) -> Memory {
        let memory = kernel.memory.clone();
        run(&kernel.program, &kernel.launch, memory).unwrap().memory
    }

    /// The first `count` words of 8 bytes of a region.
    pub fn words(kernel: &Kernel, memory: &Memory, region: &str, count: usize) -> Vec<u64> {
        let region = kernel.region(region).unwrap();
        assert!(8 * count as u64 <= region.bytes);
        let place = |place: u64| region.address + 8 * place;
        (0..count as u64)
            .map(|at| memory.read(place(at), Eight))
            .collect()
    }

    /// Fails unless allocations lie in the heap, at multiples of their sizes, and none overlaps another one.
    pub fn assert_apart(kernel: &Kernel, mut allocations: Vec<(u64, u64)>) {
        let heap = kernel.region("heap").unwrap();
        allocations.sort_unstable();
        for &(address, bytes) in &allocations {
            let inside = heap.address..=heap.address + heap.bytes - bytes;
            assert!(inside.contains(&address) && address.is_multiple_of(bytes));
        }
        for pair in allocations.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:x?}");
        }
    }

    #[test]
    fn kernels_allocate_and_are_of_moderate_length() {
        for (name, make) in ALLOCATING {
            let kernel = make(1).unwrap();
            assert_eq!((kernel.name, kernel.is_ordered), (name, true));
            assert!(kernel.registers >= kernel.program.registers().into());
            assert!(kernel.launch.blocks() > kernel.blocks_per_sm(), "{name}");
            let read = assemble(&kernel.program.to_string());
            assert_eq!(read.as_ref(), Ok(&kernel.program), "{name}");
            let run = run(&kernel.program, &kernel.launch, kernel.memory.clone()).unwrap();
            let steps = run.steps();
            assert!((10_000..=200_000).contains(&steps), "{name}: {steps}");
            let taken = words(&kernel, &run.memory, "counters", 1)[0];
            assert!((1..CHUNKS).contains(&taken), "{name}: {taken} chunks");
            for step in run.warps.iter().flat_map(|warp| &warp.steps) {
                let instruction = kernel.program.at(step.pc);
                let global = step
                    .addresses
                    .as_ref()
                    .filter(|_| instruction.class().is_global());
                let lanes = (0..32).filter(|lane| step.mask >> lane & 1 == 1);
                for address in lanes.filter_map(|lane: usize| Some(global?[lane])) {
                    let inside = kernel.regions.iter().any(|region| {
                        (region.address..region.address + region.bytes).contains(&address)
                    });
                    assert!(inside, "{name}: {instruction} at {address:#x}");
                }
            }
        }
    }

    /// All of a chunk is given out before the next one is begun, and each place once.
    #[test]
    fn chunks_are_used_up() {
        let mut layout = Layout::default();
        let b = &mut Builder::new();
        let heap = Heap::new(&mut layout, b);
        let [to, slot] = b.registers();
        let log = SMALLEST_LOG + 5;
        let places = 1usize << (CHUNK_LOG - log);
        let pointers = layout.output("pointers", 4 * places);
        b.mad(slot, Block(0), 1024, Thread(0));
        b.mad(slot, slot, 8, pointers);
        heap.allocate(b, to, u64::from(log));
        store(b, slot, 0, to);
        b.exit();
        let launch = Launch {
            grid: [(2 * places / 1024) as u32, 1, 1],
            block: [1024, 1, 1],
            shared_memory: 0,
        };
        let kernel = layout.kernel(b, "chunks", "allocates", launch, 32).unwrap();
        let memory = left(&kernel);
        let pointers = words(&kernel, &memory, "pointers", 2 * places);
        let start = kernel.region("heap").unwrap().address;
        for (chunk, of_chunk) in pointers.chunks(places).enumerate() {
            let mut inside: Vec<u64> = of_chunk.iter().map(|pointer| pointer - start).collect();
            inside.sort_unstable();
            let first = (chunk as u64) << CHUNK_LOG;
            let expected = (0..places as u64).map(|place| first + (place << log));
            assert!(inside.into_iter().eq(expected), "chunk {chunk}");
        }
    }
}
