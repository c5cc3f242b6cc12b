//! Runs a netlist beside the reference model.

use std::path::Path;

use faultline_sim::machines::sm::Work;
use faultline_sim::ports::Port as Known;
use faultline_sim::simt::kernels::{KERNELS, Make, named};
use faultline_synth::cost::{Subject, activity};
use faultline_synth::power::{Activity, Circuit, Port, Simulator};
use faultline_testbench::backend::Kind;
use faultline_testbench::blocks::{self, SetupError};
use faultline_testbench::layout::{Layout, port_at};
use faultline_testbench::session::Stimulus;
use indicatif::ProgressBar;
use miette::{Result, miette};

/// Cycles of reset, which are not counted.
const RESET: u64 = 2;
/// The seed where none is asked for.
pub const SEED: u64 = 1;
/// Cycles between two movements of the progress bar.
const STEP: u64 = 512;

/// What drives a design.
pub struct Traffic {
    /// Its name in tables.
    pub name: &'static str,
    stimulus: Box<dyn Stimulus>,
}

impl Traffic {
    /// What these kernels and traces make of a design, or random traffic if there are none; and of a log or a queue the
    /// paper's worst case besides.
    ///
    /// # Errors
    /// If the traces do not drive the design.
    pub fn of(subject: &Subject, works: &[Work], cycles: u64, seed: u64) -> Result<Vec<Self>> {
        let (block, config) = (subject.block.as_str(), subject.config.as_str());
        let counted = (RESET + cycles) as usize;
        let mut traffics = vec![match works {
            [] => Self::random(subject, seed)?,
            works => {
                let recorded = blocks::recorded(block, config, works, counted, seed);
                Self::named(activity::TRACES, recorded)?
            }
        }];
        if blocks::takes_traces(block) {
            let writes = blocks::writes(block, config, seed);
            traffics.push(Self::named(activity::WRITES, writes)?);
        }
        Ok(traffics)
    }

    /// Random traffic.
    ///
    /// # Errors
    /// If there is no such design.
    pub fn random(subject: &Subject, seed: u64) -> Result<Self> {
        let stimulus = blocks::stimulus(&subject.block, &subject.config, seed);
        Self::named(activity::RANDOM, stimulus)
    }

    fn named(
        name: &'static str,
        stimulus: std::result::Result<Box<dyn Stimulus>, SetupError>,
    ) -> Result<Self> {
        let stimulus = stimulus.map_err(|error| miette!("{error}"))?;
        Ok(Self { name, stimulus })
    }
}

/// The kernels and traces that were asked for; `kernels` stands for all that are built in.
///
/// # Errors
/// If there is no such kernel or file, or it cannot be run.
pub fn works(names: &[String]) -> Result<Vec<Work>> {
    let mut works = Vec::new();
    let kernel = |name: &str, make: Make| {
        let kernel = make(1).map_err(|error| miette!("{name}: {error}"))?;
        Work::of_kernel(&kernel).map_err(|error| miette!("{name}: {error}"))
    };
    for name in names {
        if name == "kernels" {
            for (name, make) in KERNELS {
                works.push(kernel(name, make)?);
            }
        } else if let Some(make) = named(name) {
            works.push(kernel(name, make)?);
        } else if Path::new(name).exists() {
            let trace = crate::output::open_trace(Path::new(name))?;
            for reader in trace.readers() {
                let work = reader.and_then(Work::of_trace);
                works.push(work.map_err(|error| miette!("{error}"))?);
            }
        } else {
            let known: Vec<&str> = KERNELS.iter().map(|(name, _)| *name).collect();
            return Err(miette!(
                "{name} is neither a file nor a kernel; the kernels are {}, and kernels for all of them",
                known.join(", ")
            ));
        }
    }
    match works.is_empty() && !names.is_empty() {
        true => Err(miette!("the traces have no kernel; take some that have")),
        false => Ok(works),
    }
}

/// What a netlist does under each traffic, without a bar that shows how far it is.
///
/// # Errors
/// If the netlist shows something else than the reference.
pub fn activities(
    subject: &Subject,
    circuit: &Circuit,
    traffics: Vec<Traffic>,
    cycles: u64,
) -> Result<Vec<(&'static str, Activity)>> {
    let netlist = Activities::new(subject, circuit)?;
    traffics
        .into_iter()
        .map(|traffic| {
            let name = traffic.name;
            Ok((name, netlist.run(traffic, cycles, &ProgressBar::hidden())?))
        })
        .collect()
}

/// What gives the activity of a subject's netlist in so many cycles of random traffic.
pub fn random(
    cycles: u64,
) -> impl Fn(&Subject, &Circuit) -> Result<Vec<(&'static str, Activity)>, String> {
    move |subject, circuit| {
        Traffic::random(subject, SEED)
            .and_then(|traffic| activities(subject, circuit, vec![traffic], cycles))
            .map_err(|error| error.to_string())
    }
}

/// A netlist with the ports of its block.
pub struct Activities<'a> {
    subject: &'a Subject,
    circuit: &'a Circuit,
    layout: Layout,
    inputs: Vec<(&'a Port, std::ops::Range<usize>)>,
    outputs: Vec<(&'a Port, std::ops::Range<usize>)>,
}

impl<'a> Activities<'a> {
    /// The ports of a netlist.
    ///
    /// # Errors
    /// If they are not those of the reference.
    pub fn new(subject: &'a Subject, circuit: &'a Circuit) -> Result<Self> {
        let layout = blocks::layout(&subject.block, &subject.config);
        let layout = layout.map_err(|error| miette!("{error}"))?;
        let places = |known: &[Known], found: &'a [Port]| {
            let mut word = 0;
            known
                .iter()
                .map(|port| {
                    let span = word..word + port.words();
                    word = span.end;
                    let same =
                        |found: &&Port| found.name == port.name && found.nets.len() == port.bits;
                    let found = found.iter().find(same);
                    found.map(|found| (found, span)).ok_or_else(|| {
                        miette!(
                            "the netlist of {} has no port {} of {} bits",
                            circuit.top,
                            port.name,
                            port.bits
                        )
                    })
                })
                .collect::<Result<Vec<_>>>()
        };
        Ok(Self {
            subject,
            circuit,
            inputs: places(&layout.inputs, &circuit.inputs)?,
            outputs: places(&layout.outputs, &circuit.outputs)?,
            layout,
        })
    }

    /// Runs so many cycles after reset, every output compared with the reference in every cycle.
    ///
    /// # Errors
    /// If one differs.
    pub fn run(&self, mut traffic: Traffic, cycles: u64, bar: &ProgressBar) -> Result<Activity> {
        let (block, config) = (&self.subject.block, &self.subject.config);
        let reference = blocks::backend(block, config, Kind::Reference);
        let mut reference = reference.map_err(|error| miette!("{error}"))?;
        let mut simulator = Simulator::new(self.circuit);
        let mut frame = vec![0; self.layout.input_words()];
        let mut expected = vec![0; self.layout.output_words()];
        let mut found = expected.clone();
        for cycle in 0..RESET + cycles {
            if cycle == RESET {
                simulator.restart();
            }
            traffic.stimulus.next(&mut frame);
            let run = reference.run(&frame, &mut expected);
            run.map_err(|error| miette!("{error}"))?;
            for (port, words) in &self.inputs {
                simulator.set(port, &frame[words.clone()]);
            }
            simulator.settle();
            for (port, words) in &self.outputs {
                simulator.get(port, &mut found[words.clone()]);
            }
            // Before the first clock edge under reset nothing is known.
            if cycle > 0 && found != expected {
                return Err(self.mismatch(cycle, &traffic, &found, &expected));
            }
            simulator.clock();
            if cycle % STEP == STEP - 1 {
                bar.inc(STEP);
            }
        }
        bar.inc(cycles.saturating_sub((RESET + cycles) / STEP * STEP));
        Ok(simulator.activity(self.circuit))
    }

    fn mismatch(
        &self,
        cycle: u64,
        traffic: &Traffic,
        found: &[u64],
        expected: &[u64],
    ) -> miette::Report {
        let place = found
            .iter()
            .zip(expected)
            .position(|(one, other)| one != other);
        let place = place.unwrap_or_default();
        let port = port_at(&self.layout.outputs, place).map_or("?", |(port, _)| port.name);
        miette!(
            "{} with {}: in cycle {cycle}, word {place} of the outputs, in {port}, is {:#x} in the netlist and {:#x} in the \
             reference, so the netlist is not the design",
            self.circuit.top,
            traffic.stimulus.source(),
            found[place],
            expected[place]
        )
    }
}
