//! What goes wrong between memory and the port.

use faultline_sim::preempt::context_port::{Beat, Parameters};

use super::ContextPortTraffic;

/// A way in which a context comes back damaged, or to a block that it does not belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// It is requested by another block.
    OtherBlock,
    /// It is requested as another context of the block.
    OtherEpoch,
    /// Its last beats are missing.
    Cut,
    /// A beat that is not the last one is missing.
    Lost,
    /// A beat is there twice.
    Doubled,
    /// Two beats have changed places.
    Exchanged,
    /// Two words of a beat have changed places.
    WordsExchanged,
    /// A bit is another one.
    BitChanged,
    /// A header has another kind.
    OtherKind,
    /// A header is another block's.
    BlockInside,
    /// There are beats behind it.
    Lengthened,
    /// It goes on as another context does.
    Spliced,
    /// It is something else.
    Garbage,
}

impl Damage {
    /// Every one.
    pub const ALL: [Self; 13] = [
        Self::OtherBlock,
        Self::OtherEpoch,
        Self::Cut,
        Self::Lost,
        Self::Doubled,
        Self::Exchanged,
        Self::WordsExchanged,
        Self::BitChanged,
        Self::OtherKind,
        Self::BlockInside,
        Self::Lengthened,
        Self::Spliced,
        Self::Garbage,
    ];
}

/// The places of a context's headers.
fn headers(parameters: &Parameters, beats: &[Beat]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut place = 0;
    while place < beats.len() {
        places.push(place);
        place += 1 + parameters.length(&beats[place]) as usize;
    }
    places
}

impl ContextPortTraffic {
    /// Damages what memory gives.
    pub(super) fn damage(&mut self, damage: Damage, read: &mut Vec<Beat>) {
        let parameters = self.parameters;
        let below = |traffic: &mut Self, end: usize| traffic.rng.below(end as u64) as usize;
        let at = below(self, read.len());
        match damage {
            Damage::OtherBlock | Damage::OtherEpoch => {}
            Damage::Cut => read.truncate(1 + below(self, read.len() - 1)),
            Damage::Lost => drop(read.remove(at)),
            Damage::Doubled => read.insert(at, read[at]),
            Damage::Exchanged => {
                let other = below(self, read.len());
                read.swap(at, other);
            }
            Damage::WordsExchanged => {
                let (one, other) = (below(self, parameters.words), below(self, parameters.words));
                read[at].swap(one, other);
            }
            Damage::BitChanged => {
                let bit = below(self, parameters.word_bits);
                read[at][below(self, parameters.words)] ^= 1 << bit;
            }
            Damage::OtherKind | Damage::BlockInside => {
                let places = headers(&parameters, read);
                let place = places[below(self, places.len())];
                let (block, kind, length) = (
                    parameters.block(&read[place]),
                    parameters.kind(&read[place]),
                    parameters.length(&read[place]),
                );
                let (block, kind) = match damage {
                    Damage::OtherKind => (block, self.rng.below(8)),
                    _ => (self.number(parameters.block_bits), kind),
                };
                read[place][0] = parameters.header(block, kind, length)[0];
            }
            Damage::Lengthened => {
                for _ in 0..1 + below(self, 5) {
                    let beat = self.data();
                    read.push(beat);
                }
            }
            Damage::Spliced => {
                let other = below(self, self.memory.len());
                read.truncate(at + 1);
                read.extend(self.memory[other].beats.iter().skip(at + 1));
            }
            Damage::Garbage => {
                read.clear();
                for _ in 0..1 + below(self, 10) {
                    let beat = self.data();
                    read.push(beat);
                }
            }
        }
    }
}
