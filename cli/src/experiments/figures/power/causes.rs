//! Why accesses, walks and the performance of designs are not the paper's.

mod performance;
#[cfg(test)]
mod tests;
mod walks;

use faultline_sim::machines::gpu::Config;

pub use self::performance::of_performance;
pub use self::walks::{of_latency, of_misses, of_rate, of_soon, of_waiting};
use super::super::causes::{Cause, Paper, greatest, is_far, mean, named, ratio, some_of, times};
use super::{ALL, Cell, PRESET, Row};
use crate::output::grouped;

/// What an SM accesses in 1,000 cycles in the paper: lanes, lines, and instructions (section 4.1).
pub const ACCESSED: [f64; 3] = [268.0, 39.0, 9.0];
/// Walks of an SM in 1,000 cycles in the paper (section 4.3).
const WALKS: f64 = 1.4;
/// Places of designs.
const ONE: usize = 0;
const TWO: usize = 1;
const IN_ORDER: usize = 2;
const THREE: usize = 3;
const SHARED: usize = 4;
const SHARED_CACHE: usize = 5;
const IDEAL_CACHE: usize = 6;
const IDEAL: usize = 7;

/// Cycles of a hit of the L2 cache, and of DRAM.
fn read() -> (f64, f64) {
    let of = |config: Config| (config.memory.l2.into(), config.memory.dram.into());
    let (l2, dram): (u64, u64) = Config::preset(PRESET).map_or((0, 0), of);
    (l2 as f64, dram as f64)
}

/// Walks that a design serves at once, of all SMs; none where an L2 TLB answers requests, for it does so without a walk.
fn threads(place: usize, sms: u64) -> Option<u64> {
    let gmmu = ALL[place].config(sms as u32).ok()?.gmmu;
    let walkers = if gmmu.per_sm { sms } else { 1 };
    (!gmmu.l2_tlb).then(|| walkers * u64::from(gmmu.walks))
}

/// Walks of an SM in 1,000 cycles.
pub fn rate(row: &Row, cell: &Cell) -> f64 {
    1000.0 * ratio(cell.walks, cell.cycles * row.sms)
}

/// A mean of a design.
fn of_design(rows: &[Row], place: usize, of: fn(&Row, &Cell) -> f64) -> f64 {
    mean(rows.iter().map(|row| of(row, &row.designs[place])))
}

fn programs<'rows>(
    rows: &'rows [Row],
    of: impl Fn(&'rows Row) -> f64,
) -> impl Iterator<Item = (&'rows str, f64)> {
    rows.iter().map(move |row| (&*row.workload, of(row)))
}

/// The first of some programs, in brackets.
fn most(programs: &[(&str, f64)], digits: usize) -> String {
    match programs.is_empty() {
        true => String::new(),
        false => format!(", {} first", named(programs.iter().copied(), digits)),
    }
}

/// Where more walks are requested than are served, and they wait for each other.
fn queues(rows: &[Row], place: usize) -> Option<String> {
    let under_way = |row: &Row| {
        let cell = &row.designs[place];
        rate(row, cell) * row.sms as f64 * cell.walk_latency / 1000.0
    };
    let threads = threads(place, rows.first()?.sms)?;
    let full = programs(rows, under_way).filter(|one| one.1 > threads as f64);
    let full = greatest(full);
    (!full.is_empty()).then(|| {
        format!(
            "In {} more walks are requested at a time, in the mean, than the {threads} that are served: {}.",
            some_of(full.len(), rows.len()),
            named(full.into_iter(), 0),
        )
    })
}

/// What an SM accesses under the ideal MMU.
pub fn of_accesses(rows: &[Row]) -> Vec<Cause> {
    let of: [fn(&Row) -> f64; 3] = [
        |row| row.lanes_per_1000,
        |row| row.lines_per_1000,
        |row| row.instructions_per_1000,
    ];
    let here = of.map(|of| mean(rows.iter().map(of)));
    let of_instruction = |place: usize| {
        let (own, papers) = (here[place] / here[2], ACCESSED[place] / ACCESSED[2]);
        let what = ["lanes", "lines"][place];
        let rest = match is_far(here[2], ACCESSED[2]) {
            true => format!(
                " An SM has {} instructions in 1,000 cycles.",
                times(here[2], ACCESSED[2])
            ),
            false => String::new(),
        };
        vec![format!(
            "A global instruction has {own:.1} {what}, and {papers:.1} in the paper.{rest}"
        )]
    };
    let instructions = || {
        let above = greatest(programs(rows, of[2]).filter(|one| one.1 > ACCESSED[2]));
        let cycles = mean(rows.iter().map(|row| row.designs[IDEAL].cycles as f64));
        vec![format!(
            "Above the paper's mean: {}{}. A run takes {} cycles in the mean.",
            some_of(above.len(), rows.len()),
            most(&above, 1),
            grouped(cycles.round() as u64),
        )]
    };
    let cause = |what, place: usize, why: &dyn Fn() -> Vec<String>| {
        Cause::of(what, (here[place], 1), Paper::Number(ACCESSED[place]), why)
    };
    let all = [
        cause("lanes", 0, &|| of_instruction(0)),
        cause("lines", 1, &|| of_instruction(1)),
        cause("instructions", 2, &instructions),
    ];
    all.into_iter().flatten().collect()
}
