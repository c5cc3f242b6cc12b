//! The reference model of the L1 TLB: its page (`docs/blocks/l1_tlb.md`) as plain data.

use crate::ports::Model;

mod interface;

pub use interface::{
    CANCELLED, DENIED, FAR, Inputs, NACK, OF_ALL, OF_PAGE, OF_SPACE, Outputs, Page, Parameters,
    TRANSLATION,
};

/// A page that was filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The page.
    pub page: Page,
    pfn: u32,
    writable: bool,
    clean: bool,
    denied: bool,
    /// When it was used last; of two in one cycle, the filled one later.
    used: (u64, bool),
}

/// What is being done about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Its walk is requested.
    Requesting,
    /// Its walk is under way.
    Walking {
        /// It began before an invalidation.
        stale: bool,
    },
    /// The GMMU holds its far fault.
    Fetching,
    /// It received a Nack, and has not been requested again.
    Held,
}

/// A page that was missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The page.
    pub page: Page,
    /// What is being done.
    pub step: Step,
    /// It is known to be absent.
    pub absent: bool,
    /// It has a place at the GMMU, or has requested one after a Nack.
    pub claims: bool,
    /// When it was missed.
    since: u64,
    write: bool,
}

/// The reference model.
#[derive(Clone, Debug)]
pub struct L1Tlb {
    parameters: Parameters,
    cycle: u64,
    filled: Vec<Filled>,
    misses: Vec<Option<Miss>>,
    refused: bool,
    offered: Option<usize>,
    turn: usize,
    /// What came in the cycle before.
    came: Inputs,
    /// The wake-up that is shown.
    woken: Option<bool>,
    woken_page: Page,
    /// Nothing was requested, and nothing came in the cycle before the last one; so nothing changes before something comes.
    still: bool,
}

impl L1Tlb {
    /// The pages that are here.
    pub fn filled(&self) -> impl Iterator<Item = &Filled> {
        self.filled.iter()
    }

    /// The pages that were missed.
    pub fn misses(&self) -> impl Iterator<Item = &Miss> {
        self.misses.iter().flatten()
    }

    /// What came in the cycle before, and acts in this one.
    #[must_use]
    pub const fn came(&self) -> &Inputs {
        &self.came
    }

    /// A check waits without an entry.
    #[must_use]
    pub const fn refused(&self) -> bool {
        self.refused
    }

    /// The page whose walk is on offer.
    pub(crate) fn walk(&self) -> Option<Page> {
        let miss = self.offered.and_then(|entry| self.misses[entry]);
        miss.map(|miss| miss.page)
    }

    /// Nothing happens here until something comes.
    pub(crate) const fn is_quiet(&self) -> bool {
        self.still && !comes(&self.came)
    }

    /// A page that is missed is known to be absent.
    pub(crate) fn is_absent(&self, page: Page) -> bool {
        self.of_vpn(page).is_some_and(|miss| miss.absent)
    }

    /// A page that is missed waits for an absent page: for itself, or for one of those that take all entries.
    pub(crate) fn waits_for_absent(&self, page: Page) -> bool {
        let is_absent = |miss: &Miss| miss.absent;
        let mut entries = self.misses.iter();
        match self.of_vpn(page) {
            Some(miss) => miss.absent,
            None => entries.all(|entry| entry.as_ref().is_some_and(is_absent)),
        }
    }

    /// A page is here, or is missed.
    pub(crate) fn has(&self, page: Page) -> bool {
        self.here(page).is_some() || self.of_vpn(page).is_some()
    }

    fn of_vpn(&self, page: Page) -> Option<&Miss> {
        self.misses().find(|miss| miss.page == page)
    }

    fn here(&self, page: Page) -> Option<&Filled> {
        self.filled.iter().find(|filled| filled.page == page)
    }

    /// The check that acts is a write that finds a clean page.
    #[must_use]
    pub fn spoils(&self) -> bool {
        let is_clean = || {
            self.here(self.came.checked())
                .is_some_and(|found| found.clean)
        };
        self.came.check_valid && self.came.check_write && is_clean()
    }

    /// What the check that acts finds; a write finds no clean page.
    fn found(&self) -> Option<&Filled> {
        let write = self.came.check_write;
        self.here(self.came.checked())
            .filter(|found| !(write && found.clean))
    }

    fn outputs(&self, inputs: &Inputs) -> Outputs {
        let mut outputs = Outputs {
            check_ready: !inputs.invalidate_valid,
            answer_valid: self.came.check_valid,
            answer_tag: self.came.check_tag,
            wake_valid: self.woken.is_some(),
            wake_all: self.woken.unwrap_or(false),
            wake_vpn: self.woken_page.vpn,
            wake_asid: self.woken_page.asid,
            ..Outputs::default()
        };
        if self.came.check_valid {
            let page = self.came.checked();
            if let Some(found) = self.found() {
                outputs.answer_pfn = found.pfn;
                outputs.answer_denied = found.denied || (self.came.check_write && !found.writable);
                outputs.answer_hit = !outputs.answer_denied;
            }
            outputs.answer_fault =
                inputs.report_faults && self.of_vpn(page).is_some_and(|miss| miss.absent);
        }
        if let Some(miss) = self.offered.and_then(|entry| self.misses[entry]) {
            outputs.walk_valid = true;
            outputs.walk_vpn = miss.page.vpn;
            outputs.walk_asid = miss.page.asid;
            outputs.walk_write = miss.write;
        }
        outputs
    }

    /// The page that is requested again after a Nack: of those that are held the one that was missed longest ago, if fewer pages
    /// than the limit claim a place at the GMMU, or none does.
    #[must_use]
    pub fn released(&self, limit: u8) -> Option<Page> {
        let claims = self.misses().filter(|miss| miss.claims).count();
        if claims > 0 && claims >= limit.into() {
            return None;
        }
        let held = self.misses().filter(|miss| miss.step == Step::Held);
        held.min_by_key(|miss| miss.since).map(|miss| miss.page)
    }

    /// Puts the next walk on offer, if there is room for it.
    fn offer(&self, ready: bool) -> (Option<usize>, usize) {
        if self.offered.is_some() && !ready {
            return (self.offered, self.turn);
        }
        let requests = |entry: &usize| {
            let miss = self.misses[*entry];
            miss.is_some_and(|miss| miss.step == Step::Requesting) && self.offered != Some(*entry)
        };
        let above = (self.turn + 1..self.misses.len()).find(requests);
        let next = above.or_else(|| (0..self.misses.len()).find(requests));
        (next, next.unwrap_or(0))
    }

    /// The page that leaves if another one is put into its set; none if there is room.
    #[must_use]
    pub fn replaced_by(&self, page: Page) -> Option<Page> {
        let set = self.parameters.set(page);
        let of_set = self
            .filled
            .iter()
            .filter(|other| self.parameters.set(other.page) == set);
        if of_set.clone().count() < self.parameters.ways {
            return None;
        }
        let oldest = of_set.min_by_key(|other| other.used);
        oldest.map(|other| other.page)
    }

    /// Puts a page into its set.
    fn put(&mut self, page: Page) {
        let replaced = self.replaced_by(page);
        self.filled.retain(|other| Some(other.page) != replaced);
        self.filled.push(Filled {
            page,
            pfn: self.came.fill_pfn,
            writable: self.came.fill_writable,
            clean: self.came.fill_clean && self.came.fill_kind == TRANSLATION,
            denied: self.came.fill_kind != TRANSLATION,
            used: (self.cycle, true),
        });
    }

    /// What came in the cycle before acts.
    fn act(&mut self, inputs: &Inputs) {
        let came = self.came.clone();
        let checked = came.checked();
        let known = self.found().is_some() || self.of_vpn(checked).is_some();
        let spoils = self.spoils();
        let free = self.misses.iter().position(Option::is_none);
        let released = self.released(inputs.far_limit);
        let resolves = came.resolve_valid
            && self
                .of_vpn(came.resolved())
                .is_some_and(|miss| miss.step == Step::Fetching);
        let cancels = came.fill_valid
            && came.fill_kind == CANCELLED
            && self
                .of_vpn(came.filled())
                .is_some_and(|miss| miss.step == Step::Fetching);
        let resolves = resolves && !(cancels && came.resolved() == came.filled());
        let mut ended = false;
        let mut reported = false;

        let taken = self.offered.filter(|_| inputs.walk_ready);
        (self.offered, self.turn) = self.offer(inputs.walk_ready);
        for (entry, slot) in self.misses.iter_mut().enumerate() {
            let Some(miss) = slot else { continue };
            let named = came.fill_valid && miss.page == came.filled();
            let fills = named && came.fill_kind != CANCELLED;
            match &mut miss.step {
                Step::Requesting if taken == Some(entry) => {
                    miss.step = Step::Walking { stale: false }
                }
                Step::Held if released == Some(miss.page) => {
                    miss.claims = true;
                    miss.step = Step::Requesting;
                }
                Step::Walking { stale } => {
                    *stale |= came.invalidates(miss.page);
                    let dropped = *stale;
                    if fills {
                        miss.claims = came.fill_kind == FAR;
                    }
                    match came.fill_kind {
                        _ if !fills => {}
                        TRANSLATION | DENIED if dropped => miss.step = Step::Requesting,
                        TRANSLATION | DENIED => {
                            ended = true;
                            *slot = None;
                        }
                        kind => {
                            reported = !miss.absent && inputs.report_faults;
                            miss.absent = true;
                            miss.step = match kind {
                                FAR => Step::Fetching,
                                _ => Step::Held,
                            };
                        }
                    }
                }
                Step::Fetching if cancels && named => {
                    if came.invalidates(miss.page) {
                        miss.claims = false;
                        miss.step = Step::Requesting;
                    } else {
                        ended = true;
                        *slot = None;
                    }
                }
                Step::Fetching if resolves && miss.page == came.resolved() => {
                    miss.claims = false;
                    miss.step = Step::Requesting;
                }
                _ => {}
            }
        }

        if ended {
            self.put(came.filled());
        }
        let new = ended.then_some(came.filled());
        if spoils || came.invalidate_valid {
            self.filled.retain(|filled| {
                let spoiled = spoils && filled.page == checked;
                new == Some(filled.page) || !(spoiled || came.invalidates(filled.page))
            });
        }
        if came.check_valid && known {
            for found in &mut self.filled {
                if found.page == checked && new != Some(checked) {
                    found.used = (self.cycle, false);
                }
            }
        } else if came.check_valid {
            match free {
                Some(free) => {
                    self.misses[free] = Some(Miss {
                        page: checked,
                        step: Step::Requesting,
                        absent: false,
                        claims: false,
                        since: self.cycle,
                        write: came.check_write,
                    });
                }
                None => self.refused = true,
            }
        }
        self.woken = (ended || reported).then_some(ended && self.refused);
        self.woken_page = came.filled();
        self.refused &= !ended;
        self.still = self.offered.is_none() && released.is_none() && !comes(&came);
    }
}

/// Something comes that acts.
const fn comes(inputs: &Inputs) -> bool {
    inputs.check_valid || inputs.fill_valid || inputs.resolve_valid || inputs.invalidate_valid
}

impl Model for L1Tlb {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            cycle: 0,
            filled: Vec::new(),
            misses: vec![None; parameters.misses],
            refused: false,
            offered: None,
            turn: 0,
            came: Inputs::default(),
            woken: None,
            woken_page: Page::default(),
            still: false,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = self.outputs(inputs);
        if inputs.reset {
            *self = Self::new(self.parameters);
            return outputs;
        }
        if self.is_quiet() && inputs.far_limit == self.came.far_limit {
            (self.turn, self.woken, self.woken_page) = (0, None, self.came.filled());
        } else {
            self.act(inputs);
        }
        self.came = inputs.clone();
        self.came.check_valid &= !inputs.invalidate_valid;
        self.cycle += 1;
        outputs
    }
}
