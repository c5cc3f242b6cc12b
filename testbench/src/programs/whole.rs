//! A whole GPU in lockstep: each SM unit and the GMMU, on the traffic of its programs.

use std::path::{Path, PathBuf};
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
    /// Where waveforms of mismatches go.
    waves: Option<PathBuf>,
}

/// Runs what is recorded of a block. Of a mismatch it says where it is, with its cycles counted from the reset on, and writes a waveform
/// named after the design to a folder.
fn compare<M: Block>(
    block: &mut Recorded<M>,
    place: &str,
    waves: Option<&Path>,
) -> Result<(), ProgramError> {
    block.run().map_err(|error| {
        let ProgramError::Mismatch(mut mismatch) = error else {
            return error;
        };
        mismatch.source = format!("the inputs of {place} since its reset");
        if let Some(folder) = waves {
            let path = folder.join(format!("{}.fst", mismatch.design));
            match block.write_wave(&path, &mismatch) {
                Ok(()) => mismatch.wave = Some(path),
                Err(error) => mismatch.source += &format!(" ({error})"),
            }
        }
        ProgramError::Mismatch(mismatch)
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
            waves: None,
        })
    }

    /// Writes the cycles around a mismatch to a file of this folder, named after the design.
    pub fn wave_on_mismatch(&mut self, folder: &Path) {
        self.waves = Some(folder.to_owned());
    }

    /// Runs a GPU of these sizes to its end, or to the first mismatch, up to 256 cycles later. `observe` sees it in each cycle.
    ///
    /// # Errors
    /// If two back ends differ, or the GPU does not come to its end.
    pub fn run(
        &mut self,
        gpu: Gpu<'_>,
        mut observe: impl FnMut(&Gpu<'_>),
    ) -> Result<Outcome, ProgramError> {
        let outcome = gpu.in_step().try_run(|gpu| {
            observe(gpu);
            self.record(gpu)
        });
        if matches!(outcome, Ok(_) | Err(ProgramError::Gpu(_))) {
            self.compare(1)?;
        }
        outcome
    }

    /// Records what goes into the blocks in a cycle, and compares what they make of it when that is enough.
    fn record(&mut self, gpu: &Gpu<'_>) -> Result<(), ProgramError> {
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
        self.compare(CHUNK)
    }

    /// Runs what has recorded so many cycles or more.
    fn compare(&mut self, least: usize) -> Result<(), ProgramError> {
        let waves = self.waves.as_deref();
        for (number, sm) in self.sms.iter_mut().enumerate() {
            if sm.unit.cycles() >= least {
                compare(&mut sm.unit, &format!("SM {number}"), waves)?;
            }
        }
        match self.gmmu.cycles() >= least {
            true => compare(&mut self.gmmu, "the GMMU", waves),
            false => Ok(()),
        }
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

#[cfg(test)]
mod tests {
    use faultline_sim::machines::gpu::Config;
    use faultline_sim::machines::sm::Work;
    use faultline_sim::simt::kernels::named;

    use super::*;
    use crate::backend::{Backend, BackendError, Reference};
    use crate::layout::Layout;
    use crate::lockstep::Lockstep;

    /// Two SMs of the size of `sm_unit_log_4`.
    const SMALL: &str =
        "sms = 2\n[sm]\nunit = \"rtl\"\nwarps = 4\nqueue_entries = 16\nlog_bytes = 8192\n";

    /// A reference whose first word of outputs is wrong from a cycle on.
    struct Wrong {
        right: Reference<SmUnit>,
        output_words: usize,
        cycles: usize,
    }

    impl Backend for Wrong {
        fn kind(&self) -> Kind {
            Kind::RustHdl
        }

        fn run(&mut self, inputs: &[u64], outputs: &mut [u64]) -> Result<(), BackendError> {
            self.right.run(inputs, outputs)?;
            for frame in outputs.chunks_exact_mut(self.output_words) {
                match self.cycles {
                    0 => frame[0] ^= 1,
                    _ => self.cycles -= 1,
                }
            }
            Ok(())
        }
    }

    /// The first mismatch ends the run. It names SM, cycle, output and both values, and has a waveform.
    #[test]
    fn the_first_mismatch_ends_a_run() {
        let config = Config::read(SMALL, "gpu.toml", "tanasic").unwrap();
        let parameters = config.parameters();
        let mut whole = Whole::new(&parameters, &[Kind::Reference]).unwrap();
        let sizes = parameters.sm.pipeline;
        let layout = Layout::of::<SmUnit>(&sizes);
        let wrong = Wrong {
            right: Reference::new(sizes),
            output_words: layout.output_words(),
            cycles: 1_000,
        };
        let backends: Vec<Box<dyn Backend>> =
            vec![Box::new(Reference::<SmUnit>::new(sizes)), Box::new(wrong)];
        whole.sms[1].unit.lockstep = Lockstep::new("sm_unit_log_4", layout, backends);
        let folder = tempfile::tempdir().unwrap();
        whole.wave_on_mismatch(folder.path());
        let work = Work::of_kernel(&named("lbm").unwrap()(1).unwrap()).unwrap();
        let gpu = Gpu::new(&parameters, &work).unwrap();
        let mut cycles = 0;
        let Err(ProgramError::Mismatch(mismatch)) = whole.run(gpu, |_| cycles += 1) else {
            panic!("no mismatch");
        };
        let wave = folder.path().join("sm_unit_log_4.fst");
        assert!(wave.exists());
        let [(_, one), (_, other)] = &mismatch.values[..] else {
            panic!("{mismatch}");
        };
        let port = mismatch.port;
        assert_eq!(
            mismatch.to_string(),
            format!(
                "sm_unit_log_4 with the inputs of SM 1 since its reset: in cycle 1000, {port} is {one} in reference and {other} in \
                 rust-hdl; the cycles around it are in {}",
                wave.display()
            )
        );
        assert_ne!(one, other);
        assert!(cycles < 1_000 + CHUNK, "{cycles}");
    }
}
