//! The runs as tables.

use super::jobs::{Latency, MHZ, Row};
use crate::output::{fitted, grouped, right, table, tables, width};

/// What tells machines apart, by name.
type Size = (&'static str, fn(&Row) -> String);

const SIZES: [Size; 6] = [
    ("order", |row| row.order.to_owned()),
    ("threads", |row| row.threads.to_string()),
    ("PWC", |row| pwc(row)),
    ("L2 entries", |row| row.l2_entries.to_string()),
    ("misses per SM", |row| row.misses.to_string()),
    ("MSHRs per SM", |row| row.mshr_per_sm.to_string()),
];

/// The page-walk cache.
fn pwc(row: &Row) -> String {
    match row.pwc_bytes {
        None => "ideal".to_owned(),
        Some(0) => "-".to_owned(),
        Some(bytes) if bytes.is_multiple_of(1024) => format!("{} KB", bytes / 1024),
        Some(bytes) => format!("{bytes} B"),
    }
}

/// The shares of reads that hit in the page-walk cache, level by level.
fn cache_hits(row: &Row) -> String {
    let hits = row.levels.iter().skip(1);
    let hits = hits.map(|level| percent(level.cache_hits, level.reads));
    match row.pwc_bytes {
        Some(0) => none(),
        _ => hits.collect::<Vec<_>>().join(" "),
    }
}

/// The sizes in which machines of one design differ.
pub fn varied(rows: &[Row]) -> Vec<Size> {
    let differs = |(_, size): &Size| {
        rows.iter().any(|row| {
            let mut same = rows.iter().filter(|other| other.design == row.design);
            same.any(|other| size(other) != size(row))
        })
    };
    SIZES.into_iter().filter(differs).collect()
}

/// All tables.
pub fn text(rows: &[Row]) -> String {
    let mut text = format!(
        "Performance, translation at once as 100; walk latency in cycles, from the miss in the L1 TLB on\n{}\n\
         latency, queueing before the walk begins, and service: their means; p50, p90 and p99 of the latency, known to an\n\
         eighth; walking: walks under way in a walker, in the mean of all cycles, and busy: of its threads; in flight: pages\n\
         that the SMs of a walker wait for as it begins a walk, in design 1 those of one SM; PWC hits: of the reads of level\n\
         2, 3 and 4; slowest SM: its cycles, the mean as 1",
        walks(rows)
    );
    if rows.iter().any(|row| row.far_faults_percent > 0) {
        text += &format!("\n\nFar faults\n{}", far_faults(rows));
    }
    if let [row] = rows {
        let far = if row.far_faults_percent > 0 {
            ", and fault service"
        } else {
            ""
        };
        text += &format!("\n\nWalk latency{far}\n{}", histogram(row));
    }
    text
}

/// Rows as tables that fit the terminal. First come workload, design, and what tells machines of the design apart.
fn whole(rows: &[Row], headings: &[&str], line: impl Fn(&Row) -> Vec<String>) -> String {
    let sizes = varied(rows);
    let mut all = vec!["workload", "design"];
    all.extend(sizes.iter().map(|(name, _)| *name));
    all.extend(headings);
    let all: Vec<_> = all.into_iter().map(str::to_owned).collect();
    let cells = |row: &Row| {
        let mut cells = vec![row.workload.clone(), row.design.to_owned()];
        cells.extend(sizes.iter().map(|(_, size)| size(row)));
        cells.extend(line(row));
        cells
    };
    let rows: Vec<_> = rows.iter().map(cells).collect();
    tables(2 + sizes.len(), &all, &rows, width())
}

fn walks(rows: &[Row]) -> String {
    let headings = [
        "cycles",
        "of ideal",
        "walks",
        "latency",
        "p50",
        "p90",
        "p99",
        "queueing",
        "service",
        "walking",
        "busy, %",
        "in flight",
        "most",
        "PWC hits, %",
        "L2 hits",
        "reads",
        "slowest SM",
    ];
    let line = |row: &Row| {
        let mut cells = vec![grouped(row.cycles)];
        cells.extend(figures(row));
        cells
    };
    whole(rows, &headings, line)
}

/// What the tables of walks show of a run, from its performance on.
pub fn figures(row: &Row) -> Vec<String> {
    let mut cells = vec![format!("{:.1}", row.percent_of_ideal), grouped(row.walks)];
    cells.extend(latencies(row));
    cells.extend(occupancy(row));
    cells.extend([
        cache_hits(row),
        grouped(row.l2_hits),
        grouped(row.memory_reads),
        format!("{:.2}", row.slowest_sm),
    ]);
    cells
}

/// The latency of walks, its percentiles, and its parts. Where all walks have found their pages absent there is none.
fn latencies(row: &Row) -> [String; 6] {
    let latency = &row.walk_latency;
    let [p50, p90, p99] = [latency.p50, latency.p90, latency.p99].map(whole_or_none);
    let [all, queueing, service] =
        [latency, &row.queueing, &row.service].map(|part| mean_or_none(part.mean));
    [all, p50, p90, p99, queueing, service]
}

/// How busy a walker is: walks under way, its threads, and the pages that are waited for as a walk begins.
pub fn occupancy(row: &Row) -> [String; 4] {
    [
        format!("{:.1}", row.walking),
        format!("{:.0}", row.threads_busy_percent),
        mean_or_none(row.in_flight),
        whole_or_none(row.in_flight_most),
    ]
}

/// A mean, or a dash where there was nothing.
fn mean_or_none(mean: Option<f64>) -> String {
    whole_or_none(mean.map(|mean| mean.round() as u64))
}

fn whole_or_none(number: Option<u64>) -> String {
    number.map_or_else(none, grouped)
}

fn none() -> String {
    "-".to_owned()
}

/// A share in percent, whole.
pub fn percent(part: u64, of: u64) -> String {
    format!("{:.0}", 100.0 * part as f64 / of.max(1) as f64)
}

/// Cycles as microseconds, or a dash where there were none.
pub fn microseconds(cycles: Option<f64>) -> String {
    cycles.map_or_else(none, |cycles| format!("{:.1}", cycles / MHZ as f64))
}

fn far_faults(rows: &[Row]) -> String {
    let headings = [
        "far faults",
        "per ms",
        "Nacks",
        "held, most",
        "service, us",
        "p50, us",
        "p90, us",
        "p99, us",
    ];
    let line = |row: &Row| {
        let service = &row.fault_service;
        let mut cells = vec![
            grouped(row.far_faults),
            format!("{:.0}", row.far_faults_per_ms),
            grouped(row.nacks),
            row.far_faults_held.to_string(),
            microseconds(service.mean),
        ];
        let parts = [service.p50, service.p90, service.p99];
        cells.extend(parts.map(|part| microseconds(part.map(|cycles| cycles as f64))));
        cells
    };
    whole(rows, &headings, line)
}

/// The latencies of a run, a row for each octave.
fn histogram(row: &Row) -> String {
    let mut headings = vec!["cycles from", "all", "queueing", "service"];
    let mut parts = vec![&row.walk_latency, &row.queueing, &row.service];
    if row.far_faults_percent > 0 {
        headings.push("fault service");
        parts.push(&row.fault_service);
    }
    headings.push(if row.walk_latency.count > 0 {
        "all"
    } else {
        "fault service"
    });
    let drawn = match row.walk_latency.count {
        0 => parts.len() - 1,
        _ => 0,
    };
    let mut table = table(&headings);
    let of_parts = parts.iter().flat_map(|part| &part.octaves);
    let mut octaves: Vec<u64> = of_parts.map(|(octave, _)| *octave).collect();
    octaves.sort_unstable();
    octaves.dedup();
    let count = |part: &Latency, octave| {
        let known = part.octaves.iter().find(|(from, _)| *from == octave);
        known.map_or(0, |(_, count)| *count)
    };
    let all = parts[drawn].octaves.iter().map(|(_, count)| *count);
    let most = all.max().unwrap_or(1);
    for octave in octaves {
        let counts = parts.iter().map(|part| count(part, octave));
        let counts: Vec<_> = counts.collect();
        let bar = "#".repeat((counts[drawn] as f64 / most as f64 * 30.0).ceil() as usize);
        let mut cells = vec![right(grouped(octave))];
        cells.extend(counts.into_iter().map(|count| right(grouped(count))));
        cells.push(bar.into());
        table.add_row(cells);
    }
    fitted(&table)
}
