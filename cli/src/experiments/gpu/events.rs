//! A run as trace events in JSON, which Perfetto (ui.perfetto.dev) and Chrome open.

use std::ops::Range;

use faultline_sim::machines::gpu::{Activity, Config, Outcome};
use serde_json::{Value, json};

/// The groups of tracks: what each SM does; what the driver, its handler and the link do, and each far fault and its handler; and the thread blocks
/// that each SM switches.
const SMS: u64 = 1;
const PAGING: u64 = 2;
const SWITCHES: u64 = 3;
/// The group of the second kernel: how each SM makes room for it, and runs it.
const PREEMPTIONS: u64 = 4;
/// Tracks of the second group.
const HANDLER: u64 = 0;
const LINK: u64 = 1;
const FAULTS: u64 = 2;
const LOCAL: u64 = 3;

/// The events of a run; times are microseconds.
pub fn events(name: &str, config: &Config, outcome: &Outcome) -> Value {
    // Perfetto counts whole nanoseconds. Moments are rounded rather than spans, so that no slice ends after the next one begins.
    let nanoseconds = |cycle: u64| (1_000.0 * config.microseconds(cycle)).round();
    let time = |cycle: u64| nanoseconds(cycle) / 1_000.0;
    let named = |kind: &str, group: u64, track: u64, name: &str| json!({"ph": "M", "name": kind, "pid": group, "tid": track, "args": {"name": name}});
    let slice = |group: u64, track: u64, name: &str, span: &Range<u64>, arguments: Value| {
        let lasts = (nanoseconds(span.end) - nanoseconds(span.start)) / 1_000.0;
        json!({
            "ph": "X", "name": name, "pid": group, "tid": track, "ts": time(span.start), "dur": lasts, "args": arguments,
        })
    };
    let history = &outcome.history;
    let mut events = vec![
        named("process_name", SMS, 0, &format!("SMs: {name}")),
        named("process_name", PAGING, 0, "paging"),
        named(
            "process_name",
            SWITCHES,
            0,
            "thread blocks that each SM switches",
        ),
        named("thread_name", PAGING, HANDLER, "handler on the CPU"),
        named("thread_name", PAGING, LINK, "link"),
        named("thread_name", PAGING, FAULTS, "far faults"),
        named("thread_name", PAGING, LOCAL, "handlers on the SMs"),
    ];
    for (track, spans) in (0..).zip(&history.activities) {
        events.push(named("thread_name", SMS, track, &format!("SM {track}")));
        let spans = spans.until(outcome.cycles);
        let shown =
            spans.filter(|(span, activity)| *activity != Activity::Ended && !span.is_empty());
        events.extend(
            shown.map(|(span, activity)| slice(SMS, track, activity.name(), &span, json!({}))),
        );
    }
    for (track, moved) in (0..).zip(&history.moved) {
        for one in moved {
            let way = if one.leaves { "leaves" } else { "comes back" };
            let name = format!("block {} {way}", one.block);
            events.push(slice(SWITCHES, track, &name, &one.span, json!({})));
        }
    }
    if let Some(launched) = &outcome.launched {
        let group = named("process_name", PREEMPTIONS, 0, "second kernel on each SM");
        events.push(group);
        for (track, sm) in (0..).zip(&launched.sms) {
            for (name, span) in [
                ("makes room", sm.launched..sm.free),
                ("second kernel", sm.free..sm.back),
            ] {
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
                    "ph": phase, "cat": kind, "id": number, "name": name, "pid": PAGING, "tid": track,
                    "ts": time(cycle),
                }));
            }
        }
    }
    json!({"displayTimeUnit": "ns", "traceEvents": events})
}
