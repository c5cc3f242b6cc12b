//! An SM of the GPU, with what is counted of it.

use super::super::sm::{
    Blocks, Cause, Comparison, Cycles, Drain, Outcome, Preempted, Preemption, Sm, SmError,
    Statistics,
};
use super::history::Spans;
use super::port::Port;
use crate::sm::block_scheduler::BlockScheduler;
use crate::sm::sm_pipeline::{Inputs, Outputs};
use crate::sm::sm_unit;

#[derive(Clone, Debug)]
pub struct Multiprocessor<'work> {
    sm: Sm<'work, Port>,
    /// What goes over the ports of its pipeline.
    ports: (Inputs, Outputs),
    /// What has happened there, if it is counted.
    statistics: Option<Statistics>,
    /// What its cycles went to, if that is counted.
    cycles: Option<Cycles>,
    spans: Spans,
    /// Until when nothing happens there if nothing comes, where that is known.
    rests: Option<u64>,
    /// When it has ended.
    ended: Option<u64>,
}

impl<'work> Multiprocessor<'work> {
    pub fn new(sm: Sm<'work, Port>) -> Self {
        Self {
            sm,
            ports: Default::default(),
            statistics: None,
            cycles: None,
            spans: Spans::default(),
            rests: None,
            ended: None,
        }
    }

    /// Counts what happens on the pipeline's ports.
    pub fn count(&mut self, statistics: Statistics) {
        self.statistics = Some(statistics);
    }

    /// Counts what its cycles go to.
    pub fn count_causes(&mut self) {
        self.cycles = Some(Cycles::default());
    }

    /// Runs up to a cycle, or to its end. It `skips` cycles in which nothing happens, the last of them when it is known where
    /// they end.
    ///
    /// # Errors
    /// If the pipeline breaks a rule.
    pub fn advance(&mut self, until: u64, skips: bool) -> Result<(), SmError> {
        // The others may have told it, when all met, that no thread block comes from this cycle on.
        self.look();
        loop {
            let now = self.sm.now();
            if self.wakes() >= until {
                if self.ended.is_some() {
                    self.sm.settle_at_last();
                    self.sm.below().has_ended();
                }
                return Ok(());
            }
            if self.rests.is_some() {
                let cycles = self.wakes() - now;
                self.rests = None;
                if cycles > 0 {
                    self.sm.rest(cycles);
                    self.see(cycles);
                }
                continue;
            }
            let comes = self.sm.below().comes(now);
            self.rests = if skips { self.sm.rests(comes) } else { None };
            if self.rests.is_none() {
                self.sm.step(&mut self.ports.0, &mut self.ports.1)?;
                self.see(1);
            }
        }
    }

    /// When something happens next, as far as is known here.
    pub fn wakes(&mut self) -> u64 {
        let now = self.sm.now();
        match (self.ended, self.rests) {
            (Some(_), _) => u64::MAX,
            (None, Some(next)) => next.min(self.sm.below().comes(now)),
            (None, None) => now,
        }
    }

    /// A number of cycles have passed; in each of them but one nothing has happened.
    fn see(&mut self, cycles: u64) {
        if let Some(statistics) = &mut self.statistics {
            statistics.observe_all(&self.ports.0, &self.ports.1, cycles);
        }
        if let Some(counted) = &mut self.cycles {
            counted.add(self.sm.cause(&self.ports.1), cycles);
        }
        self.look();
    }

    /// What it does in the cycle that was the last, if there was one.
    fn look(&mut self) {
        let now = self.sm.now();
        if let Some(last) = now.checked_sub(1) {
            let has_ended = self.sm.has_ended();
            self.spans.see(last, self.sm.last_progress(), has_ended);
            self.ended = has_ended.then_some(now);
        }
    }

    pub fn sm(&mut self) -> &mut Sm<'work, Port> {
        &mut self.sm
    }

    pub fn port(&mut self) -> &mut Port {
        self.sm.below()
    }

    /// What went into its SM unit in the last cycle, and the number of that cycle.
    pub fn unit_inputs(&self) -> Option<(u64, &sm_unit::Inputs)> {
        let cycle = self.sm.now().checked_sub(1)?;
        Some((cycle, self.sm.unit_inputs()?))
    }

    /// Its local scheduler, if blocks are switched out.
    pub fn scheduler(&self) -> Option<&BlockScheduler> {
        self.sm.scheduler()
    }

    /// Instructions that have committed.
    pub const fn committed(&self) -> u64 {
        self.sm.committed()
    }

    /// When something last committed or faulted.
    pub const fn last_progress(&self) -> u64 {
        self.sm.last_progress()
    }

    /// When its last thread block had ended, and it was known that no other comes.
    pub const fn ended(&self) -> Option<u64> {
        self.ended
    }

    /// The second kernel is launched in another cycle.
    pub fn plan(&mut self, preemption: Preemption, at: u64) {
        self.sm.plan(preemption, at);
        self.rests = None;
    }

    /// How it was preempted, once it is free for the second kernel.
    pub fn freed(&self) -> Option<Preempted> {
        self.sm.freed()
    }

    /// What was measured of blocks that have ended before that.
    pub fn measured(&self) -> (Blocks, &[Drain]) {
        self.sm.measured()
    }

    /// Bytes of a block's registers, SIMT state and shared memory.
    pub fn context_bytes(&self) -> u64 {
        self.sm.context_bytes()
    }

    /// The share of the lanes of the registers of resident warps that are dirty.
    pub fn dirty_share(&self) -> f64 {
        self.sm.dirty_share()
    }

    /// How it was preempted, the second kernel's comparison, and when the last block of each kernel had ended.
    pub fn preempted(&mut self) -> Option<(Preempted, Comparison, [u64; 2])> {
        self.sm.preempted()
    }

    /// What its cycles up to the end of the run went to, if that was counted.
    pub fn cycles(&self, end: u64) -> Option<Cycles> {
        let mut cycles = self.cycles?;
        let since = end - self.ended.unwrap_or(end);
        cycles.add(Some(Cause::Empty), since);
        Some(cycles)
    }

    /// What is left of it at the end of the run, what was counted, and what it did when.
    pub fn left(mut self, end: u64) -> (Outcome, Option<Statistics>, Spans) {
        if let Some(statistics) = &mut self.statistics {
            let since = end - self.ended.unwrap_or(end);
            statistics.observe_all(&Inputs::default(), &Outputs::default(), since);
        }
        (self.sm.left(), self.statistics, self.spans)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sm::{Parameters, Work};
    use super::super::port::Translation;
    use super::*;
    use crate::simt::{Launch, Memory, assemble};
    use crate::sm::l1_tlb;
    use crate::sm::sm_pipeline::Scheme;

    /// Cycles of a link.
    const LINK: u64 = 20;

    /// An SM around the block `sm_unit` with a thread block that accesses no memory, after which none comes.
    fn sm(work: &Work) -> Multiprocessor<'_> {
        let parameters = Parameters {
            joined: true,
            ..Parameters::paper(Scheme::OperandLog, 16 << 10)
        };
        let port = Port::new(LINK, LINK);
        let mut sm = Multiprocessor::new(Sm::with(&parameters, work, port).unwrap());
        let supply = &mut sm.port().supplies[0];
        let blocks = work.thread_blocks();
        supply.blocks.extend(blocks.map(|block| (0, block)));
        supply.last = 1;
        sm
    }

    /// Whichever cycle an invalidation comes in, the last one of the SM and those after it among them, the SM reports once that it
    /// has settled, and not before.
    #[test]
    fn each_invalidation_is_settled_once_at_the_end_of_an_sm_too() {
        let launch = Launch {
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_memory: 0,
        };
        let program = assemble("R1 <- mov 1\nexit").unwrap();
        let work = Work::of_program(program, launch, Memory::new()).unwrap();
        let mut alone = sm(&work);
        alone.advance(1_000, true).unwrap();
        let end = alone.ended().unwrap();
        for due in 0..end + 5 {
            for skips in [false, true] {
                let mut sm = sm(&work);
                sm.port().translations.push_back(Translation {
                    due,
                    inputs: l1_tlb::Inputs {
                        invalidate_valid: true,
                        ..l1_tlb::Inputs::default()
                    },
                    place: 0,
                });
                sm.advance(1_000, skips).unwrap();
                assert_eq!(sm.ended(), Some(end));
                let settled = &sm.port().sent.settled;
                let settles = due + LINK..=(due + LINK + 1).max(end + LINK);
                assert!(
                    matches!(settled[..], [at] if settles.contains(&at)),
                    "{due} of {end}: {settled:?}"
                );
            }
        }
    }
}
