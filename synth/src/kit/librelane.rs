//! A design of LibreLane: `config.json`, constraints, and where the macros go.

use super::floorplan::{Floorplan, UTILISATION};
use super::{Files, Top, sdc, views};
use crate::sram::{SKY130, View, Views};
use serde_json::{Value, json};

/// LibreLane's own default: nothing is known of the designs at 130 nm.
const PERIOD_NS: f64 = 10.0;

/// Left and lower edge of the core in sky130's floorplans: 12 sites and 4 rows.
const CORNER_NM: (i64, i64) = (12 * SKY130.site.0, 4 * SKY130.site.1);

/// The straps of power and ground on met5, a pair of which LibreLane puts at every pitch on sky130.
const STRAP_NM: i64 = 1_600;
const STRAP_SPACING_NM: i64 = 1_700;
const STRAP_PITCH_NM: i64 = 153_180;

/// The flow's files.
pub fn files(top: &Top, macros: &[Views]) -> Files {
    let mut files = views(macros, &View::ALL);
    files.insert("config.json".to_owned(), config(top, macros));
    files.insert(
        "constraint.sdc".to_owned(),
        sdc::constraints(&top.name, PERIOD_NS),
    );
    if !macros.is_empty() {
        files.insert("macro_placement.cfg".to_owned(), placement(top, macros));
    }
    files.insert("README.md".to_owned(), page(top, macros));
    files
}

fn config(top: &Top, macros: &[Views]) -> String {
    let mut config = json!({
        "meta": { "version": 2 },
        "DESIGN_NAME": top.name,
        "PDK": SKY130.name,
        "VERILOG_FILES": listed(top.rtl()),
        "CLOCK_PORT": "clock",
        "CLOCK_PERIOD": PERIOD_NS,
        "PNR_SDC_FILE": "dir::constraint.sdc",
        "SIGNOFF_SDC_FILE": "dir::constraint.sdc",
        "FP_CORE_UTIL": UTILISATION,
        "PL_TARGET_DENSITY_PCT": UTILISATION + 10,
        // An operand log has 4,200 pins around little logic: one on each track, and as wide as a wire.
        "IO_PIN_MIN_DISTANCE": 1,
        "IO_PIN_MIN_DISTANCE_IN_TRACKS": true,
        "IO_PIN_H_THICKNESS_MULT": 1,
        "IO_PIN_V_THICKNESS_MULT": 1,
    });
    let (power, ground) = SKY130.supplies;
    let of_macros = json!({
        "EXTRA_LEFS": listed(views(macros, &[View::Lef])),
        "EXTRA_LIBS": listed(views(macros, &[View::Liberty])),
        "EXTRA_VERILOG_MODELS": listed(views(macros, &[View::BlackBox])),
        "MACRO_PLACEMENT_CFG": "dir::macro_placement.cfg",
        "PDN_MACRO_CONNECTIONS": [format!(".* {power} {ground} {power} {ground}")],
        "PDN_HWIDTH": STRAP_NM as f64 / 1e3,
        "PDN_HSPACING": STRAP_SPACING_NM as f64 / 1e3,
        "PDN_HPITCH": strap_pitch_nm(macros) as f64 / 1e3,
    });
    if let (false, Value::Object(all), Value::Object(more)) =
        (macros.is_empty(), &mut config, of_macros)
    {
        all.extend(more);
    }
    format!("{config:#}\n")
}

/// The pitch of pairs of horizontal straps: wherever a macro is, a whole pair crosses it, and powers it.
fn strap_pitch_nm(macros: &[Views]) -> i64 {
    let heights = macros.iter().map(|views| views.size_nm().1);
    let room = heights.min().unwrap_or(i64::MAX) - 2 * STRAP_NM - STRAP_SPACING_NM;
    room.min(STRAP_PITCH_NM) / 10 * 10
}

/// Files as the flow finds them beside its configuration.
fn listed(files: Files) -> Vec<String> {
    let files = files.into_keys();
    files.map(|file| format!("dir::{file}")).collect()
}

/// A line for each macro: instance, left and lower edge in um, orientation.
fn placement(top: &Top, macros: &[Views]) -> String {
    Floorplan::new(top, macros, &SKY130)
        .macros
        .iter()
        .map(|placed| {
            let (x, y) = (placed.at.0 + CORNER_NM.0, placed.at.1 + CORNER_NM.1);
            let (x, y) = (x as f64 / 1e3, y as f64 / 1e3);
            format!("{} {x:.3} {y:.3} N\n", placed.path)
        })
        .collect()
}

fn page(top: &Top, macros: &[Views]) -> String {
    let if_any = |text: &'static str| if macros.is_empty() { "" } else { text };
    format!(
        "# {title} in LibreLane

    librelane --to OpenROAD.STAPostPNR config.json

{steps}`rtl` is the design as `faultline export` writes it, without the modules that macros take the place of; `constraint.sdc` has the clock, {PERIOD_NS} ns, LibreLane's default.{placement}

{list}{scaled}What is run, in tests: for some designs Yosys reads the Verilog with the black boxes and finds each macro that is placed; KLayout reads the LEF of all; the names of the variables are compared with the flow's documentation. LibreLane was not run.
",
        title = top.title,
        list = top.macro_list(macros),
        steps = if_any("The steps after that one need layouts of the macros, and there are none.\n\n"),
        placement = if_any(" `macro_placement.cfg` places the macros in rows; `MACROS`, LibreLane's newer variable for that, wants layouts. Pairs of straps are so near that one crosses each macro."),
        scaled = if_any("CACTI's figures for 45 nm are scaled to 130 nm with a constant field, areas with the square of the node, access and cycle times with the node, energies with the node and the square of the supply, because the table has no macro there: a guess, good for trying the flow and for no result. Leakage, set-up, transitions and capacitances of pins are left as they are for 45 nm.\n\n"),
    )
}
