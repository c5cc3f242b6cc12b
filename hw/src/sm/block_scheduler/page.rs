//! A page that is absent, and the blocks that wait for it.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// A page that is absent, and the thread blocks that wait for it. Pages of `VPN` bits and spaces of `ASID` bits;
/// `SLOTS` slots and `CONTEXTS` contexts whose blocks may wait.
#[block]
pub struct Page<const SLOTS: usize, const CONTEXTS: usize, const VPN: usize, const ASID: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The GMMU reports a translation, a denial or a cancellation of the page in `report_vpn`.
    pub ends: Signal<In, Bit>,
    /// The GMMU reports that the page in `report_vpn` is absent.
    pub absent: Signal<In, Bit>,
    /// The far fault of the page in `report_vpn` is held, at a place above the threshold.
    pub past: Signal<In, Bit>,
    /// Page number of the GMMU's report.
    pub report_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the GMMU's report.
    pub report_asid: Signal<In, Bits<ASID>>,
    /// This entry takes the reported page, and follows it from the next cycle on.
    pub take: Signal<In, Bit>,
    /// Slot whose thread block faults, one bit each; 0 without a fault.
    pub faulting_slots: Signal<In, Bits<SLOTS>>,
    /// Page number of the fault.
    pub fault_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the fault.
    pub fault_asid: Signal<In, Bits<ASID>>,
    /// Slots whose thread blocks no longer wait, because they have ended or left, one bit each.
    pub clear: Signal<In, Bits<SLOTS>>,
    /// Slot whose thread block has left without having ended, one bit each; 0 if there is none.
    pub moves: Signal<In, Bits<SLOTS>>,
    /// Context of the thread block that has left, one bit each.
    pub into: Signal<In, Bits<CONTEXTS>>,
    /// This entry follows no page.
    pub free: Signal<Out, Bit>,
    /// The report is of the page that this entry follows.
    pub reported: Signal<Out, Bit>,
    /// The last report placed the far fault of the followed page above the threshold.
    pub far: Signal<Out, Bit>,
    /// Slots whose thread blocks wait for the followed page, one bit each.
    pub in_slots: Signal<Out, Bits<SLOTS>>,
    /// Contexts whose thread blocks wait for the followed page, one bit each.
    pub off_chip: Signal<Out, Bits<CONTEXTS>>,

    follows: Register<Bit>,
    vpn: Register<Bits<VPN>>,
    asid: Register<Bits<ASID>>,
    is_past: Register<Bit>,
    waits: Register<Bits<SLOTS>>,
    waits_off_chip: Register<Bits<CONTEXTS>>,

    is_reported: Signal<Local, Bit>,
    is_faulting: Signal<Local, Bit>,
    waiting: Signal<Local, Bits<SLOTS>>,
    #[init(Constant::new(0.into()))]
    no_slot: Constant<Bits<SLOTS>>,
    #[init(Constant::new(0.into()))]
    no_context: Constant<Bits<CONTEXTS>>,
}

impl<const SLOTS: usize, const CONTEXTS: usize, const VPN: usize, const ASID: usize> Logic
    for Page<SLOTS, CONTEXTS, VPN, ASID>
{
    #[logic]
    fn update(&mut self) {
        self.is_reported.next = self.follows.q.val()
            && (self.vpn.q.val() == self.report_vpn.val())
            && (self.asid.q.val() == self.report_asid.val());
        self.is_faulting.next = self.follows.q.val()
            && (self.vpn.q.val() == self.fault_vpn.val())
            && (self.asid.q.val() == self.fault_asid.val());

        // The thread blocks that wait, and where each one is.
        self.waiting.next = self.waits.q.val();
        if self.is_faulting.val() {
            self.waiting.next = self.waits.q.val() | self.faulting_slots.val();
        }
        self.waits.d.next = self.waiting.val() & !self.clear.val();
        if (self.waiting.val() & self.moves.val()).any() {
            self.waits_off_chip.d.next = self.waits_off_chip.q.val() | self.into.val();
        }

        // The page.
        self.follows.d.next = self.follows.q.val() || self.take.val();
        if self.take.val() {
            self.vpn.d.next = self.report_vpn.val();
            self.asid.d.next = self.report_asid.val();
        }
        if self.take.val() || (self.absent.val() && self.is_reported.val()) {
            self.is_past.d.next = self.past.val();
        }
        if self.ends.val() && self.is_reported.val() {
            self.follows.d.next = false;
            self.waits.d.next = self.no_slot.val();
            self.waits_off_chip.d.next = self.no_context.val();
        }

        self.free.next = !self.follows.q.val();
        self.reported.next = self.is_reported.val();
        self.far.next = self.is_past.q.val();
        self.in_slots.next = self.waits.q.val();
        self.off_chip.next = self.waits_off_chip.q.val();
    }
}
