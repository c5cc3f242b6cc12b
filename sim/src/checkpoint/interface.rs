//! Sizes and ports of the checkpoint engine, and what its headers say.

use crate::context_port::{self, Beat, Kind, WORDS};
use crate::ports;

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
        /// A context is wanted,
        ask_valid: bool = 1,
        /// to be restored, and not to be saved;
        ask_restores: bool = 1,
        /// its block runs when that is done.
        ask_runs: bool = 1,
        /// The thread block,
        ask_block: u64 = parameters.port.block_bits,
        /// which of its contexts,
        ask_epoch: u64 = parameters.port.epoch_bits,
        /// the slot,
        ask_slot: u64 = parameters.slot_bits,
        /// its warps, from this one
        ask_first_warp: u64 = parameters.warp_bits,
        /// to this one,
        ask_last_warp: u64 = parameters.warp_bits,
        /// the groups of its registers, from this one
        ask_first_group: u64 = parameters.group_number_bits(),
        /// to this one,
        ask_last_group: u64 = parameters.group_number_bits(),
        /// its shared memory: the first beat,
        ask_shared_first: u64 = parameters.shared_bits,
        /// and so many.
        ask_shared_beats: u64 = parameters.port.length_bits,
        /// Nobody's rows of the register file: the first,
        ask_room_row: u64 = parameters.row_bits,
        /// and so many.
        ask_room_rows: u64 = parameters.port.count_bits,
        /// Nobody's shared memory: the first beat,
        ask_room_first: u64 = parameters.shared_bits,
        /// and so many.
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
        /// One of them leaves:
        saved_valid: bool = 1,
        /// its warp,
        saved_warp: u64 = parameters.warp_bits,
        /// whether it is a store,
        saved_store: bool = 1,
        /// and what else is known of it: registers and opcode, program counter, lanes.
        saved_words: [u64; 3] = (3, parameters.port.word_bits),
        /// An operand of the next one has left the log, and is held.
        spilled_valid: bool = 1,
        /// The instruction that comes back is taken.
        restore_ready: bool = 1,
        /// The search for dirty rows begins.
        walk_ready: bool = 1,
        /// A dirty row is found,
        dirty_valid: bool = 1,
        /// this one,
        dirty_row: u64 = parameters.row_bits,
        /// with these lanes.
        dirty_lanes: u64 = parameters.lanes,
        /// There is none more.
        total_valid: bool = 1,
        /// The beat that is asked for will come.
        get_ready: bool = 1,
        /// A beat that was asked for has come,
        got_valid: bool = 1,
        /// this one.
        got_beat: Beat = (parameters.port.words, parameters.port.word_bits),
        /// The beat is where it belongs.
        put_ready: bool = 1,
        /// What leaves for memory is taken.
        out_ready: bool = 1,
        /// From memory comes
        in_valid: bool = 1,
        /// the last beat of a read,
        in_last: bool = 1,
        /// this one.
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
        /// A warp is to stop,
        stop_valid: bool = 1,
        /// this one.
        stop_warp: u64 = parameters.warp_bits,
        /// A warp may go on,
        resume_valid: bool = 1,
        /// this one.
        resume_warp: u64 = parameters.warp_bits,
        /// Squashed instructions are to leave,
        save_valid: bool = 1,
        /// those of this slot.
        save_slot: u64 = parameters.slot_bits,
        /// The one that leaves is taken, or an operand of the next may leave the log.
        saved_ready: bool = 1,
        /// An instruction comes back:
        restore_valid: bool = 1,
        /// to this warp,
        restore_warp: u64 = parameters.warp_bits,
        /// of this slot;
        restore_slot: u64 = parameters.slot_bits,
        /// whether it is a store,
        restore_store: bool = 1,
        /// and what else is known of it, also while none comes back: the last words of the beat that the port holds.
        restore_words: [u64; 3] = (3, parameters.port.word_bits),
        /// Dirty rows are searched for, to be saved,
        walk_valid: bool = 1,
        /// in this group
        walk_first: u64 = parameters.group_number_bits(),
        /// to this one.
        walk_last: u64 = parameters.group_number_bits(),
        /// The dirty row is taken.
        dirty_ready: bool = 1,
        /// That there is none more is taken.
        total_ready: bool = 1,
        /// A beat is asked for,
        get_valid: bool = 1,
        /// in this [`Space`],
        get_space: u64 = 2,
        /// at this place.
        get_place: u64 = parameters.place_bits(),
        /// The beat that has come is taken.
        got_ready: bool = 1,
        /// A beat is to be put
        put_valid: bool = 1,
        /// into this [`Space`],
        put_space: u64 = 2,
        /// at this place,
        put_place: u64 = parameters.place_bits(),
        /// this one.
        put_beat: Beat = (parameters.port.words, parameters.port.word_bits),
        /// For memory there is
        out_valid: bool = 1,
        /// the last beat of a context,
        out_last: bool = 1,
        /// this one.
        out_beat: Beat = (parameters.port.words, parameters.port.word_bits),
        /// What comes from memory is taken.
        in_ready: bool = 1,
        /// The context is over:
        ended_valid: bool = 1,
        /// the number of a [`Verdict`](context_port::Verdict), or [`DOES_NOT_FIT`];
        ended_verdict: u64 = 4,
        /// its beats,
        ended_beats: u64 = parameters.port.count_bits,
        /// and the operands of the instructions that have left, or come back, with it.
        ended_operands: u64 = parameters.log_bits,
    }
}
