//! The functions that stand for a cell's characterisation tables, and how they are fitted.
//!
//! Slews are in ns. Loads are in fF *per unit of drive strength* (x below), because the sizes of a
//! cell are copies of one another: a cell of drive strength 4 under 40 fF behaves as one of strength
//! 1 under 10 fF. Where a size is no such copy, it has its own family.

use serde::{Deserialize, Serialize};

/// A measured point: (slew, load per drive strength, value).
pub type Point = (f64, f64, f64);

/// Delay or output transition time in ns over input slew s and load x:
///
/// c0 + c1 s + c2 x + c3 √s + c4 √x + c5 √(s x) + c6 √(s² + (k (x + p))²)
///
/// The last term is the two regimes of a gate and the bend between them: under a fast input the
/// load decides, under a slow one the input. p is the cell's own parasitic load, and k turns a load
/// into the time that the cell needs for it. The roots take up what the stages inside a cell bend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 9]", into = "[f64; 9]")]
pub struct Curve {
    knee: f64,
    parasitic: f64,
    terms: [f64; 7],
}

impl From<[f64; 9]> for Curve {
    fn from([knee, parasitic, terms @ ..]: [f64; 9]) -> Self {
        Self {
            knee,
            parasitic,
            terms,
        }
    }
}

impl From<Curve> for [f64; 9] {
    fn from(curve: Curve) -> Self {
        let [a, b, c, d, e, f, g] = curve.terms;
        [curve.knee, curve.parasitic, a, b, c, d, e, f, g]
    }
}

impl Curve {
    /// Deviations below this are of no account, ns: the fit minimizes the relative deviation of
    /// (value + floor).
    const FLOOR: f64 = 0.01;

    fn basis(knee: f64, parasitic: f64, slew: f64, load: f64) -> [f64; 7] {
        [
            1.0,
            slew,
            load,
            slew.sqrt(),
            load.sqrt(),
            (slew * load).sqrt(),
            slew.hypot(knee * (load + parasitic)),
        ]
    }

    /// The value at an input slew (ns) and a load per drive strength (fF).
    pub fn at(&self, slew: f64, load: f64) -> f64 {
        dot(
            &self.terms,
            &Self::basis(self.knee, self.parasitic, slew, load),
        )
    }

    /// The curve with the least squared relative deviation from the points.
    pub fn fit(points: &[Point]) -> Self {
        let mut best = (
            f64::INFINITY,
            Self {
                knee: 0.0,
                parasitic: 0.0,
                terms: [0.0; 7],
            },
        );
        for step in 0..20_i32 {
            // 0.3 to 50 ps per fF, evenly on a logarithmic scale.
            let knee = round(3.0e-4 * (50.0_f64 / 0.3).powf(f64::from(step) / 19.0));
            for parasitic in [0.0, 0.5, 1.0, 2.0, 4.0] {
                let rows: Vec<_> = points
                    .iter()
                    .map(|&(slew, load, value)| {
                        let weight = 1.0 / (value.abs() + Self::FLOOR);
                        (Self::basis(knee, parasitic, slew, load), value, weight)
                    })
                    .collect();
                let curve = Self {
                    knee,
                    parasitic,
                    terms: least_squares(&rows),
                };
                let squares = points
                    .iter()
                    .map(|point| curve.deviation(point).powi(2))
                    .sum();
                if squares < best.0 {
                    best = (squares, curve);
                }
            }
        }
        best.1
    }

    /// How far the curve is from a point, relative to the point's value + 10 ps.
    pub fn deviation(&self, &(slew, load, value): &Point) -> f64 {
        (self.at(slew, load) - value) / (value.abs() + Self::FLOOR)
    }
}

/// Energy in fJ over input slew s (ns) and load x (fF per drive strength):
/// c0 + c1 s + c2 √x + c3 √(s x) + c4 s².
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Energy([f64; 5]);

impl Energy {
    fn basis(slew: f64, load: f64) -> [f64; 5] {
        [1.0, slew, load.sqrt(), (slew * load).sqrt(), slew * slew]
    }

    /// The energy per unit of drive strength.
    pub fn at(&self, slew: f64, load: f64) -> f64 {
        dot(&self.0, &Self::basis(slew, load))
    }

    /// The energy with the least squared deviation from the points.
    pub fn fit(points: &[Point]) -> Self {
        let rows: Vec<_> = points
            .iter()
            .map(|&(slew, load, value)| (Self::basis(slew, load), value, 1.0))
            .collect();
        Self(least_squares(&rows))
    }

    /// The mean and the largest distance from the points, as parts of their mean.
    pub fn deviation(&self, points: &[Point]) -> (f64, f64) {
        let off = points
            .iter()
            .map(|&(slew, load, value)| (self.at(slew, load) - value).abs());
        let count = points.len() as f64;
        let level = points.iter().map(|point| point.2.abs()).sum::<f64>() / count;
        (
            off.clone().sum::<f64>() / count / level,
            off.fold(0.0, f64::max) / level,
        )
    }
}

/// Set-up or hold time in ns over the slews of data d and clock c: c0 + c1 d + c2 c + c3 d c + c4 d².
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Constraint([f64; 5]);

impl Constraint {
    fn basis(data: f64, clock: f64) -> [f64; 5] {
        [1.0, data, clock, data * clock, data * data]
    }

    /// The time at a data slew and a clock slew.
    pub fn at(&self, data: f64, clock: f64) -> f64 {
        dot(&self.0, &Self::basis(data, clock))
    }

    /// The constraint with the least squared deviation from points (data slew, clock slew, time).
    pub fn fit(points: &[Point]) -> Self {
        let rows: Vec<_> = points
            .iter()
            .map(|&(data, clock, value)| (Self::basis(data, clock), value, 1.0))
            .collect();
        Self(least_squares(&rows))
    }
}

fn dot<const N: usize>(one: &[f64; N], other: &[f64; N]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Rounds to seven significant digits: finer than any of the figures, and short to print.
pub fn round(value: f64) -> f64 {
    // Through text, because that gives the nearest short decimal, whatever the magnitude.
    format!("{value:.6e}").parse().unwrap_or(value)
}

/// Weighted linear least squares over rows of (basis, value, weight), by orthogonalising the
/// columns (modified Gram-Schmidt). A column that depends on the ones before it gets coefficient 0.
fn least_squares<const N: usize>(rows: &[([f64; N], f64, f64)]) -> [f64; N] {
    let column = |index: usize| -> Vec<f64> {
        rows.iter()
            .map(|(basis, _, weight)| basis[index] * weight)
            .collect()
    };
    let product =
        |one: &[f64], other: &[f64]| -> f64 { one.iter().zip(other).map(|(a, b)| a * b).sum() };
    let mut rest: Vec<f64> = rows
        .iter()
        .map(|(_, value, weight)| value * weight)
        .collect();
    let mut directions: Vec<Vec<f64>> = Vec::with_capacity(N);
    let mut upper = [[0.0; N]; N];
    let mut right = [0.0; N];
    for index in 0..N {
        let mut vector = column(index);
        let length = product(&vector, &vector).sqrt();
        for (before, direction) in directions.iter().enumerate() {
            let part = product(direction, &vector);
            upper[before][index] = part;
            for (value, step) in vector.iter_mut().zip(direction) {
                *value -= part * step;
            }
        }
        let left = product(&vector, &vector).sqrt();
        if left > length * 1e-9 {
            upper[index][index] = left;
            vector.iter_mut().for_each(|value| *value /= left);
            right[index] = product(&vector, &rest);
            for (value, step) in rest.iter_mut().zip(&vector) {
                *value -= right[index] * step;
            }
        } else {
            vector.fill(0.0);
        }
        directions.push(vector);
    }
    let mut solution = [0.0; N];
    for index in (0..N).rev() {
        if upper[index][index] == 0.0 {
            continue;
        }
        let known: f64 = (index + 1..N)
            .map(|after| upper[index][after] * solution[after])
            .sum();
        solution[index] = (right[index] - known) / upper[index][index];
    }
    solution.map(round)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(function: impl Fn(f64, f64) -> f64) -> Vec<Point> {
        let mut points = Vec::new();
        for slew in [0.001, 0.01, 0.03, 0.08, 0.2] {
            for load in [0.4, 1.0, 4.0, 12.0, 30.0, 60.0] {
                points.push((slew, load, function(slew, load)));
            }
        }
        points
    }

    #[test]
    fn a_curve_of_the_model_is_found_again() {
        let points = grid(|slew, load| 0.01 + 0.3 * slew + 0.002 * load);
        let curve = Curve::fit(&points);
        for point in &points {
            assert!(curve.deviation(point).abs() < 1e-5, "{point:?}");
        }
    }

    #[test]
    fn energy_and_constraint_are_found_again() {
        let energy = Energy::fit(&grid(|slew, load| 1.5 + 2.0 * slew - 0.1 * load.sqrt()));
        assert!((energy.at(0.05, 9.0) - 1.3).abs() < 1e-5);
        let constraint = Constraint::fit(&grid(|data, clock| 0.03 + 0.4 * data - 0.1 * clock));
        assert!((constraint.at(0.1, 0.2) - 0.05).abs() < 1e-6);
    }

    #[test]
    fn dependent_columns_do_not_break_the_fit() {
        let rows: Vec<([f64; 2], f64, f64)> = (1..5)
            .map(|step| {
                (
                    [f64::from(step), 2.0 * f64::from(step)],
                    3.0 * f64::from(step),
                    1.0,
                )
            })
            .collect();
        assert_eq!(least_squares(&rows), [3.0, 0.0]);
    }

    #[test]
    fn rounding_keeps_seven_digits() {
        assert_eq!(round(0.001_234_567_89), 0.001_234_568);
        assert_eq!(round(-98_765_432.1), -98_765_430.0);
        assert_eq!(round(0.0), 0.0);
    }
}
