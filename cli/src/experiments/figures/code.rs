//! What the figures run: kernels written by hand, or compiled programs.

use faultline_sim::machines::sm::Work;
use faultline_sim::programs::PARBOIL;
use faultline_sim::ptx::lower::Options;
use faultline_sim::simt::kernels::{KERNELS, Make};
use miette::Result;

use super::super::compiled::BackEnd;
use super::super::sm::PATTERNS;
use super::super::sm::workloads::Workloads;
use super::{Args, compiled, handling};

/// What is run.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Kernels written by hand.
    Written,
    /// Compiled programs.
    Compiled,
}

impl Args {
    /// The kernels of a list that were asked for.
    pub(super) fn workloads(&self, list: &[(&'static str, Make)]) -> Workloads {
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

    /// What of Parboil is run.
    pub(super) fn parboil(&self) -> Result<Vec<Work>> {
        match self.code {
            Code::Written => self.workloads(&KERNELS).works(),
            Code::Compiled => {
                compiled::works(&PARBOIL, &self.kernels, self.scale, Options::default())
            }
        }
    }

    /// The same in a line of a picture.
    pub(super) const fn caption(&self) -> &'static str {
        match self.code {
            Code::Written => PATTERNS,
            Code::Compiled => compiled::CAPTION,
        }
    }

    /// The kernels or programs of a figure of handling.
    pub(super) fn of_figure(&self, figure: &handling::Figure) -> Result<Vec<Work>> {
        if self.code == Code::Compiled {
            let options = Options::default();
            return compiled::works(figure.programs, &self.kernels, self.scale, options);
        }
        let workloads = self.workloads(figure.kernels);
        // No name would be all kernels of Parboil's patterns.
        match workloads.workloads.is_empty() {
            true => Ok(Vec::new()),
            false => workloads.works(),
        }
    }

    /// What is to be known of these.
    pub(super) fn about_handling(&self) -> String {
        match self.code {
            Code::Written => handling::KERNELS_ARE.to_owned(),
            Code::Compiled => format!("{} {}", compiled::PROGRAMS, compiled::ALLOCATING_ARE),
        }
    }

    /// What is to be known of it.
    pub(super) const fn about(&self) -> &'static str {
        match self.code {
            Code::Written => PATTERNS,
            Code::Compiled => compiled::PROGRAMS,
        }
    }
}
