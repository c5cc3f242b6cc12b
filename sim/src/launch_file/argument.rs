//! Arguments of a kernel.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::steps::Steps;
use crate::numbers::unsigned;

/// An argument. A scalar has the width of its parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// The address of a buffer and an offset: `"name"` or `"name+offset"`.
    Buffer {
        /// The buffer.
        name: String,
        /// Bytes from its start.
        offset: u64,
    },
    /// A whole number.
    Integer(i128),
    /// A number with a fraction.
    Float(f64),
    /// A structure that is passed by value: `{ bytes = [1, 0, 0, 0] }`.
    Bytes(Vec<u8>),
}

/// An argument as a file gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// The same each time.
    Fixed(Argument),
    /// A whole number that differs from time to time.
    Steps(Steps),
}

impl Given {
    /// The argument at a time.
    #[must_use]
    pub fn at(&self, time: u32) -> Argument {
        match self {
            Self::Fixed(argument) => argument.clone(),
            Self::Steps(steps) => Argument::Integer(steps.at(time)),
        }
    }
}

/// A structure that is passed by value, or a number that differs from time to time.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Table {
    /// The bytes of a structure, the lowest address first.
    bytes: Option<Vec<u8>>,
    /// The number, the first time.
    from: Option<i64>,
    /// What is added each time.
    step: Option<i64>,
}

impl Argument {
    /// A buffer with its offset, as a file names it.
    fn buffer(text: &str) -> Result<Self, String> {
        let (name, offset) = match text.split_once('+') {
            None => (text, Some(0)),
            Some((name, offset)) => {
                let offset = offset.trim();
                let bytes = match offset.strip_prefix("0x") {
                    Some(digits) => unsigned(digits, 16),
                    None => unsigned(offset, 10),
                };
                (name, bytes)
            }
        };
        match (name.trim(), offset) {
            (name, Some(offset)) if !name.is_empty() => Ok(Self::Buffer {
                name: name.to_owned(),
                offset,
            }),
            _ => Err(format!(
                "\"{}\" is no buffer with an offset; write \"name+bytes\"",
                crate::place::shown(text)
            )),
        }
    }
}

impl<'text> Deserialize<'text> for Given {
    fn deserialize<D: Deserializer<'text>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'text> Visitor<'text> for Reader {
            type Value = Given;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter
                    .write_str("the name of a buffer, a number, { bytes = [..] } or { from, step }")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Given, E> {
                Argument::buffer(text).map(Given::Fixed).map_err(E::custom)
            }

            fn visit_i64<E>(self, number: i64) -> Result<Given, E> {
                Ok(Given::Fixed(Argument::Integer(number.into())))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Given, E> {
                Ok(Given::Fixed(Argument::Integer(number.into())))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Given, E> {
                Ok(Given::Fixed(Argument::Float(number)))
            }

            fn visit_map<A: MapAccess<'text>>(self, map: A) -> Result<Given, A::Error> {
                match Table::deserialize(MapAccessDeserializer::new(map))? {
                    Table {
                        bytes: Some(bytes),
                        from: None,
                        step: None,
                    } => Ok(Given::Fixed(Argument::Bytes(bytes))),
                    Table {
                        bytes: None,
                        from: Some(from),
                        step: Some(step),
                    } => Ok(Given::Steps(Steps { from, step })),
                    _ => Err(Error::custom("give { bytes = [..] } or { from, step }")),
                }
            }
        }
        from.deserialize_any(Reader)
    }
}

impl JsonSchema for Given {
    fn schema_name() -> Cow<'static, str> {
        "Argument".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<Table>();
        json_schema!({
            "description": "The name of a buffer, also as \"name+offset\" in bytes, a number, the bytes of a structure, or a number that differs from time to time.",
            "anyOf": [{ "type": "string" }, { "type": "number" }, table]
        })
    }
}
