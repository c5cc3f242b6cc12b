//! Several back ends on the same inputs, every output compared in every cycle.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::backend::{Backend, BackendError, Kind};
use crate::layout::{Layout, port_at};
use crate::wave::{self, WaveError};

/// Cycles that a waveform shows where no other number is asked for.
pub const WINDOW: u64 = 64;

/// Cycles that a waveform can show.
pub const LONGEST_WINDOW: u64 = LEFT as u64;

/// Cycles that are kept before old ones are dropped, and those that are left then: enough to show what came before a
/// mismatch after some more cycles were run.
const KEPT: usize = 2048;
const LEFT: usize = 1024;

/// A back end with what it showed, and the time it took.
struct Runner {
    backend: Box<dyn Backend>,
    outputs: Vec<u64>,
    cycles: u64,
    time: Duration,
}

/// The cycles and the time of a back end.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// The back end.
    pub kind: Kind,
    /// Cycles that it ran.
    pub cycles: u64,
    /// The time that they took.
    pub time: Duration,
}

impl Speed {
    /// Cycles a second.
    #[must_use]
    pub fn cycles_per_second(&self) -> f64 {
        self.cycles as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// Two back ends that differ in an output.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The design, such as `replay_queue_64`.
    pub design: String,
    /// Where the inputs came from, such as `seed 1`.
    pub source: String,
    /// The first cycle that differs, from 0.
    pub cycle: u64,
    /// The first port that differs in it.
    pub port: &'static str,
    /// Its value in each back end, hexadecimal.
    pub values: Vec<(Kind, String)>,
    /// The waveform of the cycles around it.
    pub wave: Option<PathBuf>,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            design,
            source,
            cycle,
            port,
            values,
            wave,
        } = self;
        let values: Vec<_> = values
            .iter()
            .map(|(kind, value)| format!("{value} in {kind}"))
            .collect();
        write!(
            formatter,
            "{design} with {source}: in cycle {cycle}, {port} is {}",
            values.join(" and ")
        )?;
        match wave {
            Some(path) => write!(
                formatter,
                "; the cycles around it are in {}",
                path.display()
            ),
            None => Ok(()),
        }
    }
}

/// Why a lockstep ended.
#[derive(Debug, thiserror::Error)]
pub enum LockstepError {
    /// Two back ends differ.
    #[error("{0}")]
    Mismatch(Box<Mismatch>),
    /// A back end cannot go on.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// A waveform cannot be written.
    #[error(transparent)]
    Wave(#[from] WaveError),
}

/// Back ends of one design in step.
pub struct Lockstep {
    design: String,
    layout: Layout,
    runners: Vec<Runner>,
    /// The inputs that are kept, and the cycle of the first of them.
    inputs: Vec<u64>,
    first: u64,
    cycle: u64,
}

impl Lockstep {
    /// Back ends that are all fresh.
    #[must_use]
    pub fn new(design: &str, layout: Layout, backends: Vec<Box<dyn Backend>>) -> Self {
        let runner = |backend| Runner {
            backend,
            outputs: Vec::new(),
            cycles: 0,
            time: Duration::ZERO,
        };
        Self {
            design: design.to_owned(),
            layout,
            runners: backends.into_iter().map(runner).collect(),
            inputs: Vec::new(),
            first: 0,
            cycle: 0,
        }
    }

    /// The design, such as `replay_queue_64`.
    #[must_use]
    pub fn design(&self) -> &str {
        &self.design
    }

    /// The ports.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Cycles that were run.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.cycle
    }

    /// What each back end did, and how fast, those that were dropped not among them.
    pub fn speeds(&self) -> impl Iterator<Item = Speed> {
        self.runners.iter().map(|runner| Speed {
            kind: runner.backend.kind(),
            cycles: runner.cycles,
            time: runner.time,
        })
    }

    /// Goes on without a back end, a slow one for example, and tells how far it came.
    pub fn drop_backend(&mut self, kind: Kind) -> Option<Speed> {
        let speed = self.speeds().find(|speed| speed.kind == kind);
        self.runners.retain(|runner| runner.backend.kind() != kind);
        speed
    }

    /// Runs all back ends on these inputs.
    ///
    /// # Errors
    /// If a back end cannot go on.
    pub fn run(&mut self, inputs: &[u64]) -> Result<(), BackendError> {
        self.drop_old_cycles();
        let cycles = inputs.len() / self.layout.input_words();
        self.inputs.extend_from_slice(inputs);
        for runner in &mut self.runners {
            let start = runner.outputs.len();
            runner
                .outputs
                .resize(start + cycles * self.layout.output_words(), 0);
            let begin = Instant::now();
            runner.backend.run(inputs, &mut runner.outputs[start..])?;
            runner.time += begin.elapsed();
            runner.cycles += cycles as u64;
        }
        self.cycle += cycles as u64;
        Ok(())
    }

    /// The outputs of the last cycle, of the first back end.
    #[must_use]
    pub fn last_outputs(&self) -> &[u64] {
        let words = self.layout.output_words();
        self.runners.first().map_or(&[], |runner| {
            &runner.outputs[runner.outputs.len() - words..]
        })
    }

    /// The first difference among the last cycles, as many as told.
    #[must_use]
    pub fn difference(&self, cycles: usize) -> Option<Mismatch> {
        let words = self.layout.output_words();
        let last = |runner: &'_ Runner| runner.outputs.len() - cycles * words;
        let (leader, others) = self.runners.split_first()?;
        let expected = &leader.outputs[last(leader)..];
        let differs = |other: &Runner| {
            let found = &other.outputs[last(other)..];
            if found == expected {
                None
            } else {
                found.iter().zip(expected).position(|(a, b)| a != b)
            }
        };
        let place = others.iter().filter_map(differs).min()?;
        let (cycle, word) = (place / words, place % words);
        let (port, span) = port_at(&self.layout.outputs, word)?;
        let value = |runner: &Runner| {
            let start = last(runner) + cycle * words;
            (
                runner.backend.kind(),
                hexadecimal(&runner.outputs[start + span.start..start + span.end]),
            )
        };
        Some(Mismatch {
            design: self.design.clone(),
            source: String::new(),
            cycle: self.cycle - cycles as u64 + cycle as u64,
            port: port.name,
            values: self.runners.iter().map(value).collect(),
            wave: None,
        })
    }

    /// Writes the kept cycles among so many ones as a waveform: those around a mismatch, told as its cycle and port, or the
    /// last ones.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_wave(
        &self,
        path: &std::path::Path,
        window: u64,
        mismatch: Option<(u64, &str)>,
    ) -> Result<(), WaveError> {
        let end = mismatch.map_or(self.cycle, |(cycle, _)| {
            self.cycle.min(cycle + window.div_ceil(4))
        });
        let start = end.saturating_sub(window).max(self.first);
        let span = (start - self.first) as usize..(end - self.first) as usize;
        let outputs: Vec<_> = self
            .runners
            .iter()
            .map(|runner| (runner.backend.kind(), runner.outputs.as_slice()))
            .collect();
        wave::write(
            path,
            &self.design,
            &self.layout,
            &wave::Recording {
                start,
                span,
                inputs: &self.inputs,
                outputs: &outputs,
                mismatch,
            },
        )
    }

    fn drop_old_cycles(&mut self) {
        let kept = (self.cycle - self.first) as usize;
        if kept > KEPT {
            let gone = kept - LEFT;
            self.inputs.drain(..gone * self.layout.input_words());
            for runner in &mut self.runners {
                runner.outputs.drain(..gone * self.layout.output_words());
            }
            self.first += gone as u64;
        }
    }
}

/// Packed words as one number.
fn hexadecimal(words: &[u64]) -> String {
    format!("0x{}", digits(words))
}

/// Packed words as one hexadecimal number, without what says that it is one.
pub(crate) fn digits(words: &[u64]) -> String {
    let digits: String = words
        .iter()
        .rev()
        .map(|word| format!("{word:016x}"))
        .collect();
    match digits.trim_start_matches('0') {
        "" => "0".to_owned(),
        significant => significant.to_owned(),
    }
}
