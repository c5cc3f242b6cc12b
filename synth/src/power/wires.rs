//! The capacitance of wires before layout.

use super::lookup::Units;
use liberty_db::{DefaultCtx, Library as Parsed};

/// A library's default wire-load model: the capacitance of a wire by the number of pins that it drives. A library
/// without one has none, as OpenSTA takes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wires {
    /// F by number of pins, in rising order.
    known: Vec<(f64, f64)>,
    /// F that each further pin adds.
    slope: f64,
}

impl Wires {
    pub(super) fn read(library: &Parsed<DefaultCtx>, units: &Units) -> Self {
        let model = library
            .default_wire_load
            .as_ref()
            .and_then(|name| library.wire_load.iter().find(|model| &model.name == name));
        let Some(model) = model else {
            return Self::default();
        };
        let of_length = |length: f64| length * model.capacitance * units.capacitance;
        let mut known: Vec<(f64, f64)> = model
            .fanout_length
            .iter()
            .map(|step| (f64::from(step.fanout), of_length(step.length)))
            .collect();
        known.sort_by(|one, other| one.0.total_cmp(&other.0));
        Self {
            known,
            slope: of_length(model.slope),
        }
    }

    /// The capacitance of a wire that drives so many pins, F: linear between the numbers that the model has, and beyond
    /// them with its slope.
    pub fn capacitance(&self, pins: usize) -> f64 {
        let pins = pins as f64;
        let next = self.known.partition_point(|(known, _)| *known < pins);
        match (
            next.checked_sub(1).and_then(|last| self.known.get(last)),
            self.known.get(next),
        ) {
            (_, Some((known, capacitance))) if *known == pins => *capacitance,
            (Some(low), Some(high)) => low.1 + (high.1 - low.1) * (pins - low.0) / (high.0 - low.0),
            (Some(last), None) => last.1 + (pins - last.0) * self.slope,
            (None, Some(first)) if pins > 0.0 => first.1,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wire_grows_with_the_pins_that_it_drives() {
        let wires = Wires {
            known: vec![(1.0, 2.0), (2.0, 5.0), (4.0, 9.0)],
            slope: 1.5,
        };
        let found = [0, 1, 2, 3, 4, 6].map(|pins| wires.capacitance(pins));
        assert_eq!(found, [0.0, 2.0, 5.0, 7.0, 9.0, 12.0]);
        assert_eq!(Wires::default().capacitance(3), 0.0);
    }
}
