#![doc = include_str!("../../../docs/blocks/replay_queue.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{LOG_ENTRY_BITS, REGISTER_BITS, SLOT_BITS, WARP_BITS};
use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::memory::Memory;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// What an entry keeps in memory: all of the instruction, searched or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Instruction {
    pc: Bits<32>,
    mask: Bits<32>,
    opcode: Bits<8>,
    destination: Bits<REGISTER_BITS>,
    address_register: Bits<REGISTER_BITS>,
    data_register: Bits<REGISTER_BITS>,
    warp: Bits<WARP_BITS>,
    slot: Bits<SLOT_BITS>,
    log_address: Bits<LOG_ENTRY_BITS>,
    log_data: Bits<LOG_ENTRY_BITS>,
}

/// `aged` is high from age 2^`AGE` - `NEAR`: four inserts below the greatest age, because at most four instructions are on
/// their way to the queue.
const NEAR: LiteralType = 5;

/// What the scan engine does.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Scan {
    /// No scan is under way.
    Idle,
    /// The waiting instructions of a warp are offered to the issue stage.
    Replaying,
    /// The instructions of a thread block move out.
    Saving,
}

/// Replay queue: holds every global-memory instruction from issue to commit, and presents the faulted ones again.
/// `ENTRIES` entries with indices of `INDEX` bits, counted in `COUNT` = `INDEX` + 1 bits; ages of `AGE` bits.
#[block(top)]
pub struct ReplayQueue<
    const ENTRIES: usize,
    const INDEX: usize,
    const COUNT: usize,
    const AGE: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: frees every entry and ends a scan.
    pub reset: Signal<In, Bit>,

    /// An instruction at issue, one a cycle.
    pub insert_valid: Signal<In, Bit>,
    /// The inserted instruction comes from a saved context and waits for a replay at once.
    pub insert_restored: Signal<In, Bit>,
    /// Warp of the inserted instruction.
    pub insert_warp: Signal<In, Bits<WARP_BITS>>,
    /// Thread-block slot of the inserted instruction.
    pub insert_slot: Signal<In, Bits<SLOT_BITS>>,
    /// Program counter of the inserted instruction.
    pub insert_pc: Signal<In, Bits<32>>,
    /// Opcode of the inserted instruction; opaque.
    pub insert_opcode: Signal<In, Bits<8>>,
    /// Destination register of the inserted instruction.
    pub insert_destination: Signal<In, Bits<REGISTER_BITS>>,
    /// Register of the address; the zero register if there is none.
    pub insert_address_register: Signal<In, Bits<REGISTER_BITS>>,
    /// Register of the store data; the zero register if there is none.
    pub insert_data_register: Signal<In, Bits<REGISTER_BITS>>,
    /// Lanes of the inserted instruction.
    pub insert_mask: Signal<In, Bits<32>>,
    /// Operand-log entry of the address; opaque.
    pub insert_log_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// Operand-log entry of the store data; opaque.
    pub insert_log_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// The last TLB check of the instruction in `checked_index` succeeded.
    pub checked_valid: Signal<In, Bit>,
    /// Entry of the instruction that was checked.
    pub checked_index: Signal<In, Bits<INDEX>>,
    /// The instruction in `faulted_index` faulted and was squashed.
    pub faulted_valid: Signal<In, Bit>,
    /// Entry of the instruction that faulted.
    pub faulted_index: Signal<In, Bits<INDEX>>,
    /// The instruction in `committed_index` committed.
    pub committed_valid: Signal<In, Bit>,
    /// Entry of the instruction that committed.
    pub committed_index: Signal<In, Bits<INDEX>>,
    /// Warp of the query that `held` answers in the same cycle.
    pub held_warp: Signal<In, Bits<WARP_BITS>>,
    /// Register of the query that `held` answers in the same cycle.
    pub held_register: Signal<In, Bits<REGISTER_BITS>>,
    /// Request to replay the waiting instructions of `resume_warp`.
    pub resume_valid: Signal<In, Bit>,
    /// Warp whose waiting instructions are replayed.
    pub resume_warp: Signal<In, Bits<WARP_BITS>>,
    /// The replayed instruction on offer is taken.
    pub replay_ready: Signal<In, Bit>,
    /// Request to save the thread block in `save_slot`.
    pub save_valid: Signal<In, Bit>,
    /// Slot of the thread block that is saved.
    pub save_slot: Signal<In, Bits<SLOT_BITS>>,
    /// The saved instruction on offer is taken.
    pub saved_ready: Signal<In, Bit>,

    /// The inserted instruction is accepted.
    pub insert_ready: Signal<Out, Bit>,
    /// Entry of the inserted instruction, which names it in the `checked`, `faulted` and `committed` messages.
    pub insert_index: Signal<Out, Bits<INDEX>>,
    /// No entry is being picked: an insert is refused only for its warp's instructions or a full queue.
    pub memory_free: Signal<Out, Bit>,
    /// An unchecked instruction of `held_warp` reads `held_register`.
    pub held: Signal<Out, Bit>,
    /// The resume is accepted.
    pub resume_ready: Signal<Out, Bit>,
    /// An instruction to issue again is on offer in `entry_*`.
    pub replay_valid: Signal<Out, Bit>,
    /// The replay has ended; high for one cycle.
    pub replay_done: Signal<Out, Bit>,
    /// The save is accepted.
    pub save_ready: Signal<Out, Bit>,
    /// An instruction that leaves is on offer in `entry_*`.
    pub saved_valid: Signal<Out, Bit>,
    /// The save has ended; high for one cycle.
    pub save_done: Signal<Out, Bit>,
    /// Entry of the instruction that a replay or a save offers.
    pub entry_index: Signal<Out, Bits<INDEX>>,
    /// Warp of the instruction on offer.
    pub entry_warp: Signal<Out, Bits<WARP_BITS>>,
    /// Thread-block slot of the instruction on offer.
    pub entry_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Program counter of the instruction on offer.
    pub entry_pc: Signal<Out, Bits<32>>,
    /// Opcode of the instruction on offer.
    pub entry_opcode: Signal<Out, Bits<8>>,
    /// Destination register of the instruction on offer.
    pub entry_destination: Signal<Out, Bits<REGISTER_BITS>>,
    /// Address register of the instruction on offer.
    pub entry_address_register: Signal<Out, Bits<REGISTER_BITS>>,
    /// Store-data register of the instruction on offer.
    pub entry_data_register: Signal<Out, Bits<REGISTER_BITS>>,
    /// Lanes of the instruction on offer.
    pub entry_mask: Signal<Out, Bits<32>>,
    /// Operand-log entry of its address.
    pub entry_log_address: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// Operand-log entry of its store data.
    pub entry_log_data: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// Instructions in the queue.
    pub occupancy: Signal<Out, Bits<COUNT>>,
    /// An instruction in flight is near the greatest age: its warp should issue no more for now.
    pub aged: Signal<Out, Bit>,

    // What is searched, in registers.
    live: [Register<Bit>; ENTRIES],
    waiting: [Register<Bit>; ENTRIES],
    checked: [Register<Bit>; ENTRIES],
    warp: [Register<Bits<WARP_BITS>>; ENTRIES],
    slot: [Register<Bits<SLOT_BITS>>; ENTRIES],
    address_register: [Register<Bits<REGISTER_BITS>>; ENTRIES],
    data_register: [Register<Bits<REGISTER_BITS>>; ENTRIES],
    age: [Register<Bits<AGE>>; ENTRIES],
    count: Register<Bits<COUNT>>,

    // The scan engine.
    scan: Register<Scan>,
    scan_warp: Register<Bits<WARP_BITS>>,
    scan_slot: Register<Bits<SLOT_BITS>>,
    wanted_age: Register<Bits<AGE>>,
    more_ages: Register<Bit>,
    candidate: [Register<Bit>; ENTRIES],
    picking: Register<Bit>,
    offering_replay: Register<Bit>,
    offering_save: Register<Bit>,
    offered: Register<Bits<INDEX>>,

    #[init(Constant::new((ENTRIES as LiteralType).into()))]
    capacity: Constant<Bits<COUNT>>,
    #[init(Constant::new(((1_usize << AGE) as LiteralType).saturating_sub(NEAR).max(1).into()))]
    near: Constant<Bits<AGE>>,
    #[init(Constant::new(!bits::<AGE>(((1_usize << (AGE / 2)) - 1) as LiteralType)))]
    group_bits: Constant<Bits<AGE>>,
    #[init(Memory::new(ENTRIES, 1))]
    payload: Memory<Instruction, INDEX, 1>,
    free: FixedPriorityArbiter<ENTRIES, INDEX, false>,
    pick: FixedPriorityArbiter<ENTRIES, INDEX, false>,

    in_flight: [Signal<Local, Bit>; ENTRIES],
    insert_match: [Signal<Local, Bit>; ENTRIES],
    committing: [Signal<Local, Bit>; ENTRIES],
    faulting: [Signal<Local, Bit>; ENTRIES],
    checking: [Signal<Local, Bit>; ENTRIES],
    insert_blocked: OrTree<ENTRIES>,
    inserting: Signal<Local, Bit>,
    any_held: OrTree<ENTRIES>,
    any_aged: OrTree<ENTRIES>,
    warp_busy: OrTree<ENTRIES>,
    slot_busy: OrTree<ENTRIES>,
    leaving: OrTree<ENTRIES>,
    looking: Signal<Local, Bit>,
    in_scan: [Signal<Local, Bit>; ENTRIES],
    in_group: OrTree<ENTRIES>,
    found: OrTree<ENTRIES>,
    full: Signal<Local, Bit>,
    offering: Signal<Local, Bit>,
    replayed: Signal<Local, Bit>,
    count_inserted: Signal<Local, Bits<COUNT>>,
    count_committed: Signal<Local, Bits<COUNT>>,
    done: Signal<Local, Bit>,
}

impl<const ENTRIES: usize, const INDEX: usize, const COUNT: usize, const AGE: usize> Logic
    for ReplayQueue<ENTRIES, INDEX, COUNT, AGE>
{
    #[logic]
    fn update(&mut self) {
        // Search: the instructions that wait, hold a register, or are in flight.
        for i in 0..ENTRIES {
            self.in_flight[i].next = self.live[i].q.val() && !self.waiting[i].q.val();
            self.insert_match[i].next =
                self.live[i].q.val() && (self.warp[i].q.val() == self.insert_warp.val());
            self.insert_blocked.of[i].next = self.insert_match[i].val()
                && ((self.waiting[i].q.val() && !self.insert_restored.val())
                    || self.age[i].q.val().all());
            self.any_held.of[i].next = self.live[i].q.val()
                && !self.checked[i].q.val()
                && (self.warp[i].q.val() == self.held_warp.val())
                && ((self.address_register[i].q.val() == self.held_register.val())
                    || (self.data_register[i].q.val() == self.held_register.val()));
            self.warp_busy.of[i].next =
                self.in_flight[i].val() && (self.warp[i].q.val() == self.resume_warp.val());
            self.slot_busy.of[i].next =
                self.in_flight[i].val() && (self.slot[i].q.val() == self.save_slot.val());
        }
        for i in 0..ENTRIES {
            self.any_aged.of[i].next =
                self.in_flight[i].val() && (self.age[i].q.val() >= self.near.val());
        }
        self.aged.next = self.any_aged.any.val();
        self.held.next = self.any_held.any.val() && !self.held_register.val().all();

        // The scan: a look marks the candidates of one age, and the cycle after picks the lowest of them. Ages of a group
        // differ in the lower half of their bits.
        for i in 0..ENTRIES {
            self.pick.request[i].next = self.candidate[i].q.val();
        }
        self.offering.next = self.offering_replay.q.val() || self.offering_save.q.val();
        self.looking.next = self.more_ages.q.val() && !self.picking.q.val() && !self.offering.val();
        for i in 0..ENTRIES {
            self.in_scan[i].next = self.waiting[i].q.val()
                && (((self.scan.q.val() == Scan::Replaying)
                    && (self.warp[i].q.val() == self.scan_warp.q.val()))
                    || ((self.scan.q.val() == Scan::Saving)
                        && (self.slot[i].q.val() == self.scan_slot.q.val())));
            self.in_group.of[i].next = self.in_scan[i].val()
                && ((self.age[i].q.val() & self.group_bits.val())
                    == (self.wanted_age.q.val() & self.group_bits.val()));
            self.candidate[i].d.next = self.looking.val()
                && self.in_scan[i].val()
                && (self.age[i].q.val() == self.wanted_age.q.val());
            self.found.of[i].next = self.candidate[i].d.val();
        }
        self.picking.d.next = self.found.any.val();
        self.replay_valid.next = self.offering_replay.q.val();
        self.saved_valid.next = self.offering_save.q.val();
        self.replayed.next = self.offering_replay.q.val() && self.replay_ready.val();

        // Issue.
        for i in 0..ENTRIES {
            self.free.request[i].next = !self.live[i].q.val();
        }
        self.full.next = self.count.q.val() == self.capacity.val();
        self.insert_index.next = self.free.index.val();
        self.memory_free.next = !self.picking.q.val();
        self.insert_ready.next =
            !self.full.val() && !self.picking.q.val() && !self.insert_blocked.any.val();
        self.inserting.next = self.insert_valid.val() && self.insert_ready.val();

        // Messages: commit goes before fault, fault before check.
        for i in 0..ENTRIES {
            self.committing[i].next = self.committed_valid.val()
                && (self.committed_index.val() == i.to_bits::<INDEX>())
                && self.in_flight[i].val();
            self.faulting[i].next = self.faulted_valid.val()
                && (self.faulted_index.val() == i.to_bits::<INDEX>())
                && self.in_flight[i].val()
                && !self.checked[i].q.val()
                && !self.committing[i].val();
            self.checking[i].next =
                self.checked_valid.val() && (self.checked_index.val() == i.to_bits::<INDEX>());
        }
        for i in 0..ENTRIES {
            self.leaving.of[i].next = self.committing[i].val();
        }

        // Next state of the entries.
        for i in 0..ENTRIES {
            if self.inserting.val() && self.insert_match[i].val() {
                self.age[i].d.next = self.age[i].q.val() + 1;
            }
            if self.checking[i].val() && self.in_flight[i].val() && !self.faulting[i].val() {
                self.checked[i].d.next = true;
            }
            if self.faulting[i].val() {
                self.waiting[i].d.next = true;
            }
            if self.committing[i].val() {
                self.live[i].d.next = false;
            }
            if self.replayed.val() && (self.offered.q.val() == i.to_bits::<INDEX>()) {
                self.waiting[i].d.next = false;
            }
            if self.pick.grant[i].val() && (self.scan.q.val() == Scan::Saving) {
                self.live[i].d.next = false;
                self.waiting[i].d.next = false;
            }
            // What a free entry holds does not matter, so it need not be known yet whether there is an insert.
            if self.free.grant[i].val() {
                self.checked[i].d.next = false;
                self.warp[i].d.next = self.insert_warp.val();
                self.slot[i].d.next = self.insert_slot.val();
                self.address_register[i].d.next = self.insert_address_register.val();
                self.data_register[i].d.next = self.insert_data_register.val();
                self.age[i].d.next = 0.into();
            }
            if self.inserting.val() && self.free.grant[i].val() {
                self.live[i].d.next = true;
                self.waiting[i].d.next = self.insert_restored.val();
            }
        }
        self.count_inserted.next = self.count.q.val() + self.inserting.val();
        self.count_committed.next = self.count_inserted.val();
        if self.leaving.any.val() {
            self.count_committed.next = self.count_inserted.val() - 1;
        }
        self.count.d.next = self.count_committed.val();
        if self.picking.q.val() && (self.scan.q.val() == Scan::Saving) {
            self.count.d.next = self.count_committed.val() - 1;
        }
        self.occupancy.next = self.count.q.val();

        // The payload: an insert writes it, a pick reads it, never both.
        self.payload.enable.next = self.inserting.val() || self.picking.q.val();
        self.payload.write.next = self.inserting.val();
        self.payload.address.next = self.free.index.val();
        if self.picking.q.val() {
            self.payload.address.next = self.pick.index.val();
        }
        self.payload.data[0].next.pc = self.insert_pc.val();
        self.payload.data[0].next.mask = self.insert_mask.val();
        self.payload.data[0].next.opcode = self.insert_opcode.val();
        self.payload.data[0].next.destination = self.insert_destination.val();
        self.payload.data[0].next.address_register = self.insert_address_register.val();
        self.payload.data[0].next.data_register = self.insert_data_register.val();
        self.payload.data[0].next.warp = self.insert_warp.val();
        self.payload.data[0].next.slot = self.insert_slot.val();
        self.payload.data[0].next.log_address = self.insert_log_address.val();
        self.payload.data[0].next.log_data = self.insert_log_data.val();
        self.entry_index.next = self.offered.q.val();
        self.entry_pc.next = self.payload.q[0].val().pc;
        self.entry_mask.next = self.payload.q[0].val().mask;
        self.entry_opcode.next = self.payload.q[0].val().opcode;
        self.entry_destination.next = self.payload.q[0].val().destination;
        self.entry_address_register.next = self.payload.q[0].val().address_register;
        self.entry_data_register.next = self.payload.q[0].val().data_register;
        self.entry_warp.next = self.payload.q[0].val().warp;
        self.entry_slot.next = self.payload.q[0].val().slot;
        self.entry_log_address.next = self.payload.q[0].val().log_address;
        self.entry_log_data.next = self.payload.q[0].val().log_data;

        // Next state of the scan engine.
        self.done.next = !self.offering.val() && !self.more_ages.q.val() && !self.picking.q.val();
        self.replay_done.next = self.done.val() && (self.scan.q.val() == Scan::Replaying);
        self.save_done.next = self.done.val() && (self.scan.q.val() == Scan::Saving);
        self.save_ready.next = (self.scan.q.val() == Scan::Idle) && !self.slot_busy.any.val();
        self.resume_ready.next = (self.scan.q.val() == Scan::Idle)
            && !self.warp_busy.any.val()
            && !(self.save_valid.val() && self.save_ready.val());
        self.offering_replay.d.next = (self.picking.q.val()
            && (self.scan.q.val() == Scan::Replaying))
            || (self.offering_replay.q.val() && !self.replay_ready.val());
        self.offering_save.d.next = (self.picking.q.val() && (self.scan.q.val() == Scan::Saving))
            || (self.offering_save.q.val() && !self.saved_ready.val());
        if self.picking.q.val() {
            self.offered.d.next = self.pick.index.val();
        }
        if self.looking.val() {
            self.wanted_age.d.next = self.wanted_age.q.val() - 1;
            self.more_ages.d.next = self.wanted_age.q.val().any();
            if !self.in_group.any.val() {
                self.wanted_age.d.next = (self.wanted_age.q.val() & self.group_bits.val()) - 1;
                self.more_ages.d.next = (self.wanted_age.q.val() & self.group_bits.val()).any();
            }
        }
        if self.picking.q.val() && (self.scan.q.val() == Scan::Saving) {
            // Another warp of the block may have an instruction of the same age.
            self.wanted_age.d.next = self.wanted_age.q.val() + 1;
            self.more_ages.d.next = true;
        }
        if self.scan.q.val() == Scan::Idle {
            if self.save_valid.val() && self.save_ready.val() {
                self.scan.d.next = Scan::Saving;
                self.scan_slot.d.next = self.save_slot.val();
                self.more_ages.d.next = true;
            } else if self.resume_valid.val() && self.resume_ready.val() {
                self.scan.d.next = Scan::Replaying;
                self.scan_warp.d.next = self.resume_warp.val();
                self.more_ages.d.next = true;
            }
            self.wanted_age.d.next = !bits::<AGE>(0);
        } else if self.done.val() {
            self.scan.d.next = Scan::Idle;
        }
    }
}
