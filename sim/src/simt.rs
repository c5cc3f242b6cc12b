//! A functional executor of GPU programs: instructions that carry values, so that what a warp leaves
//! behind after faults and replays can be compared with what it should have left.
//!
//! A [`Program`] is assembled from text ([`assemble`]) or built ([`Builder`]), and started as a
//! [`Launch`]. [`Execution`] executes it without faults and in program order: it is the oracle, and gives
//! each warp's stream of instructions with lanes and addresses, block by block; [`run`] keeps them all. A pipeline model executes the same
//! program in its own time, in the steps of its stages: [`Control::fetch`], [`Warp::read_operands`]
//! at operand read, [`execute`], which knows nothing but the operands, and [`commit`].

mod across;
mod arithmetic;
mod assembler;
mod builder;
mod control;
mod exception;
mod execute;
mod instruction;
pub mod kernels;
mod memory;
mod operation;
mod program;
mod run;
mod trace;
mod warp;

pub use across::{Shuffle, Vote};
pub use arithmetic::{
    Arithmetic, Comparison, ConversionRounding, Mode, Number, Real, RealOperation, Rounding, Test,
    Whole, WholeOperation,
};
pub use assembler::{AssemblyError, assemble};
pub use builder::{Builder, Reg};
pub use control::{Control, Fetched};
pub use exception::{Exception, Raised};
pub use execute::{Access, AccessKind, Effect, Operands, Sources, Write, commit, execute, raising};
pub(crate) use execute::{access, branch_taken, compute};
pub use instruction::{Instruction, Operand, SpecialRegister, ZERO_REGISTER};
pub use memory::{Cells, Constants, Memory, PAGE_BYTES, Shared};
pub use operation::{Atomic, Class, Condition, Operation, Relation, Space, Width};
pub use program::{MOST_INSTRUCTIONS, Program, ProgramError};
pub use run::{Execution, MOST_STEPS, Run, RunError, Step, WarpRun, run, run_within};
pub use trace::{WriteError, write_trace, write_traces};
pub use warp::{LANES, LOCAL_MEMORY, Lanes, Launch, Place, Registers, Warp};
