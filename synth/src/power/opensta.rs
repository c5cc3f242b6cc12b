//! OpenSTA's power of the same netlist and activity, where a version is installed that calculates it rightly.

use super::calculate::{Estimate, InstancePower, Kind, Power};
use crate::error::Error;
use crate::library::Library;
use crate::sram::Macro;
use crate::sta;
use crate::tool::OPENSTA;
use crate::yosys::{Memory, Netlist};
use serde::Serialize;

/// The first version whose power is right: 2.0.17 counts energies twice, and reads no SAIF.
const FIRST: u32 = 3;

/// OpenSTA's groups.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Groups {
    /// Flip-flops with their clock pins.
    pub sequential: Power,
    /// Gates.
    pub combinational: Power,
    /// Clock buffers.
    pub clock: Power,
    /// Memories: their leakage, the energies of their accesses, and the nets that they drive.
    pub memory: Power,
    /// All of it.
    pub total: Power,
}

impl Groups {
    /// The parts of an estimate as OpenSTA groups them: clock pins are the flip-flops', and the power of the clock's net
    /// is in no group, because no cell drives it.
    pub fn of(estimate: &Estimate) -> Self {
        let without_net = |instance: &InstancePower| {
            let clock = Power {
                switching_mw: 0.0,
                ..instance.clock
            };
            instance.own + clock
        };
        let of_kind = |kind: Kind| -> Power {
            let instances = estimate.instances.iter();
            let instances = instances.filter(|instance| instance.kind == kind);
            instances.map(without_net).sum()
        };
        let [sequential, combinational, memory] =
            [Kind::Sequential, Kind::Combinational, Kind::Memory].map(of_kind);
        Self {
            sequential,
            combinational,
            clock: Power::default(),
            memory,
            total: sequential + combinational + memory,
        }
    }
}

/// Whether an OpenSTA is there that can be asked.
///
/// # Errors
/// If there is none, or an older one.
pub fn check() -> Result<(), Error> {
    OPENSTA.check()?;
    let version = OPENSTA.version().unwrap_or_default();
    let first = version
        .split('.')
        .next()
        .and_then(|number| number.parse().ok());
    match first.is_some_and(|number: u32| number >= FIRST) {
        true => Ok(()),
        false => Err(Error::OldOpensta { version }),
    }
}

/// OpenSTA's power of a netlist under the activity of a SAIF file.
///
/// # Errors
/// If OpenSTA fails, or its answer does not parse.
pub fn power(
    netlist: &Netlist,
    library: &Library,
    memories: &[(Memory, Macro)],
    saif: &str,
    clock_mhz: f64,
) -> Result<Groups, Error> {
    let script = script(netlist, library, memories, clock_mhz);
    let (script, activity) = (("power.tcl", &*script), ("activity.saif", saif));
    let (text, complaints) = sta::run(netlist, library, memories, script, &[activity])?;
    parse(&text, &complaints).map_err(|reason| OPENSTA.failure(&netlist.top, &reason))
}

fn script(
    netlist: &Netlist,
    library: &Library,
    memories: &[(Memory, Macro)],
    clock_mhz: f64,
) -> String {
    format!(
        "{}read_saif -scope {} activity.saif\nreport_power -digits 6\n",
        sta::surroundings(netlist, library, memories, 1e3 / clock_mhz),
        netlist.top
    )
}

/// Reads the rows of `report_power`: internal, switching, leakage and total, W.
fn parse(text: &str, complaints: &str) -> Result<Groups, String> {
    if let Some(error) = complaints.lines().find(|line| line.starts_with("Error:")) {
        return Err(error.to_owned());
    }
    let row = |name: &str| {
        text.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            (words.next() == Some(name)).then_some(())?;
            let watts: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
            let [internal, switching, leakage, _] = watts[..] else {
                return None;
            };
            Some(Power {
                leakage_mw: leakage * 1e3,
                internal_mw: internal * 1e3,
                switching_mw: switching * 1e3,
            })
        })
    };
    let there = |name: &str| row(name).ok_or_else(|| format!("its report has no row {name}"));
    Ok(Groups {
        sequential: there("Sequential")?,
        combinational: there("Combinational")?,
        clock: row("Clock").unwrap_or_default(),
        memory: there("Macro")?,
        total: there("Total")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_a_report_are_read() {
        let text = "Group                  Internal  Switching    Leakage      Total
                          Power      Power      Power      Power (Watts)
----------------------------------------------------------------
Sequential             3.29e-06   3.41e-08   2.37e-07   3.56e-06  92.4%
Combinational          1.86e-07   3.31e-08   7.51e-08   2.94e-07   7.6%
Macro                  0.00e+00   0.00e+00   0.00e+00   0.00e+00   0.0%
Pad                    0.00e+00   0.00e+00   0.00e+00   0.00e+00   0.0%
---------------------------------------------------------------
Total                  3.48e-06   6.72e-08   3.12e-07   3.86e-06 100.0%
                          90.2%       1.7%       8.1%
";
        let groups = parse(text, text).unwrap();
        assert_eq!(groups.sequential.internal_mw, 3.29e-06 * 1e3);
        assert_eq!(groups.total.leakage_mw, 3.12e-07 * 1e3);
        assert_eq!(groups.clock, Power::default());
        let wrong = parse("Total", "Error: power.tcl, 3 x\n").unwrap_err();
        assert_eq!(wrong, "Error: power.tcl, 3 x");
        assert_eq!(
            parse("", "").unwrap_err(),
            "its report has no row Sequential"
        );
    }
}
