//! The rust-hdl kernel as a back end.

use faultline_hw::ports::Hardware;
use faultline_hw::registry::Design;
use faultline_sim::ports::words_of;

use crate::backend::{Backend, BackendError, Kind};
use crate::layout::{Layout, offsets};

/// Passes over a block after which it must have settled; a path is never as long as that.
const MOST_PASSES: usize = 1000;

/// A kernel in simulation.
pub struct Kernel {
    design: &'static str,
    block: Box<dyn Hardware>,
    layout: Layout,
    input_offsets: Vec<usize>,
    output_offsets: Vec<usize>,
}

impl Kernel {
    /// A new kernel, every register and memory at 0.
    ///
    /// # Errors
    /// If its ports are not the model's.
    pub fn new(design: &Design, layout: Layout) -> Result<Self, BackendError> {
        let mut block = (design.build)();
        let inputs = block
            .inputs()
            .into_iter()
            .map(|(name, port)| (name, port.bits()))
            .collect::<Vec<_>>();
        let outputs = block
            .outputs()
            .into_iter()
            .map(|(name, port)| (name, port.bits()))
            .collect::<Vec<_>>();
        Ok(Self {
            design: design.name,
            input_offsets: offsets(design.name, Kind::RustHdl.name(), &layout.inputs, inputs)?,
            output_offsets: offsets(design.name, Kind::RustHdl.name(), &layout.outputs, outputs)?,
            block,
            layout,
        })
    }

    fn settle(&mut self) -> Result<(), BackendError> {
        for _ in 0..MOST_PASSES {
            self.block.update_all();
            if !self.block.has_changed() {
                return Ok(());
            }
        }
        Err(BackendError::Unsettled(self.design.to_owned()))
    }

    fn clock(&mut self, high: bool) -> Result<(), BackendError> {
        self.block.clock().next = high.into();
        self.settle()
    }
}

impl Backend for Kernel {
    fn kind(&self) -> Kind {
        Kind::RustHdl
    }

    fn run(&mut self, inputs: &[u64], outputs: &mut [u64]) -> Result<(), BackendError> {
        let cycles = inputs.chunks_exact(self.layout.input_words());
        for (inputs, outputs) in cycles.zip(outputs.chunks_exact_mut(self.layout.output_words())) {
            for ((_, port), &offset) in self.block.inputs().into_iter().zip(&self.input_offsets) {
                port.set(&inputs[offset..offset + words_of(port.bits())]);
            }
            self.settle()?;
            for ((_, port), &offset) in self.block.outputs().into_iter().zip(&self.output_offsets) {
                port.get(&mut outputs[offset..offset + words_of(port.bits())]);
            }
            self.clock(true)?;
            self.clock(false)?;
        }
        Ok(())
    }
}
