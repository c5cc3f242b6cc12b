//! The restart theorem, put to many random programs.

use faultline_sim::sm::restart::Trial;
use faultline_sim::sm_pipeline::Scheme;
use faultline_testbench::backend::Kind;
use faultline_testbench::programs::{Pipeline, ProgramError};
use miette::{Result, miette};
use rayon::prelude::*;
use serde::Serialize;

use crate::Global;
use crate::output::{grouped, progress, right, table};

/// What was tried.
#[derive(Serialize)]
struct Row {
    scheme: &'static str,
    backend: &'static str,
    programs: u64,
    cycles: u64,
    /// Thread blocks that left in the middle of their work and came back, with so many squashed instructions.
    switches: u64,
    restored: u64,
}

/// Runs the trials of seeds from `seed` on, and stops at the first that fails.
pub fn run(
    trials: u64,
    seed: u64,
    schemes: &[Scheme],
    backend: Kind,
    global: &Global,
) -> Result<()> {
    let trial = |scheme, seed| match backend {
        Kind::Reference => Ok(Trial::new(scheme, seed)?.run()?),
        // The small designs: programs of a few warps fill them.
        other => {
            let config = Pipeline::configuration(scheme, 4);
            Pipeline::new(&config, &[Kind::Reference, other])?.restart(seed)
        }
    };
    let bar = progress(
        trials * schemes.len() as u64,
        "{msg:24} {wide_bar} {human_pos}/{human_len} programs {eta}",
    );
    let mut rows = Vec::new();
    for &scheme in schemes {
        bar.set_message(scheme.name());
        let sums = (seed..seed.saturating_add(trials))
            .into_par_iter()
            .map(|seed| {
                let outcome = trial(scheme, seed)?;
                bar.inc(1);
                Ok::<_, ProgramError>([outcome.cycles, outcome.switches, outcome.restored])
            })
            .try_reduce(
                || [0; 3],
                |sums, counts| Ok(std::array::from_fn(|count| sums[count] + counts[count])),
            );
        let [cycles, switches, restored] =
            sums.map_err(|failure| miette!("{}: {failure}", scheme.name()))?;
        rows.push(Row {
            scheme: scheme.name(),
            backend: backend.name(),
            programs: trials,
            cycles,
            switches,
            restored,
        });
    }
    bar.finish_and_clear();
    if global.json {
        return global.print_json(&rows);
    }
    let mut table = table(&[
        "scheme",
        "programs",
        "cycles",
        "blocks away",
        "restored",
        "failures",
    ]);
    for row in &rows {
        table.add_row(vec![
            row.scheme.into(),
            right(grouped(row.programs)),
            right(grouped(row.cycles)),
            right(grouped(row.switches)),
            right(grouped(row.restored)),
            right(0),
        ]);
    }
    global.print(&format!(
        "Random programs with faults: registers and memory as in the run without faults, every instruction\n\
         committed once, none issued before what it depends on\n{table}"
    ))
}
