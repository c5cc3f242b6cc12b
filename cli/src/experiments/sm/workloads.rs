//! What is run: kernels, traces and programs.

use std::fs;
use std::path::{Path, PathBuf};

use faultline_sim::machines::sm::Work;
use faultline_sim::simt::kernels::{ALLOCATING, KERNELS, Kernel, Make, VARIANTS, named};
use faultline_sim::simt::{self, LANES, Launch, WriteError};
use faultline_testbench::file;
use miette::{Result, miette};
use serde::Serialize;

use crate::experiments::compiled::{self, BackEnd, is_ptx};
use crate::experiments::program::Source;
use crate::value::{distinct, integer_in};

/// Bytes of shared memory of a program's thread block: an SM holds 16 of them.
const PROGRAM_SHARED_MEMORY: u32 = 2 << 10;

/// What can be run.
fn help() -> String {
    let kernels = KERNELS.map(|(name, _)| name).join(", ");
    let variants = VARIANTS.map(|(name, _)| name).join(", ");
    let allocating = ALLOCATING.map(|(name, _)| name).join(", ");
    format!(
        "Kernels by name ({kernels}), patterns after Parboil's and not its programs, compiled programs (.ptx, with a launch \
         file), Accel-Sim traces (.traceg, kernelslist.g), or programs (.txt) in the notation that `faultline timeline --help` describes; all kernels if not given; also \
         {variants}: lbm at the paper's 8 warps, or with other addresses; and {allocating}, which allocate memory on the device"
    )
}

/// Kernels, traces and programs, and how large they are.
#[derive(clap::Args, Clone, Debug)]
pub struct Workloads {
    #[arg(value_name = "KERNEL|FILE", help = help())]
    pub workloads: Vec<String>,
    /// Thread blocks of the kernels, as a multiple, and of programs [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub scale: Option<u32>,
    /// Thread blocks of a kernel that the SM holds, as far as it has warps for them [default: by registers and shared memory]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub blocks_per_sm: Option<u8>,
    /// Threads of a program's thread block [default: 32]
    #[arg(long, value_name = "N", value_parser = integer_in::<u32>(1..=Launch::MOST_THREADS))]
    pub block_threads: Option<u32>,
    /// How the kernels of the PTX file are started, with what in memory; the file of the same name with .toml if not given
    #[arg(long, value_name = "FILE.toml")]
    pub launch: Option<PathBuf>,
    #[command(flatten)]
    pub back_end: BackEnd,
}

/// Whether a file is called a program's.
fn is_program(name: &str) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("txt"))
}

/// The names of the kernels and their variants.
pub fn known() -> String {
    let all = KERNELS.into_iter().chain(VARIANTS).chain(ALLOCATING);
    all.map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}

impl Workloads {
    /// Thread blocks of the kernels, as a multiple.
    pub fn scale(&self) -> u32 {
        self.scale.unwrap_or(1)
    }

    /// Whether one of the workloads is a kernel after Parboil's, rather than a trace or a kernel that allocates.
    pub fn has_kernels(&self) -> bool {
        let mut patterns = KERNELS.iter().chain(&VARIANTS);
        let is_asked = |(name, _): &(&str, Make)| self.workloads.iter().any(|one| one == name);
        self.workloads.is_empty() || patterns.any(is_asked)
    }

    /// Whether one of the workloads is a program.
    pub fn has_programs(&self) -> bool {
        self.workloads.iter().any(|name| is_program(name))
    }

    /// The program of a file.
    fn program(&self, path: &Path) -> Result<Work> {
        let launch = Launch {
            grid: [self.scale(), 1, 1],
            block: [self.block_threads.unwrap_or(LANES as u32), 1, 1],
            shared_memory: PROGRAM_SHARED_MEMORY,
        };
        let mut work = Source::read(path)?.work(launch)?;
        let name = path.file_stem().unwrap_or_default();
        work.name = name.to_string_lossy().into_owned();
        if let Some(blocks) = self.blocks_per_sm {
            work.blocks_per_sm = blocks.into();
        }
        Ok(work)
    }

    /// The launches of a compiled program.
    fn compiled(&self, path: &Path) -> Result<Vec<Work>> {
        let compiled = compiled::read(path, self.launch.as_ref(), self.back_end)?;
        let works = compiled.works().map_err(|error| miette!("{error}"));
        let (mut works, differences) = works?;
        if let Some(difference) = differences.first() {
            return Err(miette!("{}: {difference}", path.display()));
        }
        if let Some(blocks) = self.blocks_per_sm {
            for work in &mut works {
                work.blocks_per_sm = blocks.into();
            }
        }
        Ok(works)
    }

    /// The names of the workloads that were asked for, each once.
    pub fn chosen(&self) -> Vec<String> {
        match self.workloads.is_empty() {
            true => KERNELS.iter().map(|(name, _)| (*name).to_owned()).collect(),
            false => distinct(self.workloads.clone()),
        }
    }

    /// Makes the kernel of a name.
    fn kernel(&self, name: &str, make: Make) -> Result<Kernel> {
        make(self.scale()).map_err(|error| miette!("{name}: {error}"))
    }

    /// The variants of the paper's hardest case.
    pub fn variants(&self) -> Result<Vec<Work>> {
        let work = |(name, make): (&str, Make)| {
            let kernel = self.kernel(name, make)?;
            Work::of_kernel(&kernel).map_err(|error| miette!("{name}: {error}"))
        };
        VARIANTS.into_iter().map(work).collect()
    }

    /// Fails if an option is for none of these workloads.
    pub fn check(&self, names: &[String]) -> Result<()> {
        let any = |is_one: fn(&str) -> bool| names.iter().any(|name| is_one(name));
        let is_kernel = |name: &str| named(name).is_some();
        let made = any(is_kernel) || any(is_program);
        for (option, is_given, is_of_use, whose) in [
            (
                "--scale",
                self.scale.is_some(),
                made,
                "kernels and programs",
            ),
            (
                "--blocks-per-sm",
                self.blocks_per_sm.is_some(),
                made || any(is_ptx),
                "kernels, programs and PTX",
            ),
            (
                "--block-threads",
                self.block_threads.is_some(),
                any(is_program),
                "programs",
            ),
        ] {
            if is_given && !is_of_use {
                return Err(miette!("{option}: it is for {whose}, so name one too"));
            }
        }
        let compiled = names.iter().filter(|name| is_ptx(name)).count();
        if self.launch.is_some() && compiled != 1 {
            return Err(miette!(
                "--launch: it is for one file of PTX, and {compiled} are named"
            ));
        }
        if let Some(option) = self.back_end.given().find(|_| compiled == 0) {
            return Err(miette!("{option}: it is for PTX, so name a file of it too"));
        }
        Ok(())
    }

    /// The workloads that were asked for, each with a name of its own.
    ///
    /// # Errors
    /// If an option is for none of them, or one cannot be made.
    pub fn works(&self) -> Result<Vec<Work>> {
        self.check(&self.chosen())?;
        self.make()
    }

    /// The same, with options that were checked.
    pub fn make(&self) -> Result<Vec<Work>> {
        let mut works = Vec::new();
        for name in &self.chosen() {
            if let Some(make) = named(name) {
                let kernel = self.kernel(name, make)?;
                let mut work =
                    Work::of_kernel(&kernel).map_err(|error| miette!("{name}: {error}"))?;
                if let Some(blocks) = self.blocks_per_sm {
                    work.blocks_per_sm = blocks.into();
                }
                works.push(work);
                continue;
            }
            let path = Path::new(name);
            if !path.exists() {
                return Err(miette!(
                    "{name} is neither a file nor a kernel; the kernels are {}",
                    known()
                ));
            }
            if path.is_dir() {
                return Err(miette!(
                    "{name}: this is a folder; give a file of PTX (.ptx), an Accel-Sim trace (.traceg, kernelslist.g) or a program (.txt)"
                ));
            }
            if is_program(name) {
                works.push(self.program(path)?);
                continue;
            }
            if is_ptx(name) {
                works.extend(self.compiled(path)?);
                continue;
            }
            let trace = crate::output::open_trace(path)?;
            for (number, reader) in trace.readers().enumerate() {
                let work = reader.and_then(Work::of_trace);
                let mut work = work.map_err(|error| miette!("{error}"))?;
                work.copies = trace.copies_before(number).to_vec();
                works.push(work);
            }
        }
        let names: Vec<String> = works.iter().map(|work| work.name.clone()).collect();
        for (work, label) in works.iter_mut().zip(labels(&names)) {
            work.name = label;
        }
        Ok(works)
    }
}

/// Traces that were written, in the order of their list.
#[derive(Serialize)]
pub struct Written {
    list: PathBuf,
    traces: Vec<WrittenTrace>,
}

/// A trace that was written.
#[derive(Serialize)]
struct WrittenTrace {
    kernel: &'static str,
    file: String,
}

impl Written {
    /// What was written, for a person.
    pub fn text(&self) -> String {
        let line = |trace: &WrittenTrace| format!("{}: {}\n", trace.file, trace.kernel);
        let lines: String = self.traces.iter().map(line).collect();
        let list = self.list.display();
        format!("{lines}{list} names them: `faultline sm {list}` runs them.")
    }
}

/// Writes the kernels that were asked for as traces to a folder, and takes back what it wrote if it fails.
pub fn write_traces(run: &Workloads, folder: &Path) -> Result<Written> {
    let make = |name: &String| {
        let make = named(name).ok_or_else(|| {
            miette!(
                "--write-traces: {name} is no kernel; the kernels are {}",
                known()
            )
        })?;
        run.kernel(name, make)
    };
    let kernels: Vec<Kernel> = run.chosen().iter().map(make).collect::<Result<_>>()?;
    let traces = kernels.iter().zip(1..).map(|(kernel, id)| WrittenTrace {
        kernel: kernel.name,
        file: format!("kernel-{id}.traceg"),
    });
    let traces: Vec<WrittenTrace> = traces.collect();
    // The list comes last, so that it names only what is there.
    let files = || {
        traces
            .iter()
            .map(|trace| trace.file.as_str())
            .chain(["kernelslist.g"])
    };
    let is_new = folder.symlink_metadata().is_err();
    if !is_new {
        for file in files() {
            file::check_writable(&folder.join(file)).map_err(|error| miette!("{error}"))?;
        }
    }
    let partial = folder.join(format!(".partial-{}", std::process::id()));
    let written = simt::write_traces(&partial, &kernels).and_then(|_| {
        for file in files() {
            let path = folder.join(file);
            fs::rename(partial.join(file), &path)
                .map_err(|error| WriteError::File { path, error })?;
        }
        Ok(())
    });
    let unwanted = if is_new && written.is_err() {
        folder
    } else {
        &partial
    };
    // There may be nothing to take away.
    fs::remove_dir_all(unwanted).ok();
    match written {
        Ok(()) => Ok(Written {
            list: folder.join("kernelslist.g"),
            traces,
        }),
        // The path may be one that is gone.
        Err(WriteError::File { error, .. }) => Err(miette!(
            "--write-traces {}: the traces cannot be written ({error}); check the folder and the disk it is on",
            folder.display()
        )),
        Err(error) => Err(miette!("{error}")),
    }
}

/// A label for each name: the name, with a number where it was there before.
pub fn labels(names: &[String]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for name in names {
        let numbered = (2..).map(|number| format!("{name} #{number}"));
        let free = std::iter::once(name.clone())
            .chain(numbered)
            .find(|label| !labels.contains(label));
        labels.extend(free);
    }
    labels
}
