//! What the traffic has led to, counted.

use faultline_sim::preempt::preemption_policy::{Case, Inputs, PreemptionPolicy};

use super::PreemptionPolicyTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        two_checkpoints, one_checkpoint, drain_within, drain_then_one, drain_then_two, drain_before,
        no_time_for_the_next, next_is_over, next_is_short, flush, flush_for_the_deadline, switch,
        switch_of_what_was_run, switch_too_late, drain_in_time, drain_too_late, by_profile, by_instructions,
        nothing_executed, nothing_left, run_beyond_the_average, switch_overflows, remaining_overflows, whole_overflows,
        no_block, equal_times, empty_slot_queried, first_profile, more_profile, launch_forgets,
        launch_in_the_cycle_of_an_end, ended_nothing, begun_twice, ended_and_begun, issued_twice_of_one, issued_of_none,
        launch_while_queried, ended_while_queried, answer_waits, reset_in_use,
    }
}

impl PreemptionPolicyTraffic {
    /// Counts what a cycle brings.
    pub(super) fn count(&mut self, model: &PreemptionPolicy, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let active = |slot: u64| model.slots()[slot as usize].active;
        let ends = inputs.end_valid && active(inputs.end_slot);
        count(&mut s.first_profile, ends && model.average().is_none());
        count(&mut s.more_profile, ends && model.average().is_some());
        count(&mut s.ended_nothing, inputs.end_valid && !ends);
        let begins_again = inputs.begin_valid && active(inputs.begin_slot);
        let both = inputs.end_valid && inputs.end_slot == inputs.begin_slot;
        count(&mut s.begun_twice, begins_again && !both);
        count(&mut s.ended_and_begun, begins_again && both);
        let known = inputs.launch_valid && model.average().is_some();
        count(&mut s.launch_forgets, known);
        count(
            &mut s.launch_in_the_cycle_of_an_end,
            inputs.launch_valid && ends,
        );
        let slots = inputs.issued_slot;
        let twice = inputs.issued_valid == 3 && slots[0] == slots[1];
        count(&mut s.issued_twice_of_one, twice && active(slots[0]));
        let issued = inputs.issued_valid & 1 == 1;
        count(&mut s.issued_of_none, issued && !active(slots[0]));
        let queried = model.answer().is_some();
        count(&mut s.launch_while_queried, queried && known);
        count(
            &mut s.ended_while_queried,
            queried && ends && inputs.end_slot == inputs.query_slot,
        );
        count(&mut s.reset_in_use, inputs.reset && queried);
        if inputs.query_valid && !queried {
            self.count_query(model, inputs);
        }
    }

    fn count_query(&mut self, model: &PreemptionPolicy, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let slot = model.slots()[inputs.query_slot as usize];
        let by_instructions = inputs.query_chimera || model.average().is_none();
        count(&mut s.by_profile, !by_instructions);
        count(&mut s.by_instructions, by_instructions && slot.executed > 0);
        count(
            &mut s.nothing_executed,
            by_instructions && slot.executed == 0,
        );
        let done = slot.executed > 0 && inputs.query_instructions <= slot.executed;
        count(&mut s.nothing_left, by_instructions && done);
        let beyond = model.average().is_some_and(|average| average < slot.run);
        count(&mut s.run_beyond_the_average, beyond && !by_instructions);
        count(&mut s.empty_slot_queried, !slot.active);
        let blocks = model.slots().iter().filter(|slot| slot.active).count();
        count(&mut s.no_block, blocks == 0 && !inputs.query_chimera);
    }

    /// Counts what is answered, once.
    pub(super) fn count_answer(&mut self, model: &PreemptionPolicy, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let Some((estimate, 0)) = model.answer() else {
            return;
        };
        count(&mut s.answer_waits, !inputs.answer_ready);
        if self.waiting {
            return;
        }
        let most = self.parameters.most();
        let launch = inputs.query_launch;
        let remaining = estimate.remaining;
        let within = launch < remaining;
        let rest = launch.saturating_sub(remaining);
        let pep = !inputs.query_chimera;
        count(&mut s.switch_overflows, estimate.switch == most);
        count(&mut s.remaining_overflows, remaining == most);
        let whole = estimate.run + remaining > most && !estimate.profiled;
        count(&mut s.whole_overflows, pep && whole);
        count(&mut s.equal_times, launch == remaining);
        match estimate.case {
            Case::TwoCheckpoints => s.two_checkpoints += 1,
            Case::OneCheckpoint => s.one_checkpoint += 1,
            Case::DrainThenOne => s.drain_then_one += 1,
            Case::DrainThenTwo => s.drain_then_two += 1,
            Case::Drain if pep && within => s.drain_within += 1,
            Case::Drain if pep => {
                s.drain_before += 1;
                let time = rest > inputs.query_warm_up;
                count(&mut s.no_time_for_the_next, !time);
                count(&mut s.next_is_over, time && estimate.whole <= rest);
                count(&mut s.next_is_short, time && estimate.whole > rest);
            }
            Case::Drain => {
                count(&mut s.drain_in_time, !within);
                count(&mut s.drain_too_late, within);
            }
            Case::Flush => {
                s.flush += 1;
                count(&mut s.flush_for_the_deadline, estimate.switch > launch);
            }
            Case::Switch => {
                s.switch += 1;
                count(&mut s.switch_of_what_was_run, inputs.query_idempotent);
                count(&mut s.switch_too_late, estimate.switch > launch);
            }
        }
    }
}
