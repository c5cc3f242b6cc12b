//! Divisions by zero and traps on the SM: each scheme treats what may raise an exception as what may fault (Tanasic et al.,
//! sections 3.1 and 3.2), and a handler restarts it, or the kernel ends.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_sim::machines::sm::timeline::{Passage, passages};
use faultline_sim::machines::sm::{
    Exceptions, Outcome, Parameters, Response, Sm, SmError, Switching, Work,
};
use faultline_sim::simt::{Exception, Launch, Memory, Raised, Run, assemble, run};
use faultline_sim::sm::sm_pipeline::Scheme;

/// Bytes of a 16 KB log.
const LOG: usize = 16 << 10;
/// Cycles of the handler.
const HANDLER: u64 = 60;

/// The divisor is 0 in 8 lanes, and overwritten at once.
const DIVIDES: &str = "R1 <- mov 100\nR2 <- and lane, 3\nR3 <- div R1, R2\nR2 <- mov 7\ntrap\n\
                       R4 <- rem R1, R255\nR5 <- add R3, R4\nR6 <- div R5, R2\nexit";
/// Only the last warp of 2 blocks with 2 warps divides by zero.
const LAST_WARP: &str = "R1 <- mad block.x, 2, warp\nR1 <- setne R1, 3\nR2 <- div 6, R1\nexit";

fn launch(blocks: u32, threads: u32) -> Launch {
    Launch {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        shared_memory: 0,
    }
}

fn oracle(text: &str, launch: Launch) -> Run {
    run(&assemble(text).unwrap(), &launch, Memory::new()).unwrap()
}

fn work(text: &str, launch: Launch) -> Work {
    Work::of_program(assemble(text).unwrap(), launch, Memory::new()).unwrap()
}

fn parameters(scheme: Scheme, response: Response) -> Parameters {
    Parameters {
        exceptions: Exceptions {
            response,
            handler: HANDLER,
        },
        values: true,
        ..Parameters::paper(scheme, LOG)
    }
}

fn outcome(parameters: &Parameters, work: &Work) -> Result<Outcome, SmError> {
    Sm::new(parameters, work)?.run(|_, _| {})
}

fn squashing() -> impl Iterator<Item = Scheme> {
    Scheme::ALL.into_iter().filter(|scheme| scheme.squashes())
}

/// The ways of the instruction at a program counter through the pipeline.
fn ways(all: &[Passage], pc: u32) -> Vec<Passage> {
    all.iter().filter(|way| way.pc == pc).copied().collect()
}

/// When an instruction is there for the first time on one of its ways.
fn begins(way: &Passage) -> u64 {
    way.fetched.or(way.issued).unwrap()
}

#[test]
fn a_restarted_instruction_has_its_defined_result() {
    let run = oracle(DIVIDES, launch(1, 32));
    let registers = &run.warps[0].registers;
    let lanes = |register: u8| registers.read(register)[..4].to_vec();
    assert_eq!(lanes(3), [u64::MAX, 100, 50, 33]);
    assert_eq!(lanes(4), [100; 4]);
    let work = work(DIVIDES, launch(1, 32));
    assert_eq!(work.exceptions(), 3);
    for scheme in squashing() {
        for values in [true, false] {
            let parameters = Parameters {
                values,
                ..parameters(scheme, Response::Restart)
            };
            let outcome = outcome(&parameters, &work).unwrap();
            assert_eq!(outcome.differences(), [], "{}", scheme.name());
            let occasions = outcome.occasions;
            assert_eq!((occasions.exceptions, occasions.faults), (3, 3));
            // The trap and the remainder are raised in all lanes.
            assert_eq!(occasions.some_lanes, 1, "{}", scheme.name());
        }
    }
}

#[test]
fn a_masked_exception_squashes_nothing() {
    let work = work(DIVIDES, launch(1, 32));
    for scheme in Scheme::ALL {
        let outcome = outcome(&parameters(scheme, Response::Masked), &work).unwrap();
        assert_eq!(outcome.differences(), [], "{}", scheme.name());
        assert_eq!(outcome.occasions.faults, 0, "{}", scheme.name());
    }
}

/// Section 3.1: "treating the instructions that may trigger the exception as code barriers", here until commit or until the
/// divisor is known. Section 3.2: they are in the replay queue, which holds their sources until then.
#[test]
fn what_may_raise_an_exception_is_a_barrier_where_accesses_are() {
    let divides = "R1 <- mov 8\nR2 <- mov 2\nR3 <- div R1, R2\nR4 <- add R1, 1\nR2 <- mov 7\nexit";
    let traps = "R1 <- mov 8\nR2 <- mov 2\ntrap\nR4 <- add R1, 1\nR2 <- mov 7\nexit";
    for (text, has_sources) in [(divides, true), (traps, false)] {
        let work = work(text, launch(1, 32));
        for scheme in Scheme::ALL {
            let all = passages(&parameters(scheme, Response::Masked), &work).unwrap();
            let [raising, next, overwriting] = [2, 3, 4].map(|pc| ways(&all, pc)[0]);
            let name = scheme.name();
            let (checked, committed) = (raising.checked.unwrap(), raising.committed.unwrap());
            assert!(checked < committed, "{name}: {raising:?}");
            let fetched = next.fetched.unwrap();
            match scheme {
                Scheme::WarpDisableCommit => assert!(fetched > committed, "{name}: {all:?}"),
                Scheme::WarpDisableLastCheck => {
                    assert!(checked < fetched && fetched < committed, "{name}: {all:?}");
                }
                _ => assert!(fetched < checked, "{name}: {all:?}"),
            }
            if !scheme.disables() {
                let is_held = overwriting.issued.unwrap() > checked;
                let holds = has_sources && scheme == Scheme::ReplayQueue;
                assert_eq!(is_held, holds, "{name}: {all:?}");
            }
        }
    }
}

/// The instruction comes back after the handler, from the replay queue or from the source; an independent one behind it commits
/// once, in the queue's schemes before that.
#[test]
fn the_handler_begins_when_the_warp_has_drained_and_takes_its_time() {
    let text = "R1 <- mov 8\ntrap\nR4 <- add R1, 1\nexit";
    let work = work(text, launch(1, 32));
    for scheme in squashing() {
        let all = passages(&parameters(scheme, Response::Restart), &work).unwrap();
        let name = scheme.name();
        let [first, second] = ways(&all, 1)[..] else {
            panic!("{name}: {all:?}");
        };
        let over = first.faulted.unwrap() + HANDLER;
        assert!(first.committed.is_none() && second.faulted.is_none());
        assert!(
            begins(&second) > over && begins(&second) < over + 40,
            "{name}: {all:?}"
        );
        assert_eq!(second.fetched.is_none(), scheme.queues(), "{name}: {all:?}");
        assert!(second.committed.is_some(), "{name}: {all:?}");
        let behind = ways(&all, 2).into_iter().filter_map(|way| way.committed);
        let [commit] = behind.collect::<Vec<_>>()[..] else {
            panic!("{name}: {all:?}");
        };
        assert_eq!(commit < over, scheme.queues(), "{name}: {all:?}");
    }
}

/// Under the queue and the log the second one is in flight when the first one is squashed.
#[test]
fn exceptions_of_a_warp_are_handled_one_after_the_other_and_those_of_others_side_by_side() {
    let two = "trap\ntrap\nexit";
    for scheme in [Scheme::ReplayQueue, Scheme::OperandLog] {
        let parameters = parameters(scheme, Response::Restart);
        let all = passages(&parameters, &work(two, launch(1, 32))).unwrap();
        let faulted = all.iter().filter_map(|way| way.faulted).max().unwrap();
        let replayed = all.iter().filter(|way| way.fetched.is_none());
        let replayed = replayed.map(begins).min().unwrap();
        assert!(replayed > faulted + 2 * HANDLER, "{all:?}");
        // Of 16 warps: two longer handlers one after the other are all that a run takes longer.
        let many = work(two, launch(8, 64));
        let cycles = |handler| {
            let mut parameters = parameters;
            parameters.exceptions.handler = handler;
            let outcome = outcome(&parameters, &many).unwrap();
            assert_eq!(outcome.occasions.exceptions, 32);
            outcome.cycles
        };
        let (short, long) = (cycles(HANDLER), cycles(10 * HANDLER));
        assert!(long > short + 9 * HANDLER, "{short} {long}");
        assert!(long <= short + 2 * 9 * HANDLER, "{short} {long}");
    }
}

/// The baseline has no preemptible faults, so that it cannot restart what has raised an exception.
#[test]
fn an_exception_that_nothing_restarts_ends_the_kernel() {
    let last = Raised {
        block: 1,
        warp: 1,
        pc: 2,
        exception: Exception::DivisionByZero,
        lanes: u32::MAX,
    };
    let shape = launch(2, 64);
    let program = assemble(LAST_WARP).unwrap();
    let run = oracle(LAST_WARP, shape);
    assert_eq!(run.exceptions(&program).collect::<Vec<_>>(), [last]);
    let work = work(LAST_WARP, shape);
    let ends = |scheme, response| outcome(&parameters(scheme, response), &work).map(|_| ());
    let all = Scheme::ALL.map(|scheme| (scheme, Response::End));
    for (scheme, response) in all
        .into_iter()
        .chain([(Scheme::StallOnFault, Response::Restart)])
    {
        let error = ends(scheme, response).unwrap_err();
        let SmError::Exception { cycle, raised } = error else {
            panic!("{error}");
        };
        assert_eq!((raised, error.cycle()), (last, Some(cycle)));
        let sentence = format!(
            "cycle {cycle}, thread block 1, warp 1, pc 2: a division by zero in 32 lanes ends the kernel"
        );
        assert_eq!(error.to_string(), sentence);
    }
}

/// Each exception with which a kernel ends is one of those that the oracle meets.
#[test]
fn a_kernel_ends_with_an_exception_of_the_oracle() {
    let program = assemble(DIVIDES).unwrap();
    let expected: Vec<Raised> = oracle(DIVIDES, launch(3, 96))
        .exceptions(&program)
        .collect();
    let each = (0..3).flat_map(|block| (0..3).map(move |warp| (block, warp)));
    let raised = each.flat_map(|(block, warp)| {
        [
            (2, Exception::DivisionByZero, 0x1111_1111),
            (4, Exception::Trap, u32::MAX),
            (5, Exception::DivisionByZero, u32::MAX),
        ]
        .map(|(pc, exception, lanes)| Raised {
            block,
            warp,
            pc,
            exception,
            lanes,
        })
    });
    assert_eq!(expected, raised.collect::<Vec<_>>());
    let work = work(DIVIDES, launch(3, 96));
    for scheme in Scheme::ALL {
        match outcome(&parameters(scheme, Response::End), &work) {
            Err(SmError::Exception { raised, .. }) => assert!(expected.contains(&raised)),
            other => panic!("{}: {other:?}", scheme.name()),
        }
    }
}

/// What the handler has done does not leave with a thread block, so some exceptions are raised again when it is back.
#[test]
fn a_thread_block_that_leaves_raises_its_exceptions_again() {
    let work = work(DIVIDES, launch(6, 64));
    for scheme in squashing() {
        let (mut again, mut switches) = (0, 0);
        for seed in 0..20 {
            let parameters = Parameters {
                switching: Switching::Chance(0.1),
                seed,
                ..parameters(scheme, Response::Restart)
            };
            let outcome = outcome(&parameters, &work).unwrap();
            assert_eq!(outcome.differences(), [], "{}, seed {seed}", scheme.name());
            again += outcome.occasions.exceptions - work.exceptions() as u64;
            switches += outcome.switches;
        }
        assert!(
            again > 0 && switches > 0,
            "{}: {again}, {switches}",
            scheme.name()
        );
    }
}
