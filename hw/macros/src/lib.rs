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
///
/// # Example
///
/// ```ignore
/// /// Counts faults.
/// #[block(top)]
/// pub struct FaultCounter<const WIDTH: usize> {
///     /// Rising edge.
///     pub clock: Signal<In, Clock>,
///     /// Synchronous reset, active high.
///     pub reset: Signal<In, Bit>,
///     /// A fault occurs.
///     pub fault: Signal<In, Bit>,
///     /// Faults since the last reset.
///     pub total: Signal<Out, Bits<WIDTH>>,
///
///     count: Register<Bits<WIDTH>>,
/// }
/// ```
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
/// # Registers hold
///
/// A register that is written only under conditions holds its value in all other cases: `self.x.d.next = self.x.q.val();`
/// goes before the first statement that writes `self.x.d.next`. Outputs and local signals hold nothing: give them a value
/// first. The hold is written by hand for an array of registers that two loops write, or that a loop inside an `if` writes;
/// the exporter refuses the kernel without it.
///
/// # What a kernel may contain
///
/// - Assignments to `next` of a signal, or to a field of it.
/// - `if` and `else`; `match` on numbers, states and `_`, without guards; `for i in FROM..TO`.
/// - `+ - * & | ^ && || ! << >>` and comparisons.
/// - `val`, `into`, `index`, `to_bits`, `all`, `any`, `xor`, `get_bit`, `get_bits::<N>` and `replace_bit`.
/// - `bits`, `Bits` and `bit_cast`, which are casts.
///
/// Anything else, such as `let`, a macro or `while`, is an error that names what may stand in its place.
///
/// # Example
///
/// ```ignore
/// #[logic]
/// fn update(&mut self) {
///     if self.fault.val() {
///         self.count.d.next = self.count.q.val() + 1;
///     }
///     self.total.next = self.count.q.val();
/// }
/// ```
#[proc_macro_attribute]
pub fn logic(arguments: TokenStream, item: TokenStream) -> TokenStream {
    kernel::logic(&arguments.into(), &item.into()).into()
}
