//! What a study sets in all runs, and what differs between them.

use std::ops::Range;

use miette::Result;
use serde_json::json;
use toml::Spanned;

use super::Source;
use super::fields::{Fields, Leaf, Node};
use crate::experiments::ordered::Value;

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

pub fn set(source: &Source, fields: &Fields) -> Result<Vec<Setting>> {
    let leaves = fields.leaves();
    leaves.iter().map(|leaf| setting(source, leaf)).collect()
}

/// The axes, each with its place.
pub fn axes(source: &Source, fields: &Fields) -> Result<Vec<(Axis, Range<usize>)>> {
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
pub fn check_keys(
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

pub fn baseline(
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
