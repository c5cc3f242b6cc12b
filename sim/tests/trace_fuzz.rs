//! Mutated traces: the reader may refuse them, in one sentence, but never panics.
//!
//! The long run, in which sums that overflow panic too, as in every run that is not a release build:
//! `cargo test -p faultline-sim --test trace_fuzz -- --ignored --nocapture`.

#![expect(clippy::unwrap_used, reason = "a panic is what these tests look for")]

#[path = "../examples/write_traces/assemble.rs"]
mod assemble;
#[path = "../examples/write_traces/kernels.rs"]
mod kernels;

use std::io::Cursor;
use std::path::Path;
use std::time::Instant;

use fastrand::Rng;
use faultline_sim::trace::{GlobalAccesses, KernelSummary, Reader, Trace};

/// Numbers that sit at the edge of some type or limit.
const NUMBERS: [&str; 18] = [
    "0",
    "-1",
    "1",
    "31",
    "32",
    "33",
    "255",
    "256",
    "1024",
    "4294967295",
    "4294967296",
    "1000000000000",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "0xffffffffffffffff",
    "ffffffff",
];

/// The list, and at most two warps of the first block of each own kernel, as a grid of that block alone: small, so that
/// a mutation often matters.
fn seeds() -> Vec<Vec<u8>> {
    let short = |text: String| {
        let Some(end) = text.find("\n#END_TB") else {
            return text;
        };
        let third = text[..end].match_indices("\nwarp = ").nth(2);
        let block = &text[..third.map_or(end, |(place, _)| place)];
        let (header, rest) = block.split_once("-grid dim = (").unwrap();
        let (_, rest) = rest.split_once(')').unwrap();
        format!("{header}-grid dim = (1,1,1){rest}\n#END_TB\n")
    };
    let files = kernels::files().into_iter();
    files.map(|(_, text)| short(text).into_bytes()).collect()
}

/// Where the decimal and hexadecimal numbers of a text are.
fn number(text: &[u8], random: &mut Rng) -> std::ops::Range<usize> {
    let from = random.usize(0..text.len());
    let start = (from..text.len())
        .find(|&at| text[at].is_ascii_digit())
        .unwrap_or(from);
    let end = (start..text.len())
        .find(|&at| !text[at].is_ascii_alphanumeric())
        .unwrap_or(text.len());
    start..end
}

/// Some lines of a text, from line start to line end.
fn some_lines(text: &[u8], random: &mut Rng) -> std::ops::Range<usize> {
    let from = random.usize(0..text.len());
    let start = text[..from]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let mut end = from;
    for _ in 0..random.usize(1..4) {
        let found = text[end..].iter().position(|&byte| byte == b'\n');
        end = found.map_or(text.len(), |at| end + at + 1);
    }
    start..end
}

fn mutate(seeds: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    let mut text = seeds[random.usize(0..seeds.len())].clone();
    for _ in 0..random.usize(1..4) {
        if text.is_empty() {
            break;
        }
        let at = random.usize(0..text.len());
        match random.u32(0..8) {
            0 => text[at] ^= 1 << random.u32(0..8),
            1 => text.truncate(at),
            2 => {
                let other = &seeds[random.usize(0..seeds.len())];
                text.truncate(at);
                text.extend_from_slice(&other[random.usize(0..other.len())..]);
            }
            3 => {
                let (first, second) = (number(&text, random), number(&text, random));
                let value = text[second].to_vec();
                text.splice(first, value);
            }
            4 => {
                let place = number(&text, random);
                text.splice(place, NUMBERS[random.usize(0..NUMBERS.len())].bytes());
            }
            5 => {
                let lines = some_lines(&text, random);
                let copy = text[lines.clone()].to_vec();
                text.splice(lines.end..lines.end, copy);
            }
            6 => {
                let lines = some_lines(&text, random);
                text.drain(lines);
            }
            _ => text.insert(at, *random.choice(b" \n\0,-R0x#=(\xff").unwrap()),
        }
    }
    text
}

/// Reads a text in every way there is, and says whether it was accepted as a trace.
fn read(text: &[u8]) -> bool {
    let mut sentences = Vec::new();
    let list = Trace::read(Cursor::new(text), Path::new("mutant"));
    sentences.extend(list.err().map(|error| error.to_string()));
    let summary = Reader::new(Cursor::new(text), "mutant")
        .and_then(|reader| KernelSummary::of(reader, "mutant".to_owned(), |_| {}));
    let accepted = match summary {
        Ok(summary) => {
            let reader = Reader::new(Cursor::new(text), "mutant").unwrap();
            let accesses = GlobalAccesses::new(reader).map(Result::unwrap);
            let limits = accesses.inspect(|access| {
                assert!(access.warp_slot < 64 && access.block_slot < 16);
            });
            assert_eq!(limits.count() as u64, summary.counts.global.instructions());
            true
        }
        Err(error) => {
            sentences.push(error.to_string());
            false
        }
    };
    for sentence in sentences {
        let place = sentence
            .strip_prefix("mutant:")
            .and_then(|rest| rest.split_once(": "));
        let line = place.and_then(|(line, _)| line.parse::<usize>().ok());
        assert!(line.is_some_and(|line| line > 0), "no line: {sentence}");
        assert!(
            !sentence.contains(char::is_control) && sentence.len() < 700,
            "{sentence}"
        );
    }
    accepted
}

fn fuzz(seed: u64, count: u32) {
    let seeds = seeds();
    assert_eq!(
        seeds.iter().filter(|seed| read(seed)).count(),
        3,
        "all but the list are traces"
    );
    let mut random = Rng::with_seed(seed);
    let start = Instant::now();
    let mut accepted = 0;
    for number in 0..count {
        let text = mutate(&seeds, &mut random);
        let verdict = std::panic::catch_unwind(|| read(&text));
        let Ok(verdict) = verdict else {
            panic!("seed {seed}, input {number}:\n{}", text.escape_ascii());
        };
        accepted += u32::from(verdict);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("seed {seed}: {count} mutated inputs, {accepted} accepted, no panic, {seconds:.1} s");
    // A fuzzer whose inputs are all refused, or all taken, looks at nothing.
    assert!(accepted > count / 100 && accepted < count / 2);
}

#[test]
fn mutated_traces_never_panic() {
    fuzz(1, 100_000);
}

#[test]
#[ignore = "the long run, about a minute"]
fn a_million_mutated_traces_never_panic() {
    fuzz(2, 1_000_000);
}
