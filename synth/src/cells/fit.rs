//! Makes the table of cells from a full library: takes over areas, capacitances and leakage, and
//! fits what the library tabulates.

use super::curve::{Constraint, Curve, Energy, Point, round};
use super::points::{
    Cell, Pin, Quantity, energy_points, find_pin, grid, pin_name, power_points, senses,
    timing_points,
};
use super::table::{Arc, ArcEnergy, Family, FlipFlop, Output, Size, StateEnergy, Table, WireLoad};
use crate::error::Error;
use crate::power::function::truth_of;
use liberty_db::timing::TimingType;
use liberty_db::{DefaultCtx, InternalPower, Library};

/// The families and the sizes that share a fit: 30 functions in 90 cells, all that `abc` and
/// `dfflibmap` can put into a design with synchronous resets. Fewer functions or sizes would do for
/// the clock, but not for the area: without the sizes that `abc` picks on long paths, it comes out
/// up to 3 % too small. Sizes that are built otherwise than their smaller siblings have a fit of
/// their own: two flip-flops and multiplexers, and five gates that at strength 4 have a buffer.
pub const FAMILIES: &[(&str, &[u32])] = &[
    ("AND2", &[1, 2, 4]),
    ("AND3", &[1, 2, 4]),
    ("AND4", &[1, 2, 4]),
    ("AOI21", &[1, 2, 4]),
    ("AOI22", &[1, 2, 4]),
    ("AOI211", &[1, 2]),
    ("AOI211", &[4]),
    ("AOI221", &[1, 2]),
    ("AOI221", &[4]),
    ("AOI222", &[1, 2]),
    ("AOI222", &[4]),
    ("BUF", &[1, 2, 4, 8, 16, 32]),
    ("CLKBUF", &[1, 2, 3]),
    ("DFF", &[1]),
    ("DFF", &[2]),
    ("INV", &[1, 2, 4, 8, 16, 32]),
    ("MUX2", &[1]),
    ("MUX2", &[2]),
    ("NAND2", &[1, 2, 4]),
    ("NAND3", &[1, 2, 4]),
    ("NAND4", &[1, 2, 4]),
    ("NOR2", &[1, 2, 4]),
    ("NOR3", &[1, 2, 4]),
    ("NOR4", &[1, 2, 4]),
    ("OAI21", &[1, 2, 4]),
    ("OAI22", &[1, 2, 4]),
    ("OAI33", &[1]),
    ("OAI211", &[1, 2, 4]),
    ("OAI221", &[1, 2]),
    ("OAI221", &[4]),
    ("OAI222", &[1, 2]),
    ("OAI222", &[4]),
    ("OR2", &[1, 2, 4]),
    ("OR3", &[1, 2, 4]),
    ("OR4", &[1, 2, 4]),
    ("XNOR2", &[1, 2]),
    ("XOR2", &[1, 2]),
];

/// The units of the table: s, F and W.
const UNITS: [f64; 3] = [1e-9, 1e-15, 1e-9];

/// How far a fitted curve is from the tables that it was fitted to.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// The family and its arc: `NAND2 A1 to ZN`.
    pub arc: String,
    /// `delay_rise`, `delay_fall`, `slew_rise`, `slew_fall`, `energy_rise` or `energy_fall`.
    pub quantity: &'static str,
    /// Mean over the points of |fit - table|, as a part of (table + 10 ps) for a time, and of the
    /// arc's mean for an energy, whose points also differ by the states of the other inputs.
    pub mean: f64,
    /// The largest of them.
    pub worst: f64,
}

/// Fits [`FAMILIES`] to a library in Liberty format with the cells, units (ns, fF, nW) and naming
/// of NanGate's 45 nm library. `origin` names the text in errors.
///
/// # Errors
/// If the text is no such library.
pub fn fit(origin: &str, text: &str) -> Result<(Table, Vec<Deviation>), Error> {
    let source = Source { origin };
    let library = faultline_liberty::parse(text)
        .map_err(|error| source.unusable(error.chars().take(120).collect()))?;
    let mut deviations = Vec::new();
    let families = FAMILIES
        .iter()
        .map(|&(name, drives)| source.family(&library, name, drives, &mut deviations))
        .collect::<Result<_, _>>()?;
    let units = [
        Some(library.time_unit.value()),
        library.capacitive_load_unit.map(|unit| unit.value()),
        library.leakage_power_unit.map(|unit| unit.value()),
    ];
    let alike = units.into_iter().zip(UNITS);
    if !alike
        .into_iter()
        .all(|(unit, known)| unit.is_some_and(|unit| (unit / known - 1.0).abs() < 1e-9))
    {
        return Err(source.unusable("its units are not ns, fF and nW".to_owned()));
    }
    let wire_load = library
        .default_wire_load
        .as_ref()
        .and_then(|name| library.wire_load.iter().find(|wires| &wires.name == name))
        .ok_or_else(|| source.unusable("it has no default wire load".to_owned()))?;
    let conditions = library
        .operating_conditions
        .iter()
        .next()
        .ok_or_else(|| source.unusable("it has no operating conditions".to_owned()))?;
    let table = Table {
        voltage: round(conditions.voltage),
        temperature: round(conditions.temperature),
        max_transition: library
            .default_max_transition
            .map(round)
            .ok_or_else(|| source.unusable("it has no default_max_transition".to_owned()))?,
        wire_load: WireLoad {
            capacitance: round(wire_load.capacitance),
            resistance: round(wire_load.resistance),
            slope: round(wire_load.slope),
            lengths: wire_load
                .fanout_length
                .iter()
                .map(|step| (step.fanout, round(step.length)))
                .collect(),
        },
        families,
    };
    Ok((table, deviations))
}

/// The library that is read, for errors.
struct Source<'a> {
    origin: &'a str,
}

impl Source<'_> {
    fn unusable(&self, reason: String) -> Error {
        Error::Liberty {
            path: self.origin.to_owned(),
            reason,
        }
    }

    fn family(
        &self,
        library: &Library<DefaultCtx>,
        name: &str,
        drives: &[u32],
        deviations: &mut Vec<Deviation>,
    ) -> Result<Family, Error> {
        let cells = drives
            .iter()
            .map(|drive| {
                let cell = format!("{name}_X{drive}");
                library
                    .cell
                    .iter()
                    .find(|candidate| candidate.name == cell)
                    .map(|found| (*drive, found))
                    .ok_or_else(|| self.unusable(format!("it has no cell {cell}")))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let Some(&(_, first)) = cells.first() else {
            return Err(self.unusable(format!("the family {name} has no size")));
        };
        let (outputs, inputs): (Vec<&Pin>, Vec<&Pin>) =
            first.pin.iter().partition(|pin| pin.function.is_some());
        let mut arcs = Vec::new();
        let mut energies = Vec::new();
        for output in &outputs {
            for input in &inputs {
                let (from, to) = (pin_name(input), pin_name(output));
                for sense in senses(output, &from) {
                    let mut fitted = |quantity: Quantity| {
                        let points = timing_points(&cells, &to, &from, sense, quantity);
                        if points.is_empty() {
                            return Err(self.unusable(format!(
                                "the cell {} has no {} from {from} to {to}",
                                first.name,
                                quantity.name()
                            )));
                        }
                        let curve = Curve::fit(&points);
                        let off = points.iter().map(|point| curve.deviation(point).abs());
                        deviations.push(Deviation {
                            arc: format!("{} {from} to {to}", cells_name(name, drives)),
                            quantity: quantity.name(),
                            mean: off.clone().sum::<f64>() / points.len() as f64,
                            worst: off.fold(0.0, f64::max),
                        });
                        Ok(curve)
                    };
                    arcs.push(Arc {
                        delay_rise: fitted(Quantity::DelayRise)?,
                        delay_fall: fitted(Quantity::DelayFall)?,
                        slew_rise: fitted(Quantity::SlewRise)?,
                        slew_fall: fitted(Quantity::SlewFall)?,
                        from: from.clone(),
                        to: to.clone(),
                        sense: sense.to_string(),
                    });
                }
                let [rise, fall] =
                    [true, false].map(|rise| energy_points(&cells, &to, &from, rise));
                if !rise.is_empty() && !fall.is_empty() {
                    let mut fitted = |quantity, points: &[Point]| {
                        let energy = Energy::fit(points);
                        let (mean, worst) = energy.deviation(points);
                        deviations.push(Deviation {
                            arc: format!("{} {from} to {to}", cells_name(name, drives)),
                            quantity,
                            mean,
                            worst,
                        });
                        energy
                    };
                    energies.push(ArcEnergy {
                        rise: fitted("energy_rise", &rise),
                        fall: fitted("energy_fall", &fall),
                        from,
                        to,
                    });
                }
            }
        }
        Ok(Family {
            name: name.to_owned(),
            inputs: inputs.iter().map(|pin| pin_name(pin)).collect(),
            outputs: outputs
                .iter()
                .map(|pin| Output {
                    name: pin_name(pin),
                    function: function(pin),
                })
                .collect(),
            flip_flop: self.flip_flop(&cells)?,
            sizes: cells
                .iter()
                .map(|&(drive, cell)| self.size(drive, cell, &inputs, &outputs))
                .collect::<Result<_, _>>()?,
            arcs,
            energies,
        })
    }

    fn size(
        &self,
        drive: u32,
        cell: &Cell,
        inputs: &[&Pin],
        outputs: &[&Pin],
    ) -> Result<Size, Error> {
        let missing = |what: &str| self.unusable(format!("the cell {} has no {what}", cell.name));
        Ok(Size {
            drive,
            area: round(cell.area.ok_or_else(|| missing("area"))?),
            leakage: round(
                cell.cell_leakage_power
                    .ok_or_else(|| missing("cell_leakage_power"))?,
            ),
            capacitance: inputs
                .iter()
                .map(|input| {
                    let pin = find_pin(cell, &pin_name(input))?;
                    let both = pin.capacitance?;
                    Some([
                        round(pin.rise_capacitance.unwrap_or(both)),
                        round(pin.fall_capacitance.unwrap_or(both)),
                    ])
                })
                .collect::<Option<_>>()
                .ok_or_else(|| missing("capacitance of an input"))?,
            max_load: outputs
                .iter()
                .map(|output| {
                    find_pin(cell, &pin_name(output))?
                        .max_capacitance
                        .map(round)
                })
                .collect::<Option<_>>()
                .ok_or_else(|| missing("max_capacitance of an output"))?,
        })
    }

    fn flip_flop(&self, cells: &[(u32, &Cell)]) -> Result<Option<FlipFlop>, Error> {
        let Some(&(drive, cell)) = cells.iter().find(|(_, cell)| !cell.ff.is_empty()) else {
            return Ok(None);
        };
        let missing = |what: &str| self.unusable(format!("the cell {} has no {what}", cell.name));
        let clock = cell
            .pin
            .iter()
            .find(|pin| pin.clock == Some(true))
            .ok_or_else(|| missing("clock pin"))?;
        let data = cell
            .pin
            .iter()
            .find(|pin| pin.function.is_none() && pin.clock != Some(true))
            .ok_or_else(|| missing("data pin"))?;
        let constraint = |kind: TimingType, rise: bool| {
            let points: Vec<Point> = data
                .timing
                .iter()
                .filter(|timing| timing.timing_type == Some(kind))
                .filter_map(|timing| {
                    let table = if rise {
                        &timing.rise_constraint
                    } else {
                        &timing.fall_constraint
                    };
                    table.as_ref()
                })
                .flat_map(|table| grid(&table.index_1, &table.index_2, &table.values))
                .collect();
            if points.is_empty() {
                return Err(missing("set-up and hold times"));
            }
            Ok(Constraint::fit(&points))
        };
        Ok(Some(FlipFlop {
            clock: pin_name(clock),
            data: pin_name(data),
            setup: [
                constraint(TimingType::SETUP_RISING, true)?,
                constraint(TimingType::SETUP_RISING, false)?,
            ],
            hold: [
                constraint(TimingType::HOLD_RISING, true)?,
                constraint(TimingType::HOLD_RISING, false)?,
            ],
            clock_energy: states(drive, cell, clock),
            data_energy: states(drive, cell, data),
        }))
    }
}

/// The energy of a flip-flop's input in each state of the other inputs and the state that it shows.
fn states(drive: u32, cell: &Cell, pin: &Pin) -> Vec<StateEnergy> {
    let Some(flip_flop) = cell.ff.iter().next() else {
        return Vec::new();
    };
    let shows = |variable: &str| {
        let pins = cell.pin.iter();
        let mut showing = pins.filter(|pin| function(pin) == variable);
        showing.next().map(pin_name)
    };
    let (state, complement) = (shows(&flip_flop.variable1), shows(&flip_flop.variable2));
    let inputs = cell.pin.iter().filter(|other| other.function.is_none());
    let others = inputs.map(pin_name).filter(|other| *other != pin_name(pin));
    let others: Vec<String> = others.chain(state).collect();
    let value = |name: &str, row: usize| match complement.as_deref() == Some(name) {
        true => Some(row >> (others.len() - 1) & 1 == 0),
        false => {
            let place = others.iter().position(|other| other == name)?;
            Some(row >> place & 1 == 1)
        }
    };
    let rows = (0..1 << others.len()).map(|row| {
        let holds = |power: &&InternalPower<DefaultCtx>| {
            let when = power.when.as_ref();
            let table = when.and_then(|when| truth_of(when, others.len(), value));
            table.is_none_or(|table| table >> row & 1 == 1)
        };
        let points = |rise: bool| -> Vec<Point> {
            let powers = pin.internal_power.iter().filter(holds);
            powers
                .flat_map(|power| power_points(drive, power, rise))
                .collect()
        };
        let level = |(place, name): (usize, &String)| match row >> place & 1 == 1 {
            true => name.clone(),
            false => format!("!{name}"),
        };
        let levels: Vec<String> = others.iter().enumerate().map(level).collect();
        StateEnergy {
            when: levels.join(" & "),
            rise: Energy::fit(&points(true)),
            fall: Energy::fit(&points(false)),
        }
    });
    rows.collect()
}

fn cells_name(name: &str, drives: &[u32]) -> String {
    let drives: Vec<String> = drives.iter().map(|drive| format!("X{drive}")).collect();
    format!("{name} {}", drives.join(" "))
}

/// What a pin's function is, without pairs of inversions, which OpenSTA does not read.
fn function(pin: &Pin) -> String {
    pin.function
        .as_ref()
        .map(|function| function.to_string().replace('*', " & ").replace('+', " | "))
        .map(|text| text.replace("!!", ""))
        .unwrap_or_default()
}
