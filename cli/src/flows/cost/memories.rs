//! What the memories are: the values of `--sram`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use faultline_synth::sram::compiled::Macros;
use faultline_synth::sram::{Cacti, Setting, Sram, Table};
use miette::{Result, miette};

use super::Choice;
use crate::output::quoted;
use crate::value::named;

/// The models that `--sram` knows by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// One read and one write port, and the paper's factor 1.5 for control
    PaperFit,
    /// One read-write port, control as synthesized
    SinglePort,
    /// Both settings, measured with the CACTI that is installed
    Cacti,
    /// Both settings, from the embedded table
    Both,
    /// Tiled from the macros of OpenRAM's embedded table, beside the setting with one port
    Openram,
}

impl Model {
    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// A value of `--sram`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A model.
    Model(Model),
    /// The Liberty file of a macro.
    Liberty(PathBuf),
    /// Neither: the name of a design, if it stands behind one of them.
    Name(String),
}

/// Reads a value of `--sram`.
///
/// # Errors
/// If it is empty.
pub fn given(text: &str) -> Result<Given, String> {
    let text = named(text)?;
    if let Ok(model) = Model::from_str(&text, false) {
        return Ok(Given::Model(model));
    }
    let is_liberty = text.ends_with(".lib") || text.ends_with(".lib.gz");
    Ok(match is_liberty || Path::new(&text).is_file() {
        true => Given::Liberty(PathBuf::from(text)),
        false => Given::Name(text),
    })
}

/// What rows are made with.
#[derive(Clone, Debug)]
pub struct Memories {
    /// Where the figures of CACTI's macros come from.
    pub sram: Sram,
    /// Their settings.
    pub settings: &'static [Setting],
    /// The macros of a memory compiler, beside the setting with one port.
    pub compiled: Option<Macros>,
}

impl Memories {
    /// What the options choose.
    ///
    /// # Errors
    /// If they make no sense, CACTI is missing, or a Liberty file cannot be read or has no macro.
    pub fn of(choice: &Choice) -> Result<Self> {
        let mut models = Vec::new();
        let mut files = Vec::new();
        for (place, value) in choice.sram.iter().enumerate() {
            match value {
                Given::Model(model) => models.push(*model),
                Given::Liberty(path) => files.push(path.clone()),
                Given::Name(name) if place == 0 => {
                    let known: Vec<String> = Model::value_variants()
                        .iter()
                        .map(|model| model.name())
                        .collect();
                    return Err(miette!(
                        "--sram {name}: there is no such model and no such file; give one of {}, or Liberty files of macros",
                        known.join(", ")
                    ));
                }
                // The name of a design, which is looked up with the others.
                Given::Name(_) => {}
            }
        }
        let failed = |error: faultline_synth::Error| miette!("{error}");
        let embedded = || Table::embedded().map(Sram::Table).map_err(failed);
        if !files.is_empty() {
            if choice.node.is_some() {
                return Err(miette!(
                    "--node is the node of CACTI's memories, and the macros of a Liberty file are of the node that they were \
                     compiled for; leave it away"
                ));
            }
            if !models.is_empty() {
                return Err(miette!(
                    "--sram takes a model or Liberty files, and not both; the rows of single-port are shown beside those of files"
                ));
            }
            return Ok(Self {
                sram: embedded()?,
                settings: &[Setting::SinglePort],
                compiled: Some(Macros::read(&files).map_err(failed)?),
            });
        }
        let [model] = models.as_slice() else {
            return Err(miette!(
                "--sram takes one model; give both for both settings"
            ));
        };
        if *model == Model::Openram && choice.node.is_some() {
            return Err(miette!(
                "--node is the node of CACTI's memories, and OpenRAM's are of 45 nm; leave it away"
            ));
        }
        Ok(Self {
            sram: match model {
                Model::Cacti => Sram::Cacti(Cacti::find().map_err(failed)?),
                _ => embedded()?,
            },
            settings: match model {
                Model::PaperFit => &[Setting::PaperFit],
                Model::SinglePort | Model::Openram => &[Setting::SinglePort],
                Model::Cacti | Model::Both => &Setting::ALL,
            },
            compiled: match model {
                Model::Openram => Some(Macros::openram().map_err(failed)?),
                _ => None,
            },
        })
    }
}

impl Choice {
    /// The designs that are named, those that stand behind the values of `--sram` too.
    pub fn named(&self) -> Vec<String> {
        let behind = self.sram.iter().filter_map(|value| match value {
            Given::Name(name) => Some(name.clone()),
            Given::Model(_) | Given::Liberty(_) => None,
        });
        self.designs.iter().cloned().chain(behind).collect()
    }

    /// The option as it makes the same rows again.
    pub fn sram_option(&self) -> String {
        let values = self.sram.iter().filter_map(|value| match value {
            Given::Model(model) => Some(model.name()),
            Given::Liberty(path) => Some(quoted(path.display())),
            Given::Name(_) => None,
        });
        format!("--sram {}", values.collect::<Vec<_>>().join(" "))
    }
}
