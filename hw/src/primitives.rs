//! What blocks are made of: registers, memories, arbiters, and small functions of many bits.

pub mod age_order;
pub mod fixed_priority_arbiter;
pub mod lru_matrix;
pub mod masked_memory;
pub mod matrix_arbiter;
pub mod memory;
pub mod misr;
pub mod one_hot_mux;
pub mod one_hot_priority_encoder;
pub mod or_tree;
pub mod popcount;
pub mod range_mask;
pub mod register;
pub mod round_robin_arbiter;

use rust_hdl::prelude::{BlackBox, Verilog};

/// A primitive as an instance of the one module of a text, with a value for each parameter that the text declares. What
/// instantiates it writes the name with the values: `register #(.WIDTH(8))`.
fn instance(text: &str, parameters: &[(&str, usize)]) -> Verilog {
    let module = text.lines().find_map(|line| line.strip_prefix("module "));
    let module = module.and_then(|rest| rest.split(' ').next());
    let values: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!(".{name}({value})"))
        .collect();
    Verilog::Blackbox(BlackBox {
        name: format!("{} #({})", module.unwrap_or_default(), values.join(", ")),
        code: text.to_owned(),
    })
}
