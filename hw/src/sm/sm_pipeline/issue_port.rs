//! The issue of one port: the choice of a warp, its instructions, and whether it can issue them.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::instruction::Instruction;
use crate::params::{SLOT_BITS, WARP_BITS};
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::or_tree::OrTree;
use crate::sm::warp_scheduler::WarpScheduler;

/// Issue of one port: chooses a warp and issues up to two of its instructions. `PORT_WARPS` warps with numbers of
/// `PORT_WARP` bits, every second of the SM's, with `PAIRS` pairs; scoreboard entries with numbers of `ENTRY` bits.
#[block(new(greedy: bool))]
pub struct IssuePort<
    const PORT_WARPS: usize,
    const PORT_WARP: usize,
    const PAIRS: usize,
    const ENTRY: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Lowest bit of the numbers of the port's warps.
    pub odd: Signal<In, Bits<1>>,
    /// An instruction that is issued again takes the port.
    pub blocked: Signal<In, Bit>,
    /// Warps that can probably issue in the next cycle, one bit each.
    pub request: [Signal<In, Bit>; PORT_WARPS],
    /// Warps that are chosen and can issue their first instruction if the log has room, one bit each.
    pub ready: [Signal<In, Bit>; PORT_WARPS],
    /// Warps that are chosen and can issue their second instruction with the first if the log has room, one
    /// bit each.
    pub pair: [Signal<In, Bit>; PORT_WARPS],
    /// Warps that are chosen and need the unit for special functions, one bit each.
    pub special: [Signal<In, Bit>; PORT_WARPS],
    /// Warps that are chosen and need the control unit, one bit each.
    pub control: [Signal<In, Bit>; PORT_WARPS],
    /// Warps that are chosen and need the memory stage, one bit each.
    pub memory: [Signal<In, Bit>; PORT_WARPS],
    /// Warps that are chosen and have the turn to take log entries, one bit each.
    pub turn: [Signal<In, Bit>; PORT_WARPS],
    /// First buffered instruction of each warp.
    pub first: [Signal<In, Instruction>; PORT_WARPS],
    /// Scoreboard entry of the first buffered instruction of each warp.
    pub first_entry: [Signal<In, Bits<ENTRY>>; PORT_WARPS],
    /// Second buffered instruction of each warp.
    pub second: [Signal<In, Instruction>; PORT_WARPS],
    /// Scoreboard entry of the second buffered instruction of each warp.
    pub second_entry: [Signal<In, Bits<ENTRY>>; PORT_WARPS],
    /// Slot of the thread block of each warp.
    pub slot: [Signal<In, Bits<SLOT_BITS>>; PORT_WARPS],
    /// The log has room for a load of the chosen warp.
    pub load_fits: Signal<In, Bit>,
    /// The log has room for a store of the chosen warp.
    pub store_fits: Signal<In, Bit>,
    /// The chosen warp issues its first instruction.
    pub goes: Signal<In, Bit>,
    /// The chosen warp leaves its unit to the warp of the other port, and stays chosen.
    pub keeps: Signal<In, Bit>,
    /// Warp that was chosen in the cycle before, one bit each.
    pub chosen: [Signal<Out, Bit>; PORT_WARPS],
    /// Number of the chosen warp; that of the port's first warp if none was chosen.
    pub warp: Signal<Out, Bits<WARP_BITS>>,
    /// Slot of the chosen warp's thread block.
    pub warp_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// First buffered instruction of the chosen warp.
    pub older: Signal<Out, Instruction>,
    /// Scoreboard entry of the chosen warp's first buffered instruction.
    pub older_entry: Signal<Out, Bits<ENTRY>>,
    /// Second buffered instruction of the chosen warp.
    pub younger: Signal<Out, Instruction>,
    /// Scoreboard entry of the chosen warp's second buffered instruction.
    pub younger_entry: Signal<Out, Bits<ENTRY>>,
    /// The chosen warp can issue its first instruction, log entries left aside.
    pub waits: Signal<Out, Bit>,
    /// The chosen warp can issue its first instruction.
    pub can_go: Signal<Out, Bit>,
    /// The chosen warp lacks nothing but log entries for its first instruction.
    pub refused: Signal<Out, Bit>,
    /// The chosen warp has the turn to take log entries.
    pub has_turn: Signal<Out, Bit>,
    /// The chosen warp can issue its second instruction with the first.
    pub can_pair: Signal<Out, Bit>,
    /// The chosen warp needs the unit for special functions.
    pub needs_special: Signal<Out, Bit>,
    /// The chosen warp needs the control unit.
    pub needs_control: Signal<Out, Bit>,
    /// The chosen warp needs the memory stage.
    pub needs_memory: Signal<Out, Bit>,

    #[init(WarpScheduler::new(greedy))]
    scheduler: WarpScheduler<PORT_WARPS, PORT_WARP, PAIRS>,
    some_ready: OrTree<PORT_WARPS>,
    some_pair: OrTree<PORT_WARPS>,
    some_special: OrTree<PORT_WARPS>,
    some_control: OrTree<PORT_WARPS>,
    some_memory: OrTree<PORT_WARPS>,
    some_turn: OrTree<PORT_WARPS>,
    of_first: OneHotMux<PORT_WARPS, Instruction>,
    of_second: OneHotMux<PORT_WARPS, Instruction>,
    entry_of_first: OneHotMux<PORT_WARPS, Bits<ENTRY>>,
    entry_of_second: OneHotMux<PORT_WARPS, Bits<ENTRY>>,
    slot_of_warp: OneHotMux<PORT_WARPS, Bits<SLOT_BITS>>,
    fits: Signal<Local, Bit>,
}

impl<const PORT_WARPS: usize, const PORT_WARP: usize, const PAIRS: usize, const ENTRY: usize> Logic
    for IssuePort<PORT_WARPS, PORT_WARP, PAIRS, ENTRY>
{
    #[logic]
    fn update(&mut self) {
        self.scheduler.served.next = self.goes.val();
        self.scheduler.keeps.next = self.keeps.val();
        for i in 0..PORT_WARPS {
            self.scheduler.request[i].next = self.request[i].val();
            self.chosen[i].next = self.scheduler.chosen[i].val();
            self.some_ready.of[i].next = self.ready[i].val();
            self.some_pair.of[i].next = self.pair[i].val();
            self.some_special.of[i].next = self.special[i].val();
            self.some_control.of[i].next = self.control[i].val();
            self.some_memory.of[i].next = self.memory[i].val();
            self.some_turn.of[i].next = self.turn[i].val();
        }
        for i in 0..PORT_WARPS {
            self.of_first.choose[i].next = self.scheduler.chosen[i].val();
            self.of_first.of[i].next = self.first[i].val();
            self.of_second.choose[i].next = self.scheduler.chosen[i].val();
            self.of_second.of[i].next = self.second[i].val();
            self.entry_of_first.choose[i].next = self.scheduler.chosen[i].val();
            self.entry_of_first.of[i].next = self.first_entry[i].val();
            self.entry_of_second.choose[i].next = self.scheduler.chosen[i].val();
            self.entry_of_second.of[i].next = self.second_entry[i].val();
            self.slot_of_warp.choose[i].next = self.scheduler.chosen[i].val();
            self.slot_of_warp.of[i].next = self.slot[i].val();
        }
        self.warp.next = (bit_cast::<WARP_BITS, PORT_WARP>(self.scheduler.index.val()) << 1)
            | bit_cast::<WARP_BITS, 1>(self.odd.val());
        self.warp_slot.next = self.slot_of_warp.chosen.val();
        self.older.next = self.of_first.chosen.val();
        self.older_entry.next = self.entry_of_first.chosen.val();
        self.younger.next = self.of_second.chosen.val();
        self.younger_entry.next = self.entry_of_second.chosen.val();
        self.needs_special.next = self.some_special.any.val();
        self.needs_control.next = self.some_control.any.val();
        self.needs_memory.next = self.some_memory.any.val();

        // Only the log receives a request for the chosen one alone, and not for every warp.
        self.has_turn.next = self.some_turn.any.val();
        self.fits.next = ((self.older.val().class != 4) || self.load_fits.val())
            && ((self.older.val().class != 5) || self.store_fits.val());
        self.waits.next = self.some_ready.any.val() && !self.blocked.val();
        self.can_go.next = self.waits.val() && self.fits.val();
        self.refused.next = self.waits.val() && !self.fits.val();
        self.can_pair.next = self.some_pair.any.val()
            && ((self.younger.val().class != 4) || self.load_fits.val())
            && ((self.younger.val().class != 5) || self.store_fits.val());
    }
}
