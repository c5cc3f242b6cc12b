//! Rows as CSV.

use super::{SHARES, activity};
use crate::cost::Row;
use crate::paper::Overhead;

/// All rows as CSV, one line each.
///
/// # Errors
/// Never in practice: the writer is memory.
pub fn csv(rows: &[Row]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let headings = [
        "block",
        "config",
        "library",
        "mapping",
        "sram_model",
        "sram_source",
        "sram_node_nm",
        "sram_macros",
        "control",
        "sram_area_um2",
        "logic_area_um2",
        "total_area_um2",
        "sm_area_percent",
        "gpu_area_percent",
        "sram_power_mw",
        "sm_power_percent",
        "gpu_power_percent",
        "fmax_mhz",
        "clock_limit",
        "register_path_ns",
        "input_path_ns",
        "output_path_ns",
        "through_path_ns",
        "registers",
        "measured_control_total_area_um2",
        "measured_control_sm_area_percent",
        "paper_sm_area_percent",
        "paper_gpu_area_percent",
        "paper_sm_power_percent",
        "paper_gpu_power_percent",
    ];
    let headings = headings.into_iter().map(str::to_owned);
    writer.write_record(headings.chain(activity::headings()))?;
    let exact = |value: f64| value.to_string();
    let optional = |value: Option<f64>| value.map(exact).unwrap_or_default();
    for row in rows {
        let paper = |share: fn(&Overhead) -> f64| optional(row.paper.as_ref().map(share));
        let values = [
            row.block.clone(),
            row.config.clone(),
            row.library.clone(),
            row.mapping.to_owned(),
            row.sram_model.to_owned(),
            row.sram_source.to_owned(),
            row.sram_node_nm
                .map(|node| node.to_string())
                .unwrap_or_default(),
            row.sram_macros.clone(),
            row.control.to_owned(),
            exact(row.sram_area_um2),
            exact(row.logic_area_um2),
            exact(row.total_area_um2),
            exact(row.sm_area_percent),
            exact(row.gpu_area_percent),
            exact(row.sram_power_mw),
            exact(row.sm_power_percent),
            exact(row.gpu_power_percent),
            optional(row.fmax_mhz),
            row.clock_limit.unwrap_or_default().to_owned(),
            optional(row.register_path_ns),
            optional(row.input_path_ns),
            optional(row.output_path_ns),
            optional(row.through_path_ns),
            row.registers.to_string(),
            optional(row.measured_control.map(|control| control.total_area_um2)),
            optional(row.measured_control.map(|control| control.sm_area_percent)),
            paper(SHARES[0].1),
            paper(SHARES[1].1),
            paper(SHARES[2].1),
            paper(SHARES[3].1),
        ];
        writer.write_record(values.into_iter().chain(activity::values(row)))?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
