//! The eight circuits.

use crate::circuits::CIRCUITS;
use crate::liberty::{self, Cell, evaluate};
use crate::naive::{Instance, Naive};
use crate::{Bits, assert_near, embedded, without_yosys};
use faultline_synth::library::Library;
use faultline_synth::power::{Calculator, Cells, Circuit, Estimate, Kind, Power, Simulator};
use faultline_synth::yosys::{self, Design, Netlist};
use std::collections::HashMap;

const CYCLES: u64 = 200;
const CLOCK_MHZ: f64 = 800.0;

/// The netlist of a module.
pub fn synthesized(name: &str, verilog: &str, library: &Library) -> Netlist {
    let design = Design {
        top: name.to_owned(),
        verilog: verilog.to_owned(),
        memories: Vec::new(),
    };
    yosys::synthesize(&design, library, yosys::TARGET_PS).unwrap()
}

/// A circuit, its netlist and a simulation of it.
struct Run {
    netlist: Netlist,
    circuit: Circuit,
    simulator: Simulator,
}

impl Run {
    fn new(of: &crate::circuits::Circuit, library: &Library, cells: &Cells) -> Self {
        let netlist = synthesized(of.name, of.verilog, library);
        let circuit = Circuit::read(&netlist, cells, &[]).unwrap();
        Self {
            simulator: Simulator::new(&circuit),
            netlist,
            circuit,
        }
    }

    fn set(&mut self, port: &str, value: u64) {
        // An input that nothing reads is still a port.
        let port = crate::port(&self.circuit.inputs, port);
        self.simulator.set(port, &[value]);
    }

    fn get(&self, port: &str) -> u64 {
        let port = crate::port(&self.circuit.outputs, port);
        let mut words = [0];
        self.simulator.get(port, &mut words);
        words[0]
    }

    fn estimate(&self, library: &Library, cells: &Cells) -> Estimate {
        let calculator = Calculator::new(&self.circuit, cells, library).unwrap();
        calculator.estimate(&self.simulator.activity(&self.circuit), CLOCK_MHZ, &[])
    }
}

#[test]
fn outputs_are_those_of_the_models() {
    if without_yosys() {
        return;
    }
    let (library, cells) = embedded();
    for of in &CIRCUITS {
        let mut run = Run::new(of, &library, &cells);
        let (mut model, mut bits) = ((of.model)(), Bits(7));
        let mut seen = 0;
        for cycle in 0..2000 {
            let reset = cycle < 2 || bits.next(8) == 0;
            run.set("reset", reset.into());
            let values: Vec<u64> = of
                .inputs
                .iter()
                .map(|(_, width)| bits.next(*width))
                .collect();
            for ((port, _), value) in of.inputs.iter().zip(&values) {
                run.set(port, *value);
            }
            run.simulator.settle();
            let found: Vec<u64> = of.outputs.iter().map(|port| run.get(port)).collect();
            let expected = model(reset, &values);
            // Before the first reset nothing is known.
            if cycle > 0 {
                assert_eq!(found, expected, "{} in cycle {cycle}", of.name);
                seen |= found.iter().fold(0, |all, value| all | value);
            }
            run.simulator.clock();
        }
        assert_ne!(seen, 0, "{}: no output was ever high", of.name);
    }
}

/// The wires of the library's only wire-load model: capacitance by number of pins, fF.
fn wire(text: &str, pins: usize) -> f64 {
    let value = |name: &str| -> f64 {
        let model = text.split("wire_load (").nth(1).unwrap();
        let line = model
            .lines()
            .find(|line| line.trim().starts_with(name))
            .unwrap();
        line.split(':')
            .nth(1)
            .unwrap()
            .trim()
            .trim_end_matches(';')
            .parse()
            .unwrap()
    };
    let known: Vec<(f64, f64)> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("fanout_length ("))
        .map(|line| {
            let (pins, length) = line.trim_end_matches(");").split_once(", ").unwrap();
            (pins.parse().unwrap(), length.parse().unwrap())
        })
        .collect();
    if pins == 0 {
        return 0.0;
    }
    let pins = pins as f64;
    let length = match known.iter().position(|(known, _)| *known >= pins) {
        Some(0) => known[0].1,
        Some(next) => {
            let ((few, short), (many, long)) = (known[next - 1], known[next]);
            short + (long - short) * (pins - few) / (many - few)
        }
        None => known.last().unwrap().1 + (pins - known.last().unwrap().0) * value("slope"),
    };
    length * value("capacitance")
}

/// Whether an output may rise when an input falls, and when it rises.
fn causes_of_a_rise(cell: &Cell, output: &str, input: &str) -> [bool; 2] {
    let function = cell.function(output).unwrap();
    let mut others: Vec<&String> = cell.pins.keys().collect();
    others.retain(|pin| *pin != input && *pin != output);
    let value = |state: usize, high: bool| {
        evaluate(function, &|pin| {
            let place = others.iter().position(|other| *other == pin);
            place.map_or(high, |place| state >> place & 1 == 1)
        })
    };
    let states = 0..1 << others.len();
    [false, true].map(|rises| {
        states
            .clone()
            .any(|state| value(state, rises) && !value(state, !rises))
    })
}

/// By net: how long a fall and a rise take, ns, at worst over what causes them; worked out again and again until nothing
/// changes. `driver` is the cell in front of every input.
fn transitions(
    naive: &Naive<'_>,
    driver: &Cell,
    load: &dyn Fn(&str) -> f64,
) -> HashMap<String, [f64; 2]> {
    let none = |_: &str| [0.0; 2];
    let of = |cell: &Cell, output: &str, net: &str, before: &dyn Fn(&str) -> [f64; 2]| {
        let load = load(net);
        let inputs: Vec<&String> = match cell.clock() {
            Some(clock) => cell.pins.keys().filter(|pin| *pin == clock).collect(),
            None => {
                let pins = cell.pins.keys();
                pins.filter(|pin| cell.function(pin).is_none()).collect()
            }
        };
        [
            ("fall", ["positive", "negative"]),
            ("rise", ["negative", "positive"]),
        ]
        .map(|(edge, senses)| {
            let times = inputs.iter().flat_map(|input| {
                let table = |sense: &str| {
                    let name = format!("{sense}_unate {edge}_transition");
                    cell.pins[output].tables.get(&((*input).clone(), name))
                };
                // After a fall of the input, after a rise, and after the clock.
                let [falls, rises] = before(input);
                let causes = [(senses[0], falls), (senses[1], rises), ("non", 0.0)];
                causes.map(|(sense, slew)| table(sense).map_or(0.0, |table| table.at(slew, load)))
            });
            times.fold(0.0, f64::max)
        })
    };
    let nets = naive
        .instances
        .iter()
        .flat_map(|instance| instance.pins.values());
    let (front, _) = driver
        .pins
        .iter()
        .find(|(pin, _)| driver.function(pin).is_some())
        .unwrap();
    let mut found: HashMap<String, [f64; 2]> = nets
        .filter(|net| !net.starts_with("1'h"))
        .map(|net| (net.clone(), of(driver, front, net, &none)))
        .collect();
    loop {
        let mut changed = false;
        for instance in &naive.instances {
            let cell = naive.cell(instance);
            let before = |pin: &str| match cell.clock() {
                Some(_) => [0.0; 2],
                None => found.get(&instance.pins[pin]).copied().unwrap_or_default(),
            };
            let outputs = instance
                .pins
                .iter()
                .filter(|(pin, _)| cell.function(pin).is_some());
            let now: Vec<(String, [f64; 2])> = outputs
                .map(|(pin, net)| (net.clone(), of(cell, pin, net, &before)))
                .collect();
            for (net, times) in now {
                changed |= found.insert(net, times) != Some(times);
            }
        }
        if !changed {
            return found;
        }
    }
}

/// The energy of an instance in fJ: internal of its own, switching of its own, of its clock pin; summed up from the text of
/// the library and the edges of a naive simulation.
fn energies(
    naive: &Naive<'_>,
    number: usize,
    cycles: f64,
    load: &dyn Fn(&str) -> f64,
    slew: &dyn Fn(&str) -> [f64; 2],
) -> [f64; 3] {
    let instance: &Instance = &naive.instances[number];
    let cell = naive.cell(instance);
    let edges = |net: &str| {
        naive
            .edges
            .get(net)
            .copied()
            .unwrap_or_default()
            .map(|count| count as f64)
    };
    let [mut internal, mut switching, mut clock] = [0.0; 3];
    // The cycles that have ended, and the energy of an edge of an input, which has a table for each state of the other pins.
    let ended = &naive.cycles[..cycles as usize];
    let hidden = |pin: &str, edge: usize, slew: f64, value: &dyn Fn(&str) -> bool| -> f64 {
        let tables = cell.hidden(pin, ["fall", "rise"][edge]).into_iter();
        let held = tables.filter(|(when, _)| evaluate(when, value));
        held.map(|(_, table)| table.at(slew, 0.0)).sum()
    };
    let of = |values: &HashMap<String, bool>, pin: &str| {
        // An output without a net is the complement of the other one.
        let (net, complement) = match instance.pins.get(pin) {
            Some(net) => (net, false),
            None => (&instance.pins["QN"], true),
        };
        values.get(net).copied().unwrap_or_default() != complement
    };
    for (pin, net) in &instance.pins {
        if cell.clock() == Some(pin) {
            clock += cycles * cell.capacitance(pin) * 1.1 * 1.1;
            for [before, after] in ended {
                let settled = |pin: &str| of(after, pin);
                clock += hidden(pin, 1, 0.0, &settled);
                // It falls before data turn as often as after, and the output has turned.
                let early = |pin: &str| of(if pin == "D" { before } else { after }, pin);
                clock += (hidden(pin, 0, 0.0, &early) + hidden(pin, 0, 0.0, &settled)) / 2.0;
            }
            continue;
        }
        if cell.function(pin).is_none() {
            for [before, after] in ended {
                let edge = usize::from(of(after, pin));
                if cell.clock().is_some() && of(before, pin) != of(after, pin) {
                    for high in [false, true] {
                        let value = |pin: &str| match pin {
                            "CK" => high,
                            pin => of(after, pin),
                        };
                        internal += hidden(pin, edge, slew(net)[edge], &value) / 2.0;
                    }
                }
            }
            continue;
        }
        switching += (edges(net)[0] + edges(net)[1]) * 0.5 * load(net) * 1.1 * 1.1;
        for (edge, name) in ["fall", "rise"].into_iter().enumerate() {
            let at = |input: &str, slew: f64| {
                cell.pins[pin].tables[&(input.to_owned(), format!("{name}_power"))]
                    .at(slew, load(net))
            };
            if let Some(input) = cell.clock() {
                internal += edges(net)[edge] * at(input, 0.0);
                continue;
            }
            for input in instance.pins.keys() {
                let Some(shares) = naive.causes.get(&(number, input.clone())) else {
                    continue;
                };
                let of_rise = causes_of_a_rise(cell, pin, input);
                let causes = if edge == 1 {
                    of_rise
                } else {
                    [of_rise[1], of_rise[0]]
                };
                let times = slew(&instance.pins[input]);
                let time = match causes {
                    [true, true] => (times[0] + times[1]) / 2.0,
                    [true, false] => times[0],
                    _ => times[1],
                };
                internal += shares[edge] * at(input, time);
            }
        }
    }
    [internal, switching, clock]
}

#[test]
fn power_of_each_circuit_is_the_sum_that_its_netlist_and_the_library_give() {
    if without_yosys() {
        return;
    }
    let (library, cells) = embedded();
    let text = liberty::cells(library.text());
    for of in &CIRCUITS {
        let mut run = Run::new(of, &library, &cells);
        let mut naive = Naive::new(&run.netlist.verilog, &text);
        let mut bits = Bits(3);
        for cycle in 0..CYCLES {
            let before = naive.values.clone();
            if cycle > 0 {
                run.simulator.clock();
                naive.clock();
            }
            let reset = (cycle < 2, "reset", 1);
            let drawn = of
                .inputs
                .iter()
                .map(|(port, width)| (bits.next(*width), *port, *width));
            let values: Vec<_> = drawn
                .chain([(u64::from(reset.0), reset.1, reset.2)])
                .collect();
            for (value, port, width) in values {
                run.set(port, value);
                for bit in 0..width {
                    let name = if width == 1 {
                        port.to_owned()
                    } else {
                        format!("{port}[{bit}]")
                    };
                    naive.set(&name, value >> bit & 1 == 1);
                }
            }
            run.simulator.settle();
            naive.settle_from(&before);
        }
        // As many cycles have ended as the clock has risen.
        let cycles = (CYCLES - 1) as f64;
        let estimate = run.estimate(&library, &cells);
        let load_of = |net: &str| {
            let sinks = naive.instances.iter().flat_map(|instance| {
                let cell = naive.cell(instance);
                let pins = instance.pins.iter().filter(|(_, on)| on.as_str() == net);
                pins.filter(|(pin, _)| cell.function(pin).is_none())
                    .map(|(pin, _)| cell.capacitance(pin))
            });
            let sinks: Vec<f64> = sinks.collect();
            let port = usize::from(naive.ports.contains(net));
            sinks.iter().sum::<f64>()
                + 10.0 * port as f64
                + wire(library.text(), sinks.len() + port)
        };
        let nets = naive.instances.iter().flat_map(|one| one.pins.values());
        let loads: HashMap<&str, f64> = nets.map(|net| (net.as_str(), load_of(net))).collect();
        let load = |net: &str| loads[net];
        let slews = transitions(&naive, &text[library.driving_cell()], &load);
        let milliwatts =
            |femtojoules: f64| femtojoules * 1e-15 / (cycles / (CLOCK_MHZ * 1e6)) * 1e3;
        let mut sums = [0.0; 3];
        for (number, instance) in naive.instances.iter().enumerate() {
            let slew = |net: &str| slews.get(net).copied().unwrap_or_default();
            let energies = energies(&naive, number, cycles, &load, &slew);
            let mut known = estimate.instances.iter();
            let found = known.find(|known| known.name == instance.name).unwrap();
            let what = format!("{} {} {}", of.name, instance.cell, instance.name);
            assert_near(
                found.own.leakage_mw,
                naive.cell(instance).leakage_nw * 1e-6,
                &what,
            );
            assert_near(found.own.internal_mw, milliwatts(energies[0]), &what);
            assert_near(found.own.switching_mw, milliwatts(energies[1]), &what);
            assert_near(found.clock.total_mw(), milliwatts(energies[2]), &what);
            for (sum, energy) in sums.iter_mut().zip(energies) {
                *sum += energy;
            }
        }
        let leakages = naive
            .instances
            .iter()
            .map(|instance| naive.cell(instance).leakage_nw);
        let whole = leakages.sum::<f64>() * 1e-6 + milliwatts(sums.iter().sum());
        assert_near(estimate.total().total_mw(), whole, of.name);
        assert!(sums[0] > 0.0 && sums[1] > 0.0, "{} does nothing", of.name);
    }
}

#[test]
fn the_parts_are_the_whole() {
    if without_yosys() {
        return;
    }
    let (library, cells) = embedded();
    for of in &CIRCUITS {
        let mut run = Run::new(of, &library, &cells);
        let mut bits = Bits(11);
        for cycle in 0..100 {
            run.set("reset", u64::from(cycle < 2));
            for (port, width) in of.inputs {
                run.set(port, bits.next(*width));
            }
            run.simulator.clock();
        }
        let estimate = run.estimate(&library, &cells);
        let total = estimate.total();
        let instances = estimate.instances.iter();
        let sums: [Power; 2] = [
            instances
                .map(|instance| instance.own + instance.clock)
                .sum(),
            estimate
                .by_module()
                .into_iter()
                .map(|(_, _, power)| power)
                .sum(),
        ];
        for sum in sums {
            assert_near(sum.leakage_mw, total.leakage_mw, of.name);
            assert_near(sum.internal_mw, total.internal_mw, of.name);
            assert_near(sum.switching_mw, total.switching_mw, of.name);
        }
        assert_eq!(
            estimate.instances.len(),
            run.netlist.cells.values().sum::<usize>()
        );
    }
}

#[test]
fn constant_inputs_leave_leakage_and_the_clock() {
    if without_yosys() {
        return;
    }
    let (library, cells) = embedded();
    let text = liberty::cells(library.text());
    for of in &CIRCUITS {
        let mut run = Run::new(of, &library, &cells);
        run.set("reset", 1);
        run.simulator.clock();
        run.set("reset", 0);
        run.simulator.clock();
        run.simulator.restart();
        for _ in 0..50 {
            run.simulator.clock();
        }
        let estimate = run.estimate(&library, &cells);
        let own = estimate.of_kind(Kind::Sequential) + estimate.of_kind(Kind::Combinational);
        assert_eq!(
            (own.internal_mw, own.switching_mw),
            (0.0, 0.0),
            "{}",
            of.name
        );
        assert!(own.leakage_mw > 0.0);
        // Two edges of each flip-flop's clock pin in a cycle of 1.25 ns, with data and state alike.
        let energy = |cell: &Cell, high: bool| {
            let of_edge = |edge: &str| -> f64 {
                let tables = cell.hidden("CK", edge).into_iter();
                let held = tables.filter(|(when, _)| evaluate(when, &|_| high));
                held.map(|(_, table)| table.at(0.0, 0.0)).sum()
            };
            of_edge("fall") + of_edge("rise") + cell.capacitance("CK") * 1.1 * 1.1
        };
        let registers = estimate.instances.iter();
        for register in registers.filter(|one| one.kind == Kind::Sequential) {
            let found = register.clock.total_mw();
            let states = [false, true].map(|high| {
                let femtojoules = energy(&text[&register.cell], high);
                (femtojoules * 1e-15 / 1.25e-9 * 1e3 - found).abs() < 1e-9 * found
            });
            assert!(states[0] != states[1], "{} {}", of.name, register.name);
        }
        let clock = estimate.of_kind(Kind::Clock).total_mw();
        assert_near(estimate.total().total_mw(), own.leakage_mw + clock, of.name);
    }
}
