//! Figures that share their runs: each kernel runs by itself, and what its runs have counted is drawn afterwards.

use indicatif::ProgressBar;
use miette::{Result, miette};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::code::Code;
use crate::experiments::ordered::Value;

/// What is drawn, and of what.
#[derive(Clone, Debug)]
pub struct Request {
    /// Figures of one family, in its order.
    pub figures: Vec<&'static str>,
    /// Kernels or programs that run; all without one.
    pub kernels: Vec<String>,
    /// What the kernels are.
    pub code: Code,
    /// Thread blocks of kernels, as a multiple; of programs, sixteenths of the range that is run.
    pub scale: u32,
    /// SMs of the GPU.
    pub sms: u32,
    /// Entries of the replay queue.
    pub queue: usize,
    /// Runs with the first thread block on another SM each time.
    pub runs: u64,
    /// Whether the runs of which only the page tells are wanted too.
    pub has_page: bool,
    /// What is typed for it.
    pub command: String,
}

impl Request {
    /// Whether a figure is asked for.
    pub fn has(&self, figure: &str) -> bool {
        self.figures.contains(&figure)
    }

    /// The same for one kernel.
    pub fn of_kernel(&self, kernel: &str) -> Self {
        Self {
            kernels: vec![kernel.to_owned()],
            ..self.clone()
        }
    }

    /// Whether what runs is what the paper has run, on as many SMs.
    pub fn is_the_papers(&self, sms: u32) -> bool {
        self.kernels.is_empty() && self.sms == sms
    }
}

/// An option that not all figures take, as it is typed.
pub type Taken = &'static str;

/// Figures that share their runs.
pub trait Family: Sync {
    /// What the runs of a kernel have counted.
    type Rows: Serialize + DeserializeOwned;

    /// The names of its figures.
    fn figures(&self) -> &'static [&'static str];

    /// The paper, and what the figures are, in a line.
    fn about(&self) -> &'static str;

    /// The options that it takes: of `--code`, `--kernels`, `--scale`, `--sms`, `--queue` and `--runs`.
    fn takes(&self) -> &'static [Taken];

    /// SMs of the paper's GPU.
    fn sms(&self) -> u32 {
        16
    }

    /// Kernels and scale of a run that takes minutes; all kernels without one.
    fn small(&self) -> (&'static [&'static str], u32) {
        (&[], 1)
    }

    /// The kernels that run, each by itself.
    fn kernels(&self, request: &Request) -> Vec<&'static str>;

    /// The figures of a request that have a picture; of figures that share one, the first.
    fn drawn(&self, request: &Request) -> Vec<&'static str> {
        request.figures.clone()
    }

    /// Runs a kernel in all ways that the figures compare.
    ///
    /// # Errors
    /// If a run does not come to its end, or to another one than it should.
    fn run(&self, request: &Request, kernel: &str) -> Result<Self::Rows>;

    /// What `--json` gives.
    ///
    /// # Errors
    /// If it is no JSON.
    fn json(&self, request: &Request, rows: &[Self::Rows]) -> Result<Value>;

    /// The figures for a terminal.
    fn text(&self, request: &Request, rows: &[Self::Rows]) -> String;

    /// The figures as a page.
    ///
    /// # Errors
    /// If it cannot be made.
    fn page(&self, request: &Request, rows: &[Self::Rows]) -> Result<String>;

    /// The pictures, each with its figure's name.
    ///
    /// # Errors
    /// If one cannot be drawn.
    fn pictures(&self, request: &Request, rows: &[Self::Rows]) -> Result<Vec<Picture>>;
}

/// A picture: what it is called, and it as SVG.
pub type Picture = (&'static str, String);

/// Figures as they are shown.
pub struct Drawn {
    pub json: Value,
    pub text: String,
    /// The page; empty if none is wanted.
    pub page: String,
    pub pictures: Vec<Picture>,
}

/// A family whose rows are text, so that those of another process can be drawn as well.
pub trait AnyFamily: Sync {
    fn figures(&self) -> &'static [&'static str];
    fn about(&self) -> &'static str;
    fn takes(&self) -> &'static [Taken];
    fn sms(&self) -> u32;
    fn small(&self) -> (&'static [&'static str], u32);
    fn kernels(&self, request: &Request) -> Vec<&'static str>;
    fn drawn(&self, request: &Request) -> Vec<&'static str>;

    /// The rows of a kernel as JSON.
    ///
    /// # Errors
    /// If a run does not come to its end, or to another one than it should.
    fn run(&self, request: &Request, kernel: &str) -> Result<String>;

    /// Draws the rows of all kernels. Pictures are drawn if they are wanted.
    ///
    /// # Errors
    /// If rows are not those of this family, or something cannot be drawn.
    fn draw(&self, request: &Request, rows: &[String], has_pictures: bool) -> Result<Drawn>;
}

impl<F: Family> AnyFamily for F {
    fn figures(&self) -> &'static [&'static str] {
        Family::figures(self)
    }

    fn about(&self) -> &'static str {
        Family::about(self)
    }

    fn takes(&self) -> &'static [Taken] {
        Family::takes(self)
    }

    fn sms(&self) -> u32 {
        Family::sms(self)
    }

    fn small(&self) -> (&'static [&'static str], u32) {
        Family::small(self)
    }

    fn kernels(&self, request: &Request) -> Vec<&'static str> {
        Family::kernels(self, request)
    }

    fn drawn(&self, request: &Request) -> Vec<&'static str> {
        Family::drawn(self, request)
    }

    fn run(&self, request: &Request, kernel: &str) -> Result<String> {
        let rows = Family::run(self, request, kernel)?;
        serde_json::to_string(&rows).map_err(|error| miette!("{kernel}: {error}"))
    }

    fn draw(&self, request: &Request, rows: &[String], has_pictures: bool) -> Result<Drawn> {
        let rows = rows.iter().map(|text| {
            let rows = serde_json::from_str(text);
            rows.map_err(|error| miette!("{}: {error}", request.figures.join(" ")))
        });
        let rows: Vec<F::Rows> = rows.collect::<Result<_>>()?;
        let page = match request.has_page {
            true => self.page(request, &rows)?,
            false => String::new(),
        };
        let pictures = match has_pictures {
            true => self.pictures(request, &rows)?,
            false => Vec::new(),
        };
        Ok(Drawn {
            json: self.json(request, &rows)?,
            text: self.text(request, &rows),
            page,
            pictures,
        })
    }
}

/// The kernels of a request that run.
pub fn asked(family: &dyn AnyFamily, request: &Request) -> Vec<&'static str> {
    let mut kernels = family.kernels(request);
    let own = &request.kernels;
    kernels.retain(|kernel| own.is_empty() || own.iter().any(|one| one == kernel));
    kernels
}

/// Runs the kernels of a request, several at once, with a bar that tells how far they are.
///
/// # Errors
/// That of the first kernel which fails, in their order.
pub fn run_all(
    family: &dyn AnyFamily,
    request: &Request,
    bar: &ProgressBar,
) -> Result<Vec<String>> {
    use rayon::prelude::*;
    let kernels = asked(family, request);
    let rows: Vec<Result<String>> = kernels
        .par_iter()
        .map(|kernel| {
            let rows = family.run(request, kernel);
            bar.inc(1);
            rows
        })
        .collect();
    rows.into_iter().collect()
}
