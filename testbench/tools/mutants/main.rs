//! Mutants of the exported Verilog, each with one fault, against the lockstep's traffic:
//! `cargo run --release -p faultline-testbench --example mutants`.
//!
//! Yosys draws the faults and builds one netlist that holds them all, chosen by an input. Verilator runs each of them on
//! the random traffic of its block until an output differs from the reference. What survives is proved to be the same
//! circuit, or it is named.

mod equivalence;
mod known_bugs;
mod netlist;
mod report;
mod simulation;
mod tool;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use faultline_hw::registry::{self, Design};
use faultline_testbench::{file, origin};
use indicatif::{ProgressBar, ProgressStyle};

use netlist::Netlist;
use report::{Campaign, Fate, KnownBug};
use simulation::Population;

/// Mutants of the exported Verilog against the lockstep
#[derive(Parser)]
pub struct Options {
    /// A design, such as replay_queue_64; the paper's sizes and the proofs' sizes if not given
    #[arg(long = "design", value_name = "NAME")]
    designs: Vec<String>,
    /// Mutants of each design
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    mutants: u16,
    /// The same seed gives the same mutants and the same traffic
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Clock cycles after which a mutant has survived; continuous integration runs more of each size
    #[arg(long, default_value_t = 600_000, value_parser = clap::value_parser!(u64).range(1..))]
    cycles: u64,
    /// Bugs that other walkers and TLBs had, put there by hand, instead of mutants that are drawn
    #[arg(long, conflicts_with_all = ["designs", "mutants", "limit"])]
    known_bugs: bool,
    /// Seconds for each attempt to prove a survivor equivalent; 0 proves nothing
    #[arg(long, default_value_t = 10)]
    limit: u32,
    /// Write the report to this file
    #[arg(long, value_name = "FILE.md")]
    report: Option<PathBuf>,
    /// Print JSON instead of the report
    #[arg(long)]
    json: bool,
}

/// The designs of a campaign, if none is named.
const DESIGNS: [&str; 10] = [
    "replay_queue_64",
    "replay_queue_proof",
    "operand_log_16k",
    "operand_log_proof",
    "coalescer_32",
    "coalescer_proof",
    "l1_tlb_32",
    "l1_tlb_proof",
    "scoreboard_8_holding",
    "scoreboard_proof",
];

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let designs = match options.known_bugs {
        true => chosen(&known_bugs::designs())?,
        false => chosen(&options.designs)?,
    };
    if let Some(path) = &options.report {
        file::check_writable(path).map_err(|error| error.to_string())?;
    }
    let tools = tool::versions()?;
    let origin = origin::verilog(&designs)?;
    let (text, json) = if options.known_bugs {
        let mut bugs = Vec::new();
        for design in &designs {
            bugs.extend(bugion(design, options)?);
        }
        let text = report::known_bugs(&bugs, &tools, &origin, options);
        (text, report::known_bugs_json(&bugs, &tools))
    } else {
        let campaigns: Vec<_> = designs
            .iter()
            .map(|design| campaign(design, options))
            .collect::<Result<_, _>>()?;
        let text = report::markdown(&campaigns, &tools, &origin, options);
        (text, report::json(&campaigns, &tools))
    };
    if let Some(path) = &options.report {
        file::write_whole(path, &text).map_err(|error| error.to_string())?;
    }
    if options.json {
        println!("{json}");
    } else {
        print!("{text}");
    }
    Ok(())
}

/// Runs the bugs of a design that were put there by hand.
fn bugion(design: &Design, options: &Options) -> Result<Vec<KnownBug>, String> {
    let (folder, bugs) = known_bugs::write(design)?;
    let population = Population {
        folder: folder.path(),
        count: bugs.len(),
    };
    let bar = progress(design.name, "cycles", options.cycles);
    let kills = simulation::run(design, &population, options.seed, options.cycles, &bar)?;
    bar.finish_and_clear();
    let pairs = bugs.into_iter().zip(kills);
    Ok(pairs
        .map(|(bug, killed)| KnownBug { bug, killed })
        .collect())
}

fn chosen(names: &[String]) -> Result<Vec<Design>, String> {
    let wanted: Vec<&str> = if names.is_empty() {
        DESIGNS.to_vec()
    } else {
        names.iter().map(String::as_str).collect()
    };
    let find = |name: &str| {
        let known = || {
            let names: Vec<_> = registry::designs()
                .iter()
                .map(|design| design.name)
                .collect();
            format!("there is no design {name}; there are {}", names.join(", "))
        };
        registry::designs()
            .into_iter()
            .find(|design| design.name == name)
            .ok_or_else(known)
    };
    wanted.into_iter().map(find).collect()
}

/// Draws the mutants of a design, runs them, and proves those that survive.
fn campaign(design: &Design, options: &Options) -> Result<Campaign, String> {
    let netlist = Netlist::new(design, options.mutants.into(), options.seed)?;
    let bar = progress(design.name, "cycles", options.cycles);
    let population = Population {
        folder: netlist.path(),
        count: netlist.mutants.len(),
    };
    let kills = simulation::run(design, &population, options.seed, options.cycles, &bar)?;
    bar.finish_and_clear();
    let survivors = kills.iter().filter(|kill| kill.is_none()).count();
    let bar = progress(design.name, "survivors", survivors as u64);
    let proofs = equivalence::Proofs::new(design, &netlist, options.limit)?;
    let mut fates = Vec::new();
    for (mutant, kill) in netlist.mutants.iter().zip(kills) {
        fates.push(match kill {
            Some(cycle) => Fate::Killed { cycle },
            None => {
                let fate = proofs.prove(mutant)?;
                bar.inc(1);
                fate
            }
        });
    }
    bar.finish_and_clear();
    Ok(Campaign {
        design: design.name,
        mutants: netlist.mutants.into_iter().zip(fates).collect(),
    })
}

/// A progress bar on standard error; invisible where that is no terminal.
fn progress(design: &str, unit: &str, length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let template = format!("{design:20} {{wide_bar}} {{human_pos}}/{{human_len}} {unit} {{msg}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}
