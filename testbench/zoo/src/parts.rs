//! Shifts, single bits, parts and casts.

use faultline_macros::logic;
use rust_hdl::prelude::*;

use crate::expressions;

expressions! {
    /// Parts of `N` bits.
    ///
    /// A shift to the left of at most 32 bits by a large amount takes `rust-hdl` as many bits of memory, so `amount` has
    /// 8 bits; shifts by more than 64 bits and places beyond the width are refused by it.
    Parts [const N: usize] Parts<N>, #[logic] self,
    inputs { a: Bits<N>, b: Bits<N>, amount: Bits<8>, narrow: Bits<3>, wide: Bits<70>, p: Bit }
    constants { shift: Bits<3> = bits(5), pattern: Bits<N> = !(!Bits::<N>::default() << 3) }
    outputs {
        left_0: Bits<N> = { self.a.val() << 0 };
        left_1: Bits<N> = { self.a.val() << 1 };
        left_7: Bits<N> = { self.a.val() << 7 };
        left_31: Bits<N> = { self.a.val() << 31 };
        left_32: Bits<N> = { self.a.val() << 32 };
        left_33: Bits<N> = { self.a.val() << 33 };
        left_64: Bits<N> = { self.a.val() << 64 };
        left_200: Bits<N> = { self.a.val() << 200 };
        right_0: Bits<N> = { self.a.val() >> 0 };
        right_1: Bits<N> = { self.a.val() >> 1 };
        right_7: Bits<N> = { self.a.val() >> 7 };
        right_31: Bits<N> = { self.a.val() >> 31 };
        right_32: Bits<N> = { self.a.val() >> 32 };
        right_33: Bits<N> = { self.a.val() >> 33 };
        right_64: Bits<N> = { self.a.val() >> 64 };
        right_5000000000: Bits<N> = { self.a.val() >> 5000000000_u64 };
        left: Bits<N> = { self.a.val() << self.amount.val() };
        right: Bits<N> = { self.a.val() >> self.amount.val() };
        left_narrow: Bits<N> = { self.a.val() << self.narrow.val() };
        right_narrow: Bits<N> = { self.a.val() >> self.narrow.val() };
        left_sum: Bits<N> = { self.a.val() << (self.amount.val() + 1) };
        right_difference: Bits<N> = { self.a.val() >> (self.narrow.val() - 1) };
        right_masked: Bits<N> = { self.a.val() >> (self.amount.val() & 7) };
        right_not: Bits<N> = { self.a.val() >> !self.narrow.val() };
        left_cast: Bits<N> = { self.a.val() << bit_cast::<5, 8>(self.amount.val()) };
        left_constant: Bits<N> = { self.a.val() << self.shift.val() };
        there_and_back: Bits<N> = { (self.a.val() << self.narrow.val()) >> self.narrow.val() };
        left_of_sum: Bits<N> = { (self.a.val() + self.b.val()) << self.narrow.val() };
        right_of_sum: Bits<N> = { (self.a.val() + self.b.val()) >> self.narrow.val() };
        right_of_not: Bits<N> = { !self.a.val() >> self.narrow.val() };
        left_of_constant: Bits<N> = { self.pattern.val() << self.amount.val() };
        left_of_sized: Bits<N> = { bits::<N>(1) << self.amount.val() };
        right_of_negative: Bits<N> = { (0 - self.a.val()) >> self.narrow.val() };
        shifts_equal: Bit = { self.a.val() >> self.narrow.val() == self.b.val() >> self.narrow.val() };
        shifts_added: Bits<N> = { (self.a.val() << 1) + (self.b.val() >> 1) };
        literal_left: Bits<64> = { 1 << self.amount.val() };
        literal_right: Bits<64> = { 0x8000_0000_0000_0001_u64 >> self.amount.val() };
        literal_left_equals: Bit = { 1 << self.narrow.val() == 0xffff_ffff_u64 & bit_cast::<64, 70>(self.wide.val()) };
        // A literal is shifted by the low 64 bits of the amount.
        literal_left_by_any: Bits<64> = { 3 << self.a.val() };
        literal_right_by_any: Bits<64> = { 0xffff_ffff_0000_0000_u64 >> self.a.val() };
        literal_left_by_wide: Bits<64> = { 7 << self.wide.val() };
        literal_left_by_sum: Bits<64> = { 7 << (self.wide.val() + 3) };

        first_bit: Bit = { self.a.val().get_bit(0) };
        first_bit_of_sum: Bit = { (self.a.val() + self.b.val()).get_bit(0) };
        first_bit_of_not: Bit = { (!self.a.val()).get_bit(0) };
        top_bit: Bit = { (self.a.val() >> self.amount.val()).get_bit(0) };
        bit_of_narrow: Bit = { self.narrow.val().get_bit(2) };
        bit_of_cast: Bit = { bit_cast::<129, N>(self.a.val()).get_bit(128) };
        variable_bit: Bit = { bit_cast::<8, N>(self.a.val()).get_bit(self.narrow.val().index()) };
        variable_bit_of_wide: Bit = { bit_cast::<256, N>(self.b.val()).get_bit(self.amount.val().index()) };
        bit_of_constant: Bit = { self.shift.val().get_bit(0) };
        bits_and: Bit = { self.a.val().get_bit(0) && !self.b.val().get_bit(0) };
        bit_equals: Bit = { self.a.val().get_bit(0) == self.narrow.val().get_bit(1) };

        low_4: Bits<4> = { self.a.val().get_bits::<4>(0) };
        next_4: Bits<4> = { self.a.val().get_bits::<4>(1) };
        all_bits: Bits<N> = { self.a.val().get_bits::<N>(0) };
        beyond: Bits<N> = { self.a.val().get_bits::<N>(1) };
        longer: Bits<129> = { self.a.val().get_bits::<129>(1) };
        middle: Bits<33> = { self.wide.val().get_bits::<33>(31) };
        last_bits: Bits<8> = { self.wide.val().get_bits::<8>(69) };
        none: Bits<8> = { self.wide.val().get_bits::<8>(70) };
        low_of_sum: Bits<4> = { (self.a.val() + self.b.val()).get_bits::<4>(0) };
        high_of_sum: Bits<4> = { (self.a.val() + self.b.val()).get_bits::<4>(1) };
        low_of_not: Bits<4> = { (!self.a.val()).get_bits::<4>(0) };
        part_of_part: Bits<3> = { self.wide.val().get_bits::<40>(20).get_bits::<3>(38) };
        part_of_constant: Bits<2> = { self.shift.val().get_bits::<2>(1) };
        variable_part: Bits<4> = { self.wide.val().get_bits::<4>(self.narrow.val().index()) };
        variable_part_of_sum: Bits<4> = { (self.wide.val() + 3).get_bits::<4>(self.narrow.val().index()) };
        variable_part_beyond: Bits<80> = { self.wide.val().get_bits::<80>(self.narrow.val().index()) };
        variable_part_of_any: Bits<N> = { bit_cast::<255, N>(self.a.val()).get_bits::<N>(self.amount.val().index()) };
        parts_equal: Bit = { self.a.val().get_bits::<4>(0) == self.b.val().get_bits::<4>(1) };
        sum_of_parts: Bits<4> = { self.a.val().get_bits::<4>(0) + self.b.val().get_bits::<4>(1) };
        sum_in_part: Bits<4> = { self.a.val().get_bits::<4>(0) + 1 };
        part_shifted: Bits<4> = { self.a.val().get_bits::<4>(0) << self.narrow.val() };

        replaced_first: Bits<N> = { self.a.val().replace_bit(0, self.p.val()) };
        replaced_twice: Bits<N> = { self.a.val().replace_bit(0, self.p.val()).replace_bit(0, !self.p.val()) };
        replaced_in_sum: Bits<N> = { (self.a.val() + self.b.val()).replace_bit(0, self.a.val() == self.b.val()) };
        replaced_variable: Bits<256> = { bit_cast::<256, N>(self.a.val()).replace_bit(self.amount.val().index(), self.p.val()) };
        replaced_literal: Bits<70> = { self.wide.val().replace_bit(69, true).replace_bit(32, false) };
        replaced_by_sum: Bits<8> = { self.amount.val().replace_bit((self.narrow.val() + 1).index(), self.p.val()) };
        replaced_plus: Bits<N> = { self.a.val().replace_bit(0, true) + self.b.val() };

        same: Bits<N> = { bit_cast::<N, N>(self.a.val()) };
        same_sum: Bits<N> = { bit_cast::<N, N>(self.a.val() + self.b.val()) };
        wider: Bits<129> = { bit_cast::<129, N>(self.a.val()) };
        wider_sum: Bits<129> = { bit_cast::<129, N>(self.a.val() + self.b.val()) };
        sum_of_wider: Bits<129> = { bit_cast::<129, N>(self.a.val()) + bit_cast::<129, N>(self.b.val()) };
        difference_of_wider: Bits<129> = { bit_cast::<129, N>(self.a.val()) - bit_cast::<129, N>(self.b.val()) };
        not_of_wider: Bits<129> = { !bit_cast::<129, N>(self.a.val()) };
        wider_not: Bits<129> = { bit_cast::<129, N>(!self.a.val()) };
        narrower: Bits<3> = { bit_cast::<3, N>(self.a.val()) };
        narrower_sum: Bits<3> = { bit_cast::<3, N>(self.a.val() + self.b.val()) };
        narrower_shift: Bits<3> = { bit_cast::<3, N>(self.a.val() >> self.narrow.val()) };
        there: Bits<N> = { bit_cast::<N, 3>(bit_cast::<3, N>(self.a.val())) };
        from_narrow: Bits<N> = { bit_cast::<N, 3>(self.narrow.val()) };
        from_wide: Bits<N> = { bit_cast::<N, 70>(self.wide.val()) };
        from_amount: Bits<N> = { bit_cast::<N, 8>(self.amount.val()) + self.b.val() };
        narrow_equals: Bit = { bit_cast::<3, N>(self.a.val()) == self.narrow.val() };
        narrow_sum_equals: Bit = { bit_cast::<3, N>(self.a.val()) + 1 == self.narrow.val() };
        cast_literal: Bits<N> = { bit_cast::<N, 3>(bits::<3>(5)) };
        cast_in_sum: Bits<N> = { self.a.val() + bit_cast::<N, 3>(self.narrow.val() + 1) };
        half_of_cast_sum: Bits<N> = { bit_cast::<N, 129>((bit_cast::<129, N>(self.a.val()) + bit_cast::<129, N>(self.b.val())) >> 1) };
        any_of_cast: Bit = { bit_cast::<3, N>(self.a.val()).any() };
        all_of_wider: Bit = { bit_cast::<129, N>(self.a.val()).all() };
        not_part: Bit = { !self.a.val().get_bits::<4>(0).all() };
    }
}
