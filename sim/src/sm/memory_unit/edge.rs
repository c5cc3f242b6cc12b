//! The clock edge: what a cycle changes.

use super::outputs::{Offer, Plan};
use super::{
    Access, Answer, Check, Inputs, Line, MemoryUnit, PAGE_LINE_BITS, PageEntry, PageState, Purpose,
    Set, Word, invalidates, members,
};

impl MemoryUnit {
    pub(super) fn apply(&mut self, inputs: &Inputs, plan: &Plan) {
        // From the state at the beginning of the cycle.
        let stale = self.made_stale(inputs, plan);
        let checked = plan.chosen.filter(|_| plan.offers && inputs.checked_ready);
        let faulted = plan.chosen.filter(|_| plan.faulted);
        let decided = checked.or(faulted);
        let chosen = match plan.chosen {
            Some(chosen) if decided.is_none() => Some(chosen),
            _ => self.oldest(|number, _| decided != Some(number) && self.verdict(number).is_some()),
        };
        let check = self.next_check(inputs, plan);
        let entering = self.entering(inputs, plan, checked, faulted);
        let leaving = inputs.leave_valid.then_some(inputs.leave_warp);
        let entering_warp = entering.as_ref().map_or(0, |(_, access)| 1 << access.warp);
        let resumable = self.resumable(inputs.hold, leaving) & !entering_warp;
        let withdrawn = inputs.hold | self.busy() | entering_warp;

        self.retry(inputs);
        self.leave_absent(plan);
        let waiting = self.waiting();
        self.wake(inputs, plan);
        self.answer(inputs, stale, waiting);
        self.read(plan);
        self.decide(checked, faulted);
        self.begin(plan, checked);
        if invalidates(inputs) {
            self.invalidate(stale, plan);
        }
        self.resume(inputs, resumable, withdrawn);
        if let Some((number, access)) = entering {
            self.lines[number].clear();
            self.accesses[number] = Some(access);
        }
        self.chosen = chosen;
        self.offered = plan.offers && checked.is_none();
        self.check = check;
        for page in &mut self.pages {
            if page.is_some_and(|page| page.accesses == 0 && page.warps == 0) {
                *page = None;
            }
        }
    }

    /// The accesses that an invalidation makes stale.
    fn made_stale(&self, inputs: &Inputs, plan: &Plan) -> Set {
        if !invalidates(inputs) {
            return 0;
        }
        self.accesses()
            .filter(|(_, access)| access.has_lanes && !access.decided)
            .filter(|(number, _)| plan.chosen != Some(*number) || !(plan.offers || plan.faulted))
            .fold(0, |set, (number, _)| set | 1 << number)
    }

    /// The check that is answered in the next cycle.
    fn next_check(&mut self, inputs: &Inputs, plan: &Plan) -> Option<Check> {
        match plan.offer.filter(|_| plan.taken)? {
            Offer::Page(page) => Some(Check::Page(page)),
            Offer::Shown => {
                let word = self.shows?;
                let line = self.lines[word.access][word.place];
                Some(Check::Line {
                    access: word.access,
                    place: word.place,
                    number: line.number,
                    mask: line.mask,
                    last: word.place == self.last_place(word.access),
                    again: true,
                    all: word.purpose == Purpose::Recheck { all: true },
                })
            }
            Offer::Request => {
                let number = self.requesting()?;
                // The line before it may be answered in this cycle.
                let unanswered = match self.check {
                    Some(Check::Line {
                        access,
                        again: false,
                        ..
                    }) if access == number => 1,
                    _ => 0,
                };
                let place = self.lines[number].len() + unanswered;
                if let Some(access) = &mut self.accesses[number] {
                    access.requested = inputs.request_last;
                }
                Some(Check::Line {
                    access: number,
                    place,
                    number: inputs.request_line,
                    mask: inputs.request_mask,
                    last: inputs.request_last,
                    again: false,
                    all: false,
                })
            }
        }
    }

    /// The access that enters, with its place.
    fn entering(
        &mut self,
        inputs: &Inputs,
        plan: &Plan,
        checked: Option<usize>,
        faulted: Option<usize>,
    ) -> Option<(usize, Access)> {
        let number = plan.free.filter(|_| plan.enters)?;
        self.began += 1;
        let (warp, store) = (inputs.instruction_warp, inputs.instruction_store);
        let notes = self
            .accesses()
            .filter(|(_, other)| other.warp == warp && !other.decided)
            .filter(|(_, other)| other.store || store)
            .fold(0, |set: Set, (number, _)| set | 1 << number);
        let has_lanes = inputs.instruction_mask != 0;
        // What a warp that has faulted still sends follows its fault.
        let sends = self.away >> warp & 1 == 1 && (store || self.away_stores >> warp & 1 == 1);
        let follows =
            has_lanes && (sends || faulted.is_some_and(|faulted| notes >> faulted & 1 == 1));
        let decided = checked.or(faulted).map_or(0, |decided| 1 << decided);
        let access = Access {
            warp,
            slot: inputs.instruction_slot,
            entry: inputs.instruction_entry,
            index: inputs.instruction_index,
            store,
            decided: false,
            split: !has_lanes,
            stale: false,
            refused: false,
            first_refused: 0,
            rechecked: false,
            follows,
            denied: false,
            marked: false,
            log_address: inputs.instruction_log_address,
            log_data: inputs.instruction_log_data,
            has_lanes,
            requested: !has_lanes,
            notes: if has_lanes { notes & !decided } else { 0 },
            signature: 0,
            retries: false,
            since: self.began,
        };
        Some((number, access))
    }

    /// A wake-up lets those retry that were refused at the beginning of the cycle.
    fn retry(&mut self, inputs: &Inputs) {
        for access in self.accesses.iter_mut().flatten() {
            access.retries |= inputs.wake_valid && access.refused;
        }
    }

    /// The chosen access that fails leaves an absent page; its warp waits for it.
    fn leave_absent(&mut self, plan: &Plan) {
        let Some((number, page)) = plan.chosen.zip(plan.absent) else {
            return;
        };
        if let (Some(access), Some(page)) = (&mut self.accesses[number], &mut self.pages[page]) {
            access.follows = true;
            page.accesses &= !(1 << number);
            page.warps |= 1 << access.warp;
        }
    }

    fn wake(&mut self, inputs: &Inputs, plan: &Plan) {
        if let (true, Some(Offer::Page(page))) = (plan.taken, plan.offer)
            && let Some(page) = &mut self.pages[page]
        {
            page.woken = false;
        }
        if !inputs.wake_valid {
            return;
        }
        for page in self.pages.iter_mut().flatten() {
            let concerned = inputs.wake_asid == inputs.asid && inputs.wake_vpn == page.vpn;
            match page.state {
                PageState::Waits if concerned || inputs.wake_all => page.woken = true,
                PageState::Absent if concerned => {
                    page.state = PageState::Waits;
                    page.woken = true;
                    page.warps = 0;
                }
                _ => {}
            }
        }
    }

    /// The page entries that wait.
    fn waiting(&self) -> Set {
        let waits = self
            .pages()
            .filter(|(_, page)| page.state == PageState::Waits);
        waits.fold(0, |set, (number, _)| set | 1 << number)
    }

    fn answer(&mut self, inputs: &Inputs, stale: Set, waiting: Set) {
        match self.check {
            None => {}
            Some(Check::Page(number)) => {
                if waiting >> number & 1 == 1
                    && let Some(page) = &mut self.pages[number]
                {
                    if inputs.answer_hit {
                        page.state = PageState::Present(inputs.answer_pfn);
                    } else if inputs.answer_denied {
                        page.state = PageState::Denied;
                    } else if inputs.answer_fault {
                        page.state = PageState::Absent;
                    }
                }
            }
            Some(Check::Line {
                access,
                place,
                number,
                mask,
                last,
                again,
                all,
            }) => {
                let answer = if inputs.answer_hit {
                    Answer::Frame(inputs.answer_pfn)
                } else if inputs.answer_denied {
                    Answer::Denied
                } else if stale >> access & 1 == 1 {
                    Answer::Refused
                } else {
                    self.join(access, number >> PAGE_LINE_BITS, inputs.answer_fault)
                };
                let line = Line {
                    number,
                    mask,
                    answer,
                };
                match self.lines[access].get_mut(place) {
                    Some(word) => *word = line,
                    None => self.lines[access].push(line),
                }
                if !again {
                    self.sign(access, number, last);
                }
                let mut gave_up = None;
                if let Some(of) = &mut self.accesses[access] {
                    of.split |= last && !again;
                    let gives_up = again && !all && answer == Answer::Refused;
                    of.rechecked &= !(again && (last || gives_up));
                    gave_up = gives_up.then_some(access);
                    if stale >> access & 1 == 0 {
                        of.denied |= answer == Answer::Denied;
                        if answer == Answer::Refused && !of.refused {
                            of.refused = true;
                            of.first_refused = place;
                        }
                    }
                }
                if gave_up.is_some() {
                    let stays = |word: &Word| Some(word.access) != gave_up;
                    self.shows = self.shows.filter(stays);
                    self.reads = self.reads.filter(stays);
                }
            }
        }
    }

    /// An access has this line. With the last one it is known which older accesses have no line in common with it.
    fn sign(&mut self, number: usize, line: u64, last: bool) {
        let Some(access) = &mut self.accesses[number] else {
            return;
        };
        access.signature |= 1 << (line % (1 << PAGE_LINE_BITS));
        if last {
            let signature = access.signature;
            let meets = |other: &Access| other.signature & signature != 0;
            let met = self.accesses().filter(|(_, other)| meets(other));
            let met = met.fold(0, |set: Set, (other, _)| set | 1 << other);
            if let Some(access) = &mut self.accesses[number] {
                access.notes &= met;
            }
        }
    }

    /// A line of an access joins the page entry of its page, or begins one, if there is room.
    fn join(&mut self, access: usize, vpn: u64, absent: bool) -> Answer {
        let store = self.access(access).is_some_and(|access| access.store);
        let open = |page: &PageEntry| matches!(page.state, PageState::Waits | PageState::Absent);
        let own = |page: &PageEntry| page.vpn == vpn && page.store == store && open(page);
        let found = self
            .pages
            .iter()
            .position(|page| page.as_ref().is_some_and(own));
        if let Some(number) = found {
            if let Some(page) = &mut self.pages[number] {
                page.accesses |= 1 << access;
            }
            return Answer::Page(number);
        }
        let Some(number) = self.pages.iter().position(Option::is_none) else {
            return Answer::Refused;
        };
        self.began += 1;
        self.pages[number] = Some(PageEntry {
            vpn,
            store,
            state: if absent {
                PageState::Absent
            } else {
                PageState::Waits
            },
            accesses: 1 << access,
            warps: 0,
            woken: false,
            since: self.began,
        });
        Answer::Page(number)
    }

    /// The reader's word leaves, and it reads the next one.
    fn read(&mut self, plan: &Plan) {
        if let Some(word) = self.shows.filter(|_| plan.leaves) {
            let last = word.place == self.last_place(word.access);
            match word.purpose {
                Purpose::Pass if last => self.free(word.access),
                Purpose::Recheck { .. } if last && plan.offer != Some(Offer::Shown) => {
                    if let Some(access) = &mut self.accesses[word.access] {
                        access.rechecked = false;
                    }
                }
                _ => {}
            }
            self.shows = None;
        }
        if let Some(word) = self.reads.filter(|_| plan.reads) {
            self.shows = Some(word);
            let last = word.place == self.last_place(word.access);
            self.reads = (!last).then_some(Word {
                place: word.place + 1,
                ..word
            });
        }
    }

    /// An access is free, and leaves all lists.
    fn free(&mut self, number: usize) {
        self.accesses[number] = None;
        self.leave_pages(1 << number);
    }

    fn leave_pages(&mut self, accesses: Set) {
        for page in self.pages.iter_mut().flatten() {
            page.accesses &= !accesses;
        }
    }

    fn decide(&mut self, checked: Option<usize>, faulted: Option<usize>) {
        let Some(decided) = checked.or(faulted) else {
            return;
        };
        for access in self.accesses.iter_mut().flatten() {
            access.follows |= faulted.is_some() && access.notes >> decided & 1 == 1;
            access.notes &= !(1 << decided);
        }
        if faulted.is_some() {
            if let Some(access) = self.access(decided) {
                let (warp, store) = (1 << access.warp, access.store);
                self.away |= warp;
                self.away_stores |= if store { warp } else { 0 };
            }
            self.free(decided);
        } else if let Some(access) = &mut self.accesses[decided] {
            access.decided = true;
        }
    }

    /// The reader begins with a checked access, or with a re-check.
    fn begin(&mut self, plan: &Plan, checked: Option<usize>) {
        let begin = |access, place, purpose| Word {
            access,
            place,
            purpose,
        };
        if let Some(number) = checked {
            self.rechecked_last = false;
            self.reads = Some(begin(number, 0, Purpose::Pass));
        } else if let Some(number) = plan.recheck
            && let Some(access) = &mut self.accesses[number]
        {
            self.rechecked_last = true;
            let first = if access.stale {
                0
            } else {
                access.first_refused
            };
            let purpose = Purpose::Recheck { all: access.stale };
            self.reads = Some(begin(number, first, purpose));
            access.stale = false;
            access.refused = false;
            access.retries = false;
            access.rechecked = true;
        }
    }

    fn invalidate(&mut self, stale: Set, plan: &Plan) {
        for number in members(stale) {
            if let Some(access) = &mut self.accesses[number] {
                access.stale = true;
                access.refused = false;
                access.denied = false;
                access.rechecked = false;
            }
        }
        self.leave_pages(stale);
        let offered = plan.chosen.filter(|_| plan.offers);
        for (number, slot) in self.accesses.iter_mut().enumerate() {
            if let Some(access) = slot {
                access.marked |= access.decided || offered == Some(number);
            }
        }
        let passes = |word: &Word| word.purpose == Purpose::Pass;
        self.shows = self.shows.filter(passes);
        self.reads = self.reads.filter(passes);
    }

    fn resume(&mut self, inputs: &Inputs, resumable: u64, withdrawn: u64) {
        let leaving = if inputs.leave_valid {
            1 << inputs.leave_warp
        } else {
            0
        };
        self.away &= !leaving;
        self.away_stores &= !leaving;
        for page in self.pages.iter_mut().flatten() {
            page.warps &= !leaving;
        }
        let mut ends = true;
        if let Some(warp) = self.resume {
            if inputs.resume_ready {
                self.away &= !(1 << warp);
                self.away_stores &= !(1 << warp);
            }
            ends = inputs.resume_ready || (withdrawn | leaving) >> warp & 1 == 1;
        }
        if ends {
            self.resume = self.in_turn(resumable);
            if let Some(warp) = self.resume {
                self.turn = ((usize::from(warp) + 1) % self.parameters.warps) as u8;
            }
        }
    }
}
