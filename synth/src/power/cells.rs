//! What power needs to know of a library's cells: functions, capacitances, leakage, energies and transition times.

use super::function::{Truth, truth, truth_of};
use super::lookup::{FALL, Lookup, RISE, Units};
use super::wires::Wires;
use crate::error::{Error, one_line};
use crate::library::Library;
use liberty_db::DefaultCtx;
use liberty_db::cell::PgType;
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
    /// W.
    pub leakage: States<f64>,
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
    /// Energy of an edge of the pin, whatever the outputs do, J: by edge.
    pub energy: [States<Lookup>; 2],
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
    /// Energy of an edge of the output, J: by edge.
    pub energy: [States<Lookup>; 2],
    /// Transition time of the output, s: tables by edge of the input, then by edge of the output.
    pub slew: [[Vec<Lookup>; 2]; 2],
}

/// Figures of which each is for some states of the cell's pins, whose variables are the inputs, and after them the state of a
/// flip-flop. Those of each supply are parts of a sum.
#[derive(Clone, Debug)]
pub struct States<T>(BTreeMap<String, Vec<(Option<Truth>, T)>>);

impl<T> Default for States<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> States<T> {
    /// Adds a figure for the states in which a condition holds, or for all that no condition covers.
    pub fn add(&mut self, supply: String, when: Option<Truth>, figure: T) {
        self.0.entry(supply).or_default().push((when, figure));
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sum in a state of what the figures say: for each supply, that of the condition that holds, of several their mean, or
    /// that without a condition where none does.
    pub fn at(&self, row: usize, value: impl Fn(&T) -> f64) -> f64 {
        let of_supply = |figures: &Vec<(Option<Truth>, T)>| {
            let mean = |holds: &dyn Fn(Option<Truth>) -> bool| {
                let held = figures.iter().filter(|(when, _)| holds(*when));
                let values: Vec<f64> = held.map(|(_, figure)| value(figure)).collect();
                let sum: f64 = values.iter().sum();
                (!values.is_empty()).then(|| sum / values.len() as f64)
            };
            mean(&|when| when.is_some_and(|when| when >> row & 1 == 1))
                .or_else(|| mean(&|when| when.is_none()))
        };
        self.0.values().filter_map(of_supply).sum()
    }
}

/// A flip-flop on the rising edge. Its functions have the inputs as variables, and after them the state.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// The clock pin.
    pub clock: usize,
    /// The next state.
    pub next: Truth,
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

    /// All cells of the library.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Cell> {
        self.cells.values()
    }

    /// A cell of the library.
    pub fn find(&self, name: &str) -> Option<&Cell> {
        self.cells.get(name)
    }
}

/// The pins of a cell, as its conditions name them.
struct Pins {
    /// The inputs, and the state of a flip-flop.
    variables: Vec<String>,
    /// The outputs with their functions of these.
    outputs: BTreeMap<String, Truth>,
}

impl Pins {
    /// The states in which a condition holds; `None` if it has names that are no pins.
    fn truth(&self, when: &LogicBooleanExpression) -> Option<Truth> {
        truth_of(when, self.variables.len(), |name, row| {
            match self.outputs.get(name) {
                Some(function) => Some(function >> row & 1 == 1),
                None => {
                    let variable = self.variables.iter().position(|known| known == name)?;
                    Some(row >> variable & 1 == 1)
                }
            }
        })
    }
}

/// The names of a list as one.
fn names(list: &liberty_db::common::items::WordSet) -> String {
    let mut names: Vec<&str> = list.inner.iter().map(AsRef::as_ref).collect();
    names.sort_unstable();
    names.join(" ")
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
        let pins = self.pins(&names, &outputs, register.is_some());
        let mut shown = Vec::new();
        for pin in outputs {
            match self.output(pin, &names, &pins) {
                Ok(output) => shown.push(output),
                Err(reason) => refusal = refusal.or(Some(reason)),
            }
        }
        Cell {
            name: self.cell.name.to_string(),
            leakage: self.leakage(&pins),
            inputs: inputs.iter().map(|pin| self.input(pin, &pins)).collect(),
            outputs: shown,
            register,
            refusal,
        }
    }

    /// The variables of the conditions, and what the outputs are of them.
    fn pins(&self, inputs: &[&str], outputs: &[&LibertyPin], register: bool) -> Pins {
        let flip_flop = self.cell.ff.iter().next().filter(|_| register);
        let state = flip_flop.map(|flip_flop| flip_flop.variable1.clone());
        let variables = inputs.iter().map(|name| (*name).to_owned());
        let variables: Vec<String> = variables.chain(state).collect();
        let complement = flip_flop.map(|flip_flop| (flip_flop.variable2.as_str(), inputs.len()));
        let names: Vec<&str> = variables.iter().map(String::as_str).collect();
        let outputs = outputs.iter().filter_map(|pin| {
            let function = truth(pin.function.as_ref()?, &names, complement)?;
            Some((pin.name.to_string(), function))
        });
        Pins {
            outputs: outputs.collect(),
            variables,
        }
    }

    /// The leakage of the supplies; what flows into ground comes from them.
    fn leakage(&self, pins: &Pins) -> States<f64> {
        let is_ground = |of: PgType| {
            use PgType::{BackupGround, InternalGround, PrimaryGround};
            matches!(of, PrimaryGround | BackupGround | InternalGround)
        };
        let grounds = self.cell.pg_pin.iter();
        let grounds = grounds.filter(|pin| is_ground(pin.pg_type));
        let grounds: Vec<String> = grounds.map(|pin| pin.name.clone()).collect();
        let mut leakage = States::default();
        for state in self.cell.leakage_power.iter() {
            let supply = names(&state.related_pg_pin);
            if !grounds.contains(&supply) {
                let when = state.when.as_ref().and_then(|when| pins.truth(when));
                leakage.add(supply, when, state.value * self.units.leakage);
            }
        }
        let all = self
            .cell
            .cell_leakage_power
            .map(|value| value * self.units.leakage);
        // It is the cell's where it has no others, and else that of the states that none of them has.
        match (all, leakage.0.values_mut().next()) {
            (Some(all), None) => leakage.add(String::new(), None, all),
            (Some(all), Some(states)) if states.iter().all(|(when, _)| when.is_some()) => {
                states.push((None, all));
            }
            _ => {}
        }
        leakage
    }

    fn input(&self, pin: &LibertyPin, pins: &Pins) -> Input {
        let mut energy = Default::default();
        for power in pin.internal_power.iter() {
            self.add_energy(&mut energy, power, pins);
        }
        Input {
            name: pin.name.to_string(),
            capacitance: pin.capacitance.unwrap_or_default() * self.units.capacitance,
            energy,
        }
    }

    fn output(&self, pin: &LibertyPin, inputs: &[&str], pins: &Pins) -> Result<Output, String> {
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
            energy: self.arc_energy(pin, from, pins),
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
            clear: table(&flip_flop.clear)?,
            preset: table(&flip_flop.preset)?,
            both: flip_flop
                .clear_preset_var1
                .is_some_and(|state| state.to_string() == "H"),
        }))
    }

    fn arc_energy(&self, pin: &LibertyPin, from: &str, pins: &Pins) -> [States<Lookup>; 2] {
        let mut energy = Default::default();
        for power in pin.internal_power.iter() {
            if power.related_pin.inner.contains(from) {
                self.add_energy(&mut energy, power, pins);
            }
        }
        energy
    }

    fn add_energy(
        &self,
        energy: &mut [States<Lookup>; 2],
        power: &liberty_db::InternalPower<DefaultCtx>,
        pins: &Pins,
    ) {
        let when = power.when.as_ref().and_then(|when| pins.truth(when));
        let supply = names(&power.related_pg_pin);
        let tables = [(FALL, &power.fall_power), (RISE, &power.rise_power)];
        for (edge, table) in tables {
            let table = table.as_ref().or(power.power.as_ref());
            if let Some(table) = table.and_then(|table| self.energy_table(table)) {
                energy[edge].add(supply.clone(), when, table);
            }
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
        let mut slews = self.slew.iter().flatten();
        slews.any(|tables| !tables.is_empty())
            || self.energy.iter().any(|states| !states.is_empty())
    }
}
