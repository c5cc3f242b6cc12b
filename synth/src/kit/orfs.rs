//! A design of OpenROAD-flow-scripts: `config.mk`, `constraint.sdc`, and where the macros go.

use super::floorplan::{Floorplan, UTILISATION};
use super::{Files, Top, sdc, views};
use crate::paper::CLOCK_GHZ;
use crate::sram::{NANGATE45, View, Views};

/// Distance from the edge of the die to where the core may begin, um.
const MARGIN_UM: i64 = 2;

/// Left and lower edge of the core: OpenROAD begins it at a whole site.
const CORNER_NM: (i64, i64) = (
    whole(MARGIN_UM * 1000, NANGATE45.site.0),
    whole(MARGIN_UM * 1000, NANGATE45.site.1),
);

/// The least multiple of a step that is not below a length.
const fn whole(length: i64, step: i64) -> i64 {
    (length + step - 1) / step * step
}

/// The flow's files.
pub fn files(top: &Top, macros: &[Views]) -> Files {
    let mut files = views(macros, &View::ALL);
    files.insert("config.mk".to_owned(), config(top, macros));
    files.insert(
        "constraint.sdc".to_owned(),
        sdc::constraints(&top.name, 1.0 / CLOCK_GHZ),
    );
    if !macros.is_empty() {
        files.insert("macro_placement.tcl".to_owned(), placement(top, macros));
    }
    files.insert("README.md".to_owned(), page(top, macros));
    files
}

fn config(top: &Top, macros: &[Views]) -> String {
    let name = &top.name;
    let mut text = format!(
        "# {title}: see README.md beside this file. Paths follow from DESIGN_CONFIG, which the flow is called with.

export DESIGN_NAME = {name}
export DESIGN_NICKNAME = faultline_{name}
export PLATFORM = {platform}

export VERILOG_FILES = $(addprefix $(dir $(DESIGN_CONFIG)), \\
{rtl})
export SDC_FILE = $(dir $(DESIGN_CONFIG))constraint.sdc

export CORE_UTILIZATION = {UTILISATION}
export CORE_ASPECT_RATIO = 1
export CORE_MARGIN = {MARGIN_UM}
export PLACE_DENSITY_LB_ADDON = 0.10
export TNS_END_PERCENT = 100
# An operand log has 4,200 pins around little logic: one on each track, not on every other one.
export PLACE_PINS_ARGS = -min_distance 1 -min_distance_in_tracks
",
        title = top.title,
        platform = NANGATE45.name,
        rtl = listed(top.rtl().into_keys()),
    );
    if !macros.is_empty() {
        let files = |view: View| listed(views(macros, &[view]).into_keys());
        text += &format!(
            "
# The macros have no layout of their own, so the flow is told that their GDS may be empty.
export ADDITIONAL_LEFS = $(addprefix $(dir $(DESIGN_CONFIG)), \\
{lefs})
export ADDITIONAL_LIBS = $(addprefix $(dir $(DESIGN_CONFIG)), \\
{libs})
export GDS_ALLOW_EMPTY = sram_.*
export MACRO_PLACEMENT_TCL = $(dir $(DESIGN_CONFIG))macro_placement.tcl
export MACRO_PLACE_HALO = 2 2
",
            lefs = files(View::Lef),
            libs = files(View::Liberty),
        );
    }
    text
}

/// Files, one a line, each line but the last going on in the next.
fn listed(files: impl Iterator<Item = String>) -> String {
    let files: Vec<String> = files.map(|file| format!("    {file}")).collect();
    files.join(" \\\n")
}

/// OpenROAD escapes the brackets in the names of instances.
fn placement(top: &Top, macros: &[Views]) -> String {
    let plan = Floorplan::new(top, macros, &NANGATE45);
    let rows: String = plan
        .macros
        .iter()
        .map(|placed| {
            let (x, y) = (placed.at.0 + CORNER_NM.0, placed.at.1 + CORNER_NM.1);
            let (x, y) = (x as f64 / 1e3, y as f64 / 1e3);
            format!("  {{{}}} {x:.3} {y:.3}\n", placed.path)
        })
        .collect();
    format!(
        "# Rows of macros from the lower left corner: instance, left and lower edge in um.
foreach {{instance x y}} {{
{rows}}} {{
  place_macro -macro_name [string map {{[ \\\\[ ] \\\\]}} $instance] -location [list $x $y] -orientation R0
}}
"
    )
}

fn page(top: &Top, macros: &[Views]) -> String {
    format!(
        "# {title} in OpenROAD-flow-scripts

    make -C OpenROAD-flow-scripts/flow DESIGN_CONFIG=$PWD/config.mk

`rtl` is the design as `faultline export` writes it, without the modules that macros take the place of; `constraint.sdc` has the clock, {period} ns.{placement}

{list}
What is run, in tests: Yosys maps the files that `config.mk` names, each module by itself and without effort, and OpenSTA reads `constraint.sdc`, the macros' Liberty and their placement, and times the result; KLayout reads the LEF; the names of the variables are compared with the flow's documentation. OpenROAD was not run.
",
        title = top.title,
        period = 1.0 / CLOCK_GHZ,
        placement = match macros.is_empty() {
            true => "",
            false => {
                " `macro_placement.tcl` is a first placement of the macros, which may be left away."
            }
        },
        list = top.macro_list(macros),
    )
}
