//! `faultline explore`: logs, their banks and queues, by what they cost and what they lose.

mod axes;
mod costs;
mod plot;
mod points;
mod speed;
mod tables;

use std::path::PathBuf;

use faultline_sim::simt::kernels::KERNELS;
use faultline_testbench::file;
use miette::{Result, miette};

use self::axes::Banks;
use self::tables::Explored;
use crate::Global;
use crate::experiments::figures::schemes::Schemes;
use crate::experiments::figures::{self, Size};
use crate::experiments::gpu::csv::csv;
use crate::flows::cost::Synthesis;
use crate::output::{self, quoted};
use crate::value::integer_in;

/// Compare sizes of the operand log, its banks and sizes of the replay queue by area, power, clock and performance
///
/// Each log and each queue is synthesized once; the programs run once with each pair of sizes. The table has all combinations, and a
/// sentence names the smallest log that is near enough to the baseline, which stalls on a fault.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Sizes of the log in KB [default: 4,8,12,16,20,24,32,48,64]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = axes::log)]
    log: Vec<usize>,
    /// Banks of the log and the bits of each [default: 8x256,16x128,32x64,64x32]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = axes::banks)]
    banks: Vec<Banks>,
    /// Entries of the replay queue [default: 16,32,64,128]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = axes::queue)]
    queue: Vec<usize>,
    /// Programs that run [default: all eleven after Parboil's]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = axes::kernel)]
    kernels: Vec<String>,
    /// How much of each program runs: minutes or hours
    #[arg(long, value_enum, default_value_t = Size::Small)]
    size: Size,
    /// SMs of the GPU
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = integer_in::<u32>(1..=64))]
    sms: u32,
    /// Runs each so often, with the first thread block on another SM each time, and shows their means
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = integer_in::<u64>(1..=16))]
    runs: u64,
    /// The SM that gets the first thread block follows from the seed
    #[arg(long, default_value_t = 1, value_parser = integer_in::<u64>(0..=u64::MAX))]
    seed: u64,
    /// How far the smallest log may be from the baseline, percent
    #[arg(long, value_name = "PERCENT", default_value = "1", allow_negative_numbers = true, value_parser = axes::within)]
    within: f64,
    /// Cell library, .lib or .lib.gz; the embedded 45 nm library if not given
    #[arg(long, value_name = "FILE")]
    liberty: Option<PathBuf>,
    #[command(flatten)]
    synthesis: Synthesis,
    /// Also write the points to this CSV file, with the fields of --json
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also write the table to this Markdown file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Draw area added against performance lost to this file, with the paper's logs
    #[arg(long, value_name = "FILE.svg", value_parser = output::svg_file)]
    svg: Option<PathBuf>,
}

impl Args {
    /// The command that makes the points again.
    fn command(&self, logs: &[usize], banks: &[Banks], queues: &[usize]) -> String {
        fn listed<T: ToString>(all: &[T]) -> String {
            all.iter().map(T::to_string).collect::<Vec<_>>().join(",")
        }
        let mut command = format!(
            "faultline explore --log {} --banks {} --queue {}",
            listed(logs),
            listed(banks),
            listed(queues)
        );
        if !self.kernels.is_empty() {
            command += &format!(" --kernels {}", self.kernels.join(","));
        }
        command += match self.size {
            Size::Small => " --size small",
            Size::Paper => " --size paper",
        };
        command += &format!(
            " --sms {} --runs {} --seed {} --within {}",
            self.sms, self.runs, self.seed, self.within
        );
        if let Some(path) = &self.liberty {
            command += &format!(" --liberty {}", quoted(path.display()));
        }
        command + " " + &self.synthesis.command()
    }
}

/// Runs the command.
///
/// # Errors
/// If a tool is missing or fails, a memory has no figures, a run does not come to its end, or a file cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    output::check_files(&[
        ("--csv", args.csv.as_deref()),
        ("--markdown", args.markdown.as_deref()),
        ("--svg", args.svg.as_deref()),
    ])?;
    let logs = axes::chosen(&args.log, &axes::LOGS);
    let banks = axes::chosen(&args.banks, &axes::BANKS);
    let queues = axes::chosen(&args.queue, &axes::QUEUES);
    let names = KERNELS.map(|(name, _)| name);
    let is_chosen = |name: &&&str| {
        args.kernels.is_empty() || args.kernels.iter().any(|kernel| kernel == **name)
    };
    let mut request = figures::request(&Schemes, Vec::new());
    request.kernels = names
        .iter()
        .filter(is_chosen)
        .map(|name| (*name).to_owned())
        .collect();
    request.sms = args.sms;
    request.runs = args.runs;
    if args.size == Size::Small {
        request.scale = 1;
    }
    let in_banks = |&log: &usize| banks.iter().map(move |&banks| (log, banks));
    let banked: Vec<(usize, Banks)> = logs.iter().flat_map(in_banks).collect();
    let command = args.command(&logs, &banks, &queues);
    let costs = costs::measure(
        &banked,
        &queues,
        args.liberty.as_deref(),
        args.synthesis,
        command,
    )?;
    let speeds = speed::measure(&request, args.seed, &logs, &queues)?;
    let points = points::points(&costs, &speeds);
    let explored = Explored::new(&request, args.seed, args.within, points, costs.origin);
    // All texts are made before the first file is written.
    let mut files = Vec::new();
    if let Some(path) = &args.csv {
        files.push((path, csv(&explored.points)?));
    }
    if let Some(path) = &args.svg {
        let svg = plot::svg(&explored.points, &explored.paper);
        files.push((path, svg.map_err(|error| miette!("{error}"))?));
    }
    if let Some(path) = &args.markdown {
        let beside = args.svg.as_ref();
        let beside = beside.filter(|svg| svg.parent() == path.parent());
        let picture = beside.and_then(|svg| svg.file_name());
        let picture = picture.map(|name| name.to_string_lossy().into_owned());
        files.push((path, explored.markdown(picture, &costs.verilog)));
    }
    for (path, text) in files {
        file::write_whole(path, &text).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&explored),
        false => global.print(&explored.terminal()),
    }
}
