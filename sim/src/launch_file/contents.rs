//! What arrays hold.

use super::array::{Array, Ramp, Random};
use super::{Element, Number};

/// Elements one after the other, each in the low bytes of a word.
pub(super) type Words<'file> = Box<dyn Iterator<Item = u64> + 'file>;

/// What is wrong with an array, and the place of the value if it is one of `values`.
pub(super) type Wrong = (Option<usize>, String);

impl Element {
    /// A number as this type, or 0 if it is none; the check of the file rules that out.
    fn word(self, number: Number) -> u64 {
        u64::from_le_bytes(self.encode(number).unwrap_or_default())
    }

    /// A double as this type; whole numbers are rounded down.
    fn floor(self, number: f64) -> Number {
        match self.is_float() {
            true => Number::Float(number),
            false => Number::Integer(number.floor() as i128),
        }
    }
}

impl Array {
    /// Checks what the launch file alone says of its contents.
    pub(super) fn check_contents(&self) -> Result<(), Wrong> {
        let element = self.element;
        if let Some(fill) = self.fill {
            element.encode(fill).map_err(|wrong| (None, wrong))?;
        }
        for (place, &value) in self.values.iter().flatten().enumerate() {
            element
                .encode(value)
                .map_err(|wrong| (Some(place), wrong))?;
        }
        let count = self.elements().unwrap_or(0);
        let others = [
            self.random.map(|random| random.check(element)),
            self.ramp.map(|ramp| ramp.check(element, count)),
            self.sums.map(|sums| sums.check_sums(element, count)),
            self.permutation.map(|_| whole_below(element, count)),
        ];
        let checked: Result<(), String> = others.into_iter().flatten().collect();
        checked.map_err(|wrong| (None, wrong))
    }

    /// Its elements, if no file holds them.
    pub(super) fn words(&self) -> Words<'_> {
        let element = self.element;
        let count = self.elements().unwrap_or(0);
        if let Some(values) = &self.values {
            Box::new(values.iter().map(move |&value| element.word(value)))
        } else if let Some(random) = self.random {
            let mut draws = fastrand::Rng::with_seed(random.seed);
            Box::new((0..count).map(move |_| element.word(random.draw(element, &mut draws))))
        } else if let Some(ramp) = self.ramp {
            Box::new((0..count).map(move |place| element.word(ramp.at(element, place))))
        } else if let Some(random) = self.sums {
            let mut draws = fastrand::Rng::with_seed(random.seed);
            let mut sum = 0;
            Box::new((0..count).map(move |_| {
                let before = sum;
                sum += random.whole(&mut draws);
                element.word(Number::Integer(before))
            }))
        } else if let Some(order) = self.permutation {
            let mut all: Vec<u64> = (0..count).collect();
            fastrand::Rng::with_seed(order.seed).shuffle(&mut all);
            Box::new(all.into_iter())
        } else {
            let fill = self.fill.unwrap_or(Number::Integer(0));
            let word = element.word(fill);
            Box::new((0..count).map(move |_| word))
        }
    }

    /// Nothing is said of what it holds, so the CPU has not written it.
    pub(super) fn is_unwritten(&self) -> bool {
        let is_filled = self.fill.is_some()
            || self.file.is_some()
            || self.values.is_some()
            || self.random.is_some()
            || self.ramp.is_some()
            || self.sums.is_some()
            || self.permutation.is_some();
        !is_filled
    }
}

impl Random {
    fn check(self, element: Element) -> Result<(), String> {
        let (from, to) = (self.from, self.to);
        if from.as_f64() >= to.as_f64() || !(to.as_f64() - from.as_f64()).is_finite() {
            return Err(format!(
                "no number is from {from} to below {to}; give a larger to"
            ));
        }
        element.encode(from)?;
        if element.is_float() {
            return element.encode(to).map(drop);
        }
        let Number::Integer(to) = to else {
            return Err(format!(
                "{to} is no whole number; give whole ones, or another type"
            ));
        };
        // Below the end all fit, the end itself need not.
        element.encode(Number::Integer(to - 1)).map(drop)
    }

    /// Whether the sums of so many fit.
    fn check_sums(self, element: Element, count: u64) -> Result<(), String> {
        whole_below(element, 1)?;
        self.check(element)?;
        if self.from.as_f64() < 0.0 {
            return Err(format!(
                "from is {}; sums are of numbers from 0 on",
                self.from
            ));
        }
        let largest = self.to.as_f64() * count as f64;
        match largest < 2f64.powi(53) && element.holds_below(largest as u64) {
            true => Ok(()),
            false => Err(format!(
                "the sums may reach {largest}, which is no {}; reduce to, or give another type",
                element.name()
            )),
        }
    }

    /// A number of this type.
    fn draw(self, element: Element, draws: &mut fastrand::Rng) -> Number {
        if !element.is_float() {
            return Number::Integer(self.whole(draws));
        }
        let (from, to) = (self.from.as_f64(), self.to.as_f64());
        let drawn = from + (to - from) * draws.f64();
        // The nearest single may be the end.
        match element == Element::F32 && f64::from(drawn as f32) >= to {
            true => self.from,
            false => Number::Float(drawn),
        }
    }

    /// A whole number.
    fn whole(self, draws: &mut fastrand::Rng) -> i128 {
        let [from, to] = [self.from, self.to].map(|number| match number {
            Number::Integer(number) => number,
            Number::Float(number) => number as i128,
        });
        match (i64::try_from(from), i64::try_from(to)) {
            (Ok(from), Ok(to)) => draws.i64(from..to).into(),
            _ => draws.i128(from..to),
        }
    }
}

impl Ramp {
    fn check(self, element: Element, count: u64) -> Result<(), String> {
        for place in [0, count.saturating_sub(1)] {
            element.encode(self.at(element, place))?;
        }
        Ok(())
    }

    /// The number of an element.
    fn at(self, element: Element, place: u64) -> Number {
        match (self.from, self.step, element.is_float()) {
            (Number::Integer(from), Number::Integer(step), false) => {
                Number::Integer(from.saturating_add(step.saturating_mul(place.into())))
            }
            (from, step, _) => element.floor(from.as_f64() + step.as_f64() * place as f64),
        }
    }
}

/// Whether the type is whole, and holds every number below this.
fn whole_below(element: Element, end: u64) -> Result<(), String> {
    let name = element.name();
    if element.is_float() {
        return Err(format!(
            "{name} is no type of whole numbers; give another type"
        ));
    }
    match element.holds_below(end) {
        true => Ok(()),
        false => Err(format!(
            "{end} numbers do not fit into {name}; reduce count, or give another type"
        )),
    }
}
