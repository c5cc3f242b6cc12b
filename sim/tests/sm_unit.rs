//! The SM around the block `sm_unit`: which warps go on when, and what is counted.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_sim::machines::gpu::{self, Config, Gpu};
use faultline_sim::machines::sm::{
    Cause, Exceptions, Faults, Outcome, Parameters, Response, Sm, Work,
};
use faultline_sim::simt::{Launch, Memory, assemble};
use faultline_sim::sm::sm_pipeline::{Inputs, Outputs, Scheme};

/// Cycles from a fault to its page.
const FAULT: u64 = 5_000;

fn work(text: &str, threads: u32) -> Work {
    let launch = Launch {
        grid: [1, 1, 1],
        block: [threads, 1, 1],
        shared_memory: 0,
    };
    Work::of_program(assemble(text).unwrap(), launch, Memory::new()).unwrap()
}

/// An SM of whose pages some or none is absent, with a handler of exceptions.
fn parameters(joined: bool, absent: bool, handler: u64) -> Parameters {
    Parameters {
        joined,
        values: true,
        faults: Faults {
            absent,
            cycles: FAULT,
            granule_bits: 12,
            ..Faults::NONE
        },
        exceptions: Exceptions {
            response: Response::Restart,
            handler,
        },
        ..Parameters::paper(Scheme::OperandLog, 16 << 10)
    }
}

fn run(parameters: &Parameters, work: &Work, observe: impl FnMut(&Inputs, &Outputs)) -> Outcome {
    let outcome = Sm::new(parameters, work).unwrap().run(observe).unwrap();
    assert_eq!(outcome.differences(), []);
    outcome
}

/// Of a warp that has faulted and has raised an exception, too, neither the page nor the handler alone lets it go on, whichever
/// takes longer.
#[test]
fn a_warp_that_faults_and_raises_goes_on_when_both_are_over() {
    let work = work(
        "R0 <- mov 1048576\nR1 <- ld [R0]\ntrap\nR2 <- mov 3\nexit",
        32,
    );
    for handler in [100, 4 * FAULT] {
        let outcome = run(&parameters(true, true, handler), &work, |_, _| {});
        let occasions = outcome.occasions;
        assert_eq!((occasions.faults, occasions.exceptions), (2, 1));
        // The load is not issued again before its page is there.
        assert_eq!(occasions.again, 0);
        let least = handler.max(FAULT);
        eprintln!("{}", outcome.cycles);
        assert!(
            (least..least + 2_000).contains(&outcome.cycles),
            "{}",
            outcome.cycles
        );
    }
}

/// The handler begins when the older load has its data, and the warp goes on when the handler is over. The machine resumes it no
/// sooner: the pipeline takes each resume at once.
#[test]
fn a_warp_that_raises_goes_on_when_it_has_drained_and_its_handler_is_over() {
    let work = work(
        "R0 <- mov 1048576\nR1 <- ld [R0]\ntrap\nR2 <- mov 3\nexit",
        32,
    );
    let handler = 3_000;
    let mut now = 0;
    let (mut raised, mut finished, mut resumed) = (Vec::new(), Vec::new(), Vec::new());
    let outcome = run(
        &parameters(true, false, handler),
        &work,
        |inputs, outputs| {
            if inputs.faulted_valid {
                raised.push(now);
            }
            if inputs.finished_valid.contains(&1) {
                finished.push(now);
            }
            if inputs.resume_valid {
                assert!(outputs.resume_ready, "cycle {now}");
                resumed.push(now);
            }
            now += 1;
        },
    );
    assert_eq!(outcome.occasions.exceptions, 1);
    let [raised, resumed] = [&*raised, &*resumed].map(|times| {
        let [time] = times else { panic!("{times:?}") };
        *time
    });
    // The load is the last to finish before the resume.
    let drained = finished
        .iter()
        .copied()
        .filter(|&at| at < resumed)
        .max()
        .unwrap();
    eprintln!("{raised} {drained} {resumed}");
    assert!(drained > raised + 100);
    assert_eq!(resumed, drained + handler);
}

/// A warp loads lanes 264 bytes apart, which are in lines of their own, from two or three pages, and stores to other ones.
const LINES: &str = "R0 <- mul thread.x, 264\nR0 <- add R0, 1048576\nR1 <- ld [R0]\nR0 <- add R0, 65536\n\
                     R1 <- ld [R0]\nst [R0], R1\nexit";

/// What is counted around the unit is what is counted in a memory unit that can be varied, where the order of lines does not
/// matter.
#[test]
fn counters_are_those_of_a_memory_unit_that_can_be_varied() {
    for (threads, absent, cycles) in [(32, false, 1473), (32, true, 12_697), (64, true, 0)] {
        let work = work(LINES, threads);
        let [varied, unit] =
            [false, true].map(|joined| run(&parameters(joined, absent, 10), &work, |_, _| {}));
        eprintln!(
            "{} {:?} {:?} {:?} {:?}",
            unit.cycles, unit.lookups, unit.occasions, unit.misses, unit.replay_times
        );
        eprintln!(
            "{} {:?} {:?} {:?} {:?}",
            varied.cycles, varied.lookups, varied.occasions, varied.misses, varied.replay_times
        );
    }
}

/// What the cycles of the SMs go to.
#[test]
fn each_cycle_has_a_cause() {
    for (threads, absent) in [(32, false), (32, true), (512, true)] {
        let text = LINES.replace("st [", "trap\nR2 <- div R1, 0\nst [");
        let work = work(&text, threads);
        for unit in ["model", "rtl"] {
            let text = format!(
                "sms = 1\n[sm]\nunit = \"{unit}\"\n[exceptions]\nresponse = \"restart\"\n[paging]\nabsent = {absent}\ngranularity = \"4k\"\n"
            );
            let config = Config::read(&text, "gpu.toml", "tanasic").unwrap();
            let gpu = Gpu::new(&config.parameters(), &work).unwrap();
            let outcome = gpu.counting_causes().run(|_| {}).unwrap();
            let [cycles] = &outcome.cycles_by_cause[..] else {
                panic!()
            };
            assert_eq!(cycles.all(), outcome.cycles);
            eprintln!("{} {cycles:?} {:?}", outcome.cycles, outcome.sms.lookups);
        }
    }
}
