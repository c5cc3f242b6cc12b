//! Random kernels: syntax trees that no person would write, whose Verilog must compute what a plain interpreter of the
//! same tree settles on. That the interpreter means what a kernel means is shown by the zoo itself.

use std::collections::BTreeMap;

use crate::interpreter::settle;
use crate::random_kernel::Kernel;
use crate::verilated::{Verilated, data};
use crate::{Vectors, Words};
use faultline_hw::registry::{Export, File};
use faultline_hw::verilog::verilog;

const KERNELS: u64 = 40;
const VECTORS: usize = 300;

fn number(words: &Words) -> u128 {
    let high = words.get(1).copied().unwrap_or_default();
    u128::from(high) << 64 | u128::from(words[0])
}

/// Packed elements, lowest first.
fn elements(words: &Words, width: usize, count: usize) -> Vec<u128> {
    let bit = |place: usize| u128::from(words[place / 64] >> (place % 64) & 1);
    (0..count)
        .map(|element| (0..width).map(|at| bit(element * width + at) << at).sum())
        .collect()
}

#[test]
fn random_kernels_and_their_verilog_agree() {
    crate::obligation().meet(random_kernels_agree);
}

fn random_kernels_agree() {
    let folder = tempfile::tempdir().unwrap();
    let mut kernels = BTreeMap::new();
    let mut exports = Vec::new();
    let mut refused = BTreeMap::<String, usize>::new();
    for seed in 0..KERNELS {
        let kernel = Kernel::random(seed);
        let name = format!("random_{seed}");
        match verilog(&kernel, &name) {
            Ok((modules, ports)) => {
                let files: Vec<File> = modules
                    .into_iter()
                    .map(|module| File {
                        folder: String::new(),
                        name: module.name + ".v",
                        text: module.text,
                    })
                    .collect();
                for file in &files {
                    std::fs::write(folder.path().join(&file.name), &file.text).unwrap();
                }
                exports.push(Export {
                    name: name.clone(),
                    files,
                    ports,
                    memories: Vec::new(),
                });
                kernels.insert(name, (seed, kernel));
            }
            Err(error) => {
                let words = error.to_string();
                let reason = words.split('`').nth(4).unwrap_or(&words).to_owned();
                *refused.entry(reason).or_default() += 1;
            }
        }
    }
    println!("{} kernels, refused {refused:?}", kernels.len());
    // Most of what is refused reads a signal between two writes.
    assert!(
        2 * kernels.len() > KERNELS as usize,
        "too many are refused: {refused:?}"
    );

    let verilated = Verilated::new(exports.clone(), folder.path());
    for export in &exports {
        let (seed, kernel) = &kernels[&export.name];
        let inputs: Vec<_> = data(export).filter(|port| port.input).collect();
        let widths: Vec<usize> = inputs.iter().map(|port| port.bits).collect();
        let mut vectors = Vectors::new(*seed);
        let cycles: Vec<_> = (0..VECTORS).map(|_| vectors.cycle(&widths)).collect();
        let found = verilated.run(&export.name, &cycles);
        for (values, outputs) in cycles.iter().zip(found) {
            let mut signals = BTreeMap::new();
            for (port, words) in inputs.iter().zip(values) {
                match Kernel::array(&port.name) {
                    None => {
                        signals.insert(port.name.clone(), number(words));
                    }
                    Some((width, count)) => {
                        for (at, value) in elements(words, width, count).into_iter().enumerate() {
                            signals.insert(format!("{}[{at}]", port.name), value);
                        }
                    }
                }
            }
            let settled = settle(kernel.statements(), &signals);
            let outputs_of = data(export).filter(|port| !port.input).zip(&outputs);
            for (port, words) in outputs_of {
                let (width, count) = Kernel::array(&port.name).unwrap();
                for (at, value) in elements(words, width, count).into_iter().enumerate() {
                    let name = format!("{}[{at}]", port.name);
                    assert_eq!(
                        value, settled[&name],
                        "{name} differs in kernel {seed} for {signals:x?}:\n{}",
                        export.files[0].text
                    );
                }
            }
        }
    }
}
