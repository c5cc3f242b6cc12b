//! The reference model of the L2 TLB: its page (`docs/blocks/l2_tlb.md`) as plain data.

use crate::ports::Model;

mod interface;

pub use interface::{Each, Inputs, MOST_SMS, OF_ALL, OF_PAGE, OF_SPACE, Outputs, Page, Parameters};

/// A page that is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The page.
    pub page: Page,
    /// The level of the page that it is, or is a piece of.
    pub level: u8,
    /// Its frame.
    pub pfn: u32,
    /// It may be written.
    pub writable: bool,
    /// Its dirty bit is clear.
    pub clean: bool,
    /// When it was used last.
    used: u64,
}

impl Filled {
    /// Whether it is a piece of a page of 2 MB or 1 GB.
    #[must_use]
    pub const fn is_large(&self) -> bool {
        self.level > 1
    }

    /// Whether a request hits it: a write needs the right, and that the dirty bit is set.
    #[must_use]
    pub const fn serves(&self, write: bool) -> bool {
        !write || (self.writable && !self.clean)
    }
}

/// What is accepted one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A request of an SM.
    Lookup {
        /// The SM.
        sm: usize,
        /// The page that it requests.
        page: Page,
        /// The page is to be written.
        write: bool,
    },
    /// A page comes.
    Fill(Filled),
    /// The pages of a set that an invalidation covers are dropped.
    Step {
        /// The set.
        set: usize,
        /// The scope of the invalidation.
        scope: u8,
        /// The page or the space that it names.
        page: Page,
    },
}

/// The miss of an SM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Miss {
    offered: bool,
    page: Page,
    write: bool,
}

/// The reference model.
#[derive(Clone, Debug)]
pub struct L2Tlb {
    parameters: Parameters,
    cycle: u64,
    sets: Vec<Vec<Filled>>,
    /// The operation under way; it acts, or else it reads.
    under_way: Option<(Operation, bool)>,
    answer: Option<(usize, Filled)>,
    misses: Vec<Miss>,
    /// The port of the last lookup.
    last: usize,
    /// The last operation was a lookup.
    after_lookup: bool,
    /// Steps of the invalidation under way that were accepted.
    steps: Option<usize>,
    /// What is under way is that after a reset.
    clearing: bool,
    /// The next fill goes before the next invalidation.
    fill_first: bool,
}

/// What happens in a cycle.
struct Choice {
    lookup: Option<usize>,
    fill: bool,
    step: bool,
}

impl L2Tlb {
    /// The pages that are here.
    pub fn filled(&self) -> impl Iterator<Item = &Filled> {
        self.sets.iter().flatten()
    }

    /// A page that is here.
    #[must_use]
    pub fn here(&self, page: Page) -> Option<&Filled> {
        let set = &self.sets[self.parameters.set(page)];
        set.iter().find(|filled| filled.page == page)
    }

    /// The operation that acts in the cycle that comes.
    #[must_use]
    pub fn acting(&self) -> Option<Operation> {
        self.under_way
            .and_then(|(operation, acts)| acts.then_some(operation))
    }

    /// Misses on offer, as bits.
    #[must_use]
    pub fn missing(&self) -> u16 {
        let bits = self.misses.iter().enumerate();
        bits.map(|(sm, miss)| u16::from(miss.offered) << sm).sum()
    }

    /// Everything is being forgotten after a reset.
    #[must_use]
    pub const fn clearing(&self) -> bool {
        self.clearing
    }

    /// An invalidation is under way.
    #[must_use]
    pub const fn invalidating(&self) -> bool {
        self.steps.is_some()
    }

    /// The page that leaves if another one is put into its set; none if there is room or the page is there.
    #[must_use]
    pub fn replaced_by(&self, page: Page) -> Option<Page> {
        let set = &self.sets[self.parameters.set(page)];
        if self.here(page).is_some() || set.len() < self.parameters.ways {
            return None;
        }
        let oldest = set.iter().min_by_key(|filled| filled.used);
        oldest.map(|filled| filled.page)
    }

    /// Whether an invalidation covers a page.
    #[must_use]
    pub fn covers(&self, scope: u8, page: Page, filled: &Filled) -> bool {
        let inside = self.parameters.inside(filled.level);
        match scope {
            OF_PAGE => {
                filled.page.asid == page.asid && filled.page.vpn >> inside == page.vpn >> inside
            }
            OF_SPACE => filled.page.asid == page.asid,
            _ => true,
        }
    }

    /// Nothing happens here until something comes.
    pub(crate) fn rests(&self) -> bool {
        self.under_way.is_none()
            && self.answer.is_none()
            && self.steps.is_none()
            && self.missing() == 0
    }

    /// A hit is answered in the cycle that comes.
    pub(crate) const fn answers(&self) -> bool {
        self.answer.is_some()
    }

    /// What it offers, whatever comes in this cycle.
    pub(crate) fn shown(&self) -> Outputs {
        let mut outputs = Outputs {
            miss_valid: self.missing(),
            ..Outputs::default()
        };
        if let Some((sm, filled)) = self.answer {
            outputs.answer_valid = true;
            outputs.answer_to = 1 << sm;
            outputs.answer_vpn = filled.page.vpn;
            outputs.answer_asid = filled.page.asid;
            outputs.answer_pfn = filled.pfn;
            outputs.answer_writable = filled.writable;
            outputs.answer_clean = filled.clean;
            outputs.answer_large = filled.is_large();
        }
        for (sm, miss) in self.misses.iter().enumerate() {
            outputs.miss_vpn[sm] = miss.page.vpn;
            outputs.miss_asid[sm] = miss.page.asid.into();
            outputs.miss_write |= u16::from(miss.write) << sm;
        }
        outputs
    }

    fn fills_wait(&self, inputs: &Inputs) -> bool {
        self.steps.is_some() || (inputs.invalidate_valid && !self.fill_first)
    }

    /// The ports that request and are not passed over, as bits.
    fn requesting(&self, inputs: &Inputs) -> u16 {
        let looked_up = match self.acting() {
            Some(Operation::Lookup { sm, .. }) => 1 << sm,
            _ => 0,
        };
        match self.clearing {
            true => 0,
            false => inputs.request_valid & !self.missing() & !looked_up,
        }
    }

    /// Nothing reads, so an operation can be accepted.
    const fn is_open(&self) -> bool {
        !matches!(self.under_way, Some((_, false)))
    }

    /// An operation that is not a lookup would be accepted.
    fn others_may(&self, inputs: &Inputs) -> bool {
        self.is_open() && (self.after_lookup || self.requesting(inputs) == 0)
    }

    fn choose(&self, inputs: &Inputs) -> Choice {
        let requesting = u32::from(self.requesting(inputs));
        let above = requesting >> (self.last + 1) << (self.last + 1);
        let lowest = |bits: u32| (bits != 0).then(|| bits.trailing_zeros() as usize);
        let next = lowest(above).or_else(|| lowest(requesting));
        let fill = inputs.fill_valid && !self.fills_wait(inputs);
        let step = self
            .steps
            .is_some_and(|steps| steps < self.parameters.sets());
        let others = self.others_may(inputs);
        Choice {
            lookup: next.filter(|_| self.is_open() && !(self.after_lookup && (fill || step))),
            fill: fill && others,
            step: step && others,
        }
    }

    fn finishes(&self) -> bool {
        matches!(self.acting(), Some(Operation::Step { set, .. }) if set + 1 == self.parameters.sets())
    }

    fn act(&mut self, operation: Operation) {
        let parameters = self.parameters;
        match operation {
            Operation::Lookup { sm, page, write } => {
                let cycle = self.cycle;
                let set = &mut self.sets[parameters.set(page)];
                let found = set
                    .iter_mut()
                    .find(|filled| filled.page == page && filled.serves(write));
                if let Some(filled) = found {
                    filled.used = cycle;
                    self.answer = Some((sm, *filled));
                }
                self.misses[sm] = Miss {
                    offered: self.answer.is_none(),
                    page,
                    write,
                };
            }
            Operation::Fill(filled) => {
                let leaves = self.replaced_by(filled.page);
                let set = &mut self.sets[parameters.set(filled.page)];
                set.retain(|other| other.page != filled.page && Some(other.page) != leaves);
                set.push(Filled {
                    used: self.cycle,
                    ..filled
                });
            }
            Operation::Step { set, scope, page } => {
                let mut kept = std::mem::take(&mut self.sets[set]);
                kept.retain(|filled| !self.covers(scope, page, filled));
                self.sets[set] = kept;
            }
        }
    }

    /// The operation that a choice begins.
    fn accepted(&mut self, choice: &Choice, inputs: &Inputs) -> Option<Operation> {
        if let Some(sm) = choice.lookup {
            self.last = sm;
            self.after_lookup = true;
            return Some(Operation::Lookup {
                sm,
                page: inputs.requested(sm),
                write: (inputs.request_write >> sm) & 1 == 1,
            });
        }
        if choice.fill {
            self.after_lookup = false;
            self.fill_first = false;
            return Some(Operation::Fill(Filled {
                page: inputs.filled(),
                level: inputs.fill_level,
                pfn: inputs.fill_pfn,
                writable: inputs.fill_writable,
                clean: inputs.fill_clean,
                used: 0,
            }));
        }
        if choice.step {
            self.after_lookup = false;
            let set = self.steps.unwrap_or(0);
            self.steps = Some(set + 1);
            return Some(Operation::Step {
                set,
                scope: if self.clearing {
                    OF_ALL
                } else {
                    inputs.invalidate_scope
                },
                page: inputs.invalidated(),
            });
        }
        None
    }
}

impl Model for L2Tlb {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            cycle: 0,
            sets: vec![Vec::new(); parameters.sets()],
            under_way: None,
            answer: None,
            misses: vec![Miss::default(); parameters.sms],
            last: 0,
            after_lookup: false,
            steps: Some(0),
            clearing: true,
            fill_first: false,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.cycle_after(inputs, self.shown())
    }
}

impl L2Tlb {
    /// A cycle, in which it offers what is shown.
    pub(crate) fn cycle_after(&mut self, inputs: &Inputs, shown: Outputs) -> Outputs {
        let choice = self.choose(inputs);
        let outputs = Outputs {
            request_ready: choice.lookup.map_or(0, |sm| 1 << sm),
            fill_ready: self.others_may(inputs) && !self.fills_wait(inputs),
            invalidate_ready: self.finishes() && !self.clearing,
            ..shown
        };
        if inputs.reset {
            *self = Self::new(self.parameters);
            return outputs;
        }
        let finishes = self.finishes();
        let begins = inputs.invalidate_valid
            && self.steps.is_none()
            && !(self.fill_first && inputs.fill_valid);
        let acting = self.acting();
        for (sm, miss) in self.misses.iter_mut().enumerate() {
            miss.offered &= (inputs.miss_ready >> sm) & 1 == 0;
        }
        self.answer = None;
        if let Some(operation) = acting {
            self.act(operation);
        }
        self.under_way = match (self.accepted(&choice, inputs), self.under_way) {
            (Some(operation), _) => Some((operation, false)),
            (None, Some((operation, false))) => Some((operation, true)),
            (None, _) => None,
        };
        if begins {
            self.steps = Some(0);
        }
        if finishes {
            self.steps = None;
            self.clearing = false;
            self.fill_first = true;
        }
        self.cycle += 1;
        outputs
    }
}
