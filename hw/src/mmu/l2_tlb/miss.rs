//! The miss of an SM, on offer until it is taken.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Holds the miss of an SM until it is taken. Pages of `VPN` bits, spaces of `ASID`.
#[block]
pub struct Miss<const VPN: usize, const ASID: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A lookup of this SM acts.
    pub looked_up: Signal<In, Bit>,
    /// The lookup misses.
    pub missed: Signal<In, Bit>,
    /// Page number of the lookup.
    pub vpn: Signal<In, Bits<VPN>>,
    /// Address space of the lookup.
    pub asid: Signal<In, Bits<ASID>>,
    /// The lookup is for a write.
    pub write: Signal<In, Bit>,
    /// The miss on offer is taken.
    pub ready: Signal<In, Bit>,
    /// A miss is on offer.
    pub offered: Signal<Out, Bit>,
    /// Page number of the miss.
    pub miss_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the miss.
    pub miss_asid: Signal<Out, Bits<ASID>>,
    /// The miss is for a write.
    pub miss_write: Signal<Out, Bit>,

    waits: Register<Bit>,
    vpn_of: Register<Bits<VPN>>,
    asid_of: Register<Bits<ASID>>,
    write_of: Register<Bit>,
}

impl<const VPN: usize, const ASID: usize> Logic for Miss<VPN, ASID> {
    #[logic]
    fn update(&mut self) {
        // Whether it misses is known late in the cycle, and its page is not; so a hit leaves its page here too.
        self.waits.d.next = (self.waits.q.val() && !self.ready.val())
            || (self.looked_up.val() && self.missed.val());
        if self.looked_up.val() {
            self.vpn_of.d.next = self.vpn.val();
            self.asid_of.d.next = self.asid.val();
            self.write_of.d.next = self.write.val();
        }
        self.offered.next = self.waits.q.val();
        self.miss_vpn.next = self.vpn_of.q.val();
        self.miss_asid.next = self.asid_of.q.val();
        self.miss_write.next = self.write_of.q.val();
    }
}
