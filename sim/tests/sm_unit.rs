//! The SM around the block `sm_unit`: which warps go on when, and what is counted.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_sim::machines::gpu::{Config, Gpu};
use faultline_sim::machines::sm::{
    Cause, Exceptions, Faults, Occasions, Outcome, Parameters, Response, Sm, Work,
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
    // Two warps fault on the same pages; the second load of a warp faults on some of its pages after the first one's has come.
    let shared = LINES.replace("thread.x", "lane");
    let again = LINES.replace("R0 <- mul", "R0 <- mov 1048576\nR1 <- ld [R0]\nR0 <- mul");
    for (text, threads, absent, cycles, times) in [
        (LINES, 32, false, 1473, (0, 0)),
        (LINES, 32, true, 12_697, (95, 95)),
        (LINES, 64, true, 13_006, (95, 95)),
        (&shared, 64, true, 12_729, (95, 114)),
        (&again, 32, true, 18_696, (95, 95)),
    ] {
        let work = work(text, threads);
        let run = |joined| run(&parameters(joined, absent, 10), &work, |_, _| {});
        let [varied, unit] = [false, true].map(run);
        assert_eq!(unit.lookups, varied.lookups);
        // A warp waits for a page from the cycle on in which its access leaves the unit, rather than from the answer on: of two warps
        // only the second one finds that the other waits.
        let shared_page = if text == shared { 2 } else { 0 };
        let occasions = Occasions {
            shared_page,
            ..varied.occasions
        };
        assert_eq!(unit.occasions, occasions);
        assert_eq!(varied.occasions.shared_page, 2 * shared_page);
        assert_eq!(unit.misses.lines, varied.misses.lines);
        // Loads fault on some of their lanes.
        assert_eq!(unit.occasions.some_lanes > 0, absent);
        let replays = unit.replay_times;
        assert_eq!(replays.faults, unit.occasions.faults);
        assert_eq!(replays.restarts(), replays.faults);
        assert_eq!((replays.percentile(1), replays.longest()), times);
        assert_eq!(unit.cycles, cycles);
    }
}

/// Of one warp only memory takes another time than with a memory unit that can be varied. Of many warps, most of which wait for a
/// page or for a page entry that is free, most cycles go to faults all the same.
#[test]
fn what_waits_for_a_page_or_a_page_entry_waits_for_a_fault() {
    let text = LINES.replace("st [", "trap\nR2 <- div R1, 0\nst [");
    for (threads, absent) in [(32, false), (32, true), (512, true)] {
        let work = work(&text, threads);
        let [varied, unit] = ["model", "rtl"].map(|unit| {
            let text = format!(
                "sms = 1\n[sm]\nunit = \"{unit}\"\n[exceptions]\nresponse = \"restart\"\n\
                 [paging]\nabsent = {absent}\ngranularity = \"4k\"\n"
            );
            let config = Config::read(&text, "gpu.toml", "tanasic").unwrap();
            let gpu = Gpu::new(&config.parameters(), &work).unwrap();
            let outcome = gpu.counting_causes().run(|_| {}).unwrap();
            let cycles = outcome.cycles_by_cause[0];
            assert_eq!(cycles.all(), outcome.cycles);
            cycles
        });
        for cause in Cause::ALL {
            let (one, other) = (varied[cause], unit[cause]);
            match (cause, threads) {
                (Cause::Arithmetic | Cause::Handler | Cause::Translation, 32) => {
                    assert_eq!(one, other, "{cause:?}");
                }
                (Cause::Fault | Cause::Memory, _) => {
                    assert!(
                        10 * one.abs_diff(other) < 3 * one.max(1),
                        "{cause:?}: {one} {other}"
                    );
                }
                _ => {}
            }
        }
        assert!(unit[Cause::Handler] > 0);
        assert_eq!(unit[Cause::Fault] > unit.all() / 2, absent);
    }
}
