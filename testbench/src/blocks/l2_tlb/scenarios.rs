//! What the traffic has led to, counted.

use faultline_sim::mmu::l2_tlb::{
    Filled, Inputs, L2Tlb, OF_ALL, OF_PAGE, OF_SPACE, Operation, Outputs, Page,
};

use super::L2TlbTraffic;
use crate::traffic::scenarios;

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        hit, hit_of_a_write, write_without_the_right, read_of_a_clean_page, hit_in_an_invalidation, missed,
        write_missed_a_clean_page, missed_in_an_invalidation, same_page_of_another_space, miss_waits, all_misses_wait,
        passed_over_for_a_miss, passed_over_while_looked_up, several_request, lookup_after_lookup,
        request_after_a_reset, filled_into_an_empty_place, filled_into_a_full_set, replaced_itself,
        replaced_a_clean_page, fill_of_a_piece, fill_waits_for_an_invalidation, fill_with_an_invalidation,
        fill_after_an_invalidation, fill_before_an_invalidation, invalidated_page, invalidated_piece_of_a_large_page,
        invalidated_piece_of_a_huge_page, neighbour_stayed, other_space_stayed, invalidated_space,
        invalidated_everything, invalidation_after_invalidation, reset_in_use, reset_in_an_invalidation, idle,
    }
}

fn count(counter: &mut u64, happened: bool) {
    *counter += u64::from(happened);
}

impl L2TlbTraffic {
    /// Counts what acts in the cycle that comes.
    pub(super) fn count(&mut self, model: &L2Tlb, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let going_on = model.invalidating() && !model.clearing();
        count(
            &mut s.reset_in_use,
            inputs.reset && model.filled().count() > 0,
        );
        count(&mut s.reset_in_an_invalidation, inputs.reset && going_on);
        let waits = inputs.request_valid & model.missing();
        count(&mut s.passed_over_for_a_miss, waits != 0);
        let all = u16::MAX >> (16 - self.parameters.sms);
        count(&mut s.all_misses_wait, model.missing() == all);
        count(
            &mut s.request_after_a_reset,
            model.clearing() && inputs.request_valid != 0,
        );
        match model.acting() {
            Some(Operation::Lookup { sm, page, write }) => {
                let found = model.here(page);
                let clean = found.is_some_and(|filled| filled.clean);
                let hit = found.filter(|filled| filled.serves(write));
                count(&mut s.hit_of_a_write, hit.is_some() && write);
                let right = found.is_some_and(|filled| filled.writable);
                count(
                    &mut s.write_without_the_right,
                    found.is_some() && write && !right,
                );
                count(&mut s.read_of_a_clean_page, hit.is_some() && clean);
                count(&mut s.hit_in_an_invalidation, hit.is_some() && going_on);
                count(&mut s.missed, hit.is_none());
                count(&mut s.write_missed_a_clean_page, write && clean);
                count(&mut s.missed_in_an_invalidation, hit.is_none() && going_on);
                let elsewhere = |filled: &Filled| filled.page.vpn == page.vpn;
                count(
                    &mut s.same_page_of_another_space,
                    found.is_none() && model.filled().any(elsewhere),
                );
                let again = (inputs.request_valid >> sm) & 1 == 1;
                count(&mut s.passed_over_while_looked_up, again);
            }
            Some(Operation::Fill(filled)) => {
                let old = model.here(filled.page);
                let leaves = model.replaced_by(filled.page).is_some();
                count(&mut s.replaced_itself, old.is_some());
                count(
                    &mut s.replaced_a_clean_page,
                    old.is_some_and(|old| old.clean) && !filled.clean,
                );
                count(&mut s.filled_into_a_full_set, leaves);
                count(&mut s.filled_into_an_empty_place, old.is_none() && !leaves);
                count(&mut s.fill_of_a_piece, filled.level > 1);
            }
            Some(Operation::Step { set, scope, page }) if !model.clearing() => {
                self.count_step(model, set, scope, page);
            }
            _ => {}
        }
    }

    /// Counts the pages of a set that an invalidation takes and leaves.
    fn count_step(&mut self, model: &L2Tlb, set: usize, scope: u8, page: Page) {
        let s = &mut self.scenarios;
        let of_set = model
            .filled()
            .filter(|filled| self.parameters.set(filled.page) == set);
        for filled in of_set {
            let taken = model.covers(scope, page, filled);
            let itself = filled.page == page;
            let piece = taken && scope == OF_PAGE && !itself;
            count(&mut s.invalidated_page, taken && scope == OF_PAGE && itself);
            count(&mut s.invalidated_space, taken && scope == OF_SPACE);
            count(&mut s.invalidated_everything, scope >= OF_ALL);
            count(
                &mut s.invalidated_piece_of_a_large_page,
                piece && filled.level == 2,
            );
            count(
                &mut s.invalidated_piece_of_a_huge_page,
                piece && filled.level == 3,
            );
            let inside = self.parameters.inside(2);
            let near = filled.page.vpn >> inside == page.vpn >> inside;
            let same = filled.page.asid == page.asid;
            count(&mut s.neighbour_stayed, !taken && near && same);
            count(&mut s.other_space_stayed, !taken && near && !same);
        }
    }

    /// Counts what a cycle shows.
    pub(super) fn count_outputs(&mut self, model: &L2Tlb, inputs: &Inputs, outputs: &Outputs) {
        let s = &mut self.scenarios;
        count(&mut s.hit, outputs.answer_valid);
        count(
            &mut s.miss_waits,
            outputs.miss_valid & !inputs.miss_ready != 0,
        );
        count(
            &mut s.several_request,
            inputs.request_valid.count_ones() > 1 && outputs.request_ready != 0,
        );
        let looks_up = matches!(model.acting(), Some(Operation::Lookup { .. }));
        count(&mut s.lookup_after_lookup, looks_up && outputs.answer_valid);
        let fill = inputs.fill_valid && outputs.fill_ready;
        let waits = inputs.fill_valid && !outputs.fill_ready;
        let begun = inputs.invalidate_valid && !self.was_invalidated;
        count(
            &mut s.fill_waits_for_an_invalidation,
            waits && model.invalidating() && !model.clearing(),
        );
        count(&mut s.fill_with_an_invalidation, begun && inputs.fill_valid);
        count(
            &mut s.fill_before_an_invalidation,
            fill && inputs.invalidate_valid,
        );
        count(
            &mut s.fill_after_an_invalidation,
            fill && self.before.invalidate_ready,
        );
        count(
            &mut s.invalidation_after_invalidation,
            inputs.invalidate_valid && self.before.invalidate_ready,
        );
        count(
            &mut s.idle,
            inputs.request_valid == 0 && !inputs.fill_valid && outputs.miss_valid == 0,
        );
        self.was_invalidated = inputs.invalidate_valid && !outputs.invalidate_ready;
    }
}
