//! What the traffic has led to, counted.

use faultline_sim::preempt::context_port::{Activity, ContextPort, Inputs, Kind, Outputs, Verdict};

use super::ContextPortTraffic;
use super::damage::Damage;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        saved, nothing_saved, packet_without_data, packet_with_data, accepted, not_a_context, another_block,
        another_block_inside, another_epoch, unknown_kind, begin_inside, truncated_at_once, truncated_at_a_header,
        truncated_in_data, wrong_check, beyond_the_end, refused_by_the_last_beat, refused_and_drained, other_block,
        other_epoch, cut, lost, doubled, exchanged, words_exchanged, bit_changed, other_kind, block_inside, lengthened,
        spliced, garbage, begin_waits, packet_waits, out_waits, read_waits, read_waits_for_its_begin, found_waits,
        end_waits, verdict_waits, left_and_came, reported_and_came, nothing_held_while_saving,
        nothing_held_while_restoring, reset_while_saving, reset_while_ending, reset_while_opening,
        reset_while_restoring, reset_while_draining, reset_while_reporting,
    }
}

impl ContextPortTraffic {
    /// Counts what a cycle has brought.
    pub(super) fn count(&mut self, model: &ContextPort, inputs: &Inputs, outputs: &Outputs) {
        if inputs.reset {
            self.count_reset();
            return;
        }
        self.count_streams(inputs, outputs);
        if model.activity() != self.before {
            self.count_verdict(model);
        }
    }

    fn count_reset(&mut self) {
        let s = &mut self.scenarios;
        match self.before {
            Activity::Idle => {}
            Activity::Saving(_) => s.reset_while_saving += 1,
            Activity::Ending => s.reset_while_ending += 1,
            Activity::Opening => s.reset_while_opening += 1,
            Activity::Restoring(_) => s.reset_while_restoring += 1,
            Activity::Draining => s.reset_while_draining += 1,
            Activity::Reporting => s.reset_while_reporting += 1,
        }
    }

    fn count_streams(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let s = &mut self.scenarios;
        count(
            &mut s.begin_waits,
            inputs.begin_valid && !outputs.begin_ready,
        );
        count(
            &mut s.packet_waits,
            inputs.packet_valid && !outputs.packet_ready,
        );
        let out_waits = outputs.out_valid && !inputs.out_ready;
        count(&mut s.out_waits, out_waits);
        count(&mut s.end_waits, out_waits && outputs.out_last);
        let reading = matches!(
            self.before,
            Activity::Opening | Activity::Restoring(_) | Activity::Draining
        );
        let read_waits = inputs.in_valid && !outputs.in_ready;
        count(&mut s.read_waits, read_waits && reading);
        count(&mut s.read_waits_for_its_begin, read_waits && !reading);
        count(
            &mut s.found_waits,
            outputs.found_valid && !inputs.found_ready,
        );
        count(
            &mut s.verdict_waits,
            outputs.ended_valid && !inputs.ended_ready,
        );
        let gives = inputs.packet_valid && outputs.packet_ready;
        count(&mut s.left_and_came, outputs.out_valid && gives);
        let comes = inputs.in_valid && outputs.in_ready;
        count(&mut s.reported_and_came, outputs.found_valid && comes);
        let idle = !outputs.out_valid && outputs.packet_ready;
        count(&mut s.nothing_held_while_saving, idle);
        let restoring = matches!(self.before, Activity::Restoring(_));
        count(
            &mut s.nothing_held_while_restoring,
            restoring && !outputs.found_valid,
        );
        let header = gives && self.before == Activity::Saving(0);
        let packet = &inputs.packet_beat;
        let ends = self.parameters.kind(packet) == Kind::End as u64;
        let length = self.parameters.length(packet);
        count(&mut s.packet_without_data, header && !ends && length == 0);
        count(&mut s.packet_with_data, header && !ends && length > 0);
        count(
            &mut s.nothing_saved,
            header && ends && self.leaving.beats.len() <= 1,
        );
        count(&mut s.saved, outputs.out_last && inputs.out_ready);
    }

    /// Counts what becomes of a context when that is settled.
    fn count_verdict(&mut self, model: &ContextPort) {
        let s = &mut self.scenarios;
        let settled = matches!(model.activity(), Activity::Draining | Activity::Reporting)
            && matches!(self.before, Activity::Opening | Activity::Restoring(_));
        if !settled {
            return;
        }
        let opening = self.before == Activity::Opening;
        let inside = self.before == Activity::Restoring(0);
        let begins = model
            .past()
            .last()
            .is_some_and(|beat| self.parameters.kind(beat) == Kind::Begin as u64);
        match model.verdict() {
            Verdict::Accepted => s.accepted += 1,
            Verdict::NotAContext => s.not_a_context += 1,
            Verdict::AnotherBlock if opening => s.another_block += 1,
            Verdict::AnotherBlock => s.another_block_inside += 1,
            Verdict::AnotherEpoch => s.another_epoch += 1,
            Verdict::UnknownKind if begins => s.begin_inside += 1,
            Verdict::UnknownKind => s.unknown_kind += 1,
            Verdict::Truncated if opening => s.truncated_at_once += 1,
            Verdict::Truncated if inside => s.truncated_at_a_header += 1,
            Verdict::Truncated => s.truncated_in_data += 1,
            Verdict::WrongCheck => s.wrong_check += 1,
            Verdict::BeyondTheEnd => s.beyond_the_end += 1,
        }
        if model.verdict() == Verdict::Accepted {
            return;
        }
        match model.activity() {
            Activity::Draining => s.refused_and_drained += 1,
            _ => s.refused_by_the_last_beat += 1,
        }
        let Some(damage) = self.current.as_ref().and_then(|plan| plan.damage) else {
            return;
        };
        match damage {
            Damage::OtherBlock => s.other_block += 1,
            Damage::OtherEpoch => s.other_epoch += 1,
            Damage::Cut => s.cut += 1,
            Damage::Lost => s.lost += 1,
            Damage::Doubled => s.doubled += 1,
            Damage::Exchanged => s.exchanged += 1,
            Damage::WordsExchanged => s.words_exchanged += 1,
            Damage::BitChanged => s.bit_changed += 1,
            Damage::OtherKind => s.other_kind += 1,
            Damage::BlockInside => s.block_inside += 1,
            Damage::Lengthened => s.lengthened += 1,
            Damage::Spliced => s.spliced += 1,
            Damage::Garbage => s.garbage += 1,
        }
    }
}
