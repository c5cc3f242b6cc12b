//! What `#[block]` and `#[logic]` write.

#![allow(clippy::precedence, clippy::single_match)] // kernels may be written so

use faultline_hw::part::Part;
use faultline_hw::primitives::memory::Memory;
use faultline_hw::primitives::register::Register;
use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::text;

#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Pair {
    low: Bits<3>,
    high: Bits<5>,
}

#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum State {
    Idle,
    Busy,
}

/// Makes the same block twice, by the attributes of this project and by those of rust-hdl, and compares the trees.
macro_rules! twice {
    ({ $($field:ident: $type:ty),* $(,)? }
        $hash:tt $ours:tt $same:tt $theirs:tt |$this:ident| { $($kernel:tt)* }
    ) => {
        #[block]
        pub struct Ours<const N: usize> { $(pub $field: $type,)* }
        impl<const N: usize> Logic for Ours<N> {
            $hash $ours
            fn update(&mut $this) { $($kernel)* }
        }
        #[derive(LogicBlock, Default)]
        pub struct Theirs<const N: usize> { $(pub $field: $type,)* }
        impl<const N: usize> Logic for Theirs<N> {
            $same $theirs
            fn update(&mut $this) { $($kernel)* }
        }
        let (mut ours, theirs) = (Ours::<4>::default().hdl(), Theirs::<4>::default().hdl());
        if let Verilog::Combinatorial(kernel) = &mut ours {
            kernel.remove(0); // what the struct says
        }
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    };
}

#[test]
fn the_tree_is_the_one_that_rust_hdl_builds() {
    twice!({
        a: Signal<In, Bits<8>>,
        b: Signal<In, Bits<N>>,
        p: Signal<In, Bit>,
        q: [Signal<In, Bit>; 4],
        pair: Signal<Local, Pair>,
        state: Signal<Local, State>,
        y: Signal<Out, Bits<8>>,
        z: [Signal<Out, Bit>; 4],
        w: Signal<Out, Bits<3>>,
        n: Signal<Out, Bits<N>>,
    } #[logic] #[hdl_gen] |self| {
        self.y.next = !(self.a.val() + 1) ^ (self.a.val() << 2) - (5 & self.a.val());
        for i in 0..N {
            self.z[i].next = self.q[N - 1 - i].val() || !self.p.val() && self.b.val().get_bit(i);
        }
        for i in 1..4 {
            if self.q[i].val() {
                self.z[i].next = (self.b.val() == i.to_bits::<N>()) != self.p.val();
            }
        }
        self.state.next = State::Idle;
        if self.p.val() {
            self.state.next = State::Busy;
        } else if self.a.val().any() && !self.b.val().all() {
            self.y.next = bit_cast::<8, N>(self.b.val()) | bits::<8>(0x81);
        } else {
            self.y.next = self.a.val().replace_bit(3, self.p.val());
        }
        self.pair.next.low = self.a.val().get_bits::<3>(2);
        self.pair.next.high = 7.into();
        self.w.next = self.pair.val().low;
        self.n.next = self.b.val() + self.p.val();
        match self.state.val() {
            State::Idle => self.n.next = self.b.val() >> 1,
            State::Busy => {
                if self.a.val() >= 9_u64 {
                    self.n.next = bit_cast::<N, 8>(self.a.val());
                }
            }
        }
        match self.p.val() {
            true => self.w.next = bits::<3>(6),
            _ => {}
        }
    });
}

/// A register that is reset with the block, and one whose reset is gated.
#[block]
pub struct Gated {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub off: Signal<In, Bit>,
    pub y: [Signal<Out, Bit>; 2],
    plain: Register<Bit>,
    gated: Register<Bit>,
}

impl Logic for Gated {
    #[logic]
    fn update(&mut self) {
        self.gated.reset.next = self.reset.val() || self.off.val();
        self.plain.d.next = !self.plain.q.val();
        self.gated.d.next = !self.gated.q.val();
        self.y[0].next = self.plain.q.val();
        self.y[1].next = self.gated.q.val();
    }
}

#[test]
fn clock_and_reset_are_wired_but_for_what_a_kernel_wires() {
    let text = text(&Gated::default());
    for wired in [
        "register #(.WIDTH(1)) plain (.clock(clock), .reset(reset), ",
        "register #(.WIDTH(1)) gated (.clock(clock), .reset(gated_reset), ",
        "assign gated_reset = reset || off;",
    ] {
        assert!(text.contains(wired), "no {wired} in {text}");
    }
    // The same in simulation: both registers turn, then one is held.
    let mut block = Gated::default();
    let mut turns = |off: bool| {
        block.off.next = off;
        for level in [false, true] {
            block.clock.next = level.into();
            for _ in 0..4 {
                block.update_all();
            }
        }
        [block.y[0].val(), block.y[1].val()]
    };
    assert_eq!(turns(false), [true, true]);
    assert_eq!(turns(false), [false, false]);
    assert_eq!(turns(true), [true, false]);
    assert_eq!(turns(true), [false, false]);
}

#[block(new(logs: bool))]
#[check(WORDS > 1, "{WORDS} words are no memory")]
pub struct Stores<const WORDS: usize> {
    pub clock: Signal<In, Clock>,
    #[init(Constant::new(logs))]
    logs: Constant<Bit>,
    #[init(Memory::new(WORDS, 1))]
    always: Memory<Bits<8>, 2, 1>,
    #[init(std::array::from_fn(|_| Memory::new(WORDS, 1)))]
    #[used(self.logs.val())]
    rows: [Memory<Bits<5>, 2, 1>; 3],
}

impl<const WORDS: usize> Logic for Stores<WORDS> {
    #[logic]
    fn update(&mut self) {
        self.always.enable.next = self.logs.val();
    }
}

#[test]
fn memories_are_those_of_the_fields_that_are_used() {
    let found = |logs| {
        let memories = Stores::<4>::new(logs).memories().into_iter();
        memories
            .map(|memory| (memory.module, memory.instances))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(false), [("sram_4x8".to_owned(), 1)]);
    let rows = ("sram_4x5".to_owned(), 3);
    assert_eq!(found(true), [("sram_4x8".to_owned(), 1), rows]);
}

#[test]
#[should_panic(expected = "1 words are no memory")]
fn sizes_that_do_not_fit_are_refused() {
    let _ = Stores::<1>::new(false);
}
