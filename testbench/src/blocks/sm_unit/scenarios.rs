//! What the traffic has led to, counted.

use faultline_sim::sm::sm_pipeline::Scheme;
use faultline_sim::sm::sm_unit::{Inputs, Outputs};

use super::SmUnitTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        access_taken, access_waits_for_entry, access_without_lanes, other_taken, other_waits, line_left, line_waits,
        last_line, walk_taken, page_filled, page_nacked, far_fault, page_resolved, faulted, faulted_denied, raised,
        raise_waits, certain, certain_beside_check, absent_reported, replayed, resumed_inside, resumed_inside_waits,
        resume_goes_first, two_warps_away, stopped_and_faulted, left_while_away, saved_while_away, invalidated,
        invalidated_in_use, unsettled, fault_in_replay, reset_in_use,
    }
}

impl Scenarios {
    /// Whether a scenario can occur in a scheme.
    pub fn occurs(scheme: Scheme, scenario: &str) -> bool {
        match scenario {
            "replayed" | "fault_in_replay" => scheme.queues(),
            "faulted"
            | "faulted_denied"
            | "raised"
            | "raise_waits"
            | "absent_reported"
            | "resumed_inside"
            | "resumed_inside_waits"
            | "resume_goes_first"
            | "two_warps_away"
            | "stopped_and_faulted"
            | "left_while_away"
            | "saved_while_away" => scheme.squashes(),
            _ => true,
        }
    }
}

impl SmUnitTraffic {
    /// Counts what a cycle shows.
    pub(super) fn count(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let before = self.before;
        let away = before.away;
        let s = &mut self.scenarios;
        let goes = outputs.memory_valid && !inputs.front_other;
        let taken = goes && outputs.memory_ready;
        count(&mut s.access_taken, taken);
        count(&mut s.access_waits_for_entry, goes && !outputs.memory_ready);
        count(
            &mut s.access_without_lanes,
            taken && outputs.memory_mask == 0,
        );
        let other = outputs.memory_valid && inputs.front_other;
        count(&mut s.other_taken, other && outputs.memory_ready);
        count(&mut s.other_waits, other && !outputs.memory_ready);
        let left = outputs.line_valid && inputs.line_ready;
        count(&mut s.line_left, left);
        count(&mut s.line_waits, outputs.line_valid && !inputs.line_ready);
        count(&mut s.last_line, left && outputs.line_last);
        count(&mut s.walk_taken, outputs.walk_valid && inputs.walk_ready);
        count(
            &mut s.page_filled,
            inputs.fill_valid && inputs.fill_kind == 0,
        );
        count(&mut s.far_fault, inputs.fill_valid && inputs.fill_kind == 2);
        count(
            &mut s.page_nacked,
            inputs.fill_valid && inputs.fill_kind == 3,
        );
        count(&mut s.page_resolved, inputs.resolve_valid);
        let raised = inputs.raised_valid && outputs.raised_ready;
        let faulted = outputs.faulted_valid && !raised;
        count(&mut s.faulted, faulted && !outputs.faulted_denied);
        count(&mut s.faulted_denied, outputs.faulted_denied);
        count(&mut s.raised, raised);
        count(
            &mut s.raise_waits,
            inputs.raised_valid && !outputs.raised_ready,
        );
        let certain = inputs.certain_valid && outputs.certain_ready;
        count(&mut s.certain, certain);
        count(&mut s.certain_beside_check, before.check_waits);
        count(&mut s.absent_reported, outputs.absent_valid);
        count(&mut s.replayed, taken && outputs.memory_replayed);
        let offered = before.resuming;
        let inside = offered.is_some() && !inputs.resume_valid;
        count(&mut s.resumed_inside, inside && outputs.resume_ready);
        count(&mut s.resumed_inside_waits, inside && !outputs.resume_ready);
        count(
            &mut s.resume_goes_first,
            offered.is_some() && inputs.resume_valid,
        );
        count(&mut s.two_warps_away, away.count_ones() > 1);
        let of = |warp: u8| away >> warp & 1 == 1;
        count(
            &mut s.stopped_and_faulted,
            faulted && inputs.hold >> outputs.faulted_warp & 1 == 1,
        );
        count(
            &mut s.left_while_away,
            inputs.leave_valid && of(inputs.leave_warp),
        );
        let held = away & inputs.hold;
        count(
            &mut s.saved_while_away,
            inputs.save_valid && outputs.save_ready && held != 0,
        );
        count(&mut s.invalidated, inputs.invalidate_valid);
        count(
            &mut s.invalidated_in_use,
            inputs.invalidate_valid && before.is_used,
        );
        count(&mut s.unsettled, !outputs.settled);
        count(
            &mut s.fault_in_replay,
            faulted && before.replaying >> outputs.faulted_warp & 1 == 1,
        );
        count(&mut s.reset_in_use, inputs.reset && before.is_used);
    }
}
