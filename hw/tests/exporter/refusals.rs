//! What the exporter refuses, each with one sentence.

use faultline_hw::primitives::register::Register;
use rust_hdl::prelude::*;

use crate::refused;

#[test]
fn a_read_between_two_writes_of_one_process_is_refused() {
    block!(Between { x: Signal<Local, Bits<8>> } #[hdl_gen] |self| {
        self.x.next = self.a.val();
        self.y.next = self.b.val();
        if self.a.val().any() {
            self.y.next = self.x.val();
            self.x.next = self.b.val();
        }
        self.z.next = self.b.val();
    });
    refused(
        &Between::default(),
        &["kernel of `block`", "`x`", "write it later"],
    );
}

#[test]
fn a_chain_that_runs_against_its_loop_is_refused() {
    block!(Against { chain: [Signal<Local, Bits<8>>; 4] } #[hdl_gen] |self| {
        for i in 0..3 {
            self.chain[i].next = self.chain[i + 1].val() ^ self.b.val();
        }
        self.chain[3].next = self.a.val();
        self.y.next = self.chain[0].val();
        self.z.next = self.b.val();
    });
    refused(&Against::default(), &["`chain`", "write it later"]);
}

#[test]
fn a_signal_that_depends_on_itself_is_refused() {
    block!(Own { x: Signal<Local, Bits<8>> } #[hdl_gen] |self| {
        self.x.next = self.x.val() & self.a.val();
        self.y.next = self.x.val();
        self.z.next = self.b.val();
    });
    refused(&Own::default(), &["`x`", "depends on itself"]);
}

#[test]
fn a_latch_is_refused() {
    block!(Latch {} #[hdl_gen] |self| {
        if self.a.val().any() {
            self.y.next = self.b.val();
        }
        self.z.next = self.b.val();
    });
    refused(&Latch::default(), &["`y`", "in every case"]);
}

#[test]
fn an_undriven_signal_is_refused() {
    block!(Undriven { x: Signal<Local, Bits<8>> } #[hdl_gen] |self| {
        self.y.next = self.a.val() + self.x.val();
        self.z.next = self.b.val();
    });
    refused(&Undriven::default(), &["`x`", "does not write every bit"]);
}

#[test]
fn an_undriven_child_is_refused() {
    block!(Child { held: Register<Bits<8>>, clock: Signal<In, Clock> } #[hdl_gen] |self| {
        self.held.clock.next = self.clock.val();
        self.held.d.next = self.a.val();
        self.y.next = self.held.q.val();
        self.z.next = self.b.val();
    });
    refused(
        &Child::default(),
        &["`held_reset`", "does not write every bit"],
    );
}

#[test]
fn an_array_with_a_missing_element_is_refused() {
    block!(Missing { x: [Signal<Local, Bits<8>>; 4] } #[hdl_gen] |self| {
        for i in 0..3 {
            self.x[i].next = self.a.val();
        }
        self.y.next = self.x[3].val();
        self.z.next = self.b.val();
    });
    refused(&Missing::default(), &["`x`", "does not write every bit"]);
}

#[test]
fn interfaces_are_refused() {
    #[derive(LogicInterface, Clone, Debug, Default)]
    #[join = "Taker"]
    pub struct Giver {
        pub data: Signal<In, Bits<8>>,
        pub taken: Signal<Out, Bit>,
    }
    #[derive(LogicInterface, Clone, Debug, Default)]
    #[join = "Giver"]
    #[expect(dead_code, reason = "an interface has two sides")]
    pub struct Taker {
        pub data: Signal<Out, Bits<8>>,
        pub taken: Signal<In, Bit>,
    }
    block!(Joined { port: Giver } #[hdl_gen] |self| {
        self.y.next = self.port.data.val();
        self.port.taken.next = true;
        self.z.next = self.a.val() + self.b.val();
    });
    refused(
        &Joined::default(),
        &["`port` is an interface", "plain signals"],
    );
}

#[test]
fn signed_signals_and_casts_are_refused() {
    block!(Negative { x: Signal<Local, Signed<8>> } #[hdl_gen] |self| {
        self.x.next = signed_cast(self.a.val());
        self.y.next = unsigned_cast(-self.x.val());
        self.z.next = self.b.val();
    });
    refused(&Negative::default(), &["`x` is signed", "not exported"]);
    block!(Casts {} #[hdl_gen] |self| {
        self.y.next = unsigned_cast(signed_cast(self.a.val()) + signed_cast(self.b.val()));
        self.z.next = self.b.val();
    });
    refused(&Casts::default(), &["signed arithmetic is not exported"]);
}

#[test]
fn a_literal_that_does_not_fit_is_refused() {
    block!(Large { wide: Signal<Local, Bits<33>> } #[hdl_gen] |self| {
        self.wide.next = bit_cast::<33, 8>(self.a.val()) + 0x2_0000_0000_u64;
        self.y.next = bit_cast::<8, 33>(self.wide.val());
        self.z.next = self.b.val();
    });
    refused(
        &Large::default(),
        &["literal 8589934592 does not fit 33 bits"],
    );
}

#[test]
fn a_shift_by_a_wide_amount_is_refused() {
    block!(Shift { wide: Signal<Local, Bits<65>> } #[hdl_gen] |self| {
        self.wide.next = bit_cast::<65, 8>(self.a.val());
        self.y.next = self.b.val() >> self.wide.val();
        self.z.next = self.b.val();
    });
    refused(&Shift::default(), &["a shift by more than 64 bits"]);
}

#[test]
fn operators_on_literals_alone_are_refused() {
    block!(Literals {} #[hdl_gen] |self| {
        self.y.next = self.a.val();
        for i in 0..7 {
            if self.a.val().get_bit(i + 1) {
                self.y.next = self.b.val();
            }
        }
        self.z.next = self.b.val();
    });
    refused(
        &Literals::default(),
        &["an operator has literals on both sides"],
    );
}

#[test]
fn names_that_would_meet_are_refused() {
    block!(Meet { held: Register<Bits<8>>, held_q: Signal<Local, Bits<8>>, clock: Signal<In, Clock> }
        #[hdl_gen] |self| {
        self.held.clock.next = self.clock.val();
        self.held.reset.next = false;
        self.held.d.next = self.a.val();
        self.held_q.next = self.b.val();
        self.y.next = self.held.q.val();
        self.z.next = self.held_q.val();
    });
    refused(&Meet::default(), &["two things would be called `held_q`"]);
}

#[test]
fn a_loop_index_with_the_name_of_a_signal_is_refused() {
    block!(Shadow { i: Signal<Local, Bits<8>> } #[hdl_gen] |self| {
        self.i.next = self.a.val();
        self.y.next = self.b.val();
        for i in 0..8 {
            if self.a.val().get_bit(i) {
                self.y.next = self.i.val();
            }
        }
        self.z.next = self.b.val();
    });
    refused(&Shadow::default(), &["`i` is a signal and a loop index"]);
}

#[test]
fn a_loop_in_a_loop_over_the_same_index_is_refused() {
    block!(Nested { x: [Signal<Local, Bit>; 4] } #[hdl_gen] |self| {
        for i in 0..4 {
            self.x[i].next = false;
            for i in 0..2 {
                self.x[i].next = self.a.val().get_bit(i);
            }
        }
        self.y.next = self.b.val() + self.x[0].val();
        self.z.next = self.b.val();
    });
    refused(&Nested::default(), &["a loop over `i` lies in another one"]);
}

mod inner {
    use rust_hdl::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, LogicState)]
    pub enum State {
        Idle,
        Busy,
    }
    block!(Inner { state: Signal<Out, State> } #[hdl_gen] |self| {
        self.state.next = State::Idle;
        if self.a.val().any() {
            self.state.next = State::Busy;
        }
        self.y.next = self.a.val();
        self.z.next = self.b.val();
    });
}

#[test]
fn two_enums_of_one_name_are_refused() {
    #[derive(Clone, Copy, Debug, PartialEq, LogicState)]
    pub enum State {
        Busy,
        Idle,
    }
    block!(Outer { inner: inner::Inner, state: Signal<Local, State> } #[hdl_gen] |self| {
        self.inner.a.next = self.a.val();
        self.inner.b.next = self.b.val();
        self.state.next = State::Idle;
        if self.b.val().any() {
            self.state.next = State::Busy;
        }
        self.y.next = self.inner.y.val() + (self.state.val() == State::Idle);
        self.z.next = self.inner.z.val();
    });
    refused(&Outer::default(), &["two enums have a variant `State::"]);
}
