//! What power needs to know of a library's cells: functions, capacitances, leakage, energies and transition times.

use super::function::{Truth, depends, truth};
use super::lookup::{FALL, Lookup, RISE, Units};
use super::wires::Wires;
use crate::error::{Error, one_line};
use crate::library::Library;
use liberty_db::DefaultCtx;
use liberty_db::expression::LogicBooleanExpression;
use liberty_db::table::TableLookUp;
use liberty_db::timing::{TimingSenseType, TimingTableLookUp, TimingType};
use std::collections::BTreeMap;

type LibertyCell = liberty_db::Cell<DefaultCtx>;
type LibertyPin = liberty_db::Pin<DefaultCtx>;

/// The cells of a library, in SI units.
#[derive(Clone, Debug)]
pub struct Cells {
    /// Supply, V.
    pub voltage: f64,
    /// The estimate of wires.
    pub wires: Wires,
    cells: BTreeMap<String, Cell>,
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its name.
    pub name: String,
    /// Mean over the states that the library has figures for, W.
    pub leakage: f64,
    /// Inputs, the variables of its functions.
    pub inputs: Vec<Input>,
    /// Outputs.
    pub outputs: Vec<Output>,
    /// What makes it a flip-flop, if it is one.
    pub register: Option<Register>,
    /// Why it cannot be simulated, if so.
    pub refusal: Option<String>,
}

/// An input pin.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// F.
    pub capacitance: f64,
    /// Energy of an edge of the pin, whatever the outputs do, J: tables by edge, one for each condition.
    pub energy: [Vec<Lookup>; 2],
}

/// An output pin.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub shows: Shows,
    /// What turns it.
    pub arcs: Vec<Arc>,
}

/// What an output shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// A function of the inputs.
    Function(u64),
    /// A flip-flop's state.
    State,
    /// Its complement.
    Complement,
}

/// An input that turns an output.
#[derive(Clone, Debug)]
pub struct Arc {
    /// The input.
    pub input: usize,
    /// Energy of an edge of the output, J: tables by edge, one for each condition.
    pub energy: [Vec<Lookup>; 2],
    /// Transition time of the output, s: tables by edge of the input, then by edge of the output.
    pub slew: [[Vec<Lookup>; 2]; 2],
}

/// A flip-flop on the rising edge. Its functions have the inputs as variables, and after them the state.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// The clock pin.
    pub clock: usize,
    /// The next state.
    pub next: Truth,
    /// Whether that depends on the state.
    pub feeds_back: bool,
    /// Sets the state to 0 at any time.
    pub clear: Truth,
    /// Sets the state to 1 at any time.
    pub preset: Truth,
    /// The state where both do.
    pub both: bool,
}

impl Cells {
    /// Takes the cells from a library.
    ///
    /// # Errors
    /// If it does not say what its units are.
    pub fn read(library: &Library) -> Result<Self, Error> {
        let unusable = |reason: &str| Error::Liberty {
            path: library.name().to_owned(),
            reason: one_line(reason),
        };
        let parsed = faultline_liberty::parse(library.text()).map_err(|error| unusable(&error))?;
        let units = Units {
            time: parsed.time_unit.value(),
            capacitance: parsed
                .capacitive_load_unit
                .ok_or_else(|| unusable("it has no capacitive_load_unit"))?
                .value(),
            voltage: parsed.voltage_unit.value(),
            leakage: parsed
                .leakage_power_unit
                .ok_or_else(|| unusable("it has no leakage_power_unit"))?
                .value(),
        };
        let voltage = parsed
            .operating_conditions
            .iter()
            .next()
            .map(|conditions| conditions.voltage)
            .or(parsed.nom_voltage)
            .ok_or_else(|| unusable("it says no voltage"))?;
        let cells = parsed.cell.iter().map(|cell| {
            let reader = Reader {
                cell,
                units: &units,
            };
            (cell.name.to_string(), reader.cell())
        });
        Ok(Self {
            voltage: voltage * units.voltage,
            wires: Wires::read(&parsed, &units),
            cells: cells.collect(),
        })
    }

    /// A cell of the library.
    pub fn find(&self, name: &str) -> Option<&Cell> {
        self.cells.get(name)
    }
}

/// A cell that is being read.
struct Reader<'a> {
    cell: &'a LibertyCell,
    units: &'a Units,
}

impl Reader<'_> {
    fn cell(&self) -> Cell {
        let (outputs, inputs): (Vec<&LibertyPin>, Vec<&LibertyPin>) = self
            .cell
            .pin
            .iter()
            .partition(|pin| pin.direction != Some(liberty_db::pin::Direction::Input));
        let names: Vec<String> = inputs.iter().map(|pin| pin.name.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut refusal = None;
        let register = self.register(&names).unwrap_or_else(|reason| {
            refusal = Some(reason);
            None
        });
        let mut shown = Vec::new();
        for pin in outputs {
            match self.output(pin, &names) {
                Ok(output) => shown.push(output),
                Err(reason) => refusal = refusal.or(Some(reason)),
            }
        }
        Cell {
            name: self.cell.name.to_string(),
            leakage: self.leakage(),
            inputs: inputs.iter().map(|pin| self.input(pin)).collect(),
            outputs: shown,
            register,
            refusal,
        }
    }

    /// The mean over the states, or the figure of the cell where there are none.
    fn leakage(&self) -> f64 {
        let states: Vec<f64> = self
            .cell
            .leakage_power
            .iter()
            .map(|state| state.value)
            .collect();
        let mean = match states.len() {
            0 => self.cell.cell_leakage_power.unwrap_or_default(),
            count => states.iter().sum::<f64>() / count as f64,
        };
        mean * self.units.leakage
    }

    fn input(&self, pin: &LibertyPin) -> Input {
        let mut energy = [Vec::new(), Vec::new()];
        for power in pin.internal_power.iter() {
            self.add_energy(&mut energy, power);
        }
        Input {
            name: pin.name.to_string(),
            capacitance: pin.capacitance.unwrap_or_default() * self.units.capacitance,
            energy,
        }
    }

    fn output(&self, pin: &LibertyPin, inputs: &[&str]) -> Result<Output, String> {
        let name = pin.name.to_string();
        let function = pin
            .function
            .as_ref()
            .ok_or_else(|| format!("its pin {name} has no function"))?;
        if pin.three_state.is_some() {
            return Err(format!("its pin {name} may be high-impedance"));
        }
        let arcs = inputs.iter().enumerate().map(|(input, from)| Arc {
            input,
            energy: self.arc_energy(pin, from),
            slew: self.arc_slew(pin, from),
        });
        Ok(Output {
            shows: self.shows(function, inputs).ok_or_else(|| {
                format!("its pin {name} is neither a flip-flop's state nor a function of up to six inputs")
            })?,
            name,
            arcs: arcs.filter(Arc::is_there).collect(),
        })
    }

    fn shows(&self, function: &LogicBooleanExpression, inputs: &[&str]) -> Option<Shows> {
        if let Some(flip_flop) = self.cell.ff.iter().next() {
            let state = [flip_flop.variable1.as_str()];
            let complement = Some((flip_flop.variable2.as_str(), 0));
            match truth(function, &state, complement) {
                Some(0b10) => return Some(Shows::State),
                Some(0b01) => return Some(Shows::Complement),
                _ => {}
            }
        }
        if inputs.len() > 6 {
            return None;
        }
        let table = truth(function, inputs, None)?;
        u64::try_from(table).ok().map(Shows::Function)
    }

    fn register(&self, inputs: &[&str]) -> Result<Option<Register>, String> {
        let cell = self.cell;
        if !cell.latch.is_empty() || !cell.latch_bank.is_empty() || cell.statetable.is_some() {
            return Err("it is a latch".to_owned());
        }
        if !cell.ff_bank.is_empty() || cell.ff.len() > 1 {
            return Err("it has more than one flip-flop".to_owned());
        }
        let Some(flip_flop) = cell.ff.iter().next() else {
            return Ok(None);
        };
        let state = inputs.len();
        let mut variables = inputs.to_vec();
        variables.push(&flip_flop.variable1);
        let table = |expression: &Option<LogicBooleanExpression>| match expression {
            None => Ok(0),
            Some(expression) => truth(
                expression,
                &variables,
                Some((flip_flop.variable2.as_str(), state)),
            )
            .ok_or_else(|| "its flip-flop has more than six inputs or unknown ones".to_owned()),
        };
        let clocked_on = table(&flip_flop.clocked_on)?;
        let clock = (0..inputs.len()).find(|input| {
            (0..1 << variables.len())
                .all(|row| (clocked_on >> row & 1 == 1) == (row >> input & 1 == 1))
        });
        let next = table(&flip_flop.next_state)?;
        Ok(Some(Register {
            clock: clock.ok_or("its flip-flop has no rising clock")?,
            next,
            feeds_back: depends(next, state),
            clear: table(&flip_flop.clear)?,
            preset: table(&flip_flop.preset)?,
            both: flip_flop
                .clear_preset_var1
                .is_some_and(|state| state.to_string() == "H"),
        }))
    }

    fn arc_energy(&self, pin: &LibertyPin, from: &str) -> [Vec<Lookup>; 2] {
        let mut energy = [Vec::new(), Vec::new()];
        for power in pin.internal_power.iter() {
            if power.related_pin.inner.contains(from) {
                self.add_energy(&mut energy, power);
            }
        }
        energy
    }

    fn add_energy(
        &self,
        energy: &mut [Vec<Lookup>; 2],
        power: &liberty_db::InternalPower<DefaultCtx>,
    ) {
        let tables = [(FALL, &power.fall_power), (RISE, &power.rise_power)];
        for (edge, table) in tables {
            let table = table.as_ref().or(power.power.as_ref());
            energy[edge].extend(table.and_then(|table| self.energy_table(table)));
        }
    }

    fn energy_table(&self, table: &TableLookUp<DefaultCtx>) -> Option<Lookup> {
        Lookup::read(
            [&table.index_1, &table.index_2],
            &table.values.inner,
            table.extra_ctx.lut_template.as_deref(),
            self.units,
            self.units.energy(),
        )
    }

    fn arc_slew(&self, pin: &LibertyPin, from: &str) -> [[Vec<Lookup>; 2]; 2] {
        let mut slew: [[Vec<Lookup>; 2]; 2] = Default::default();
        for timing in pin.timing.iter() {
            if !timing.related_pin.inner.contains(from) {
                continue;
            }
            let turns = |input: usize, output: usize| match timing.timing_type {
                Some(TimingType::RISING_EDGE) => input == RISE,
                Some(TimingType::FALLING_EDGE) => input == FALL,
                _ => match timing.timing_sense {
                    Some(TimingSenseType::PositiveUnate) => input == output,
                    Some(TimingSenseType::NegativeUnate) => input != output,
                    _ => true,
                },
            };
            let tables = [
                (FALL, &timing.fall_transition),
                (RISE, &timing.rise_transition),
            ];
            for (output, table) in tables {
                let Some(table) = table.as_ref().and_then(|table| self.time_table(table)) else {
                    continue;
                };
                for input in [FALL, RISE] {
                    if turns(input, output) {
                        slew[input][output].push(table.clone());
                    }
                }
            }
        }
        slew
    }

    fn time_table(&self, table: &TimingTableLookUp<DefaultCtx>) -> Option<Lookup> {
        Lookup::read(
            [&table.index_1, &table.index_2],
            &table.values,
            table.extra_ctx.lut_template.as_deref(),
            self.units,
            self.units.time,
        )
    }
}

impl Arc {
    fn is_there(&self) -> bool {
        let slews = self.slew.iter().flatten();
        self.energy
            .iter()
            .chain(slews)
            .any(|tables| !tables.is_empty())
    }
}
