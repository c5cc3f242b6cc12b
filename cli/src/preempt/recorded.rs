//! The report on kernels that were run here.

use super::contexts::{self, Dirty};
use super::latency::{PAPER_INCREMENT, PAPER_SAVING};
use super::page::{grid, list};
use super::summary::{Summary, mean};
use super::{Args, Registers, tables};

/// What is dirty of recorded kernels.
pub fn recorded(args: &Args, dirty: &[Dirty], varied: &[Dirty]) -> String {
    let (headings, mut rows) = tables::dirty_table(dirty);
    let places = [15, 35].map(|us| {
        let known = contexts::AFTER_US.iter().position(|known| *known == us);
        known.unwrap_or_default()
    });
    let increment = |place| mean(dirty.iter().map(|one| one.increment(place)));
    let saving = mean(dirty.iter().map(Dirty::saving));
    let more = mean(
        dirty
            .iter()
            .map(|one| 100.0 * (one.warp_bytes() / one.lane_bytes() - 1.0)),
    );
    let mut last = vec!["mean".to_owned()];
    last.extend(["", "", "", "", ""].map(str::to_owned));
    last.extend([saving, more].map(|mean| format!("{mean:.1}")));
    last.extend((0..contexts::AFTER_US.len()).map(|place| format!("{:.0}", increment(place))));
    last.push(format!("{:.2}", mean(dirty.iter().map(|one| one.drain_us))));
    rows.push(last);
    let other = match args.registers {
        Registers::Given => "Of the registers alone that the programs name",
        Registers::Named => "Of all registers that a thread is given",
    };
    let grid = grid(
        &format!(
            "## What is dirty\n\nKernels on the SM of the reference, every committed write told to the dirty bits: KB of a block, in \
             the mean of its blocks and of {} % of their time. Shared memory is saved whole. An increment is what has changed so \
             long after a base, percent of that, both with shared memory; a block that would have ended goes on as it did. A \
             register has 32 bits in each lane, an address of global memory two; the whole is what a thread is given.",
            list(&args.progress)
        ),
        &headings,
        rows,
    );
    let others = mean(varied.iter().map(Dirty::saving));
    let without = mean(
        dirty
            .iter()
            .filter(|one| one.kernel != "lbm")
            .map(Dirty::saving),
    );
    format!(
        "{grid}\n\nDirty bits save {saving:.1} % of the context, {PAPER_SAVING} in the paper, and {without:.1} % without lbm. {other} \
         it would be {others:.1} %: between the two lie registers that a thread is given and this program never names, for how many \
         it is given is that of the kernel which it is written after, of lbm as many as give the occupancy of Tanasic et al. \
         An increment is {:.0} % of its base after 1 us, {:.0} % after 15 and {:.0} % after 35, and {PAPER_INCREMENT} in the paper: \
         these kernels are loops whose every round writes nearly all of their registers, and what a block writes for the first time \
         is no part of its base. A bit for each row, 2,048 instead of 65,536, saves {more:.1} % more of the registers.",
        increment(0),
        increment(places[0]),
        increment(places[1]),
    )
}

/// What is dirty at each part of the time.
pub fn parts(args: &Args, dirty: &[Dirty]) -> String {
    let mut headings = vec!["kernel".to_owned()];
    headings.extend(
        args.progress
            .iter()
            .map(|progress| format!("at {progress} %")),
    );
    headings.extend(["25 to 50 %", "25 to 75 %"].map(str::to_owned));
    let line = |one: &Dirty| {
        let mut cells = vec![one.kernel.clone()];
        let part = |bytes: f64| format!("{:.0}", 100.0 * bytes / one.register_bytes);
        cells.extend(one.at.iter().map(|at| part(at.lane_bytes)));
        cells.extend(
            one.from_quarter_percent
                .map(|percent| format!("{percent:.0}")),
        );
        cells
    };
    let mut rows: Vec<_> = dirty.iter().map(line).collect();
    let mut last = vec!["mean".to_owned()];
    let count = dirty.len() as f64;
    for place in 0..args.progress.len() {
        let part = |one: &Dirty| 100.0 * one.at[place].lane_bytes / one.register_bytes;
        last.push(format!(
            "{:.0}",
            dirty.iter().map(part).sum::<f64>() / count
        ));
    }
    last.extend([0, 1].map(|place| {
        format!(
            "{:.0}",
            mean(dirty.iter().map(|one| one.from_quarter_percent[place]))
        )
    }));
    rows.push(last);
    let mut paper = vec!["paper".to_owned()];
    paper.extend(args.progress.iter().map(|_| String::new()));
    paper.extend(["62", "52"].map(str::to_owned));
    rows.push(paper);
    let headings: Vec<_> = headings.iter().map(String::as_str).collect();
    grid(
        "## Progress\n\nDirty registers by the part of the block's time, percent of its registers; and what changes from 25 % on, \
         percent of what is dirty there (Fig. 5: 38.2 and 48 % less).",
        &headings,
        rows,
    )
}

/// How they are preempted.
pub fn preempted(others: &[Summary]) -> String {
    let (headings, rows) = tables::preemptions(others);
    grid(
        "## Preemptions\n\nThe same kernels preempted, with a sixteenth of 224 GB/s; in the mean of a kernel's runs, latency and \
         worst in us, cases in percent of the answers, KB of a block's registers and shared memory, and the us in which a block \
         does not run.",
        &headings,
        rows,
    )
}
