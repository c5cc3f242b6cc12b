//! Why latencies are what they are.

use faultline_sim::machines::gpu::Config;

use super::super::causes::{Cause, Paper, listed};
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
         (Figure 15).{}",
        rates.len(),
        mean(rates.iter().copied()),
        percent(mean(rates.iter().copied()), peak),
        with_bases.len(),
        all(&increment),
        all(&both),
        ends(rows),
    )
}

/// Percent by which fewer registers are dirty at 50 and 75 % of a block's time than at 25 % in the paper (Figure 5).
const CLEANER: [f64; 2] = [38.2, 48.0];

/// Why registers do not become cleaner with time (Figure 5): how many are dirty at 25, 50 and 75 % of a block's time.
pub(super) fn of_dirty(rows: &[Row]) -> Vec<Cause> {
    let each = rows.iter().filter_map(|row| match row.dirty_percent[..] {
        [first, middle, last] if first > 0.0 => Some((&*row.kernel, [first, middle, last])),
        _ => None,
    });
    let each: Vec<(&str, [f64; 3])> = each.collect();
    let change = |at: usize| {
        let changes = each
            .iter()
            .map(|(_, dirty)| percent(dirty[at], dirty[0]) - 100.0);
        mean(changes)
    };
    let here = [change(1), change(2)];
    let is_far = here
        .iter()
        .zip(CLEANER)
        .any(|(&here, paper)| Paper::Percent(-paper).is_far(here));
    if each.is_empty() || !is_far {
        return Vec::new();
    }
    let at = [0, 1, 2].map(|at: usize| mean(each.iter().map(|(_, dirty)| dirty[at])));
    let falls = |dirty: &[f64; 3]| dirty[2] < dirty[0];
    let (fall, stay): (Vec<_>, Vec<_>) = each.iter().partition(|(_, dirty)| falls(dirty));
    let names = |some: &[&(&str, [f64; 3])]| {
        let names: Vec<String> = some.iter().map(|(name, _)| (*name).to_owned()).collect();
        listed(&names)
    };
    let mut why = vec![format!(
        "{:.1} % of the registers are dirty at 25 % of a block's time, {:.1} at 50 and {:.1} at 75, in the mean. A register that is written once \
         stays dirty until its warp ends, so the share falls only where warps end before their blocks.",
        at[0], at[1], at[2],
    )];
    if !stay.is_empty() {
        why.push(format!(
            "It does not fall from 25 to 75 % in {}.",
            names(&stay)
        ));
    }
    if !fall.is_empty() {
        why.push(format!("It falls in {}.", names(&fall)));
    }
    let numbers = format!(
        "is {:+.1} % at 50 % and {:+.1} % at 75 %, beside 25 %, and {:+.1} and {:+.1} % in the paper",
        here[0], here[1], -CLEANER[0], -CLEANER[1],
    );
    vec![Cause::told("The change of dirty registers", numbers, why)]
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

#[cfg(test)]
mod tests {
    use super::super::super::causes::markdown;
    use super::*;

    fn row(kernel: &str, dirty: [f64; 3]) -> Row {
        Row {
            kernel: kernel.to_owned(),
            program: kernel.to_owned(),
            sms: 16,
            blocks: 8,
            block_us: 10.0,
            paper_block_us: 10.0,
            context_bytes: 1024,
            dirty_percent: dirty.to_vec(),
            policies: Vec::new(),
            mixed: Vec::new(),
            estimates: Vec::new(),
            doubled: Vec::new(),
        }
    }

    #[test]
    fn registers_that_stay_dirty_have_what_was_counted() {
        assert_eq!(of_dirty(&[]), []);
        assert_eq!(of_dirty(&[row("CP", [50.0, 30.9, 26.0])]), []);
        let page = markdown(&of_dirty(&[row("PF", [40.0, 40.0, 40.0])]));
        let told = "**The change of dirty registers** is +0.0 % at 50 % and +0.0 % at 75 %, beside 25 %, and -38.2 and -48.0 % in the paper. \
                    40.0 % of the registers are dirty at 25 % of a block's time, 40.0 at 50 and 40.0 at 75, in the mean.";
        assert!(page.contains(told), "{page}");
        assert!(
            page.contains("It does not fall from 25 to 75 % in PF.\n"),
            "{page}"
        );
        let both = [row("PF", [40.0, 50.0, 60.0]), row("HS", [40.0, 30.0, 20.0])];
        let page = markdown(&of_dirty(&both));
        assert!(
            page.contains("is +0.0 % at 50 % and +0.0 % at 75 %")
                && page.contains("25 to 75 % in PF. It falls in HS.\n"),
            "{page}"
        );
    }
}
