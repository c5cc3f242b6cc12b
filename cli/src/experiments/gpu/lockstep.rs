//! A run whose SM units and GMMU are in lockstep.

use faultline_sim::machines::gpu::{Config, Gpu, Outcome};
use faultline_testbench::backend::Kind;
use faultline_testbench::programs::{ProgramError, Side, Whole};
use serde::Serialize;

use crate::output::grouped;

/// Designs of a run that were compared with their references.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    design: String,
    /// How many of them.
    instances: usize,
    backend: &'static str,
    /// Cycles of all of them, in which every output was compared.
    cycles: u64,
    /// Cycles a second of one of them, while the back end ran.
    cycles_per_second: f64,
}

impl From<Side> for Compared {
    fn from(side: Side) -> Self {
        Self {
            cycles_per_second: side.cycles_per_second(),
            design: side.design,
            instances: side.instances,
            backend: side.kind.name(),
            cycles: side.cycles,
        }
    }
}

/// A run, and what was compared in it; nothing if the back end is the reference.
///
/// # Errors
/// If two back ends differ, or the GPU does not come to its end.
pub fn run(
    kind: Kind,
    config: &Config,
    gpu: Gpu<'_>,
    observe: impl FnMut(&Gpu<'_>),
) -> Result<(Outcome, Vec<Compared>), ProgramError> {
    if kind == Kind::Reference {
        return Ok((gpu.run(observe)?, Vec::new()));
    }
    let mut whole = Whole::new(&config.parameters(), &[Kind::Reference, kind])?;
    let outcome = whole.run(gpu, observe)?;
    let sides = whole.sides().filter(|side| side.kind == kind);
    Ok((outcome, sides.map(Compared::from).collect()))
}

/// What was compared, in a sentence for each design.
pub fn text(compared: &[Compared]) -> impl Iterator<Item = String> {
    compared.iter().map(|one| {
        format!(
            "{} x {} in {}: every output as the reference's in {} cycles.",
            one.instances,
            one.design,
            one.backend,
            grouped(one.cycles)
        )
    })
}
