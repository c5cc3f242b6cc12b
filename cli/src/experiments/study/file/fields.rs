//! Tables of a study whose keys the file chooses, with their places.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

/// The fields of a table, in the order of the file.
#[derive(Default)]
pub struct Fields(pub Vec<(Spanned<String>, Spanned<Node>)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Node::deserialize(deserializer)? {
            Node::Table(fields) => Ok(fields),
            _ => Err(de::Error::custom("this is no table")),
        }
    }
}

/// A value of TOML.
pub enum Node {
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
pub struct Leaf<'file> {
    pub key: String,
    pub span: Range<usize>,
    pub node: &'file Spanned<Node>,
}

impl Fields {
    /// The keys below, each with the names of its tables, in the order of the file.
    pub fn leaves(&self) -> Vec<Leaf<'_>> {
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
