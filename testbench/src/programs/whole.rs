//! A whole GPU in lockstep: each SM unit and the GMMU, on the traffic of its programs.

use std::time::Duration;

use faultline_sim::machines::gpu::{self, Gpu, Outcome};
use faultline_sim::mmu::gmmu::{self, Gmmu};
use faultline_sim::ports::Model;
use faultline_sim::sm::sm_unit::{self, SmUnit};

use super::recorded::Recorded;
use super::{CHUNK, ProgramError};
use crate::backend::Kind;
use crate::blocks::{self, Block};
use crate::lockstep::Speed;

/// An SM unit in several back ends.
struct OfSm {
    unit: Recorded<SmUnit>,
    /// The last cycle that is recorded.
    last: Option<u64>,
}

/// What a back end did of all instances of a design.
#[derive(Clone, Debug)]
pub struct Side {
    /// The design, such as `sm_unit_log_64`.
    pub design: String,
    /// Its instances.
    pub instances: usize,
    /// The back end.
    pub kind: Kind,
    /// Cycles of all of them.
    pub cycles: u64,
    /// The time that they took.
    pub time: Duration,
}

impl Side {
    /// Cycles a second of one of them.
    #[must_use]
    pub fn cycles_per_second(&self) -> f64 {
        self.cycles as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// Adds what the back ends of an instance did.
fn add(sides: &mut Vec<Side>, design: &str, speeds: impl Iterator<Item = Speed>) {
    for Speed { kind, cycles, time } in speeds {
        let mut known = sides.iter_mut();
        match known.find(|side| side.design == design && side.kind == kind) {
            Some(side) => {
                side.instances += 1;
                side.cycles += cycles;
                side.time += time;
            }
            None => sides.push(Side {
                design: design.to_owned(),
                instances: 1,
                kind,
                cycles,
                time,
            }),
        }
    }
}

/// The SM units and the GMMU of a GPU in several back ends.
pub struct Whole {
    sms: Vec<OfSm>,
    gmmu: Recorded<Gmmu>,
    has_started: bool,
    /// Why no more is compared.
    failed: Option<ProgramError>,
}

/// Says of a mismatch where it is: its cycles are counted from the reset on.
fn named(ran: Result<(), ProgramError>, place: &str) -> Result<(), ProgramError> {
    ran.map_err(|error| match error {
        ProgramError::Mismatch(mut mismatch) => {
            mismatch.source = format!("the inputs of {place} since its reset");
            ProgramError::Mismatch(mismatch)
        }
        other => other,
    })
}

/// The configuration of a block that has these sizes.
fn config<M: Block>(
    parameters: &M::Parameters,
    advice: &'static str,
) -> Result<&'static str, ProgramError>
where
    M::Parameters: PartialEq,
{
    let mut configs = blocks::configurations(M::NAME);
    let found = configs.find(|config| M::parameters(config).as_ref() == Some(parameters));
    found.ok_or(ProgramError::Sizes {
        block: M::NAME,
        advice,
    })
}

impl Whole {
    /// The designs of a GPU of these sizes, after a reset.
    ///
    /// # Errors
    /// If there is no Verilog of these sizes, or a back end cannot be had.
    pub fn new(parameters: &gpu::Parameters, kinds: &[Kind]) -> Result<Self, ProgramError> {
        let of_gmmu = config::<Gmmu>(
            &parameters.gmmu,
            "give 16 SMs or fewer with per_sm = false, walks = 64, l2_entries = 1024, cache_bytes = 8192 and far_faults = 4",
        )?;
        let of_sm = config::<SmUnit>(
            &parameters.sm.pipeline,
            "give --scheme operand-log with 64 warps, a queue of 64 entries and a log of 16 KB, or with 4 warps, 16 entries and 8 KB, which \
             replay-queue and stall-on-fault may have, too",
        )?;
        let mut gmmu = Recorded::new(of_gmmu, parameters.gmmu, kinds)?;
        gmmu.push(&gmmu::Inputs {
            reset: true,
            ..<Gmmu as Model>::Inputs::default()
        });
        let sm = || -> Result<OfSm, ProgramError> {
            let mut unit = Recorded::new(of_sm, parameters.sm.pipeline, kinds)?;
            unit.push(&sm_unit::Inputs {
                reset: true,
                ..<SmUnit as Model>::Inputs::default()
            });
            Ok(OfSm { unit, last: None })
        };
        Ok(Self {
            sms: (0..parameters.sms)
                .map(|_| sm())
                .collect::<Result<_, _>>()?,
            gmmu,
            has_started: false,
            failed: None,
        })
    }

    /// Runs a GPU of these sizes to its end. `observe` sees it in each cycle.
    ///
    /// # Errors
    /// If two back ends differ, or the GPU does not come to its end.
    pub fn run(
        &mut self,
        gpu: Gpu<'_>,
        mut observe: impl FnMut(&Gpu<'_>),
    ) -> Result<Outcome, ProgramError> {
        let outcome = gpu.in_step().run(|gpu| {
            observe(gpu);
            self.record(gpu);
        });
        self.compare(1);
        match self.failed.take() {
            Some(error) => Err(error),
            None => Ok(outcome?),
        }
    }

    /// Records what goes into the blocks in a cycle, and compares what they make of it when that is enough.
    fn record(&mut self, gpu: &Gpu<'_>) {
        if self.failed.is_some() {
            return;
        }
        if let Some((started, inputs)) = gpu.gmmu_inputs() {
            if !self.has_started {
                started.iter().for_each(|inputs| self.gmmu.push(inputs));
                self.has_started = true;
            }
            self.gmmu.push(inputs);
        }
        for (sm, inputs) in self.sms.iter_mut().zip(gpu.unit_inputs()) {
            if let Some((cycle, inputs)) = inputs.filter(|inputs| sm.last != Some(inputs.0)) {
                sm.unit.push(inputs);
                sm.last = Some(cycle);
            }
        }
        self.compare(CHUNK);
    }

    /// Runs what has recorded so many cycles or more.
    fn compare(&mut self, least: usize) {
        let sms = self.sms.iter_mut().enumerate();
        let sms = sms.filter(|(_, sm)| sm.unit.cycles() >= least);
        let run = |(number, sm): (usize, &mut OfSm)| named(sm.unit.run(), &format!("SM {number}"));
        let mut compared: Vec<_> = sms.map(run).collect();
        if self.gmmu.cycles() >= least {
            compared.push(named(self.gmmu.run(), "the GMMU"));
        }
        let mut failed = compared.into_iter().filter_map(Result::err);
        self.failed = self.failed.take().or_else(|| failed.next());
    }

    /// What each back end did, of the SM units and of the GMMU.
    pub fn sides(&self) -> impl Iterator<Item = Side> {
        let mut sides: Vec<Side> = Vec::new();
        for sm in &self.sms {
            add(&mut sides, sm.unit.design(), sm.unit.speeds());
        }
        add(&mut sides, self.gmmu.design(), self.gmmu.speeds());
        sides.into_iter()
    }
}
