#![doc = include_str!("sm_pipeline.md")]

use rust_hdl::prelude::*;

use crate::any_of::AnyOf;
use crate::arbiter::Arbiter;
use crate::hardware;
use crate::memory_stage::MemoryStage;
use crate::params::{
    CLASS_BITS, LOG_ENTRY_BITS, LOG_WORDS, OPCODE_BITS, REGISTER_BITS, SLOT_BITS, SLOTS, UNITS,
    WARP_BITS, WIDTH,
};
use crate::register::Register;
use crate::scoreboard::Scoreboard;
use crate::select::Select;
use crate::warp_scheduler::WarpScheduler;

/// What distinguishes the schemes of Tanasic et al. (§3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// A faulting instruction waits in the memory unit.
    StallOnFault,
    /// No fetch behind a global-memory instruction until it commits.
    WarpDisableCommit,
    /// No fetch behind a global-memory instruction until its last TLB check.
    WarpDisableLastCheck,
    /// A replay queue, and sources held until the last TLB check.
    ReplayQueue,
    /// A replay queue and an operand log.
    OperandLog,
}

/// `W` warps with `Y`-bit numbers in two halves of `V` with `X`-bit ones; `K` instructions of a warp with `J`-bit scoreboard entries; a
/// replay queue of `N` entries (`I`, `O`, `A` bits as there), a log of `E` (`P`, `C`).
#[allow(missing_docs)] // the port table above
#[derive(LogicBlock)]
pub struct SmPipeline<
    const W: usize,
    const V: usize,
    const X: usize,
    const Y: usize,
    const K: usize,
    const J: usize,
    const N: usize,
    const I: usize,
    const O: usize,
    const A: usize,
    const E: usize,
    const P: usize,
    const C: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub start_valid: Signal<In, Bit>,
    pub start_warp: Signal<In, Bits<WARP_BITS>>,
    pub start_slot: Signal<In, Bits<SLOT_BITS>>,
    pub stop_valid: Signal<In, Bit>,
    pub stop_warp: Signal<In, Bits<WARP_BITS>>,
    pub resume_valid: Signal<In, Bit>,
    pub resume_warp: Signal<In, Bits<WARP_BITS>>,
    pub fetched_valid: [Signal<In, Bit>; WIDTH],
    pub fetched_class: [Signal<In, Bits<CLASS_BITS>>; WIDTH],
    pub fetched_destination: [Signal<In, Bits<REGISTER_BITS>>; WIDTH],
    pub fetched_source_a: [Signal<In, Bits<REGISTER_BITS>>; WIDTH],
    pub fetched_source_b: [Signal<In, Bits<REGISTER_BITS>>; WIDTH],
    pub fetched_source_c: [Signal<In, Bits<REGISTER_BITS>>; WIDTH],
    pub fetched_pc: [Signal<In, Bits<32>>; WIDTH],
    pub fetched_mask: [Signal<In, Bits<32>>; WIDTH],
    pub fetched_opcode: [Signal<In, Bits<OPCODE_BITS>>; WIDTH],
    pub special_ready: Signal<In, Bit>,
    pub memory_ready: Signal<In, Bit>,
    pub operand: [Signal<In, Bits<32>>; LOG_WORDS],
    pub finished_valid: [Signal<In, Bit>; UNITS],
    pub finished_warp: [Signal<In, Bits<WARP_BITS>>; UNITS],
    pub finished_entry: [Signal<In, Bits<J>>; UNITS],
    pub checked_valid: Signal<In, Bit>,
    pub checked_warp: Signal<In, Bits<WARP_BITS>>,
    pub checked_entry: Signal<In, Bits<J>>,
    pub checked_index: Signal<In, Bits<I>>,
    pub checked_slot: Signal<In, Bits<SLOT_BITS>>,
    pub checked_store: Signal<In, Bit>,
    pub checked_log_address: Signal<In, Bits<P>>,
    pub checked_log_data: Signal<In, Bits<P>>,
    pub faulted_valid: Signal<In, Bit>,
    pub faulted_warp: Signal<In, Bits<WARP_BITS>>,
    pub faulted_entry: Signal<In, Bits<J>>,
    pub faulted_index: Signal<In, Bits<I>>,
    pub launch_valid: Signal<In, Bit>,
    pub launch_entries: Signal<In, Bits<C>>,
    pub save_valid: Signal<In, Bit>,
    pub save_slot: Signal<In, Bits<SLOT_BITS>>,
    pub saved_ready: Signal<In, Bit>,
    pub restore_valid: Signal<In, Bit>,
    pub restore_warp: Signal<In, Bits<WARP_BITS>>,
    pub restore_slot: Signal<In, Bits<SLOT_BITS>>,
    pub restore_store: Signal<In, Bit>,
    pub restore_destination: Signal<In, Bits<REGISTER_BITS>>,
    pub restore_source_a: Signal<In, Bits<REGISTER_BITS>>,
    pub restore_source_b: Signal<In, Bits<REGISTER_BITS>>,
    pub restore_pc: Signal<In, Bits<32>>,
    pub restore_mask: Signal<In, Bits<32>>,
    pub restore_opcode: Signal<In, Bits<OPCODE_BITS>>,

    pub resume_ready: Signal<Out, Bit>,
    pub fetch_valid: [Signal<Out, Bit>; WIDTH],
    pub fetch_warp: [Signal<Out, Bits<WARP_BITS>>; WIDTH],
    pub revert_valid: Signal<Out, Bit>,
    pub revert_warp: Signal<Out, Bits<WARP_BITS>>,
    pub revert_count: Signal<Out, Bits<2>>,
    pub read_valid: [Signal<Out, Bit>; WIDTH],
    pub read_warp: [Signal<Out, Bits<WARP_BITS>>; WIDTH],
    pub read_entry: [Signal<Out, Bits<J>>; WIDTH],
    pub read_class: [Signal<Out, Bits<CLASS_BITS>>; WIDTH],
    pub read_replayed: [Signal<Out, Bit>; WIDTH],
    pub read_destination: [Signal<Out, Bits<REGISTER_BITS>>; WIDTH],
    pub read_source_a: [Signal<Out, Bits<REGISTER_BITS>>; WIDTH],
    pub read_source_b: [Signal<Out, Bits<REGISTER_BITS>>; WIDTH],
    pub read_source_c: [Signal<Out, Bits<REGISTER_BITS>>; WIDTH],
    pub read_pc: [Signal<Out, Bits<32>>; WIDTH],
    pub read_mask: [Signal<Out, Bits<32>>; WIDTH],
    pub read_opcode: [Signal<Out, Bits<OPCODE_BITS>>; WIDTH],
    pub memory_front: Signal<Out, Bit>,
    pub memory_data: Signal<Out, Bit>,
    pub memory_valid: Signal<Out, Bit>,
    pub memory_warp: Signal<Out, Bits<WARP_BITS>>,
    pub memory_slot: Signal<Out, Bits<SLOT_BITS>>,
    pub memory_entry: Signal<Out, Bits<J>>,
    pub memory_class: Signal<Out, Bits<CLASS_BITS>>,
    pub memory_replayed: Signal<Out, Bit>,
    pub memory_squashed: Signal<Out, Bit>,
    pub memory_pc: Signal<Out, Bits<32>>,
    pub memory_mask: Signal<Out, Bits<32>>,
    pub memory_opcode: Signal<Out, Bits<OPCODE_BITS>>,
    pub memory_index: Signal<Out, Bits<I>>,
    pub memory_log_address: Signal<Out, Bits<P>>,
    pub memory_log_data: Signal<Out, Bits<P>>,
    pub checked_ready: Signal<Out, Bit>,
    pub logged_valid: Signal<Out, Bit>,
    pub logged_data: [Signal<Out, Bits<32>>; LOG_WORDS],
    pub occupancy: Signal<Out, Bits<O>>,
    pub save_ready: Signal<Out, Bit>,
    pub save_done: Signal<Out, Bit>,
    pub spilled_valid: Signal<Out, Bit>,
    pub saved_valid: Signal<Out, Bit>,
    pub saved_warp: Signal<Out, Bits<WARP_BITS>>,
    pub saved_store: Signal<Out, Bit>,
    pub saved_destination: Signal<Out, Bits<REGISTER_BITS>>,
    pub saved_source_a: Signal<Out, Bits<REGISTER_BITS>>,
    pub saved_source_b: Signal<Out, Bits<REGISTER_BITS>>,
    pub saved_pc: Signal<Out, Bits<32>>,
    pub saved_mask: Signal<Out, Bits<32>>,
    pub saved_opcode: Signal<Out, Bits<OPCODE_BITS>>,
    pub restore_ready: Signal<Out, Bit>,

    // Each warp: its state, and the two instructions that wait for their issue.
    running: [Register<Bit>; W],
    slot: [Register<Bits<SLOT_BITS>>; W],
    refetch: [Register<Bit>; W],
    first_low: [Register<Bits<64>>; W],
    first_high: [Register<Bits<42>>; W],
    second_low: [Register<Bits<64>>; W],
    second_high: [Register<Bits<42>>; W],
    board: Vec<Scoreboard<K, J>>,

    // Fetch and operand read, port by port.
    reading: [Register<Bit>; WIDTH],
    reads_memory: [Register<Bit>; WIDTH],
    reading_low: [Register<Bits<64>>; WIDTH],
    reading_high: [Register<Bits<42>>; WIDTH],
    reading_warp: [Register<Bits<WARP_BITS>>; WIDTH],
    reading_entry: [Register<Bits<J>>; WIDTH],
    reading_slot: [Register<Bits<SLOT_BITS>>; WIDTH],
    reading_stopped: [Register<Bit>; WIDTH],

    // What a replayed instruction brings, and whose replay it is; whether a restored one is read.
    favoured: Register<Bit>,
    // Slots with a free log entry, or two, as the cycle before had it; a squash that is to be told.
    seen_one: [Register<Bit>; SLOTS],
    seen_two: [Register<Bit>; SLOTS],
    squashing: Register<Bit>,
    squashing_warp: Register<Bits<WARP_BITS>>,
    squashing_entry: Register<Bits<J>>,
    replay_reading: Register<Bit>,
    restore_reading: Register<Bit>,
    saved_nothing: Register<Bit>,
    replay_index: Register<Bits<I>>,
    replay_address: Register<Bits<LOG_ENTRY_BITS>>,
    replay_data: Register<Bits<LOG_ENTRY_BITS>>,
    // The warp whose instructions go back to the source.
    reverting: [Register<Bit>; W],
    reverting_any: Register<Bit>,
    reverting_warp: Register<Bits<Y>>,
    replaying_warp: Register<Bits<WARP_BITS>>,
    replaying_well: Register<Bit>,

    // The scheme.
    squashes: Constant<Bit>,
    disables: Constant<Bit>,
    checks: Constant<Bit>,
    queues: Constant<Bit>,
    logs: Constant<Bit>,

    fetch_scheduler: [WarpScheduler<V, X>; WIDTH],
    issue_scheduler: [WarpScheduler<V, X>; WIDTH],
    reverts: Arbiter<W, Y, false>,
    stage: MemoryStage<J, N, I, O, A, E, P, C>,
    low_of_first: [Select<V, Bits<64>>; WIDTH],
    high_of_first: [Select<V, Bits<42>>; WIDTH],
    low_of_second: [Select<V, Bits<64>>; WIDTH],
    high_of_second: [Select<V, Bits<42>>; WIDTH],
    entry_of_first: [Select<V, Bits<J>>; WIDTH],
    entry_of_second: [Select<V, Bits<J>>; WIDTH],
    slot_of_warp: [Select<V, Bits<SLOT_BITS>>; WIDTH],
    some_live: [AnyOf<V>; WIDTH],
    some_ready: [AnyOf<V>; WIDTH],
    some_special: [AnyOf<V>; WIDTH],
    some_control: [AnyOf<V>; WIDTH],
    some_memory: [AnyOf<V>; WIDTH],
    some_pair: [AnyOf<V>; WIDTH],
    again_entry: Select<W, Bits<J>>,
    drained: AnyOf<W>,
    slot_busy: AnyOf<W>,
    some_revert: AnyOf<W>,
    revert_first: AnyOf<W>,
    revert_second: AnyOf<W>,
    revert_squashed: AnyOf<W>,

    live: [Signal<Local, Bit>; W],
    arrival: [Signal<Local, Bit>; W],
    claim: [Signal<Local, Bit>; W],
    first_special: [Signal<Local, Bit>; W],
    first_control: [Signal<Local, Bit>; W],
    first_memory: [Signal<Local, Bit>; W],
    first_load: [Signal<Local, Bit>; W],
    first_store: [Signal<Local, Bit>; W],
    second_special: [Signal<Local, Bit>; W],
    second_control: [Signal<Local, Bit>; W],
    second_memory: [Signal<Local, Bit>; W],
    one_seen: [AnyOf<SLOTS>; W],
    two_seen: [AnyOf<SLOTS>; W],
    one_free: [AnyOf<SLOTS>; WIDTH],
    two_free: [AnyOf<SLOTS>; WIDTH],
    same_slot: [Signal<Local, Bit>; WIDTH],
    load_fits: [Signal<Local, Bit>; WIDTH],
    store_fits: [Signal<Local, Bit>; WIDTH],
    first_fits: [Signal<Local, Bit>; WIDTH],
    second_fits: [Signal<Local, Bit>; WIDTH],
    can_go: [Signal<Local, Bit>; WIDTH],
    can_pair: [Signal<Local, Bit>; WIDTH],
    restore_one: AnyOf<SLOTS>,
    restore_two: AnyOf<SLOTS>,
    restore_behind: Signal<Local, Bit>,
    first_global: [Signal<Local, Bit>; W],
    second_global: [Signal<Local, Bit>; W],
    unit_seen: [Signal<Local, Bit>; W],
    first_unit: [Signal<Local, Bit>; W],
    second_unit: [Signal<Local, Bit>; W],
    apart: [Signal<Local, Bit>; W],
    chosen: [Signal<Local, Bit>; W],
    leaving: [Signal<Local, Bit>; W],
    ready: [Signal<Local, Bit>; W],
    pair: [Signal<Local, Bit>; W],
    issue_first: [Signal<Local, Bit>; W],
    issue_second: [Signal<Local, Bit>; W],
    stop_event: [Signal<Local, Bit>; W],
    starting: [Signal<Local, Bit>; W],
    resuming: [Signal<Local, Bit>; W],
    go: [Signal<Local, Bit>; WIDTH],
    pair_go: [Signal<Local, Bit>; WIDTH],
    blocked: [Signal<Local, Bit>; WIDTH],
    number: [Signal<Local, Bits<WARP_BITS>>; WIDTH],
    fetch_number: [Signal<Local, Bits<WARP_BITS>>; WIDTH],
    class: [Signal<Local, Bits<CLASS_BITS>>; WIDTH],
    global: [Signal<Local, Bit>; WIDTH],
    bus_stops: [Signal<Local, Bit>; WIDTH],
    bus_holds: [Signal<Local, Bit>; WIDTH],
    bus_destination: [Signal<Local, Bits<REGISTER_BITS>>; WIDTH],
    bus_a: [Signal<Local, Bits<REGISTER_BITS>>; WIDTH],
    bus_b: [Signal<Local, Bits<REGISTER_BITS>>; WIDTH],
    bus_c: [Signal<Local, Bits<REGISTER_BITS>>; WIDTH],
    bus_low: [Signal<Local, Bits<64>>; WIDTH],
    bus_high: [Signal<Local, Bits<42>>; WIDTH],
    reads_global: [Signal<Local, Bit>; WIDTH],
    allocates: [Signal<Local, Bit>; WIDTH],
    issued: [Signal<Local, Bit>; WIDTH],
    issued_low: [Signal<Local, Bits<64>>; WIDTH],
    issued_high: [Signal<Local, Bits<42>>; WIDTH],
    issued_warp: [Signal<Local, Bits<WARP_BITS>>; WIDTH],
    issued_entry: [Signal<Local, Bits<J>>; WIDTH],
    issued_slot: [Signal<Local, Bits<SLOT_BITS>>; WIDTH],
    now_stopped: [Signal<Local, Bit>; WIDTH],
    replay: Signal<Local, Bit>,
    replay_taken: Signal<Local, Bit>,
    restore_room: Signal<Local, Bit>,
    restore_taken: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    again_taken: Signal<Local, Bit>,
    again_warp: Signal<Local, Bits<WARP_BITS>>,
    again_slot: Signal<Local, Bits<SLOT_BITS>>,
    again_store: Signal<Local, Bit>,
    again_destination: Signal<Local, Bits<REGISTER_BITS>>,
    again_a: Signal<Local, Bits<REGISTER_BITS>>,
    again_b: Signal<Local, Bits<REGISTER_BITS>>,
    again_pc: Signal<Local, Bits<32>>,
    again_mask: Signal<Local, Bits<32>>,
    again_opcode: Signal<Local, Bits<OPCODE_BITS>>,
    credit: Signal<Local, Bit>,
    memory_free: Signal<Local, Bit>,
    reading_memory: Signal<Local, Bit>,
    clash: Signal<Local, Bit>,
    conflict: Signal<Local, Bit>,
    fault: Signal<Local, Bit>,
    checked: Signal<Local, Bit>,
    squash_valid: Signal<Local, Bit>,
    squash_warp: Signal<Local, Bits<WARP_BITS>>,
    squash_entry: Signal<Local, Bits<J>>,
    resume: Signal<Local, Bit>,
    reverted: Signal<Local, Bits<2>>,
    reverted_more: Signal<Local, Bits<2>>,
    pushed_low: Signal<Local, Bits<64>>,
    pushed_high: Signal<Local, Bits<34>>,
    pushed_stopped: Signal<Local, Bit>,
    again_class: Signal<Local, Bits<CLASS_BITS>>,
    again_high: Signal<Local, Bits<42>>,
}

// A kernel reads better in the order of the page than with the fewest operators.
#[allow(clippy::nonminimal_bool)]
impl<
    const W: usize,
    const V: usize,
    const X: usize,
    const Y: usize,
    const K: usize,
    const J: usize,
    const N: usize,
    const I: usize,
    const O: usize,
    const A: usize,
    const E: usize,
    const P: usize,
    const C: usize,
> Logic for SmPipeline<W, V, X, Y, K, J, N, I, O, A, E, P, C>
{
    #[hdl_gen]
    fn update(&mut self) {
        for w in 0..W {
            self.running[w].clock.next = self.clock.val();
            self.running[w].reset.next = self.reset.val();
            self.slot[w].clock.next = self.clock.val();
            self.slot[w].reset.next = self.reset.val();
            self.refetch[w].clock.next = self.clock.val();
            self.refetch[w].reset.next = self.reset.val();
            self.reverting[w].clock.next = self.clock.val();
            self.reverting[w].reset.next = self.reset.val();
            self.first_low[w].clock.next = self.clock.val();
            self.first_low[w].reset.next = self.reset.val();
            self.first_high[w].clock.next = self.clock.val();
            self.first_high[w].reset.next = self.reset.val();
            self.second_low[w].clock.next = self.clock.val();
            self.second_low[w].reset.next = self.reset.val();
            self.second_high[w].clock.next = self.clock.val();
            self.second_high[w].reset.next = self.reset.val();
            self.board[w].clock.next = self.clock.val();
            self.board[w].reset.next = self.reset.val();
        }
        for p in 0..WIDTH {
            self.reading[p].clock.next = self.clock.val();
            self.reading[p].reset.next = self.reset.val();
            self.reads_memory[p].clock.next = self.clock.val();
            self.reads_memory[p].reset.next = self.reset.val();
            self.reading_low[p].clock.next = self.clock.val();
            self.reading_low[p].reset.next = self.reset.val();
            self.reading_high[p].clock.next = self.clock.val();
            self.reading_high[p].reset.next = self.reset.val();
            self.reading_warp[p].clock.next = self.clock.val();
            self.reading_warp[p].reset.next = self.reset.val();
            self.reading_entry[p].clock.next = self.clock.val();
            self.reading_entry[p].reset.next = self.reset.val();
            self.reading_slot[p].clock.next = self.clock.val();
            self.reading_slot[p].reset.next = self.reset.val();
            self.reading_stopped[p].clock.next = self.clock.val();
            self.reading_stopped[p].reset.next = self.reset.val();
            self.fetch_scheduler[p].clock.next = self.clock.val();
            self.fetch_scheduler[p].reset.next = self.reset.val();
            self.issue_scheduler[p].clock.next = self.clock.val();
            self.issue_scheduler[p].reset.next = self.reset.val();
        }
        for k in 0..SLOTS {
            self.seen_one[k].clock.next = self.clock.val();
            self.seen_one[k].reset.next = self.reset.val() || !self.logs.val();
            self.seen_two[k].clock.next = self.clock.val();
            self.seen_two[k].reset.next = self.reset.val() || !self.logs.val();
        }
        self.squashing.clock.next = self.clock.val();
        self.squashing.reset.next = self.reset.val() || !self.queues.val();
        self.squashing_warp.clock.next = self.clock.val();
        self.squashing_warp.reset.next = self.reset.val() || !self.queues.val();
        self.squashing_entry.clock.next = self.clock.val();
        self.squashing_entry.reset.next = self.reset.val() || !self.queues.val();
        self.favoured.clock.next = self.clock.val();
        self.favoured.reset.next = self.reset.val();
        self.replay_reading.clock.next = self.clock.val();
        self.replay_reading.reset.next = self.reset.val();
        self.restore_reading.clock.next = self.clock.val();
        self.restore_reading.reset.next = self.reset.val() || !self.queues.val();
        self.saved_nothing.clock.next = self.clock.val();
        self.saved_nothing.reset.next = self.reset.val() || self.queues.val();
        self.replay_index.clock.next = self.clock.val();
        self.replay_index.reset.next = self.reset.val();
        self.replay_address.clock.next = self.clock.val();
        self.replay_address.reset.next = self.reset.val();
        self.replay_data.clock.next = self.clock.val();
        self.replay_data.reset.next = self.reset.val();
        self.reverting_any.clock.next = self.clock.val();
        self.reverting_any.reset.next = self.reset.val();
        self.reverting_warp.clock.next = self.clock.val();
        self.reverting_warp.reset.next = self.reset.val();
        self.replaying_warp.clock.next = self.clock.val();
        self.replaying_warp.reset.next = self.reset.val();
        self.replaying_well.clock.next = self.clock.val();
        self.replaying_well.reset.next = self.reset.val();
        self.stage.clock.next = self.clock.val();
        self.stage.reset.next = self.reset.val();

        // What happens to warps from outside.
        self.fault.next = self.faulted_valid.val() && self.squashes.val();
        self.checked.next =
            self.checked_valid.val() && self.checks.val() && self.stage.checked_ready.val();
        // What leaves the memory stage without having been executed is told a cycle later, after a fault.
        self.stage.waiting_squash.next = self.squashing.q.val() && self.fault.val();
        self.squashing.d.next =
            self.stage.squashed_valid.val() || (self.squashing.q.val() && self.fault.val());
        self.squashing_warp.d.next = self.stage.squashed_warp.val();
        self.squashing_entry.d.next = self.stage.squashed_entry.val();
        if self.squashing.q.val() && self.fault.val() {
            self.squashing_warp.d.next = self.squashing_warp.q.val();
            self.squashing_entry.d.next = self.squashing_entry.q.val();
        }
        self.squash_valid.next = self.fault.val() || self.squashing.q.val();
        self.squash_warp.next = self.squashing_warp.q.val();
        self.squash_entry.next = self.squashing_entry.q.val();
        if self.fault.val() {
            self.squash_warp.next = self.faulted_warp.val();
            self.squash_entry.next = self.faulted_entry.val();
        }
        for w in 0..W {
            for u in 0..UNITS {
                self.board[w].finished_valid[u].next = self.finished_valid[u].val()
                    && (self.finished_warp[u].val() == w.to_bits::<WARP_BITS>());
                self.board[w].finished_entry[u].next = self.finished_entry[u].val();
            }
            self.board[w].finished_valid[5].next =
                self.squash_valid.val() && (self.squash_warp.val() == w.to_bits::<WARP_BITS>());
            self.board[w].finished_entry[5].next = self.squash_entry.val();
            self.board[w].checked_valid.next =
                self.checked.val() && (self.checked_warp.val() == w.to_bits::<WARP_BITS>());
            self.board[w].checked_entry.next = self.checked_entry.val();
            self.stop_event[w].next = (self.fault.val()
                && (self.faulted_warp.val() == w.to_bits::<WARP_BITS>()))
                || (self.stop_valid.val() && (self.stop_warp.val() == w.to_bits::<WARP_BITS>()));
            self.starting[w].next =
                self.start_valid.val() && (self.start_warp.val() == w.to_bits::<WARP_BITS>());
        }

        // A warp has an even number on port 0, an odd one on port 1.
        self.fetch_number[0].next =
            bit_cast::<WARP_BITS, X>(self.fetch_scheduler[0].index.val()) << 1;
        self.number[0].next = bit_cast::<WARP_BITS, X>(self.issue_scheduler[0].index.val()) << 1;
        self.bus_low[0].next = bit_cast::<64, 32>(self.fetched_pc[0].val())
            | (bit_cast::<64, 32>(self.fetched_mask[0].val()) << 32);
        self.bus_high[0].next = bit_cast::<42, CLASS_BITS>(self.class[0].val())
            | (bit_cast::<42, OPCODE_BITS>(self.fetched_opcode[0].val()) << 3)
            | (bit_cast::<42, REGISTER_BITS>(self.fetched_destination[0].val()) << 10)
            | (bit_cast::<42, REGISTER_BITS>(self.fetched_source_a[0].val()) << 18)
            | (bit_cast::<42, REGISTER_BITS>(self.fetched_source_b[0].val()) << 26)
            | (bit_cast::<42, REGISTER_BITS>(self.fetched_source_c[0].val()) << 34);
        self.fetch_number[1].next =
            (bit_cast::<WARP_BITS, X>(self.fetch_scheduler[1].index.val()) << 1) | 1;
        self.number[1].next =
            (bit_cast::<WARP_BITS, X>(self.issue_scheduler[1].index.val()) << 1) | 1;
        self.bus_low[1].next = bit_cast::<64, 32>(self.fetched_pc[1].val())
            | (bit_cast::<64, 32>(self.fetched_mask[1].val()) << 32);
        self.bus_high[1].next = bit_cast::<42, CLASS_BITS>(self.class[1].val())
            | (bit_cast::<42, OPCODE_BITS>(self.fetched_opcode[1].val()) << 3)
            | (bit_cast::<42, REGISTER_BITS>(self.fetched_destination[1].val()) << 10)
            | (bit_cast::<42, REGISTER_BITS>(self.fetched_source_a[1].val()) << 18)
            | (bit_cast::<42, REGISTER_BITS>(self.fetched_source_b[1].val()) << 26)
            | (bit_cast::<42, REGISTER_BITS>(self.fetched_source_c[1].val()) << 34);

        // Fetch: the instructions that were asked for arrive, and the warps of the next cycle are chosen.
        // An instruction that comes back, from the queue or else from a saved context, takes their way.
        self.replay.next = self.stage.replay_valid.val();
        self.again.next =
            self.stage.replay_valid.val() || (self.queues.val() && self.restore_valid.val());
        self.again_warp.next = self.restore_warp.val();
        self.again_slot.next = self.restore_slot.val();
        self.again_store.next = self.restore_store.val();
        self.again_destination.next = self.restore_destination.val();
        self.again_a.next = self.restore_source_a.val();
        self.again_b.next = self.restore_source_b.val();
        self.again_pc.next = self.restore_pc.val();
        self.again_mask.next = self.restore_mask.val();
        self.again_opcode.next = self.restore_opcode.val();
        if self.replay.val() {
            self.again_warp.next = self.stage.replay_warp.val();
            self.again_slot.next = self.stage.replay_slot.val();
            self.again_store.next = self.stage.replay_store.val();
            self.again_destination.next = self.stage.replay_destination.val();
            self.again_a.next = self.stage.replay_address_register.val();
            self.again_b.next = self.stage.replay_data_register.val();
            self.again_pc.next = self.stage.replay_pc.val();
            self.again_mask.next = self.stage.replay_mask.val();
            self.again_opcode.next = self.stage.replay_opcode.val();
        }
        for p in 0..WIDTH {
            for i in 0..V {
                self.fetch_scheduler[p].request[i].next = self.running[2 * i + p].q.val()
                    && !self.board[2 * i + p].second_valid.val()
                    && !self.board[2 * i + p].stopping.val();
                self.live[2 * i + p].next = self.fetch_scheduler[p].chosen[i].val()
                    && self.running[2 * i + p].q.val()
                    && self.board[2 * i + p].room.val()
                    && !self.board[2 * i + p].stopped.val()
                    && !self.again.val();
                self.some_live[p].of[i].next = self.live[2 * i + p].val();
                self.arrival[2 * i + p].next =
                    self.live[2 * i + p].val() && self.fetched_valid[p].val();
            }
            self.fetch_valid[p].next = self.some_live[p].any.val();
            self.fetch_warp[p].next = 0.into();
            if self.fetch_scheduler[p].any.val() {
                self.fetch_warp[p].next = self.fetch_number[p].val();
            }
            self.class[p].next = self.fetched_class[p].val();
            if self.fetched_class[p].val() > 5 {
                self.class[p].next = 0.into();
            }
            self.global[p].next = (self.class[p].val() == 4) || (self.class[p].val() == 5);
            self.bus_stops[p].next = !self.again.val()
                && ((self.class[p].val() == 2) || (self.disables.val() && self.global[p].val()));
            self.bus_holds[p].next = self.again.val() || self.global[p].val();
            self.bus_destination[p].next = self.fetched_destination[p].val();
            self.bus_a[p].next = self.fetched_source_a[p].val();
            self.bus_b[p].next = self.fetched_source_b[p].val();
            self.bus_c[p].next = self.fetched_source_c[p].val();
            if self.again.val() {
                self.bus_destination[p].next = self.again_destination.val();
                self.bus_a[p].next = self.again_a.val();
                self.bus_b[p].next = self.again_b.val();
                self.bus_c[p].next = !bits::<REGISTER_BITS>(0);
            }
            for i in 0..V {
                self.board[2 * i + p].arrive_destination.next = self.fetched_destination[p].val();
                self.board[2 * i + p].arrive_source_a.next = self.fetched_source_a[p].val();
                self.board[2 * i + p].arrive_source_b.next = self.fetched_source_b[p].val();
                self.board[2 * i + p].arrive_source_c.next = self.fetched_source_c[p].val();
                self.board[2 * i + p].entry_stops.next = self.bus_stops[p].val();
                self.board[2 * i + p].entry_holds.next = self.bus_holds[p].val();
                self.board[2 * i + p].entry_destination.next = self.bus_destination[p].val();
                self.board[2 * i + p].entry_source_a.next = self.bus_a[p].val();
                self.board[2 * i + p].entry_source_b.next = self.bus_b[p].val();
                self.board[2 * i + p].entry_source_c.next = self.bus_c[p].val();
                self.first_low[2 * i + p].d.next = self.first_low[2 * i + p].q.val();
                self.first_high[2 * i + p].d.next = self.first_high[2 * i + p].q.val();
                self.second_low[2 * i + p].d.next = self.second_low[2 * i + p].q.val();
                self.second_high[2 * i + p].d.next = self.second_high[2 * i + p].q.val();
                if self.issue_first[2 * i + p].val() {
                    self.first_low[2 * i + p].d.next = self.second_low[2 * i + p].q.val();
                    self.first_high[2 * i + p].d.next = self.second_high[2 * i + p].q.val();
                }
                if self.arrival[2 * i + p].val() {
                    if self.board[2 * i + p].first_valid.val() && !self.issue_first[2 * i + p].val()
                    {
                        self.second_low[2 * i + p].d.next = self.bus_low[p].val();
                        self.second_high[2 * i + p].d.next = self.bus_high[p].val();
                    } else {
                        self.first_low[2 * i + p].d.next = self.bus_low[p].val();
                        self.first_high[2 * i + p].d.next = self.bus_high[p].val();
                    }
                }
            }
        }
        for w in 0..W {
            self.claim[w].next =
                self.again_taken.val() && (self.again_warp.val() == w.to_bits::<WARP_BITS>());
            self.board[w].arrive_valid.next = self.arrival[w].val() || self.claim[w].val();
            self.board[w].arrive_issued.next = self.again.val();
        }

        // Issue: whether the warps that were chosen can, and which are chosen for the next cycle.
        self.memory_free.next = self.credit.val() && !self.again.val();
        for w in 0..W {
            self.first_special[w].next = self.first_high[w].q.val().get_bits::<CLASS_BITS>(0) == 1;
            self.first_control[w].next = self.first_high[w].q.val().get_bits::<CLASS_BITS>(0) == 2;
            self.first_load[w].next = self.first_high[w].q.val().get_bits::<CLASS_BITS>(0) == 4;
            self.first_store[w].next = self.first_high[w].q.val().get_bits::<CLASS_BITS>(0) == 5;
            self.first_memory[w].next = self.first_high[w].q.val().get_bits::<CLASS_BITS>(0) > 2;
            self.second_special[w].next =
                self.second_high[w].q.val().get_bits::<CLASS_BITS>(0) == 1;
            self.second_control[w].next =
                self.second_high[w].q.val().get_bits::<CLASS_BITS>(0) == 2;
            self.first_global[w].next = self.first_load[w].val() || self.first_store[w].val();
            self.second_global[w].next = (self.second_high[w].q.val().get_bits::<CLASS_BITS>(0)
                == 4)
                || (self.second_high[w].q.val().get_bits::<CLASS_BITS>(0) == 5);
            self.second_memory[w].next = self.second_high[w].q.val().get_bits::<CLASS_BITS>(0) > 2;
            for k in 0..SLOTS {
                self.one_seen[w].of[k].next =
                    self.seen_one[k].q.val() && (self.slot[w].q.val() == k.to_bits::<SLOT_BITS>());
                self.two_seen[w].of[k].next =
                    self.seen_two[k].q.val() && (self.slot[w].q.val() == k.to_bits::<SLOT_BITS>());
            }
            self.first_unit[w].next = (!self.first_special[w].val() || self.special_ready.val())
                && (!self.first_memory[w].val() || self.memory_free.val())
                && (!self.first_global[w].val() || self.stage.place.val());
            self.second_unit[w].next = (!self.second_special[w].val() || self.special_ready.val())
                && (!self.second_memory[w].val() || self.memory_free.val())
                && (!self.second_global[w].val() || self.stage.place.val());
            // As far as the log was seen in the cycle before.
            self.unit_seen[w].next = self.first_unit[w].val()
                && (!self.logs.val()
                    || ((!self.first_load[w].val() || self.one_seen[w].any.val())
                        && (!self.first_store[w].val() || self.two_seen[w].any.val())));
            self.apart[w].next = !(self.first_special[w].val() && self.second_special[w].val())
                && !(self.first_control[w].val() && self.second_control[w].val())
                && !(self.first_memory[w].val() && self.second_memory[w].val());
            self.pair[w].next = self.board[w].second_ready.val()
                && self.second_unit[w].val()
                && self.apart[w].val();
        }
        self.blocked[0].next = self.again.val();
        self.blocked[1].next = false;
        for p in 0..WIDTH {
            for i in 0..V {
                self.chosen[2 * i + p].next = self.issue_scheduler[p].chosen[i].val();
                self.leaving[2 * i + p].next =
                    self.chosen[2 * i + p].val() && self.board[2 * i + p].first_valid.val();
                self.ready[2 * i + p].next = self.chosen[2 * i + p].val()
                    && self.running[2 * i + p].q.val()
                    && self.board[2 * i + p].first_ready.val()
                    && self.first_unit[2 * i + p].val()
                    && !self.blocked[p].val();
                self.some_ready[p].of[i].next = self.ready[2 * i + p].val();
                self.some_special[p].of[i].next =
                    self.leaving[2 * i + p].val() && self.first_special[2 * i + p].val();
                self.some_control[p].of[i].next =
                    self.leaving[2 * i + p].val() && self.first_control[2 * i + p].val();
                self.some_memory[p].of[i].next =
                    self.leaving[2 * i + p].val() && self.first_memory[2 * i + p].val();
                self.low_of_first[p].choose[i].next = self.chosen[2 * i + p].val();
                self.low_of_first[p].of[i].next = self.first_low[2 * i + p].q.val();
                self.high_of_first[p].choose[i].next = self.chosen[2 * i + p].val();
                self.high_of_first[p].of[i].next = self.first_high[2 * i + p].q.val();
                self.low_of_second[p].choose[i].next = self.chosen[2 * i + p].val();
                self.low_of_second[p].of[i].next = self.second_low[2 * i + p].q.val();
                self.high_of_second[p].choose[i].next = self.chosen[2 * i + p].val();
                self.high_of_second[p].of[i].next = self.second_high[2 * i + p].q.val();
                self.entry_of_first[p].choose[i].next = self.chosen[2 * i + p].val();
                self.entry_of_first[p].of[i].next = self.board[2 * i + p].first_entry.val();
                self.entry_of_second[p].choose[i].next = self.chosen[2 * i + p].val();
                self.entry_of_second[p].of[i].next = self.board[2 * i + p].second_entry.val();
                self.slot_of_warp[p].choose[i].next = self.chosen[2 * i + p].val();
                self.slot_of_warp[p].of[i].next = self.slot[2 * i + p].q.val();
                self.some_pair[p].of[i].next =
                    self.chosen[2 * i + p].val() && self.pair[2 * i + p].val();
                self.issue_first[2 * i + p].next = self.chosen[2 * i + p].val() && self.go[p].val();
                self.issue_second[2 * i + p].next =
                    self.chosen[2 * i + p].val() && self.pair_go[p].val();
            }
        }
        self.clash.next = (self.some_special[0].any.val() && self.some_special[1].any.val())
            || (self.some_control[0].any.val() && self.some_control[1].any.val())
            || (self.some_memory[0].any.val() && self.some_memory[1].any.val());
        // A warp that was chosen is taken to issue, unless it is clear already that it may not.
        for p in 0..WIDTH {
            for i in 0..V {
                self.board[2 * i + p].chosen.next = self.chosen[2 * i + p].val();
                self.issue_scheduler[p].request[i].next = self.running[2 * i + p].q.val()
                    && ((self.board[2 * i + p].likely.val()
                        && (self.leaving[2 * i + p].val()
                            || !self.board[2 * i + p].first_valid.val()
                            || self.unit_seen[2 * i + p].val()))
                        || (self.leaving[2 * i + p].val()
                            && (self.clash.val()
                                || self.blocked[p].val()
                                || !self.unit_seen[2 * i + p].val())));
            }
        }
        for w in 0..W {
            self.board[w].issue_first.next = self.issue_first[w].val();
            self.board[w].issue_second.next = self.issue_second[w].val();
        }
        // The log entries of the chosen warps' thread block, less those that the memory instruction in operand read takes
        // in this cycle: behind a load another load finds one if there are two, and whatever else waits.
        for p in 0..WIDTH {
            for k in 0..SLOTS {
                self.one_free[p].of[k].next = self.stage.free_one[k].val()
                    && (self.slot_of_warp[p].chosen.val() == k.to_bits::<SLOT_BITS>());
                self.two_free[p].of[k].next = self.stage.free_two[k].val()
                    && (self.slot_of_warp[p].chosen.val() == k.to_bits::<SLOT_BITS>());
            }
            self.same_slot[p].next = self.stage.coming.val()
                && (self.stage.push_slot.val() == self.slot_of_warp[p].chosen.val());
            self.load_fits[p].next = !self.logs.val()
                || (!self.same_slot[p].val() && self.one_free[p].any.val())
                || (self.same_slot[p].val()
                    && !self.pushed_high.val().get_bit(0)
                    && self.two_free[p].any.val());
            self.store_fits[p].next =
                !self.logs.val() || (!self.same_slot[p].val() && self.two_free[p].any.val());
            self.first_fits[p].next =
                ((self.high_of_first[p].chosen.val().get_bits::<CLASS_BITS>(0) != 4)
                    || self.load_fits[p].val())
                    && ((self.high_of_first[p].chosen.val().get_bits::<CLASS_BITS>(0) != 5)
                        || self.store_fits[p].val());
            self.second_fits[p].next = ((self.high_of_second[p]
                .chosen
                .val()
                .get_bits::<CLASS_BITS>(0)
                != 4)
                || self.load_fits[p].val())
                && ((self.high_of_second[p]
                    .chosen
                    .val()
                    .get_bits::<CLASS_BITS>(0)
                    != 5)
                    || self.store_fits[p].val());
            self.can_go[p].next = self.some_ready[p].any.val() && self.first_fits[p].val();
            self.can_pair[p].next = self.some_pair[p].any.val() && self.second_fits[p].val();
        }
        self.conflict.next = self.clash.val() && self.can_go[0].val() && self.can_go[1].val();
        self.go[0].next = self.can_go[0].val() && !(self.conflict.val() && self.favoured.q.val());
        self.go[1].next = self.can_go[1].val() && !(self.conflict.val() && !self.favoured.q.val());
        self.favoured.d.next = self.favoured.q.val() ^ self.conflict.val();
        self.pair_go[0].next =
            self.can_go[0].val() && !self.can_go[1].val() && self.can_pair[0].val();
        self.pair_go[1].next = self.can_go[1].val()
            && !self.can_go[0].val()
            && !self.again.val()
            && self.can_pair[1].val();

        // Operand read: what was chosen, or what comes back.
        for k in 0..SLOTS {
            self.restore_one.of[k].next = self.stage.free_one[k].val()
                && (self.restore_slot.val() == k.to_bits::<SLOT_BITS>());
            self.restore_two.of[k].next = self.stage.free_two[k].val()
                && (self.restore_slot.val() == k.to_bits::<SLOT_BITS>());
        }
        self.restore_behind.next =
            self.stage.coming.val() && (self.stage.push_slot.val() == self.restore_slot.val());
        self.restore_room.next = !self.logs.val()
            || (!self.restore_behind.val()
                && ((!self.restore_store.val() && self.restore_one.any.val())
                    || self.restore_two.any.val()))
            || (self.restore_behind.val()
                && !self.restore_store.val()
                && !self.pushed_high.val().get_bit(0)
                && self.restore_two.any.val());
        for k in 0..SLOTS {
            self.seen_one[k].d.next = self.stage.free_one[k].val();
            self.seen_two[k].d.next = self.stage.free_two[k].val();
        }
        self.restore_ready.next = self.queues.val()
            && !self.replay.val()
            && self.credit.val()
            && self.restore_room.val()
            && self.stage.place.val();
        self.restore_taken.next = self.queues.val()
            && self.restore_valid.val()
            && !self.replay.val()
            && self.credit.val()
            && self.restore_room.val()
            && self.stage.place.val();
        self.replay_taken.next = self.replay.val() && self.credit.val();
        self.again_taken.next = self.replay_taken.val() || self.restore_taken.val();
        self.again_class.next = 4.into();
        if self.again_store.val() {
            self.again_class.next = 5.into();
        }
        self.again_high.next = bit_cast::<42, CLASS_BITS>(self.again_class.val())
            | (bit_cast::<42, OPCODE_BITS>(self.again_opcode.val()) << 3)
            | (bit_cast::<42, REGISTER_BITS>(self.again_destination.val()) << 10)
            | (bit_cast::<42, REGISTER_BITS>(self.again_a.val()) << 18)
            | (bit_cast::<42, REGISTER_BITS>(self.again_b.val()) << 26)
            | (bit_cast::<42, REGISTER_BITS>(!bits::<REGISTER_BITS>(0)) << 34);
        for w in 0..W {
            self.again_entry.choose[w].next = self.again_warp.val() == w.to_bits::<WARP_BITS>();
            self.again_entry.of[w].next = self.board[w].arrive_entry.val();
        }
        for p in 0..WIDTH {
            self.issued[p].next = self.go[p].val() || self.pair_go[1 - p].val();
            self.issued_low[p].next = 0.into();
            self.issued_high[p].next = 0.into();
            self.issued_warp[p].next = 0.into();
            self.issued_entry[p].next = 0.into();
            self.issued_slot[p].next = 0.into();
            if self.go[p].val() {
                self.issued_low[p].next = self.low_of_first[p].chosen.val();
                self.issued_high[p].next = self.high_of_first[p].chosen.val();
                self.issued_warp[p].next = self.number[p].val();
                self.issued_entry[p].next = self.entry_of_first[p].chosen.val();
                self.issued_slot[p].next = self.slot_of_warp[p].chosen.val();
            } else if self.pair_go[1 - p].val() {
                self.issued_low[p].next = self.low_of_second[1 - p].chosen.val();
                self.issued_high[p].next = self.high_of_second[1 - p].chosen.val();
                self.issued_warp[p].next = self.number[1 - p].val();
                self.issued_entry[p].next = self.entry_of_second[1 - p].chosen.val();
                self.issued_slot[p].next = self.slot_of_warp[1 - p].chosen.val();
            }
            self.allocates[p].next = (self.issued_high[p].val().get_bits::<CLASS_BITS>(0) == 4)
                || (self.issued_high[p].val().get_bits::<CLASS_BITS>(0) == 5);
            self.reading[p].d.next = self.issued[p].val();
            self.reads_memory[p].d.next = self.issued_high[p].val().get_bits::<CLASS_BITS>(0) > 2;
            self.reading_low[p].d.next = self.issued_low[p].val();
            self.reading_high[p].d.next = self.issued_high[p].val();
            self.reading_warp[p].d.next = self.issued_warp[p].val();
            self.reading_entry[p].d.next = self.issued_entry[p].val();
            self.reading_slot[p].d.next = self.issued_slot[p].val();
            self.reading_stopped[p].d.next = (self.fault.val()
                && (self.faulted_warp.val() == self.issued_warp[p].val()))
                || (self.stop_valid.val() && (self.stop_warp.val() == self.issued_warp[p].val()));
        }
        if self.again_taken.val() {
            self.reading[0].d.next = true;
            self.reads_memory[0].d.next = true;
            self.reading_low[0].d.next = bit_cast::<64, 32>(self.again_pc.val())
                | (bit_cast::<64, 32>(self.again_mask.val()) << 32);
            self.reading_high[0].d.next = self.again_high.val();
            self.reading_warp[0].d.next = self.again_warp.val();
            self.reading_entry[0].d.next = self.again_entry.chosen.val();
            self.reading_slot[0].d.next = self.again_slot.val();
        }
        self.restore_reading.d.next = self.restore_taken.val();
        self.replay_reading.d.next = self.replay_taken.val();
        self.replay_index.d.next = self.stage.replay_index.val();
        self.replay_address.d.next = 0.into();
        self.replay_data.d.next = 0.into();
        if self.replay_taken.val() {
            self.replay_address.d.next = self.stage.replay_log_address.val();
            self.replay_data.d.next = self.stage.replay_log_data.val();
        }
        for p in 0..WIDTH {
            self.read_valid[p].next = self.reading[p].q.val();
            self.read_warp[p].next = self.reading_warp[p].q.val();
            self.read_entry[p].next = self.reading_entry[p].q.val();
            self.read_class[p].next = self.reading_high[p].q.val().get_bits::<CLASS_BITS>(0);
            self.read_opcode[p].next = self.reading_high[p].q.val().get_bits::<OPCODE_BITS>(3);
            self.read_destination[p].next =
                self.reading_high[p].q.val().get_bits::<REGISTER_BITS>(10);
            self.read_source_a[p].next = self.reading_high[p].q.val().get_bits::<REGISTER_BITS>(18);
            self.read_source_b[p].next = self.reading_high[p].q.val().get_bits::<REGISTER_BITS>(26);
            self.read_source_c[p].next = self.reading_high[p].q.val().get_bits::<REGISTER_BITS>(34);
            self.read_pc[p].next = self.reading_low[p].q.val().get_bits::<32>(0);
            self.read_mask[p].next = self.reading_low[p].q.val().get_bits::<32>(32);
            self.now_stopped[p].next = self.reading_stopped[p].q.val()
                || (self.fault.val() && (self.faulted_warp.val() == self.reading_warp[p].q.val()))
                || (self.stop_valid.val()
                    && (self.stop_warp.val() == self.reading_warp[p].q.val()));
        }
        // What is restored goes to the queue, and to no unit.
        self.read_valid[0].next = self.reading[0].q.val() && !self.restore_reading.q.val();
        self.read_replayed[0].next = self.replay_reading.q.val();
        self.read_replayed[1].next = false;

        // The memory stage takes the memory instruction that has read its operands; there is at most one.
        self.reading_memory.next = self.reads_memory[0].q.val() || self.reads_memory[1].q.val();
        self.credit.next = self.stage.credit.val();
        self.stage.issuing.next = self.again_taken.val()
            || (self.issued_high[0].val().get_bits::<CLASS_BITS>(0) > 2)
            || (self.issued_high[1].val().get_bits::<CLASS_BITS>(0) > 2);
        self.pushed_low.next = self.reading_low[0].q.val();
        self.pushed_high.next = self.reading_high[0].q.val().get_bits::<34>(0);
        self.stage.push_warp.next = self.reading_warp[0].q.val();
        self.stage.push_slot.next = self.reading_slot[0].q.val();
        self.stage.push_entry.next = self.reading_entry[0].q.val();
        self.stage.push_replayed.next = self.replay_reading.q.val();
        self.pushed_stopped.next = (self.now_stopped[0].val() && !self.replay_reading.q.val())
            || self.restore_reading.q.val();
        if self.reads_memory[1].q.val() {
            self.pushed_low.next = self.reading_low[1].q.val();
            self.pushed_high.next = self.reading_high[1].q.val().get_bits::<34>(0);
            self.stage.push_warp.next = self.reading_warp[1].q.val();
            self.stage.push_slot.next = self.reading_slot[1].q.val();
            self.stage.push_entry.next = self.reading_entry[1].q.val();
            self.stage.push_replayed.next = false;
            self.pushed_stopped.next = self.now_stopped[1].val();
        }
        for p in 0..WIDTH {
            self.reads_global[p].next = (self.reading_high[p].q.val().get_bits::<CLASS_BITS>(0)
                == 4)
                || (self.reading_high[p].q.val().get_bits::<CLASS_BITS>(0) == 5);
        }
        self.stage.coming.next = (self.reads_global[0].val() && !self.replay_reading.q.val())
            || self.reads_global[1].val();
        self.stage.push_valid.next = self.reading_memory.val();
        self.stage.push_class.next = self.pushed_high.val().get_bits::<CLASS_BITS>(0);
        self.stage.push_opcode.next = self.pushed_high.val().get_bits::<OPCODE_BITS>(3);
        self.stage.push_destination.next = self.pushed_high.val().get_bits::<REGISTER_BITS>(10);
        self.stage.push_address_register.next =
            self.pushed_high.val().get_bits::<REGISTER_BITS>(18);
        self.stage.push_data_register.next = self.pushed_high.val().get_bits::<REGISTER_BITS>(26);
        self.stage.push_pc.next = self.pushed_low.val().get_bits::<32>(0);
        self.stage.push_mask.next = self.pushed_low.val().get_bits::<32>(32);
        self.stage.push_squashed.next = self.pushed_stopped.val()
            && self.queues.val()
            && ((self.pushed_high.val().get_bits::<CLASS_BITS>(0) == 4)
                || (self.pushed_high.val().get_bits::<CLASS_BITS>(0) == 5));
        self.stage.push_index.next = self.replay_index.q.val();
        self.stage.push_log_address.next = self.replay_address.q.val();
        self.stage.push_log_data.next = self.replay_data.q.val();
        self.stage.stop_valid.next = self.stop_valid.val();
        self.stage.stop_warp.next = self.stop_warp.val();
        self.stage.memory_ready.next = self.memory_ready.val();
        self.stage.checked_valid.next = self.checked_valid.val();
        self.stage.checked_index.next = self.checked_index.val();
        self.stage.checked_slot.next = self.checked_slot.val();
        self.stage.checked_store.next = self.checked_store.val();
        self.stage.checked_log_address.next = self.checked_log_address.val();
        self.stage.checked_log_data.next = self.checked_log_data.val();
        self.stage.faulted_valid.next = self.fault.val();
        self.stage.faulted_warp.next = self.faulted_warp.val();
        self.stage.faulted_index.next = self.faulted_index.val();
        self.stage.resume_valid.next = self.resume.val();
        self.stage.resume_warp.next = self.resume_warp.val();
        self.stage.replay_ready.next = self.credit.val();
        self.stage.launch_valid.next = self.launch_valid.val();
        self.stage.launch_entries.next = self.launch_entries.val();
        self.stage.issuing_global.next =
            self.allocates[0].val() || self.allocates[1].val() || self.restore_taken.val();
        for j in 0..LOG_WORDS {
            self.stage.operand[j].next = self.operand[j].val();
            self.logged_data[j].next = self.stage.logged_data[j].val();
        }
        self.memory_front.next = self.stage.front_valid.val();
        self.memory_data.next = self.stage.front_data.val();
        self.memory_valid.next = self.stage.memory_valid.val();
        self.memory_warp.next = self.stage.memory_warp.val();
        self.memory_slot.next = self.stage.memory_slot.val();
        self.memory_entry.next = self.stage.memory_entry.val();
        self.memory_class.next = self.stage.memory_class.val();
        self.memory_replayed.next = self.stage.memory_replayed.val();
        self.memory_squashed.next = self.stage.memory_squashed.val();
        self.memory_pc.next = self.stage.memory_pc.val();
        self.memory_mask.next = self.stage.memory_mask.val();
        self.memory_opcode.next = self.stage.memory_opcode.val();
        self.memory_index.next = self.stage.memory_index.val();
        self.memory_log_address.next = self.stage.memory_log_address.val();
        self.memory_log_data.next = self.stage.memory_log_data.val();
        self.checked_ready.next = self.stage.checked_ready.val();
        self.logged_valid.next = self.stage.logged_valid.val();
        self.occupancy.next = self.stage.occupancy.val();

        // A thread block leaves once its warps have stopped and drained.
        for w in 0..W {
            self.slot_busy.of[w].next = (self.slot[w].q.val() == self.save_slot.val())
                && (self.running[w].q.val() || self.refetch[w].q.val() || self.board[w].busy.val());
        }
        self.stage.save_valid.next = self.save_valid.val() && !self.slot_busy.any.val();
        self.stage.save_slot.next = self.save_slot.val();
        self.stage.saved_ready.next = self.saved_ready.val();
        self.save_ready.next = !self.slot_busy.any.val() && self.stage.save_ready.val();
        self.saved_nothing.d.next = self.save_valid.val() && !self.slot_busy.any.val();
        self.save_done.next = self.stage.save_done.val() || self.saved_nothing.q.val();
        self.spilled_valid.next = self.stage.spilled_valid.val();
        self.saved_valid.next = self.stage.saved_valid.val();
        self.saved_warp.next = self.stage.replay_warp.val();
        self.saved_store.next = self.stage.replay_store.val();
        self.saved_destination.next = self.stage.replay_destination.val();
        self.saved_source_a.next = self.stage.replay_address_register.val();
        self.saved_source_b.next = self.stage.replay_data_register.val();
        self.saved_pc.next = self.stage.replay_pc.val();
        self.saved_mask.next = self.stage.replay_mask.val();
        self.saved_opcode.next = self.stage.replay_opcode.val();

        // Warps begin, stop and go on. Which one's instructions go back is found a cycle before.
        for w in 0..W {
            self.reverts.request[w].next = !self.running[w].q.val()
                && !self.reverting[w].q.val()
                && (self.board[w].first_valid.val() || self.refetch[w].q.val());
            self.some_revert.of[w].next = self.reverts.request[w].val();
            self.reverting[w].d.next = self.reverts.grant[w].val();
        }
        self.reverting_any.d.next = self.some_revert.any.val();
        self.reverting_warp.d.next = self.reverts.index.val();
        for w in 0..W {
            self.revert_first.of[w].next =
                self.reverting[w].q.val() && self.board[w].first_valid.val();
            self.revert_second.of[w].next =
                self.reverting[w].q.val() && self.board[w].second_valid.val();
            self.revert_squashed.of[w].next = self.reverting[w].q.val() && self.refetch[w].q.val();
            self.board[w].flush.next = self.reverting[w].q.val();
            self.drained.of[w].next = (self.resume_warp.val() == w.to_bits::<WARP_BITS>())
                && !self.running[w].q.val()
                && !self.refetch[w].q.val()
                && !self.board[w].busy.val();
        }
        self.reverted.next = 0.into();
        if self.revert_first.any.val() {
            self.reverted.next = 1.into();
        }
        self.reverted_more.next = self.reverted.val() + self.revert_second.any.val();
        self.revert_count.next = self.reverted_more.val() + self.revert_squashed.any.val();
        self.revert_valid.next = self.reverting_any.q.val();
        self.revert_warp.next = bit_cast::<WARP_BITS, Y>(self.reverting_warp.q.val());
        self.resume.next =
            self.resume_valid.val() && self.drained.any.val() && self.stage.resume_ready.val();
        self.resume_ready.next = self.drained.any.val() && self.stage.resume_ready.val();
        for w in 0..W {
            self.resuming[w].next = (!self.queues.val()
                && self.resume.val()
                && (self.resume_warp.val() == w.to_bits::<WARP_BITS>()))
                || (self.stage.replay_done.val()
                    && self.replaying_well.q.val()
                    && (self.replaying_warp.q.val() == w.to_bits::<WARP_BITS>()));
            self.running[w].d.next =
                (self.running[w].q.val() || self.starting[w].val() || self.resuming[w].val())
                    && !self.stop_event[w].val();
            self.slot[w].d.next = self.slot[w].q.val();
            if self.starting[w].val() {
                self.slot[w].d.next = self.start_slot.val();
            }
            self.refetch[w].d.next = (self.refetch[w].q.val() && !self.reverting[w].q.val())
                || (self.disables.val()
                    && self.faulted_valid.val()
                    && (self.faulted_warp.val() == w.to_bits::<WARP_BITS>()));
        }
        self.replaying_warp.d.next = self.replaying_warp.q.val();
        self.replaying_well.d.next = self.replaying_well.q.val()
            && !(self.fault.val() && (self.faulted_warp.val() == self.replaying_warp.q.val()))
            && !(self.stop_valid.val() && (self.stop_warp.val() == self.replaying_warp.q.val()));
        if self.resume.val() {
            self.replaying_warp.d.next = self.resume_warp.val();
            self.replaying_well.d.next = true;
        }
    }
}

impl<
    const W: usize,
    const V: usize,
    const X: usize,
    const Y: usize,
    const K: usize,
    const J: usize,
    const N: usize,
    const I: usize,
    const O: usize,
    const A: usize,
    const E: usize,
    const P: usize,
    const C: usize,
> SmPipeline<W, V, X, Y, K, J, N, I, O, A, E, P, C>
{
    /// A pipeline of a scheme, whose schedulers stay with a warp as long as it can issue, or go round.
    pub fn new(scheme: Scheme, greedy: bool) -> Self {
        let disables = matches!(
            scheme,
            Scheme::WarpDisableCommit | Scheme::WarpDisableLastCheck
        );
        let checks = matches!(scheme, Scheme::WarpDisableLastCheck | Scheme::ReplayQueue);
        let queues = matches!(scheme, Scheme::ReplayQueue | Scheme::OperandLog);
        macro_rules! signals {
            ($($field:ident),*; $($array:ident),*) => {
                Self {
                    squashes: Constant::new(scheme != Scheme::StallOnFault),
                    disables: Constant::new(disables),
                    checks: Constant::new(checks),
                    queues: Constant::new(queues),
                    logs: Constant::new(scheme == Scheme::OperandLog),
                    board: (0..W)
                        .map(|_| Scoreboard::new(scheme == Scheme::ReplayQueue))
                        .collect(),
                    fetch_scheduler: std::array::from_fn(|_| WarpScheduler::new(false)),
                    issue_scheduler: std::array::from_fn(|_| WarpScheduler::new(greedy)),
                    stage: MemoryStage::new(queues, scheme == Scheme::OperandLog),
                    $($field: Default::default(),)*
                    $($array: std::array::from_fn(|_| Default::default()),)*
                }
            };
        }
        signals!(
            clock, reset,
            start_valid, start_warp, start_slot, stop_valid, stop_warp, resume_valid, resume_warp, special_ready,
            memory_ready, checked_valid, checked_warp, checked_entry, checked_index,
            checked_slot, checked_store, checked_log_address, checked_log_data, faulted_valid, faulted_warp,
            faulted_entry, faulted_index, launch_valid, launch_entries, save_valid, save_slot, saved_ready,
            restore_valid, restore_warp, restore_slot, restore_store, restore_destination, restore_source_a,
            restore_source_b, restore_pc, restore_mask, restore_opcode, save_ready, save_done, spilled_valid,
            saved_valid, saved_warp, saved_store, saved_destination, saved_source_a, saved_source_b, saved_pc,
            saved_mask, saved_opcode, restore_ready, restore_reading, saved_nothing, slot_busy, restore_room, restore_one, restore_two, restore_behind,
            squashing, squashing_warp, squashing_entry, restore_taken, again, again_taken, again_warp, again_slot, again_store, again_destination, again_a,
            again_b, again_pc, again_mask, again_opcode, resume_ready, revert_valid, revert_warp,
            revert_count, memory_front, memory_data, memory_valid, memory_warp, memory_slot, memory_entry,
            memory_class, memory_replayed, memory_squashed, memory_pc, memory_mask, memory_opcode, memory_index,
            memory_log_address, memory_log_data, checked_ready, logged_valid, occupancy, favoured, replay_reading,
            replay_index, replay_address, replay_data, replaying_warp, replaying_well, reverts, reverting_any, reverting_warp, again_entry,
            drained, some_revert, revert_first, revert_second, revert_squashed, replay, replay_taken, credit,
            memory_free, reading_memory, clash, conflict, fault, checked, squash_valid, squash_warp, squash_entry, resume,
            reverted, reverted_more, pushed_low, pushed_high, pushed_stopped, again_class, again_high;
            fetched_valid, fetched_class, fetched_destination, fetched_source_a, fetched_source_b, fetched_source_c,
            fetched_pc, fetched_mask, fetched_opcode, operand, finished_valid, finished_warp, finished_entry,
            fetch_valid, fetch_warp, read_valid, read_warp, read_entry, read_class, read_replayed, read_destination,
            read_source_a, read_source_b, read_source_c, read_pc, read_mask, read_opcode, logged_data, running, slot,
            refetch, reverting, first_low, first_high, second_low, second_high, reading, reading_low,
            reading_high, reading_warp, reading_entry, reading_slot, reading_stopped, low_of_first, high_of_first,
            low_of_second, high_of_second, entry_of_first, entry_of_second, slot_of_warp, some_live, some_ready, some_special,
            some_control, some_memory, some_pair, live, arrival, claim, first_special, first_control, first_memory,
            first_load, first_store, second_special, second_control, second_memory,
            one_seen, two_seen, one_free, two_free, same_slot, load_fits, store_fits, first_fits, second_fits,
            can_go, can_pair, first_global, second_global, unit_seen, seen_one, seen_two, first_unit, second_unit, apart, chosen, leaving, ready, pair, issue_first, issue_second,
            stop_event, starting, resuming, go, pair_go, blocked, number, fetch_number, class, global, bus_stops,
            bus_holds, bus_destination, bus_a, bus_b, bus_c, bus_low, bus_high, reads_memory, reads_global,
            allocates, issued, issued_low, issued_high, issued_warp, issued_entry, issued_slot, now_stopped
        )
    }
}

hardware!([const W: usize, const V: usize, const X: usize, const Y: usize, const K: usize, const J: usize, const N: usize, const I: usize, const O: usize, const A: usize, const E: usize, const P: usize, const C: usize]
SmPipeline<W, V, X, Y, K, J, N, I, O, A, E, P, C> {
    inputs: reset,
            start_valid, start_warp, start_slot, stop_valid, stop_warp, resume_valid, resume_warp, fetched_valid,
            fetched_class, fetched_destination, fetched_source_a, fetched_source_b, fetched_source_c, fetched_pc,
            fetched_mask, fetched_opcode, special_ready, memory_ready, operand, finished_valid, finished_warp,
            finished_entry, checked_valid, checked_warp, checked_entry,
            checked_index, checked_slot, checked_store, checked_log_address, checked_log_data, faulted_valid,
            faulted_warp, faulted_entry, faulted_index, launch_valid, launch_entries, save_valid, save_slot,
            saved_ready, restore_valid, restore_warp, restore_slot, restore_store, restore_destination,
            restore_source_a, restore_source_b, restore_pc, restore_mask, restore_opcode;
    outputs:
            resume_ready, fetch_valid, fetch_warp, revert_valid, revert_warp, revert_count, read_valid, read_warp,
            read_entry, read_class, read_replayed, read_destination, read_source_a, read_source_b, read_source_c,
            read_pc, read_mask, read_opcode, memory_front, memory_data, memory_valid, memory_warp, memory_slot,
            memory_entry, memory_class, memory_replayed, memory_squashed, memory_pc, memory_mask, memory_opcode,
            memory_index, memory_log_address, memory_log_data, checked_ready, logged_valid, logged_data, occupancy,
            save_ready, save_done, spilled_valid, saved_valid, saved_warp, saved_store, saved_destination,
            saved_source_a, saved_source_b, saved_pc, saved_mask, saved_opcode, restore_ready;
    memories: |pipeline| pipeline.stage.memories();
});
