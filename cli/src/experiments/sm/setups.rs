//! On which SMs it is run.

use faultline_hw::registry::{Design, Tag};
use faultline_sim::machines::gpu;
use faultline_sim::machines::sm::{Exceptions, Faults, Parameters, Response};
use faultline_sim::sm::replay_queue;
use faultline_sim::sm::sm_pipeline;
use faultline_sim::sm::sm_pipeline::Scheme;
use faultline_synth::tool::VERILATOR;
use faultline_testbench::backend::{BackendError, Kind};
use faultline_testbench::blocks::{
    self, Block, Checkpoint, DEFAULT_CHECKPOINT, DirtyBits, SetupError, SmPipeline,
};
use faultline_testbench::origin;
use faultline_testbench::programs::{DIRTY_BITS, Pipeline};
use miette::{Result, miette};

use super::Args;
use crate::value::distinct;

/// A scheme, with the size of its log.
pub fn name(scheme: &str, log_bytes: Option<usize>) -> String {
    match log_bytes {
        Some(bytes) => format!("{scheme} {} KB", bytes / 1024),
        None => scheme.to_owned(),
    }
}

/// An SM to run on, or a GPU of such SMs.
#[derive(Clone)]
pub struct Setup {
    pub parameters: Parameters,
    pub gpu: Option<gpu::Parameters>,
    pub log_bytes: Option<usize>,
    /// Only there to compare with.
    pub hidden: bool,
    /// What is in lockstep with the reference, and the configuration of its design.
    pub backend: Option<(Kind, &'static str)>,
}

/// The SMs; the baseline is always the first.
pub fn setups(args: &Args, schemes: &[Scheme]) -> Result<Vec<Setup>> {
    let queue = args.queue();
    if !queue.is_power_of_two() || !(2..=128).contains(&queue) {
        return Err(miette!(
            "--queue {queue}: give a power of two from 2 to 128"
        ));
    }
    let logs: Vec<usize> = args
        .logs()
        .iter()
        .map(|text| log_bytes(text))
        .collect::<Result<_>>()?;
    let logs = distinct(logs);
    let setup = |scheme, log: Option<usize>| {
        let mut parameters = Parameters::paper(scheme, log.unwrap_or(8 << 10));
        parameters.pipeline.warps = args.warps.into();
        parameters.pipeline.policy = args.scheduler;
        parameters.pipeline.queue = replay_queue::Parameters::with_entries(queue);
        parameters.faults = Faults {
            rate: args.fault_rate,
            absent: args.absent,
            cycles: args.fault_cycles(),
            ..Faults::NONE
        };
        parameters.exceptions = match args.exceptions() {
            // A baseline that is only there to compare with cannot restart anything.
            Exceptions {
                response: Response::Restart,
                handler,
            } if !scheme.squashes() => Exceptions {
                response: Response::Masked,
                handler,
            },
            exceptions => exceptions,
        };
        parameters.seed = args.seed;
        Setup {
            parameters,
            gpu: None,
            log_bytes: log,
            hidden: false,
            backend: None,
        }
    };
    let mut setups = vec![Setup {
        hidden: !schemes.contains(&Scheme::StallOnFault),
        ..setup(Scheme::StallOnFault, None)
    }];
    for &scheme in schemes {
        match scheme {
            Scheme::StallOnFault => {}
            Scheme::OperandLog => setups.extend(logs.iter().map(|&log| setup(scheme, Some(log)))),
            _ => setups.push(setup(scheme, None)),
        }
    }
    if args.backend != Kind::Reference {
        // A baseline that was not requested takes no design.
        for setup in setups.iter_mut().filter(|setup| !setup.hidden) {
            let config = design(&setup.parameters.pipeline)?;
            setup.backend = Some((args.backend, config));
        }
    }
    check_built(&setups)?;
    Ok(setups)
}

/// Says before the runs which designs are not built in, and how they would be.
fn check_built(setups: &[Setup]) -> Result<()> {
    let mut missing = Vec::new();
    for (kind, config) in setups.iter().filter_map(|setup| setup.backend) {
        if kind != Kind::Verilog {
            continue;
        }
        match Pipeline::new(config, &[kind]) {
            Ok(_) => {}
            Err(SetupError::Backend(BackendError::NotBuilt | BackendError::NotExported(_))) => {
                missing.push(config);
            }
            Err(error) => return Err(miette!("{error}")),
        }
    }
    let [first, ..] = missing[..] else {
        return Ok(());
    };
    let designs = faultline_hw::registry::designs();
    let is_large = |config: &&str| {
        let named = |design: &&Design| (design.block, design.config) == (SmPipeline::NAME, config);
        designs
            .iter()
            .find(named)
            .is_some_and(|design| design.is(Tag::Large))
    };
    let (feature, small) = match missing.iter().any(is_large) {
        true => (
            "large",
            "; --warps 4 --queue 16 --log 8k are the sizes of designs that --features verilog has",
        ),
        false => ("verilog", ""),
    };
    Err(miette!(
        "--backend verilog: the Verilog of the pipeline with these sizes ({}) is not built in: install Verilator (`apt-get \
         install verilator`), run `faultline export {}_{first}`, and the same for the others, where \
         rtl-out has none, and build with `--features {feature}`, as in `cargo run --release --features {feature} -- sm --backend \
         verilog`{small}",
        missing.join(", "),
        SmPipeline::NAME,
    ))
}

/// The configuration of the design with these sizes, as far as the scheme has them.
fn design(parameters: &sm_pipeline::Parameters) -> Result<&'static str> {
    let name = SmPipeline::NAME;
    let fits = |config: &&str| {
        SmPipeline::parameters(config).is_some_and(|design| {
            let scheme = design.scheme;
            (scheme, design.policy) == (parameters.scheme, parameters.policy)
                && (design.warps, design.entries) == (parameters.warps, parameters.entries)
                && (!scheme.queues() || design.queue == parameters.queue)
                && (scheme != Scheme::OperandLog || design.log == parameters.log)
        })
    };
    blocks::configurations(name).find(fits).ok_or_else(|| {
        let known: Vec<_> = blocks::configurations(name).collect();
        miette!(
            "no design of the pipeline is {} with these sizes under {}; with --warps 4 the designs have --queue 16 and --log \
             8k, with --warps 64 --queue 64 and --log 8k, 16k, 20k or 32k, and greedy-then-oldest is there for \
             the log alone, of 16 KB with 64 warps and of 8 KB with 4 ({})",
            parameters.scheme.name(),
            parameters.policy.name(),
            known.join(", ")
        )
    })
}

/// The version of the model, and of the Verilog that is in lockstep with it.
pub fn origin(setups: &[Setup]) -> Result<String> {
    let configs = setups.iter().filter_map(|setup| Some(setup.backend?.1));
    origin_of(&configs.collect::<Vec<_>>(), false)
}

/// The version of the model, and of the Verilog of these configurations of the pipeline, and of what lets blocks leave.
pub fn origin_of(configs: &[&str], switches: bool) -> Result<String> {
    let version = env!("CARGO_PKG_VERSION");
    if configs.is_empty() {
        return Ok(format!(" with the reference model of Faultline {version}"));
    }
    let designs = faultline_hw::registry::designs();
    let is_run = |design: &&Design| match design.block {
        SmPipeline::NAME => configs.contains(&design.config),
        Checkpoint::NAME => switches && design.config == DEFAULT_CHECKPOINT,
        DirtyBits::NAME => switches && DIRTY_BITS.contains(&design.config),
        _ => false,
    };
    let origin =
        origin::verilog(designs.iter().filter(is_run)).map_err(|error| miette!("{error}"))?;
    Ok(match VERILATOR.version() {
        Some(version) => format!(" with Verilator {version}. {origin}"),
        None => format!(". {origin}"),
    })
}

/// The same SMs with one thing changed.
pub fn varied(setups: &[Setup], change: impl Fn(&mut Parameters)) -> Vec<Setup> {
    let mut setups = setups.to_vec();
    for setup in &mut setups {
        change(&mut setup.parameters);
    }
    setups
}

/// Bytes of a log: 8k, 16K, 32k.
pub fn log_bytes(text: &str) -> Result<usize> {
    let kilobytes = text
        .strip_suffix(['k', 'K'])
        .and_then(|digits| digits.parse().ok());
    kilobytes
        .filter(|kilobytes| (1..=32).contains(kilobytes))
        .map(|kilobytes: usize| kilobytes << 10)
        .ok_or_else(|| {
            miette!("--log {text}: give sizes in KB with their k, 1k to 32k, such as 8k,16k")
        })
}
