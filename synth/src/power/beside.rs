//! Power by Faultline beside power by OpenSTA, of the same netlists under the same activity.

use super::calculate::{Calculator, Power};
use super::cells::Cells;
use super::circuit::Circuit;
use super::opensta::{self, Groups};
use super::saif::saif;
use super::single::SINGLES;
use crate::cost::activity::CLOCK_MHZ;
use crate::cost::{self, Drive, Flow, Subject};
use crate::error::Error;
use crate::library::Library;
use crate::sram::{Macro, Setting};
use crate::table::Grid;
use crate::tool::{OPENSTA, YOSYS};
use crate::yosys;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// How far the total may be from OpenSTA's, and each class, as parts of it.
pub const BARS: [f64; 2] = [0.05, 0.10];

/// A netlist with both results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The top module.
    pub design: String,
    /// The library's own name.
    pub library: String,
    /// Cells.
    pub cells: usize,
    /// Cycles of the activity.
    pub cycles: u64,
    /// SHA-256 of the netlist's Verilog.
    pub sha256: String,
    /// The power by Faultline.
    pub ours: Groups,
    /// The power by OpenSTA, with the library as it is.
    pub opensta: Groups,
    /// The power by OpenSTA, with the library's conditions written plainly.
    pub plain: Groups,
}

/// One of OpenSTA's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conditions {
    /// Those of the library as it is.
    AsTheyAre,
    /// The same, written plainly.
    Plain,
}

/// A cell with three results, fJ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SingleRow {
    /// What it shows.
    pub name: &'static str,
    /// The energy worked out by hand, in words.
    pub in_words: &'static str,
    /// The energy worked out by hand.
    pub by_hand: f64,
    /// The energy by Faultline.
    pub ours: f64,
    /// The energy by OpenSTA.
    pub opensta: f64,
}

impl Row {
    const fn theirs(&self, conditions: Conditions) -> &Groups {
        match conditions {
            Conditions::AsTheyAre => &self.opensta,
            Conditions::Plain => &self.plain,
        }
    }

    /// How far classes and total are from OpenSTA's, as parts of those: sequential, combinational, memory and total.
    pub fn off(&self, conditions: Conditions) -> [Option<f64>; 4] {
        let parts = |groups: &Groups| {
            let Groups {
                sequential,
                combinational,
                memory,
                total,
                ..
            } = groups;
            [sequential, combinational, memory, total].map(Power::total_mw)
        };
        let (ours, theirs) = (parts(&self.ours), parts(self.theirs(conditions)));
        std::array::from_fn(|part| (theirs[part] > 0.0).then(|| ours[part] / theirs[part] - 1.0))
    }
}

/// Maps a design with the library of the flow, simulates it, and has both calculate. The first activity counts.
///
/// # Errors
/// If a tool is missing or fails, a memory has no figures, or a netlist is not the design.
pub fn row(subject: &Subject, flow: &Flow, drive: &Drive<'_>) -> Result<Row, Error> {
    let memories = cost::figures(&subject.design, flow, Setting::SinglePort)?;
    let netlist =
        yosys::synthesize_with(&subject.design, flow.library, flow.target_ps, flow.mapping)?;
    let cells = Cells::read(flow.library)?;
    let circuit = Circuit::read(&netlist, &cells, &subject.design.memories)?;
    let failed = |reason: String| Error::Power {
        design: netlist.top.clone(),
        reason,
    };
    let activities = drive(subject, &circuit).map_err(failed)?;
    let (_, activity) = activities
        .into_iter()
        .next()
        .ok_or_else(|| failed("nothing drives it".to_owned()))?;
    let figures: Vec<Macro> = memories.iter().map(|(_, figures)| *figures).collect();
    let calculator = Calculator::new(&circuit, &cells, flow.library)?;
    let estimate = calculator.estimate(&activity, CLOCK_MHZ, &figures);
    let saif = saif(&circuit, &activity, CLOCK_MHZ);
    let by_opensta =
        |library: &Library| opensta::power(&netlist, library, &memories, &saif, CLOCK_MHZ);
    let hash = Sha256::digest(netlist.verilog.as_bytes());
    Ok(Row {
        design: netlist.top.clone(),
        library: flow.library.name().to_owned(),
        cells: netlist.cells.values().sum(),
        cycles: activity.cycles,
        sha256: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        ours: Groups::of(&estimate),
        opensta: by_opensta(flow.library)?,
        plain: by_opensta(&flow.library.with_plain_conditions()?)?,
    })
}

/// The single cells.
///
/// # Errors
/// If a tool is missing or fails.
pub fn singles() -> Result<Vec<SingleRow>, Error> {
    let row = |single: &super::single::Single| {
        Ok(SingleRow {
            name: single.name,
            in_words: single.by_hand,
            by_hand: single.femtojoules,
            ours: single.ours()?,
            opensta: single.by_opensta()?,
        })
    };
    SINGLES.iter().map(row).collect()
}

/// The tables: netlists, the same with plain conditions, and single cells.
pub fn grids(rows: &[Row], singles: &[SingleRow]) -> [Grid; 3] {
    let single = |row: &SingleRow| {
        let mut cells = vec![row.name.to_owned(), row.in_words.to_owned()];
        cells.extend([row.by_hand, row.ours, row.opensta].map(|energy| format!("{energy:.1}")));
        cells
    };
    let headings = ["cell", "by hand", "fJ", "Faultline", "OpenSTA"];
    [
        of_rows(rows, Conditions::AsTheyAre),
        of_rows(rows, Conditions::Plain),
        Grid {
            title: "Internal energy of single cells in eight cycles, fJ".to_owned(),
            headings: headings.map(str::to_owned).to_vec(),
            rows: singles.iter().map(single).collect(),
        },
    ]
}

fn of_rows(rows: &[Row], conditions: Conditions) -> Grid {
    let percent = |part: Option<f64>| {
        part.map_or_else(|| "-".to_owned(), |part| format!("{:.1}", 100.0 * part))
    };
    let line = |row: &Row| {
        let (ours, theirs) = (&row.ours, row.theirs(conditions));
        let [sequential, combinational, memory, total] = row.off(conditions).map(percent);
        let mut cells = vec![
            row.library.clone(),
            row.design.clone(),
            row.cells.to_string(),
        ];
        for (one, other, off) in [
            (&ours.sequential, &theirs.sequential, sequential),
            (&ours.combinational, &theirs.combinational, combinational),
            (&ours.memory, &theirs.memory, memory),
            (&ours.total, &theirs.total, total),
        ] {
            cells.extend([one, other].map(|power| format!("{:.3}", power.total_mw())));
            cells.push(off);
        }
        cells.push(row.sha256[..16].to_owned());
        cells
    };
    let written = match conditions {
        Conditions::AsTheyAre => "the libraries as they are",
        Conditions::Plain => "their conditions written plainly",
    };
    let mut headings = vec!["library", "design", "cells"];
    for class in ["sequential", "combinational", "memory", "total"] {
        headings.extend([class, "OpenSTA", "off by %"]);
    }
    headings.push("SHA-256 of the netlist begins with");
    Grid {
        title: format!(
            "Power at {CLOCK_MHZ} MHz, mW, by Faultline and by OpenSTA, {written}, and how far the first is from the second"
        ),
        headings: headings.into_iter().map(str::to_owned).collect(),
        rows: rows.iter().map(line).collect(),
    }
}

/// What is not within its bar, in a sentence.
pub fn verdict(rows: &[Row], conditions: Conditions) -> String {
    let missed = rows.iter().filter(|row| {
        let [classes @ .., total] = row.off(conditions);
        let beyond = |off: Option<f64>, bar: f64| off.is_some_and(|off| off.abs() > bar);
        beyond(total, BARS[0]) || classes.into_iter().any(|class| beyond(class, BARS[1]))
    });
    let missed: Vec<String> = missed
        .map(|row| format!("{} with {}", row.design, row.library))
        .collect();
    let [total, class] = BARS.map(|bar| 100.0 * bar);
    match missed.as_slice() {
        [] => format!(
            "Every total is within {total} % of OpenSTA's, and every class within {class} %."
        ),
        missed => format!(
            "Not within {total} % of OpenSTA's total or {class} % of one of its classes: {}.",
            missed.join(", ")
        ),
    }
}

/// The page, under the command that made it and what names its Verilog.
pub fn markdown(rows: &[Row], singles: &[SingleRow], command: &str, origin: &str) -> String {
    let cycles = rows.first().map_or(0, |row| row.cycles);
    let [netlists, plain, cells] = grids(rows, singles).map(|grid| grid.markdown());
    format!(
        "# Power by Faultline beside power by OpenSTA

Generated by `{command}`. Yosys {}; OpenSTA {}. {origin}.

Each design is mapped with each library and simulated for {cycles} cycles of random traffic, every output compared with the
reference in every cycle. OpenSTA reads the netlist, the libraries and the activity as SAIF. Clock pins count with the
flip-flops, and what the clock's net charges is left out, for OpenSTA counts nets that a cell drives. {}

{netlists}
The two differ in how they treat conditions. Faultline evaluates the `when` condition of a table in the cycle of each edge, and
takes a table without a condition where no other holds. OpenSTA knows how often each pin is high, and takes pins to be
independent of each other, a flip-flop's output and its complement as well; a table of an input without a condition it adds to
those with one; and tables of an output with different conditions it weighs alike. So for the next table each library was
written in a way that means the same: conditions name one of two outputs that are complements, and a table of an input without
a condition has that of the states that the others leave. {}

{plain}
What then remains is that data and state of a flip-flop are not independent: one that holds its value has both alike in every
cycle, and OpenSTA takes them to differ as often as their probabilities multiply to. That matters where the energy of a cycle
depends on it. For its clock the flip-flop DFFHQNx1 of asap7 takes 1.21 fJ in a cycle with data and state alike, and 0.89 or
1.02 fJ in one with them different, so that OpenSTA's figure is the smaller one.

Who is right is seen on cells whose edges can be counted by hand.

{cells}",
        YOSYS.shown_version(),
        OPENSTA.shown_version(),
        verdict(rows, Conditions::AsTheyAre),
        verdict(rows, Conditions::Plain),
    ) + SOURCES
}

/// Where the libraries are from that the committed page is about.
const SOURCES: &str = "
The files of NanGate 45 and sky130 are examples of OpenSTA's repository, those of sg13g2 and asap7 are from
OpenROAD-flow-scripts; asap7_rvt_tt.lib has the cells of the typical AO, INVBUF, OA, SEQ and SIMPLE libraries in one. None is
part of this project.
";

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(sequential: f64, combinational: f64) -> Groups {
        let power = |internal_mw: f64| Power {
            internal_mw,
            ..Power::default()
        };
        Groups {
            sequential: power(sequential),
            combinational: power(combinational),
            total: power(sequential + combinational),
            ..Groups::default()
        }
    }

    #[test]
    fn what_is_beyond_a_bar_is_named_for_either_way_of_conditions() {
        let row = Row {
            design: "top".to_owned(),
            library: "lib".to_owned(),
            cells: 3,
            cycles: 9,
            sha256: "0123456789abcdef01".to_owned(),
            ours: groups(1.04, 1.0),
            opensta: groups(0.9, 1.0),
            plain: groups(1.0, 1.0),
        };
        let [sequential, combinational, memory, total] = row.off(Conditions::Plain);
        assert!((sequential.unwrap() - 0.04).abs() < 1e-9 && total.unwrap() < BARS[0]);
        assert_eq!((combinational, memory), (Some(0.0), None));
        let rows = [row];
        assert!(verdict(&rows, Conditions::Plain).starts_with("Every total is within 5 %"));
        let said = verdict(&rows, Conditions::AsTheyAre);
        assert!(
            said.ends_with("of one of its classes: top with lib."),
            "{said}"
        );
        let page = markdown(&rows, &[], "a test", "Its Verilog");
        assert!(
            page.contains("| lib | top | 3 | 1.040 | 0.900 | 15.6 |"),
            "{page}"
        );
        assert!(page.contains("| 1.040 | 1.000 | 4.0 |"), "{page}");
        assert!(page.contains("| 0123456789abcdef |"), "{page}");
    }
}
