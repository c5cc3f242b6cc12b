//! Numbers of a file, and the types of elements.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// A whole number or one with a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(i128),
    /// A number as a double.
    Float(f64),
}

impl Number {
    /// The nearest double.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Integer(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(formatter),
            Self::Float(number) => fmt::Debug::fmt(number, formatter),
        }
    }
}

impl<'text> Deserialize<'text> for Number {
    fn deserialize<D: Deserializer<'text>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Number;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a number")
            }

            fn visit_i64<E>(self, number: i64) -> Result<Number, E> {
                Ok(Number::Integer(number.into()))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Number, E> {
                Ok(Number::Integer(number.into()))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Number, E> {
                Ok(Number::Float(number))
            }
        }
        from.deserialize_any(Reader)
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// A byte.
    U8,
    /// A byte with a sign.
    I8,
    /// 2 bytes.
    U16,
    /// 2 bytes with a sign.
    I16,
    /// 4 bytes.
    U32,
    /// 4 bytes with a sign.
    I32,
    /// 8 bytes.
    U64,
    /// 8 bytes with a sign.
    I64,
    /// A single.
    F32,
    /// A double.
    F64,
}

impl Element {
    /// Its name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether it has a fraction.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The first and the last whole number of the type.
    const fn range(self) -> (i128, i128) {
        match self {
            Self::U8 => (0, u8::MAX as i128),
            Self::I8 => (i8::MIN as i128, i8::MAX as i128),
            Self::U16 => (0, u16::MAX as i128),
            Self::I16 => (i16::MIN as i128, i16::MAX as i128),
            Self::U32 => (0, u32::MAX as i128),
            Self::I32 => (i32::MIN as i128, i32::MAX as i128),
            Self::U64 => (0, u64::MAX as i128),
            _ => (i64::MIN as i128, i64::MAX as i128),
        }
    }

    /// The bytes of a number as this type, the lowest first; what the type does not need is 0.
    ///
    /// # Errors
    /// If the type is whole and the number is not, or if the number is out of its range; the error is a sentence.
    pub(super) fn encode(self, number: Number) -> Result<[u8; 8], String> {
        let mut bytes = [0; 8];
        let whole = match (self, number) {
            (Self::F32, _) => {
                let single = match number {
                    // Directly, since a double in between rounds twice.
                    Number::Integer(number) => number as f32,
                    Number::Float(number) => number as f32,
                };
                if single.is_infinite() && number.as_f64().is_finite() {
                    return Err(format!(
                        "{number} is no f32, whose largest is {:e}; give a smaller number, or another type",
                        f32::MAX
                    ));
                }
                bytes[..4].copy_from_slice(&single.to_le_bytes());
                return Ok(bytes);
            }
            (Self::F64, _) => return Ok(number.as_f64().to_le_bytes()),
            (_, Number::Integer(number)) => number,
            (_, Number::Float(float)) => {
                let whole = float as i128;
                if whole as f64 != float {
                    let name = self.name();
                    return Err(format!(
                        "{number} is no {name}; give whole numbers, or another type"
                    ));
                }
                whole
            }
        };
        let (first, last) = self.range();
        if !(first..=last).contains(&whole) {
            let name = self.name();
            return Err(format!(
                "{whole} is no {name}; give numbers from {first} to {last}, or another type"
            ));
        }
        let used = self.bytes() as usize;
        bytes[..used].copy_from_slice(&whole.to_le_bytes()[..used]);
        Ok(bytes)
    }

    /// The number in the bytes of an element.
    pub(super) fn decode(self, bytes: &[u8]) -> Number {
        let mut all = [0; 8];
        for (to, from) in all.iter_mut().zip(bytes) {
            *to = *from;
        }
        let whole = u64::from_le_bytes(all);
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Number::Integer(whole.into()),
            Self::I8 => Number::Integer((whole as i8).into()),
            Self::I16 => Number::Integer((whole as i16).into()),
            Self::I32 => Number::Integer((whole as i32).into()),
            Self::I64 => Number::Integer((whole as i64).into()),
            Self::F32 => Number::Float(f32::from_bits(whole as u32).into()),
            Self::F64 => Number::Float(f64::from_bits(whole)),
        }
    }
}
