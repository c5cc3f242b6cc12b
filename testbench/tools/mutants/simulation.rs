//! Runs the mutants, Verilated, beside the reference.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::JoinHandle;

use faultline_hw::registry::Design;
use faultline_sim::ports::Port;
use faultline_testbench::backend::{Backend, Reference};
use faultline_testbench::blocks::{
    Block, BlockScheduler, Checkpoint, Coalescer, ContextPort, DirtyBits, FarFaultMshr,
    FaultBuffer, Gmmu, L1Tlb, L2Tlb, OperandLog, PageWalkCache, PageWalker, PreemptionPolicy,
    ReplayQueue, Scoreboard, SmPipeline,
};
use faultline_testbench::layout::{Layout, port_at};
use faultline_testbench::session::Stimulus;
use faultline_testbench::traffic::Driven;
use indicatif::ProgressBar;

use crate::netlist::SELECT;
use crate::tool;

/// Cycles that all mutants run before the next ones are made.
const CHUNK: usize = 256;

/// The mutants of a design: `mutated.v` in a folder has them all, and number 1 is the first of so many.
pub struct Population<'a> {
    pub folder: &'a Path,
    pub count: usize,
}

/// The cycle in which each mutant first differs from the reference, if it does.
///
/// # Errors
/// If Verilator or the compiler fails, or the netlist without a mutation differs from the reference.
pub fn run(
    design: &Design,
    mutants: &Population,
    seed: u64,
    cycles: u64,
    bar: &ProgressBar,
) -> Result<Kills, String> {
    match design.block {
        ReplayQueue::NAME => of_block::<ReplayQueue>(design, mutants, seed, cycles, bar),
        OperandLog::NAME => of_block::<OperandLog>(design, mutants, seed, cycles, bar),
        Coalescer::NAME => of_block::<Coalescer>(design, mutants, seed, cycles, bar),
        L1Tlb::NAME => of_block::<L1Tlb>(design, mutants, seed, cycles, bar),
        Scoreboard::NAME => of_block::<Scoreboard>(design, mutants, seed, cycles, bar),
        SmPipeline::NAME => of_block::<SmPipeline>(design, mutants, seed, cycles, bar),
        L2Tlb::NAME => of_block::<L2Tlb>(design, mutants, seed, cycles, bar),
        PageWalker::NAME => of_block::<PageWalker>(design, mutants, seed, cycles, bar),
        PageWalkCache::NAME => of_block::<PageWalkCache>(design, mutants, seed, cycles, bar),
        FarFaultMshr::NAME => of_block::<FarFaultMshr>(design, mutants, seed, cycles, bar),
        FaultBuffer::NAME => of_block::<FaultBuffer>(design, mutants, seed, cycles, bar),
        Gmmu::NAME => of_block::<Gmmu>(design, mutants, seed, cycles, bar),
        DirtyBits::NAME => of_block::<DirtyBits>(design, mutants, seed, cycles, bar),
        PreemptionPolicy::NAME => of_block::<PreemptionPolicy>(design, mutants, seed, cycles, bar),
        BlockScheduler::NAME => of_block::<BlockScheduler>(design, mutants, seed, cycles, bar),
        ContextPort::NAME => of_block::<ContextPort>(design, mutants, seed, cycles, bar),
        Checkpoint::NAME => of_block::<Checkpoint>(design, mutants, seed, cycles, bar),
        block => Err(format!(
            "there is no traffic for {block}; add the block to simulation.rs"
        )),
    }
}

fn of_block<B: Block>(
    design: &Design,
    mutants: &Population,
    seed: u64,
    cycles: u64,
    bar: &ProgressBar,
) -> Result<Kills, String> {
    let parameters = B::parameters(design.config)
        .ok_or_else(|| format!("the model of {} does not know this size", design.name))?;
    let layout = Layout::of::<B>(&parameters);
    let program = verilate(design.name, mutants.folder, &layout)?;
    let mut child = Command::new(program)
        .arg(mutants.count.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("the mutants of {} do not start ({error})", design.name))?;
    let reader = reader(
        &mut child,
        mutants.count,
        layout.outputs.clone(),
        bar.clone(),
    )?;
    let mut pipe = child
        .stdin
        .take()
        .ok_or("the mutants cannot be fed".to_owned())?;
    let mut traffic = Driven::<B::Traffic>::new(parameters.clone(), seed);
    let mut reference = Reference::<B>::new(parameters);
    let fed = feed(
        &mut traffic,
        &mut reference,
        &layout,
        &mut pipe,
        cycles,
        bar,
    );
    drop(pipe);
    let kills = reader
        .join()
        .map_err(|_| "the mutants cannot be read".to_owned())??;
    let status = child.wait().map_err(|error| error.to_string())?;
    fed?;
    if !status.success() {
        return Err(format!(
            "the mutants of {} have ended early ({status})",
            design.name
        ));
    }
    Ok(kills)
}

/// The cycle that killed each mutant, if one did.
type Kills = Vec<Option<u64>>;

/// Reads the lines `mutant cycle word` of the program, as they come.
fn reader(
    child: &mut Child,
    count: usize,
    outputs: Vec<Port>,
    bar: ProgressBar,
) -> Result<JoinHandle<Result<Kills, String>>, String> {
    let output = child
        .stdout
        .take()
        .ok_or("the mutants cannot be read".to_owned())?;
    Ok(std::thread::spawn(move || {
        let mut kills = vec![None; count];
        let mut killed = 0;
        for line in BufReader::new(output).lines() {
            let line = line.map_err(|error| error.to_string())?;
            let mut numbers = line.split(' ').map(|number| number.parse().unwrap_or(0));
            let mut next = || numbers.next().unwrap_or(0);
            let (mutant, cycle, word): (usize, usize, usize) = (next(), next(), next());
            match mutant.checked_sub(1).and_then(|place| kills.get_mut(place)) {
                Some(kill) => *kill = Some(cycle as u64),
                None => {
                    let port = port_at(&outputs, word).map_or("an output", |(port, _)| port.name);
                    return Err(format!(
                        "{port} of the netlist without a mutation differs from the reference in cycle {cycle}; \
                         run the lockstep (`faultline cosim`)"
                    ));
                }
            }
            killed += 1;
            bar.set_message(format!("{killed} of {count} killed"));
        }
        Ok(kills)
    }))
}

/// Writes inputs and expected outputs into the pipe, until the program has seen enough.
fn feed(
    traffic: &mut dyn Stimulus,
    reference: &mut dyn Backend,
    layout: &Layout,
    pipe: &mut ChildStdin,
    cycles: u64,
    bar: &ProgressBar,
) -> Result<(), String> {
    let mut inputs = vec![0; CHUNK * layout.input_words()];
    let mut outputs = vec![0; CHUNK * layout.output_words()];
    for _ in 0..cycles.div_ceil(CHUNK as u64) {
        for frame in inputs.chunks_exact_mut(layout.input_words()) {
            traffic.next(frame);
        }
        reference
            .run(&inputs, &mut outputs)
            .map_err(|error| error.to_string())?;
        let bytes: Vec<u8> = inputs
            .iter()
            .chain(&outputs)
            .flat_map(|word| word.to_le_bytes())
            .collect();
        // It ends early if it has failed or nothing is left alive; the exit status tells.
        if pipe.write_all(&bytes).is_err() {
            break;
        }
        bar.inc(CHUNK as u64);
    }
    Ok(())
}

/// Verilates the netlist behind a program, and gives its path.
fn verilate(design: &str, folder: &Path, layout: &Layout) -> Result<PathBuf, String> {
    let options = [
        "--cc",
        "-O3",
        "--prefix",
        "Mutated",
        "--top-module",
        design,
        "-Wno-fatal",
        "-Wno-lint",
    ];
    // State that nothing has written is 0, as it is in the lockstep.
    let state = [
        "--x-assign",
        "0",
        "--x-initial",
        "0",
        "--noassert",
        "--Mdir",
        "made",
        "mutated.v",
    ];
    tool::run(folder, "verilator", &[options, state].concat())?;
    let made = folder.join("made");
    let entries =
        std::fs::read_dir(&made).map_err(|error| format!("{}: {error}", made.display()))?;
    let mut files: Vec<_> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".cpp"))
        .collect();
    files.sort();
    let includes = files.iter().fold(String::new(), |text, file| {
        text + &format!("#include \"{file}\"\n")
    });
    tool::write(&made.join("main.cc"), &(includes + &program(layout)))?;
    let root = tool::run(folder, "verilator", &["--getenv", "VERILATOR_ROOT"])?;
    let root = Path::new(root.trim()).join("include");
    let [runtime, threads, include, standard] =
        ["verilated.cpp", "verilated_threads.cpp", "", "vltstd"]
            .map(|name| root.join(name).display().to_string());
    let options = ["-std=c++17", "-O1", "-w", "-DVM_TRACE=0", "-DVM_COVERAGE=0"];
    let paths = ["-pthread", "-I", &include, "-I", &standard, "made/main.cc"];
    let output = [runtime.as_str(), &threads, "-o", "mutants"];
    tool::run(
        folder,
        "g++",
        &[&options[..], &paths[..], &output[..]].concat(),
    )?;
    Ok(folder.join("mutants"))
}

/// The program: every mutant that lives runs a chunk of cycles, and dies where an output is not the expected one.
fn program(layout: &Layout) -> String {
    let (inputs, outputs) = (copies(&layout.inputs, true), copies(&layout.outputs, false));
    format!(
        "#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>
constexpr size_t INPUTS = {0}, OUTPUTS = {1}, CHUNK = {CHUNK};
struct Simulation {{
    VerilatedContext context;
    Mutated top{{&context}};
}};
static size_t first_difference(Mutated& top, const uint64_t* in, const uint64_t* expected) {{
    uint64_t out[OUTPUTS] = {{}};
{inputs}    top.clock = 0;
    top.eval();
{outputs}    top.clock = 1;
    top.eval();
    size_t word = 0;
    while (word < OUTPUTS && out[word] == expected[word]) ++word;
    return word;
}}
int main(int, char** arguments) {{
    std::vector<std::unique_ptr<Simulation>> alive;
    for (int mutant = 0; mutant <= std::atoi(arguments[1]); ++mutant) {{
        alive.push_back(std::make_unique<Simulation>());
        alive.back()->top.{SELECT} = mutant;
    }}
    static uint64_t words[CHUNK * (INPUTS + OUTPUTS)];
    for (uint64_t start = 0; std::fread(words, sizeof words, 1, stdin) == 1; start += CHUNK)
        for (size_t mutant = 0; mutant < alive.size(); ++mutant)
            for (size_t cycle = 0; cycle < CHUNK && alive[mutant]; ++cycle) {{
                const uint64_t* in = words + cycle * INPUTS;
                const uint64_t* expected = words + CHUNK * INPUTS + cycle * OUTPUTS;
                const size_t word = first_difference(alive[mutant]->top, in, expected);
                if (word == OUTPUTS) continue;
                std::printf(\"%zu %llu %zu\\n\", mutant, static_cast<unsigned long long>(start + cycle), word);
                std::fflush(stdout);
                alive[mutant].reset();
            }}
}}
",
        layout.input_words(),
        layout.output_words()
    )
}

/// C++ that copies ports between the packed words and the Verilated design.
fn copies(ports: &[Port], input: bool) -> String {
    let mut text = String::new();
    let mut place = 0;
    for Port { name, bits } in ports {
        let bytes = 4 * bits.div_ceil(32);
        let _ = match (*bits > 64, input) {
            (true, true) => writeln!(text, "    std::memcpy(&top.{name}, in + {place}, {bytes});"),
            (true, false) => writeln!(
                text,
                "    std::memcpy(out + {place}, &top.{name}, {bytes});"
            ),
            (false, true) => writeln!(text, "    top.{name} = in[{place}];"),
            (false, false) => writeln!(text, "    out[{place}] = top.{name};"),
        };
        place += bits.div_ceil(64);
    }
    text
}
