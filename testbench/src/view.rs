//! Views of a waveform: what GTKWave and Surfer show of it, and in which order.
//!
//! The ports of a stream stand together under its noun: `fault_valid`, `fault_ready` and then the others that begin with
//! `fault`, inputs and outputs alike. GTKWave takes a save file, `gtkwave WAVE.gtkw`; Surfer takes commands,
//! `surfer --command-file WAVE.sucl WAVE.fst`.

use std::path::Path;

use faultline_sim::ports::Port;

use crate::backend::Kind;
use crate::layout::Layout;

/// The scope of the inputs, inside of the design.
pub const INPUTS: &str = "inputs";
/// The clock, as the waveform calls it.
pub const CLOCK: &str = "clock";
/// High in cycles in which two back ends differ.
pub const DIFFERS: &str = "differs";

/// Nanoseconds of a cycle; its rising edge is in the middle.
pub const CYCLE: u64 = 2;

/// The scope of a back end's outputs, inside of the design.
#[must_use]
pub fn scope(kind: Kind) -> String {
    kind.name().replace('-', "_")
}

/// A signal by its place below the design, such as `inputs.reset`.
struct Signal {
    path: String,
    bits: usize,
}

/// Signals that are shown together.
struct Group {
    name: String,
    signals: Vec<Signal>,
}

/// What is shown of a waveform.
pub struct View {
    design: String,
    groups: Vec<Group>,
    /// The first cycle of the waveform.
    start: u64,
    /// The cycle that is marked.
    mark: Option<u64>,
}

impl View {
    /// All ports, with the outputs of the first back end; before them a port that differs, of every back end.
    #[must_use]
    pub fn new(
        design: &str,
        layout: &Layout,
        kinds: &[Kind],
        start: u64,
        mismatch: Option<(u64, &str)>,
    ) -> Self {
        let outputs = kinds.first().map(|kind| scope(*kind)).unwrap_or_default();
        let placed = [(INPUTS, &layout.inputs), (&outputs, &layout.outputs)];
        let ports: Vec<(&str, &Port)> = placed
            .into_iter()
            .flat_map(|(scope, ports)| ports.iter().map(move |port| (scope, port)))
            .collect();
        let mut groups = vec![Group {
            name: "cycle".to_owned(),
            signals: vec![single(CLOCK), single(DIFFERS)],
        }];
        let differing = mismatch
            .and_then(|(_, name)| layout.outputs.iter().find(|port| port.name == name))
            .into_iter();
        groups.extend(differing.map(|port| {
            Group {
                name: "mismatch".to_owned(),
                signals: kinds
                    .iter()
                    .map(|kind| signal(&scope(*kind), port))
                    .collect(),
            }
        }));
        groups.extend(streams(&ports));
        Self {
            design: design.to_owned(),
            groups,
            start,
            mark: mismatch.map(|(cycle, _)| cycle),
        }
    }

    /// A save file of GTKWave for a waveform, which lies in the same folder.
    #[must_use]
    pub fn gtkwave(&self, wave: &Path) -> String {
        // What gtkwave(1) writes itself: numbers before a signal are its flags, hexadecimal.
        const BIT: &str = "@28";
        const BUS: &str = "@22";
        const GROUP_BEGINS: &str = "@800200";
        const GROUP_ENDS: &str = "@1000200";
        let file = wave.file_name().unwrap_or_default().to_string_lossy();
        let mut text = format!(
            "[dumpfile] \"{file}\"\n[timestart] {}\n",
            CYCLE * self.start
        );
        if let Some(cycle) = self.mark {
            // The power of two by which it is zoomed, the primary marker, then those with a name, of which there is none.
            text += &format!("*-1.000000 {}{}\n", CYCLE * cycle, " -1".repeat(26));
        }
        text += &format!("[treeopen] {}.\n", self.design);
        for group in &self.groups {
            text += &format!("{GROUP_BEGINS}\n-{}\n", group.name);
            for Signal { path, bits } in &group.signals {
                text += &match bits {
                    1 => format!("{BIT}\n{}.{path}\n", self.design),
                    _ => format!("{BUS}\n{}.{path}[{}:0]\n", self.design, bits - 1),
                };
            }
            text += &format!("{GROUP_ENDS}\n-{}\n", group.name);
        }
        text
    }

    /// Commands of Surfer, which shows buses as hexadecimal numbers by itself.
    #[must_use]
    pub fn surfer(&self, wave: &Path) -> String {
        let wave = wave.file_name().unwrap_or_default().to_string_lossy();
        let commands = Path::new(&*wave).with_extension("sucl");
        let mut text = format!(
            "# surfer --command-file {} {wave}\n",
            commands.to_string_lossy()
        );
        for group in &self.groups {
            text += &format!("divider_add {}\n", group.name);
            for Signal { path, .. } in &group.signals {
                text += &format!("variable_add {}.{path}\n", self.design);
            }
        }
        text += "zoom_fit\n";
        if let Some(cycle) = self.mark {
            let time = CYCLE * cycle;
            text += &format!("marker_set mismatch {time}\ncursor_set {time}\n");
        }
        text
    }
}

fn single(name: &str) -> Signal {
    Signal {
        path: name.to_owned(),
        bits: 1,
    }
}

fn signal(scope: &str, port: &Port) -> Signal {
    Signal {
        path: format!("{scope}.{}", port.name),
        bits: port.bits,
    }
}

/// The first word of a port's name.
fn noun(port: &str) -> &str {
    port.split('_').next().unwrap_or(port)
}

/// What a port is called besides its noun: handshakes stand first.
fn rank(port: &str) -> u8 {
    match port.split_once('_') {
        Some((_, "valid")) => 0,
        Some((_, "ready")) => 1,
        _ => 2,
    }
}

/// Ports with their scopes by the noun that they share, in the order of their first ones. The ports that share theirs with
/// no other one come last.
fn streams(ports: &[(&str, &Port)]) -> Vec<Group> {
    let mut nouns: Vec<(&str, Vec<(&str, &Port)>)> = Vec::new();
    for &(scope, port) in ports {
        let of = noun(port.name);
        match nouns.iter_mut().find(|(noun, _)| *noun == of) {
            Some((_, members)) => members.push((scope, port)),
            None => nouns.push((of, vec![(scope, port)])),
        }
    }
    let (streams, alone): (Vec<_>, Vec<_>) =
        nouns.into_iter().partition(|(_, ports)| ports.len() > 1);
    let others: Vec<_> = alone.into_iter().flat_map(|(_, ports)| ports).collect();
    let others = (!others.is_empty()).then_some(("others", others));
    let group = |(name, mut ports): (&str, Vec<(&str, &Port)>)| {
        ports.sort_by_key(|(_, port)| rank(port.name));
        Group {
            name: name.to_owned(),
            signals: ports
                .into_iter()
                .map(|(scope, port)| signal(scope, port))
                .collect(),
        }
    };
    streams.into_iter().chain(others).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports(ports: &[(&'static str, usize)]) -> Vec<Port> {
        ports
            .iter()
            .map(|&(name, bits)| Port { name, bits })
            .collect()
    }

    fn view() -> View {
        let layout = Layout {
            inputs: ports(&[("reset", 1), ("fault_data", 36), ("fault_valid", 1)]),
            outputs: ports(&[("fault_ready", 1), ("occupancy", 5)]),
        };
        let kinds = [Kind::Reference, Kind::RustHdl];
        View::new("queue_4", &layout, &kinds, 3, Some((7, "occupancy")))
    }

    #[test]
    fn gtkwave_shows_streams_by_noun() {
        let text = "[dumpfile] \"wave.fst\"\n[timestart] 6\n*-1.000000 14".to_owned()
            + &" -1".repeat(26)
            + "\n[treeopen] queue_4.\n\
               @800200\n-cycle\n@28\nqueue_4.clock\n@28\nqueue_4.differs\n@1000200\n-cycle\n\
               @800200\n-mismatch\n@22\nqueue_4.reference.occupancy[4:0]\n\
               @22\nqueue_4.rust_hdl.occupancy[4:0]\n@1000200\n-mismatch\n\
               @800200\n-fault\n@28\nqueue_4.inputs.fault_valid\n@28\nqueue_4.reference.fault_ready\n\
               @22\nqueue_4.inputs.fault_data[35:0]\n@1000200\n-fault\n\
               @800200\n-others\n@28\nqueue_4.inputs.reset\n\
               @22\nqueue_4.reference.occupancy[4:0]\n@1000200\n-others\n";
        assert_eq!(view().gtkwave(Path::new("folder/wave.fst")), text);
    }

    #[test]
    fn surfer_receives_the_same() {
        let text = view().surfer(Path::new("folder/wave.fst"));
        let expected = "# surfer --command-file wave.sucl wave.fst\n\
             divider_add cycle\nvariable_add queue_4.clock\nvariable_add queue_4.differs\n\
             divider_add mismatch\nvariable_add queue_4.reference.occupancy\n\
             variable_add queue_4.rust_hdl.occupancy\n\
             divider_add fault\nvariable_add queue_4.inputs.fault_valid\n\
             variable_add queue_4.reference.fault_ready\nvariable_add queue_4.inputs.fault_data\n\
             divider_add others\nvariable_add queue_4.inputs.reset\n\
             variable_add queue_4.reference.occupancy\n\
             zoom_fit\nmarker_set mismatch 14\ncursor_set 14\n";
        assert_eq!(text, expected);
    }
}
