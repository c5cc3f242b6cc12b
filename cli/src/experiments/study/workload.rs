//! What a study runs.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use faultline_sim::launch_file::LaunchFile;
use faultline_sim::machines::sm::Work;
use faultline_sim::programs::{ALLOCATING, PARBOIL, Program, RODINIA};
use faultline_sim::ptx::lower::Options;
use faultline_sim::simt::kernels::named;
use faultline_sim::trace::Trace;
use miette::{Report, Result, miette};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use toml::Spanned;

use super::digest::Digest;
use super::file::Source;
use crate::experiments::compiled::{self, is_ptx};
use crate::experiments::program;
use crate::experiments::sm::workloads::{Workloads, known, labels};

/// Multiples of a kernel's thread blocks.
const SCALES: RangeInclusive<i64> = 1..=1024;
/// Sixteenths of a program's thread blocks.
const SIXTEENTHS: RangeInclusive<i64> = 1..=16;

/// A workload as a file says it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntryTable {
    /// What tables call it.
    name: Option<String>,
    /// A kernel by name, as of `faultline gpu`.
    kernel: Option<String>,
    /// A compiled program at the papers' problem size, by name.
    program: Option<String>,
    /// A file of PTX, from the folder of the study.
    ptx: Option<String>,
    /// An Accel-Sim trace, from the folder of the study.
    trace: Option<String>,
    /// Of PTX: its launch file, from the folder of the study; the file of the same name with .toml if absent.
    launch: Option<String>,
    /// Of a kernel: its thread blocks, as a multiple.
    #[schemars(range(min = 1, max = 1024))]
    scale: Option<i64>,
    /// Of a program: sixteenths of the thread blocks that its launch file names; 16 if absent.
    #[schemars(range(min = 1, max = 16))]
    sixteenths: Option<i64>,
}

/// A name or a file, or a table.
#[derive(Debug)]
pub enum Entry {
    Name(String),
    Table(Box<EntryTable>),
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Entries)
    }
}

/// Reads a workload.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Entry;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a kernel, a file or a table")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Entry, E> {
        Ok(Entry::Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Entry, A::Error> {
        let table = EntryTable::deserialize(MapAccessDeserializer::new(table))?;
        Ok(Entry::Table(Box::new(table)))
    }
}

impl JsonSchema for Entry {
    fn schema_name() -> Cow<'static, str> {
        "Workload".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<EntryTable>();
        let name = "A kernel by name, or a file of PTX (.ptx) or an Accel-Sim trace, from the folder of the study.";
        json_schema!({ "anyOf": [{ "description": name, "type": "string" }, table] })
    }
}

/// What it is.
enum Kind {
    Kernel {
        name: String,
        scale: u32,
    },
    Program {
        of: &'static Program,
        sixteenths: u32,
    },
    Ptx {
        path: PathBuf,
        launch: PathBuf,
    },
    Trace {
        path: PathBuf,
    },
}

/// A workload.
pub struct Workload {
    /// What tables call it.
    pub label: String,
    kind: Kind,
}

impl Workload {
    /// The workloads of a file, each with a name of its own.
    ///
    /// # Errors
    /// If there is none, or one is not there.
    pub fn all(
        source: &Source,
        entries: Option<Spanned<Vec<Spanned<Entry>>>>,
        scale: Option<Spanned<i64>>,
    ) -> Result<Vec<Self>> {
        let span = entries.as_ref().map_or(0..0, Spanned::span);
        let entries = entries.map_or_else(Vec::new, Spanned::into_inner);
        if entries.is_empty() {
            return Err(source.wrong(&span, "no workload is named; give workloads = [\"histo\"]"));
        }
        let multiple = scale.as_ref().map(|scale| {
            let number = *scale.get_ref();
            within(source, &scale.span(), "scale", number, SCALES)
        });
        let multiple = multiple.transpose()?;
        let mut is_scaled = false;
        let mut workloads = Vec::new();
        for entry in entries {
            let span = entry.span();
            let table = match entry.into_inner() {
                Entry::Table(table) => *table,
                Entry::Name(name) => table(source, &span, name)?,
            };
            is_scaled |= table.kernel.is_some() && table.scale.is_none();
            workloads.push(Self::new(source, &span, table, multiple.unwrap_or(1))?);
        }
        if let Some(scale) = scale
            && !is_scaled
        {
            let sentence =
                "scale: it is for kernels without a scale of their own, and there is none";
            return Err(source.wrong(&scale.span(), sentence));
        }
        let names: Vec<_> = workloads.iter().map(|one| one.label.clone()).collect();
        for (workload, label) in workloads.iter_mut().zip(labels(&names)) {
            workload.label = label;
        }
        Ok(workloads)
    }

    fn new(source: &Source, span: &Range<usize>, table: EntryTable, multiple: u32) -> Result<Self> {
        let wrong = |sentence: &str| source.wrong(span, sentence);
        let scale = table
            .scale
            .map(|scale| within(source, span, "scale", scale, SCALES));
        let scale = scale.transpose()?;
        let sixteenths = table.sixteenths;
        let sixteenths =
            sixteenths.map(|number| within(source, span, "sixteenths", number, SIXTEENTHS));
        let sixteenths = sixteenths.transpose()?;
        for (key, is_given, is_of_use, whose) in [
            ("scale", scale.is_some(), table.kernel.is_some(), "a kernel"),
            (
                "sixteenths",
                sixteenths.is_some(),
                table.program.is_some(),
                "a program",
            ),
            ("launch", table.launch.is_some(), table.ptx.is_some(), "PTX"),
        ] {
            if is_given && !is_of_use {
                return Err(wrong(&format!("{key}: it is for {whose}")));
            }
        }
        let there = |name: &str, give: &str| {
            let path = source.folder.join(name);
            let shown = path.display();
            match (path.is_dir(), path.is_file()) {
                (true, _) => Err(wrong(&format!("{shown} is a folder; {give}"))),
                (false, true) => Ok(path),
                (false, false) => Err(wrong(&format!("there is no file {shown}; {give}"))),
            }
        };
        let stem = |path: &Path| {
            path.file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        let (label, kind) = match (table.kernel, table.program, table.ptx, table.trace) {
            (Some(name), None, None, None) => {
                if named(&name).is_none() {
                    let all = known();
                    return Err(wrong(&format!(
                        "there is no kernel {name}; there are {all}"
                    )));
                }
                let scale = scale.unwrap_or(multiple);
                (name.clone(), Kind::Kernel { name, scale })
            }
            (None, Some(name), None, None) => {
                let of = Program::named(&name).ok_or_else(|| {
                    let all = PARBOIL.iter().chain(&RODINIA).chain(&ALLOCATING);
                    let all: Vec<_> = all.map(|program| program.name).collect();
                    let all = all.join(", ");
                    wrong(&format!("there is no program {name}; there are {all}"))
                })?;
                let sixteenths = sixteenths.unwrap_or(16);
                (name, Kind::Program { of, sixteenths })
            }
            (None, None, Some(name), None) => {
                let path = there(&name, "give a file of PTX")?;
                let launch = match table.launch {
                    Some(name) => there(&name, "give a launch file in TOML")?,
                    None => path.with_extension("toml"),
                };
                (stem(&path), Kind::Ptx { path, launch })
            }
            (None, None, None, Some(name)) => {
                let path = there(&name, "give a .traceg file or a kernelslist.g")?;
                (stem(&path), Kind::Trace { path })
            }
            _ => return Err(wrong("give one of kernel, program, ptx and trace")),
        };
        Ok(Self {
            label: table.name.unwrap_or(label),
            kind,
        })
    }

    /// Adds all that decides what it does.
    ///
    /// # Errors
    /// If a file cannot be read, or is none of PTX, a launch or a trace.
    pub fn digest(&self, digest: &mut Digest) -> Result<()> {
        match &self.kind {
            Kind::Kernel { name, scale } => {
                digest.text("kernel", name);
                digest.text("scale", &scale.to_string());
            }
            Kind::Program { of, sixteenths } => {
                digest.text("program", of.name);
                for text in of.texts() {
                    digest.text("text", text);
                }
                digest.text("sixteenths", &sixteenths.to_string());
            }
            Kind::Ptx { path, launch } => {
                // It is read before anything runs.
                compiled::module(path)?;
                if !launch.exists() {
                    return Err(miette!(
                        "{}: there is no launch file {}; write one, or give it with launch",
                        path.display(),
                        launch.display()
                    ));
                }
                let name = launch.display().to_string();
                let text = program::text(launch, "give a launch file in TOML")?;
                let file = LaunchFile::read(&text, &name).map_err(|error| miette!("{error}"))?;
                digest.text("ptx", &program::text(path, "give PTX")?);
                digest.text("launch", &text);
                let folder = launch.parent().unwrap_or(Path::new("."));
                for name in file.files() {
                    digest_file(digest, &folder.join(name))?;
                }
            }
            Kind::Trace { path } => {
                let trace = Trace::open(path).map_err(|error| miette!("{error}"))?;
                digest_file(digest, path)?;
                for kernel in trace.kernels.iter().filter(|kernel| *kernel != path) {
                    digest_file(digest, kernel)?;
                }
            }
        }
        Ok(())
    }

    /// What a GPU runs, one after the other.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn works(&self) -> Result<Vec<Work>> {
        let made = |name: String, scale: Option<u32>, launch: Option<&PathBuf>| {
            let workloads = Workloads {
                workloads: vec![name],
                scale,
                blocks_per_sm: None,
                block_threads: None,
                launch: launch.cloned(),
                back_end: compiled::BackEnd::default(),
            };
            workloads.works()
        };
        match &self.kind {
            Kind::Kernel { name, scale } => made(name.clone(), Some(*scale), None),
            Kind::Program { of, sixteenths } => {
                let work = of.work(*sixteenths, Options::default());
                Ok(vec![work.map_err(|error| miette!("{error}"))?])
            }
            Kind::Ptx { path, launch } => made(path.display().to_string(), None, Some(launch)),
            Kind::Trace { path } => made(path.display().to_string(), None, None),
        }
    }
}

/// A kernel or a file, as a table.
fn table(source: &Source, span: &Range<usize>, name: String) -> Result<EntryTable> {
    if named(&name).is_some() {
        return Ok(EntryTable {
            kernel: Some(name),
            ..EntryTable::default()
        });
    }
    let path = source.folder.join(&name);
    if path.is_dir() {
        let shown = path.display();
        let sentence = format!(
            "{shown} is a folder; give a file of PTX (.ptx) or an Accel-Sim trace (.traceg, kernelslist.g)"
        );
        return Err(source.wrong(span, sentence));
    }
    if !path.is_file() {
        let hint = match Program::named(&name) {
            Some(_) => format!("the program is {{ program = {name:?} }}"),
            None => format!("the kernels are {}", known()),
        };
        let sentence = format!("{name} is neither a file nor a kernel; {hint}");
        return Err(source.wrong(span, sentence));
    }
    Ok(match is_ptx(&name) {
        true => EntryTable {
            ptx: Some(name),
            ..EntryTable::default()
        },
        false => EntryTable {
            trace: Some(name),
            ..EntryTable::default()
        },
    })
}

/// A number in its range.
fn within(
    source: &Source,
    span: &Range<usize>,
    key: &str,
    number: i64,
    range: RangeInclusive<i64>,
) -> Result<u32> {
    let fits = u32::try_from(number)
        .ok()
        .filter(|_| range.contains(&number));
    fits.ok_or_else(|| {
        let (first, last) = (range.start(), range.end());
        source.wrong(
            span,
            format_args!("{key}: {number} is not from {first} to {last}"),
        )
    })
}

fn digest_file(digest: &mut Digest, path: &Path) -> Result<()> {
    let failed = |error: &io::Error| -> Report { miette!("{}: {error}", path.display()) };
    let mut file = File::open(path).map_err(|error| failed(&error))?;
    digest.file(&mut file).map_err(|error| failed(&error))
}
