//! Specimens that are nothing but expressions.

/// A specimen of expressions: `outputs { name: type = { expression }; }` becomes an output port and its assignment.
/// The attribute and the receiver, `#[logic] self`, are given because a macro's own `self` is not that of the
/// expressions.
#[macro_export]
macro_rules! expressions {
    ($(#[$meta:meta])* $name:ident [$($generics:tt)*] $block:ty, $hash:tt $kernel:tt $this:ident,
        inputs { $($input:ident: $input_type:ty),* $(,)? }
        constants { $($constant:ident: $constant_type:ty = $constant_value:expr),* $(,)? }
        outputs { $($output:ident: $output_type:ty = { $($expression:tt)* };)* }
    ) => {
        $(#[$meta])*
        #[faultline_macros::block(top)]
        pub struct $name<$($generics)*> {
            pub clock: Signal<In, Clock>,
            pub reset: Signal<In, Bit>,
            $(pub $input: Signal<In, $input_type>,)*
            pub last: Signal<Out, Bit>,
            $(pub $output: Signal<Out, $output_type>,)*
            held: faultline_hw::primitives::register::Register<Bit>,
            $(
                #[init(Constant::new($constant_value))]
                $constant: Constant<$constant_type>,
            )*
        }

        impl<$($generics)*> Logic for $block {
            $hash $kernel
            fn update(&mut $this) {
                // A register gives the clock, which every design has, something to do.
                $this.held.d.next = !$this.held.q.val();
                $this.last.next = $this.held.q.val();
                $($this.$output.next = $($expression)*;)*
            }
        }
    };
}
