//! The executor: divergence and reconvergence, barriers, atomics, and the stages apart.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use fastrand::Rng;
use faultline_sim::simt::{
    Control, Effect, Exception, Launch, Memory, Place, Program, Run, RunError, Shared, Warp,
    assemble, commit, execute, run, run_within,
};

fn launch(blocks: u32, threads: u32, shared_memory: u32) -> Launch {
    Launch {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        shared_memory,
    }
}

fn result(text: &str, launch: &Launch) -> Run {
    run(&assemble(text).unwrap(), launch, Memory::new()).unwrap()
}

fn warp_of(program: &Program, threads: u32) -> Warp {
    let place = Place {
        launch: launch(1, threads, 0),
        block: 0,
        warp: 0,
    };
    Warp::new(program, place)
}

/// The program counters and masks of a launch's first warp.
fn path(run: &Run) -> Vec<(u32, u32)> {
    let steps = run.warps[0].steps.iter();
    steps.map(|step| (step.pc, step.mask)).collect()
}

/// What an instruction makes of R1 = 7, R2 = -3, R3 = 2.5, R4 = 0.5.
fn value(instruction: &str) -> u64 {
    let text = format!(
        "R1 <- mov 7\nR2 <- mov -3\nR3 <- mov 2.5\nR4 <- mov 0.5\nR0 <- {instruction}\nexit"
    );
    result(&text, &launch(1, 32, 0)).warps[0].registers.read(0)[31]
}

#[test]
fn integers_wrap_and_compare_as_signed() {
    let cases = [
        ("add R1, R2", 4),
        ("sub R2, R1", -10),
        ("mul R1, R2", -21),
        ("mad R1, R2, 1", -20),
        ("div R1, R2", -2),
        ("div R2, 2", -1),
        ("rem R1, R2", 1),
        ("rem R2, 2", -1),
        ("div R1, R255", -1),
        ("rem R1, R255", 7),
        ("div 0x8000000000000000, -1", i64::MIN),
        ("rem 0x8000000000000000, -1", 0),
        ("min R1, R2", -3),
        ("max R1, R2", 7),
        ("and R1, 12", 4),
        ("or R1, 8", 15),
        ("xor R2, -1", 2),
        ("shl R1, 65", 14),
        ("shr R2, 63", 1),
        ("setlt R2, R1", 1),
        ("setge R2, R1", 0),
        ("seteq R1, 7", 1),
        ("select R255, 1, R2", -3),
        ("select R2, 1, R2", 1),
        ("add 0x7fffffffffffffff, 1", i64::MIN),
        ("f2i R3", 2),
        ("f2i -2.5", -2),
        ("fsetlt R4, R3", 1),
        ("fsetne R4, R4", 0),
        ("mov warp", 0),
        ("mov grid_size.x", 1),
    ];
    for (instruction, expected) in cases {
        assert_eq!(value(instruction).cast_signed(), expected, "{instruction}");
    }
}

/// Lanes that do not execute it raise nothing.
#[test]
fn divisions_by_zero_and_traps_raise_exceptions() {
    let text = "R1 <- and lane, 1\nbrz R1, over\ntrap\nR2 <- rem 5, R255\nover: R2 <- div 5, R1\nR2 <- div 5, 1\nexit";
    let program = assemble(text).unwrap();
    let run = result(text, &launch(1, 8, 0));
    let (odd, even) = (0b1010_1010, 0b0101_0101);
    let expected = [
        (2, Exception::Trap, odd),
        (3, Exception::DivisionByZero, odd),
        (4, Exception::DivisionByZero, even),
    ];
    let met = run.exceptions(&program);
    let met = met.map(|raised| (raised.pc, raised.exception, raised.lanes));
    assert_eq!(met.collect::<Vec<_>>(), expected);
    let told: Vec<String> = run
        .exceptions(&program)
        .map(|raised| raised.to_string())
        .collect();
    assert_eq!(told[0], "thread block 0, warp 0, pc 2: a trap in 4 lanes");
    assert_eq!(run.warps[0].registers.read(2)[..2], [5, 5]);
}

#[test]
fn floats_fill_the_lower_half() {
    let cases = [
        ("fadd R3, R4", 3.0),
        ("fsub R4, R3", -2.0),
        ("fmul R3, R4", 1.25),
        ("fma R3, R4, 1", 2.25),
        ("fmin R3, R4", 0.5),
        ("fmax R3, R4", 2.5),
        ("i2f R2", -3.0),
        ("rcp R4", 2.0),
        ("sqrt 6.25", 2.5),
        ("rsqrt 4.0", 0.5),
        ("sin 0.0", 0.0),
        ("cos 0.0", 1.0),
        ("exp2 3", 8.0),
        ("log2 8", 3.0),
    ];
    for (instruction, expected) in cases {
        let expected = u64::from(f32::to_bits(expected));
        assert_eq!(value(instruction), expected, "{instruction}");
    }
    assert_eq!(value("fsetlt 0x7fc00000, 1.0"), 0);
    assert_eq!(value("fsetne 0x7fc00000, 0x7fc00000"), 1);
}

#[test]
fn accesses_are_of_four_or_eight_bytes() {
    let text = "R1 <- mov 0x1122334455667788\nR2 <- mov 8192\nst.64 [R2 + 8], R1\n\
                R3 <- ld [R2 + 12]\nR4 <- ld.64 [R2 + 8]\nst [R2 + 12], 0\n\
                R5 <- ld.64 [8200]\nexit";
    let run = result(text, &launch(1, 32, 0));
    let read = |register| run.warps[0].registers.read(register)[0];
    assert_eq!(read(3), 0x1122_3344);
    assert_eq!(read(4), 0x1122_3344_5566_7788);
    assert_eq!(read(5), 0x5566_7788);
}

#[test]
fn lanes_meet_again_after_a_branch() {
    let text = "R0 <- and lane, 1\nbrz R0, even\nR1 <- mov 1\nbra join\neven: R1 <- mov 2\n\
                join: R2 <- add R1, lane\nexit";
    let run = result(text, &launch(1, 32, 0));
    let (odd, even) = (0xaaaa_aaaa, 0x5555_5555);
    let all = u32::MAX;
    let expected = [
        (0, all),
        (1, all),
        (2, odd),
        (3, odd),
        (4, even),
        (5, all),
        (6, all),
    ];
    assert_eq!(path(&run), expected);
    let values = run.warps[0].registers.read(2);
    assert!((0..32).all(|lane| values[lane] == lane as u64 + 2 - (lane as u64 & 1)));
}

#[test]
fn lanes_wait_behind_a_loop_for_the_longest() {
    // Lane n goes round n + 1 times, and the groups of a loop do not pile up.
    let text = "R1 <- mov 0\nagain: R1 <- add R1, 1\nR2 <- setle R1, lane\nbrnz R2, again\n\
                R3 <- mov R1\nexit";
    let run = result(text, &launch(1, 32, 0));
    assert_eq!(
        *run.warps[0].registers.read(3),
        std::array::from_fn(|lane| lane as u64 + 1)
    );
    let steps = path(&run);
    assert_eq!(steps.len(), 1 + 3 * 32 + 2);
    assert_eq!(steps[steps.len() - 2..], [(4, u32::MAX), (5, u32::MAX)]);
}

#[test]
fn lanes_that_exit_early_are_not_waited_for() {
    let text = "R0 <- setlt lane, 7\nbrz R0, rest\nR1 <- mov 1\nexit\nrest: R1 <- mov 2\n\
                R2 <- setlt lane, 9\nbrz R2, last\nexit\nlast: R1 <- mov 3\nexit";
    let run = result(text, &launch(1, 32, 0));
    let values = run.warps[0].registers.read(1);
    let expected = |lane| [1, 2, 3][usize::from(lane >= 7) + usize::from(lane >= 9)];
    assert_eq!(*values, std::array::from_fn(expected));
    let exits: u32 = path(&run)
        .iter()
        .filter(|(pc, _)| [3, 7, 9].contains(pc))
        .map(|(_, mask)| mask.count_ones())
        .sum();
    assert_eq!(exits, 32);
}

#[test]
fn last_warp_of_a_block_has_the_lanes_that_are_left() {
    let run = result(
        "R0 <- mad block.x, block_size.x, thread.x\nexit",
        &launch(2, 40, 0),
    );
    let masks: Vec<u32> = run.warps.iter().map(|warp| warp.steps[0].mask).collect();
    assert_eq!(masks, [u32::MAX, 0xff, u32::MAX, 0xff]);
    assert_eq!(run.warps[3].registers.read(0)[7], 79);
    assert_eq!(run.warps[3].registers.read(0)[8], 0);
}

#[test]
fn coordinates_run_along_x_first() {
    let whole = Launch {
        grid: [2, 3, 1],
        block: [4, 4, 4],
        shared_memory: 0,
    };
    let text = "R0 <- mad thread.z, 100, thread.x\nR0 <- mad thread.y, 10, R0\n\
                R0 <- mad block.y, 10000, R0\nR0 <- mad block.x, 1000, R0\nexit";
    let run = result(text, &whole);
    assert_eq!(run.warps.len(), 12);
    // Block 5 is (1, 2); lane 6 of warp 1 is thread 38, (2, 1, 2).
    assert_eq!(run.warps[11].registers.read(0)[6], 21212);
}

#[test]
fn barrier_shows_what_other_warps_wrote() {
    // Each thread reads what the thread opposite wrote, in the next warp.
    let text = "R0 <- shl thread.x, 2\nsts [R0], thread.x\nbar\nR1 <- xor R0, 128\nR2 <- lds [R1]\n\
                bar\nexit";
    let run = result(text, &launch(3, 64, 256));
    for warp in &run.warps {
        let opposite = u64::from(1 - warp.place.warp) * 32;
        assert_eq!(
            *warp.registers.read(2),
            std::array::from_fn(|lane| opposite + lane as u64)
        );
    }
}

#[test]
fn atomics_count_each_lane_once() {
    let text = "R0 <- and lane, 3\nR0 <- shl R0, 2\nR1 <- atom [R0 + 4096], 1\n\
                atoms [R0], 2\nexit";
    let run = result(text, &launch(2, 64, 16));
    assert_eq!(run.memory.read_words(4096, 4), [32; 4]);
    let first = run.warps[0].registers.read(1);
    assert_eq!(first[..6], [0, 0, 0, 0, 1, 1]);
}

#[test]
fn runs_end_or_say_why() {
    let program = assemble("again: bra again").unwrap();
    let error = run_within(50, &program, &launch(1, 32, 0), Memory::new()).unwrap_err();
    assert_eq!(error, RunError::TooLong { pc: 0, limit: 50 });
    // The limit is that of a block: another block may execute as much again.
    let program = assemble("R0 <- add R0, 1\nexit").unwrap();
    let run_of = |limit| run_within(limit, &program, &launch(9, 32, 0), Memory::new());
    assert_eq!(run_of(2).unwrap().steps(), 18);
    assert_eq!(run_of(1), Err(RunError::TooLong { pc: 1, limit: 1 }));
    let error = run(&program, &launch(1, 1025, 0), Memory::new()).unwrap_err();
    assert_eq!(error, RunError::Block(1025));
    let program = assemble("R0 <- shl lane, 2\nR1 <- lds [R0]\nexit").unwrap();
    let error = run(&program, &launch(1, 32, 64), Memory::new()).unwrap_err();
    let expected = RunError::Shared {
        pc: 1,
        address: 64,
        end: 64,
    };
    assert_eq!(error, expected);
    assert_eq!(error.pc(), Some(1));
    // The lanes that are off do not count.
    let unaligned = |address, bytes| RunError::Unaligned {
        pc: 1,
        address,
        bytes,
    };
    for (text, expected) in [
        ("R0 <- mov 0x7e\nst [R0], R1\nexit", unaligned(0x7e, 4)),
        ("R0 <- mov 4\nR1 <- lds [R0 + 2]\nexit", unaligned(6, 4)),
    ] {
        let program = assemble(text).unwrap();
        let error = run(&program, &launch(1, 32, 64), Memory::new()).unwrap_err();
        assert_eq!(error, expected);
    }
}

#[test]
fn fetch_waits_for_a_branch() {
    let program = assemble("bra on\non: R1 <- mov 1\nexit").unwrap();
    let mut control = Control::new(3);
    assert_eq!(control.fetch(&program).map(|fetched| fetched.pc), Some(0));
    assert!(control.is_waiting() && control.fetch(&program).is_none());
    control.branch(&program, 3);
    assert_eq!(control.fetch(&program).map(|fetched| fetched.mask), Some(3));
    assert_eq!(control.fetch(&program).map(|fetched| fetched.pc), Some(2));
    control.exit();
    assert!(control.is_finished() && control.fetch(&program).is_none());
}

/// The paper's program: the address of C is gone when C comes back, and the operands that it read
/// restart it all the same.
#[test]
fn operands_of_the_first_attempt_restart_an_instruction() {
    let text = "A: R3 <- ld [R2]\nB: R9 <- sub R9, 4\nC: R8 <- ld [R4]\nD: R4 <- add R7, 8\nexit";
    let program = assemble(text).unwrap();
    let mut memory = Memory::new();
    memory.write_words(0x1000, &(0..64).collect::<Vec<_>>());
    let mut shared = Shared::default();
    let mut warp = warp_of(&program, 32);
    let addresses = |base: u64| std::array::from_fn(|lane| base + 4 * lane as u64);
    warp.registers.write(2, u32::MAX, &addresses(0x1000));
    warp.registers.write(4, u32::MAX, &addresses(0x1080));
    let before = warp.clone();
    for pc in 0..4 {
        let operands = warp.read_operands(program.at(pc));
        let effect = execute(program.at(pc), operands.sources(), u32::MAX);
        commit(&effect, &program, &mut warp, &mut memory, &mut shared);
    }
    let expected = warp;

    let mut warp = before;
    let logged: Vec<_> = [0, 2]
        .map(|pc| (pc, warp.read_operands(program.at(pc))))
        .into();
    for pc in [1, 3] {
        let operands = warp.read_operands(program.at(pc));
        let effect = execute(program.at(pc), operands.sources(), u32::MAX);
        commit(&effect, &program, &mut warp, &mut memory, &mut shared);
    }
    for (pc, operands) in logged {
        let effect = execute(program.at(pc), operands.sources(), u32::MAX);
        commit(&effect, &program, &mut warp, &mut memory, &mut shared);
    }
    assert_eq!(warp.registers, expected.registers);
}

/// Random programs with structured and unstructured branches: every lane ends as it does alone.
#[test]
fn lanes_end_as_they_do_alone() {
    let mut random = Rng::with_seed(21);
    let mut diverged = 0;
    for _ in 0..2000 {
        let length = random.usize(4..24);
        let mut text = String::new();
        for pc in 0..length {
            let (a, b) = (random.u8(0..3), random.u8(0..3));
            let target = random.usize(0..length);
            text += &match random.u8(0..6) {
                0 => format!("L{pc}: brz R{a}, L{target}\n"),
                1 => format!("L{pc}: brnz R{a}, L{target}\n"),
                2 => format!("L{pc}: R{a} <- sub R{b}, lane\n"),
                3 => format!("L{pc}: R{a} <- and R{b}, {}\n", random.u8(1..8)),
                4 => format!("L{pc}: R{a} <- mad R{b}, 3, lane\n"),
                _ => format!("L{pc}: R{a} <- setlt R{b}, lane\n"),
            };
        }
        text += "exit\n";
        let program = assemble(&text).unwrap();
        // Lane by lane, with the control of one lane only.
        let alone = |lane: u32| {
            let mut warp = warp_of(&program, 32);
            warp.control = Control::new(1 << lane);
            for _ in 0..1000 {
                let fetched = warp.control.fetch(&program)?;
                let instruction = program.at(fetched.pc);
                let operands = warp.read_operands(instruction);
                let effect = execute(instruction, operands.sources(), fetched.mask);
                if effect == Effect::Exit {
                    return Some(warp.registers);
                }
                let (mut memory, mut shared) = (Memory::new(), Shared::default());
                commit(&effect, &program, &mut warp, &mut memory, &mut shared);
            }
            None
        };
        let ends: Option<Vec<_>> = (0..32).map(alone).collect();
        let Some(ends) = ends else {
            continue;
        };
        let run = run_within(40_000, &program, &launch(1, 32, 0), Memory::new()).unwrap();
        for (lane, end) in ends.iter().enumerate() {
            for register in 0..3 {
                let together = run.warps[0].registers.read(register)[lane];
                assert_eq!(
                    together,
                    end.read(register)[lane],
                    "lane {lane} of\n{program}"
                );
            }
        }
        diverged += usize::from(path(&run).iter().any(|(_, mask)| *mask != u32::MAX));
    }
    assert!(diverged > 40, "{diverged}");
}
