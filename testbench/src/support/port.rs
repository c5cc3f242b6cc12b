//! A context port that tests drive by hand, in all back ends at once.

use faultline_sim::preempt::context_port::{
    Beat, Inputs, Kind, Outputs, Parameters, Verdict, WORDS,
};

use crate::bench::Bench;
use crate::blocks::{self, ContextPort};
use crate::traffic::{ALWAYS, Rng};

/// This is a context port in all back ends, with the steps that tests take.
pub struct Port {
    bench: Bench<ContextPort>,
    /// These are the inputs of the next cycle. What is taken is not offered again.
    pub inputs: Inputs,
    /// This is the number of cycles so far.
    pub cycle: u64,
    rng: Rng,
    /// With this chance, of 256, a neighbour of the port is ready or offers what there is.
    pub pace: u16,
}

/// This is what a port has reported of a read, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The read ended with this verdict.
    pub verdict: Verdict,
    /// These beats were given to the engine.
    pub reported: Vec<Beat>,
    /// This number of beats of the read was taken.
    pub taken: usize,
    /// The verdict came this number of cycles after the begin.
    pub cycles: u64,
}

impl Port {
    /// Builds a port of a configuration that does nothing; its neighbours are always ready.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
    pub fn new(config: &str) -> Self {
        let mut port = Self {
            bench: blocks::bench::<ContextPort>(config).unwrap(),
            inputs: Inputs::default(),
            cycle: 0,
            rng: Rng::new(7),
            pace: ALWAYS,
        };
        port.reset();
        port
    }

    /// Runs a cycle with `reset` set, and offers nothing more.
    pub fn reset(&mut self) {
        self.inputs = Inputs {
            reset: true,
            ..Inputs::default()
        };
        self.cycle();
        self.inputs.reset = false;
    }

    /// Gives the sizes of the port.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        *self.bench.parameters()
    }

    /// Runs a cycle with `inputs`, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn cycle(&mut self) -> Outputs {
        let outputs = self.bench.run(&self.inputs);
        self.inputs.begin_valid &= !outputs.begin_ready;
        self.inputs.packet_valid &= !outputs.packet_ready;
        self.inputs.in_valid &= !outputs.in_ready;
        self.cycle += 1;
        outputs
    }

    fn acts(&mut self) -> bool {
        self.rng.chance(self.pace)
    }

    /// Draws which neighbours are ready in the next cycle.
    pub fn pace(&mut self) {
        self.inputs.out_ready = self.acts();
        self.inputs.found_ready = self.acts();
        self.inputs.ended_ready = self.acts();
    }

    /// Offers the next of the beats that the engine gives.
    pub fn give(&mut self, packets: &[Beat], given: usize) {
        if given < packets.len() && (self.inputs.packet_valid || self.acts()) {
            (self.inputs.packet_valid, self.inputs.packet_beat) = (true, packets[given]);
        }
    }

    /// Offers the next of the beats that memory gives.
    pub fn read(&mut self, read: &[Beat], taken: usize) {
        if taken < read.len() && (self.inputs.in_valid || self.acts()) {
            (self.inputs.in_valid, self.inputs.in_beat) = (true, read[taken]);
            self.inputs.in_last = taken + 1 == read.len();
        }
    }

    /// Begins a context.
    ///
    /// # Panics
    /// If the port is not ready for it.
    pub fn begin(&mut self, restores: bool, block: u64, epoch: u64) {
        self.inputs.begin_valid = true;
        self.inputs.begin_restores = restores;
        (self.inputs.begin_cta, self.inputs.begin_epoch) = (block, epoch);
        assert!(self.cycle().begin_ready);
    }

    /// Saves what the engine gives, up to the verdict; gives the beats that have left, and the cycles that it took.
    ///
    /// # Panics
    /// If the context is not accepted, or does not end.
    pub fn save(&mut self, block: u64, epoch: u64, packets: &[Beat]) -> (Vec<Beat>, u64) {
        let begun = self.cycle;
        self.begin(false, block, epoch);
        let (mut left, mut given) = (Vec::new(), 0);
        loop {
            assert!(
                self.cycle < begun + 100 * (packets.len() as u64 + 10),
                "no end"
            );
            self.pace();
            self.give(packets, given);
            let offered = self.inputs.packet_valid;
            let ready = self.inputs.out_ready;
            let taken = self.inputs.ended_ready;
            let outputs = self.cycle();
            given += usize::from(offered && outputs.packet_ready);
            if outputs.out_valid && ready {
                left.push(outputs.out_beat);
                assert_eq!(outputs.out_last, left.len() == packets.len() + 1);
            }
            if outputs.ended_valid && taken {
                assert_eq!(outputs.ended_verdict, Verdict::Accepted as u64);
                self.inputs.ended_ready = false;
                return (left, self.cycle - begun);
            }
        }
    }

    /// Restores what memory gives, up to the verdict.
    ///
    /// # Panics
    /// If there is no verdict.
    pub fn restore(&mut self, block: u64, epoch: u64, read: &[Beat]) -> Restored {
        let begun = self.cycle;
        self.begin(true, block, epoch);
        let (mut reported, mut taken) = (Vec::new(), 0);
        loop {
            assert!(
                self.cycle < begun + 100 * (read.len() as u64 + 10),
                "no end"
            );
            self.pace();
            self.read(read, taken);
            let offered = self.inputs.in_valid;
            let (ready, heard) = (self.inputs.found_ready, self.inputs.ended_ready);
            let outputs = self.cycle();
            taken += usize::from(offered && outputs.in_ready);
            if outputs.found_valid && ready {
                reported.push(outputs.found_beat);
            }
            if outputs.ended_valid && heard {
                self.inputs.ended_ready = false;
                return Restored {
                    verdict: Verdict::ALL[outputs.ended_verdict as usize],
                    reported,
                    taken,
                    cycles: self.cycle - begun,
                };
            }
        }
    }
}

/// Gives packets of random details and data, with these lengths in beats, and their end.
#[must_use]
pub fn packets(parameters: &Parameters, rng: &mut Rng, lengths: &[u64]) -> Vec<Beat> {
    let mut beats = Vec::new();
    let mut any = |beats: &mut Vec<Beat>| {
        let mut beat = [0; WORDS];
        for word in &mut beat[..parameters.words] {
            *word = rng.bits() & parameters.most();
        }
        beats.push(beat);
    };
    for (number, &length) in lengths.iter().enumerate() {
        let place = beats.len();
        for _ in 0..=length {
            any(&mut beats);
        }
        let kind = Kind::Registers as u64 + number as u64 % 4;
        beats[place][0] = parameters.header(0, kind, length)[0];
    }
    beats.push(parameters.header(0, Kind::End as u64, 0));
    beats
}
