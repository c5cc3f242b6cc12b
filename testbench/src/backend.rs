//! What a lockstep runs: anything that turns packed input words into packed output words, cycle by cycle.

use std::fmt;
use std::str::FromStr;

use faultline_sim::ports::{Model, Ports};

use crate::layout::{Layout, LayoutError};

/// The implementations of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The plain-Rust model.
    Reference,
    /// The rust-hdl kernel.
    RustHdl,
    /// The exported Verilog, Verilated.
    Verilog,
}

impl Kind {
    /// All of them, the reference first.
    pub const ALL: [Self; 3] = [Self::Reference, Self::RustHdl, Self::Verilog];

    /// Those that this build has.
    pub fn built() -> impl Iterator<Item = Self> {
        Self::ALL
            .into_iter()
            .filter(|kind| *kind != Self::Verilog || cfg!(feature = "verilog"))
    }

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::RustHdl => "rust-hdl",
            Self::Verilog => "verilog",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|kind| kind.name() == name);
        known.ok_or_else(|| {
            format!("there is no back end {name}; there are reference, rust-hdl and verilog")
        })
    }
}

/// Why a back end cannot be had, or could not go on.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// Its ports are not the model's.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The build has no Verilator in it.
    #[error(
        "the back end verilog is not built in; install Verilator (`apt-get install verilator`) and build with \
         `--features verilog`, as in `cargo run --release --features verilog -- cosim`"
    )]
    NotBuilt,
    /// The design was not exported when this was built.
    #[error(
        "the Verilog of {0} was not built in: run `faultline export {0}` if there is no rtl-out/{0}.v, and build with \
         `--features {feature}`",
        feature = match faultline_hw::registry::designs().iter().any(|design| design.name == .0.as_str() && design.is(faultline_hw::registry::Tag::Large)) {
            true => "large",
            false => "verilog",
        },
    )]
    NotExported(String),
    /// The kernel has a combinational loop.
    #[error("the kernel of {0} does not settle: it has a combinational loop")]
    Unsettled(String),
}

/// An implementation of a block, in the middle of a run.
pub trait Backend {
    /// The kind of implementation.
    fn kind(&self) -> Kind;

    /// Runs as many cycles as the words hold. In each, the outputs are those before its clock edge.
    ///
    /// # Errors
    /// If it cannot go on.
    fn run(&mut self, inputs: &[u64], outputs: &mut [u64]) -> Result<(), BackendError>;
}

/// The reference model as a back end.
pub struct Reference<M: Model> {
    model: M,
    inputs: M::Inputs,
    parameters: M::Parameters,
    layout: Layout,
}

impl<M: Model> Reference<M> {
    /// A model after reset.
    pub fn new(parameters: M::Parameters) -> Self {
        Self {
            model: M::new(parameters.clone()),
            inputs: M::Inputs::default(),
            layout: Layout::of::<M>(&parameters),
            parameters,
        }
    }
}

impl<M: Model> Backend for Reference<M> {
    fn kind(&self) -> Kind {
        Kind::Reference
    }

    fn run(&mut self, inputs: &[u64], outputs: &mut [u64]) -> Result<(), BackendError> {
        let cycles = inputs.chunks_exact(self.layout.input_words());
        for (inputs, outputs) in cycles.zip(outputs.chunks_exact_mut(self.layout.output_words())) {
            self.inputs.unpack(&self.parameters, inputs);
            self.model
                .cycle(&self.inputs)
                .pack(&self.parameters, outputs);
        }
        Ok(())
    }
}
