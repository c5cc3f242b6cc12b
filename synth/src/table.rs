//! Rows as tables for a person, as CSV, and as Markdown.

use crate::cost::Row;
use crate::paper::{self, Overhead};
use crate::sta::CLOCK;

mod activity;
mod rows;
pub mod terminal;

pub use rows::csv;

/// A table whose cells are text already: the terminal, Markdown and HTML show the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// What it shows, one line.
    pub title: String,
    /// Its columns; the first one labels the rows.
    pub headings: Vec<String>,
    /// Its cells, one per heading.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// The grid as a Markdown table under its title. What would end a cell, or begin markup, is written so that it does not.
    pub fn markdown(&self) -> String {
        let plain = |cell: &String| cell.replace('|', "\\|").replace('<', "&lt;");
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(plain).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule: Vec<String> = (0..self.headings.len())
            .map(|column| if column == 0 { "---" } else { "---:" }.to_owned())
            .collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!(
            "{}\n\n{}{}{rows}",
            self.title,
            line(&self.headings),
            line(&rule)
        )
    }
}

/// The tables of a set of rows: the logs beside the paper, and every block with area and clock.
pub fn grids(rows: &[Row]) -> Vec<Grid> {
    let mut grids = Vec::new();
    grids.extend(beside_the_paper(rows));
    let synthesized = models(rows)
        .into_iter()
        .filter(|model| *model != "paper-fit");
    grids.extend(synthesized.filter_map(|model| area_and_clock(rows, model)));
    grids
}

type Share = (&'static str, fn(&Overhead) -> f64);

/// The four shares of Table 2.
const SHARES: [Share; 4] = [
    ("SM area %", |share| share.sm_area_percent),
    ("GPU area %", |share| share.gpu_area_percent),
    ("SM power %", |share| share.sm_power_percent),
    ("GPU power %", |share| share.gpu_power_percent),
];

/// The shares of a row.
pub fn shares(row: &Row) -> Overhead {
    Overhead {
        sm_area_percent: row.sm_area_percent,
        gpu_area_percent: row.gpu_area_percent,
        sm_power_percent: row.sm_power_percent,
        gpu_power_percent: row.gpu_power_percent,
    }
}

/// The shares of a row with the synthesized control, where the row has the paper's factor.
pub fn measured_shares(row: &Row) -> Option<Overhead> {
    row.measured_control.map(|measured| Overhead {
        sm_area_percent: measured.sm_area_percent,
        gpu_area_percent: measured.gpu_area_percent,
        sm_power_percent: measured.sm_memory_power_percent,
        gpu_power_percent: measured.gpu_memory_power_percent,
    })
}

/// What the memories of the rows are, each once: CACTI's settings first.
fn models(rows: &[Row]) -> Vec<&'static str> {
    let mut models = vec!["paper-fit", "single-port"];
    for row in rows {
        if !models.contains(&row.sram_model) {
            models.push(row.sram_model);
        }
    }
    models
}

/// The logs' sizes, in the order in which they come.
fn logs(rows: &[Row]) -> Vec<&str> {
    let mut logs: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.paper.is_some()) {
        if !logs.contains(&row.config.as_str()) {
            logs.push(&row.config);
        }
    }
    logs
}

fn beside_the_paper(rows: &[Row]) -> Option<Grid> {
    let logs = logs(rows);
    if logs.is_empty() {
        return None;
    }
    let of = |model: &str, log: &str| {
        rows.iter()
            .find(|row| row.paper.is_some() && row.sram_model == model && row.config == log)
    };
    let synthesized: Vec<&str> = models(rows)
        .into_iter()
        .filter(|model| *model != "paper-fit")
        .collect();
    let percent = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let mut lines = Vec::new();
    for (name, share) in SHARES {
        let paper = |log: &str| {
            rows.iter()
                .find(|row| row.config == log && row.paper.is_some())
                .and_then(|row| row.paper)
                .map(|paper| share(&paper))
        };
        let fit = |log: &str| of("paper-fit", log).map(|row| share(&shares(row)));
        let measured = |log: &str| {
            of("paper-fit", log)
                .and_then(measured_shares)
                .map(|shares| share(&shares))
        };
        let mut line = |label: String, value: &dyn Fn(&str) -> Option<f64>| {
            if logs.iter().any(|log| value(log).is_some()) {
                let cells = logs.iter().map(|log| percent(value(log)));
                lines.push(std::iter::once(label).chain(cells).collect());
            }
        };
        line(format!("{name}, paper"), &paper);
        line("  paper-fit (x 1.5)".to_owned(), &fit);
        line("  ratio to the paper".to_owned(), &|log| {
            Some(fit(log)? / paper(log)?)
        });
        // The paper's factor stands for the control's power too.
        let what = match name.contains("power") {
            true => "memories only",
            false => "control measured",
        };
        line(format!("  paper-fit, {what}"), &measured);
        for model in &synthesized {
            line(format!("  {model}, {what}"), &|log| {
                of(model, log).map(|row| share(&shares(row)))
            });
        }
        if !name.contains("power") {
            continue;
        }
        for (under, label) in activity::BESIDE_THE_PAPER {
            for model in models(rows) {
                line(format!("  {model} {label}"), &|log| {
                    let power = activity::under(of(model, log)?, under)?;
                    Some(match name.starts_with("SM") {
                        true => power.sm_power_percent,
                        false => power.gpu_power_percent,
                    })
                });
            }
        }
    }
    Some(Grid {
        title: format!(
            "Operand log beside Table 2 of Tanasic et al. (SM {} mm2 and {} W, GPU {} mm2 and {} W, {} SMs)",
            paper::SM_AREA_MM2,
            paper::SM_POWER_W,
            paper::GPU_AREA_MM2,
            paper::GPU_POWER_W,
            paper::SMS
        ),
        headings: std::iter::once("log".to_owned())
            .chain(logs.iter().map(|log| log.to_uppercase()))
            .collect(),
        rows: lines,
    })
}

type Line = (&'static str, fn(&Row) -> Option<String>);

fn number(value: f64, digits: usize) -> String {
    format!("{value:.digits$}")
}

/// Blocks of which a GPU has one, and not one in each streaming multiprocessor.
const SHARED: [&str; 6] = [
    "l2_tlb",
    "far_fault_mshr",
    "fault_buffer",
    "page_walker",
    "page_walk_cache",
    "gmmu",
];

fn in_each_sm(row: &Row) -> bool {
    !SHARED.contains(&row.block.as_str())
}

/// The lines of the second table.
const LINES: [Line; 17] = [
    ("memories", |row| Some(row.sram_macros.clone())),
    ("memory node nm", |row| {
        row.sram_node_nm.map(|node| node.to_string())
    }),
    ("memory area um2", |row| Some(number(row.sram_area_um2, 0))),
    ("logic area um2", |row| Some(number(row.logic_area_um2, 0))),
    ("logic / memory %", |row| {
        row.control_percent.map(|value| number(value, 1))
    }),
    ("total um2", |row| Some(number(row.total_area_um2, 0))),
    ("um2 per entry", |row| {
        row.entry_area_um2.map(|value| number(value, 0))
    }),
    ("SM area %", |row| {
        in_each_sm(row).then(|| number(row.sm_area_percent, 3))
    }),
    ("GPU area %", |row| {
        in_each_sm(row).then(|| number(row.gpu_area_percent, 3))
    }),
    ("memory power mW", |row| Some(number(row.sram_power_mw, 1))),
    ("flip-flops", |row| Some(row.registers.to_string())),
    ("clock MHz", |row| {
        row.fmax_mhz.map(|value| number(value, 0))
    }),
    ("clock limited by", |row| row.clock_limit.map(str::to_owned)),
    ("register path ns", |row| {
        row.register_path_ns.map(|value| number(value, 3))
    }),
    ("input path ns", |row| {
        row.input_path_ns.map(|value| number(value, 3))
    }),
    ("output path ns", |row| {
        row.output_path_ns.map(|value| number(value, 3))
    }),
    ("through path ns", |row| {
        row.through_path_ns.map(|value| number(value, 3))
    }),
];

fn area_and_clock(rows: &[Row], model: &str) -> Option<Grid> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.sram_model == model).collect();
    let first = rows.first()?;
    let heading = |row: &&Row| format!("{} {}", short(&row.block), row.config);
    Some(Grid {
        title: format!(
            "Area and clock: {model} memories ({}), logic in {}, mapping {}",
            first.sram_source, first.library, first.mapping
        ),
        headings: std::iter::once(String::new())
            .chain(rows.iter().map(heading))
            .collect(),
        rows: LINES
            .iter()
            .chain(&activity::LINES)
            .filter_map(|(label, value)| {
                let cells: Vec<_> = rows.iter().map(|row| value(row)).collect();
                // What no block has is no line.
                cells.iter().any(Option::is_some).then(|| {
                    let shown = cells
                        .into_iter()
                        .map(|cell| cell.unwrap_or_else(|| "-".to_owned()));
                    std::iter::once((*label).to_owned()).chain(shown).collect()
                })
            })
            .collect(),
    })
}

/// A block's name for a narrow heading.
fn short(block: &str) -> &str {
    match block {
        "operand_log" => "log",
        "replay_queue" => "queue",
        other => other,
    }
}

/// What each log and the first replay queue cost together, single-port: size, µm², SM %.
pub fn together(rows: &[Row]) -> Vec<(String, f64, f64)> {
    let single = |row: &&Row| row.sram_model == "single-port";
    let Some(queue) = rows
        .iter()
        .filter(single)
        .find(|row| row.block == "replay_queue")
    else {
        return Vec::new();
    };
    rows.iter()
        .filter(single)
        .filter(|row| row.block == "operand_log")
        .map(|log| {
            (
                format!(
                    "{} log and {}-entry queue",
                    log.config.to_uppercase(),
                    queue.config
                ),
                log.total_area_um2 + queue.total_area_um2,
                log.sm_area_percent + queue.sm_area_percent,
            )
        })
        .collect()
}

/// What each scheme of the SM pipeline adds to the baseline of as many warps, single-port: scheme, µm², SM %.
pub fn added(rows: &[Row]) -> Vec<(String, f64, f64)> {
    let pipelines = |row: &&Row| row.block == "sm_pipeline" && row.sram_model == "single-port";
    let warps = |row: &Row| row.config.split('_').nth(1).map(str::to_owned);
    let baseline = |row: &Row| {
        let mut others = rows.iter().filter(pipelines);
        others.find(|other| other.config.starts_with("stall_") && warps(other) == warps(row))
    };
    rows.iter()
        .filter(pipelines)
        .filter(|row| !row.config.starts_with("stall_"))
        .filter_map(|row| {
            let baseline = baseline(row)?;
            Some((
                row.config.clone(),
                row.total_area_um2 - baseline.total_area_um2,
                row.sm_area_percent - baseline.sm_area_percent,
            ))
        })
        .collect()
}

/// The sentences below the grids.
pub fn sentences(rows: &[Row]) -> Vec<String> {
    let together = together(rows)
        .into_iter()
        .map(|(name, area, percent)| format!("{name}: {area:.0} um2, {percent:.3} % of an SM."));
    let added = added(rows).into_iter().map(|(name, area, percent)| {
        format!("{name} adds {area:.0} um2 to the baseline, {percent:.3} % of an SM.")
    });
    let mut tiled: Vec<String> = Vec::new();
    for tiling in rows.iter().flat_map(|row| &row.tilings) {
        if !tiled.contains(&tiling.sentence) {
            tiled.push(tiling.sentence.clone());
        }
    }
    let power = activity::sentence(rows);
    together.chain(added).chain(tiled).chain(power).collect()
}

/// All rows as Markdown, with what the clock is.
pub fn markdown(rows: &[Row]) -> String {
    let mut text: String = grids(rows)
        .iter()
        .map(|grid| grid.markdown() + "\n")
        .collect();
    let sentences = sentences(rows);
    for sentence in &sentences {
        text.push_str(&format!("{sentence}\n"));
    }
    if !sentences.is_empty() {
        text.push('\n');
    }
    text + CLOCK + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_cannot_end_its_cell() {
        let grid = Grid {
            title: "# Kernels".to_owned(),
            headings: vec!["kernel".to_owned(), "cycles".to_owned()],
            rows: vec![vec!["add<float|int>".to_owned(), "7".to_owned()]],
        };
        let row = "| add&lt;float\\|int> | 7 |\n";
        assert!(grid.markdown().ends_with(row), "{}", grid.markdown());
    }
}
