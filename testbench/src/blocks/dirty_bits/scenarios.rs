//! What the traffic has led to, counted.

use faultline_sim::preempt::dirty_bits::{DirtyBits, Inputs, Outputs};

use super::DirtyBitsTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        written_first, written_again, no_lane, two_writes, conflict_of_one_row, conflict_lost_by_0, conflict_lost_by_1,
        refused_for_the_walk, refused_and_in_conflict, save, count, empty_range, whole_range, nothing_dirty, row_after_row,
        walk_waits_for_a_write, walk_waits_for_room, walk_waits_for_a_clear, counting_waits_for_a_write, groups_passed_over,
        written_when_taken, written_while_offered, written_before_it_is_taken, written_behind_the_walk,
        written_ahead_of_the_walk, written_while_counted, cleared_before_it_is_taken, cleared_when_found,
        cleared_while_offered, cleared_ahead_of_the_walk, cleared_in_the_cycle_of_a_write, written_after_a_clear,
        cleared_twice, cleared_nothing, total_waits, walk_after_a_walk, walk_waits_for_a_walk, idle, reset_in_use,
    }
}

impl DirtyBitsTraffic {
    /// Counts what acts in the cycle that comes.
    pub(super) fn count(&mut self, model: &DirtyBits, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let group = |row: u64| self.parameters.group(row);
        let taken = model.takes(inputs);
        let walk = model.walk();
        let next = walk.and_then(|walk| walk.rows.first()).copied();
        count(&mut s.reset_in_use, inputs.reset && walk.is_some());
        for row in (0..2).filter_map(|half| model.acting(half)).map(|it| it.0) {
            count(&mut s.written_first, model.lanes(row) == 0);
            count(&mut s.written_again, model.lanes(row) != 0);
        }
        if let (Some(walk), Some(row)) = (walk, next) {
            let busy = model.acting((row % 2) as usize).is_some();
            let full = walk.offer.is_some() && !inputs.dirty_ready;
            count(&mut s.walk_waits_for_a_write, busy && walk.saves);
            count(&mut s.counting_waits_for_a_write, busy && !walk.saves);
            count(&mut s.walk_waits_for_room, full);
            count(&mut s.walk_waits_for_a_clear, model.clearing().is_some());
        }
        let Some((first, last)) = model.clearing() else {
            return;
        };
        let within = |row: u64| (first..=last).contains(&group(row));
        count(
            &mut s.cleared_before_it_is_taken,
            next.is_some_and(within) && taken.is_none(),
        );
        let found = walk.and_then(|walk| walk.found);
        let is_found = found.is_some_and(|group| (first..=last).contains(&group));
        count(&mut s.cleared_when_found, is_found);
        let offer = walk.and_then(|walk| walk.offer);
        let is_offered = offer.is_some_and(|(row, _)| within(row));
        count(&mut s.cleared_while_offered, is_offered);
        count(
            &mut s.cleared_ahead_of_the_walk,
            found.is_some_and(|group| first > group && model.is_dirty(first)),
        );
        count(
            &mut s.cleared_in_the_cycle_of_a_write,
            (0..2).any(|half| model.acting(half).is_some_and(|(row, _)| within(row))),
        );
        count(&mut s.cleared_nothing, !model.rows().any(within));
        count(&mut s.cleared_twice, inputs.clear_valid);
    }

    /// Counts what a cycle shows.
    pub(super) fn count_outputs(&mut self, model: &DirtyBits, inputs: &Inputs, outputs: &Outputs) {
        let s = &mut self.scenarios;
        let conflict = DirtyBits::conflict(inputs);
        let refused = inputs.write_valid & !outputs.write_ready;
        let rows = inputs.write_row;
        count(
            &mut s.two_writes,
            inputs.write_valid & outputs.write_ready == 3,
        );
        count(
            &mut s.conflict_of_one_row,
            conflict && rows[0] == rows[1] && refused != 3,
        );
        count(&mut s.conflict_lost_by_0, conflict && refused == 1);
        count(&mut s.conflict_lost_by_1, conflict && refused == 2);
        count(&mut s.refused_for_the_walk, !conflict && refused != 0);
        count(&mut s.refused_and_in_conflict, refused == 3 && conflict);
        let walk = model.walk();
        for port in 0..2 {
            let accepted = outputs.write_ready >> port & 1 == 1;
            let Some((row, lanes)) = inputs.write(port).filter(|_| accepted) else {
                continue;
            };
            count(&mut s.no_lane, lanes == 0);
            if lanes == 0 {
                continue;
            }
            let group = self.parameters.group(row);
            let cleared = self
                .cleared
                .is_some_and(|(first, last)| (first..=last).contains(&group));
            count(&mut s.written_after_a_clear, cleared);
            let Some(walk) = walk.filter(|walk| !walk.counts_valid) else {
                continue;
            };
            let offered = outputs.dirty_valid && outputs.dirty_row == row;
            count(&mut s.written_while_offered, offered);
            let held = walk.rows.contains(&row);
            count(&mut s.written_before_it_is_taken, held && walk.saves);
            count(&mut s.written_while_counted, held && !walk.saves);
            let taken = walk.offer.is_some_and(|(taken, _)| taken == row);
            count(&mut s.written_when_taken, taken && !offered);
            let place = walk.rows.first().map(|&row| self.parameters.group(row));
            count(
                &mut s.written_behind_the_walk,
                place.is_some_and(|place| group < place),
            );
            count(
                &mut s.written_ahead_of_the_walk,
                place.is_some_and(|place| group > place),
            );
        }
        let begins = inputs.walk_valid && outputs.walk_ready;
        let (first, last) = (inputs.walk_first, inputs.walk_last);
        count(&mut s.save, begins && inputs.walk_saves);
        count(&mut s.count, begins && !inputs.walk_saves);
        count(&mut s.empty_range, begins && first > last);
        let whole = first == 0 && last == self.parameters.groups() - 1;
        count(&mut s.whole_range, begins && whole);
        count(&mut s.walk_after_a_walk, begins && self.before.total_valid);
        count(
            &mut s.walk_waits_for_a_walk,
            inputs.walk_valid && !outputs.walk_ready,
        );
        count(
            &mut s.nothing_dirty,
            outputs.total_valid && outputs.total_rows == 0,
        );
        count(
            &mut s.total_waits,
            outputs.total_valid && !inputs.total_ready,
        );
        let moved = self.before.dirty_valid && outputs.dirty_valid;
        let (row, before) = (outputs.dirty_row, self.before.dirty_row);
        count(&mut s.row_after_row, moved && row != before);
        let passed = self.parameters.group(row) > self.parameters.group(before) + 1;
        count(&mut s.groups_passed_over, moved && passed);
        count(
            &mut s.idle,
            inputs.write_valid == 0 && walk.is_none() && !inputs.clear_valid,
        );
    }
}
