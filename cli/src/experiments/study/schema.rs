//! What a study may say of the GPU's configuration, as a JSON schema.

use faultline_sim::machines::gpu::Config;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

/// The schema of each key of a configuration, by the key with its table.
fn keys() -> Map<String, Value> {
    let schema = Config::schema().to_value();
    let mut keys = Map::new();
    let tables = schema["properties"].as_object();
    for (name, value) in tables.into_iter().flatten() {
        let table = resolved(&schema, value);
        let Some(fields) = table["properties"].as_object() else {
            keys.insert(name.clone(), table.clone());
            continue;
        };
        for (field, value) in fields {
            keys.insert(format!("{name}.{field}"), resolved(&schema, value).clone());
        }
    }
    keys
}

/// What a reference leads to.
fn resolved<'schema>(whole: &'schema Value, value: &'schema Value) -> &'schema Value {
    let name = value["$ref"].as_str();
    let name = name.and_then(|name| name.strip_prefix("#/$defs/"));
    name.map_or(value, |name| &whole["$defs"][name])
}

/// Keys with and without quotes: `"sm.scheme"` and a table `sm` with `scheme`.
fn with_tables(keys: Map<String, Value>) -> Map<String, Value> {
    let mut all = keys.clone();
    for (key, value) in keys {
        if let Some((table, field)) = key.split_once('.') {
            let table = all.entry(table).or_insert_with(
                || json!({ "type": "object", "additionalProperties": false, "properties": {} }),
            );
            table["properties"][field] = value;
        }
    }
    all
}

/// Values that hold in every run.
pub fn set(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "additionalProperties": false,
        "properties": with_tables(keys()),
    })
}

/// Axes: a key with its values, or a name with alternatives.
pub fn axes(_: &mut SchemaGenerator) -> Schema {
    let lists = keys().into_iter().map(|(key, value)| {
        let list = json!({ "type": "array", "minItems": 1, "uniqueItems": true, "items": value });
        (key, list)
    });
    let mut settings = with_tables(keys());
    settings.insert(
        "name".to_owned(),
        json!({ "description": "What tables call it.", "type": "string" }),
    );
    json_schema!({
        "type": "object",
        "properties": with_tables(lists.collect()),
        "additionalProperties": {
            "description": "Alternatives, each with a name and the keys that it sets.",
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name"],
                "additionalProperties": false,
                "properties": settings,
            },
        },
    })
}

/// A value of some axes.
pub fn baseline(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}
