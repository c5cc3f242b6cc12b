//! What the traffic has led to, counted.

use faultline_sim::mmu::fault_buffer::{
    Commanding, Doing, FaultBuffer, Inputs, Kind, Outputs, Query, Record, control, register,
};

use super::FaultBufferTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        recorded, recorded_short, recorded_while_disabled, known, unknown, answered_late, answered_at_once, filtered,
        filtered_by_the_last_compared, compared_with_all, not_filtered_beside_a_replayable, not_filtered_after_get,
        search_ended_by_get, get_moved_too_late, dropped_while_disabled, dropped_when_full, dropped_by_overflow,
        taken_after_a_search, replayable_waits, last_place_taken, one_place_kept, full, put_goes_round, get_goes_round,
        get_takes_all, get_takes_some, get_stays, get_beyond_put, get_beyond_size, base_kept, size_kept, mode_kept,
        ring_is_none, accepted_while_off, size_kept_by_a_fault, size_no_ring, turned_away, turned_away_without_need,
        overflow_cleared, overflow_kept, cleared_by_get, kept_by_get, cleared_with_the_ring, turned_away_without_a_ring,
        cleared_beside_one_turned_away, turned_away_behind_get, cleared_beside_one_behind_get, left_out, start,
        start_ack_all, cancel_targeted, cancel_global, cancel_va, resolve_va, command_while_busy, no_command,
        refused_cleared, sweep_waited_for, walks_waited_for, sweep_not_seen_at_first, command_stalled, write_stalled,
        many_unacknowledged, most_unacknowledged, stray_acknowledgement, stray_answer, response_with_the_query,
        query_stalled, records_in_flight, filtered_by_one_in_flight, record_interrupt, overflow_interrupt, quiet,
        fault_of_nobody, fault_of_many, reset_in_use,
    }
}

impl FaultBufferTraffic {
    /// Counts what comes in the cycle.
    pub(super) fn count(&mut self, model: &FaultBuffer, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let (unread, left) = (model.unread().count(), model.left());
        count(&mut s.reset_in_use, inputs.reset && model.recording());
        if inputs.reset {
            return;
        }
        let same = |record: &Record| {
            let fault = model.fault();
            (record.vpn, record.asid, record.access, record.cause)
                == (fault.vpn, fault.asid, fault.access, fault.cause)
        };
        let write = inputs.register_valid.then_some(inputs.register_number);
        let data = inputs.register_data;
        let ring = u64::MAX >> (64 - self.parameters.ring_bits);
        let get = data & ring;
        let distance = (get + model.size() - model.get()).checked_rem(model.size());
        let taken = get < model.size() && distance.is_some_and(|records| records <= unread as u64);
        let writes_get = write == Some(register::GET);
        if let Doing::Searching {
            compared,
            reading,
            moved,
        } = *model.doing()
        {
            let next = model.last().nth(compared).copied();
            let equal = next.is_some_and(|next| same(&next));
            let replayable = next.is_some_and(|next| next.replayable);
            let ends =
                !reading && (compared == self.parameters.filtered || compared == left || moved);
            let compared_all = compared == self.parameters.filtered;
            count(&mut s.filtered, reading && equal && !replayable && !moved);
            count(
                &mut s.filtered_by_the_last_compared,
                reading
                    && equal
                    && !replayable
                    && !moved
                    && compared + 1 == self.parameters.filtered,
            );
            count(
                &mut s.filtered_by_one_in_flight,
                reading && equal && !replayable && !moved && compared < model.in_flight(),
            );
            count(&mut s.get_moved_too_late, reading && equal && moved);
            count(&mut s.compared_with_all, ends && compared_all);
            count(
                &mut s.not_filtered_beside_a_replayable,
                reading && equal && replayable,
            );
            count(
                &mut s.not_filtered_after_get,
                ends && compared == left && equal,
            );
            count(
                &mut s.search_ended_by_get,
                ends && moved && !compared_all && compared < left,
            );
            let drops = ends && !model.room();
            count(&mut s.dropped_while_disabled, drops && !model.enabled());
            count(
                &mut s.dropped_when_full,
                drops && model.enabled() && !model.overflow(),
            );
            count(
                &mut s.dropped_by_overflow,
                drops && model.enabled() && model.overflow() && model.places() >= 2,
            );
            count(&mut s.taken_after_a_search, ends && model.room());
            count(
                &mut s.one_place_kept,
                drops && model.enabled() && model.places() == 1,
            );
        }
        let clears = write == Some(register::CLEAR) && data & 1 == 1 && model.overflow();
        count(
            &mut s.cleared_beside_one_turned_away,
            clears && model.places() >= 2 && inputs.turned_away,
        );
        let behind_get = inputs.turned_away && model.was_short() && model.places() >= 2;
        let cleared = model.clears() || (write == Some(register::CLEAR) && data & 1 == 1);
        count(
            &mut s.turned_away_behind_get,
            behind_get && !model.overflow() && !cleared,
        );
        count(
            &mut s.cleared_beside_one_behind_get,
            behind_get && !model.overflow() && cleared,
        );
        count(
            &mut s.turned_away_without_a_ring,
            inputs.turned_away && model.size() == 0,
        );
        count(
            &mut s.cleared_by_get,
            model.clears() && model.overflow() && model.places() >= 2,
        );
        count(
            &mut s.kept_by_get,
            model.clears() && model.overflow() && model.places() < 2,
        );
        count(&mut s.full, model.size() > 2 && model.places() == 0);
        count(
            &mut s.ring_is_none,
            model.enabled() && model.size() == 0 && inputs.fault_valid,
        );
        if writes_get && model.size() > 0 {
            count(
                &mut s.get_goes_round,
                taken && get < model.get() && unread > 1,
            );
            count(&mut s.get_takes_all, taken && get == model.put());
            count(&mut s.get_takes_some, taken && get != model.put());
            count(&mut s.get_stays, taken && get == model.get());
            count(&mut s.get_beyond_put, !taken && get < model.size());
            count(&mut s.get_beyond_size, get >= model.size());
        }
        let off = !model.enabled() && *model.doing() == Doing::Nothing && model.outstanding() == 0;
        let comes = inputs.fault_valid && inputs.fault_replayable;
        let at_rest = off && unread == 0 && !comes;
        count(
            &mut s.accepted_while_off,
            off && comes && model.places() > 0,
        );
        count(
            &mut s.size_kept_by_a_fault,
            write == Some(register::SIZE) && off && unread == 0 && comes,
        );
        count(
            &mut s.size_no_ring,
            write == Some(register::SIZE) && at_rest && data < 3,
        );
        count(
            &mut s.cleared_with_the_ring,
            write == Some(register::SIZE) && at_rest && data & ring >= 3 && model.overflow(),
        );
        count(
            &mut s.left_out,
            inputs.fault_valid
                && !inputs.fault_replayable
                && *model.doing() == Doing::Nothing
                && model.leaves_out(),
        );
        count(&mut s.base_kept, write == Some(register::BASE) && !at_rest);
        count(&mut s.size_kept, write == Some(register::SIZE) && !at_rest);
        count(
            &mut s.mode_kept,
            write == Some(register::CONTROL) && !at_rest && data & control::SHORT != 0,
        );
        count(&mut s.turned_away, inputs.turned_away && !model.room());
        count(
            &mut s.turned_away_without_need,
            inputs.turned_away && model.room(),
        );
        if write == Some(register::CLEAR) {
            let clears = data & 1 == 1 && model.overflow() && !inputs.turned_away;
            count(&mut s.overflow_cleared, clears && model.places() >= 2);
            count(&mut s.overflow_kept, clears && model.places() < 2);
            count(&mut s.refused_cleared, data & 2 == 2);
        }
        if write == Some(register::COMMAND) {
            let busy = model.commanding() != Commanding::Nothing;
            let kind = Kind::of(data & 7);
            count(&mut s.command_while_busy, busy && kind.is_some());
            count(&mut s.no_command, !busy && kind.is_none());
            if let Some(kind) = kind.filter(|_| !busy) {
                *match kind {
                    Kind::StartAckAll => &mut s.start_ack_all,
                    Kind::CancelTargeted => &mut s.cancel_targeted,
                    Kind::CancelGlobal => &mut s.cancel_global,
                    Kind::CancelVa => &mut s.cancel_va,
                    Kind::ResolveVa => &mut s.resolve_va,
                    _ => &mut s.start,
                } += 1;
            }
        }
        match model.commanding() {
            Commanding::Taken(3) => count(&mut s.sweep_waited_for, inputs.sweeping),
            Commanding::Taken(_) => count(&mut s.sweep_not_seen_at_first, !inputs.sweeping),
            Commanding::Walking => count(&mut s.walks_waited_for, inputs.walks_pending),
            _ => {}
        }
        let stray = model.outstanding() == 0 && inputs.written;
        count(&mut s.stray_acknowledgement, stray);
        match model.query() {
            Query::Nothing => count(&mut s.stray_answer, inputs.context_valid),
            Query::Offered => count(
                &mut s.response_with_the_query,
                inputs.context_valid && inputs.detail_ready,
            ),
            Query::Taken => {
                let waits = matches!(model.doing(), Doing::Writing(words) if words.len() <= 3);
                count(&mut s.answered_late, inputs.context_valid && waits);
                count(&mut s.answered_at_once, inputs.context_valid && !waits);
                count(&mut s.known, inputs.context_valid && inputs.context_known);
                count(
                    &mut s.unknown,
                    inputs.context_valid && !inputs.context_known,
                );
            }
        }
        let sealing = matches!(model.doing(), Doing::Writing(words) if words.len() == 1);
        if sealing && inputs.write_ready {
            count(&mut s.recorded, true);
            count(&mut s.recorded_short, model.is_short());
            count(&mut s.recorded_while_disabled, !model.enabled());
        }
        count(
            &mut s.put_goes_round,
            model.unread().count() > 0 && model.put() < model.get(),
        );
        count(&mut s.records_in_flight, model.in_flight() > 1);
        count(&mut s.many_unacknowledged, model.outstanding() > 9);
        let most = (1 << self.parameters.in_flight_bits) - 1;
        count(&mut s.most_unacknowledged, model.outstanding() == most);
        count(
            &mut s.fault_of_nobody,
            inputs.fault_valid && inputs.fault_requesters == 0,
        );
        count(
            &mut s.fault_of_many,
            inputs.fault_valid && inputs.fault_requesters.count_ones() > 3,
        );
    }

    /// Counts what a cycle shows.
    pub(super) fn count_outputs(
        &mut self,
        model: &FaultBuffer,
        inputs: &Inputs,
        outputs: &Outputs,
    ) {
        let s = &mut self.scenarios;
        let refused = inputs.fault_valid && !outputs.fault_ready;
        count(
            &mut s.replayable_waits,
            refused && inputs.fault_replayable && *model.doing() == Doing::Nothing,
        );
        count(
            &mut s.last_place_taken,
            inputs.fault_valid
                && outputs.fault_ready
                && inputs.fault_replayable
                && model.places() == 0,
        );
        count(
            &mut s.command_stalled,
            outputs.command_valid && !inputs.command_ready,
        );
        count(
            &mut s.write_stalled,
            outputs.write_valid && !inputs.write_ready,
        );
        count(
            &mut s.query_stalled,
            outputs.detail_valid && !inputs.detail_ready,
        );
        let unread = model.unread().next().is_some();
        count(&mut s.record_interrupt, outputs.interrupts && unread);
        count(
            &mut s.overflow_interrupt,
            outputs.interrupts && !unread && model.overflow(),
        );
        count(&mut s.quiet, !outputs.interrupts && unread);
    }
}
