//! The driver's command: on offer until it is taken, and busy until it is done.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// What is done about the command.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum Stage {
    /// No command is under way.
    Idle,
    /// The command is on offer.
    Offering,
    /// The command was taken in the cycle before.
    First,
    /// The command was taken two cycles before: its sweep may not show yet.
    Second,
    /// The command waits for the end of its sweep.
    Sweeping,
    /// The command waits for the answers to its walks.
    Walking,
}

/// Holds the command of the driver: on offer until it is taken, busy until it is done. SMs with numbers of `SM` bits;
/// pages of `VPN` bits, spaces of `ASID`.
#[block]
pub struct Commands<const SM: usize, const VPN: usize, const ASID: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// The driver writes register COMMAND.
    pub write: Signal<In, Bit>,
    /// Value that the driver writes.
    pub data: Signal<In, Bits<64>>,
    /// The command is taken.
    pub ready: Signal<In, Bit>,
    /// The MSHRs execute a command for all pages.
    pub sweeping: Signal<In, Bit>,
    /// A walk of the MSHRs is on offer or not answered yet.
    pub walks_pending: Signal<In, Bit>,
    /// A command is on offer.
    pub valid: Signal<Out, Bit>,
    /// A command is on offer, or is not done yet.
    pub busy: Signal<Out, Bit>,
    /// The value that the driver writes is refused: it is no command, or another command is not done yet.
    pub refused: Signal<Out, Bit>,
    /// The command cancels far faults; it resolves them otherwise.
    pub cancel: Signal<Out, Bit>,
    /// The command is for every page; for one page otherwise.
    pub all: Signal<Out, Bit>,
    /// The command is for one SM.
    pub targeted: Signal<Out, Bit>,
    /// SM of the command.
    pub sm: Signal<Out, Bits<SM>>,
    /// Page number of the command.
    pub vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the command.
    pub asid: Signal<Out, Bits<ASID>>,
    /// Value of register COMMAND: the last command that was accepted.
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
