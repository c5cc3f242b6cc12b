#![doc = include_str!("../../../docs/blocks/fault_buffer.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{LOG_ENTRY_BITS, SLOT_BITS, WARP_BITS};
use crate::primitives::memory::Memory;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::register::Register;

mod commands;
mod record;
mod ring;

use commands::Commands;
use record::Record;
use ring::Ring;

/// Phase of the fault under way.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Doing {
    /// No fault is under way.
    Nothing,
    /// The record before is read, if the filter compares it.
    Searching,
    /// The record is compared.
    Comparing,
    /// The words of the new record are valid.
    Writing,
}

/// Fault buffer: writes a record of each fault into a ring in memory, and hands on the commands of the driver. `SMS`
/// SMs with numbers of `SM` bits. Pages of `VPN` bits, spaces of `ASID`; MSHRs with numbers of `MSHR` bits and places
/// of `PLACE`. Records with numbers of `RECORD` bits, in frames with numbers of `PFN` bits, and words of memory with
/// numbers of `WORD` bits. `LANES` lanes, PCs of `PC` bits. A fault is compared with 2^`FILTER` records, counted in
/// `FILTER_COUNT` bits, by keys of `KEY` bits. Counters of `COUNT` bits, times of `TIME`. Fewer than 2^`IN_FLIGHT`
/// acknowledgements of memory are outstanding.
#[block(top)]
#[check(1 << SM == SMS, "{SM} bits do not number {SMS} SMs")]
#[check(PFN + 9 == WORD, "{WORD} bits do not number the words of frames of {PFN} bits")]
#[check(FILTER + 1 == FILTER_COUNT && VPN + ASID + 7 == KEY, "{FILTER_COUNT} bits do not count 2^{FILTER} records, or a key does not have {KEY}")]
#[check(RECORD >= 2 && RECORD + 3 <= WORD && FILTER <= COUNT, "{RECORD} bits do not number records")]
pub struct FaultBuffer<
    const SMS: usize,
    const SM: usize,
    const VPN: usize,
    const ASID: usize,
    const MSHR: usize,
    const PLACE: usize,
    const RECORD: usize,
    const PFN: usize,
    const WORD: usize,
    const LANES: usize,
    const PC: usize,
    const FILTER: usize,
    const FILTER_COUNT: usize,
    const KEY: usize,
    const COUNT: usize,
    const TIME: usize,
    const IN_FLIGHT: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: empties the buffer and clears every register.
    pub reset: Signal<In, Bit>,

    /// A fault is to be reported to the driver.
    pub fault_valid: Signal<In, Bit>,
    /// Page number of the fault.
    pub fault_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the fault.
    pub fault_asid: Signal<In, Bits<ASID>>,
    /// SMs that met the fault, one bit each, at least one.
    pub fault_requesters: [Signal<In, Bit>; SMS],
    /// Kind of access: bit 0 write, bit 1 execute, bit 2 user.
    pub fault_access: Signal<In, Bits<3>>,
    /// The walker's cause.
    pub fault_cause: Signal<In, Bits<3>>,
    /// Level at which the walk ended.
    pub fault_level: Signal<In, Bits<3>>,
    /// The SMs wait for the page; if low, their accesses were denied.
    pub fault_replayable: Signal<In, Bit>,
    /// Far-fault MSHR of the fault.
    pub fault_index: Signal<In, Bits<MSHR>>,
    /// Place of the fault in the queue of the MSHRs.
    pub fault_place: Signal<In, Bits<PLACE>>,
    /// The query is taken.
    pub detail_ready: Signal<In, Bit>,
    /// The query is answered.
    pub context_valid: Signal<In, Bit>,
    /// The SM has an instruction that waits for the page.
    pub context_known: Signal<In, Bit>,
    /// Warp of the instruction.
    pub context_warp: Signal<In, Bits<WARP_BITS>>,
    /// Thread-block slot of the instruction.
    pub context_slot: Signal<In, Bits<SLOT_BITS>>,
    /// Address of the instruction.
    pub context_pc: Signal<In, Bits<PC>>,
    /// Lanes of the instruction.
    pub context_lanes: Signal<In, Bits<LANES>>,
    /// Scheme by which the instruction will be restarted.
    pub context_scheme: Signal<In, Bits<3>>,
    /// Operand-log entry of the instruction.
    pub context_pointer: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// Memory takes the word.
    pub write_ready: Signal<In, Bit>,
    /// The oldest word without an acknowledgement is in memory.
    pub written: Signal<In, Bit>,
    /// The driver writes a register; the write is always taken.
    pub register_valid: Signal<In, Bit>,
    /// Number of the register that is written.
    pub register_number: Signal<In, Bits<4>>,
    /// Value of the register that is written.
    pub register_data: Signal<In, Bits<64>>,
    /// Number of the register that is read.
    pub read_number: Signal<In, Bits<4>>,
    /// A fault was answered with Nack, or in the previous cycle not reported again, because `room` was low.
    pub turned_away: Signal<In, Bit>,
    /// The command is taken.
    pub command_ready: Signal<In, Bit>,
    /// The MSHRs execute a command for all pages: pages are to be walked or denied, or a walk is on offer. It rises
    /// at most two cycles after the command was taken.
    pub sweeping: Signal<In, Bit>,
    /// A walk of the MSHRs is on offer or not answered yet.
    pub walks_pending: Signal<In, Bit>,

    /// The fault is accepted.
    pub fault_ready: Signal<Out, Bit>,
    /// Query for the instruction of an SM that has waited longest for a page.
    pub detail_valid: Signal<Out, Bit>,
    /// Lowest SM of the fault.
    pub detail_sm: Signal<Out, Bits<SM>>,
    /// Page number of the query.
    pub detail_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the query.
    pub detail_asid: Signal<Out, Bits<ASID>>,
    /// A word is to be written to memory.
    pub write_valid: Signal<Out, Bit>,
    /// Number of the word.
    pub write_address: Signal<Out, Bits<WORD>>,
    /// Value of the word.
    pub write_data: Signal<Out, Bits<64>>,
    /// Value of the register in `read_number`, as it is in this cycle.
    pub read_data: Signal<Out, Bits<64>>,
    /// The driver has something to handle.
    pub interrupts: Signal<Out, Bit>,
    /// One more replayable fault may be accepted.
    pub room: Signal<Out, Bit>,
    /// Bit 6 of CONTROL: a write to a page that may only be read is a replayable fault.
    pub replay_writes: Signal<Out, Bit>,
    /// A command for the MSHRs.
    pub command_valid: Signal<Out, Bit>,
    /// The command cancels far faults; it resolves them otherwise.
    pub command_cancel: Signal<Out, Bit>,
    /// The command is for every page; for one page otherwise.
    pub command_all: Signal<Out, Bit>,
    /// Page number of the command.
    pub command_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the command.
    pub command_asid: Signal<Out, Bits<ASID>>,
    /// SMs that a cancellation denies, one bit each.
    pub command_requesters: [Signal<Out, Bit>; SMS],

    phase: Register<Doing>,

    // The fault under way, and when it was accepted.
    vpn: Register<Bits<VPN>>,
    asid: Register<Bits<ASID>>,
    requester: [Register<Bit>; SMS],
    access_kind: Register<Bits<3>>,
    cause: Register<Bits<3>>,
    level: Register<Bits<3>>,
    replayable: Register<Bit>,
    index: Register<Bits<MSHR>>,
    place: Register<Bits<PLACE>>,
    stamp: Register<Bits<TIME>>,

    // The search: records that were compared, and whether GET was moved.
    compared: Register<Bits<FILTER_COUNT>>,
    moved: Register<Bit>,

    // The record: its word in the order of writing.
    step: Register<Bits<3>>,

    // Words that memory has taken and not acknowledged, and those that it has acknowledged of the oldest record.
    outstanding: Register<Bits<IN_FLIGHT>>,
    settled: Register<Bits<3>>,

    // The question is on offer; it is to be answered; the instruction.
    asking: Register<Bit>,
    awaiting: Register<Bit>,
    known: Register<Bit>,
    warp: Register<Bits<WARP_BITS>>,
    slot: Register<Bits<SLOT_BITS>>,
    pc: Register<Bits<PC>>,
    lanes: Register<Bits<LANES>>,
    scheme: Register<Bits<3>>,
    pointer: Register<Bits<LOG_ENTRY_BITS>>,

    // CONTROL and STATUS.
    enabled: Register<Bit>,
    short: Register<Bit>,
    interrupts_records: Register<Bit>,
    interrupts_overflow: Register<Bit>,
    asks: Register<Bit>,
    leaves_out: Register<Bit>,
    replays_writes: Register<Bit>,
    overflow: Register<Bit>,
    clears: Register<Bit>,
    was_short: Register<Bit>,
    refused: Register<Bit>,

    // The counters.
    records: Register<Bits<COUNT>>,
    filtered: Register<Bits<COUNT>>,
    away: Register<Bits<COUNT>>,
    dropped: Register<Bits<COUNT>>,
    time: Register<Bits<TIME>>,

    // What the last records are compared by.
    #[init(Memory::new(1 << FILTER, 1))]
    keys: Memory<Bits<KEY>, FILTER, 1>,
    #[init(Constant::new((VPN as LiteralType).into()))]
    above_vpn: Constant<Bits<KEY>>,
    #[init(Constant::new(((VPN + ASID) as LiteralType).into()))]
    above_asid: Constant<Bits<KEY>>,
    #[init(Constant::new(((VPN + ASID + 3) as LiteralType).into()))]
    above_access: Constant<Bits<KEY>>,
    #[init(Constant::new((1 << (VPN + ASID + 6) as LiteralType).into()))]
    replayable_key: Constant<Bits<KEY>>,
    #[init(Constant::new((1 << FILTER as LiteralType).into()))]
    compared_all: Constant<Bits<FILTER_COUNT>>,
    #[init(std::array::from_fn(|bit| Constant::new((1 << bit as LiteralType).into())))]
    flag: [Constant<Bits<64>>; 7],

    ring: Ring<RECORD, PFN>,
    commands: Commands<SM, VPN, ASID>,
    record: Record<SMS, SM, VPN, ASID, MSHR, PLACE, LANES, PC, COUNT, TIME>,
    shown: OneHotMux<13, Bits<64>>,
    state: OneHotMux<6, Bits<64>>,
    controls: OneHotMux<7, Bits<64>>,
    idle: Signal<Local, Bit>,
    searching: Signal<Local, Bit>,
    comparing: Signal<Local, Bit>,
    writing: Signal<Local, Bit>,
    accepts: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    ends_search: Signal<Local, Bit>,
    alike: Signal<Local, Bit>,
    filters: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    has_room: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    details: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    acknowledged: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    seals: Signal<Local, Bit>,
    last_settled: Signal<Local, Bit>,
    in_flight: Signal<Local, Bit>,
    word: Signal<Local, Bits<3>>,
    start: Signal<Local, Bits<WORD>>,
    inside: Signal<Local, Bits<WORD>>,
    writes_control: Signal<Local, Bit>,
    writes_flags: Signal<Local, Bit>,
    key: Signal<Local, Bits<KEY>>,
    newest: Signal<Local, Bits<FILTER>>,
    answered: Signal<Local, Bit>,
    at_rest: Signal<Local, Bit>,
    control: [Signal<Local, Bit>; 7],
    is_short: Signal<Local, Bit>,
    overflows: Signal<Local, Bit>,
    overflows_late: Signal<Local, Bit>,
    cleared: Signal<Local, Bit>,
}

impl<
    const SMS: usize,
    const SM: usize,
    const VPN: usize,
    const ASID: usize,
    const MSHR: usize,
    const PLACE: usize,
    const RECORD: usize,
    const PFN: usize,
    const WORD: usize,
    const LANES: usize,
    const PC: usize,
    const FILTER: usize,
    const FILTER_COUNT: usize,
    const KEY: usize,
    const COUNT: usize,
    const TIME: usize,
    const IN_FLIGHT: usize,
> Logic
    for FaultBuffer<
        SMS,
        SM,
        VPN,
        ASID,
        MSHR,
        PLACE,
        RECORD,
        PFN,
        WORD,
        LANES,
        PC,
        FILTER,
        FILTER_COUNT,
        KEY,
        COUNT,
        TIME,
        IN_FLIGHT,
    >
{
    #[logic]
    fn update(&mut self) {
        // The driver writes a register.
        self.ring.write_base.next = self.register_valid.val() && (self.register_number.val() == 0);
        self.ring.write_size.next = self.register_valid.val() && (self.register_number.val() == 1);
        self.ring.write_get.next = self.register_valid.val() && (self.register_number.val() == 2);
        self.writes_control.next = self.register_valid.val() && (self.register_number.val() == 4);
        self.writes_flags.next = self.register_valid.val() && (self.register_number.val() == 6);
        self.commands.write.next = self.register_valid.val() && (self.register_number.val() == 7);
        self.ring.pfn.next = bit_cast::<PFN, 64>(self.register_data.val());
        self.ring.number.next = bit_cast::<RECORD, 64>(self.register_data.val());
        self.ring.resting.next = !self.enabled.q.val()
            && (self.phase.q.val() == Doing::Nothing)
            && !self.in_flight.val()
            && !(self.fault_valid.val() && self.fault_replayable.val());
        self.at_rest.next = self.ring.at_rest.val();
        if self.writes_control.val() {
            self.enabled.d.next = self.register_data.val().get_bit(0);
            self.interrupts_records.d.next = self.register_data.val().get_bit(2);
            self.interrupts_overflow.d.next = self.register_data.val().get_bit(3);
            self.asks.d.next = self.register_data.val().get_bit(4);
            self.leaves_out.d.next = self.register_data.val().get_bit(5);
            self.replays_writes.d.next = self.register_data.val().get_bit(6);
        }
        if self.writes_control.val() && self.at_rest.val() {
            self.short.d.next = self.register_data.val().get_bit(1);
        }

        // What is accepted: a replayable fault needs a place at once.
        self.idle.next = self.phase.q.val() == Doing::Nothing;
        self.fault_ready.next =
            self.idle.val() && (!self.fault_replayable.val() || self.ring.place.val());
        self.accepts.next =
            self.fault_valid.val() && self.idle.val() && !self.fault_replayable.val();
        if self.idle.val() {
            self.vpn.d.next = self.fault_vpn.val();
            self.asid.d.next = self.fault_asid.val();
            self.access_kind.d.next = self.fault_access.val();
            self.cause.d.next = self.fault_cause.val();
            self.level.d.next = self.fault_level.val();
            self.replayable.d.next = self.fault_replayable.val();
            self.index.d.next = self.fault_index.val();
            self.place.d.next = self.fault_place.val();
            self.stamp.d.next = self.time.q.val();
        }
        for s in 0..SMS {
            if self.idle.val() {
                self.requester[s].d.next = self.fault_requesters[s].val();
            }
        }

        // The search among the last records that are not read.
        self.searching.next = self.phase.q.val() == Doing::Searching;
        self.comparing.next = self.phase.q.val() == Doing::Comparing;
        self.has_room.next =
            self.enabled.q.val() && !self.overflow.q.val() && self.ring.two_places.val();
        self.ends_search.next = self.searching.val()
            && (self.ring.searched.val()
                || self.moved.q.val()
                || (self.compared.q.val() == self.compared_all.val()));
        self.key.next = bit_cast::<KEY, VPN>(self.vpn.q.val())
            | (bit_cast::<KEY, ASID>(self.asid.q.val()) << self.above_vpn.val())
            | (bit_cast::<KEY, 3>(self.access_kind.q.val()) << self.above_asid.val())
            | (bit_cast::<KEY, 3>(self.cause.q.val()) << self.above_access.val());
        self.alike.next = self.keys.q[0].val() == self.key.val();
        self.filters.next = (self.comparing.val() && self.alike.val() && !self.moved.q.val())
            || (self.accepts.val() && self.leaves_out.q.val());
        self.drops.next = self.ends_search.val() && !self.has_room.val();
        if self.comparing.val() {
            self.compared.d.next = self.compared.q.val() + 1;
        }
        self.moved.d.next = self.moved.q.val() || self.ring.moves.val();
        if self.idle.val() {
            self.compared.d.next = bits::<FILTER_COUNT>(0);
            self.moved.d.next = false;
        }
        self.ring.search.next = self.idle.val();
        self.ring.step.next = self.comparing.val();

        // A record takes its place and is written, the word with VALID last. Memory shows words in the order in which it took
        // them, so the next record does not wait for the acknowledgements of this one.
        self.takes.next = (self.ends_search.val() && self.has_room.val())
            || (self.fault_valid.val()
                && self.fault_replayable.val()
                && self.idle.val()
                && self.ring.place.val());
        self.writing.next = self.phase.q.val() == Doing::Writing;
        self.ring.take.next = self.takes.val();
        self.details.next = !self.asking.q.val() && !self.awaiting.q.val();
        self.offered.next = self.writing.val()
            && !self.outstanding.q.val().all()
            && ((self.step.q.val() < 5) || self.details.val());
        self.writes.next = self.offered.val() && self.write_ready.val();
        self.last.next =
            (self.step.q.val() == 7) || (self.short.q.val() && (self.step.q.val() == 3));
        self.seals.next = self.writes.val() && self.last.val();
        if self.writes.val() {
            self.step.d.next = self.step.q.val() + 1;
        }
        if self.takes.val() {
            self.step.d.next = bits::<3>(0);
        }

        // What memory has acknowledged: with the last word of a record, PUT moves.
        self.in_flight.next = self.outstanding.q.val().any();
        self.acknowledged.next = self.written.val() && self.in_flight.val();
        if self.writes.val() && !self.acknowledged.val() {
            self.outstanding.d.next = self.outstanding.q.val() + 1;
        }
        if !self.writes.val() && self.acknowledged.val() {
            self.outstanding.d.next = self.outstanding.q.val() - 1;
        }
        self.last_settled.next =
            (self.settled.q.val() == 7) || (self.short.q.val() && (self.settled.q.val() == 3));
        self.ends.next = self.acknowledged.val() && self.last_settled.val();
        self.ring.end.next = self.ends.val();
        if self.acknowledged.val() {
            self.settled.d.next = self.settled.q.val() + 1;
        }
        if self.ends.val() {
            self.settled.d.next = bits::<3>(0);
        }

        // The phases.
        match self.phase.q.val() {
            Doing::Nothing => {
                if self.accepts.val() && !self.leaves_out.q.val() {
                    self.phase.d.next = Doing::Searching;
                }
                if self.takes.val() {
                    self.phase.d.next = Doing::Writing;
                }
            }
            Doing::Searching => {
                self.phase.d.next = Doing::Comparing;
                if self.drops.val() {
                    self.phase.d.next = Doing::Nothing;
                }
                if self.takes.val() {
                    self.phase.d.next = Doing::Writing;
                }
            }
            Doing::Comparing => {
                self.phase.d.next = Doing::Searching;
                if self.filters.val() {
                    self.phase.d.next = Doing::Nothing;
                }
            }
            Doing::Writing => {
                if self.seals.val() {
                    self.phase.d.next = Doing::Nothing;
                }
            }
            _ => {
                self.phase.d.next = Doing::Nothing;
            }
        }

        // The keys of the last records: the newest has the number before the next sequence number.
        self.newest.next = bit_cast::<FILTER, COUNT>(self.records.q.val())
            - bit_cast::<FILTER, FILTER_COUNT>(self.compared.q.val())
            - 1;
        self.keys.enable.next = self.searching.val() || self.writing.val();
        self.keys.write.next = self.writing.val();
        self.keys.address.next = self.newest.val();
        if self.writing.val() {
            self.keys.address.next = bit_cast::<FILTER, COUNT>(self.records.q.val());
        }
        self.keys.data[0].next = self.key.val();
        if self.replayable.q.val() {
            self.keys.data[0].next = self.key.val() | self.replayable_key.val();
        }

        // The word on offer: VALID is in word 3.
        self.word.next = self.step.q.val();
        if !(self.step.q.val() < 3) {
            self.word.next = self.step.q.val() + 1;
        }
        if self.last.val() {
            self.word.next = bits::<3>(3);
        }
        for w in 0..8 {
            self.record.show[w].next = self.offered.val() && (self.word.val() == w.to_bits::<3>());
        }
        self.inside.next = (bit_cast::<WORD, RECORD>(self.ring.current.val()) << 3)
            | bit_cast::<WORD, 3>(self.word.val());
        if self.short.q.val() {
            self.inside.next = (bit_cast::<WORD, RECORD>(self.ring.current.val()) << 2)
                | bit_cast::<WORD, 3>(self.word.val());
        }
        self.start.next = bit_cast::<WORD, PFN>(self.ring.base.val()) << 9;
        self.write_valid.next = self.offered.val();
        self.write_address.next = bits::<WORD>(0);
        if self.offered.val() {
            self.write_address.next = self.start.val() + self.inside.val();
        }
        self.write_data.next = self.record.word.val();
        for s in 0..SMS {
            self.record.requester[s].next = self.requester[s].q.val();
        }
        self.record.vpn.next = self.vpn.q.val();
        self.record.asid.next = self.asid.q.val();
        self.record.access_kind.next = self.access_kind.q.val();
        self.record.cause.next = self.cause.q.val();
        self.record.level.next = self.level.q.val();
        self.record.replayable.next = self.replayable.q.val();
        self.record.index.next = self.index.q.val();
        self.record.place.next = self.place.q.val();
        self.record.time.next = self.stamp.q.val();
        self.record.sequence.next = self.records.q.val();
        self.record.known.next = self.known.q.val();
        self.record.warp.next = self.warp.q.val();
        self.record.slot.next = self.slot.q.val();
        self.record.pc.next = self.pc.q.val();
        self.record.lanes.next = self.lanes.q.val();
        self.record.scheme.next = self.scheme.q.val();
        self.record.pointer.next = self.pointer.q.val();

        // The details.
        self.answered.next = self.awaiting.q.val() && self.context_valid.val();
        self.asking.d.next = self.asking.q.val() && !self.detail_ready.val();
        self.awaiting.d.next = (self.asking.q.val() && self.detail_ready.val())
            || (self.awaiting.q.val() && !self.answered.val());
        if self.takes.val() {
            self.asking.d.next = self.asks.q.val() && !self.short.q.val();
            self.known.d.next = false;
        }
        if self.answered.val() {
            self.known.d.next = self.context_known.val();
            self.warp.d.next = self.context_warp.val();
            self.slot.d.next = self.context_slot.val();
            self.pc.d.next = self.context_pc.val();
            self.lanes.d.next = self.context_lanes.val();
            self.scheme.d.next = self.context_scheme.val();
            self.pointer.d.next = self.context_pointer.val();
        }
        self.detail_valid.next = self.asking.q.val();
        self.detail_sm.next = bits::<SM>(0);
        self.detail_vpn.next = bits::<VPN>(0);
        self.detail_asid.next = bits::<ASID>(0);
        if self.asking.q.val() {
            self.detail_sm.next = self.record.lowest.val();
            self.detail_vpn.next = self.vpn.q.val();
            self.detail_asid.next = self.asid.q.val();
        }

        // The command.
        self.commands.data.next = self.register_data.val();
        self.commands.ready.next = self.command_ready.val();
        self.commands.sweeping.next = self.sweeping.val();
        self.commands.walks_pending.next = self.walks_pending.val();
        self.command_valid.next = self.commands.valid.val();
        self.command_cancel.next = self.commands.cancel.val();
        self.command_all.next = self.commands.all.val();
        self.command_vpn.next = self.commands.vpn.val();
        self.command_asid.next = self.commands.asid.val();
        for s in 0..SMS {
            self.command_requesters[s].next =
                !self.commands.targeted.val() || (self.commands.sm.val() == s.to_bits::<SM>());
        }

        // OVERFLOW, REFUSED and the counters.
        self.is_short.next = self.ring.made.val() && !self.ring.two_places.val();
        self.was_short.d.next = self.is_short.val();
        self.overflows.next = (self.turned_away.val() || self.drops.val()) && self.is_short.val();
        self.overflows_late.next = self.turned_away.val() && self.was_short.q.val();
        self.clears.d.next = self.ring.moves.val() && self.register_data.val().get_bit(31);
        self.cleared.next = self.ring.remakes.val()
            || (self.ring.two_places.val()
                && (self.clears.q.val()
                    || (self.writes_flags.val() && self.register_data.val().get_bit(0))));
        self.overflow.d.next = self.overflows.val()
            || ((self.overflow.q.val() || self.overflows_late.val()) && !self.cleared.val());
        self.refused.d.next = self.commands.refused.val()
            || (self.refused.q.val()
                && !(self.writes_flags.val() && self.register_data.val().get_bit(1)));
        if self.seals.val() {
            self.records.d.next = self.records.q.val() + 1;
        }
        if self.filters.val() {
            self.filtered.d.next = self.filtered.q.val() + 1;
        }
        if self.turned_away.val() {
            self.away.d.next = self.away.q.val() + 1;
        }
        if self.drops.val() {
            self.dropped.d.next = self.dropped.q.val() + 1;
        }
        self.time.d.next = self.time.q.val() + 1;
        self.room.next = self.has_room.val();
        self.replay_writes.next = self.replays_writes.q.val();
        self.interrupts.next = (self.interrupts_records.q.val() && self.ring.unread.val())
            || (self.interrupts_overflow.q.val() && self.overflow.q.val());

        // The driver reads a register.
        for f in 0..6 {
            self.state.of[f].next = self.flag[f].val();
        }
        self.state.choose[0].next = self.overflow.q.val();
        self.state.choose[1].next = self.commands.busy.val();
        self.state.choose[2].next = self.refused.q.val();
        self.state.choose[3].next = self.ring.unread.val();
        self.state.choose[4].next = self.has_room.val();
        self.state.choose[5].next = !self.idle.val() || self.in_flight.val();
        for i in 0..13 {
            self.shown.choose[i].next = self.read_number.val() == i.to_bits::<4>();
        }
        self.control[0].next = self.enabled.q.val();
        self.control[1].next = self.short.q.val();
        self.control[2].next = self.interrupts_records.q.val();
        self.control[3].next = self.interrupts_overflow.q.val();
        self.control[4].next = self.asks.q.val();
        self.control[5].next = self.leaves_out.q.val();
        self.control[6].next = self.replays_writes.q.val();
        for f in 0..7 {
            self.controls.of[f].next = self.flag[f].val();
            self.controls.choose[f].next = self.control[f].val();
        }
        self.shown.of[0].next = bit_cast::<64, PFN>(self.ring.base.val());
        self.shown.of[1].next = bit_cast::<64, RECORD>(self.ring.size.val());
        self.shown.of[2].next = bit_cast::<64, RECORD>(self.ring.get.val());
        self.shown.of[3].next = bit_cast::<64, RECORD>(self.ring.put.val());
        self.shown.of[4].next = self.controls.chosen.val();
        self.shown.of[5].next = self.state.chosen.val();
        self.shown.of[6].next = bits::<64>(0);
        self.shown.of[7].next = self.commands.word.val();
        self.shown.of[8].next = bit_cast::<64, COUNT>(self.records.q.val());
        self.shown.of[9].next = bit_cast::<64, COUNT>(self.filtered.q.val());
        self.shown.of[10].next = bit_cast::<64, COUNT>(self.away.q.val());
        self.shown.of[11].next = bit_cast::<64, COUNT>(self.dropped.q.val());
        self.shown.of[12].next = bit_cast::<64, TIME>(self.time.q.val());
        self.read_data.next = self.shown.chosen.val();
    }
}
