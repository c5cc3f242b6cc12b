//! What a cycle does, and what it shows, from the state at its beginning.

use super::decisions::Verdict;
use super::{
    Answer, Check, Inputs, MemoryUnit, Outputs, PAGE_LINE_BITS, PageState, Purpose, Shown, Word,
    invalidates,
};

/// The check on offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    Page(usize),
    /// The line that the reader shows.
    Shown,
    Request,
}

/// What happens in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plan {
    /// The lowest free access.
    pub free: Option<usize>,
    pub enters: bool,
    pub offer: Option<Offer>,
    /// Requests of the coalescer wait for what was woken.
    pub holds_requests: bool,
    /// The offered check is taken.
    pub taken: bool,
    /// What the reader shows leaves.
    pub leaves: bool,
    /// The reader reads a word.
    pub reads: bool,
    /// `checked` is on offer.
    pub offers: bool,
    /// The access whose re-check begins.
    pub recheck: Option<usize>,
    /// The chosen access, if it can still be decided.
    pub chosen: Option<usize>,
    /// The page entry that a failing access leaves.
    pub absent: Option<usize>,
    pub faulted: bool,
}

impl MemoryUnit {
    /// The last word of an access is at this place.
    pub(super) fn last_place(&self, access: usize) -> usize {
        self.lines[access].len().saturating_sub(1)
    }

    /// The word that is shown is to be checked again.
    fn is_to_be_checked(&self, word: Word) -> bool {
        let line = self.lines[word.access].get(word.place);
        match word.purpose {
            Purpose::Pass => false,
            Purpose::Recheck { all } => {
                all || line.is_some_and(|line| line.answer == Answer::Refused)
            }
        }
    }

    /// A line that is checked again is answered in this cycle.
    const fn is_rechecking(&self) -> bool {
        matches!(self.check, Some(Check::Line { again: true, .. }))
    }

    /// The answer of this cycle takes the bank of a word.
    fn is_bank_written(&self, word: Word) -> bool {
        let is_read = self
            .access(word.access)
            .is_some_and(|access| access.has_lanes);
        match self.check {
            Some(Check::Line { access, place, .. }) if is_read => {
                (access + place) % 2 == (word.access + word.place) % 2
            }
            _ => false,
        }
    }

    /// The lowest free access.
    fn free_access(&self) -> Option<usize> {
        self.accesses.iter().position(Option::is_none)
    }

    /// The unit accepts an instruction with these lanes.
    pub(crate) fn accepts(&self, split_ready: bool, lanes: u32) -> bool {
        self.free_access().is_some() && (split_ready || lanes == 0)
    }

    /// What happens in a cycle, but for the instruction that enters.
    pub(super) fn plan(&self, inputs: &Inputs) -> Plan {
        let mut plan = Plan {
            free: self.free_access(),
            ..Plan::default()
        };
        let to_check = self.shows.filter(|word| self.is_to_be_checked(*word));
        let shown_check = to_check.filter(|_| !self.is_rechecking());
        plan.holds_requests = inputs.wake_valid
            || self.accesses().any(|(number, access)| {
                self.may_be_rechecked(number) || (access.rechecked && !access.decided)
            });
        plan.offer = if let Some(page) = self.woken() {
            Some(Offer::Page(page))
        } else if shown_check.is_some() {
            Some(Offer::Shown)
        } else {
            (inputs.request_valid && !plan.holds_requests).then_some(Offer::Request)
        };
        plan.taken = inputs.check_ready && plan.offer.is_some();

        plan.leaves = match self.shows {
            None => false,
            Some(word) if word.purpose == Purpose::Pass => inputs.line_ready,
            Some(_) if to_check.is_some() => plan.taken && plan.offer == Some(Offer::Shown),
            Some(_) => true,
        };
        let has_room = self.shows.is_none() || plan.leaves;
        plan.reads = has_room && self.reads.is_some_and(|word| !self.is_bank_written(word));
        let takes = self
            .reads
            .is_none_or(|word| plan.reads && word.place == self.last_place(word.access));

        let verdict = self.chosen.and_then(|chosen| self.verdict(chosen));
        plan.chosen = self.chosen.filter(|_| verdict.is_some());
        let fails = plan.chosen.filter(|_| verdict == Some(Verdict::Fails));
        let passes = verdict == Some(Verdict::Passes);
        if let Some(access) = fails {
            let absent = self.absent_pages(access);
            plan.absent = super::members(absent).next();
            plan.faulted = absent.count_ones() < 2;
        }
        if takes {
            let recheck = self.oldest(|number, _| self.may_be_rechecked(number));
            let first = self.offered || recheck.is_none() || self.rechecked_last;
            plan.offers = passes && first;
            plan.recheck = recheck.filter(|_| !plan.offers && !invalidates(inputs));
        }
        plan
    }

    /// What a cycle shows in which nothing happens, but that an instruction may enter.
    pub(super) fn rest(&self, inputs: &Inputs) -> Shown {
        let outputs = Outputs {
            request_ready: inputs.check_ready,
            check_vpn: inputs.request_line >> PAGE_LINE_BITS,
            settled: true,
            ..Outputs::default()
        };
        let plan = Plan {
            free: self.free_access(),
            ..Plan::default()
        };
        Shown { outputs, plan }
    }

    /// What a cycle shows, but for the instruction that enters.
    pub(super) fn outputs(&self, inputs: &Inputs, plan: &Plan) -> Outputs {
        let mut outputs = Outputs {
            request_ready: inputs.check_ready
                && !plan.holds_requests
                && !matches!(plan.offer, Some(Offer::Page(_) | Offer::Shown)),
            check_valid: plan.offer.is_some(),
            check_vpn: inputs.request_line >> PAGE_LINE_BITS,
            settled: self.accesses().all(|(_, access)| !access.marked),
            ..Outputs::default()
        };
        self.show_check(plan, &mut outputs);
        self.show_decision(plan, &mut outputs);
        self.show_line(&mut outputs);
        if let Some(warp) = self.resume {
            outputs.resume_valid = true;
            outputs.resume_warp = warp;
        }
        outputs
    }

    fn show_check(&self, plan: &Plan, outputs: &mut Outputs) {
        let access = match plan.offer {
            None => return,
            Some(Offer::Page(page)) => {
                if let Some(page) = &self.pages[page] {
                    outputs.check_vpn = page.vpn;
                    outputs.check_write = page.store;
                }
                return;
            }
            Some(Offer::Shown) => self.shows.map(|word| {
                let line = self.lines[word.access][word.place];
                outputs.check_vpn = line.number >> PAGE_LINE_BITS;
                word.access
            }),
            Some(Offer::Request) => self.requesting(),
        };
        let access = access.and_then(|number| self.access(number));
        outputs.check_write = access.is_some_and(|access| access.store);
    }

    /// The access to which the next request belongs.
    pub(super) fn requesting(&self) -> Option<usize> {
        self.oldest(|_, access| !access.requested)
    }

    fn show_decision(&self, plan: &Plan, outputs: &mut Outputs) {
        let Some((number, access)) = plan
            .chosen
            .and_then(|number| Some((number, self.access(number)?)))
        else {
            return;
        };
        if plan.offers {
            outputs.checked_valid = true;
            outputs.checked_warp = access.warp;
            outputs.checked_entry = access.entry;
            outputs.checked_index = access.index;
            outputs.checked_slot = access.slot;
            outputs.checked_store = access.store;
            outputs.checked_log_address = access.log_address;
            outputs.checked_log_data = access.log_data;
        }
        if let Some(page) = plan.absent.and_then(|page| self.pages[page]) {
            outputs.absent_valid = true;
            outputs.absent_warp = access.warp;
            outputs.absent_slot = access.slot;
            outputs.absent_vpn = page.vpn;
        }
        if plan.faulted {
            outputs.faulted_valid = true;
            outputs.faulted_denied = self.is_denied(number);
            outputs.faulted_warp = access.warp;
            outputs.faulted_entry = access.entry;
            outputs.faulted_index = access.index;
        }
    }

    fn show_line(&self, outputs: &mut Outputs) {
        let Some(word) = self.shows.filter(|word| word.purpose == Purpose::Pass) else {
            return;
        };
        let Some(access) = self.access(word.access) else {
            return;
        };
        outputs.line_valid = true;
        outputs.line_warp = access.warp;
        outputs.line_entry = access.entry;
        outputs.line_store = access.store;
        outputs.line_last = word.place == self.last_place(word.access);
        let Some(line) = self.lines[word.access].get(word.place) else {
            return;
        };
        let within = line.number & ((1 << PAGE_LINE_BITS) - 1);
        let frame = match line.answer {
            Answer::Frame(frame) => Some(frame),
            Answer::Page(page) => self.pages[page].and_then(|page| match page.state {
                PageState::Present(frame) => Some(frame),
                _ => None,
            }),
            Answer::Denied | Answer::Refused => None,
        };
        outputs.line_number = u64::from(frame.unwrap_or(0)) << PAGE_LINE_BITS | within;
        outputs.line_mask = line.mask;
    }
}
