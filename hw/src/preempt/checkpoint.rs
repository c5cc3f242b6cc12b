#![doc = include_str!("../../../docs/blocks/checkpoint.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::SLOT_BITS;
use crate::preempt::context_port::ContextPort;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::register::Register;

mod gather;
mod row_list;
mod row_words;

use gather::Gather;
use row_list::RowList;
use row_words::{RowsOfWord, WordOfRows};

/// What the engine does.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Stage {
    /// No operation is under way.
    Idle,
    /// The warps of the slot are stopped.
    Stopping,
    /// The instructions of the slot that are under way end.
    Draining,
    /// The context begins.
    Opening,
    /// Dirty rows are saved.
    Registers,
    /// Shared memory is saved.
    Shared,
    /// The SIMT state of the warps is saved.
    States,
    /// The squashed instructions are requested from the replay queue.
    Queue,
    /// An instruction is taken, or an operand leaves the log.
    Taking,
    /// The engine sees whether an operand has left the log.
    Looking,
    /// The operand is sent.
    Operand,
    /// The context ends.
    Closing,
    /// The context port decides its verdict.
    Waiting,
    /// The context is restored, until the verdict.
    Restoring,
    /// The instructions of a context that was refused are requested from the replay queue.
    Clearing,
    /// Those instructions are dropped.
    Dropping,
    /// The warps of the slot resume.
    Resuming,
    /// The verdict is valid.
    Verdict,
}

/// Checkpoint engine: saves the context of a thread block while others run, and restores it. Beats of `WORDS` words of
/// `WORD` bits. As in the context port: blocks of `BLOCK` bits, lengths of `LENGTH`, epochs of `EPOCH`, counts of
/// `COUNT`, and the check's polynomial `POLYNOMIAL`. Rows with numbers of `ROW` bits, in groups with numbers of `GROUP`
/// bits; a header lists `LISTED` rows in `ROW_WORDS` words. A row has `SECTORS` sectors with numbers of `SECTOR` bits,
/// of `LANES` lanes. Warps with numbers of `WARP` bits and 2^`STATE` beats of SIMT state; beats of shared memory with
/// numbers of `SHARED` bits. An operand has 2^`OPERAND` beats, counts of operands have `LOG_COUNT` bits. A replay queue
/// of `QUEUE_ENTRIES` entries, counted in `QUEUE_COUNT` bits. Places of `PLACE` bits.
#[block(top)]
#[check(LISTED == 2 * ROW_WORDS && ROW_WORDS < WORDS && WORDS >= 5 && ROW + SECTORS <= WORD / 2 && 2 + WARP <= WORD && STATE < LENGTH && OPERAND < LENGTH && QUEUE_ENTRIES < 1 << QUEUE_COUNT, "{WORDS} words of {WORD} bits do not name {LISTED} rows of {SECTORS} sectors")]
pub struct Checkpoint<
    const WORDS: usize,
    const WORD: usize,
    const BLOCK: usize,
    const LENGTH: usize,
    const EPOCH: usize,
    const COUNT: usize,
    const POLYNOMIAL: usize,
    const ROW: usize,
    const GROUP: usize,
    const LISTED: usize,
    const ROW_WORDS: usize,
    const SECTORS: usize,
    const SECTOR: usize,
    const LANES: usize,
    const WARP: usize,
    const STATE: usize,
    const SHARED: usize,
    const OPERAND: usize,
    const LOG_COUNT: usize,
    const QUEUE_ENTRIES: usize,
    const QUEUE_COUNT: usize,
    const PLACE: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: ends the save or restore in progress.
    pub reset: Signal<In, Bit>,
    /// Request for a context, which the other `request_*` ports describe.
    pub request_valid: Signal<In, Bit>,
    /// The context is restored; saved otherwise.
    pub request_restores: Signal<In, Bit>,
    /// The block runs when the context is saved or restored.
    pub request_runs: Signal<In, Bit>,
    /// Thread block of the context.
    pub request_cta: Signal<In, Bits<BLOCK>>,
    /// Number of the context among those of its block.
    pub request_epoch: Signal<In, Bits<EPOCH>>,
    /// Slot of the block.
    pub request_slot: Signal<In, Bits<SLOT_BITS>>,
    /// First warp of the block.
    pub request_first_warp: Signal<In, Bits<WARP>>,
    /// Last warp of the block.
    pub request_last_warp: Signal<In, Bits<WARP>>,
    /// First group of the block's registers.
    pub request_first_group: Signal<In, Bits<GROUP>>,
    /// Last group of the block's registers.
    pub request_last_group: Signal<In, Bits<GROUP>>,
    /// First beat of the block's shared memory.
    pub request_shared_first: Signal<In, Bits<SHARED>>,
    /// Beats of the block's shared memory.
    pub request_shared_beats: Signal<In, Bits<LENGTH>>,
    /// First row of the register file that no block has.
    pub request_room_row: Signal<In, Bits<ROW>>,
    /// Rows of the register file that no block has.
    pub request_room_rows: Signal<In, Bits<COUNT>>,
    /// First beat of shared memory that no block has.
    pub request_room_first: Signal<In, Bits<SHARED>>,
    /// Beats of shared memory that no block has.
    pub request_room_beats: Signal<In, Bits<COUNT>>,
    /// Beats of the context that is restored, as `ended_beats` gave them; ignored in a save.
    pub request_beats: Signal<In, Bits<COUNT>>,
    /// Operands of the context that is restored, as `ended_operands` gave them; ignored in a save.
    pub request_operands: Signal<In, Bits<LOG_COUNT>>,
    /// The instructions of the context that is restored come without operands, because the pipeline has no operand
    /// log; ignored in a save.
    pub request_unlogged: Signal<In, Bit>,
    /// The pipeline accepts the stop.
    pub stop_ready: Signal<In, Bit>,
    /// The pipeline accepts the resume.
    pub resume_ready: Signal<In, Bit>,
    /// The slot has drained, and its squashed instructions may leave.
    pub save_ready: Signal<In, Bit>,
    /// All squashed instructions have left; ignored until the cycle after the save was taken.
    pub save_done: Signal<In, Bit>,
    /// A squashed instruction leaves; the other `saved_*` ports hold it.
    pub saved_valid: Signal<In, Bit>,
    /// Warp of the instruction that leaves.
    pub saved_warp: Signal<In, Bits<WARP>>,
    /// The instruction that leaves is a store.
    pub saved_store: Signal<In, Bit>,
    /// Rest of the instruction that leaves: registers and opcode, program counter, lanes.
    pub saved_words: [Signal<In, Bits<WORD>>; 3],
    /// An operand of the next instruction has left the log and is held, in the cycle after `saved_ready` without
    /// `saved_valid`.
    pub spilled_valid: Signal<In, Bit>,
    /// The restored instruction is taken.
    pub restore_ready: Signal<In, Bit>,
    /// The walk for dirty rows begins.
    pub walk_ready: Signal<In, Bit>,
    /// The walk has found a dirty row.
    pub dirty_valid: Signal<In, Bit>,
    /// Dirty row.
    pub dirty_row: Signal<In, Bits<ROW>>,
    /// Dirty lanes of the row, one bit each.
    pub dirty_lanes: Signal<In, Bits<LANES>>,
    /// The walk has ended, and there are no more dirty rows.
    pub total_valid: Signal<In, Bit>,
    /// The read of a beat is accepted.
    pub get_ready: Signal<In, Bit>,
    /// The beat that was read has come.
    pub got_valid: Signal<In, Bit>,
    /// Beat that was read.
    pub got_beat: [Signal<In, Bits<WORD>>; WORDS],
    /// The write of a beat is accepted.
    pub put_ready: Signal<In, Bit>,
    /// Memory takes the beat on offer.
    pub out_ready: Signal<In, Bit>,
    /// A beat comes from memory.
    pub in_valid: Signal<In, Bit>,
    /// The beat from memory is the last one of its read.
    pub in_last: Signal<In, Bit>,
    /// Beat from memory.
    pub in_beat: [Signal<In, Bits<WORD>>; WORDS],
    /// The verdict is taken.
    pub ended_ready: Signal<In, Bit>,

    /// A context may be requested.
    pub request_ready: Signal<Out, Bit>,
    /// The warp in `stop_warp` is to stop.
    pub stop_valid: Signal<Out, Bit>,
    /// Warp that is to stop.
    pub stop_warp: Signal<Out, Bits<WARP>>,
    /// The warp in `resume_warp` may go on.
    pub resume_valid: Signal<Out, Bit>,
    /// Warp that may go on.
    pub resume_warp: Signal<Out, Bits<WARP>>,
    /// The squashed instructions of the slot in `save_slot` are to leave the pipeline.
    pub save_valid: Signal<Out, Bit>,
    /// Slot whose squashed instructions are to leave.
    pub save_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// The instruction that leaves is taken, or an operand of the next one may leave the log.
    pub saved_ready: Signal<Out, Bit>,
    /// A restored instruction is on offer; the other `restore_*` ports hold it.
    pub restore_valid: Signal<Out, Bit>,
    /// Warp of the restored instruction.
    pub restore_warp: Signal<Out, Bits<WARP>>,
    /// Slot of the restored instruction.
    pub restore_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// The restored instruction is a store.
    pub restore_store: Signal<Out, Bit>,
    /// Rest of the restored instruction; without one, the last words of the beat that the port holds.
    pub restore_words: [Signal<Out, Bits<WORD>>; 3],
    /// A walk for dirty rows that are to be saved is requested.
    pub walk_valid: Signal<Out, Bit>,
    /// First group of the walk.
    pub walk_first: Signal<Out, Bits<GROUP>>,
    /// Last group of the walk.
    pub walk_last: Signal<Out, Bits<GROUP>>,
    /// The dirty row is taken.
    pub dirty_ready: Signal<Out, Bit>,
    /// The end of the walk is taken.
    pub total_ready: Signal<Out, Bit>,
    /// A beat is to be read.
    pub get_valid: Signal<Out, Bit>,
    /// Space of the beat that is read, as in the table below.
    pub get_space: Signal<Out, Bits<2>>,
    /// Place of the beat that is read.
    pub get_place: Signal<Out, Bits<PLACE>>,
    /// The beat that was read is taken.
    pub got_ready: Signal<Out, Bit>,
    /// A beat is to be written.
    pub put_valid: Signal<Out, Bit>,
    /// Space of the beat that is written, as in the table below.
    pub put_space: Signal<Out, Bits<2>>,
    /// Place of the beat that is written.
    pub put_place: Signal<Out, Bits<PLACE>>,
    /// Beat that is written.
    pub put_beat: [Signal<Out, Bits<WORD>>; WORDS],
    /// A beat for memory is on offer.
    pub out_valid: Signal<Out, Bit>,
    /// The beat for memory is the last one of its context.
    pub out_last: Signal<Out, Bit>,
    /// Beat for memory.
    pub out_beat: [Signal<Out, Bits<WORD>>; WORDS],
    /// The beat from memory is taken.
    pub in_ready: Signal<Out, Bit>,
    /// The context has ended; the other `ended_*` ports describe it.
    pub ended_valid: Signal<Out, Bit>,
    /// Verdict of the context port, or 8: the context does not fit.
    pub ended_verdict: Signal<Out, Bits<4>>,
    /// All beats that left or came, begin and end among them.
    pub ended_beats: Signal<Out, Bits<COUNT>>,
    /// Operands of the instructions that left or were offered: 1 for a load and 2 for a store, also without an
    /// operand log.
    pub ended_operands: Signal<Out, Bits<LOG_COUNT>>,

    step: Register<Stage>,
    port: ContextPort<WORDS, WORD, BLOCK, LENGTH, EPOCH, COUNT, POLYNOMIAL>,

    // What is requested.
    restores: Register<Bit>,
    runs: Register<Bit>,
    block: Register<Bits<BLOCK>>,
    epoch: Register<Bits<EPOCH>>,
    slot: Register<Bits<SLOT_BITS>>,
    first_warp: Register<Bits<WARP>>,
    last_warp: Register<Bits<WARP>>,
    first_group: Register<Bits<GROUP>>,
    last_group: Register<Bits<GROUP>>,
    shared_first: Register<Bits<SHARED>>,
    shared_beats: Register<Bits<LENGTH>>,
    room_row: Register<Bits<ROW>>,
    room_rows: Register<Bits<COUNT>>,
    room_first: Register<Bits<SHARED>>,
    room_beats: Register<Bits<COUNT>>,
    requested_beats: Register<Bits<COUNT>>,
    requested_operands: Register<Bits<LOG_COUNT>>,
    unlogged: Register<Bit>,
    // Beats of the context that fit into free rows and free shared memory.
    room: Register<Bits<COUNT>>,

    // The warp that receives a command.
    warp: Register<Bits<WARP>>,
    gather: Gather<LISTED, ROW, SECTORS, LENGTH>,
    found_all: Register<Bit>,
    // The beats behind a header: rows, or so many from a place on.
    list: RowList<LISTED, ROW, SECTORS, SECTOR>,
    by_rows: Register<Bit>,
    run_space: Register<Bits<2>>,
    run_place: Register<Bits<PLACE>>,
    run_left: Register<Bits<LENGTH>>,
    // The header that goes before them, if it has not yet gone; beats that have then still to go.
    pending: Register<Bit>,
    // The first of those beats was requested before the header has gone, and the job still names it.
    ahead: Register<Bit>,
    kind: Register<Bits<3>>,
    length: Register<Bits<LENGTH>>,
    left: Register<Bits<LENGTH>>,
    // The address of the next instruction was saved, or has come.
    has_address: Register<Bit>,
    // The operand that is sent, or has come last, is data.
    is_data: Register<Bit>,
    operands: Register<Bits<LOG_COUNT>>,
    // Instructions that came back.
    instructions: Register<Bits<QUEUE_COUNT>>,
    queue_done: Register<Bit>,
    // Beats of the context that have left or come, and those that were requested where they are kept.
    beats: Register<Bits<COUNT>>,
    fetched: Register<Bits<COUNT>>,
    strayed: Register<Bit>,
    // Shared memory has come, and SIMT state.
    has_shared: Register<Bit>,
    has_states: Register<Bit>,
    verdict: Register<Bits<4>>,

    // Where the job's next beat is.
    job_empty: Signal<Local, Bit>,
    row: Signal<Local, Bits<ROW>>,
    row_group: Signal<Local, Bits<GROUP>>,
    groups: Signal<Local, Bits<GROUP>>,
    fits: Signal<Local, Bit>,
    job_space: Signal<Local, Bits<2>>,
    job_place: Signal<Local, Bits<PLACE>>,
    // Where the context's next beat is kept.
    in_place: Signal<Local, Bit>,
    is_kept: Signal<Local, Bit>,
    fetches_kept: Signal<Local, Bit>,
    kept_number: Signal<Local, Bits<COUNT>>,
    row_beats: Signal<Local, Bits<COUNT>>,
    kept_space: Signal<Local, Bits<2>>,
    kept_place: Signal<Local, Bits<PLACE>>,

    // What comes.
    restoring: Signal<Local, Bit>,
    found_kind: Signal<Local, Bits<3>>,
    found_operand: Signal<Local, Bit>,
    found_store: Signal<Local, Bit>,
    found_warp: Signal<Local, Bits<WARP>>,
    operands_left: Signal<Local, Bits<LOG_COUNT>>,
    operand_fits: Signal<Local, Bit>,
    has_operands: Signal<Local, Bit>,
    instruction_fits: Signal<Local, Bit>,
    returns: Signal<Local, Bit>,
    found_header: Signal<Local, Bit>,
    found_data: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    warps: Signal<Local, Bits<WARP>>,
    state_beats: Signal<Local, Bits<LENGTH>>,

    // What goes.
    has_left: Signal<Local, Bit>,
    naming: [WordOfRows<WORD, ROW, SECTORS>; ROW_WORDS],
    named: [RowsOfWord<WORD, ROW, SECTORS>; ROW_WORDS],
    listed: [Signal<Local, Bits<WORD>>; WORDS],
    made: [Signal<Local, Bits<WORD>>; WORDS],
    made_kind: Signal<Local, Bits<3>>,
    made_length: Signal<Local, Bits<LENGTH>>,
    gets_to_save: Signal<Local, Bit>,
    gets: Signal<Local, Bit>,
    got: Signal<Local, Bit>,
    requests_to_save: Signal<Local, Bit>,
    header_goes: Signal<Local, Bit>,
    gives: Signal<Local, Bit>,
    fetches: Signal<Local, Bit>,
    through: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    lacks: Signal<Local, Bit>,
    concluded: Signal<Local, Bits<4>>,
    sectors: OneHotMux<SECTORS, Bits<SECTORS>>,

    #[init(std::array::from_fn(|sector| Constant::new((((1 << (LANES / SECTORS)) - 1) << (sector * LANES / SECTORS)).into())))]
    of_sector: [Constant<Bits<LANES>>; SECTORS],
    #[init(std::array::from_fn(|sector| Constant::new((1 << sector).into())))]
    sector_bit: [Constant<Bits<SECTORS>>; SECTORS],
    #[init(Constant::new((BLOCK as LiteralType).into()))]
    kind_at: Constant<Bits<WORD>>,
    #[init(Constant::new(((BLOCK + 3) as LiteralType).into()))]
    length_at: Constant<Bits<WORD>>,
    #[init(Constant::new(1.into()))]
    store_at: Constant<Bits<WORD>>,
    #[init(Constant::new(2.into()))]
    warp_at: Constant<Bits<WORD>>,
    #[init(Constant::new(((ROW - GROUP) as LiteralType).into()))]
    group_at: Constant<Bits<ROW>>,
    #[init(Constant::new((SECTOR as LiteralType).into()))]
    row_at: Constant<Bits<PLACE>>,
    #[init(Constant::new((SECTOR as LiteralType).into()))]
    row_beats_at: Constant<Bits<COUNT>>,
    #[init(Constant::new((STATE as LiteralType).into()))]
    state_at: Constant<Bits<PLACE>>,
    #[init(Constant::new((STATE as LiteralType).into()))]
    state_beats_at: Constant<Bits<LENGTH>>,
    #[init(Constant::new((1 << OPERAND).into()))]
    data_place: Constant<Bits<PLACE>>,
    #[init(Constant::new((1 << OPERAND).into()))]
    operand_beats: Constant<Bits<LENGTH>>,
    #[init(Constant::new(0.into()))]
    no_word: Constant<Bits<WORD>>,
    #[init(Constant::new(1.into()))]
    operand_word: Constant<Bits<WORD>>,
    #[init(Constant::new(2.into()))]
    store_word: Constant<Bits<WORD>>,
    #[init(Constant::new(3.into()))]
    data_word: Constant<Bits<WORD>>,
    #[init(Constant::new(0.into()))]
    no_place: Constant<Bits<PLACE>>,
    #[init(Constant::new(0.into()))]
    no_warp: Constant<Bits<WARP>>,
    #[init(Constant::new(0.into()))]
    no_beats: Constant<Bits<LENGTH>>,
    #[init(Constant::new(0.into()))]
    no_count: Constant<Bits<COUNT>>,
    #[init(Constant::new(0.into()))]
    no_operands: Constant<Bits<LOG_COUNT>>,
    #[init(Constant::new(0.into()))]
    no_instructions: Constant<Bits<QUEUE_COUNT>>,
    #[init(Constant::new((QUEUE_ENTRIES as LiteralType).into()))]
    entries: Constant<Bits<QUEUE_COUNT>>,
    #[init(Constant::new(1.into()))]
    one_operand: Constant<Bits<LOG_COUNT>>,
    #[init(Constant::new(2.into()))]
    kind_registers: Constant<Bits<3>>,
    #[init(Constant::new(3.into()))]
    kind_shared: Constant<Bits<3>>,
    #[init(Constant::new(4.into()))]
    kind_states: Constant<Bits<3>>,
    #[init(Constant::new(5.into()))]
    kind_instruction: Constant<Bits<3>>,
    #[init(Constant::new(6.into()))]
    kind_end: Constant<Bits<3>>,
    #[init(Constant::new(0.into()))]
    registers: Constant<Bits<2>>,
    #[init(Constant::new(1.into()))]
    shared: Constant<Bits<2>>,
    #[init(Constant::new(2.into()))]
    states: Constant<Bits<2>>,
    #[init(Constant::new(3.into()))]
    operand: Constant<Bits<2>>,
    #[init(Constant::new(0.into()))]
    accepted: Constant<Bits<4>>,
    #[init(Constant::new(8.into()))]
    does_not_fit: Constant<Bits<4>>,
}

impl<
    const WORDS: usize,
    const WORD: usize,
    const BLOCK: usize,
    const LENGTH: usize,
    const EPOCH: usize,
    const COUNT: usize,
    const POLYNOMIAL: usize,
    const ROW: usize,
    const GROUP: usize,
    const LISTED: usize,
    const ROW_WORDS: usize,
    const SECTORS: usize,
    const SECTOR: usize,
    const LANES: usize,
    const WARP: usize,
    const STATE: usize,
    const SHARED: usize,
    const OPERAND: usize,
    const LOG_COUNT: usize,
    const QUEUE_ENTRIES: usize,
    const QUEUE_COUNT: usize,
    const PLACE: usize,
> Logic
    for Checkpoint<
        WORDS,
        WORD,
        BLOCK,
        LENGTH,
        EPOCH,
        COUNT,
        POLYNOMIAL,
        ROW,
        GROUP,
        LISTED,
        ROW_WORDS,
        SECTORS,
        SECTOR,
        LANES,
        WARP,
        STATE,
        SHARED,
        OPERAND,
        LOG_COUNT,
        QUEUE_ENTRIES,
        QUEUE_COUNT,
        PLACE,
    >
{
    #[logic]
    fn update(&mut self) {
        // Where the job's next beat is: in a row, counted from the block's first one, or behind the one before.
        self.job_empty.next = !self.run_left.q.val().any();
        if self.by_rows.q.val() {
            self.job_empty.next = self.list.empty.val();
        }
        self.groups.next = self.last_group.q.val() - self.first_group.q.val();
        self.row_group.next = bit_cast::<GROUP, ROW>(self.list.row[0].val() >> self.group_at.val());
        self.row.next = self.list.row[0].val()
            + (bit_cast::<ROW, GROUP>(self.first_group.q.val()) << self.group_at.val());
        self.fits.next = !self.job_empty.val()
            && (!self.by_rows.q.val() || (self.row_group.val() <= self.groups.val()));
        self.job_space.next = self.run_space.q.val();
        self.job_place.next = self.run_place.q.val();
        if self.by_rows.q.val() {
            self.job_space.next = self.registers.val();
            self.job_place.next = (bit_cast::<PLACE, ROW>(self.row.val()) << self.row_at.val())
                | bit_cast::<PLACE, SECTOR>(self.list.sector.val());
        }

        // Where the context's next beat is kept, if it is on the SM.
        self.row_beats.next = self.room_rows.q.val() << self.row_beats_at.val();
        self.room.d.next = self.row_beats.val() + self.room_beats.q.val();
        self.in_place.next = self.beats.q.val() < self.room.q.val();
        self.is_kept.next =
            self.in_place.val() && (self.beats.q.val() < self.requested_beats.q.val());
        self.fetches_kept.next = (self.fetched.q.val() < self.room.q.val())
            && (self.fetched.q.val() < self.requested_beats.q.val());
        self.kept_number.next = self.beats.q.val();
        if self.restores.q.val() {
            self.kept_number.next = self.fetched.q.val();
        }
        self.kept_space.next = self.shared.val();
        self.kept_place.next = bit_cast::<PLACE, SHARED>(self.room_first.q.val())
            + bit_cast::<PLACE, COUNT>(self.kept_number.val() - self.row_beats.val());
        if self.kept_number.val() < self.row_beats.val() {
            self.kept_space.next = self.registers.val();
            self.kept_place.next = (bit_cast::<PLACE, ROW>(self.room_row.q.val())
                << self.row_at.val())
                + bit_cast::<PLACE, COUNT>(self.kept_number.val());
        }

        // What comes: a header, of which an instruction goes back to the pipeline, or a beat that belongs to one.
        self.restoring.next = self.step.q.val() == Stage::Restoring;
        self.found_kind.next =
            bit_cast::<3, WORD>(self.port.found_beat[0].val() >> self.kind_at.val());
        self.found_operand.next = self.port.found_beat[1].val().get_bit(0);
        self.found_store.next =
            bit_cast::<1, WORD>(self.port.found_beat[1].val() >> self.store_at.val()).any();
        self.found_warp.next =
            bit_cast::<WARP, WORD>(self.port.found_beat[1].val() >> self.warp_at.val());
        self.warps.next = self.last_warp.q.val() - self.first_warp.q.val();
        self.state_beats.next =
            (bit_cast::<LENGTH, WARP>(self.warps.val()) + 1) << self.state_beats_at.val();
        self.operands_left.next = self.requested_operands.q.val() - self.operands.q.val();
        // The first operand is an address, the second data. An instruction fits behind exactly its own.
        self.operand_fits.next = !self.unlogged.q.val()
            && (self.found_store.val() == self.has_address.q.val())
            && (!self.found_store.val() || !self.is_data.q.val());
        self.has_operands.next = self.unlogged.q.val()
            || (self.has_address.q.val() && (self.found_store.val() == self.is_data.q.val()));
        self.instruction_fits.next = (self.found_warp.val() <= self.warps.val())
            && self.has_operands.val()
            && self.job_empty.val()
            && !self.strayed.q.val()
            && (self.instructions.q.val() < self.entries.val())
            && ((self.operands_left.val() > self.one_operand.val())
                || (!self.found_store.val() && self.operands_left.val().any()));
        self.found_header.next = self.port.found_valid.val() && self.port.found_header.val();
        self.found_data.next = self.port.found_valid.val() && !self.port.found_header.val();
        self.returns.next = self.found_header.val()
            && (self.found_kind.val() == self.kind_instruction.val())
            && !self.found_operand.val()
            && self.instruction_fits.val();
        self.port.found_ready.next = self.restoring.val();
        if self.returns.val() {
            self.port.found_ready.next = self.restore_ready.val();
        }
        if self.found_data.val() && self.fits.val() {
            self.port.found_ready.next = self.put_ready.val();
        }
        self.found.next = self.port.found_valid.val() && self.port.found_ready.val();

        // What goes: beats of a packet, or a header.
        self.has_left.next = self.left.q.val().any();
        for i in 0..WORDS {
            self.listed[i].next = self.no_word.val();
        }
        for i in 0..ROW_WORDS {
            self.naming[i].row[0].next = self.list.row[2 * i].val();
            self.naming[i].row[1].next = self.list.row[2 * i + 1].val();
            self.naming[i].sectors[0].next = self.list.sectors[2 * i].val();
            self.naming[i].sectors[1].next = self.list.sectors[2 * i + 1].val();
            self.listed[i + 1].next = self.naming[i].word.val();
        }
        self.made_kind.next = self.kind.q.val();
        self.made_length.next = self.length.q.val();
        for i in 0..WORDS {
            self.made[i].next = self.no_word.val();
            if self.by_rows.q.val() {
                self.made[i].next = self.listed[i].val();
            }
        }
        if self.kind.q.val() == self.kind_instruction.val() {
            self.made[1].next = self.operand_word.val();
            if self.is_data.q.val() {
                self.made[1].next = self.data_word.val();
            }
        }
        if self.step.q.val() == Stage::Closing {
            self.made_kind.next = self.kind_end.val();
            self.made_length.next = self.no_beats.val();
            for i in 0..WORDS {
                self.made[i].next = self.no_word.val();
            }
        }
        if self.step.q.val() == Stage::Taking {
            self.made_kind.next = self.kind_instruction.val();
            self.made_length.next = self.no_beats.val();
            for i in 0..WORDS {
                self.made[i].next = self.no_word.val();
            }
            self.made[1].next =
                bit_cast::<WORD, WARP>(self.saved_warp.val() - self.first_warp.q.val())
                    << self.warp_at.val();
            if self.saved_store.val() {
                self.made[1].next =
                    (bit_cast::<WORD, WARP>(self.saved_warp.val() - self.first_warp.q.val())
                        << self.warp_at.val())
                        | self.store_word.val();
            }
            for i in 0..3 {
                self.made[i + 2].next = self.saved_words[i].val();
            }
        }
        self.made[0].next = (bit_cast::<WORD, 3>(self.made_kind.val()) << self.kind_at.val())
            | (bit_cast::<WORD, LENGTH>(self.made_length.val()) << self.length_at.val());
        for i in 0..WORDS {
            self.port.packet_beat[i].next = self.made[i].val();
            if self.has_left.val() {
                self.port.packet_beat[i].next = self.got_beat[i].val();
            }
        }
        self.port.packet_valid.next = self.pending.q.val() || (self.step.q.val() == Stage::Closing);
        if self.step.q.val() == Stage::Taking {
            self.port.packet_valid.next = self.saved_valid.val();
        }
        if self.step.q.val() == Stage::Looking {
            self.port.packet_valid.next = self.spilled_valid.val();
        }
        if self.has_left.val() {
            self.port.packet_valid.next = self.got_valid.val();
        }
        self.gives.next = self.port.packet_valid.val() && self.port.packet_ready.val();

        // The port.
        self.port.begin_valid.next = (self.step.q.val() == Stage::Opening)
            && (self.restores.q.val() || self.walk_ready.val());
        self.port.begin_restores.next = self.restores.q.val();
        self.port.begin_cta.next = self.block.q.val();
        self.port.begin_epoch.next = self.epoch.q.val();
        self.port.out_ready.next = self.out_ready.val();
        if self.in_place.val() {
            self.port.out_ready.next = self.put_ready.val();
        }
        self.port.in_valid.next = self.restoring.val() && self.in_valid.val();
        self.port.in_last.next = self.in_last.val();
        for i in 0..WORDS {
            self.port.in_beat[i].next = self.in_beat[i].val();
        }
        if self.is_kept.val() {
            self.port.in_valid.next = self.restoring.val() && self.got_valid.val();
            self.port.in_last.next = self.beats.q.val() + 1 == self.requested_beats.q.val();
            for i in 0..WORDS {
                self.port.in_beat[i].next = self.got_beat[i].val();
            }
        }
        self.port.ended_ready.next =
            (self.step.q.val() == Stage::Waiting) || (self.step.q.val() == Stage::Restoring);
        self.moves.next = (self.port.out_valid.val() && self.port.out_ready.val())
            || (self.port.in_valid.val() && self.port.in_ready.val());

        // Beats are requested; the first of a packet does not wait for its header.
        self.gets_to_save.next = !self.restores.q.val()
            && self.fits.val()
            && ((self.step.q.val() != Stage::Looking) || self.spilled_valid.val())
            && !self.ahead.q.val();
        self.gets.next = self.gets_to_save.val();
        self.get_space.next = self.registers.val();
        self.get_place.next = self.no_place.val();
        if self.gets_to_save.val() {
            self.get_space.next = self.job_space.val();
            self.get_place.next = self.job_place.val();
        }
        if self.restoring.val() {
            self.gets.next = self.fetches_kept.val();
            self.get_space.next = self.registers.val();
            self.get_place.next = self.no_place.val();
            if self.fetches_kept.val() {
                self.get_space.next = self.kept_space.val();
                self.get_place.next = self.kept_place.val();
            }
        }
        self.get_valid.next = self.gets.val();
        self.got.next = self.gets.val() && self.get_ready.val();
        self.got_ready.next =
            !self.restores.q.val() && self.has_left.val() && self.port.packet_ready.val();
        self.in_ready.next =
            self.restoring.val() && self.port.in_ready.val() && !self.is_kept.val();
        if self.restoring.val() {
            self.got_ready.next = self.port.in_ready.val() && self.is_kept.val();
        }

        // Beats are put: those that leave, into free rows and free shared memory; those that come, where they belong.
        self.put_valid.next = false;
        self.put_space.next = self.registers.val();
        self.put_place.next = self.no_place.val();
        if self.port.out_valid.val() && self.in_place.val() {
            self.put_valid.next = true;
            self.put_space.next = self.kept_space.val();
            self.put_place.next = self.kept_place.val();
        }
        if self.found_data.val() && self.fits.val() {
            self.put_valid.next = true;
            self.put_space.next = self.job_space.val();
            self.put_place.next = self.job_place.val();
        }
        self.out_valid.next = self.port.out_valid.val() && !self.in_place.val();
        self.out_last.next = self.port.out_last.val() && !self.in_place.val();
        for i in 0..WORDS {
            self.out_beat[i].next = self.port.out_beat[i].val();
            self.put_beat[i].next = self.port.out_beat[i].val();
        }

        // Dirty rows.
        for i in 0..SECTORS {
            self.sectors.choose[i].next = (self.dirty_lanes.val() & self.of_sector[i].val()).any();
            self.sectors.of[i].next = self.sector_bit[i].val();
        }
        self.dirty_ready.next = (self.step.q.val() == Stage::Registers)
            && !self.found_all.q.val()
            && !self.gather.full.val();
        self.total_ready.next = (self.step.q.val() == Stage::Registers) && !self.found_all.q.val();
        self.gather.push.next = (self.step.q.val() == Stage::Registers)
            && !self.found_all.q.val()
            && !self.gather.full.val()
            && self.dirty_valid.val();
        self.gather.push_row.next = self.dirty_row.val()
            - (bit_cast::<ROW, GROUP>(self.first_group.q.val()) << self.group_at.val());
        self.gather.push_sectors.next = self.sectors.chosen.val();
        self.gather.clear.next = false;
        self.list.load.next = false;
        for i in 0..LISTED {
            self.list.load_row[i].next = self.gather.row[i].val();
            self.list.load_sectors[i].next = self.gather.sectors[i].val();
        }
        for i in 0..ROW_WORDS {
            self.named[i].word.next = self.port.found_beat[i + 1].val();
        }
        if self.restoring.val() {
            for i in 0..ROW_WORDS {
                self.list.load_row[2 * i].next = self.named[i].row[0].val();
                self.list.load_row[2 * i + 1].next = self.named[i].row[1].val();
                self.list.load_sectors[2 * i].next = self.named[i].sectors[0].val();
                self.list.load_sectors[2 * i + 1].next = self.named[i].sectors[1].val();
            }
        }

        // What is under way.
        self.fetches.next = !self.pending.q.val() && self.job_empty.val();
        self.through.next = !self.pending.q.val()
            && self.job_empty.val()
            && (!self.has_left.val() || ((self.left.q.val() == 1) && self.gives.val()));
        self.list.advance.next = false;
        if self.moves.val() && !self.beats.q.val().all() {
            self.beats.d.next = self.beats.q.val() + 1;
        }
        if self.restoring.val() && self.got.val() {
            self.fetched.d.next = self.fetched.q.val() + 1;
        }
        // A header names all rows of its job, so the job goes on only with it.
        self.requests_to_save.next =
            (!self.restoring.val() && self.got.val()) || self.ahead.q.val();
        self.header_goes.next = self.gives.val() && !self.has_left.val();
        self.ahead.d.next =
            self.requests_to_save.val() && self.pending.q.val() && !self.header_goes.val();
        if (self.requests_to_save.val() && (!self.pending.q.val() || self.header_goes.val()))
            || (self.found_data.val() && self.found.val())
        {
            self.list.advance.next = self.by_rows.q.val();
            self.run_place.d.next = self.run_place.q.val() + 1;
            if self.run_left.q.val().any() {
                self.run_left.d.next = self.run_left.q.val() - 1;
            }
        }
        if self.gives.val() {
            if self.has_left.val() {
                self.left.d.next = self.left.q.val() - 1;
            } else if self.pending.q.val() {
                self.left.d.next = self.length.q.val();
                self.pending.d.next = false;
            }
        }
        if self.found_data.val() && self.found.val() && !self.fits.val() {
            self.strayed.d.next = true;
        }
        if self.found_header.val() && self.found.val() {
            if !self.job_empty.val() {
                self.strayed.d.next = true;
            }
            self.by_rows.d.next = false;
            self.run_left.d.next = self.no_beats.val();
            self.has_address.d.next = false;
            if self.has_address.q.val() && (self.found_kind.val() != self.kind_instruction.val()) {
                self.strayed.d.next = true;
            }
            if self.found_kind.val() == self.kind_registers.val() {
                self.by_rows.d.next = true;
                self.list.load.next = true;
            } else if self.found_kind.val() == self.kind_shared.val() {
                self.has_shared.d.next = true;
                self.run_space.d.next = self.shared.val();
                self.run_place.d.next = bit_cast::<PLACE, SHARED>(self.shared_first.q.val());
                self.run_left.d.next = self.shared_beats.q.val();
            } else if self.found_kind.val() == self.kind_states.val() {
                self.has_states.d.next = true;
                self.run_space.d.next = self.states.val();
                self.run_place.d.next =
                    bit_cast::<PLACE, WARP>(self.first_warp.q.val()) << self.state_at.val();
                self.run_left.d.next = self.state_beats.val();
            } else if self.found_operand.val() {
                if self.operand_fits.val() {
                    self.has_address.d.next = true;
                    self.is_data.d.next = self.found_store.val();
                    self.run_space.d.next = self.operand.val();
                    self.run_place.d.next = self.no_place.val();
                    if self.found_store.val() {
                        self.run_place.d.next = self.data_place.val();
                    }
                    self.run_left.d.next = self.operand_beats.val();
                } else {
                    self.strayed.d.next = true;
                }
            } else if self.instruction_fits.val() {
                self.instructions.d.next = self.instructions.q.val() + 1;
                self.operands.d.next = self.operands.q.val() + 1;
                if self.found_store.val() {
                    self.operands.d.next = self.operands.q.val() + 2;
                }
            } else {
                self.strayed.d.next = true;
            }
        }
        if self.save_done.val() {
            self.queue_done.d.next = true;
        }
        self.concluded.next = bit_cast::<4, 3>(self.port.ended_verdict.val());
        self.lacks.next = self.restores.q.val()
            && ((self.shared_beats.q.val().any() && !self.has_shared.q.val())
                || (self.runs.q.val() && !self.has_states.q.val())
                || (self.beats.q.val() != self.requested_beats.q.val())
                || self.has_address.q.val()
                || self.operands_left.val().any());
        if (self.strayed.q.val() || !self.job_empty.val() || self.lacks.val())
            && !self.port.ended_verdict.val().any()
        {
            self.concluded.next = self.does_not_fit.val();
        }

        match self.step.q.val() {
            Stage::Idle => {
                if self.request_valid.val() {
                    self.restores.d.next = self.request_restores.val();
                    self.runs.d.next = self.request_runs.val();
                    self.block.d.next = self.request_cta.val();
                    self.epoch.d.next = self.request_epoch.val();
                    self.slot.d.next = self.request_slot.val();
                    self.first_warp.d.next = self.request_first_warp.val();
                    self.last_warp.d.next = self.request_last_warp.val();
                    self.first_group.d.next = self.request_first_group.val();
                    self.last_group.d.next = self.request_last_group.val();
                    self.shared_first.d.next = self.request_shared_first.val();
                    self.shared_beats.d.next = self.request_shared_beats.val();
                    self.room_row.d.next = self.request_room_row.val();
                    self.room_rows.d.next = self.request_room_rows.val();
                    self.room_first.d.next = self.request_room_first.val();
                    self.room_beats.d.next = self.request_room_beats.val();
                    self.requested_beats.d.next = self.request_beats.val();
                    self.requested_operands.d.next = self.request_operands.val();
                    self.unlogged.d.next = self.request_unlogged.val();
                    self.warp.d.next = self.request_first_warp.val();
                    self.beats.d.next = self.no_count.val();
                    self.fetched.d.next = self.no_count.val();
                    self.verdict.d.next = self.accepted.val();
                    self.operands.d.next = self.no_operands.val();
                    self.instructions.d.next = self.no_instructions.val();
                    self.found_all.d.next = false;
                    self.has_address.d.next = false;
                    self.strayed.d.next = false;
                    self.has_shared.d.next = false;
                    self.has_states.d.next = false;
                    self.step.d.next = Stage::Stopping;
                    if self.request_restores.val() {
                        self.step.d.next = Stage::Opening;
                    }
                }
            }
            Stage::Stopping => {
                if self.stop_ready.val() {
                    self.warp.d.next = self.warp.q.val() + 1;
                    if self.warp.q.val() == self.last_warp.q.val() {
                        self.step.d.next = Stage::Draining;
                    }
                }
            }
            Stage::Draining => {
                if self.save_ready.val() {
                    self.step.d.next = Stage::Opening;
                }
            }
            Stage::Opening => {
                if self.restores.q.val() {
                    self.step.d.next = Stage::Restoring;
                } else if self.walk_ready.val() {
                    self.step.d.next = Stage::Registers;
                }
            }
            Stage::Registers => {
                if self.fetches.val() {
                    if self.gather.some.val() {
                        self.list.load.next = true;
                        self.gather.clear.next = true;
                        self.by_rows.d.next = true;
                        self.pending.d.next = true;
                        self.kind.d.next = self.kind_registers.val();
                        self.length.d.next = self.gather.beats.val();
                    } else if self.found_all.q.val() {
                        self.step.d.next = Stage::Shared;
                        if self.shared_beats.q.val().any() {
                            self.by_rows.d.next = false;
                            self.pending.d.next = true;
                            self.kind.d.next = self.kind_shared.val();
                            self.length.d.next = self.shared_beats.q.val();
                            self.run_space.d.next = self.shared.val();
                            self.run_place.d.next =
                                bit_cast::<PLACE, SHARED>(self.shared_first.q.val());
                            self.run_left.d.next = self.shared_beats.q.val();
                        }
                    }
                }
                if self.total_valid.val() {
                    self.found_all.d.next = true;
                }
            }
            Stage::Shared => {
                if self.fetches.val() {
                    self.step.d.next = Stage::Closing;
                    if !self.runs.q.val() {
                        self.step.d.next = Stage::States;
                        self.by_rows.d.next = false;
                        self.pending.d.next = true;
                        self.kind.d.next = self.kind_states.val();
                        self.length.d.next = self.state_beats.val();
                        self.run_space.d.next = self.states.val();
                        self.run_place.d.next =
                            bit_cast::<PLACE, WARP>(self.first_warp.q.val()) << self.state_at.val();
                        self.run_left.d.next = self.state_beats.val();
                    }
                }
            }
            Stage::States => {
                if self.through.val() {
                    self.step.d.next = Stage::Queue;
                }
            }
            Stage::Queue => {
                if self.save_ready.val() {
                    self.step.d.next = Stage::Taking;
                    self.queue_done.d.next = false;
                }
            }
            Stage::Taking => {
                if self.queue_done.q.val() {
                    self.step.d.next = Stage::Closing;
                } else if self.port.packet_ready.val() {
                    if self.saved_valid.val() {
                        self.has_address.d.next = false;
                        self.operands.d.next = self.operands.q.val() + 1;
                        if self.saved_store.val() {
                            self.operands.d.next = self.operands.q.val() + 2;
                        }
                    } else {
                        self.step.d.next = Stage::Looking;
                        self.by_rows.d.next = false;
                        self.pending.d.next = true;
                        self.kind.d.next = self.kind_instruction.val();
                        self.length.d.next = self.operand_beats.val();
                        self.run_space.d.next = self.operand.val();
                        self.run_place.d.next = self.no_place.val();
                        self.run_left.d.next = self.operand_beats.val();
                        self.is_data.d.next = self.has_address.q.val();
                    }
                }
            }
            Stage::Looking => {
                if self.spilled_valid.val() {
                    self.step.d.next = Stage::Operand;
                    self.has_address.d.next = true;
                } else {
                    self.step.d.next = Stage::Taking;
                    self.pending.d.next = false;
                    self.run_left.d.next = self.no_beats.val();
                }
            }
            Stage::Operand => {
                if self.through.val() {
                    self.step.d.next = Stage::Taking;
                }
            }
            Stage::Closing => {
                if !self.has_left.val() && self.port.packet_ready.val() {
                    self.step.d.next = Stage::Waiting;
                }
            }
            Stage::Waiting => {}
            Stage::Restoring => {}
            Stage::Clearing => {
                if self.save_ready.val() {
                    self.step.d.next = Stage::Dropping;
                }
            }
            Stage::Dropping => {
                if self.save_done.val() {
                    self.step.d.next = Stage::Verdict;
                }
            }
            Stage::Resuming => {
                if self.resume_ready.val() {
                    self.warp.d.next = self.warp.q.val() + 1;
                    if self.warp.q.val() == self.last_warp.q.val() {
                        self.step.d.next = Stage::Verdict;
                    }
                }
            }
            Stage::Verdict => {
                if self.ended_ready.val() {
                    self.step.d.next = Stage::Idle;
                }
            }
        }
        if self.port.ended_valid.val() && self.port.ended_ready.val() {
            self.verdict.d.next = self.concluded.val();
            self.by_rows.d.next = false;
            self.run_left.d.next = self.no_beats.val();
            self.warp.d.next = self.first_warp.q.val();
            self.step.d.next = Stage::Verdict;
            if self.runs.q.val() {
                self.step.d.next = Stage::Resuming;
            }
            if self.concluded.val().any() {
                self.step.d.next = Stage::Clearing;
            }
        }

        self.request_ready.next = self.step.q.val() == Stage::Idle;
        self.stop_valid.next = self.step.q.val() == Stage::Stopping;
        self.stop_warp.next = self.no_warp.val();
        if self.step.q.val() == Stage::Stopping {
            self.stop_warp.next = self.warp.q.val();
        }
        self.resume_valid.next = self.step.q.val() == Stage::Resuming;
        self.resume_warp.next = self.no_warp.val();
        if self.step.q.val() == Stage::Resuming {
            self.resume_warp.next = self.warp.q.val();
        }
        self.save_valid.next =
            (self.step.q.val() == Stage::Queue) || (self.step.q.val() == Stage::Clearing);
        self.save_slot.next = self.slot.q.val();
        self.saved_ready.next = (self.step.q.val() == Stage::Dropping)
            || ((self.step.q.val() == Stage::Taking) && self.port.packet_ready.val());
        self.restore_valid.next = self.returns.val();
        self.restore_warp.next = self.no_warp.val();
        self.restore_store.next = self.returns.val() && self.found_store.val();
        if self.returns.val() {
            self.restore_warp.next = self.first_warp.q.val() + self.found_warp.val();
        }
        self.restore_slot.next = self.slot.q.val();
        for i in 0..3 {
            self.restore_words[i].next = self.port.out_beat[i + 2].val();
        }
        self.walk_valid.next = (self.step.q.val() == Stage::Opening) && !self.restores.q.val();
        self.walk_first.next = self.first_group.q.val();
        self.walk_last.next = self.last_group.q.val();
        self.ended_valid.next = self.step.q.val() == Stage::Verdict;
        self.ended_verdict.next = self.accepted.val();
        self.ended_beats.next = self.no_count.val();
        self.ended_operands.next = self.no_operands.val();
        if self.step.q.val() == Stage::Verdict {
            self.ended_verdict.next = self.verdict.q.val();
            self.ended_beats.next = self.beats.q.val();
            self.ended_operands.next = self.operands.q.val();
        }
    }
}
