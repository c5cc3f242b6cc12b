//! The assembler: what it reads, what it refuses and how, and that nothing makes it panic.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use fastrand::Rng;
use faultline_sim::simt::{
    Atomic, Class, Condition, Instruction, Memory, Number, Operand, Operation, Program, Relation,
    Space, SpecialRegister, Whole, Width, assemble, run_within,
};

const PROGRAM: &str = "\
# the program of the paper, and one of each kind of line
A: R3 <- ld [R2]
B: R9 \u{2190} sub R9, 4
C: R8 <- ld [R4]
D: R4 <- add R7, 8
   R0 <- mad block.x, block_size.x, thread.x  # a comment
   st.64 [R4 + 16], R5
   sts [R4 - 4], 0.5
   R6 <- fma R1, -1e-10, 2
   R6 <- exp2 0x3f800000
   R7 <- atom [0x1000], 1
   atoms [R7], R255
   R1 <- select R1, R2, 0xffffffffffffffff
   brz R9, E
   brnz R1, A
   bra B
   R1 <- div R1, R2
   R1 <- rem R1, -3
   trap
E: F: bar
   exit";

fn refusal(text: &str) -> String {
    let error = assemble(text).unwrap_err();
    let place = error
        .line()
        .map_or(String::new(), |line| format!(":{line}"));
    format!("t{place}: {error}")
}

#[test]
fn notation_of_the_paper_is_read() {
    let program = assemble(PROGRAM).unwrap();
    let [a, b, ..] = program.instructions() else {
        panic!("no instructions");
    };
    assert_eq!(a.operation, Operation::Load(Space::Global, Width::Four));
    assert_eq!((a.destination, a.address_register()), (Some(3), Some(2)));
    assert_eq!(
        (b.class(), b.sources[1]),
        (Class::Math, Operand::Immediate(4))
    );
    let sum = program.at(4);
    assert_eq!(sum.sources[2], Operand::Special(SpecialRegister::Thread(0)));
    let float = Operand::Immediate((-1e-10_f32).to_bits().into());
    assert_eq!(program.at(7).sources[1], float);
    // A number where a float should stand is one, with or without a point.
    assert_eq!(
        program.at(7).sources[2],
        Operand::Immediate(2.0_f32.to_bits().into())
    );
    assert_eq!((program.at(12).target, program.at(14).target), (18, 1));
}

#[test]
fn printed_program_is_read_back() {
    let program = assemble(PROGRAM).unwrap();
    assert_eq!(assemble(&program.to_string()), Ok(program));
}

#[test]
fn errors_name_the_line_and_what_should_stand_there() {
    let cases = [
        ("", "the program is empty; it needs an exit at least"),
        (
            "bar",
            "the program runs past its end; the last instruction should be exit or bra",
        ),
        (
            "\nR1 <- frob R2",
            "t:2: there is no operation frob; there are mov, add, sub, ",
        ),
        ("st.shared [R1], R2", "atoms.64, bra, brnz, brz, bar, exit"),
        (
            "R1 <- ",
            "t:1: the line ends where the name of an operation, such as add or ld, should stand",
        ),
        (
            "R1 <- [R2]",
            "t:1: \"[R2]\" stands where the name of an operation",
        ),
        (
            "R1 <- add R2",
            "t:1: the line ends where a comma and another source should stand",
        ),
        (
            "<- add R2, R3",
            "t:1: \"<- add R2, R3\" stands where a register",
        ),
        ("R1 <- ld [R2 + ]", "t:1: \"]\" stands where an offset"),
        (
            "R1 <- add R2, R256",
            "t:1: \"R256\" stands where a source (a register R0 to R255",
        ),
        (
            "R255 <- mov 1",
            "t:1: \"R255\" stands where a register that can be written",
        ),
        (
            "add R2, R3",
            "t:1: \"add R2, R3\" stands where a destination",
        ),
        (
            "R1 <- st [R2], R3",
            "stands where an instruction without a destination",
        ),
        ("R1 <- ld R2", "t:1: \"R2\" stands where an address"),
        ("R1 <- ld [R2 + x]", "t:1: \"x\" stands where an offset"),
        (
            "R1 <- ld [R2",
            "the line ends where the bracket that ends the address should",
        ),
        ("trap R1", "t:1: \"R1\" stands where the end of the line"),
        (
            "R1 <- trap",
            "stands where an instruction without a destination",
        ),
        (
            "R1 <- div R2",
            "t:1: the line ends where a comma and another source should stand",
        ),
        ("exit now", "t:1: \"now\" stands where the end of the line"),
        (
            "a: bar\na: exit",
            "t:2: the label a stands on line 1 already",
        ),
        (
            "L1: bar\n1: exit",
            "t:2: \"1\" stands where a label that is no number",
        ),
        (
            "bar\nbra b",
            "t:2: \"b\" stands where a label of this program",
        ),
        (
            "exit\nend: bra end2",
            "t:2: \"end2\" stands where a label of this program",
        ),
        (
            "bra end\nend:",
            "the branch in instruction 0 goes to instruction 1",
        ),
    ];
    for (text, expected) in cases {
        let message = refusal(text);
        assert!(message.contains(expected), "{text:?}: {message}");
    }
    for place in ["R1 <- ", "R1 <- mov "] {
        let long = refusal(&format!("{place}{}", "x".repeat(500)));
        assert!(
            !long.contains(&"x".repeat(41)) && !long.contains('\n'),
            "{long}"
        );
    }
}

fn operand(random: &mut Rng) -> Operand {
    match random.u8(0..6) {
        0 => Operand::Immediate(random.u64(..)),
        1 => Operand::Immediate(random.u32(..).into()),
        2 => Operand::Immediate(u64::from(random.u8(..)).wrapping_neg()),
        3 => Operand::Special(SpecialRegister::GridSize(random.u8(0..3))),
        _ => Operand::Register(random.u8(..)),
    }
}

fn instruction(random: &mut Rng, length: u32) -> Instruction {
    let width = if random.bool() {
        Width::Four
    } else {
        Width::Eight
    };
    let space = if random.bool() {
        Space::Global
    } else {
        Space::Shared
    };
    let number = Number::Whole(match width {
        Width::Eight => Whole::U64,
        _ => Whole::U32,
    });
    let operations = [
        (Operation::MultiplyAdd, true),
        (Operation::FloatMultiplyAdd, true),
        (Operation::FloatCompare(Relation::NotEqual), true),
        (Operation::Move, true),
        (Operation::ToFloat, true),
        (Operation::Logarithm, true),
        (Operation::Divide, true),
        (Operation::Trap, false),
        (Operation::Load(space, width), true),
        (Operation::Store(space, width), false),
        (Operation::Atomic(Atomic::Add, number, space), random.bool()),
        (Operation::Branch(Condition::Always), false),
        (Operation::Branch(Condition::Zero), false),
        (Operation::Branch(Condition::NotZero), false),
        (Operation::Barrier, false),
        (Operation::Exit, false),
    ];
    let (operation, writes) = operations[random.usize(0..operations.len())];
    let mut instruction = Instruction::new(operation);
    instruction.destination = writes.then(|| random.u8(..255));
    for source in &mut instruction.sources[..operation.sources()] {
        *source = operand(random);
    }
    if operation.memory().is_some() {
        instruction.offset = [0, 4, -8, i64::MAX, i64::MIN][random.usize(0..5)];
    }
    if matches!(operation, Operation::Branch(_)) {
        instruction.target = random.u32(0..length);
    }
    instruction
}

#[test]
fn random_programs_are_read_back() {
    let mut random = Rng::with_seed(11);
    for _ in 0..500 {
        let length = random.u32(1..40);
        let mut instructions: Vec<Instruction> = (1..length)
            .map(|_| instruction(&mut random, length))
            .collect();
        instructions.push(Instruction::new(Operation::Exit));
        let program = Program::new(instructions).unwrap();
        let text = program.to_string();
        assert_eq!(assemble(&text), Ok(program), "{text}");
    }
}

/// Texts near a program: they are refused in one sentence or run to an end or a limit.
#[test]
fn mutated_programs_never_panic() {
    let pieces = [
        "R3",
        "[",
        "]",
        " <- ",
        ",",
        "-",
        "1e-",
        "\u{3000}",
        "é",
        ":",
        "#",
        "18446744073709551616",
        "ld",
        "A",
        "\n",
    ];
    let mut random = Rng::with_seed(12);
    let launch = faultline_sim::simt::Launch {
        grid: [1, 1, 1],
        block: [40, 1, 1],
        shared_memory: 64,
    };
    let mut read = 0;
    for _ in 0..20_000 {
        let mut text: Vec<char> = PROGRAM.chars().collect();
        for _ in 0..random.usize(1..4) {
            let from = random.usize(0..text.len());
            let to = (from + random.usize(0..4)).min(text.len());
            let piece = pieces[random.usize(0..pieces.len())];
            text.splice(from..to, piece.chars());
        }
        let text: String = text.into_iter().collect();
        match assemble(&text) {
            Ok(program) => {
                read += 1;
                assert_eq!(assemble(&program.to_string()).as_ref(), Ok(&program));
                let _ = run_within(100, &program, &launch, Memory::new());
            }
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
    assert!(read > 1000, "{read}");
}
