//! The restart theorem, and what fails it.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_ledger::Obligation;
use faultline_sim::machines::sm::restart::Trial;
use faultline_sim::machines::sm::{
    Difference, Faults, Occasions, Outcome, Parameters, Recovery, Sm, SmError, Timing, Work,
};
use faultline_sim::simt::{Launch, Memory, Width, assemble};
use faultline_sim::sm::sm_pipeline::Scheme;

/// Bytes of a 16 KB log.
const LOG: usize = 16 << 10;

fn trials(scheme: Scheme) {
    Obligation::test(env!("CARGO_MANIFEST_DIR"), file!()).meet(|| thousand_trials(scheme));
}

fn thousand_trials(scheme: Scheme) {
    let (mut switches, mut restored, mut bases, mut refused) = (0, 0, 0, 0);
    let mut occasions = Occasions::default();
    for seed in 0..1000 {
        let trial = Trial::new(scheme, seed).unwrap();
        let result = trial.run();
        let outcome = result.unwrap_or_else(|failure| panic!("{}: {failure}", scheme.name()));
        // Each is raised once, unless its thread block leaves before it is done again.
        let exceptions = outcome.occasions.exceptions;
        let raised = match scheme.squashes() {
            true => trial.work.exceptions() as u64,
            false => 0,
        };
        match outcome.switches {
            0 => assert_eq!(exceptions, raised, "{}, seed {seed}", scheme.name()),
            _ => assert!(exceptions >= raised, "{}, seed {seed}", scheme.name()),
        }
        switches += outcome.switches;
        restored += outcome.restored;
        bases += outcome.bases;
        refused += outcome.refused;
        occasions += outcome.occasions;
    }
    // Blocks left and came back, where there is a queue with instructions that had faulted.
    assert!(switches > 1000, "{}: {switches} switches", scheme.name());
    assert!(bases > 500, "{}: {bases} bases", scheme.name());
    assert!(refused > 100, "{}: {refused} refused", scheme.name());
    assert_eq!(
        restored > 1000,
        scheme.queues(),
        "{}: {restored} restored",
        scheme.name()
    );
    // Whatever can go wrong in a restart has come up, where faults squash anything.
    let Occasions {
        faults,
        exceptions,
        again,
        in_a_replay,
        some_lanes,
        shared_page,
    } = occasions;
    let met = faults > 1000 && exceptions > 1000 && again > 1000;
    let met = met && some_lanes > 1000 && shared_page > 100;
    assert_eq!(met, scheme.squashes(), "{}: {occasions:?}", scheme.name());
    assert_eq!(
        in_a_replay > 100,
        scheme.queues(),
        "{}: {occasions:?}",
        scheme.name()
    );
}

#[test]
fn stall_on_fault_ends_as_without_faults() {
    trials(Scheme::StallOnFault);
}

#[test]
fn warp_disable_until_commit_restarts() {
    trials(Scheme::WarpDisableCommit);
}

#[test]
fn warp_disable_until_last_check_restarts() {
    trials(Scheme::WarpDisableLastCheck);
}

#[test]
fn replay_queue_restarts() {
    trials(Scheme::ReplayQueue);
}

#[test]
fn operand_log_restarts() {
    trials(Scheme::OperandLog);
}

/// A warp whose accesses all go to pages that are not there yet.
fn work(text: &str) -> Work {
    let mut memory = Memory::new();
    for (address, word) in [(0x10_0000, 11), (0x20_0000, 22), (0x30_0008, 33)] {
        memory.write(address, Width::Four, word);
    }
    let launch = Launch {
        grid: [1; 3],
        block: [32, 1, 1],
        shared_memory: 0,
    };
    Work::of_program(assemble(text).unwrap(), launch, memory).unwrap()
}

fn parameters(scheme: Scheme) -> Parameters {
    Parameters {
        faults: Faults {
            absent: true,
            cycles: 100,
            granule_bits: 12,
            ..Faults::NONE
        },
        values: true,
        ..Parameters::paper(scheme, LOG)
    }
}

fn outcome(parameters: &Parameters, work: &Work) -> Result<Outcome, SmError> {
    Sm::new(parameters, work)?.run(|_, _| {})
}

/// What is different if the warp simply goes back to what faulted; no scheme may differ.
fn naive_differences(text: &str) -> Vec<Difference> {
    let work = work(text);
    for scheme in Scheme::ALL {
        let outcome = outcome(&parameters(scheme), &work).unwrap();
        assert_eq!(outcome.differences(), [], "{}", scheme.name());
        let faults = outcome.occasions.faults > 0;
        assert_eq!(faults, scheme.squashes(), "{}", scheme.name());
    }
    let naive = Parameters {
        recovery: Recovery::Naive,
        ..parameters(Scheme::StallOnFault)
    };
    outcome(&naive, &work).unwrap().differences().to_vec()
}

const POINTERS: &str =
    "R2 <- mov 0x100000\nR4 <- mov 0x200000\nR7 <- mov 0x300000\nR9 <- mov 100\n";

#[test]
fn a_naive_squash_fails_sparse_replay() {
    let program = "A: R3 <- ld [R2]\nB: R9 <- sub R9, 4\nexit";
    let differences = naive_differences(&format!("{POINTERS}{program}"));
    let twice = Difference::Commits {
        block: 0,
        warp: 0,
        position: 5,
        times: 2,
    };
    // 4 was subtracted twice.
    let wrong = Difference::Registers {
        block: 0,
        warp: 0,
        register: 9,
        lane: 0,
        value: 92,
    };
    assert_eq!(differences, [twice, wrong]);
}

#[test]
fn a_naive_squash_fails_raw_on_replay() {
    let program = "C: R8 <- ld [R4]\nD: R4 <- add R7, 8\nexit";
    let differences = naive_differences(&format!("{POINTERS}{program}"));
    // C was replayed with the address that D wrote: 33 lies there, and 22 where C should have loaded.
    let wrong = Difference::Registers {
        block: 0,
        warp: 0,
        register: 8,
        lane: 0,
        value: 33,
    };
    assert!(differences.contains(&wrong), "{differences:?}");
}

#[test]
fn a_block_that_does_not_fit_is_refused() {
    let work = work("exit");
    let mut small = parameters(Scheme::OperandLog);
    small.pipeline.log.entries = 1;
    let refused = outcome(&small, &work).unwrap_err();
    let log = SmError::Log {
        entries: 1,
        blocks: 1,
    };
    assert_eq!(refused, log);
    small.pipeline.warps = 0;
    let refused = outcome(&small, &work).unwrap_err();
    assert_eq!(refused, SmError::Block { block: 1, warps: 0 });
}

#[test]
fn an_instruction_that_is_outlived_by_many_faults_all_the_same() {
    let mut text = format!("{POINTERS}R1 <- ld [R2]\nR1 <- add R1, 1\nR8 <- ld [R4]\n");
    for register in 20..100 {
        text += &format!("R{register} <- ld [R2]\n");
    }
    text += "exit";
    let work = work(&text);
    for scheme in Scheme::ALL {
        let mut parameters = parameters(scheme);
        parameters.timing.walk = 5000;
        let outcome = outcome(&parameters, &work).unwrap();
        assert_eq!(outcome.differences(), [], "{}", scheme.name());
    }
}

#[test]
fn an_instruction_that_faults_for_long_is_no_deadlock() {
    let text = format!(
        "{POINTERS}{}exit",
        "R1 <- ld [R2]\nR1 <- add R1, 1\n".repeat(4)
    );
    let work = work(&text);
    for scheme in Scheme::ALL {
        let mut parameters = parameters(scheme);
        parameters.faults.rate = 0.95;
        parameters.faults.cycles = 10_000;
        let outcome = outcome(&parameters, &work).unwrap();
        assert_eq!(outcome.differences(), [], "{}", scheme.name());
    }
}

#[test]
fn a_warp_that_only_faults_ends_the_run() {
    let work = work(&format!("{POINTERS}R1 <- ld [R2]\nexit"));
    let mut parameters = parameters(Scheme::ReplayQueue);
    parameters.faults.rate = 1.0;
    parameters.faults.cycles = 1;
    parameters.timing = Timing::FIGURES;
    parameters.pipeline.warps = 1;
    let stuck = outcome(&parameters, &work);
    assert!(matches!(stuck, Err(SmError::Stuck(_))), "{stuck:?}");
}
