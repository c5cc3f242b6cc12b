//! What the traffic has led to, counted.

use faultline_sim::sm::coalescer::{Inputs, Outputs, requests};

use super::CoalescerTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        one_request, a_request_for_each_lane, lines_apart, one_lane, no_lane, highest_lane_alone, pages_of_several_lines,
        pages_apart, instruction_stalled, accepted_beside_a_last_request, request_stalled, request_after_request,
        instruction_after_instruction, idle, reset_in_use,
    }
}

impl CoalescerTraffic {
    /// Counts what a cycle shows.
    pub(super) fn count(
        &mut self,
        inputs: &Inputs,
        outputs: &Outputs,
        taken: bool,
        accepted: bool,
    ) {
        let lanes = inputs.instruction_mask.count_ones();
        let s = &mut self.scenarios;
        if accepted {
            let split = |pages| {
                requests(inputs.instruction_mask, &inputs.instruction_line, pages).len() as u32
            };
            let (lines, pages) = (split(false), split(true));
            let made = if inputs.instruction_pages {
                pages
            } else {
                lines
            };
            let every = lanes == self.parameters.lanes as u32;
            count(&mut s.one_request, every && made == 1);
            count(&mut s.a_request_for_each_lane, every && made == lanes);
            count(&mut s.lines_apart, made > 1 && made < lanes);
            count(&mut s.one_lane, lanes == 1);
            count(&mut s.no_lane, lanes == 0);
            let highest = self.parameters.lanes as u32 - 1;
            count(
                &mut s.highest_lane_alone,
                inputs.instruction_mask == 1 << highest,
            );
            count(
                &mut s.pages_of_several_lines,
                inputs.instruction_pages && pages < lines,
            );
            count(&mut s.pages_apart, inputs.instruction_pages && pages > 1);
            count(&mut s.accepted_beside_a_last_request, outputs.request_valid);
        }
        count(
            &mut s.instruction_stalled,
            inputs.instruction_valid && !outputs.instruction_ready,
        );
        count(
            &mut s.request_stalled,
            outputs.request_valid && !inputs.request_ready,
        );
        count(&mut s.request_after_request, taken && self.before.0);
        count(
            &mut s.instruction_after_instruction,
            accepted && self.before.1,
        );
        count(
            &mut s.idle,
            !outputs.request_valid && !inputs.instruction_valid,
        );
    }
}
