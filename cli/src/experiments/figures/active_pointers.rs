//! Pointers that translate in software (ActivePointers, ISCA 2016): what an access costs, what of it occupancy hides, and their
//! faults beside the hardware's.

mod report;
mod walk;

use faultline_sim::machines::gpu::{Config, Granularity};
use faultline_sim::machines::sm::Work;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::family::{Family, Picture, Request, Taken};
use super::runs;
use crate::bars::{self, Bars};
use crate::experiments::ordered::Value;
use crate::output::counted;

use self::walk::{PAGE, Walk, buffers, last};

/// The figure's name as an argument.
const NAME: &str = "active-pointers";
const COLLAGE: &str = include_str!("../../../../sim/programs/collage.ptx");
const COLLAGE_REGISTERS: u32 = 64;
/// Products and sums for each access.
pub const MATH: [u32; 3] = [0, 8, 32];
/// Warps of an SM.
pub const WARPS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Steps of a walk of which the times are compared.
const STEPS: [u32; 2] = [64, 96];
/// Pages of a warp that walks through all words of its part.
const PAGES: u32 = 16;
/// The collage: blocks of the image, and tiles of the data set.
pub const IMAGE: u32 = 512;
pub const TILES: u32 = 4096;
/// SMs of the GPU of the collage.
const SMS: u32 = 16;

/// What a step costs, in instructions and cycles: the difference of two walks that differ in their steps, in the rounds after
/// the first one, or in that one alone.
fn step(
    of: impl Fn(u32, u32) -> Result<[u64; 2]>,
    steps: [u32; 2],
    later: bool,
) -> Result<[f64; 2]> {
    let rounds = match later {
        true => &[1, 5][..],
        false => &[1],
    };
    let mut ends = [[0.0; 2]; 2];
    for (end, steps) in ends.iter_mut().zip(steps) {
        for &rounds in rounds {
            let found = of(steps, rounds)?.map(|value| value as f64);
            *end = [found[0] - end[0], found[1] - end[1]];
        }
    }
    let all = f64::from(steps[1] - steps[0]) * if later { 4.0 } else { 1.0 };
    Ok([0, 1].map(|place| (ends[1][place] - ends[0][place]) / all))
}

/// An access of one warp alone.
#[derive(Serialize, Deserialize)]
pub struct Access {
    /// What it finds.
    pub finds: String,
    /// Instructions and cycles, by a plain pointer and by one that translates.
    pub plain: [f64; 2],
    pub translated: [f64; 2],
}

/// Occupancy: the time of an access on the SM, by the arithmetic of [`MATH`].
#[derive(Serialize, Deserialize)]
pub struct Occupancy {
    pub warps: u32,
    /// Cycles of the SM for each access of a warp.
    pub plain: [f64; 3],
    pub translated: [f64; 3],
    /// Instructions a cycle.
    pub plain_issued: [f64; 3],
    pub translated_issued: [f64; 3],
}

impl Occupancy {
    /// Percent by which translation is slower.
    pub fn overhead(&self, math: usize) -> f64 {
        100.0 * (self.translated[math] / self.plain[math] - 1.0)
    }
}

/// Cycles of a page that is not there, on one SM.
#[derive(Serialize, Deserialize)]
pub struct Fault {
    /// Warps that fault, each on pages of its own.
    pub warps: u32,
    /// By the page cache, whose store is in the GPU's memory.
    pub software: f64,
    /// By the hardware, over NVLink.
    pub hardware: f64,
    /// By both: the page cache copies from a store whose pages are absent.
    pub both: f64,
}

/// A run of the collage.
#[derive(Serialize, Deserialize)]
pub struct Collage {
    pub run: String,
    pub instructions: u64,
    pub cycles: u64,
    pub far_faults: u64,
}

/// All that is measured.
#[derive(Serialize, Deserialize)]
pub struct Results {
    pub accesses: Vec<Access>,
    pub occupancy: Vec<Occupancy>,
    pub faults: Vec<Fault>,
    pub collage: Vec<Collage>,
}

/// Accesses of one warp. The TLB holds 32 pages: a walk of 16 or 24 stays in it, and one of 64 or 96 never hits.
fn accesses() -> Result<Vec<Access>> {
    let kinds = [
        ("linked", 0, STEPS, true),
        ("in the TLB", PAGE, [16, 24], true),
        ("in the page table", PAGE, STEPS, true),
        ("not in the page cache", PAGE, STEPS, false),
    ];
    let access = |(finds, stride, steps, is_there)| {
        let of = |translated: bool| {
            let walk = |steps, rounds| {
                let warm = is_there && translated;
                Walk::alone(translated, stride, steps, rounds, warm).measure()
            };
            step(walk, steps, is_there)
        };
        Ok(Access {
            finds: str::to_owned(finds),
            plain: of(false)?,
            translated: of(true)?,
        })
    };
    kinds.into_par_iter().map(access).collect()
}

fn occupancy() -> Result<Vec<Occupancy>> {
    let row = |warps: u32| {
        let of = |translated: bool| -> Result<[[f64; 3]; 2]> {
            let mut found = [[0.0; 3]; 2];
            for (place, math) in MATH.into_iter().enumerate() {
                let walk = Walk {
                    translated,
                    math,
                    warps,
                    part: PAGES * PAGE,
                    stride: 32,
                    steps: PAGES * PAGE / 32,
                    rounds: 1,
                    warm: translated,
                };
                let [instructions, cycles] = walk.measure()?;
                found[0][place] = cycles as f64 / f64::from(warps * walk.steps);
                found[1][place] = instructions as f64 / cycles as f64;
            }
            Ok(found)
        };
        let ([plain, plain_issued], [translated, translated_issued]) = (of(false)?, of(true)?);
        Ok(Occupancy {
            warps,
            plain,
            translated,
            plain_issued,
            translated_issued,
        })
    };
    WARPS.into_par_iter().map(row).collect()
}

/// The GPU of the paper with a replay queue and so many SMs, whose pages come one by one.
fn gpu(queue: usize, sms: u32, absent: bool) -> Result<Config> {
    let mut config = runs::config(queue, sms)?;
    config.paging.absent = absent;
    config.paging.granularity = Granularity::Page;
    Ok(config)
}

fn faults(queue: usize) -> Result<Vec<Fault>> {
    let row = |warps: u32| {
        let of = |translated: bool, absent: bool| {
            let mut ends = [0.0; 2];
            for (end, steps) in ends.iter_mut().zip(STEPS) {
                let alone = Walk::alone(translated, PAGE, steps, 1, false);
                let walk = Walk { warps, ..alone };
                let config = gpu(queue, 1, absent)?;
                *end = runs::run(&config, &walk.work()?)?.cycles as f64;
            }
            Ok::<f64, miette::Report>(
                (ends[1] - ends[0]) / f64::from(warps * (STEPS[1] - STEPS[0])),
            )
        };
        Ok(Fault {
            warps,
            software: of(true, false)?,
            hardware: of(false, true)?,
            both: of(true, true)?,
        })
    };
    [1, 8, 32].into_par_iter().map(row).collect()
}

/// The collage, whose last launch is the one that is named; with a launch before that fills the page cache, or without.
fn collage_work(translated: bool, warm: bool) -> Result<Work> {
    let bytes = TILES * (32 + 256);
    let pages = bytes.div_ceil(4 * PAGE);
    let (kernel, cache) = match translated {
        true => (
            "collage_apointer",
            format!(", \"frames\", \"table\", \"locks\", \"taken\", {pages}"),
        ),
        false => ("collage_plain", String::new()),
    };
    let launch = format!(
        "[[launches]]\nentry = \"{kernel}\"\n\
         arguments = [\"file\", \"image\", \"nearest\", \"result\", {TILES}{cache}]\n"
    );
    let mut text = format!(
        "grid = [{}]\nblock = [256]\nregisters = {COLLAGE_REGISTERS}\nrecorded = true\n\
         [[launches]]\nentry = \"features\"\ngrid = [{TILES}]\narguments = [\"file\", {TILES}]\n",
        IMAGE / 4
    );
    if warm {
        text += &launch;
    }
    text += &launch;
    text += &buffers("file", bytes, pages);
    text += &format!(
        "[buffers.image]\ntype = \"u8\"\ncount = {}\nrandom = {{ from = 0, to = 256, seed = 2 }}\n\
         [buffers.nearest]\ntype = \"u32\"\ncount = {IMAGE}\n\
         [buffers.result]\ntype = \"u32\"\ncount = {}\n",
        256 * IMAGE,
        64 * IMAGE
    );
    last(COLLAGE, "collage", &text)
}

fn collage(queue: usize) -> Result<Vec<Collage>> {
    let kinds = [
        ("plain pointers, all pages there", false, false, false),
        ("plain pointers, hardware faults", false, false, true),
        ("apointers, all pages in the page cache", true, true, false),
        ("apointers, page cache empty", true, false, false),
        (
            "apointers, page cache empty, hardware faults",
            true,
            false,
            true,
        ),
    ];
    let run = |(run, translated, warm, absent)| {
        let work = collage_work(translated, warm)?;
        let outcome = runs::run(&gpu(queue, SMS, absent)?, &work)?;
        Ok(Collage {
            run: str::to_owned(run),
            instructions: outcome.instructions,
            cycles: outcome.cycles,
            far_faults: outcome.brought.migrated + outcome.brought.allocated,
        })
    };
    kinds.into_par_iter().map(run).collect()
}

impl Results {
    /// Measures all.
    ///
    /// # Errors
    /// If a run does not come to its end, or to another one than it should.
    pub fn new(queue: usize) -> Result<Self> {
        Ok(Self {
            accesses: accesses()?,
            occupancy: occupancy()?,
            faults: faults(queue)?,
            collage: collage(queue)?,
        })
    }

    /// The overheads by occupancy, drawn.
    ///
    /// # Errors
    /// If they cannot be drawn, with a sentence that says why.
    pub fn svg(&self) -> std::result::Result<String, String> {
        let rows = self.occupancy.iter().enumerate();
        let values = rows.flat_map(|(group, row)| {
            let value = move |math| (group, math, row.overhead(math).max(0.0));
            (0..MATH.len()).map(value)
        });
        bars::svg(&Bars {
            title: "overhead of translation, percent",
            groups: WARPS
                .map(|warps| counted(warps.into(), "warp", "warps"))
                .to_vec(),
            series: MATH
                .map(|math| format!("{math} products and sums"))
                .to_vec(),
            values: values.collect(),
        })
    }
}

/// The family of the one figure.
pub struct ActivePointers;

impl Family for ActivePointers {
    type Rows = Results;

    fn figures(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn about(&self) -> &'static str {
        "Shahar et al., ISCA 2016: what it costs to translate in software"
    }

    fn takes(&self) -> &'static [Taken] {
        &["--queue"]
    }

    fn kernels(&self, _: &Request) -> Vec<&'static str> {
        vec!["collage"]
    }

    fn run(&self, request: &Request, _: &str) -> Result<Results> {
        Results::new(request.queue)
    }

    fn json(&self, _: &Request, rows: &[Results]) -> Result<Value> {
        match rows {
            [results] => Value::of(results).map_err(|error| miette!("{error}")),
            _ => Ok(Value::Null),
        }
    }

    fn text(&self, _: &Request, rows: &[Results]) -> String {
        rows.iter().map(report::tables).collect()
    }

    fn page(&self, request: &Request, rows: &[Results]) -> Result<String> {
        let page = |results| report::markdown(results, &request.command);
        Ok(rows.iter().map(page).collect())
    }

    fn pictures(&self, _: &Request, rows: &[Results]) -> Result<Vec<Picture>> {
        let picture = |results: &Results| {
            let svg = results.svg().map_err(|error| miette!("{error}"))?;
            Ok((NAME, svg))
        };
        rows.iter().map(picture).collect()
    }
}
