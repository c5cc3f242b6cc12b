//! Operators, with literals on either side and nested without parentheses.

use faultline_macros::logic;
use rust_hdl::prelude::*;

use crate::expressions;

expressions! {
    /// Operators at `N` bits.
    Operators [const N: usize] Operators<N>, #[logic] self,
    inputs { a: Bits<N>, b: Bits<N>, p: Bit, q: Bit }
    constants { ones: Bits<N> = !Bits::<N>::default(), top: Bits<N> = Bits::<N>::default().replace_bit(N - 1, true), yes: Bit = true }
    outputs {
        add: Bits<N> = { self.a.val() + self.b.val() };
        sub: Bits<N> = { self.a.val() - self.b.val() };
        and: Bits<N> = { self.a.val() & self.b.val() };
        or: Bits<N> = { self.a.val() | self.b.val() };
        xor: Bits<N> = { self.a.val() ^ self.b.val() };
        not: Bits<N> = { !self.a.val() };
        equal: Bit = { self.a.val() == self.b.val() };
        differ: Bit = { self.a.val() != self.b.val() };
        less: Bit = { self.a.val() < self.b.val() };
        at_most: Bit = { self.a.val() <= self.b.val() };
        more: Bit = { self.a.val() > self.b.val() };
        at_least: Bit = { self.a.val() >= self.b.val() };

        add_literal: Bits<N> = { self.a.val() + 1 };
        sub_literal: Bits<N> = { self.a.val() - 1 };
        and_literal: Bits<N> = { self.a.val() & 1 };
        or_literal: Bits<N> = { self.a.val() | 1 };
        xor_literal: Bits<N> = { self.a.val() ^ 1 };
        literal_add: Bits<N> = { 1 + self.a.val() };
        literal_sub: Bits<N> = { 1 - self.a.val() };
        literal_less: Bits<N> = { 0 - self.a.val() };
        literal_and: Bits<N> = { 1 & self.a.val() };
        literal_or: Bits<N> = { 1 | self.a.val() };
        literal_xor: Bits<N> = { 1 ^ self.a.val() };
        equals_literal: Bit = { self.a.val() == 1 };
        differs_literal: Bit = { self.a.val() != 1 };
        below_literal: Bit = { self.a.val() < 1 };
        at_most_literal: Bit = { self.a.val() <= 1 };
        above_literal: Bit = { self.a.val() > 1 };
        at_least_literal: Bit = { self.a.val() >= 1 };
        literal_equals: Bit = { 1 == self.a.val() };
        literal_differs: Bit = { 1 != self.a.val() };
        literal_below: Bit = { 1 < self.a.val() };
        literal_at_most: Bit = { 1 <= self.a.val() };
        literal_above: Bit = { 1 > self.a.val() };
        literal_at_least: Bit = { 1 >= self.a.val() };
        sized_literal: Bits<N> = { bits::<N>(1) - self.b.val() };
        inverted_literal: Bits<N> = { !bits::<N>(1) & self.b.val() };
        assigned_literal: Bits<N> = { bits::<N>(1) };
        converted_literal: Bits<N> = { 1.into() };

        sum_with_constant: Bits<N> = { self.a.val() + self.ones.val() };
        constant_minus: Bits<N> = { self.top.val() - self.a.val() };
        above_constant: Bit = { self.a.val() >= self.top.val() };
        constant: Bits<N> = { self.top.val() };
        inverted_constant: Bits<N> = { !self.top.val() };

        // The three of which the upstream exporter makes something else.
        and_equals_literal: Bit = { self.a.val() & self.b.val() == 1 };
        next_equals: Bit = { self.a.val() + 1 == self.b.val() };
        half_of_next: Bits<N> = { (self.a.val() + 1) >> 1 };

        sum_below: Bit = { self.a.val() + self.b.val() < self.a.val() };
        difference_above: Bit = { self.a.val() - self.b.val() > self.b.val() };
        literal_equals_sum: Bit = { 1 == self.a.val() + self.b.val() };
        negated_below: Bit = { 0 - self.a.val() < self.b.val() };
        or_equals: Bit = { self.a.val() | self.b.val() == self.b.val() };
        xor_differs: Bit = { self.a.val() ^ self.b.val() != self.a.val() };
        not_equals: Bit = { !self.a.val() == self.b.val() };
        not_sum: Bits<N> = { !(self.a.val() + self.b.val()) };
        negative: Bits<N> = { !self.a.val() + 1 };
        not_not: Bits<N> = { !!self.a.val() };
        mixed: Bits<N> = { self.a.val() ^ self.b.val() & self.a.val() | !self.b.val() };
        mixed_sums: Bits<N> = { self.a.val() + self.b.val() & self.a.val() - self.b.val() | self.b.val() };
        left_chain: Bits<N> = { self.a.val() - self.b.val() - 1 };
        right_chain: Bits<N> = { self.a.val() - (self.b.val() - 1) };
        sum_chain: Bits<N> = { self.a.val() + self.b.val() + self.a.val() - (1 + self.b.val()) };
        and_chain: Bits<N> = { self.a.val() & (self.b.val() & self.a.val()) };
        half_of_sum: Bits<N> = { (self.a.val() + self.b.val()) >> 1 };
        half_of_difference: Bits<N> = { (self.a.val() - self.b.val()) >> 1 };
        doubled_halved: Bits<N> = { (self.a.val() << 1) >> 1 };
        doubled_plus: Bits<N> = { (self.a.val() << 1) + self.b.val() };
        shifted_equals: Bit = { self.a.val() << 1 == self.b.val() };

        add_bit: Bits<N> = { self.a.val() + self.p.val() };
        add_two_bits: Bits<N> = { self.a.val() + self.p.val() + self.q.val() };
        add_comparison: Bits<N> = { self.a.val() + (self.a.val() < self.b.val()) };
        add_true: Bits<N> = { self.a.val() + true };
        add_bit_equals: Bit = { self.a.val() + self.p.val() == self.b.val() };
        half_of_sum_with_bit: Bits<N> = { (self.a.val() + self.p.val()) >> 1 };

        all: Bit = { self.a.val().all() };
        any: Bit = { self.a.val().any() };
        parity: Bit = { self.a.val().xor() };
        all_of_sum: Bit = { (self.a.val() + self.b.val()).all() };
        any_of_sum: Bit = { (self.a.val() + self.b.val()).any() };
        parity_of_sum: Bit = { (self.a.val() + self.b.val()).xor() };
        any_of_not: Bit = { (!self.a.val()).any() };
        not_any: Bit = { !self.a.val().any() };
        any_and_all: Bit = { self.a.val().any() & self.b.val().all() };
        any_or_parity: Bit = { self.a.val().any() | self.b.val().xor() };
        parity_xor_all: Bit = { self.a.val().xor() ^ self.b.val().all() };
        any_equals: Bit = { self.a.val().any() == self.p.val() };

        both: Bit = { self.p.val() && self.q.val() };
        either: Bit = { self.p.val() || self.q.val() };
        neither: Bit = { !(self.p.val() || self.q.val()) };
        bit_and: Bit = { self.p.val() & self.q.val() };
        bit_or: Bit = { self.p.val() | self.q.val() };
        bit_xor: Bit = { self.p.val() ^ self.q.val() };
        bit_not: Bit = { !self.p.val() };
        bits_equal: Bit = { self.p.val() == self.q.val() };
        bits_differ: Bit = { self.p.val() != self.q.val() };
        bit_below: Bit = { self.p.val() < self.q.val() };
        bit_at_least: Bit = { self.p.val() >= self.q.val() };
        not_bit_equals: Bit = { !self.p.val() == self.q.val() };
        is_false: Bit = { self.p.val() == false };
        true_differs: Bit = { true != self.p.val() };
        or_false: Bit = { self.p.val() || false };
        constant_bit: Bit = { self.yes.val() && self.p.val() };
        assigned_true: Bit = { true };
        flag_chain: Bit = { self.p.val() && self.q.val() || !self.p.val() && !self.q.val() };
        flags_and_or_xor: Bit = { self.p.val() & self.q.val() | self.p.val() ^ self.q.val() };
        flag_or_equal: Bit = { self.p.val() || self.a.val() == self.b.val() && self.q.val() };
        equal_and_next: Bit = { self.a.val() == self.b.val() || self.a.val() + 1 != self.b.val() && self.p.val() };
        equal_equals: Bit = { (self.a.val() == self.b.val()) == self.p.val() };
        comparisons_and: Bit = { (self.a.val() < self.b.val()) & (1 < self.b.val()) };
        comparison_xor: Bit = { (self.a.val() < self.b.val()) ^ self.p.val() };
        comparison_below: Bit = { (self.a.val() < self.b.val()) < self.q.val() };
    }
}
