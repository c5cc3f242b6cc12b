//! The driver's command: on offer until it is taken, and busy until it is done.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// What is done about the command.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum Stage {
    /// There is none.
    Idle,
    /// It is on offer.
    Offering,
    /// It was taken in the cycle before,
    First,
    /// or in the one before that: a sweep need not be seen yet.
    Second,
    /// A sweep is to end.
    Sweeping,
    /// Walks are to be answered.
    Walking,
}

/// Holds the command of the driver: on offer until it is taken, busy until it is done. SMs with numbers of `SM` bits;
/// pages of `VPN` bits, spaces of `ASID`.
#[block]
pub struct Commands<const SM: usize, const VPN: usize, const ASID: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The driver writes a command.
    pub write: Signal<In, Bit>,
    /// What it writes.
    pub data: Signal<In, Bits<64>>,
    /// The command is taken.
    pub ready: Signal<In, Bit>,
    /// A command for all is at work.
    pub sweeping: Signal<In, Bit>,
    /// Walks are not answered.
    pub walks_pending: Signal<In, Bit>,
    /// A command is on offer.
    pub valid: Signal<Out, Bit>,
    /// One is not done.
    pub busy: Signal<Out, Bit>,
    /// What the driver writes is refused.
    pub refused: Signal<Out, Bit>,
    /// The command cancels.
    pub cancel: Signal<Out, Bit>,
    /// It is for all pages.
    pub all: Signal<Out, Bit>,
    /// It is for one SM.
    pub targeted: Signal<Out, Bit>,
    /// That SM.
    pub sm: Signal<Out, Bits<SM>>,
    /// Its page.
    pub vpn: Signal<Out, Bits<VPN>>,
    /// Its space.
    pub asid: Signal<Out, Bits<ASID>>,
    /// All of it, as it was written.
    pub word: Signal<Out, Bits<64>>,

    stage: Register<Stage>,
    kind: Register<Bits<3>>,
    of_sm: Register<Bits<SM>>,
    of_vpn: Register<Bits<VPN>>,
    of_asid: Register<Bits<ASID>>,

    written_kind: Signal<Local, Bits<3>>,
    known: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
}

// A kernel reads better in the order of the page than with the fewest operators.
#[allow(clippy::nonminimal_bool)]
impl<const SM: usize, const VPN: usize, const ASID: usize> Logic for Commands<SM, VPN, ASID> {
    #[logic]
    fn update(&mut self) {
        self.written_kind.next = bit_cast::<3, 64>(self.data.val());
        self.known.next = !(self.written_kind.val() == 0) && !(self.written_kind.val() == 7);
        self.idle.next = self.stage.q.val() == Stage::Idle;
        self.taken.next = self.write.val() && self.known.val() && self.idle.val();
        self.refused.next = self.write.val() && !(self.known.val() && self.idle.val());
        if self.taken.val() {
            self.kind.d.next = self.written_kind.val();
            self.of_sm.d.next = bit_cast::<SM, 64>(self.data.val() >> 4);
            self.of_vpn.d.next = bit_cast::<VPN, 64>(self.data.val() >> 12);
            self.of_asid.d.next = bit_cast::<ASID, 64>(self.data.val() >> 48);
        }

        match self.stage.q.val() {
            Stage::Idle => {
                if self.taken.val() {
                    self.stage.d.next = Stage::Offering;
                }
            }
            Stage::Offering => {
                if self.ready.val() {
                    self.stage.d.next = Stage::Idle;
                }
                if self.ready.val() && self.all.val() {
                    self.stage.d.next = Stage::First;
                }
            }
            Stage::First => {
                self.stage.d.next = Stage::Second;
            }
            Stage::Second => {
                self.stage.d.next = Stage::Sweeping;
            }
            Stage::Sweeping => {
                if !self.sweeping.val() {
                    self.stage.d.next = Stage::Idle;
                }
                if !self.sweeping.val() && (self.kind.q.val() == 2) {
                    self.stage.d.next = Stage::Walking;
                }
            }
            Stage::Walking => {
                if !self.walks_pending.val() {
                    self.stage.d.next = Stage::Idle;
                }
            }
            _ => {
                self.stage.d.next = Stage::Idle;
            }
        }

        self.valid.next = self.stage.q.val() == Stage::Offering;
        self.busy.next = !self.idle.val();
        self.targeted.next = self.kind.q.val() == 3;
        self.cancel.next =
            (self.kind.q.val() == 3) || (self.kind.q.val() == 4) || (self.kind.q.val() == 5);
        self.all.next = (self.kind.q.val() == 1)
            || (self.kind.q.val() == 2)
            || (self.kind.q.val() == 3)
            || (self.kind.q.val() == 4);
        self.sm.next = self.of_sm.q.val();
        self.vpn.next = self.of_vpn.q.val();
        self.asid.next = self.of_asid.q.val();
        self.word.next = bit_cast::<64, 3>(self.kind.q.val())
            | (bit_cast::<64, SM>(self.of_sm.q.val()) << 4)
            | (bit_cast::<64, VPN>(self.of_vpn.q.val()) << 12)
            | (bit_cast::<64, ASID>(self.of_asid.q.val()) << 48);
    }
}
