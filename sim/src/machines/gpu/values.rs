//! Values of a configuration that hold only what can be.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::super::sm::Response;
use crate::sm::sm_pipeline::{Policy, Scheme};

/// A whole number from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Within<const FIRST: u64, const LAST: u64>(pub(super) u64);

impl<const FIRST: u64, const LAST: u64> TryFrom<u64> for Within<FIRST, LAST> {
    type Error = String;

    fn try_from(number: u64) -> Result<Self, String> {
        match (FIRST..=LAST).contains(&number) {
            true => Ok(Self(number)),
            false => Err(format!("{number} is not from {FIRST} to {LAST}")),
        }
    }
}

impl<const FIRST: u64, const LAST: u64> Within<FIRST, LAST> {
    /// The number; none of these ranges goes beyond any type that holds one.
    pub(super) fn get<N: TryFrom<u64> + Default>(self) -> N {
        N::try_from(self.0).unwrap_or_default()
    }
}

impl<const FIRST: u64, const LAST: u64> JsonSchema for Within<FIRST, LAST> {
    fn schema_name() -> Cow<'static, str> {
        format!("from {FIRST} to {LAST}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": FIRST, "maximum": LAST })
    }
}

impl<const FIRST: u64, const LAST: u64> From<Within<FIRST, LAST>> for u64 {
    fn from(number: Within<FIRST, LAST>) -> Self {
        number.0
    }
}

/// A power of two from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub struct SchemeName(pub Scheme);

impl TryFrom<String> for SchemeName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let known = || Scheme::ALL.map(Scheme::name).join(", ");
        let found = Scheme::named(&name).map(Self);
        found.ok_or_else(|| format!("there is no scheme {name}; there are {}", known()))
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub struct PolicyName(pub Policy);

impl TryFrom<String> for PolicyName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let known = || Policy::ALL.map(Policy::name).join(", ");
        let found = Policy::named(&name).map(Self);
        found.ok_or_else(|| format!("there is no scheduler {name}; there are {}", known()))
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
