//! The reference model of the L1 TLB: its page (`docs/blocks/l1_tlb.md`) as plain data.

use crate::ports::Model;

mod interface;

pub use interface::{
    CANCELLED, DENIED, FAR, Inputs, LARGE, NACK, OF_ALL, OF_PAGE, OF_SPACE, Outputs, Page,
    Parameters, TRANSLATION,
};

/// A page that was filled, or a large page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The page; the first one of a large page.
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
    large: Vec<Filled>,
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

    /// The large pages that are here.
    pub fn large(&self) -> impl Iterator<Item = &Filled> {
        self.large.iter()
    }

    /// The large page that covers a page, if it is here.
    #[must_use]
    pub fn covering(&self, page: Page) -> Option<&Filled> {
        let first = self.parameters.large_page(page);
        self.large.iter().find(|large| large.page == first)
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

    /// The check that acts is a write.
    const fn writes(&self) -> bool {
        self.came.check_valid && self.came.check_write
    }

    /// The check that acts is a write that finds its page clean in a way.
    #[must_use]
    pub fn spoils(&self) -> bool {
        let own = self.here(self.came.checked());
        self.writes() && own.is_some_and(|found| found.clean)
    }

    /// The check that acts is a write that finds its large page clean.
    #[must_use]
    pub fn spoils_large(&self) -> bool {
        let large = self.covering(self.came.checked());
        self.writes() && large.is_some_and(|found| found.clean)
    }

    /// The large page that answers the check that acts; to a write a clean one is not there.
    #[must_use]
    pub fn found_large(&self) -> Option<&Filled> {
        self.covering(self.came.checked())
            .filter(|found| !(self.came.check_write && found.clean))
    }

    /// The page of a way that answers the check that acts; to a write a clean one is not there.
    fn found_own(&self) -> Option<&Filled> {
        self.here(self.came.checked())
            .filter(|found| !(self.came.check_write && found.clean))
    }

    /// What the invalidation that acts is to a page that was missed.
    #[must_use]
    pub fn blocks(&self, page: Page) -> bool {
        let dropped = self.came.invalidated();
        let beside = self.parameters.large_ways > 0
            && self.came.invalidate_valid
            && self.came.invalidate_scope == OF_PAGE
            && self.parameters.large_page(page) == self.parameters.large_page(dropped);
        beside || self.came.invalidates(page)
    }

    /// What a cycle shows, whatever is checked in it.
    pub(crate) fn shown(&self, inputs: &Inputs) -> Outputs {
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
            let large = self.found_large();
            let own = self.found_own().map(|found| (found, found.pfn));
            let large_frame = large.map(|found| (found, self.parameters.frame(found.pfn, page)));
            if let Some((found, pfn)) = large_frame.or(own) {
                outputs.answer_pfn = pfn;
                outputs.answer_denied = found.denied || (self.came.check_write && !found.writable);
                outputs.answer_hit = !outputs.answer_denied;
            }
            outputs.answer_fault = inputs.report_faults
                && large.is_none()
                && self.of_vpn(page).is_some_and(|miss| miss.absent);
        }
        if let Some(miss) = self.offered.and_then(|entry| self.misses[entry]) {
            outputs.walk_valid = true;
            outputs.walk_vpn = miss.page.vpn;
            outputs.walk_asid = miss.page.asid;
            outputs.walk_write = miss.write;
        }
        outputs
    }

    /// A cycle that shows this.
    pub(crate) fn cycle_after(&mut self, inputs: &Inputs, shown: Outputs) -> Outputs {
        if inputs.reset {
            *self = Self::new(self.parameters);
            return shown;
        }
        if self.is_quiet() && inputs.far_limit == self.came.far_limit {
            (self.turn, self.woken, self.woken_page) = (0, None, self.came.filled());
        } else {
            self.act(inputs);
        }
        self.came = inputs.clone();
        self.came.check_valid &= !inputs.invalidate_valid;
        self.cycle += 1;
        shown
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

    /// The large page that leaves if another one is put among them, or this one again; none if there is room.
    #[must_use]
    pub fn large_replaced_by(&self, page: Page) -> Option<Page> {
        if let Some(same) = self.covering(page) {
            return Some(same.page);
        }
        if self.large.len() < self.parameters.large_ways {
            return None;
        }
        let oldest = self.large.iter().min_by_key(|other| other.used);
        oldest.map(|other| other.page)
    }

    /// Puts the large page of a page among the others.
    fn put_large(&mut self, page: Page) {
        let replaced = self.large_replaced_by(page);
        self.large.retain(|other| Some(other.page) != replaced);
        self.large.push(Filled {
            page: self.parameters.large_page(page),
            pfn: self.came.fill_pfn,
            writable: self.came.fill_writable,
            clean: self.came.fill_clean,
            denied: false,
            used: (self.cycle, true),
        });
    }

    /// What came in the cycle before acts.
    fn act(&mut self, inputs: &Inputs) {
        let came = self.came.clone();
        let checked = came.checked();
        let (by_large, by_own) = (self.found_large().is_some(), self.found_own().is_some());
        let known = by_large || by_own || self.of_vpn(checked).is_some();
        let (spoils, spoils_large) = (self.spoils(), self.spoils_large());
        let blocked: Vec<bool> = self
            .misses
            .iter()
            .map(|slot| slot.as_ref().is_some_and(|miss| self.blocks(miss.page)))
            .collect();
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
                    *stale |= blocked[entry];
                    let dropped = *stale;
                    if fills {
                        miss.claims = came.fill_kind == FAR;
                    }
                    match came.fill_kind {
                        _ if !fills => {}
                        TRANSLATION | DENIED | LARGE if dropped => miss.step = Step::Requesting,
                        TRANSLATION | DENIED | LARGE => {
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
                    if blocked[entry] {
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

        let new = (ended && came.fill_kind != LARGE).then_some(came.filled());
        let new_large = (ended && came.fill_kind == LARGE).then_some(came.filled());
        if let Some(page) = new {
            self.put(page);
        }
        if let Some(page) = new_large {
            self.put_large(page);
        }
        if spoils || came.invalidate_valid {
            self.filled.retain(|filled| {
                let spoiled = spoils && filled.page == checked;
                new == Some(filled.page) || !(spoiled || came.invalidates(filled.page))
            });
        }
        let of_large = |page| self.parameters.large_page(page);
        let new_large = new_large.map(of_large);
        let (spoiled, dropped) = (of_large(checked), of_large(came.invalidated()));
        self.large.retain(|large| {
            let gone = (spoils_large && large.page == spoiled)
                || came.invalidates(large.page)
                || (came.invalidate_valid
                    && came.invalidate_scope == OF_PAGE
                    && large.page == dropped);
            new_large == Some(large.page) || !gone
        });
        if came.check_valid && known {
            let used = (self.cycle, false);
            for found in &mut self.filled {
                if found.page == checked && new != Some(checked) && !by_large {
                    found.used = used;
                }
            }
            for found in &mut self.large {
                if found.page == spoiled && new_large != Some(spoiled) && by_large {
                    found.used = used;
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
            large: Vec::new(),
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
        let shown = self.shown(inputs);
        self.cycle_after(inputs, shown)
    }
}
