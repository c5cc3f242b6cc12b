//! `faultline figures`: the papers' figures from the GPU, beside the papers' numbers.

mod active_pointers;
mod code;
mod compiled;
mod handling;
mod own;
mod paging;
mod runs;
mod switching;

use std::path::PathBuf;

use faultline_sim::machines::gpu::Parameters;
use faultline_sim::machines::sm::Work;
use faultline_sim::programs::RODINIA;
use faultline_sim::simt::kernels::{ALLOCATING, KERNELS};
use faultline_sim::sm::operand_log;
use faultline_sim::sm::replay_queue;
use faultline_sim::sm::sm_pipeline::Scheme;
use faultline_testbench::file;
use miette::{Result, miette};

use code::Code;

use super::sm::jobs::Row;
use super::sm::markdown::{self, Page};
use super::sm::setups::Setup;
use super::sm::{explain, plot, rows, tables};
use crate::Global;
use crate::output;

/// The figures: of the schemes, and of the sizes of the log.
const FIGURES: [(&str, &[Scheme], &[usize]); 2] = [
    (
        "tanasic-10",
        &[
            Scheme::WarpDisableCommit,
            Scheme::WarpDisableLastCheck,
            Scheme::ReplayQueue,
        ],
        &[],
    ),
    ("tanasic-11", &[Scheme::OperandLog], &[8, 16, 20, 32]),
];

/// The figure that compares ways of switching thread blocks, in runs of its own.
const SWITCHING: &str = "tanasic-12";

/// Thread blocks of the kernels, as a multiple; of programs, all of the range.
const SCALE: u32 = 16;

/// The SMs of the paper's GPU.
const PAPERS_SMS: u32 = 16;

/// What the GPU rests on and the paper does not say.
const GPU: [&str; 5] = [
    "The L2 cache has 16 banks, each with its channel of DRAM; an SM is 10 cycles from a bank and 30 from the GMMU, which \
     are parts of the 70 cycles of L2 cache and L2 TLB.",
    "Page tables lie in the machine's memory, and walks read them through the L2 cache. The GMMU has a page-walk cache of \
     8 KB.",
    "Stores are written through the L1 cache, and take bandwidth of the L2 cache and of DRAM as loads do.",
    "Thread blocks go to the SMs in turn, one at a time to each that has room, 10 cycles after the SM has reported it. Runs \
     differ in the SM that gets the first.",
    "At the start every page is in the GPU's memory, and no TLB or cache has anything of it.",
];

/// Draw figures of the papers from a whole GPU, beside the papers' numbers, with the causes of what differs
///
/// tanasic-10 and tanasic-11 (Tanasic et al., MICRO-50): what the schemes cost while nothing faults. tanasic-12: what it gains
/// to switch out thread blocks that wait for pages. tanasic-13 and tanasic-14: what it gains that the warps that fault handle their
/// faults, on pages of a heap and on output pages. zheng-3, zheng-5 and zheng-prefetch (Zheng et al., HPCA 2016): what it costs that
/// pages come when they are accessed. active-pointers (Shahar et al., ISCA 2016): what it costs to translate in software.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// tanasic-10, tanasic-11, or all, which is both; or tanasic-12 alone; or tanasic-13, tanasic-14, or both; or
    /// some of zheng-3, zheng-5 and zheng-prefetch; or active-pointers alone
    #[arg(value_name = "FIGURE", default_value = "all", value_parser = figure)]
    figures: Vec<String>,
    /// Kernels in place of all
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = kernel)]
    kernels: Vec<String>,
    /// What is run: kernels written by hand after access patterns, or compiled programs at the papers' problem sizes
    #[arg(long, value_enum, default_value_t = Code::Compiled)]
    code: Code,
    /// Thread blocks of the kernels, as a multiple; of programs, sixteenths of the range that is run, of which 16 take tanasic-10 and
    /// tanasic-11 an hour of a core
    #[arg(long, default_value_t = SCALE, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    scale: u32,
    /// SMs of the GPU; the paper's numbers are those of 16
    #[arg(long, default_value_t = PAPERS_SMS, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    sms: u32,
    /// Entries of the replay queue: a power of two up to 128
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = queue)]
    queue: usize,
    /// Runs each so often, with the first thread block on another SM each time, and shows their means
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=16))]
    runs: u64,
    /// Draw the performance of the schemes to this file
    #[arg(long, value_name = "FILE.svg", value_parser = output::svg_file)]
    svg: Option<PathBuf>,
    /// Write a report to this file, with the causes of the stalls and the kernel that is the paper's hardest case
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// The name of a figure.
fn figure(name: &str) -> std::result::Result<String, String> {
    let known = FIGURES.map(|(name, ..)| name);
    let handling = handling::FIGURES.map(|figure| figure.name);
    let paging = paging::FIGURES.map(|figure| figure.name);
    let is_known = [&known[..], &handling, &paging].concat().contains(&name);
    match name == "all" || [SWITCHING, active_pointers::NAME].contains(&name) || is_known {
        true => Ok(name.to_owned()),
        false => Err(format!(
            "there are {}, {SWITCHING}, {}, {}, {}, and all",
            known.join(", "),
            handling.join(", "),
            paging.join(", "),
            active_pointers::NAME
        )),
    }
}

/// The name of a kernel.
fn kernel(name: &str) -> std::result::Result<String, String> {
    let known = KERNELS.iter().chain(&ALLOCATING);
    let mut known: Vec<_> = known.map(|(name, _)| *name).collect();
    known.extend(RODINIA.map(|program| program.name));
    match known.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!("there are {}", known.join(", "))),
    }
}

/// Entries of a queue.
fn queue(text: &str) -> std::result::Result<usize, String> {
    let entries = text.parse().ok();
    let fits = |entries: &usize| entries.is_power_of_two() && (2..=128).contains(entries);
    entries
        .filter(fits)
        .ok_or_else(|| "give a power of two from 2 to 128".to_owned())
}

impl Args {
    /// The figures that were asked for.
    fn chosen(&self) -> Vec<&'static (&'static str, &'static [Scheme], &'static [usize])> {
        let is_chosen = |name: &str| self.figures.iter().any(|one| one == name || one == "all");
        let chosen = FIGURES.iter().filter(|(name, ..)| is_chosen(name));
        chosen.collect()
    }

    /// The baseline, and the schemes of the figures.
    fn setups(&self) -> Result<Vec<Setup>> {
        let gpu = runs::gpu(self.sms)?.parameters();
        let mut setups = vec![self.setup(&gpu, Scheme::StallOnFault, None)];
        for (_, schemes, logs) in self.chosen() {
            for &scheme in *schemes {
                match logs.is_empty() {
                    true => setups.push(self.setup(&gpu, scheme, None)),
                    false => {
                        let with = |kilobytes| self.setup(&gpu, scheme, Some(kilobytes << 10));
                        setups.extend(logs.iter().copied().map(with));
                    }
                }
            }
        }
        Ok(setups)
    }

    fn setup(&self, gpu: &Parameters, scheme: Scheme, log_bytes: Option<usize>) -> Setup {
        let mut parameters = gpu.sm;
        parameters.pipeline.scheme = scheme;
        parameters.pipeline.queue = replay_queue::Parameters::with_entries(self.queue);
        if let Some(bytes) = log_bytes {
            parameters.pipeline.log = operand_log::Parameters::with_entries(bytes / 256);
        }
        Setup {
            parameters,
            gpu: Some(*gpu),
            log_bytes,
            hidden: false,
            backend: None,
        }
    }

    /// Fails if a kernel that was asked for takes no part in these figures, which have these kernels.
    fn check_kernels(&self, figures: &str, all: &[&'static str]) -> Result<()> {
        let mut kernels = self.kernels.iter();
        match kernels.find(|kernel| !all.contains(&kernel.as_str())) {
            Some(kernel) => Err(miette!(
                "{figures}: {kernel} takes no part; there are {}",
                all.join(", ")
            )),
            None => Ok(()),
        }
    }

    /// The figures of handling that were asked for.
    fn of_handling(&self) -> Vec<&'static handling::Figure> {
        let is_asked = |figure: &&handling::Figure| {
            let mut names = self.figures.iter();
            names.any(|name| name == figure.name)
        };
        handling::FIGURES.iter().filter(is_asked).collect()
    }

    /// The figures of paging that were asked for.
    fn of_paging(&self) -> Vec<&'static paging::Figure> {
        let is_asked = |figure: &&paging::Figure| {
            let mut names = self.figures.iter();
            names.any(|name| name == figure.name)
        };
        paging::FIGURES.iter().filter(is_asked).collect()
    }

    /// Whether what is run is what the paper has run.
    fn is_the_papers(&self) -> bool {
        self.kernels.is_empty() && self.sms == PAPERS_SMS
    }

    /// What was typed.
    fn command(&self) -> String {
        let names: Vec<&str> = match (self.chosen().as_slice(), self.of_handling().as_slice()) {
            ([], []) => vec![SWITCHING],
            ([], handling) => handling.iter().map(|figure| figure.name).collect(),
            (chosen, _) => chosen.iter().map(|(name, ..)| *name).collect(),
        };
        let kernels = match self.kernels.is_empty() {
            true => String::new(),
            false => format!(" --kernels {}", self.kernels.join(",")),
        };
        let code = match self.code {
            Code::Written => " --code written",
            Code::Compiled => "",
        };
        let sms = match self.sms {
            PAPERS_SMS => String::new(),
            sms => format!(" --sms {sms}"),
        };
        format!(
            "faultline figures {}{code}{kernels}{sms} --scale {} --queue {} --runs {} --markdown FILE",
            names.join(" "),
            self.scale,
            self.queue,
            self.runs
        )
    }

    fn page(&self, compared: String) -> Page {
        Page {
            title: "Figures 10 and 11",
            command: self.command(),
            machine: format!(
                "a GPU of {} SMs, which share L2 TLB, page walkers, L2 cache and DRAM,",
                self.sms
            ),
            runs: self.runs,
            differ: "with the first thread block on another SM each time",
            faults: "Nothing faults: this is what the schemes cost while they are not needed. Every \
                     translation is compared with the page tables, and registers and memory at the end with those \
                     of a run without a GPU."
                .to_owned(),
            assumptions: markdown::assumptions(&GPU, self.queue),
            is_beside_paper: self.is_the_papers(),
            kernels: match self.code {
                Code::Written => markdown::WRITTEN,
                Code::Compiled => compiled::PROGRAMS,
            },
            kinds: match self.code {
                Code::Written => explain::KINDS,
                Code::Compiled => compiled::KINDS,
            },
            compared,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If a run does not come to its end, or to another one than it should, or a file cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    output::check_files(&[
        ("--svg", args.svg.as_deref()),
        ("--markdown", args.markdown.as_deref()),
    ])?;
    if args.figures.iter().any(|name| name == SWITCHING) {
        return own::switching(args, global);
    }
    if args
        .figures
        .iter()
        .any(|name| name == active_pointers::NAME)
    {
        return own::active_pointers(args, global);
    }
    let paging = args.of_paging();
    if !paging.is_empty() {
        return own::paging(args, &paging, global);
    }
    let handling = args.of_handling();
    if !handling.is_empty() {
        return own::handling(args, &handling, global);
    }
    args.check_kernels("tanasic-10 and tanasic-11", &KERNELS.map(|(name, _)| name))?;
    let setups = args.setups()?;
    let works = args.parboil()?;
    let all = rows(&works, &setups, args.runs)?;
    let is_beside_paper = args.is_the_papers();
    if let Some(path) = &args.svg {
        let svg =
            plot::svg(&all, is_beside_paper, args.caption()).map_err(|error| miette!("{error}"))?;
        file::write_whole(path, &svg).map_err(|error| miette!("{error}"))?;
    }
    if let Some(path) = &args.markdown {
        let page = report(args, &works, &setups, &all)?;
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&tables::Results::new(&all, is_beside_paper)),
        false => {
            let text = tables::text(&all, is_beside_paper, output::width());
            global.print(&format!("{text}\n\n{}", args.about()))
        }
    }
}

/// The page, with the runs that it has besides.
fn report(args: &Args, works: &[Work], setups: &[Setup], all: &[Row]) -> Result<String> {
    let is_whole = args.is_the_papers();
    let mut variations = Vec::new();
    if args.queue != 128 {
        let (name, change) = markdown::LONG_QUEUE;
        let mut varied = setups.to_vec();
        varied
            .iter_mut()
            .for_each(|setup| change(&mut setup.parameters));
        variations.push((name, rows(works, &varied, args.runs)?));
    }
    let variants = match (is_whole, args.code) {
        (true, Code::Written) => args.workloads(&KERNELS).variants()?,
        (true, Code::Compiled) => compiled::variants(args.scale)?,
        (false, _) => Vec::new(),
    };
    let variants = rows(&variants, setups, args.runs)?;
    let compared = match args.code {
        Code::Written => String::new(),
        Code::Compiled => compiled::ways(&args.kernels, args.scale, setups, args.runs, all)?,
    };
    let version = env!("CARGO_PKG_VERSION");
    let origin = format!(" with the reference model of Faultline {version}");
    let page = args.page(compared);
    Ok(markdown::markdown(
        &page,
        all,
        &variations,
        &variants,
        &origin,
    ))
}
