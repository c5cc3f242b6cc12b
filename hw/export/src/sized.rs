//! Expressions of known width, and parts of them.

use super::place::Place;

/// An expression of known width.
#[derive(Clone, Debug)]
pub struct Sized {
    pub text: String,
    /// In bits.
    pub width: usize,
    /// It needs no parentheses as an operand.
    pub atom: bool,
    form: Form,
}

/// What is known of the bits of an expression.
#[derive(Clone, Debug)]
enum Form {
    /// Nothing.
    Opaque,
    /// They are those of a wire, or of a constant with this value.
    Place(Place, Option<u128>),
    /// They are those of a number.
    Number(u128),
    /// They are those of several expressions, the highest first.
    Joined(Vec<Sized>),
    /// Each follows from the same bits of the operands; those of a sum or difference also from the bits below.
    Operator(&'static str, Box<[Sized; 2]>),
    /// Each is the opposite of the operand's.
    Inverted(Box<Sized>),
}

impl Sized {
    fn new(text: String, width: usize, atom: bool, form: Form) -> Self {
        Self {
            text,
            width,
            atom,
            form,
        }
    }

    pub fn operator(text: String, width: usize) -> Self {
        Self::new(text, width, false, Form::Opaque)
    }

    pub fn atom(text: String, width: usize) -> Self {
        Self::new(text, width, true, Form::Opaque)
    }

    pub fn number(number: u128, width: usize) -> Self {
        let text = if number < 4096 {
            format!("{width}'d{number}")
        } else {
            format!("{width}'h{number:x}")
        };
        Self::new(text, width, true, Form::Number(number))
    }

    pub fn place(place: Place) -> Self {
        Self::new(place.text(), place.width, true, Form::Place(place, None))
    }

    /// A named constant.
    pub fn constant(place: Place, value: u128) -> Self {
        let form = Form::Place(place.clone(), Some(value));
        Self::new(place.text(), place.width, true, form)
    }

    /// Two operands of one width under an operator whose result has that width too.
    pub fn both(mut left: Self, symbol: &'static str, mut right: Self) -> Self {
        for side in [&mut left, &mut right] {
            // A chain of one associative operator reads better without parentheses.
            let same = matches!(side.form, Form::Operator(inner, _) if inner == symbol);
            side.atom |= same && is_bitwise(symbol);
            if let Form::Number(number) = side.form
                && is_bitwise(symbol)
                && number > 9
            {
                side.text = format!("{}'h{number:x}", side.width);
            }
        }
        let text = format!("{} {symbol} {}", left.operand(), right.operand());
        let width = left.width;
        let form = Form::Operator(symbol, Box::new([left, right]));
        Self::new(text, width, false, form)
    }

    /// The opposite of each bit, printed as `text`.
    pub fn inverted(self, text: String) -> Self {
        Self::new(text, self.width, true, Form::Inverted(Box::new(self)))
    }

    /// As an operand.
    pub fn operand(&self) -> String {
        if self.atom {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }

    /// The bits of a wire that it is.
    pub fn as_place(&self) -> Option<&Place> {
        match &self.form {
            Form::Place(place, _) => Some(place),
            _ => None,
        }
    }

    /// The places that it is made of, as far as that is known.
    pub fn places(&self) -> Vec<&Place> {
        match &self.form {
            Form::Place(place, _) => vec![place],
            Form::Opaque | Form::Number(_) => Vec::new(),
            Form::Joined(pieces) => pieces.iter().flat_map(Self::places).collect(),
            Form::Operator(_, sides) => sides.iter().flat_map(Self::places).collect(),
            Form::Inverted(inner) => inner.places(),
        }
    }

    /// Several expressions beside each other, the highest first.
    pub fn joined(pieces: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for piece in pieces {
            let inner = match piece.form {
                Form::Joined(inner) => inner,
                _ => vec![piece],
            };
            for piece in inner.into_iter().filter(|piece| piece.width > 0) {
                match flat.last_mut() {
                    Some(last) if last.is_zero() && piece.is_zero() => {
                        *last = Self::number(0, last.width + piece.width);
                    }
                    _ => flat.push(piece),
                }
            }
        }
        if flat.len() == 1 {
            return flat.remove(0);
        }
        let texts: Vec<&str> = flat.iter().map(|piece| piece.text.as_str()).collect();
        let text = format!("{{{}}}", texts.join(", "));
        let width = flat.iter().map(|piece| piece.width).sum();
        Self::new(text, width, true, Form::Joined(flat))
    }

    /// With `below` zeros below it, and zeros above it up to `width` bits.
    pub fn padded(self, below: usize, width: usize) -> Self {
        if let Form::Number(number) = self.form {
            return Self::number(number << below, width);
        }
        let above = width - below - self.width;
        Self::joined([Self::number(0, above), self, Self::number(0, below)])
    }

    pub fn is_zero(&self) -> bool {
        matches!(self.form, Form::Number(0))
    }

    /// `width` bits from `bit` on, if they need no variable.
    pub fn cut(&self, bit: usize, width: usize) -> Option<Self> {
        if width == self.width {
            return Some(self.clone());
        }
        match &self.form {
            Form::Opaque => None,
            Form::Place(place, value) => {
                let part = place.part(bit, width);
                Some(match value {
                    Some(value) => Self::constant(part, low(value >> bit, width)),
                    None => Self::place(part),
                })
            }
            Form::Number(number) => Some(Self::number(low(number >> bit, width), width)),
            Form::Joined(pieces) => {
                let mut parts = Vec::new();
                let mut top = self.width;
                for piece in pieces {
                    let below = top - piece.width;
                    let (from, to) = (bit.max(below), (bit + width).min(top));
                    if from < to {
                        parts.push(piece.cut(from - below, to - from)?);
                    }
                    top = below;
                }
                Some(Self::joined(parts))
            }
            Form::Operator(symbol, sides) if is_bitwise(symbol) || bit == 0 => {
                let [left, right] = &**sides;
                Some(Self::simplified(
                    left.cut(bit, width)?,
                    symbol,
                    right.cut(bit, width)?,
                ))
            }
            Form::Operator(..) => None,
            Form::Inverted(inner) => {
                let part = inner.cut(bit, width)?;
                let symbol = if width == 1 { '!' } else { '~' };
                let text = if part.text.starts_with(['!', '~', '&', '|', '^']) {
                    format!("{symbol}({})", part.text)
                } else {
                    format!("{symbol}{}", part.operand())
                };
                Some(part.inverted(text))
            }
        }
    }

    /// As `both`, without what does nothing: a mask of ones, zeros that are added.
    fn simplified(left: Self, symbol: &'static str, right: Self) -> Self {
        let ones = low(u128::MAX, left.width);
        let sides = [(&left, &right), (&right, &left)];
        for (at, (side, other)) in sides.into_iter().enumerate() {
            match (side.value(), symbol) {
                (Some(0), "&") => return Self::number(0, left.width),
                (Some(0), "|" | "^" | "+") => return other.clone(),
                (Some(0), "-") if at == 1 => return other.clone(),
                (Some(value), "&") if value == ones => return other.clone(),
                _ => {}
            }
        }
        Self::both(left, symbol, right)
    }

    /// Its value, if it is a number or a constant.
    fn value(&self) -> Option<u128> {
        match self.form {
            Form::Number(value) | Form::Place(_, Some(value)) => Some(value),
            _ => None,
        }
    }
}

/// The low `width` bits of a number.
fn low(number: u128, width: usize) -> u128 {
    if width < 128 {
        number & ((1 << width) - 1)
    } else {
        number
    }
}

/// An operator of which each bit of the result follows from the same bits of the operands.
pub fn is_bitwise(symbol: &str) -> bool {
    ["&", "|", "^"].contains(&symbol)
}
