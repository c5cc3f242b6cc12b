//! The rows of `--json` as CSV, a line each.

use std::fmt;

use miette::{Result, miette};
use serde::Serialize;

use crate::experiments::ordered::Value;

/// A value in a cell: the parts of a list have spaces between them, and those of a part colons.
fn cell(value: Value) -> String {
    let joined = |values: Vec<Value>, between: &str| {
        let cells = values.into_iter().map(cell);
        cells.collect::<Vec<_>>().join(between)
    };
    match value {
        Value::Null => String::new(),
        Value::Truth(truth) => truth.to_string(),
        Value::Whole(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
        Value::List(values) => joined(values, " "),
        Value::Table(fields) => joined(fields.into_iter().map(|field| field.1).collect(), ":"),
    }
}

/// The columns of a value, each with a heading and a cell. The heading of a table's field begins with the name of the table.
fn columns(value: Value, heading: &str) -> Vec<(String, String)> {
    let Value::Table(fields) = value else {
        return vec![(heading.to_owned(), cell(value))];
    };
    let of_field = |(name, value): (String, Value)| {
        let heading = match heading {
            "" => name,
            _ => format!("{heading}_{name}"),
        };
        columns(value, &heading)
    };
    fields.into_iter().flat_map(of_field).collect()
}

/// Rows as CSV, below their headings; each has the fields of the first one.
///
/// # Errors
/// Never in practice: the writer is memory.
pub fn csv<Row: Serialize>(rows: &[Row]) -> Result<String> {
    let failed = |error: &dyn fmt::Display| miette!("the rows cannot be written as CSV ({error})");
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (number, row) in rows.iter().enumerate() {
        let row = Value::of(row).map_err(|error| failed(&error))?;
        let (headings, cells): (Vec<_>, Vec<_>) = columns(row, "").into_iter().unzip();
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
