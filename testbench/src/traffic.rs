//! Random traffic: constrained, in modes that change every few hundred cycles, the same for the same seed.

use faultline_sim::ports::{Model, Ports};
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::session::{Coverage, Stimulus};

pub mod pool;

/// What drives a block. It sees the model of the block, so it knows what is legal.
pub trait Traffic: Sized {
    /// The model that it drives.
    type Model: Model;

    /// Traffic for a block of these sizes: the same for the same seed.
    fn new(parameters: <Self::Model as Model>::Parameters, seed: u64) -> Self;

    /// Sets the inputs of the next cycle. They are as they were in the cycle before.
    fn drive(&mut self, model: &Self::Model, inputs: &mut <Self::Model as Model>::Inputs);

    /// Looks at a cycle that has passed.
    fn observe(
        &mut self,
        model: &Self::Model,
        inputs: &<Self::Model as Model>::Inputs,
        outputs: &<Self::Model as Model>::Outputs,
    );

    /// The scenarios that occurred so far.
    fn coverage(&self) -> Coverage;

    /// What tells the traffic of a seed again.
    #[must_use]
    fn source(seed: u64) -> String {
        format!("seed {seed}")
    }
}

/// Traffic with the model that it looks at, as a stimulus.
pub struct Driven<T: Traffic> {
    seed: u64,
    traffic: T,
    model: T::Model,
    inputs: <T::Model as Model>::Inputs,
    parameters: <T::Model as Model>::Parameters,
}

impl<T: Traffic> Driven<T> {
    /// Traffic from a fresh start.
    pub fn new(parameters: <T::Model as Model>::Parameters, seed: u64) -> Self {
        Self {
            seed,
            traffic: T::new(parameters.clone(), seed),
            model: T::Model::new(parameters.clone()),
            inputs: Default::default(),
            parameters,
        }
    }
}

impl<T: Traffic> Stimulus for Driven<T> {
    fn next(&mut self, frame: &mut [u64]) {
        self.traffic.drive(&self.model, &mut self.inputs);
        self.inputs.pack(&self.parameters, frame);
        let outputs = self.model.cycle(&self.inputs);
        self.traffic.observe(&self.model, &self.inputs, &outputs);
    }

    fn coverage(&self) -> Coverage {
        self.traffic.coverage()
    }

    fn source(&self) -> String {
        T::source(self.seed)
    }
}

/// Always, for [`Rng::chance`].
pub const ALWAYS: u16 = 256;

/// A fast random source.
pub struct Rng {
    generator: Xoshiro256PlusPlus,
    bits: u64,
    bytes_left: u32,
}

impl Rng {
    /// The same throws for the same seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            generator: Xoshiro256PlusPlus::seed_from_u64(seed),
            bits: 0,
            bytes_left: 0,
        }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// A random byte. Eight of them cost one number.
    pub fn byte(&mut self) -> u8 {
        if self.bytes_left == 0 {
            self.bits = self.bits();
            self.bytes_left = 8;
        }
        self.bytes_left -= 1;
        let byte = self.bits.to_le_bytes()[0];
        self.bits >>= 8;
        byte
    }

    /// True in `of_256` of 256 cases.
    pub fn chance(&mut self, of_256: u16) -> bool {
        u16::from(self.byte()) < of_256
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u64
    }

    /// One of a set of bits, if it has any.
    pub fn pick(&mut self, set: u128) -> Option<u8> {
        if set == 0 {
            return None;
        }
        let start = u32::from(self.byte() & 127);
        Some(((start + set.rotate_right(start).trailing_zeros()) % 128) as u8)
    }
}

/// The modes of a traffic: which of them it is in, and for how long.
pub struct Modes<M: 'static> {
    choices: &'static [M],
    current: &'static M,
    left: u64,
    cycle: u64,
}

impl<M> Modes<M> {
    /// Begins with one of the modes, for so many cycles.
    #[must_use]
    pub const fn new(choices: &'static [M], first: &'static M, cycles: u64) -> Self {
        Self {
            choices,
            current: first,
            left: cycles,
            cycle: 0,
        }
    }

    /// Goes on by a cycle. Says whether another mode begins with it, which then lasts for one of these numbers of cycles.
    pub fn advance(&mut self, rng: &mut Rng, cycles: std::ops::Range<u64>) -> bool {
        let begins = self.left == 0;
        if begins {
            self.current = &self.choices[rng.below(self.choices.len() as u64) as usize];
            self.left = cycles.start + rng.below(cycles.end - cycles.start);
        }
        self.left -= 1;
        self.cycle += 1;
        begins
    }

    /// Has the mode, which begins with this cycle, last for so many cycles.
    pub const fn lasts(&mut self, cycles: u64) {
        self.left = cycles - 1;
    }

    /// The number of this cycle, from 1 on.
    #[must_use]
    pub const fn cycle(&self) -> u64 {
        self.cycle
    }

    /// The mode.
    #[must_use]
    pub const fn now(&self) -> &'static M {
        self.current
    }

    /// Whether this is a cycle of reset: the first two are, and one in so many later ones.
    pub fn resets(&self, rng: &mut Rng, one_in: u64) -> bool {
        self.cycle < 3 || rng.below(one_in) == 0
    }
}

impl<M> std::ops::Deref for Modes<M> {
    type Target = M;

    fn deref(&self) -> &M {
        self.current
    }
}

/// Counts a scenario if it happened.
pub(crate) fn count(counter: &mut u64, happened: bool) {
    *counter += u64::from(happened);
}

/// A struct of scenario counters, and a list of them by name.
macro_rules! scenarios {
    ($(#[$attribute:meta])* struct $name:ident { $($scenario:ident,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default)]
        pub struct $name { $(pub $scenario: u64,)* }

        impl $name {
            pub fn list(&self) -> $crate::session::Coverage {
                vec![$((stringify!($scenario), self.$scenario)),*]
            }
        }
    };
}
pub(crate) use scenarios;

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn random_numbers_are_fair_and_the_same_for_a_seed() {
        let mut rng = Rng::new(1);
        let hits = (0..100_000).filter(|_| rng.chance(64)).count();
        assert!(
            (24_000..26_000).contains(&hits),
            "{hits} of 100,000 with a chance of a quarter"
        );
        let set = (1 << 3) | (1 << 77) | (1 << 127);
        assert!(
            (0..1000)
                .filter_map(|_| rng.pick(set))
                .all(|bit| (set >> bit) & 1 == 1)
        );
        assert_eq!(rng.pick(0), None);
        assert_eq!(Rng::new(9).bits(), Rng::new(9).bits());
        assert_ne!(Rng::new(9).bits(), Rng::new(10).bits());
    }
}
