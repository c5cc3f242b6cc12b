//! Random programs in PTX: what a lowered program leaves in memory, against a naive interpreter of the tree.
//!
//! The long run: `FAULTLINE_SEEDS=100000 cargo test --release -p faultline-sim --test ptx_random -- --ignored --nocapture`.

#![allow(clippy::unwrap_used)]

mod arithmetic;
mod forms;
mod generator;
mod interpreter;

use faultline_sim::ptx::lower::{Bindings, GLOBAL_VARIABLES, Options, entry, lower};
use faultline_sim::ptx::parse;
use faultline_sim::simt::{Launch, Memory, Width, run};

use generator::{INPUT, OUTPUT, Program};
use interpreter::Machine;

/// Where the threads write, where their input is, and where the words of all threads are.
const TO: u64 = 0x1_0000_0000;
const FROM: u64 = 0x2_0000_0000;
const ALL: u64 = 0x3_0000_0000;

/// What an access to common words begins with, and how many bytes they are.
const COMMON: u64 = 64;

/// How a lowered program, or the tree, differs from the other one; nothing if they agree.
fn difference(program: &Program) -> Option<String> {
    let module = match parse(&program.text) {
        Ok(module) => module,
        Err(error) => return Some(format!("line {}: {error}", error.line)),
    };
    if let Some(first) = module.unsupported.first() {
        return Some(format!("line {}: {}", first.line, first.reason));
    }
    let (kernel, _) = entry(&module, None).unwrap();
    let mut parameters: Vec<_> = [TO, FROM, ALL]
        .map(|address| address.to_le_bytes().to_vec())
        .into();
    parameters.extend(program.parameters.iter().cloned());
    let mut machine = Machine::new(&module, program.grid, program.block);
    machine.global.fill(FROM, &program.input);
    machine.run(kernel, &parameters);
    if machine.is_endless {
        return Some("line: a thread does not end".to_owned());
    }
    let threads = u64::from(program.block.iter().product::<u32>() * program.grid[0]);
    let regions = [
        (TO, threads * OUTPUT),
        (FROM, threads * INPUT),
        (ALL, COMMON),
        (GLOBAL_VARIABLES, 8),
    ];
    for (way, options) in Options::COMPARED {
        let bindings = Bindings {
            parameters: parameters.clone(),
            ..Bindings::default()
        };
        let lowered = match lower(&module, kernel, &bindings, options) {
            Ok(lowered) => lowered,
            Err(error) => return Some(format!("line {:?}: {error}", error.line)),
        };
        let mut memory = Memory::new();
        let variables = (GLOBAL_VARIABLES, &lowered.variables);
        for (start, bytes) in [(FROM, &program.input), variables] {
            for (address, &byte) in (start..).zip(bytes) {
                memory.write(address, Width::One, byte.into());
            }
        }
        let launch = Launch {
            grid: program.grid,
            block: program.block,
            shared_memory: lowered.shared,
        };
        let ended = match run(&lowered.program, &launch, memory) {
            Ok(ended) => ended,
            Err(error) => {
                let line = error
                    .pc()
                    .and_then(|pc| lowered.lines.get(pc as usize).copied());
                return Some(format!("line {line:?}: {error}"));
            }
        };
        for (start, bytes) in regions {
            let word = |place: &u64| {
                let address = start + 8 * place;
                let found = ended.memory.read(address, Width::Eight);
                (found != machine.global.read(address, 8)).then_some((address, found))
            };
            if let Some((address, found)) = (0..bytes / 8).find_map(|place| word(&place)) {
                let place = match start {
                    TO => format!(
                        "thread {} at {}",
                        (address - TO) / OUTPUT,
                        (address - TO) % OUTPUT
                    ),
                    _ => "a common region".to_owned(),
                };
                let wanted = machine.global.read(address, 8);
                return Some(format!(
                    "{way}: {address:#x}, {place}: lowered {found:#018x}, interpreted {wanted:#018x}"
                ));
            }
        }
    }
    None
}

/// Leaves out lines of a program for as long as it differs at the same place.
fn shorten(program: &mut Program, first: &str) {
    let place = first.split(": lowered").next();
    let mut line = 0;
    while let Some(text) = program.text.split_inclusive('\n').nth(line) {
        let start: usize = program
            .text
            .split_inclusive('\n')
            .take(line)
            .map(str::len)
            .sum();
        let end = start + text.len();
        let whole = program.text.clone();
        program.text.replace_range(start..end, "");
        let found = difference(program).unwrap_or_default();
        if found.split(": lowered").next() != place {
            program.text = whole;
            line += 1;
        }
    }
}

/// Tells the program whose execution has panicked.
struct Told(u64, String);

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("seed {}:\n{}", self.0, self.1);
        }
    }
}

fn check(seed: u64) {
    let mut program = generator::program(seed);
    let told = Told(seed, program.text.clone());
    if let Some(first) = difference(&program) {
        if first.contains(": lowered") {
            shorten(&mut program, &first);
        }
        let last = difference(&program).unwrap_or_default();
        println!("The shortest that differs ({last}):\n{}", program.text);
        panic!("seed {}: {first}", told.0);
    }
}

#[test]
fn lowered_programs_leave_what_the_tree_means() {
    (0..300).for_each(check);
}

#[test]
#[ignore = "takes minutes"]
fn many_lowered_programs_leave_what_the_tree_means() {
    let count = std::env::var("FAULTLINE_SEEDS").map_or(100_000, |count| count.parse().unwrap());
    let first = std::env::var("FAULTLINE_FIRST").map_or(0, |first| first.parse().unwrap());
    (first..first + count).for_each(check);
    println!("{count} programs from seed {first} on agree");
}
