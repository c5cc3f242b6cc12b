//! The PTX of each program, lowered and executed, against the same source on the CPU.

use std::path::Path;

use faultline_sim::compiled::Compiled;
use faultline_sim::launch_file::{LaunchFile, Placed, Tolerance};
use faultline_sim::programs::{PARBOIL, Program, RODINIA};
use faultline_sim::ptx::lower::Options;
use faultline_sim::ptx::parse;

use rayon::prelude::*;

use super::common::cpu;
use super::files;

/// What results may be off by where an instruction approximates (PTX ISA 9.7.3).
const APPROXIMATE: Tolerance = Tolerance {
    absolute: 1e-5,
    relative: 1e-5,
};

/// Executes a program's launches in some ways, and compares what each leaves with what its source leaves on the CPU.
fn leaves_what_the_cpu_leaves(
    ptx: &Path,
    source: &Path,
    (file, placed): (&LaunchFile, &Placed),
    ways: &[(&str, Options)],
) {
    let name = ptx.file_stem().unwrap().to_str().unwrap();
    let text = std::fs::read_to_string(ptx).unwrap();
    let module = parse(&text).unwrap();
    let expected = cpu::run(source, file, placed);
    let is_exact = ![".approx", ".full"].iter().any(|word| text.contains(word));
    for (way, options) in ways {
        let compiled = Compiled::new(&module, name, file, &cpu::programs(), *options);
        let compiled = compiled.unwrap_or_else(|error| panic!("{error}"));
        let executed = compiled.execute().unwrap_or_else(|error| panic!("{error}"));
        for buffer in compiled.placed.buffers.iter().filter(|one| one.is_output) {
            let mut buffer = buffer.clone();
            buffer.tolerance = if is_exact {
                Tolerance::default()
            } else {
                APPROXIMATE
            };
            let found = buffer.read(&executed.memory);
            let difference = buffer.difference(&found, &expected[&buffer.name]);
            let told = difference.map(|one| one.to_string());
            assert_eq!(told, None, "{name}, {way}");
        }
    }
}

#[test]
fn lowered_programs_leave_what_the_cpu_leaves() {
    for path in files("ptx") {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let (source, file, placed) = cpu::program(name);
        leaves_what_the_cpu_leaves(&path, &source, (&file, &placed), &Options::COMPARED);
    }
}

/// What the figures run: the papers' problem sizes, and the range of thread blocks that a launch file names.
#[test]
fn programs_at_the_papers_sizes_leave_what_the_cpu_leaves() {
    let all = PARBOIL.par_iter().chain(&RODINIA);
    all.for_each(|Program { name, .. }| {
        let (own, file, placed) = cpu::program(&format!("papers/{name}"));
        let source = match own.exists() {
            true => own,
            false => cpu::programs().join(format!("{name}.cu")),
        };
        let ptx = source.with_extension("ptx");
        let ways = &Options::COMPARED[..1];
        leaves_what_the_cpu_leaves(&ptx, &source, (&file, &placed), ways);
    });
}

#[test]
fn the_ptx_of_two_compilers_leaves_the_same_memory() {
    let mut compared = 0;
    for path in files("ptx") {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let other = cpu::programs().join("clang").join(format!("{name}.ptx"));
        // Only programs with textures and votes are left out of what clang compiles.
        let source = std::fs::read_to_string(path.with_extension("cu")).unwrap();
        let is_left_out = ["texture<", "apointer.cuh"]
            .iter()
            .any(|word| source.contains(word));
        assert_eq!(other.exists(), !is_left_out, "{name}");
        if !other.exists() {
            continue;
        }
        let (_, file, _) = cpu::program(name);
        let outputs = [&path, &other].map(|path| {
            let module = parse(&std::fs::read_to_string(path).unwrap()).unwrap();
            assert_eq!(module.unsupported, [], "{name}");
            let label = path.to_str().unwrap();
            let options = Options::default();
            let compiled = Compiled::new(&module, label, &file, &cpu::programs(), options);
            let compiled = compiled.unwrap_or_else(|error| panic!("{error}"));
            let executed = compiled.execute().unwrap_or_else(|error| panic!("{error}"));
            let outputs = compiled.placed.buffers.iter().filter(|one| one.is_output);
            outputs
                .map(|one| (one.clone(), one.read(&executed.memory)))
                .collect::<Vec<_>>()
        });
        let [nvidia, clang] = &outputs;
        for ((buffer, nvidia), (_, clang)) in nvidia.iter().zip(clang) {
            let difference = buffer.difference(clang, nvidia).map(|one| one.to_string());
            assert_eq!(difference, None, "{name}");
        }
        compared += 1;
    }
    assert!(compared >= 24);
}
