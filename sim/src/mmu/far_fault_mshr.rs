//! The reference model of the far-fault MSHRs: their page (`docs/blocks/far_fault_mshr.md`) as plain data.

use crate::ports::Model;

mod interface;

pub use interface::{Inputs, Outputs, Page, Parameters};

/// The causes of faults that only a write meets: the page may not be written, or its dirty bit is clear.
const OF_WRITES: [u8; 2] = [4, 6];
/// The bit of an access that says that it is a write.
const WRITE: u8 = 1;

/// A far fault that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its page.
    pub page: Page,
    /// The SMs that wait, a bit each.
    pub waiters: u16,
    /// How many were held when it was queued.
    pub place: u16,
    /// A command for all has not come to it yet.
    pub marked: bool,
    /// How its page was accessed, as it was reported.
    pub access: u8,
    /// A write was refused where a read would have found the page.
    pub only_write: bool,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A walk found the page absent.
    Fault,
    /// A walk of this block has found it.
    Present,
    /// A walk of this block has not found it.
    Missing,
    /// The driver says that it has brought it.
    Resolve,
    /// The driver gives it up.
    Cancel,
    /// Either of the two for all.
    All {
        /// It cancels.
        cancel: bool,
    },
    /// A step of that.
    Step,
}

/// What is under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Doing {
    /// Nothing.
    #[default]
    Nothing,
    /// An operation, which acts after so many more cycles.
    Operation(Work, usize),
    /// An answer is on offer.
    Answering {
        /// The SMs whose fault is held.
        far: u16,
        /// The others.
        nack: u16,
        /// The place in the queue.
        place: u16,
    },
    /// A wake-up is on offer.
    Waking {
        /// The entry, with those that are woken.
        reported: Held,
        /// It was cancelled.
        denied: bool,
    },
}

/// The reference model.
#[derive(Clone, Debug)]
pub struct FarFaultMshr {
    parameters: Parameters,
    entries: Vec<Option<Held>>,
    doing: Doing,
    /// The inputs that the operation came with.
    came: Inputs,
    after_fault: bool,
    sweep_cancels: bool,
    sweep_of: u16,
    walking: bool,
    walk: Page,
    walk_write: bool,
    reporting: bool,
    /// What the report shows, as outputs.
    report: Outputs,
    /// A report of an entry that is held was not made in the cycle before.
    lost: bool,
    /// Entries that are taken, and those of them that are marked: counted when they change, for it is used in each cycle.
    counted: (u16, u16),
}

impl FarFaultMshr {
    /// The far faults that are held, with their entries.
    pub fn held(&self) -> impl Iterator<Item = (usize, &Held)> {
        let entries = self.entries.iter().enumerate();
        entries.filter_map(|(index, entry)| Some((index, entry.as_ref()?)))
    }

    /// What is under way.
    #[must_use]
    pub const fn doing(&self) -> &Doing {
        &self.doing
    }

    /// Nothing happens here until something comes.
    pub(crate) fn rests(&self) -> bool {
        self.doing == Doing::Nothing && !self.walking && !self.reporting && !self.sweeping()
    }

    /// The inputs that the operation under way came with.
    #[must_use]
    pub const fn came(&self) -> &Inputs {
        &self.came
    }

    /// The SMs that a sweep denies, if it does.
    #[must_use]
    pub fn sweep_denies(&self) -> Option<u16> {
        self.sweep_cancels.then_some(self.sweep_of)
    }

    /// The far faults of an SM.
    #[must_use]
    pub fn faults_of(&self, sm: usize) -> usize {
        self.held()
            .filter(|(_, held)| held.waiters >> sm & 1 == 1)
            .count()
    }

    /// Whether two pages are the same.
    #[must_use]
    pub fn same(&self, one: Page, other: Page, region: bool) -> bool {
        let key = |page| self.key(page, region);
        one.asid == other.asid && key(one) == key(other)
    }

    /// The entry of a page.
    #[must_use]
    pub fn entry_of(&self, page: Page, region: bool) -> Option<usize> {
        self.held()
            .find(|(_, held)| self.same(held.page, page, region))
            .map(|(index, _)| index)
    }

    fn key(&self, page: Page, region: bool) -> u64 {
        let inside = if region {
            self.parameters.region_bits
        } else {
            0
        };
        page.vpn >> inside << inside
    }

    fn tag(&self, page: Page, region: bool) -> u64 {
        (self.key(page, region) ^ u64::from(page.asid)) % (1 << self.parameters.asid_bits)
    }

    /// The page of an operation that searches.
    const fn vpn_of(work: Work, came: &Inputs) -> Page {
        match work {
            Work::Fault => came.faulted(),
            Work::Present | Work::Missing => came.walked(),
            _ => came.commanded(),
        }
    }

    /// The cycles until an operation acts.
    fn cycles(&self, work: Work, came: &Inputs) -> usize {
        match work {
            Work::All { .. } => 1,
            Work::Step => 4,
            _ => {
                let (page, region) = (Self::vpn_of(work, came), came.region);
                let entry = self.entry_of(page, region);
                let reads = self
                    .held()
                    .filter(|(index, _)| entry.is_none_or(|entry| *index <= entry))
                    .filter(|(_, held)| self.tag(held.page, region) == self.tag(page, region))
                    .count();
                2 + 2 * reads + usize::from(entry.is_none())
            }
        }
    }

    const fn sweeping(&self) -> bool {
        self.counted.1 > 0
    }

    /// The operation that is accepted, and the readies.
    fn next(&self, inputs: &Inputs) -> (Option<Work>, [bool; 3]) {
        if self.doing != Doing::Nothing {
            return (None, [false; 3]);
        }
        let sweeping = self.sweeping();
        let waits = inputs.present_missing && self.reporting;
        let present = inputs.present_valid && !waits;
        let command = !self.walking && !sweeping;
        let step = !self.walking && sweeping;
        let others = present || (command && inputs.command_valid) || step;
        let fault = !(self.reporting || self.after_fault && others);
        let other = self.after_fault || self.reporting || !inputs.fault_valid;
        let readies = [fault, other && !waits, other && !present && command];
        let work = if inputs.fault_valid && fault {
            Some(Work::Fault)
        } else if present {
            Some(if inputs.present_missing {
                Work::Missing
            } else {
                Work::Present
            })
        } else if step {
            Some(Work::Step)
        } else if inputs.command_valid && command {
            Some(match (inputs.command_all, inputs.command_cancel) {
                (true, cancel) => Work::All { cancel },
                (false, true) => Work::Cancel,
                (false, false) => Work::Resolve,
            })
        } else {
            None
        };
        (work, readies)
    }

    /// What it offers, whatever comes in this cycle.
    pub(crate) fn shown(&self) -> Outputs {
        let mut outputs = Outputs {
            report_valid: self.reporting,
            walk_valid: self.walking,
            walk_vpn: self.walk.vpn,
            walk_asid: self.walk.asid,
            walk_write: self.walk_write,
            held: self.counted.0,
            sweeping: self.sweeping(),
            lost: self.lost,
            ..self.report.clone()
        };
        match &self.doing {
            Doing::Answering { far, nack, place } => {
                outputs.answer_valid = true;
                outputs.answer_vpn = self.came.fault_vpn;
                outputs.answer_asid = self.came.fault_asid;
                outputs.answer_far = *far;
                outputs.answer_nack = *nack;
                outputs.answer_place = *place;
            }
            Doing::Waking { reported, denied } => {
                outputs.wake_valid = true;
                outputs.wake_vpn = reported.page.vpn;
                outputs.wake_asid = reported.page.asid;
                outputs.wake_to = reported.waiters;
                outputs.wake_denied = *denied;
            }
            _ => {}
        }
        outputs
    }

    /// A fault merges, takes an entry, or receives a Nack.
    fn fault(&mut self, limit: usize) -> Doing {
        let (page, requesters) = (self.came.faulted(), self.came.fault_requesters);
        let entry = self.entry_of(page, self.came.region);
        let free = self.entries.iter().position(Option::is_none);
        let place = self.held().count() as u16;
        let mut held = entry.and_then(|entry| self.entries[entry]).unwrap_or(Held {
            page,
            waiters: 0,
            place,
            marked: false,
            access: self.came.fault_access,
            only_write: false,
        });
        let mut far = 0;
        for sm in (0..self.parameters.sms).filter(|sm| requesters >> sm & 1 == 1) {
            let waits = held.waiters >> sm & 1 == 1;
            let room = entry.or(free).is_some() && self.faults_of(sm) < limit;
            far |= u16::from(waits || room) << sm;
        }
        held.waiters |= far;
        if let Some(index) = entry.or(free).filter(|_| far != 0) {
            let upgraded = self.came.fault_access & !held.access & WRITE != 0;
            if entry.is_none() || upgraded {
                held.access |= self.came.fault_access;
                held.only_write |= OF_WRITES.contains(&self.came.fault_cause);
                let [cause, level] = [self.came.fault_cause, self.came.fault_level];
                self.report_of(index, held, page, far, [cause, level], limit);
            }
            self.entries[index] = Some(held);
        }
        Doing::Answering {
            far,
            nack: requesters & !far,
            place: held.place,
        }
    }

    /// An entry is reported to these SMs, if there is room for its report.
    fn report_of(
        &mut self,
        index: usize,
        held: Held,
        page: Page,
        requesters: u16,
        [cause, level]: [u8; 2],
        limit: usize,
    ) {
        if limit == 0 {
            return;
        }
        self.reporting = true;
        self.report = Outputs {
            report_vpn: page.vpn,
            report_asid: page.asid,
            report_requesters: requesters,
            report_access: held.access,
            report_cause: cause,
            report_level: level,
            report_index: index as u16,
            report_place: held.place,
            ..Outputs::default()
        };
    }

    /// A report of an entry that is held would be made in this cycle, and is not.
    fn loses(&self, limit: u8) -> bool {
        let Doing::Operation(work, 1) = self.doing else {
            return false;
        };
        let page = Self::vpn_of(work, &self.came);
        let entry = self.entry_of(page, self.came.region);
        let held = entry.and_then(|entry| self.entries[entry]);
        let of = |held: Held| match work {
            Work::Missing => true,
            Work::Fault => {
                self.came.fault_access & !held.access & WRITE != 0
                    && self.came.fault_requesters & held.waiters != 0
            }
            _ => false,
        };
        limit == 0 && held.is_some_and(of)
    }

    /// An operation acts; gives what is done next.
    fn act(&mut self, work: Work, limit: usize) -> Doing {
        let entry = match work {
            Work::Fault => return self.fault(limit),
            Work::All { cancel } => {
                self.entries
                    .iter_mut()
                    .flatten()
                    .for_each(|held| held.marked = true);
                self.sweep_cancels = cancel;
                self.sweep_of = self.came.command_requesters;
                return Doing::Nothing;
            }
            Work::Step => self.entries.iter().position(|entry| {
                let marked = entry.map(|held| held.marked);
                marked == Some(true)
            }),
            _ => self.entry_of(Self::vpn_of(work, &self.came), self.came.region),
        };
        let Some(index) = entry else {
            return Doing::Nothing;
        };
        let Some(held) = &mut self.entries[index] else {
            return Doing::Nothing;
        };
        held.marked &= work != Work::Step;
        if work == Work::Missing {
            let (held, page) = (*held, self.came.walked());
            let why = [self.came.present_cause, self.came.present_level];
            self.report_of(index, held, page, held.waiters, why, limit);
            return Doing::Nothing;
        }
        if work == Work::Resolve || (work == Work::Step && !self.sweep_cancels) {
            self.walking = true;
            (self.walk, self.walk_write) = (held.page, held.only_write);
            return Doing::Nothing;
        }
        let of = match work {
            Work::Cancel => self.came.command_requesters,
            Work::Step => self.sweep_of,
            _ => u16::MAX,
        };
        let reported = Held {
            waiters: held.waiters & of,
            ..*held
        };
        held.waiters &= !of;
        if held.waiters == 0 {
            self.entries[index] = None;
        }
        match reported.waiters {
            0 => Doing::Nothing,
            _ => Doing::Waking {
                reported,
                denied: work != Work::Present,
            },
        }
    }
}

impl Model for FarFaultMshr {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            entries: vec![None; parameters.entries],
            doing: Doing::Nothing,
            came: Inputs::default(),
            after_fault: false,
            sweep_cancels: false,
            sweep_of: 0,
            walking: false,
            walk: Page::default(),
            walk_write: false,
            reporting: false,
            report: Outputs::default(),
            lost: false,
            counted: (0, 0),
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.cycle_after(inputs, self.shown())
    }
}

impl FarFaultMshr {
    /// A cycle, in which it shows what it offers.
    pub(crate) fn cycle_after(&mut self, inputs: &Inputs, shown: Outputs) -> Outputs {
        let (work, [fault_ready, present_ready, command_ready]) = self.next(inputs);
        let outputs = Outputs {
            fault_ready,
            present_ready,
            command_ready,
            ..shown
        };
        if inputs.reset {
            *self = Self::new(self.parameters);
            return outputs;
        }
        self.lost = self.loses(inputs.limit);
        self.walking &= !inputs.walk_ready;
        self.reporting &= !inputs.report_ready;
        match self.doing {
            Doing::Nothing => {
                if let Some(work) = work {
                    self.came = inputs.clone();
                    self.after_fault = work == Work::Fault;
                    self.doing = Doing::Operation(work, self.cycles(work, inputs));
                }
            }
            Doing::Operation(work, 1) => {
                self.doing = self.act(work, inputs.limit.into());
                let marked = self.held().filter(|(_, held)| held.marked).count();
                self.counted = (self.held().count() as u16, marked as u16);
            }
            Doing::Operation(work, left) => self.doing = Doing::Operation(work, left - 1),
            Doing::Answering { .. } if inputs.answer_ready => self.doing = Doing::Nothing,
            Doing::Waking { .. } if inputs.wake_ready => self.doing = Doing::Nothing,
            _ => {}
        }
        outputs
    }
}
