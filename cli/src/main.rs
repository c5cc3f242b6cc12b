//! The `faultline` command.

mod bars;
mod doctor;
mod ending;
mod experiments;
mod flows;
mod output;
mod shell;
mod value;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use output::Global;

use experiments::{figures, gmmu, gpu, preempt, ptx, sm, study, timeline, trace, walk};
use flows::{
    cocotb, cosim, cost, equivalence, explore, export, kit, layout, library, power, report, sram,
};

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
    Explore(explore::Args),
    Power(power::Args),
    Equivalence(equivalence::Args),
    Report(report::Args),
    Sram(sram::Args),
    Library(library::Args),
    Kit(kit::Args),
    Layout(layout::Args),
    Trace(trace::Args),
    Ptx(ptx::Args),
    Sm(sm::Args),
    Timeline(timeline::Args),
    Walk(walk::Args),
    Gpu(Box<gpu::Args>),
    Study(study::Args),
    Figures(figures::Args),
    Gmmu(gmmu::Args),
    Preempt(preempt::Args),
    Doctor(doctor::Args),
    Completions(shell::Completions),
    Man(shell::Man),
}

impl Command {
    /// Whether it runs processes, such as Yosys, which need a scratch folder and end with it.
    const fn runs_tools(&self) -> bool {
        matches!(
            self,
            Self::Cost(_)
                | Self::Explore(_)
                | Self::Power(_)
                | Self::Equivalence(_)
                | Self::Report(_)
                | Self::Sram(_)
                | Self::Library(_)
                | Self::Kit(_)
                | Self::Layout(_)
                | Self::Study(_)
        )
    }
}

/// Two examples of each subcommand.
const EXAMPLES: [(&str, [&str; 2]); 25] = [
    (
        "export",
        [
            "faultline export replay_queue_64 --out rtl",
            "faultline export --check",
        ],
    ),
    (
        "cosim",
        [
            "faultline cosim replay_queue --cycles 100000",
            "faultline cosim l2_tlb_512 --wave l2_tlb.fst",
        ],
    ),
    (
        "cocotb",
        [
            "faultline cocotb replay_queue_64",
            "faultline cocotb gmmu_8 --cycles 50000 --out benches",
        ],
    ),
    (
        "cost",
        [
            "faultline cost replay_queue_64 operand_log_16k",
            "faultline cost gmmu_8 --csv gmmu.csv --netlist netlists",
        ],
    ),
    (
        "explore",
        [
            "faultline explore --svg front.svg --csv points.csv",
            "faultline explore --log 8,16 --banks 32x64 --queue 16,64 --kernels lbm,stencil",
        ],
    ),
    (
        "power",
        [
            "faultline power operand_log_16k --trace kernels",
            "faultline power l1_tlb_32 --netlist l1_tlb.v --saif l1_tlb.saif",
        ],
    ),
    (
        "equivalence",
        [
            "faultline equivalence replay_queue_16",
            "faultline equivalence coalescer_32 l1_tlb_32 --markdown proofs.md",
        ],
    ),
    (
        "report",
        [
            "faultline report",
            "faultline report --out results --trace kernel-1.traceg.xz",
        ],
    ),
    ("sram", ["faultline sram", "faultline sram --macros macros"]),
    (
        "library",
        ["faultline library", "faultline library --write cells.lib"],
    ),
    (
        "kit",
        [
            "faultline kit replay_queue_64 --flow orfs --out kit",
            "faultline kit gmmu_8 --flow fusesoc --out cores",
        ],
    ),
    (
        "layout",
        [
            "faultline layout --out routed",
            "faultline layout replay_queue_16 --density 0.6 --out routed --svg routed.svg",
        ],
    ),
    (
        "trace",
        [
            "faultline trace kernelslist.g",
            "faultline trace kernel-1.traceg.xz --json",
        ],
    ),
    (
        "ptx",
        ["faultline ptx kernel.ptx", "faultline ptx *.ptx --json"],
    ),
    (
        "sm",
        [
            "faultline sm sgemm lbm-8-warps --log 16k",
            "faultline sm kernelslist.g --scheme replay-queue,operand-log",
        ],
    ),
    (
        "timeline",
        [
            "faultline timeline",
            "faultline timeline program.txt --scheme all --svg timeline.svg",
        ],
    ),
    (
        "walk",
        [
            "faultline walk --memory tables.txt --root 1000 7f00a000",
            "faultline walk --memory tables.txt --root 1000 --requests requests.txt --json",
        ],
    ),
    (
        "gpu",
        [
            "faultline gpu stencil --absent",
            "faultline gpu sgemm histo --scheme operand-log,replay-queue --absent --link pcie3",
        ],
    ),
    (
        "study",
        [
            "faultline study study.toml --csv study.csv",
            "faultline study study.toml --snakemake workflow",
        ],
    ),
    (
        "figures",
        [
            "faultline figures tanasic-10 --kernels lbm,stencil",
            "faultline figures --runs 4 --markdown performance.md --svg performance.svg",
        ],
    ),
    (
        "gmmu",
        ["faultline gmmu", "faultline gmmu --sms 4 --svg walks.svg"],
    ),
    (
        "preempt",
        [
            "faultline preempt",
            "faultline preempt kernels --progress 50",
        ],
    ),
    ("doctor", ["faultline doctor", "faultline doctor --json"]),
    (
        "completions",
        [
            "faultline completions bash > ~/.local/share/bash-completion/completions/faultline",
            "faultline completions fish > ~/.config/fish/completions/faultline.fish",
        ],
    ),
    (
        "man",
        [
            "faultline man > faultline.1",
            "faultline man --out ~/.local/share/man/man1",
        ],
    ),
];

/// The command with its examples.
fn command() -> clap::Command {
    EXAMPLES
        .into_iter()
        .fold(Cli::command(), |command, (name, lines)| {
            let examples = format!("Examples:\n  {}\n  {}", lines[0], lines[1]);
            command.mut_subcommand(name, |subcommand| {
                let long = subcommand.get_after_long_help();
                let long = long.map(|long| format!("{long}\n\n{examples}"));
                let subcommand = subcommand.after_help(examples);
                match long {
                    Some(long) => subcommand.after_long_help(long),
                    None => subcommand,
                }
            })
        })
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
    let matches = command().try_get_matches();
    let Cli { global, command } = match matches.and_then(|all| Cli::from_arg_matches(&all)) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && !is_help(&error) => {
            let _ = writeln!(std::io::stderr(), "{}", sentence(&error));
            return ExitCode::from(2);
        }
        Err(help) => help.exit(),
    };
    if command.runs_tools()
        && let Err(error) = ending::begin()
    {
        let _ = writeln!(std::io::stderr(), "error: {error}");
        return ExitCode::FAILURE;
    }
    ending::end(run(&global, &command))
}

/// Runs the subcommand.
fn run(global: &Global, command: &Command) -> ExitCode {
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES);
    if let Err(error) = pool.build_global() {
        let _ = writeln!(
            std::io::stderr(),
            "error: no threads can be started ({error})"
        );
        return ExitCode::FAILURE;
    }
    let result = match command {
        Command::Export(args) => export::run(args, global),
        Command::Cosim(args) => cosim::run(args, global),
        Command::Cocotb(args) => cocotb::run(args, global),
        Command::Cost(args) => cost::run(args, global),
        Command::Explore(args) => explore::run(args, global),
        Command::Power(args) => power::run(args, global),
        Command::Equivalence(args) => equivalence::run(args, global),
        Command::Report(args) => report::run(args, global),
        Command::Sram(args) => sram::run(args, global),
        Command::Library(args) => library::run(args, global),
        Command::Kit(args) => kit::run(args, global),
        Command::Layout(args) => layout::run(args, global),
        Command::Trace(args) => trace::run(args, global),
        // What is not supported is no error, and has an exit status of its own.
        Command::Ptx(args) => match ptx::run(args, global) {
            Ok(status) => return status,
            Err(error) => Err(error),
        },
        Command::Sm(args) => sm::run(args, global),
        Command::Timeline(args) => timeline::run(args, global),
        Command::Walk(args) => walk::run(args, global),
        Command::Gpu(args) => gpu::run(args, global),
        Command::Study(args) => study::run(args, global),
        Command::Figures(args) => figures::run(args, global),
        Command::Gmmu(args) => gmmu::run(args, global),
        Command::Preempt(args) => preempt::run(args, global),
        Command::Doctor(args) => doctor::run(args, global),
        Command::Completions(args) => shell::completions(args, global),
        Command::Man(args) => shell::man(args, global),
    };
    ending::give_way();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // With standard error closed the message is lost.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_has_two_examples_that_it_accepts() {
        let mut names: Vec<String> = Cli::command()
            .get_subcommands()
            .map(|subcommand| subcommand.get_name().to_owned())
            .collect();
        for (name, lines) in EXAMPLES {
            names.retain(|known| known != name);
            for line in lines {
                // What a shell takes for itself is not the command's.
                let words = line.split(" > ").next().unwrap_or_default().split(' ');
                let parsed = command().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{line}: {:?}", parsed.err());
                assert!(line.starts_with(&format!("faultline {name}")), "{line}");
            }
            let help = command().find_subcommand_mut(name).map(|subcommand| {
                [subcommand.render_help(), subcommand.render_long_help()]
                    .map(|help| help.to_string())
            });
            for help in help.into_iter().flatten() {
                assert!(
                    lines.iter().all(|line| help.contains(line)),
                    "{name}: {help}"
                );
            }
        }
        assert!(names.is_empty(), "without examples: {names:?}");
    }

    #[test]
    fn help_is_wrapped() {
        for name in EXAMPLES.map(|(name, _)| name) {
            let mut whole = command().term_width(80);
            let help = whole.find_subcommand_mut(name).map(|subcommand| {
                subcommand
                    .clone()
                    .term_width(80)
                    .render_long_help()
                    .to_string()
            });
            let help = help.unwrap_or_default();
            let (told, examples) = help.split_once("Examples:").unwrap_or((&help, ""));
            assert!(!examples.is_empty(), "{name}");
            let longest = told.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(80), "{name}:\n{told}");
        }
    }
}
