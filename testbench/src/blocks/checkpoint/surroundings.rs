//! What is around a checkpoint engine: memories of an SM, its squashed instructions, its dirty bits, and a way to memory.

use std::collections::{BTreeMap, VecDeque};

use faultline_sim::preempt::checkpoint::{Inputs, Outputs, Parameters};
use faultline_sim::preempt::context_port::{Beat, WORDS};

use crate::traffic::Rng;

/// Beats that were requested and not taken, at most.
const READ: usize = 2;

/// How fast what is around the engine is; chances are of 256.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The pipeline takes what it receives, and gives what it has.
    pub pipeline: u16,
    /// The dirty bits find a row.
    pub dirty: u16,
    /// The SM's memories take a request, and give a beat as soon as they can.
    pub get: u16,
    /// The SM's memories take a beat.
    pub put: u16,
    /// Memory takes a beat.
    pub out: u16,
    /// Memory gives a beat.
    pub read: u16,
    /// The verdict is taken.
    pub ended: u16,
}

impl Pace {
    /// Every side is always ready.
    pub const READY: Self = Self::all(256);

    /// All the same.
    #[must_use]
    pub const fn all(chance: u16) -> Self {
        Self {
            pipeline: chance,
            dirty: chance,
            get: chance,
            put: chance,
            out: chance,
            read: chance,
            ended: chance,
        }
    }
}

/// An instruction that was squashed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Squashed {
    /// Its warp.
    pub warp: u64,
    /// The slot of its thread block.
    pub slot: u64,
    /// It is a store.
    pub store: bool,
    /// What else is known of it.
    pub words: [u64; 3],
    /// What the log holds of it.
    pub operands: Vec<Vec<Beat>>,
}

/// A save of the pipeline's.
#[derive(Clone, Copy, Debug)]
struct Save {
    slot: u64,
    /// Operands of the next instruction that have left the log.
    spilled: usize,
}

/// What is around the engine.
pub struct Surroundings {
    parameters: Parameters,
    rng: Rng,
    /// How fast all of it is.
    pub pace: Pace,
    /// Beats of the register file, shared memory, and the warps' SIMT state.
    pub beats: [Vec<Beat>; 3],
    /// Dirty lanes of each row.
    pub dirty: BTreeMap<u64, u64>,
    /// Warps that run.
    pub running: Vec<bool>,
    /// The squashed instructions, those of a warp in order.
    pub queue: Vec<Squashed>,
    /// What leaves for memory.
    pub left: Vec<Beat>,
    /// What comes from it; the last beat of a read is marked by being the last here.
    pub read: VecDeque<Beat>,
    save: Option<Save>,
    held: Vec<Beat>,
    spills: bool,
    returning: Vec<Beat>,
    walk: Option<VecDeque<(u64, u64)>>,
    got: VecDeque<(u64, Beat)>,
    now: u64,
    offers: [bool; 3],
    /// Cycles in which beats were put by a restore or a save, and where.
    pub puts: Vec<(u64, u64)>,
}

impl Surroundings {
    /// An SM without anything.
    #[must_use]
    pub fn new(parameters: Parameters, seed: u64) -> Self {
        let empty = |bits: usize| vec![[0; WORDS]; 1 << bits];
        Self {
            parameters,
            rng: Rng::new(seed),
            pace: Pace::READY,
            beats: [
                empty(parameters.row_bits + parameters.sector_bits),
                empty(parameters.shared_bits),
                empty(parameters.warp_bits + parameters.state_bits),
            ],
            dirty: BTreeMap::new(),
            running: vec![true; 1 << parameters.warp_bits],
            queue: Vec::new(),
            left: Vec::new(),
            read: VecDeque::new(),
            save: None,
            held: Vec::new(),
            spills: false,
            returning: vec![[0; WORDS]; 2 << parameters.operand_bits],
            walk: None,
            got: VecDeque::new(),
            now: 0,
            offers: [false; 3],
            puts: Vec::new(),
        }
    }

    /// What was under way is gone.
    pub fn reset(&mut self) {
        self.left.clear();
        self.read.clear();
        (self.save, self.walk, self.spills) = (None, None, false);
        self.got.clear();
        self.offers = [false; 3];
    }

    /// Any beat.
    pub fn beat(&mut self) -> Beat {
        let mut beat = [0; WORDS];
        for word in &mut beat[..self.parameters.port.words] {
            *word = self.rng.bits() & self.parameters.port.most();
        }
        beat
    }

    /// Writes lanes of a row.
    pub fn write(&mut self, row: u64, lanes: u64) {
        for sector in 0..self.parameters.sectors() {
            if self.parameters.sectors_of(lanes) >> sector & 1 == 1 {
                let beat = self.beat();
                self.beats[0][(row << self.parameters.sector_bits | sector) as usize] = beat;
            }
        }
        *self.dirty.entry(row).or_insert(0) |= lanes;
    }

    /// Squashes an instruction, with as many operands in the log as it has, or none.
    pub fn squash(&mut self, slot: u64, warp: u64, store: bool, logged: bool) {
        let operands = if logged { 1 + usize::from(store) } else { 0 };
        let operands = (0..operands)
            .map(|_| {
                (0..1 << self.parameters.operand_bits)
                    .map(|_| self.beat())
                    .collect()
            })
            .collect();
        let beat = self.beat();
        self.queue.push(Squashed {
            warp,
            slot,
            store,
            words: [beat[2], beat[3], beat[4]],
            operands,
        });
    }

    /// The place of the next instruction of the save.
    fn next_saved(&self) -> Option<usize> {
        let save = self.save.as_ref()?;
        self.queue.iter().position(|other| other.slot == save.slot)
    }

    fn offer(&mut self, which: usize, chance: u16) -> bool {
        self.offers[which] |= self.rng.chance(chance);
        self.offers[which]
    }

    /// Answers for a cycle.
    pub fn drive(&mut self, inputs: &mut Inputs) {
        self.now += 1;
        let pace = self.pace;
        inputs.stop_ready = self.rng.chance(pace.pipeline);
        inputs.resume_ready = self.rng.chance(pace.pipeline);
        inputs.save_ready = self.save.is_none() && self.rng.chance(pace.pipeline);
        let entries = self.parameters.queue_entries as usize;
        let of_slot = |slot| self.queue.iter().filter(|other| other.slot == slot).count();
        let full = self.queue.iter().any(|last| of_slot(last.slot) >= entries);
        inputs.restore_ready = !full && self.rng.chance(pace.pipeline);
        inputs.spilled_valid = std::mem::take(&mut self.spills);
        // The engine ignores it until a save was taken.
        (inputs.saved_valid, inputs.save_done) = (false, self.rng.chance(16));
        if let Some(save) = self.save {
            inputs.save_done = false;
            let next = self.next_saved().map(|place| &self.queue[place]);
            match next {
                Some(squashed) if save.spilled == squashed.operands.len() => {
                    inputs.saved_warp = squashed.warp;
                    inputs.saved_store = squashed.store;
                    inputs.saved_words = squashed.words;
                    inputs.saved_valid = self.offer(0, pace.pipeline);
                }
                Some(_) => {}
                None => inputs.save_done = self.rng.chance(pace.pipeline),
            }
        }
        inputs.walk_ready = self.walk.is_none() && self.rng.chance(pace.dirty);
        (inputs.dirty_valid, inputs.total_valid) = (false, false);
        if let Some(walk) = &self.walk {
            match walk.front().copied() {
                Some((row, lanes)) => {
                    (inputs.dirty_row, inputs.dirty_lanes) = (row, lanes);
                    inputs.dirty_valid = self.offer(1, pace.dirty);
                }
                None => inputs.total_valid = self.offer(1, pace.dirty),
            }
        }
        inputs.get_ready = self.got.len() < READ && self.rng.chance(pace.get);
        let front = self.got.front().filter(|(time, _)| *time <= self.now);
        inputs.got_valid = front.is_some();
        if let Some((_, beat)) = front {
            inputs.got_beat = *beat;
        }
        inputs.put_ready = self.rng.chance(pace.put);
        inputs.out_ready = self.rng.chance(pace.out);
        inputs.in_valid = false;
        if let Some(&beat) = self.read.front() {
            inputs.in_valid = self.offer(2, pace.read);
            (inputs.in_beat, inputs.in_last) = (beat, self.read.len() == 1);
        }
        inputs.ended_ready = self.rng.chance(pace.ended);
    }

    /// Does what was shown in a cycle.
    pub fn observe(&mut self, inputs: &Inputs, outputs: &Outputs) {
        self.observe_pipeline(inputs, outputs);
        if outputs.walk_valid && inputs.walk_ready {
            let group = |row: &u64| row >> self.parameters.group_bits;
            let walked = outputs.walk_first..=outputs.walk_last;
            let rows = self
                .dirty
                .iter()
                .filter(|(row, _)| walked.contains(&group(row)));
            self.walk = Some(rows.map(|(&row, &lanes)| (row, lanes)).collect());
        } else if inputs.dirty_valid && outputs.dirty_ready {
            let taken = self.walk.as_mut().and_then(VecDeque::pop_front);
            if let Some((row, _)) = taken {
                self.dirty.remove(&row);
            }
            self.offers[1] = false;
        } else if inputs.total_valid && outputs.total_ready {
            self.walk = None;
            self.offers[1] = false;
        }
        if inputs.got_valid && outputs.got_ready {
            self.got.pop_front();
        }
        if outputs.get_valid && inputs.get_ready {
            let place = outputs.get_place as usize;
            let beat = match self.beats.get(outputs.get_space as usize) {
                Some(beats) => beats[place],
                None => self.held[place],
            };
            let late = match self.pace.get {
                256.. => 0,
                _ => self.rng.below(4),
            };
            self.got.push_back((self.now + 1 + late, beat));
        }
        if outputs.put_valid && inputs.put_ready {
            let (space, place) = (outputs.put_space, outputs.put_place);
            match self.beats.get_mut(space as usize) {
                Some(beats) => beats[place as usize] = outputs.put_beat,
                None => self.returning[place as usize] = outputs.put_beat,
            }
            self.puts.push((space, place));
        }
        if outputs.out_valid && inputs.out_ready {
            self.left.push(outputs.out_beat);
        }
        if inputs.in_valid && outputs.in_ready {
            self.read.pop_front();
            self.offers[2] = false;
        }
    }

    fn observe_pipeline(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if outputs.stop_valid && inputs.stop_ready {
            self.running[outputs.stop_warp as usize] = false;
        }
        if outputs.resume_valid && inputs.resume_ready {
            self.running[outputs.resume_warp as usize] = true;
        }
        if let Some(save) = self.save {
            let next = self.next_saved();
            if let Some(place) = next.filter(|_| outputs.saved_ready) {
                if inputs.saved_valid {
                    self.queue.remove(place);
                    self.save = Some(Save { spilled: 0, ..save });
                    self.offers[0] = false;
                } else if save.spilled < self.queue[place].operands.len()
                    && self.rng.chance(self.pace.pipeline)
                {
                    self.held = self.queue[place].operands[save.spilled].clone();
                    self.spills = true;
                    self.save = Some(Save {
                        spilled: save.spilled + 1,
                        ..save
                    });
                }
            } else if inputs.save_done {
                self.save = None;
            }
        } else if outputs.save_valid && inputs.save_ready {
            self.save = Some(Save {
                slot: outputs.save_slot,
                spilled: 0,
            });
        }
        if outputs.restore_valid && inputs.restore_ready {
            let operands = 1 + usize::from(outputs.restore_store);
            let each = 1 << self.parameters.operand_bits;
            let returning = self.returning.chunks(each).take(operands);
            self.queue.push(Squashed {
                warp: outputs.restore_warp,
                slot: outputs.restore_slot,
                store: outputs.restore_store,
                words: outputs.restore_words,
                operands: returning.map(<[Beat]>::to_vec).collect(),
            });
        }
    }
}
