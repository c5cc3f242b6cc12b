//! What the traffic has led to, counted.

use faultline_sim::mmu::far_fault_mshr::{Doing, FarFaultMshr, Inputs, Outputs, Work};

use super::FarFaultMshrTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        new_fault, new_fault_of_many, merged, merged_again, merged_at_the_limit, refused_by_the_limit, refused_when_full,
        far_and_nack_together, merged_when_full, merged_while_marked, all_held, last_entry_ended, page_beside_another_space,
        page_of_a_held_region, same_tag_read, three_read, resolved, resolved_again, resolved_nothing, cancelled,
        cancelled_nothing, cancelled_some, cancelled_nobody, step_cancelled_some, step_cancelled_nobody, cancelled_while_walked, woken, woken_many, woken_by_an_old_walk, present_of_nothing,
        upgraded, upgraded_without_room, missing, missing_without_room, missing_nothing, missing_behind_a_report,
        all_resolved, all_cancelled, all_of_nothing, step_resolved, step_cancelled, marked_entry_ended,
        fault_beside_a_sweep, command_beside_a_sweep, fault_behind_a_report, command_behind_a_walk, fault_goes_first,
        fault_gives_way, answer_stalled, wake_stalled, report_stalled, walk_stalled, premature, four_at_once, idle,
        reset_in_use,
    }
}

impl FarFaultMshrTraffic {
    /// Counts what acts in the cycle that comes.
    pub(super) fn count(&mut self, model: &FarFaultMshr, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let held = model.held().count();
        count(&mut s.reset_in_use, inputs.reset && held > 0);
        let Doing::Operation(work, 1) = *model.doing() else {
            return;
        };
        let came = model.came();
        let region = came.region;
        let of = |page| {
            let entry = model.entry_of(page, region);
            model
                .held()
                .find(|(index, _)| Some(*index) == entry)
                .map(|(_, held)| *held)
        };
        let full = held == self.parameters.entries;
        count(&mut s.all_held, full);
        let marked = model.held().any(|(_, held)| held.marked);
        match work {
            Work::Fault => {
                let (page, requesters) = (came.faulted(), came.fault_requesters);
                let below = (0..self.parameters.sms)
                    .filter(|sm| model.faults_of(*sm) < inputs.limit.into())
                    .fold(0, |mask: u16, sm| mask | 1 << sm);
                let entry = of(page);
                let waits = entry.map_or(0, |entry| entry.waiters);
                let writes = came.fault_access & 1 == 1;
                let upgraded = writes && entry.is_some_and(|entry| entry.access & 1 == 0);
                count(
                    &mut s.upgraded,
                    upgraded && requesters & (below | waits) != 0,
                );
                let unheard = upgraded && inputs.limit == 0;
                count(
                    &mut s.upgraded_without_room,
                    unheard && requesters & waits != 0,
                );
                let some = requesters & below != 0;
                count(&mut s.new_fault, entry.is_none() && some && !full);
                count(
                    &mut s.new_fault_of_many,
                    entry.is_none() && !full && (requesters & below).count_ones() > 2,
                );
                count(
                    &mut s.merged,
                    requesters & below & !waits != 0 && waits != 0,
                );
                count(&mut s.merged_again, requesters & waits != 0);
                count(&mut s.merged_at_the_limit, requesters & waits & !below != 0);
                count(
                    &mut s.refused_by_the_limit,
                    requesters & !below & !waits != 0 && !full,
                );
                count(&mut s.refused_when_full, entry.is_none() && full && some);
                count(
                    &mut s.far_and_nack_together,
                    entry.is_none() && !full && some && requesters & !below != 0,
                );
                count(&mut s.merged_when_full, full && waits != 0);
                count(
                    &mut s.merged_while_marked,
                    entry.is_some_and(|entry| entry.marked),
                );
                count(&mut s.fault_beside_a_sweep, marked);
                count(
                    &mut s.page_beside_another_space,
                    model
                        .held()
                        .any(|(_, held)| held.page.vpn == page.vpn && held.page.asid != page.asid),
                );
                count(
                    &mut s.page_of_a_held_region,
                    entry.is_some_and(|entry| entry.page != page),
                );
            }
            Work::Present => {
                let entry = of(came.walked());
                count(&mut s.woken, entry.is_some());
                count(
                    &mut s.woken_many,
                    entry.is_some_and(|entry| entry.waiters.count_ones() > 3),
                );
                count(&mut s.present_of_nothing, entry.is_none());
                count(&mut s.last_entry_ended, entry.is_some() && held == 1);
                count(
                    &mut s.marked_entry_ended,
                    entry.is_some_and(|entry| entry.marked),
                );
                let fresh = self.requested.contains(&came.walked());
                count(&mut s.woken_by_an_old_walk, entry.is_some() && !fresh);
            }
            Work::Missing => {
                let held = of(came.walked()).is_some();
                count(&mut s.missing, held);
                count(&mut s.missing_without_room, held && inputs.limit == 0);
                count(&mut s.missing_nothing, !held);
            }
            Work::Resolve => {
                let entry = of(came.commanded());
                count(&mut s.resolved, entry.is_some());
                count(&mut s.resolved_nothing, entry.is_none());
                let again = entry.is_some_and(|entry| self.requested.contains(&entry.page));
                count(&mut s.resolved_again, again);
            }
            Work::Cancel => {
                let entry = of(came.commanded());
                let waiters = entry.map_or(0, |entry| entry.waiters);
                let reported = waiters & came.command_requesters;
                count(&mut s.cancelled, reported != 0 && reported == waiters);
                count(&mut s.cancelled_some, reported != 0 && reported != waiters);
                count(&mut s.cancelled_nobody, reported == 0 && waiters != 0);
                count(&mut s.cancelled_nothing, entry.is_none());
                let walked = entry.is_some_and(|entry| self.walks.contains(&entry.page));
                count(&mut s.cancelled_while_walked, walked);
            }
            Work::All { cancel } => {
                count(&mut s.all_resolved, !cancel && held > 1);
                count(&mut s.all_cancelled, cancel && held > 1);
                count(&mut s.all_of_nothing, held == 0);
            }
            Work::Step => {
                let marked = model.held().find(|(_, held)| held.marked);
                if let Some((waiters, of)) =
                    marked.and_then(|(_, held)| Some((held.waiters, model.sweep_denies()?)))
                {
                    let reported = waiters & of;
                    count(
                        &mut s.step_cancelled_some,
                        reported != 0 && reported != waiters,
                    );
                    count(&mut s.step_cancelled_nobody, reported == 0);
                }
            }
        }
    }

    /// Counts what a cycle shows.
    pub(super) fn count_outputs(
        &mut self,
        model: &FarFaultMshr,
        inputs: &Inputs,
        outputs: &Outputs,
    ) {
        let s = &mut self.scenarios;
        let fault = inputs.fault_valid;
        let other = inputs.present_valid || inputs.command_valid;
        if let Doing::Operation(work, left) = *model.doing() {
            count(&mut s.same_tag_read, work != Work::Step && left > 5);
            count(&mut s.three_read, left == 8);
        }
        count(
            &mut s.step_resolved,
            outputs.sweeping && outputs.walk_valid && inputs.walk_ready,
        );
        count(
            &mut s.step_cancelled,
            outputs.sweeping && outputs.wake_valid && outputs.wake_denied,
        );
        count(
            &mut s.command_beside_a_sweep,
            outputs.sweeping && inputs.command_valid && !outputs.command_ready,
        );
        count(
            &mut s.fault_behind_a_report,
            fault && !outputs.fault_ready && outputs.report_valid,
        );
        count(
            &mut s.command_behind_a_walk,
            inputs.command_valid && !outputs.command_ready && outputs.walk_valid,
        );
        count(
            &mut s.fault_goes_first,
            fault && outputs.fault_ready && other,
        );
        count(
            &mut s.fault_gives_way,
            fault && !outputs.fault_ready && outputs.present_ready && !outputs.report_valid,
        );
        count(
            &mut s.answer_stalled,
            outputs.answer_valid && !inputs.answer_ready,
        );
        count(
            &mut s.wake_stalled,
            outputs.wake_valid && !inputs.wake_ready,
        );
        count(
            &mut s.report_stalled,
            outputs.report_valid && !inputs.report_ready,
        );
        count(
            &mut s.walk_stalled,
            outputs.walk_valid && !inputs.walk_ready,
        );
        count(
            &mut s.four_at_once,
            fault && inputs.present_valid && inputs.command_valid && outputs.sweeping,
        );
        let missing = inputs.present_valid && inputs.present_missing;
        count(
            &mut s.missing_behind_a_report,
            missing && outputs.report_valid && !outputs.present_ready,
        );
        count(&mut s.idle, !fault && !other && !outputs.answer_valid);
    }
}
