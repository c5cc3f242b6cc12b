//! Numbers that differ from one time to the next of launches that are repeated.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Unexpected, Visitor};

/// A number that differs by the same from one time to the next: `{ from = 1, step = 1 }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// The first time.
    pub from: i64,
    /// What is added each time.
    pub step: i64,
}

impl Steps {
    /// The number at a time, counted from 0.
    #[must_use]
    pub fn at(self, time: u32) -> i128 {
        i128::from(self.from) + i128::from(self.step) * i128::from(time)
    }
}

/// Thread blocks or threads in a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The same each time.
    Fixed(u32),
    /// Another one each time.
    Steps(Steps),
}

impl Size {
    /// The size at a time; 0, which is none, if the number does not fit.
    #[must_use]
    pub fn at(self, time: u32) -> u32 {
        match self {
            Self::Fixed(size) => size,
            Self::Steps(steps) => steps.at(time).try_into().unwrap_or(0),
        }
    }
}

impl<'text> Deserialize<'text> for Size {
    fn deserialize<D: Deserializer<'text>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'text> Visitor<'text> for Reader {
            type Value = Size;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a size or { from, step }")
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Size, E> {
                let size = u32::try_from(number);
                let wrong = |_| E::invalid_value(Unexpected::Signed(number), &self);
                size.map(Size::Fixed).map_err(wrong)
            }

            fn visit_map<A: MapAccess<'text>>(self, map: A) -> Result<Size, A::Error> {
                Steps::deserialize(MapAccessDeserializer::new(map)).map(Size::Steps)
            }
        }
        from.deserialize_any(Reader)
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let steps = generator.subschema_for::<Steps>();
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, steps] })
    }
}
