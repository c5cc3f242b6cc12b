//! What the traffic has led to, counted.

use faultline_sim::mmu::gmmu::{Gmmu, Inputs, Outputs, Phase};
use faultline_sim::mmu::page_walker::{Step, Walk};
use faultline_sim::sm::l1_tlb::{CANCELLED, DENIED, FAR, LARGE, NACK, TRANSLATION};

use super::GmmuTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        hit, several_responses, translation, large_from_a_walk, large_from_the_tlb, large_page_in_pieces, denial, far_fault, nack, far_and_nack_at_once, hit_goes_before_denial,
        hit_goes_before_far_fault, hit_goes_before_walk, found_for_nobody, premature, write_replayed,
        read_only_page_as_a_clean_one, resolved,
        resolved_for_several, region_resolved, cancelled, region_cancelled, region_cancelled_beside_a_walk,
        limit_reached, no_room, mshrs_full, every_walk_busy, walk_of_the_mshrs, walked_twice_at_once,
        two_walks_of_the_mshrs, report_of_a_denial, two_reports_at_once, readable_and_denied, clean_page, large_page,
        invalidated_page, invalidated_space, invalidated_all, invalidation_meets_an_answer,
        command_during_an_invalidation, answer_waits, interrupt, record_word, details_queried, walk_begun_bypassed,
        fault_of_a_bypassing_walk, page_found_bypassed, kept_entry_given_up, l2_switched_off, nothing_cached,
        reset_in_use,
    }
}

impl GmmuTraffic {
    /// Counts a cycle.
    pub(super) fn count(&mut self, model: &Gmmu, inputs: &Inputs, outputs: &Outputs) {
        let s = &mut self.scenarios;
        let responded = |kind: u8| {
            let of_kind = |sm: &usize| {
                outputs.fill_valid >> sm & 1 == 1 && outputs.fill_kind[*sm] == u64::from(kind)
            };
            (0..16).any(|sm| of_kind(&sm))
        };
        let translated = responded(TRANSLATION) || responded(LARGE);
        let (dispatch, walks) = (model.dispatch(), model.walks());
        let region = inputs.region;
        let busy = model.walker().walks().filter(|walk| walk.requesters != 0);
        let held = model.mshrs().held().count();
        count(
            &mut s.several_responses,
            outputs.fill_valid.count_ones() > 1,
        );
        count(&mut s.translation, responded(TRANSLATION));
        count(
            &mut s.large_from_a_walk,
            responded(LARGE) && dispatch.responds,
        );
        count(
            &mut s.large_from_the_tlb,
            responded(LARGE) && !dispatch.responds,
        );
        count(
            &mut s.large_page_in_pieces,
            responded(TRANSLATION) && dispatch.responds && dispatch.level() > 1,
        );
        count(&mut s.denial, responded(DENIED));
        count(&mut s.far_fault, responded(FAR));
        count(&mut s.nack, responded(NACK));
        count(
            &mut s.far_and_nack_at_once,
            responded(FAR) && responded(NACK),
        );
        count(
            &mut s.hit,
            translated && !dispatch.responds && outputs.fill_valid != 0,
        );
        let hit = translated && outputs.fill_vpn != dispatch.vpn;
        count(&mut s.hit_goes_before_walk, hit && dispatch.responds);
        let waking = matches!(
            model.mshrs().doing(),
            faultline_sim::mmu::far_fault_mshr::Doing::Waking { denied: true, .. }
        );
        let answering = matches!(
            model.mshrs().doing(),
            faultline_sim::mmu::far_fault_mshr::Doing::Answering { .. }
        );
        count(&mut s.hit_goes_before_denial, waking && translated);
        count(&mut s.hit_goes_before_far_fault, answering && translated);
        count(&mut s.found_for_nobody, dispatch.finds && dispatch.sms == 0);
        count(&mut s.resolved, outputs.resolve_valid != 0);
        count(
            &mut s.resolved_for_several,
            outputs.resolve_valid.count_ones() > 1,
        );
        count(&mut s.region_resolved, region && outputs.resolve_valid != 0);
        count(&mut s.cancelled, waking);
        count(&mut s.region_cancelled, region && waking);
        let named = (0..16).any(|sm| {
            let responded = outputs.fill_valid >> sm & 1 == 1;
            let cancelled = outputs.fill_kind[sm] == u64::from(CANCELLED);
            responded
                && cancelled
                && model
                    .walker()
                    .walks()
                    .any(|walk| walk.key.vpn == outputs.fill_vpn && walk.requesters >> sm & 1 == 1)
        });
        count(&mut s.region_cancelled_beside_a_walk, region && named);
        count(
            &mut s.limit_reached,
            (0..16).any(|sm| model.mshrs().faults_of(sm) == usize::from(inputs.far_limit)),
        );
        count(&mut s.no_room, !model.buffer().room() && dispatch.faults);
        count(&mut s.mshrs_full, held == self.parameters.mshrs.entries);
        count(
            &mut s.every_walk_busy,
            busy.count() == self.parameters.walker.walks,
        );
        count(&mut s.walk_of_the_mshrs, walks > 0);
        count(&mut s.two_walks_of_the_mshrs, walks > 1);
        count(
            &mut s.walked_twice_at_once,
            walks > 1 && model.walker().has_twins(),
        );
        count(&mut s.premature, dispatch.finds && dispatch.is_absent());
        count(
            &mut s.write_replayed,
            dispatch.faults && dispatch.cause() == 4,
        );
        count(
            &mut s.read_only_page_as_a_clean_one,
            outputs.fill_clean && !outputs.fill_writable,
        );
        count(&mut s.report_of_a_denial, dispatch.reports);
        count(
            &mut s.two_reports_at_once,
            dispatch.reports && model.reporting(),
        );
        count(
            &mut s.readable_and_denied,
            dispatch.reports && dispatch.fills,
        );
        count(&mut s.clean_page, outputs.fill_clean);
        count(&mut s.large_page, dispatch.fills && dispatch.level() > 1);
        let done = outputs.invalidate_ready;
        count(
            &mut s.invalidated_page,
            done && inputs.invalidate_scope == 0,
        );
        count(
            &mut s.invalidated_space,
            done && inputs.invalidate_scope == 1,
        );
        count(&mut s.invalidated_all, done && inputs.invalidate_scope > 1);
        count(
            &mut s.invalidation_meets_an_answer,
            model.phase() == Phase::ResponseDispatch && dispatch.is_busy(),
        );
        count(
            &mut s.command_during_an_invalidation,
            model.phase() != Phase::Idle && inputs.register_valid && inputs.register_number == 7,
        );
        count(
            &mut s.answer_waits,
            dispatch.is_busy() && model.phase() == Phase::Tlb,
        );
        count(&mut s.interrupt, outputs.interrupts);
        count(
            &mut s.record_word,
            outputs.write_valid && inputs.write_ready,
        );
        count(&mut s.details_queried, outputs.detail_valid);
        count(
            &mut s.l2_switched_off,
            !inputs.shared_tlb && outputs.fill_valid != 0,
        );
        count(
            &mut s.nothing_cached,
            inputs.cached_levels == 0 && outputs.memory_valid,
        );
        // A walk would have ended without a page by what is kept, and what memory gives it is another entry.
        let bypass = |walk: &Walk| walk.bypass && walk.step != Step::Free;
        let all = model.walker().walks().filter(|walk| bypass(walk)).count();
        let found = model
            .walker()
            .walks()
            .filter(|walk| bypass(walk) && walk.has_found());
        let refused = model
            .walker()
            .walks()
            .filter(|walk| bypass(walk) && walk.has_failed());
        count(&mut s.walk_begun_bypassed, all > 0);
        count(&mut s.page_found_bypassed, found.count() > 0);
        count(&mut s.fault_of_a_bypassing_walk, refused.count() > 0);
        let given_up = model.cache().fill().is_some_and(|fill| {
            let here = model.cache().here(fill.word);
            here.is_some_and(|here| here != fill.entry)
        });
        count(&mut s.kept_entry_given_up, given_up);
        count(&mut s.reset_in_use, inputs.reset && self.far_faults > 0);
        (self.walks, self.far_faults) = (walks, held);
    }
}
