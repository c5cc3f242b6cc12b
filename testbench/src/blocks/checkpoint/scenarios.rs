//! What the traffic has led to, counted.

use faultline_sim::preempt::checkpoint::{Activity, Inputs, Outputs};

use super::CheckpointTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        base, left, came_back, came_back_and_runs, refused, does_not_fit, nothing_dirty, no_shared_memory,
        no_instruction, instructions_with_operands, all_in_place, some_in_place, a_list, full_list, several_lists,
        bit_changed, cut, doubled, other_block, other_epoch, too_few_registers, too_little_shared_memory, too_few_warps,
        too_few_operands, too_many_instructions, operand_missing, operand_twice, data_before_address, instruction_missing,
        other_operands, operand_without_log, done_too_early, get_before_header, stop_waits, drain_waits, walk_waits, dirty_waits, get_waits, got_waits, put_waits,
        out_waits, in_waits, restore_waits, resume_waits, verdict_waits, a_beat_in_each_cycle, reset_while_saving,
        reset_while_restoring, reset_while_clearing, reset_while_resuming,
    }
}

impl CheckpointTraffic {
    /// Counts what a cycle has brought.
    pub(super) fn count(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let before = self.before;
        let s = &mut self.scenarios;
        if inputs.reset {
            match before {
                Activity::Idle | Activity::Reporting => {}
                Activity::Restoring => s.reset_while_restoring += 1,
                Activity::Clearing | Activity::Dropping => s.reset_while_clearing += 1,
                Activity::Resuming(_) => s.reset_while_resuming += 1,
                _ => s.reset_while_saving += 1,
            }
            return;
        }
        count(&mut s.stop_waits, outputs.stop_valid && !inputs.stop_ready);
        count(
            &mut s.drain_waits,
            before == Activity::Draining && !inputs.save_ready,
        );
        count(&mut s.walk_waits, outputs.walk_valid && !inputs.walk_ready);
        count(
            &mut s.dirty_waits,
            inputs.dirty_valid && !outputs.dirty_ready,
        );
        count(&mut s.get_waits, outputs.get_valid && !inputs.get_ready);
        count(
            &mut s.done_too_early,
            inputs.save_done && outputs.save_valid && before == Activity::SavingQueue,
        );
        count(&mut s.got_waits, inputs.got_valid && !outputs.got_ready);
        count(&mut s.put_waits, outputs.put_valid && !inputs.put_ready);
        count(&mut s.out_waits, outputs.out_valid && !inputs.out_ready);
        count(&mut s.in_waits, inputs.in_valid && !outputs.in_ready);
        count(
            &mut s.restore_waits,
            outputs.restore_valid && !inputs.restore_ready,
        );
        count(
            &mut s.resume_waits,
            outputs.resume_valid && !inputs.resume_ready,
        );
        count(
            &mut s.verdict_waits,
            outputs.ended_valid && !inputs.ended_ready,
        );
        count(
            &mut s.a_beat_in_each_cycle,
            inputs.got_valid && outputs.got_ready && outputs.get_valid && inputs.get_ready,
        );
    }
}
