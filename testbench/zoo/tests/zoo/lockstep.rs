//! Kernel and exported Verilog in lockstep, every output in every cycle.

use crate::verilated::Verilated;
use crate::{Vectors, Words};
use faultline_hw::ports::Hardware;
use faultline_zoo::designs;

/// Passes over a block after which it must have settled.
const MOST_PASSES: usize = 1000;

fn settle(block: &mut dyn Hardware) {
    for _ in 0..MOST_PASSES {
        block.update_all();
        if !block.has_changed() {
            return;
        }
    }
    panic!("the kernel does not settle");
}

/// What the kernel shows in each cycle.
fn kernel(block: &mut dyn Hardware, inputs: &[Vec<Words>]) -> Vec<Vec<Words>> {
    let mut outputs = Vec::new();
    for values in inputs {
        for ((_, port), value) in block.inputs().into_iter().zip(values) {
            port.set(value);
        }
        settle(block);
        let read = block.outputs().into_iter().map(|(_, port)| {
            let mut words = vec![0; port.bits().div_ceil(64)];
            port.get(&mut words);
            words
        });
        outputs.push(read.collect());
        for level in [true, false] {
            block.clock().next = level.into();
            settle(block);
        }
    }
    outputs
}

/// Vectors for a design: `rust-hdl` keeps more than 32 bits as booleans, and is slow there.
fn cycles(config: &str) -> usize {
    match config.parse::<usize>() {
        Ok(width) if width <= 64 => 10_000,
        _ => 4_000,
    }
}

#[test]
fn kernel_and_verilog_agree_on_every_operator() {
    crate::obligation().meet(every_operator_agrees);
}

fn every_operator_agrees() {
    let seed = 0x5eed_0f2a;
    println!("seed {seed:#x}");
    let folder = tempfile::tempdir().unwrap();
    let exports = designs()
        .iter()
        .map(|design| crate::export(design, folder.path()))
        .collect();
    let verilated = Verilated::new(exports, folder.path());
    let mut compared = 0;
    for design in designs() {
        let mut block = (design.build)();
        let widths: Vec<usize> = block.inputs().iter().map(|(_, port)| port.bits()).collect();
        let names: Vec<&str> = block.outputs().iter().map(|(name, _)| *name).collect();
        assert_eq!(verilated.ports(design.name), {
            let inputs = block
                .inputs()
                .iter()
                .map(|(_, port)| port.bits())
                .collect::<Vec<_>>();
            [
                inputs,
                block
                    .outputs()
                    .iter()
                    .map(|(_, port)| port.bits())
                    .collect(),
            ]
            .concat()
        });
        let mut vectors = Vectors::new(seed);
        let inputs: Vec<_> = (0..cycles(design.config))
            .map(|_| vectors.cycle(&widths))
            .collect();
        let start = std::time::Instant::now();
        let expected = kernel(block.as_mut(), &inputs);
        let time = start.elapsed();
        let found = verilated.run(design.name, &inputs);
        for (cycle, (expected, found)) in expected.iter().zip(&found).enumerate() {
            for ((name, expected), found) in names.iter().zip(expected).zip(found) {
                assert_eq!(
                    expected, found,
                    "{}, {name}: kernel and Verilog differ in cycle {cycle} with seed {seed:#x} and inputs {:x?}",
                    design.name, inputs[cycle]
                );
            }
        }
        compared += inputs.len() * names.len();
        println!(
            "{}: {} vectors, {} outputs, kernel {time:.1?}",
            design.name,
            inputs.len(),
            names.len()
        );
    }
    println!("{compared} values compared");
}
