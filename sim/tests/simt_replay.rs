//! The kernels with their warps in any order, and with accesses that fault and come back: registers and
//! memory end as in the run without faults.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use fastrand::Rng;
use faultline_sim::simt::kernels::{KERNELS, Kernel, named};
use faultline_sim::simt::{
    Class, Fetched, Instruction, Memory, Operands, Place, Registers, Shared, Warp, commit, execute,
    run,
};

/// What becomes of accesses to global memory.
#[derive(Clone, Copy, PartialEq)]
enum Faults {
    /// They never fault.
    Never,
    /// Some fault, and come back with the operands that they read first.
    Logged,
    /// Some fault, and read their operands again.
    Forgotten,
}

/// A warp with its accesses that faulted, in program order.
struct Resident {
    warp: Warp,
    faulted: Vec<(Fetched, Operands)>,
}

/// A block on the SM.
struct Block {
    residents: Vec<Resident>,
    shared: Shared,
}

impl Block {
    fn new(kernel: &Kernel, block: u32) -> Self {
        let launch = kernel.launch;
        let resident = |warp| Resident {
            warp: Warp::new(
                &kernel.program,
                Place {
                    launch,
                    block,
                    warp,
                },
            ),
            faulted: Vec::new(),
        };
        Self {
            residents: (0..launch.warps_per_block()).map(resident).collect(),
            shared: Shared::new(launch.shared_memory),
        }
    }

    fn is_finished(&self) -> bool {
        let mut residents = self.residents.iter();
        residents.all(|resident| resident.warp.control.is_finished())
    }
}

/// A kernel on an SM.
struct Sm<'kernel> {
    kernel: &'kernel Kernel,
    faults: Faults,
    random: Rng,
    memory: Memory,
}

impl Sm<'_> {
    /// Runs the kernel with as many blocks at once as fit, for each turn a random warp of them.
    fn run(mut self) -> (Vec<Registers>, Memory) {
        let kernel = self.kernel;
        let mut registers = vec![Vec::new(); kernel.launch.blocks() as usize];
        let mut waiting: Vec<u32> = (0..kernel.launch.blocks()).collect();
        self.random.shuffle(&mut waiting);
        let mut blocks: Vec<Block> = Vec::new();
        loop {
            while blocks.len() < kernel.blocks_per_sm() as usize
                && let Some(block) = waiting.pop()
            {
                blocks.push(Block::new(kernel, block));
            }
            if blocks.is_empty() {
                break;
            }
            let chosen = self.random.usize(0..blocks.len());
            let block = &mut blocks[chosen];
            let warp = self.random.usize(0..block.residents.len());
            for _ in 0..self.random.usize(1..20) {
                self.step(&mut block.residents[warp], &mut block.shared);
            }
            if block.is_finished() {
                let Block { residents, .. } = blocks.swap_remove(chosen);
                let number = residents[0].warp.place.block as usize;
                let warps = residents
                    .into_iter()
                    .map(|resident| resident.warp.registers);
                registers[number] = warps.collect();
            } else if block
                .residents
                .iter()
                .all(|resident| resident.warp.control.peek().is_none())
            {
                for resident in &mut block.residents {
                    if resident.warp.control.is_waiting() {
                        resident.warp.control.pass();
                    }
                }
            }
        }
        (registers.concat(), self.memory)
    }

    /// Executes a warp's next instruction, or lets it fault; before that, what faulted comes back if
    /// the instruction depends on it, and sometimes otherwise.
    fn step(&mut self, resident: &mut Resident, shared: &mut Shared) {
        let program = &self.kernel.program;
        let Some(fetched) = resident.warp.control.fetch(program) else {
            return;
        };
        let instruction = program.at(fetched.pc);
        let depends = resident.faulted.iter().any(|(faulted, _)| {
            let result = program.at(faulted.pc).destination;
            let named = instruction
                .source_registers()
                .chain(instruction.destination);
            result.is_some_and(|result| named.into_iter().any(|register| register == result))
        });
        let drains = matches!(instruction.class(), Class::Barrier | Class::Exit);
        if depends || drains || self.random.u8(0..16) == 0 {
            for (fetched, operands) in std::mem::take(&mut resident.faulted) {
                let instruction = program.at(fetched.pc);
                let operands = match self.faults {
                    Faults::Forgotten => resident.warp.read_operands(instruction),
                    _ => operands,
                };
                self.execute(resident, shared, instruction, fetched, &operands);
            }
        }
        let operands = resident.warp.read_operands(instruction);
        let may_fault = self.faults != Faults::Never && instruction.class().is_global();
        if may_fault && self.random.bool() {
            resident.faulted.push((fetched, operands));
        } else {
            self.execute(resident, shared, instruction, fetched, &operands);
        }
    }

    fn execute(
        &mut self,
        resident: &mut Resident,
        shared: &mut Shared,
        instruction: &Instruction,
        fetched: Fetched,
        operands: &Operands,
    ) {
        let effect = execute(instruction, operands.sources(), fetched.mask);
        let program = &self.kernel.program;
        commit(
            &effect,
            program,
            &mut resident.warp,
            &mut self.memory,
            shared,
        );
    }
}

/// Whether the kernel ends as it should.
fn ends_alike(kernel: &Kernel, faults: Faults, seed: u64) -> bool {
    let oracle = run(&kernel.program, &kernel.launch, kernel.memory.clone()).unwrap();
    let sm = Sm {
        kernel,
        faults,
        random: Rng::with_seed(seed),
        memory: kernel.memory.clone(),
    };
    let (registers, memory) = sm.run();
    let expected = oracle.warps.iter().map(|warp| &warp.registers);
    memory == oracle.memory && registers.iter().eq(expected)
}

/// Every kernel ends as it should.
fn all_end_alike(faults: Faults) {
    for (name, make) in KERNELS {
        for seed in 0..2 {
            let kernel = make(1).unwrap();
            assert!(ends_alike(&kernel, faults, seed), "{name}, seed {seed}");
        }
    }
}

#[test]
fn order_of_warps_changes_nothing() {
    all_end_alike(Faults::Never);
}

#[test]
fn logged_operands_restart_every_access() {
    all_end_alike(Faults::Logged);
}

/// The paper's "RAW on replay": the kernels' pointers have moved on when an access comes back.
#[test]
fn registers_of_a_restart_are_not_those_of_the_first_attempt() {
    for name in ["lbm-8-warps", "stencil"] {
        let kernel = named(name).unwrap()(1).unwrap();
        assert!(!ends_alike(&kernel, Faults::Forgotten, 0), "{name}");
    }
}
