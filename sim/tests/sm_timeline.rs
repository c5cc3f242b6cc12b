//! The paper's timelines, cycle for cycle (Tanasic et al., Figures 3, 4, 6 and 7, and the prose of §2.5 and §3).

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_sim::machines::sm::timeline::{PAPER_PROGRAM, Passage, passages};
use faultline_sim::machines::sm::{Faults, Parameters, Sm, Timing, Work};
use faultline_sim::simt::{Launch, Memory, assemble};
use faultline_sim::sm::sm_pipeline::Scheme;

const LAUNCH: Launch = Launch {
    grid: [1; 3],
    block: [32, 1, 1],
    shared_memory: 0,
};

/// A letter a cycle from cycle 1 on, for each instruction before the exit.
fn timeline(scheme: Scheme, faults: Faults) -> Vec<String> {
    let program = assemble(&format!("{PAPER_PROGRAM}exit")).unwrap();
    let exit = program.instructions().len() as u32 - 1;
    let work = Work::of_program(program, LAUNCH, Memory::new()).unwrap();
    let parameters = Parameters {
        timing: Timing::FIGURES,
        faults,
        ..Parameters::paper(scheme, 16 << 10)
    };
    let rows = passages(&parameters, &work).unwrap();
    let letters = |row: &Passage| {
        (1..=row.end())
            .map(|cycle| row.stage(cycle).unwrap_or(' '))
            .collect()
    };
    rows.iter()
        .filter(|row| row.pc != exit)
        .map(letters)
        .collect()
}

#[test]
fn the_baseline_is_figure_3() {
    let rows = timeline(Scheme::StallOnFault, Faults::NONE);
    let figure = ["FIOEEEEEEEC", " FIOEC", "  FIOEEEEEEEC", "   F.IOEC"];
    assert_eq!(rows, figure);
}

#[test]
fn warp_disable_until_commit_is_figure_4() {
    let rows = timeline(Scheme::WarpDisableCommit, Faults::NONE);
    let figure = [
        "FIOEEEEEEEC",
        "           FIOEC",
        "            FIOEEEEEEEC",
        "                       FIOEC",
    ];
    assert_eq!(rows, figure);
}

/// As Figure 4, with the fetch enabled in the cycle after the last TLB check, which is in cycle 7 of A.
#[test]
fn warp_disable_until_last_check_goes_on_after_the_check() {
    let rows = timeline(Scheme::WarpDisableLastCheck, Faults::NONE);
    let figure = [
        "FIOEEEEEEEC",
        "       FIOEC",
        "        FIOEEEEEEEC",
        "               FIOEC",
    ];
    assert_eq!(rows, figure);
}

/// D waits until the last TLB check of C, in cycle 9, has released R4.
#[test]
fn the_replay_queue_is_figure_6() {
    let rows = timeline(Scheme::ReplayQueue, Faults::NONE);
    let figure = ["FIOEEEEEEEC", " FIOEC", "  FIOEEEEEEEC", "   F.....IOEC"];
    assert_eq!(rows, figure);
}

#[test]
fn the_operand_log_is_figure_7() {
    let rows = timeline(Scheme::OperandLog, Faults::NONE);
    assert_eq!(rows, timeline(Scheme::StallOnFault, Faults::NONE));
}

/// A and C fault.
const FAULTS: Faults = Faults {
    once: 0b101,
    cycles: 4,
    ..Faults::NONE
};

/// "At some point (cycle 10 in the example) a page fault will be detected" (§2.5): A's, in the last cycle that A
/// executes without it. C's comes as long after its issue, and "by the time any of the potential faults are raised,
/// instructions B and D have already committed" (§3.3).
#[test]
fn faults_come_when_figure_3_has_them() {
    for scheme in [Scheme::StallOnFault, Scheme::OperandLog] {
        let rows = timeline(scheme, FAULTS);
        let cycle = |row: usize, letter| rows[row].find(letter).map(|place| place + 1);
        assert_eq!(cycle(0, 'X'), Some(10), "{rows:#?}");
        assert_eq!(cycle(2, 'X'), Some(12), "{rows:#?}");
        assert_eq!(cycle(1, 'C'), Some(6), "{rows:#?}");
        assert_eq!(cycle(3, 'C'), Some(9), "{rows:#?}");
    }
}

/// The memory unit requests again when the page is there, four cycles after the fault, and goes on as after any check.
#[test]
fn the_baseline_waits_for_the_page_in_the_pipeline() {
    let rows = timeline(Scheme::StallOnFault, FAULTS);
    let figure = [
        "FIOEEEEEEXWWWEEEEC",
        " FIOEC",
        "  FIOEEEEEEXWWWEEEEC",
        "   F.IOEC",
    ];
    assert_eq!(rows, figure);
}

/// What commits between A and C commits once, and the replay comes first.
#[test]
fn faults_squash_and_replay() {
    let rows = timeline(Scheme::OperandLog, FAULTS);
    let commits = |row: &&String| row.ends_with('C');
    assert_eq!(rows.iter().filter(commits).count(), 4, "{rows:#?}");
    assert_eq!(rows[0], "FIOEEEEEEX");
    assert_eq!(rows[1], " FIOEC");
    assert_eq!(rows[2], "  FIOEEEEEEX");
    assert_eq!(rows[3], "   F.IOEC");
    // A and C again, in program order, without a fetch; the log gives an operand two cycles later than the registers.
    assert_eq!(rows.len(), 6);
    assert!(
        rows[4..]
            .iter()
            .all(|row| row.trim_start().starts_with("IOEEEEEEEEEC"))
    );
}

/// A younger access of the same line waits for a fault that is known late, and every value is the oracle's.
#[test]
fn late_faults_keep_the_order_of_accesses() {
    let program =
        "R1 <- mov 4096\nst [R1], R1\nR2 <- ld [R1]\nst [R1 + 4], R2\nR3 <- ld [R1 + 4]\nexit";
    let work = Work::of_program(assemble(program).unwrap(), LAUNCH, Memory::new()).unwrap();
    for scheme in Scheme::ALL {
        for once in 0..32 {
            let parameters = Parameters {
                timing: Timing::FIGURES,
                faults: Faults { once, ..FAULTS },
                values: true,
                ..Parameters::paper(scheme, 16 << 10)
            };
            let outcome = Sm::new(&parameters, &work).unwrap().run(|_, _| {}).unwrap();
            assert_eq!(outcome.differences(), [], "{scheme:?}, {once:b}");
        }
    }
}
