//! The file of a study: what it says, and where.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use miette::{Report, Result, miette};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::json;
use toml::Spanned;
use toml::de::{DeTable, Deserializer as TomlDeserializer};

use super::figures::Figures;
use super::schema;
use super::workload::{Entry, Workload};
use crate::experiments::ordered::Value;
use crate::experiments::program;

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

/// The fields of a table, in the order of the file.
#[derive(Default)]
struct Fields(Vec<(Spanned<String>, Spanned<Node>)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Node::deserialize(deserializer)? {
            Node::Table(fields) => Ok(fields),
            _ => Err(de::Error::custom("this is no table")),
        }
    }
}

/// A value of TOML.
enum Node {
    Scalar(toml::Value),
    List(Vec<Spanned<Self>>),
    Table(Fields),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Nodes)
    }
}

/// Reads values with their places.
struct Nodes;

impl<'de> Visitor<'de> for Nodes {
    type Value = Node;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Node, A::Error> {
        let mut fields: Vec<(Spanned<String>, Spanned<Node>)> = Vec::new();
        while let Some(field) = table.next_entry()? {
            fields.push(field);
        }
        // The parser sorts keys by their names.
        fields.sort_by_key(|(key, _)| key.span().start);
        Ok(Node::Table(Fields(fields)))
    }
}

/// A key that is not a table, with the tables before it.
struct Leaf<'file> {
    key: String,
    span: Range<usize>,
    node: &'file Spanned<Node>,
}

impl Fields {
    /// The keys below, each with the names of its tables, in the order of the file.
    fn leaves(&self) -> Vec<Leaf<'_>> {
        let mut leaves = Vec::new();
        self.collect("", &mut leaves);
        leaves.sort_by_key(|leaf| leaf.span.start);
        leaves
    }

    fn collect<'file>(&'file self, before: &str, leaves: &mut Vec<Leaf<'file>>) {
        for (key, node) in &self.0 {
            let name = match before {
                "" => key.get_ref().clone(),
                _ => format!("{before}.{}", key.get_ref()),
            };
            match node.get_ref() {
                Node::Table(fields) => fields.collect(&name, leaves),
                _ => leaves.push(Leaf {
                    key: name,
                    span: key.span(),
                    node,
                }),
            }
        }
    }
}

/// A value of a key of the configuration.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The key with its tables, as `sm.scheme`.
    pub key: String,
    /// The value, as TOML.
    pub value: String,
    /// Where it stands.
    pub span: Range<usize>,
}

/// What differs between runs.
#[derive(Debug)]
pub struct Axis {
    /// Its name: a key of the configuration, or one of its own.
    pub name: String,
    /// What it may be.
    pub choices: Vec<Choice>,
}

/// A value of an axis.
#[derive(Debug)]
pub struct Choice {
    /// It in tables.
    pub shown: Value,
    /// What it sets.
    pub settings: Vec<Setting>,
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

/// Fails if a text cannot be a key of a configuration.
fn check_key(source: &Source, key: &str, span: &Range<usize>) -> Result<()> {
    let is_name = |part: &str| {
        let mut letters = part.chars();
        !part.is_empty() && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    match key.split('.').all(is_name) {
        true => Ok(()),
        false => Err(source.wrong(
            span,
            format_args!("{key:?} is no key of a configuration, such as sm.scheme"),
        )),
    }
}

/// A key with its value.
fn setting(source: &Source, leaf: &Leaf<'_>) -> Result<Setting> {
    let Leaf { key, span, node } = leaf;
    check_key(source, key, span)?;
    match node.get_ref() {
        Node::Scalar(value) => Ok(Setting {
            key: key.clone(),
            value: value.to_string(),
            span: node.span(),
        }),
        _ => Err(source.wrong(
            span,
            format_args!("{key} has a list of values; put it in [axes], or give one value"),
        )),
    }
}

fn set(source: &Source, fields: &Fields) -> Result<Vec<Setting>> {
    let leaves = fields.leaves();
    leaves.iter().map(|leaf| setting(source, leaf)).collect()
}

/// The axes, each with its place.
fn axes(source: &Source, fields: &Fields) -> Result<Vec<(Axis, Range<usize>)>> {
    let mut axes: Vec<(Axis, Range<usize>)> = Vec::new();
    for Leaf { key, span, node } in fields.leaves() {
        let Node::List(nodes) = node.get_ref() else {
            return Err(source.wrong(
                &span,
                format_args!(
                    "the axis {key} has one value and no list; put it in [set], or give a list"
                ),
            ));
        };
        if nodes.is_empty() {
            return Err(source.wrong(
                &span,
                format_args!("the axis {key} has no value; give one or more"),
            ));
        }
        if axes.iter().any(|(axis, _)| axis.name == key) {
            return Err(source.wrong(&span, format_args!("two axes are called {key}")));
        }
        let has_names = matches!(nodes[0].get_ref(), Node::Table(_));
        if !has_names {
            check_key(source, &key, &span)?;
        }
        let mut choices: Vec<Choice> = Vec::new();
        for node in nodes {
            let choice = choice(source, &key, node, has_names)?;
            if choices.iter().any(|other| other.shown == choice.shown) {
                let shown = shown(&choice.shown);
                return Err(source.wrong(
                    &node.span(),
                    format_args!("the axis {key} has {shown} twice"),
                ));
            }
            choices.push(choice);
        }
        axes.push((Axis { name: key, choices }, span));
    }
    Ok(axes)
}

fn choice(source: &Source, key: &str, node: &Spanned<Node>, has_names: bool) -> Result<Choice> {
    let span = node.span();
    match node.get_ref() {
        Node::Scalar(value) if !has_names => Ok(Choice {
            shown: json_of(value),
            settings: vec![Setting {
                key: key.to_owned(),
                value: value.to_string(),
                span,
            }],
        }),
        Node::Table(fields) if has_names => {
            let leaves = fields.leaves();
            let (names, others): (Vec<_>, Vec<_>) =
                leaves.iter().partition(|leaf| leaf.key == "name");
            let name = names.first().map(|leaf| leaf.node.get_ref());
            let Some(Node::Scalar(toml::Value::String(name))) = name else {
                return Err(source.wrong(
                    &span,
                    format_args!(
                        "an alternative of {key} has no name; give name = \"...\" beside the keys that it sets"
                    ),
                ));
            };
            let settings = others.into_iter().map(|leaf| setting(source, leaf));
            Ok(Choice {
                shown: Value::Text(name.clone()),
                settings: settings.collect::<Result<_>>()?,
            })
        }
        Node::List(_) => Err(source.wrong(
            &span,
            format_args!("the axis {key} has a list in its list; give values"),
        )),
        _ => Err(source.wrong(
            &span,
            format_args!(
                "the axis {key} has values and alternatives with names; give one of the two"
            ),
        )),
    }
}

/// Fails if a key is set in two places.
fn check_keys(
    source: &Source,
    preset: Option<&Spanned<String>>,
    set: &[Setting],
    axes: &[(Axis, Range<usize>)],
) -> Result<()> {
    let mut known: Vec<(&str, String)> = Vec::new();
    if preset.is_some() {
        known.push(("preset", "the top of the file".to_owned()));
    }
    for Setting { key, span, .. } in set {
        if let Some((_, place)) = known.iter().find(|(known, _)| known == key) {
            return Err(source.wrong(span, format_args!("{key} is set by {place} and by [set]")));
        }
        known.push((key, "[set]".to_owned()));
    }
    for (axis, span) in axes {
        let before = known.len();
        for choice in &axis.choices {
            for (number, setting) in choice.settings.iter().enumerate() {
                let key = &setting.key;
                let is_twice = choice.settings[..number].iter().any(|one| one.key == *key);
                let other = known[..before].iter().find(|(known, _)| known == key);
                let place = match other {
                    Some((_, place)) => place.clone(),
                    None if is_twice => format!("the axis {}", axis.name),
                    None => {
                        known.push((key, format!("the axis {}", axis.name)));
                        continue;
                    }
                };
                // Of a value alone the axis is what is wrong.
                let span = if *key == axis.name {
                    span
                } else {
                    &setting.span
                };
                let name = &axis.name;
                return Err(source.wrong(
                    span,
                    format_args!("{key} is set by {place} and by the axis {name}"),
                ));
            }
        }
    }
    Ok(())
}

fn baseline(
    source: &Source,
    fields: &Fields,
    axes: &[(Axis, Range<usize>)],
) -> Result<Vec<(usize, usize)>> {
    let leaves = fields.leaves();
    let of = |leaf: &Leaf<'_>| {
        let Leaf { key, span, node } = leaf;
        let axis = axes.iter().position(|(axis, _)| axis.name == *key);
        let axis = axis.ok_or_else(|| {
            let names: Vec<_> = axes.iter().map(|(axis, _)| &*axis.name).collect();
            let known = match names.is_empty() {
                true => "there is none".to_owned(),
                false => format!("there are {}", names.join(", ")),
            };
            source.wrong(
                span,
                format_args!("baseline: there is no axis {key}; {known}"),
            )
        })?;
        let Node::Scalar(value) = node.get_ref() else {
            return Err(source.wrong(span, format_args!("baseline: give one value of {key}")));
        };
        let value = json_of(value);
        let choices = &axes[axis].0.choices;
        let choice = choices.iter().position(|choice| choice.shown == value);
        let choice = choice.ok_or_else(|| {
            let all: Vec<_> = choices.iter().map(|choice| shown(&choice.shown)).collect();
            let value = shown(&value);
            source.wrong(
                &node.span(),
                format_args!("baseline: {key} is never {value}; it is {}", all.join(", ")),
            )
        })?;
        Ok((axis, choice))
    };
    leaves.iter().map(of).collect()
}

/// A value of TOML as one of JSON.
fn json_of(value: &toml::Value) -> Value {
    match value {
        toml::Value::Boolean(truth) => Value::Truth(*truth),
        toml::Value::Integer(number) => Value::Whole((*number).into()),
        toml::Value::Float(number) => Value::Real(*number),
        toml::Value::String(text) => Value::Text(text.clone()),
        other => Value::Text(other.to_string()),
    }
}

/// A value in a sentence or a table.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        other => json!(other).to_string(),
    }
}
