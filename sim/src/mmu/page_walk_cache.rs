//! The reference model of the page-walk cache: its page (`docs/blocks/page_walk_cache.md`) as plain data.

use std::collections::VecDeque;

use crate::ports::Model;

mod interface;

pub use interface::{Inputs, Outputs, Parameters};

/// What a walk wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The walk.
    pub walk: u8,
    /// The number of the word.
    pub word: u64,
    level: u8,
    update: bool,
    dirty: bool,
    expected: u64,
}

/// A request that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looked {
    /// It.
    pub request: Request,
    /// It is searched for.
    pub searched: bool,
    /// The entry that was here when it was accepted.
    pub found: Option<u64>,
}

/// A request that is offered to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// It.
    pub request: Request,
    /// Its answer may be kept.
    pub keeps: bool,
}

/// How far a fill has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Its set is to be read.
    Reading,
    /// It is looked for there.
    Comparing,
    /// It is to be written.
    Writing,
}

/// An entry that is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The number of its word.
    pub word: u64,
    /// The entry.
    pub entry: u64,
    /// What comes next.
    pub step: Step,
}

/// The page-walk cache.
#[derive(Clone, Debug)]
pub struct PageWalkCache {
    parameters: Parameters,
    /// The entries of each set with their words, in the order in which they came.
    sets: Vec<VecDeque<(u64, u64)>>,
    looked: Option<Looked>,
    offer: Option<Offer>,
    /// What moved on last.
    shown: Request,
    /// The walk that is answered from here, and with what.
    hit: Option<(u8, u64)>,
    /// The word that memory reads for each walk, if its answer may be kept.
    kept: Vec<Option<u64>>,
    fill: Option<Fill>,
    /// What is to be done about it has waited, and goes first.
    first: bool,
    /// Sets that are left to be cleared.
    clearing: usize,
    /// An invalidation is under way.
    invalidating: bool,
}

impl PageWalkCache {
    /// The request that is looked at.
    #[must_use]
    pub const fn looked(&self) -> Option<&Looked> {
        self.looked.as_ref()
    }

    /// The request that is offered to memory.
    #[must_use]
    pub const fn offer(&self) -> Option<&Offer> {
        self.offer.as_ref()
    }

    /// The hit that is to be answered.
    #[must_use]
    pub const fn hit(&self) -> Option<(u8, u64)> {
        self.hit
    }

    /// The entry that is filled.
    #[must_use]
    pub const fn fill(&self) -> Option<&Fill> {
        self.fill.as_ref()
    }

    /// The word whose entry a response of this walk brings, if it may be kept.
    #[must_use]
    pub fn kept(&self, walk: u8) -> Option<u64> {
        self.kept[usize::from(walk)]
    }

    /// What is to be done about it goes before requests.
    #[must_use]
    pub const fn fill_is_first(&self) -> bool {
        self.first
    }

    /// The sets are being cleared.
    #[must_use]
    pub const fn is_clearing(&self) -> bool {
        self.clearing > 0
    }

    /// An invalidation is under way.
    #[must_use]
    pub const fn is_invalidating(&self) -> bool {
        self.invalidating
    }

    /// Nothing happens here until something comes.
    pub(crate) const fn rests(&self) -> bool {
        self.looked.is_none()
            && self.offer.is_none()
            && self.hit.is_none()
            && self.fill.is_none()
            && !self.is_clearing()
            && !self.invalidating
    }

    /// The entry of a word that is here.
    #[must_use]
    pub fn here(&self, word: u64) -> Option<u64> {
        let set = &self.sets[self.parameters.set(word)];
        let found = set.iter().find(|(of, _)| *of == word);
        found.map(|(_, entry)| *entry)
    }

    /// The set of a word has no room.
    #[must_use]
    pub fn is_full(&self, word: u64) -> bool {
        self.sets[self.parameters.set(word)].len() == self.parameters.ways
    }

    /// What is looked at moves on.
    #[must_use]
    pub fn moves(&self, inputs: &Inputs) -> bool {
        let Some(looked) = self.looked else {
            return false;
        };
        let room = self.offer.is_none() || inputs.memory_ready;
        let waits = self.hit.is_some() || (looked.searched && self.fill.is_none());
        let writes = self.first
            && self.fill.is_some_and(|fill| {
                let set = |word| self.parameters.set(word);
                fill.step == Step::Writing && set(fill.word) != set(looked.request.word)
            });
        room && !(inputs.response_valid && waits) && !(looked.searched && writes)
    }

    fn outputs(&self, inputs: &Inputs) -> Outputs {
        let searched = self.looked.is_some_and(|looked| looked.searched);
        let mut outputs = Outputs {
            request_ready: !self.first && (self.looked.is_none() || self.moves(inputs)),
            answer_valid: inputs.response_valid || self.hit.is_some(),
            memory_valid: self.offer.is_some(),
            memory_walk: self.shown.walk,
            memory_word: self.shown.word,
            memory_level: self.shown.level,
            memory_update: self.shown.update,
            memory_dirty: self.shown.dirty,
            memory_expected: self.shown.expected,
            invalidate_ready: self.invalidating
                && self.clearing == 0
                && self.hit.is_none()
                && !searched,
            ..Outputs::default()
        };
        if inputs.response_valid {
            outputs.answer_walk = inputs.response_walk;
            outputs.answer_data = inputs.response_data;
            outputs.answer_error = inputs.response_error;
            outputs.answer_changed = inputs.response_changed;
        } else if let Some((walk, entry)) = self.hit {
            (outputs.answer_walk, outputs.answer_data) = (walk, entry);
            outputs.answer_kept = true;
        }
        outputs
    }

    /// The fill goes on, where no request that is searched for is accepted.
    fn fill_on(&mut self, searches: bool, moves: bool) {
        self.first = false;
        let Some(fill) = self.fill else { return };
        let next = |step| Some(Fill { step, ..fill });
        self.fill = match fill.step {
            Step::Reading if !searches => next(Step::Comparing),
            Step::Comparing => next(Step::Writing),
            Step::Writing if !searches && !self.is_in_the_way(fill.word, moves) => {
                let set = &mut self.sets[self.parameters.set(fill.word)];
                if let Some((_, entry)) = set.iter_mut().find(|(word, _)| *word == fill.word) {
                    *entry = fill.entry;
                    return self.fill = None;
                }
                if set.len() == self.parameters.ways {
                    set.pop_front();
                }
                set.push_back((fill.word, fill.entry));
                None
            }
            _ => {
                self.first = true;
                return;
            }
        };
    }

    /// What is looked at is searched for, and moves on or is of the same set.
    fn is_in_the_way(&self, word: u64, moves: bool) -> bool {
        let set = |word| self.parameters.set(word);
        self.looked.is_some_and(|looked| {
            looked.searched && (moves || set(looked.request.word) == set(word))
        })
    }

    fn act(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let quiet = self.clearing == 0 && !self.invalidating && !inputs.invalidate_valid;
        let moves = self.moves(inputs);
        let accepted = inputs.request_valid && outputs.request_ready;
        let searches = accepted && inputs.is_cached() && quiet;
        let request = Request {
            walk: inputs.request_walk,
            word: inputs.request_word,
            level: inputs.request_level,
            update: inputs.request_update,
            dirty: inputs.request_dirty,
            expected: inputs.request_expected,
        };
        let believed = searches && !inputs.request_bypass;
        let found = self.here(request.word).filter(|_| believed);

        // A response, and then the fill that was there before it.
        let answered = usize::from(inputs.response_walk);
        let word = self.kept[answered].filter(|_| inputs.response_valid && inputs.may_be_kept());
        let taken = word.filter(|_| self.fill.is_none()).map(|word| Fill {
            word,
            entry: inputs.response_data,
            step: Step::Reading,
        });
        self.fill_on(searches, moves);
        self.fill = self.fill.or(taken);

        // What memory takes.
        if inputs.response_valid {
            self.kept[answered] = None;
        }
        if let Some(offer) = self.offer.filter(|_| inputs.memory_ready) {
            let word = Some(offer.request.word).filter(|_| offer.keeps);
            self.kept[usize::from(offer.request.walk)] = word;
            self.offer = None;
        }

        // What moves on, and what is accepted.
        if !inputs.response_valid {
            self.hit = None;
        }
        if let Some(looked) = self.looked.filter(|_| moves) {
            self.shown = looked.request;
            match looked.found {
                Some(entry) => self.hit = Some((looked.request.walk, entry)),
                None => {
                    self.offer = Some(Offer {
                        request: looked.request,
                        keeps: looked.searched && quiet,
                    });
                }
            }
            self.looked = None;
        }
        if accepted {
            self.looked = Some(Looked {
                request,
                searched: searches,
                found,
            });
        }

        // Clearing.
        let begins = inputs.invalidate_valid && !self.invalidating && self.clearing == 0;
        self.clearing = self.clearing.saturating_sub(1);
        if begins {
            self.clearing = self.parameters.sets();
            self.sets.iter_mut().for_each(VecDeque::clear);
        }
        if inputs.invalidate_valid {
            (self.fill, self.first) = (None, false);
            self.kept.fill(None);
            if let Some(offer) = &mut self.offer {
                offer.keeps = false;
            }
        }
        self.invalidating = match self.invalidating {
            true => !outputs.invalidate_ready,
            false => inputs.invalidate_valid,
        };
    }
}

impl Model for PageWalkCache {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            sets: vec![VecDeque::new(); parameters.sets()],
            looked: None,
            offer: None,
            shown: Request::default(),
            hit: None,
            kept: vec![None; parameters.walks],
            fill: None,
            first: false,
            clearing: parameters.sets(),
            invalidating: false,
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
