//! The register of the report of a far fault.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Holds the report of a far fault until it is taken. Indices of entries of `INDEX` bits, places of
/// `COUNT`, pages of `VPN`, spaces of `ASID`; `SMS` SMs.
#[block]
pub struct Report<
    const INDEX: usize,
    const COUNT: usize,
    const VPN: usize,
    const ASID: usize,
    const SMS: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A new report is put on offer; this requires that no report is on offer.
    pub take: Signal<In, Bit>,
    /// Page number of the new report.
    pub vpn: Signal<In, Bits<VPN>>,
    /// Address space of the new report.
    pub asid: Signal<In, Bits<ASID>>,
    /// Kind of access of the new report.
    pub access_kind: Signal<In, Bits<3>>,
    /// Cause of the failed walk, for the new report.
    pub cause: Signal<In, Bits<3>>,
    /// Level at which the failed walk ended, for the new report.
    pub level: Signal<In, Bits<3>>,
    /// Entry of the far fault, for the new report.
    pub index: Signal<In, Bits<INDEX>>,
    /// Place of the far fault in the queue, for the new report.
    pub place: Signal<In, Bits<COUNT>>,
    /// SMs of the new report, one bit each; each of them waits for the page.
    pub requester: [Signal<In, Bit>; SMS],
    /// The report is taken.
    pub ready: Signal<In, Bit>,
    /// A report is on offer.
    pub valid: Signal<Out, Bit>,
    /// Page number of the report.
    pub shown_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the report.
    pub shown_asid: Signal<Out, Bits<ASID>>,
    /// Kind of access to the page.
    pub shown_access: Signal<Out, Bits<3>>,
    /// Cause of the failed walk.
    pub shown_cause: Signal<Out, Bits<3>>,
    /// Level at which the failed walk ended.
    pub shown_level: Signal<Out, Bits<3>>,
    /// Entry of the far fault.
    pub shown_index: Signal<Out, Bits<INDEX>>,
    /// Place of the far fault in the queue.
    pub shown_place: Signal<Out, Bits<COUNT>>,
    /// SMs of the report, one bit each; each of them waits for the page.
    pub shown_requester: [Signal<Out, Bit>; SMS],

    offered: Register<Bit>,
    kept_vpn: Register<Bits<VPN>>,
    kept_asid: Register<Bits<ASID>>,
    kept_access: Register<Bits<3>>,
    kept_cause: Register<Bits<3>>,
    kept_level: Register<Bits<3>>,
    kept_index: Register<Bits<INDEX>>,
    kept_place: Register<Bits<COUNT>>,
    kept_requester: [Register<Bit>; SMS],
}

impl<const INDEX: usize, const COUNT: usize, const VPN: usize, const ASID: usize, const SMS: usize>
    Logic for Report<INDEX, COUNT, VPN, ASID, SMS>
{
    #[logic]
    fn update(&mut self) {
        self.offered.d.next = self.take.val() || (self.offered.q.val() && !self.ready.val());
        if self.take.val() {
            self.kept_vpn.d.next = self.vpn.val();
            self.kept_asid.d.next = self.asid.val();
            self.kept_access.d.next = self.access_kind.val();
            self.kept_cause.d.next = self.cause.val();
            self.kept_level.d.next = self.level.val();
            self.kept_index.d.next = self.index.val();
            self.kept_place.d.next = self.place.val();
        }
        for s in 0..SMS {
            if self.take.val() {
                self.kept_requester[s].d.next = self.requester[s].val();
            }
        }
        self.valid.next = self.offered.q.val();
        self.shown_vpn.next = self.kept_vpn.q.val();
        self.shown_asid.next = self.kept_asid.q.val();
        self.shown_access.next = self.kept_access.q.val();
        self.shown_cause.next = self.kept_cause.q.val();
        self.shown_level.next = self.kept_level.q.val();
        self.shown_index.next = self.kept_index.q.val();
        self.shown_place.next = self.kept_place.q.val();
        for s in 0..SMS {
            self.shown_requester[s].next = self.kept_requester[s].q.val();
        }
    }
}
