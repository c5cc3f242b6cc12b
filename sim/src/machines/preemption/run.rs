//! A preemption from the launch call to the last block's context.

use super::choice::{Chooser, Query};
use super::saving::{Request, Saved, Stuck, save};
use super::stream::Dirty;
use super::subject::{MHZ, SECTORS, Subject};
use crate::preempt::preemption_policy::Case;

/// Cycles from the launch call to the signal of the driver: 1.3 us (Li et al., section III-D).
const SIGNAL: u64 = 13 * MHZ / 10;

/// The policy that decides, and what is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// PEP, to memory.
    Pep,
    /// PEP; what is saved when the kernel has come stays on the SM as far as there is room.
    PepInPlace,
    /// Chimera, which saves whole contexts.
    Chimera,
    /// Chimera, which saves what is dirty.
    ChimeraDirty,
}

impl Policy {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Chimera,
        Self::ChimeraDirty,
        Self::Pep,
        Self::PepInPlace,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pep => "pep",
            Self::PepInPlace => "pep-in-place",
            Self::Chimera => "chimera",
            Self::ChimeraDirty => "chimera-dirty",
        }
    }

    /// The policy of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }

    /// Whether it acts at the launch call, and not when the kernel comes.
    #[must_use]
    pub const fn is_proactive(self) -> bool {
        matches!(self, Self::Pep | Self::PepInPlace)
    }
}

/// A preemption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The policy that decides.
    pub policy: Policy,
    /// Cycles from the launch call to the kernel.
    pub launch: u64,
    /// Cycles that PEP expects from the launch call to the kernel, or Chimera's deadline, counted from the kernel.
    pub expected: u64,
    /// Percent of the blocks' time that have passed at the launch call.
    pub progress: u64,
    /// There is a dirty bit for each lane, and not for each row alone.
    pub by_lane: bool,
    /// All blocks of an SM stop at once and drain together, as in the paper; the engine stops one after the other.
    pub stops_together: bool,
    /// An increment has no more rows than this part of its base, percent: the first ones.
    pub most_of_base: Option<u64>,
}

/// Contexts of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contexts {
    /// How many.
    pub count: u64,
    /// All of them together.
    pub saved: Saved,
}

impl Contexts {
    fn add(&mut self, saved: &Saved) {
        self.count += 1;
        self.saved.cycles += saved.cycles;
        self.saved.registers += saved.registers;
        self.saved.shared += saved.shared;
        self.saved.state += saved.state;
        self.saved.beats += saved.beats;
        self.saved.kept += saved.kept;
    }
}

/// How a preemption went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was answered for each block.
    pub cases: Vec<Case>,
    /// Cycles from the kernel to the last block's end, or to the end of its context.
    pub latency: u64,
    /// Bases of blocks that ran on.
    pub bases: Contexts,
    /// Increments: what those blocks had changed since their bases.
    pub increments: Contexts,
    /// Contexts that were saved once.
    pub singles: Contexts,
    /// Cycles in which blocks did not run because they were saved, of all blocks together.
    pub stopped: u64,
    /// Cycles for which those that had left before the kernel came left their place empty.
    pub waited: u64,
}

/// A block in its slot.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// Cycles that it had run by the cycle `since`.
    run: u64,
    since: u64,
    /// Where in its stream it was after so many cycles.
    anchor: (u64, u64),
    /// Cycles that it had run when it was saved, if it was.
    base: Option<u64>,
    /// It was there at the launch call.
    is_first: bool,
}

impl Block {
    const fn run_at(&self, now: u64) -> u64 {
        self.run + now.saturating_sub(self.since)
    }
}

/// The SM, while it is preempted.
struct Preemption<'subject> {
    subject: &'subject Subject,
    setup: Setup,
    now: u64,
    blocks: Vec<Option<Block>>,
    /// Blocks that end before have a next one.
    renews_until: u64,
    room: (u64, u64),
    /// Everything that the blocks have issued has committed.
    drained: bool,
    outcome: Outcome,
}

/// Preempts a kernel, whose chooser has come to the launch call.
///
/// # Errors
/// If a context is never saved.
pub fn preempt(subject: &Subject, chooser: &Chooser, setup: &Setup) -> Result<Outcome, Stuck> {
    let mut preemption = Preemption::new(subject, setup);
    match setup.policy.is_proactive() {
        true => preemption.proactive(chooser.clone())?,
        false => preemption.reactive(chooser.clone())?,
    }
    Ok(preemption.outcome)
}

impl<'subject> Preemption<'subject> {
    fn new(subject: &'subject Subject, setup: &Setup) -> Self {
        let run = subject.block * setup.progress / 100;
        let block = Block {
            run,
            since: 0,
            anchor: (run, subject.stream.cycles * setup.progress / 100),
            base: None,
            is_first: true,
        };
        Self {
            subject,
            setup: *setup,
            now: 0,
            blocks: vec![Some(block); subject.blocks as usize],
            renews_until: setup.launch,
            room: match setup.policy {
                Policy::PepInPlace => subject.room(),
                _ => (0, 0),
            },
            drained: false,
            outcome: Outcome {
                cases: Vec::new(),
                latency: 0,
                bases: Contexts::default(),
                increments: Contexts::default(),
                singles: Contexts::default(),
                stopped: 0,
                waited: 0,
            },
        }
    }

    /// Acts at the driver's signal.
    fn proactive(&mut self, mut chooser: Chooser) -> Result<(), Stuck> {
        chooser.advance(SIGNAL);
        // What is left of the time that was predicted at the launch call.
        let expected = self.setup.expected.saturating_sub(SIGNAL);
        let answer = chooser.query(0, Query::Pep { launch: expected });
        self.outcome.cases = vec![answer.case; self.blocks.len()];
        self.advance(SIGNAL + answer.cycles);
        let warm_up = self.subject.warm_up();
        // A block that could not run its first instructions before the kernel comes does not begin.
        if answer.case == Case::Drain && expected < answer.remaining + warm_up {
            self.renews_until = 0;
        }
        let begin = match answer.case {
            Case::TwoCheckpoints | Case::OneCheckpoint => Some(self.now),
            Case::DrainThenOne | Case::DrainThenTwo => self.next_end().map(|end| end + warm_up),
            _ => None,
        };
        if let Some(begin) = begin.filter(|&begin| begin < self.setup.launch) {
            self.advance(begin);
            let runs = matches!(answer.case, Case::TwoCheckpoints | Case::DrainThenTwo);
            self.save_early(runs)?;
        }
        self.advance(self.setup.launch);
        let drains = |block: &Block| {
            block.is_first && !matches!(answer.case, Case::TwoCheckpoints | Case::OneCheckpoint)
        };
        self.leave(|_, block| answer.case == Case::Drain || drains(block))
    }

    /// Acts when the kernel comes.
    fn reactive(&mut self, mut chooser: Chooser) -> Result<(), Stuck> {
        chooser.advance(self.setup.launch);
        self.advance(self.setup.launch);
        let query = Query::Chimera {
            deadline: self.setup.expected,
        };
        let slots = 0..self.blocks.len() as u64;
        let answers: Vec<_> = slots
            .map(|slot| chooser.clone().query(slot, query))
            .collect();
        let cases: Vec<_> = answers.iter().map(|answer| answer.case).collect();
        self.outcome.cases.clone_from(&cases);
        let first = answers.first().map_or(0, |answer| answer.cycles);
        self.advance(self.now + first);
        self.leave(|slot, _| cases[slot] == Case::Drain)
    }

    /// Saves one block after the other before the kernel comes: those that run on until it has come.
    fn save_early(&mut self, runs: bool) -> Result<(), Stuck> {
        for slot in 0..self.blocks.len() {
            if runs && self.now >= self.setup.launch {
                break;
            }
            self.save(slot, runs)?;
            // It stands still until the kernel takes its place.
            if !runs {
                self.outcome.waited += self.setup.launch.saturating_sub(self.now);
            }
        }
        Ok(())
    }

    /// The kernel has come: blocks end, or are saved and leave.
    fn leave(&mut self, drains: impl Fn(usize, &Block) -> bool) -> Result<(), Stuck> {
        self.drained = false;
        let mut last = self.now.max(self.setup.launch);
        for slot in 0..self.blocks.len() {
            self.settle(slot);
            let Some(block) = self.blocks[slot] else {
                continue;
            };
            if drains(slot, &block) {
                last = last.max(self.end_of(&block));
            } else {
                self.save(slot, false)?;
                last = last.max(self.now);
            }
        }
        self.outcome.latency = last - self.setup.launch;
        Ok(())
    }

    /// Time goes on.
    fn advance(&mut self, to: u64) {
        self.now = self.now.max(to);
        for slot in 0..self.blocks.len() {
            self.settle(slot);
        }
    }

    const fn end_of(&self, block: &Block) -> u64 {
        block.since + self.subject.block.saturating_sub(block.run)
    }

    /// When the first of the blocks ends.
    fn next_end(&self) -> Option<u64> {
        let blocks = self.blocks.iter().flatten();
        blocks.map(|block| self.end_of(block)).min()
    }

    /// Blocks of a slot that have ended by now make room for the next.
    fn settle(&mut self, slot: usize) {
        while let Some(block) = self.blocks[slot] {
            let end = self.end_of(&block);
            if end > self.now {
                return;
            }
            let next = Block {
                run: 0,
                since: end,
                anchor: (0, 0),
                base: None,
                is_first: false,
            };
            self.blocks[slot] = (end < self.renews_until).then_some(next);
        }
    }

    /// Saves the block of a slot, if there is one; it runs on or leaves.
    fn save(&mut self, slot: usize, runs: bool) -> Result<(), Stuck> {
        self.settle(slot);
        let Some(mut block) = self.blocks[slot] else {
            return Ok(());
        };
        block.run = block.run_at(self.now);
        let has_come = self.now >= self.setup.launch;
        let saved = save(&Request {
            rows: self.subject.rows,
            dirty: self.dirty(&block),
            shared: self.subject.shared,
            warps: self.subject.warps,
            runs,
            by_lane: self.setup.by_lane,
            drain: if self.drained { 0 } else { self.subject.drain },
            share: self.subject.share,
            room: if has_come { self.room } else { (0, 0) },
        })?;
        self.drained = self.setup.stops_together;
        self.now += saved.cycles;
        self.outcome.stopped += saved.cycles;
        self.take_room(saved.kept);
        match (runs, block.base) {
            (true, _) => self.outcome.bases.add(&saved),
            (false, Some(_)) => self.outcome.increments.add(&saved),
            (false, None) => self.outcome.singles.add(&saved),
        }
        (block.base, block.since) = (Some(block.run), self.now);
        self.blocks[slot] = runs.then_some(block);
        Ok(())
    }

    /// What is on the SM of a context takes its place: rows first.
    fn take_room(&mut self, kept: u64) {
        let rows = kept.div_ceil(SECTORS).min(self.room.0);
        self.room.0 -= rows;
        self.room.1 -= kept.saturating_sub(rows * SECTORS).min(self.room.1);
    }

    /// What of a block is to be saved.
    fn dirty(&self, block: &Block) -> Dirty {
        let (subject, stream) = (self.subject, &self.subject.stream);
        if self.setup.policy == Policy::Chimera {
            return whole(subject.rows);
        }
        let (anchor, start) = block.anchor;
        let position = |run: u64| start + ((run - anchor) as f64 * subject.pace()) as u64;
        let now = position(block.run);
        // A block that is longer than its stream goes on as that did.
        let is_longer = subject.block > stream.cycles;
        let dirty = match block.base.map(position) {
            None if is_longer => {
                let mut dirty = stream.dirty(start);
                merge(&mut dirty, stream.since(start, now - start));
                dirty
            }
            None => stream.dirty(now),
            Some(base) => {
                let at = stream.steady(start, base);
                let mut dirty = match is_longer {
                    true => stream.since(at, now - base),
                    false => stream.between(base, now),
                };
                if let Some(percent) = self.setup.most_of_base {
                    let most = stream.dirty(at).len() * percent as usize / 100;
                    dirty = dirty.into_iter().take(most).collect();
                }
                dirty
            }
        };
        scaled(&dirty, stream.rows, subject.rows)
    }
}

/// Every lane of every row.
fn whole(rows: u64) -> Dirty {
    (0..rows).map(|row| (row, u64::from(u32::MAX))).collect()
}

fn merge(dirty: &mut Dirty, other: Dirty) {
    for (row, lanes) in other {
        *dirty.entry(row).or_default() |= lanes;
    }
}

/// The rows of a context of another size of which the same part is dirty.
fn scaled(dirty: &Dirty, from: u64, to: u64) -> Dirty {
    let lanes = |row: u64| dirty.get(&(row * from / to)).map(|&lanes| (row, lanes));
    (0..to).filter_map(lanes).collect()
}
