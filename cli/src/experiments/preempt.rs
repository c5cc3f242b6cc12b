//! `faultline preempt`: another kernel is launched, and an SM's blocks end or are saved, beside the paper.

mod contexts;
mod jobs;
mod latency;
mod markdown;
mod plot;
mod reasons;
mod recorded;
mod saving;
mod summary;
mod table1;
mod tables;
mod workloads;

use std::path::PathBuf;

use faultline_sim::machines::preemption::{Allocation, Policy};
use faultline_testbench::file;
use miette::{Result, miette};

use crate::Global;
use crate::output::{check_files, progress};
use crate::value::{distinct, integer_in};

/// Launch another kernel while an SM is busy: what is chosen, how long it waits, and what is saved, beside Li et al.
///
/// The preemption policy and the checkpoint engine are the blocks' references, cycle by cycle, at 1,216 MHz; memory takes the
/// SM's share of the bandwidth. Every value of an option is run with every one of the others: on the paper's Table I those are
/// its 24 runs of each kernel. The kernels of Table I have the times and sizes that it gives; what of them is dirty comes from
/// kernels that are run here.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// table1 (the sixteen kernels of the paper's Table I), kernels (all that are built in), some of those, or Accel-Sim traces;
    /// table1 if not given
    #[arg(value_name = "KERNEL|TRACE")]
    workloads: Vec<String>,
    /// Microseconds from the launch call to the kernel
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_values_t = [5, 15, 25, 35], value_parser = integer_in::<u64>(1..=1000))]
    launch_us: Vec<u64>,
    /// Microseconds that PEP predicts
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_values_t = [20, 30], value_parser = integer_in::<u64>(1..=1000))]
    predict_us: Vec<u64>,
    /// Chimera's deadlines, from the kernel on
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_values_t = [5, 10, 15], value_parser = integer_in::<u64>(1..=1000))]
    deadline_us: Vec<u64>,
    /// Percent of the blocks' time that have passed at the launch call
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_values_t = [25, 50, 75], value_parser = integer_in::<u64>(0..=99))]
    progress: Vec<u64>,
    /// chimera, chimera-dirty, pep, pep-in-place; all if not given
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = policy)]
    policy: Vec<Policy>,
    /// A dirty bit for each lane of a register, of which sectors of eight are saved, or for each register of a warp
    #[arg(long, default_value = "lane")]
    granularity: Granularity,
    /// The registers that a thread is given count as its context, or those alone that its program names
    #[arg(long, default_value = "given")]
    registers: Registers,
    /// The same seed gives the same runs of the kernels whose blocks are preempted
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw the latencies to this file
    #[arg(long, value_name = "FILE.svg", value_parser = crate::output::svg_file)]
    svg: Option<PathBuf>,
    /// Write a report to this file
    #[arg(long, value_name = "FILE", conflicts_with = "policy")]
    markdown: Option<PathBuf>,
}

/// What a dirty bit is for.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Granularity {
    Lane,
    Warp,
}

/// The registers that count.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Registers {
    Given,
    Named,
}

impl Registers {
    const fn allocation(self) -> Allocation {
        match self {
            Self::Given => Allocation::Given,
            Self::Named => Allocation::Named,
        }
    }
}

fn policy(name: &str) -> std::result::Result<Policy, String> {
    let known = || Policy::ALL.map(Policy::name).join(", ");
    Policy::named(name).ok_or_else(|| format!("there are {}", known()))
}

impl Args {
    /// The same arguments, with each value of a list once.
    fn distinct(&self) -> Self {
        let mut args = self.clone();
        args.workloads = distinct(args.workloads);
        let lists = [
            &mut args.launch_us,
            &mut args.predict_us,
            &mut args.deadline_us,
            &mut args.progress,
        ];
        for list in lists {
            *list = distinct(std::mem::take(list));
        }
        args
    }

    /// The policies that were asked for, each once.
    fn policies(&self) -> Vec<Policy> {
        let asked = |policy: &Policy| self.policy.is_empty() || self.policy.contains(policy);
        Policy::ALL.into_iter().filter(asked).collect()
    }
}

/// Runs the command.
///
/// # Errors
/// If an option makes no sense, a trace cannot be read, or a run does not come to its end.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    check_files(&[
        ("--svg", args.svg.as_deref()),
        ("--markdown", args.markdown.as_deref()),
    ])?;
    let args = &args.distinct();
    let works = workloads::works(args, args.registers)?;
    let setups = jobs::setups(args);
    let variations = reasons::variations(args, &works)?;
    let varied: usize = variations.iter().map(reasons::Variation::runs).sum();
    let count = works.subjects.len() * setups.len() + varied;
    let bar = progress(count as u64, "{wide_bar} {pos}/{len} runs {eta}");
    let rows = jobs::run(&works.subjects, &setups, &bar)?;
    if let Some(path) = &args.svg {
        let svg = plot::svg(&summary::summaries(&rows)).map_err(|error| miette!("{error}"))?;
        file::write_whole(path, &svg).map_err(|error| miette!("{error}"))?;
    }
    if let Some(path) = &args.markdown {
        let page = markdown::markdown(args, &works, &rows, &variations, &bar)?;
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    bar.finish_and_clear();
    let dirty = contexts::dirty(&works.recordings, args);
    match global.json {
        true => global.print_json(&tables::Results {
            dirty: &dirty,
            runs: &rows,
        }),
        false => global.print(&tables::text(&rows, &dirty)),
    }
}
