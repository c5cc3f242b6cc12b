//! The reference model of the scoreboard: its page (`docs/blocks/scoreboard.md`) as plain data.

use std::collections::VecDeque;

use crate::ports;
use crate::ports::Model;

/// Units that finish instructions in a cycle, and the fault that squashes one.
pub const FINISHES: usize = 6;

/// Instructions that wait for their issue.
pub const BUFFERED: usize = 2;

/// The register that is nobody's source and nobody's destination.
pub const ZERO_REGISTER: u8 = u8::MAX;

/// The sizes of a scoreboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Instructions of a warp that are buffered or in flight, at most 16.
    pub entries: usize,
    /// Whether instructions may hold their sources until they are checked.
    pub holds: bool,
}

impl Parameters {
    /// Bits of an entry's number.
    #[must_use]
    pub const fn entry_bits(&self) -> usize {
        self.entries.next_power_of_two().ilog2() as usize
    }
}

ports! {
    /// What goes into a scoreboard in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// An instruction was fetched, or is issued again.
        arrive_valid: bool = 1,
        /// It is issued again.
        arrive_issued: bool = 1,
        /// The destination of what was fetched.
        arrive_destination: u8 = 8,
        /// A source of it.
        arrive_source_a: u8 = 8,
        /// A source of it.
        arrive_source_b: u8 = 8,
        /// A source of it.
        arrive_source_c: u8 = 8,
        /// Of the one that gets the entry: the fetch stops until it finishes or is checked.
        entry_stops: bool = 1,
        /// It holds its sources until it is checked.
        entry_holds: bool = 1,
        /// Its destination.
        entry_destination: u8 = 8,
        /// A source.
        entry_source_a: u8 = 8,
        /// A source.
        entry_source_b: u8 = 8,
        /// A source.
        entry_source_c: u8 = 8,
        /// The first buffered instruction is issued.
        issue_first: bool = 1,
        /// The second one is issued with it; without the first one it is not.
        issue_second: bool = 1,
        /// The buffered instructions are forgotten, those that are issued in the same cycle too.
        flush: bool = 1,
        /// Instructions finish: of each unit, and a squashed one.
        finished_valid: [u64; FINISHES] = (FINISHES, 1),
        /// Their entries.
        finished_entry: [u64; FINISHES] = (FINISHES, parameters.entry_bits()),
        /// The last TLB check of an instruction has succeeded.
        checked_valid: bool = 1,
        /// Its entry.
        checked_entry: u8 = parameters.entry_bits(),
        /// The first buffered instruction is about to be issued.
        chosen: bool = 1,
    }
}

ports! {
    /// What a scoreboard shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// Another instruction may arrive.
        room: bool = 1,
        /// The entry that it gets.
        arrive_entry: u8 = parameters.entry_bits(),
        /// There is a buffered instruction.
        first_valid: bool = 1,
        /// It may be issued.
        first_ready: bool = 1,
        /// Its entry.
        first_entry: u8 = parameters.entry_bits(),
        /// There is a second one.
        second_valid: bool = 1,
        /// It may be issued with the first one.
        second_ready: bool = 1,
        /// Its entry.
        second_entry: u8 = parameters.entry_bits(),
        /// The fetch stops.
        stopped: bool = 1,
        /// The fetch goes on stopping after this cycle, what arrives left aside.
        stopping: bool = 1,
        /// Some instruction is buffered or in flight.
        busy: bool = 1,
        /// An instruction will be ready in the next cycle, if the first one is issued exactly when it is chosen.
        likely: bool = 1,
    }
}

impl Inputs {
    /// The instruction that arrives.
    #[must_use]
    pub fn arrival(&self) -> Arrival {
        let fetched = Registers {
            destination: self.arrive_destination,
            sources: [
                self.arrive_source_a,
                self.arrive_source_b,
                self.arrive_source_c,
            ],
        };
        Arrival {
            fetched: (!self.arrive_issued).then_some(fetched),
            stops: self.entry_stops,
            holds: self.entry_holds,
            kept: Registers {
                destination: self.entry_destination,
                sources: [
                    self.entry_source_a,
                    self.entry_source_b,
                    self.entry_source_c,
                ],
            },
        }
    }
}

/// The registers of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// The register that it writes.
    pub destination: u8,
    /// The registers that it reads.
    pub sources: [u8; 3],
}

/// What matters of an instruction that arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// It was fetched, and waits for what uses these registers; else it is issued at once.
    pub fetched: Option<Registers>,
    /// The fetch stops for it.
    pub stops: bool,
    /// It holds its sources.
    pub holds: bool,
    /// The registers that its entry keeps.
    pub kept: Registers,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    destination: u8,
    stops: bool,
    /// Sources that may not be written.
    held: Option<[u8; 3]>,
}

/// Whether one of these sources is this register.
fn reads(sources: &[u8; 3], register: u8) -> bool {
    register != ZERO_REGISTER && sources.contains(&register)
}

#[derive(Clone, Copy, Debug)]
struct Buffered {
    entry: u8,
    /// Entries whose results it needs or writes over, a bit each.
    results: u16,
    /// Entries that hold the register which it writes.
    holders: u16,
    /// It writes a source of the instruction before it.
    after: bool,
}

/// The reference model: the instructions of one warp.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    parameters: Parameters,
    entries: [Option<Entry>; 16],
    used: u16,
    stopping: u16,
    buffer: VecDeque<Buffered>,
    last_sources: [u8; 3],
    /// Something was issued in the cycle before.
    issued: bool,
}

impl Scoreboard {
    /// Whether another instruction may arrive.
    #[must_use]
    pub fn room(&self) -> bool {
        self.buffer.len() < BUFFERED && self.used.count_ones() < self.parameters.entries as u32
    }

    /// The entry that the next instruction gets: the lowest that is free, 0 if none is.
    #[must_use]
    pub fn arrive_entry(&self) -> u8 {
        let free = self.used.trailing_ones() as usize;
        if free < self.parameters.entries {
            free as u8
        } else {
            0
        }
    }

    /// Buffered instructions.
    #[must_use]
    pub fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// The entry of a buffered instruction, 0 if there is none.
    #[must_use]
    pub fn entry(&self, place: usize) -> u8 {
        self.buffer.get(place).map_or(0, |buffered| buffered.entry)
    }

    /// Whether the first buffered instruction may be issued.
    #[must_use]
    pub fn first_ready(&self) -> bool {
        self.buffer.front().is_some_and(|first| {
            first.results | first.holders == 0 && !(first.after && self.issued)
        })
    }

    /// Whether the second one may go with it.
    #[must_use]
    pub fn second_ready(&self) -> bool {
        self.buffer
            .get(1)
            .is_some_and(|second| second.results | second.holders == 0 && !second.after)
    }

    /// Whether the fetch stops.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.stopping != 0
    }

    /// Whether the fetch goes on stopping once these entries, a bit each, have finished or were checked.
    #[must_use]
    pub fn stopping(&self, gone: u16) -> bool {
        self.stopping & !gone != 0
    }

    /// Entries that are taken, a bit each.
    #[must_use]
    pub fn used(&self) -> u16 {
        self.used
    }

    /// Entries of instructions for which the fetch stops, a bit each.
    #[must_use]
    pub fn stops(&self) -> u16 {
        self.stopping
    }

    /// Whether some instruction is buffered or in flight.
    #[must_use]
    pub fn busy(&self) -> bool {
        self.used != 0
    }

    /// Entries that finish, a bit each.
    pub fn finish(&mut self, entries: u16) {
        self.used &= !entries;
        self.stopping &= !entries;
        for buffered in &mut self.buffer {
            buffered.results &= !entries;
            buffered.holders &= !entries;
        }
    }

    /// The last check of an instruction has succeeded.
    pub fn check(&mut self, entry: u8) {
        self.stopping &= !(1 << entry);
        if let Some(entry) = &mut self.entries[usize::from(entry)] {
            entry.held = None;
            entry.stops = false;
        }
        for buffered in &mut self.buffer {
            buffered.holders &= !(1 << entry);
        }
    }

    /// A cycle begins to end: what is issued in it is told next.
    pub fn rest(&mut self) {
        self.issued = false;
    }

    /// The oldest buffered instruction is issued.
    pub fn issue(&mut self) {
        self.buffer.pop_front();
        self.issued = true;
    }

    /// The buffered instructions are forgotten.
    pub fn flush(&mut self) {
        while let Some(buffered) = self.buffer.pop_front() {
            self.used &= !(1 << buffered.entry);
            self.stopping &= !(1 << buffered.entry);
        }
    }

    /// Whether an instruction will be ready in the next cycle, if the first buffered one is issued exactly when it is
    /// `chosen`. Entries that finish and that are checked now are told, a bit each, and what was fetched.
    #[must_use]
    pub fn likely(
        &self,
        chosen: bool,
        finished: u16,
        checked: u16,
        fetched: Option<&Registers>,
    ) -> bool {
        let leaves = chosen && !self.buffer.is_empty();
        let ready = |buffered: &Buffered| {
            buffered.results & !finished == 0
                && buffered.holders & !(finished | checked) == 0
                && !(leaves && buffered.after)
        };
        match self.buffer.get(usize::from(leaves)) {
            Some(next) => ready(next),
            None => fetched.is_some_and(|fetched| ready(&self.compared(0, fetched))),
        }
    }

    /// An instruction that was fetched, with what it waits for.
    fn compared(&self, entry: u8, fetched: &Registers) -> Buffered {
        let &Registers {
            destination,
            sources,
        } = fetched;
        let (mut results, mut holders) = (0, 0);
        for (number, entry) in self.entries.iter().enumerate() {
            let Some(entry) = entry.filter(|_| self.used >> number & 1 == 1) else {
                continue;
            };
            let written = entry.destination;
            if reads(&sources, written) || (written != ZERO_REGISTER && written == destination) {
                results |= 1 << number;
            }
            if entry.held.is_some_and(|held| reads(&held, destination)) {
                holders |= 1 << number;
            }
        }
        Buffered {
            entry,
            results,
            holders,
            after: reads(&self.last_sources, destination),
        }
    }

    /// An instruction arrives in an entry that was free.
    pub fn arrive(&mut self, place: u8, arrival: &Arrival) {
        if let Some(fetched) = &arrival.fetched {
            let buffered = self.compared(place, fetched);
            self.buffer.push_back(buffered);
            self.last_sources = fetched.sources;
        }
        self.used |= 1 << place;
        self.stopping |= u16::from(arrival.stops) << place;
        self.entries[usize::from(place)] = Some(Entry {
            destination: arrival.kept.destination,
            stops: arrival.stops,
            held: (arrival.holds && self.parameters.holds).then_some(arrival.kept.sources),
        });
    }
}

impl Model for Scoreboard {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            entries: [None; 16],
            used: 0,
            stopping: 0,
            buffer: VecDeque::with_capacity(BUFFERED),
            last_sources: [0; 3],
            issued: false,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let finished = (0..FINISHES)
            .filter(|&unit| inputs.finished_valid[unit] == 1)
            .fold(0, |set, unit| set | 1 << inputs.finished_entry[unit]);
        let checked = u16::from(inputs.checked_valid) << inputs.checked_entry;
        let arrival = inputs.arrival();
        let comes = inputs.arrive_valid && self.room();
        let arrives = comes && !inputs.flush;
        let buffered = arrival.fetched.filter(|_| comes);
        let outputs = Outputs {
            room: self.room(),
            arrive_entry: self.arrive_entry(),
            first_valid: self.buffered() > 0,
            first_ready: self.first_ready(),
            first_entry: self.entry(0),
            second_valid: self.buffered() > 1,
            second_ready: self.second_ready(),
            second_entry: self.entry(1),
            stopped: self.stopped(),
            stopping: self.stopping(finished | checked),
            busy: self.busy(),
            likely: self.likely(inputs.chosen, finished, checked, buffered.as_ref()),
        };
        if inputs.reset {
            *self = Self::new(self.parameters);
            return outputs;
        }
        self.finish(finished);
        if inputs.checked_valid {
            self.check(inputs.checked_entry);
        }
        self.rest();
        // What is flushed cannot be issued any more.
        if inputs.flush {
            self.flush();
        }
        if inputs.issue_first {
            self.issue();
            if inputs.issue_second {
                self.issue();
            }
        }
        if arrives {
            self.arrive(outputs.arrive_entry, &arrival);
        }
        outputs
    }
}
