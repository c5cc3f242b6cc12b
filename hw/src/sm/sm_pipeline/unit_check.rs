//! What unit an instruction needs, and whether it is free.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::instruction::Units;
use crate::params::CLASS_BITS;

/// Reports which unit an instruction needs, and whether it is free. Decodes a class. Of arithmetic there are two units,
/// so it waits for none.
#[block]
pub struct UnitCheck {
    /// Class of the instruction.
    pub class: Signal<In, Bits<CLASS_BITS>>,
    /// Units and places that are free.
    pub free_units: Signal<In, Units>,
    /// The instruction needs the unit for special functions.
    pub special: Signal<Out, Bit>,
    /// The instruction needs the control unit.
    pub control: Signal<Out, Bit>,
    /// The instruction goes to the memory stage.
    pub memory: Signal<Out, Bit>,
    /// The instruction loads from global memory.
    pub load: Signal<Out, Bit>,
    /// The instruction stores to global memory.
    pub store: Signal<Out, Bit>,
    /// The unit and the places that the instruction needs are free, log entries left aside.
    pub free: Signal<Out, Bit>,
}

impl Logic for UnitCheck {
    #[logic]
    fn update(&mut self) {
        self.special.next = self.class.val() == 1;
        self.control.next = self.class.val() == 2;
        self.memory.next = self.class.val() > 2;
        self.load.next = self.class.val() == 4;
        self.store.next = self.class.val() == 5;
        self.free.next = (!self.special.val() || self.free_units.val().special)
            && (!self.memory.val() || self.free_units.val().memory)
            && (!(self.load.val() || self.store.val()) || self.free_units.val().place);
    }
}
