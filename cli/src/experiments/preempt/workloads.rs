//! What is preempted.

use std::path::Path;

use faultline_sim::machines::preemption::{Recording, Shape, Subject, TABLE_1};
use faultline_sim::machines::sm::Work;
use faultline_sim::simt::kernels::{KERNELS, VARIANTS, named};
use miette::{Result, miette};
use rayon::prelude::*;

use super::{Args, Registers};
use crate::value::distinct;

/// All of Table I, and all kernels that are built in.
const TABLE: &str = "table1";
const ALL: &str = "kernels";

/// Kernels to be preempted, and those of them that were recorded.
pub struct Works {
    pub subjects: Vec<Subject>,
    pub recordings: Vec<Recording>,
    /// How many of the subjects, the first ones, are those of Table I.
    pub of_table: usize,
}

/// A kernel before it is recorded.
struct Candidate {
    work: Work,
    shape: Shape,
}

/// What was asked for.
pub fn works(args: &Args, registers: Registers) -> Result<Works> {
    let asked = |name: &str| args.workloads.iter().any(|known| known == name);
    let table = args.workloads.is_empty() || asked(TABLE);
    let mut works = Works {
        subjects: Vec::new(),
        recordings: Vec::new(),
        of_table: 0,
    };
    if table {
        works.subjects = of_table(args, registers)?;
        works.of_table = works.subjects.len();
    }
    let mut candidates = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for name in &args.workloads {
        match name.as_str() {
            TABLE => {}
            ALL => names.extend(KERNELS.map(|(name, _)| name)),
            name => names.push(name),
        }
    }
    for name in distinct(names) {
        match named(name) {
            Some(_) => candidates.push(kernel(name, registers)?),
            None => candidates.extend(traced(name, registers)?),
        }
    }
    works.recordings = record(&candidates, args.seed)?;
    let subjects = works.recordings.iter().map(Subject::of_recording);
    works.subjects.extend(subjects.flatten());
    Ok(works)
}

/// The kernels of Table I, with the recordings of those that stand for them.
fn of_table(args: &Args, registers: Registers) -> Result<Vec<Subject>> {
    let mut names: Vec<_> = TABLE_1.iter().map(|entry| entry.stand_in).collect();
    names.sort_unstable();
    names.dedup();
    let candidates: Vec<_> = names
        .iter()
        .map(|name| kernel(name, registers))
        .collect::<Result<_>>()?;
    let recordings = record(&candidates, args.seed)?;
    let subjects = TABLE_1.iter().filter_map(|entry| {
        let mut recordings = recordings.iter();
        let recording = recordings.find(|recording| recording.name == entry.stand_in)?;
        Subject::of_table(entry, recording)
    });
    Ok(subjects.collect())
}

fn kernel(name: &str, registers: Registers) -> Result<Candidate> {
    let make = named(name).ok_or_else(|| miette!("there is no kernel {name}"))?;
    let kernel = make(1).map_err(|error| miette!("{name}: {error}"))?;
    let work = Work::of_kernel(&kernel).map_err(|error| miette!("{name}: {error}"))?;
    let shape = Shape::of_kernel(&kernel, &work, registers.allocation());
    Ok(Candidate { work, shape })
}

/// The kernels of a trace.
fn traced(name: &str, registers: Registers) -> Result<Vec<Candidate>> {
    let path = Path::new(name);
    if !path.exists() {
        let kernels = KERNELS.into_iter().chain(VARIANTS).map(|(name, _)| name);
        return Err(miette!(
            "{name} is neither a file nor a kernel; there are {TABLE}, {ALL}, {}",
            kernels.collect::<Vec<_>>().join(", ")
        ));
    }
    let trace = crate::output::open_trace(path)?;
    let mut candidates = Vec::new();
    for reader in trace.readers() {
        let reader = reader.map_err(|error| miette!("{error}"))?;
        let kernel = reader.kernel().clone();
        let work = Work::of_trace(reader).map_err(|error| miette!("{error}"))?;
        if work.steps() == 0 {
            return Err(miette!(
                "{name}: kernel {} has no instructions, so there is nothing to preempt",
                kernel.name
            ));
        }
        let (registers_given, shared) = (kernel.registers, kernel.shared_memory);
        let shape = Shape::new(&work, registers_given, shared, registers.allocation());
        candidates.push(Candidate { work, shape });
    }
    Ok(candidates)
}

/// Runs kernels on the SM.
fn record(candidates: &[Candidate], seed: u64) -> Result<Vec<Recording>> {
    let recordings = candidates.par_iter().map(|candidate| {
        let recording = Recording::new(&candidate.work, candidate.shape.clone(), seed);
        recording.map_err(|error| miette!("{}: {error}", candidate.work.name))
    });
    recordings.collect()
}
