//! Sizes, kinds, verdicts and ports of the context port, and the shape of its beats.

use crate::{ports, widths};

/// The most words that a beat has.
pub const WORDS: usize = 8;

/// What moves in a cycle: words, the lowest first.
pub type Beat = [u64; WORDS];

/// The shape of a beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Words of a beat.
    pub words: usize,
    /// Bits of a word: those of a header's block, kind and length, and of a check.
    pub word_bits: usize,
    /// Bits of the number of a thread block in its grid.
    pub block_bits: usize,
    /// Bits of the number of beats behind a header.
    pub length_bits: usize,
    /// Bits of an epoch.
    pub epoch_bits: usize,
    /// Bits of a count of beats.
    pub count_bits: usize,
    /// What a one that leaves a check at the top comes back as.
    pub polynomial: u64,
}

impl Parameters {
    /// The house's beats of 32 B.
    #[must_use]
    pub const fn paper() -> Self {
        Self {
            words: 8,
            word_bits: 32,
            block_bits: 16,
            length_bits: 13,
            epoch_bits: 8,
            count_bits: 16,
            polynomial: 0x40_0007,
        }
    }

    /// The greatest word.
    #[must_use]
    pub const fn most(&self) -> u64 {
        u64::MAX >> (64 - self.word_bits)
    }

    /// A header's number of a kind.
    #[must_use]
    pub const fn kind(&self, header: &Beat) -> u64 {
        header[0] >> self.block_bits & 7
    }

    /// The beats behind a header.
    #[must_use]
    pub const fn length(&self, header: &Beat) -> u64 {
        header[0] >> (self.block_bits + 3)
    }

    /// The block that a header belongs to.
    #[must_use]
    pub const fn block(&self, header: &Beat) -> u64 {
        header[0] & ((1 << self.block_bits) - 1)
    }

    /// A header without detail.
    #[must_use]
    pub const fn header(&self, block: u64, kind: u64, length: u64) -> Beat {
        let mut beat = [0; WORDS];
        beat[0] = block | kind << self.block_bits | length << (self.block_bits + 3);
        beat
    }

    /// A header that belongs to another block.
    #[must_use]
    pub const fn with_block(&self, header: &Beat, block: u64) -> Beat {
        let mut beat = *header;
        beat[0] = header[0] - self.block(header) + block;
        beat
    }

    /// The first beat of a context.
    #[must_use]
    pub const fn begin(&self, block: u64, epoch: u64) -> Beat {
        let mut beat = self.header(block, Kind::Begin as u64, 0);
        beat[1] = epoch;
        beat
    }

    /// The last beat of a context, behind all of its others.
    #[must_use]
    pub fn end(&self, block: u64, others: &[Beat]) -> Beat {
        let mut beat = self.header(block, Kind::End as u64, 0);
        beat[1] = others.len() as u64 & ((1 << self.count_bits) - 1);
        beat[2] = self.check(others);
        beat
    }

    /// What an end says of the beats before it: each word, from the lowest of a beat to its highest, is added without carries;
    /// then the check moves up by two bits, and a one that leaves it comes back as the polynomial.
    #[must_use]
    pub fn check(&self, beats: &[Beat]) -> u64 {
        let mut check = 0;
        for beat in beats {
            for word in &beat[..self.words] {
                check ^= word;
                for _ in 0..2 {
                    let leaves = check >> (self.word_bits - 1) == 1;
                    check = check << 1 & self.most();
                    if leaves {
                        check ^= self.polynomial;
                    }
                }
            }
        }
        check
    }
}

/// What a header is about. 0 and 7 are no kinds: memory that was never written is zeros, or ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A context.
    Begin = 1,
    /// Rows of the register file.
    Registers,
    /// A part of shared memory.
    SharedMemory,
    /// The SIMT state of a warp.
    SimtState,
    /// A squashed instruction of the replay queue, with its operands from the log.
    Instruction,
    /// There is no more.
    End,
}

/// What becomes of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It is saved; it may run.
    Accepted,
    /// It does not begin like a context.
    NotAContext,
    /// It is another block's, or a part of it is.
    AnotherBlock,
    /// It is not the one that is requested, but another one of the block.
    AnotherEpoch,
    /// A header has a kind that is unknown, or begins a context inside of one.
    UnknownKind,
    /// It ends before its end.
    Truncated,
    /// Its end is not about the beats before it.
    WrongCheck,
    /// It goes on behind its end.
    BeyondTheEnd,
}

impl Verdict {
    /// Every verdict, by its number.
    pub const ALL: [Self; 8] = [
        Self::Accepted,
        Self::NotAContext,
        Self::AnotherBlock,
        Self::AnotherEpoch,
        Self::UnknownKind,
        Self::Truncated,
        Self::WrongCheck,
        Self::BeyondTheEnd,
    ];
}

// What the kernel's types are called on the page, and what they are here.
widths! {
    Bits<BLOCK> "16" => u64 = parameters.block_bits,
    Bits<EPOCH> "8" => u64 = parameters.epoch_bits,
    [Bits<WORD>; WORDS] "8 x 32" => Beat = (parameters.words, parameters.word_bits),
    Bits<3> "3" => u64 = 3,
}

// ports: generated by cargo xtask codegen from hw/src/preempt/context_port.rs

ports! {
    /// What goes into `context_port` in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Synchronous reset, active high: drops the context in progress.
        reset: bool = 1,
        /// A context begins.
        begin_valid: bool = 1,
        /// The context is restored; saved otherwise.
        begin_restores: bool = 1,
        /// Thread block of the context: the low bits of its number in the grid.
        begin_cta: u64 = parameters.block_bits,
        /// Number of the context among those of its block: the base, or an increment.
        begin_epoch: u64 = parameters.epoch_bits,
        /// The engine offers a header or data of what is saved.
        packet_valid: bool = 1,
        /// Header or data that is saved. In a header the block's number may be anything; in an end so may everything
        /// but the kind.
        packet_beat: Beat = (parameters.words, parameters.word_bits),
        /// Memory takes the beat on offer.
        out_ready: bool = 1,
        /// A beat comes from memory.
        in_valid: bool = 1,
        /// The beat from memory is the last one of its read.
        in_last: bool = 1,
        /// Beat from memory.
        in_beat: Beat = (parameters.words, parameters.word_bits),
        /// The restored beat is taken.
        found_ready: bool = 1,
        /// The verdict is taken.
        ended_ready: bool = 1,
    }
}

ports! {
    /// What comes out of `context_port` in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// A context may begin.
        begin_ready: bool = 1,
        /// The header or data is taken.
        packet_ready: bool = 1,
        /// A beat for memory is on offer.
        out_valid: bool = 1,
        /// The beat for memory is the last one of its context.
        out_last: bool = 1,
        /// Beat for memory.
        out_beat: Beat = (parameters.words, parameters.word_bits),
        /// The beat from memory is taken.
        in_ready: bool = 1,
        /// A header or data of what is restored is on offer to the engine.
        found_valid: bool = 1,
        /// The restored beat is a header; data otherwise.
        found_header: bool = 1,
        /// Restored beat.
        found_beat: Beat = (parameters.words, parameters.word_bits),
        /// The context has ended.
        ended_valid: bool = 1,
        /// Verdict on the context, as in the table below.
        ended_verdict: u64 = 3,
    }
}

// end of the generated ports
