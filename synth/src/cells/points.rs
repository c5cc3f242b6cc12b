//! What a library tabulates for a cell, as points for a fit.

use super::curve::Point;
use liberty_db::timing::TimingSenseType;
use liberty_db::{DefaultCtx, InternalPower};

/// A cell of the library that is read.
pub type Cell = liberty_db::Cell<DefaultCtx>;
/// A pin of it.
pub type Pin = liberty_db::Pin<DefaultCtx>;

/// One of the four tables of a timing arc.
#[derive(Clone, Copy)]
pub enum Quantity {
    /// Delay to the rising output.
    DelayRise,
    /// Delay to the falling output.
    DelayFall,
    /// Transition time of the rising output.
    SlewRise,
    /// Transition time of the falling output.
    SlewFall,
}

impl Quantity {
    /// Its name in the table of cells.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DelayRise => "delay_rise",
            Self::DelayFall => "delay_fall",
            Self::SlewRise => "slew_rise",
            Self::SlewFall => "slew_fall",
        }
    }
}

/// A pin's name.
pub fn pin_name(pin: &Pin) -> String {
    pin.name.to_string()
}

/// A cell's pin of a name.
pub fn find_pin<'a>(cell: &'a Cell, name: &str) -> Option<&'a Pin> {
    cell.pin.iter().find(|pin| pin_name(pin) == name)
}

/// The senses of the arcs from an input, each once, in the library's order.
pub fn senses(output: &Pin, from: &str) -> Vec<TimingSenseType> {
    let mut senses = Vec::new();
    for timing in output.timing.iter() {
        if let Some(sense) = timing.timing_sense
            && timing.related_pin.inner.contains(from)
            && !senses.contains(&sense)
        {
            senses.push(sense);
        }
    }
    senses
}

/// The points of all sizes over slew and load per drive strength, each the worst over the states of
/// the other inputs.
pub fn timing_points(
    cells: &[(u32, &Cell)],
    to: &str,
    from: &str,
    sense: TimingSenseType,
    quantity: Quantity,
) -> Vec<Point> {
    let mut points = Vec::new();
    for &(drive, cell) in cells {
        let mut worst: Vec<Point> = Vec::new();
        let timings = find_pin(cell, to)
            .into_iter()
            .flat_map(|pin| pin.timing.iter());
        for timing in timings.filter(|timing| {
            timing.timing_sense == Some(sense) && timing.related_pin.inner.contains(from)
        }) {
            let table = match quantity {
                Quantity::DelayRise => &timing.cell_rise,
                Quantity::DelayFall => &timing.cell_fall,
                Quantity::SlewRise => &timing.rise_transition,
                Quantity::SlewFall => &timing.fall_transition,
            };
            let Some(table) = table else { continue };
            let here = grid(&table.index_1, &table.index_2, &table.values);
            if worst.is_empty() {
                worst = here;
            } else {
                for (point, other) in worst.iter_mut().zip(here) {
                    point.2 = point.2.max(other.2);
                }
            }
        }
        points.extend(per_drive(worst, drive));
    }
    points
}

/// Energy of all sizes per drive strength, of an arc, all states of the other inputs among them, so that the fit is their
/// mean.
pub fn energy_points(cells: &[(u32, &Cell)], to: &str, from: &str, rise: bool) -> Vec<Point> {
    let of_cell = |&(drive, cell): &(u32, &Cell)| {
        let powers = find_pin(cell, to)
            .into_iter()
            .flat_map(|pin| pin.internal_power.iter());
        let powers = powers.filter(|power| power.related_pin.inner.contains(from));
        let points = powers.flat_map(|power| power_points(drive, power, rise));
        points.collect::<Vec<_>>()
    };
    cells.iter().flat_map(of_cell).collect()
}

/// Energy per drive strength of one table of a cell.
pub fn power_points(drive: u32, power: &InternalPower<DefaultCtx>, rise: bool) -> Vec<Point> {
    let table = match rise {
        true => &power.rise_power,
        false => &power.fall_power,
    };
    let points = table
        .as_ref()
        .map(|table| grid(&table.index_1, &table.index_2, &table.values.inner));
    per_drive(points.unwrap_or_default(), drive)
        .map(|(slew, load, value)| (slew, load, value / f64::from(drive)))
        .collect()
}

fn per_drive(points: Vec<Point>, drive: u32) -> impl Iterator<Item = Point> {
    points
        .into_iter()
        .map(move |(slew, load, value)| (slew, load / f64::from(drive), value))
}

/// The points of a table; one without an index is the same everywhere.
pub fn grid(rows: &[f64], columns: &[f64], values: &[f64]) -> Vec<Point> {
    let columns = if columns.is_empty() { &[0.0] } else { columns };
    if rows.is_empty() {
        return values.iter().map(|&value| (0.0, 0.0, value)).collect();
    }
    rows.iter()
        .flat_map(|&row| columns.iter().map(move |&column| (row, column)))
        .zip(values)
        .map(|((row, column), &value)| (row, column, value))
        .collect()
}
