//! Eleven kernels after the access patterns of Parboil's (Stratton et al., 2012), which the papers
//! measure: written for this project, with the coalescing of the originals but none of their code.
//!
//! Threads, shared memory and resident warps are those of the originals, compiled by NVIDIA's compiler
//! 11.8 for sm_35 and put on an SM of the paper. What they are not: the originals' instructions or
//! traces. Their mix of instructions and the distance between a load and its use are the author's
//! choice, and their problems are small by default: the inner loop of sgemm has 16 rounds where the
//! original has 992 or more, so that its stores weigh more than they should, and the arrays of lbm lie
//! 38 KB apart at a scale of 1, where the original's lie 9.5 MB apart.
//!
//! Constant memory and textures, which the instruction set has not, are shared and global memory
//! here. All of these kernels are free of races but for sums and for stores of equal values, and none reads
//! from global memory what was written there, so their memory and their registers at the end do not
//! depend on the order in which warps run or in which accesses that faulted come back.
//!
//! Four more kernels allocate memory on the device: three after what an allocator's benchmarks do, and a
//! quad-tree whose nodes allocate their children. Which place a thread gets depends on the order of warps.
//! So a machine takes what atomics return from the run without faults; their sums and all else are computed
//! in the machine's own order, and end the same.

mod bfs;
mod cutcp;
mod data;
mod heap;
mod heap_fixed;
mod heap_random;
mod heap_reuse;
mod histo;
mod lbm;
mod mri_gridding;
mod mri_q;
mod quad_tree;
mod sad;
mod sgemm;
mod spmv;
mod stencil;
mod tpacf;

use super::memory::Memory;
use super::program::{Program, ProgramError};
use super::warp::{LANES, Launch};
use crate::trace::{SM_BLOCKS, SM_WARPS};

/// Registers of a thread are given in so many at once, as on sm_35.
const REGISTER_UNIT: u32 = 8;
/// Registers of 32 bits that an SM has: 256 KB (Tanasic et al., Table 1).
pub const SM_REGISTERS: u32 = 65_536;
/// Bytes of shared memory that an SM has (Tanasic et al., Table 1).
pub const SM_SHARED_MEMORY: u32 = 32 << 10;

/// A range of global memory that a kernel uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// What is there.
    pub name: &'static str,
    /// The first byte; a multiple of 64 KB, and no two regions share as much.
    pub address: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// There is something before the kernel starts, which it reads.
    pub is_input: bool,
    /// The kernel writes it.
    pub is_output: bool,
}

/// A kernel with its data.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name in Parboil.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// The program.
    pub program: Program,
    /// Its size.
    pub launch: Launch,
    /// Global memory before it starts.
    pub memory: Memory,
    /// Registers of 32 bits that a thread of the original is given.
    pub registers: u32,
    /// The memory that it uses.
    pub regions: Vec<Region>,
    /// What its atomics return depends on the order in which warps run. A machine takes it from the run without faults, so that
    /// its warps go the ways of that run.
    pub is_ordered: bool,
}

impl Kernel {
    /// Thread blocks that an SM of the paper holds at once.
    #[must_use]
    pub fn blocks_per_sm(&self) -> u32 {
        blocks_per_sm(&self.launch, self.registers)
    }

    /// A region by its name.
    #[must_use]
    pub fn region(&self, name: &str) -> Option<&Region> {
        self.regions.iter().find(|region| region.name == name)
    }
}

/// Thread blocks of a launch with so many registers a thread that an SM of the paper holds at once; 0 if none fits.
#[must_use]
pub fn blocks_per_sm(launch: &Launch, registers: u32) -> u32 {
    let warps = launch.warps_per_block().max(1);
    let registers = registers.next_multiple_of(REGISTER_UNIT).max(1);
    let shared = SM_SHARED_MEMORY.checked_div(launch.shared_memory);
    [
        SM_BLOCKS,
        SM_WARPS / warps,
        SM_REGISTERS / (registers * warps * LANES as u32),
        shared.unwrap_or(SM_BLOCKS),
    ]
    .into_iter()
    .fold(SM_BLOCKS, u32::min)
}

/// Makes a kernel; the scale multiplies its thread blocks, and 1 keeps one SM busy for some 10,000 to
/// 50,000 warp instructions.
pub type Make = fn(scale: u32) -> Result<Kernel, ProgramError>;

/// Every kernel by its name.
pub const KERNELS: [(&str, Make); 11] = [
    ("bfs", bfs::kernel),
    ("cutcp", cutcp::kernel),
    ("histo", histo::kernel),
    ("lbm", lbm::kernel),
    ("mri-gridding", mri_gridding::kernel),
    ("mri-q", mri_q::kernel),
    ("sad", sad::kernel),
    ("sgemm", sgemm::kernel),
    ("spmv", spmv::kernel),
    ("stencil", stencil::kernel),
    ("tpacf", tpacf::kernel),
];

/// Kernels that show what a choice in another one's program is worth, by their names.
pub const VARIANTS: [(&str, Make); 3] = [
    ("lbm-8-warps", lbm::at_8_warps),
    ("lbm-offsets", lbm::with_offsets),
    ("lbm-pointers", lbm::with_pointers),
];

/// Kernels that allocate memory on the device, by their names.
pub const ALLOCATING: [(&str, Make); 4] = [
    ("heap-fixed", heap_fixed::kernel),
    ("heap-random", heap_random::kernel),
    ("heap-reuse", heap_reuse::kernel),
    ("quad-tree", quad_tree::kernel),
];

/// The kernel of a name, of any list.
#[must_use]
pub fn named(name: &str) -> Option<Make> {
    let mut all = KERNELS.iter().chain(&VARIANTS).chain(&ALLOCATING);
    let known = all.find(|(known, _)| *known == name);
    known.map(|&(_, make)| make)
}

#[cfg(test)]
mod tests {
    use super::super::run::run;
    use super::*;

    #[test]
    fn kernels_are_as_large_as_they_say() {
        for (name, make) in KERNELS.into_iter().chain(VARIANTS) {
            let kernel = make(1).unwrap();
            assert_eq!(kernel.name, name);
            assert!(
                kernel.registers >= kernel.program.registers().into(),
                "{name}"
            );
            // More blocks than fit, so that some wait.
            assert!(kernel.launch.blocks() > kernel.blocks_per_sm(), "{name}");
            let run = run(&kernel.program, &kernel.launch, kernel.memory).unwrap();
            let steps = run.steps();
            assert!((10_000..=200_000).contains(&steps), "{name}: {steps}");
        }
    }

    /// Blocks that an SM holds, and warps of each.
    #[test]
    fn registers_and_shared_memory_limit_the_resident_warps() {
        let resident = [
            ("bfs", (2, 16)),
            ("cutcp", (7, 4)),
            ("histo", (1, 24)),
            ("lbm", (12, 4)),
            ("lbm-8-warps", (2, 4)),
            ("lbm-offsets", (2, 4)),
            ("lbm-pointers", (12, 4)),
            ("mri-gridding", (16, 2)),
            ("mri-q", (8, 8)),
            ("sad", (14, 2)),
            ("sgemm", (10, 4)),
            ("spmv", (10, 6)),
            ("stencil", (16, 4)),
            ("tpacf", (2, 8)),
        ];
        for (name, blocks_and_warps) in resident {
            let kernel = named(name).unwrap()(1).unwrap();
            let (blocks, warps) = (kernel.blocks_per_sm(), kernel.launch.warps_per_block());
            assert_eq!((blocks, warps), blocks_and_warps, "{name}");
        }
    }

    #[test]
    fn kernels_are_printed_and_read_back() {
        for (name, make) in KERNELS.into_iter().chain(VARIANTS) {
            let program = make(1).unwrap().program;
            let read = super::super::assemble(&program.to_string());
            assert_eq!(read, Ok(program), "{name}");
        }
    }
}
