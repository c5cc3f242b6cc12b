//! The file of a study: what it says, and where.

mod axes;
mod fields;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use miette::{Report, Result, miette};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, Deserializer as TomlDeserializer};

use super::figures::Figures;
use super::schema;
use super::workload::{Entry, Workload};
use crate::experiments::program;

use self::axes::{axes, baseline, check_keys, set};
use self::fields::Fields;

pub use self::axes::{Axis, Setting, shown};

/// What a file may say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(title = "Study")]
pub struct Tables {
    /// The GPU of a paper. It replaces the preset that the configuration names.
    #[schemars(with = "Option<String>")]
    preset: Option<Spanned<String>>,
    /// A configuration of the GPU, from the folder of this file. What it leaves out is the preset's.
    #[schemars(with = "Option<String>")]
    config: Option<Spanned<String>>,
    /// Figures by name, or all, in place of workloads and axes: each kernel of a figure is a run.
    #[schemars(with = "Option<Vec<String>>", length(min = 1))]
    figures: Option<Spanned<Vec<Spanned<String>>>>,
    /// How much the figures run: `small` or `paper`, which it is if absent.
    #[schemars(with = "Option<String>")]
    size: Option<Spanned<String>>,
    /// Of figures: the kernels or programs that run, by name, in place of all.
    #[schemars(with = "Option<Vec<String>>", length(min = 1))]
    kernels: Option<Spanned<Vec<Spanned<String>>>>,
    /// What runs.
    #[schemars(with = "Vec<Entry>", length(min = 1))]
    #[serde(default)]
    workloads: Option<Spanned<Vec<Spanned<Entry>>>>,
    /// Thread blocks of the kernels, as a multiple; 1 if absent. Of figures, sixteenths of the programs' ranges.
    #[schemars(with = "Option<u32>", range(min = 1, max = 1024))]
    scale: Option<Spanned<i64>>,
    /// Values of the configuration that hold in every run.
    #[schemars(schema_with = "schema::set")]
    #[serde(default)]
    set: Fields,
    /// What differs between the runs: a key of the configuration with its values, or a name with alternatives that each have
    /// a name and set several keys. All combinations run.
    #[schemars(schema_with = "schema::axes")]
    #[serde(default)]
    axes: Fields,
    /// A value of some axes. The performance of each run is relative to the run that has these, and equals it on the other axes.
    #[schemars(schema_with = "schema::baseline")]
    #[serde(default)]
    baseline: Fields,
}

/// The text of a file, and where it lies.
pub struct Source {
    name: String,
    text: String,
    /// Where paths in it begin.
    pub folder: PathBuf,
}

impl Source {
    /// What is wrong at a place.
    pub fn wrong(&self, span: &Range<usize>, sentence: impl fmt::Display) -> Report {
        let before = &self.text[..span.start.min(self.text.len())];
        let line = before.matches('\n').count() + 1;
        miette!("{}:{line}: {sentence}", self.name)
    }
}

/// A study as its file says it.
pub struct StudyFile {
    pub source: Source,
    /// The figures, if it is a study of figures.
    pub figures: Option<Figures>,
    pub preset: Option<Spanned<String>>,
    pub config: Option<Spanned<String>>,
    pub workloads: Vec<Workload>,
    /// What holds in every run.
    pub set: Vec<Setting>,
    pub axes: Vec<Axis>,
    /// Axes and their values, by number, of the runs that others are compared with.
    pub baseline: Vec<(usize, usize)>,
}

impl StudyFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or says what makes no sense: a sentence with file and line.
    pub fn read(path: &Path) -> Result<Self> {
        let text = program::text(path, "give a study in TOML")?;
        let source = Source {
            name: path.display().to_string(),
            text,
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
        };
        let of_toml = |error: toml::de::Error| {
            let sentence = error.message().trim().replace('\n', ", ");
            source.wrong(&error.span().unwrap_or(0..0), sentence)
        };
        let parsed = DeTable::parse(&source.text).map_err(of_toml)?;
        let tables = Tables::deserialize(TomlDeserializer::from(parsed)).map_err(of_toml)?;
        if let Some(names) = &tables.figures {
            check_alone(&source, &tables)?;
            let figures = Figures::read(&source, names, tables.kernels, tables.size, tables.scale)?;
            return Ok(Self {
                source,
                figures: Some(figures),
                preset: None,
                config: None,
                workloads: Vec::new(),
                set: Vec::new(),
                axes: Vec::new(),
                baseline: Vec::new(),
            });
        }
        if let Some(size) = &tables.size {
            let sentence = "size is that of figures; give scale, or figures";
            return Err(source.wrong(&size.span(), sentence));
        }
        if let Some(kernels) = &tables.kernels {
            let sentence = "kernels are those of figures; give workloads, or figures";
            return Err(source.wrong(&kernels.span(), sentence));
        }
        let workloads = Workload::all(&source, tables.workloads, tables.scale)?;
        let set = set(&source, &tables.set)?;
        let axes = axes(&source, &tables.axes)?;
        check_keys(&source, tables.preset.as_ref(), &set, &axes)?;
        let baseline = baseline(&source, &tables.baseline, &axes)?;
        Ok(Self {
            figures: None,
            preset: tables.preset,
            config: tables.config,
            workloads,
            set,
            axes: axes.into_iter().map(|(axis, _)| axis).collect(),
            baseline,
            source,
        })
    }
}

/// Fails if a study of figures says what figures have of their own.
fn check_alone(source: &Source, tables: &Tables) -> Result<()> {
    let fields = [
        ("set", &tables.set),
        ("axes", &tables.axes),
        ("baseline", &tables.baseline),
    ];
    let first = |(name, fields): (&'static str, &Fields)| {
        let (key, _) = fields.0.first()?;
        Some((name, key.span()))
    };
    let others = [
        tables
            .preset
            .as_ref()
            .map(|preset| ("preset", preset.span())),
        tables
            .config
            .as_ref()
            .map(|config| ("config", config.span())),
        tables
            .workloads
            .as_ref()
            .map(|all| ("workloads", all.span())),
    ];
    let mut others = others
        .into_iter()
        .flatten()
        .chain(fields.into_iter().filter_map(first));
    match others.next() {
        Some((name, span)) => Err(source.wrong(
            &span,
            format_args!("figures have GPUs and programs of their own: leave out {name}"),
        )),
        None => Ok(()),
    }
}
