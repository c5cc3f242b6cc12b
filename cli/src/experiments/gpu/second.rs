//! `faultline gpu --second`: another kernel is launched while the first one runs, and preempts every SM.

use faultline_sim::machines::gpu::{Config, Gpu, Launch, Launched, Outcome, SwitchingMode};
use faultline_sim::machines::sm::{Choice, Preempted, Work};
use miette::{Result, miette};
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::Serialize;

use super::Args;
use super::bar::Progress;
use super::causes::{self, Restarts, Shares};
use crate::Global;
use crate::output::{self, grouped};
use crate::value::{distinct, integer_in};

/// The last cycle in which a kernel can be launched.
const LATEST: u64 = 1_000_000_000_000;
/// Microseconds that PEP knows of a launch in advance: the shorter of the two that the paper predicts (section IV-A).
const LEAD: u64 = 20;
/// Microseconds of Chimera's deadline: the middle one of the paper's (section IV-A).
const DEADLINE: u64 = 10;

/// The second kernel, and how the SMs make room for it.
#[derive(clap::Args, Debug)]
pub struct Second {
    /// Launch this kernel or trace too while the workload runs, in an address space of its own: it preempts every SM, and the
    /// workload goes on when no block of it is left
    #[arg(long, value_name = "KERNEL|TRACE", conflicts_with = "restart")]
    second: Option<String>,
    /// Cycle in which it is launched
    #[arg(long, value_name = "CYCLE", conflicts_with = "restart", value_parser = integer_in::<u64>(0..=LATEST))]
    at: Option<u64>,
    /// What becomes of thread blocks that run then: drain (they end), switch (they are saved, and come back later), pep or chimera
    /// (the reference of preemption_policy answers). Several run one after the other [default: pep]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with = "restart",
        value_parser = choice)]
    policy: Vec<Choice>,
    /// Microseconds from the announcement of the launch, at which pep saves bases, to the launch [default: 20]
    #[arg(long, value_name = "US", conflicts_with = "restart", value_parser = integer_in::<u64>(0..=1_000))]
    lead: Option<u64>,
    /// Microseconds in which chimera is to make an SM free [default: 10]
    #[arg(long, value_name = "US", conflicts_with = "restart", value_parser = integer_in::<u64>(0..=1_000))]
    deadline: Option<u64>,
}

/// A policy by its name.
fn choice(name: &str) -> std::result::Result<Choice, String> {
    let all = || Choice::ALL.map(Choice::name).join(", ");
    Choice::named(name).ok_or_else(|| format!("there are {}", all()))
}

impl Second {
    /// Whether there is one.
    pub const fn is_given(&self) -> bool {
        self.second.is_some()
    }

    /// Fails if an option is of no use without another one.
    pub fn check(&self) -> Result<()> {
        for (option, is_given) in [
            ("--at", self.at.is_some()),
            ("--policy", !self.policy.is_empty()),
            ("--lead", self.lead.is_some()),
            ("--deadline", self.deadline.is_some()),
        ] {
            if is_given && self.second.is_none() {
                return Err(miette!(
                    "{option}: it is for a second kernel, so give --second too"
                ));
            }
        }
        let of = |choice| self.choices().contains(&choice);
        if self.lead.is_some() && !of(Choice::Pep) {
            return Err(miette!("--lead: pep alone knows a launch in advance"));
        }
        if self.deadline.is_some() && !of(Choice::Chimera) {
            return Err(miette!("--deadline: chimera alone has one"));
        }
        Ok(())
    }

    /// The second kernel's name, if there is one.
    pub fn name(&self) -> Option<&String> {
        self.second.as_ref()
    }

    fn choices(&self) -> Vec<Choice> {
        match self.policy.is_empty() {
            true => vec![Choice::Pep],
            false => distinct(self.policy.clone()),
        }
    }

    /// The second kernel, and when it is launched.
    fn work(&self, args: &Args) -> Result<(Work, u64)> {
        let name = self.second.clone().unwrap_or_default();
        let Some(at) = self.at else {
            return Err(miette!(
                "--second: give the cycle in which {name} is launched with --at"
            ));
        };
        let mut run = args.run.clone();
        run.workloads = vec![name.clone()];
        let mut works = run.make()?;
        match (works.pop(), works.is_empty()) {
            (Some(work), true) => Ok((work, at)),
            _ => Err(miette!("--second: {name} is not one kernel; give one")),
        }
    }
}

/// An SM's preemption; times are cycles.
#[derive(Serialize)]
struct SmRow {
    launched: u64,
    free: u64,
    back: u64,
    latency_us: f64,
    drained: u64,
    saved: u64,
    bases: u64,
    context_bytes: u64,
    /// Whether a block of the second kernel ran there.
    has_run: bool,
}

/// A run.
#[derive(Serialize)]
struct Row {
    workload: String,
    second: String,
    preset: String,
    scheme: &'static str,
    policy: &'static str,
    cycles: u64,
    microseconds: f64,
    /// Cycles from the launch of each kernel to the end of its last block.
    first_cycles: u64,
    second_cycles: u64,
    /// Microseconds until an SM was free for the second kernel: the mean of all SMs, and from the launch to the last one.
    mean_latency_us: f64,
    latency_us: f64,
    /// Blocks that ended then, those that were saved and left, and those that were saved before the launch and ran on.
    drained: u64,
    saved: u64,
    bases: u64,
    /// Bytes of contexts that were written until the SMs were free.
    context_bytes: u64,
    far_faults: u64,
    values_checked: bool,
    /// Cycles from each fault to the restart of what it has stopped.
    fault_to_restart: Restarts,
    /// Cycles of all SMs by cause, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    sm_cycles: Option<Shares>,
    sms: Vec<SmRow>,
}

impl Row {
    fn new(
        (first, second): (&Work, &Work),
        config: &Config,
        choice: Choice,
        outcome: &Outcome,
        launched: &Launched,
    ) -> Self {
        let sum = |of: fn(&Preempted) -> u64| launched.sms.iter().map(of).sum::<u64>();
        let microseconds = |cycles| config.microseconds(cycles);
        let sm = |sm: &Preempted| SmRow {
            launched: sm.launched,
            free: sm.free,
            back: sm.back,
            latency_us: microseconds(sm.latency()),
            drained: sm.drained,
            saved: sm.saved,
            bases: sm.bases,
            context_bytes: sm.bytes,
            has_run: sm.ends[1] > 0,
        };
        Self {
            workload: first.name.clone(),
            second: second.name.clone(),
            preset: config.preset.clone(),
            scheme: config.sm.scheme.0.name(),
            policy: choice.name(),
            cycles: outcome.cycles,
            microseconds: microseconds(outcome.cycles),
            first_cycles: launched.first_cycles,
            second_cycles: launched.cycles,
            mean_latency_us: microseconds(sum(Preempted::latency))
                / launched.sms.len().max(1) as f64,
            latency_us: microseconds(launched.latency()),
            drained: sum(|sm| sm.drained),
            saved: sum(|sm| sm.saved),
            bases: sum(|sm| sm.bases),
            context_bytes: sum(|sm| sm.bytes),
            far_faults: outcome.brought.records,
            values_checked: first.computation.is_some() && second.computation.is_some(),
            fault_to_restart: (&outcome.sms.fault_times).into(),
            sm_cycles: Shares::of(outcome),
            sms: launched.sms.iter().map(sm).collect(),
        }
    }
}

/// What `--json` gives: the configuration but for schemes, when the second kernel is launched, and the runs.
#[derive(Serialize)]
struct Results<'run> {
    configuration: &'run Config,
    at: u64,
    rows: &'run [Row],
}

/// Runs a workload with a second kernel, under each scheme and policy.
///
/// # Errors
/// If the options make no sense together, or a run does not end as it should.
pub fn run(
    args: &Args,
    works: &[Work],
    configs: &[Config],
    threads: &ThreadPool,
    global: &Global,
) -> Result<()> {
    let [first] = works else {
        return Err(miette!(
            "--second: it is launched while one workload runs, so give one"
        ));
    };
    if configs
        .iter()
        .any(|config| config.switching.mode != SwitchingMode::None)
    {
        return Err(miette!(
            "--second: it preempts every SM, so no thread block can be switched out for its pages; give --switching none"
        ));
    }
    let ways = [
        args.handling.len(),
        args.prefetch.len(),
        args.eviction.len(),
        args.replay.len(),
    ];
    if ways.into_iter().any(|values| values > 1) {
        return Err(miette!(
            "--second: its runs differ in scheme and policy alone; give one value of --handling, of --prefetch, of --eviction and of --replay"
        ));
    }
    let choices = args.second.choices();
    let jobs: Vec<(&Config, Choice)> = configs
        .iter()
        .flat_map(|config| choices.iter().map(move |&choice| (config, choice)))
        .collect();
    if jobs.len() > 1 && (args.svg.is_some() || args.trace_events.is_some()) {
        return Err(miette!(
            "--svg and --trace-events show one run: give one scheme and one policy"
        ));
    }
    let (second, at) = args.second.work(args)?;
    let blocks = (first.blocks() + second.blocks()) * jobs.len();
    let bar = Progress::new(blocks as u64);
    let is_parallel = jobs.len() < threads.current_num_threads();
    let works = (first, &second);
    let outcomes: Vec<_> = threads.install(|| {
        let each = jobs.par_iter();
        each.map(|&(config, choice)| one(args, config, choice, works, at, is_parallel, &bar))
            .collect()
    });
    bar.finish();
    let outcomes: Vec<(Outcome, Launched)> = outcomes.into_iter().collect::<Result<_>>()?;
    if let ([(config, _)], [(outcome, _)]) = (&jobs[..], &outcomes[..]) {
        args.write(first, Some(&second.name), config, outcome)?;
    }
    let rows = jobs.iter().zip(&outcomes);
    let rows: Vec<Row> = rows
        .map(|(&(config, choice), (outcome, launched))| {
            Row::new(works, config, choice, outcome, launched)
        })
        .collect();
    args.write_csv(&rows)?;
    match global.json {
        true => global.print_json(&Results {
            configuration: &configs[0],
            at,
            rows: &rows,
        }),
        false => global.print(&text(&rows, at)),
    }
}

/// Runs both kernels under a scheme and a policy.
fn one(
    args: &Args,
    config: &Config,
    choice: Choice,
    (first, second): (&Work, &Work),
    at: u64,
    is_parallel: bool,
    bar: &Progress,
) -> Result<(Outcome, Launched)> {
    let (scheme, policy) = (config.sm.scheme.0.name(), choice.name());
    let names = format!("{} and {}", first.name, second.name);
    let failed = |place: &str, error: &dyn std::fmt::Display| {
        miette!("{place}{names} under {scheme}, {policy}: {error}")
    };
    let options = &args.second;
    let lead = options.lead.unwrap_or(LEAD);
    let deadline = options.deadline.unwrap_or(DEADLINE);
    let launch = Launch {
        work: second,
        at,
        preemption: config.preemption(choice, lead, deadline),
    };
    let gpu = Gpu::with_second(&config.parameters(), first, launch);
    let gpu = gpu.map_err(|error| failed(&args.place(&error), &args.sentence(&error)))?;
    let outcome = args.gpu(gpu, is_parallel).run(bar.follow());
    let outcome = outcome.map_err(|error| failed("", &error))?;
    if let Some(difference) = outcome.differences().first() {
        return Err(failed("", difference));
    }
    let launched = outcome.launched.clone().unwrap_or_default();
    Ok((outcome, launched))
}

/// The runs as a table.
fn text(rows: &[Row], at: u64) -> String {
    let headings = [
        "Scheme",
        "Policy",
        "First, cycles",
        "Second, cycles",
        "SM free, us",
        "All free, us",
        "Drained",
        "Saved",
        "Bases",
        "Context KB",
    ];
    let cells = rows.iter().map(|row| {
        vec![
            row.scheme.to_owned(),
            row.policy.to_owned(),
            grouped(row.first_cycles),
            grouped(row.second_cycles),
            format!("{:.2}", row.mean_latency_us),
            format!("{:.2}", row.latency_us),
            grouped(row.drained),
            grouped(row.saved),
            grouped(row.bases),
            grouped(row.context_bytes >> 10),
        ]
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let table = output::tables(2, &headings.map(str::to_owned), &cells, output::width());
    let named = |row: &Row| vec![row.scheme.to_owned(), row.policy.to_owned()];
    let restarts = rows.iter().map(|row| (named(row), &row.fault_to_restart));
    let restarts: Vec<_> = restarts.collect();
    let shares = rows
        .iter()
        .filter_map(|row| Some((named(row), row.sm_cycles.as_ref()?)));
    let table = causes::below(
        table,
        &headings[..2],
        &restarts,
        &shares.collect::<Vec<_>>(),
    );
    let Some(row) = rows.first() else {
        return table;
    };
    let mut notes = vec![format!(
        "{} is launched in cycle {at} of {}. Cycles are from the launch of a kernel to the end of its last thread block.",
        row.second, row.workload
    )];
    if rows.iter().all(|row| row.values_checked) {
        let checked = "Registers and memory of both at the end are those of runs without a GPU.";
        notes.push(checked.to_owned());
    }
    format!("{table}\n{}", notes.join("\n"))
}
