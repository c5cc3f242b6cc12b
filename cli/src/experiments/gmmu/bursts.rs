//! The report's sections on bursts of misses: the queue of an SM, what the page-walk cache cuts, and the walker's memory.

use faultline_sim::machines::translation::{Design, Pattern, memory_requests};

use super::Args;
use super::jobs::Row;
use super::markdown::{found, grid, rate};
use super::tables::{occupancy, percent};

/// Patterns on which the cache is looked at.
const CACHED: [Pattern; 2] = [Pattern::Burst, Pattern::Gather];
/// Walks at once, and latencies of memory in cycles, of a walker that always has requests.
const WALKS: [usize; 2] = [32, 64];
const LATENCIES: [u64; 6] = [20, 50, 100, 200, 300, 500];

/// The walks that are active at an SM of design 1, as the paper counts them.
pub fn queue(rows: &[Row], args: &Args) -> String {
    let value = |pattern, design| {
        found(rows, pattern, design, false).map_or(f64::NAN, |row| row.percent_of_ideal)
    };
    let designs = [Design::One, Design::Two, Design::Three];
    let of_one = |pattern| found(rows, pattern, Design::One, false);
    let line = |pattern: Pattern| {
        let row = of_one(pattern)?;
        let rate = rate(rows, pattern, args);
        let [_, _, in_flight, most] = occupancy(row);
        let mut line = vec![
            pattern.name().to_owned(),
            in_flight,
            most,
            format!("{:.1}", row.within_500_percent),
            rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}")),
        ];
        line.extend(designs.map(|design| format!("{:.1}", value(pattern, design))));
        Some(line)
    };
    let paper = [
        "paper",
        "60",
        "over 1,000",
        "over 90",
        "1.4",
        "30",
        "above design 1",
        "98",
    ];
    let lines = Pattern::ALL.into_iter().filter_map(line);
    let table = grid(
        "## Bursts\n\nWhat the paper counts in its section 4.2 and Fig. 7 is the queue of one CU's MMU in design 1, whose \
         walker walks one page after the other: as a walk begins, 60 walks are active *at that CU* in the mean of the \
         workloads, 140 in the mean of the worst, over 1,000 at most (section 1). So these are pages that one SM waits for as \
         its walker begins a walk, in the mean and at most over the SMs. Over 90 % of the paper's walks are issued within 500 \
         cycles of the one before, less than a walk takes; so what counts is when a page is missed, here from one of an SM to \
         its next. Misses are those in 1,000 cycles of an SM; performance is that of an MMU that translates at once as 100."
            .to_owned(),
        &[
            "pattern",
            "active in design 1",
            "most",
            "within 500 cycles, %",
            "misses",
            "design 1",
            "design 2",
            "design 3",
        ],
        lines.chain([paper.map(str::to_owned).to_vec()]).collect(),
    );
    let [one, two, three] = designs.map(|design| value(Pattern::Gather, design));
    let order = if one < two && two < three {
        "hold"
    } else {
        "do not hold"
    };
    let in_flight = |row: Option<&Row>| row.and_then(|row| row.in_flight).unwrap_or(f64::NAN);
    let active = in_flight(of_one(Pattern::Gather));
    let shared = in_flight(found(rows, Pattern::Gather, Design::Two, false));
    format!(
        "{table}\n\n`gather` is as bursty as the paper's workloads in the mean: {active:.0} active at an SM, each of whose warps \
         misses four pages at once. Under it the paper's designs {order} in their order ({one:.1}, {two:.1}, {three:.1}). No \
         pattern is like its worst. A shared walker has the queues of all SMs before it: {shared:.0} pages in design 2 on \
         `gather`, which is no figure of the paper's."
    )
}

/// What the page-walk cache cuts of a walk.
pub fn cache(rows: &[Row], args: &Args) -> String {
    let (mut lines, mut told) = (Vec::new(), Vec::new());
    for pattern in CACHED {
        let of = |design| found(rows, pattern, design, false);
        let (Some(two), Some(three)) = (of(Design::Two), of(Design::Three)) else {
            continue;
        };
        let name = pattern.name();
        let mut part = |part: &str, paper: &str, of: fn(&Row) -> Option<f64>| {
            let [without, with] = [two, three].map(|row| of(row).unwrap_or(f64::NAN));
            let cut = 100.0 * (1.0 - with / without.max(1.0));
            let cells = [
                format!("{without:.0}"),
                format!("{with:.0}"),
                format!("{cut:.1}"),
            ];
            let mut line = vec![format!("{name}, {part}")];
            line.extend(cells);
            line.push(paper.to_owned());
            lines.push(line);
        };
        part("queueing", "", |row| row.queueing.mean);
        part("service", "", |row| row.service.mean);
        part("both", "over 95", |row| row.walk_latency.mean);
        part("both, p99", "", |row| {
            row.walk_latency.p99.map(|cycles| cycles as f64)
        });
        let hits = three.levels.iter().skip(1);
        let hits = hits.map(|level| percent(level.cache_hits, level.reads));
        told.push(format!(
            "On `{name}` the cache answers {} % of the reads of levels 2, 3 and 4. A twentieth of the latency without it would \
             be {:.0} cycles; the one read that is left takes {}, and a walk still waits {:.0} before it begins.",
            hits.collect::<Vec<_>>().join(", "),
            0.05 * two.walk_latency.mean.unwrap_or(f64::NAN),
            args.memory_latency,
            three.queueing.mean.unwrap_or(f64::NAN)
        ));
    }
    let table = grid(
        "## The page-walk cache\n\nMean cycles of a walk, from the miss in the L1 TLB to the translation: queueing until the \
         walk begins, service from then on."
            .to_owned(),
        &["cycles", "design 2", "design 3", "cut, %", "paper"],
        lines,
    );
    format!(
        "{table}\n\nThe paper's cut is over 95 % (section 4.3), and it does not say of what: in service alone three reads of four \
         can be saved and no more, so it must be queueing for the most part, or its cache must have had entries of level 1. {}",
        told.join(" ")
    )
}

/// The requests to memory of a walker that always has requests.
pub fn memory() -> String {
    let line = |walks: usize, latency: u64| {
        let bound = (walks as f64 / latency as f64).min(1.0);
        let asked = memory_requests(walks, latency);
        vec![
            format!("{walks} walks, {latency} cycles"),
            format!("{asked:.3}"),
            format!("{bound:.3}"),
            format!("{:.3}", asked / bound),
        ]
    };
    let lines = WALKS
        .into_iter()
        .flat_map(|walks| LATENCIES.map(|latency| line(walks, latency)));
    let table = grid(
        "## The walker's memory\n\nRequests to memory in a cycle, of the walker alone (`page_walker`), while each of 16 \
         requesters asks for one new page after the other, by walks at once and cycles from a request to its answer. *Bound*: \
         one in a cycle, or what so many walks can wait for."
            .to_owned(),
        &["walker and memory", "requests a cycle", "bound", "of the bound"],
        lines.collect(),
    );
    format!(
        "{table}\n\nA walk's four requests and its answer share one way out, which takes one of them in a cycle: more than 0.8 \
         requests a cycle are not made, however fast memory is."
    )
}
