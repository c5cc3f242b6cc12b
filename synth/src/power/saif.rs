//! Activity as SAIF 2.0, backward: what simulators hand to tools that calculate power.

use super::circuit::{CLOCK, Circuit, Driver, HIGH, NetId};
use super::simulator::Activity;
use std::fmt::Write;

/// The activity of a netlist. In the scope of the top module every net is told of, in the scope of each instance its
/// outputs. Times are in ps.
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
                self.line(&mut text, "    ", &net.name, id);
            }
        }
        text.push_str("  )\n");
        for gate in &self.circuit.gates {
            let outputs = self.circuit.cell(gate).outputs.iter().zip(&gate.outputs);
            let outputs = outputs.filter_map(|(output, net)| Some((output.name.clone(), (*net)?)));
            self.instance(&mut text, &gate.name, outputs);
        }
        for of in &self.circuit.macros {
            let q = of.q.iter().enumerate();
            let q = q.map(|(bit, net)| (format!("q[{bit}]"), *net));
            self.instance(&mut text, &of.name, q);
        }
        text.push_str(")\n)\n");
        text
    }

    fn instance(
        &self,
        text: &mut String,
        name: &str,
        outputs: impl Iterator<Item = (String, NetId)>,
    ) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  (INSTANCE {}\n    (NET", escaped(name));
        for (pin, net) in outputs {
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
        let name = match net == self.circuit.clock {
            true => CLOCK.to_owned(),
            false => escaped(name),
        };
        let _ = writeln!(
            text,
            "{indent}({name} (T0 {}) (T1 {high}) (TX 0) (TC {}) (IG 0))",
            duration - high,
            activity.toggles(),
        );
    }
}

/// A name with a backslash before each character that is neither a letter nor a digit.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() && letter != '_' {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}
