//! Activity as SAIF 2.0, backward: what simulators hand to tools that calculate power.

use super::circuit::{CLOCK, Circuit, Driver, HIGH, NetId};
use super::simulator::Activity;
use std::fmt::Write;

/// The activity of a netlist, times in ps. The scope of the top module has every net that is driven, the scope of each
/// instance all its connected pins, a bus bit by bit. A name is that of the netlist with a backslash before what separates
/// its parts in this format: `/` and brackets. A dot separates nothing here, and OpenSTA finds no instance that has a
/// backslash before it.
pub fn saif(circuit: &Circuit, activity: &Activity, clock_mhz: f64) -> String {
    let writer = Writer {
        circuit,
        activity,
        period: (1e6 / clock_mhz).round().max(1.0) as u64,
    };
    writer.file()
}

struct Writer<'a> {
    circuit: &'a Circuit,
    activity: &'a Activity,
    /// ps.
    period: u64,
}

impl Writer<'_> {
    fn duration(&self) -> u64 {
        self.activity.cycles * self.period
    }

    fn file(&self) -> String {
        let mut text = format!(
            "(SAIFILE
(SAIFVERSION \"2.0\")
(DIRECTION \"backward\")
(DESIGN \"{top}\")
(PROGRAM_NAME \"faultline\")
(VERSION \"{version}\")
(DIVIDER / )
(TIMESCALE 1 ps)
(DURATION {duration})
(INSTANCE {name}
  (NET
",
            top = self.circuit.top,
            version = env!("CARGO_PKG_VERSION"),
            duration = self.duration(),
            name = escaped(&self.circuit.top),
        );
        for (id, net) in (0..).zip(&self.circuit.nets).skip(HIGH as usize + 1) {
            if net.driver != Driver::None {
                let name = match id == self.circuit.clock {
                    true => CLOCK,
                    false => &net.name,
                };
                self.line(&mut text, "    ", name, id);
            }
        }
        text.push_str("  )\n");
        for gate in &self.circuit.gates {
            let cell = self.circuit.cell(gate);
            let inputs = cell.inputs.iter().zip(&gate.inputs);
            let inputs = inputs.map(|(input, net)| (input.name.clone(), *net));
            let outputs = cell.outputs.iter().zip(&gate.outputs);
            let outputs = outputs.filter_map(|(output, net)| Some((output.name.clone(), (*net)?)));
            self.instance(&mut text, &gate.name, inputs.chain(outputs));
        }
        for of in &self.circuit.macros {
            let single = [
                (CLOCK, self.circuit.clock),
                ("enable", of.enable),
                ("write", of.write),
            ];
            let single = single.map(|(pin, net)| (pin.to_owned(), net));
            let buses = [
                ("address", &of.address),
                ("data", &of.data),
                ("mask", &of.mask),
                ("q", &of.q),
            ];
            let bits = buses.into_iter().flat_map(|(pin, nets)| {
                let bits = nets.iter().enumerate();
                bits.map(move |(bit, net)| (format!("{pin}[{bit}]"), *net))
            });
            self.instance(&mut text, &of.name, single.into_iter().chain(bits));
        }
        text.push_str(")\n)\n");
        text
    }

    fn instance(&self, text: &mut String, name: &str, pins: impl Iterator<Item = (String, NetId)>) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  (INSTANCE {}\n    (NET", escaped(name));
        for (pin, net) in pins {
            self.line(text, "      ", &pin, net);
        }
        text.push_str("    )\n  )\n");
    }

    fn line(&self, text: &mut String, indent: &str, name: &str, net: NetId) {
        let activity = &self.activity.nets[net as usize];
        let duration = self.duration();
        let high = match net == self.circuit.clock {
            true => duration / 2,
            false => activity.ones * self.period,
        };
        let name = escaped(name);
        let _ = writeln!(
            text,
            "{indent}({name} (T0 {}) (T1 {high}) (TX 0) (TC {}) (IG 0))",
            duration - high,
            activity.toggles(),
        );
    }
}

/// A name with a backslash before each character but letters, digits, `_`, `$` and the dot.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() && !"_$.".contains(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}
