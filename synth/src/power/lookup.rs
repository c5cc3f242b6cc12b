//! Tables of a Liberty library, over slew and load.

use liberty_db::DefaultCtx;
use liberty_db::table::{TableTemple, Variable};

/// One edge or the other, as an index.
pub const FALL: usize = 0;
/// See [`FALL`].
pub const RISE: usize = 1;

/// What a library tabulates for an edge or a quantity, in SI units: a value over the transition time of an input and
/// the capacitance that an output drives. Between the points, and beyond them, it is linear.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    slews: Vec<f64>,
    loads: Vec<f64>,
    /// A row for each slew.
    values: Vec<f64>,
}

/// The units of a library, in SI units.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    /// Seconds.
    pub time: f64,
    /// Farads.
    pub capacitance: f64,
    /// Volts.
    pub voltage: f64,
    /// Watts.
    pub leakage: f64,
}

impl Units {
    /// Joules: Liberty derives the unit of internal energy from the others.
    pub const fn energy(&self) -> f64 {
        self.capacitance * self.voltage * self.voltage
    }
}

impl Lookup {
    /// The same everywhere.
    pub fn constant(value: f64) -> Self {
        Self {
            slews: Vec::new(),
            loads: Vec::new(),
            values: vec![value],
        }
    }

    /// Over the load alone.
    pub fn of_load(loads: &[f64], values: &[f64]) -> Self {
        Self {
            slews: Vec::new(),
            loads: loads.to_vec(),
            values: values.to_vec(),
        }
    }

    /// Reads a table. Its template says which index is the load, and has the indices that it does not have itself; without
    /// a template the slew comes first. `None` if the values are not as many as the indices say.
    pub fn read(
        [index_1, index_2]: [&[f64]; 2],
        values: &[f64],
        template: Option<&TableTemple<DefaultCtx>>,
        units: &Units,
        unit: f64,
    ) -> Option<Self> {
        if let [value] = values {
            return Some(Self::constant(value * unit));
        }
        let axis = |own: &[f64], other: Option<&Option<Vec<f64>>>| match own {
            [] => other.cloned().flatten().unwrap_or_default(),
            own => own.to_vec(),
        };
        let mut one = axis(index_1, template.map(|template| &template.index_1));
        let mut other = axis(index_2, template.map(|template| &template.index_2));
        let load_first = template
            .is_some_and(|template| matches!(template.variable_1, Some(Variable::Capacitance(_))));
        let of_one = template.is_some_and(|template| template.variable_2.is_none());
        if of_one && index_2.is_empty() {
            other.clear();
        }
        if one.len().max(1) * other.len().max(1) != values.len() {
            return None;
        }
        let mut values: Vec<f64> = values.iter().map(|value| value * unit).collect();
        if load_first {
            values = transposed(&values, one.len().max(1), other.len().max(1));
            std::mem::swap(&mut one, &mut other);
        }
        let scaled = |axis: Vec<f64>, unit: f64| axis.into_iter().map(|at| at * unit).collect();
        Some(Self {
            slews: scaled(one, units.time),
            loads: scaled(other, units.capacitance),
            values,
        })
    }

    /// The value at a slew (s) and a load (F).
    pub fn at(&self, slew: f64, load: f64) -> f64 {
        let columns = self.loads.len().max(1);
        let (column, right) = place(&self.loads, load);
        let in_row = |row: usize| {
            let value = |column: usize| {
                let value = self.values.get(row * columns + column);
                value.copied().unwrap_or_default()
            };
            between(right, value(column), || value(column + 1))
        };
        let (row, below) = place(&self.slews, slew);
        between(below, in_row(row), || in_row(row + 1))
    }
}

/// The largest of tables at a point; 0 of none.
pub fn largest(tables: &[Lookup], slew: f64, load: f64) -> f64 {
    let values = tables.iter().map(|table| table.at(slew, load));
    values.fold(0.0, f64::max)
}

/// The point of an axis that a position is at or behind, and how far behind it, as a part of the way to the next one.
fn place(axis: &[f64], at: f64) -> (usize, f64) {
    if axis.len() < 2 {
        return (0, 0.0);
    }
    let behind = axis.partition_point(|point| *point <= at);
    let first = behind.saturating_sub(1).min(axis.len() - 2);
    let (low, high) = (axis[first], axis[first + 1]);
    (first, (at - low) / (high - low))
}

fn between(part: f64, one: f64, other: impl FnOnce() -> f64) -> f64 {
    if part == 0.0 {
        one
    } else {
        one + part * (other() - one)
    }
}

fn transposed(values: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..columns)
        .flat_map(|column| (0..rows).map(move |row| values[row * columns + column]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: Units = Units {
        time: 1.0,
        capacitance: 1.0,
        voltage: 1.0,
        leakage: 1.0,
    };

    #[test]
    fn a_table_is_linear_between_its_points_and_beyond() {
        let (slews, loads) = ([1.0, 3.0], [10.0, 20.0]);
        let values = [1.0, 2.0, 5.0, 8.0];
        let table = Lookup::read([&slews, &loads], &values, None, &UNITS, 1.0).unwrap();
        let found = [
            (1.0, 10.0),
            (1.0, 15.0),
            (3.0, 20.0),
            (2.0, 15.0),
            (0.0, 0.0),
        ];
        let found = found.map(|(slew, load)| table.at(slew, load));
        // Rows at load 0 are 0 and 2; one step of slew before the first row is half of the way back.
        assert_eq!(found, [1.0, 1.5, 8.0, 4.0, -1.0]);
    }

    #[test]
    fn scalars_and_tables_over_one_variable_are_tables() {
        let scalar = Lookup::read([&[], &[]], &[3.0], None, &UNITS, 2.0).unwrap();
        assert_eq!(scalar.at(7.0, 9.0), 6.0);
        let one = Lookup::read([&[0.0, 1.0], &[]], &[3.0, 4.0], None, &UNITS, 1.0).unwrap();
        assert_eq!(one.at(0.5, 9.0), 3.5);
        assert_eq!(
            Lookup::of_load(&[5.0, 15.0], &[1.0, 2.0]).at(9.0, 10.0),
            1.5
        );
        assert_eq!(
            Lookup::read([&[0.0, 1.0], &[]], &[1.0; 3], None, &UNITS, 1.0),
            None
        );
    }
}
