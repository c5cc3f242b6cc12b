//! Power under an activity, in the tables and in the CSV.

use super::{Line, in_each_sm, number};
use crate::cost::{Row, SplitPower, activity};

/// An activity: its name, and what stands before its columns in the CSV.
const ACTIVITIES: [(&str, &str); 3] = [
    (activity::TRACES, "traces"),
    (activity::WRITES, "writes"),
    (activity::RANDOM, "random"),
];

/// What a row takes under an activity.
pub fn under<'a>(row: &'a Row, activity: &str) -> Option<&'a SplitPower> {
    let mut known = row.activities.iter();
    let found = known.find(|known| known.activity == activity);
    found.map(|found| &found.power)
}

/// The activities under which a log is set beside the paper, with the names of their lines.
pub const BESIDE_THE_PAPER: [(&str, &str); 2] = [
    (activity::WRITES, "with logic, a write in each cycle"),
    (activity::TRACES, "with logic, traces"),
];

/// The power of its logic.
fn logic(row: &Row, activity: &str) -> Option<String> {
    under(row, activity).map(|power| number(power.logic_mw, 2))
}

/// A figure of its memories, if it has any.
fn memories(
    row: &Row,
    activity: &str,
    digits: usize,
    part: fn(&SplitPower) -> f64,
) -> Option<String> {
    let power = under(row, activity).filter(|_| row.sram_area_um2 > 0.0);
    power.map(|power| number(part(power), digits))
}

fn share(row: &Row, activity: &str) -> Option<String> {
    let power = under(row, activity).filter(|_| in_each_sm(row));
    power.map(|power| number(power.sm_power_percent, 3))
}

/// The lines of the table of blocks.
pub const LINES: [Line; 11] = [
    ("writes/cycle, traces", |row| {
        memories(row, activity::TRACES, 3, |power| power.writes_per_cycle)
    }),
    ("memory power mW, traces", |row| {
        memories(row, activity::TRACES, 2, |power| power.sram_mw)
    }),
    ("logic power mW, traces", |row| logic(row, activity::TRACES)),
    ("SM power % with logic, traces", |row| {
        share(row, activity::TRACES)
    }),
    ("memory power mW, a write in each cycle", |row| {
        memories(row, activity::WRITES, 2, |power| power.sram_mw)
    }),
    ("logic power mW, a write in each cycle", |row| {
        logic(row, activity::WRITES)
    }),
    ("SM power % with logic, a write in each cycle", |row| {
        share(row, activity::WRITES)
    }),
    ("writes/cycle, random traffic", |row| {
        memories(row, activity::RANDOM, 3, |power| power.writes_per_cycle)
    }),
    ("memory power mW, random traffic", |row| {
        memories(row, activity::RANDOM, 2, |power| power.sram_mw)
    }),
    ("logic power mW, random traffic", |row| {
        logic(row, activity::RANDOM)
    }),
    ("SM power % with logic, random traffic", |row| {
        share(row, activity::RANDOM)
    }),
];

/// What the lines are, if there are any.
pub fn sentence(rows: &[Row]) -> Option<String> {
    let of = rows.iter().flat_map(|row| &row.activities).next()?;
    Some(format!(
        "Power with logic is that of memories and netlist as {} cycles at {} MHz of the named activity make them switch, without \
         the paper's factor and without a clock tree; traces are what an SM that runs the kernels tells the block.",
        of.cycles, of.clock_mhz
    ))
}

/// A column of the CSV: its heading, and its value.
type Column = (&'static str, fn(&SplitPower) -> f64);

const COLUMNS: [Column; 6] = [
    ("reads_per_cycle", |power| power.reads_per_cycle),
    ("writes_per_cycle", |power| power.writes_per_cycle),
    ("sram_mw", |power| power.sram_mw),
    ("logic_mw", |power| power.logic_mw),
    ("with_logic_sm_power_percent", |power| {
        power.sm_power_percent
    }),
    ("with_logic_gpu_power_percent", |power| {
        power.gpu_power_percent
    }),
];

/// The columns of the CSV: for each activity the same.
pub fn headings() -> impl Iterator<Item = String> {
    ACTIVITIES.iter().flat_map(|(_, key)| {
        COLUMNS
            .iter()
            .map(move |(heading, _)| format!("{key}_{heading}"))
    })
}

/// A row's values in them; empty for an activity that it does not have.
pub fn values(row: &Row) -> impl Iterator<Item = String> {
    ACTIVITIES.iter().flat_map(move |(activity, _)| {
        let power = under(row, activity);
        COLUMNS
            .iter()
            .map(move |(_, value)| power.map_or_else(String::new, |power| value(power).to_string()))
    })
}
