//! Figures as a study: each kernel of each family of figures is a run.

use std::ops::Range;
use std::path::Path;

use miette::{Report, Result, miette};
use toml::Spanned;

use super::digest::Digest;
use super::file::Source;
use super::results::Results;
use super::runs::{Job, Run};
use crate::experiments::figures::family::{AnyFamily, Drawn, Request, asked};
use crate::experiments::figures::{self, Size, report};
use crate::experiments::ordered::Value;

/// What is asked of each family.
pub struct Figures {
    requests: Vec<(&'static dyn AnyFamily, Request)>,
}

/// A figure's kernel.
#[derive(Clone, Copy)]
pub struct Part {
    /// The number of its family among the requests.
    family: usize,
    kernel: &'static str,
}

impl Figures {
    /// Reads what a file says of figures.
    ///
    /// # Errors
    /// If there is no such figure, kernel, size or scale, or a figure does not take it, with the line that says so.
    pub fn read(
        source: &Source,
        names: &Spanned<Vec<Spanned<String>>>,
        kernels: Option<Spanned<Vec<Spanned<String>>>>,
        size: Option<Spanned<String>>,
        scale: Option<Spanned<i64>>,
    ) -> Result<Self> {
        let wrong = |span: Range<usize>, error: &str| source.wrong(&span, error);
        if names.get_ref().is_empty() {
            return Err(wrong(names.span(), "figures is empty; give names, or all"));
        }
        let mut all = Vec::new();
        for name in names.get_ref() {
            let known = figures::figure(name.get_ref());
            all.push(known.map_err(|error| {
                let name_is = format!("there is no figure {}; {error}", name.get_ref());
                wrong(name.span(), &name_is)
            })?);
        }
        if let Some(none) = kernels.as_ref().filter(|all| all.get_ref().is_empty()) {
            let sentence = "kernels is empty; give names, or leave it out for all";
            return Err(wrong(none.span(), sentence));
        }
        let kernels = kernels.map_or_else(Vec::new, Spanned::into_inner);
        for kernel in &kernels {
            figures::kernel(kernel.get_ref()).map_err(|error| {
                let name_is = format!("there is no kernel {}; {error}", kernel.get_ref());
                wrong(kernel.span(), &name_is)
            })?;
        }
        let size = match &size {
            None => Size::Paper,
            Some(size) => <Size as clap::ValueEnum>::from_str(size.get_ref(), false)
                .map_err(|_| wrong(size.span(), "size is small or paper"))?,
        };
        let of_study = |kernels: &[Spanned<String>], scale| {
            let kernels = kernels.iter().map(|kernel| kernel.get_ref().clone());
            figures::of_study(all.clone(), kernels.collect(), size, scale)
        };
        for kernel in &kernels {
            let own = of_study(std::slice::from_ref(kernel), None);
            own.map_err(|error| wrong(kernel.span(), &error.to_string()))?;
        }
        let Some(scale) = scale else {
            let requests = of_study(&kernels, None)?;
            return Ok(Self { requests });
        };
        let number = u32::try_from(*scale.get_ref()).ok();
        let number = number.filter(|number| (1..=16).contains(number));
        let is_number = "scale is a number of sixteenths, from 1 to 16";
        let number = number.ok_or_else(|| wrong(scale.span(), is_number))?;
        let requests = of_study(&kernels, Some(number));
        let requests = requests.map_err(|error| wrong(scale.span(), &error.to_string()))?;
        Ok(Self { requests })
    }

    /// The runs, in the order of the figures.
    pub fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        for (number, (family, request)) in self.requests.iter().enumerate() {
            for kernel in asked(*family, request) {
                let mut digest = Digest::default();
                digest.text("faultline", env!("CARGO_PKG_VERSION"));
                digest.text("figures", &request.command);
                digest.text("kernel", kernel);
                let part = Part {
                    family: number,
                    kernel,
                };
                runs.push(Run {
                    hash: digest.hash(),
                    job: Job::Figure(part),
                });
            }
        }
        runs
    }

    /// A run in words.
    pub fn described(&self, part: Part) -> String {
        let (_, request) = &self.requests[part.family];
        format!("{} of {}", part.kernel, request.figures.join(" "))
    }

    /// Runs a run, and returns what it has counted.
    ///
    /// # Errors
    /// If a run does not come to its end, or to another one than it should.
    pub fn run(&self, part: Part) -> Result<Value> {
        let (family, request) = &self.requests[part.family];
        let rows = family.run(request, part.kernel)?;
        serde_json::from_str(&rows).map_err(|error| miette!("{error}"))
    }

    /// Draws the figures of the results, which are all there.
    ///
    /// # Errors
    /// If a result is missing or is none, or something cannot be drawn.
    pub fn draw(&self, runs: &[Run], results: &Results) -> Result<Vec<(Request, Drawn)>> {
        let mut rows = vec![Vec::new(); self.requests.len()];
        for run in runs {
            let Job::Figure(part) = run.job else {
                continue;
            };
            let own = results.rows(run).and_then(|mut rows| rows.pop());
            let own = own.ok_or_else(|| miette!("the result of {} is missing", run.hash))?;
            let text = serde_json::to_string(&own);
            rows[part.family].push(text.map_err(|error| miette!("{error}"))?);
        }
        let draw =
            |((family, request), rows): (&(&'static dyn AnyFamily, Request), &Vec<String>)| {
                let drawn = family.draw(request, rows, true)?;
                Ok::<_, Report>((request.clone(), drawn))
            };
        self.requests.iter().zip(&rows).map(draw).collect()
    }
}

/// Writes the figures of a study to a folder.
///
/// # Errors
/// If one of its files cannot be written.
pub fn write(folder: &Path, study: &Path, all: &[(Request, Drawn)]) -> Result<()> {
    report::prepare(folder)?;
    let name = study.file_name().unwrap_or_default().to_string_lossy();
    report::write(folder, &format!("faultline study {name} --folder DIR"), all)
}
