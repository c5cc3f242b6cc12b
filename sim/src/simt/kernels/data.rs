//! The data of a kernel: where it lies, and values for it.

use super::super::builder::Builder;
use super::super::memory::Memory;
use super::super::operation::Width;
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::{Kernel, Region};

/// The first address; above 4 GB, so that an address needs more than 32 bits.
const START: u64 = 0x10_0000_0000;
/// Regions start at multiples of this: the granularity at which faults are handled.
const GRANULE: u64 = 64 << 10;

/// Puts regions into memory one after the other.
#[derive(Default)]
pub struct Layout {
    /// The memory so far.
    memory: Memory,
    /// The regions so far.
    regions: Vec<Region>,
}

impl Layout {
    /// A region that the kernel reads; gives its address.
    pub fn input(&mut self, name: &'static str, words: &[u32]) -> u64 {
        self.words(name, words.iter().copied())
    }

    /// As [`Layout::input`], with floats.
    pub fn floats(&mut self, name: &'static str, values: &[f32]) -> u64 {
        self.words(name, values.iter().map(|value| value.to_bits()))
    }

    /// A region that the kernel writes; gives its address.
    pub fn output(&mut self, name: &'static str, words: usize) -> u64 {
        self.place(name, words, [false, true])
    }

    /// A region of floats that the kernel reads and writes; gives its address.
    pub fn changed(&mut self, name: &'static str, values: &[f32]) -> u64 {
        let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        self.changed_words(name, &words)
    }

    /// A region that the kernel reads and writes; gives its address.
    pub fn changed_words(&mut self, name: &'static str, words: &[u32]) -> u64 {
        let address = self.input(name, words);
        if let Some(region) = self.regions.last_mut() {
            region.is_output = true;
        }
        address
    }

    /// As [`Layout::changed_words`], with zeros.
    pub fn cleared(&mut self, name: &'static str, words: usize) -> u64 {
        self.changed_words(name, &vec![0; words])
    }

    /// The kernel that runs what was built on these regions.
    pub fn kernel(
        self,
        builder: &mut Builder,
        name: &'static str,
        about: &'static str,
        launch: Launch,
        registers: u32,
    ) -> Result<Kernel, ProgramError> {
        Ok(Kernel {
            name,
            about,
            program: std::mem::take(builder).finish()?,
            launch,
            memory: self.memory,
            registers,
            regions: self.regions,
            is_ordered: false,
        })
    }

    /// A region that the kernel reads, with these words.
    fn words(&mut self, name: &'static str, words: impl ExactSizeIterator<Item = u32>) -> u64 {
        let address = self.place(name, words.len(), [true, false]);
        for (place, word) in (0..).zip(words) {
            let at: u64 = address + 4 * place;
            self.memory.write(at, Width::Four, word.into());
        }
        address
    }

    fn place(&mut self, name: &'static str, words: usize, [is_input, is_output]: [bool; 2]) -> u64 {
        let end = |region: &Region| region.address + region.bytes;
        let free = self.regions.last().map_or(START, end);
        let address = free.next_multiple_of(GRANULE);
        self.regions.push(Region {
            name,
            address,
            bytes: 4 * words as u64,
            is_input,
            is_output,
        });
        address
    }
}

/// Values that look random and are the same on every run (SplitMix64; Steele et al., OOPSLA 2014).
pub struct Values(pub u64);

impl Values {
    /// A whole number of 32 bits.
    pub fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let value = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (value >> 32) as u32
    }

    /// A whole number below a limit.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32
    }

    /// A float from 0 to 1.
    pub fn unit(&mut self) -> f32 {
        (self.word() >> 8) as f32 / (1 << 24) as f32
    }

    /// `count` floats from 0 to 1.
    pub fn units(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.unit()).collect()
    }
}

/// What a kernel leaves in a region.
#[cfg(test)]
pub fn result(kernel: &Kernel, region: &str) -> Vec<u32> {
    let run =
        super::super::run::run(&kernel.program, &kernel.launch, kernel.memory.clone()).unwrap();
    let region = kernel.region(region).unwrap();
    run.memory
        .read_words(region.address, region.bytes as usize / 4)
}

/// Fails unless the floats of a region are what they should be, but for rounding.
#[cfg(test)]
pub fn assert_close(kernel: &Kernel, region: &str, expected: &[f32]) {
    let words = result(kernel, region);
    assert_eq!(words.len(), expected.len());
    for (place, (&word, &expected)) in words.iter().zip(expected).enumerate() {
        let value = f32::from_bits(word);
        let close = (value - expected).abs() <= 1e-4 * expected.abs().max(1.0);
        assert!(
            close,
            "{region}[{place}] is {value}, but should be {expected}"
        );
    }
    let moving = expected.iter().filter(|value| **value != 0.0).count();
    assert!(
        moving * 4 >= expected.len(),
        "{moving} of {} are not 0",
        expected.len()
    );
}
