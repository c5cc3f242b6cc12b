//! `faultline figures`: the papers' figures from the GPU, beside the papers' numbers.

mod active_pointers;
mod causes;
mod code;
mod compiled;
pub mod family;
mod handling;
mod mmu;
mod paging;
mod pep;
mod power;
pub mod report;
pub mod runs;
pub mod schemes;
mod switching;

use std::path::PathBuf;

use faultline_testbench::file;
use miette::{Report, Result, miette};
use serde::Serialize;

use self::code::Code;
use self::family::{AnyFamily, Drawn, Request, Taken, asked, run_all};
use super::ordered::Value;
use crate::Global;
use crate::output::{self, progress};

/// All figures, by the runs that they share.
pub const FAMILIES: [&dyn AnyFamily; 8] = [
    &schemes::Schemes,
    &switching::Switching,
    &handling::HandledByWarps,
    &paging::Paging,
    &power::Power,
    &mmu::Mmu,
    &pep::Pep,
    &active_pointers::ActivePointers,
];

/// Sixteenths of a program's range that the papers' sizes have.
const WHOLE: u32 = 16;
/// Entries of the replay queue, if nothing else is asked for.
const QUEUE: usize = 64;
/// Every figure.
const ALL: &str = "all";

/// How much runs.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A part of each program's thread blocks, and of the programs where runs are long.
    Small,
    /// All programs at the papers' problem sizes, with the whole range of thread blocks.
    Paper,
}

fn about() -> String {
    let figures =
        FAMILIES.map(|family| format!("{}: {}.", family.figures().join(", "), family.about()));
    format!(
        "Figures that share their runs are drawn together. {}",
        figures.join(" ")
    )
}

/// Draw figures of the papers from a whole GPU, beside the papers' numbers, with the causes of what differs
#[derive(clap::Args, Clone, Debug)]
#[command(long_about = format!(
    "Draw figures of the papers from a whole GPU, beside the papers' numbers, with the causes of what differs\n\n{}",
    about()
))]
pub struct Args {
    /// Names of figures, or all
    #[arg(value_name = "FIGURE", default_value = ALL, value_parser = figure)]
    figures: Vec<String>,
    /// Kernels in place of all
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = kernel)]
    kernels: Vec<String>,
    /// What is run: kernels written by hand after access patterns, or compiled programs at the papers' sizes [default: compiled]
    #[arg(long, value_enum)]
    code: Option<Code>,
    /// How much runs: all figures take minutes or hours
    #[arg(long, value_enum, default_value_t = Size::Small)]
    size: Size,
    /// Thread blocks of the kernels, as a multiple; of programs, sixteenths of the range that is run [default: 1, or 16 with --size
    /// paper]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    scale: Option<u32>,
    /// SMs of the GPU [default: the paper's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    sms: Option<u32>,
    /// Entries of the replay queue: a power of two up to 128 [default: 64]
    #[arg(long, value_name = "N", value_parser = queue)]
    queue: Option<usize>,
    /// Runs each so often, with the first thread block on another SM each time, and shows their means [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=16))]
    runs: Option<u64>,
    /// Draw the figure that is asked for to this file
    #[arg(long, value_name = "FILE.svg", value_parser = output::svg_file)]
    svg: Option<PathBuf>,
    /// Write a report to this file, with what the figures rest on and the causes of what differs
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write report, pictures and numbers to this folder: figures.md, figures.json and a picture each
    #[arg(long, value_name = "DIR", conflicts_with_all = ["svg", "markdown"])]
    folder: Option<PathBuf>,
    /// Whether a study asks, which has keys in place of options.
    #[arg(skip)]
    is_study: bool,
}

/// The options that are keys of a study.
const KEYS: [Taken; 2] = ["--kernels", "--scale"];

/// The name of a figure.
pub fn figure(name: &str) -> std::result::Result<String, String> {
    let known = FAMILIES.iter().flat_map(|family| family.figures());
    let known: Vec<&str> = known.copied().collect();
    match name == ALL || known.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!("there are {}, and all", known.join(", "))),
    }
}

/// The name of a kernel.
pub fn kernel(name: &str) -> std::result::Result<String, String> {
    let mut known: Vec<&str> = Vec::new();
    for family in FAMILIES
        .iter()
        .filter(|family| family.takes().contains(&"--kernels"))
    {
        let kernels = family.kernels(&request(*family, family.figures().to_vec()));
        known.extend(kernels);
    }
    known.sort_unstable();
    known.dedup();
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

/// Figures of a family as the paper has them, at its sizes.
pub fn request(family: &dyn AnyFamily, figures: Vec<&'static str>) -> Request {
    Request {
        figures,
        kernels: Vec::new(),
        code: Code::default(),
        scale: WHOLE,
        sms: family.sms(),
        queue: QUEUE,
        runs: 1,
        has_page: true,
        command: String::new(),
    }
}

impl Args {
    /// The options that are given, of those that not all figures take.
    fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--code", self.code.is_some()),
            ("--kernels", !self.kernels.is_empty()),
            ("--scale", self.scale.is_some()),
            ("--sms", self.sms.is_some()),
            ("--queue", self.queue.is_some()),
            ("--runs", self.runs.is_some()),
        ];
        let given = all.into_iter().filter(|(_, is_given)| *is_given);
        given.map(|(option, _)| option).collect()
    }

    fn is_all(&self) -> bool {
        self.figures.iter().any(|name| name == ALL)
    }

    /// What is asked of each family. All figures take each option that they have; figures that are named have to take all.
    fn requests(&self) -> Result<Vec<(&'static dyn AnyFamily, Request)>> {
        let mut requests = Vec::new();
        for family in FAMILIES {
            let is_asked =
                |name: &&&str| self.is_all() || self.figures.iter().any(|one| one == **name);
            let figures: Vec<&'static str> =
                family.figures().iter().filter(is_asked).copied().collect();
            if figures.is_empty() {
                continue;
            }
            if let Some(request) = self.request(family, figures)? {
                requests.push((family, request));
            }
        }
        match requests.is_empty() {
            true => Err(miette!("no figure has all of these options")),
            false => Ok(requests),
        }
    }

    /// The error of an option that figures do not take, with those that they take.
    fn leave_out(&self, names: &str, other: &str, takes: &[Taken]) -> Report {
        let is_there = |option: &&Taken| !self.is_study || KEYS.contains(option);
        let takes: Vec<Taken> = takes.iter().filter(is_there).copied().collect();
        let takes = match takes.is_empty() {
            true => "none".to_owned(),
            false => takes.join(", "),
        };
        let sentence = match self.is_study {
            // Keys of a file have no dashes.
            true => format!("leave out {other}; of such keys there are {takes}").replace("--", ""),
            false => format!("leave out {other}; of such options there are {takes}"),
        };
        miette!("{names}: {sentence}")
    }

    /// What is asked of a family; nothing if none of its kernels is asked for.
    fn request(
        &self,
        family: &'static dyn AnyFamily,
        figures: Vec<&'static str>,
    ) -> Result<Option<Request>> {
        let takes = family.takes();
        let names = figures.join(" ");
        let mut others = self
            .given()
            .into_iter()
            .filter(|option| !takes.contains(option));
        if let Some(other) = others.next().filter(|_| !self.is_all()) {
            return Err(self.leave_out(&names, other, takes));
        }
        let (small, scale) = family.small();
        let (is_small, takes) = (self.size == Size::Small, |option| takes.contains(&option));
        let mut request = request(family, figures);
        request.scale = match is_small {
            true => scale,
            false => WHOLE,
        };
        if takes("--code") {
            request.code = self.code.unwrap_or_default();
        }
        if takes("--scale") {
            request.scale = self.scale.unwrap_or(request.scale);
        }
        if takes("--sms") {
            request.sms = self.sms.unwrap_or(request.sms);
        }
        if takes("--queue") {
            request.queue = self.queue.unwrap_or(request.queue);
        }
        if takes("--runs") {
            request.runs = self.runs.unwrap_or(request.runs);
        }
        if takes("--kernels") {
            let all = family.kernels(&request);
            request.kernels = match (self.kernels.is_empty(), is_small && self.scale.is_none()) {
                (false, _) => self.kernels.clone(),
                (true, true) => small.iter().map(|kernel| (*kernel).to_owned()).collect(),
                (true, false) => Vec::new(),
            };
            let is_own = |kernel: &String| all.contains(&kernel.as_str());
            if self.is_all() {
                request.kernels.retain(is_own);
                if request.kernels.is_empty() && !self.kernels.is_empty() {
                    return Ok(None);
                }
            }
            if let Some(kernel) = request.kernels.iter().find(|kernel| !is_own(kernel)) {
                return Err(miette!(
                    "{names}: {kernel} takes no part; there are {}",
                    all.join(", ")
                ));
            }
        }
        request.has_page = self.markdown.is_some() || self.folder.is_some();
        request.command = command(family, &request);
        Ok(Some(request))
    }

    /// What was typed for all of them.
    fn command(&self) -> String {
        let mut command = format!("faultline figures {}", self.figures.join(" "));
        if !self.kernels.is_empty() {
            command += &format!(" --kernels {}", self.kernels.join(","));
        }
        if self.code == Some(Code::Written) {
            command += " --code written";
        }
        command += match self.size {
            Size::Small => " --size small",
            Size::Paper => " --size paper",
        };
        for (option, number) in [
            ("--scale", self.scale.map(u64::from)),
            ("--sms", self.sms.map(u64::from)),
            ("--queue", self.queue.map(|queue| queue as u64)),
            ("--runs", self.runs),
        ] {
            if let Some(number) = number {
                command += &format!(" {option} {number}");
            }
        }
        command + " --folder DIR"
    }
}

/// What is typed for the page of a request.
fn command(family: &dyn AnyFamily, request: &Request) -> String {
    let mut command = format!("faultline figures {}", request.figures.join(" "));
    let takes = |option| family.takes().contains(&option);
    if request.code == Code::Written {
        command += " --code written";
    }
    if !request.kernels.is_empty() {
        command += &format!(" --kernels {}", request.kernels.join(","));
    }
    if request.sms != family.sms() {
        command += &format!(" --sms {}", request.sms);
    }
    for (option, number) in [
        ("--scale", u64::from(request.scale)),
        ("--queue", request.queue as u64),
        ("--runs", request.runs),
    ] {
        if takes(option) {
            command += &format!(" {option} {number}");
        }
    }
    command + " --markdown FILE"
}

/// What `--json` gives of several families.
#[derive(Serialize)]
struct Results<'drawn> {
    figures: &'drawn [&'static str],
    results: &'drawn Value,
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
    let requests = args.requests()?;
    let drawn = requests
        .iter()
        .map(|(family, request)| family.drawn(request).len());
    if args.svg.is_some() && drawn.sum::<usize>() != 1 {
        return Err(miette!("--svg draws one figure: name it, or give --folder"));
    }
    if let Some(folder) = &args.folder {
        report::prepare(folder)?;
    }
    let kernels = requests
        .iter()
        .map(|(family, request)| asked(*family, request).len());
    let bar = progress(
        kernels.sum::<usize>() as u64,
        "{wide_bar} {pos}/{len} kernels {msg} {eta}",
    );
    let mut all = Vec::new();
    for (family, request) in &requests {
        bar.set_message(request.figures.join(" "));
        let rows = run_all(*family, request, &bar)?;
        let has_pictures = args.svg.is_some() || args.folder.is_some();
        all.push((request.clone(), family.draw(request, &rows, has_pictures)?));
    }
    bar.finish_and_clear();
    write(args, &all)?;
    show(&all, global)
}

/// Prints figures.
///
/// # Errors
/// If nothing can be printed.
pub fn show(all: &[(Request, Drawn)], global: &Global) -> Result<()> {
    match (all, global.json) {
        ([(_, drawn)], true) => global.print_json(&drawn.json),
        (several, true) => {
            let results = several.iter().map(|(request, drawn)| Results {
                figures: &request.figures,
                results: &drawn.json,
            });
            global.print_json(&results.collect::<Vec<_>>())
        }
        (all, false) => {
            let texts: Vec<&str> = all.iter().map(|(_, drawn)| &*drawn.text).collect();
            global.print(&texts.join("\n\n"))
        }
    }
}

/// What a study asks of each family, with all that a page tells.
///
/// # Errors
/// If no figure has such a scale.
pub fn of_study(
    figures: Vec<String>,
    kernels: Vec<String>,
    size: Size,
    scale: Option<u32>,
) -> Result<Vec<(&'static dyn AnyFamily, Request)>> {
    let args = Args {
        figures,
        kernels,
        code: None,
        size,
        scale,
        sms: None,
        queue: None,
        runs: None,
        svg: None,
        markdown: None,
        folder: Some(PathBuf::new()),
        is_study: true,
    };
    args.requests()
}

/// Writes the files that were asked for.
fn write(args: &Args, all: &[(Request, Drawn)]) -> Result<()> {
    if let Some(folder) = &args.folder {
        return report::write(folder, &args.command(), all);
    }
    let mut link = None;
    let mut pictures = all.iter().flat_map(|(_, drawn)| &drawn.pictures);
    if let (Some(path), Some((_, svg))) = (&args.svg, pictures.next()) {
        file::write_whole(path, svg).map_err(|error| miette!("{error}"))?;
        let is_beside = |page: &PathBuf| page.parent() == path.parent();
        link = path
            .file_name()
            .filter(|_| args.markdown.as_ref().is_some_and(is_beside));
    }
    if let Some(path) = &args.markdown {
        let page = match all {
            [(_, drawn)] => {
                let pictures = link.iter().map(|link| link.to_string_lossy().into_owned());
                report::with_pictures(&drawn.page, pictures)
            }
            several => report::gathered(&args.command(), several, |_| Vec::new()),
        };
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    Ok(())
}
