//! Sizes and ports of the checkpoint engine, and what its headers say.

use crate::preempt::context_port::{self, Beat, Kind, WORDS};
use crate::{ports, widths};

/// The sizes of an SM, and the shape of its beats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The beats.
    pub port: context_port::Parameters,
    /// Bits of a row's number in the register file.
    pub row_bits: usize,
    /// Bits of a row's number inside its group.
    pub group_bits: usize,
    /// Lanes of a row.
    pub lanes: usize,
    /// Bits of the number of a beat inside its row: a row is that many sectors, of as many lanes each.
    pub sector_bits: usize,
    /// Rows that a header of registers names, two in a word.
    pub listed: usize,
    /// Bits of a slot.
    pub slot_bits: usize,
    /// Bits of a warp.
    pub warp_bits: usize,
    /// Bits of the number of a beat inside the SIMT state of a warp.
    pub state_bits: usize,
    /// Bits of the number of a beat in shared memory.
    pub shared_bits: usize,
    /// Bits of the number of a beat inside an operand.
    pub operand_bits: usize,
    /// Bits of a number of log entries.
    pub log_bits: usize,
    /// Entries of the replay queue.
    pub queue_entries: u64,
}

impl Parameters {
    /// 256 KB of registers, 96 KB of shared memory, 64 warps.
    #[must_use]
    pub const fn paper() -> Self {
        Self {
            port: context_port::Parameters::paper(),
            row_bits: 11,
            group_bits: 3,
            lanes: 32,
            sector_bits: 2,
            listed: 14,
            slot_bits: 4,
            warp_bits: 6,
            state_bits: 3,
            shared_bits: 12,
            operand_bits: 3,
            log_bits: 8,
            queue_entries: 64,
        }
    }

    /// Beats of a row.
    #[must_use]
    pub const fn sectors(&self) -> u64 {
        1 << self.sector_bits
    }

    /// Bits of a place: of a beat in the register file, shared memory, SIMT state, or two operands.
    #[must_use]
    pub const fn place_bits(&self) -> usize {
        let kinds = [
            self.row_bits + self.sector_bits,
            self.shared_bits,
            self.warp_bits + self.state_bits,
            self.operand_bits + 1,
        ];
        let (mut most, mut kind) = (0, 0);
        while kind < kinds.len() {
            if kinds[kind] > most {
                most = kinds[kind];
            }
            kind += 1;
        }
        most
    }

    const fn group_number_bits(&self) -> usize {
        self.row_bits - self.group_bits
    }

    /// The sectors of which some of these lanes are, a bit for each.
    #[must_use]
    pub fn sectors_of(&self, lanes: u64) -> u64 {
        let each = self.lanes as u64 >> self.sector_bits;
        (0..self.sectors())
            .filter(|sector| lanes >> (sector * each) & ((1 << each) - 1) != 0)
            .map(|sector| 1 << sector)
            .sum()
    }

    /// A header, with its detail from the second word on.
    #[must_use]
    pub fn header(&self, kind: Kind, length: u64, detail: &[u64]) -> Beat {
        let mut beat = self.port.header(0, kind as u64, length);
        beat[1..=detail.len()].copy_from_slice(detail);
        beat
    }

    /// Bits of a word that a row and its sectors have in a header: the low or the high half.
    const fn half(&self, number: usize) -> usize {
        number % 2 * (self.port.word_bits / 2)
    }

    /// The words of a header that name rows, each with its sectors.
    #[must_use]
    pub fn list(&self, rows: &[(u64, u64)]) -> [u64; WORDS - 1] {
        let mut words = [0; WORDS - 1];
        for (number, (row, sectors)) in rows.iter().enumerate() {
            let entry = row | sectors << self.row_bits;
            words[number / 2] |= entry << self.half(number);
        }
        words
    }

    /// The row that a header names at a number, and its sectors.
    #[must_use]
    pub const fn listed_row(&self, header: &Beat, number: usize) -> (u64, u64) {
        let entry = header[1 + number / 2] >> self.half(number);
        let row = entry & ((1 << self.row_bits) - 1);
        let sectors = entry >> self.row_bits & ((1 << self.sectors()) - 1);
        (row, sectors)
    }
}

/// Where a beat of an SM lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// In the register file: its row, and its sector in that.
    #[default]
    Registers,
    /// In shared memory.
    SharedMemory,
    /// In the SIMT state: its warp, and its number in that.
    SimtState,
    /// In the operand that has left the log, or in the address or the data of what comes back next.
    Operand,
}

/// The verdict that a whole context does not fit its block; those before it are the port's.
pub const DOES_NOT_FIT: u64 = 8;

// What the kernel's types are called on the page, and what they are here.
widths! {
    Bits<BLOCK> "16" => u64 = parameters.port.block_bits,
    Bits<EPOCH> "8" => u64 = parameters.port.epoch_bits,
    Bits<SLOT_BITS> "S" => u64 = parameters.slot_bits,
    Bits<WARP> "Q" => u64 = parameters.warp_bits,
    Bits<GROUP> "U" => u64 = parameters.group_number_bits(),
    Bits<SHARED> "M" => u64 = parameters.shared_bits,
    Bits<LENGTH> "L" => u64 = parameters.port.length_bits,
    Bits<ROW> "R" => u64 = parameters.row_bits,
    Bits<COUNT> "C" => u64 = parameters.port.count_bits,
    Bits<LOG_COUNT> "G" => u64 = parameters.log_bits,
    [Bits<WORD>; 3] "3 x 32" => [u64; 3] = (3, parameters.port.word_bits),
    Bits<LANES> "32" => u64 = parameters.lanes,
    [Bits<WORD>; WORDS] "8 x 32" => Beat = (parameters.port.words, parameters.port.word_bits),
    Bits<2> "2" => u64 = 2,
    Bits<PLACE> "Z" => u64 = parameters.place_bits(),
    Bits<4> "4" => u64 = 4,
}

// ports: generated by cargo xtask codegen from hw/src/preempt/checkpoint.rs

ports! {
    /// What goes into `checkpoint` in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Synchronous reset, active high: ends the save or restore in progress.
        reset: bool = 1,
        /// Request for a context, which the other `request_*` ports describe.
        request_valid: bool = 1,
        /// The context is restored; saved otherwise.
        request_restores: bool = 1,
        /// The block runs when the context is saved or restored.
        request_runs: bool = 1,
        /// Thread block of the context.
        request_cta: u64 = parameters.port.block_bits,
        /// Number of the context among those of its block.
        request_epoch: u64 = parameters.port.epoch_bits,
        /// Slot of the block.
        request_slot: u64 = parameters.slot_bits,
        /// First warp of the block.
        request_first_warp: u64 = parameters.warp_bits,
        /// Last warp of the block.
        request_last_warp: u64 = parameters.warp_bits,
        /// First group of the block's registers.
        request_first_group: u64 = parameters.group_number_bits(),
        /// Last group of the block's registers.
        request_last_group: u64 = parameters.group_number_bits(),
        /// First beat of the block's shared memory.
        request_shared_first: u64 = parameters.shared_bits,
        /// Beats of the block's shared memory.
        request_shared_beats: u64 = parameters.port.length_bits,
        /// First row of the register file that no block has.
        request_room_row: u64 = parameters.row_bits,
        /// Rows of the register file that no block has.
        request_room_rows: u64 = parameters.port.count_bits,
        /// First beat of shared memory that no block has.
        request_room_first: u64 = parameters.shared_bits,
        /// Beats of shared memory that no block has.
        request_room_beats: u64 = parameters.port.count_bits,
        /// Beats of the context that is restored, as `ended_beats` gave them; ignored in a save.
        request_beats: u64 = parameters.port.count_bits,
        /// Operands of the context that is restored, as `ended_operands` gave them; ignored in a save.
        request_operands: u64 = parameters.log_bits,
        /// The instructions of the context that is restored come without operands, because the pipeline has no operand
        /// log; ignored in a save.
        request_unlogged: bool = 1,
        /// The pipeline accepts the stop.
        stop_ready: bool = 1,
        /// The pipeline accepts the resume.
        resume_ready: bool = 1,
        /// The slot has drained, and its squashed instructions may leave.
        save_ready: bool = 1,
        /// All squashed instructions have left; ignored until the cycle after the save was taken.
        save_done: bool = 1,
        /// A squashed instruction leaves; the other `saved_*` ports hold it.
        saved_valid: bool = 1,
        /// Warp of the instruction that leaves.
        saved_warp: u64 = parameters.warp_bits,
        /// The instruction that leaves is a store.
        saved_store: bool = 1,
        /// Rest of the instruction that leaves: registers and opcode, program counter, lanes.
        saved_words: [u64; 3] = (3, parameters.port.word_bits),
        /// An operand of the next instruction has left the log and is held, in the cycle after `saved_ready` without
        /// `saved_valid`.
        spilled_valid: bool = 1,
        /// The restored instruction is taken.
        restore_ready: bool = 1,
        /// The walk for dirty rows begins.
        walk_ready: bool = 1,
        /// The walk has found a dirty row.
        dirty_valid: bool = 1,
        /// Dirty row.
        dirty_row: u64 = parameters.row_bits,
        /// Dirty lanes of the row, one bit each.
        dirty_lanes: u64 = parameters.lanes,
        /// The walk has ended, and there are no more dirty rows.
        total_valid: bool = 1,
        /// The read of a beat is accepted.
        get_ready: bool = 1,
        /// The beat that was read has come.
        got_valid: bool = 1,
        /// Beat that was read.
        got_beat: Beat = (parameters.port.words, parameters.port.word_bits),
        /// The write of a beat is accepted.
        put_ready: bool = 1,
        /// Memory takes the beat on offer.
        out_ready: bool = 1,
        /// A beat comes from memory.
        in_valid: bool = 1,
        /// The beat from memory is the last one of its read.
        in_last: bool = 1,
        /// Beat from memory.
        in_beat: Beat = (parameters.port.words, parameters.port.word_bits),
        /// The verdict is taken.
        ended_ready: bool = 1,
    }
}

ports! {
    /// What comes out of `checkpoint` in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// A context may be requested.
        request_ready: bool = 1,
        /// The warp in `stop_warp` is to stop.
        stop_valid: bool = 1,
        /// Warp that is to stop.
        stop_warp: u64 = parameters.warp_bits,
        /// The warp in `resume_warp` may go on.
        resume_valid: bool = 1,
        /// Warp that may go on.
        resume_warp: u64 = parameters.warp_bits,
        /// The squashed instructions of the slot in `save_slot` are to leave the pipeline.
        save_valid: bool = 1,
        /// Slot whose squashed instructions are to leave.
        save_slot: u64 = parameters.slot_bits,
        /// The instruction that leaves is taken, or an operand of the next one may leave the log.
        saved_ready: bool = 1,
        /// A restored instruction is on offer; the other `restore_*` ports hold it.
        restore_valid: bool = 1,
        /// Warp of the restored instruction.
        restore_warp: u64 = parameters.warp_bits,
        /// Slot of the restored instruction.
        restore_slot: u64 = parameters.slot_bits,
        /// The restored instruction is a store.
        restore_store: bool = 1,
        /// Rest of the restored instruction; without one, the last words of the beat that the port holds.
        restore_words: [u64; 3] = (3, parameters.port.word_bits),
        /// A walk for dirty rows that are to be saved is requested.
        walk_valid: bool = 1,
        /// First group of the walk.
        walk_first: u64 = parameters.group_number_bits(),
        /// Last group of the walk.
        walk_last: u64 = parameters.group_number_bits(),
        /// The dirty row is taken.
        dirty_ready: bool = 1,
        /// The end of the walk is taken.
        total_ready: bool = 1,
        /// A beat is to be read.
        get_valid: bool = 1,
        /// Space of the beat that is read, as in the table below.
        get_space: u64 = 2,
        /// Place of the beat that is read.
        get_place: u64 = parameters.place_bits(),
        /// The beat that was read is taken.
        got_ready: bool = 1,
        /// A beat is to be written.
        put_valid: bool = 1,
        /// Space of the beat that is written, as in the table below.
        put_space: u64 = 2,
        /// Place of the beat that is written.
        put_place: u64 = parameters.place_bits(),
        /// Beat that is written.
        put_beat: Beat = (parameters.port.words, parameters.port.word_bits),
        /// A beat for memory is on offer.
        out_valid: bool = 1,
        /// The beat for memory is the last one of its context.
        out_last: bool = 1,
        /// Beat for memory.
        out_beat: Beat = (parameters.port.words, parameters.port.word_bits),
        /// The beat from memory is taken.
        in_ready: bool = 1,
        /// The context has ended; the other `ended_*` ports describe it.
        ended_valid: bool = 1,
        /// Verdict of the context port, or 8: the context does not fit.
        ended_verdict: u64 = 4,
        /// All beats that left or came, begin and end among them.
        ended_beats: u64 = parameters.port.count_bits,
        /// Operands of the instructions that left or were offered: 1 for a load and 2 for a store, also without an
        /// operand log.
        ended_operands: u64 = parameters.log_bits,
    }
}

// end of the generated ports
