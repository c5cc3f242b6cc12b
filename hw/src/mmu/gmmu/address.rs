//! A page number with the bits above it that a canonical address has.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{VPN_BITS, ones};

/// Extends a page number to a canonical one.
#[block]
pub struct Address {
    /// Page number to extend.
    pub vpn: Signal<In, Bits<VPN_BITS>>,
    /// Bits 63 to 12 of the canonical address.
    pub whole: Signal<Out, Bits<52>>,

    #[init(Constant::new((ones(VPN_BITS) & !ones(VPN_BITS - 1)).into()))]
    sign: Constant<Bits<VPN_BITS>>,
    #[init(Constant::new((ones(52) & !ones(VPN_BITS)).into()))]
    above: Constant<Bits<52>>,
}

impl Logic for Address {
    #[logic]
    fn update(&mut self) {
        self.whole.next = bit_cast::<52, VPN_BITS>(self.vpn.val());
        if (self.vpn.val() & self.sign.val()).any() {
            self.whole.next = bit_cast::<52, VPN_BITS>(self.vpn.val()) | self.above.val();
        }
    }
}
