//! The runs of `faultline gpu`, as rows of a table and of `--json`.

use faultline_sim::machines::gpu::{Config, Handling, Outcome, Prefetch, Replay, SwitchingMode};
use faultline_sim::machines::sm::Work;
use serde::Serialize;

use super::super::sm::PATTERNS;
use super::causes::{self, Restarts, Shares};
use super::lockstep::{self, Compared};
use crate::output::{self, grouped};

/// A run.
#[derive(Serialize)]
pub struct Row {
    pub workload: String,
    preset: String,
    pub sms: usize,
    /// Bytes that come for a fault, and those that the link moves in a cycle.
    part_bytes: u64,
    link_bytes_a_cycle: u64,
    unit: &'static str,
    pub scheme: &'static str,
    switching: &'static str,
    handling: &'static str,
    pub cycles: u64,
    microseconds: f64,
    warp_instructions: u64,
    instructions_per_cycle: f64,
    /// The cycles of this workload's first run, as a share of these.
    pub relative_percent: f64,
    pub values_checked: bool,
    pub squashing_faults: u64,
    /// Those that are exceptions, which a handler on the SM restarts.
    exceptions: u64,
    pub far_faults: u64,
    not_held: u64,
    held_at_once: u16,
    migrated: u64,
    allocated: u64,
    /// Parts that handlers on the GPU have allocated, and those whose migration they have asked of the CPU.
    handled_on_gpu: u64,
    asked_of_cpu: u64,
    pub prefetch: &'static str,
    /// Parts that were migrated or allocated before a fault in them, and those of them of which a page was translated.
    prefetched: u64,
    prefetched_and_used: u64,
    /// In percent of the parts that are accessed; null without a limit.
    pub capacity_percent: Option<u64>,
    pub eviction: &'static str,
    replay: &'static str,
    /// Batches of records that the driver has read, records that told it nothing new, replays, and records that it dropped unread.
    batches: u64,
    duplicates: u64,
    replays: u64,
    flushed: u64,
    /// Parts that were evicted, and those that came again.
    pub evicted: u64,
    came_again: u64,
    written_back_bytes: u64,
    /// Cycles that faults waited for room, of all together.
    room_cycles: u64,
    /// In percent of the parts that are accessed, and the lines of them that came over the link and that went.
    pinned_percent: u64,
    pinned_lines_read: u64,
    pinned_lines_written: u64,
    link_bytes: u64,
    link_use_percent: f64,
    switched_out: u64,
    context_bytes: u64,
    /// Cycles for which contexts moved, of all SMs together.
    context_cycles: u64,
    translations: u64,
    walk_reads: u64,
    l2_lines: u64,
    dram_lines: u64,
    /// Cycles from each fault to the restart of what it has stopped.
    fault_to_restart: Restarts,
    /// Cycles from the resolution of the last page that a warp has waited for, at its SM, to its first replay, around SM units.
    #[serde(skip_serializing_if = "Restarts::is_empty")]
    pub resolution_to_replay: Restarts,
    /// Cycles of all SMs by cause, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    sm_cycles: Option<Shares>,
    /// Designs that were compared with their references.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<Compared>,
}

impl Row {
    /// A run; how it compares with others is not known yet.
    pub fn new(work: &Work, config: &Config, outcome: &Outcome) -> Self {
        let Outcome {
            cycles,
            instructions,
            brought,
            translations,
            traffic,
            ..
        } = outcome;
        let parameters = config.parameters();
        let paging = parameters.paging;
        let a_cycle = |count: u64| count as f64 / (*cycles).max(1) as f64;
        Self {
            workload: work.name.clone(),
            preset: config.preset.clone(),
            sms: parameters.sms,
            part_bytes: paging.part_bytes(),
            link_bytes_a_cycle: paging.link.bytes,
            unit: config.sm.unit.name(),
            scheme: config.sm.scheme.0.name(),
            switching: config.switching.mode.name(),
            handling: config.paging.handling.name(),
            cycles: *cycles,
            microseconds: config.microseconds(*cycles),
            warp_instructions: *instructions,
            instructions_per_cycle: a_cycle(*instructions),
            relative_percent: 0.0,
            values_checked: work.computation.is_some(),
            squashing_faults: outcome.sms.occasions.faults,
            exceptions: outcome.sms.occasions.exceptions,
            far_faults: brought.records,
            not_held: translations.nacks,
            held_at_once: translations.held,
            migrated: brought.migrated,
            allocated: brought.allocated,
            handled_on_gpu: brought.local,
            asked_of_cpu: brought.asked,
            prefetch: config.paging.prefetch.name(),
            prefetched: brought.prefetched,
            prefetched_and_used: brought.used,
            capacity_percent: config.paging.capacity_percent.percent(),
            eviction: config.paging.eviction.name(),
            replay: config.paging.replay.name(),
            batches: brought.replays.batches,
            duplicates: brought.replays.duplicates,
            replays: brought.replays.replays,
            flushed: brought.replays.flushed,
            evicted: brought.evicted,
            came_again: brought.again,
            written_back_bytes: brought.written_back,
            room_cycles: brought.no_room,
            pinned_percent: config.paging.pinned_percent.into(),
            pinned_lines_read: brought.lines.read,
            pinned_lines_written: brought.lines.written,
            link_bytes: brought.bytes,
            link_use_percent: 100.0 * a_cycle(brought.link),
            switched_out: outcome.sms.switches,
            context_bytes: outcome.sms.contexts.bytes(),
            context_cycles: outcome.sms.contexts.cycles,
            translations: translations.fills,
            walk_reads: translations.reads,
            l2_lines: traffic.lines + traffic.stores,
            dram_lines: traffic.from_dram + traffic.to_dram,
            fault_to_restart: (&outcome.sms.fault_times).into(),
            resolution_to_replay: (&outcome.sms.replay_times).into(),
            sm_cycles: Shares::of(outcome),
            compared: Vec::new(),
        }
    }

    /// Whether the driver brings more than what was missed.
    pub fn prefetches(&self) -> bool {
        self.prefetch != Prefetch::None.name()
    }

    /// Whether there is no room for everything.
    pub const fn evicts(&self) -> bool {
        self.capacity_percent.is_some()
    }

    /// The run, in which this was compared.
    pub fn with(self, compared: &[Compared]) -> Self {
        Self {
            compared: compared.to_vec(),
            ..self
        }
    }
}

/// The runs as a table; of paging only where pages are absent.
pub fn text(rows: &[Row], absent: bool, has_kernels: bool) -> String {
    let switches = rows
        .iter()
        .any(|row| row.switching != SwitchingMode::None.name());
    let has_exceptions = rows.iter().any(|row| row.exceptions > 0);
    let handles = rows.iter().any(|row| row.handling == Handling::Gpu.name());
    let mut headings = vec!["Workload", "Scheme"];
    if switches {
        headings.push("Switching");
    }
    if handles {
        headings.push("Handling");
    }
    let prefetches = rows.iter().any(Row::prefetches);
    let evicts = rows.iter().any(Row::evicts);
    headings.extend(prefetches.then_some("Prefetch"));
    headings.extend(evicts.then_some("Eviction"));
    let replays = rows.iter().any(|row| row.replay != Replay::Page.name());
    headings.extend(replays.then_some("Replay"));
    let has_pinned = rows.iter().any(|row| row.pinned_percent > 0);
    let names = headings.clone();
    headings.extend(["Cycles", "Performance", "Warp instructions a cycle"]);
    match absent {
        true => headings.extend([
            "Squashing faults",
            "Far faults",
            "Not held",
            "Migrated",
            "Allocated",
            "Link use %",
        ]),
        false => headings.extend(["Translations", "Walk reads", "L2 lines", "DRAM lines"]),
    }
    if handles {
        headings.extend(["Handled on GPU", "Asked of CPU"]);
    }
    if prefetches {
        headings.extend(["Prefetched", "Used"]);
    }
    if evicts {
        headings.extend(["Evicted", "Came again"]);
    }
    if replays {
        headings.extend(["Batches", "Duplicates", "Flushed"]);
    }
    if has_pinned {
        headings.extend(["Lines read", "Lines written"]);
    }
    if switches {
        headings.extend(["Switched out", "Context KB"]);
    }
    headings.extend(has_exceptions.then_some("Exceptions"));
    let headings: Vec<String> = headings.into_iter().map(str::to_owned).collect();
    let named = |row: &Row| {
        let mut cells = vec![row.workload.clone(), row.scheme.to_owned()];
        if switches {
            cells.push(row.switching.to_owned());
        }
        if handles {
            cells.push(row.handling.to_owned());
        }
        cells.extend(prefetches.then(|| row.prefetch.to_owned()));
        cells.extend(evicts.then(|| row.eviction.to_owned()));
        cells.extend(replays.then(|| row.replay.to_owned()));
        cells
    };
    let cells = rows.iter().map(|row| {
        let mut cells = named(row);
        cells.extend([
            grouped(row.cycles),
            format!("{:.1}", row.relative_percent),
            format!("{:.2}", row.instructions_per_cycle),
        ]);
        let counts = match absent {
            true => vec![
                row.squashing_faults,
                row.far_faults,
                row.not_held,
                row.migrated,
                row.allocated,
            ],
            false => vec![
                row.translations,
                row.walk_reads,
                row.l2_lines,
                row.dram_lines,
            ],
        };
        cells.extend(counts.into_iter().map(grouped));
        if absent {
            cells.push(format!("{:.1}", row.link_use_percent));
        }
        if handles {
            cells.extend([row.handled_on_gpu, row.asked_of_cpu].map(grouped));
        }
        if prefetches {
            cells.extend([row.prefetched, row.prefetched_and_used].map(grouped));
        }
        if evicts {
            cells.extend([row.evicted, row.came_again].map(grouped));
        }
        if replays {
            cells.extend([row.batches, row.duplicates, row.flushed].map(grouped));
        }
        if has_pinned {
            cells.extend([row.pinned_lines_read, row.pinned_lines_written].map(grouped));
        }
        if switches {
            cells.extend([row.switched_out, row.context_bytes >> 10].map(grouped));
        }
        cells.extend(has_exceptions.then(|| grouped(row.exceptions)));
        cells
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let table = output::tables(names.len(), &headings, &cells, output::width());
    let restarts = rows.iter().map(|row| (named(row), &row.fault_to_restart));
    let restarts: Vec<_> = restarts.collect();
    let shares = rows
        .iter()
        .filter_map(|row| Some((named(row), row.sm_cycles.as_ref()?)));
    let table = causes::below(table, &names, &restarts, &shares.collect::<Vec<_>>());
    let mut notes = vec!["Performance is relative to the workload's first run."];
    if rows.iter().all(|row| row.values_checked) {
        notes.push("Registers and memory at the end are those of a run without a GPU.");
    }
    if has_pinned {
        notes.push(
            "Lines read and written are those of pinned memory that came and went over the link.",
        );
    }
    if has_kernels {
        notes.push(PATTERNS);
    }
    let replays = rows
        .iter()
        .filter(|row| !row.resolution_to_replay.is_empty());
    let replays = replays.map(|row| {
        format!(
            "{} under {}: from a resolution at the SM to the first replay {} cycles.",
            row.workload,
            row.scheme,
            row.resolution_to_replay.text()
        )
    });
    let replays: Vec<String> = replays.collect();
    let compared = rows.iter().flat_map(|row| {
        let run = format!("{} under {}", row.workload, row.scheme);
        lockstep::text(&row.compared).map(move |text| format!("{run}: {text}"))
    });
    let compared = replays.into_iter().chain(compared);
    let notes = notes.into_iter().map(str::to_owned).chain(compared);
    format!("{table}\n{}", notes.collect::<Vec<_>>().join("\n"))
}
