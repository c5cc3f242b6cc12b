//! A tree of buffers for the clock of a mapped netlist: qflow makes none, and qrouter cannot route the clock of a large
//! design again, as one net, once it has had to give way.

/// How many pins a buffer drives; the port drives no more itself.
pub const FANOUT: usize = 16;

/// Puts buffers between the port `clock` and the pins on it; also gives their number. The netlist is BLIF with gates. Pins
/// that follow each other in it share a buffer, and each pin is behind as many buffers as any other.
pub fn tree(blif: &str) -> (String, usize) {
    let mut lines: Vec<String> = blif.lines().map(str::to_owned).collect();
    let mut gates = Vec::new();
    for level in 1.. {
        let pins = lines.iter().chain(&gates).filter(|line| on_clock(line));
        let groups = pins.count().div_ceil(FANOUT);
        if groups <= 1 {
            break;
        }
        // Groups of one size, or nearly so, are those with like delays.
        let pins = lines
            .iter_mut()
            .chain(&mut gates)
            .filter(|line| on_clock(line));
        let pins: Vec<&mut String> = pins.collect();
        let count = pins.len();
        for (place, pin) in pins.into_iter().enumerate() {
            let net = format!("clock_{level}_{}", place * groups / count);
            *pin = pin
                .split(' ')
                .map(|word| match word.strip_suffix("=clock") {
                    Some(name) => format!("{name}={net}"),
                    None => word.to_owned(),
                })
                .collect::<Vec<_>>()
                .join(" ");
        }
        gates.extend(
            (0..groups).map(|group| format!(".gate CLKBUF1 A=clock Y=clock_{level}_{group}")),
        );
    }
    let buffers = gates.len();
    let end = lines.iter().rposition(|line| line.trim() == ".end");
    lines.splice(
        end.unwrap_or(lines.len())..end.unwrap_or(lines.len()),
        gates,
    );
    (lines.join("\n") + "\n", buffers)
}

/// Whether a gate has a pin on the clock's port.
fn on_clock(line: &str) -> bool {
    line.starts_with(".gate ") && line.split(' ').any(|word| word.ends_with("=clock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shift register of so many flip-flops, as Yosys writes one.
    fn blif(registers: usize) -> String {
        let gates: String = (0..registers)
            .map(|bit| format!(".gate DFFPOSX1 CLK=clock D=q_{bit}_ Q=q_{}_\n", bit + 1))
            .collect();
        format!(".model shift\n.inputs clock q_0_\n.outputs q_{registers}_\n{gates}.end\n")
    }

    #[test]
    fn few_pins_stay_on_the_port() {
        assert_eq!(tree(&blif(FANOUT)), (blif(FANOUT), 0));
    }

    #[test]
    fn no_net_of_the_clock_drives_more_than_the_fanout() {
        for registers in [17, 256, 257, 610] {
            let (text, buffers) = tree(&blif(registers));
            let mut pins = std::collections::BTreeMap::new();
            for word in text
                .lines()
                .filter(|line| line.starts_with(".gate"))
                .flat_map(str::split_whitespace)
            {
                let driven = word
                    .split_once('=')
                    .filter(|(pin, net)| *pin != "Y" && net.starts_with("clock"));
                if let Some((_, net)) = driven {
                    *pins.entry(net).or_insert(0) += 1;
                }
            }
            assert!(pins.values().all(|&count| count <= FANOUT), "{pins:?}");
            assert_eq!(pins.len(), buffers + 1);
            assert!(text.ends_with(".end\n") && text.contains(".inputs clock q_0_\n"));
        }
        // 610 flip-flops behind 39 buffers, and these behind 3.
        assert_eq!(tree(&blif(610)).1, 42);
    }
}
