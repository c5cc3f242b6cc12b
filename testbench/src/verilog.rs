//! The exported Verilog, Verilated, as a back end.

use std::ffi::c_void;

use crate::backend::{Backend, BackendError, Kind};
use crate::layout::{Layout, offsets};

// The runtime of Verilator, that the Verilated designs call.
extern crate verilated as _;

/// A Verilated design, as the build script made it.
pub struct Compiled {
    /// Name of the module.
    pub name: &'static str,
    /// Input ports but the clock, and their bits.
    pub inputs: &'static [(&'static str, usize)],
    /// Output ports, and their bits.
    pub outputs: &'static [(&'static str, usize)],
    /// The functions of its shim.
    pub functions: Functions,
}

/// The `extern "C"` functions of a design's shim.
#[derive(Clone, Copy)]
pub struct Functions {
    /// Makes a simulation.
    pub create: unsafe extern "C" fn() -> *mut c_void,
    /// Ends a simulation.
    pub destroy: unsafe extern "C" fn(*mut c_void),
    /// Runs cycles.
    pub run: Run,
}

/// Runs cycles: simulation; for each input, then each output, the word at which it starts; packed inputs and their words
/// a cycle; packed outputs and their words a cycle; cycles.
pub type Run =
    unsafe extern "C" fn(*mut c_void, *const usize, *const u64, usize, *mut u64, usize, usize);

include!(concat!(env!("OUT_DIR"), "/designs.rs"));

/// A Verilated design in simulation.
pub struct Verilated {
    simulation: *mut c_void,
    functions: Functions,
    offsets: Vec<usize>,
    input_words: usize,
    output_words: usize,
}

impl Verilated {
    /// A fresh simulation of a design, every register and memory at 0.
    ///
    /// # Errors
    /// If the design was not exported when this was built, or its ports are not the model's.
    pub fn new(name: &str, layout: Layout) -> Result<Self, BackendError> {
        let compiled = DESIGNS.iter().find(|compiled| compiled.name == name);
        let compiled = compiled.ok_or_else(|| BackendError::NotExported(name.to_owned()))?;
        Self::from_compiled(compiled, &layout)
    }

    /// A fresh simulation of a design that another build script made.
    ///
    /// # Errors
    /// If its ports are not the model's.
    pub fn from_compiled(compiled: &Compiled, layout: &Layout) -> Result<Self, BackendError> {
        let place = |model, found: &[(&'static str, usize)]| {
            offsets(
                compiled.name,
                Kind::Verilog.name(),
                model,
                found.iter().copied(),
            )
        };
        let mut offsets = place(&layout.inputs, compiled.inputs)?;
        offsets.extend(place(&layout.outputs, compiled.outputs)?);
        Ok(Self {
            // SAFETY: `create` has no requirements.
            simulation: unsafe { (compiled.functions.create)() },
            functions: compiled.functions,
            offsets,
            input_words: layout.input_words(),
            output_words: layout.output_words(),
        })
    }
}

impl Backend for Verilated {
    fn kind(&self) -> Kind {
        Kind::Verilog
    }

    fn run(&mut self, inputs: &[u64], outputs: &mut [u64]) -> Result<(), BackendError> {
        let cycles = (inputs.len() / self.input_words).min(outputs.len() / self.output_words);
        // SAFETY: the simulation is alive until `drop`; there is an offset for each port of the shim, all ports lie
        // inside the words of a cycle (`offsets` checked names and widths against the layout), and both slices hold
        // the words of so many cycles.
        unsafe {
            (self.functions.run)(
                self.simulation,
                self.offsets.as_ptr(),
                inputs.as_ptr(),
                self.input_words,
                outputs.as_mut_ptr(),
                self.output_words,
                cycles,
            );
        }
        Ok(())
    }
}

impl Drop for Verilated {
    fn drop(&mut self) {
        // SAFETY: `create` made it, and nothing uses it any more.
        unsafe { (self.functions.destroy)(self.simulation) }
    }
}
