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
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A response of the walker is valid.
    pub valid: Signal<In, Bit>,
    /// SMs that requested the page, one bit each; the highest bit is the far-fault MSHRs.
    pub requesters: Signal<In, Bits<REQUESTERS>>,
    /// Page number of the response.
    pub vpn: Signal<In, Bits<VPN_BITS>>,
    /// Address space of the response.
    pub asid: Signal<In, Bits<ASID_BITS>>,
    /// The walk was for a write.
    pub write: Signal<In, Bit>,
    /// Result of the walk: 0 if the page was found, otherwise the walker's cause.
    pub cause: Signal<In, Bits<3>>,
    /// Level of the entry that maps the page or that caused the fault.
    pub level: Signal<In, Bits<3>>,
    /// A read by the same user would find the page.
    pub readable: Signal<In, Bit>,
    /// Frame of the page, if `readable` is high.
    pub pfn: Signal<In, Bits<PFN_BITS>>,
    /// The page was found and may be written.
    pub writable: Signal<In, Bit>,
    /// The page was found and its dirty bit is clear.
    pub clean: Signal<In, Bit>,
    /// The L2 TLB is to hold the page if `readable` is high.
    pub keeps: Signal<In, Bit>,
    /// A write to a page that may only be read is a far fault.
    pub replay_writes: Signal<In, Bit>,
    /// The L2 TLB takes the page.
    pub fill_ready: Signal<In, Bit>,
    /// The SMs receive the response in this cycle.
    pub respond_ready: Signal<In, Bit>,
    /// The MSHRs take the fault.
    pub fault_ready: Signal<In, Bit>,
    /// The MSHRs take the result of their walk.
    pub present_ready: Signal<In, Bit>,
    /// The fault buffer takes the report.
    pub report_ready: Signal<In, Bit>,

    /// A response is accepted if it is valid: nothing is left to be done about the last one.
    pub ready: Signal<Out, Bit>,
    /// The response that is accepted in this cycle answers a walk of the MSHRs.
    pub answered: Signal<Out, Bit>,
    /// A fill of the L2 TLB is valid.
    pub fills: Signal<Out, Bit>,
    /// A response to the SMs is valid.
    pub respond_valid: Signal<Out, Bit>,
    /// A fault for the MSHRs is valid.
    pub faults: Signal<Out, Bit>,
    /// The result of a walk of the MSHRs is valid.
    pub finds: Signal<Out, Bit>,
    /// The walk of the MSHRs missed its page, which is still a far fault.
    pub misses: Signal<Out, Bit>,
    /// A report of a denial is valid, for the fault buffer.
    pub reports: Signal<Out, Bit>,
    /// SMs that requested the page, one bit each.
    pub of: [Signal<Out, Bit>; SMS],
    /// Page number of the held response.
    pub of_vpn: Signal<Out, Bits<VPN_BITS>>,
    /// Address space of the held response.
    pub of_asid: Signal<Out, Bits<ASID_BITS>>,
    /// Kind of access, as a record has it: a user's read (4) or a user's write (5).
    pub of_access: Signal<Out, Bits<3>>,
    /// Result of the walk: 0 if the page was found, otherwise the walker's cause.
    pub of_cause: Signal<Out, Bits<3>>,
    /// Level of the entry that maps the page or that caused the fault.
    pub of_level: Signal<Out, Bits<3>>,
    /// The page may be read.
    pub is_readable: Signal<Out, Bit>,
    /// Frame of the page, if `is_readable` is high.
    pub of_pfn: Signal<Out, Bits<PFN_BITS>>,
    /// The page was found and may be written.
    pub is_writable: Signal<Out, Bit>,
    /// The page was found and its dirty bit is clear.
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
