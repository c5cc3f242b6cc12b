//! `cargo xtask setup|codegen|block|quick|test|report|book|dist`: set-up, generated files, the loops, the two commands, the
//! book and the archive.

mod binaries;
mod book;
mod checks;
mod claims;
mod codegen;
mod dist;
mod links;
mod loops;
mod python;
mod report;
mod setup;
mod steps;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::{Parser, Subcommand};

/// Set up what is missing, write what follows from the kernels, test everything, or make the report.
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install the packages of Debian and PyPI that are missing; does nothing if all are there
    Setup,
    /// Write what follows from the ports of the kernels: port tables of the pages, `ports!` of the models
    ///
    /// A port is written once, as a field of its block's struct in `hw/src`, with a doc comment that is a sentence. What
    /// a type of the kernel is called on the page and what it is in the model stands in `widths!` of the model's file.
    Codegen {
        /// Write nothing, and fail if a file is not as the kernels say
        #[arg(long)]
        check: bool,
    },
    /// Set up, then check and test everything; the last line is "N passed, N failed"
    Test {
        /// Run every obligation, whether or not the ledger has a valid row of it
        #[arg(long)]
        full: bool,
    },
    /// Export the Verilog, and run the lints, the lockstep and the proofs of one block, such as replay_queue
    Block {
        /// The block
        name: String,
    },
    /// Format, lint the crates that differ from the last commit, check the export and the links
    Quick,
    /// Build the book of docs into target/book, check its links, and print the path of its first page
    Book,
    /// Make the archive for those who use the Verilog without Rust: `target/dist/faultline-<version>.tar.gz`
    ///
    /// It has the Verilog, a cocotb test bench of each design, the reports and the book.
    Dist {
        /// Clock cycles of random traffic in each test bench
        #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
        cycles: u64,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the committed reports of Verilog, and the commands that make them
    Reports {
        /// Only those of other Verilog than that at hand
        #[arg(long)]
        stale: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Set up, print the table of costs, and run `faultline report`: Verilog, lockstep, schemes, report/index.html
    Report {
        /// Options for `faultline report`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<String>,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().task {
        Task::Setup => setup::run().map(|()| {
            let failed = [python::run().err(), python::mdbook().err()];
            for sentence in failed.into_iter().flatten() {
                println!("set-up: {sentence}");
            }
            ExitCode::SUCCESS
        }),
        Task::Test { full } => checks::run(full),
        Task::Block { name } => loops::block(&name),
        Task::Book => book::run(),
        Task::Dist { cycles, json } => dist::run(cycles, json),
        Task::Quick => loops::quick(),
        Task::Codegen { check } => codegen::run(&root(), check).map(|sentence| {
            println!("{sentence}");
            ExitCode::SUCCESS
        }),
        Task::Reports { stale, json } => reports(stale, json),
        Task::Report { options } => report::run(&options),
    };
    result.unwrap_or_else(|sentence| {
        // With standard error closed there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "error: {sentence}");
        ExitCode::FAILURE
    })
}

/// The folder of the workspace in which cargo runs this, which with a shared target need not be the one that compiled it.
fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().unwrap_or(&package).to_owned()
}

/// The cargo that runs this, in the workspace's folder.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

fn reports(stale: bool, json: bool) -> Result<ExitCode, String> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--package", "faultline-testbench"]);
    let which = if stale { "--stale" } else { "--list" };
    command.args(["--example", "same", "--", which]);
    run(command.args(json.then_some("--json")))
}

/// Runs a command that says itself what is wrong.
fn run(command: &mut Command) -> Result<ExitCode, String> {
    succeeds(command).map(|succeeds| match succeeds {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Runs a command that says itself what is wrong; false if something is.
fn succeeds(command: &mut Command) -> Result<bool, String> {
    let status = command.status();
    let status = status.map_err(|error| format!("cargo does not start ({error})"))?;
    Ok(status.success())
}
