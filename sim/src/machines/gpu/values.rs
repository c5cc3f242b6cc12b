//! Values of a configuration that hold only what can be.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::sm::Response;
use crate::sm::sm_pipeline::{Policy, Scheme};

/// Reads a whole number, and says which ones there are of a value that is none.
struct Number<T> {
    /// What may stand there.
    expected: String,
    of: fn(u64) -> Result<T, String>,
}

impl<T> Visitor<'_> for Number<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.expected)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        (self.of)(number).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        let expected = &self.expected;
        let number =
            u64::try_from(number).map_err(|_| E::custom(format!("{number} is not {expected}")))?;
        self.visit_u64(number)
    }
}

/// Reads one of several values by its name, and names them all for what is none of them.
pub struct Names<T> {
    /// What it is, in a word.
    pub what: &'static str,
    pub all: Vec<(&'static str, T)>,
}

impl<T> Names<T> {
    /// Values, each with its name.
    pub fn new<const COUNT: usize>(
        what: &'static str,
        all: [T; COUNT],
        name: impl Fn(&T) -> &'static str,
    ) -> Self {
        let all = all.into_iter().map(|one| (name(&one), one)).collect();
        Self { what, all }
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.all.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    }
}

impl<T> Visitor<'_> for Names<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "one of {}", self.names())
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        let (what, names) = (self.what, self.names());
        let found = self.all.into_iter().find(|(known, _)| *known == name);
        let found = found.map(|(_, one)| one);
        found.ok_or_else(|| E::custom(format!("there is no {what} {name}; there are {names}")))
    }
}

/// A whole number from the first to the last, and a multiple of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "u64")]
pub struct Within<const FIRST: u64, const LAST: u64, const STEP: u64 = 1>(pub(super) u64);

/// What such a number is, in words.
fn within(first: u64, last: u64, step: u64) -> String {
    match step {
        1 => format!("a whole number from {first} to {last}"),
        _ => format!("a multiple of {step} from {first} to {last}"),
    }
}

impl<const FIRST: u64, const LAST: u64, const STEP: u64> TryFrom<u64>
    for Within<FIRST, LAST, STEP>
{
    type Error = String;

    fn try_from(number: u64) -> Result<Self, String> {
        match (FIRST..=LAST).contains(&number) && number.is_multiple_of(STEP) {
            true => Ok(Self(number)),
            false if STEP == 1 => Err(format!("{number} is not from {FIRST} to {LAST}")),
            false => Err(format!("{number} is not {}", within(FIRST, LAST, STEP))),
        }
    }
}

impl<'de, const FIRST: u64, const LAST: u64, const STEP: u64> Deserialize<'de>
    for Within<FIRST, LAST, STEP>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(Number {
            expected: within(FIRST, LAST, STEP),
            of: Self::try_from,
        })
    }
}

impl<const FIRST: u64, const LAST: u64, const STEP: u64> Within<FIRST, LAST, STEP> {
    /// The number; none of these ranges goes beyond any type that holds one.
    pub(super) fn get<N: TryFrom<u64> + Default>(self) -> N {
        N::try_from(self.0).unwrap_or_default()
    }
}

impl<const FIRST: u64, const LAST: u64, const STEP: u64> JsonSchema for Within<FIRST, LAST, STEP> {
    fn schema_name() -> Cow<'static, str> {
        within(FIRST, LAST, STEP).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        match STEP {
            1 => json_schema!({ "type": "integer", "minimum": FIRST, "maximum": LAST }),
            _ => json_schema!({
                "type": "integer", "minimum": FIRST, "maximum": LAST, "multipleOf": STEP
            }),
        }
    }
}

impl<const FIRST: u64, const LAST: u64, const STEP: u64> From<Within<FIRST, LAST, STEP>> for u64 {
    fn from(number: Within<FIRST, LAST, STEP>) -> Self {
        number.0
    }
}

/// A share in percent, or all there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share(Option<u64>);

impl Share {
    /// What says that there is no limit.
    const UNLIMITED: &str = "unlimited";
    /// What may stand there.
    const EXPECTED: &str = "a whole number from 1 to 1000, or \"unlimited\"";

    /// The share, if there is a limit.
    #[must_use]
    pub const fn percent(self) -> Option<u64> {
        self.0
    }
}

impl TryFrom<u64> for Share {
    type Error = String;

    fn try_from(percent: u64) -> Result<Self, String> {
        match percent {
            1..=1000 => Ok(Self(Some(percent))),
            _ => Err(format!("{percent} is not {}", Self::EXPECTED)),
        }
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<u64>() {
            Ok(percent) => Self::try_from(percent),
            Err(_) if text == Self::UNLIMITED => Ok(Self(None)),
            Err(_) => Err(format!("it is not {}", Self::EXPECTED)),
        }
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(percent) => serializer.serialize_u64(percent),
            None => serializer.serialize_str(Self::UNLIMITED),
        }
    }
}

impl Visitor<'_> for Share {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Self::EXPECTED)
    }

    fn visit_u64<E: Error>(self, percent: u64) -> Result<Self, E> {
        Self::try_from(percent).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, percent: i64) -> Result<Self, E> {
        let refused = || E::custom(format!("{percent} is not {}", Self::EXPECTED));
        self.visit_u64(u64::try_from(percent).map_err(|_| refused())?)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self, E> {
        match name {
            Self::UNLIMITED => Ok(Self(None)),
            _ => Err(E::custom(format!("{name} is not {}", Self::EXPECTED))),
        }
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self(None))
    }
}

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "a share in percent".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "integer", "minimum": 1, "maximum": 1000 },
            { "const": Self::UNLIMITED },
        ] })
    }
}

/// A power of two from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "u64")]
pub struct PowerOfTwo<const FIRST: u64, const LAST: u64>(u64);

impl<const FIRST: u64, const LAST: u64> TryFrom<u64> for PowerOfTwo<FIRST, LAST> {
    type Error = String;

    fn try_from(number: u64) -> Result<Self, String> {
        match number.is_power_of_two() && (FIRST..=LAST).contains(&number) {
            true => Ok(Self(number)),
            false => Err(format!(
                "{number} is no power of two from {FIRST} to {LAST}"
            )),
        }
    }
}

impl<'de, const FIRST: u64, const LAST: u64> Deserialize<'de> for PowerOfTwo<FIRST, LAST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(Number {
            expected: format!("a power of two from {FIRST} to {LAST}"),
            of: Self::try_from,
        })
    }
}

impl<const FIRST: u64, const LAST: u64> PowerOfTwo<FIRST, LAST> {
    /// The number; none of these ranges goes beyond any type that holds one.
    pub(super) fn get<N: TryFrom<u64> + Default>(self) -> N {
        N::try_from(self.0).unwrap_or_default()
    }
}

impl<const FIRST: u64, const LAST: u64> JsonSchema for PowerOfTwo<FIRST, LAST> {
    fn schema_name() -> Cow<'static, str> {
        format!("a power of two from {FIRST} to {LAST}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let powers = (0..u64::BITS).map(|bit| 1 << bit);
        let within: Vec<u64> = powers
            .filter(|power| (FIRST..=LAST).contains(power))
            .collect();
        json_schema!({ "type": "integer", "enum": within })
    }
}

impl<const FIRST: u64, const LAST: u64> From<PowerOfTwo<FIRST, LAST>> for u64 {
    fn from(number: PowerOfTwo<FIRST, LAST>) -> Self {
        number.0
    }
}

/// A scheme by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
pub struct SchemeName(pub Scheme);

impl<'de> Deserialize<'de> for SchemeName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Names::new("scheme", Scheme::ALL, |one| one.name());
        deserializer.deserialize_str(names).map(Self)
    }
}

impl JsonSchema for SchemeName {
    fn schema_name() -> Cow<'static, str> {
        "Scheme".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Scheme::ALL.map(Scheme::name) })
    }
}

impl From<SchemeName> for &'static str {
    fn from(scheme: SchemeName) -> Self {
        scheme.0.name()
    }
}

/// A policy by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
pub struct PolicyName(pub Policy);

impl<'de> Deserialize<'de> for PolicyName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Names::new("scheduler", Policy::ALL, |one| one.name());
        deserializer.deserialize_str(names).map(Self)
    }
}

impl JsonSchema for PolicyName {
    fn schema_name() -> Cow<'static, str> {
        "Policy".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Policy::ALL.map(Policy::name) })
    }
}

impl From<PolicyName> for &'static str {
    fn from(policy: PolicyName) -> Self {
        policy.0.name()
    }
}

/// The responses to exceptions, by name.
pub fn responses(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Response::ALL.map(Response::name) })
}

/// A response to exceptions, by its name.
pub fn response<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Response, D::Error> {
    let names = Names::new("response", Response::ALL, |one| one.name());
    deserializer.deserialize_str(names)
}
