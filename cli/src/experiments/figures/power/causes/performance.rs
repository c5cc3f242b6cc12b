//! Why designs perform otherwise than the paper's.

use super::super::super::causes::{Cause, Paper, SHARE, greatest, is_far, named, times};
use super::super::super::runs::geometric_mean;
use super::super::{ALL, Row};
use super::{
    IDEAL_CACHE, IN_ORDER, ONE, SHARED, THREE, TWO, WALKS, most, of_design, programs, queues, rate,
    read,
};

/// Why a design is below the paper's performance: walks, and how long they take.
fn slower(rows: &[Row], place: usize) -> Vec<String> {
    let mut why = Vec::new();
    let own = of_design(rows, place, rate);
    if own > WALKS * (1.0 + SHARE) {
        why.push(format!(
            "An SM has {own:.1} walks in 1,000 cycles, {}.",
            times(own, WALKS)
        ));
    }
    let latency = of_design(rows, place, |_, cell| cell.walk_latency);
    let (l2, dram) = read();
    if latency > (l2 + dram) * (1.0 + SHARE) {
        why.push(format!(
            "A walk takes {latency:.0} cycles from its request on, {:.1} times the {:.0} of a read of DRAM.",
            latency / (l2 + dram),
            l2 + dram,
        ));
    }
    why.extend(queues(rows, place));
    if !why.is_empty() {
        let lost = |row: &Row| 100.0 - row.designs[place].of_ideal_percent;
        let lost = greatest(programs(rows, lost));
        why.push(format!(
            "Most is lost by {}, in points.",
            named(lost.into_iter(), 1)
        ));
    }
    why
}

/// Why a design is above the paper's performance: what its walks take beside design 2, from which it differs by what it adds.
fn faster(rows: &[Row], place: usize) -> Vec<String> {
    let latency = |place| of_design(rows, place, |_, cell| cell.walk_latency);
    let (own, two) = (latency(place), latency(TWO));
    let mut why = Vec::new();
    if own < two * (1.0 - SHARE) {
        let gain =
            |row: &Row| row.designs[place].of_ideal_percent - row.designs[TWO].of_ideal_percent;
        let gains = greatest(programs(rows, gain).filter(|one| one.1 > 0.0));
        why.push(format!(
            "A walk takes {own:.0} cycles, and {two:.0} in design 2. Of {} programs {} gain over design 2{}, in points.",
            rows.len(),
            gains.len(),
            most(&gains, 1),
        ));
    }
    let walks = of_design(rows, place, rate);
    if walks < WALKS * (1.0 - SHARE) {
        why.push(format!(
            "An SM has {walks:.1} walks in 1,000 cycles, {}.",
            times(walks, WALKS)
        ));
    }
    why
}

/// Why an ideal page-walk cache is below the paper's performance: as design 3 is, where walks take as long.
fn uncached(rows: &[Row]) -> Vec<String> {
    let latency = |place| of_design(rows, place, |_, cell| cell.walk_latency);
    let (own, three) = (latency(IDEAL_CACHE), latency(THREE));
    match is_far(own, three) {
        true => slower(rows, IDEAL_CACHE),
        false => vec![format!(
            "A walk takes {own:.0} cycles, and {three:.0} in design 3: it misses next to nothing in a cache of 8 KB, and the cause is that of \
             design 3."
        )],
    }
}

/// Why designs perform otherwise than the paper's.
pub fn of_performance(rows: &[Row]) -> Vec<Cause> {
    let mut all = Vec::new();
    for (place, design) in ALL.iter().enumerate() {
        // "More than a 2x slowdown" beside a page-walk cache (section 6.1).
        let paper = match place {
            SHARED => Some(Paper::Under(50.0)),
            _ => design.paper.map(Paper::Percent),
        };
        let Some(paper) = paper else { continue };
        let here = geometric_mean(rows.iter().map(|row| row.designs[place].of_ideal_percent));
        let is_faster = match paper {
            Paper::Under(_) => true,
            Paper::Percent(paper) | Paper::Number(paper) | Paper::Over(paper) => here > paper,
        };
        let why = || match (is_faster, place) {
            (true, _) => faster(rows, place),
            (false, IDEAL_CACHE) => uncached(rows),
            (false, _) => slower(rows, place),
        };
        let what = format!("Design {}", design.label);
        all.extend(Cause::of(&what, (here, 1), paper, why));
    }
    let below = |name: &str| {
        let row = rows.iter().find(|row| row.workload == name)?;
        let [one, two] = [ONE, IN_ORDER].map(|place| &row.designs[place]);
        let paper = Paper::Under(one.of_ideal_percent);
        let what = format!("{name} in design 2 in order");
        Cause::of(&what, (two.of_ideal_percent, 1), paper, || {
            let (own, other) = (two.walk_latency, one.walk_latency);
            let shorter = format!(
                "It is not below design 1: a walk takes {own:.0} cycles, and {other:.0} where a walker serves one of an SM at a time."
            );
            (own < other).then_some(shorter).into_iter().collect()
        })
    };
    all.extend(["bfs", "nw"].into_iter().filter_map(below));
    all
}
