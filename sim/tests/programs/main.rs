//! The programs of this project on the CPU, against the same computation in Rust.

#![allow(clippy::unwrap_used)]

mod allocating;
mod apointers;
#[path = "../common/mod.rs"]
mod common;
mod lowered;
mod machines;
mod own;
mod parboil;
mod rodinia;

use std::collections::BTreeMap;
use std::path::PathBuf;

use faultline_sim::launch_file::Placed;
use faultline_sim::ptx::parse;

use common::cpu;

/// A program's buffers before and after its launches.
struct Run {
    placed: Placed,
    after: BTreeMap<String, Vec<u8>>,
}

impl Run {
    fn of(name: &str) -> Self {
        let (source, file, placed) = cpu::program(name);
        let after = cpu::run(&source, &file, &placed);
        Self { placed, after }
    }

    /// The elements of a buffer before.
    fn before<const N: usize, T>(&self, name: &str, of: fn([u8; N]) -> T) -> Vec<T> {
        let buffer = self.placed.buffer(name).unwrap();
        numbers(&buffer.read(&self.placed.memory), of)
    }

    /// The singles of a buffer before, as doubles.
    fn doubles(&self, name: &str) -> Vec<f64> {
        self.before(name, |bytes| f32::from_le_bytes(bytes).into())
    }

    /// The elements of a buffer after.
    fn after<const N: usize, T>(&self, name: &str, of: fn([u8; N]) -> T) -> Vec<T> {
        numbers(&self.after[name], of)
    }

    /// Checks that a buffer of singles holds these numbers.
    fn near(&self, name: &str, expected: impl IntoIterator<Item = f64>, most: f64) {
        let singles = self.after(name, f32::from_le_bytes);
        let expected: Vec<f64> = expected.into_iter().collect();
        assert_eq!(singles.len(), expected.len(), "{name}");
        for (place, (single, expected)) in singles.into_iter().zip(expected).enumerate() {
            let off = (f64::from(single) - expected).abs();
            assert!(
                off <= most,
                "{name}[{place}] is {single} and should be {expected}"
            );
        }
    }
}

fn numbers<const N: usize, T>(bytes: &[u8], of: fn([u8; N]) -> T) -> Vec<T> {
    let chunks = bytes.chunks_exact(N);
    chunks.map(|chunk| of(chunk.try_into().unwrap())).collect()
}

/// The files of the programs with this extension.
fn files(extension: &str) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(cpu::programs()).unwrap();
    let paths = folder.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|own| own == extension))
        .collect();
    files.sort();
    files
}

#[test]
fn every_program_is_supported_and_has_a_launch_file() {
    let programs = files("cu");
    assert!(programs.len() >= 24);
    for path in &programs {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(path.with_extension("ptx")).unwrap();
        let module =
            parse(&text).unwrap_or_else(|error| panic!("{name}.ptx:{}: {error}", error.line));
        assert_eq!(module.unsupported, [], "{name}");
        let (_, file, placed) = cpu::program(name);
        for launch in file.launches() {
            let entry = launch.entry.as_deref().unwrap();
            let kernel = module
                .functions
                .iter()
                .find(|function| function.name == entry);
            let kernel = kernel.unwrap_or_else(|| panic!("{name} has no kernel {entry}"));
            assert_eq!(launch.arguments.len(), kernel.parameters().len(), "{name}");
        }
        assert!(
            placed.buffers.iter().any(|buffer| buffer.is_output),
            "{name}"
        );
    }
    for extension in ["ptx", "toml"] {
        let sources: Vec<_> = files(extension)
            .iter()
            .map(|path| path.with_extension("cu"))
            .collect();
        assert_eq!(sources, programs);
    }
}

#[test]
fn a_range_of_blocks_runs_alone() {
    let (source, _, _) = cpu::program("sgemm");
    let text = std::fs::read_to_string(source.with_extension("toml")).unwrap();
    let text = format!("blocks = [1, 2]\n{text}");
    let file = faultline_sim::launch_file::LaunchFile::read(&text, "part.toml").unwrap();
    let placed = file.place(&cpu::programs()).unwrap();
    let part = cpu::run(&source, &file, &placed);
    let before = placed.buffer("c").unwrap().read(&placed.memory);
    let whole = Run::of("sgemm");
    // Block 1 has the rows from 128 on of the first 16 columns.
    for (place, bytes) in part["c"].chunks(4).enumerate() {
        let is_of_it = place / 256 < 16 && place % 256 >= 128;
        let from = if is_of_it { &whole.after["c"] } else { &before };
        assert_eq!(bytes, &from[4 * place..4 * place + 4], "{place}");
    }
}
