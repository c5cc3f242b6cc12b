//! An SM of the GPU, with what is counted of it.

use super::super::sm::{Outcome, Sm, SmError, Statistics};
use super::history::Spans;
use super::port::Port;
use crate::sm::sm_pipeline::{Inputs, Outputs};

#[derive(Clone, Debug)]
pub struct Multiprocessor<'work> {
    sm: Sm<'work, Port>,
    /// What goes over the ports of its pipeline.
    ports: (Inputs, Outputs),
    /// What has happened there, if it is counted.
    statistics: Option<Statistics>,
    spans: Spans,
    /// When it has ended.
    ended: Option<u64>,
}

impl<'work> Multiprocessor<'work> {
    pub fn new(sm: Sm<'work, Port>) -> Self {
        Self {
            sm,
            ports: Default::default(),
            statistics: None,
            spans: Spans::default(),
            ended: None,
        }
    }

    /// Counts what happens on the pipeline's ports.
    pub fn count(&mut self, statistics: Statistics) {
        self.statistics = Some(statistics);
    }

    /// Runs up to a cycle, or to its end. It `skips` cycles in which nothing happens.
    ///
    /// # Errors
    /// If the pipeline breaks a rule.
    pub fn advance(&mut self, until: u64, skips: bool) -> Result<(), SmError> {
        while self.sm.now() < until && self.ended.is_none() {
            let now = self.sm.now();
            let rests = match skips {
                true => {
                    let comes = self.sm.below().comes(now);
                    self.sm.rests(comes)
                }
                false => None,
            };
            let cycles = match rests {
                Some(next) => next.min(until) - now,
                None => 1,
            };
            match rests {
                Some(_) => self.sm.rest(cycles),
                None => self.sm.step(&mut self.ports.0, &mut self.ports.1)?,
            }
            if let Some(statistics) = &mut self.statistics {
                statistics.observe_all(&self.ports.0, &self.ports.1, cycles);
            }
            let has_ended = self.sm.has_ended();
            let last = now + cycles - 1;
            self.spans.see(last, self.sm.last_progress(), has_ended);
            self.ended = has_ended.then_some(last + 1);
        }
        Ok(())
    }

    pub fn sm(&mut self) -> &mut Sm<'work, Port> {
        &mut self.sm
    }

    pub fn port(&mut self) -> &mut Port {
        self.sm.below()
    }

    /// When something last committed or faulted.
    pub const fn last_progress(&self) -> u64 {
        self.sm.last_progress()
    }

    /// When its last thread block had ended, and it was known that no other comes.
    pub const fn ended(&self) -> Option<u64> {
        self.ended
    }

    /// What is left of it at the end of the run, what was counted, and what it did when.
    pub fn left(mut self, end: u64) -> (Outcome, Option<Statistics>, Spans) {
        if let Some(statistics) = &mut self.statistics {
            let since = end - self.ended.unwrap_or(end);
            statistics.observe_all(&Inputs::default(), &Outputs::default(), since);
        }
        (self.sm.left(), self.statistics, self.spans)
    }
}
