//! What a trace contains.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::{Class, Copy, Event, Instruction, Kernel, Reader, Space, Trace, TraceError};
use crate::numbers::ratio;

/// Bytes of a cache line.
pub const LINE_BYTES: u64 = 1 << LINE_SHIFT;
const LINE_SHIFT: u32 = 7;
const SMALL_PAGE_SHIFT: u32 = 12;
const LARGE_PAGE_SHIFT: u32 = 16;

/// What a trace file contains.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// The file's name.
    pub file: String,
    /// The lines of the list that were skipped, in a sentence each.
    pub notes: Vec<String>,
    /// Copies from the host.
    pub copies: Vec<Copy>,
    /// Each kernel in the order of launch.
    pub kernels: Vec<KernelSummary>,
    /// All kernels together.
    pub total: Counts,
}

/// What one kernel's trace contains.
#[derive(Clone, Debug, Default, Serialize)]
pub struct KernelSummary {
    /// The kernel's file.
    pub file: String,
    /// Name, as the compiler mangled it.
    pub name: String,
    /// Number of the launch.
    pub id: u64,
    /// Thread blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
    /// Registers per thread.
    pub registers: u64,
    /// Shared memory per block, bytes.
    pub shared_memory_bytes: u64,
    /// Compute capability.
    pub binary_version: u64,
    /// Version of the tracer.
    pub tracer_version: u64,
    /// What was counted.
    pub counts: Counts,
}

/// Numbers of a kernel or of a whole trace.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    /// Thread blocks in the trace; the grid may have more.
    pub blocks: u64,
    /// Warps.
    pub warps: u64,
    /// Warp instructions.
    pub instructions: u64,
    /// Warp instructions with addresses.
    pub with_addresses: u64,
    /// Warp instructions without an active lane.
    pub without_lanes: u64,
    /// Active lanes, summed over the warp instructions.
    pub lanes: u64,
    /// Active lanes of a warp instruction on average.
    pub lanes_mean: f64,
    /// Warp instructions of each class.
    #[serde(serialize_with = "named")]
    pub classes: BTreeMap<Class, u64>,
    /// Registers named: the highest number that is not the zero register, plus one.
    pub registers_named: u32,
    /// Global memory alone.
    pub global: GlobalCounts,
}

/// Numbers of the global-memory instructions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GlobalCounts {
    /// Loads.
    pub loads: u64,
    /// Stores.
    pub stores: u64,
    /// Atomics and reductions.
    pub atomics: u64,
    /// Active lanes, summed over the instructions.
    pub lanes: u64,
    /// Distinct 4 KB pages.
    pub pages_4k: u64,
    /// Distinct 64 KB pages.
    pub pages_64k: u64,
    /// How many instructions touch so many lines of 128 bytes; 0 if no lane is active.
    pub lines: BTreeMap<u32, u64>,
    /// Lines of 128 bytes that an instruction with an active lane touches on average.
    pub lines_mean: f64,
    /// The distinct 4 KB pages.
    #[serde(skip)]
    pages: HashSet<u64>,
}

impl GlobalCounts {
    /// Global-memory instructions.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.loads + self.stores + self.atomics
    }
}

impl Counts {
    /// Works out what follows from the other numbers.
    fn finish(&mut self) {
        self.lanes_mean = ratio(self.lanes, self.instructions);
        let global = &mut self.global;
        let widen = LARGE_PAGE_SHIFT - SMALL_PAGE_SHIFT;
        let large: HashSet<u64> = global.pages.iter().map(|page| page >> widen).collect();
        global.pages_4k = global.pages.len() as u64;
        global.pages_64k = large.len() as u64;
        let lines: u64 = global
            .lines
            .iter()
            .map(|(&lines, number)| u64::from(lines) * number)
            .sum();
        let active = global.instructions() - global.lines.get(&0).unwrap_or(&0);
        global.lines_mean = ratio(lines, active);
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let lanes = u64::from(instruction.mask.count_ones());
        self.instructions += 1;
        self.lanes += lanes;
        self.without_lanes += u64::from(lanes == 0);
        self.with_addresses += u64::from(instruction.access.is_some());
        *self.classes.entry(instruction.class).or_default() += 1;
        for &register in instruction.destinations.iter().chain(&*instruction.sources) {
            if register != super::NO_REGISTER {
                self.registers_named = self.registers_named.max(u32::from(register) + 1);
            }
        }
        let Some(access) = instruction.global() else {
            return;
        };
        let global = &mut self.global;
        match instruction.class {
            Class::Store(Space::Global) => global.stores += 1,
            Class::Atomic(Space::Global) => global.atomics += 1,
            _ => global.loads += 1,
        }
        global.lanes += lanes;
        let lines = access.touched(instruction.mask, LINE_SHIFT).len() as u32;
        *global.lines.entry(lines).or_default() += 1;
        global
            .pages
            .extend(access.touched(instruction.mask, SMALL_PAGE_SHIFT));
    }

    fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.warps += other.warps;
        self.instructions += other.instructions;
        self.with_addresses += other.with_addresses;
        self.without_lanes += other.without_lanes;
        self.lanes += other.lanes;
        self.registers_named = self.registers_named.max(other.registers_named);
        for (&class, number) in &other.classes {
            *self.classes.entry(class).or_default() += number;
        }
        self.global.loads += other.global.loads;
        self.global.stores += other.global.stores;
        self.global.atomics += other.global.atomics;
        self.global.lanes += other.global.lanes;
        for (&lines, number) in &other.global.lines {
            *self.global.lines.entry(lines).or_default() += number;
        }
        self.global.pages.extend(&other.global.pages);
    }
}

impl KernelSummary {
    /// Counts one kernel; `progress` is told now and then how many bytes were read.
    ///
    /// # Errors
    /// If the trace is wrong somewhere.
    pub fn of(
        mut reader: Reader<'_>,
        file: String,
        mut progress: impl FnMut(u64),
    ) -> Result<Self, TraceError> {
        let mut counts = Counts::default();
        while let Some(event) = reader.next() {
            match event? {
                Event::Block(_) => {
                    counts.blocks += 1;
                    progress(reader.bytes());
                }
                Event::Warp(..) => counts.warps += 1,
                Event::Instruction(instruction) => counts.instruction(&instruction),
                Event::EndOfBlock => {}
            }
        }
        progress(reader.bytes());
        counts.finish();
        Ok(Self::with(reader.kernel().clone(), file, counts))
    }

    fn with(kernel: Kernel, file: String, counts: Counts) -> Self {
        Self {
            file,
            name: kernel.name,
            id: kernel.id,
            grid: kernel.grid,
            block: kernel.block,
            registers: kernel.registers,
            shared_memory_bytes: kernel.shared_memory,
            binary_version: kernel.binary_version,
            tracer_version: kernel.tracer_version,
            counts,
        }
    }
}

impl Summary {
    /// Counts all that a `.traceg` file or a `kernelslist.g` leads to; `progress` is told now and
    /// then how many bytes of the kernels' files were read, and of how many.
    ///
    /// # Errors
    /// If a file cannot be read or is wrong somewhere.
    pub fn of(path: &Path, mut progress: impl FnMut(u64, u64)) -> Result<Self, TraceError> {
        let trace = Trace::open(path)?;
        let mut summary = Self {
            file: path.display().to_string(),
            notes: trace.notes.iter().map(ToString::to_string).collect(),
            ..Self::default()
        };
        // Only for the progress: a file that is not there is told when its turn comes.
        let size = |path: &PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
        let size: u64 = trace.kernels.iter().map(size).sum();
        let mut before = 0;
        for (reader, path) in trace.readers().zip(&trace.kernels) {
            let mut bytes = 0;
            let kernel = KernelSummary::of(reader?, path.display().to_string(), |read| {
                bytes = read;
                // The index of a `.tracez` is read twice.
                progress(size.min(before + read), size);
            })?;
            before += bytes;
            summary.total.add(&kernel.counts);
            summary.kernels.push(kernel);
        }
        summary.total.finish();
        summary.copies = trace.copies;
        Ok(summary)
    }
}

/// Writes the classes by their names.
fn named<S: Serializer>(classes: &BTreeMap<Class, u64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(
        classes
            .iter()
            .map(|(class, number)| (class.to_string(), number)),
    )
}
