//! The table of cells: the figures from which the embedded library is generated.

use super::curve::{Constraint, Curve, Energy};
use serde::{Deserialize, Serialize};

/// A library of cells at one corner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Supply, V.
    pub voltage: f64,
    /// Temperature, °C.
    pub temperature: f64,
    /// Longest transition that the figures cover, ns.
    pub max_transition: f64,
    /// The estimate of wires before layout.
    pub wire_load: WireLoad,
    /// The cells, in families of sizes.
    #[serde(rename = "family")]
    pub families: Vec<Family>,
}

/// A wire as a function of the number of pins that it drives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireLoad {
    /// Capacitance of a unit of length, fF.
    pub capacitance: f64,
    /// Resistance of a unit of length, kΩ.
    pub resistance: f64,
    /// Length that each further pin adds beyond the last of `lengths`.
    pub slope: f64,
    /// Length by number of pins driven.
    pub lengths: Vec<(u32, f64)>,
}

/// Cells that differ in drive strength alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The name without the strength: `NAND2` of `NAND2_X1`.
    pub name: String,
    /// The input pins.
    pub inputs: Vec<String>,
    /// The output pins.
    pub outputs: Vec<Output>,
    /// What makes it a flip-flop, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flip_flop: Option<FlipFlop>,
    /// The sizes.
    #[serde(rename = "size")]
    pub sizes: Vec<Size>,
    /// Timing, per output, input and sense.
    #[serde(rename = "arc")]
    pub arcs: Vec<Arc>,
    /// Energy, per output and input.
    #[serde(rename = "energy")]
    pub energies: Vec<ArcEnergy>,
}

/// An output pin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its function of the inputs (`!`, `&`, `|`, `^`), or of the flip-flop's state `IQ`, `IQN`.
    pub function: String,
}

/// A flip-flop on the rising edge, with state `IQ` and its complement `IQN`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlipFlop {
    /// The clock pin.
    pub clock: String,
    /// The data pin.
    pub data: String,
    /// Set-up time of a rising and of a falling data pin.
    pub setup: [Constraint; 2],
    /// Hold time of a rising and of a falling data pin.
    pub hold: [Constraint; 2],
    /// Energy of an edge of the clock in each state of the data pin and the output.
    pub clock_energy: Vec<StateEnergy>,
    /// Energy of an edge of the data pin in each state of the clock and the output.
    pub data_energy: Vec<StateEnergy>,
}

/// Energy of an edge of a pin in a state of the others, without what an edge of the output takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateEnergy {
    /// The state, as a condition: `D & !Q`.
    pub when: String,
    /// The energy of a rise of the pin.
    pub rise: Energy,
    /// The energy of a fall of the pin.
    pub fall: Energy,
}

/// What the sizes of a family do not share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Drive strength: 4 of `NAND2_X4`.
    pub drive: u32,
    /// Area, µm².
    pub area: f64,
    /// Leakage, mean over the states, nW.
    pub leakage: f64,
    /// Capacitance of each input, fF: of the rising and of the falling pin.
    pub capacitance: Vec<[f64; 2]>,
    /// Largest load of each output, fF.
    pub max_load: Vec<f64>,
}

/// Timing from an input to an output, the worst over the states of the other inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arc {
    /// The input.
    pub from: String,
    /// The output.
    pub to: String,
    /// `positive_unate`, `negative_unate`, or `non_unate` from a clock.
    pub sense: String,
    /// Delay to the rising output.
    pub delay_rise: Curve,
    /// Delay to the falling output.
    pub delay_fall: Curve,
    /// Transition time of the rising output.
    pub slew_rise: Curve,
    /// Transition time of the falling output.
    pub slew_fall: Curve,
}

/// Energy that a cell itself takes when an input turns an output, mean over the states of the other
/// inputs; what charges the load is not part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArcEnergy {
    /// The input.
    pub from: String,
    /// The output.
    pub to: String,
    /// The energy of a rise of the output.
    pub rise: Energy,
    /// The energy of a fall of the output.
    pub fall: Energy,
}

impl Family {
    /// The cell's name at a drive strength: `NAND2_X1`.
    pub fn cell(&self, drive: u32) -> String {
        format!("{}_X{drive}", self.name)
    }
}

impl Table {
    /// The table as TOML, under a header that says where its figures come from.
    ///
    /// # Errors
    /// If a figure is no number that TOML can hold.
    pub fn to_toml(&self, origin: &str) -> Result<String, toml::ser::Error> {
        Ok(format!("{}\n{}", header(origin), toml::to_string(self)?))
    }
}

fn header(origin: &str) -> String {
    format!(
        "# Cells at 45 nm, typical: the figures from which Faultline generates its embedded library.
#
# Generated from {origin}
# and never edited; `faultline library --fit LIBRARY --table synth/data/cells45.toml` makes it again
# from any library with the same cells.
# Area (um2), leakage (nW, mean over states), capacitance (fF, of the rising and falling pin) and
# largest load (fF) are that library's figures. Timing (ns, worst over the states of the other
# inputs) and energy (fJ, mean over them, but in each state for the inputs of flip-flops) are functions
# fitted to it by least squares; their formulas, over input slew in ns and load in fF per drive
# strength, are in synth/src/cells/curve.rs.
# No file and no code of that library is carried here, and of its tables only the wire lengths by
# fan-out: those functions stand for all the others.
"
    )
}
