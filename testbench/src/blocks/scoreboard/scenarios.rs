//! What the traffic has led to, counted.

use faultline_sim::sm::scoreboard::{
    Arrival, FINISHES, Inputs, Outputs, Scoreboard, ZERO_REGISTER,
};

use super::{ScoreboardTraffic, finishing, waiting};
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        reads_a_result_as_a, reads_a_result_as_b, reads_a_result_as_c, writes_over_a_result, result_of_a_buffered_one,
        result_comes_as_its_reader_arrives, several_results, held_a, held_b, held_c, held_by_a_buffered_one,
        held_and_checked_as_its_writer_arrives, held_and_finished_as_its_writer_arrives, held_while_its_result_comes,
        zero_register_is_written_twice, zero_register_is_read, held_zero_register_is_written, first_waits,
        first_waits_for_a_read, second_waits_for_the_first_to_read, second_ready_alone, issued_one, issued_two,
        issued_one_of_two_that_are_ready, issued_after_an_issue, arrived_beside_an_issue, arrived_first, arrived_second,
        arrived_issued, arrived_issued_beside_a_buffered_one, arrived_without_room, arrived_beside_a_flush, full,
        full_without_a_buffered_one, no_room_for_a_third, six_finished_at_once, finished_beside_an_arrival,
        finished_twice, finished_nothing, finished_a_buffered_one, finished_the_entry_that_is_given, checked,
        checked_a_buffered_one, checked_nothing, checked_the_entry_that_is_given, checked_and_finished, stopped,
        stopped_by_two, stop_ends_with_a_check, stop_ends_with_a_finish, stop_ends_with_a_flush, stop_stays,
        flushed_one, flushed_two, flushed_nothing, flushed_beside_others, flushed_beside_an_issue, issued_nothing,
        issued_what_is_not_ready, issued_a_second_one_alone, idle, reset_in_use, likely_first, likely_second,
        likely_arrival, likely_arrival_behind_the_first, unlikely_second,
    }
}

/// Whether these registers have this one among them, and it is one.
fn has(registers: &[u8], register: u8) -> bool {
    register != ZERO_REGISTER && registers.contains(&register)
}

impl ScoreboardTraffic {
    /// The instructions of a set of entries.
    fn given_to(&self, set: u16) -> impl Iterator<Item = (u16, Arrival)> {
        let given = self.given;
        (0..16)
            .filter(move |entry| set >> entry & 1 == 1)
            .map(move |entry| (1 << entry, given[entry]))
    }

    /// Counts what will probably be ready.
    pub(super) fn count_likely(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let s = &mut self.scenarios;
        let (first, second) = (outputs.first_valid, outputs.second_valid);
        let counter = match (first, inputs.chosen, second) {
            (true, false, _) => &mut s.likely_first,
            (true, true, true) if !outputs.likely => {
                s.unlikely_second += 1;
                return;
            }
            (true, true, true) => &mut s.likely_second,
            (true, true, false) => &mut s.likely_arrival_behind_the_first,
            (false, ..) => &mut s.likely_arrival,
        };
        *counter += u64::from(outputs.likely);
    }

    /// Counts what happens in the cycle that comes.
    pub(super) fn count(&mut self, model: &Scoreboard, inputs: &Inputs) {
        self.scenarios.reset_in_use += u64::from(inputs.reset && model.busy());
        if inputs.reset {
            return;
        }
        let arrives = inputs.arrive_valid && model.room() && !inputs.flush;
        if arrives && !inputs.arrive_issued {
            self.count_hazards(model, inputs);
        }
        self.count_issue(model, inputs);
        self.count_ends(model, inputs, arrives);
        let s = &mut self.scenarios;
        let buffered = model.buffered();
        let full = model.used().count_ones() as usize == self.parameters.entries;
        count(&mut s.arrived_issued, arrives && inputs.arrive_issued);
        count(
            &mut s.arrived_issued_beside_a_buffered_one,
            arrives && inputs.arrive_issued && buffered > 0,
        );
        let buffers = arrives && !inputs.arrive_issued;
        count(&mut s.arrived_first, buffers && buffered == 0);
        count(
            &mut s.arrived_second,
            buffers && buffered == 1 && !inputs.issue_first,
        );
        count(
            &mut s.arrived_beside_an_issue,
            buffers && buffered == 1 && inputs.issue_first,
        );
        count(
            &mut s.arrived_without_room,
            inputs.arrive_valid && !model.room(),
        );
        count(
            &mut s.arrived_beside_a_flush,
            inputs.arrive_valid && model.room() && inputs.flush,
        );
        count(&mut s.full, full);
        count(&mut s.full_without_a_buffered_one, full && buffered == 0);
        count(&mut s.no_room_for_a_third, !full && buffered == 2);
        count(&mut s.flushed_one, inputs.flush && buffered == 1);
        count(&mut s.flushed_two, inputs.flush && buffered == 2);
        count(&mut s.flushed_nothing, inputs.flush && buffered == 0);
        let others = model.used() & !waiting(model) != 0;
        count(
            &mut s.flushed_beside_others,
            inputs.flush && buffered > 0 && others,
        );
        count(&mut s.idle, !model.busy() && !inputs.arrive_valid);
    }

    /// Counts what a buffered instruction will wait for.
    fn count_hazards(&mut self, model: &Scoreboard, inputs: &Inputs) {
        let arrival = inputs.arrival().fetched.unwrap_or_default();
        let gone = finishing(inputs);
        let checked = u16::from(inputs.checked_valid) << inputs.checked_entry;
        let waiting = waiting(model);
        let older: Vec<_> = self.given_to(model.used()).collect();
        let holds = self.parameters.holds;
        let s = &mut self.scenarios;
        let mut results = 0;
        for (entry, given) in older {
            let stays = gone & entry == 0;
            let reads = has(&arrival.sources, given.kept.destination);
            let conflict = reads || has(&[arrival.destination], given.kept.destination);
            let reads_as =
                |place: usize| stays && has(&[arrival.sources[place]], given.kept.destination);
            count(&mut s.reads_a_result_as_a, reads_as(0));
            count(&mut s.reads_a_result_as_b, reads_as(1));
            count(&mut s.reads_a_result_as_c, reads_as(2));
            count(&mut s.writes_over_a_result, stays && conflict && !reads);
            let buffered = waiting & entry != 0;
            count(
                &mut s.result_of_a_buffered_one,
                stays && conflict && buffered,
            );
            count(
                &mut s.result_comes_as_its_reader_arrives,
                !stays && conflict,
            );
            results += u64::from(stays && conflict);
            let of_zero = given.kept.destination == ZERO_REGISTER;
            let zero = arrival.destination == ZERO_REGISTER;
            count(&mut s.zero_register_is_written_twice, of_zero && zero);
            count(
                &mut s.zero_register_is_read,
                of_zero && arrival.sources.contains(&ZERO_REGISTER),
            );

            let held = holds && given.holds;
            let kept = stays && checked & entry == 0;
            let held_as = |place: usize| {
                kept && held && has(&[given.kept.sources[place]], arrival.destination)
            };
            count(&mut s.held_a, held_as(0));
            count(&mut s.held_b, held_as(1));
            count(&mut s.held_c, held_as(2));
            let conflict = held && has(&given.kept.sources, arrival.destination);
            count(&mut s.held_by_a_buffered_one, conflict && kept && buffered);
            count(
                &mut s.held_and_checked_as_its_writer_arrives,
                conflict && stays && !kept,
            );
            count(
                &mut s.held_and_finished_as_its_writer_arrives,
                conflict && !stays,
            );
            count(
                &mut s.held_while_its_result_comes,
                conflict && kept && has(&[given.kept.destination], arrival.destination),
            );
            count(
                &mut s.held_zero_register_is_written,
                held && zero && given.kept.sources.contains(&ZERO_REGISTER),
            );
        }
        count(&mut s.several_results, results > 1);
    }

    fn count_issue(&mut self, model: &Scoreboard, inputs: &Inputs) {
        let (first, second) = (model.entry(0), model.entry(1));
        let [first, second] = [first, second].map(|entry| self.given[usize::from(entry)]);
        let was_issued: Vec<_> = self.given_to(self.issued).collect();
        let (one, two) = (model.buffered() > 0, model.buffered() > 1);
        let (first_ready, second_ready) = (model.first_ready(), model.second_ready());
        let issues = inputs.issue_first && one && !inputs.flush;
        let issues_two = issues && two && inputs.issue_second;
        let s = &mut self.scenarios;
        count(&mut s.first_waits, one && !first_ready);
        count(
            &mut s.first_waits_for_a_read,
            one && was_issued
                .iter()
                .any(|(_, given)| has(&given.kept.sources, first.kept.destination)),
        );
        count(
            &mut s.second_waits_for_the_first_to_read,
            two && has(&first.kept.sources, second.kept.destination),
        );
        count(&mut s.second_ready_alone, second_ready && !first_ready);
        count(&mut s.issued_one, issues && !issues_two);
        count(&mut s.issued_two, issues_two);
        count(
            &mut s.issued_one_of_two_that_are_ready,
            issues && !issues_two && second_ready,
        );
        count(&mut s.issued_after_an_issue, issues && self.issued != 0);
        count(&mut s.issued_nothing, inputs.issue_first && !one);
        count(
            &mut s.issued_what_is_not_ready,
            issues && (!first_ready || (issues_two && !second_ready)),
        );
        count(
            &mut s.issued_a_second_one_alone,
            two && inputs.issue_second && !inputs.issue_first,
        );
        count(
            &mut s.flushed_beside_an_issue,
            inputs.flush && inputs.issue_first && one,
        );
    }

    fn count_ends(&mut self, model: &Scoreboard, inputs: &Inputs, arrives: bool) {
        let s = &mut self.scenarios;
        let gone = finishing(inputs);
        let (used, waiting) = (model.used(), waiting(model));
        let messages: u64 = inputs.finished_valid.iter().sum();
        let coming = u16::from(arrives) << model.arrive_entry();
        let ended = gone & used;
        count(
            &mut s.six_finished_at_once,
            ended.count_ones() as usize == FINISHES,
        );
        count(&mut s.finished_beside_an_arrival, ended != 0 && arrives);
        count(
            &mut s.finished_twice,
            u64::from(gone.count_ones()) < messages,
        );
        count(&mut s.finished_nothing, gone & !used != 0);
        count(&mut s.finished_a_buffered_one, gone & waiting != 0);
        count(&mut s.finished_the_entry_that_is_given, gone & coming != 0);
        let checked = u16::from(inputs.checked_valid) << inputs.checked_entry;
        count(&mut s.checked, checked & used & !waiting != 0);
        count(&mut s.checked_a_buffered_one, checked & waiting != 0);
        count(&mut s.checked_nothing, checked & !used != 0);
        count(
            &mut s.checked_the_entry_that_is_given,
            checked & coming != 0,
        );
        count(&mut s.checked_and_finished, checked & ended != 0);
        let stops = model.stops();
        let only = |set: u16| stops != 0 && stops & !set == 0;
        count(&mut s.stopped, model.stopped());
        count(&mut s.stopped_by_two, stops.count_ones() > 1);
        count(&mut s.stop_ends_with_a_check, only(checked & !gone));
        count(&mut s.stop_ends_with_a_finish, only(gone & !checked));
        count(
            &mut s.stop_ends_with_a_flush,
            inputs.flush && only(waiting & !gone & !checked),
        );
        count(
            &mut s.stop_stays,
            stops & (gone | checked) != 0 && !only(gone | checked),
        );
    }
}
