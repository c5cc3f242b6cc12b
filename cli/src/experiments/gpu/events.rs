//! A run as trace events in JSON, which Perfetto (ui.perfetto.dev) and Chrome open.

use std::collections::BTreeSet;
use std::ops::Range;

use faultline_sim::machines::gpu::{Activity, Config, Outcome};
use serde_json::{Value, json};

/// The groups of tracks: what each SM does; what the driver, its handler and the link do, and each far fault and its handler; and the thread blocks
/// that each SM switches. They are processes to Perfetto, and tracks are threads: a thread 0 is the one with its process's
/// number, so tracks count from 1 and no track has the number of a group.
const SMS: u64 = 101;
const PAGING: u64 = 102;
const SWITCHES: u64 = 103;
/// The group of the second kernel: how each SM makes room for it, and runs it.
const PREEMPTIONS: u64 = 104;
/// Tracks of the second group.
const HANDLER: u64 = 1;
const LINK: u64 = 2;
const FAULTS: u64 = 3;
const LOCAL: u64 = 4;

/// The events of a run; times are microseconds.
pub fn events(name: &str, second: Option<&str>, config: &Config, outcome: &Outcome) -> Value {
    // Perfetto counts whole nanoseconds. Moments are rounded rather than spans, so that no slice ends after the next one begins.
    let nanoseconds = |cycle: u64| (1_000.0 * config.microseconds(cycle)).round();
    let time = |cycle: u64| nanoseconds(cycle) / 1_000.0;
    let of_group = |group: u64, name: &str| json!({"ph": "M", "name": "process_name", "pid": group, "args": {"name": name}});
    let of_track = |group: u64, track: u64, name: &str| json!({"ph": "M", "name": "thread_name", "pid": group, "tid": track, "args": {"name": name}});
    let of_sm = |group: u64, track: u64| of_track(group, track, &format!("SM {}", track - 1));
    let slice = |group: u64, track: u64, name: &str, span: &Range<u64>, arguments: Value| {
        let lasts = (nanoseconds(span.end) - nanoseconds(span.start)) / 1_000.0;
        json!({
            "ph": "X", "name": name, "pid": group, "tid": track, "ts": time(span.start), "dur": lasts, "args": arguments,
        })
    };
    let history = &outcome.history;
    let kernels = second.map_or_else(|| name.to_owned(), |second| format!("{name} and {second}"));
    let mut events = vec![
        of_group(SMS, &format!("SMs: {kernels}")),
        of_group(PAGING, "paging"),
        of_group(SWITCHES, "thread blocks that each SM switches"),
        of_track(PAGING, HANDLER, "handler on the CPU"),
        of_track(PAGING, LINK, "link"),
        of_track(PAGING, FAULTS, "far faults"),
        of_track(PAGING, LOCAL, "handlers on the SMs"),
    ];
    for (track, spans) in (1..).zip(&history.activities) {
        events.push(of_sm(SMS, track));
        let spans = spans.until(outcome.cycles);
        let shown = spans.filter(|(span, activity)| {
            matches!(activity, Activity::Runs | Activity::Waits) && !span.is_empty()
        });
        events.extend(
            shown.map(|(span, activity)| slice(SMS, track, activity.name(), &span, json!({}))),
        );
    }
    for (track, moved) in (1..).zip(&history.moved) {
        events.push(of_sm(SWITCHES, track));
        for one in moved {
            let way = if one.leaves { "leaves" } else { "comes back" };
            let name = format!("block {} {way}", one.block);
            events.push(slice(SWITCHES, track, &name, &one.span, json!({})));
        }
    }
    if let Some(launched) = &outcome.launched {
        let second = second.unwrap_or_default();
        events.push(of_group(
            PREEMPTIONS,
            &format!("second kernel on each SM: {second}"),
        ));
        for (track, sm) in (1..).zip(&launched.sms) {
            events.push(of_sm(PREEMPTIONS, track));
            let spans = [
                ("makes room", sm.launched..sm.free, true),
                ("second kernel", sm.free..sm.back, sm.ends[1] > 0),
            ];
            let shown = spans
                .into_iter()
                .filter(|(_, span, has_run)| *has_run && !span.is_empty());
            for (name, span, _) in shown {
                events.push(slice(PREEMPTIONS, track, name, &span, json!({})));
            }
        }
    }
    for (number, arrival) in history.arrivals.iter().enumerate() {
        let page = format!("page {:#x}", arrival.vpn);
        let arguments = json!({"pages": arrival.pages});
        if let Some(handled) = &arrival.handled {
            events.push(slice(PAGING, HANDLER, &page, handled, arguments.clone()));
        }
        if let Some(moved) = &arrival.moved {
            events.push(slice(PAGING, LINK, &page, moved, arguments));
        }
        // Far faults overlap, so each is a track of its own, and so are handlers on the SMs.
        let whole = arrival.reported..arrival.there;
        let on_sm = |sm| format!("{page} on SM {sm}");
        let local = arrival.local.clone().map(|span| {
            let name = arrival.sm.map_or_else(|| page.clone(), on_sm);
            ("handler on an SM", LOCAL, name, span)
        });
        let far = ("far fault", FAULTS, page.clone(), whole);
        for (kind, track, name, span) in std::iter::once(far).chain(local) {
            for (phase, cycle) in [("b", span.start), ("e", span.end)] {
                events.push(json!({
                    "ph": phase, "cat": kind, "id2": {"local": number}, "name": name, "pid": PAGING, "tid": track,
                    "ts": time(cycle),
                }));
            }
        }
    }
    leave_out_empty(&mut events);
    json!({"displayTimeUnit": "ns", "traceEvents": events})
}

/// Leaves out the names of groups and tracks without events.
fn leave_out_empty(events: &mut Vec<Value>) {
    let place = |event: &Value| (event["pid"].as_u64(), event["tid"].as_u64());
    let is_name = |event: &Value| event["ph"] == "M";
    let happen = events.iter().filter(|event| !is_name(event));
    // The name of a group has no track.
    let used: BTreeSet<_> = happen
        .map(place)
        .flat_map(|(group, track)| [(group, track), (group, None)])
        .collect();
    events.retain(|event| !is_name(event) || used.contains(&place(event)));
}
