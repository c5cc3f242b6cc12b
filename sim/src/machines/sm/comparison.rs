//! What a run has done beside the run without faults: each thread block is compared when it ends, and not kept.

use super::blocks::Block;
use super::outcome::Difference;
use super::work::WarpWork;
use crate::simt::{Memory, Registers};

/// Differences that are kept at most: a run that differs fails with the first one.
const MOST: usize = 64;

/// What a warp of a block that has not ended has done, and what is to come of it.
#[derive(Clone, Debug)]
pub struct Progress {
    /// How often each instruction has committed.
    pub commits: Vec<u8>,
    /// Its registers, once it has ended.
    pub registers: Option<Registers>,
    /// The oracle's registers at the end, if values are computed.
    expected: Option<Registers>,
}

impl Progress {
    /// A warp before its first instruction.
    pub fn new(work: &WarpWork, has_values: bool) -> Self {
        Self {
            commits: vec![0; work.steps.len()],
            registers: None,
            expected: work.registers.clone().filter(|_| has_values),
        }
    }
}

/// The differences so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    differences: Vec<Difference>,
    /// The numbers of the blocks that have ended.
    ended: Vec<usize>,
}

impl Comparison {
    /// The first differences that were found.
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// A branch went elsewhere than the oracle's.
    pub fn branch_differs(&mut self) {
        self.add(Difference::Branch);
    }

    /// A block has ended.
    pub fn end(&mut self, block: &Block) {
        self.ended.push(block.number);
        for (warp, progress) in block.warps.iter().enumerate() {
            let wrong = |&(_, times): &(usize, u8)| times != 1;
            let commits = progress.commits.iter().copied().enumerate();
            for (position, times) in commits.filter(wrong) {
                self.add(Difference::Commits {
                    block: block.number,
                    warp,
                    position,
                    times,
                });
            }
            let Some(expected) = &progress.expected else {
                continue;
            };
            let none = Registers::new(0);
            let registers = progress.registers.as_ref().unwrap_or(&none);
            if let Some((register, lane)) = registers.difference(expected) {
                self.add(Difference::Registers {
                    block: block.number,
                    warp,
                    register,
                    lane,
                    value: registers.read(register)[lane],
                });
            }
        }
    }

    /// Takes over what was found on another SM.
    pub fn join(&mut self, other: Self) {
        self.ended.extend(other.ended);
        for difference in other.differences {
            self.add(difference);
        }
    }

    /// The run is over: each of so many blocks has ended once, and memory is as the oracle leaves it, if values are computed.
    pub fn conclude(&mut self, blocks: usize, memory: Option<(&Memory, &Memory)>) {
        let mut times = vec![0; blocks];
        for block in self.ended.drain(..) {
            times[block] += 1;
        }
        let wrong = |&(_, times): &(usize, usize)| times != 1;
        for (block, times) in times.into_iter().enumerate().filter(wrong) {
            self.add(Difference::Block { block, times });
        }
        let address = memory.and_then(|(found, expected)| found.difference(expected));
        if let Some(address) = address {
            self.add(Difference::Memory(address));
        }
        self.differences.sort_unstable();
    }

    fn add(&mut self, difference: Difference) {
        if self.differences.len() < MOST && !self.differences.contains(&difference) {
            self.differences.push(difference);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::machine::Sm;
    use super::super::parameters::{Parameters, Switching};
    use super::super::work::Work;
    use super::*;
    use crate::simt::{Launch, assemble};
    use crate::sm::sm_pipeline::Scheme;

    /// Where the threads store, and what.
    const ADDRESS: u64 = 0x10_0000;
    const STORED: u64 = 7;

    fn work() -> Work {
        let compute = "R3 <- add R3, 1\n".repeat(40);
        let program =
            format!("R0 <- mov {ADDRESS}\nR1 <- mov {STORED}\n{compute}st [R0], R1\nexit");
        let launch = Launch {
            grid: [40, 1, 1],
            block: [64, 1, 1],
            shared_memory: 0,
        };
        Work::of_program(assemble(&program).unwrap(), launch, Memory::new()).unwrap()
    }

    /// What is found if something is changed once in a run in which blocks leave and come back.
    fn differences<'work>(
        work: &'work Work,
        mut plant: impl FnMut(&mut Sm<'work>) -> bool,
    ) -> Vec<Difference> {
        let parameters = Parameters {
            values: true,
            switching: Switching::Chance(0.05),
            ..Parameters::paper(Scheme::OperandLog, 16 << 10)
        };
        let mut sm = Sm::new(&parameters, work).unwrap();
        let mut is_planted = false;
        while !sm.is_finished() {
            sm.cycle().unwrap();
            is_planted = is_planted || plant(&mut sm);
        }
        assert!(is_planted);
        let outcome = sm.outcome();
        assert!(outcome.switches > 0);
        outcome.differences().to_vec()
    }

    /// What a warp of a block has done, while the block is on the SM.
    fn progress<'sm>(
        sm: &'sm mut Sm<'_>,
        block: usize,
        warp: usize,
    ) -> Option<(usize, &'sm mut Progress)> {
        let mut slots = sm.slots.iter_mut().enumerate();
        slots.find_map(|(slot, held)| {
            let held = held.as_mut().filter(|held| held.number == block)?;
            Some((2 * slot + warp, &mut held.warps[warp]))
        })
    }

    #[test]
    fn a_run_that_nobody_disturbs_ends_as_it_should() {
        assert_eq!(differences(&work(), |_| true), []);
    }

    #[test]
    fn an_sm_keeps_nothing_of_blocks_that_have_ended() {
        let work = work();
        let mut first = None;
        let found = differences(&work, |sm| {
            if first.is_none() {
                let resident = sm.warps[0].as_ref();
                first = resident.map(|resident| Arc::downgrade(&resident.steps));
            }
            // The work itself keeps its first blocks.
            sm.is_finished()
                && first
                    .as_ref()
                    .is_some_and(|steps| steps.strong_count() == 1)
        });
        assert_eq!(found, []);
    }

    #[test]
    fn an_instruction_that_commits_twice_or_never_is_found() {
        for times in [0, 2] {
            let found = differences(&work(), |sm| match progress(sm, 20, 1) {
                Some((_, progress)) if progress.commits[5] == 1 => {
                    progress.commits[5] = times;
                    true
                }
                _ => false,
            });
            let expected = Difference::Commits {
                block: 20,
                warp: 1,
                position: 5,
                times,
            };
            assert_eq!(found, [expected]);
        }
    }

    #[test]
    fn a_wrong_register_is_found() {
        let found = differences(&work(), |sm| match progress(sm, 39, 0) {
            Some((warp, progress)) if progress.commits[42] == 1 => {
                let values = sm.values.as_mut().unwrap();
                let warp = values.parts().0[warp].as_mut().unwrap();
                warp.registers.write(3, 1 << 30, &[9; 32]);
                true
            }
            _ => false,
        });
        let expected = Difference::Registers {
            block: 39,
            warp: 0,
            register: 3,
            lane: 30,
            value: 9,
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_store_that_is_lost_is_found() {
        let work = work();
        let found = differences(&work, |sm| {
            if sm.is_finished() {
                sm.below.memory = Memory::new();
            }
            sm.is_finished()
        });
        assert_eq!(found, [Difference::Memory(ADDRESS)]);
    }

    #[test]
    fn a_block_that_ends_never_or_twice_is_found() {
        let work = work();
        let lost = differences(&work, |sm| sm.below.blocks.next().is_some());
        let never = Difference::Block {
            block: 16,
            times: 0,
        };
        assert_eq!(lost, [never]);
        let again = differences(&work, |sm| {
            let is_last = sm.below.blocks.len() == 1;
            if is_last {
                sm.below.blocks = work.thread_blocks();
                sm.below.blocks.nth(37);
            }
            is_last
        });
        let twice = Difference::Block {
            block: 38,
            times: 2,
        };
        assert_eq!(again, [twice]);
    }
}
