//! The ports of a block as a plain struct, and as packed words.
//!
//! [`ports!`](crate::ports!) declares the ports of a block: name, type and width. The struct is what a model and a test
//! read and write; the packed words are what a test bench hands to a back end whose type it does not know.
//! In packed words every port starts on a word of its own, lowest bit first, in the order of the declaration.
//!
//! The declarations follow from the kernels' structs: `cargo xtask codegen` writes them, by the
//! [`widths!`](crate::widths!) of the model's file.

/// One port of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name, the same in the model, the kernel and the Verilog.
    pub name: &'static str,
    /// Its whole width in bits; of an array, element 0 is lowest.
    pub bits: usize,
}

impl Port {
    /// The packed words that it takes.
    #[must_use]
    pub fn words(&self) -> usize {
        words_of(self.bits)
    }
}

/// The 64-bit words that hold so many bits.
#[must_use]
pub const fn words_of(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// A struct of ports, as [`ports!`](crate::ports!) makes it.
pub trait Ports: Clone + Default {
    /// The sizes that its widths depend on.
    type Parameters;

    /// Names and widths, in order.
    fn ports(parameters: &Self::Parameters) -> Vec<Port>;

    /// Packs all values, which must fit their widths.
    ///
    /// # Panics
    /// If there are fewer words than the ports take.
    fn pack(&self, parameters: &Self::Parameters, words: &mut [u64]);

    /// Takes all values from packed words.
    ///
    /// # Panics
    /// If there are fewer words than the ports take.
    fn unpack(&mut self, parameters: &Self::Parameters, words: &[u64]);
}

/// A reference model: what a block does in a cycle, from its page alone.
pub trait Model {
    /// Its sizes.
    type Parameters: Clone;
    /// Its input ports but the clock, `reset` among them.
    type Inputs: Ports<Parameters = Self::Parameters>;
    /// Its output ports.
    type Outputs: Ports<Parameters = Self::Parameters>;

    /// A block as it is after reset.
    fn new(parameters: Self::Parameters) -> Self;

    /// Gives the outputs of this cycle, then applies its clock edge.
    fn cycle(&mut self, inputs: &Self::Inputs) -> Self::Outputs;
}

/// The width of a port: elements, and bits of each. A number alone is one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// Elements.
    pub elements: usize,
    /// Bits of an element, at most 64.
    pub each: usize,
}

impl Width {
    /// Bits of the whole port.
    #[must_use]
    pub const fn bits(self) -> usize {
        self.elements * self.each
    }
}

impl From<usize> for Width {
    fn from(bits: usize) -> Self {
        Self {
            elements: 1,
            each: bits,
        }
    }
}

impl From<(usize, usize)> for Width {
    fn from((elements, each): (usize, usize)) -> Self {
        Self { elements, each }
    }
}

/// A value of a port.
pub trait Value {
    /// Writes it into the words of its port.
    fn pack(&self, width: Width, words: &mut [u64]);
    /// Reads it from the words of its port.
    fn unpack(&mut self, width: Width, words: &[u64]);
}

impl Value for bool {
    fn pack(&self, _: Width, words: &mut [u64]) {
        words[0] = u64::from(*self);
    }
    fn unpack(&mut self, _: Width, words: &[u64]) {
        *self = words[0] != 0;
    }
}

macro_rules! integer_value {
    ($($integer:ty),*) => {$(
        impl Value for $integer {
            fn pack(&self, _: Width, words: &mut [u64]) {
                words[0] = u64::from(*self);
            }
            // A port is never wider than the type that its declaration gives it.
            #[allow(clippy::cast_possible_truncation)]
            fn unpack(&mut self, _: Width, words: &[u64]) {
                *self = words[0] as $integer;
            }
        }
    )*};
}
integer_value!(u8, u16, u32, u64);

/// Wide data, an element after the other. A configuration may use fewer elements than the type has.
impl<const N: usize> Value for [u64; N] {
    fn pack(&self, width: Width, words: &mut [u64]) {
        if width.each == 64 {
            words.copy_from_slice(&self[..words.len()]);
            return;
        }
        words.fill(0);
        for (place, value) in (0..width.elements)
            .map(|number| number * width.each)
            .zip(self)
        {
            let (word, shift) = (place / 64, place % 64);
            words[word] |= value << shift;
            if shift + width.each > 64 {
                words[word + 1] |= value >> (64 - shift);
            }
        }
    }
    fn unpack(&mut self, width: Width, words: &[u64]) {
        if width.each == 64 {
            self[..words.len()].copy_from_slice(words);
            return;
        }
        let mask = u64::MAX >> (64 - width.each);
        for (place, value) in (0..width.elements)
            .map(|number| number * width.each)
            .zip(self)
        {
            let (word, shift) = (place / 64, place % 64);
            *value = words[word] >> shift;
            if shift + width.each > 64 {
                *value |= words[word + 1] << (64 - shift);
            }
            *value &= mask;
        }
    }
}

/// Declares a struct of ports: `name: type = width in bits`, or `(elements, bits of each)`, where widths
/// may use the parameters.
///
/// ```
/// pub struct Parameters { pub index_bits: usize }
/// faultline_sim::ports! {
///     /// What goes in.
///     pub struct Inputs(parameters: Parameters) {
///         /// Back to the start.
///         reset: bool = 1,
///         /// An entry.
///         index: u8 = parameters.index_bits,
///     }
/// }
/// ```
#[macro_export]
macro_rules! ports {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident($parameters:ident: $sizes:ty) {
            $($(#[$port_attribute:meta])* $port:ident: $value:ty = $bits:expr,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        $visibility struct $name {
            $($(#[$port_attribute])* pub $port: $value,)*
        }

        impl $crate::ports::Ports for $name {
            type Parameters = $sizes;

            fn ports($parameters: &$sizes) -> Vec<$crate::ports::Port> {
                vec![$($crate::ports::Port { name: stringify!($port), bits: $crate::ports::Width::from($bits).bits() }),*]
            }

            fn pack(&self, $parameters: &$sizes, words: &mut [u64]) {
                let rest = words;
                $(
                    let width = $crate::ports::Width::from($bits);
                    let (port, rest) = rest.split_at_mut($crate::ports::words_of(width.bits()));
                    $crate::ports::Value::pack(&self.$port, width, port);
                )*
                let _ = rest;
            }

            fn unpack(&mut self, $parameters: &$sizes, words: &[u64]) {
                let rest = words;
                $(
                    let width = $crate::ports::Width::from($bits);
                    let (port, rest) = rest.split_at($crate::ports::words_of(width.bits()));
                    $crate::ports::Value::unpack(&mut self.$port, width, port);
                )*
                let _ = rest;
            }
        }
    };
}

/// What a kernel's types are called on the block's page, and what they are in its model: `type "page" => type = width`,
/// with the model's type and width as in [`ports!`](crate::ports!). A bit is a `bool`, and a number of bits that is the
/// same in every configuration fits the smallest integer; neither needs a row.
///
/// `cargo xtask codegen` reads it; to the compiler it is nothing.
///
/// ```
/// faultline_sim::widths! {
///     Bits<I> "I" => u8 = parameters.index_bits(),
///     [Bits<K>; L] "L x K" => [u64; 32] = (parameters.lanes, parameters.line_bits),
/// }
/// ```
#[macro_export]
macro_rules! widths {
    ($($row:tt)*) => {};
}

#[cfg(test)]
mod tests {
    use super::{Port, Ports};

    struct Sizes {
        words: usize,
    }

    ports! {
        /// A port of each kind.
        struct Sample(sizes: Sizes) {
            flag: bool = 1,
            number: u16 = 9,
            wide: [u64; 4] = (sizes.words, 64),
            narrow: [u64; 4] = (sizes.words, 41),
        }
    }

    #[test]
    fn every_port_starts_on_a_word_of_its_own() {
        let sizes = Sizes { words: 2 };
        assert_eq!(
            Sample::ports(&sizes)[2..].to_vec(),
            [("wide", 128), ("narrow", 82)].map(|(name, bits)| Port { name, bits })
        );
        let sample = Sample {
            flag: true,
            number: 300,
            wide: [7, 8, 0, 0],
            narrow: [1, (1 << 41) - 1, 0, 0],
        };
        let mut words = [u64::MAX; 6];
        sample.pack(&sizes, &mut words);
        assert_eq!(words, [1, 300, 7, 8, u64::MAX << 41 | 1, (1 << 18) - 1]);
        let mut back = Sample::default();
        back.unpack(&sizes, &words);
        assert_eq!(back, sample);
    }
}
