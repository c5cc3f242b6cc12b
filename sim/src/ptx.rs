//! PTX, the assembly language of compilers for CUDA: a reader of the subset that kernels use.
//!
//! [`parse`] reads a file to a tree in which registers, labels, variables and functions are numbers, and checks names, types
//! and operands after NVIDIA's *PTX ISA*, version 8. Comments name its sections.
//!
//! A text that is no PTX is an error with its line. A statement that is well formed and not supported is an item of
//! [`Module::unsupported`], so that all of them are known before anything runs. Not supported: half-precision types,
//! 8-bit floats, vectors as variables, votes, shuffles, matrices, surfaces, texture objects, calls through
//! registers, addresses in initializers.
//!
//! ```
//! let text = ".version 7.8 .target sm_35 .address_size 64
//!     .entry twice(.param .u64 to) {
//!         .reg .b64 %rd<2>; .reg .f32 %f<2>;
//!         ld.param.u64 %rd1, [to];
//!         ld.global.f32 %f1, [%rd1+4];
//!         add.f32 %f1, %f1, %f1;
//!         st.global.f32 [%rd1+4], %f1;
//!         ret;
//!     }";
//! let module = faultline_sim::ptx::parse(text)?;
//! assert_eq!(module.functions[0].body.len(), 5);
//! assert!(module.unsupported.is_empty());
//! # Ok::<(), faultline_sim::ptx::PtxError>(())
//! ```

mod body;
mod call;
mod cursor;
mod decode;
mod error;
mod instruction;
mod items;
mod lexer;
pub mod lower;
mod module;
mod operands;
mod scope;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod variables;
mod words;

pub use error::{Fault, PtxError};
pub use module::{
    Base, Class, Function, Instruction, Label, Module, Operand, Register, Symbol, Texture,
    Unsupported, Variable,
};
pub use summary::{KernelSummary, ParameterSummary, Summary, UnsupportedSummary};
pub use words::{Kind, Modifier, Modifiers, Opcode, Space, Special, Type};

use cursor::Parser;

/// Reads a file of PTX.
///
/// # Errors
/// If it is no PTX; the error names the line and what belongs there.
pub fn parse(text: &str) -> Result<Module, PtxError> {
    Parser::new(text)?.module()
}
