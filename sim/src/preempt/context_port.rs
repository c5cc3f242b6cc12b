//! The reference model of the context port: its page (`docs/blocks/context_port.md`) as plain data.

use crate::ports::Model;

mod interface;

pub use interface::{Beat, Inputs, Kind, Outputs, Parameters, Verdict, WORDS};

/// What the port does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Nothing.
    Idle,
    /// It takes packets, and so many beats of the one that it is in.
    Saving(u64),
    /// It gives the end to memory.
    Ending,
    /// It looks for the first beat of a context.
    Opening,
    /// It restores packets, and so many beats of the one that it is in.
    Restoring(u64),
    /// It takes what is left of a read that was refused.
    Draining,
    /// It reports the verdict.
    Reporting,
}

/// What becomes of the beat from memory that the port holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    /// It is reported, and so many beats of its packet follow.
    Reported(u64),
    /// It begins the context.
    Opens,
    /// It settles what becomes of the context.
    Settles(Verdict),
    /// It is dropped.
    Dropped,
}

/// The port.
#[derive(Clone, Debug)]
pub struct ContextPort {
    parameters: Parameters,
    activity: Activity,
    block: u64,
    epoch: u64,
    /// The beats of the context that have gone on.
    past: Vec<Beat>,
    /// There is a beat between the two sides.
    holds: bool,
    /// The beat between the two sides is the last one.
    last: bool,
    /// The beat between the two sides.
    beat: Beat,
    verdict: Verdict,
}

impl ContextPort {
    /// What it does.
    #[must_use]
    pub const fn activity(&self) -> Activity {
        self.activity
    }

    /// The beats of the context that have gone on.
    #[must_use]
    pub fn past(&self) -> &[Beat] {
        &self.past
    }

    /// What has become of the context, if that is settled.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    const fn saves(&self) -> bool {
        matches!(self.activity, Activity::Saving(_) | Activity::Ending)
    }

    const fn reads(&self) -> bool {
        matches!(
            self.activity,
            Activity::Opening | Activity::Restoring(_) | Activity::Draining
        )
    }

    /// What becomes of the beat that is held, which is not a last one unless it is the end.
    fn find(&self) -> Finding {
        let found = match self.activity {
            Activity::Opening => match self.opens() {
                None => Finding::Opens,
                Some(verdict) => Finding::Settles(verdict),
            },
            Activity::Restoring(0) => self.find_header(),
            Activity::Restoring(left) => Finding::Reported(left - 1),
            _ => Finding::Dropped,
        };
        match found {
            Finding::Reported(_) | Finding::Opens if self.last => {
                Finding::Settles(Verdict::Truncated)
            }
            _ => found,
        }
    }

    /// Why the beat that is held does not begin the context, if it does not.
    fn opens(&self) -> Option<Verdict> {
        let parameters = &self.parameters;
        let epoch = self.beat[1];
        let begin = parameters.begin(parameters.block(&self.beat), epoch);
        if begin != self.beat || epoch >> parameters.epoch_bits != 0 {
            return Some(Verdict::NotAContext);
        }
        if parameters.block(&self.beat) != self.block {
            return Some(Verdict::AnotherBlock);
        }
        (epoch != self.epoch).then_some(Verdict::AnotherEpoch)
    }

    fn find_header(&self) -> Finding {
        let parameters = &self.parameters;
        let kind = parameters.kind(&self.beat);
        if !(Kind::Registers as u64..=Kind::End as u64).contains(&kind) {
            return Finding::Settles(Verdict::UnknownKind);
        }
        if parameters.block(&self.beat) != self.block {
            return Finding::Settles(Verdict::AnotherBlock);
        }
        if kind != Kind::End as u64 {
            return Finding::Reported(parameters.length(&self.beat));
        }
        let right = self.beat == parameters.end(self.block, &self.past);
        Finding::Settles(match (right, self.last) {
            (false, _) => Verdict::WrongCheck,
            (true, false) => Verdict::BeyondTheEnd,
            (true, true) => Verdict::Accepted,
        })
    }

    /// What it shows for these inputs, without going on: for a model that it is a part of.
    #[must_use]
    pub fn outputs(&self, inputs: &Inputs) -> Outputs {
        let reported = self.holds && matches!(self.find(), Finding::Reported(_));
        let takes = matches!(self.activity, Activity::Saving(_));
        let goes_on = !self.last && (!reported || inputs.found_ready);
        let reporting = self.activity == Activity::Reporting;
        Outputs {
            begin_ready: self.activity == Activity::Idle,
            packet_ready: takes && (!self.holds || inputs.out_ready),
            out_valid: self.saves() && self.holds,
            out_last: self.activity == Activity::Ending && self.holds && self.last,
            out_beat: self.beat,
            in_ready: self.reads() && (!self.holds || goes_on),
            found_valid: reported,
            found_header: reported && self.activity == Activity::Restoring(0),
            found_beat: self.beat,
            ended_valid: reporting,
            ended_verdict: if reporting { self.verdict as u64 } else { 0 },
        }
    }

    fn hold(&mut self, beat: Beat, last: bool) {
        (self.holds, self.beat, self.last) = (true, beat, last);
    }

    fn begin(&mut self, inputs: &Inputs) {
        (self.block, self.epoch) = (inputs.begin_cta, inputs.begin_epoch);
        self.past.clear();
        self.activity = Activity::Opening;
        if !inputs.begin_restores {
            self.activity = Activity::Saving(0);
            self.hold(self.parameters.begin(self.block, self.epoch), false);
        }
    }

    /// The beat that is held goes to memory.
    fn leave(&mut self) {
        self.holds = false;
        self.past.push(self.beat);
        if self.activity == Activity::Ending && self.last {
            (self.activity, self.verdict) = (Activity::Reporting, Verdict::Accepted);
        }
    }

    /// Takes a header or data, of which so many are left.
    fn save(&mut self, beat: &Beat, left: u64) {
        let parameters = self.parameters;
        if left > 0 {
            self.activity = Activity::Saving(left - 1);
            self.hold(*beat, false);
        } else if parameters.kind(beat) == Kind::End as u64 {
            self.activity = Activity::Ending;
            self.hold(parameters.end(self.block, &self.past), true);
        } else {
            self.activity = Activity::Saving(parameters.length(beat));
            self.hold(parameters.with_block(beat, self.block), false);
        }
    }

    /// The beat from memory that is held goes to the engine, or is settled here.
    fn settle(&mut self) {
        self.holds = false;
        let finding = self.find();
        self.past.push(self.beat);
        self.activity = match finding {
            Finding::Reported(left) => Activity::Restoring(left),
            Finding::Opens => Activity::Restoring(0),
            Finding::Settles(verdict) => {
                self.verdict = verdict;
                Activity::Draining
            }
            Finding::Dropped => Activity::Draining,
        };
        if self.last {
            self.activity = Activity::Reporting;
        }
    }

    fn act(&mut self, inputs: &Inputs, outputs: &Outputs) {
        match self.activity {
            Activity::Idle if inputs.begin_valid => self.begin(inputs),
            Activity::Reporting if inputs.ended_ready => self.activity = Activity::Idle,
            Activity::Idle | Activity::Reporting => {}
            Activity::Saving(_) | Activity::Ending => {
                if outputs.out_valid && inputs.out_ready {
                    self.leave();
                }
                if let Activity::Saving(left) = self.activity
                    && inputs.packet_valid
                    && outputs.packet_ready
                {
                    self.save(&inputs.packet_beat, left);
                }
            }
            Activity::Opening | Activity::Restoring(_) | Activity::Draining => {
                if self.holds && (!outputs.found_valid || inputs.found_ready) {
                    self.settle();
                }
                if inputs.in_valid && outputs.in_ready {
                    self.hold(inputs.in_beat, inputs.in_last);
                }
            }
        }
    }
}

impl Model for ContextPort {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            activity: Activity::Idle,
            block: 0,
            epoch: 0,
            past: Vec::new(),
            holds: false,
            last: false,
            beat: [0; WORDS],
            verdict: Verdict::Accepted,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = self.outputs(inputs);
        if inputs.reset {
            *self = Self::new(self.parameters);
            return outputs;
        }
        self.act(inputs, &outputs);
        outputs
    }
}

#[cfg(test)]
mod tests {
    use super::Parameters;

    /// A word moved up by a bit, less the check's polynomial if it goes in.
    fn up(parameters: &Parameters, word: u64) -> u64 {
        let leaves = word >> (parameters.word_bits - 1);
        (word << 1 & parameters.most()) ^ (leaves * parameters.polynomial)
    }

    /// A word times another one, as polynomials, less the check's polynomial as often as it goes in.
    fn product(parameters: &Parameters, a: u64, b: u64) -> u64 {
        let mut product = 0;
        for bit in (0..parameters.word_bits).rev() {
            product = up(parameters, product);
            if b >> bit & 1 == 1 {
                product ^= a;
            }
        }
        product
    }

    /// Moved up again and again, a word does not come back before each of the words but zero has come: an odd number of
    /// times, so neither does it by two bits at once. So two words that differ can be exchanged nowhere without another
    /// check.
    #[test]
    fn polynomials_are_primitive() {
        for (polynomial, word_bits, primes) in [
            (0x1D, 8, &[3, 5, 17][..]),
            (0x40_0007, 32, &[3, 5, 17, 257, 65_537]),
        ] {
            let parameters = Parameters {
                words: 1,
                word_bits,
                polynomial,
                ..Parameters::paper()
            };
            for bit in 0..word_bits {
                let twice = up(&parameters, up(&parameters, 1 << bit));
                assert_eq!(parameters.check(&[[1 << bit, 0, 0, 0, 0, 0, 0, 0]]), twice);
            }
            let power = |mut exponent: u64| {
                let (mut result, mut square) = (1, 2);
                while exponent > 0 {
                    if exponent & 1 == 1 {
                        result = product(&parameters, result, square);
                    }
                    square = product(&parameters, square, square);
                    exponent >>= 1;
                }
                result
            };
            let all = parameters.most();
            assert_eq!(power(all), 1);
            for prime in primes {
                assert_ne!(power(all / prime), 1, "{prime}");
            }
        }
    }
}
