//! Two attributes with which a signal is named once: [`macro@block`] on a block's struct, [`macro@logic`] on its kernel.

use proc_macro::TokenStream;

mod block;
mod connect;
mod holds;
mod kernel;
#[cfg(test)]
mod mistakes;
mod text;

/// Makes a block of a struct whose fields are signals, constants, and other blocks, alone or in arrays.
///
/// It derives rust-hdl's `Block`. From the fields it writes a constructor, `Part` and `Hardware`.
///
/// The constructor is `Default`, or `new` with `#[block(new(argument: Type, ...))]`. It makes a field as its type's default
/// and each element of an array anew. `#[init(expression)]` on the field says otherwise.
///
/// `Part` gives the clock and the reset of the block to every field that has them. The memories of the fields are those of
/// the block. `#[used(condition)]` on a field leaves out a memory that the configuration does not use.
///
/// `Hardware` comes with `#[block(top)]`. It gives the public signals by name, in the order of the struct.
///
/// `#[check(condition, "message {N}")]` on the struct panics in the constructor where the condition does not hold.
#[proc_macro_attribute]
pub fn block(arguments: TokenStream, item: TokenStream) -> TokenStream {
    block::block(arguments.into(), item.into()).into()
}

/// Makes rust-hdl's `Logic` of a kernel, `fn update(&mut self)`: the kernel itself, behind the wiring of clock and reset
/// that `#[block]` wrote; `connect`, which says what it drives; and `hdl`, its syntax tree, as a text that one reader
/// for all kernels takes apart when it is asked for.
///
/// What the kernel wires itself, a gated reset for one, wins.
///
/// A register that is written under conditions alone holds its value otherwise: `self.x.d.next = self.x.q.val();` goes before
/// the first statement that writes `self.x.d.next`. Of an array of registers that two loops write, the hold is written by hand.
#[proc_macro_attribute]
pub fn logic(arguments: TokenStream, item: TokenStream) -> TokenStream {
    kernel::logic(&arguments.into(), &item.into()).into()
}
