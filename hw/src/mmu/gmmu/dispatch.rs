//! The register of the walker's response, and which of its consequences are still to be accepted.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{ASID_BITS, PFN_BITS, REQUESTERS, SMS, VPN_BITS};
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// Holds one response of the walker until the L2 TLB, the SMs, the MSHRs and the fault buffer have accepted their parts
/// of it. Accepts the next response once none of them is left.
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

    /// A response is accepted if it is valid: no part of the last one is left.
    pub ready: Signal<Out, Bit>,
    /// The response that is accepted in this cycle answers a walk of the MSHRs.
    pub answered: Signal<Out, Bit>,
    /// A fill of the L2 TLB is valid.
    pub fill_valid: Signal<Out, Bit>,
    /// A response to the SMs is valid.
    pub respond_valid: Signal<Out, Bit>,
    /// A fault for the MSHRs is valid.
    pub fault_valid: Signal<Out, Bit>,
    /// The result of a walk of the MSHRs is valid.
    pub present_valid: Signal<Out, Bit>,
    /// The walk of the MSHRs missed its page, which is still a far fault.
    pub present_missing: Signal<Out, Bit>,
    /// A report of a denial is valid, for the fault buffer.
    pub report_valid: Signal<Out, Bit>,
    /// SMs that requested the page, one bit each.
    pub response_to: [Signal<Out, Bit>; SMS],
    /// Page number of the held response.
    pub response_vpn: Signal<Out, Bits<VPN_BITS>>,
    /// Address space of the held response.
    pub response_asid: Signal<Out, Bits<ASID_BITS>>,
    /// Kind of access, as a record has it: a user's read (4) or a user's write (5).
    pub response_access: Signal<Out, Bits<3>>,
    /// Result of the walk: 0 if the page was found, otherwise the walker's cause.
    pub response_cause: Signal<Out, Bits<3>>,
    /// Level of the entry that maps the page or that caused the fault.
    pub response_level: Signal<Out, Bits<3>>,
    /// The page may be read.
    pub response_readable: Signal<Out, Bit>,
    /// Frame of the page, if `response_readable` is high.
    pub response_pfn: Signal<Out, Bits<PFN_BITS>>,
    /// The page was found and may be written.
    pub response_writable: Signal<Out, Bit>,
    /// The page was found and its dirty bit is clear.
    pub response_clean: Signal<Out, Bit>,

    filling: Register<Bit>,
    responding: Register<Bit>,
    faulting: Register<Bit>,
    finding: Register<Bit>,
    missing: Register<Bit>,
    reporting: Register<Bit>,
    requester: [Register<Bit>; SMS],
    held_vpn: Register<Bits<VPN_BITS>>,
    held_asid: Register<Bits<ASID_BITS>>,
    writes: Register<Bit>,
    held_cause: Register<Bits<3>>,
    held_level: Register<Bits<3>>,
    reads: Register<Bit>,
    held_pfn: Register<Bits<PFN_BITS>>,
    may_write: Register<Bit>,
    clear: Register<Bit>,

    some_sm: OrTree<SMS>,
    take: Signal<Local, Bit>,
    absent: Signal<Local, Bit>,
    denied: Signal<Local, Bit>,
    of_mshrs: Signal<Local, Bit>,
}

impl Logic for ResponseDispatch {
    #[logic]
    fn update(&mut self) {
        // The parts that are left.
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

        // A response is accepted: found, absent (software can mend it), or denied.
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

        // Its content.
        for s in 0..SMS {
            if self.take.val() {
                self.requester[s].d.next = self.requesters.val().get_bit(s);
            }
            self.response_to[s].next = self.requester[s].q.val();
        }
        if self.take.val() {
            self.held_vpn.d.next = self.vpn.val();
            self.held_asid.d.next = self.asid.val();
            self.writes.d.next = self.write.val();
            self.held_cause.d.next = self.cause.val();
            self.held_level.d.next = self.level.val();
            self.reads.d.next = self.readable.val();
            self.held_pfn.d.next = self.pfn.val();
            self.may_write.d.next = self.writable.val();
            self.clear.d.next = self.clean.val();
        }

        self.fill_valid.next = self.filling.q.val();
        self.respond_valid.next = self.responding.q.val();
        self.fault_valid.next = self.faulting.q.val();
        self.present_valid.next = self.finding.q.val();
        self.present_missing.next = self.missing.q.val();
        self.report_valid.next = self.reporting.q.val();
        self.response_vpn.next = self.held_vpn.q.val();
        self.response_asid.next = self.held_asid.q.val();
        // A user's access.
        self.response_access.next = 4.into();
        if self.writes.q.val() {
            self.response_access.next = 5.into();
        }
        self.response_cause.next = self.held_cause.q.val();
        self.response_level.next = self.held_level.q.val();
        self.response_readable.next = self.reads.q.val();
        self.response_pfn.next = self.held_pfn.q.val();
        self.response_writable.next = self.may_write.q.val();
        self.response_clean.next = self.clear.q.val();
    }
}
