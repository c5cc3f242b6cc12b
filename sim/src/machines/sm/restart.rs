//! The restart theorem: whatever faults or raises an exception, and whenever, registers and memory end as in the run without
//! faults, and every instruction commits exactly once. A [`Trial`] puts it to a random program on a random SM; its seed tells all.

use fastrand::Rng;

use super::machine::Sm;
use super::outcome::{Difference, Outcome, SmError};
use super::parameters::{Exceptions, Faults, Parameters, Recovery, Response, Switching, Timing};
use super::work::Work;
use crate::simt::{
    Atomic, Builder, Launch, Memory, Number, Operation, Program, ProgramError, Reg, Relation,
    RunError, Space, SpecialRegister, Whole, Width,
};
use crate::sm::sm_pipeline::{Policy, Scheme};
use crate::sm::{l1_tlb, operand_log, replay_queue, sm_pipeline};

use thiserror::Error;

/// Where the warps' regions begin, and the bytes of each: regions share pages, and lie across their bounds.
const START: u64 = 0x10_0000_0000;
const REGION: u64 = 6144;
/// Where all warps add, and where those of a block tell each other something: a page for each block.
const COMMON: u64 = 0x0f_0000_0000;
const EXCHANGE: u64 = 0x0e_0000_0000;
/// Bytes of shared memory of each warp.
const SHARED: u64 = 512;
/// Registers that hold addresses in the warp's own region, and those that hold anything.
const POINTERS: std::ops::Range<u8> = 4..8;
const DATA: std::ops::Range<u8> = 8..16;
/// The region's own base, the base in shared memory, a scratch register, and a loop's counter.
const BASE: Reg = Reg(0);
const SHARED_BASE: Reg = Reg(1);
const SCRATCH: Reg = Reg(2);
const COUNTER: Reg = Reg(3);
/// Data registers that loops and branches leave alone.
const CONDITION: Reg = Reg(16);

/// Why a trial failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The program is none.
    #[error("seed {0}: {1}")]
    Program(u64, ProgramError),
    /// It does not end even without faults.
    #[error("seed {0}: {1}")]
    Oracle(u64, RunError),
    /// The SM does not come to the end.
    #[error("seed {0}: {1}")]
    Sm(u64, SmError),
    /// It ends otherwise.
    #[error("seed {0}: {1}")]
    Difference(u64, Difference),
}

/// A random program on a random SM.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Its seed.
    pub seed: u64,
    /// The program with its oracle.
    pub work: Work,
    /// The SM.
    pub parameters: Parameters,
}

impl Trial {
    /// The trial of a seed.
    ///
    /// # Errors
    /// If the program does not run even without faults, which no seed should bring about.
    pub fn new(scheme: Scheme, seed: u64) -> Result<Self, Failure> {
        Self::of_blocks(3, scheme, seed)
    }

    /// The trial of a seed with up to so many thread blocks.
    ///
    /// # Errors
    /// If the program does not run even without faults, which no seed should bring about.
    pub fn of_blocks(most: u32, scheme: Scheme, seed: u64) -> Result<Self, Failure> {
        let mut random = Rng::with_seed(seed);
        let program = program(&mut random).map_err(|error| Failure::Program(seed, error))?;
        let warps = random.u32(1..=3);
        let launch = Launch {
            grid: [random.u32(1..=most), 1, 1],
            block: [32 * warps - random.u32(0..32), 1, 1],
            shared_memory: warps * SHARED as u32,
        };
        let mut memory = Memory::new();
        for word in 0..u64::from(launch.blocks() * warps) * REGION / 8 {
            memory.write(START + 8 * word, Width::Eight, random.u64(..));
        }
        let work = Work::of_program(program, launch, memory)
            .map_err(|error| Failure::Oracle(seed, error))?;
        let parameters = parameters(scheme, seed, &mut random);
        Ok(Self {
            seed,
            work,
            parameters,
        })
    }

    /// The trial of a seed on this pipeline, so that a design of that size can take part.
    ///
    /// # Errors
    /// If the program does not run even without faults, which no seed should bring about.
    pub fn on(pipeline: sm_pipeline::Parameters, seed: u64) -> Result<Self, Failure> {
        let trial = Self::new(pipeline.scheme, seed)?;
        let parameters = Parameters {
            pipeline,
            ..trial.parameters
        };
        Ok(Self {
            parameters,
            ..trial
        })
    }

    /// Runs it, and compares what is left with the oracle's.
    ///
    /// # Errors
    /// If the theorem does not hold.
    pub fn run(&self) -> Result<Outcome, Failure> {
        let outcome = Sm::new(&self.parameters, &self.work)
            .and_then(|sm| sm.run(|_, _| {}))
            .map_err(|error| Failure::Sm(self.seed, error))?;
        self.passed(outcome)
    }

    /// Compares what is left with the oracle's.
    ///
    /// # Errors
    /// If they differ.
    pub fn passed(&self, outcome: Outcome) -> Result<Outcome, Failure> {
        match outcome.differences().first() {
            Some(difference) => Err(Failure::Difference(self.seed, difference.clone())),
            None => Ok(outcome),
        }
    }
}

/// A small SM, so that all that can be full is full at times.
fn parameters(scheme: Scheme, seed: u64, random: &mut Rng) -> Parameters {
    let policies = Policy::ALL;
    Parameters {
        pipeline: sm_pipeline::Parameters {
            scheme,
            policy: policies[random.usize(0..2)],
            warps: random.usize(3..9),
            entries: [4, 8, 16][random.usize(0..3)],
            queue: replay_queue::Parameters::with_entries([8, 16, 64][random.usize(0..3)]),
            log: operand_log::Parameters::with_entries([6, 16, 64][random.usize(0..3)]),
        },
        tlb: l1_tlb::Parameters::PAPER,
        l1_lines: 256,
        far_limit: l1_tlb::Parameters::PAPER.misses as u8,
        blocks: false,
        joined: false,
        timing: Timing {
            math: random.u64(1..7),
            special: random.u64(1..9),
            special_interval: random.u64(1..5),
            control: random.u64(1..3),
            shared: random.u64(2..9),
            l2_tlb: random.u64(1..20),
            walk: random.u64(1..60),
            fault: 0,
            warm: random.bool(),
            walked: random.bool(),
            l1: random.u64(2..20),
            l2: random.u64(1..20),
            dram: random.u64(5..40),
            dram_spread: random.u64(0..5),
            dram_interval: random.u64(1..4),
        },
        faults: Faults {
            rate: [0.0, 0.05, 0.3, 0.7][random.usize(0..4)],
            absent: random.bool(),
            once: random.u64(..) & random.u64(..),
            cycles: random.u64(1..200),
            granule_bits: random.u32(12..=16),
        },
        recovery: Recovery::Scheme,
        exceptions: Exceptions {
            response: match scheme.squashes() {
                true => Response::Restart,
                false => Response::Masked,
            },
            handler: random.u64(1..200),
        },
        switching: match [0.0, 0.0, 0.005, 0.1][random.usize(0..4)] {
            0.0 => Switching::Never,
            chance => Switching::Chance(chance),
        },
        values: true,
        seed,
    }
}

/// Instructions with every kind of hazard. Warps share what no order of theirs can change: sums that are never read, and what
/// they tell each other between barriers; all else stays in the warp's own region.
fn program(random: &mut Rng) -> Result<Program, ProgramError> {
    let b = &mut Builder::new();
    // The warps of the blocks before, and those of its own.
    b.add(SCRATCH, SpecialRegister::BlockSize(0), 31);
    b.shr(SCRATCH, SCRATCH, 5);
    b.mad(
        SCRATCH,
        SpecialRegister::Block(0),
        SCRATCH,
        SpecialRegister::Warp,
    );
    b.mad(BASE, SCRATCH, REGION, START);
    b.mul(SHARED_BASE, SpecialRegister::Warp, SHARED);
    for register in DATA {
        let factor = random.u32(1..1 << 16) as i32;
        b.mad(Reg(register), SpecialRegister::Lane, factor, random.u64(..));
    }
    for register in POINTERS {
        point(b, random, Reg(register));
    }
    let length = random.usize(4..30);
    body(b, random, length, 2);
    b.exit();
    std::mem::take(b).finish()
}

/// A pointer into the warp's own region: the same for all lanes, or lanes beside each other, or on two pages.
fn point(b: &mut Builder, random: &mut Rng, pointer: Reg) {
    let stride = [0, 0, 1, 8, 16][random.usize(0..5)];
    b.mad(pointer, SpecialRegister::Lane, 8 * stride, BASE);
    b.add(pointer, pointer, 8 * random.i32(0..160));
}

/// The place of this lane in what a warp of its block tells; the warp's number is in [`SCRATCH`].
fn place(b: &mut Builder) {
    b.mad(SCRATCH, SCRATCH, 256, EXCHANGE);
    b.mad(SCRATCH, SpecialRegister::Block(0), 4096, SCRATCH);
    b.mad(SCRATCH, SpecialRegister::Lane, 8, SCRATCH);
}

/// Each warp tells its neighbour something, between two barriers.
fn exchange(b: &mut Builder, random: &mut Rng) {
    let (told, heard) = (Reg(random.u8(DATA)), Reg(random.u8(DATA)));
    let eight = Width::Eight;
    b.mov(SCRATCH, SpecialRegister::Warp);
    place(b);
    let tells = Operation::Store(Space::Global, eight);
    b.access(tells, None, SCRATCH, 0, Some(told));
    b.barrier();
    b.op(
        Operation::Xor,
        SCRATCH,
        [SpecialRegister::Warp.into(), 1.into()],
    );
    place(b);
    let hears = Operation::Load(Space::Global, eight);
    b.access(hears, Some(heard), SCRATCH, 0, None);
    b.barrier();
}

/// Instructions; up to so deep in branches and loops. A barrier stands outside of them only.
fn body(b: &mut Builder, random: &mut Rng, length: usize, depth: u32) {
    for _ in 0..length {
        match random.u32(0..24) {
            0 if depth == 2 => match random.bool() {
                true => b.barrier(),
                false => exchange(b, random),
            },
            0 | 1 if depth > 0 => {
                b.and(CONDITION, Reg(random.u8(DATA)), random.u64(1..8));
                let (left, right) = (random.usize(1..5), random.usize(0..4));
                let seeds = [random.u64(..), random.u64(..)];
                b.when_else(
                    CONDITION,
                    |b| body(b, &mut Rng::with_seed(seeds[0]), left, depth - 1),
                    |b| body(b, &mut Rng::with_seed(seeds[1]), right, depth - 1),
                );
            }
            // Lanes leave the loop after one to three turns; one loop at a time has the counter.
            2 if depth == 2 => {
                b.and(COUNTER, Reg(random.u8(DATA)), 1);
                b.add(COUNTER, COUNTER, random.i32(0..2));
                let (length, seed) = (random.usize(1..6), random.u64(..));
                b.repeat(|b| {
                    body(b, &mut Rng::with_seed(seed), length, 1);
                    b.sub(COUNTER, COUNTER, 1);
                    b.op(
                        Operation::Compare(Relation::Greater),
                        CONDITION,
                        [COUNTER.into(), 0.into()],
                    );
                    CONDITION
                });
            }
            _ => instruction(b, random),
        }
    }
}

/// A division whose divisor is 0 in no lane as a rule, in some, or in all; the register of the divisor is soon written again.
fn divide(b: &mut Builder, random: &mut Rng, to: Reg, dividend: Reg, divisor: Reg) {
    let operation = [Operation::Divide, Operation::Remainder][random.usize(0..2)];
    let low_bits = random.u64(0..8);
    b.and(SCRATCH, divisor, low_bits);
    let divisor = [SCRATCH, SCRATCH, divisor][random.usize(0..3)];
    b.op(operation, to, [dividend.into(), divisor.into()]);
}

fn instruction(b: &mut Builder, random: &mut Rng) {
    let data = |random: &mut Rng| Reg(random.u8(DATA));
    let width = [Width::Four, Width::Eight][random.usize(0..2)];
    let pointer = Reg(random.u8(POINTERS));
    let offset = 8 * random.i64(0..100);
    let (to, from, other) = (data(random), data(random), data(random));
    match random.u32(0..22) {
        0..4 => b.access(
            Operation::Load(Space::Global, width),
            Some(to),
            pointer,
            offset,
            None,
        ),
        4..7 => b.access(
            Operation::Store(Space::Global, width),
            None,
            pointer,
            offset,
            Some(from),
        ),
        7 => {
            let to = random.bool().then_some(to);
            let number = Number::Whole(match width {
                Width::Eight => Whole::U64,
                _ => Whole::U32,
            });
            b.access(
                Operation::Atomic(Atomic::Add, number, Space::Global),
                to,
                pointer,
                offset,
                Some(from),
            );
        }
        // The address goes on right behind the access, or comes from what was loaded.
        8..10 => point(b, random, pointer),
        10 => {
            b.and(SCRATCH, from, 0x7f8);
            b.add(pointer, SCRATCH, BASE);
        }
        11 => {
            b.and(SCRATCH, from, 0xf8);
            b.add(SCRATCH, SCRATCH, SHARED_BASE);
            match random.bool() {
                true => b.access(
                    Operation::Load(Space::Shared, width),
                    Some(to),
                    SCRATCH,
                    8,
                    None,
                ),
                false => {
                    b.access(
                        Operation::Store(Space::Shared, width),
                        None,
                        SCRATCH,
                        8,
                        Some(from),
                    );
                }
            }
        }
        12 if random.bool() => {
            b.mov(SCRATCH, COMMON + 8 * random.u64(0..64));
            // All of one width: where a narrow sum wraps, a wide one carries.
            let adds = Operation::Atomic(Atomic::Add, Number::Whole(Whole::U64), Space::Global);
            b.access(adds, None, SCRATCH, 0, Some(from));
        }
        12 => b.to_float(to, from),
        13 => b.sub(to, to, 4),
        14 => b.mad(to, from, other, to),
        15 => b.add(to, from, other),
        16 => b.op(Operation::Xor, to, [from.into(), other.into()]),
        17 => b.mov(to, from),
        18 => b.shr(to, from, random.i32(0..40)),
        19 => divide(b, random, to, from, other),
        20 => b.trap(),
        _ => b.add(to, pointer, 1),
    }
}
