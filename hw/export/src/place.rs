//! Bits of wires.

/// Bits of a wire: all of it, or a constant or indexed part.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub wire: String,
    pub total: usize,
    pub width: usize,
    pub offset: Offset,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Offset {
    At(usize),
    /// Element `index` (an expression of loop indices) of `stride` bits, and `plus` bits on.
    Element {
        index: String,
        stride: usize,
        plus: usize,
    },
}

impl Place {
    pub fn is_whole(&self) -> bool {
        self.offset == Offset::At(0) && self.width == self.total
    }

    pub fn text(&self) -> String {
        let (wire, width) = (&self.wire, self.width);
        match &self.offset {
            Offset::At(0) if width == self.total => wire.clone(),
            // A wire of one bit cannot be indexed.
            Offset::Element { .. } if self.total == 1 => wire.clone(),
            Offset::At(bit) if width == 1 => format!("{wire}[{bit}]"),
            Offset::At(bit) => format!("{wire}[{}:{bit}]", bit + width - 1),
            Offset::Element {
                index,
                stride,
                plus,
            } => {
                let start = match (*stride, *plus) {
                    (1, 0) => index.clone(),
                    (1, plus) => format!("{index} + {plus}"),
                    (stride, 0) => format!("{}*{stride}", factor(index)),
                    (stride, plus) => format!("{}*{stride} + {plus}", factor(index)),
                };
                if width == 1 {
                    format!("{wire}[{start}]")
                } else {
                    format!("{wire}[{start} +: {width}]")
                }
            }
        }
    }

    /// The bit of this number, an expression of loop indices.
    pub fn bit(&self, number: &str) -> Self {
        let index = match &self.offset {
            Offset::At(0) => number.to_owned(),
            Offset::At(start) => format!("{start} + {number}"),
            Offset::Element {
                index,
                stride: 1,
                plus: 0,
            } => format!("{index} + {number}"),
            Offset::Element {
                index,
                stride,
                plus: 0,
            } => format!("{}*{stride} + {number}", factor(index)),
            Offset::Element {
                index,
                stride,
                plus,
            } => format!("{}*{stride} + {plus} + {number}", factor(index)),
        };
        Self {
            wire: self.wire.clone(),
            total: self.total,
            width: 1,
            offset: Offset::Element {
                index,
                stride: 1,
                plus: 0,
            },
        }
    }

    /// `width` bits from `bit` on.
    pub fn part(&self, bit: usize, width: usize) -> Self {
        let offset = match &self.offset {
            Offset::At(start) => Offset::At(start + bit),
            Offset::Element {
                index,
                stride,
                plus,
            } => Offset::Element {
                index: index.clone(),
                stride: *stride,
                plus: plus + bit,
            },
        };
        Self {
            wire: self.wire.clone(),
            total: self.total,
            width,
            offset,
        }
    }
}

/// An index expression as a factor.
pub fn factor(index: &str) -> String {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    if index.chars().all(is_word) {
        index.to_owned()
    } else {
        format!("({index})")
    }
}
