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
    /// What is told of a page: it is there, or denied.
    pub ends: Signal<In, Bit>,
    /// It is absent.
    pub absent: Signal<In, Bit>,
    /// Its far fault is past the threshold.
    pub past: Signal<In, Bit>,
    /// The page that it is told of.
    pub told_vpn: Signal<In, Bits<VPN>>,
    /// Its space.
    pub told_asid: Signal<In, Bits<ASID>>,
    /// It is followed here from now on.
    pub take: Signal<In, Bit>,
    /// The slot whose block has met a page, if any:
    pub meets: Signal<In, Bits<SLOTS>>,
    /// this page,
    pub met_vpn: Signal<In, Bits<VPN>>,
    /// in this space.
    pub met_asid: Signal<In, Bits<ASID>>,
    /// Slots whose blocks wait no longer, for they have ended or left.
    pub clear: Signal<In, Bits<SLOTS>>,
    /// The slot whose block leaves, if it has not ended,
    pub moves: Signal<In, Bits<SLOTS>>,
    /// and the context into which it does.
    pub into: Signal<In, Bits<CONTEXTS>>,
    /// No page is followed here.
    pub free: Signal<Out, Bit>,
    /// What is told is of this page.
    pub told: Signal<Out, Bit>,
    /// The page's far fault is past the threshold.
    pub far: Signal<Out, Bit>,
    /// Slots whose blocks wait.
    pub in_slots: Signal<Out, Bits<SLOTS>>,
    /// Contexts whose blocks wait.
    pub off_chip: Signal<Out, Bits<CONTEXTS>>,

    follows: Register<Bit>,
    vpn: Register<Bits<VPN>>,
    asid: Register<Bits<ASID>>,
    is_past: Register<Bit>,
    waits: Register<Bits<SLOTS>>,
    waits_off_chip: Register<Bits<CONTEXTS>>,

    is_told: Signal<Local, Bit>,
    is_met: Signal<Local, Bit>,
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
        self.is_told.next = self.follows.q.val()
            && (self.vpn.q.val() == self.told_vpn.val())
            && (self.asid.q.val() == self.told_asid.val());
        self.is_met.next = self.follows.q.val()
            && (self.vpn.q.val() == self.met_vpn.val())
            && (self.asid.q.val() == self.met_asid.val());

        // Who waits, and where he is.
        self.waiting.next = self.waits.q.val();
        if self.is_met.val() {
            self.waiting.next = self.waits.q.val() | self.meets.val();
        }
        self.waits.d.next = self.waiting.val() & !self.clear.val();
        if (self.waiting.val() & self.moves.val()).any() {
            self.waits_off_chip.d.next = self.waits_off_chip.q.val() | self.into.val();
        }

        // The page.
        self.follows.d.next = self.follows.q.val() || self.take.val();
        if self.take.val() {
            self.vpn.d.next = self.told_vpn.val();
            self.asid.d.next = self.told_asid.val();
        }
        if self.take.val() || (self.absent.val() && self.is_told.val()) {
            self.is_past.d.next = self.past.val();
        }
        if self.ends.val() && self.is_told.val() {
            self.follows.d.next = false;
            self.waits.d.next = self.no_slot.val();
            self.waits_off_chip.d.next = self.no_context.val();
        }

        self.free.next = !self.follows.q.val();
        self.told.next = self.is_told.val();
        self.far.next = self.is_past.q.val();
        self.in_slots.next = self.waits.q.val();
        self.off_chip.next = self.waits_off_chip.q.val();
    }
}
