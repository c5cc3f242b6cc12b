//! Why there are more or fewer walks than in the paper, and why they take as long as they do.

use super::super::super::causes::{
    Cause, NAMED, Paper, greatest, is_far, listed, mean, named, ratio, sentence, some_of, times,
};
use super::super::{ALL, Cell, Row};
use super::{
    ACCESSED, IDEAL_CACHE, ONE, SHARED, SHARED_CACHE, THREE, TWO, WALKS, of_design, programs,
    queues, rate, read,
};
use crate::output::grouped;

/// Cycles within which a walk follows the last one soon.
const SOON: f64 = 500.0;
/// Percent that a sentence shows.
const SHOWN: f64 = 0.05;

/// Why fewer or more pages are waited for in design 1.
pub fn of_waiting(rows: &[Row]) -> Vec<Cause> {
    let here = of_design(rows, ONE, |_, cell| cell.waiting);
    let of_instruction = |row: &&Row| row.lines_per_1000 / row.instructions_per_1000;
    let papers = ACCESSED[1] / ACCESSED[2];
    let (many, few): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| of_instruction(row) >= papers);
    let waits = |rows: &[&Row]| mean(rows.iter().map(|row| row.designs[ONE].waiting));
    let lines = |rows: &[&Row]| mean(rows.iter().map(of_instruction));
    let why = || {
        let mut why = Vec::new();
        if !few.is_empty() {
            why.push(format!(
                "An instruction accesses {papers:.1} lines in the paper. {} {} fewer, {:.1}, and {} for {:.1} pages.",
                sentence(&some_of(few.len(), rows.len())),
                if few.len() == 1 { "accesses" } else { "access" },
                lines(&few),
                if few.len() == 1 { "waits" } else { "wait" },
                waits(&few),
            ));
        }
        let others = match (many.len(), few.is_empty()) {
            (0, _) => return why,
            (1, true) => "The program accesses",
            (1, false) => "The other one accesses",
            (_, true) => "All programs access",
            (_, false) => "The others access",
        };
        let verb = if many.len() == 1 { "waits" } else { "wait" };
        why.push(format!(
            "{others} {:.1} and {verb} for {:.1}.",
            lines(&many),
            waits(&many)
        ));
        why
    };
    let mean = Cause::of("Design 1", (here, 1), Paper::Number(60.0), why);
    mean.into_iter().collect()
}

/// Why walks do not follow each other soon.
pub fn of_soon(rows: &[Row]) -> Vec<Cause> {
    let of_place = |place: usize| {
        let here = of_design(rows, place, |_, cell| cell.soon_percent);
        let paper = Paper::Over(90.0);
        let what = format!("Design {}", ALL[place].label);
        Cause::of(&what, (here, 1), paper, || {
            let is_late = |row: &&Row| {
                let cell = &row.designs[place];
                cell.walks > 0 && paper.is_far(cell.soon_percent)
            };
            let late = rows.iter().filter(is_late);
            let between = |row: &Row| 1000.0 / rate(row, &row.designs[place]);
            let rare = late.clone().filter(|row| between(row) > SOON).count();
            let late = greatest(late.map(|row| (&*row.workload, between(row))));
            let intervals = late.iter().map(|(name, cycles)| {
                format!("{} cycles ({name})", grouped(cycles.round() as u64))
            });
            let intervals: Vec<String> = intervals.take(NAMED).collect();
            if intervals.is_empty() {
                return Vec::new();
            }
            let mut why = vec![format!(
                "{} {} far below: an SM requests a walk every {} in the mean.",
                sentence(&some_of(late.len(), rows.len())),
                if late.len() == 1 { "is" } else { "are" },
                listed(&intervals),
            )];
            if rare > 0 && rows.len() > 1 {
                why.push(format!(
                    "In {} that is every {SOON:.0} cycles or less often.",
                    some_of(rare, rows.len())
                ));
            }
            why
        })
    };
    [ONE, TWO].into_iter().filter_map(of_place).collect()
}

/// Why lines miss more or less often.
pub fn of_misses(rows: &[Row]) -> Vec<Cause> {
    let missed = |_: &Row, cell: &Cell| 100.0 * ratio(cell.missed, cell.lines);
    let why = |rows: &[Row], place: usize| {
        // The two are parts of the number that is explained.
        let walked = of_design(rows, place, |_, cell| 100.0 * ratio(cell.walks, cell.lines));
        let waited = of_design(rows, place, missed) - walked;
        if waited < SHOWN && walked > 0.0 {
            return vec![format!(
                "Each line that misses requests a walk of its own, and none waits for the walk of another one. A walk serves {:.1} lines.",
                100.0 / walked,
            )];
        }
        vec![format!(
            "{walked:.1} % of the lines request a walk, and {waited:.1} % wait for one that another line has requested."
        )]
    };
    let of_place = |(place, paper): (usize, f64)| {
        let here = of_design(rows, place, missed);
        let what = format!("Design {}", ALL[place].label);
        Cause::of(&what, (here, 1), Paper::Percent(paper), || why(rows, place))
    };
    // 29 % with 128 entries (section 4.3), 27 % in the designs with an L2 TLB (section 6.1).
    let designs = [(TWO, 29.0), (SHARED, 27.0), (SHARED_CACHE, 27.0)];
    let mut all: Vec<Cause> = designs.into_iter().filter_map(of_place).collect();
    if let Some(nw) = rows.iter().position(|row| row.workload == "nw") {
        let nw = &rows[nw..=nw];
        let here = of_design(nw, TWO, missed);
        let paper = Paper::Percent(67.0);
        all.extend(Cause::of("nw in design 2", (here, 1), paper, || {
            why(nw, TWO)
        }));
    }
    all
}

/// Why SMs have more or fewer walks.
pub fn of_rate(rows: &[Row]) -> Vec<Cause> {
    let of_place = |place: usize| {
        let here = of_design(rows, place, rate);
        let what = format!("Design {}", ALL[place].label);
        Cause::of(&what, (here, 1), Paper::Number(WALKS), || {
            let lines = |row: &Row, cell: &Cell| 1000.0 * ratio(cell.lines, cell.cycles * row.sms);
            let lines = of_design(rows, place, lines);
            // The mean of walks by the mean of lines, as for the paper: lines by this share are the number that is explained.
            let walked = 100.0 * here / lines;
            let papers = 100.0 * WALKS / ACCESSED[1];
            let most = greatest(programs(rows, |row| rate(row, &row.designs[place])));
            let walks = match is_far(walked, papers) {
                true => {
                    format!("and has {walked:.1} walks for 100 of them ({papers:.1} in the paper)")
                }
                false => "and has as many walks for 100 of them as in the paper".to_owned(),
            };
            vec![format!(
                "An SM accesses {lines:.1} lines in 1,000 cycles, {}, {walks}. Most walks: {}; at most 13 in the paper.",
                times(lines, ACCESSED[1]),
                named(most.into_iter(), 1),
            )]
        })
    };
    [TWO, THREE].into_iter().filter_map(of_place).collect()
}

/// Why the page-walk cache cuts less of a walk.
pub fn of_latency(rows: &[Row]) -> Vec<Cause> {
    let latency = |place| of_design(rows, place, |_, cell| cell.walk_latency);
    let [two, three, ideal] = [TWO, THREE, IDEAL_CACHE].map(latency);
    let cut = 100.0 * (1.0 - three / two);
    let why = || {
        let (l2, dram) = read();
        let mut why = Vec::new();
        if !is_far(three, ideal) {
            why.push(format!(
                "{three:.0} of {two:.0} cycles are left, and with an ideal cache as many: the cache misses next to nothing, and what is \
                 left is the read of the last level, which it does not keep."
            ));
        }
        if (1.0 - 0.95) * two < l2 {
            why.push(format!(
                "This read takes {l2:.0} cycles where the L2 cache has it and {:.0} from DRAM, and a cut of 95 % would leave {:.0}.",
                l2 + dram,
                (1.0 - 0.95) * two,
            ));
        }
        why.extend(queues(rows, THREE));
        why
    };
    let cut = Cause::of(
        "The cut of the mean, in percent,",
        (cut, 1),
        Paper::Over(95.0),
        why,
    );
    cut.into_iter().collect()
}
