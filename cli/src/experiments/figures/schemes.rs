//! Figures 10 and 11 of Tanasic et al., MICRO-50: what the schemes cost while nothing faults.

use faultline_sim::machines::gpu::Parameters;
use faultline_sim::machines::sm::Work;
use faultline_sim::ptx::lower::Options;
use faultline_sim::simt::kernels::KERNELS;
use faultline_sim::sm::operand_log;
use faultline_sim::sm::replay_queue;
use faultline_sim::sm::sm_pipeline::Scheme;
use indicatif::ProgressBar;
use miette::{Result, miette};
use serde::{Deserialize, Serialize};

use super::super::sm::explain::HARDEST;
use super::super::sm::jobs::{self, Row};
use super::super::sm::markdown::{self, Page};
use super::super::sm::setups::Setup;
use super::super::sm::{explain, plot, tables};
use super::code::Code;
use super::family::{Family, Picture, Request, Taken};
use super::{compiled, runs};
use crate::experiments::ordered::Value;
use crate::output;

/// The figures: of the schemes, and of the sizes of the log in KB.
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

/// The longest queue, which shows what a shorter one costs.
const LONGEST: usize = 128;

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

/// The family.
pub struct Schemes;

/// What the runs of a kernel have counted.
#[derive(Serialize, Deserialize)]
pub struct Rows {
    /// Those of the figures, the baseline's first.
    plain: Vec<Row>,
    /// For the page: with the longest queue, of the other kinds of the hardest case, and of other ways to compile.
    long_queue: Vec<Row>,
    variants: Vec<Row>,
    ways: Vec<Vec<Row>>,
}

/// SMs of a GPU with a scheme, so many entries of the replay queue, and a log where the scheme has one.
pub fn setup(gpu: &Parameters, scheme: Scheme, queue: usize, log_bytes: Option<usize>) -> Setup {
    let mut parameters = gpu.sm;
    parameters.pipeline.scheme = scheme;
    parameters.pipeline.queue = replay_queue::Parameters::with_entries(queue);
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

/// The baseline, and the schemes of the figures.
fn setups(request: &Request) -> Result<Vec<Setup>> {
    let gpu = runs::gpu(request.sms)?.parameters();
    let mut setups = vec![setup(&gpu, Scheme::StallOnFault, request.queue, None)];
    for (_, schemes, logs) in FIGURES.iter().filter(|(name, ..)| request.has(name)) {
        for &scheme in *schemes {
            match logs.is_empty() {
                true => setups.push(setup(&gpu, scheme, request.queue, None)),
                false => {
                    let with =
                        |kilobytes| setup(&gpu, scheme, request.queue, Some(kilobytes << 10));
                    setups.extend(logs.iter().copied().map(with));
                }
            }
        }
    }
    Ok(setups)
}

/// The other kinds of the paper's hardest case.
fn variants(request: &Request) -> Result<Vec<Work>> {
    match request.code {
        Code::Written => request.workloads(&KERNELS).variants(),
        Code::Compiled => compiled::variants(request.scale),
    }
}

/// The rows of all kernels that are of one sort.
fn all(rows: &[Rows], of: impl Fn(&Rows) -> &[Row]) -> Vec<Row> {
    rows.iter().flat_map(|rows| of(rows).to_vec()).collect()
}

impl Family for Schemes {
    type Rows = Rows;

    fn figures(&self) -> &'static [&'static str] {
        &[FIGURES[0].0, FIGURES[1].0]
    }

    fn about(&self) -> &'static str {
        "Tanasic et al., MICRO-50: what the schemes cost while nothing faults"
    }

    fn takes(&self) -> &'static [Taken] {
        &[
            "--code",
            "--kernels",
            "--scale",
            "--sms",
            "--queue",
            "--runs",
        ]
    }

    fn kernels(&self, _: &Request) -> Vec<&'static str> {
        KERNELS.map(|(name, _)| name).to_vec()
    }

    fn drawn(&self, request: &Request) -> Vec<&'static str> {
        request.figures[..1].to_vec()
    }

    fn run(&self, request: &Request, kernel: &str) -> Result<Rows> {
        let own = request.of_kernel(kernel);
        let setups = setups(request)?;
        let run = |works: &[Work], setups: &[Setup]| {
            jobs::run(works, setups, request.runs, &ProgressBar::hidden())
        };
        let works = own.parboil()?;
        let plain = run(&works, &setups)?;
        let mut rows = Rows {
            plain,
            long_queue: Vec::new(),
            variants: Vec::new(),
            ways: Vec::new(),
        };
        if !request.has_page {
            return Ok(rows);
        }
        if request.queue != LONGEST {
            let (_, change) = markdown::LONG_QUEUE;
            let mut varied = setups.clone();
            varied
                .iter_mut()
                .for_each(|setup| change(&mut setup.parameters));
            rows.long_queue = run(&works, &varied)?;
        }
        if request.is_the_papers(self.sms()) && kernel == HARDEST.0 {
            rows.variants = run(&variants(request)?, &setups)?;
        }
        if request.code == Code::Compiled {
            let compared = compiled::compared(&setups);
            for (_, options) in Options::COMPARED {
                let of_way = match options == Options::default() {
                    true => rows.plain.clone(),
                    false => run(&own.parboil_with(options)?, &compared)?,
                };
                rows.ways.push(of_way);
            }
        }
        Ok(rows)
    }

    fn json(&self, request: &Request, rows: &[Rows]) -> Result<Value> {
        let plain = all(rows, |rows| &rows.plain);
        let results = tables::Results::new(&plain, request.is_the_papers(self.sms()));
        Value::of(&results).map_err(|error| miette!("{error}"))
    }

    fn text(&self, request: &Request, rows: &[Rows]) -> String {
        let plain = all(rows, |rows| &rows.plain);
        let text = tables::text(&plain, request.is_the_papers(self.sms()), output::width());
        format!("{text}\n\n{}", request.about())
    }

    fn page(&self, request: &Request, rows: &[Rows]) -> Result<String> {
        let plain = all(rows, |rows| &rows.plain);
        let long_queue = all(rows, |rows| &rows.long_queue);
        let variations = match long_queue.is_empty() {
            true => Vec::new(),
            false => vec![(markdown::LONG_QUEUE.0, long_queue)],
        };
        let compared = match request.code {
            Code::Written => String::new(),
            Code::Compiled => {
                let ways: Vec<Vec<Row>> = (0..Options::COMPARED.len())
                    .map(|way| all(rows, |rows| rows.ways.get(way).map_or(&[][..], |rows| rows)))
                    .collect();
                compiled::ways(&setups(request)?, &plain, &ways)
            }
        };
        let is_beside_paper = request.is_the_papers(self.sms());
        let page = Page {
            title: "Figures 10 and 11",
            command: request.command.clone(),
            machine: format!(
                "a GPU of {} SMs, which share L2 TLB, page walkers, L2 cache and DRAM,",
                request.sms
            ),
            runs: request.runs,
            differ: "with the first thread block on another SM each time",
            faults: "Nothing faults: this is what the schemes cost while they are not needed. Every \
                     translation is compared with the page tables, and registers and memory at the end with those \
                     of a run without a GPU."
                .to_owned(),
            assumptions: markdown::assumptions(&GPU, request.queue),
            is_beside_paper,
            kernels: match request.code {
                Code::Written => markdown::WRITTEN,
                Code::Compiled => compiled::PROGRAMS,
            },
            kinds: match request.code {
                Code::Written => explain::KINDS,
                Code::Compiled => compiled::KINDS,
            },
            compared,
        };
        let variants = all(rows, |rows| &rows.variants);
        let version = env!("CARGO_PKG_VERSION");
        let origin = format!(" with the reference model of Faultline {version}");
        Ok(markdown::markdown(
            &page,
            &plain,
            &variations,
            &variants,
            &origin,
        ))
    }

    fn pictures(&self, request: &Request, rows: &[Rows]) -> Result<Vec<Picture>> {
        let plain = all(rows, |rows| &rows.plain);
        let svg = plot::svg(&plain, request.is_the_papers(self.sms()), request.caption());
        let svg = svg.map_err(|error| miette!("{error}"))?;
        Ok(vec![(request.figures[0], svg)])
    }
}
