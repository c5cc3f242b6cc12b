//! `faultline timeline`.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::faultline;

#[test]
fn the_paper_example_is_drawn() {
    let line = "D: R4 <- add R7, 8                     F  .  I  O  E  C\n";
    faultline(&["timeline", "--scheme", "stall-on-fault"])
        .assert()
        .success()
        .stdout(contains(line));
}

#[test]
fn faults_of_a_program_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let (program, svg) = (
        folder.path().join("loop.txt"),
        folder.path().join("loop.svg"),
    );
    std::fs::write(&program, "R1 <- mov 4096\nhere: st [R1], R1\n").unwrap();
    let path = program.to_str().unwrap();
    let arguments = [
        "timeline",
        path,
        "--fault",
        "here",
        "--scheme",
        "replay-queue",
        "--svg",
    ];
    let text = contains("X\n")
        .and(contains("here: st [R1], R1 *"))
        .and(contains("~"));
    faultline(&arguments)
        .arg(&svg)
        .assert()
        .success()
        .stdout(text);
    let picture = std::fs::read_to_string(svg).unwrap();
    for told in ["(again)", "squashed with its warp", "last TLB check"] {
        assert!(picture.contains(told), "{told}");
    }
}

#[test]
fn faults_of_the_baseline_are_drawn() {
    let line = "A: R3 <- ld [R2]              F  I  O  E  E  E  E  E  E  X  W  W  W  W  E  E  E  E  C   check 15\n";
    faultline(&["timeline", "--scheme", "stall-on-fault", "--fault", "A,C"])
        .assert()
        .success()
        .stdout(contains(line).and(contains("W it waits in the memory unit for its page")));
}

#[test]
fn what_is_squashed_and_what_the_gap_is_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("squashed.svg");
    faultline(&[
        "timeline",
        "--scheme",
        "replay-queue",
        "--fault",
        "C",
        "--svg",
    ])
    .arg(&svg)
    .assert()
    .success()
    .stdout(contains(
        "~ the warp waits for its page; where one is issued again, the replay queue is searched",
    ));
    let picture = std::fs::read_to_string(svg).unwrap();
    // D is squashed, and the legend has the letter.
    let squashed = picture.lines().filter(|line| line.trim() == "x").count();
    assert_eq!(squashed, 2);
}

#[test]
fn lines_of_diagrams_are_120_columns_at_most() {
    let output = faultline(&["timeline", "--fault", "A,C"])
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(120), "{text}");
}

#[test]
fn the_help_has_the_notation() {
    let text = contains("brnz R1, loop").and(contains("atoms.64"));
    faultline(&["timeline", "--help"])
        .assert()
        .success()
        .stdout(text);
}

#[test]
fn wrong_programs_get_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("wrong.txt");
    let cases: [(&[u8], &str); 8] = [
        (
            b"R1 <- hope\n",
            "wrong.txt:1: there is no operation hope; there are mov, ",
        ),
        (
            b"R1 <- add R2",
            "wrong.txt:1: the line ends where a comma and another source should",
        ),
        (b"# nothing\n", "the program has no instruction"),
        (
            b"R3 <- ld [R2]\n1: exit",
            "wrong.txt:2: \"1\" stands where a label that is no number, such as L1, should",
        ),
        (
            b"# one\n\nR1 <- lds [0x10000]",
            "wrong.txt:3: shared memory is accessed at 0x10000, past its end at 0x8000; keep the whole",
        ),
        (
            b"R1 <- mov 99\nloop: R1 <- sub R1, 1\nbrnz R1, loop",
            "wrong.txt under stall-on-fault: the program takes ",
        ),
        (
            b"exit\nR\xff",
            "wrong.txt:2: this is no text (byte 0xff in column 2)",
        ),
        (
            b"exit\n\0",
            "wrong.txt:2: this is no text (byte 0x00 in column 1)",
        ),
    ];
    for (text, told) in cases {
        std::fs::write(&program, text).unwrap();
        faultline(&["timeline"])
            .arg(&program)
            .assert()
            .failure()
            .stdout(is_empty())
            .stderr(contains(told));
    }
}

/// Neither a byte-order mark nor a tab changes the diagram.
#[test]
fn marks_and_tabs_of_a_program_are_not_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = |text: &str| {
        let program = folder.path().join("program.txt");
        std::fs::write(&program, text).unwrap();
        let assert = faultline(&["timeline"]).arg(&program).assert().success();
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    let plain = drawn("A: R1 <- mov 1\nR2 <- add R1, 1\n");
    let marked = drawn("\u{feff}A:\tR1 <-\tmov 1\nR2 <- add R1, 1\n");
    assert_eq!(marked, plain);
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program.svg");
    std::fs::write(&program, "A: R1 <- mov 1\n").unwrap();
    faultline(&["timeline"])
        .args([&program, &"--svg".into(), &program])
        .assert()
        .failure()
        .stderr(contains("--svg would overwrite "));
    faultline(&["sm", "lbm", "--write-traces"])
        .arg(folder.path())
        .assert()
        .success();
    let trace = folder.path().join("kernel-1.traceg");
    let before = std::fs::read(&trace).unwrap();
    faultline(&["sm"])
        .args([&trace, &"--markdown".into(), &trace])
        .assert()
        .failure()
        .stderr(contains("--markdown would overwrite "));
    assert_eq!(std::fs::read(&trace).unwrap(), before);
}

#[test]
fn cycles_of_a_fault_need_a_fault() {
    faultline(&["timeline", "--fault-cycles", "9"])
        .assert()
        .failure()
        .stderr(contains("--fault"));
}
