//! Sums of an estimate, and its files.

use super::calculate::{Calculator, Estimate, Kind, Power};
use super::circuit::{Circuit, Driver};
use super::simulator::Activity;
use serde::Serialize;
use std::collections::BTreeMap;

impl Estimate {
    /// All of it.
    pub fn total(&self) -> Power {
        Kind::ALL.iter().map(|kind| self.of_kind(*kind)).sum()
    }

    /// The part of a kind.
    pub fn of_kind(&self, kind: Kind) -> Power {
        let instances = self.instances.iter();
        match kind {
            Kind::Clock => instances.map(|instance| instance.clock).sum(),
            _ => instances
                .filter(|instance| instance.kind == kind)
                .map(|instance| instance.own)
                .sum(),
        }
    }

    /// The part of each module with its number of instances, the largest first.
    pub fn by_module(&self) -> Vec<(String, usize, Power)> {
        let mut modules: BTreeMap<&str, (usize, Power)> = BTreeMap::new();
        for instance in &self.instances {
            let (count, power) = modules.entry(&instance.module).or_default();
            *count += 1;
            *power += instance.own + instance.clock;
        }
        let mut modules: Vec<_> = modules
            .into_iter()
            .map(|(module, (count, power))| (module.to_owned(), count, power))
            .collect();
        modules.sort_by(|one, other| other.2.total_mw().total_cmp(&one.2.total_mw()));
        modules
    }

    /// Accesses of a memory in a cycle, of all memories together: reads and writes.
    pub fn accesses_per_cycle(&self) -> [f64; 2] {
        [self.reads, self.writes].map(|count| count as f64 / self.cycles.max(1) as f64)
    }
}

/// A row of the CSV file: an instance, or a net.
#[derive(Serialize)]
struct Row<'a> {
    what: &'static str,
    name: &'a str,
    module: &'a str,
    cell: &'a str,
    kind: &'static str,
    leakage_mw: Option<f64>,
    internal_mw: Option<f64>,
    switching_mw: Option<f64>,
    clock_mw: Option<f64>,
    toggles: Option<u64>,
    cycles_high: Option<u64>,
    load_ff: Option<f64>,
}

/// Every instance and every net as CSV.
///
/// # Errors
/// If a row cannot be written; none is known why.
pub fn csv(
    calculator: &Calculator<'_>,
    circuit: &Circuit,
    activity: &Activity,
    estimate: &Estimate,
) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for instance in &estimate.instances {
        writer.serialize(Row {
            what: "instance",
            name: &instance.name,
            module: &instance.module,
            cell: &instance.cell,
            kind: instance.kind.name(),
            leakage_mw: Some(instance.own.leakage_mw),
            internal_mw: Some(instance.own.internal_mw),
            switching_mw: Some(instance.own.switching_mw),
            clock_mw: Some(instance.clock.total_mw()),
            toggles: None,
            cycles_high: None,
            load_ff: None,
        })?;
    }
    let nets = circuit.nets.iter().zip(&activity.nets);
    for (index, ((net, activity), load)) in nets.zip(&calculator.electric().load).enumerate() {
        if net.driver == Driver::None {
            continue;
        }
        writer.serialize(Row {
            what: "net",
            name: &net.name,
            module: "",
            cell: "",
            kind: match net.driver {
                Driver::Port => "input",
                Driver::Macro(_) => Kind::Memory.name(),
                _ => "cell",
            },
            leakage_mw: None,
            internal_mw: None,
            switching_mw: None,
            clock_mw: None,
            toggles: Some(activity.toggles()),
            // The clock is high in half of each.
            cycles_high: (index != circuit.clock as usize).then_some(activity.ones),
            load_ff: Some(load * 1e15),
        })?;
    }
    let bytes = writer
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
