//! What becomes of the Verilog: export, lockstep, cost, power, proofs, layout.

pub(crate) mod cocotb;
pub(crate) mod cosim;
pub(crate) mod cost;
pub(crate) mod equivalence;
pub(crate) mod explore;
pub(crate) mod export;
pub(crate) mod kit;
pub(crate) mod layout;
pub(crate) mod library;
pub(crate) mod power;
pub(crate) mod report;
pub(crate) mod sram;
