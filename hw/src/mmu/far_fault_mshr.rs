#![doc = include_str!("../../../docs/blocks/far_fault_mshr.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::memory::Memory;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

mod choice;
mod entries;
mod limits;
mod report;

use choice::Choice;
use entries::Entries;
use limits::Limits;
use report::Report;

/// Phase of the operation.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Phase {
    /// No operation is under way.
    Idle,
    /// The entries of its tag become candidates.
    Searching,
    /// The lowest candidate is read.
    Choosing,
    /// The candidate is compared.
    Comparing,
    /// The operation takes effect.
    Acting,
    /// The answer to a fault is valid.
    Answering,
    /// The wake-up of an entry that has ended is valid.
    Waking,
}

/// Far-fault MSHRs: keep each page that is being fetched once, with the SMs that wait for it, and wake them. `ENTRIES`
/// entries with indices of `INDEX` bits; counts of them, and places in their queue, of `COUNT` bits. Pages of `VPN`
/// bits, spaces of `ASID`; a name has `NAME` bits: a page, a space, a place, and 3 bits of an access. `SMS` SMs, each
/// with a limit of `LIMIT` bits and a count of far faults of `SM_COUNT` bits. A region has 2^`REGION` pages.
#[block(top)]
#[check(1 << INDEX == ENTRIES && INDEX + 1 == COUNT, "{INDEX} and {COUNT} bits do not fit {ENTRIES} entries")]
#[check(VPN + ASID + COUNT + 3 == NAME && ASID <= VPN && REGION < VPN, "{VPN}, {ASID}, {COUNT} and 3 bits do not make {NAME}, or regions of {REGION} bits do not fit")]
#[check(SM_COUNT <= LIMIT && (SM_COUNT == LIMIT || COUNT <= SM_COUNT), "{SM_COUNT} bits do not count the far faults of an SM")]
pub struct FarFaultMshr<
    const ENTRIES: usize,
    const INDEX: usize,
    const COUNT: usize,
    const VPN: usize,
    const ASID: usize,
    const NAME: usize,
    const SMS: usize,
    const LIMIT: usize,
    const SM_COUNT: usize,
    const REGION: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: frees every entry.
    pub reset: Signal<In, Bit>,

    /// Faults are handled by regions of 64 KB: the `G` (4) low bits of page numbers are ignored.
    pub region: Signal<In, Bit>,
    /// Far faults that an SM may have; with 0 nothing is reported.
    pub limit: Signal<In, Bits<LIMIT>>,
    /// A walk found a page absent.
    pub fault_valid: Signal<In, Bit>,
    /// Page number of the fault.
    pub fault_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the fault.
    pub fault_asid: Signal<In, Bits<ASID>>,
    /// SMs for which the page was walked, one bit each, at least one.
    pub fault_requesters: [Signal<In, Bit>; SMS],
    /// Kind of access of the fault, for the report.
    pub fault_access: Signal<In, Bits<3>>,
    /// Cause of the failed walk, for the report; cause 6 is a write to a page whose dirty bit is clear.
    pub fault_cause: Signal<In, Bits<3>>,
    /// Level at which the walk ended, for the report.
    pub fault_level: Signal<In, Bits<3>>,
    /// The answer is taken.
    pub answer_ready: Signal<In, Bit>,
    /// The report is taken.
    pub report_ready: Signal<In, Bit>,
    /// The driver sends a command.
    pub command_valid: Signal<In, Bit>,
    /// The command cancels far faults; it resolves them otherwise.
    pub command_cancel: Signal<In, Bit>,
    /// The command is for every page; for one page otherwise.
    pub command_all: Signal<In, Bit>,
    /// Page number of the command.
    pub command_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the command.
    pub command_asid: Signal<In, Bits<ASID>>,
    /// SMs that a cancellation denies, one bit each.
    pub command_requesters: [Signal<In, Bit>; SMS],
    /// The walk is taken.
    pub walk_ready: Signal<In, Bit>,
    /// A walk that was requested on `walk_*` has ended.
    pub present_valid: Signal<In, Bit>,
    /// Page number of the walk that ended.
    pub present_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the walk that ended.
    pub present_asid: Signal<In, Bits<ASID>>,
    /// The walk has not found its page.
    pub present_missing: Signal<In, Bit>,
    /// Cause of the walk that did not find its page.
    pub present_cause: Signal<In, Bits<3>>,
    /// Level at which the walk ended.
    pub present_level: Signal<In, Bits<3>>,
    /// The wake-up is taken.
    pub wake_ready: Signal<In, Bit>,

    /// The fault is accepted.
    pub fault_ready: Signal<Out, Bit>,
    /// A fault is answered.
    pub answer_valid: Signal<Out, Bit>,
    /// Page number of the answered fault.
    pub answer_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the answered fault.
    pub answer_asid: Signal<Out, Bits<ASID>>,
    /// SMs whose far fault is held, one bit each.
    pub answer_far: [Signal<Out, Bit>; SMS],
    /// SMs that have to request the page again later, one bit each.
    pub answer_nack: [Signal<Out, Bit>; SMS],
    /// Place of the far fault in the queue.
    pub answer_place: Signal<Out, Bits<COUNT>>,
    /// A far fault is reported to the driver: it has a new entry, is now for a write, or is still absent.
    pub report_valid: Signal<Out, Bit>,
    /// Page number of the report.
    pub report_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the report.
    pub report_asid: Signal<Out, Bits<ASID>>,
    /// SMs that wait for the page, one bit each.
    pub report_requesters: [Signal<Out, Bit>; SMS],
    /// Kind of access to the page.
    pub report_access: Signal<Out, Bits<3>>,
    /// Cause of the last walk that failed.
    pub report_cause: Signal<Out, Bits<3>>,
    /// Level at which the last walk that failed ended.
    pub report_level: Signal<Out, Bits<3>>,
    /// Entry of the far fault.
    pub report_index: Signal<Out, Bits<INDEX>>,
    /// Place of the far fault in the queue.
    pub report_place: Signal<Out, Bits<COUNT>>,
    /// The command is accepted.
    pub command_ready: Signal<Out, Bit>,
    /// A page is to be walked for no SM, to find whether it is present now.
    pub walk_valid: Signal<Out, Bit>,
    /// Page number of the walk.
    pub walk_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the walk.
    pub walk_asid: Signal<Out, Bits<ASID>>,
    /// The walk also checks whether the page may be written.
    pub walk_write: Signal<Out, Bit>,
    /// The result of the walk is accepted.
    pub present_ready: Signal<Out, Bit>,
    /// SMs no longer wait for a page.
    pub wake_valid: Signal<Out, Bit>,
    /// Page number of the wake-up.
    pub wake_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the wake-up.
    pub wake_asid: Signal<Out, Bits<ASID>>,
    /// SMs that no longer wait, one bit each.
    pub wake_to: [Signal<Out, Bit>; SMS],
    /// The far faults were cancelled.
    pub wake_denied: Signal<Out, Bit>,
    /// Entries in use.
    pub held: Signal<Out, Bits<COUNT>>,
    /// A command for all pages is in progress.
    pub sweeping: Signal<Out, Bit>,
    /// In the previous cycle a held far fault was not reported again, because `limit` was 0.
    pub lost: Signal<Out, Bit>,

    // The operation: a fault, a step of a sweep, a command for all, or a page that a walk did not find. Then whether it wakes
    // or denies SMs, which of the two, its page, and the SMs that it concerns.
    phase: Register<Phase>,
    of_fault: Register<Bit>,
    of_sweep: Register<Bit>,
    of_all: Register<Bit>,
    of_missing: Register<Bit>,
    ends: Register<Bit>,
    denies: Register<Bit>,
    vpn: Register<Bits<VPN>>,
    asid: Register<Bits<ASID>>,
    requester: [Register<Bit>; SMS],
    access_kind: Register<Bits<3>>,
    cause: Register<Bits<3>>,
    level: Register<Bits<3>>,

    // The entry that was read last, or is free; whether it is of the page; the answer.
    entry: Register<Bits<INDEX>>,
    found: Register<Bit>,
    far: [Register<Bit>; SMS],
    place: Register<Bits<COUNT>>,

    // The last action lost a report.
    loses: Register<Bit>,

    // The sweep: whether it denies, and which SMs it concerns.
    sweep_denies: Register<Bit>,
    sweep_of: [Register<Bit>; SMS],
    count: Register<Bits<COUNT>>,

    // The walk on offer.
    walking: Register<Bit>,
    walk_of: Register<Bits<VPN>>,
    walk_in: Register<Bits<ASID>>,
    walk_writes: Register<Bit>,

    // Access, place, space and page of each entry, and the SMs that wait.
    #[init(Memory::new(ENTRIES, 1))]
    names: Memory<Bits<NAME>, INDEX, 1>,
    #[init(Memory::new(ENTRIES, 1))]
    waiters: Memory<Bit, INDEX, SMS>,

    #[init(Constant::new(!bits::<VPN>((1 << REGION) - 1)))]
    outside: Constant<Bits<VPN>>,
    #[init(Constant::new((VPN as LiteralType).into()))]
    above_vpn: Constant<Bits<NAME>>,
    #[init(Constant::new(((VPN + ASID) as LiteralType).into()))]
    above_asid: Constant<Bits<NAME>>,
    #[init(Constant::new(((VPN + ASID + COUNT) as LiteralType).into()))]
    above_place: Constant<Bits<NAME>>,
    #[init(Constant::new((ENTRIES as LiteralType).into()))]
    capacity: Constant<Bits<COUNT>>,
    #[init(Constant::new(4.into()))]
    protected: Constant<Bits<3>>,
    #[init(Constant::new(6.into()))]
    not_dirty: Constant<Bits<3>>,

    choice: Choice,
    entries: Entries<ENTRIES, INDEX, ASID>,
    limits: Limits<SMS, LIMIT, SM_COUNT>,
    reports: Report<INDEX, COUNT, VPN, ASID, SMS>,
    some_far: OrTree<SMS>,
    some_waiting: OrTree<SMS>,
    some_left: OrTree<SMS>,
    idle: Signal<Local, Bit>,
    compared: Signal<Local, Bits<VPN>>,
    read_vpn: Signal<Local, Bits<VPN>>,
    read_asid: Signal<Local, Bits<ASID>>,
    other_vpn: Signal<Local, Bits<VPN>>,
    same: Signal<Local, Bit>,
    choosing: Signal<Local, Bit>,
    acting: Signal<Local, Bit>,
    waking: Signal<Local, Bit>,
    answering: Signal<Local, Bit>,
    held_place: Signal<Local, Bits<COUNT>>,
    merging: Signal<Local, Bit>,
    taking: Signal<Local, Bit>,
    name: Signal<Local, Bits<NAME>>,
    kept_access: Signal<Local, Bits<3>>,
    upgrading: Signal<Local, Bit>,
    missing: Signal<Local, Bit>,
    waits_for_report: Signal<Local, Bit>,
    has_room: Signal<Local, Bit>,
    resolves: Signal<Local, Bit>,
    ending: Signal<Local, Bit>,
    trimming: Signal<Local, Bit>,
    left: [Signal<Local, Bit>; SMS],
    requesting: Signal<Local, Bit>,
}

impl<
    const ENTRIES: usize,
    const INDEX: usize,
    const COUNT: usize,
    const VPN: usize,
    const ASID: usize,
    const NAME: usize,
    const SMS: usize,
    const LIMIT: usize,
    const SM_COUNT: usize,
    const REGION: usize,
> Logic for FarFaultMshr<ENTRIES, INDEX, COUNT, VPN, ASID, NAME, SMS, LIMIT, SM_COUNT, REGION>
{
    #[logic]
    fn update(&mut self) {
        // What is next.
        self.choice.idle.next = self.phase.q.val() == Phase::Idle;
        self.choice.reporting.next = self.reports.valid.val();
        self.choice.walking.next = self.walking.q.val();
        self.choice.marked.next = self.entries.marked.val();
        self.choice.fault_valid.next = self.fault_valid.val();
        self.choice.command_valid.next = self.command_valid.val();
        self.waits_for_report.next = self.present_missing.val() && self.reports.valid.val();
        self.choice.present_valid.next = self.present_valid.val() && !self.waits_for_report.val();
        self.fault_ready.next = self.choice.fault_ready.val();
        self.command_ready.next = self.choice.command_ready.val();
        self.present_ready.next = self.choice.present_ready.val() && !self.waits_for_report.val();
        self.idle.next = self.phase.q.val() == Phase::Idle;

        // The operation.
        if self.idle.val() {
            self.of_fault.d.next = self.choice.fault.val();
            self.of_sweep.d.next = self.choice.step.val();
            self.of_all.d.next = self.choice.command.val() && self.command_all.val();
            self.of_missing.d.next = self.choice.present.val() && self.present_missing.val();
            self.ends.d.next = (self.choice.present.val() && !self.present_missing.val())
                || (self.choice.command.val() && self.command_cancel.val())
                || (self.choice.step.val() && self.sweep_denies.q.val());
            self.denies.d.next = !self.choice.present.val();
            self.vpn.d.next = self.command_vpn.val();
            self.asid.d.next = self.command_asid.val();
            self.access_kind.d.next = bits::<3>(0);
            self.cause.d.next = self.fault_cause.val();
            self.level.d.next = self.fault_level.val();
        }
        if self.choice.present.val() {
            self.vpn.d.next = self.present_vpn.val();
            self.asid.d.next = self.present_asid.val();
            self.cause.d.next = self.present_cause.val();
            self.level.d.next = self.present_level.val();
        }
        if self.choice.fault.val() {
            self.vpn.d.next = self.fault_vpn.val();
            self.asid.d.next = self.fault_asid.val();
            self.access_kind.d.next = self.fault_access.val();
        }
        for s in 0..SMS {
            if self.idle.val() {
                self.requester[s].d.next = (self.choice.fault.val()
                    && self.fault_requesters[s].val())
                    || (self.choice.command.val() && self.command_requesters[s].val())
                    || (self.choice.step.val() && self.sweep_of[s].q.val())
                    || self.choice.present.val();
            }
        }

        // The search: a page of a region is compared without the bits inside it.
        self.compared.next = !bits::<VPN>(0);
        if self.region.val() {
            self.compared.next = self.outside.val();
        }
        self.entries.tag.next =
            bit_cast::<ASID, VPN>(self.vpn.q.val() & self.compared.val()) ^ self.asid.q.val();
        self.entries.search.next = self.phase.q.val() == Phase::Searching;
        self.entries.sweep.next = (self.phase.q.val() == Phase::Searching) && self.of_sweep.q.val();
        self.entries.mark.next = (self.phase.q.val() == Phase::Searching) && self.of_all.q.val();
        self.choosing.next = self.phase.q.val() == Phase::Choosing;
        self.entries.drop.next = self.choosing.val();
        self.read_vpn.next = bit_cast::<VPN, NAME>(self.names.q[0].val());
        self.read_asid.next = bit_cast::<ASID, NAME>(self.names.q[0].val() >> self.above_vpn.val());
        self.other_vpn.next = (self.read_vpn.val() ^ self.vpn.q.val()) & self.compared.val();
        self.same.next = self.of_sweep.q.val()
            || ((self.other_vpn.val() == 0) && (self.read_asid.val() == self.asid.q.val()));
        if self.choosing.val() {
            self.entry.d.next = self.entries.vacant.val();
        }
        if self.choosing.val() && self.entries.some.val() {
            self.entry.d.next = self.entries.first.val();
        }
        self.found.d.next = (self.phase.q.val() == Phase::Comparing) && self.same.val();

        // The action.
        self.acting.next = self.phase.q.val() == Phase::Acting;
        for s in 0..SMS {
            self.limits.requester[s].next = self.requester[s].q.val();
            self.limits.waits[s].next = self.found.q.val() && self.waiters.q[s].val();
        }
        self.limits.limit.next = self.limit.val();
        self.limits.room.next = self.acting.val()
            && self.of_fault.q.val()
            && (self.found.q.val() || !(self.count.q.val() == self.capacity.val()));
        for s in 0..SMS {
            self.some_far.of[s].next = self.limits.far[s].val();
        }
        self.merging.next = self.acting.val() && self.of_fault.q.val() && self.some_far.any.val();
        self.taking.next = self.merging.val() && !self.found.q.val();
        for s in 0..SMS {
            self.some_waiting.of[s].next = self.limits.waits[s].val() && self.requester[s].q.val();
            self.left[s].next = self.limits.waits[s].val() && !self.requester[s].q.val();
            self.some_left.of[s].next = self.left[s].val();
        }
        self.resolves.next = self.acting.val() && self.ends.q.val() && self.some_waiting.any.val();
        self.ending.next = self.resolves.val() && !self.some_left.any.val();
        self.trimming.next = self.resolves.val() && self.some_left.any.val();
        self.requesting.next = self.acting.val()
            && self.found.q.val()
            && !self.of_fault.q.val()
            && !self.of_missing.q.val()
            && !self.ends.q.val();

        // A write merges into an entry that was not reported as one; a walk did not find the page of an entry.
        self.kept_access.next = bits::<3>(0);
        if self.found.q.val() {
            self.kept_access.next =
                bit_cast::<3, NAME>(self.names.q[0].val() >> self.above_place.val());
        }
        self.upgrading.next = self.merging.val()
            && self.found.q.val()
            && self.access_kind.q.val().get_bit(0)
            && !self.kept_access.val().get_bit(0);
        self.missing.next = self.acting.val() && self.found.q.val() && self.of_missing.q.val();
        self.has_room.next = self.limit.val().any();
        self.loses.d.next = (self.upgrading.val() || self.missing.val()) && !self.has_room.val();
        self.lost.next = self.loses.q.val();
        self.limits.remove.next = self.acting.val() && self.ends.q.val();
        self.entries.target.next = self.entry.q.val();
        self.entries.take.next = self.taking.val();
        self.entries.upgrade.next = self.upgrading.val();
        self.entries.writes.next = (self.cause.q.val() == self.protected.val())
            || (self.cause.q.val() == self.not_dirty.val());
        self.entries.free.next = self.ending.val();
        self.entries.unmark.next = self.acting.val() && self.of_sweep.q.val();
        if self.taking.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.ending.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
        if self.entries.mark.val() {
            self.sweep_denies.d.next = self.ends.q.val();
        }
        for s in 0..SMS {
            if self.entries.mark.val() {
                self.sweep_of[s].d.next = self.requester[s].q.val();
            }
        }

        // The memories.
        self.names.address.next = self.entry.q.val();
        self.waiters.address.next = self.entry.q.val();
        if self.choosing.val() {
            self.names.address.next = self.entries.first.val();
            self.waiters.address.next = self.entries.first.val();
        }
        self.names.enable.next = self.choosing.val() || self.taking.val() || self.upgrading.val();
        self.names.write.next = self.taking.val() || self.upgrading.val();
        self.name.next = bit_cast::<NAME, VPN>(self.vpn.q.val())
            | (bit_cast::<NAME, ASID>(self.asid.q.val()) << self.above_vpn.val())
            | (bit_cast::<NAME, COUNT>(self.count.q.val()) << self.above_asid.val());
        if self.found.q.val() {
            self.name.next = self.names.q[0].val();
        }
        self.names.data[0].next = self.name.val()
            | (bit_cast::<NAME, 3>(self.access_kind.q.val()) << self.above_place.val());
        self.waiters.enable.next = self.choosing.val() || self.merging.val() || self.trimming.val();
        self.waiters.write.next = self.merging.val() || self.trimming.val();
        for s in 0..SMS {
            self.waiters.data[s].next =
                self.left[s].val() || (self.of_fault.q.val() && self.limits.far[s].val());
        }

        // The phases.
        match self.phase.q.val() {
            Phase::Idle => {
                if self.choice.fault.val()
                    || self.choice.present.val()
                    || self.choice.command.val()
                    || self.choice.step.val()
                {
                    self.phase.d.next = Phase::Searching;
                }
            }
            Phase::Searching => {
                self.phase.d.next = Phase::Choosing;
                if self.of_all.q.val() {
                    self.phase.d.next = Phase::Idle;
                }
            }
            Phase::Choosing => {
                self.phase.d.next = Phase::Acting;
                if self.entries.some.val() {
                    self.phase.d.next = Phase::Comparing;
                }
            }
            Phase::Comparing => {
                self.phase.d.next = Phase::Choosing;
                if self.same.val() {
                    self.phase.d.next = Phase::Acting;
                }
            }
            Phase::Acting => {
                self.phase.d.next = Phase::Idle;
                if self.of_fault.q.val() {
                    self.phase.d.next = Phase::Answering;
                }
                if self.resolves.val() {
                    self.phase.d.next = Phase::Waking;
                }
            }
            Phase::Answering => {
                if self.answer_ready.val() {
                    self.phase.d.next = Phase::Idle;
                }
            }
            Phase::Waking => {
                if self.wake_ready.val() {
                    self.phase.d.next = Phase::Idle;
                }
            }
            _ => {
                self.phase.d.next = Phase::Idle;
            }
        }

        // The answer. A page is far in the cycle of the action alone.
        self.answering.next = self.phase.q.val() == Phase::Answering;
        self.held_place.next = self.count.q.val();
        if self.found.q.val() {
            self.held_place.next =
                bit_cast::<COUNT, NAME>(self.names.q[0].val() >> self.above_asid.val());
        }
        if self.acting.val() {
            self.place.d.next = self.held_place.val();
        }
        for s in 0..SMS {
            self.far[s].d.next =
                self.limits.far[s].val() || (self.answering.val() && self.far[s].q.val());
        }
        self.answer_valid.next = self.answering.val();
        self.answer_vpn.next = bits::<VPN>(0);
        self.answer_asid.next = bits::<ASID>(0);
        self.answer_place.next = bits::<COUNT>(0);
        if self.answering.val() {
            self.answer_vpn.next = self.vpn.q.val();
            self.answer_asid.next = self.asid.q.val();
            self.answer_place.next = self.place.q.val();
        }
        for s in 0..SMS {
            self.answer_far[s].next = self.answering.val() && self.far[s].q.val();
            self.answer_nack[s].next =
                self.answering.val() && self.requester[s].q.val() && !self.far[s].q.val();
        }

        // The wake-up: the memories still show the entry as it was.
        self.waking.next = self.phase.q.val() == Phase::Waking;
        self.wake_valid.next = self.waking.val();
        self.wake_denied.next = self.waking.val() && self.denies.q.val();
        self.wake_vpn.next = bits::<VPN>(0);
        self.wake_asid.next = bits::<ASID>(0);
        if self.waking.val() {
            self.wake_vpn.next = self.read_vpn.val();
            self.wake_asid.next = self.read_asid.val();
        }
        for s in 0..SMS {
            self.wake_to[s].next =
                self.waking.val() && self.waiters.q[s].val() && self.requester[s].q.val();
        }

        // The walk.
        self.walking.d.next =
            self.requesting.val() || (self.walking.q.val() && !self.walk_ready.val());
        if self.requesting.val() {
            self.walk_of.d.next = self.read_vpn.val();
            self.walk_in.d.next = self.read_asid.val();
            self.walk_writes.d.next = self.entries.is_written.val();
        }
        self.walk_valid.next = self.walking.q.val();
        self.walk_vpn.next = self.walk_of.q.val();
        self.walk_asid.next = self.walk_in.q.val();
        self.walk_write.next = self.walk_writes.q.val();

        // The report: of a new entry, or again of one that is held, with what is known of it now. If a walk did not find the
        // page, every SM is a requester, and the waiting SMs are far.
        self.reports.take.next = self.has_room.val()
            && (self.taking.val() || self.upgrading.val() || self.missing.val());
        self.reports.vpn.next = self.vpn.q.val();
        self.reports.asid.next = self.asid.q.val();
        self.reports.access_kind.next = self.access_kind.q.val() | self.kept_access.val();
        self.reports.cause.next = self.cause.q.val();
        self.reports.level.next = self.level.q.val();
        self.reports.index.next = self.entry.q.val();
        self.reports.place.next = self.held_place.val();
        self.reports.ready.next = self.report_ready.val();
        for s in 0..SMS {
            self.reports.requester[s].next = self.limits.far[s].val();
        }
        self.report_valid.next = self.reports.valid.val();
        self.report_vpn.next = self.reports.shown_vpn.val();
        self.report_asid.next = self.reports.shown_asid.val();
        self.report_access.next = self.reports.shown_access.val();
        self.report_cause.next = self.reports.shown_cause.val();
        self.report_level.next = self.reports.shown_level.val();
        self.report_index.next = self.reports.shown_index.val();
        self.report_place.next = self.reports.shown_place.val();
        for s in 0..SMS {
            self.report_requesters[s].next = self.reports.shown_requester[s].val();
        }

        self.held.next = self.count.q.val();
        self.sweeping.next = self.entries.marked.val();
    }
}
