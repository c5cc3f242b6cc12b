//! The exporter of `rust-hdl` itself as a second opinion: Yosys proves that both Verilogs are the same where it is
//! right, and finds the inputs for which they are not where it is wrong.

#![allow(clippy::precedence)] // On purpose.

use std::process::Command;

use faultline_hw::verilog::verilog;
use rust_hdl::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Phase {
    Idle,
    Reading,
    Writing,
    Done,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Pair {
    low: Bits<7>,
    flag: Bit,
    phase: Phase,
}

/// What the upstream exporter prints as it is meant: one operator at a time, parentheses, literals that are only cut.
#[derive(LogicBlock, Default)]
struct Right<const N: usize> {
    a: Signal<In, Bits<N>>,
    b: Signal<In, Bits<N>>,
    narrow: Signal<In, Bits<3>>,
    word: Signal<In, Bits<7>>,
    p: Signal<In, Bit>,
    q: Signal<In, Bit>,
    add: Signal<Out, Bits<N>>,
    subtract: Signal<Out, Bits<N>>,
    bit_and: Signal<Out, Bits<N>>,
    bit_or: Signal<Out, Bits<N>>,
    bit_xor: Signal<Out, Bits<N>>,
    invert: Signal<Out, Bits<N>>,
    next: Signal<Out, Bits<N>>,
    negative: Signal<Out, Bits<N>>,
    masked: Signal<Out, Bits<N>>,
    mixed: Signal<Out, Bits<N>>,
    left: Signal<Out, Bits<N>>,
    right: Signal<Out, Bits<N>>,
    half: Signal<Out, Bits<N>>,
    compare: Signal<Out, Bits<8>>,
    logical: Signal<Out, Bit>,
    reduced: Signal<Out, Bit>,
    first: Signal<Out, Bit>,
    picked: Signal<Out, Bit>,
    part: Signal<Out, Bits<3>>,
    cut: Signal<Out, Bits<3>>,
    longer: Signal<Out, Bits<64>>,
    replaced: Signal<Out, Bits<7>>,
    chosen: Signal<Out, Bits<N>>,
    matched: Signal<Out, Bits<N>>,
    any_set: Signal<Out, Bit>,
    low: Signal<Out, Bits<7>>,
    flag: Signal<Out, Bit>,
    is_reading: Signal<Out, Bit>,
    pair: Signal<Local, Pair>,
    phase: Signal<Local, Phase>,
    flags: [Signal<Local, Bit>; 8],
    chain: [Signal<Local, Bit>; 8],
}

impl<const N: usize> Logic for Right<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.add.next = self.a.val() + self.b.val();
        self.subtract.next = self.a.val() - self.b.val();
        self.bit_and.next = self.a.val() & self.b.val();
        self.bit_or.next = self.a.val() | self.b.val();
        self.bit_xor.next = self.a.val() ^ self.b.val();
        self.invert.next = !self.a.val();
        self.next.next = 1 + self.a.val();
        self.negative.next = 0 - self.a.val();
        self.masked.next = self.a.val() & 0x55;
        self.mixed.next = (self.a.val() + self.b.val()) ^ (self.a.val() & !self.b.val());
        self.left.next = self.a.val() << self.narrow.val();
        self.right.next = self.a.val() >> self.narrow.val();
        self.half.next = self.a.val() >> 1;
        self.compare.next = bits::<8>(0)
            .replace_bit(0, self.a.val() == self.b.val())
            .replace_bit(1, self.a.val() != self.b.val())
            .replace_bit(2, self.a.val() < self.b.val())
            .replace_bit(3, self.a.val() <= self.b.val())
            .replace_bit(4, self.a.val() > self.b.val())
            .replace_bit(5, self.a.val() >= self.b.val())
            .replace_bit(6, 17 == self.a.val())
            .replace_bit(7, self.a.val() < 100);
        self.logical.next = (self.p.val() && self.q.val()) || !(self.p.val() || self.q.val());
        self.reduced.next = self.a.val().any() && !self.b.val().all() && self.a.val().xor();
        self.first.next = self.a.val().get_bit(0);
        self.picked.next = self.word.val().get_bit(6);
        self.part.next = self.a.val().get_bits::<3>(2);
        self.cut.next = bit_cast::<3, N>(self.a.val());
        self.longer.next = bit_cast::<64, N>(self.a.val());
        self.replaced.next = self.word.val().replace_bit(3, self.p.val());

        self.chosen.next = self.b.val();
        if self.p.val() {
            self.chosen.next = self.a.val();
        } else if self.a.val() < self.b.val() {
            self.chosen.next = self.a.val() + self.b.val();
        }

        self.phase.next = Phase::Idle;
        if self.p.val() && self.q.val() {
            self.phase.next = Phase::Reading;
        } else if self.p.val() {
            self.phase.next = Phase::Writing;
        } else if self.q.val() {
            self.phase.next = Phase::Done;
        }
        match self.phase.val() {
            Phase::Idle => self.matched.next = self.a.val(),
            Phase::Reading => self.matched.next = self.b.val(),
            Phase::Writing => self.matched.next = !self.b.val(),
            _ => self.matched.next = bits::<N>(3),
        }

        for i in 0..7 {
            self.flags[i].next = self.word.val().get_bit(i);
        }
        self.flags[7].next = self.p.val();
        self.chain[0].next = self.flags[0].val();
        for i in 1..8 {
            self.chain[i].next = self.chain[i - 1].val() || self.flags[i].val();
        }
        self.any_set.next = self.chain[7].val();

        self.pair.next.low = self.word.val();
        self.pair.next.flag = self.q.val();
        self.pair.next.phase = self.phase.val();
        self.low.next = self.pair.val().low;
        self.flag.next = self.pair.val().flag;
        self.is_reading.next = self.pair.val().phase == Phase::Reading;
    }
}

/// One expression of two inputs of 8 bits.
macro_rules! wrong {
    ($name:ident: $type:ty = $hash:tt $kernel:tt |$this:ident| { $($expression:tt)* }) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            a: Signal<In, Bits<8>>,
            b: Signal<In, Bits<8>>,
            y: Signal<Out, $type>,
        }
        impl Logic for $name {
            $hash $kernel
            fn update(&mut $this) { $this.y.next = $($expression)*; }
        }
    };
}
wrong!(AndEquals: Bit = #[hdl_gen] |self| { self.a.val() & self.b.val() == 1 });
wrong!(NextEquals: Bit = #[hdl_gen] |self| { self.a.val() + 1 == self.b.val() });
wrong!(HalfOfNext: Bits<8> = #[hdl_gen] |self| { (self.a.val() + 1) >> 1 });

/// Has Yosys compare the two Verilogs of a block for all inputs: `goal` is `-verify` or `-falsify`.
fn compare<B: Block + Default>(goal: &str) {
    let mut block = B::default();
    block.connect_all();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("upstream.v"), generate_verilog(&block)).unwrap();
    let (modules, _) = verilog(&block, "own").unwrap();
    let text: String = modules.into_iter().map(|module| module.text).collect();
    std::fs::write(folder.path().join("own.v"), text).unwrap();
    let script = format!(
        "read_verilog upstream.v; rename top upstream; read_verilog own.v; proc; flatten; opt_clean; \
         miter -equiv -flatten upstream own miter; hierarchy -top miter; opt -full; \
         sat {goal} -prove trigger 0 -show-inputs miter"
    );
    let text = crate::succeed(
        Command::new("yosys")
            .args(["-p", &script])
            .current_dir(folder.path()),
    );
    let found = if goal == "-verify" {
        "proof finished - no model found: SUCCESS!"
    } else {
        "proof finished - model found: FAIL!"
    };
    assert!(text.contains(found), "{text}");
}

#[test]
fn both_exporters_agree_where_upstream_is_right() {
    compare::<Right<8>>("-verify");
    compare::<Right<33>>("-verify");
}

#[test]
fn upstream_loses_the_parentheses_of_and_equals() {
    compare::<AndEquals>("-falsify");
}

#[test]
fn upstream_keeps_the_carry_of_a_sum_in_a_comparison() {
    compare::<NextEquals>("-falsify");
}

#[test]
fn upstream_keeps_the_carry_of_a_sum_that_is_shifted() {
    compare::<HalfOfNext>("-falsify");
}
