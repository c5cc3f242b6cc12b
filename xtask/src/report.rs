//! `cargo xtask report`: the table of costs first, then everything else.

use std::process::{Command, ExitCode};
use std::thread;

use crate::{binaries, cargo, setup, succeeds};

/// The blocks whose Verilog the report runs in lockstep.
const REPORTED: &str = "replay_queue,operand_log";

/// Sets up, prints the table of the committed Verilog, and runs `faultline report`.
///
/// The program of the table is compiled while Debian's packages come, and the rest while the table is made. Options choose
/// other designs, so the table is then that of the report alone.
///
/// # Errors
/// If something cannot be set up, or does not start.
pub fn run(options: &[String]) -> Result<ExitCode, String> {
    let (set_up, program) = thread::scope(|scope| {
        let compile = || binaries::program("faultline-synth");
        let program = options.is_empty().then(|| scope.spawn(compile));
        (setup::run(), program.map(|program| joined(program.join())))
    });
    set_up?;
    let mut table = program.transpose()?.map(Command::new);
    let (shown, built) = thread::scope(|scope| {
        let built = scope.spawn(|| succeeds(&mut build()));
        let shown: Result<bool, String> = table.as_mut().map_or(Ok(true), |table| {
            let shown = succeeds(table)?;
            if shown {
                println!("Next: performance, lockstep with the Verilated blocks, and the page.");
            }
            Ok(shown)
        });
        (shown, joined(built.join()))
    });
    if !(shown? && built?) {
        return Ok(ExitCode::FAILURE);
    }
    let mut report = of_report("run");
    crate::run(report.args(["--", "report"]).args(options))
}

/// Compiles the command, behind the table, and with more jobs than cores: what many crates wait for then begins early.
fn build() -> Command {
    let jobs = thread::available_parallelism().map_or(4, |cores| 2 * cores.get());
    let mut command = of_report("build");
    command.args(["--quiet", "--jobs", &jobs.to_string()]);
    behind(command)
}

/// The command at the lowest priority, where the system has `nice`.
fn behind(command: Command) -> Command {
    if !setup::is_file_on_path("nice") {
        return command;
    }
    let mut nice = Command::new("nice");
    nice.args(["-n", "19"])
        .arg(command.get_program())
        .args(command.get_args())
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(crate::root());
    nice
}

/// A command of cargo for the program with what the report Verilates.
fn of_report(command: &str) -> Command {
    let mut cargo = cargo();
    cargo.env("FAULTLINE_BLOCKS", REPORTED);
    cargo.args([command, "--package", "faultline", "--features", "verilog"]);
    cargo
}

/// What a thread gives.
fn joined<T>(thread: thread::Result<Result<T, String>>) -> Result<T, String> {
    thread.map_err(|_| "a thread of the set-up ended early")?
}
