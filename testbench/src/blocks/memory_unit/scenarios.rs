//! What the traffic has led to, counted.

use faultline_sim::sm::memory_unit::{
    Access, Inputs, MemoryUnit, Outputs, PageEntry, PageState, Parameters,
};

use super::MemoryUnitTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        without_lanes, every_lane_a_line, every_access_taken, coalescer_stalls, entered_beside_checked,
        entered_beside_its_fault, hit, missed, absent, denied, denied_store_alone, joined_a_page, refused, retried,
        every_page_taken, pages_for_loads_and_stores, page_begun_beside_a_present_one, request_waits_for_another_check,
        woken, woken_by_all, absent_woken, warps_woken, woken_by_nobody, wake_of_other_space, wake_beside_an_answer,
        page_present, page_denied, page_absent, page_missed_again, warp_beside_accesses_in_a_page, recheck_of_a_stale_access,
        rechecks_overlap, invalidated, invalidated_other_space, invalidated_beside_an_answer,
        invalidated_beside_an_offer, invalidated_beside_checked, invalidated_in_a_recheck, invalidated_in_a_report,
        invalidated_beside_a_fault, unsettled, invalidated_while_unsettled, faulted_while_it_may_retry, checked_waits,
        line_waits, lines_in_a_row, line_without_lanes, checked_after_a_conflict, faulted, fault_followed,
        several_absent_pages, woken_in_its_report, resume_waits, resumed, resumes_in_a_row, held, withdrawn_by_hold,
        withdrawn_by_leave, resumed_while_withdrawn, left_away, left_while_it_waits, other_space, reset_in_use,
    }
}

/// The unit as it was at the beginning of the cycle.
#[derive(Clone, Debug, Default)]
pub struct Was {
    pages: Vec<(usize, PageEntry)>,
    refused: u64,
    rechecked: u64,
    stale: u64,
    /// Warp and scoreboard entry of the accesses that may retry.
    retrying: Vec<(u8, u8)>,
}

/// The accesses that are such, a bit each.
fn set(model: &MemoryUnit, is: impl Fn(&Access) -> bool) -> u64 {
    let such = model.accesses().filter(|(_, access)| is(access));
    such.fold(0, |set, (number, _)| set | 1 << number)
}

impl Was {
    fn look(&mut self, model: &MemoryUnit) {
        self.pages.clear();
        self.pages
            .extend(model.pages().map(|(number, page)| (number, *page)));
        self.refused = set(model, |access| access.refused);
        self.rechecked = set(model, |access| access.rechecked);
        self.stale = set(model, |access| access.stale);
        self.retrying.clear();
        let retrying = model.accesses().filter(|(_, access)| access.retries);
        self.retrying
            .extend(retrying.map(|(_, access)| (access.warp, access.entry)));
    }

    fn page(&self, number: usize) -> Option<&PageEntry> {
        let found = self.pages.iter().find(|(other, _)| *other == number);
        found.map(|(_, page)| page)
    }
}

fn invalidates(inputs: &Inputs) -> bool {
    inputs.invalidate_valid
        && (inputs.invalidate_asid == inputs.asid || inputs.invalidate_scope > 1)
}

impl MemoryUnitTraffic {
    /// Counts what comes, at the beginning of a cycle.
    pub(super) fn count(&mut self, model: &MemoryUnit, inputs: &Inputs) {
        self.was.look(model);
        let Parameters {
            accesses, pages, ..
        } = self.parameters;
        let (s, was) = (&mut self.scenarios, &self.was);
        let full = model.accesses().count() == accesses;
        count(&mut s.every_access_taken, full && inputs.instruction_valid);
        count(&mut s.every_page_taken, was.pages.len() == pages);
        let twin = |page: &PageEntry| {
            let is = |(_, other): &(usize, PageEntry)| {
                other.vpn == page.vpn && other.store != page.store
            };
            was.pages.iter().any(is)
        };
        let twins = was.pages.iter().any(|(_, page)| twin(page));
        count(&mut s.pages_for_loads_and_stores, twins);
        count(
            &mut s.reset_in_use,
            inputs.reset && model.accesses().count() > 0,
        );

        let own = inputs.wake_valid && inputs.wake_asid == inputs.asid;
        let of = |page: &PageEntry| own && page.vpn == inputs.wake_vpn;
        let waits = |page: &PageEntry| page.state == PageState::Waits;
        let any = |is: &dyn Fn(&PageEntry) -> bool| was.pages.iter().any(|(_, page)| is(page));
        let absent = |page: &PageEntry| of(page) && page.state == PageState::Absent;
        count(&mut s.woken, any(&|page| of(page) && waits(page)));
        let by_all = inputs.wake_valid && inputs.wake_all;
        count(
            &mut s.woken_by_all,
            by_all && any(&|page| waits(page) && !of(page)),
        );
        count(&mut s.absent_woken, any(&absent));
        count(
            &mut s.warps_woken,
            any(&|page| absent(page) && page.warps != 0),
        );
        count(&mut s.woken_by_nobody, own && !any(&of));
        count(&mut s.wake_of_other_space, inputs.wake_valid && !own);
        let answered = self.asked.is_some();
        count(&mut s.wake_beside_an_answer, answered && any(&of));

        let hit = answered && inputs.answer_hit;
        count(&mut s.hit, hit);
        count(&mut s.denied, inputs.answer_denied);
        count(&mut s.absent, inputs.answer_fault);
        let none = !inputs.answer_hit && !inputs.answer_denied && !inputs.answer_fault;
        count(&mut s.missed, answered && none);
        let store = self.asked.is_some_and(|(vpn, write)| {
            let known = self.known.get(&vpn);
            write && known == Some(&super::Known::Here { writable: false })
        });
        count(&mut s.denied_store_alone, inputs.answer_denied && store);

        let own = invalidates(inputs);
        count(&mut s.invalidated, own && model.accesses().count() > 0);
        count(
            &mut s.invalidated_other_space,
            inputs.invalidate_valid && !own,
        );
        count(&mut s.invalidated_beside_an_answer, own && answered);
        count(&mut s.invalidated_in_a_recheck, own && was.rechecked != 0);
        let unsettled = model.accesses().any(|(_, access)| access.marked);
        count(&mut s.unsettled, unsettled);
        count(&mut s.invalidated_while_unsettled, own && unsettled);
        count(&mut s.rechecks_overlap, was.rechecked.count_ones() > 1);

        let leaving = inputs.leave_valid && model.away() >> inputs.leave_warp & 1 == 1;
        let waited = any(&|page| page.warps >> inputs.leave_warp & 1 == 1);
        count(&mut s.left_away, leaving);
        count(&mut s.left_while_it_waits, inputs.leave_valid && waited);
        count(&mut s.held, model.away() & inputs.hold != 0);
    }

    /// Counts what a cycle has led to.
    pub(super) fn count_outputs(&mut self, model: &MemoryUnit, inputs: &Inputs, outputs: &Outputs) {
        if inputs.reset {
            return;
        }
        self.count_pages(model, inputs);
        let (s, was, before) = (&mut self.scenarios, &self.was, &self.before);
        let offered = inputs.instruction_valid;
        let entered = offered && outputs.instruction_ready;
        let lanes = inputs.instruction_mask.count_ones() as usize;
        count(&mut s.without_lanes, entered && lanes == 0);
        let lines = self.offered.len();
        let every = lines == self.parameters.lanes;
        count(&mut s.every_lane_a_line, entered && every);
        count(
            &mut s.coalescer_stalls,
            outputs.split_valid && !inputs.split_ready,
        );
        let checked = outputs.checked_valid && inputs.checked_ready;
        let of_warp = |warp| entered && inputs.instruction_warp == warp;
        count(
            &mut s.entered_beside_checked,
            checked && of_warp(outputs.checked_warp) && inputs.instruction_store,
        );
        count(
            &mut s.entered_beside_its_fault,
            outputs.faulted_valid && of_warp(outputs.faulted_warp) && inputs.instruction_store,
        );
        count(
            &mut s.request_waits_for_another_check,
            inputs.request_valid && inputs.check_ready && !outputs.request_ready,
        );

        let refused = set(model, |access| access.refused);
        let rechecked = set(model, |access| access.rechecked);
        count(&mut s.refused, refused & !was.refused != 0);
        let begun = rechecked & !was.rechecked;
        count(&mut s.retried, begun & was.refused != 0);
        count(&mut s.recheck_of_a_stale_access, begun & was.stale != 0);
        let of_fault = |(warp, entry): &(u8, u8)| {
            outputs.faulted_valid
                && (*warp, *entry) == (outputs.faulted_warp, outputs.faulted_entry)
        };
        count(
            &mut s.faulted_while_it_may_retry,
            was.retrying.iter().any(of_fault),
        );

        let own = invalidates(inputs);
        let offer = outputs.checked_valid && !inputs.checked_ready;
        count(&mut s.invalidated_beside_an_offer, own && offer);
        count(&mut s.invalidated_beside_checked, own && checked);
        let report = outputs.absent_valid && !outputs.faulted_valid;
        count(&mut s.invalidated_in_a_report, own && report);
        count(
            &mut s.invalidated_beside_a_fault,
            own && outputs.faulted_valid,
        );

        count(&mut s.checked_waits, offer);
        count(&mut s.line_waits, outputs.line_valid && !inputs.line_ready);
        let (now, last) = (outputs.line_valid, before.line_valid && before.line_last);
        count(&mut s.lines_in_a_row, now && inputs.line_ready && last);
        count(&mut s.line_without_lanes, now && outputs.line_mask == 0);
        count(
            &mut s.checked_after_a_conflict,
            checked && before.checked_valid && before.checked_warp == outputs.checked_warp,
        );
        count(&mut s.faulted, outputs.faulted_valid);
        let silent = outputs.faulted_valid && !outputs.absent_valid && !outputs.faulted_denied;
        count(&mut s.fault_followed, silent && before.faulted_valid);
        count(&mut s.several_absent_pages, report);
        let woken = inputs.wake_valid && inputs.wake_asid == inputs.asid;
        count(
            &mut s.woken_in_its_report,
            outputs.absent_valid && woken && inputs.wake_vpn == outputs.absent_vpn,
        );

        let resumed = outputs.resume_valid && inputs.resume_ready;
        count(&mut s.resume_waits, outputs.resume_valid && !resumed);
        count(&mut s.resumed, resumed);
        let other = before.resume_valid && before.resume_warp != outputs.resume_warp;
        count(&mut s.resumes_in_a_row, resumed && other);
        let held = outputs.resume_valid && inputs.hold >> outputs.resume_warp & 1 == 1;
        let leaves =
            outputs.resume_valid && inputs.leave_valid && inputs.leave_warp == outputs.resume_warp;
        count(&mut s.withdrawn_by_hold, held && !resumed);
        count(&mut s.withdrawn_by_leave, leaves && !resumed);
        count(&mut s.resumed_while_withdrawn, resumed && (held || leaves));
    }

    /// Counts what became of the page entries.
    fn count_pages(&mut self, model: &MemoryUnit, inputs: &Inputs) {
        let (s, was) = (&mut self.scenarios, &self.was);
        for (number, page) in model.pages() {
            count(
                &mut s.warp_beside_accesses_in_a_page,
                page.warps != 0 && page.accesses != 0,
            );
            let Some(old) = was.page(number) else {
                let is = |(_, other): &(usize, PageEntry)| {
                    (other.vpn, other.store) == (page.vpn, page.store)
                };
                let again = was.pages.iter().any(is);
                count(&mut s.page_begun_beside_a_present_one, again);
                continue;
            };
            count(&mut s.joined_a_page, page.accesses & !old.accesses != 0);
            if old.state != PageState::Waits {
                continue;
            }
            let asked = self.asked == Some((page.vpn, page.store));
            match page.state {
                PageState::Present(_) => count(&mut s.page_present, asked),
                PageState::Denied => count(&mut s.page_denied, asked),
                PageState::Absent => count(&mut s.page_absent, asked),
                PageState::Waits => count(
                    &mut s.page_missed_again,
                    asked && !inputs.answer_hit && page.accesses == old.accesses,
                ),
            }
        }
    }
}
