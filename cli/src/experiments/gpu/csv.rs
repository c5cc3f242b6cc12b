//! The rows of `--json` as CSV, a line each.

use std::fmt;

use miette::{Result, miette};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, de};

/// A value of JSON, with the fields of tables in the order in which they stand.
enum Value {
    /// A number, a text or a truth, as a cell.
    Cell(String),
    List(Vec<Self>),
    Table(Vec<(String, Self)>),
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(Ordered)
    }
}

/// Reads a value without a change of the order.
struct Ordered;

impl<'de> Visitor<'de> for Ordered {
    type Value = Value;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a value of JSON")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> std::result::Result<Value, E> {
        Ok(Value::Cell(value.to_string()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> std::result::Result<Value, E> {
        Ok(Value::Cell(value.to_string()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> std::result::Result<Value, E> {
        Ok(Value::Cell(value.to_string()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> std::result::Result<Value, E> {
        Ok(Value::Cell(value.to_string()))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> std::result::Result<Value, E> {
        Ok(Value::Cell(value.to_owned()))
    }

    fn visit_unit<E: de::Error>(self) -> std::result::Result<Value, E> {
        Ok(Value::Cell(String::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> std::result::Result<Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = table.next_entry()? {
            fields.push(field);
        }
        Ok(Value::Table(fields))
    }
}

impl Value {
    /// It in a cell: the parts of a list have spaces between them, and those of a part colons.
    fn cell(self) -> String {
        let joined = |values: Vec<Self>, between: &str| {
            let cells = values.into_iter().map(Self::cell);
            cells.collect::<Vec<_>>().join(between)
        };
        match self {
            Self::Cell(cell) => cell,
            Self::List(values) => joined(values, " "),
            Self::Table(fields) => joined(fields.into_iter().map(|field| field.1).collect(), ":"),
        }
    }

    /// Its columns, each with a heading and a cell. The heading of a table's field begins with the name of the table.
    fn columns(self, heading: &str) -> Vec<(String, String)> {
        let Self::Table(fields) = self else {
            return vec![(heading.to_owned(), self.cell())];
        };
        let of_field = |(name, value): (String, Self)| {
            let heading = match heading {
                "" => name,
                _ => format!("{heading}_{name}"),
            };
            value.columns(&heading)
        };
        fields.into_iter().flat_map(of_field).collect()
    }
}

/// Rows as CSV, below their headings; each has the fields of the first one.
///
/// # Errors
/// Never in practice: the writer is memory.
pub fn csv<Row: Serialize>(rows: &[Row]) -> Result<String> {
    let failed = |error: &dyn fmt::Display| miette!("the rows cannot be written as CSV ({error})");
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (number, row) in rows.iter().enumerate() {
        let text = serde_json::to_string(row).map_err(|error| failed(&error))?;
        let row: Value = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        let (headings, cells): (Vec<_>, Vec<_>) = row.columns("").into_iter().unzip();
        let heads = (number == 0).then_some(headings);
        for record in heads.into_iter().chain([cells]) {
            writer
                .write_record(record)
                .map_err(|error| failed(&error))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Part {
        least: u64,
        count: u64,
    }

    #[derive(Serialize)]
    struct Inner {
        zebra: f64,
        ant: Vec<Part>,
    }

    #[derive(Serialize)]
    struct Outer {
        name: &'static str,
        inner: Inner,
        checked: bool,
        missing: Option<u64>,
    }

    #[test]
    fn tables_become_columns_in_their_order() {
        let row = |name, least| Outer {
            name,
            inner: Inner {
                zebra: 0.5,
                ant: vec![Part { least, count: 1 }, Part { least: 8, count: 2 }],
            },
            checked: true,
            missing: None,
        };
        let expected = "name,inner_zebra,inner_ant,checked,missing\n\
                        \"a, b\",0.5,4:1 8:2,true,\n\
                        c,0.5,2:1 8:2,true,\n";
        assert_eq!(csv(&[row("a, b", 4), row("c", 2)]).unwrap(), expected);
        assert_eq!(csv::<Outer>(&[]).unwrap(), "");
    }
}
