//! Mutated files of PTX: they are read and lowered, or refused in one sentence, but never end in a panic.
//!
//! The long run: `FAULTLINE_MUTATIONS=1000000 cargo test --release -p faultline-sim --test ptx_fuzz -- --ignored --nocapture`.

#![expect(clippy::unwrap_used, reason = "a panic is what these tests look for")]

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use fastrand::Rng;
use faultline_sim::ptx::lower::{Bindings, Options, Textured, lower};
use faultline_sim::ptx::{Module, Type, parse};

/// Of a program of more bytes the middle is sometimes left out.
const LARGE: usize = 6000;
/// How long a text of this size may take.
const LONGEST: Duration = Duration::from_secs(2);

/// What stands in the place of a token.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1",
    "4294967296",
    "18446744073709551615",
    "0x7fffffffffffffff",
    "0f7FC00000",
    "1.5",
    "%r1",
    "%rd1",
    "%p1",
    "%f1",
    "%tid.x",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    "|",
    "!",
    "@",
    "-",
    "+",
    "_",
    "<<",
    ".reg",
    ".b32",
    ".u64",
    ".pred",
    ".f64",
    ".v4",
    ".wide",
    ".param",
    ".shared",
    ".const",
    ".local",
    ".align",
    ".func",
    ".entry",
    ".extern",
    "bra",
    "call",
    "ret",
    "exit",
    "bar.sync",
    "ld.u32",
    "st.u32",
    "cvta.local.u64",
    "mov.b64",
    "setp.eq.s32",
    "atom.add.u32",
    "$L__BB0_2",
    "/*",
    "//",
    "\"",
];

/// The programs of this project.
fn programs() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|name| name == "ptx"))
        .collect();
    files.sort();
    let texts = files
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap());
    texts.collect()
}

/// The next token of a text after a place, roughly: a word, a number or a mark.
fn token(text: &[u8], random: &mut Rng) -> Range<usize> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$%.".contains(byte);
    let from = random.usize(0..text.len());
    let start = (from..text.len()).find(|&at| !text[at].is_ascii_whitespace());
    let start = start.unwrap_or(from);
    let length = text[start..].iter().take_while(|byte| is_inside(byte));
    start..start + length.count().max(1)
}

/// Some lines of a text.
fn lines(text: &[u8], random: &mut Rng) -> Range<usize> {
    let from = random.usize(0..text.len());
    let before = text[..from].iter().rposition(|&byte| byte == b'\n');
    let mut end = from;
    for _ in 0..random.usize(1..6) {
        let found = text[end..].iter().position(|&byte| byte == b'\n');
        end = found.map_or(text.len(), |at| end + at + 1);
    }
    before.map_or(0, |at| at + 1)..end
}

/// A program with one to three mutations.
fn mutated(programs: &[String], random: &mut Rng) -> String {
    let mut text = programs[random.usize(0..programs.len())]
        .clone()
        .into_bytes();
    if text.len() > LARGE && random.u8(0..3) == 0 {
        let start = random.usize(LARGE / 2..text.len() - LARGE / 4);
        let line = |at: usize| {
            text[at..]
                .iter()
                .position(|&byte| byte == b'\n')
                .map(|end| at + end + 1)
        };
        let (start, end) = (line(LARGE / 2).unwrap(), line(start).unwrap_or(text.len()));
        text.drain(start..end.max(start));
    }
    for _ in 0..random.choice([1, 1, 1, 2, 3]).unwrap_or(1) {
        if text.is_empty() {
            break;
        }
        let at = random.usize(0..text.len());
        match random.u32(0..14) {
            0 => text[at] ^= 1 << random.u32(0..7),
            1 if random.bool() => text.truncate(at),
            2 => {
                let other = programs[random.usize(0..programs.len())].as_bytes();
                text.truncate(at);
                text.extend_from_slice(&other[random.usize(0..other.len())..]);
            }
            3 | 4 | 11 | 12 => {
                // Tokens that begin alike often belong to one another's places.
                let first = token(&text, random);
                let begins =
                    |one: &Range<usize>| text[one.start..one.end.min(one.start + 2)].to_vec();
                let mut second = token(&text, random);
                for _ in 0..20 {
                    if begins(&first) != begins(&second)
                        || text[first.clone()] == text[second.clone()]
                    {
                        second = token(&text, random);
                    }
                }
                let value = text[second].to_vec();
                text.splice(first, value);
            }
            5 | 6 => {
                let place = token(&text, random);
                text.splice(place, WORDS[random.usize(0..WORDS.len())].bytes());
            }
            7 => {
                let place = token(&text, random);
                text.drain(place);
            }
            8 => {
                let copied = lines(&text, random);
                let copy = text[copied.clone()].to_vec();
                text.splice(copied.end..copied.end, copy);
            }
            9 => {
                let (copied, place) = (lines(&text, random), lines(&text, random).start);
                let copy = text[copied].to_vec();
                text.splice(place..place, copy);
            }
            10 => {
                let lines = lines(&text, random);
                text.drain(lines);
            }
            _ => {
                let word = WORDS[random.usize(0..WORDS.len())];
                text.splice(at..at, format!(" {word} ").bytes());
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Made-up contents for all that a launch gives.
fn bindings(module: &Module, kernel: usize) -> Bindings {
    let parameters = module.functions[kernel].parameters().iter();
    let texture = Textured {
        address: 0x1_0000_0000,
        ty: Type::F32,
        channels: 4,
        width: 8,
        height: 8,
        is_normalized: false,
    };
    Bindings {
        parameters: parameters
            .map(|one| vec![7; one.bytes.min(1 << 16) as usize])
            .collect(),
        textures: module
            .textures
            .iter()
            .map(|one| (one.name.clone(), texture))
            .collect(),
        ..Bindings::default()
    }
}

/// How many texts were read, and how many kernels were lowered.
#[derive(Default)]
struct Counts {
    read: u64,
    lowered: u64,
}

/// Tells the text that a panic comes from.
struct Told<'text>(u64, &'text str);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("mutation {}:\n{}", self.0, self.1);
        }
    }
}

fn check(seed: u64, text: &str, counts: &mut Counts) {
    let _told = Told(seed, text);
    let begun = Instant::now();
    match parse(text) {
        Ok(module) => {
            counts.read += 1;
            for (number, function) in module.functions.iter().enumerate() {
                if function.is_entry && function.is_defined {
                    let (_, options) = Options::COMPARED[(seed & 3) as usize];
                    let bindings = bindings(&module, number);
                    match lower(&module, number, &bindings, options) {
                        Ok(lowered) => {
                            counts.lowered += 1;
                            let instructions = lowered.program.instructions().len();
                            assert_eq!(lowered.lines.len(), instructions);
                        }
                        Err(error) => assert!(!error.to_string().is_empty()),
                    }
                }
            }
        }
        Err(error) => {
            let lines = text.lines().count().max(1) as u32 + 1;
            assert!((1..=lines).contains(&error.line), "{error:?}");
            assert!(!error.to_string().is_empty());
        }
    }
    assert!(begun.elapsed() < LONGEST, "{:?}", begun.elapsed());
}

fn run(seeds: Range<u64>) -> Counts {
    let programs = programs();
    let mut counts = Counts::default();
    for seed in seeds {
        let text = mutated(&programs, &mut Rng::with_seed(seed));
        check(seed, &text, &mut counts);
    }
    counts
}

#[test]
fn no_mutated_program_ends_the_reader_or_the_lowering() {
    let counts = run(0..3300);
    let Counts { read, lowered } = counts;
    assert!(
        read > 400 && lowered > 400,
        "{read} read, {lowered} lowered"
    );
}

#[test]
#[ignore = "takes minutes"]
fn no_mutated_program_of_many_ends_the_reader_or_the_lowering() {
    let number =
        |name: &str, other| std::env::var(name).map_or(other, |text| text.parse().unwrap());
    let first = number("FAULTLINE_FIRST", 3300);
    let count = number("FAULTLINE_MUTATIONS", 1_000_000);
    let seconds = number("FAULTLINE_SECONDS", 600);
    let begun = Instant::now();
    let mut done = 0;
    let mut all = Counts::default();
    while done < count && begun.elapsed().as_secs() < seconds {
        let next = (done + 1000).min(count);
        let counts = run(first + done..first + next);
        all.read += counts.read;
        all.lowered += counts.lowered;
        done = next;
    }
    println!(
        "{done} mutations from {first} on: {} read, {} kernels lowered, in {:?}",
        all.read,
        all.lowered,
        begun.elapsed()
    );
}
