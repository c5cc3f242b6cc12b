//! A macro's figures from its Liberty file.

use super::Compiled;
use super::ports::{Ports, is_input, mask_bits, pins, sign, write_pin};
use super::table::Table;
use crate::sram::{Macro, SETUP_NS};
use faultline_liberty::Tree;
use std::collections::BTreeMap;

/// The units of a library, in those of the figures.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    /// ns.
    time: f64,
    /// mW.
    leakage: Option<f64>,
    /// pJ: Liberty derives the unit of internal energy from those of capacitance and voltage.
    energy: f64,
    /// V.
    voltage: f64,
}

impl Units {
    /// The units of a library.
    pub fn of(library: &Tree<'_>) -> Result<Self, String> {
        let unit = |attribute: &str| {
            let unit = library.unit(attribute);
            unit.ok_or_else(|| format!("it has no {attribute} that is known"))
        };
        let voltage = unit("voltage_unit")?;
        Ok(Self {
            time: unit("time_unit")? * 1e9,
            leakage: library.unit("leakage_power_unit").map(|watts| watts * 1e3),
            energy: unit("capacitive_load_unit")? * voltage * voltage * 1e12,
            voltage,
        })
    }
}

/// A cell with a `memory` group.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// Its library.
    pub library: Tree<'a>,
    /// The cell.
    pub cell: Tree<'a>,
    /// The library's units.
    pub units: Units,
}

impl<'a> Cell<'a> {
    /// The macro that it is; the error says what it lacks, after its name.
    pub fn read(&self, file: &str) -> Result<Compiled, String> {
        let cell = self.cell;
        let (words, bits) = self.shape()?;
        let area = cell.number("area").filter(|area| *area > 0.0);
        let area = area.ok_or("has no area")?;
        let ports = Ports::of(cell)?;
        let mut unknown = Vec::new();
        let mut or_unknown = |figure: Option<f64>, name: &str, otherwise: f64| {
            figure.unwrap_or_else(|| {
                unknown.push(name.to_owned());
                otherwise
            })
        };
        let (clock, delay, falls) = self.delay(ports.read)?;
        let write_clock = self.write_clock(ports.write).unwrap_or(clock);
        // Data that follow the falling edge come half of a cycle later.
        let least = delay * if falls { 2.0 } else { 1.0 };
        let cycle_ns = or_unknown(self.cycle(clock), "cycle", least);
        let access_ns = delay + if falls { cycle_ns / 2.0 } else { 0.0 };
        let energies = self.energies(clock, write_clock);
        let [read_pj, write_pj] = match energies {
            Some(energies) => energies,
            None => [or_unknown(None, "energy", 0.0), 0.0],
        };
        let leakage_mw = or_unknown(self.leakage(), "leakage", 0.0);
        Ok(Compiled {
            name: cell.name().to_owned(),
            file: file.to_owned(),
            words,
            bits,
            mask_bits: mask_bits(cell, bits, ports.write, |bus| self.width(bus)),
            ports: ports.name,
            volts: self.volts().ok_or("has a library without a voltage")?,
            unknown,
            figures: Macro {
                area_mm2: area / 1e6,
                leakage_mw,
                gate_leakage_mw: 0.0,
                read_pj,
                write_pj,
                access_ns,
                cycle_ns,
                setup_ns: Some(self.setup([clock, write_clock]).unwrap_or(SETUP_NS)),
            },
        })
    }

    /// Words and bits of a word. Liberty counts address bits; of fewer words than these can tell apart, the cell's name has
    /// the number beside that of the bits.
    fn shape(&self) -> Result<(usize, usize), String> {
        let memory = self.cell.groups("memory").next();
        let memory = memory.ok_or("has no `memory` group")?;
        if memory.value("type") == Some("rom") {
            return Err("is a ROM".to_owned());
        }
        let whole = |attribute: &str, least: f64, most: f64| {
            let number = memory
                .number(attribute)
                .filter(|number| (least..=most).contains(number) && number.fract() == 0.0);
            let number = number.ok_or_else(|| {
                format!("has no {attribute} from {least} to {most} in its `memory` group")
            });
            number.map(|number| number as usize)
        };
        let address = whole("address_width", 1.0, 30.0)?;
        let bits = whole("word_width", 1.0, 65536.0)?;
        let most = 1 << address;
        let digits = |letter: char| !letter.is_ascii_digit();
        let numbers = self.cell.name().split(digits);
        let numbers: Vec<usize> = numbers.filter_map(|number| number.parse().ok()).collect();
        let fewer = |number: usize| (most / 2 + 1..most).contains(&number).then_some(number);
        let named = numbers.windows(2).find_map(|pair| match *pair {
            [words, other] if other == bits => fewer(words),
            [other, words] if other == bits => fewer(words),
            _ => None,
        });
        Ok((named.unwrap_or(most), bits))
    }

    /// Bits of a bus.
    fn width(&self, bus: &Tree<'_>) -> Option<usize> {
        let of_type = bus.value("bus_type")?;
        let mut types = self.library.groups("type").chain(self.cell.groups("type"));
        let width = types.find(|of| of.name() == of_type)?.number("bit_width")?;
        (width >= 1.0).then_some(width as usize)
    }

    /// The clock that an output follows, after how many ns at a middle slew and load, and whether it does so on its falling
    /// edge.
    fn delay(&self, output: Tree<'a>) -> Result<(&'a str, f64, bool), String> {
        let mut longest: Option<(&str, f64, bool)> = None;
        for timing in arcs(output, "timing") {
            let falls = match timing.value("timing_type") {
                Some("rising_edge") => false,
                Some("falling_edge") => true,
                _ => continue,
            };
            let tables = ["cell_rise", "cell_fall"];
            let delays = tables.map(|table| timing.groups(table).next().and_then(middle));
            let (Some(clock), Some(delay)) = (
                timing.value("related_pin"),
                delays.into_iter().flatten().reduce(f64::max),
            ) else {
                continue;
            };
            let delay = delay * self.units.time;
            if delay > 0.0 && longest.is_none_or(|(_, other, _)| delay > other) {
                longest = Some((clock, delay, falls));
            }
        }
        longest.ok_or_else(|| format!("has no delay from a clock to its output {}", output.name()))
    }

    /// The clock with which an input is written.
    fn write_clock(&self, input: Tree<'a>) -> Option<&'a str> {
        let group = input.groups("memory_write").next();
        let said = group.and_then(|group| group.value("clocked_on"));
        said.or_else(|| {
            let mut setups = arcs(input, "timing").into_iter().filter(is_setup);
            setups.find_map(|timing| timing.value("related_pin"))
        })
    }

    /// The least period of a clock, ns.
    fn cycle(&self, clock: &str) -> Option<f64> {
        let pin = self.pin(clock)?;
        let arcs = arcs(pin, "timing").into_iter();
        let arcs = arcs.filter(|arc| arc.value("timing_type") == Some("minimum_period"));
        let tables = arcs.flat_map(|arc| {
            ["rise_constraint", "fall_constraint"].map(|table| arc.groups(table).next())
        });
        let group = pin.groups("minimum_period").next();
        let written = [
            pin.number("min_period"),
            group.and_then(|group| group.number("constraint")),
        ];
        let periods = tables
            .flatten()
            .filter_map(middle)
            .chain(written.into_iter().flatten());
        let period = periods.reduce(f64::max)?;
        (period > 0.0).then_some(period * self.units.time)
    }

    /// The longest setup of the inputs against these clocks, at middle slews, ns.
    fn setup(&self, clocks: [&str; 2]) -> Option<f64> {
        let arcs = pins(self.cell)
            .filter(is_input)
            .flat_map(|pin| arcs(pin, "timing"));
        let arcs = arcs.filter(|arc| {
            is_setup(arc)
                && arc
                    .value("related_pin")
                    .is_some_and(|pin| clocks.contains(&pin))
        });
        let tables = arcs.flat_map(|arc| {
            ["rise_constraint", "fall_constraint"].map(|table| arc.groups(table).next())
        });
        let longest = tables.flatten().filter_map(middle).reduce(f64::max)?;
        Some(longest.max(0.0) * self.units.time)
    }

    /// What a read and a write take of their clocks, pJ.
    fn energies(&self, read: &str, write: &str) -> Option<[f64; 2]> {
        Some([self.energy(read, false)?, self.energy(write, true)?])
    }

    /// What both edges of a clock take in an access, pJ: of all states that may be such an access, that which takes most. Those
    /// of each supply are parts of a sum.
    fn energy(&self, clock: &str, writes: bool) -> Option<f64> {
        let groups = arcs(self.pin(clock)?, "internal_power");
        let conditions: Vec<&str> = groups
            .iter()
            .filter_map(|group| group.value("when"))
            .collect();
        let pin = write_pin(self.cell, &conditions);
        let may_be = |when: &str| {
            let sign = pin.and_then(|(name, is_low)| Some(sign(when, name)? != is_low));
            sign.is_none_or(|sign| sign == writes)
        };
        let mut states: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
        for group in groups {
            let when = group.value("when").unwrap_or_default();
            let supply = group.value("related_pg_pin").unwrap_or_default();
            if !may_be(when) {
                continue;
            }
            let edge = |table: &str| {
                let table = group
                    .groups(table)
                    .next()
                    .or_else(|| group.groups("power").next());
                table.and_then(middle)
            };
            let edges = [edge("rise_power"), edge("fall_power")];
            if edges.iter().any(Option::is_some) {
                let sum: f64 = edges.into_iter().flatten().sum();
                let most = states.entry(when).or_default().entry(supply).or_default();
                *most = most.max(sum);
            }
        }
        let sums = states
            .values()
            .map(|supplies| supplies.values().sum::<f64>());
        Some(sums.reduce(f64::max)? * self.units.energy)
    }

    /// Leakage, mW: the cell's, or the mean of its states', of each supply.
    fn leakage(&self) -> Option<f64> {
        let unit = self.units.leakage?;
        if let Some(leakage) = self.cell.number("cell_leakage_power") {
            return Some(leakage * unit);
        }
        let mut supplies: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for state in self.cell.groups("leakage_power") {
            let supply = state.value("related_pg_pin").unwrap_or_default();
            supplies
                .entry(supply)
                .or_default()
                .push(state.number("value")?);
        }
        let means = supplies
            .values()
            .map(|of| of.iter().sum::<f64>() / of.len() as f64);
        Some(means.reduce(|sum, mean| sum + mean)? * unit)
    }

    /// Supply, V.
    fn volts(&self) -> Option<f64> {
        let mut conditions = self.library.groups("operating_conditions");
        let of_conditions = conditions.find_map(|conditions| conditions.number("voltage"));
        let volts = of_conditions.or_else(|| self.library.number("nom_voltage"))?;
        Some(volts * self.units.voltage)
    }

    fn pin(&self, name: &str) -> Option<Tree<'a>> {
        let mut pins = self.cell.groups("pin");
        pins.find(|pin| pin.name() == name)
    }
}

/// The groups of a kind of a pin or bus, and of the pins of a bus.
fn arcs<'a>(pin: Tree<'a>, kind: &'static str) -> Vec<Tree<'a>> {
    let bits = pin.groups("pin").flat_map(|bit| bit.groups(kind));
    pin.groups(kind).chain(bits).collect()
}

fn is_setup(timing: &Tree<'_>) -> bool {
    matches!(
        timing.value("timing_type"),
        Some("setup_rising" | "setup_falling")
    )
}

/// The middle of a table, in its own unit.
fn middle(table: Tree<'_>) -> Option<f64> {
    Table::of(table).map(|table| table.middle())
}
