//! The report on kernels that were run here.

use super::contexts::{self, Dirty, Quarter};
use super::latency::{PAPER_FALLEN, PAPER_INCREMENT, PAPER_SAVING};
use super::markdown::{grid, list};
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
    let increments = [0, places[0], places[1]].map(increment);
    let reason = match increments[1] > PAPER_INCREMENT {
        true => {
            ": these kernels are loops whose every round writes nearly all of their registers, and what a block writes for the \
             first time is no part of its base"
        }
        false => "",
    };
    format!(
        "{grid}\n\nDirty bits save {saving:.1} % of the context, {PAPER_SAVING} in the paper. {other} it would be \
         {others:.1} %: between the two lie registers that a thread is given and this program never names, for how many it is given \
         is that of the kernel which it is written after. An increment is {:.0} % of its base after 1 us, {:.0} % after 15 \
         and {:.0} % after 35, and {PAPER_INCREMENT} in the paper{reason}. A bit for each row, 2,048 instead of 65,536, saves \
         {more:.1} % more of the registers.",
        increments[0], increments[1], increments[2],
    )
}

/// What is dirty at each quarter of the time.
pub fn parts(dirty: &[Dirty]) -> String {
    let of = |one: &Dirty| {
        let dirty = one.quarters.map(|quarter| quarter.dirty_percent);
        let against = |place: usize| 100.0 * dirty[place] / dirty[0];
        let mut numbers = dirty.to_vec();
        numbers.extend([against(1), against(2)]);
        numbers.extend(one.quarters.map(|quarter| quarter.ended_percent));
        let running = |quarter: Quarter| quarter.dirty_of_running_percent;
        numbers.extend(one.quarters.map(running));
        numbers.extend(one.from_quarter_percent);
        numbers
    };
    let all: Vec<_> = dirty.iter().map(of).collect();
    let columns = 0..all.first().map_or(0, Vec::len);
    let means: Vec<_> = columns
        .map(|column| mean(all.iter().map(|numbers| numbers[column])))
        .collect();
    let names = dirty.iter().map(|one| one.kernel.as_str()).chain(["mean"]);
    let line = |(name, numbers): (&str, &Vec<f64>)| {
        let numbers = numbers.iter().map(|number| format!("{number:.0}"));
        std::iter::once(name.to_owned()).chain(numbers).collect()
    };
    let mut rows: Vec<Vec<String>> = names.zip(all.iter().chain([&means])).map(line).collect();
    let mut paper = vec![String::new(); means.len() + 1];
    "paper".clone_into(&mut paper[0]);
    for (cell, fallen) in paper[4..].iter_mut().zip(PAPER_FALLEN) {
        *cell = format!("{:.0}", 100.0 - fallen);
    }
    rows.push(paper);
    let grid = grid(
        "## Progress\n\nAt 25, 50 and 75 % of a block's time: registers that are dirty, percent of all of the block (Fig. 5), and \
         what that is of those at 25 %; warps that have ended; registers that are dirty of the warps that have not. The last \
         columns are another quantity: what has been written since 25 %, percent of what was dirty there.",
        &[
            "kernel",
            "dirty at 25 %",
            "50 %",
            "75 %",
            "of 25 %: at 50 %",
            "at 75 %",
            "ended at 25 %",
            "50 %",
            "75 %",
            "dirty of the others: at 25 %",
            "50 %",
            "75 %",
            "written from 25 to 50 %",
            "to 75 %",
        ],
        rows,
    );
    format!("{grid}\n\n{}", progress_reason(dirty, &means))
}

/// Why the dirty registers fall less than the paper's, if they do.
fn progress_reason(dirty: &[Dirty], means: &[f64]) -> String {
    let [half, last] = PAPER_FALLEN.map(|fallen| 100.0 - fallen);
    let paper = format!(
        "In the paper the dirty registers of kernels with many instructions fall to {half:.0} and {last:.0} % of those at 25 %, \
         because many warps have ended by then (section III-C). Here they are {:.0} and {:.0} %",
        means[3], means[4]
    );
    if means[3] <= half && means[4] <= last {
        return paper + ".";
    }
    let falls = |one: &&Dirty| one.quarters[2].dirty_percent < one.quarters[0].dirty_percent - 1.0;
    let falling = dirty.iter().filter(falls).map(|one| {
        let [_, _, last] = one.quarters;
        format!("{}, of whose warps {:.0} %", one.kernel, last.ended_percent)
    });
    let falling: Vec<_> = falling.collect();
    let falling = match falling.is_empty() {
        true => "None has fewer dirty registers at 75 % than at 25 %".to_owned(),
        false => format!(
            "Fewer are dirty at 75 % than at 25 % of {} have ended",
            falling.join(", and of ")
        ),
    };
    format!(
        "{paper}: of the warps of these kernels {:.0} and {:.0} % have ended at 50 and 75 %, and of the registers of the others \
         {:.0}, {:.0} and {:.0} % are dirty at 25, 50 and 75 %, for what was written stays dirty until its warp ends. {falling}.",
        means[6], means[7], means[8], means[9], means[10]
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
