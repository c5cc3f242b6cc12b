//! What becomes of divisions by zero and traps: the options of all that runs programs.

use faultline_sim::machines::sm::Response;
use faultline_sim::sm::sm_pipeline::Scheme;
use miette::{Result, miette};

use crate::value::integer_in;

/// What becomes of exceptions.
#[derive(clap::Args, Debug)]
pub struct Exceptions {
    /// What becomes of an instruction that divides by zero or traps: end (it ends the kernel), restart (a handler on the SM
    /// restarts its warp) or masked (nothing is raised). Restarted or masked, a division gives all ones, a remainder the
    /// dividend, and a trap nothing
    #[arg(long, value_name = "RESPONSE", value_parser = response)]
    exceptions: Option<Response>,
    /// Cycles for which that handler works on an instruction
    #[arg(long, value_name = "N", value_parser = integer_in::<u64>(1..=50_000))]
    exception_cycles: Option<u64>,
}

impl Exceptions {
    /// The response that is asked for.
    pub const fn response(&self) -> Option<Response> {
        self.exceptions
    }

    /// The cycles of the handler that are asked for.
    pub const fn cycles(&self) -> Option<u64> {
        self.exception_cycles
    }

    /// Whether these schemes can give the response, with the options that are given.
    ///
    /// # Errors
    /// If one squashes nothing and is to restart, or cycles are given and nothing restarts.
    pub fn check(&self, response: Response, schemes: &[Scheme]) -> Result<()> {
        if response != Response::Restart {
            return match self.exception_cycles {
                None => Ok(()),
                Some(_) => Err(miette!(
                    "--exception-cycles: no handler restarts anything, so give --exceptions restart too"
                )),
            };
        }
        match schemes.iter().find(|scheme| !scheme.squashes()) {
            None => Ok(()),
            Some(scheme) => Err(miette!(
                "{} squashes nothing, so no instruction that has raised an exception can be restarted: name other schemes with \
                 --scheme, or give --exceptions end or masked",
                scheme.name()
            )),
        }
    }
}

/// The response of a name.
fn response(name: &str) -> Result<Response, String> {
    Response::try_from(name.to_owned())
}
