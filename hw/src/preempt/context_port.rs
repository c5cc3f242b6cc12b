#![doc = include_str!("../../../docs/blocks/context_port.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::misr::Misr;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// What the port does.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Step {
    /// No context is under way.
    Idle,
    /// Packets are saved.
    Saving,
    /// The end goes to memory.
    Ending,
    /// The first beat of a context is awaited.
    Opening,
    /// Packets are restored.
    Restoring,
    /// The rest of a read that was refused is taken.
    Draining,
    /// The verdict is valid.
    Verdict,
}

/// Context port: sends the context of a thread block to memory as a stream of packets, and takes it back. Beats of
/// `WORDS` words of `WORD` bits. Blocks of `BLOCK` bits, kinds of three, lengths of `LENGTH`, epochs of `EPOCH`, counts
/// of `COUNT`; the check's polynomial is `POLYNOMIAL`.
#[block(top)]
#[check(WORDS >= 3 && BLOCK + 3 + LENGTH == WORD && EPOCH <= WORD && COUNT <= WORD, "{WORDS} words of {WORD} bits do not hold a block of {BLOCK}, a length of {LENGTH}, an epoch of {EPOCH} and a count of {COUNT}")]
pub struct ContextPort<
    const WORDS: usize,
    const WORD: usize,
    const BLOCK: usize,
    const LENGTH: usize,
    const EPOCH: usize,
    const COUNT: usize,
    const POLYNOMIAL: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: drops the context in progress.
    pub reset: Signal<In, Bit>,
    /// A context begins.
    pub begin_valid: Signal<In, Bit>,
    /// The context is restored; saved otherwise.
    pub begin_restores: Signal<In, Bit>,
    /// Thread block of the context: the low bits of its number in the grid.
    pub begin_cta: Signal<In, Bits<BLOCK>>,
    /// Number of the context among those of its block: the base, or an increment.
    pub begin_epoch: Signal<In, Bits<EPOCH>>,
    /// The engine offers a header or data of what is saved.
    pub packet_valid: Signal<In, Bit>,
    /// Header or data that is saved. In a header the block's number may be anything; in an end so may everything
    /// but the kind.
    pub packet_beat: [Signal<In, Bits<WORD>>; WORDS],
    /// Memory takes the beat on offer.
    pub out_ready: Signal<In, Bit>,
    /// A beat comes from memory.
    pub in_valid: Signal<In, Bit>,
    /// The beat from memory is the last one of its read.
    pub in_last: Signal<In, Bit>,
    /// Beat from memory.
    pub in_beat: [Signal<In, Bits<WORD>>; WORDS],
    /// The restored beat is taken.
    pub found_ready: Signal<In, Bit>,
    /// The verdict is taken.
    pub ended_ready: Signal<In, Bit>,

    /// A context may begin.
    pub begin_ready: Signal<Out, Bit>,
    /// The header or data is taken.
    pub packet_ready: Signal<Out, Bit>,
    /// A beat for memory is on offer.
    pub out_valid: Signal<Out, Bit>,
    /// The beat for memory is the last one of its context.
    pub out_last: Signal<Out, Bit>,
    /// Beat for memory.
    pub out_beat: [Signal<Out, Bits<WORD>>; WORDS],
    /// The beat from memory is taken.
    pub in_ready: Signal<Out, Bit>,
    /// A header or data of what is restored is on offer to the engine.
    pub found_valid: Signal<Out, Bit>,
    /// The restored beat is a header; data otherwise.
    pub found_header: Signal<Out, Bit>,
    /// Restored beat.
    pub found_beat: [Signal<Out, Bits<WORD>>; WORDS],
    /// The context has ended.
    pub ended_valid: Signal<Out, Bit>,
    /// Verdict on the context, as in the table below.
    pub ended_verdict: Signal<Out, Bits<3>>,

    step: Register<Step>,
    verdict: Register<Bits<3>>,
    // The context: its block and its number; the beats that are left of the packet; the count and check of the beats so far.
    block: Register<Bits<BLOCK>>,
    epoch: Register<Bits<EPOCH>>,
    left: Register<Bits<LENGTH>>,
    count: Register<Bits<COUNT>>,
    check: Register<Bits<WORD>>,
    // The beat between the two sides.
    holds: Register<Bit>,
    last: Register<Bit>,
    beat: [Register<Bits<WORD>>; WORDS],

    // What it is.
    header: Signal<Local, Bit>,
    kind: Signal<Local, Bits<3>>,
    of_block: Signal<Local, Bit>,
    content: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    nothing_behind: Signal<Local, Bit>,
    beyond: OrTree<WORDS>,
    begins: Signal<Local, Bit>,
    of_epoch: Signal<Local, Bit>,
    right: Signal<Local, Bit>,

    // What becomes of it.
    to_engine: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    settled: Signal<Local, Bits<3>>,
    counted: Signal<Local, Bits<COUNT>>,
    checked: Signal<Local, Bits<WORD>>,
    with_beat: Misr<WORDS, WORD, POLYNOMIAL>,

    // What is taken.
    packet_kind: Signal<Local, Bits<3>>,
    saves: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    begin: Signal<Local, Bit>,
    packet: Signal<Local, Bit>,
    packet_ends: Signal<Local, Bit>,
    read: Signal<Local, Bit>,

    #[init(Constant::new((BLOCK as LiteralType).into()))]
    kind_at: Constant<Bits<WORD>>,
    #[init(Constant::new(((BLOCK + 3) as LiteralType).into()))]
    length_at: Constant<Bits<WORD>>,
    #[init(Constant::new(!Bits::from((1 << BLOCK) - 1)))]
    above_block: Constant<Bits<WORD>>,
    #[init(Constant::new((1 << BLOCK).into()))]
    begin_header: Constant<Bits<WORD>>,
    #[init(Constant::new((6 << BLOCK).into()))]
    end_header: Constant<Bits<WORD>>,
    #[init(Constant::new(0.into()))]
    nothing: Constant<Bits<WORD>>,
    #[init(Constant::new(0.into()))]
    none_left: Constant<Bits<LENGTH>>,
    #[init(Constant::new(0.into()))]
    no_count: Constant<Bits<COUNT>>,
    #[init(Constant::new(1.into()))]
    kind_begin: Constant<Bits<3>>,
    #[init(Constant::new(2.into()))]
    kind_registers: Constant<Bits<3>>,
    #[init(Constant::new(6.into()))]
    kind_end: Constant<Bits<3>>,

    #[init(Constant::new(0.into()))]
    accepted: Constant<Bits<3>>,
    #[init(Constant::new(1.into()))]
    not_a_context: Constant<Bits<3>>,
    #[init(Constant::new(2.into()))]
    another_block: Constant<Bits<3>>,
    #[init(Constant::new(3.into()))]
    another_epoch: Constant<Bits<3>>,
    #[init(Constant::new(4.into()))]
    unknown_kind: Constant<Bits<3>>,
    #[init(Constant::new(5.into()))]
    truncated: Constant<Bits<3>>,
    #[init(Constant::new(6.into()))]
    wrong_check: Constant<Bits<3>>,
    #[init(Constant::new(7.into()))]
    beyond_the_end: Constant<Bits<3>>,
}

impl<
    const WORDS: usize,
    const WORD: usize,
    const BLOCK: usize,
    const LENGTH: usize,
    const EPOCH: usize,
    const COUNT: usize,
    const POLYNOMIAL: usize,
> Logic for ContextPort<WORDS, WORD, BLOCK, LENGTH, EPOCH, COUNT, POLYNOMIAL>
{
    #[logic]
    fn update(&mut self) {
        // What the beat is that is held.
        self.header.next = self.left.q.val() == self.none_left.val();
        self.kind.next = bit_cast::<3, WORD>(self.beat[0].q.val() >> self.kind_at.val());
        self.of_block.next = bit_cast::<BLOCK, WORD>(self.beat[0].q.val()) == self.block.q.val();
        self.ends.next = self.kind.val() == self.kind_end.val();
        self.content.next = (self.kind_registers.val() <= self.kind.val())
            && (self.kind.val() < self.kind_end.val());
        self.beyond.of[0].next = (self.beat[0].q.val() >> self.length_at.val()).any();
        self.beyond.of[1].next = false;
        self.beyond.of[2].next = false;
        for i in 3..WORDS {
            self.beyond.of[i].next = self.beat[i].q.val().any();
        }
        self.nothing_behind.next = !self.beyond.any.val();
        self.begins.next = (self.kind.val() == self.kind_begin.val())
            && self.nothing_behind.val()
            && !self.beat[2].q.val().any()
            && (bit_cast::<WORD, EPOCH>(bit_cast::<EPOCH, WORD>(self.beat[1].q.val()))
                == self.beat[1].q.val());
        self.of_epoch.next = bit_cast::<EPOCH, WORD>(self.beat[1].q.val()) == self.epoch.q.val();
        self.right.next = self.nothing_behind.val()
            && (self.beat[1].q.val() == bit_cast::<WORD, COUNT>(self.count.q.val()))
            && (self.beat[2].q.val() == self.check.q.val());

        // What becomes of it: it leaves for memory, goes to the engine, or is settled here.
        self.to_engine.next = (self.step.q.val() == Step::Restoring)
            && !self.last.q.val()
            && (!self.header.val() || (self.content.val() && self.of_block.val()));
        self.saves.next =
            (self.step.q.val() == Step::Saving) || (self.step.q.val() == Step::Ending);
        self.reads.next = (self.step.q.val() == Step::Opening)
            || (self.step.q.val() == Step::Restoring)
            || (self.step.q.val() == Step::Draining);
        self.moves.next = self.holds.q.val()
            && ((self.saves.val() && self.out_ready.val())
                || (self.reads.val() && (!self.to_engine.val() || self.found_ready.val())));
        self.settled.next = self.accepted.val();
        if self.step.q.val() == Step::Opening {
            if self.last.q.val() {
                self.settled.next = self.truncated.val();
            }
            if !self.of_epoch.val() {
                self.settled.next = self.another_epoch.val();
            }
            if !self.of_block.val() {
                self.settled.next = self.another_block.val();
            }
            if !self.begins.val() {
                self.settled.next = self.not_a_context.val();
            }
        } else if self.last.q.val() {
            self.settled.next = self.truncated.val();
        }
        if (self.step.q.val() == Step::Restoring) && self.header.val() {
            if self.ends.val() {
                self.settled.next = self.accepted.val();
                if !self.last.q.val() {
                    self.settled.next = self.beyond_the_end.val();
                }
                if !self.right.val() {
                    self.settled.next = self.wrong_check.val();
                }
            }
            if !self.of_block.val() {
                self.settled.next = self.another_block.val();
            }
            if !self.content.val() && !self.ends.val() {
                self.settled.next = self.unknown_kind.val();
            }
        }
        self.with_beat.so_far.next = self.check.q.val();
        for i in 0..WORDS {
            self.with_beat.of[i].next = self.beat[i].q.val();
        }
        self.counted.next = self.count.q.val();
        self.checked.next = self.check.q.val();
        if self.moves.val() {
            self.counted.next = self.count.q.val() + 1;
            self.checked.next = self.with_beat.check.val();
        }

        // What is taken.
        self.begin.next = (self.step.q.val() == Step::Idle) && self.begin_valid.val();
        self.packet_ready.next =
            (self.step.q.val() == Step::Saving) && (!self.holds.q.val() || self.out_ready.val());
        self.packet.next = (self.step.q.val() == Step::Saving)
            && self.packet_valid.val()
            && (!self.holds.q.val() || self.out_ready.val());
        self.packet_kind.next =
            bit_cast::<3, WORD>(self.packet_beat[0].val() >> self.kind_at.val());
        self.packet_ends.next =
            self.header.val() && (self.packet_kind.val() == self.kind_end.val());
        self.in_ready.next = self.reads.val()
            && (!self.holds.q.val()
                || (!self.last.q.val() && (!self.to_engine.val() || self.found_ready.val())));
        self.read.next = self.reads.val()
            && self.in_valid.val()
            && (!self.holds.q.val()
                || (!self.last.q.val() && (!self.to_engine.val() || self.found_ready.val())));

        // The beat that is held next.
        self.holds.d.next = self.holds.q.val() && !self.moves.val();
        for i in 0..WORDS {
            self.beat[i].d.next = self.beat[i].q.val();
        }
        if self.begin.val() && !self.begin_restores.val() {
            self.holds.d.next = true;
            self.last.d.next = false;
            for i in 0..WORDS {
                self.beat[i].d.next = self.nothing.val();
            }
            self.beat[0].d.next =
                self.begin_header.val() | bit_cast::<WORD, BLOCK>(self.begin_cta.val());
            self.beat[1].d.next = bit_cast::<WORD, EPOCH>(self.begin_epoch.val());
        }
        if self.packet.val() {
            self.holds.d.next = true;
            self.last.d.next = self.packet_ends.val();
            for i in 0..WORDS {
                self.beat[i].d.next = self.packet_beat[i].val();
            }
            if self.header.val() {
                self.beat[0].d.next = (self.packet_beat[0].val() & self.above_block.val())
                    | bit_cast::<WORD, BLOCK>(self.block.q.val());
            }
            if self.packet_ends.val() {
                for i in 0..WORDS {
                    self.beat[i].d.next = self.nothing.val();
                }
                self.beat[0].d.next =
                    self.end_header.val() | bit_cast::<WORD, BLOCK>(self.block.q.val());
                self.beat[1].d.next = bit_cast::<WORD, COUNT>(self.counted.val());
                self.beat[2].d.next = self.checked.val();
            }
        }
        if self.read.val() {
            self.holds.d.next = true;
            self.last.d.next = self.in_last.val();
            for i in 0..WORDS {
                self.beat[i].d.next = self.in_beat[i].val();
            }
        }

        // The context.
        self.count.d.next = self.counted.val();
        self.check.d.next = self.checked.val();
        if self.packet.val() {
            self.left.d.next = self.left.q.val() - 1;
            if self.header.val() {
                self.left.d.next =
                    bit_cast::<LENGTH, WORD>(self.packet_beat[0].val() >> self.length_at.val());
            }
        }
        if self.to_engine.val() && self.moves.val() {
            self.left.d.next = self.left.q.val() - 1;
            if self.header.val() {
                self.left.d.next =
                    bit_cast::<LENGTH, WORD>(self.beat[0].q.val() >> self.length_at.val());
            }
        }
        if self.begin.val() {
            self.block.d.next = self.begin_cta.val();
            self.epoch.d.next = self.begin_epoch.val();
            self.left.d.next = self.none_left.val();
            self.count.d.next = self.no_count.val();
            self.check.d.next = self.nothing.val();
        }

        // From step to step.
        match self.step.q.val() {
            Step::Idle => {
                self.verdict.d.next = self.accepted.val();
                if self.begin_valid.val() {
                    self.step.d.next = Step::Saving;
                    if self.begin_restores.val() {
                        self.step.d.next = Step::Opening;
                    }
                }
            }
            Step::Saving => {
                if self.packet.val() && self.packet_ends.val() {
                    self.step.d.next = Step::Ending;
                }
            }
            Step::Ending => {
                if self.moves.val() && self.last.q.val() {
                    self.step.d.next = Step::Verdict;
                }
            }
            Step::Opening => {
                if self.moves.val() {
                    self.verdict.d.next = self.settled.val();
                    self.step.d.next = Step::Draining;
                    if self.settled.val() == self.accepted.val() {
                        self.step.d.next = Step::Restoring;
                    }
                    if self.last.q.val() {
                        self.step.d.next = Step::Verdict;
                    }
                }
            }
            Step::Restoring => {
                if self.moves.val() && !self.to_engine.val() {
                    self.verdict.d.next = self.settled.val();
                    self.step.d.next = Step::Draining;
                    if self.last.q.val() {
                        self.step.d.next = Step::Verdict;
                    }
                }
            }
            Step::Draining => {
                if self.moves.val() && self.last.q.val() {
                    self.step.d.next = Step::Verdict;
                }
            }
            Step::Verdict => {
                if self.ended_ready.val() {
                    self.step.d.next = Step::Idle;
                }
            }
        }

        self.begin_ready.next = self.step.q.val() == Step::Idle;
        self.out_valid.next = self.saves.val() && self.holds.q.val();
        self.out_last.next =
            (self.step.q.val() == Step::Ending) && self.holds.q.val() && self.last.q.val();
        self.found_valid.next = self.holds.q.val() && self.to_engine.val();
        self.found_header.next = self.holds.q.val() && self.to_engine.val() && self.header.val();
        for i in 0..WORDS {
            self.out_beat[i].next = self.beat[i].q.val();
            self.found_beat[i].next = self.beat[i].q.val();
        }
        self.ended_valid.next = self.step.q.val() == Step::Verdict;
        self.ended_verdict.next = self.accepted.val();
        if self.step.q.val() == Step::Verdict {
            self.ended_verdict.next = self.verdict.q.val();
        }
    }
}
