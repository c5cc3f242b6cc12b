//! The chart of `faultline gpu --svg`: what is drawn of each SM is what the run counts, and what its events say.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use serde_json::Value;

use common::faultline;

/// Colours of states: SM runs, waits, has no thread block, has ended, makes room, runs the second kernel, waits in it; and of the
/// time in which blocks are away.
const RUNS: &str = "#3B82C4";
const WAITS: &str = "#D97A2B";
const EMPTY: &str = "#EEEEEE";
const ENDED: &str = "#C8C8C8";
const MAKES_ROOM: &str = "#C44B4B";
const RUNS_SECOND: &str = "#5FA83C";
const WAITS_IN_SECOND: &str = "#C3E2B2";
const AWAY: &str = "#862B5C";

/// A run of the histogram's kernel: its row, its events and its chart.
struct Run {
    row: Value,
    events: Vec<Value>,
    svg: String,
}

impl Run {
    fn new(options: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [svg, events] = ["run.svg", "run.json"].map(|name| folder.path().join(name));
        let mut command = faultline();
        command.args(["gpu", "histo", "--json"]);
        command.args(options.split(' ')).arg("--svg").arg(&svg);
        command.arg("--trace-events").arg(&events);
        let output = command.assert().success();
        let results: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
        let [svg, events] = [svg, events].map(|file| std::fs::read_to_string(file).unwrap());
        let mut events: Value = serde_json::from_str(&events).unwrap();
        Self {
            row: results["rows"][0].clone(),
            events: std::mem::take(events["traceEvents"].as_array_mut().unwrap()),
            svg,
        }
    }

    /// The places of a colour in the chart but for the legend's: left edge, height of the upper edge, and width.
    fn drawn(&self, colour: &str) -> Vec<[i64; 3]> {
        let fill = format!("fill=\"{colour}\"");
        let rectangles = self.svg.lines().filter(|line| line.starts_with("<rect"));
        let of_colour = rectangles.filter(|line| line.contains(&fill));
        let all = of_colour.map(|line| {
            ["x", "y", "width"].map(|name| {
                let from = line.split_once(&format!(" {name}=\"")).unwrap().1;
                from.split_once('"').unwrap().0.parse().unwrap()
            })
        });
        all.skip(1).collect()
    }

    /// Microseconds for which a colour is drawn in the SMs' rows, and by how much they may differ, as edges are whole units.
    fn lasts(&self, colour: &str) -> (f64, f64) {
        let drawn = self.drawn(colour);
        let unit = self.row["microseconds"].as_f64().unwrap() / 866.0;
        let width: i64 = drawn.iter().map(|one| one[2]).sum();
        (width as f64 * unit, (drawn.len() + 2) as f64 * unit)
    }

    /// Slices of a group: track, name, begin and length in microseconds.
    fn slices(&self, group: u64) -> Vec<(u64, &str, f64, f64)> {
        let slices = self.events.iter();
        let slices = slices.filter(|event| event["ph"] == "X" && event["pid"] == group);
        let number = |event: &Value, name: &str| event[name].as_f64().unwrap();
        let all = slices.map(|event| {
            let (track, name) = (event["tid"].as_u64().unwrap(), event["name"].as_str());
            let (from, lasts) = (number(event, "ts"), number(event, "dur"));
            (track, name.unwrap(), from, lasts)
        });
        all.collect()
    }
}

fn are_near((drawn, tolerance): (f64, f64), counted: f64) {
    let difference = (drawn - counted).abs();
    assert!(difference <= tolerance, "{drawn} instead of {counted}");
}

#[test]
fn time_in_which_blocks_are_away_is_drawn_below_each_sm() {
    let run = Run::new("--sms 2 --scale 2 --absent --granularity 4k --switching normal");
    let times = run.row["switched_out"].as_u64().unwrap();
    assert!(times > 0 && run.svg.contains("thread blocks switched out"));
    let told = format!("thread blocks are switched out {times} times");
    assert!(run.svg.contains(&told), "{told}");
    let mut lasts = 0.0;
    for sm in [1, 2] {
        let (mut away, mut since) = (0, 0.0);
        let slices = run.slices(103);
        for (_, name, from, moves) in slices.iter().filter(|slice| slice.0 == sm) {
            let leaves = name.ends_with("leaves");
            if leaves && away == 0 {
                since = *from;
            }
            away += if leaves { 1 } else { -1 };
            if away == 0 {
                lasts += from + moves - since;
            }
        }
        assert_eq!(away, 0, "all blocks are back");
    }
    assert!(lasts > 0.0);
    are_near(run.lasts(AWAY), lasts);
    let run = Run::new("--sms 2 --absent");
    assert!(!run.svg.contains("switched out") && run.drawn(AWAY).is_empty());
}

#[test]
fn states_of_the_second_kernel_have_colours_and_names_of_their_own() {
    let run = Run::new("--sms 4 --scale 4 --absent --second stencil --at 4000 --policy switch");
    for told in [
        "SM runs histo",
        "SM waits in histo",
        "SM makes room for stencil",
        "SM runs stencil",
        "SM waits in stencil",
        "stencil is launched at 4.0 us",
        "thread blocks switched out",
    ] {
        assert!(run.svg.contains(told), "{told}");
    }
    let sms = run.row["sms"].as_array().unwrap();
    let sum = |to: &str, from: &str| {
        let number = |sm: &Value, name: &str| sm[name].as_f64().unwrap();
        let all = sms.iter().filter(|sm| sm["has_run"] == true);
        let cycles: f64 = all.map(|sm| number(sm, to) - number(sm, from)).sum();
        cycles / 1_000.0
    };
    are_near(run.lasts(MAKES_ROOM), sum("free", "launched"));
    let [runs, waits] = [RUNS_SECOND, WAITS_IN_SECOND].map(|colour| run.lasts(colour));
    assert!(runs.0 > 0.0 && waits.0 > 0.0);
    let second = (runs.0 + waits.0, runs.1 + waits.1);
    are_near(second, sum("back", "free"));
    // All states together are the whole run of each SM.
    let all = [RUNS, WAITS, EMPTY, ENDED].map(|colour| run.lasts(colour));
    let all = all.into_iter().chain([second, run.lasts(MAKES_ROOM)]);
    let all = all.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    are_near(all, 4.0 * run.row["microseconds"].as_f64().unwrap());
}

#[test]
fn an_sm_without_a_thread_block_is_empty_and_has_no_track() {
    let run = Run::new("--sms 16 --scale 1");
    assert!(run.svg.contains("SM has no thread block"));
    let mut busy: Vec<_> = run.slices(101).iter().map(|slice| slice.0).collect();
    busy.dedup();
    let empty = run.drawn(EMPTY);
    assert!(!busy.is_empty() && empty.len() == 16 - busy.len());
    assert!(empty.iter().all(|one| one[0] == empty[0][0]));
    let whole = run.row["microseconds"].as_f64().unwrap();
    are_near(run.lasts(EMPTY), whole * empty.len() as f64);
    // Such an SM gets a block of the second kernel, and none is left on the others.
    let run = Run::new("--sms 16 --scale 1 --second stencil --at 4000 --policy switch");
    let sms = run.row["sms"].as_array().unwrap();
    let has_run = |sm: &&Value| sm["has_run"] == true;
    let of_second = run.slices(104);
    let of_second: Vec<_> = of_second
        .iter()
        .filter(|slice| slice.1 != "makes room")
        .collect();
    assert_eq!(of_second.len(), sms.iter().filter(has_run).count());
    assert!(of_second.len() < sms.len());
    let lasts: f64 = of_second.iter().map(|slice| slice.3).sum();
    let [runs, waits] = [RUNS_SECOND, WAITS_IN_SECOND].map(|colour| run.lasts(colour));
    are_near((runs.0 + waits.0, runs.1 + waits.1), lasts);
}
