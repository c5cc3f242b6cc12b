//! Arrays of a file: their elements, and what fills them.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Element, Number};

/// An array: a buffer or a variable of the PTX. One of `fill`, `values`, `file`, `random`, `ramp`, `sums` and
/// `permutation` says what it holds; without any, it is full of zeros that nobody has written.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Array {
    /// The type of an element.
    #[serde(rename = "type")]
    pub element: Element,
    /// How many elements; as many as `values` or `file` has if absent.
    pub count: Option<u64>,
    /// The value of every element.
    pub fill: Option<Number>,
    /// The elements.
    pub values: Option<Vec<Number>>,
    /// A file with the elements' bytes, the lowest first. Its path begins at the folder of the launch file.
    pub file: Option<String>,
    /// Random numbers.
    pub random: Option<Random>,
    /// Numbers at the same distance; whole ones are rounded down.
    pub ramp: Option<Ramp>,
    /// Sums of the random numbers before an element: the first is 0. Such are the offsets of the rows of a sparse matrix.
    pub sums: Option<Random>,
    /// The numbers from 0 on, each once, in random order.
    pub permutation: Option<Shuffle>,
    /// Of a buffer: a kernel writes it.
    #[serde(default)]
    pub output: bool,
    /// Of a buffer: a file with the bytes that it holds after the last launch.
    pub expected: Option<String>,
    /// Of a buffer with `expected`: how far its elements may be off; not at all if absent.
    pub tolerance: Option<Tolerance>,
}

/// Random numbers, the same for the same seed.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// The least.
    pub from: Number,
    /// All are below.
    pub to: Number,
    /// The seed.
    #[serde(default)]
    pub seed: u64,
}

/// Numbers at the same distance.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    /// The first.
    pub from: Number,
    /// From each to the next.
    pub step: Number,
}

/// A random order, the same for the same seed.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shuffle {
    /// The seed.
    #[serde(default)]
    pub seed: u64,
}

/// How far an element may be off: by `absolute` and `relative` times what is expected, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// In the unit of the element.
    #[serde(default)]
    pub absolute: f64,
    /// A part of what is expected.
    #[serde(default)]
    pub relative: f64,
}

/// A texture: the elements of a buffer, by points and up to its edges.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextureTable {
    /// The buffer.
    pub buffer: String,
    /// Texels of a row.
    pub width: u64,
    /// Rows; 1 if absent.
    pub height: Option<u64>,
    /// Elements of a texel, 1, 2 or 4; 1 if absent.
    pub channels: Option<u64>,
    /// Coordinates run from 0 to 1, not to width and height.
    #[serde(default)]
    pub normalized: bool,
}
