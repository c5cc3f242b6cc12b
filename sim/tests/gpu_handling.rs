//! Faults that the warps handle which have met them, and kernels that allocate on the device.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_sim::machines::gpu::{Config, Failure, Gpu, Outcome, SchemeName};
use faultline_sim::machines::sm::Work;
use faultline_sim::simt::kernels::{ALLOCATING, named};
use faultline_sim::simt::{Launch, Memory, assemble};
use faultline_sim::sm::sm_pipeline::Scheme;

fn work(kernel: &str) -> Work {
    Work::of_kernel(&named(kernel).unwrap()(1).unwrap()).unwrap()
}

fn config(text: &str, scheme: Scheme) -> Config {
    let mut config = Config::read(text, "gpu.toml", "tanasic").unwrap();
    config.sm.scheme = SchemeName(scheme);
    config
}

/// Runs to the end, which is the oracle's.
fn run(work: &Work, config: &Config) -> Outcome {
    let gpu = Gpu::new(&config.parameters(), work).unwrap();
    let outcome = gpu
        .run(|_| {})
        .unwrap_or_else(|error| panic!("{}: {error}", work.name));
    assert_eq!(outcome.differences(), [], "{}", work.name);
    outcome
}

fn squashing() -> impl Iterator<Item = Scheme> {
    Scheme::ALL.into_iter().filter(|scheme| scheme.squashes())
}

/// The CPU owns inputs, and outputs are unowned: handlers on the SMs ask for the first and allocate the others.
#[test]
fn warps_handle_their_faults_in_every_scheme_that_squashes() {
    let work = work("histo");
    for scheme in squashing() {
        let with = |handling: &str| {
            let text = format!("sms = 4\n[paging]\nabsent = true\nhandling = \"{handling}\"\n");
            run(&work, &config(&text, scheme))
        };
        let (cpu, gpu) = (with("cpu").brought, with("gpu").brought);
        assert_eq!((cpu.local, cpu.asked), (0, 0));
        assert_eq!((gpu.local, gpu.asked), (gpu.allocated, gpu.migrated));
        assert_eq!((gpu.allocated, gpu.migrated), (cpu.allocated, cpu.migrated));
        assert!(gpu.local > 0 && gpu.asked > 0, "{scheme:?}: {gpu:?}");
        assert_eq!(gpu.resolved, gpu.records);
    }
}

/// Kernels that allocate: values are the oracle's with either handler of the heap's faults, whichever SM gets the first block.
#[test]
fn kernels_allocate_on_the_device() {
    for (name, _) in ALLOCATING {
        let work = work(name);
        for scheme in Scheme::ALL {
            let resident = run(&work, &config("sms = 3\n", scheme));
            assert_eq!(resident.brought.records, 0, "{name}");
        }
        for handling in ["cpu", "gpu"] {
            let text = format!(
                "sms = 3\n[paging]\nabsent = true\ncopied = true\nhandling = \"{handling}\"\n"
            );
            let mut parameters = config(&text, Scheme::ReplayQueue).parameters();
            for first in 0..2 {
                parameters.first = first;
                let outcome = Gpu::new(&parameters, &work).unwrap().run(|_| {}).unwrap();
                assert_eq!(outcome.differences(), [], "{name}, {handling}");
                let brought = outcome.brought;
                assert!(
                    brought.allocated > 1 && brought.migrated == 0,
                    "{brought:?}"
                );
            }
        }
    }
}

/// Which place a thread gets depends on the order of warps: without what the oracle's atomics return, the run goes other ways.
#[test]
fn what_atomics_return_is_the_oracles() {
    let mut work = work("heap-random");
    work.computation.as_mut().unwrap().is_ordered = false;
    let parameters = config("sms = 3\n", Scheme::ReplayQueue).parameters();
    let outcome = Gpu::new(&parameters, &work).unwrap().run(|_| {});
    // It differs, or a warp that does not wait for a chunk accesses memory where no buffer is.
    assert!(outcome.map_or(true, |outcome| !outcome.differences().is_empty()));
}

/// A program of one warp.
fn program(text: &str) -> Work {
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        shared_memory: 0,
    };
    Work::of_program(assemble(text).unwrap(), launch, Memory::new()).unwrap()
}

/// The null page is in no allocation: the kernel is aborted, with either handler, and even if all else is there.
#[test]
fn an_access_of_the_null_page_aborts_the_kernel() {
    let work = program("R0 <- mov 16\nR1 <- ld [R0]\nexit");
    for scheme in Scheme::ALL {
        for (text, least) in [
            ("absent = true\n", 2_000),
            ("absent = false\n", 2_000),
            ("absent = true\nhandling = \"gpu\"\n", 22_000),
        ] {
            let text = format!("sms = 2\n[paging]\n{text}");
            let config = config(&text, scheme);
            let gpu = Gpu::new(&config.parameters(), &work);
            if config.check().is_err() {
                assert_eq!(gpu.map(|_| ()), Err(Failure::Handler(scheme.name())));
                continue;
            }
            let failure = gpu.unwrap().run(|_| {}).unwrap_err();
            let Failure::Aborted { cycle, .. } = failure else {
                panic!("{scheme:?}: {failure}");
            };
            assert!((least..least + 2_000).contains(&cycle), "{cycle}");
            let sentence = format!(
                "cycle {cycle}: the kernel is aborted: page 0x0, which SM 0 has accessed, is in no allocation"
            );
            assert_eq!(failure.to_string(), sentence);
        }
    }
}

/// A kernel names its buffers, and an access of any other page is invalid.
#[test]
fn an_access_outside_of_a_kernels_buffers_aborts_it() {
    let kernel = named("histo").unwrap()(1).unwrap();
    let mut shrunk = kernel.clone();
    shrunk.regions.retain(|region| region.name != "bins");
    let bins = kernel.region("bins").unwrap().address >> 12;
    let work = Work::of_kernel(&shrunk).unwrap();
    for absent in [false, true] {
        let text = format!("sms = 2\n[paging]\nabsent = {absent}\n");
        let parameters = config(&text, Scheme::OperandLog).parameters();
        let failure = Gpu::new(&parameters, &work).unwrap().run(|_| {});
        let Err(Failure::Aborted { vpn, .. }) = failure else {
            panic!("{failure:?}");
        };
        assert!((bins..bins + 12).contains(&vpn), "{vpn:#x}");
    }
}

/// A block stays while one of its warps runs a handler, and leaves because of pages of the CPU alone.
#[test]
fn blocks_stay_while_their_warps_handle_faults() {
    let mut work = work("histo");
    work.blocks_per_sm = 2;
    let with = |paging: &str| {
        let text = format!(
            "sms = 2\n[switching]\nmode = \"ideal\"\nthreshold = 0\nextra = 2\nresidence = 100\n\
             [paging]\nabsent = true\ngranularity = \"4k\"\n{paging}"
        );
        run(&work, &config(&text, Scheme::ReplayQueue))
    };
    let first_leave = |outcome: &Outcome| {
        let moved = outcome.history.moved.iter().flatten();
        moved.map(|moved| moved.span.start).min().unwrap()
    };
    let cpu = with("");
    assert!(cpu.sms.switches > 4 && first_leave(&cpu) < 20_000);
    let gpu = with("handling = \"gpu\"\n");
    assert!(gpu.sms.switches > 4, "{}", gpu.sms.switches);
    assert!(first_leave(&gpu) >= 20_000, "{}", first_leave(&gpu));
    // Only unowned pages are absent.
    let copied = with("copied = true\n");
    assert!(copied.brought.allocated > 0 && copied.sms.switches > 0);
    let local = with("copied = true\nhandling = \"gpu\"\n");
    assert!(local.brought.local > 0);
    assert_eq!(local.sms.switches, 0);
}
