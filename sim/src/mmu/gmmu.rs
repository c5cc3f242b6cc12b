//! The reference model of the GMMU: its page (`docs/blocks/gmmu.md`) as plain data, around the models of its five blocks.

use crate::mmu::far_fault_mshr::FarFaultMshr;
use crate::mmu::fault_buffer::FaultBuffer;
use crate::mmu::l2_tlb::{L2Tlb, OF_ALL, OF_SPACE};
use crate::mmu::page_walk_cache::PageWalkCache;
use crate::mmu::page_walker::PageWalker;
use crate::mmu::{far_fault_mshr, fault_buffer, l2_tlb, page_walk_cache, page_walker};
use crate::ports::Model;
use crate::sm::l1_tlb::{CANCELLED, DENIED, FAR, LARGE, NACK, TRANSLATION};
use crate::walk::Cause;

mod interface;

pub use interface::{Inputs, Outputs, Parameters};

/// An answer of the walker, and what is left to be done about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseDispatch {
    /// The L2 TLB is to be filled.
    pub fills: bool,
    /// The SMs are to receive a response.
    pub responds: bool,
    /// The far-fault MSHRs are to hold the page.
    pub faults: bool,
    /// A walk of theirs has ended: they are to wake the SMs that wait for the page, or the page is still absent.
    pub finds: bool,
    /// The denial is to be reported to the driver.
    pub reports: bool,
    /// The virtual page number.
    pub vpn: u64,
    /// Its address space.
    pub asid: u8,
    /// The SMs that requested it.
    pub sms: u16,
    access: u8,
    cause: u8,
    level: u8,
    pfn: u32,
    readable: bool,
    writable: bool,
    clean: bool,
    absent: bool,
}

impl ResponseDispatch {
    /// The level of the page, or of the entry to blame.
    #[must_use]
    pub const fn level(&self) -> u8 {
        self.level
    }

    /// The walker's cause.
    #[must_use]
    pub const fn cause(&self) -> u8 {
        self.cause
    }

    /// The page is absent as software can mend it, or may not be written as it was.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        self.absent
    }

    /// Something is left to be done.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.fills || self.responds || self.faults || self.finds || self.reports
    }
}

/// How far an invalidation has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// There is none.
    #[default]
    Idle,
    /// The page-walk cache forgets.
    Cache,
    /// Walks begin again.
    Walker,
    /// The answer that came before is done with.
    ResponseDispatch,
    /// The L2 TLB forgets.
    Tlb,
    /// The SMs do.
    Sms,
}

/// The reference model.
#[derive(Clone, Debug)]
pub struct Gmmu {
    parameters: Parameters,
    tlb: L2Tlb,
    walker: PageWalker,
    cache: PageWalkCache,
    mshrs: FarFaultMshr,
    buffer: FaultBuffer,
    dispatch: ResponseDispatch,
    phase: Phase,
    /// Walks of the MSHRs that are not answered yet.
    walks: u16,
    /// The page of a region that is reported next.
    beat: u64,
    /// A report of the MSHRs has waited since the cycle before: it goes before that of a denial.
    favoured: bool,
}

impl Gmmu {
    /// The TLB of all SMs.
    #[must_use]
    pub const fn tlb(&self) -> &L2Tlb {
        &self.tlb
    }

    /// The walker.
    #[must_use]
    pub const fn walker(&self) -> &PageWalker {
        &self.walker
    }

    /// The page-walk cache.
    #[must_use]
    pub const fn cache(&self) -> &PageWalkCache {
        &self.cache
    }

    /// The far-fault MSHRs.
    #[must_use]
    pub const fn mshrs(&self) -> &FarFaultMshr {
        &self.mshrs
    }

    /// The fault buffer.
    #[must_use]
    pub const fn buffer(&self) -> &FaultBuffer {
        &self.buffer
    }

    /// The answer that is being dealt with.
    #[must_use]
    pub const fn dispatch(&self) -> &ResponseDispatch {
        &self.dispatch
    }

    /// How far an invalidation has come.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Walks of the MSHRs that are not answered yet.
    #[must_use]
    pub const fn walks(&self) -> u16 {
        self.walks
    }

    /// A far fault is to be reported to the driver.
    #[must_use]
    pub fn reporting(&self) -> bool {
        self.mshrs.shown().report_valid
    }

    /// Nothing happens here until something comes, once that has been so for a few cycles.
    pub(crate) fn rests(&self) -> bool {
        self.phase == Phase::Idle
            && !self.dispatch.is_busy()
            && self.tlb.rests()
            && self.walker.rests()
            && self.cache.rests()
            && self.mshrs.rests()
            && self.buffer.rests()
    }

    /// A number of cycles pass in which nothing comes, while it [rests](Self::rests).
    pub(crate) const fn rest(&mut self, cycles: u64) {
        self.buffer.rest(cycles);
    }

    /// A page number with the bits above it, which repeat its highest one.
    const fn wide(&self, vpn: u64) -> u64 {
        let above = 64 - self.parameters.tlb.vpn_bits;
        let signed = (vpn << above).cast_signed() >> above;
        signed.cast_unsigned() & (u64::MAX >> (64 - page_walker::PAGE_BITS))
    }

    /// The requests of the walker: by the L2 TLB for each SM, and by the MSHRs.
    fn walker_inputs(
        &self,
        inputs: &Inputs,
        pages: &l2_tlb::Outputs,
        far: &far_fault_mshr::Outputs,
        cache: &page_walk_cache::Outputs,
    ) -> page_walker::Inputs {
        let sms = self.parameters.sms();
        let mut requested = page_walker::Inputs {
            reset: inputs.reset,
            answer_ready: !self.dispatch.is_busy(),
            memory_ready: cache.request_ready,
            response_valid: cache.answer_valid,
            response_walk: cache.answer_walk,
            response_data: cache.answer_data,
            response_error: cache.answer_error,
            response_changed: cache.answer_changed,
            response_kept: cache.answer_kept,
            root_valid: inputs.root_valid,
            root_asid: inputs.root_asid,
            root_pfn: inputs.root_pfn,
            invalidate_valid: self.phase == Phase::Walker,
            invalidate_asid: inputs.invalidate_asid,
            invalidate_all: inputs.invalidate_scope >= OF_ALL,
            reserved_bits: inputs.reserved_bits,
            execute_disable: inputs.execute_disable,
            last_pfn: inputs.last_pfn,
            // A walk of the MSHRs that joined one could end by what that had read before the command.
            no_merge: true,
            ..page_walker::Inputs::default()
        };
        for sm in 0..sms {
            requested.request_valid[sm] = u64::from(pages.miss_valid >> sm & 1);
            requested.request_vpn[sm] = self.wide(pages.miss_vpn[sm]);
            requested.request_asid[sm] = pages.miss_asid[sm];
            requested.request_write[sm] = u64::from(pages.miss_write >> sm & 1);
            requested.request_user[sm] = 1;
        }
        requested.request_valid[sms] = u64::from(far.walk_valid);
        requested.request_vpn[sms] = self.wide(far.walk_vpn);
        requested.request_asid[sms] = far.walk_asid.into();
        requested.request_write[sms] = far.walk_write.into();
        requested
    }

    /// The page that a wake-up names in this cycle.
    const fn woken(&self, far: &far_fault_mshr::Outputs, region: bool) -> u64 {
        match region {
            true => far.wake_vpn & !self.last_beat() | self.beat,
            false => far.wake_vpn,
        }
    }

    const fn last_beat(&self) -> u64 {
        (1 << self.parameters.mshrs.region_bits) - 1
    }

    /// The responses to the SMs: a hit first, then what the MSHRs say, then what a walk has found.
    fn respond(
        &self,
        inputs: &Inputs,
        pages: &l2_tlb::Outputs,
        far: &far_fault_mshr::Outputs,
        outputs: &mut Outputs,
    ) {
        let (dispatch, replays) = (&self.dispatch, self.buffer.replays_writes());
        let translation = |large: bool| match large && inputs.large_fills {
            true => LARGE,
            false => TRANSLATION,
        };
        let mut kind = TRANSLATION;
        if pages.answer_valid {
            kind = translation(pages.answer_large);
            outputs.fill_valid = pages.answer_to;
            outputs.fill_vpn = pages.answer_vpn;
            outputs.fill_asid = pages.answer_asid;
            outputs.fill_pfn = u64::from(pages.answer_pfn);
            outputs.fill_writable = pages.answer_writable;
            outputs.fill_clean = pages.answer_clean || (replays && !pages.answer_writable);
        } else if far.wake_valid && far.wake_denied {
            outputs.fill_valid = far.wake_to;
            outputs.fill_vpn = self.woken(far, inputs.region);
            outputs.fill_asid = far.wake_asid;
            kind = CANCELLED;
        } else if far.answer_valid {
            outputs.fill_valid = far.answer_far | far.answer_nack;
            outputs.fill_vpn = far.answer_vpn;
            outputs.fill_asid = far.answer_asid;
            outputs.fill_place = far.answer_place;
            kind = FAR;
        } else if dispatch.responds {
            outputs.fill_valid = dispatch.sms;
            outputs.fill_vpn = dispatch.vpn;
            outputs.fill_asid = dispatch.asid;
            if dispatch.readable {
                kind = translation(dispatch.level > 1);
                outputs.fill_pfn = u64::from(dispatch.pfn);
                outputs.fill_writable = dispatch.writable;
                outputs.fill_clean = dispatch.clean || (replays && !dispatch.writable);
            } else {
                kind = DENIED;
            }
        }
        for (sm, shown) in outputs.fill_kind.iter_mut().enumerate() {
            if outputs.fill_valid >> sm & 1 == 1 {
                let nack = kind == FAR && far.answer_nack >> sm & 1 == 1;
                *shown = u64::from(if nack { NACK } else { kind });
            }
        }
    }

    /// What follows from an answer of the walker.
    fn taken(
        &self,
        inputs: &Inputs,
        replay_writes: bool,
        answer: &page_walker::Outputs,
    ) -> ResponseDispatch {
        let sms = self.parameters.sms();
        let bits = answer.answer_requesters[..sms].iter().enumerate();
        let requested: u16 = bits.map(|(sm, bit)| (*bit as u16) << sm).sum();
        let of_mshrs = answer.answer_requesters[sms] != 0;
        let absent = [Cause::NotPresent, Cause::NotAccessed, Cause::NotDirty]
            .into_iter()
            .any(|cause| answer.answer_cause == cause as u8 + 1);
        let read_only = answer.answer_cause == Cause::Protection as u8 + 1
            && answer.answer_write
            && answer.answer_readable;
        let absent = absent || (read_only && replay_writes);
        let some = requested != 0;
        ResponseDispatch {
            fills: answer.answer_readable
                && (answer.answer_user || answer.answer_user_page)
                && inputs.shared_tlb,
            responds: some && !absent,
            faults: some && absent,
            finds: of_mshrs,
            reports: some && !absent && answer.answer_cause != 0,
            vpn: answer.answer_vpn & (u64::MAX >> (64 - self.parameters.tlb.vpn_bits)),
            asid: answer.answer_asid,
            sms: requested,
            access: u8::from(answer.answer_write) | 1 << 2,
            cause: answer.answer_cause,
            level: answer.answer_level,
            pfn: answer.answer_pfn as u32,
            readable: answer.answer_readable,
            writable: answer.answer_writable,
            clean: answer.answer_clean,
            absent,
        }
    }

    fn next_phase(
        &self,
        inputs: &Inputs,
        cache: &page_walk_cache::Outputs,
        walker: &page_walker::Outputs,
        tlb: &l2_tlb::Outputs,
    ) -> Phase {
        match self.phase {
            Phase::Idle if inputs.invalidate_valid => Phase::Cache,
            Phase::Cache if cache.invalidate_ready => Phase::Walker,
            Phase::Walker if walker.invalidate_ready => Phase::ResponseDispatch,
            Phase::ResponseDispatch if !self.dispatch.is_busy() => Phase::Tlb,
            Phase::Tlb if tlb.invalidate_ready => Phase::Sms,
            Phase::Sms => Phase::Idle,
            phase => phase,
        }
    }
}

impl Model for Gmmu {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            tlb: L2Tlb::new(parameters.tlb),
            walker: PageWalker::new(parameters.walker),
            cache: PageWalkCache::new(parameters.cache),
            mshrs: FarFaultMshr::new(parameters.mshrs),
            buffer: FaultBuffer::new(parameters.buffer),
            dispatch: ResponseDispatch::default(),
            phase: Phase::Idle,
            walks: 0,
            beat: 0,
            favoured: false,
            parameters,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let (reset, dispatch, sms) = (inputs.reset, self.dispatch, self.parameters.sms());
        let pages = self.tlb.shown();
        let far = self.mshrs.shown();
        let wanted = self
            .walker
            .shown_with(inputs.reserved_bits, inputs.execute_disable);
        let room = self.buffer.room();
        let mut outputs = Outputs::default();
        self.respond(inputs, &pages, &far, &mut outputs);

        // Memory, the cache and the walks.
        let cache = self.cache.cycle(&page_walk_cache::Inputs {
            reset,
            request_valid: wanted.memory_valid,
            request_walk: wanted.memory_walk,
            request_word: wanted.memory_word,
            request_level: wanted.memory_level,
            request_update: wanted.memory_update,
            request_dirty: wanted.memory_dirty,
            request_expected: wanted.memory_expected,
            request_bypass: wanted.memory_bypass,
            memory_ready: inputs.memory_ready,
            response_valid: inputs.response_valid,
            response_walk: inputs.response_walk,
            response_data: inputs.response_data,
            response_error: inputs.response_error,
            response_changed: inputs.response_changed,
            invalidate_valid: self.phase == Phase::Cache,
            cached_levels: inputs.cached_levels,
            reserved_bits: inputs.reserved_bits,
        });
        let requested = self.walker_inputs(inputs, &pages, &far, &cache);
        let walker = self.walker.cycle_after(&requested, wanted);
        let begun = walker.request_ready[sms] != 0;

        // The TLB.
        let accepted = walker.request_ready[..sms].iter().enumerate();
        let hit = pages.answer_valid;
        let tlb_inputs = l2_tlb::Inputs {
            reset,
            request_valid: inputs.request_valid,
            request_vpn: inputs.request_vpn,
            request_asid: inputs.request_asid,
            request_write: inputs.request_write,
            miss_ready: accepted.map(|(sm, bit)| (*bit as u16) << sm).sum(),
            fill_valid: dispatch.fills,
            fill_vpn: dispatch.vpn,
            fill_asid: dispatch.asid,
            fill_pfn: dispatch.pfn,
            fill_writable: dispatch.writable,
            fill_clean: dispatch.clean,
            fill_level: dispatch.level & 3,
            invalidate_valid: self.phase == Phase::Tlb,
            invalidate_scope: inputs.invalidate_scope,
            invalidate_vpn: inputs.invalidate_vpn,
            invalidate_asid: inputs.invalidate_asid,
        };
        let tlb = self.tlb.cycle_after(&tlb_inputs, pages);

        // The driver's side, and the far faults.
        let ends = !inputs.region || self.beat == self.last_beat();
        let beats = far.wake_valid && !(far.wake_denied && hit);
        let denial = dispatch.reports && !self.favoured;
        let reported = fault_buffer::Inputs {
            reset,
            fault_valid: dispatch.reports || far.report_valid,
            fault_vpn: if denial { dispatch.vpn } else { far.report_vpn },
            fault_asid: if denial {
                dispatch.asid
            } else {
                far.report_asid
            },
            fault_requesters: if denial {
                dispatch.sms
            } else {
                far.report_requesters
            },
            fault_access: if denial {
                dispatch.access
            } else {
                far.report_access
            },
            fault_cause: if denial {
                dispatch.cause
            } else {
                far.report_cause
            },
            fault_level: if denial {
                dispatch.level
            } else {
                far.report_level
            },
            fault_replayable: !denial,
            fault_index: if denial { 0 } else { far.report_index },
            fault_place: if denial { 0 } else { far.report_place },
            detail_ready: inputs.detail_ready,
            context_valid: inputs.context_valid,
            context_known: inputs.context_known,
            context_warp: inputs.context_warp,
            context_slot: inputs.context_slot,
            context_pc: inputs.context_pc,
            context_lanes: inputs.context_lanes,
            context_scheme: inputs.context_scheme,
            context_pointer: inputs.context_pointer,
            write_ready: inputs.write_ready,
            written: inputs.written,
            register_valid: inputs.register_valid,
            register_number: inputs.register_number,
            register_data: inputs.register_data,
            read_number: inputs.read_number,
            turned_away: (far.answer_valid && !hit && far.answer_nack != 0 && !room) || far.lost,
            sweeping: far.sweeping || far.walk_valid || (far.wake_valid && far.wake_denied),
            walks_pending: far.walk_valid || self.walks != 0 || dispatch.finds,
            command_ready: false,
        };
        let command = self.buffer.outputs(&reported);
        let mshr_inputs = far_fault_mshr::Inputs {
            reset,
            region: inputs.region,
            limit: if room { inputs.far_limit } else { 0 },
            fault_valid: dispatch.faults,
            fault_vpn: dispatch.vpn,
            fault_asid: dispatch.asid,
            fault_requesters: dispatch.sms,
            fault_access: dispatch.access,
            fault_cause: dispatch.cause,
            fault_level: dispatch.level,
            answer_ready: !hit,
            report_ready: command.fault_ready && !denial,
            command_valid: command.command_valid,
            command_cancel: command.command_cancel,
            command_all: command.command_all,
            command_vpn: command.command_vpn,
            command_asid: command.command_asid,
            command_requesters: command.command_requesters,
            walk_ready: begun,
            present_valid: dispatch.finds,
            present_vpn: dispatch.vpn,
            present_asid: dispatch.asid,
            present_missing: dispatch.absent,
            present_cause: dispatch.cause,
            present_level: dispatch.level,
            wake_ready: beats && ends,
        };
        let mshrs = self.mshrs.cycle_after(&mshr_inputs, far);
        let reported = fault_buffer::Inputs {
            command_ready: mshrs.command_ready,
            ..reported
        };
        let replay_writes = command.replay_writes;
        let buffer = self.buffer.cycle_after(&reported, command);

        if mshrs.wake_valid && !mshrs.wake_denied {
            outputs.resolve_valid = mshrs.wake_to;
            outputs.resolve_vpn = self.woken(&mshrs, inputs.region);
            outputs.resolve_asid = mshrs.wake_asid;
        }
        let drops = self.phase == Phase::Sms;
        outputs.request_ready = tlb.request_ready;
        outputs.drop_valid = drops;
        outputs.drop_scope = match inputs.invalidate_scope {
            _ if !drops => 0,
            scope => scope.max(OF_SPACE),
        };
        outputs.drop_asid = if drops { inputs.invalidate_asid } else { 0 };
        outputs.detail_valid = buffer.detail_valid;
        outputs.detail_sm = buffer.detail_sm;
        outputs.detail_vpn = buffer.detail_vpn;
        outputs.detail_asid = buffer.detail_asid;
        outputs.memory_valid = cache.memory_valid;
        outputs.memory_walk = cache.memory_walk;
        outputs.memory_word = cache.memory_word;
        outputs.memory_level = cache.memory_level;
        outputs.memory_update = cache.memory_update;
        outputs.memory_dirty = cache.memory_dirty;
        outputs.memory_expected = cache.memory_expected;
        outputs.write_valid = buffer.write_valid;
        outputs.write_address = buffer.write_address;
        outputs.write_data = buffer.write_data;
        outputs.read_data = buffer.read_data;
        outputs.interrupts = buffer.interrupts;
        outputs.invalidate_ready = drops;
        outputs.held = mshrs.held;

        // The edge.
        if reset {
            self.dispatch = ResponseDispatch::default();
            self.phase = Phase::Idle;
            (self.walks, self.beat, self.favoured) = (0, 0, false);
            return outputs;
        }
        let first = hit || mshrs.answer_valid || (mshrs.wake_valid && mshrs.wake_denied);
        self.phase = self.next_phase(inputs, &cache, &walker, &tlb);
        self.dispatch.fills &= !tlb.fill_ready;
        self.dispatch.responds &= first;
        self.dispatch.faults &= !mshrs.fault_ready;
        self.dispatch.finds &= !mshrs.present_ready;
        self.dispatch.reports &= !(denial && buffer.fault_ready);
        let taken = walker.answer_valid && !dispatch.is_busy();
        if taken {
            self.dispatch = self.taken(inputs, replay_writes, &walker);
        }
        let answered = taken && walker.answer_requesters[sms] != 0;
        self.walks = self.walks + u16::from(begun) - u16::from(answered);
        if beats {
            self.beat = if ends { 0 } else { self.beat + 1 };
        }
        self.favoured = mshrs.report_valid && (denial || !buffer.fault_ready);
        outputs
    }
}
