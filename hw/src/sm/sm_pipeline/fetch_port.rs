//! The fetch of one port: the choice of a warp, and what its instruction means to the scoreboard.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::instruction::{Instruction, Registers};
use crate::params::{CLASS_BITS, OPCODE_BITS, REGISTER_BITS, WARP_BITS};
use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// Fetch of one port: chooses a warp and decodes its instruction for the scoreboard. `PORT_WARPS` warps with numbers of
/// `PORT_WARP` bits, every second of the SM's, which are chosen in turn.
#[block]
pub struct FetchPort<const PORT_WARPS: usize, const PORT_WARP: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Lowest bit of the numbers of the port's warps.
    pub odd: Signal<In, Bits<1>>,
    /// A global-memory instruction stops the fetch of its warp.
    pub disables: Signal<In, Bit>,
    /// Warps that request a fetch in the next cycle, one bit each.
    pub request: [Signal<In, Bit>; PORT_WARPS],
    /// Class of the fetched instruction.
    pub fetched_class: Signal<In, Bits<CLASS_BITS>>,
    /// Destination of the fetched instruction.
    pub fetched_destination: Signal<In, Bits<REGISTER_BITS>>,
    /// First source of the fetched instruction.
    pub fetched_source_a: Signal<In, Bits<REGISTER_BITS>>,
    /// Second source of the fetched instruction.
    pub fetched_source_b: Signal<In, Bits<REGISTER_BITS>>,
    /// Third source of the fetched instruction.
    pub fetched_source_c: Signal<In, Bits<REGISTER_BITS>>,
    /// Program counter of the fetched instruction.
    pub fetched_pc: Signal<In, Bits<32>>,
    /// Lanes of the fetched instruction.
    pub fetched_mask: Signal<In, Bits<32>>,
    /// Opcode of the fetched instruction.
    pub fetched_opcode: Signal<In, Bits<OPCODE_BITS>>,
    /// An instruction waits to be issued again, and takes the way of the fetched one to the scoreboard.
    pub reissue_valid: Signal<In, Bit>,
    /// Registers of the instruction that is issued again.
    pub reissue_registers: Signal<In, Registers>,
    /// Warp that was chosen in the cycle before, one bit each.
    pub chosen: [Signal<Out, Bit>; PORT_WARPS],
    /// Number of the warp that was chosen in the cycle before; 0 if none was.
    pub warp: Signal<Out, Bits<WARP_BITS>>,
    /// Fetched instruction.
    pub fetched: Signal<Out, Instruction>,
    /// Registers that the scoreboard enters, of the fetched instruction or of the one that is issued again.
    pub entry: Signal<Out, Registers>,
    /// The instruction that arrives stops the fetch of its warp.
    pub entry_stops: Signal<Out, Bit>,
    /// The instruction that arrives holds its sources until it is checked.
    pub entry_holds: Signal<Out, Bit>,

    choice: [Register<Bit>; PORT_WARPS],
    number: Register<Bits<PORT_WARP>>,
    some_choice: Register<Bit>,
    number_before: Register<Bits<PORT_WARP>>,
    of_later: FixedPriorityArbiter<PORT_WARPS, PORT_WARP, false>,
    lowest: FixedPriorityArbiter<PORT_WARPS, PORT_WARP, false>,
    some: OrTree<PORT_WARPS>,
    some_above: OrTree<PORT_WARPS>,
    last: Signal<Local, Bits<PORT_WARP>>,
    keeps: Signal<Local, Bit>,
    class: Signal<Local, Bits<CLASS_BITS>>,
    global: Signal<Local, Bit>,
}

impl<const PORT_WARPS: usize, const PORT_WARP: usize> Logic for FetchPort<PORT_WARPS, PORT_WARP> {
    #[logic]
    fn update(&mut self) {
        // The next warp above the one that was chosen last. A warp chosen for a cycle in which nothing is fetched stays chosen.
        self.last.next = self.number_before.q.val();
        if self.some_choice.q.val() {
            self.last.next = self.number.q.val();
        }
        self.number_before.d.next = self.last.val();
        self.keeps.next = self.some_choice.q.val() && self.reissue_valid.val();
        for i in 0..PORT_WARPS {
            self.lowest.request[i].next = self.request[i].val();
            self.some.of[i].next = self.request[i].val();
            self.of_later.request[i].next =
                self.request[i].val() && (self.last.val() < i.to_bits::<PORT_WARP>());
            self.some_above.of[i].next =
                self.request[i].val() && (self.last.val() < i.to_bits::<PORT_WARP>());
        }
        for i in 0..PORT_WARPS {
            self.choice[i].d.next = self.of_later.grant[i].val()
                || (self.lowest.grant[i].val() && !self.some_above.any.val());
            if self.keeps.val() {
                self.choice[i].d.next = self.choice[i].q.val();
            }
            self.chosen[i].next = self.choice[i].q.val();
        }
        self.number.d.next = self.lowest.index.val();
        if self.some_above.any.val() {
            self.number.d.next = self.of_later.index.val();
        }
        if self.keeps.val() {
            self.number.d.next = self.number.q.val();
        }
        self.some_choice.d.next = self.some.any.val() || self.keeps.val();
        self.warp.next = 0.into();
        if self.some_choice.q.val() {
            self.warp.next = (bit_cast::<WARP_BITS, PORT_WARP>(self.number.q.val()) << 1)
                | bit_cast::<WARP_BITS, 1>(self.odd.val());
        }

        // A class that is none is arithmetic.
        self.class.next = self.fetched_class.val();
        if self.fetched_class.val() > 5 {
            self.class.next = 0.into();
        }
        self.global.next = (self.class.val() == 4) || (self.class.val() == 5);
        self.fetched.next.class = self.class.val();
        self.fetched.next.opcode = self.fetched_opcode.val();
        self.fetched.next.destination = self.fetched_destination.val();
        self.fetched.next.source_a = self.fetched_source_a.val();
        self.fetched.next.source_b = self.fetched_source_b.val();
        self.fetched.next.source_c = self.fetched_source_c.val();
        self.fetched.next.pc = self.fetched_pc.val();
        self.fetched.next.mask = self.fetched_mask.val();

        self.entry.next.destination = self.fetched_destination.val();
        self.entry.next.source_a = self.fetched_source_a.val();
        self.entry.next.source_b = self.fetched_source_b.val();
        self.entry.next.source_c = self.fetched_source_c.val();
        if self.reissue_valid.val() {
            self.entry.next = self.reissue_registers.val();
        }
        self.entry_stops.next = !self.reissue_valid.val()
            && ((self.class.val() == 2) || (self.disables.val() && self.global.val()));
        self.entry_holds.next = self.reissue_valid.val() || self.global.val();
    }
}
