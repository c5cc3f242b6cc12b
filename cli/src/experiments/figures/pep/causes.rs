//! Why latencies are what they are.

use faultline_sim::machines::gpu::Config;

use super::report::{mean, percent};
use super::{PRESET, Row};

/// Bytes of a line.
const LINE_BYTES: f64 = 128.0;

/// What DRAM moves, GB/s.
fn bandwidth() -> f64 {
    let of = |config: Config| {
        let caches = config.parameters().caches;
        let lines = caches.banks as f64 / caches.dram_interval as f64;
        lines * LINE_BYTES / config.microseconds(1) / 1e3
    };
    Config::preset(PRESET).map_or(0.0, of)
}

/// Why latencies are what they are, from what was counted.
pub(super) fn causes(rows: &[Row]) -> String {
    let chimera = |row: &Row| row.policies.first().cloned().unwrap_or_default();
    let leave = rows
        .iter()
        .map(chimera)
        .filter(|cell| 2 * cell.saved() > cell.found());
    let rates: Vec<f64> = leave.map(|cell| cell.gigabytes()).collect();
    let peak = bandwidth();
    let increments = rows.iter().filter_map(|row| {
        let pep = row.policies.get(2).filter(|pep| pep.saved_twice > 0)?;
        let [increment, base] = [(pep.other_bytes, pep.saved()), (pep.base_bytes, pep.bases)]
            .map(|(bytes, count)| bytes as f64 / count as f64);
        Some(percent(increment, base))
    });
    let increments: Vec<f64> = increments.collect();
    format!(
        "Why. DRAM moves {peak:.1} GB/s. Under Chimera contexts have {:.1} of them on the {} kernels of which more than half of the blocks \
         leave ({:.0} %), so a latency is the size of the contexts over this bandwidth. PEP writes at the launch {:.1} % of what it wrote as \
         a base on the {} kernels that have bases, where the paper has 56.1: most registers that a base has are written again by then.",
        mean(rates.iter().copied()),
        rates.len(),
        percent(mean(rates.iter().copied()), peak),
        mean(increments.iter().copied()),
        increments.len(),
    )
}
