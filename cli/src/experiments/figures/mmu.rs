//! What else Power, Hill and Wood, HPCA 2014, say of an MMU: what a prefetcher of translations gains (section 6.3), what large pages
//! save (section 6.4), what minor page faults cost (section 5.1), and the energy and area of designs (Figure 12).

mod causes;
mod energy;
mod report;

use faultline_sim::machines::gpu::{Config, Outcome};
use faultline_sim::machines::sm::Work;
use faultline_sim::programs::Program;
use faultline_sim::ptx::lower::Options;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::compiled;
use super::family::{Family, Picture, Request, Taken};
use super::power::{PRESET, programs};
use super::runs::run;
use crate::experiments::ordered::Value;

/// A prefetcher of translations.
const PREFETCH: &str = "power-prefetch";
/// Pages of 2 MB.
const PAGES: &str = "power-large";
/// Minor page faults.
const MINOR: &str = "power-minor";
/// Energy and area.
const ENERGY: &str = "power-12";

/// The design that the others stand beside in Figure 12.
const TWO: &str = "2";
/// The design of the paper.
const THREE: &str = "3";
/// It, with other things.
const AHEAD: &str = "3 with a prefetcher";
const LARGE: &str = "3 with 2 MB pages";
const ALL_LARGE: &str = "3 with 2 MB pages in 64 entries";
const FAULTS: &str = "3 with minor faults";
const IDEAL: &str = "ideal";

/// Cycles of a minor fault, which are handled one after the other (section 5.1).
const MINOR_CYCLES: u64 = 5_000;

/// What runs: its name, what its configuration says beside the preset's, and the figures that show it.
struct Variant {
    label: &'static str,
    says: &'static str,
    figures: &'static [&'static str],
}

const VARIANTS: [Variant; 9] = [
    Variant {
        label: IDEAL,
        says: "[gmmu]\nideal = true\n",
        figures: &[PREFETCH],
    },
    Variant {
        label: TWO,
        says: "[l1_tlb]\nentries = 128\n[gmmu]\nwalk_cache = \"none\"\n",
        figures: &[ENERGY],
    },
    Variant {
        label: THREE,
        says: "",
        figures: &[PREFETCH, PAGES, MINOR, ENERGY],
    },
    Variant {
        label: "shared-l2",
        says: "[gmmu]\nl2_tlb = true\nwalk_cache = \"none\"\n",
        figures: &[ENERGY],
    },
    Variant {
        label: "shared-l2-pwc",
        says: "[l1_tlb]\nentries = 32\n[gmmu]\nl2_tlb = true\nl2_entries = 512\n",
        figures: &[ENERGY],
    },
    Variant {
        label: AHEAD,
        says: "[l1_tlb]\none_ahead = true\n",
        figures: &[PREFETCH],
    },
    Variant {
        label: LARGE,
        says: "[l1_tlb]\nlarge_entries = 8\n[paging]\ngranularity = \"2m\"\nlarge_pages = true\n",
        figures: &[PAGES],
    },
    Variant {
        label: ALL_LARGE,
        says: "[l1_tlb]\nlarge_entries = 64\n[paging]\ngranularity = \"2m\"\nlarge_pages = true\n",
        figures: &[PAGES],
    },
    Variant {
        label: FAULTS,
        // What the CPU has not touched has no frame. Nothing moves, so the time of a migration is of no use.
        says: "[gmmu]\nfar_faults = 1\n[paging]\nabsent = true\ncopied = true\ngranularity = \"4k\"\nhandler = 5000\n\
               migration = 6000\nallocation = 5000\n",
        figures: &[MINOR],
    },
];

impl Variant {
    fn is_asked(&self, request: &Request) -> bool {
        self.figures.iter().any(|figure| request.has(figure))
    }

    fn config(&self, sms: u32) -> Result<Config> {
        let text = format!("sms = {sms}\n{}", self.says);
        Config::read_over(&text, "figure", PRESET).map_err(|error| miette!("{error}"))
    }
}

/// A program on a GPU. Counts are of all SMs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    variant: String,
    cycles: u64,
    /// Lines that look into an L1 TLB, and those whose page it does not have.
    lines: u64,
    missed: u64,
    /// Walks that L1 TLBs request, those of them that are not sent because a prefetcher has seen to them, and walks of prefetchers.
    walks: u64,
    spared: u64,
    ahead: u64,
    /// Translations that the L2 TLB had.
    from_tlb: u64,
    /// Pages that got a frame when they were accessed.
    faults: u64,
}

impl Cell {
    fn new(variant: &Variant, outcome: &Outcome) -> Self {
        let lookups = outcome.sms.lookups;
        Self {
            variant: variant.label.to_owned(),
            cycles: outcome.cycles,
            lines: lookups.lines,
            missed: lookups.missed,
            walks: lookups.walks,
            spared: lookups.spared,
            ahead: lookups.ahead,
            from_tlb: outcome.translations.from_tlb,
            faults: outcome.brought.allocated,
        }
    }
}

/// A program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    workload: String,
    sms: u64,
    variants: Vec<Cell>,
}

impl Row {
    /// What a variant has counted.
    fn of(&self, variant: &str) -> Option<&Cell> {
        self.variants.iter().find(|cell| cell.variant == variant)
    }

    /// Something of two variants; nothing if one did not run.
    fn of_both(&self, first: &str, second: &str, what: fn(&Cell, &Cell) -> f64) -> f64 {
        let both = self.of(first).zip(self.of(second));
        both.map_or(0.0, |(first, second)| what(first, second))
    }
}

/// The family.
pub struct Mmu;

impl Family for Mmu {
    type Rows = Vec<Row>;

    fn figures(&self) -> &'static [&'static str] {
        &[PREFETCH, PAGES, MINOR, ENERGY]
    }

    fn about(&self) -> &'static str {
        "Power et al., HPCA 2014: a prefetcher of translations, large pages, minor page faults, and energy and area of designs of an MMU"
    }

    fn takes(&self) -> &'static [Taken] {
        &["--kernels", "--scale", "--sms"]
    }

    fn small(&self) -> (&'static [&'static str], u32) {
        (&["nn", "nw", "pathfinder", "lud"], 1)
    }

    fn kernels(&self, _: &Request) -> Vec<&'static str> {
        programs()
            .into_iter()
            .map(|program: Program| program.name)
            .collect()
    }

    fn run(&self, request: &Request, kernel: &str) -> Result<Vec<Row>> {
        let own = [kernel.to_owned()];
        let works = compiled::works(&programs(), &own, request.scale, Options::default())?;
        let row = |work: &Work| {
            let variants: Vec<&Variant> = VARIANTS
                .iter()
                .filter(|variant| variant.is_asked(request))
                .collect();
            let cells = variants.par_iter().map(|variant| {
                let outcome = run(&variant.config(request.sms)?, work)?;
                Ok(Cell::new(variant, &outcome))
            });
            Ok(Row {
                workload: work.name.clone(),
                sms: request.sms.into(),
                variants: cells.collect::<Result<_>>()?,
            })
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
