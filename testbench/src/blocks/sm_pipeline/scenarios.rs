//! What the traffic has led to, counted.

use faultline_sim::sm::sm_pipeline::{Class, Inputs, Outputs, Scheme, SmPipeline, WIDTH};

use super::SmPipelineTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        two_warps_issue, one_warp_issues_twice, nothing_issues, load_behind_load, store_taken, shared_taken,
        memory_stalled, reverted_one, reverted_two, resumed, resume_waits, stopped, reset_in_use, save_waits,
        save_ended, replayed, instruction_saved, instruction_restored, restore_waits, operand_spilled, store_spilled,
        spill_and_store_checked, board_full, queue_full, log_full, log_in_turn,
    }
}

impl Scenarios {
    /// Whether a scenario can occur in a scheme.
    pub fn occurs(scheme: Scheme, scenario: &str) -> bool {
        match scenario {
            "replayed"
            | "instruction_saved"
            | "instruction_restored"
            | "restore_waits"
            | "queue_full" => scheme.queues(),
            "operand_spilled"
            | "store_spilled"
            | "spill_and_store_checked"
            | "log_full"
            | "log_in_turn" => scheme == Scheme::OperandLog,
            _ => true,
        }
    }
}

impl SmPipelineTraffic {
    /// Counts what a cycle shows.
    pub(super) fn count(&mut self, model: &SmPipeline, inputs: &Inputs, outputs: &Outputs) {
        let s = &mut self.scenarios;
        let read: Vec<u64> = (0..WIDTH)
            .filter(|&port| outputs.read_valid[port] == 1)
            .map(|port| outputs.read_warp[port])
            .collect();
        count(
            &mut s.two_warps_issue,
            read.len() == 2 && read[0] != read[1],
        );
        count(
            &mut s.one_warp_issues_twice,
            read.len() == 2 && read[0] == read[1],
        );
        count(&mut s.nothing_issues, read.is_empty());
        let class = Class::of(outputs.memory_class.into());
        let taken = outputs.memory_valid && inputs.memory_ready;
        let reads_load = (0..WIDTH).any(|port| {
            outputs.read_valid[port] == 1 && Class::of(outputs.read_class[port]) == Class::Load
        });
        count(
            &mut s.load_behind_load,
            taken && class == Class::Load && reads_load,
        );
        count(&mut s.store_taken, taken && class == Class::Store);
        count(&mut s.shared_taken, taken && class == Class::Shared);
        count(
            &mut s.memory_stalled,
            outputs.memory_valid && !inputs.memory_ready,
        );
        count(
            &mut s.reverted_one,
            outputs.revert_valid && outputs.revert_count == 1,
        );
        count(
            &mut s.reverted_two,
            outputs.revert_valid && outputs.revert_count == 2,
        );
        count(&mut s.resumed, inputs.resume_valid && outputs.resume_ready);
        count(
            &mut s.resume_waits,
            inputs.resume_valid && !outputs.resume_ready,
        );
        count(&mut s.stopped, inputs.stop_valid);
        count(&mut s.replayed, outputs.read_replayed[0] == 1);
        count(&mut s.save_waits, inputs.save_valid && !outputs.save_ready);
        count(&mut s.save_ended, outputs.save_done);
        let saved = outputs.saved_valid && inputs.saved_ready;
        count(&mut s.instruction_saved, saved);
        count(
            &mut s.instruction_restored,
            inputs.restore_valid && outputs.restore_ready,
        );
        count(
            &mut s.restore_waits,
            inputs.restore_valid && !outputs.restore_ready,
        );
        count(&mut s.operand_spilled, outputs.spilled_valid);
        count(&mut s.store_spilled, saved && outputs.saved_store);
        count(
            &mut s.spill_and_store_checked,
            outputs.spilled_valid && inputs.checked_valid && inputs.checked_store,
        );
        count(&mut s.board_full, model.fills_a_scoreboard());
        let queue = self.parameters.queue.entries;
        count(&mut s.queue_full, usize::from(outputs.occupancy) == queue);
        count(&mut s.log_full, model.fills_a_part_of_the_log());
        count(&mut s.log_in_turn, model.takes_turns());
        count(&mut s.reset_in_use, inputs.reset && outputs.memory_front);
    }
}
