//! The table of a study: a row for each kernel of each run, in the order of the file.

use std::collections::HashMap;

use miette::Result;
use serde::Serialize;

use super::file::shown;
use super::results::Results;
use super::runs::{Choice, Job, Study};
use crate::experiments::gpu::csv::csv;
use crate::experiments::ordered::Value;
use crate::output::{self, grouped};

/// Fields of runs that the text has, with their headings.
const SHOWN: [(&str, &str); 4] = [
    ("far_faults", "Far faults"),
    ("migrated", "Migrated"),
    ("allocated", "Allocated"),
    ("switched_out", "Switched out"),
];

/// What `--json` gives.
#[derive(Serialize)]
pub struct Table {
    /// The study's file.
    study: String,
    rows: Vec<Value>,
    #[serde(skip)]
    lines: Vec<Line>,
    #[serde(skip)]
    axes: Vec<String>,
}

/// A row with what it is made of.
struct Line {
    label: String,
    choices: Vec<Value>,
    relative: Option<f64>,
    fields: Value,
}

impl Table {
    /// The table of results that are there.
    ///
    /// # Errors
    /// If one is missing.
    pub fn gather(study: &Study, results: &Results, name: String) -> Result<Self> {
        let rows = results.all(study)?;
        let runs = study.runs.iter().filter_map(|run| match &run.job {
            Job::Gpu(choice) => Some(&**choice),
            Job::Figure(_) => None,
        });
        let runs: Vec<&Choice> = runs.collect();
        let mut places = HashMap::new();
        for (place, run) in runs.iter().enumerate() {
            places.insert((run.workload, &*run.choices), place);
        }
        let mut lines = Vec::new();
        for (run, own) in runs.iter().zip(&rows) {
            let mut choices = run.choices.clone();
            for &(axis, choice) in &study.file.baseline {
                choices[axis] = choice;
            }
            let beside = places
                .get(&(run.workload, &*choices))
                .map(|&place| &rows[place]);
            for (number, fields) in own.iter().enumerate() {
                let beside = beside.and_then(|rows| rows.get(number));
                let beside = beside.filter(|_| !study.file.baseline.is_empty());
                lines.push(Line {
                    label: study.file.workloads[run.workload].label.clone(),
                    choices: study
                        .file
                        .axes
                        .iter()
                        .zip(&run.choices)
                        .map(|(axis, &choice)| axis.choices[choice].shown.clone())
                        .collect(),
                    relative: beside.and_then(|beside| relative(beside, fields)),
                    fields: fields.clone(),
                });
            }
        }
        let axes = study.file.axes.iter().map(|axis| axis.name.clone());
        let axes: Vec<String> = axes.collect();
        Ok(Self {
            study: name,
            rows: lines.iter().map(|line| line.row(&axes)).collect(),
            lines,
            axes,
        })
    }

    /// As CSV.
    ///
    /// # Errors
    /// If the rows have different fields.
    pub fn csv(&self) -> Result<String> {
        csv(&self.rows)
    }

    /// For a person.
    pub fn text(&self) -> String {
        let lines = &self.lines;
        let text = |line: &Line, name: &str| line.fields.field(name).map(shown);
        let has_kernels = lines
            .iter()
            .any(|line| text(line, "kernel").is_some_and(|kernel| kernel != line.label));
        let has_relative = lines.iter().any(|line| line.relative.is_some());
        let count = |line: &Line, name: &str| line.fields.field(name).and_then(whole);
        let counts = SHOWN.into_iter().filter(|(name, _)| {
            let mut counts = lines.iter().filter_map(|line| count(line, name));
            counts.any(|count| count > 0)
        });
        let counts: Vec<_> = counts.collect();
        let mut headings = vec!["Workload".to_owned()];
        headings.extend(has_kernels.then(|| "Kernel".to_owned()));
        headings.extend(self.axes.iter().cloned());
        let named = headings.len();
        headings.push("Cycles".to_owned());
        headings.extend(has_relative.then(|| "Performance".to_owned()));
        headings.push("Warp instructions a cycle".to_owned());
        headings.extend(counts.iter().map(|(_, heading)| (*heading).to_owned()));
        let cells = lines.iter().map(|line| {
            let mut cells = vec![line.label.clone()];
            cells.extend(has_kernels.then(|| text(line, "kernel").unwrap_or_default()));
            cells.extend(line.choices.iter().map(shown));
            let number = |name: &str| count(line, name).map_or_else(String::new, grouped);
            let real = |number: Option<f64>, digits: usize| {
                number.map_or_else(String::new, |number| format!("{number:.digits$}"))
            };
            cells.push(number("cycles"));
            cells.extend(has_relative.then(|| real(line.relative, 1)));
            let rate = line.fields.field("instructions_per_cycle");
            cells.push(real(rate.and_then(Value::number), 2));
            cells.extend(counts.iter().map(|(name, _)| number(name)));
            cells
        });
        let cells: Vec<Vec<String>> = cells.collect();
        let table = output::tables(named, &headings, &cells, output::width());
        let note = match has_relative {
            true => {
                "\nPerformance is relative to the run of the baseline that differs in nothing else."
            }
            false => "",
        };
        format!("{table}{note}")
    }
}

impl Line {
    /// It as a row of `--json` and of CSV.
    fn row(&self, axes: &[String]) -> Value {
        let mut row = vec![("workload".to_owned(), Value::Text(self.label.clone()))];
        row.extend(axes.iter().cloned().zip(self.choices.iter().cloned()));
        let relative = self.relative.map(Value::Real);
        row.extend(relative.map(|relative| ("relative_percent".to_owned(), relative)));
        if let Value::Table(fields) = &self.fields {
            for (name, value) in fields {
                let name = match row.iter().any(|(known, _)| known == name) {
                    true => format!("run_{name}"),
                    false => name.clone(),
                };
                row.push((name, value.clone()));
            }
        }
        Value::Table(row)
    }
}

/// The cycles of a run as a share of another's.
fn relative(beside: &Value, fields: &Value) -> Option<f64> {
    let cycles = |fields: &Value| fields.field("cycles").and_then(Value::number);
    Some(100.0 * cycles(beside)? / cycles(fields)?.max(1.0))
}

/// A whole number that is not negative.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Whole(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}
