//! Walks through a file, by plain pointers and by pointers that translate.

use std::path::Path;

use faultline_sim::compiled::Compiled;
use faultline_sim::launch_file::LaunchFile;
use faultline_sim::machines::sm::{Parameters, Sm, Work};
use faultline_sim::ptx::lower::Options;
use faultline_sim::ptx::parse;
use miette::{Result, miette};

const STREAM: &str = include_str!("../../../../../sim/programs/ap-stream.ptx");
/// Words of a page.
pub const PAGE: u32 = 1024;
/// Registers of a thread, as ptxas counts them.
const REGISTERS: [u32; 2] = [14, 32];
/// Warps of a thread block at most.
const BLOCK: u32 = 8;

/// A walk through a file.
#[derive(Clone, Copy)]
pub struct Walk {
    /// By pointers that translate.
    pub translated: bool,
    pub math: u32,
    pub warps: u32,
    /// Words of each warp's part, and from a step to the next.
    pub part: u32,
    pub stride: u32,
    pub steps: u32,
    pub rounds: u32,
    /// A launch before has brought all pages into the page cache.
    pub warm: bool,
}

impl Walk {
    /// One warp that makes so many steps over the pages that it touches.
    pub const fn alone(translated: bool, stride: u32, steps: u32, rounds: u32, warm: bool) -> Self {
        Self {
            translated,
            math: 0,
            warps: 1,
            part: if stride == 0 { PAGE } else { steps * PAGE },
            stride,
            steps,
            rounds,
            warm,
        }
    }

    fn launch(&self, rounds: u32) -> String {
        let Self {
            math,
            part,
            stride,
            steps,
            ..
        } = self;
        let (kernel, cache) = match self.translated {
            true => ("apointer", self.cache()),
            false => ("plain", String::new()),
        };
        let registers = REGISTERS[usize::from(self.translated)];
        format!(
            "[[launches]]\nentry = \"{kernel}_{math}\"\nregisters = {registers}\n\
             arguments = [\"file\", \"sums\", {part}, {steps}, {stride}, {rounds}{cache}]\n"
        )
    }

    /// The arguments of the page cache.
    fn cache(&self) -> String {
        format!(
            ", \"frames\", \"table\", \"locks\", \"taken\", {}",
            self.pages()
        )
    }

    /// Pages of the file.
    const fn pages(&self) -> u32 {
        self.warps * self.part / PAGE
    }

    /// What the machine runs.
    pub fn work(&self) -> Result<Work> {
        let block = self.warps.min(BLOCK);
        let mut text = format!(
            "grid = [{}]\nblock = [{}]\nrecorded = true\n",
            self.warps / block,
            32 * block
        );
        if self.warm {
            text += &self.launch(1);
        }
        text += &self.launch(self.rounds);
        text += &buffers("file", self.warps * self.part * 4, self.pages());
        text += &format!(
            "[buffers.sums]\ntype = \"f32\"\ncount = {}\n",
            32 * self.warps
        );
        last(STREAM, "ap-stream", &text)
    }

    /// Warp instructions, and cycles on an SM.
    pub fn measure(&self) -> Result<[u64; 2]> {
        let work = self.work()?;
        Ok([work.steps() as u64, on_an_sm(&work)?])
    }
}

/// The buffers of a file and of its page cache.
pub fn buffers(file: &str, bytes: u32, pages: u32) -> String {
    format!(
        "[buffers.{file}]\ntype = \"u8\"\ncount = {bytes}\nrandom = {{ from = 0, to = 256, seed = 1 }}\n\
         [buffers.frames]\ntype = \"u8\"\ncount = {}\n\
         [buffers.table]\ntype = \"u64\"\ncount = {}\n\
         [buffers.locks]\ntype = \"u32\"\ncount = {pages}\n\
         [buffers.taken]\ntype = \"u32\"\ncount = 1\n",
        (pages + 1) * 4 * PAGE,
        4 * pages
    )
}

/// The last launch of a program.
pub fn last(ptx: &str, name: &str, toml: &str) -> Result<Work> {
    let module = parse(ptx).map_err(|error| miette!("{name}.ptx: {error}"))?;
    let file = LaunchFile::read(toml, name).map_err(|error| miette!("{error}"))?;
    let compiled = Compiled::new(&module, name, &file, Path::new("."), Options::default());
    let compiled = compiled.map_err(|error| miette!("{error}"))?;
    let (mut works, _) = compiled.works().map_err(|error| miette!("{error}"))?;
    works.pop().ok_or_else(|| miette!("{name}: no launch"))
}

/// Cycles on the paper's SM by itself.
fn on_an_sm(work: &Work) -> Result<u64> {
    let failed = |error: &dyn std::fmt::Display| miette!("{}: {error}", work.name);
    let scheme = faultline_sim::sm::sm_pipeline::Scheme::ReplayQueue;
    let parameters = Parameters::paper(scheme, 16 << 10);
    let sm = Sm::new(&parameters, work).map_err(|error| failed(&error))?;
    let outcome = sm.run(|_, _| ()).map_err(|error| failed(&error))?;
    Ok(outcome.cycles)
}
