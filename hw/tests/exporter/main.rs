//! The exporter: what it prints, and what it refuses, of small blocks.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_hw::verilog::verilog;
use rust_hdl::prelude::*;

/// A block with two inputs, two outputs `y` and `z`, further fields, constants of 8 bits, and a kernel.
macro_rules! block {
    (
        $name:ident { $($field:ident: $type:ty),* $(,)? $(; $($constant:ident: $value:literal),*)? }
        $hash:tt $attribute:tt |$this:ident| { $($kernel:tt)* }
    ) => {
        #[derive(LogicBlock)]
        pub struct $name {
            pub a: Signal<In, Bits<8>>,
            pub b: Signal<In, Bits<8>>,
            pub y: Signal<Out, Bits<8>>,
            pub z: Signal<Out, Bits<8>>,
            $(pub $field: $type,)*
            $($($constant: Constant<Bits<8>>,)*)?
        }
        impl Default for $name {
            fn default() -> Self {
                Self {
                    a: Default::default(),
                    b: Default::default(),
                    y: Default::default(),
                    z: Default::default(),
                    $($field: Default::default(),)*
                    $($($constant: Constant::new($value.into()),)*)?
                }
            }
        }
        impl Logic for $name {
            $hash $attribute
            fn update(&mut $this) { $($kernel)* }
        }
    };
}

// After the macro, which they see only so.
mod attributes;
mod kernels;
mod refusals;

/// The Verilog of a block.
fn text(block: &dyn Block) -> String {
    let (modules, _) =
        verilog(block, "block").unwrap_or_else(|error| panic!("it is refused: {error}"));
    modules.into_iter().map(|module| module.text).collect()
}

/// Asserts that a block is refused with one sentence that holds these words.
fn refused(block: &dyn Block, words: &[&str]) {
    let sentence = match verilog(block, "block") {
        Err(error) => error.to_string(),
        Ok((modules, _)) => panic!("it is printed:\n{}", modules[0].text),
    };
    for word in words {
        assert!(sentence.contains(word), "`{word}` is not in: {sentence}");
    }
    assert!(
        !sentence.contains('\n') && sentence.len() < 200,
        "{sentence}"
    );
}
