//! The answer of the walker that is being dealt with, and what is left to be done about it.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{PFN_BITS, VPN_BITS, REQUESTERS, SMS, ASID_BITS};
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// Holds one response of the walker, and what is left to be done about it. Takes an answer where nothing is left to be
/// done about the last one.
#[block]
pub struct ResponseDispatch {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The walker has an answer,
    pub valid: Signal<In, Bit>,
    /// for these SMs, and in the highest bit for the MSHRs,
    pub requesters: Signal<In, Bits<REQUESTERS>>,
    /// of this page,
    pub vpn: Signal<In, Bits<VPN_BITS>>,
    /// in this space,
    pub asid: Signal<In, Bits<ASID_BITS>>,
    /// to write it:
    pub write: Signal<In, Bit>,
    /// why it was not found,
    pub cause: Signal<In, Bits<3>>,
    /// and where that was seen;
    pub level: Signal<In, Bits<3>>,
    /// it may at least be read,
    pub readable: Signal<In, Bit>,
    /// in this frame;
    pub pfn: Signal<In, Bits<PFN_BITS>>,
    /// it may be written;
    pub writable: Signal<In, Bit>,
    /// its dirty bit is clear.
    pub clean: Signal<In, Bit>,
    /// The L2 TLB keeps such a page.
    pub keeps: Signal<In, Bit>,
    /// A write to a page that may only be read is a far fault.
    pub replay_writes: Signal<In, Bit>,
    /// The L2 TLB takes the page.
    pub fill_ready: Signal<In, Bit>,
    /// The SMs are told.
    pub respond_ready: Signal<In, Bit>,
    /// The MSHRs take the fault.
    pub fault_ready: Signal<In, Bit>,
    /// They take the end of their walk.
    pub present_ready: Signal<In, Bit>,
    /// The fault buffer takes the report.
    pub report_ready: Signal<In, Bit>,

    /// Nothing is left to be done.
    pub ready: Signal<Out, Bit>,
    /// What is taken in this cycle is for the MSHRs too.
    pub answered: Signal<Out, Bit>,
    /// The L2 TLB is to be filled.
    pub fills: Signal<Out, Bit>,
    /// The SMs are to be told.
    pub respond_valid: Signal<Out, Bit>,
    /// The MSHRs are to hold the page.
    pub faults: Signal<Out, Bit>,
    /// A walk of theirs has ended.
    pub finds: Signal<Out, Bit>,
    /// It missed its page.
    pub misses: Signal<Out, Bit>,
    /// The driver is to be told.
    pub reports: Signal<Out, Bit>,
    /// The SMs that asked.
    pub of: [Signal<Out, Bit>; SMS],
    /// Its page.
    pub of_vpn: Signal<Out, Bits<VPN_BITS>>,
    /// Its space.
    pub of_asid: Signal<Out, Bits<ASID_BITS>>,
    /// How it was accessed, as a report has it.
    pub of_access: Signal<Out, Bits<3>>,
    /// Why it was not found.
    pub of_cause: Signal<Out, Bits<3>>,
    /// Where that was seen, or of which level the page is.
    pub of_level: Signal<Out, Bits<3>>,
    /// It may be read,
    pub is_readable: Signal<Out, Bit>,
    /// in this frame,
    pub of_pfn: Signal<Out, Bits<PFN_BITS>>,
    /// and written;
    pub is_writable: Signal<Out, Bit>,
    /// its dirty bit is clear.
    pub is_clean: Signal<Out, Bit>,

    filling: Register<Bit>,
    responding: Register<Bit>,
    faulting: Register<Bit>,
    finding: Register<Bit>,
    missing: Register<Bit>,
    reporting: Register<Bit>,
    requester: [Register<Bit>; SMS],
    its_vpn: Register<Bits<VPN_BITS>>,
    its_asid: Register<Bits<ASID_BITS>>,
    writes: Register<Bit>,
    its_cause: Register<Bits<3>>,
    its_level: Register<Bits<3>>,
    reads: Register<Bit>,
    its_pfn: Register<Bits<PFN_BITS>>,
    may_write: Register<Bit>,
    clear: Register<Bit>,

    some_sm: OrTree<SMS>,
    take: Signal<Local, Bit>,
    absent: Signal<Local, Bit>,
    denied: Signal<Local, Bit>,
    of_mshrs: Signal<Local, Bit>,
}

// A kernel reads better in the order of the page than with the fewest operators.
#[allow(clippy::nonminimal_bool)]
impl Logic for ResponseDispatch {
    #[logic]
    fn update(&mut self) {
        // What is left to be done.
        self.ready.next = !self.filling.q.val()
            && !self.responding.q.val()
            && !self.faulting.q.val()
            && !self.finding.q.val()
            && !self.reporting.q.val();
        self.filling.d.next = self.filling.q.val() && !self.fill_ready.val();
        self.responding.d.next = self.responding.q.val() && !self.respond_ready.val();
        self.faulting.d.next = self.faulting.q.val() && !self.fault_ready.val();
        self.finding.d.next = self.finding.q.val() && !self.present_ready.val();
        self.reporting.d.next = self.reporting.q.val() && !self.report_ready.val();

        // An answer is taken: found, absent as software can mend it, or denied.
        self.take.next = self.valid.val() && self.ready.val();
        for s in 0..SMS {
            self.some_sm.of[s].next = self.requesters.val().get_bit(s);
        }
        for m in SMS..REQUESTERS {
            self.of_mshrs.next = self.requesters.val().get_bit(m);
        }
        self.answered.next = self.take.val() && self.of_mshrs.val();
        self.absent.next = (self.cause.val() == 2)
            || (self.cause.val() == 5)
            || (self.cause.val() == 6)
            || ((self.cause.val() == 4)
                && self.write.val()
                && self.readable.val()
                && self.replay_writes.val());
        self.denied.next = !self.absent.val() && self.cause.val().any();
        if self.take.val() {
            self.filling.d.next = self.readable.val() && self.keeps.val();
            self.responding.d.next = self.some_sm.any.val() && !self.absent.val();
            self.faulting.d.next = self.some_sm.any.val() && self.absent.val();
            self.finding.d.next = self.of_mshrs.val();
            self.missing.d.next = self.absent.val();
            self.reporting.d.next = self.some_sm.any.val() && self.denied.val();
        }

        // Which it is.
        for s in 0..SMS {
            if self.take.val() {
                self.requester[s].d.next = self.requesters.val().get_bit(s);
            }
            self.of[s].next = self.requester[s].q.val();
        }
        if self.take.val() {
            self.its_vpn.d.next = self.vpn.val();
            self.its_asid.d.next = self.asid.val();
            self.writes.d.next = self.write.val();
            self.its_cause.d.next = self.cause.val();
            self.its_level.d.next = self.level.val();
            self.reads.d.next = self.readable.val();
            self.its_pfn.d.next = self.pfn.val();
            self.may_write.d.next = self.writable.val();
            self.clear.d.next = self.clean.val();
        }

        self.fills.next = self.filling.q.val();
        self.respond_valid.next = self.responding.q.val();
        self.faults.next = self.faulting.q.val();
        self.finds.next = self.finding.q.val();
        self.misses.next = self.missing.q.val();
        self.reports.next = self.reporting.q.val();
        self.of_vpn.next = self.its_vpn.q.val();
        self.of_asid.next = self.its_asid.q.val();
        // A user's access.
        self.of_access.next = 4.into();
        if self.writes.q.val() {
            self.of_access.next = 5.into();
        }
        self.of_cause.next = self.its_cause.q.val();
        self.of_level.next = self.its_level.q.val();
        self.is_readable.next = self.reads.q.val();
        self.of_pfn.next = self.its_pfn.q.val();
        self.is_writable.next = self.may_write.q.val();
        self.is_clean.next = self.clear.q.val();
    }
}
