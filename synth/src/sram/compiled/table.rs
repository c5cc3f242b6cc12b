//! The tables of a Liberty file, of which the middle is taken.

use faultline_liberty::Tree;

/// Values over none, one or two variables: a row for each point of the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Table(Vec<Vec<f64>>);

impl Table {
    /// The table in a group such as `cell_rise`; none if it has no numbers, or not as many as it has points.
    pub fn of(group: Tree<'_>) -> Option<Self> {
        let mut rows = group.rows("values")?;
        let points = |index: &str| group.rows(index).map_or(0, |rows| rows.concat().len());
        let (first, second) = (points("index_1"), points("index_2"));
        // All rows may be in one string.
        if rows.len() == 1 && first > 1 && second > 0 && rows[0].len() == first * second {
            rows = rows[0].chunks(second).map(<[f64]>::to_vec).collect();
        }
        let length = rows.first()?.len();
        let whole = length > 0 && rows.iter().all(|row| row.len() == length);
        let finite = rows.iter().flatten().all(|value| value.is_finite());
        (whole && finite).then_some(Self(rows))
    }

    /// The value at the middle point of each variable, the lower one of two.
    pub fn middle(&self) -> f64 {
        let row = &self.0[(self.0.len() - 1) / 2];
        row[(row.len() - 1) / 2]
    }
}
