//! Compiled programs that the crate has: CUDA of its own after the programs of the papers, at their problem sizes.

use std::ops::Range;
use std::path::Path;

use crate::compiled::{Compiled, Started};
use crate::launch_file::{Error, LaunchFile};
use crate::machines::sm::Work;
use crate::ptx::lower::Options;
use crate::ptx::{PtxError, parse};

/// Sixteenths of a launch file's thread blocks: what the papers' 16 SMs run.
const WHOLE: u32 = 16;

/// A program with its launch file.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    ptx: &'static str,
    launch: &'static str,
}

macro_rules! program {
    ($name:literal) => {
        program!($name, concat!("../programs/", $name, ".ptx"))
    };
    ($name:literal, $ptx:expr) => {
        Program {
            name: $name,
            ptx: include_str!($ptx),
            launch: include_str!(concat!("../programs/papers/", $name, ".toml")),
        }
    };
}

/// The algorithms of Parboil's programs, from which the figures of Tanasic et al. (MICRO-50) are.
pub const PARBOIL: [Program; 11] = [
    program!("bfs"),
    program!("cutcp"),
    program!("histo"),
    program!("lbm", "../programs/papers/lbm.ptx"),
    program!("mri-gridding"),
    program!("mri-q"),
    program!("sad"),
    program!("sgemm"),
    program!("spmv"),
    program!("stencil"),
    program!("tpacf"),
];

/// The algorithms of Rodinia's programs, and a formula of finance, on which Power et al. (HPCA 2014), Zheng et al. (HPCA 2016) and
/// Li et al. (TCAD 2018) lean besides.
pub const RODINIA: [Program; 10] = [
    program!("backprop"),
    program!("black-scholes"),
    program!("gaussian"),
    program!("hotspot"),
    program!("kmeans"),
    program!("lud"),
    program!("nn"),
    program!("nw"),
    program!("pathfinder"),
    program!("srad"),
];

/// Programs that allocate memory on the device.
pub const ALLOCATING: [Program; 4] = [
    program!("heap-fixed", "../programs/heap.ptx"),
    program!("heap-random", "../programs/heap.ptx"),
    program!("heap-reuse", "../programs/heap.ptx"),
    program!("quad-tree"),
];

impl Program {
    /// The program of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        let mut all = PARBOIL.iter().chain(&RODINIA).chain(&ALLOCATING);
        all.find(|program| program.name == name)
    }

    /// Its PTX and its launch file.
    #[must_use]
    pub const fn texts(&self) -> [&'static str; 2] {
        [self.ptx, self.launch]
    }

    /// What an SM or a GPU runs: of the last launch, so many sixteenths of the thread blocks that the launch file names, after the
    /// launches before it.
    ///
    /// # Errors
    /// If it does not run to its end.
    pub fn work(&self, sixteenths: u32, options: Options) -> Result<Work, Error> {
        self.work_of(options, |started| {
            let blocks = started.blocks.clone();
            let part = u64::from(blocks.end - blocks.start) * u64::from(sixteenths);
            let part = part.div_ceil(WHOLE.into()).try_into().unwrap_or(u32::MAX);
            blocks.start..blocks.end.min(blocks.start.saturating_add(part))
        })
    }

    /// The same with so many thread blocks from the first one on that the launch file names, or with all that the launch has if those
    /// are fewer.
    ///
    /// # Errors
    /// If it does not run to its end.
    pub fn work_of_blocks(&self, count: u32, options: Options) -> Result<Work, Error> {
        self.work_of(options, |started| {
            let all = started.launch.blocks();
            let start = started.blocks.start.min(all.saturating_sub(count));
            start..all.min(start.saturating_add(count))
        })
    }

    fn work_of(
        &self,
        options: Options,
        blocks: impl FnOnce(&Started) -> Range<u32>,
    ) -> Result<Work, Error> {
        let of_ptx = |error: PtxError| Error {
            file: format!("{}.ptx", self.name),
            line: error.line as usize,
            sentence: error.to_string(),
        };
        let module = parse(self.ptx).map_err(of_ptx)?;
        let file = LaunchFile::read(self.launch, &format!("{}.toml", self.name))?;
        let mut compiled = Compiled::new(&module, self.name, &file, Path::new("."), options)?;
        if let Some(last) = compiled.launches.last_mut() {
            last.blocks = blocks(last);
        }
        let mut work = compiled.last_work()?;
        self.name.clone_into(&mut work.name);
        Ok(work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_their_names() {
        for program in PARBOIL.iter().chain(&RODINIA).chain(&ALLOCATING) {
            let found = Program::named(program.name).map(|found| found.name);
            assert_eq!(found, Some(program.name));
        }
        assert!(Program::named("nothing").is_none());
    }

    #[test]
    fn a_program_runs_as_many_blocks_as_it_is_told() {
        let program = Program::named("spmv").unwrap();
        let blocks = |sixteenths| {
            let work = program.work(sixteenths, Options::default()).unwrap();
            (work.blocks(), work.blocks_per_sm)
        };
        assert_eq!(blocks(1), (6, 10));
        assert_eq!(blocks(16), (84, 10));
        assert_eq!(blocks(64), (84, 10));
        let of_count = |count| {
            let work = program.work_of_blocks(count, Options::default());
            work.unwrap().blocks()
        };
        // The launch has 84.
        assert_eq!([7, 84, 5_000].map(of_count), [7, 84, 84]);
    }
}
