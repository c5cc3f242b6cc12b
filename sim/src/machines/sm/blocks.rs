//! Thread blocks on the SM: where they come to, their barriers, and how their warps end.

use super::below::Below;
use super::comparison::Progress;
use super::machine::Sm;
use super::resident::Resident;
use super::work::ThreadBlock;

/// A block on the SM.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its number.
    pub number: usize,
    /// What its warps have done.
    pub warps: Vec<Progress>,
    /// Warps that have not ended.
    pub live: usize,
    /// Warps that wait at the barrier.
    pub arrived: usize,
    /// Warps that ended, and that were not reported to the pipeline.
    pub leaving: usize,
}

impl<B: Below> Sm<'_, B> {
    /// Brings blocks to the slots that are free, unless the local scheduler does.
    pub(super) fn begin_blocks(&mut self) {
        if self.switch.scheduler.is_some() {
            return self.obey();
        }
        for slot in 0..self.slots.len() {
            let is_held = |sm: &Self| sm.switch.holds() == Some(slot);
            if self.slots[slot].is_some() || is_held(self) || !self.admits(slot) {
                continue;
            }
            if let Some(block) = self.below.next_block(self.now) {
                self.begin_block(slot, block);
            }
        }
    }

    /// Begins a block in a slot that is free. It says whether the block has a warp.
    pub(super) fn begin_block(&mut self, slot: usize, block: ThreadBlock) -> bool {
        let number = block.number;
        let progress = |warp| Progress::new(warp, self.values.is_some());
        let mut begun = Block {
            number,
            warps: block.warps.iter().map(progress).collect(),
            live: 0,
            arrived: 0,
            leaving: 0,
        };
        self.switch.begin_cta(slot, self.work.warps_per_block);
        if let Some(values) = &mut self.values {
            values.begin_cta(slot);
        }
        for (place, work) in block
            .warps
            .into_iter()
            .enumerate()
            .filter(|(_, work)| !work.steps.is_empty())
        {
            let warp = slot * self.work.warps_per_block + place;
            self.warps[warp] = Some(Resident::new(number, place, slot, work.steps));
            self.starts.push_back(warp as u8);
            begun.live += 1;
            if let Some(values) = &mut self.values {
                values.begin_warp(warp as u8, number, place);
            }
        }
        let has_warps = begun.live > 0;
        match has_warps {
            true => self.slots[slot] = Some(begun),
            false => self.comparison.end(&begun),
        }
        has_warps
    }

    /// Lets a block's warps pass its barrier if all have come.
    pub(super) fn pass_barrier(&mut self, slot: usize) {
        if let Some(block) = &mut self.slots[slot]
            && block.arrived == block.live
        {
            block.arrived = 0;
            let residents = self.warps.iter_mut().flatten();
            for resident in residents.filter(|resident| resident.slot == slot) {
                resident.waits = false;
            }
        }
    }

    /// A warp has ended; it is reported to the pipeline next.
    pub(super) fn end(&mut self, warp: u8, slot: usize) {
        self.stops.push_back(warp);
        if let Some(block) = &mut self.slots[slot] {
            block.live -= 1;
            block.leaving += 1;
        }
        self.pass_barrier(slot);
    }

    /// A stop of a warp is reported to the pipeline: one that has ended leaves, and the last of a block makes room.
    pub(super) fn leave(&mut self, warp: u8) {
        let ended = |resident: &mut Resident| {
            resident.faulted.is_none() && resident.position == resident.steps.len()
        };
        if let Some(resident) = self.warps[usize::from(warp)].take_if(ended)
            && let Some(block) = &mut self.slots[resident.slot]
        {
            block.leaving -= 1;
            if block.live + block.leaving == 0 {
                self.comparison.end(block);
                self.last_end = self.now + 1;
                self.have_faulted
                    .retain(|(number, ..)| *number != block.number);
                self.slots[resident.slot] = None;
                self.switch.block_ended(resident.slot);
            }
        }
    }
}
