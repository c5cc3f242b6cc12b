//! Literals as large as the widths allow, and the product.

use faultline_macros::logic;
use rust_hdl::prelude::*;

use crate::expressions;

expressions! {
    /// Literals at every width, and the one product that `rust-hdl` has.
    Literals [] Literals, #[logic] self,
    inputs { a7: Bits<7>, a8: Bits<8>, a31: Bits<31>, a32: Bits<32>, a33: Bits<33>, a63: Bits<63>, a64: Bits<64>,
        a65: Bits<65>, a128: Bits<128>, x: Bits<16>, y: Bits<16> }
    constants { big: Bits<128> = bits::<128>(0xfeed_face_dead_beef) << 64 | 0x0123_4567_89ab_cdef }
    outputs {
        add_7: Bits<7> = { self.a7.val() + 0x7f };
        below_7: Bit = { self.a7.val() < 100 };
        sum_below_7: Bit = { self.a7.val() + 0x7f < 64 };
        add_8: Bits<8> = { 200 + self.a8.val() };
        below_8: Bit = { 200 < self.a8.val() };
        sum_equals_8: Bit = { self.a8.val() + 200 == 10 };
        add_31: Bits<31> = { self.a31.val() + 0x7fff_ffff };
        below_31: Bit = { self.a31.val() <= 0x4000_0000 };
        add_32: Bits<32> = { self.a32.val() + 0xffff_ffff_u64 };
        literal_minus_32: Bits<32> = { 0x8000_0000_u64 - self.a32.val() };
        below_32: Bit = { self.a32.val() < 0x8000_0000_u64 };
        add_33: Bits<33> = { self.a33.val() + 0x1_ffff_ffff_u64 };
        below_33: Bit = { self.a33.val() < 0x1_0000_0000_u64 };
        and_33: Bits<33> = { self.a33.val() & 0x1_0000_0001_u64 };
        small_33: Bits<33> = { self.a33.val() - 1 };
        add_63: Bits<63> = { self.a63.val() + 0x7fff_ffff_ffff_ffff_u64 };
        below_63: Bit = { 0x4000_0000_0000_0000_u64 > self.a63.val() };
        add_64: Bits<64> = { self.a64.val() + 0xffff_ffff_ffff_ffff_u64 };
        xor_64: Bits<64> = { 0xaaaa_aaaa_aaaa_aaaa_u64 ^ self.a64.val() };
        below_64: Bit = { self.a64.val() >= 0x8000_0000_0000_0000_u64 };
        add_65: Bits<65> = { self.a65.val() + 0xffff_ffff_ffff_ffff_u64 };
        minus_65: Bits<65> = { 0xffff_ffff_ffff_ffff_u64 - self.a65.val() };
        below_65: Bit = { self.a65.val() <= 0xffff_ffff_ffff_ffff_u64 };
        add_128: Bits<128> = { self.a128.val() + 0xffff_ffff_ffff_ffff_u64 };
        or_128: Bits<128> = { self.a128.val() | 0xffff_0000_0000_0000_u64 };
        below_128: Bit = { self.a128.val() < 0x8000_0000_0000_0000_u64 };
        not_128: Bits<128> = { !bits::<128>(0xffff_ffff_ffff_ffff_u64) & self.a128.val() };
        constant_128: Bits<128> = { self.big.val() - self.a128.val() };
        suffixed_128: Bits<128> = { self.a128.val() + 0x1_0000_0000_0000_0000_u128.to_bits::<128>() };
        suffixed_8: Bits<8> = { self.a8.val() + 7_u8.to_bits::<8>() };

        product: Bits<32> = { self.x.val() * self.y.val() };
        product_of_sums: Bits<32> = { (self.x.val() + 1) * (self.y.val() - self.x.val()) };
        product_sum: Bits<32> = { self.x.val() * self.y.val() + 0xffff_0000_u64 };
        product_equals: Bit = { self.x.val() * self.x.val() == self.a32.val() };
        product_part: Bits<16> = { (self.x.val() * self.y.val()).get_bits::<16>(16) };
        product_cast: Bits<16> = { bit_cast::<16, 32>(self.x.val() * self.y.val()) };
        product_shifted: Bits<32> = { (self.x.val() * self.y.val()) >> bit_cast::<4, 16>(self.x.val()) };
        any_product: Bit = { (self.x.val() * self.y.val()).all() };
    }
}
