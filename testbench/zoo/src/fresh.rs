//! Blocks made field by field: `Default` cannot be derived for arrays of any length.

use faultline_hw::register::Register;
use rust_hdl::prelude::*;

/// A field of a block, every signal at zero.
pub trait Fresh {
    /// Makes it.
    fn fresh() -> Self;
}

impl<D: Direction, T: Synth> Fresh for Signal<D, T> {
    fn fresh() -> Self {
        Self::default()
    }
}

impl<T: Synth> Fresh for Register<T> {
    fn fresh() -> Self {
        Self::default()
    }
}

impl<F: Fresh, const L: usize> Fresh for [F; L] {
    fn fresh() -> Self {
        std::array::from_fn(|_| F::fresh())
    }
}

/// A specimen of expressions: `outputs { name: type = { expression }; }` becomes an output port and its assignment.
/// The attribute and the receiver, `#[hdl_gen] self`, are given because a macro's own `self` is not that of the
/// expressions.
#[macro_export]
macro_rules! expressions {
    ($(#[$meta:meta])* $name:ident [$($generics:tt)*] $block:ty, $hash:tt $kernel:tt $this:ident,
        inputs { $($input:ident: $input_type:ty),* $(,)? }
        constants { $($constant:ident: $constant_type:ty = $constant_value:expr),* $(,)? }
        outputs { $($output:ident: $output_type:ty = { $($expression:tt)* };)* }
    ) => {
        $(#[$meta])*
        #[derive(LogicBlock)]
        pub struct $name<$($generics)*> {
            pub clock: Signal<In, Clock>,
            pub reset: Signal<In, Bit>,
            $(pub $input: Signal<In, $input_type>,)*
            pub last: Signal<Out, Bit>,
            $(pub $output: Signal<Out, $output_type>,)*
            held: faultline_hw::register::Register<Bit>,
            $($constant: Constant<$constant_type>,)*
        }

        impl<$($generics)*> $crate::fresh::Fresh for $block {
            fn fresh() -> Self {
                Self {
                    clock: Default::default(),
                    reset: Default::default(),
                    $($input: Default::default(),)*
                    $($output: Default::default(),)*
                    last: Default::default(),
                    held: Default::default(),
                    $($constant: Constant::new($constant_value),)*
                }
            }
        }

        impl<$($generics)*> Logic for $block {
            $hash $kernel
            fn update(&mut $this) {
                // A register gives the clock, which every design has, something to do.
                $this.held.clock.next = $this.clock.val();
                $this.held.reset.next = $this.reset.val();
                $this.held.d.next = !$this.held.q.val();
                $this.last.next = $this.held.q.val();
                $($this.$output.next = $($expression)*;)*
            }
        }

        faultline_hw::hardware!([$($generics)*] $block {
            inputs: reset $(, $input)*;
            outputs: last $(, $output)*;
        });
    };
}
