//! Power from activity: a mapped netlist is simulated, what switches is counted, and a cell library says what that takes.
//!
//! [`Circuit`] is the netlist, [`Cells`] what the library's Liberty file says of its cells. [`Simulator`] runs the netlist
//! on inputs that are set in each cycle, and its outputs can be compared with what they should be. [`Calculator`] turns the
//! [`Activity`] into an [`Estimate`]:
//!
//! - *Leakage* of a cell is that of the state of its pins in each cycle, where the library says so.
//! - *Internal* energy is looked up in the library's `internal_power` tables, at the transition time of the input and the
//!   load of the output, for every edge: rises and falls are counted each. The table is that whose `when` condition holds in
//!   the cycle of the edge, or the one without a condition where none holds; tables of several supplies add up. The edges of
//!   an output are divided among the inputs that turned it. Tables of input pins count with every edge of the pin. Inputs that
//!   turn in one cycle have no order: a condition is evaluated before and after the cycle's changes, and each counts half. So
//!   it is with the level of the clock, which falls in the middle of the cycle, before data turn as often as after. An output
//!   without a net is not counted; Yosys gives both outputs of a flip-flop one, and so both count.
//! - *Switching* energy is half of C V² for each change of a net that a cell or a memory drives: its pins, 10 fF for an
//!   output port, and the wire by the library's default wire-load model. Nets that come from input ports are charged by
//!   their drivers outside.
//! - The *clock* is ideal: it turns twice in a cycle at once, and charges its pins alone, without wires and buffers. What
//!   flip-flops take when it turns is in its internal power.
//! - *Memories* take their leakage, and a read's or a write's energy for each access.
//!
//! Transition times are found once, in topological order, at worst over the inputs of a cell, as static timing does; inputs
//! come from the library's driving cell.
//!
//! Not counted are glitches, because the simulation has no delays, and what only a layout shows: the clock tree, and wires as
//! they lie.

pub mod beside;
mod build;
mod calculate;
mod cells;
mod circuit;
mod counts;
mod electric;
pub(crate) mod function;
mod json;
mod lookup;
mod modules;
pub mod opensta;
mod saif;
mod simulator;
pub mod single;
mod store;
mod summary;
mod wires;

pub use calculate::{Calculator, Estimate, InstancePower, Kind, Power};
pub use cells::Cells;
pub(crate) use cells::{Cell, Shows};
pub use circuit::{Circuit, Port};
pub use electric::Electric;
pub use modules::Modules;
pub use saif::saif;
pub use simulator::{Activity, NetActivity, Simulator};
pub use summary::csv;
