//! The events of `faultline gpu --trace-events`, and Perfetto's trace processor, which opens them. That is
//! `trace_processor_shell` in `target/tools/bin` or on PATH; without it its test says so and passes.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use common::faultline;

/// Runs that together have all kinds of tracks, one of them at a clock whose cycles are no whole nanoseconds.
const RUNS: [&[&str]; 4] = [
    &["--absent", "--handling", "gpu"],
    &["--absent", "--preset", "pep"],
    &[
        "--scale=2",
        "--absent",
        "--granularity=4k",
        "--switching=normal",
    ],
    &[
        "--scale=4",
        "--second=stencil",
        "--at=4000",
        "--policy=switch",
    ],
];

/// The events of the histogram's kernel on two SMs.
fn events(options: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    let mut command = faultline();
    command.args(["gpu", "histo", "--sms", "2", "--trace-events"]);
    command.arg(&file).args(options).assert().success();
    let text = fs::read_to_string(file).unwrap();
    let mut events: Value = serde_json::from_str(&text).unwrap();
    std::mem::take(events["traceEvents"].as_array_mut().unwrap())
}

/// What Perfetto makes of microseconds.
fn nanoseconds(time: &Value) -> i64 {
    (1_000.0 * time.as_f64().unwrap()).round() as i64
}

/// The group and track of an event. The name of a group has no track.
fn place(event: &Value) -> (u64, u64) {
    let number = |name: &str| event[name].as_u64().unwrap_or(0);
    (number("pid"), number("tid"))
}

/// Perfetto takes thread 0 for its process's main thread, which has the process's number.
#[test]
fn every_track_is_a_thread_of_its_own_and_has_a_name() {
    for options in RUNS {
        let events = events(options);
        let on_tracks = events.iter().filter(|event| event["ph"] != "M");
        for (group, track) in on_tracks.map(place) {
            assert!(track != 0 && track != group, "{options:?}: {track}");
            let is_its_name =
                |event: &Value| event["name"] == "thread_name" && place(event) == (group, track);
            assert!(events.iter().any(is_its_name), "{options:?}: {track}");
        }
    }
}

#[test]
fn no_group_and_no_track_is_empty() {
    let mut groups = Vec::new();
    for options in RUNS {
        let events = events(options);
        let (names, others): (Vec<_>, Vec<_>) = events.iter().partition(|event| event["ph"] == "M");
        for name in names {
            let (group, track) = place(name);
            let is_there = |event: &&&Value| {
                let (its_group, its_track) = place(event);
                its_group == group && (track == 0 || its_track == track)
            };
            assert!(
                others.iter().any(|event| is_there(&event)),
                "{options:?}: {name}"
            );
        }
        let used = [102, 103, 104].map(|group| others.iter().any(|event| place(event).0 == group));
        groups.push(used);
    }
    // Paging, switches, and a second kernel, for which blocks leave.
    let paging = [true, false, false];
    let expected = [paging, paging, [true, true, false], [false, true, true]];
    assert_eq!(groups, expected);
}

#[test]
fn slices_of_a_track_do_not_overlap_in_whole_nanoseconds() {
    for options in RUNS {
        let mut tracks: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for event in events(options).iter().filter(|event| event["ph"] == "X") {
            let from = nanoseconds(&event["ts"]);
            let span = (from, from + nanoseconds(&event["dur"]));
            tracks.entry(place(event)).or_default().push(span);
        }
        for (track, mut spans) in tracks {
            spans.sort_unstable();
            for pair in spans.windows(2) {
                assert!(pair[0].1 <= pair[1].0, "{options:?}, {track:?}: {pair:?}");
            }
        }
    }
}

/// The trace processor, if it is here.
fn processor() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/bin");
    let program = "trace_processor_shell";
    let candidates = [own.join(program), PathBuf::from(program)];
    candidates.into_iter().find(|program| {
        let found = Command::new(program).arg("--version").output();
        found.is_ok_and(|output| output.status.success())
    })
}

/// A line for each track with slices, one for each category of slices that overlap, and one for each error of the import.
const QUERY: &str = "
select process.name || '|' || thread.name || '|' || count(*) || '|' || sum(dur) as line
from slice join thread_track on track_id = thread_track.id join thread using (utid) join process using (upid)
group by utid
union all
select process.name || '|' || category || '|' || count(*) || '|' || sum(dur)
from slice join process_track on track_id = process_track.id join process using (upid)
group by upid, category
union all
select 'import|' || name || '|' || value || '|' || severity
from stats where severity in ('error', 'data_loss') and value > 0;
";

/// What the trace processor finds in the events.
fn found(processor: &Path, events: &[Value]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let [query, file] = ["query.sql", "run.json"].map(|name| folder.path().join(name));
    fs::write(&query, QUERY).unwrap();
    let all = serde_json::json!({"displayTimeUnit": "ns", "traceEvents": events});
    fs::write(&file, all.to_string()).unwrap();
    let mut command = Command::new(processor);
    let output = command.arg("-q").arg(query).arg(file).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| line.trim_matches('"').to_owned());
    let mut lines: Vec<String> = lines.filter(|line| line.contains('|')).collect();
    lines.sort_unstable();
    lines
}

/// What it has to find.
fn written(events: &[Value]) -> Vec<String> {
    let name_of = |kind: &str, (group, track): (u64, u64)| {
        let is_it = |event: &&Value| event["name"] == kind && place(event) == (group, track);
        let event = events.iter().find(is_it).unwrap();
        event["args"]["name"].as_str().unwrap()
    };
    let mut tracks: BTreeMap<(&str, &str), (u64, i64)> = BTreeMap::new();
    for event in events {
        let (group, track) = place(event);
        let name = match event["ph"].as_str().unwrap() {
            "X" => name_of("thread_name", (group, track)),
            "b" | "e" => event["cat"].as_str().unwrap(),
            _ => continue,
        };
        let process = name_of("process_name", (group, 0));
        let (count, lasts) = tracks.entry((process, name)).or_default();
        *count += u64::from(event["ph"] != "e");
        *lasts += match event["ph"].as_str().unwrap() {
            "X" => nanoseconds(&event["dur"]),
            "b" => -nanoseconds(&event["ts"]),
            _ => nanoseconds(&event["ts"]),
        };
    }
    let line = |((process, name), (count, lasts))| format!("{process}|{name}|{count}|{lasts}");
    let mut lines: Vec<String> = tracks.into_iter().map(line).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn perfetto_finds_every_slice_and_no_error() {
    let Some(processor) = processor() else {
        faultline_ledger::missing("trace_processor_shell is not installed");
        return;
    };
    for options in RUNS {
        let events = events(options);
        assert_eq!(found(&processor, &events), written(&events), "{options:?}");
    }
    // What is not as it was written is seen: a far fault that does not end, and a slice that ends after the next begins.
    let events = events(RUNS[0]);
    let mut damaged = events.clone();
    let last = damaged.iter().rposition(|event| event["ph"] == "e");
    damaged.remove(last.unwrap());
    assert_ne!(found(&processor, &damaged), written(&events));
    let mut damaged = events;
    let first = damaged.iter_mut().find(|event| event["ph"] == "X").unwrap();
    first["dur"] = (first["dur"].as_f64().unwrap() + 0.001).into();
    let lines = found(&processor, &damaged);
    assert!(
        lines.iter().any(|line| line.starts_with("import|")),
        "{lines:?}"
    );
}
