//! The reference model of the fault buffer: its page (`docs/blocks/fault_buffer.md`) as plain data.

use std::collections::VecDeque;

use crate::ports::Model;

mod interface;
mod record;

pub use interface::{
    Command, GET_CLEARS, Inputs, Kind, Outputs, Parameters, control, register, status,
};
pub use record::{Context, ENGINE, Record, VALID};

/// What is done about the fault under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Doing {
    /// There is none.
    #[default]
    Nothing,
    /// It is compared.
    Searching {
        /// The number of records that it was compared with.
        compared: usize,
        /// The next one is being read.
        reading: bool,
        /// A write to GET was taken.
        moved: bool,
    },
    /// The words that are left are offered.
    Writing(VecDeque<usize>),
}

/// The query to an SM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Query {
    /// Nothing.
    #[default]
    Nothing,
    /// The query is valid.
    Offered,
    /// It is to be answered.
    Taken,
}

/// What is done about the last command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Commanding {
    /// It is done.
    #[default]
    Nothing,
    /// It is on offer.
    Offered,
    /// It was taken so many cycles ago.
    Taken(u32),
    /// Its walks are to be answered.
    Walking,
}

/// What a write to a register does.
enum Effect {
    Nothing,
    Base(u64),
    Size(u64),
    /// GET passes so many records, and OVERFLOW is to be cleared.
    Take(usize, bool),
    Control(u64),
    Clear {
        overflow: bool,
        refused: bool,
    },
    Command(Command),
    Refuse,
}

/// The reference model.
#[derive(Clone, Debug)]
pub struct FaultBuffer {
    parameters: Parameters,
    base: u64,
    size: u64,
    get: u64,
    control: u64,
    overflow: bool,
    /// A write to GET in the cycle before clears OVERFLOW.
    clears: bool,
    /// In the cycle before there was a ring with fewer than two places.
    was_short: bool,
    refused: bool,
    /// The records that memory has taken, and before those that are not read the last of those that were.
    records: VecDeque<Record>,
    /// Those that it has not acknowledged, and before them those that are unread.
    in_flight: usize,
    unread: usize,
    written: u64,
    filtered: u64,
    turned_away: u64,
    dropped: u64,
    time: u64,
    doing: Doing,
    /// The fault under way.
    fault: Record,
    query: Query,
    /// Words that memory has taken and not acknowledged, and those that it has acknowledged of the oldest record.
    outstanding: u32,
    settled: u32,
    commanding: Commanding,
    command: Command,
}

impl FaultBuffer {
    /// What is under way.
    #[must_use]
    pub const fn doing(&self) -> &Doing {
        &self.doing
    }

    /// The query to an SM.
    #[must_use]
    pub const fn query(&self) -> Query {
        self.query
    }

    /// What is done about the last command.
    #[must_use]
    pub const fn commanding(&self) -> Commanding {
        self.commanding
    }

    /// The last command.
    #[must_use]
    pub const fn command(&self) -> Command {
        self.command
    }

    /// The records that are unread, the oldest first.
    pub fn unread(&self) -> impl Iterator<Item = &Record> {
        let before = self.records.len() - self.left();
        self.records.iter().skip(before).take(self.unread)
    }

    /// Records that memory has taken and that are not read.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.unread + self.in_flight
    }

    /// Records that memory has taken and not acknowledged.
    #[must_use]
    pub const fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// The last records, the newest first, whether they were read or not.
    pub fn last(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().rev()
    }

    /// Records have 32 B.
    #[must_use]
    pub const fn is_short(&self) -> bool {
        self.control & control::SHORT != 0
    }

    /// The fault under way, or the last one.
    #[must_use]
    pub const fn fault(&self) -> &Record {
        &self.fault
    }

    /// Words that memory has to acknowledge.
    #[must_use]
    pub const fn outstanding(&self) -> u32 {
        self.outstanding
    }

    /// SIZE.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// GET.
    #[must_use]
    pub const fn get(&self) -> u64 {
        self.get
    }

    /// PUT.
    #[must_use]
    pub const fn put(&self) -> u64 {
        self.after(self.unread as u64)
    }

    /// OVERFLOW is set.
    #[must_use]
    pub const fn overflow(&self) -> bool {
        self.overflow
    }

    /// It is enabled.
    #[must_use]
    pub const fn enabled(&self) -> bool {
        self.control & control::ENABLED != 0
    }

    /// A write to a page that may only be read is a replayable fault.
    #[must_use]
    pub const fn replays_writes(&self) -> bool {
        self.control & control::REPLAY_WRITES != 0
    }

    /// Faults that are not replayable are counted, and not recorded.
    #[must_use]
    pub const fn leaves_out(&self) -> bool {
        self.control & control::LEAVE_OUT != 0
    }

    /// In the cycle before there was a ring with fewer than two places.
    #[must_use]
    pub const fn was_short(&self) -> bool {
        self.was_short
    }

    /// A write to GET in the cycle before clears OVERFLOW.
    #[must_use]
    pub const fn clears(&self) -> bool {
        self.clears
    }

    /// The record so many after GET.
    const fn after(&self, records: u64) -> u64 {
        match self.size {
            0 => 0,
            size => (self.get + records) % size,
        }
    }

    /// A record is under way.
    #[must_use]
    pub const fn recording(&self) -> bool {
        !matches!(self.doing, Doing::Nothing | Doing::Searching { .. })
    }

    /// Places that are free.
    #[must_use]
    pub fn places(&self) -> u64 {
        match self.size {
            0 => 0,
            size => size - 1 - self.left() as u64 - u64::from(self.recording()),
        }
    }

    /// One more replayable fault may be let in.
    #[must_use]
    pub fn room(&self) -> bool {
        self.enabled() && !self.overflow && self.places() >= 2
    }

    /// Nothing happens here until something comes.
    pub(crate) fn rests(&self) -> bool {
        self.doing == Doing::Nothing
            && self.outstanding == 0
            && self.query == Query::Nothing
            && self.commanding == Commanding::Nothing
            && !self.clears
    }

    /// A number of cycles pass in which nothing happens.
    pub(crate) const fn rest(&mut self, cycles: u64) {
        self.time += cycles;
    }

    fn at_rest(&self, inputs: &Inputs) -> bool {
        let comes = inputs.fault_valid && inputs.fault_replayable;
        !self.enabled() && !self.under_way() && !comes && self.unread == 0
    }

    fn is_set(&self, bit: u64) -> bool {
        self.control & bit != 0
    }

    /// A fault, or a word on its way to memory.
    fn under_way(&self) -> bool {
        self.doing != Doing::Nothing || self.outstanding > 0
    }

    const fn count(&self, number: u64) -> u64 {
        number & (u64::MAX >> (64 - self.parameters.count_bits))
    }

    fn read(&self, number: u8) -> u64 {
        let bit = |flag: bool, bit: u64| if flag { bit } else { 0 };
        match number {
            register::BASE => self.base,
            register::SIZE => self.size,
            register::GET => self.get,
            register::PUT => self.put(),
            register::CONTROL => self.control,
            register::STATUS => {
                bit(self.overflow, status::OVERFLOW)
                    | bit(self.commanding != Commanding::Nothing, status::BUSY)
                    | bit(self.refused, status::REFUSED)
                    | bit(self.unread > 0, status::UNREAD)
                    | bit(self.room(), status::ROOM)
                    | bit(self.under_way(), status::UNDER_WAY)
            }
            register::COMMAND => self.command.word(),
            register::RECORDS => self.count(self.written),
            register::FILTERED => self.count(self.filtered),
            register::TURNED_AWAY => self.count(self.turned_away),
            register::DROPPED => self.count(self.dropped),
            register::TIME => self.time & (u64::MAX >> (64 - self.parameters.time_bits)),
            _ => 0,
        }
    }

    /// Whether a fault would be accepted.
    fn ready(&self, replayable: bool) -> bool {
        self.doing == Doing::Nothing && (!replayable || self.places() > 0)
    }

    /// The word on offer.
    fn word(&self) -> Option<usize> {
        let most = (1 << self.parameters.in_flight_bits) - 1;
        match &self.doing {
            Doing::Writing(words) if self.outstanding < most => {
                let word = words.front().copied();
                word.filter(|word| *word < 6 || self.query == Query::Nothing)
            }
            _ => None,
        }
    }

    /// What it shows.
    pub(crate) fn outputs(&self, inputs: &Inputs) -> Outputs {
        let mut outputs = Outputs {
            fault_ready: self.ready(inputs.fault_replayable),
            read_data: self.read(inputs.read_number),
            interrupts: (self.is_set(control::INTERRUPT_RECORDS) && self.unread > 0)
                || (self.is_set(control::INTERRUPT_OVERFLOW) && self.overflow),
            room: self.room(),
            replay_writes: self.is_set(control::REPLAY_WRITES),
            command_valid: self.commanding == Commanding::Offered,
            command_cancel: self.command.kind.cancels(),
            command_all: self.command.kind.is_for_all(),
            command_vpn: self.command.vpn,
            command_asid: self.command.asid,
            command_requesters: match self.command.kind {
                Kind::CancelTargeted => 1 << self.command.sm,
                _ => u16::MAX >> (16 - self.parameters.sms),
            },
            ..Outputs::default()
        };
        if self.query == Query::Offered {
            outputs.detail_valid = true;
            outputs.detail_sm = self.fault.client();
            outputs.detail_vpn = self.fault.vpn;
            outputs.detail_asid = self.fault.asid;
        }
        if let Some(word) = self.word() {
            let words = if self.is_short() { 4 } else { 8 };
            outputs.write_valid = true;
            let record = self.after(self.left() as u64);
            outputs.write_address = self.base * 512 + record * words + word as u64;
            outputs.write_address %= 1 << self.parameters.word_bits();
            outputs.write_data = self.fault.words(self.parameters.vpn_bits)[word];
        }
        outputs
    }

    /// The fault takes a place.
    fn begin(&mut self) -> Doing {
        let short = self.is_short();
        if self.is_set(control::QUERY) && !short {
            self.query = Query::Offered;
        }
        self.fault.sequence = self.count(self.written);
        let words: &[usize] = if short {
            &[0, 1, 2, 3]
        } else {
            &[0, 1, 2, 4, 5, 6, 7, 3]
        };
        Doing::Writing(words.iter().copied().collect())
    }

    fn accept(&mut self, inputs: &Inputs) -> Doing {
        self.fault = Record {
            vpn: inputs.fault_vpn,
            asid: inputs.fault_asid,
            time: self.read(register::TIME),
            cause: inputs.fault_cause,
            access: inputs.fault_access,
            level: inputs.fault_level,
            replayable: inputs.fault_replayable,
            requesters: inputs.fault_requesters,
            index: inputs.fault_index,
            place: inputs.fault_place,
            sequence: 0,
            context: None,
        };
        if inputs.fault_replayable {
            return self.begin();
        }
        if self.is_set(control::LEAVE_OUT) {
            self.filtered += 1;
            return Doing::Nothing;
        }
        Doing::Searching {
            compared: 0,
            reading: false,
            moved: false,
        }
    }

    /// A step of the search.
    fn search(&mut self, compared: usize, reading: bool, moved: bool, moves: bool) -> Doing {
        let key = |record: &Record| {
            let Record {
                vpn,
                asid,
                access,
                cause,
                ..
            } = *record;
            (record.replayable, vpn, asid, access, cause)
        };
        if reading {
            let next = &self.records[self.records.len() - 1 - compared];
            if key(next) == key(&self.fault) && !moved {
                self.filtered += 1;
                return Doing::Nothing;
            }
            return Doing::Searching {
                compared: compared + 1,
                reading: false,
                moved: moved || moves,
            };
        }
        if compared < self.parameters.filtered && compared < self.left() && !moved {
            return Doing::Searching {
                compared,
                reading: true,
                moved: moves,
            };
        }
        if self.room() {
            return self.begin();
        }
        self.dropped += 1;
        Doing::Nothing
    }

    /// What the fault under way comes to. `moves` says that a write to GET is taken.
    fn proceed(&mut self, inputs: &Inputs, taken: bool, moves: bool) {
        let answered = self.query == Query::Taken && inputs.context_valid;
        let acknowledged = self.outstanding > 0 && inputs.written;
        self.outstanding += u32::from(taken);
        self.outstanding -= u32::from(acknowledged);
        self.settled += u32::from(acknowledged);
        if self.settled == if self.is_short() { 4 } else { 8 } {
            self.settled = 0;
            self.in_flight -= 1;
            self.unread += 1;
        }
        self.query = match self.query {
            Query::Offered if inputs.detail_ready => Query::Taken,
            Query::Taken if answered => Query::Nothing,
            query => query,
        };
        if answered {
            self.fault.context = inputs.context_known.then_some(Context {
                warp: inputs.context_warp,
                slot: inputs.context_slot,
                pc: inputs.context_pc,
                lanes: inputs.context_lanes,
                scheme: inputs.context_scheme,
                pointer: inputs.context_pointer,
            });
        }
        self.doing = match std::mem::take(&mut self.doing) {
            Doing::Nothing => {
                if inputs.fault_valid && self.ready(inputs.fault_replayable) {
                    self.accept(inputs)
                } else {
                    Doing::Nothing
                }
            }
            Doing::Searching {
                compared,
                reading,
                moved,
            } => self.search(compared, reading, moved, moves),
            Doing::Writing(mut words) => {
                if taken {
                    words.pop_front();
                }
                if !words.is_empty() {
                    Doing::Writing(words)
                } else {
                    self.records.push_back(self.fault);
                    self.in_flight += 1;
                    self.written += 1;
                    if self.records.len() > self.left().max(self.parameters.filtered) {
                        self.records.pop_front();
                    }
                    Doing::Nothing
                }
            }
        };
    }

    /// What the last command comes to.
    fn follow(&mut self, inputs: &Inputs) {
        let kind = self.command.kind;
        self.commanding = match self.commanding {
            Commanding::Offered if inputs.command_ready => match kind.is_for_all() {
                true => Commanding::Taken(1),
                false => Commanding::Nothing,
            },
            Commanding::Taken(cycles) if cycles < 3 => Commanding::Taken(cycles + 1),
            Commanding::Taken(_) if !inputs.sweeping => match kind {
                Kind::StartAckAll => Commanding::Walking,
                _ => Commanding::Nothing,
            },
            Commanding::Walking if !inputs.walks_pending => Commanding::Nothing,
            commanding => commanding,
        };
    }

    /// What a write to a register does, by what is so in its cycle.
    fn effect(&self, inputs: &Inputs) -> Effect {
        let (number, data) = (inputs.register_number, inputs.register_data);
        let at_rest = self.at_rest(inputs);
        let low = |bits: usize| data & (u64::MAX >> (64 - bits));
        match number {
            register::BASE if at_rest => Effect::Base(low(self.parameters.pfn_bits)),
            register::SIZE if at_rest => match low(self.parameters.ring_bits) {
                0..3 => Effect::Nothing,
                size => Effect::Size(size),
            },
            register::GET => {
                let get = low(self.parameters.ring_bits);
                let taken = (0..=self.unread).find(|records| self.after(*records as u64) == get);
                let clears = data & GET_CLEARS != 0;
                taken.map_or(Effect::Nothing, |records| Effect::Take(records, clears))
            }
            register::CONTROL => {
                let short = if at_rest { data } else { self.control } & control::SHORT;
                Effect::Control((low(control::BITS) & !control::SHORT) | short)
            }
            register::CLEAR => Effect::Clear {
                overflow: data & 1 != 0 && self.places() >= 2,
                refused: data & 2 != 0,
            },
            register::COMMAND => {
                let kind = Kind::of(data & 7);
                match kind.filter(|_| self.commanding == Commanding::Nothing) {
                    Some(kind) => Effect::Command(Command {
                        kind,
                        sm: (data >> 4 & ((1 << self.parameters.sm_bits) - 1)) as u8,
                        vpn: data >> 12 & ((1 << self.parameters.vpn_bits) - 1),
                        asid: (data >> 48 & ((1 << self.parameters.asid_bits) - 1)) as u8,
                    }),
                    None => Effect::Refuse,
                }
            }
            _ => Effect::Nothing,
        }
    }

    fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::Nothing => {}
            Effect::Base(base) => self.base = base,
            Effect::Size(size) => (self.size, self.get, self.overflow) = (size, 0, false),
            Effect::Take(records, clears) => {
                self.clears = clears;
                self.get = self.after(records as u64);
                self.unread -= records;
            }
            Effect::Control(control) => self.control = control,
            Effect::Clear { overflow, refused } => {
                self.overflow &= !overflow;
                self.refused &= !refused;
            }
            Effect::Command(command) => {
                self.commanding = Commanding::Offered;
                self.command = command;
            }
            Effect::Refuse => self.refused = true,
        }
    }
}

impl Model for FaultBuffer {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            base: 0,
            size: 0,
            get: 0,
            control: 0,
            overflow: false,
            clears: false,
            was_short: false,
            refused: false,
            records: VecDeque::new(),
            in_flight: 0,
            unread: 0,
            written: 0,
            filtered: 0,
            turned_away: 0,
            dropped: 0,
            time: 0,
            doing: Doing::Nothing,
            fault: Record::default(),
            query: Query::Nothing,
            outstanding: 0,
            settled: 0,
            commanding: Commanding::Nothing,
            command: Command::default(),
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.cycle_after(inputs, self.outputs(inputs))
    }
}

impl FaultBuffer {
    /// A cycle, in which it shows these outputs.
    pub(crate) fn cycle_after(&mut self, inputs: &Inputs, outputs: Outputs) -> Outputs {
        if inputs.reset {
            *self = Self::new(self.parameters);
            return outputs;
        }
        // Everything looks at what is so in this cycle.
        let effect = match inputs.register_valid {
            true => self.effect(inputs),
            false => Effect::Nothing,
        };
        let dropped = self.dropped;
        self.follow(inputs);
        let taken = outputs.write_valid && inputs.write_ready;
        let (made, two) = (self.size > 0, self.places() >= 2);
        self.proceed(inputs, taken, matches!(effect, Effect::Take(..)));
        self.overflow |= inputs.turned_away && self.was_short;
        self.overflow &= !(std::mem::take(&mut self.clears) && two);
        self.apply(effect);
        self.was_short = made && !two;
        self.overflow |= self.was_short && (inputs.turned_away || self.dropped > dropped);
        self.turned_away += u64::from(inputs.turned_away);
        self.time += 1;
        outputs
    }
}
