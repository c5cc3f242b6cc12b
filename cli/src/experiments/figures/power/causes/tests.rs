//! A cause is there where a figure is far from the paper's, and made of what was counted.

use super::super::super::causes::{Cause, markdown};
use super::*;

/// What a design counts.
#[derive(Clone, Copy)]
struct Counted {
    percent: f64,
    missed: u64,
    walks: u64,
    waiting: f64,
    soon: f64,
    latency: f64,
}

/// Cycles of a run, and lines of all SMs: 39 of an SM in 1,000 cycles.
const CYCLES: u64 = 100_000;
const LINES: u64 = 39 * 16 * CYCLES / 1000;

/// A program with the paper's numbers.
fn papers(workload: &str) -> Row {
    let percents = [30.0, 60.0, 60.0, 98.0, 40.0, 98.0, 99.0, 100.0];
    let cell = |(place, percent): (usize, f64)| {
        let share = if place == SHARED || place == SHARED_CACHE {
            27
        } else {
            29
        };
        let of = Counted {
            percent,
            missed: LINES * share / 100,
            walks: 14 * 16 * CYCLES / 10_000,
            waiting: 60.0,
            soon: 95.0,
            latency: if place < THREE { 4000.0 } else { 150.0 },
        };
        counted(place, of)
    };
    Row {
        workload: workload.to_owned(),
        sms: 16,
        lanes_per_1000: 268.0,
        lines_per_1000: 39.0,
        instructions_per_1000: 9.0,
        designs: percents.into_iter().enumerate().map(cell).collect(),
    }
}

fn counted(place: usize, of: Counted) -> Cell {
    Cell {
        design: ALL[place].label.to_owned(),
        cycles: CYCLES,
        of_ideal_percent: of.percent,
        missed: of.missed,
        lines: LINES,
        walks: of.walks,
        waiting: of.waiting,
        waiting_most: 128,
        soon_percent: of.soon,
        walk_latency: of.latency,
    }
}

/// All causes of a function, as a page has them.
fn page(of: Causes, rows: &[Row]) -> String {
    markdown(&of(rows))
}

/// What explains the numbers of a table.
type Causes = fn(&[Row]) -> Vec<Cause>;

const ALL_CAUSES: [Causes; 7] = [
    of_accesses,
    of_performance,
    of_waiting,
    of_soon,
    of_misses,
    of_rate,
    of_latency,
];

#[test]
fn the_papers_numbers_have_no_cause() {
    let rows = [papers("nn"), papers("lud")];
    for of in ALL_CAUSES {
        assert_eq!(page(of, &rows), "");
    }
}

#[test]
fn numbers_that_are_far_have_the_counters_that_differ() {
    let mut row = papers("nn");
    row.instructions_per_1000 = 18.0;
    row.lanes_per_1000 = 536.0;
    let accesses = page(of_accesses, &[row]);
    assert!(accesses.contains(
        "**lanes** is 536.0, and 268.0 in the paper. A global instruction has 29.8 lanes, and 29.8"
    ));
    assert!(!accesses.contains("**lines**"), "{accesses}");
    let mut row = papers("nn");
    for design in &mut row.designs {
        (design.missed, design.walks) = (LINES * 60 / 100, 4 * design.walks);
        (design.waiting, design.soon_percent) = (10.0, 50.0);
        design.walk_latency = 500.0;
    }
    row.designs[THREE].of_ideal_percent = 75.0;
    let rows = [row];
    let slower = page(of_performance, &rows);
    let told = "**Design 3** is 75.0, and 98.0 in the paper. An SM has 5.6 walks in 1,000 cycles, 4.0 times the paper's 1.4. A walk takes 500 \
                cycles from its request on, 1.4 times the 362 of a read of DRAM. In the program more walks are requested at a time, in the \
                mean, than the 32 that are served: nn (45).";
    assert!(slower.contains(told), "{slower}");
    assert!(!slower.contains("**Design 1**"), "{slower}");
    for (of, told) in [
        (of_waiting as Causes, "is 10.0, and 60.0"),
        (
            of_soon,
            "The program is far below: an SM requests a walk every 179 cycles (nn) in the mean.\n",
        ),
        (
            of_misses,
            "**Design 2** is 60.0, and 29.0 in the paper. 14.4 % of the lines request a walk, and 45.6 % wait for one that another line",
        ),
        (
            of_rate,
            "An SM accesses 39.0 lines in 1,000 cycles, 1.0 times",
        ),
        (
            of_latency,
            "500 of 500 cycles are left, and with an ideal cache as",
        ),
    ] {
        let page = page(of, &rows);
        assert!(page.contains(told), "{told}: {page}");
    }
}

/// Lines by the share that requests a walk are the number that is explained, where programs differ; and so are the parts of misses.
#[test]
fn parts_of_a_number_make_it() {
    let (mut few, mut many) = (papers("nn"), papers("bfs"));
    (few.designs[TWO].lines, few.designs[TWO].walks) = (LINES / 8, LINES / 16);
    few.designs[TWO].missed = LINES / 16;
    (many.designs[TWO].lines, many.designs[TWO].walks) = (3 * LINES, LINES / 4);
    many.designs[TWO].missed = LINES;
    let rows = [few, many];
    // 60.9 lines and 6.1 walks in 1,000 cycles.
    let page_of_rate = page(of_rate, &rows);
    let told = "**Design 2** is 6.1, and 1.4 in the paper. An SM accesses 60.9 lines in 1,000 cycles, 1.6 times the paper's 39, and has 10.0 walks \
                for 100 of them (3.6 in the paper).";
    assert!(page_of_rate.contains(told), "{page_of_rate}");
    let misses = page(of_misses, &rows);
    let told = "**Design 2** is 41.7, and 29.0 in the paper. 29.2 % of the lines request a walk, and 12.5 % wait";
    assert!(misses.contains(told), "{misses}");
    let mut nw = papers("nw");
    (nw.designs[TWO].missed, nw.designs[TWO].walks) = (LINES * 8 / 10, LINES * 8 / 10);
    let alone = page(of_misses, &[nw]);
    let told = "**nw in design 2** is 80.0, and 67.0 in the paper. Each line that misses requests a walk of its own, and none waits for the walk \
                of another one. A walk serves 1.2 lines.";
    assert!(alone.contains(told), "{alone}");
}

/// Of one program beside another one it is said in the singular.
#[test]
fn one_program_is_one_in_words() {
    let mut few = papers("nn");
    few.lines_per_1000 = 9.0;
    let mut rows = [few, papers("bfs")];
    for row in &mut rows {
        row.designs[ONE].waiting = 10.0;
    }
    let waits = page(of_waiting, &rows);
    let told = "1 of 2 programs accesses fewer, 1.0, and waits for 10.0 pages. The other one accesses 4.3 and waits for 10.0.";
    assert!(waits.contains(told), "{waits}");
}

/// Walks that take as long as in the paper, and are as few, are no cause, and none is made up.
#[test]
fn a_counter_that_does_not_differ_is_no_cause() {
    let mut row = papers("nn");
    row.designs[THREE].of_ideal_percent = 75.0;
    let page = page(of_performance, &[row]);
    assert_eq!(
        page,
        "**Design 3** is 75.0, and 98.0 in the paper. No counter of these runs says why.\n\n"
    );
}

/// nw in order is above design 1 where a walker of 32 threads takes less than one for each SM.
#[test]
fn nw_in_order_has_a_cause_where_it_is_not_below_design_1() {
    let row = papers("nw");
    assert!(
        page(of_performance, std::slice::from_ref(&row))
            .contains("**nw in design 2 in order** is 60.0, and under 30.0")
    );
    let mut below = row;
    below.designs[IN_ORDER].of_ideal_percent = 20.0;
    below.designs[TWO].missed = LINES * 67 / 100;
    assert_eq!(page(of_performance, &[below]), "");
}
