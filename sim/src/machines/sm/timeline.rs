//! When each instruction of a warp goes through the stages of the pipeline, as the paper draws it.

use super::machine::Sm;
use super::outcome::SmError;
use super::parameters::Parameters;
use super::work::Work;
use crate::sm::sm_pipeline::{Inputs, Outputs, UNITS, WIDTH};

/// The example of Tanasic et al., Figures 3, 4, 6 and 7.
pub const PAPER_PROGRAM: &str = include_str!("../../../programs/tanasic.txt");

/// The way of an instruction through the pipeline; cycles count from the first fetch, which is in cycle 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    /// Its program counter.
    pub pc: u32,
    /// It was fetched; not if it is issued again.
    pub fetched: Option<u64>,
    /// It was issued; operand read is the cycle after.
    pub issued: Option<u64>,
    /// Its last TLB check succeeded.
    pub checked: Option<u64>,
    /// It committed.
    pub committed: Option<u64>,
    /// It faulted.
    pub faulted: Option<u64>,
    /// The page that it waited for in the pipeline was there.
    pub arrived: Option<u64>,
    /// It was fetched and not issued, or issued and not executed, because its warp had stopped.
    pub squashed: Option<u64>,
}

impl Passage {
    /// The cycle after which nothing happens to it.
    #[must_use]
    pub fn end(&self) -> u64 {
        let ends = [
            self.committed,
            self.faulted,
            self.squashed,
            self.issued,
            self.fetched,
        ];
        ends.into_iter().flatten().next().unwrap_or(0)
    }

    /// The letter of its stage in a cycle: Fetch, Issue, Operand read, Execute, Commit; a point where it waits for its
    /// issue, X where it faults, W where it waits in the pipeline for its page, and x where it is squashed with its
    /// warp.
    #[must_use]
    pub fn stage(&self, cycle: u64) -> Option<char> {
        let now = Some(cycle);
        let issued = self.issued.unwrap_or(u64::MAX);
        let begins = self.fetched.or(self.issued)?;
        Some(match () {
            () if cycle < begins || cycle > self.end() => return None,
            () if self.committed == now => 'C',
            () if self.faulted == now => 'X',
            () if self.squashed == now => 'x',
            () if self.fetched == now => 'F',
            () if cycle < issued => '.',
            () if cycle == issued => 'I',
            () if cycle == issued + 1 => 'O',
            () if self.faulted < now && now < self.arrived => 'W',
            () => 'E',
        })
    }
}

/// Runs the first warp of something, and follows its instructions over the ports.
///
/// # Errors
/// If the run does not come to its end.
pub fn passages(parameters: &Parameters, work: &Work) -> Result<Vec<Passage>, SmError> {
    let mut follower = Follower::default();
    let mut sm = Sm::new(parameters, work)?;
    while !sm.is_finished() {
        let now = sm.now;
        let (inputs, outputs) = sm.cycle()?;
        follower.follow(&inputs, &outputs);
        // A fault that stalls is not reported to the pipeline.
        let cycle = |time: u64| Some(time + follower.cycle - now);
        for (tag, fault, arrival) in sm.core.stalls().filter(|stall| stall.0.warp == 0) {
            let passage = &mut follower.passages[follower.entries[usize::from(tag.entry)]];
            (passage.faulted, passage.arrived) = (cycle(fault), cycle(arrival));
        }
    }
    Ok(follower.passages)
}

#[derive(Default)]
struct Follower {
    passages: Vec<Passage>,
    /// The cycle, from the first fetch on.
    cycle: u64,
    /// Instructions that were fetched and not read.
    buffered: Vec<usize>,
    /// The instruction of each scoreboard entry.
    entries: [usize; 16],
}

impl Follower {
    fn follow(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let fetches = (0..WIDTH).find(|&port| {
            outputs.fetch_valid[port] & inputs.fetched_valid[port] == 1
                && outputs.fetch_warp[port] == 0
        });
        if self.passages.is_empty() && fetches.is_none() {
            return;
        }
        self.cycle += 1;
        let now = Some(self.cycle);
        for unit in 0..UNITS {
            if inputs.finished_valid[unit] == 1 && inputs.finished_warp[unit] == 0 {
                self.passages[self.entries[inputs.finished_entry[unit] as usize]].committed = now;
            }
        }
        if inputs.checked_valid && outputs.checked_ready && inputs.checked_warp == 0 {
            self.passages[self.entries[usize::from(inputs.checked_entry)]].checked = now;
        }
        if inputs.faulted_valid && inputs.faulted_warp == 0 {
            self.passages[self.entries[usize::from(inputs.faulted_entry)]].faulted = now;
        }
        // Port 0 serves this warp, and has the older of two.
        for port in 0..WIDTH {
            if outputs.read_valid[port] == 0 || outputs.read_warp[port] != 0 {
                continue;
            }
            let place = match outputs.read_replayed[port] {
                0 if !self.buffered.is_empty() => self.buffered.remove(0),
                _ => {
                    self.passages.push(Passage {
                        pc: outputs.read_pc[port] as u32,
                        ..Passage::default()
                    });
                    self.passages.len() - 1
                }
            };
            self.passages[place].issued = Some(self.cycle - 1);
            self.entries[outputs.read_entry[port] as usize] = place;
        }
        if outputs.memory_front && outputs.memory_squashed && outputs.memory_warp == 0 {
            let place = self.entries[usize::from(outputs.memory_entry)];
            self.passages[place].squashed = now;
        }
        if let Some(port) = fetches {
            self.buffered.push(self.passages.len());
            self.passages.push(Passage {
                pc: inputs.fetched_pc[port] as u32,
                fetched: now,
                ..Passage::default()
            });
        }
        if outputs.revert_valid && outputs.revert_warp == 0 {
            for place in self.buffered.drain(..) {
                self.passages[place].squashed = now;
            }
        }
    }
}
