//! The SM unit with the cache below it, and the unit of divisions and traps beside it.

use std::collections::VecDeque;

use super::below::{Below, Use};
use super::cache::Cache;
use super::causes::Cause;
use super::exceptions::Raising;
use super::fault_times::FaultTimes;
use super::landing::{Landing, Landings};
use super::memory_unit::{Decision, Tag};
use super::outcome::{Lookups, Misses};
use super::pages::Walks;
use super::parameters::Parameters;
use super::resident::ENTRIES;
use crate::page::Page;
use crate::ports::Model;
use crate::simt::Lanes;
use crate::sm::coalescer::Lines;
use crate::sm::l1_tlb;
use crate::sm::memory_unit::{Access, PageEntry, PageState};
use crate::sm::sm_pipeline::{self, Class, SmPipeline};
use crate::sm::sm_unit::{Inputs, Outputs, SmUnit};

/// Bits of an address inside a line.
const LINE_BITS: u32 = 7;
/// Bits of a line's number inside a page.
const PAGE_LINE_BITS: u32 = 5;

/// An access that the unit has taken.
#[derive(Clone, Copy, Debug)]
struct Taken {
    how: Use,
    /// The line of each lane.
    lines: Lines,
}

/// What a line that leaves leads to.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    pub warp: u8,
    pub entry: u8,
    /// It is the last one of its instruction.
    pub is_last: bool,
}

/// The SM unit, and what it is connected to on the SM.
#[derive(Clone, Debug)]
pub struct Joined {
    unit: SmUnit,
    /// What went over its ports in the last cycle.
    pub inputs: Inputs,
    pub outputs: Outputs,
    translations: l1_tlb::Inputs,
    cache: Cache,
    raising: Raising,
    /// The accesses of each warp's entries.
    taken: Vec<[Taken; ENTRIES]>,
    landings: Landings,
    /// The lines of the access that was taken last.
    lines: Lines,
    /// The absent pages for which each warp has faulted since it was resumed.
    absent: Vec<Vec<u64>>,
    /// When the last of these pages that has come was resolved here, and cycles from there to the first replay.
    resolved: Vec<Option<u64>>,
    replays: FaultTimes,
    /// Warps that have raised an exception and were not resumed, a bit each.
    exceptional: u64,
    walks: Walks,
    lookups: Lookups,
    /// A line has gone to the L1 TLB for the first time in the cycle before.
    requested: bool,
    /// Invalidations after which the unit was not settled yet.
    unsettled: usize,
}

impl Joined {
    pub fn new(parameters: &Parameters) -> Self {
        let taken = Taken {
            how: Use::Load,
            lines: [0; 32],
        };
        Self {
            unit: SmUnit::new(parameters.pipeline),
            inputs: Inputs::default(),
            outputs: Outputs::default(),
            translations: l1_tlb::Inputs {
                far_limit: parameters.far_limit,
                ..l1_tlb::Inputs::default()
            },
            cache: Cache::new(parameters.timing.l1, parameters.l1_lines),
            raising: Raising::new(parameters.timing),
            taken: vec![[taken; ENTRIES]; parameters.pipeline.warps],
            landings: Landings::new(parameters.pipeline.warps),
            lines: [0; 32],
            absent: vec![Vec::new(); parameters.pipeline.warps],
            resolved: vec![None; parameters.pipeline.warps],
            replays: FaultTimes::default(),
            exceptional: 0,
            walks: Walks::default(),
            lookups: Lookups::default(),
            requested: false,
            unsettled: 0,
        }
    }

    /// The pipeline.
    pub const fn pipeline(&self) -> &SmPipeline {
        self.unit.pipeline()
    }

    /// How global accesses were translated.
    pub const fn lookups(&self) -> Lookups {
        self.lookups
    }

    /// What the cache has missed.
    pub fn misses(&self, below: &impl Below) -> Misses {
        self.cache.missed(below)
    }

    /// The first half of a cycle: lines come, and what comes to the L1 TLB.
    pub fn advance(
        &mut self,
        now: u64,
        decisions: &mut VecDeque<Decision>,
        below: &mut impl Below,
    ) -> Vec<(u8, u8, u64)> {
        let over = self.landings.arrive(self.cache.arrive(now, below), now);
        // The far faults' places in the queue are for those that switch thread blocks.
        below.translations(now, &mut self.translations);
        while let Some((tag, lanes, result)) = self.raising.checked(now) {
            *self.landings.of(tag.warp, tag.entry) = Landing::known(result);
            decisions.push_back(match lanes {
                0 => Decision::Checked(tag),
                _ => Decision::Raised(tag, lanes),
            });
        }
        over
    }

    /// A global-memory instruction with its lanes and their addresses.
    pub fn begin(&mut self, tag: Tag, how: Use, (mask, addresses): (u32, &Lanes)) {
        self.lookups.instructions += u64::from(mask != 0);
        self.lookups.lanes += u64::from(mask.count_ones());
        let lines = addresses.map(|address| address >> LINE_BITS);
        self.taken[usize::from(tag.warp)][usize::from(tag.entry)] = Taken { how, lines };
        *self.landings.of(tag.warp, tag.entry) = Landing::default();
        self.lines = lines;
    }

    /// A division or a trap, of which these lanes raise an exception.
    pub fn begin_raising(&mut self, tag: Tag, lanes: u32, now: u64) {
        self.raising.begin(tag, lanes, now);
    }

    /// What other units report in this cycle, if it is taken: that an instruction raises nothing, and that one does.
    pub fn report(&mut self, certain: Option<Tag>, raised: Option<Tag>) {
        let inputs = &mut self.inputs;
        inputs.certain_valid = certain.is_some();
        inputs.raised_valid = raised.is_some();
        let tag = certain.unwrap_or_default();
        inputs.certain_warp = tag.warp;
        inputs.certain_entry = tag.entry;
        inputs.certain_index = tag.index;
        inputs.certain_slot = tag.slot;
        inputs.certain_store = tag.class == Class::Store;
        inputs.certain_log_address = tag.log_address;
        inputs.certain_log_data = tag.log_data;
        let tag = raised.unwrap_or_default();
        inputs.raised_warp = tag.warp;
        inputs.raised_entry = tag.entry;
        inputs.raised_index = tag.index;
    }

    /// A cycle. `pipeline` is what goes into the pipeline, as far as it comes from outside; afterwards it is all of it. The front
    /// goes to another unit if `other` says so, and `held` are the warps that may not be resumed.
    pub fn cycle(
        &mut self,
        (other, held): (bool, u64),
        pipeline: &mut sm_pipeline::Inputs,
        outputs: &mut sm_pipeline::Outputs,
    ) {
        let inputs = &mut self.inputs;
        inputs.take(pipeline);
        inputs.take_translations(&self.translations);
        inputs.access_line = self.lines;
        (inputs.front_other, inputs.other_ready) = (other, true);
        inputs.hold = held;
        inputs.line_ready = true;
        let inside = self.unit.cycle_inside(&self.inputs);
        self.lookups.lines += u64::from(inside.requested);
        self.lookups.missed += u64::from(self.requested && inside.answered && !inside.hit);
        self.requested = inside.requested;
        self.outputs = inside.outputs;
        (*pipeline, *outputs) = (inside.received, inside.pipeline);
    }

    /// It has settled after the invalidations of earlier cycles.
    pub fn settle(&mut self, now: u64, below: &mut impl Below) {
        if self.unsettled > 0 {
            below.settles(now, self.unsettled);
            self.unsettled = 0;
        }
    }

    /// After a cycle: what it has for the GMMU.
    pub fn walk(&mut self, now: u64, below: &mut impl Below) {
        if self.outputs.settled {
            self.settle(now, below);
        }
        self.unsettled += usize::from(self.inputs.invalidate_valid);
        let outputs = &self.outputs;
        if outputs.walk_valid && self.inputs.walk_ready {
            let page = Page {
                vpn: outputs.walk_vpn,
                asid: outputs.walk_asid,
            };
            below.walk(now, page, outputs.walk_write);
            self.walks.count(&mut self.lookups, self.unit.tlb(), now);
        }
        if self.inputs.resolve_valid && self.inputs.resolve_asid == self.inputs.asid {
            for (pages, resolved) in self.absent.iter().zip(&mut self.resolved) {
                if pages.contains(&self.inputs.resolve_vpn) {
                    *resolved = Some(now);
                }
            }
        }
        if outputs.absent_valid {
            let pages = &mut self.absent[usize::from(outputs.absent_warp)];
            if !pages.contains(&outputs.absent_vpn) {
                pages.push(outputs.absent_vpn);
            }
        }
    }

    /// After a cycle: the line that leaves is accessed.
    ///
    /// # Errors
    /// If it is not a line of its instruction.
    pub fn line(
        &mut self,
        now: u64,
        below: &mut impl Below,
    ) -> Result<Option<Left>, (u8, &'static str)> {
        let outputs = &self.outputs;
        if !outputs.line_valid {
            return Ok(None);
        }
        let (warp, entry) = (outputs.line_warp, outputs.line_entry);
        let taken = &self.taken[usize::from(warp)][usize::from(entry)];
        if outputs.line_mask != 0 {
            let mask = outputs.line_mask;
            let line = taken.lines[mask.trailing_zeros() as usize];
            let is_other = |lane: &usize| mask >> lane & 1 == 1 && taken.lines[*lane] != line;
            let inside = |line: u64| line & ((1 << PAGE_LINE_BITS) - 1);
            if (0..32).any(|lane| is_other(&lane)) || inside(outputs.line_number) != inside(line) {
                return Err((warp, "a line leaves that is not its lanes'"));
            }
            if outputs.line_store != (taken.how != Use::Load) {
                return Err((
                    warp,
                    "a line leaves as that of a load, or of a store, which it is not",
                ));
            }
            let number = outputs.line_number;
            below.performs(now, line >> PAGE_LINE_BITS, number);
            let over = self
                .cache
                .access(number, taken.how, now, (warp, entry), below);
            self.landings.of(warp, entry).leaves(over);
        }
        Ok(Some(Left {
            warp,
            entry,
            is_last: outputs.line_last,
        }))
    }

    /// The last line of an instruction has left, and the instruction lasts until a time at least. It says when it is over, or
    /// [`Joined::advance`] names it.
    pub fn has_left(&mut self, warp: u8, entry: u8, least: u64) -> Option<u64> {
        let landing = self.landings.of(warp, entry);
        landing.lasts(least);
        landing.reported()
    }

    /// The pipeline knows that an instruction of another unit raises nothing. It says when the instruction is over.
    pub fn reported(&mut self, tag: Tag) -> Option<u64> {
        self.landings.of(tag.warp, tag.entry).reported()
    }

    /// The pipeline has received a report of another unit, rather than of the memory unit, on an instruction: that it raises
    /// nothing, and that it raises an exception.
    pub const fn is_of_another(&self) -> (bool, bool) {
        let raised = self.inputs.raised_valid && self.outputs.raised_ready;
        (self.inputs.certain_valid, raised)
    }

    /// A warp has raised an exception.
    pub const fn raises(&mut self, warp: u8) {
        self.exceptional |= 1 << warp;
    }

    /// Warps that have raised an exception and were not resumed, a bit each.
    pub const fn exceptional(&self) -> u64 {
        self.exceptional
    }

    /// Whether a warp has faulted, so that the memory unit resumes it.
    pub const fn is_away(&self, warp: u8) -> bool {
        self.unit.memory().away() >> warp & 1 == 1
    }

    /// The handler of a warp's exceptions is over.
    pub const fn release(&mut self, warp: u8) {
        self.exceptional &= !(1 << warp);
    }

    /// A warp issues an instruction again.
    pub fn replays(&mut self, warp: u8, now: u64) {
        if let Some(since) = self.resolved[usize::from(warp)].take() {
            self.replays.faults += 1;
            self.replays.add(now - since);
        }
    }

    /// Cycles from the resolution of the last page that a warp has waited for to its first replay.
    pub const fn replay_times(&self) -> &FaultTimes {
        &self.replays
    }

    /// A warp goes on.
    pub fn resumed(&mut self, warp: u8) {
        self.absent[usize::from(warp)].clear();
        self.release(warp);
    }

    /// Whether pages are still to wake a warp.
    pub fn waits(&self, warp: u8) -> bool {
        let mut pages = self.unit.memory().pages();
        pages.any(|(_, page)| page.warps >> warp & 1 == 1)
    }

    /// Of an instruction that has faulted: whether some of its lanes do not fault, and whether another warp waits for a page
    /// that its own waits for.
    pub fn fault(&self, warp: u8, entry: u8, mask: u32) -> (bool, bool) {
        let pages = &self.absent[usize::from(warp)];
        let lines = &self.taken[usize::from(warp)][usize::from(entry)].lines;
        let faults = |&lane: &usize| pages.contains(&(lines[lane] >> PAGE_LINE_BITS));
        let lanes = || (0..32).filter(|lane| mask >> lane & 1 == 1);
        let faulting = lanes().filter(faults).count();
        let some_lanes = faulting > 0 && faulting < lanes().count();
        let entries = self.unit.memory().pages();
        let mut own = entries.filter(|(_, page)| pages.contains(&page.vpn));
        (
            some_lanes,
            own.any(|(_, page)| page.warps & !(1 << warp) != 0),
        )
    }

    /// What an instruction that is not over waits for.
    pub fn cause(&self, warp: u8, entry: u8) -> Cause {
        let is_it = |access: &Access| access.warp == warp && access.entry == entry;
        let accesses = self.unit.memory().accesses();
        let mut own = accesses.filter(|(_, access)| is_it(access) && !access.decided);
        own.next().map_or(Cause::Memory, |own| self.cause_of(own))
    }

    /// What an access that is not decided waits for: one of its pages, or any one where a line of it has found no page entry free.
    fn cause_of(&self, (number, access): (usize, &Access)) -> Cause {
        let awaited = |state| matches!(state, PageState::Waits | PageState::Absent);
        let is_own = |page: &PageEntry| access.refused || page.accesses >> number & 1 == 1;
        let entries = self.unit.memory().pages();
        let of_access = entries.filter(|(_, page)| is_own(page) && awaited(page.state));
        let (asid, tlb) = (self.inputs.asid, self.unit.tlb());
        let absent = |vpn| tlb.waits_for_absent(Page { vpn, asid });
        let causes = of_access.map(|(_, page)| match absent(page.vpn) {
            true => Cause::Fault,
            false => Cause::Translation,
        });
        causes.max().unwrap_or(Cause::Memory)
    }

    /// Whether no access is under way.
    pub fn is_idle(&self) -> bool {
        self.unit.memory().accesses().next().is_none() && self.unit.memory().is_quiet()
    }

    /// Whether warps wait for absent pages, and so do all accesses that are under way.
    pub fn waits_for_pages_alone(&self) -> bool {
        let memory = self.unit.memory();
        let mut accesses = memory.accesses();
        let waits = |own: (usize, &Access)| !own.1.decided && self.cause_of(own) == Cause::Fault;
        memory.away() != 0 && accesses.all(waits)
    }
}
