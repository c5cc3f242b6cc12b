//! The report on offer: an entry was taken.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Holds the report of an entry that was allocated until it is taken. Indices of entries of `INDEX` bits, places of
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
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// An entry is taken; no report is on offer.
    pub take: Signal<In, Bit>,
    /// Its page.
    pub vpn: Signal<In, Bits<VPN>>,
    /// Its space.
    pub asid: Signal<In, Bits<ASID>>,
    /// How it was accessed.
    pub access_kind: Signal<In, Bits<3>>,
    /// Why the walk failed.
    pub cause: Signal<In, Bits<3>>,
    /// Where it ended.
    pub level: Signal<In, Bits<3>>,
    /// The entry.
    pub index: Signal<In, Bits<INDEX>>,
    /// Its place in the queue.
    pub place: Signal<In, Bits<COUNT>>,
    /// The SMs that wait.
    pub requester: [Signal<In, Bit>; SMS],
    /// The report is taken.
    pub ready: Signal<In, Bit>,
    /// A report is on offer.
    pub valid: Signal<Out, Bit>,
    /// Its page.
    pub shown_vpn: Signal<Out, Bits<VPN>>,
    /// Its space.
    pub shown_asid: Signal<Out, Bits<ASID>>,
    /// How it was accessed.
    pub shown_access: Signal<Out, Bits<3>>,
    /// Why the walk failed.
    pub shown_cause: Signal<Out, Bits<3>>,
    /// Where it ended.
    pub shown_level: Signal<Out, Bits<3>>,
    /// The entry.
    pub shown_index: Signal<Out, Bits<INDEX>>,
    /// Its place in the queue.
    pub shown_place: Signal<Out, Bits<COUNT>>,
    /// The SMs that wait.
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

impl<
    const INDEX: usize,
    const COUNT: usize,
    const VPN: usize,
    const ASID: usize,
    const SMS: usize,
> Logic for Report<INDEX, COUNT, VPN, ASID, SMS>
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
