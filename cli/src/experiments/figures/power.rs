//! The figures of Power, Hill and Wood, HPCA 2014: what programs access, and how the designs of an MMU perform under them.

mod causes;
mod report;

use faultline_sim::machines::gpu::{Config, Outcome};
use faultline_sim::machines::sm::{Lookups, Work};
use faultline_sim::programs::{PARBOIL, Program, RODINIA};
use faultline_sim::ptx::lower::Options;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::causes::ratio;
use super::compiled;
use super::family::{Family, Picture, Request, Taken};
use super::runs::run;
use crate::experiments::ordered::Value;

/// The GPU of the paper: its design 3.
pub const PRESET: &str = "power";
/// What programs access.
const ACCESSES: &str = "power-4";
/// How designs perform beside an ideal MMU.
const DESIGNS: &str = "power-6";

/// A design (Table 2, and sections 4 and 6).
#[derive(Debug)]
struct Design {
    label: &'static str,
    /// What its configuration says beside the preset's.
    says: &'static str,
    /// The paper's mean performance, percent of an ideal MMU (Figs. 6 and 11), where it prints one.
    paper: Option<f64>,
}

const fn design(label: &'static str, says: &'static str, paper: Option<f64>) -> Design {
    Design { label, says, paper }
}

/// All designs; the last one is ideal, and the others are beside it.
const ALL: [Design; 8] = [
    design(
        "1",
        "[l1_tlb]\nentries = 128\n[gmmu]\nper_sm = true\nwalks = 1\nwalk_cache = \"none\"\n",
        Some(30.0),
    ),
    design(
        "2",
        "[l1_tlb]\nentries = 128\n[gmmu]\nwalk_cache = \"none\"\n",
        None,
    ),
    design(
        "2 in order",
        "[l1_tlb]\nentries = 128\n[gmmu]\nwalk_cache = \"none\"\nfirst_come = true\n",
        None,
    ),
    design("3", "", Some(98.0)),
    design(
        "shared-l2",
        "[gmmu]\nl2_tlb = true\nwalk_cache = \"none\"\n",
        None,
    ),
    design(
        "shared-l2-pwc",
        "[l1_tlb]\nentries = 32\n[gmmu]\nl2_tlb = true\nl2_entries = 512\n",
        Some(98.0),
    ),
    design("ideal-pwc", "[gmmu]\nwalk_cache = \"ideal\"\n", Some(99.0)),
    design("ideal", "[gmmu]\nideal = true\n", None),
];

impl Design {
    fn config(&self, sms: u32) -> Result<Config> {
        let text = format!("sms = {sms}\n{}", self.says);
        Config::read_over(&text, "figure", PRESET).map_err(|error| miette!("{error}"))
    }
}

/// A program on a GPU of a design. Counts are of all SMs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    design: String,
    cycles: u64,
    /// The performance, beside that of the ideal MMU.
    of_ideal_percent: f64,
    /// Lines whose page the L1 TLB does not have, and all lines.
    missed: u64,
    lines: u64,
    walks: u64,
    /// Pages that the L1 TLB waits for at a walk, in the mean and at most.
    waiting: f64,
    waiting_most: u64,
    /// Walks that are requested within 500 cycles of the last.
    soon_percent: f64,
    /// Cycles of a request at the GMMU until its translation, in the mean.
    walk_latency: f64,
}

/// A program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    workload: String,
    sms: u64,
    /// Under the ideal MMU, for each SM in 1,000 cycles: lanes of global accesses, lines of them, and instructions of them, which is
    /// what is left of lines where coalescing is perfect.
    lanes_per_1000: f64,
    lines_per_1000: f64,
    instructions_per_1000: f64,
    designs: Vec<Cell>,
}

impl Row {
    fn new(work: &Work, sms: u32, outcomes: &[Outcome]) -> Self {
        let ideal = outcomes.last();
        let ideal_cycles = ideal.map_or(0, |outcome| outcome.cycles);
        let lookups = ideal.map_or_else(Lookups::default, |outcome| outcome.sms.lookups);
        let per_1000 = |count: u64| 1000.0 * ratio(count, ideal_cycles * u64::from(sms));
        let cell = |(design, outcome): (&Design, &Outcome)| {
            let (own, gmmu) = (outcome.sms.lookups, outcome.translations);
            Cell {
                design: design.label.to_owned(),
                cycles: outcome.cycles,
                of_ideal_percent: 100.0 * ratio(ideal_cycles, outcome.cycles),
                missed: own.missed,
                lines: own.lines,
                walks: own.walks,
                waiting: ratio(own.waiting, own.walks),
                waiting_most: own.most,
                soon_percent: 100.0 * ratio(own.soon, own.walks),
                walk_latency: ratio(gmmu.latency, gmmu.answers),
            }
        };
        Self {
            workload: work.name.clone(),
            sms: sms.into(),
            lanes_per_1000: per_1000(lookups.lanes),
            lines_per_1000: per_1000(lookups.lines),
            instructions_per_1000: per_1000(lookups.instructions),
            designs: ALL.iter().zip(outcomes).map(cell).collect(),
        }
    }
}

/// The programs after Rodinia's, and bfs, which is after Parboil's.
pub fn programs() -> Vec<Program> {
    let bfs = PARBOIL.into_iter().filter(|program| program.name == "bfs");
    RODINIA.into_iter().chain(bfs).collect()
}

/// The family.
pub struct Power;

impl Family for Power {
    type Rows = Vec<Row>;

    fn figures(&self) -> &'static [&'static str] {
        &[ACCESSES, DESIGNS]
    }

    fn about(&self) -> &'static str {
        "Power et al., HPCA 2014: what programs access, and what the designs of an MMU reach of an ideal one"
    }

    fn takes(&self) -> &'static [Taken] {
        &["--kernels", "--scale", "--sms"]
    }

    fn small(&self) -> (&'static [&'static str], u32) {
        (&["nn", "nw", "pathfinder", "lud"], 1)
    }

    fn kernels(&self, _: &Request) -> Vec<&'static str> {
        programs().into_iter().map(|program| program.name).collect()
    }

    fn run(&self, request: &Request, kernel: &str) -> Result<Vec<Row>> {
        let own = [kernel.to_owned()];
        let works = compiled::works(&programs(), &own, request.scale, Options::default())?;
        let row = |work: &Work| {
            let outcomes = ALL
                .par_iter()
                .map(|design| run(&design.config(request.sms)?, work));
            let outcomes: Vec<Outcome> = outcomes.collect::<Result<_>>()?;
            Ok(Row::new(work, request.sms, &outcomes))
        };
        works.iter().map(row).collect()
    }

    fn json(&self, _: &Request, rows: &[Vec<Row>]) -> Result<Value> {
        Value::of(&rows.concat()).map_err(|error| miette!("{error}"))
    }

    fn text(&self, request: &Request, rows: &[Vec<Row>]) -> String {
        report::text(request, &rows.concat())
    }

    fn page(&self, request: &Request, rows: &[Vec<Row>]) -> Result<String> {
        Ok(report::markdown(request, &rows.concat()))
    }

    fn pictures(&self, request: &Request, rows: &[Vec<Row>]) -> Result<Vec<Picture>> {
        report::pictures(request, &rows.concat()).map_err(|error| miette!("{error}"))
    }
}
