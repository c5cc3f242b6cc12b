//! Traffic for the operand log: kernels of every size, loads and stores, reads that are allowed and reads that are not.

use faultline_sim::operand_log::{Inputs, LANES, OperandLog, Outputs, PATIENCE, Parameters};

use super::{ALWAYS, Dice, Traffic, scenarios};
use crate::session::Coverage;

/// How the SM behaves for a few hundred cycles; chances are of 256.
struct Mode {
    /// A kernel starts, of 65,536.
    launch: u64,
    /// Allocations, and stores among them.
    allocate: u16,
    store: u16,
    /// Writes, and those of them that come in the very cycle in which the entry is given.
    write: u16,
    early: u16,
    release: u16,
    /// Reads, and those of them that name any entry and slot.
    replay: u16,
    save: u16,
    foreign: u16,
    /// Anything may come, legal or not.
    chaos: bool,
}

const STEADY: Mode = Mode {
    launch: 16,
    allocate: 200,
    store: 80,
    write: 220,
    early: 128,
    release: 200,
    replay: 24,
    save: 4,
    foreign: 64,
    chaos: false,
};

/// In turn at random: everyday work, loads alone, stores alone, exhausted partitions, drained ones, replays, saves and
/// replays at once, readers that starve, launch upon launch, anything.
const MODES: [Mode; 10] = [
    STEADY,
    Mode {
        allocate: ALWAYS,
        store: 0,
        write: ALWAYS,
        early: ALWAYS,
        release: ALWAYS,
        ..STEADY
    },
    Mode {
        allocate: ALWAYS,
        store: ALWAYS,
        write: ALWAYS,
        ..STEADY
    },
    Mode {
        allocate: ALWAYS,
        release: 6,
        ..STEADY
    },
    Mode {
        allocate: 10,
        release: ALWAYS,
        ..STEADY
    },
    Mode {
        write: 60,
        replay: ALWAYS,
        release: 60,
        ..STEADY
    },
    Mode {
        write: 100,
        replay: ALWAYS,
        save: ALWAYS,
        release: 40,
        foreign: 20,
        ..STEADY
    },
    Mode {
        write: ALWAYS,
        early: ALWAYS,
        replay: 40,
        save: 40,
        release: 60,
        ..STEADY
    },
    Mode {
        launch: 2000,
        allocate: ALWAYS,
        replay: 128,
        save: 60,
        ..STEADY
    },
    Mode {
        launch: 200,
        replay: 100,
        save: 100,
        foreign: 160,
        chaos: true,
        ..STEADY
    },
];

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        launch, launch_of_nothing, launch_larger_than_the_log, launch_of_one_block, launch_during_allocation,
        launch_stops_a_request, load_allocated, store_allocated, allocated_back_to_back, one_entry_left,
        load_refused, store_refused_for_want_of_a_second_entry, allocated_beside_a_release, written,
        written_when_allocated, written_again, write_stalled_by_an_overdue_read, written_without_a_bubble, released,
        replay_read, save_read, both_readers_ask, turn_of_replay, turn_of_save, overdue_read_served,
        denied_of_another_slot, denied_unwritten, denied_free, write_of_a_free_entry, release_of_a_free_entry,
        release_when_allocated, reset_in_use,
    }
}

/// Why a read will be refused, known when it is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Foreign,
    Unwritten,
    Free,
}

/// Seeded traffic.
pub struct OperandLogTraffic {
    parameters: Parameters,
    seed: u64,
    dice: Dice,
    /// Operands are windows into it, told apart by a count in the first lane.
    pool: Vec<u64>,
    mode: &'static Mode,
    left: u64,
    cycle: u64,
    writes: u64,
    size: usize,
    unserved: usize,
    before: Before,
    scenarios: Scenarios,
}

/// What there was to know before the cycle.
#[derive(Default)]
struct Before {
    in_use: u128,
    written: u128,
    being_taken: u128,
    refusals: [Option<Refusal>; 2],
    /// The handshakes of the cycle before it.
    accepted: Accepted,
}

impl OperandLogTraffic {
    /// Traffic for a log of these sizes.
    #[must_use]
    pub fn new(parameters: Parameters, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let pool = (0..4096).map(|_| dice.bits()).collect();
        Self {
            parameters,
            seed,
            dice,
            pool,
            mode: &STEADY,
            left: 300,
            cycle: 0,
            writes: 0,
            size: 0,
            unserved: 0,
            before: Before::default(),
            scenarios: Scenarios::default(),
        }
    }

    fn any_slot(&mut self) -> u8 {
        self.dice.byte() & (self.parameters.slots() - 1) as u8
    }

    fn any_entry(&mut self) -> u8 {
        self.dice.below(self.parameters.entries as u64) as u8
    }

    fn drive_launch(&mut self, inputs: &mut Inputs) {
        let first = self.cycle == 3;
        inputs.launch_valid = first || self.dice.below(65_536) < self.mode.launch;
        if inputs.launch_valid {
            let entries = self.parameters.entries as u64;
            let fair = (entries >> self.parameters.slot_bits).max(1);
            inputs.launch_entries = match self.dice.byte() {
                0..80 => fair,
                80..120 => fair << (self.dice.byte() % 4),
                120..180 => 1 + self.dice.below(entries.min(8)),
                180..230 => 1 + self.dice.below(entries),
                230..240 => 0,
                240..246 => entries,
                _ => self.dice.below(2 << self.parameters.entry_bits()),
            } as u8;
        }
    }

    fn drive_allocate(&mut self, inputs: &mut Inputs) {
        if inputs.allocate_valid && !self.before.accepted.allocate && !self.dice.chance(24) {
            return;
        }
        inputs.allocate_valid = self.dice.chance(self.mode.allocate);
        inputs.allocate_store = self.dice.chance(self.mode.store);
        inputs.allocate_slot = self.any_slot();
        let slots = self
            .parameters
            .entries
            .checked_div(self.size)
            .unwrap_or(0)
            .min(self.parameters.slots());
        if slots > 0 && self.dice.chance(240) {
            inputs.allocate_slot %= slots as u8;
        }
    }

    fn drive_write(&mut self, model: &OperandLog, inputs: &mut Inputs) {
        let may_write = model.allocated() | self.before.being_taken;
        let held = inputs.write_valid && !self.before.accepted.write;
        if held && may_write & (1 << inputs.write_entry) != 0 {
            return;
        }
        inputs.write_valid = false;
        if self.dice.chance(self.mode.write) {
            let unwritten = model.allocated() & !model.written();
            let entry = if self.mode.chaos && self.dice.chance(64) {
                Some(self.any_entry())
            } else if self.before.being_taken != 0 && self.dice.chance(self.mode.early) {
                self.dice.pick(self.before.being_taken)
            } else if unwritten != 0 && self.dice.chance(240) {
                self.dice.pick(unwritten)
            } else {
                self.dice.pick(model.allocated())
            };
            if let Some(entry) = entry {
                inputs.write_valid = true;
                inputs.write_entry = entry;
                let start = self.dice.below((self.pool.len() - LANES) as u64) as usize;
                let words = self.parameters.words.div_ceil(2);
                inputs.write_data[..words].copy_from_slice(&self.pool[start..start + words]);
                inputs.write_data[0] =
                    inputs.write_data[0].wrapping_add(self.writes) & self.first_lane();
                self.writes += 1;
            }
        }
    }

    /// The bits of the first lane; a narrow log has only half of it.
    fn first_lane(&self) -> u64 {
        if self.parameters.words == 1 {
            u64::from(u32::MAX)
        } else {
            u64::MAX
        }
    }

    fn drive_release(&mut self, model: &OperandLog, inputs: &mut Inputs) {
        let pending = if inputs.write_valid {
            1 << inputs.write_entry
        } else {
            0
        };
        let any = self.mode.chaos && self.dice.chance(48);
        let entry = if any {
            Some(self.any_entry())
        } else {
            self.dice.pick(model.written() & !pending)
        };
        inputs.release_valid = entry.is_some() && self.dice.chance(self.mode.release);
        inputs.release_entry = entry.unwrap_or(inputs.release_entry);
        // Whoever releases knows the slot, unless there is nothing to release.
        let held = model.allocated() & (1 << inputs.release_entry) != 0;
        inputs.release_slot = match model.owner(inputs.release_entry) {
            Some(slot) if held => slot,
            _ => self.any_slot(),
        };
    }

    /// What to read: an operand that is there, or anything.
    fn read(&mut self, model: &OperandLog) -> (u8, u8) {
        let written = model.written();
        match self.dice.pick(written) {
            Some(entry) if !self.dice.chance(self.mode.foreign) => {
                (model.owner(entry).unwrap_or(0), entry)
            }
            _ => {
                let set = if self.dice.chance(128) {
                    model.allocated()
                } else {
                    0
                };
                let entry = self.dice.pick(set).unwrap_or_else(|| self.any_entry());
                let slot = model.owner(entry).filter(|_| self.dice.chance(160));
                (slot.unwrap_or_else(|| self.any_slot()), entry)
            }
        }
    }

    fn drive_reads(&mut self, model: &OperandLog, inputs: &mut Inputs) {
        if !inputs.replay_valid || self.before.accepted.replay {
            inputs.replay_valid = self.dice.chance(self.mode.replay);
            if inputs.replay_valid {
                (inputs.replay_slot, inputs.replay_entry) = self.read(model);
            }
        }
        if !inputs.save_valid || self.before.accepted.save {
            inputs.save_valid = self.dice.chance(self.mode.save);
            if inputs.save_valid {
                (inputs.save_slot, inputs.save_entry) = self.read(model);
            }
        }
        let refusal = |slot: u8, entry: u8| {
            let bit = 1u128 << entry;
            if model.allocated() & bit == 0 {
                Some(Refusal::Free)
            } else if model.partition(slot.into()) & bit == 0 {
                Some(Refusal::Foreign)
            } else if model.written() & bit == 0 {
                Some(Refusal::Unwritten)
            } else {
                None
            }
        };
        self.before.refusals = [
            refusal(inputs.replay_slot, inputs.replay_entry),
            refusal(inputs.save_slot, inputs.save_entry),
        ];
    }

    fn count(&mut self, inputs: &Inputs, outputs: &Outputs, accepted: &Accepted) {
        let before = &self.before;
        let bit = |entry: u8| 1u128 << entry;
        let entries = self.parameters.entries;
        let asked = inputs.replay_valid || inputs.save_valid;
        let read = accepted.replay || accepted.save;
        let refused = |why| {
            (accepted.replay && before.refusals[0] == Some(why))
                || (accepted.save && before.refusals[1] == Some(why))
        };
        let allocates = inputs.allocate_valid && !inputs.launch_valid;
        let both = inputs.replay_valid && inputs.save_valid;
        let count = |counter: &mut u64, happened: bool| *counter += u64::from(happened);
        let s = &mut self.scenarios;
        count(&mut s.launch, inputs.launch_valid);
        count(
            &mut s.launch_of_nothing,
            inputs.launch_valid && inputs.launch_entries == 0,
        );
        let size = usize::from(inputs.launch_entries);
        count(
            &mut s.launch_larger_than_the_log,
            inputs.launch_valid && size > entries,
        );
        count(
            &mut s.launch_of_one_block,
            inputs.launch_valid && size <= entries && 2 * size > entries,
        );
        count(
            &mut s.launch_during_allocation,
            inputs.launch_valid && outputs.allocated_valid,
        );
        count(&mut s.launch_stops_a_request, inputs.launch_valid && asked);
        count(
            &mut s.load_allocated,
            accepted.allocate && !inputs.allocate_store,
        );
        count(
            &mut s.store_allocated,
            accepted.allocate && inputs.allocate_store,
        );
        count(
            &mut s.allocated_back_to_back,
            accepted.allocate && before.accepted.allocate,
        );
        let one_left =
            outputs.allocated_valid && outputs.allocated_address == outputs.allocated_data;
        count(&mut s.one_entry_left, one_left);
        let has_one = outputs.free_one >> inputs.allocate_slot & 1 == 1;
        count(
            &mut s.load_refused,
            allocates && !accepted.allocate && !inputs.allocate_store,
        );
        count(
            &mut s.store_refused_for_want_of_a_second_entry,
            allocates && !accepted.allocate && has_one,
        );
        count(
            &mut s.allocated_beside_a_release,
            accepted.allocate
                && inputs.release_valid
                && inputs.release_slot == inputs.allocate_slot,
        );
        count(&mut s.written, accepted.write);
        count(
            &mut s.written_when_allocated,
            accepted.write && before.being_taken & bit(inputs.write_entry) != 0,
        );
        count(
            &mut s.written_again,
            accepted.write && before.written & bit(inputs.write_entry) != 0,
        );
        count(
            &mut s.write_stalled_by_an_overdue_read,
            inputs.write_valid && !outputs.write_ready && read,
        );
        count(
            &mut s.written_without_a_bubble,
            accepted.write && before.accepted.write,
        );
        count(&mut s.released, inputs.release_valid);
        count(&mut s.replay_read, accepted.replay);
        count(&mut s.save_read, accepted.save);
        count(&mut s.both_readers_ask, both);
        count(&mut s.turn_of_replay, both && accepted.replay);
        count(&mut s.turn_of_save, both && accepted.save);
        count(
            &mut s.overdue_read_served,
            read && self.unserved >= PATIENCE,
        );
        count(&mut s.denied_of_another_slot, refused(Refusal::Foreign));
        count(&mut s.denied_unwritten, refused(Refusal::Unwritten));
        count(&mut s.denied_free, refused(Refusal::Free));
        let (in_use, given) = (before.in_use, before.being_taken);
        count(
            &mut s.write_of_a_free_entry,
            accepted.write && (in_use | given) & bit(inputs.write_entry) == 0,
        );
        count(
            &mut s.release_of_a_free_entry,
            inputs.release_valid && in_use & bit(inputs.release_entry) == 0,
        );
        count(
            &mut s.release_when_allocated,
            inputs.release_valid && given & bit(inputs.release_entry) != 0,
        );
        count(&mut s.reset_in_use, inputs.reset && in_use != 0);
    }
}

/// The handshakes of a cycle.
#[derive(Clone, Copy, Default)]
struct Accepted {
    allocate: bool,
    write: bool,
    replay: bool,
    save: bool,
}

impl Accepted {
    fn of(inputs: &Inputs, outputs: &Outputs) -> Self {
        Self {
            allocate: inputs.allocate_valid && outputs.allocate_ready,
            write: inputs.write_valid && outputs.write_ready,
            replay: inputs.replay_valid && outputs.replay_ready,
            save: inputs.save_valid && outputs.save_ready,
        }
    }
}

impl Traffic for OperandLogTraffic {
    type Model = OperandLog;

    fn drive(&mut self, model: &OperandLog, inputs: &mut Inputs) {
        if self.left == 0 {
            self.mode = &MODES[self.dice.below(MODES.len() as u64) as usize];
            self.left = 100 + self.dice.below(900);
        }
        self.left -= 1;
        self.before.in_use = model.allocated();
        self.before.written = model.written();
        self.before.being_taken = model.being_taken();
        inputs.reset = self.cycle < 2 || (self.mode.chaos && self.dice.below(2000) == 0);
        self.drive_launch(inputs);
        self.drive_allocate(inputs);
        self.drive_write(model, inputs);
        self.drive_release(model, inputs);
        self.drive_reads(model, inputs);
        self.cycle += 1;
    }

    fn observe(&mut self, _model: &OperandLog, inputs: &Inputs, outputs: &Outputs) {
        let accepted = Accepted::of(inputs, outputs);
        self.count(inputs, outputs, &accepted);
        let asked = inputs.replay_valid || inputs.save_valid;
        self.unserved = if asked && !accepted.replay && !accepted.save {
            self.unserved + 1
        } else {
            0
        };
        self.before.accepted = accepted;
        if inputs.reset {
            self.size = 0;
            self.unserved = 0;
        } else if inputs.launch_valid {
            self.size = usize::from(inputs.launch_entries);
        }
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }

    fn source(&self) -> String {
        format!("seed {}", self.seed)
    }
}
