//! What the figures run: kernels written by hand, or compiled programs.

use faultline_sim::machines::sm::Work;
use faultline_sim::programs::{PARBOIL, Program};
use faultline_sim::ptx::lower::Options;
use faultline_sim::simt::kernels::{KERNELS, Make};
use miette::Result;

use super::super::compiled::BackEnd;
use super::super::sm::PATTERNS;
use super::super::sm::workloads::Workloads;
use super::compiled;
use super::family::Request;

/// What is run.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Code {
    /// Kernels written by hand.
    Written,
    /// Compiled programs.
    #[default]
    Compiled,
}

impl Request {
    /// The kernels of a list that were asked for.
    pub fn workloads(&self, list: &[(&'static str, Make)]) -> Workloads {
        let names = list.iter().map(|(name, _)| (*name).to_owned());
        let names: Vec<String> = names.collect();
        let own = self.kernels.iter().filter(|kernel| names.contains(kernel));
        let workloads = match self.kernels.is_empty() {
            true => names.clone(),
            false => own.cloned().collect(),
        };
        Workloads {
            workloads,
            scale: Some(self.scale),
            blocks_per_sm: None,
            block_threads: None,
            launch: None,
            back_end: BackEnd::default(),
        }
    }

    /// The kernels or the programs of lists that were asked for.
    pub fn works(
        &self,
        kernels: &[(&'static str, Make)],
        programs: &[Program],
    ) -> Result<Vec<Work>> {
        if self.code == Code::Compiled {
            return compiled::works(programs, &self.kernels, self.scale, Options::default());
        }
        let workloads = self.workloads(kernels);
        // No name would be all kernels of Parboil's patterns.
        match workloads.workloads.is_empty() {
            true => Ok(Vec::new()),
            false => workloads.works(),
        }
    }

    /// What of Parboil is run.
    pub fn parboil(&self) -> Result<Vec<Work>> {
        self.works(&KERNELS, &PARBOIL)
    }

    /// The same, compiled in another way.
    pub fn parboil_with(&self, options: Options) -> Result<Vec<Work>> {
        compiled::works(&PARBOIL, &self.kernels, self.scale, options)
    }

    /// What is to be known of it, in a line of a picture.
    pub const fn caption(&self) -> &'static str {
        match self.code {
            Code::Written => PATTERNS,
            Code::Compiled => compiled::CAPTION,
        }
    }

    /// What is to be known of it.
    pub const fn about(&self) -> &'static str {
        match self.code {
            Code::Written => PATTERNS,
            Code::Compiled => compiled::PROGRAMS,
        }
    }
}
