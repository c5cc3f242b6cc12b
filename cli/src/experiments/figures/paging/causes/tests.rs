//! A cause is there where a figure is far from the paper's, and made of what was counted.

use super::super::super::causes::markdown;
use super::super::TENTHS;
use super::super::definitions::FIGURES;
use super::*;

/// A program whose columns take so many times as long as copies before it.
fn row(figure: &Figure, workload: &str, slowdowns: &[f64]) -> Row {
    let pages = 10_500;
    let (resident, copies) = (4_000_000, pages * 373);
    let cell = |(column, &slowdown): (&super::super::Column, &f64)| Cell {
        column: column.label.to_owned(),
        cycles: (slowdown * (resident + copies) as f64) as u64,
        slowdown,
        far_faults: pages,
        nacks: 100,
        came: pages,
        came_again: 0,
        lines: 0,
        link_use_percent: 25.0,
        link_use_tenths: vec![0.25; TENTHS],
        waits_percent: 50.0,
    };
    Row {
        figure: figure.name.to_owned(),
        workload: workload.to_owned(),
        copied_pages: pages,
        resident_cycles: resident,
        copy_cycles: copies,
        columns: figure.columns.iter().zip(slowdowns).map(cell).collect(),
    }
}

fn figure(name: &str) -> &'static Figure {
    FIGURES.iter().find(|figure| figure.name == name).unwrap()
}

fn page(figure: &Figure, rows: &[Row]) -> String {
    markdown(&of_figure(figure, rows).unwrap())
}

/// Means as in the paper, and what it says of the order of its columns.
#[test]
fn the_papers_numbers_have_no_cause() {
    for (name, slowdowns) in [
        ("zheng-5", [3.6, 2.6, 2.0, 1.99, 1.98, 1.98]),
        ("zheng-prefetch", [2.0, 1.5, 1.5, 1.2, 0.89, 0.88]),
    ] {
        let figure = figure(name);
        assert_eq!(page(figure, &[row(figure, "nn", &slowdowns)]), "", "{name}");
    }
    let blocking = figure("zheng-3");
    let rows = [
        row(blocking, "nn", &[2.0, 4.0, 2.4, 8.0, 9.0, 9.9]),
        row(blocking, "lud", &[2.0, 4.0, 15.0, 8.0, 9.0, 9.9]),
    ];
    assert_eq!(page(blocking, &rows), "");
    let link = figure("zheng-5");
    let near = row(link, "nn", &[3.6, 2.6, 2.0, 2.0, 2.0, 2.0]);
    assert_eq!(of_link(link, 2, &[near]).unwrap(), []);
}

#[test]
fn means_that_are_far_have_what_was_counted() {
    let figure = figure("zheng-5");
    let slowdowns = [7.2, 5.0, 4.0, 3.0, 3.0, 2.0];
    let mut row = row(figure, "nw", &slowdowns);
    let latency = page(figure, &[row.clone()]);
    for told in [
        "**1** is 7.20, and 3.60 in the paper. SMs wait for 50 % of their time and the link is in use for 25 % of it, in the mean of the \
         programs: latency is what is lost, not bandwidth.",
        "**4** is 4.00, and 2.00 in the paper.",
        "9.3 far faults are under way at a time, in the mean, of 60 that the GMMU holds at most. Slowest: nw (4.00).",
        "**4 to 16 far faults** still gain: 4.00 to 3.00, and 4 are enough in the paper.",
        "**16 to 32 far faults** still gain: 3.00 to 2.00, and nothing is gained beyond 16",
        "**nw** goes from 7.20 to 2.00, and is insensitive in the paper. No counter",
    ] {
        assert!(latency.contains(told), "{told}: {latency}");
    }
    // SMs that seldom wait lose no latency: a link that is full, and fewer Nacks.
    let mut idle = row.clone();
    idle.columns[0].waits_percent = 40.0;
    let idle = page(figure, &[idle]);
    let told = "SMs wait for 40 % of their time and the link is in use for 25 % of it, in the mean of the programs. The time";
    assert!(idle.contains(told), "{idle}");
    row.columns[5].nacks = 0;
    row.columns
        .iter_mut()
        .for_each(|cell| cell.link_use_percent = 90.0);
    let full = page(figure, &[row]);
    assert!(
        full.contains("programs: bandwidth is what is lost."),
        "{full}"
    );
    assert!(
        full.contains("in the paper. From 1 to 32: Nacks 100 to 0."),
        "{full}"
    );
}

#[test]
fn the_link_is_in_use_as_long_as_faults_are_under_way() {
    let figure = figure("zheng-5");
    let mut row = row(figure, "nn", &[3.6, 2.6, 4.0, 2.0, 2.0, 2.0]);
    row.columns[2].link_use_percent = 12.5;
    let told = "A far fault takes 28000 cycles and its page 373 of the link, so 18.8 under way at a time use a quarter of it. Here they are 9.3";
    let page = markdown(&of_link(figure, 2, &[row.clone()]).unwrap());
    assert!(page.contains(told), "{page}");
    // As many under way are no cause.
    row.columns[2].far_faults *= 3;
    let page = markdown(&of_link(figure, 2, &[row]).unwrap());
    assert!(
        page.contains("No counter of these runs says why."),
        "{page}"
    );
}

#[test]
fn a_prefetcher_has_a_cause_where_it_is_far_from_the_oracle() {
    let figure = figure("zheng-prefetch");
    let mut row = row(figure, "nn", &[2.0, 1.5, 1.5, 1.2, 0.89, 0.8]);
    row.columns[5].far_faults = 10;
    let page = page(figure, &[row]);
    let told = "**What tree takes beyond the oracle, in percent,** is 11, and under 3 in the paper. From oracle to tree: far faults of a program 10 to 10,500.";
    assert!(page.contains(told), "{page}");
}

/// Figures of which the paper has no numbers have causes beside their first column.
#[test]
fn columns_without_a_number_have_what_differs() {
    let capacity = figure("capacity");
    let mut all = [1.0; 9];
    assert_eq!(page(capacity, &[row(capacity, "lbm", &all)]), "");
    all[4] = 2.0;
    let mut less = row(capacity, "lbm", &all);
    less.columns[4].came_again = 1_050;
    let told = "**50** is 2.00, and 1.00 with 125. 68.8 MB had left and came again, 10 % of what came in the mean; most of lbm (10). Slowest \
                beside 125: lbm (2.00).";
    let page_of_less = page(capacity, &[less]);
    assert!(page_of_less.contains(told), "{page_of_less}");
    let replays = figure("replays");
    let mut late = row(replays, "lbm", &[1.0, 1.0, 1.0, 1.0, 1.5]);
    late.columns[4].waits_percent = 80.0;
    let late = page(replays, &[late]);
    assert!(
        late.contains(
            "**once** is 1.50, and 1.00 with page. From page to once: waits of SMs 50 to 80 %."
        ),
        "{late}"
    );
    assert!(!late.contains("**batch**"), "{late}");
    // What follows from the time alone is no cause: less use of the link, and waits that fall.
    let mut less = row(replays, "lbm", &[1.0, 1.0, 1.0, 1.0, 1.5]);
    (
        less.columns[4].link_use_percent,
        less.columns[4].waits_percent,
    ) = (17.0, 40.0);
    let less = page(replays, &[less]);
    let told = "**once** is 1.50, and 1.00 with page. No counter of these runs says why.";
    assert!(less.contains(told), "{less}");
    let pinned = figure("pinned");
    let mut lines = row(pinned, "sad", &[1.0, 1.0, 1.0, 9.0]);
    (lines.columns[3].lines, lines.columns[3].far_faults) = (672_000, 0);
    let lines = page(pinned, &[lines]);
    let told = "**100** is 9.00, and 1.00 with 0. 86.0 MB take the link line by line. Per byte of the pages that a program \
                accesses, most go in sad (2.0). Slowest beside 0: sad (9.00).";
    assert!(lines.contains(told), "{lines}");
}
