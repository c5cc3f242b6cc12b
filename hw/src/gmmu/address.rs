//! A page number with the bits above it that a canonical address has.

use rust_hdl::prelude::*;

use crate::params::PAGE_BITS;

/// Repeats the highest bit of a page number.
#[derive(LogicBlock)]
pub struct Address {
    /// The page number.
    pub page: Signal<In, Bits<PAGE_BITS>>,
    /// Bits 63 to 12 of the address.
    pub whole: Signal<Out, Bits<52>>,

    sign: Constant<Bits<PAGE_BITS>>,
    above: Constant<Bits<52>>,
}

impl Default for Address {
    fn default() -> Self {
        let ones = |bits: usize| (u64::MAX >> (64 - bits)) as LiteralType;
        Self {
            page: Signal::default(),
            whole: Signal::default(),
            sign: Constant::new((ones(PAGE_BITS) & !ones(PAGE_BITS - 1)).into()),
            above: Constant::new((ones(52) & !ones(PAGE_BITS)).into()),
        }
    }
}

impl Logic for Address {
    #[hdl_gen]
    fn update(&mut self) {
        self.whole.next = bit_cast::<52, PAGE_BITS>(self.page.val());
        if (self.page.val() & self.sign.val()).any() {
            self.whole.next = bit_cast::<52, PAGE_BITS>(self.page.val()) | self.above.val();
        }
    }
}
