//! `faultline gmmu`: misses of many SMs under the designs of a GMMU, beside the papers.

mod bursts;
mod faults;
mod jobs;
mod markdown;
mod order;
mod plot;
mod tables;

use std::path::PathBuf;

use faultline_sim::machines::translation::{Design, Pattern};
use faultline_testbench::file;
use miette::{Result, miette};

use crate::Global;
use crate::output::{check_files, progress};
use crate::value::integer_in;

/// Run the misses of many SMs on the designs of a GMMU: walk latency, walks in flight, far faults, beside the papers
///
/// Every SM has an L1 TLB and warps that wait for their pages; what translates is the reference of the blocks, cycle by
/// cycle, and performance is that of a machine that translates at once as 100. Several values of one option, such as
/// --threads 8,16,32, are run one after the other.
///
/// stream: warps read pages from end to end. stride: they go down columns. random: one access of 16 goes anywhere. burst:
/// all SMs miss 8 pages at the same moment. gather: now and then an SM misses some 128 pages at once, so that in design 1
/// about 60 walks of an SM are active as one begins, as in Power et al., HPCA 2014, section 4.2 (60 at that CU). one-bursts:
/// one SM misses without end, and counts in nothing but the load; from 2 SMs on. sharing: all SMs read the same pages.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Patterns (stream, stride, random, burst, gather, one-bursts, sharing) or Accel-Sim traces; all patterns if not given
    #[arg(value_name = "PATTERN|TRACE")]
    workloads: Vec<String>,
    /// More of them, in a list
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pattern: Vec<String>,
    /// 1, 2, 3, shared-l2, shared-l2-pwc, ideal-pwc (Power et al., HPCA 2014, Table 2), or all
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "all", value_parser = design)]
    design: Vec<Choice>,
    /// Walks at once of a walker, in place of the design's: powers of two up to 64
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = power(1, 64))]
    threads: Vec<usize>,
    /// Bytes of the page-walk cache, in place of the design's: 0, or powers of two up to 64k, such as 8k
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = bytes)]
    pwc: Vec<usize>,
    /// Entries of the L2 TLB, in place of the design's: 0, or powers of two from 16 to 4096
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = entries)]
    l2: Vec<usize>,
    /// Far faults that the GMMU holds for each SM: 4 if not given
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = integer_in::<usize>(1..=64))]
    mshr_per_sm: Vec<usize>,
    /// Pages that an L1 TLB waits for: 128 if not given, so that as many walks of an SM are active as in the paper; the block
    /// has 8
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = power(1, 128))]
    misses: Vec<usize>,
    /// How misses are served: turns (of the SMs) or first-come
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "turns"
    )]
    order: Vec<Order>,
    /// SMs
    #[arg(long, default_value_t = 16, value_name = "N", value_parser = integer_in::<usize>(1..=16))]
    sms: usize,
    /// Pages that are absent at first, percent: 0, or 100 with --mshr-per-sm or --service-us
    #[arg(long, value_name = "PERCENT", value_parser = integer_in::<u8>(0..=100))]
    far_faults: Option<u8>,
    /// Microseconds in which the driver brings a page, at 1.4 GHz: 20 if not given
    #[arg(long, value_name = "US", value_parser = integer_in::<u64>(1..=1000))]
    service_us: Option<u64>,
    /// Cycles of a read of a page-table entry from memory
    #[arg(long, default_value_t = 300, value_name = "N", value_parser = integer_in::<u64>(1..=10_000))]
    memory_latency: u64,
    /// The same seed gives the same accesses and the same absent pages
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw what was run to this file
    #[arg(long, value_name = "FILE.svg", value_parser = crate::output::svg_file)]
    svg: Option<PathBuf>,
    /// Write a report to this file: all designs on all patterns, both orders, and 1 to 16 far faults for each SM
    #[arg(long, value_name = "FILE", conflicts_with_all = ["workloads", "pattern", "design", "threads", "pwc", "l2", "mshr_per_sm", "misses", "order", "far_faults", "svg"])]
    markdown: Option<PathBuf>,
}

/// How misses are served.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Turns,
    FirstCome,
}

/// A design, or all of them.
#[derive(Clone, Copy, Debug)]
enum Choice {
    One(Design),
    All,
}

fn design(text: &str) -> std::result::Result<Choice, String> {
    let known = || Design::ALL.map(Design::name).join(", ");
    match text {
        "all" => Ok(Choice::All),
        _ => Design::named(text)
            .map(Choice::One)
            .ok_or_else(|| format!("there are {}, and all", known())),
    }
}

/// Reads a power of two.
fn power(least: usize, most: usize) -> impl Fn(&str) -> std::result::Result<usize, String> + Clone {
    move |text| {
        let number = text.parse().ok();
        number
            .filter(|number: &usize| number.is_power_of_two())
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| format!("give a power of two from {least} to {most}"))
    }
}

fn entries(text: &str) -> std::result::Result<usize, String> {
    match text {
        "0" => Ok(0),
        _ => power(16, 4096)(text).map_err(|expected| format!("{expected}, or 0 for none")),
    }
}

fn bytes(text: &str) -> std::result::Result<usize, String> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1 << 10),
        None => (text, 1),
    };
    let number = digits.parse::<usize>().ok();
    number
        .and_then(|number| number.checked_mul(unit))
        .filter(|bytes| *bytes == 0 || (bytes.is_power_of_two() && (64..=64 << 10).contains(bytes)))
        .ok_or_else(|| {
            "give bytes that are a power of two from 64 to 64k, such as 8k, or 0 for none"
                .to_owned()
        })
}

impl Args {
    /// The designs that were asked for, each once.
    fn designs(&self) -> Vec<Design> {
        let asked = |design: &Design| {
            self.design.iter().any(|choice| match choice {
                Choice::One(one) => one == design,
                Choice::All => true,
            })
        };
        Design::ALL.into_iter().filter(asked).collect()
    }

    /// Pages that are absent at first.
    fn far_percent(&self) -> u8 {
        let asked = !self.mshr_per_sm.is_empty() || self.service_us.is_some();
        let absent = asked && self.markdown.is_none();
        self.far_faults.unwrap_or(if absent { 100 } else { 0 })
    }
}

/// Runs the command.
///
/// # Errors
/// If an option makes no sense, a trace cannot be read, or a run does not come to its end.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    check_files(&[
        ("--svg", args.svg.as_deref()),
        ("--markdown", args.markdown.as_deref()),
    ])?;
    if args.markdown.is_some() && args.sms == 1 {
        return Err(miette!(
            "the report compares SMs with one that bursts; give --markdown with --sms 2 or more"
        ));
    }
    let works = jobs::works(args)?;
    let others = markdown::works(args);
    let setups = jobs::setups(args);
    let mut all: Vec<jobs::Job> = jobs::all(&works, &setups);
    let shown = all.len();
    if args.markdown.is_some() {
        all.extend(markdown::jobs(&works, &others, args));
    }
    let bar = progress(all.len() as u64, "{wide_bar} {pos}/{len} runs {eta}");
    let rows = jobs::run(&all, &bar);
    bar.finish_and_clear();
    let rows = rows?;
    if let Some(path) = &args.svg {
        let svg = plot::svg(&rows).map_err(|error| miette!("{error}"))?;
        file::write_whole(path, &svg).map_err(|error| miette!("{error}"))?;
    }
    if let Some(path) = &args.markdown {
        let page = markdown::markdown(args, &rows);
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&&rows[..shown]),
        false => global.print(&tables::text(&rows[..shown])),
    }
}

/// The names of the patterns.
fn patterns() -> String {
    Pattern::ALL.map(Pattern::name).join(", ")
}
