//! What each log and each queue costs: single-ported memories from the table, logic as it is synthesized.

use std::path::Path;

use faultline_hw::registry::Design;
use faultline_synth::cost::{self, Flow, Measured, Row};
use faultline_synth::sram::{Setting, Sram, Table};
use faultline_testbench::origin;
use miette::{Result, miette};

use super::axes::{self, Banks};
use crate::flows::cost::{Synthesis, check_tools, each, library_name, library_of, subjects};

/// The logs and the queues, each with its row of the table of costs.
pub struct Costs {
    /// Logs: KB and banks.
    pub logs: Vec<(usize, Banks, Row)>,
    /// Queues: entries.
    pub queues: Vec<(usize, Row)>,
    /// Tools, library and memories: name and version.
    pub origin: Vec<(String, String)>,
    /// The Verilog that was synthesized, as a sentence without its end.
    pub verilog: String,
}

/// Synthesizes each log and each queue once: the points of the table are sums of these.
///
/// # Errors
/// If a tool is missing or fails, the library cannot be read, or a memory has no figures.
pub fn measure(
    logs: &[(usize, Banks)],
    queues: &[usize],
    liberty: Option<&Path>,
    synthesis: Synthesis,
    command: String,
) -> Result<Costs> {
    check_tools()?;
    let missing = |what: String| miette!("there is no design of {what}");
    let of_log = |&(kilobytes, banks): &(usize, Banks)| {
        let design = axes::log_design(kilobytes, banks);
        design.ok_or_else(|| missing(format!("a log of {kilobytes} KB in {banks}")))
    };
    let of_queue = |&entries: &usize| {
        axes::queue_design(entries).ok_or_else(|| missing(format!("a queue of {entries}")))
    };
    let designs: Vec<Design> = logs
        .iter()
        .map(of_log)
        .chain(queues.iter().map(of_queue))
        .collect::<Result<_>>()?;
    let library = library_of(liberty)?;
    let sram = Sram::Table(Table::embedded().map_err(|error| miette!("{error}"))?);
    let flow = Flow {
        library: &library,
        sram: &sram,
        node_nm: None,
        target_ps: synthesis.target,
        mapping: synthesis.mapping(),
        compiled: None,
    };
    let costed = each(&subjects(&designs)?, "synthesizing", |subject| {
        let costed = cost::costed(subject, &flow, &[Setting::SinglePort], None);
        costed.map_err(|error| miette!("{error}"))
    })?;
    let name = library_name(liberty, &library);
    let Measured { rows, origin, .. } = Measured::new(costed, name, &sram, None, command);
    let verilog = origin::verilog(&designs).map_err(|error| miette!("{error}"))?;
    let (of_logs, of_queues) = rows.split_at(logs.len().min(rows.len()));
    let logs = logs.iter().zip(of_logs);
    let queues = queues.iter().zip(of_queues);
    Ok(Costs {
        logs: logs
            .map(|(&(kilobytes, banks), row)| (kilobytes, banks, row.clone()))
            .collect(),
        queues: queues
            .map(|(&entries, row)| (entries, row.clone()))
            .collect(),
        origin,
        verilog,
    })
}
