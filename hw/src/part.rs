//! What each field of a block receives, clock and reset, and what it gives, its memories.

use rust_hdl::prelude::*;

use crate::primitives::memory::MemoryUse;

/// What the struct of a block says of it, for its Verilog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Path of the struct, such as `faultline_hw::sm::replay_queue::ReplayQueue`.
    pub path: &'static str,
    /// Its doc comment.
    pub text: &'static str,
    /// Names and doc comments of the ports that have one.
    pub ports: &'static [(&'static str, &'static str)],
}

/// A field of a block. `#[block]` writes it for blocks; primitives have their own.
pub trait Part {
    /// What its struct says.
    fn about(&self) -> About {
        About::default()
    }

    /// Gives the clock and the reset to the inputs of these names, if there are any.
    fn wire(&mut self, clock: Clock, reset: Bit);
    /// Says to rust-hdl that these inputs are driven.
    fn connect_wires(&mut self);
    /// Gives clock and reset to every field.
    fn wire_parts(&mut self) {}
    /// Says to rust-hdl that those of the fields are driven.
    fn connect_parts(&mut self) {}
    /// The memories inside, in the order of the fields, that a flow may swap for macros.
    fn memories(&self) -> Vec<MemoryUse>;
}

/// Implements [`Part`] for several parts. They are alike, so their memories are those of the first, as often as there are parts.
macro_rules! parts {
    ([$($generics:tt)*] $parts:ty) => {
        impl<$($generics)*> Part for $parts {
            fn wire(&mut self, clock: Clock, reset: Bit) {
                self.iter_mut().for_each(|part| part.wire(clock, reset));
            }
            fn connect_wires(&mut self) {
                self.iter_mut().for_each(Part::connect_wires);
            }
            fn memories(&self) -> Vec<MemoryUse> {
                let mut found = self.first().map(Part::memories).unwrap_or_default();
                found.iter_mut().for_each(|memory| memory.instances *= self.len());
                found
            }
        }
    };
}

parts!([P: Part, const PARTS: usize] [P; PARTS]);
// Blocks whose constructor takes arguments.
parts!([P: Part] Vec<P>);

/// Implements [`Part`] for a primitive with these inputs, and with a memory that one of its methods describes.
#[macro_export]
macro_rules! part {
    ([$($generics:tt)*] $primitive:ty $(, $input:ident)* $(; $memory:ident)?) => {
        impl<$($generics)*> $crate::part::Part for $primitive {
            fn wire(&mut self, _clock: ::rust_hdl::prelude::Clock, _reset: ::rust_hdl::prelude::Bit) {
                $($crate::part!(@wire self, _clock, _reset, $input);)*
            }
            fn connect_wires(&mut self) {
                $(::rust_hdl::prelude::Logic::connect(&mut self.$input);)*
            }
            fn memories(&self) -> Vec<$crate::primitives::memory::MemoryUse> {
                vec![$(self.$memory())?]
            }
        }
    };
    (@wire $self:ident, $clock:ident, $reset:ident, clock) => { $self.clock.next = $clock };
    (@wire $self:ident, $clock:ident, $reset:ident, reset) => { $self.reset.next = $reset };
}
