//! A page number with the bits above it that a canonical address has.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{PAGE_BITS, ones};

/// Extends a page number to a canonical one.
#[block]
pub struct Address {
    /// The page number.
    pub page: Signal<In, Bits<PAGE_BITS>>,
    /// Bits 63 to 12 of the address.
    pub whole: Signal<Out, Bits<52>>,

    #[init(Constant::new((ones(PAGE_BITS) & !ones(PAGE_BITS - 1)).into()))]
    sign: Constant<Bits<PAGE_BITS>>,
    #[init(Constant::new((ones(52) & !ones(PAGE_BITS)).into()))]
    above: Constant<Bits<52>>,
}

impl Logic for Address {
    #[logic]
    fn update(&mut self) {
        self.whole.next = bit_cast::<52, PAGE_BITS>(self.page.val());
        if (self.page.val() & self.sign.val()).any() {
            self.whole.next = bit_cast::<52, PAGE_BITS>(self.page.val()) | self.above.val();
        }
    }
}
