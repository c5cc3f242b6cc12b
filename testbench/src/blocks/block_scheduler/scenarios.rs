//! What the traffic has led to, counted.

use faultline_sim::sm::block_scheduler::{BlockScheduler, Fill, Inputs, Page, Slot};

use super::BlockSchedulerTraffic;
use crate::traffic::scenarios;

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        page_taken, page_without_a_place, table_full, reported_again, far_no_more, far_at_last, place_at_the_threshold,
        place_past_by_one, page_comes, page_denied, page_of_nobody_comes, unknown_page_comes,
        fault, fault_for_two, second_page, fault_of_no_page, fault_of_no_block, fault_too_early, fault_too_late,
        fault_while_leaving, fault_as_it_has_left, comes_while_leaving, comes_as_it_has_left, comes_off_chip,
        comes_for_two_off_chip, leaves_for_new, exchanged, several_could, turn_wraps, ends_as_it_is_chosen,
        leaves_while_requesting, limit_reached, all_contexts, no_extra, no_more_blocks, not_long_enough,
        waits_for_near_ones, slot_not_in_use, nobody_leaves_a_free_slot, comes_back, comes_back_out_of_order,
        several_ready, ready_without_slot, ready_while_saving, lost, came_back_with_period, new_block, new_with_period,
        none_given, requested_while_saving, more_but_ready, ended, ended_waiting, ended_on_offer, ended_while_leaving,
        ended_as_it_has_left, ended_nothing, left_of_none, entered_of_none, given_of_none, leave_waits, enter_waits,
        want_waits, empty, long_residence, reset_in_use,
    }
}

fn count(counter: &mut u64, happened: bool) {
    *counter += u64::from(happened);
}

/// The page with this number, if it is followed.
fn followed(model: &BlockScheduler, vpn: u64, asid: u64) -> Option<&Page> {
    let mut pages = model.pages().iter();
    pages.find(|page| (page.vpn, page.asid) == (vpn, asid))
}

impl BlockSchedulerTraffic {
    /// Counts what a cycle brings.
    pub(super) fn count(&mut self, model: &BlockScheduler, inputs: &Inputs) {
        count(
            &mut self.scenarios.reset_in_use,
            inputs.reset && model.moving().is_some(),
        );
        self.count_fill(model, inputs);
        self.count_fault(model, inputs);
        self.count_leave(model, inputs);
        self.count_return(model, inputs);
        self.count_request(model, inputs);
        self.count_end(model, inputs);
    }

    fn count_fill(&mut self, model: &BlockScheduler, inputs: &Inputs) {
        if !inputs.fill_valid {
            return;
        }
        let s = &mut self.scenarios;
        let known = followed(model, inputs.fill_vpn, inputs.fill_asid);
        let fill = Fill::ALL[inputs.fill_kind as usize];
        let far = fill == Fill::Far && inputs.fill_place > inputs.threshold;
        let place = (fill == Fill::Far).then_some(inputs.fill_place);
        count(
            &mut s.place_at_the_threshold,
            place == Some(inputs.threshold),
        );
        count(
            &mut s.place_past_by_one,
            place == Some(inputs.threshold + 1),
        );
        match (fill, known) {
            (Fill::Far | Fill::Nack, None) => {
                let room = model.pages().len() < self.parameters.pages;
                count(&mut s.table_full, !room);
                count(&mut s.page_taken, room && fill == Fill::Far);
                count(&mut s.page_without_a_place, room && fill == Fill::Nack);
            }
            (Fill::Far | Fill::Nack, Some(page)) => {
                s.reported_again += 1;
                count(&mut s.far_no_more, page.far && !far);
                count(&mut s.far_at_last, !page.far && far);
            }
            (_, None) => s.unknown_page_comes += 1,
            (_, Some(page)) => {
                count(&mut s.page_comes, fill == Fill::Translation);
                count(&mut s.page_denied, fill == Fill::Denial);
                count(&mut s.page_of_nobody_comes, page.waiters.is_empty());
                let waits = |number: u64| page.waiters.iter().any(|one| one.number == number);
                let leaving = model.moving().filter(|moving| moving.leaves);
                if let Some(moving) = leaving {
                    let block = model.slots()[moving.slot].block();
                    let waits = block.is_some_and(|block| waits(block.number));
                    count(&mut s.comes_while_leaving, waits);
                    let has_left = waits && moving.taken && inputs.left_valid;
                    count(&mut s.comes_as_it_has_left, has_left);
                }
                let off_chip = model.off_chip().iter();
                let waiting = off_chip.filter(|(_, block)| waits(block.number)).count();
                count(&mut s.comes_off_chip, waiting > 0);
                count(&mut s.comes_for_two_off_chip, waiting > 1);
            }
        }
    }

    fn count_fault(&mut self, model: &BlockScheduler, inputs: &Inputs) {
        if !inputs.fault_valid {
            return;
        }
        let s = &mut self.scenarios;
        let known = followed(model, inputs.fault_vpn, inputs.fault_asid);
        let block = model.slots()[inputs.fault_slot as usize].block();
        let reported = inputs.fill_valid
            && (inputs.fault_vpn, inputs.fault_asid) == (inputs.fill_vpn, inputs.fill_asid);
        let absent = inputs.fill_kind >= Fill::Far as u64;
        let Some(block) = block else {
            count(&mut s.fault_of_no_block, known.is_some());
            return;
        };
        let Some(page) = known else {
            s.fault_of_no_page += 1;
            count(&mut s.fault_too_early, reported && absent);
            return;
        };
        s.fault += 1;
        count(&mut s.fault_too_late, reported && !absent);
        count(
            &mut s.fault_for_two,
            page.waiters.iter().any(|one| one.number != block.number),
        );
        let others = page.waiters.iter().all(|one| one.number != block.number);
        count(&mut s.second_page, others && model.waits(block, false));
        if let Some(moving) = model.moving().filter(|moving| moving.leaves) {
            let leaves = moving.slot as u64 == inputs.fault_slot;
            count(&mut s.fault_while_leaving, leaves);
            let has_left = leaves && moving.taken && inputs.left_valid;
            count(&mut s.fault_as_it_has_left, has_left);
        }
    }

    fn count_leave(&mut self, model: &BlockScheduler, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let slots = 0..model.slots().len();
        let off_chip = model.off_chip().len() as u64;
        let could = slots
            .clone()
            .filter(|&slot| model.could_leave(slot, inputs))
            .count();
        if let Some((slot, _)) = model.leaves(inputs) {
            count(&mut s.leaves_for_new, !model.is_ready());
            count(
                &mut s.exchanged,
                off_chip >= inputs.extra && model.is_ready(),
            );
            count(&mut s.several_could, could > 1);
            let first = slots.clone().find(|&slot| model.could_leave(slot, inputs));
            count(&mut s.turn_wraps, could > 1 && first != Some(slot));
            let ends = inputs.ended_valid && inputs.ended_slot as usize == slot;
            count(&mut s.ends_as_it_is_chosen, ends);
            count(&mut s.leaves_while_requesting, model.request().is_some());
            count(&mut s.long_residence, inputs.residence >= 1000);
        } else if could > 0 && model.moving().is_none() {
            let used = inputs.slots as usize;
            let free = model.slots()[..used].contains(&Slot::Free);
            let limit = off_chip >= inputs.extra;
            count(&mut s.nobody_leaves_a_free_slot, free);
            count(&mut s.limit_reached, !free && limit && inputs.extra > 0);
            count(&mut s.no_extra, !free && inputs.extra == 0);
            count(&mut s.no_more_blocks, !free && !limit && !inputs.more);
        }
        count(
            &mut s.all_contexts,
            off_chip as usize == self.parameters.contexts,
        );
        for slot in slots {
            let Slot::Active(block) = model.slots()[slot] else {
                continue;
            };
            let far = model.waits(block, true);
            count(&mut s.not_long_enough, far && block.periods < 2);
            let near = !far && model.waits(block, false);
            count(&mut s.waits_for_near_ones, near && block.periods >= 2);
            let unused = slot >= inputs.slots as usize;
            count(&mut s.slot_not_in_use, far && unused && block.periods >= 2);
        }
    }

    fn count_return(&mut self, model: &BlockScheduler, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let ready: Vec<bool> = model
            .off_chip()
            .iter()
            .map(|(_, block)| !model.waits(*block, false))
            .collect();
        let free = model.slots()[..inputs.slots as usize].contains(&Slot::Free);
        if model.is_ready() {
            let idle = model.moving().is_none();
            let leaves = model.moving().is_some_and(|moving| moving.leaves);
            count(&mut s.comes_back, idle && free);
            count(
                &mut s.comes_back_out_of_order,
                idle && free && ready.first() == Some(&false),
            );
            let several = ready.iter().filter(|ready| **ready).count() > 1;
            count(&mut s.several_ready, idle && free && several);
            count(&mut s.ready_without_slot, idle && !free);
            count(&mut s.ready_while_saving, leaves && free);
            let requests = model.request().is_none() && inputs.more;
            count(&mut s.more_but_ready, requests && leaves && free);
        }
        let moving = model.moving();
        let saving = moving.is_some_and(|moving| moving.taken && moving.leaves);
        let restoring = moving.is_some_and(|moving| moving.taken && !moving.leaves);
        count(&mut s.left_of_none, inputs.left_valid && !saving);
        count(&mut s.entered_of_none, inputs.entered_valid && !restoring);
        let period = inputs.residence == 0;
        let back = restoring && inputs.entered_valid && !inputs.entered_refused;
        count(&mut s.came_back_with_period, back && period);
    }

    fn count_request(&mut self, model: &BlockScheduler, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let requested = model.request().is_some_and(|request| request.taken);
        let given = requested && inputs.given_valid;
        count(&mut s.new_block, given && inputs.given_some);
        let period = inputs.residence == 0;
        count(&mut s.new_with_period, given && inputs.given_some && period);
        count(&mut s.none_given, given && !inputs.given_some);
        count(&mut s.given_of_none, inputs.given_valid && !requested);
        let saving = model.moving().is_some_and(|moving| moving.leaves);
        count(&mut s.requested_while_saving, given && saving);
    }

    fn count_end(&mut self, model: &BlockScheduler, inputs: &Inputs) {
        if !inputs.ended_valid {
            return;
        }
        let s = &mut self.scenarios;
        let slot = inputs.ended_slot as usize;
        match model.slots()[slot] {
            Slot::Active(block) => {
                s.ended += 1;
                count(&mut s.ended_waiting, model.waits(block, false));
            }
            Slot::Leaving(Some(_)) => {
                let taken = model.moving().is_some_and(|moving| moving.taken);
                let has_left = taken && inputs.left_valid;
                count(&mut s.ended_on_offer, !taken);
                count(&mut s.ended_while_leaving, taken && !has_left);
                count(&mut s.ended_as_it_has_left, has_left);
            }
            _ => s.ended_nothing += 1,
        }
    }
}
