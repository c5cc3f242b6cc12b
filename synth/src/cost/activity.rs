//! What a design takes when it does something: its memories, and the logic around them.

use super::{Flow, Subject, overhead, paper_fit_power};
use crate::error::Error;
use crate::power::{Activity, Calculator, Cells, Circuit, Estimate, Kind};
use crate::sram::{Macro, Setting, Sram};
use crate::yosys::Netlist;
use serde::Serialize;

/// The clock of the paper's streaming multiprocessor, at which its power counts, MHz.
pub const CLOCK_MHZ: f64 = 1000.0;

/// What an SM that runs kernels tells a block.
pub const TRACES: &str = "traces";
/// The paper's worst case.
pub const WRITES: &str = "a write in each cycle";
/// What the tests drive a block with.
pub const RANDOM: &str = "random traffic";

/// Runs a netlist, and says what it was driven with and what it did; the error is a sentence.
pub type Drive<'a> =
    dyn Fn(&Subject, &Circuit) -> Result<Vec<(&'static str, Activity)>, String> + Sync + 'a;

/// What a design takes under an activity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnderActivity {
    /// What it was driven with.
    pub activity: &'static str,
    /// Cycles that were counted.
    pub cycles: u64,
    /// Clock, MHz.
    pub clock_mhz: f64,
    /// How much it takes.
    #[serde(flatten)]
    pub power: SplitPower,
}

/// The power of memories and logic, and their share of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SplitPower {
    /// Words that a memory reads in a cycle, the mean over all memories: entries, where an entry lies in all of them.
    pub reads_per_cycle: f64,
    /// Words that it writes.
    pub writes_per_cycle: f64,
    /// The memories' leakage and accesses, mW.
    pub sram_mw: f64,
    /// Everything else, mW.
    pub logic_mw: f64,
    /// Share of a streaming multiprocessor's power.
    pub sm_power_percent: f64,
    /// Share of the GPU's power.
    pub gpu_power_percent: f64,
}

impl SplitPower {
    /// The parts of an estimate that was made with single-ported memories. With the setting of the paper fit those of a log
    /// give way to its macros with as many accesses.
    ///
    /// # Errors
    /// If there are no figures for the macros of the paper fit.
    pub fn new(
        subject: &Subject,
        estimate: &Estimate,
        setting: Setting,
        sram: &Sram,
        node_nm: u32,
    ) -> Result<Self, Error> {
        let memories = subject.design.memories.iter();
        let macros: usize = memories.map(|memory| memory.instances).sum();
        let accesses = estimate.accesses_per_cycle();
        let [reads, writes] = accesses.map(|count| count / macros.max(1) as f64);
        let memory = estimate.of_kind(Kind::Memory);
        let own = memory.leakage_mw + memory.internal_mw;
        let logic_mw = estimate.total().total_mw() - own;
        let sram_mw = match (setting, subject.log_bytes) {
            (Setting::PaperFit, Some(bytes)) => {
                let clock_ghz = estimate.clock_mhz / 1e3;
                paper_fit_power(bytes, sram, node_nm, [reads, writes], clock_ghz)?
            }
            _ => own,
        };
        let share = overhead(0.0, sram_mw + logic_mw);
        Ok(Self {
            reads_per_cycle: reads,
            writes_per_cycle: writes,
            sram_mw,
            logic_mw,
            sm_power_percent: share.sm_power_percent,
            gpu_power_percent: share.gpu_power_percent,
        })
    }
}

/// For each set of figures of the memories, an estimate of a netlist for each of its activities.
///
/// # Errors
/// If the netlist cannot be simulated, or shows something else than it should.
pub fn estimates(
    subject: &Subject,
    netlist: &Netlist,
    flow: &Flow,
    figures: &[Vec<Macro>],
    drive: &Drive<'_>,
) -> Result<Vec<Vec<(&'static str, Estimate)>>, Error> {
    let cells = Cells::read(flow.library)?;
    let circuit = Circuit::read(netlist, &cells, &subject.design.memories)?;
    let calculator = Calculator::new(&circuit, &cells, flow.library)?;
    let activities = drive(subject, &circuit).map_err(|reason| Error::Power {
        design: netlist.top.clone(),
        reason,
    })?;
    let of_figures = |figures: &Vec<Macro>| {
        let estimate =
            |(name, activity): &(_, _)| (*name, calculator.estimate(activity, CLOCK_MHZ, figures));
        activities.iter().map(estimate).collect()
    };
    Ok(figures.iter().map(of_figures).collect())
}
