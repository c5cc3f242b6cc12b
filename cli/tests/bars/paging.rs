//! Pages that come when they are accessed, beside Zheng et al.

use super::*;

/// The means of a section, column by column. In a report of several figures a section is a level deeper.
fn means(report: &str, section: &str) -> Vec<String> {
    let (_, section) = report.split_once(&format!("# {section}")).unwrap();
    let row = section
        .lines()
        .find(|line| line.starts_with("| geometric mean"));
    let cells = cells(row.unwrap());
    let means = cells[3..].iter().filter(|cell| !cell.is_empty());
    means.map(|cell| (*cell).to_owned()).collect()
}

/// The page has the report's means, and they are in the paper's order: more far faults at once are never slower, sixteen have what
/// thirty-two have, and of the prefetchers the oracle is the best.
#[test]
fn committed_paging_is_on_the_page_and_in_order() {
    let report = text("sim/reports/zheng.md");
    let [blocking, faults, prefetch] =
        ["Figure 3", "Figure 5", "Prefetching"].map(|name| means(&report, name));
    let number = |cell: &String| cell.parse::<f64>().unwrap();
    let in_order = |means: &[String], falls: bool| {
        means
            .windows(2)
            .all(|pair| (number(&pair[0]) >= number(&pair[1])) == falls)
    };
    assert!(
        in_order(&blocking, false) && in_order(&faults, true),
        "{blocking:?} {faults:?}"
    );
    let [one, four, sixteen, most] = [0, 2, 4, 5].map(|place: usize| number(&faults[place]));
    assert!(
        sixteen / most < 1.05 && (one - four) / (one - most) > 0.75,
        "{faults:?}"
    );
    let best = prefetch.iter().map(number).fold(f64::INFINITY, f64::min);
    assert_eq!(number(&prefetch[5]), best);
    let of = |means: &[String], places: &[usize]| {
        let cells: Vec<&str> = places.iter().map(|&place| &*means[place]).collect();
        format!("| here | {} |", cells.join(" | "))
    };
    let (_, link) = report.split_once("## Figure 6").unwrap();
    let link = link
        .lines()
        .find(|line| line.starts_with("| mean |"))
        .unwrap();
    let waits = report.split_once("**4** is").unwrap().1;
    let waits = waits
        .split_once("wait for ")
        .unwrap()
        .1
        .split_once(" %")
        .unwrap()
        .0;
    says(
        PERFORMANCE,
        [
            of(&faults, &[0, 2, 4, 5]),
            of(&prefetch, &[0, 1, 3, 4, 5]),
            format!(
                "a fault of 20 us makes programs {} times slower (6 in the paper), and one of 5 us {} times (2)",
                blocking[2], blocking[0]
            ),
            format!(
                "the link is in use for {} % of the time (25 in the paper) while SMs wait for {waits} %",
                cells(link)[11]
            ),
        ],
    );
}

/// The page has the means at the papers' sizes, and each of them is nearer to the paper's than with a quarter of the thread blocks.
#[test]
fn committed_paging_at_the_papers_sizes_is_on_the_page() {
    let [quarter, whole] = ["sim/reports/zheng.md", "sim/reports/zheng_paper/figures.md"].map(text);
    let number = |cell: &String| cell.parse::<f64>().unwrap();
    let row = |section: &str, places: &[usize]| {
        let [quarter, whole] = [&quarter, &whole].map(|report| means(report, section));
        for &place in places {
            assert!(number(&whole[place]) < number(&quarter[place]), "{section}");
        }
        let cells: Vec<&str> = places.iter().map(|&place| &*whole[place]).collect();
        format!("| with all thread blocks | {} |", cells.join(" | "))
    };
    let prefetch = means(&whole, "Prefetching");
    let less = format!(
        "The oracle is {:.0} % faster",
        100.0 - 100.0 * number(&prefetch[5])
    );
    let beyond = number(&prefetch[4]) / number(&prefetch[5]) - 1.0;
    says(
        PERFORMANCE,
        [
            row("Figure 5", &[0, 2, 4, 5]),
            row("Prefetching", &[0, 1, 3, 4, 5]),
            less,
            format!(
                "The tree takes {:.0} % longer than the oracle",
                100.0 * beyond
            ),
        ],
    );
}

/// Less room never helps in the mean, and what is read in batches is later than what is tried again at once; the page has the numbers.
#[test]
fn committed_capacities_and_replays_are_on_the_page_and_in_order() {
    let report = text("sim/reports/oversubscription.md");
    let [room, replays] = ["Capacity", "Replays"].map(|name| means(&report, name));
    let number = |cell: &String| cell.parse::<f64>().unwrap();
    assert!(
        room[..5]
            .windows(2)
            .all(|pair| number(&pair[0]) <= number(&pair[1])),
        "{room:?}"
    );
    assert!(
        replays[1..]
            .iter()
            .all(|mean| number(mean) > 1.15 * number(&replays[0])),
        "{replays:?}"
    );
    let row = |section: &str, name: &str| -> Vec<String> {
        let (_, section) = report.split_once(&format!("\n## {section}")).unwrap();
        let row = section.lines().map(cells).find(|row| row[0] == name);
        row.unwrap().into_iter().map(str::to_owned).collect()
    };
    let [pathfinder, lbm] = ["pathfinder", "lbm"].map(|name| row("Capacity", name));
    let [by_block, of_batch] = ["lbm", "black-scholes"].map(|name| row("Replays", name));
    let all = |row: &[String]| row[4..8].iter().map(number).collect::<Vec<_>>();
    assert!(
        all(&by_block)
            .iter()
            .all(|&time| time >= number(&by_block[4])),
        "{by_block:?}"
    );
    assert!(
        all(&of_batch)
            .iter()
            .all(|&time| time <= number(&of_batch[4])),
        "{of_batch:?}"
    );
    says(
        PERFORMANCE,
        [
            format!("| least recently used | {} |", room[..5].join(" | ")),
            format!("| random | | | | {} | {} |", room[5], room[6]),
            format!("| tree | | | | {} | {} |", room[7], room[8]),
            format!("| time over copies | {} |", replays.join(" | ")),
            format!(
                "pathfinder takes {} instead of {}, for {} % of what comes had left before",
                pathfinder[7], pathfinder[3], pathfinder[18]
            ),
            format!(
                "lbm with random eviction {} instead of {} ({} %)",
                lbm[9], lbm[3], lbm[20]
            ),
        ],
    );
}

/// The page has the times with pinned pages, and what they cost a program that reads its pages often.
#[test]
fn committed_pinned_pages_are_on_the_page() {
    let report = text("sim/reports/pinned.md");
    let times = means(&report, "Pinned memory");
    let row = |name: &str| {
        let row = report.lines().map(cells).find(|row| row[0] == name);
        row.unwrap()
    };
    let sad = row("sad");
    let number = |cell: &str| cell.parse::<f64>().unwrap();
    assert!(number(sad[6]) > number(sad[3]), "{sad:?}");
    let all_used = sad[7].split(" to ").nth(1).unwrap();
    says(
        PERFORMANCE,
        [
            format!("| time over copies | {} |", times[..4].join(" | ")),
            format!(
                "it takes {} instead of {}, and the link is in use for {all_used} %",
                sad[6], sad[3]
            ),
        ],
    );
}
