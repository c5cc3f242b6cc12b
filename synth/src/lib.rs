//! Area, timing and power of Faultline's blocks from open tools.
//!
//! [`yosys`] maps a design onto a cell [`library`], [`sta`] times the result through its memories,
//! [`sram`] says what the memories cost, and [`cost`] puts them beside the [`paper`]. [`power`] simulates the mapped netlist and
//! says what its activity takes, and [`equivalence`] proves it to be the design. [`kit`] makes folders that layout flows take as
//! they are, with the views of the memories that [`sram`] has, and [`layout`] places and routes a design with qflow.

pub mod cells;
pub mod cost;
pub mod designs;
pub mod equivalence;
pub mod error;
pub mod kit;
pub mod layout;
pub mod library;
pub mod paper;
pub mod power;
pub mod report;
pub mod sram;
pub mod sta;
pub mod table;
pub mod tool;
pub mod yosys;

pub use error::Error;
