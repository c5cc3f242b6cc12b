//! Arguments of a kernel.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};

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

/// A structure that is passed by value.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Structure {
    /// Its bytes, the lowest address first.
    bytes: Vec<u8>,
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

impl<'text> Deserialize<'text> for Argument {
    fn deserialize<D: Deserializer<'text>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'text> Visitor<'text> for Reader {
            type Value = Argument;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of a buffer, a number or { bytes = [..] }")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Argument, E> {
                Argument::buffer(text).map_err(E::custom)
            }

            fn visit_i64<E>(self, number: i64) -> Result<Argument, E> {
                Ok(Argument::Integer(number.into()))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Argument, E> {
                Ok(Argument::Integer(number.into()))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Argument, E> {
                Ok(Argument::Float(number))
            }

            fn visit_map<A: MapAccess<'text>>(self, map: A) -> Result<Argument, A::Error> {
                let structure = Structure::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Argument::Bytes(structure.bytes))
            }
        }
        from.deserialize_any(Reader)
    }
}

impl JsonSchema for Argument {
    fn schema_name() -> Cow<'static, str> {
        "Argument".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let structure = generator.subschema_for::<Structure>();
        json_schema!({
            "description": "The name of a buffer, also as \"name+offset\" in bytes, a number, or the bytes of a structure.",
            "anyOf": [{ "type": "string" }, { "type": "number" }, structure]
        })
    }
}
