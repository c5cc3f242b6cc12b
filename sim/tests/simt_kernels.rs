//! The kernels' accesses, and the kernels as traces.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use std::io::Cursor;
use std::path::Path;

use faultline_sim::simt::kernels::{KERNELS, Kernel, VARIANTS, named};
use faultline_sim::simt::{Class, Run, Space, run, write_trace, write_traces};
use faultline_sim::trace::{self, Event, GlobalAccesses, Reader, Summary, Trace};

fn oracle(kernel: &Kernel) -> Run {
    run(&kernel.program, &kernel.launch, kernel.memory.clone()).unwrap()
}

#[test]
fn accesses_stay_in_their_regions() {
    for (name, make) in KERNELS.into_iter().chain(VARIANTS) {
        let kernel = make(1).unwrap();
        for warp in &oracle(&kernel).warps {
            for step in &warp.steps {
                let instruction = kernel.program.at(step.pc);
                let Some(addresses) = step
                    .addresses
                    .as_ref()
                    .filter(|_| instruction.class().is_global())
                else {
                    continue;
                };
                let writes = instruction.class() == Class::GlobalStore;
                for lane in (0..32).filter(|lane| step.mask >> lane & 1 == 1) {
                    let address = addresses[lane];
                    let inside = kernel.regions.iter().any(|region| {
                        let serves = if writes {
                            region.is_output
                        } else {
                            region.is_input
                        };
                        let bytes = region.address..region.address + region.bytes;
                        serves && bytes.contains(&address)
                    });
                    assert!(inside, "{name}: {instruction} at {address:#x}");
                }
            }
        }
    }
}

/// The class that the reader should find.
fn class(kernel: &Kernel, pc: u32) -> trace::Class {
    let instruction = kernel.program.at(pc);
    let space = match instruction.operation.memory() {
        Some((Space::Shared, _)) => trace::Space::Shared,
        _ => trace::Space::Global,
    };
    match (instruction.operation.name(), instruction.class()) {
        (name, _) if name.starts_with("atom") => trace::Class::Atomic(space),
        (name, _) if name.starts_with("ld") => trace::Class::Load(space),
        (name, _) if name.starts_with("st") => trace::Class::Store(space),
        (_, Class::Special) => trace::Class::Special,
        (_, Class::Branch | Class::Exit) => trace::Class::Control,
        (_, Class::Barrier) => trace::Class::Barrier,
        _ => trace::Class::Arithmetic,
    }
}

#[test]
fn traces_are_read_back() {
    for (name, make) in KERNELS.into_iter().chain(VARIANTS) {
        let kernel = make(1).unwrap();
        let run = oracle(&kernel);
        let mut text = Vec::new();
        write_trace(&mut text, &kernel, 3, &run).unwrap();
        let mut reader = Reader::new(Cursor::new(&text), name).unwrap();
        let header = reader.kernel();
        assert_eq!((header.name.as_str(), header.id), (name, 3));
        assert_eq!(
            (header.grid, header.block),
            (kernel.launch.grid, kernel.launch.block)
        );
        assert_eq!(header.registers, u64::from(kernel.registers));
        assert_eq!(header.shared_memory, u64::from(kernel.launch.shared_memory));
        let mut warps = run.warps.iter();
        let mut steps = [].iter();
        for event in reader.by_ref() {
            match event.unwrap() {
                Event::Block(coordinates) => {
                    let warp = warps.clone().next().unwrap();
                    assert_eq!(coordinates, kernel.launch.block_at(warp.place.block));
                }
                Event::Warp(number, _) => {
                    let warp = warps.next().unwrap();
                    assert_eq!((number, steps.len()), (warp.place.warp, 0));
                    steps = warp.steps.iter();
                }
                Event::Instruction(read) => {
                    let step = steps.next().unwrap();
                    assert_eq!((read.pc, read.mask), (16 * step.pc, step.mask));
                    assert_eq!(read.class, class(&kernel, step.pc));
                    let instruction = kernel.program.at(step.pc);
                    let written = read.destinations.first().copied();
                    let written = written.filter(|&register| register != trace::NO_REGISTER);
                    assert_eq!(written, instruction.destination);
                    let addresses = read.access.as_ref().map(|access| &access.addresses);
                    assert_eq!(
                        addresses,
                        step.addresses.as_deref(),
                        "{name}: {instruction}"
                    );
                }
                Event::EndOfBlock => {}
            }
        }
        assert!(warps.next().is_none() && steps.next().is_none(), "{name}");

        // As one SM would issue them.
        let reader = Reader::new(Cursor::new(&text), name).unwrap();
        let global = |pc: u32| kernel.program.at(pc).class().is_global();
        let expected = run
            .warps
            .iter()
            .flat_map(|warp| &warp.steps)
            .filter(|step| global(step.pc))
            .count();
        let mut issued = 0;
        for access in GlobalAccesses::new(reader) {
            let access = access.unwrap();
            let instruction = kernel.program.at(access.pc / 16);
            let register = |register: Option<u8>| register.unwrap_or(trace::NO_REGISTER);
            assert_eq!(
                access.address_register,
                register(instruction.address_register())
            );
            assert_eq!(access.data_register, register(instruction.data_register()));
            issued += 1;
        }
        assert_eq!(issued, expected);
    }
}

#[test]
fn list_names_kernels_and_copies() {
    let kernels = ["bfs", "sad"].map(|name| named(name).unwrap()(1).unwrap());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simt-list");
    let list = write_traces(&folder, &kernels).unwrap();
    let trace = Trace::open(&list).unwrap();
    let copied: u64 = trace.copies.iter().map(|copy| copy.bytes).sum();
    let inputs = kernels
        .iter()
        .flat_map(|kernel| &kernel.regions)
        .filter(|region| region.is_input);
    assert_eq!(copied, inputs.map(|region| region.bytes).sum::<u64>());
    let summary = Summary::of(&list, |_, _| {}).unwrap();
    for (kernel, read) in kernels.iter().zip(&summary.kernels) {
        assert_eq!(read.name, kernel.name);
        assert_eq!(read.counts.instructions, oracle(kernel).steps() as u64);
    }
    std::fs::remove_dir_all(&folder).unwrap();

    let blocked = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let error = write_traces(&blocked, &kernels).unwrap_err().to_string();
    assert!(
        error.contains("Cargo.toml") && error.contains("check the folder"),
        "{error}"
    );
}
