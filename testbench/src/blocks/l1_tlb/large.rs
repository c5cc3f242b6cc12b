//! What the traffic has led to among large pages, counted.

use faultline_sim::sm::l1_tlb::{
    CANCELLED, DENIED, L1Tlb, LARGE, Miss, OF_PAGE, OF_SPACE, Step, TRANSLATION,
};

use super::L1TlbTraffic;
use crate::traffic::count;

impl L1TlbTraffic {
    /// Counts what acts in the cycle that comes.
    pub(super) fn count_large(&mut self, model: &L1Tlb) {
        let (came, parameters) = (model.came(), self.parameters);
        let s = &mut self.scenarios;
        self.by_large = came.check_valid && model.found_large().is_some();
        if parameters.large_ways == 0 {
            return;
        }
        let of = |page| model.misses().find(|miss| miss.page == page);
        let here = |page| model.filled().any(|filled| filled.page == page);
        let large_page = |page| parameters.large_page(page);
        let walks = |step| matches!(step, Step::Walking { .. });

        // The fill: of an entry that walks, and blocked or not.
        let page = came.filled();
        let covering = model.covering(page).is_some();
        let walked = came.fill_valid
            && of(page).is_some_and(|miss| miss.step == Step::Walking { stale: false });
        let beside = model.blocks(page) && !came.invalidates(page);
        let ended = walked && !model.blocks(page);
        let large = ended && came.fill_kind == LARGE;
        let own = ended && [TRANSLATION, DENIED].contains(&came.fill_kind);
        let checked = came.check_valid.then(|| large_page(came.checked()));
        let replaced = model.large_replaced_by(page).filter(|_| large && !covering);
        count(&mut s.large_filled, large);
        count(&mut s.large_filled_again, large && covering);
        let alike = |miss: &&Miss| large_page(miss.page) == large_page(page);
        count(
            &mut s.large_filled_among_misses_of_it,
            large && model.misses().filter(alike).count() > 1,
        );
        count(&mut s.large_replaced, replaced.is_some());
        count(
            &mut s.large_replaced_while_used,
            replaced.is_some() && replaced == checked && self.by_large,
        );
        count(&mut s.large_covers_a_page_that_is_filled, own && covering);
        count(
            &mut s.large_fill_blocked_by_another_page,
            walked && came.fill_kind == LARGE && beside,
        );
        let cancelled = came.fill_valid
            && came.fill_kind == CANCELLED
            && of(page).is_some_and(|miss| miss.step == Step::Fetching);
        count(
            &mut s.large_cancellation_blocked_by_another_page,
            cancelled && beside,
        );

        // The check.
        let spoils = came.check_valid && model.spoils_large();
        let by_itself = here(came.checked()) && !model.spoils();
        count(&mut s.large_hit, self.by_large);
        count(
            &mut s.large_hit_beside_its_own,
            self.by_large && here(came.checked()),
        );
        count(
            &mut s.large_hit_of_an_absent_page,
            self.by_large && of(came.checked()).is_some_and(|miss| miss.absent),
        );
        count(&mut s.large_written_clean, spoils);
        count(
            &mut s.large_written_clean_beside_its_fill,
            spoils && large && checked == Some(large_page(page)),
        );
        count(
            &mut s.large_written_clean_and_found_by_itself,
            spoils && by_itself,
        );

        // The invalidation.
        let dropped = came.invalidated();
        let scope = came.invalidate_valid.then_some(came.invalidate_scope);
        count(
            &mut s.large_page_invalidated_by_another_page,
            scope == Some(OF_PAGE)
                && model
                    .covering(dropped)
                    .is_some_and(|large| large.page != dropped),
        );
        count(
            &mut s.large_page_invalidated_by_space,
            scope == Some(OF_SPACE) && model.large().any(|large| came.invalidates(large.page)),
        );
        let blocked = |miss: &Miss| {
            walks(miss.step) && model.blocks(miss.page) && !came.invalidates(miss.page)
        };
        count(
            &mut s.large_walk_blocked_by_another_page,
            model.misses().any(blocked),
        );
    }
}
