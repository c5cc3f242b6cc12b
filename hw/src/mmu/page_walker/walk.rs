//! One walk: its access, its progress, and the requesters that wait for it.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// What a walk does.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Step {
    /// There is no walk in this entry.
    Free,
    /// The walk requests an entry.
    Requesting,
    /// The walk waits for memory.
    Reading,
    /// The walk has ended and is to be answered.
    Ended,
}

/// One walk: its request, how far it has come, and the requesters that wait for it. `REQUESTERS` requesters; pages of
/// `VPN` bits, spaces of `ASID`, frames of `PFN`.
#[block]
pub struct Walk<const REQUESTERS: usize, const VPN: usize, const ASID: usize, const PFN: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Level of the root.
    pub top: Signal<In, Bits<3>>,
    /// Page number of the first request that waits.
    pub first_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the first request that waits.
    pub first_asid: Signal<In, Bits<ASID>>,
    /// The first request that waits is for a write.
    pub first_write: Signal<In, Bit>,
    /// The first request that waits is for an instruction fetch.
    pub first_execute: Signal<In, Bit>,
    /// The first request that waits is of a user.
    pub first_user: Signal<In, Bit>,
    /// Requester of the first request that waits, one bit for each requester.
    pub first_requester: Signal<In, Bits<REQUESTERS>>,
    /// The first request that waits begins a walk here.
    pub begin: Signal<In, Bit>,
    /// The first request that waits joins this walk.
    pub join: Signal<In, Bit>,
    /// The memory request or the answer of this walk moves to the output register.
    pub moved: Signal<In, Bit>,
    /// The decoded response to this walk is valid.
    pub answered: Signal<In, Bit>,
    /// The walk begins again and bypasses the cache: its update was refused, or it has met a fault and used a
    /// cached entry.
    pub restart_bypassed: Signal<In, Bit>,
    /// The walk has used an entry from the cache.
    pub next_used: Signal<In, Bit>,
    /// The walk ends with this response.
    pub ends: Signal<In, Bit>,
    /// Level of the next entry; if the walk ends, of the entry that maps the page or that caused the fault.
    pub next_level: Signal<In, Bits<3>>,
    /// The walk sets accessed and dirty bits from here on; if it ends with a page, the page's dirty bit is
    /// clear.
    pub next_marking: Signal<In, Bit>,
    /// Frame of the next table or of the page.
    pub next_pfn: Signal<In, Bits<PFN>>,
    /// Cause of the end, 0 if the page is found; if the walk goes on, the first level whose accessed bit is
    /// clear, or 0.
    pub next_cause_or_level: Signal<In, Bits<3>>,
    /// All levels so far permit writes; if the walk ends with cause 4, a read would have found the page.
    pub next_writable: Signal<In, Bit>,
    /// All levels so far permit accesses of users.
    pub next_user_page: Signal<In, Bit>,
    /// All levels so far permit instruction fetches.
    pub next_executable: Signal<In, Bit>,
    /// An invalidation begins: a walk that it covers begins again.
    pub invalidating: Signal<In, Bit>,
    /// Address space of the invalidation.
    pub invalidate_asid: Signal<In, Bits<ASID>>,
    /// The invalidation covers all spaces.
    pub invalidate_all: Signal<In, Bit>,

    /// There is no walk in this entry.
    pub free: Signal<Out, Bit>,
    /// The entry has the page, address space and kind of access of the first request that waits, free or not.
    pub alike: Signal<Out, Bit>,
    /// The walk requests an entry.
    pub requesting: Signal<Out, Bit>,
    /// The walk has ended and is to be answered.
    pub ended: Signal<Out, Bit>,
    /// The walk waits for memory while it sets accessed and dirty bits.
    pub setting: Signal<Out, Bit>,
    /// An invalidation has covered the walk since it began, and the walk has not left.
    pub delayed: Signal<Out, Bit>,
    /// Page number of the walk.
    pub vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the walk.
    pub asid: Signal<Out, Bits<ASID>>,
    /// The walk is for a write.
    pub write: Signal<Out, Bit>,
    /// The walk is for an instruction fetch.
    pub execute: Signal<Out, Bit>,
    /// The walk is for a user.
    pub user: Signal<Out, Bit>,
    /// Requesters that wait for the walk, one bit each.
    pub requesters: Signal<Out, Bits<REQUESTERS>>,
    /// Level of the entry that the walk requests or waits for; once it has ended, of the entry that maps the
    /// page or that caused the fault.
    pub level: Signal<Out, Bits<3>>,
    /// The walk sets accessed and dirty bits; if it has ended with a page, the page's dirty bit is clear.
    pub marking: Signal<Out, Bit>,
    /// Frame of the next table, or of the page.
    pub pfn: Signal<Out, Bits<PFN>>,
    /// Cause of the end, 0 if the page is found; if the walk goes on, the first level whose accessed bit was
    /// clear, or 0.
    pub cause_or_level: Signal<Out, Bits<3>>,
    /// All levels so far permit writes; if the walk has ended with cause 4, a read would have found the page.
    pub writable: Signal<Out, Bit>,
    /// All levels so far permit accesses of users.
    pub user_page: Signal<Out, Bit>,
    /// All levels so far permit instruction fetches.
    pub executable: Signal<Out, Bit>,
    /// The walk has used an entry from the cache since it was begun last.
    pub used: Signal<Out, Bit>,
    /// The walk bypasses the cache: its entries are read from memory.
    pub bypass: Signal<Out, Bit>,

    step: Register<Step>,
    of_vpn: Register<Bits<VPN>>,
    of_asid: Register<Bits<ASID>>,
    of_write: Register<Bit>,
    of_execute: Register<Bit>,
    of_user: Register<Bit>,
    waits: Register<Bits<REQUESTERS>>,
    at_level: Register<Bits<3>>,
    marks: Register<Bit>,
    stale: Register<Bit>,
    covered: Register<Bit>,
    uses: Register<Bit>,
    bypasses: Register<Bit>,
    at_pfn: Register<Bits<PFN>>,
    at_cause_or_level: Register<Bits<3>>,
    may_write: Register<Bit>,
    for_users: Register<Bit>,
    may_execute: Register<Bit>,

    meant: Signal<Local, Bit>,
    requests: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    finishing: Signal<Local, Bit>,
    changing: Signal<Local, Bit>,
    restarting: Signal<Local, Bit>,
}

impl<const REQUESTERS: usize, const VPN: usize, const ASID: usize, const PFN: usize> Logic
    for Walk<REQUESTERS, VPN, ASID, PFN>
{
    #[logic]
    fn update(&mut self) {
        self.requests.next = self.step.q.val() == Step::Requesting;
        self.reads.next = self.step.q.val() == Step::Reading;
        self.done.next = self.step.q.val() == Step::Ended;
        self.meant.next = self.invalidating.val()
            && (self.invalidate_all.val() || (self.of_asid.q.val() == self.invalidate_asid.val()));
        self.finishing.next = self.answered.val() && self.reads.val();
        self.changing.next = self.finishing.val() && self.restart_bypassed.val();
        self.restarting.next = self.changing.val()
            || (self.finishing.val() && (self.stale.q.val() || self.meant.val()))
            || (self.meant.val() && (self.requests.val() || self.done.val()) && !self.moved.val());

        if self.moved.val() {
            self.step.d.next = Step::Free;
            if self.requests.val() {
                self.step.d.next = Step::Reading;
            }
        }
        if self.finishing.val() {
            self.step.d.next = Step::Requesting;
            if self.ends.val() {
                self.step.d.next = Step::Ended;
            }
        }
        if self.restarting.val() || self.begin.val() {
            self.step.d.next = Step::Requesting;
        }

        // One that leaves becomes stale as well, which is forgotten when the next one begins.
        self.stale.d.next = self.stale.q.val() || self.meant.val();
        if self.restarting.val() || self.begin.val() {
            self.stale.d.next = false;
        }

        self.covered.d.next = self.covered.q.val() || self.meant.val();
        if self.begin.val() {
            self.covered.d.next = false;
        }

        // It begins again for this once: from then on it bypasses the cache, so it uses nothing of it.
        self.uses.d.next = self.uses.q.val() || (self.finishing.val() && self.next_used.val());
        if self.restarting.val() || self.begin.val() {
            self.uses.d.next = false;
        }
        self.bypasses.d.next = self.bypasses.q.val() || self.changing.val();
        if self.begin.val() {
            self.bypasses.d.next = false;
        }

        if self.finishing.val() {
            self.at_level.d.next = self.next_level.val();
            self.marks.d.next = self.next_marking.val();
        }
        if self.restarting.val() || self.begin.val() {
            self.at_level.d.next = self.top.val();
            self.marks.d.next = false;
        }

        if self.finishing.val() {
            self.at_pfn.d.next = self.next_pfn.val();
            self.at_cause_or_level.d.next = self.next_cause_or_level.val();
            self.may_write.d.next = self.next_writable.val();
            self.for_users.d.next = self.next_user_page.val();
            self.may_execute.d.next = self.next_executable.val();
        }

        if self.join.val() {
            self.waits.d.next = self.waits.q.val() | self.first_requester.val();
        }
        if self.begin.val() {
            self.of_vpn.d.next = self.first_vpn.val();
            self.of_asid.d.next = self.first_asid.val();
            self.of_write.d.next = self.first_write.val();
            self.of_execute.d.next = self.first_execute.val();
            self.of_user.d.next = self.first_user.val();
            self.waits.d.next = self.first_requester.val();
        }

        self.free.next = self.step.q.val() == Step::Free;
        self.alike.next = (self.of_vpn.q.val() == self.first_vpn.val())
            && (self.of_asid.q.val() == self.first_asid.val())
            && (self.of_write.q.val() == self.first_write.val())
            && (self.of_execute.q.val() == self.first_execute.val())
            && (self.of_user.q.val() == self.first_user.val());
        self.requesting.next = self.requests.val();
        self.ended.next = self.done.val();
        self.setting.next = self.reads.val() && self.marks.q.val();
        self.delayed.next = self.covered.q.val() && (self.step.q.val() != Step::Free);
        self.vpn.next = self.of_vpn.q.val();
        self.asid.next = self.of_asid.q.val();
        self.write.next = self.of_write.q.val();
        self.execute.next = self.of_execute.q.val();
        self.user.next = self.of_user.q.val();
        self.requesters.next = self.waits.q.val();
        self.level.next = self.at_level.q.val();
        self.marking.next = self.marks.q.val();
        self.pfn.next = self.at_pfn.q.val();
        self.cause_or_level.next = self.at_cause_or_level.q.val();
        self.writable.next = self.may_write.q.val();
        self.user_page.next = self.for_users.q.val();
        self.executable.next = self.may_execute.q.val();
        self.used.next = self.uses.q.val();
        self.bypass.next = self.bypasses.q.val();
    }
}
