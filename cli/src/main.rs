//! The `faultline` command.

mod bars;
mod cocotb;
mod cosim;
mod cost;
mod doctor;
mod equivalence;
mod export;
mod gmmu;
mod kit;
mod layout;
mod library;
mod output;
mod power;
mod preempt;
mod report;
mod sm;
mod sram;
mod timeline;
mod trace;
mod value;
mod walk;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub(crate) use output::Global;

/// GPU page-fault hardware: export, lockstep, cost.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Export(export::Args),
    Cosim(cosim::Args),
    Cocotb(cocotb::Args),
    Cost(cost::Args),
    Power(power::Args),
    Equivalence(equivalence::Args),
    Report(report::Args),
    Sram(sram::Args),
    Library(library::Args),
    Kit(kit::Args),
    Layout(layout::Args),
    Trace(trace::Args),
    Sm(sm::Args),
    Timeline(timeline::Args),
    Walk(walk::Args),
    Gmmu(gmmu::Args),
    Preempt(preempt::Args),
    Doctor(doctor::Args),
}

/// A block of 64 warps is built on the stack of a thread.
const STACK_BYTES: usize = 64 << 20;

/// Whether it only shows the help: there was no argument at all.
fn is_help(error: &clap::Error) -> bool {
    error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// What is wrong with the arguments, in one line: all that clap says before it repeats how the command is used.
fn sentence(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let told = text
        .split("\n\nUsage:")
        .next()
        .and_then(|told| told.split("\n\nFor more information").next())
        .unwrap_or_default();
    let paragraphs = told.split("\n\n").map(|paragraph| {
        let lines = paragraph.lines().map(str::trim);
        lines.collect::<Vec<_>>().join(" ")
    });
    paragraphs.collect::<Vec<_>>().join("; ")
}

fn main() -> ExitCode {
    let Cli { global, command } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && !is_help(&error) => {
            let _ = writeln!(std::io::stderr(), "{}", sentence(&error));
            return ExitCode::from(2);
        }
        Err(help) => help.exit(),
    };
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES);
    if let Err(error) = pool.build_global() {
        let _ = writeln!(
            std::io::stderr(),
            "error: no threads can be started ({error})"
        );
        return ExitCode::FAILURE;
    }
    let result = match &command {
        Command::Export(args) => export::run(args, &global),
        Command::Cosim(args) => cosim::run(args, &global),
        Command::Cocotb(args) => cocotb::run(args, &global),
        Command::Cost(args) => cost::run(args, &global),
        Command::Power(args) => power::run(args, &global),
        Command::Equivalence(args) => equivalence::run(args, &global),
        Command::Report(args) => report::run(args, &global),
        Command::Sram(args) => sram::run(args, &global),
        Command::Library(args) => library::run(args, &global),
        Command::Kit(args) => kit::run(args, &global),
        Command::Layout(args) => layout::run(args, &global),
        Command::Trace(args) => trace::run(args, &global),
        Command::Sm(args) => sm::run(args, &global),
        Command::Timeline(args) => timeline::run(args, &global),
        Command::Walk(args) => walk::run(args, &global),
        Command::Gmmu(args) => gmmu::run(args, &global),
        Command::Preempt(args) => preempt::run(args, &global),
        Command::Doctor(args) => doctor::run(args, &global),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // With standard error closed there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}
