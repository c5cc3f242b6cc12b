//! Why latencies are what they are.

use faultline_sim::machines::gpu::Config;

use super::report::{mean, percent};
use super::{Cell, PRESET, Row};

/// Bytes of a line.
const LINE_BYTES: f64 = 128.0;
/// Percent of the blocks that fit: of fewer it is said.
const ENOUGH: f64 = 98.0;

/// What DRAM moves, GB/s.
fn bandwidth() -> f64 {
    let of = |config: Config| {
        let caches = config.parameters().caches;
        let lines = caches.banks as f64 / caches.dram_interval as f64;
        lines * LINE_BYTES / config.microseconds(1) / 1e3
    };
    Config::preset(PRESET).map_or(0.0, of)
}

/// Why numbers are what they are, from what was counted.
pub(super) fn causes(rows: &[Row]) -> String {
    let of = |row: &Row, policy: &str| {
        row.policies
            .iter()
            .find(|cell| cell.policy == policy)
            .cloned()
    };
    let chimera = rows.iter().filter_map(|row| of(row, "chimera"));
    let leave = chimera.filter(|cell| 2 * cell.saved() > cell.found());
    let rates: Vec<f64> = leave.map(|cell| cell.gigabytes()).collect();
    let peak = bandwidth();
    let with_bases = rows
        .iter()
        .filter_map(|row| of(row, "pep").filter(|pep| pep.saved_twice > 0));
    let with_bases: Vec<Cell> = with_bases.collect();
    let increment = |pep: &Cell| {
        let base = pep.base_bytes as f64 / pep.bases as f64;
        percent(pep.other_bytes as f64 / pep.saved() as f64, base)
    };
    let both = |pep: &Cell| {
        percent(
            (pep.base_bytes + pep.other_bytes) as f64,
            pep.whole_bytes as f64,
        )
    };
    let all = |of: &dyn Fn(&Cell) -> f64| mean(with_bases.iter().map(of));
    format!(
        "Why. DRAM moves {peak:.1} GB/s. Under Chimera the contexts of the {} kernels of which more than half of the blocks leave move \
         at {:.1} GB/s ({:.0} %), over the mean latency, so a latency is the size of the contexts over this bandwidth. On the {} kernels that have bases \
         PEP writes at the launch {:.1} % of what it wrote as a base, where the paper has 56.1: most registers that a base has are written \
         again by then. Base and increment have {:.1} % of the contexts' bytes together, so blocks stand still for longer than under Chimera \
         (Figure 15). A register stays dirty until its warp ends, and the warps of a block end together here, so there are more of them with \
         time (Figure 5).{}",
        rates.len(),
        mean(rates.iter().copied()),
        percent(mean(rates.iter().copied()), peak),
        with_bases.len(),
        all(&increment),
        all(&both),
        ends(rows),
    )
}

/// The kernels that launches find at their ends.
fn ends(rows: &[Row]) -> String {
    let of = |row: &Row| {
        let share = |cells: &[Cell], sms: u64| {
            let cell = cells.first()?;
            let full = row.blocks as u64 * sms * cell.runs;
            let share = percent(cell.found() as f64, full as f64);
            (share < ENOUGH).then(|| format!("{} on {sms} SMs ({share:.0} %)", row.kernel))
        };
        [
            share(&row.policies, row.sms),
            share(&row.doubled, 2 * row.sms),
        ]
    };
    let found: Vec<String> = rows.iter().flat_map(of).flatten().collect();
    match found.is_empty() {
        true => String::new(),
        false => format!(
            " Launches find fewer blocks than fit where a kernel ends: {}. SMs without a block are in no mean.",
            found.join(", ")
        ),
    }
}
