//! Sizes and ports of the checkpoint engine, and what its headers say.

use crate::ports;
use crate::preempt::context_port::{self, Beat, Kind, WORDS};

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

ports! {
    /// What goes into the checkpoint engine in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// A context is asked for; the other `ask_` ports say which.
        ask_valid: bool = 1,
        /// The context is restored; otherwise it is saved.
        ask_restores: bool = 1,
        /// The block runs when the context is saved or restored.
        ask_runs: bool = 1,
        /// The thread block.
        ask_block: u64 = parameters.port.block_bits,
        /// Which context of the block.
        ask_epoch: u64 = parameters.port.epoch_bits,
        /// The slot of the block.
        ask_slot: u64 = parameters.slot_bits,
        /// The first warp of the block.
        ask_first_warp: u64 = parameters.warp_bits,
        /// The last warp of the block.
        ask_last_warp: u64 = parameters.warp_bits,
        /// The first group of the block's registers.
        ask_first_group: u64 = parameters.group_number_bits(),
        /// The last group of the block's registers.
        ask_last_group: u64 = parameters.group_number_bits(),
        /// The first beat of the block's shared memory.
        ask_shared_first: u64 = parameters.shared_bits,
        /// Beats of the block's shared memory.
        ask_shared_beats: u64 = parameters.port.length_bits,
        /// The first row of the register file that no block has.
        ask_room_row: u64 = parameters.row_bits,
        /// Rows of the register file that no block has.
        ask_room_rows: u64 = parameters.port.count_bits,
        /// The first beat of shared memory that no block has.
        ask_room_first: u64 = parameters.shared_bits,
        /// Beats of shared memory that no block has.
        ask_room_beats: u64 = parameters.port.count_bits,
        /// Beats of the context that is restored.
        ask_beats: u64 = parameters.port.count_bits,
        /// Operands of the instructions that come back with it.
        ask_operands: u64 = parameters.log_bits,
        /// The pipeline has no operand log: the instructions of the context that is restored come without operands.
        ask_unlogged: bool = 1,
        /// The warp has been told to stop.
        stop_ready: bool = 1,
        /// The warp goes on.
        resume_ready: bool = 1,
        /// The slot has drained, and its squashed instructions may leave.
        save_ready: bool = 1,
        /// They have left.
        save_done: bool = 1,
        /// A squashed instruction leaves; the other `saved_` ports hold it.
        saved_valid: bool = 1,
        /// The warp of the instruction that leaves.
        saved_warp: u64 = parameters.warp_bits,
        /// The instruction that leaves is a store.
        saved_store: bool = 1,
        /// The rest of the instruction that leaves: registers and opcode, program counter, lanes.
        saved_words: [u64; 3] = (3, parameters.port.word_bits),
        /// An operand of the next one has left the log, and is held.
        spilled_valid: bool = 1,
        /// The instruction that comes back is taken.
        restore_ready: bool = 1,
        /// The search for dirty rows begins.
        walk_ready: bool = 1,
        /// A dirty row is found.
        dirty_valid: bool = 1,
        /// The dirty row.
        dirty_row: u64 = parameters.row_bits,
        /// The dirty lanes of the row, a bit for each.
        dirty_lanes: u64 = parameters.lanes,
        /// There is none more.
        total_valid: bool = 1,
        /// The beat that is asked for will come.
        get_ready: bool = 1,
        /// The beat that was asked for has come.
        got_valid: bool = 1,
        /// The beat that has come.
        got_beat: Beat = (parameters.port.words, parameters.port.word_bits),
        /// The beat is where it belongs.
        put_ready: bool = 1,
        /// What leaves for memory is taken.
        out_ready: bool = 1,
        /// A beat comes from memory.
        in_valid: bool = 1,
        /// The beat from memory is the last one of a read.
        in_last: bool = 1,
        /// The beat from memory.
        in_beat: Beat = (parameters.port.words, parameters.port.word_bits),
        /// The verdict is taken.
        ended_ready: bool = 1,
    }
}

ports! {
    /// What the checkpoint engine shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// A context may be asked for.
        ask_ready: bool = 1,
        /// The warp in `stop_warp` is to stop.
        stop_valid: bool = 1,
        /// The warp that is to stop.
        stop_warp: u64 = parameters.warp_bits,
        /// The warp in `resume_warp` may go on.
        resume_valid: bool = 1,
        /// The warp that may go on.
        resume_warp: u64 = parameters.warp_bits,
        /// The squashed instructions of the slot in `save_slot` are to leave.
        save_valid: bool = 1,
        /// The slot whose squashed instructions are to leave.
        save_slot: u64 = parameters.slot_bits,
        /// The one that leaves is taken, or an operand of the next may leave the log.
        saved_ready: bool = 1,
        /// An instruction comes back; the other `restore_` ports hold it.
        restore_valid: bool = 1,
        /// The warp of the instruction that comes back.
        restore_warp: u64 = parameters.warp_bits,
        /// The slot of the instruction that comes back.
        restore_slot: u64 = parameters.slot_bits,
        /// The instruction that comes back is a store.
        restore_store: bool = 1,
        /// The rest of the instruction that comes back; while none does, the last words of the beat that the port holds.
        restore_words: [u64; 3] = (3, parameters.port.word_bits),
        /// A search for dirty rows, which are to be saved, is asked for.
        walk_valid: bool = 1,
        /// The first group that is searched.
        walk_first: u64 = parameters.group_number_bits(),
        /// The last group that is searched.
        walk_last: u64 = parameters.group_number_bits(),
        /// The dirty row is taken.
        dirty_ready: bool = 1,
        /// That there is none more is taken.
        total_ready: bool = 1,
        /// A beat is asked for.
        get_valid: bool = 1,
        /// The [`Space`] of the beat that is asked for.
        get_space: u64 = 2,
        /// The place of the beat that is asked for.
        get_place: u64 = parameters.place_bits(),
        /// The beat that has come is taken.
        got_ready: bool = 1,
        /// A beat is to be put.
        put_valid: bool = 1,
        /// The [`Space`] of the beat that is to be put.
        put_space: u64 = 2,
        /// The place of the beat that is to be put.
        put_place: u64 = parameters.place_bits(),
        /// The beat that is to be put.
        put_beat: Beat = (parameters.port.words, parameters.port.word_bits),
        /// There is a beat for memory.
        out_valid: bool = 1,
        /// The beat for memory is the last one of a context.
        out_last: bool = 1,
        /// The beat for memory.
        out_beat: Beat = (parameters.port.words, parameters.port.word_bits),
        /// What comes from memory is taken.
        in_ready: bool = 1,
        /// The context is over; the other `ended_` ports say how.
        ended_valid: bool = 1,
        /// The number of a [`Verdict`](context_port::Verdict), or [`DOES_NOT_FIT`].
        ended_verdict: u64 = 4,
        /// Beats of the context.
        ended_beats: u64 = parameters.port.count_bits,
        /// Operands of the instructions that have left, or come back, with the context.
        ended_operands: u64 = parameters.log_bits,
    }
}
