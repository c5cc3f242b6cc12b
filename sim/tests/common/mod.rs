//! What tests share.

pub mod cpu;
