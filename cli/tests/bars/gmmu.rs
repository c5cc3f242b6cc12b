//! The claims of GMMUs.

use super::*;

/// What Power et al. and Zheng et al. claim of GMMUs, as the report of the designs shows it.
#[test]
fn committed_designs_of_the_gmmu_stay_within_the_bars() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/reports/gmmu.md");
    let report = std::fs::read_to_string(path).unwrap().replace(',', "");
    let of = |row: &[(&str, f64)], heading: &str| {
        let found = row.iter().find(|(column, _)| *column == heading);
        found
            .unwrap_or_else(|| panic!("no column {heading} in {row:?}"))
            .1
    };
    let means = ["1", "2", "3", "shared-l2", "shared-l2-pwc", "ideal-pwc"]
        .map(|design| of(&report_row(&report, design, "## Designs"), "geometric mean"));
    let [one, two, three, shared, both, ideal] = means;
    assert!(one < two && two < three && three <= ideal, "{means:?}");
    assert!(shared < three && (three - both).abs() < 5.0, "{means:?}");
    // As bursty as the paper's workloads, with the designs in order under it.
    let gather = report_row(&report, "gather", "## Bursts");
    let active = of(&gather, "active in design 1");
    assert!(ACTIVE.contains(&active), "{active} active");
    assert!(of(&gather, "within 500 cycles %") > 90.0, "{gather:?}");
    let order = ["design 1", "design 2", "design 3"].map(|design| of(&gather, design));
    assert!(order[0] < order[1] && order[1] < order[2], "{order:?}");
    // The cut is reported in queueing and service, and beside the paper's.
    let part = |part: &str| {
        let row = report_row(&report, &format!("gather {part}"), "## The page-walk cache");
        (
            of(&row, "design 2"),
            of(&row, "design 3"),
            of(&row, "cut %"),
        )
    };
    let (queueing, service, all) = (part("queueing"), part("service"), part("both"));
    for (parts, whole) in [
        (queueing.0 + service.0, all.0),
        (queueing.1 + service.1, all.1),
    ] {
        assert!((parts - whole).abs() <= 2.0, "{parts} are not {whole}");
    }
    assert!(
        all.2 >= CACHE_CUT_PERCENT && service.2 > 50.0,
        "{} %",
        all.2
    );
    let cut = format!("{:.1}", 100.0 * (1.0 - all.1 / all.0));
    assert!((cut.parse::<f64>().unwrap() - all.2).abs() < 0.2, "{cut}");
    assert!(report.contains("| gather both |") && report.contains("| over 95 |"));
    let of_burst = of(
        &report_row(&report, "burst both", "## The page-walk cache"),
        "cut %",
    );
    says(
        PERFORMANCE,
        [format!(
            "cuts the latency of a walk by {:.0} % on `gather` and {of_burst:.0} % on `burst`",
            all.2
        )],
    );
    // First come, first served, is behind design 1, and turns are not, with every seed.
    let order = report_row(&report, "one-bursts design 2", "## First come");
    let values: Vec<f64> = order.iter().map(|(_, value)| *value).collect();
    let [seeds, _, least, _, _, _, most_first, _, least_turns, _] = values[..] else {
        panic!("{order:?}");
    };
    assert!(seeds >= 5.0, "{seeds} seeds");
    assert!(most_first < least, "first come: {order:?}");
    let most = values[3];
    assert!(least_turns > most, "turns: {order:?}");
    for walks in [32, 64] {
        let label = format!("{walks} walks 200 cycles");
        let row = report_row(&report, &label, "## The walker's memory");
        let (asked, bound) = (of(&row, "requests a cycle"), of(&row, "bound"));
        assert!((bound - f64::from(walks) / 200.0).abs() < 1e-9, "{row:?}");
        assert!(asked / bound >= WALKER_SHARE, "{row:?}");
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/blocks/page_walker.md");
    let page = std::fs::read_to_string(page).unwrap();
    let walker = |cycles: u32| {
        let label = format!("64 walks {cycles} cycles");
        let row = report_row(&report, &label, "## The walker's memory");
        (of(&row, "requests a cycle"), of(&row, "bound"))
    };
    let [fast, near, far] = [50, 100, 200].map(walker);
    assert!(fast.0 <= 0.81, "{} requests a cycle", fast.0);
    let said = format!(
        "{:.3} where it answers in 50 cycles, {:.3} of the {:.3} that they can wait for at 100, and {:.3} of {:.3} at 200",
        fast.0, near.0, near.1, far.0, far.1
    );
    assert!(page.contains(&said), "page_walker.md does not say: {said}");
    // Most is gained by four far-fault MSHRs, and nothing beyond 16.
    let mshrs =
        [1, 2, 4, 8, 16, 32].map(|mshrs| report_row(&report, &mshrs.to_string(), "## Far faults"));
    let headings: Vec<&str> = mshrs[0].iter().map(|(heading, _)| *heading).collect();
    let columns = headings
        .iter()
        .filter(|name| name.ends_with("misses: faults per ms"));
    let columns: Vec<_> = columns.collect();
    assert_eq!(columns.len(), 2, "{headings:?}");
    for column in columns {
        let [one, two, four, eight, sixteen, more] =
            [0, 1, 2, 3, 4, 5].map(|row| of(&mshrs[row], column));
        let all = [two, four, eight, sixteen, more]
            .into_iter()
            .fold(one, f64::max)
            - one;
        assert!(two > one && four - one > 0.5 * all, "{column}: {four}");
        assert!(eight >= four, "{column}: {eight}");
        if NOTHING_BEYOND_16.contains(column) {
            assert!(more <= 1.02 * sixteen, "{column}: {sixteen} and {more}");
        }
    }
}
