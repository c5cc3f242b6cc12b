//! What happened when: what each SM did, and how each part of memory came.

use std::ops::Range;

use super::super::sm::Moved;

/// An SM waits once nothing has committed or faulted on it for so many cycles: longer than a line takes from DRAM, and far
/// shorter than a far fault.
const WAITS: u64 = 1_000;

/// What an SM does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Something commits.
    Runs,
    /// It has thread blocks, and nothing commits.
    Waits,
    /// It has no thread block, and has had none.
    Empty,
    /// It has ended: there is no thread block for it any more.
    Ended,
}

impl Activity {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Runs, Self::Waits, Self::Empty, Self::Ended];

    /// What it does, in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Waits => "waits",
            Self::Empty => "has no thread block",
            Self::Ended => "has ended",
        }
    }
}

/// How a part of memory came, in cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its first page.
    pub vpn: u64,
    /// Its pages.
    pub pages: u64,
    /// When the first record of it was read.
    pub reported: u64,
    /// When a warp ran the GPU's handler for it, if one did.
    pub local: Option<Range<u64>>,
    /// The SM that reported it first.
    pub sm: Option<u32>,
    /// When the CPU's handler worked on it, if it did.
    pub handled: Option<Range<u64>>,
    /// When it was on the link, if it came over it.
    pub moved: Option<Range<u64>>,
    /// When it was there.
    pub there: u64,
}

/// What an SM did, from when on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spans(Vec<(u64, Activity)>);

/// A run's history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// What each SM did.
    pub activities: Vec<Spans>,
    /// The parts of memory that came, in the order of their reports.
    pub arrivals: Vec<Arrival>,
    /// When lines of pinned memory came over the link, in the order of time.
    pub lines: Vec<Range<u64>>,
    /// The thread blocks that left each SM and came back, in the order of time.
    pub moved: Vec<Vec<Moved>>,
}

/// It runs at first.
impl Default for Spans {
    fn default() -> Self {
        Self(vec![(0, Activity::Runs)])
    }
}

impl Spans {
    /// What the SM has done up to a cycle: when something last committed or faulted on it, and whether it has ended.
    pub(super) fn see(&mut self, now: u64, last_progress: u64, has_ended: bool) {
        let waits = now - last_progress >= WAITS;
        let (from, activity) = match (has_ended, waits) {
            // Nothing has ever committed there.
            (true, _) if last_progress == 0 => (0, Activity::Empty),
            (true, _) => (now, Activity::Ended),
            (false, true) => (last_progress, Activity::Waits),
            (false, false) => (last_progress, Activity::Runs),
        };
        match self.0.last_mut() {
            Some(last) if last.1 == activity => {}
            // It waits from its first cycle on.
            Some(last) if last.0 >= from => last.1 = activity,
            _ => self.0.push((from, activity)),
        }
    }

    /// The times at which it did something, up to the end of the run.
    pub fn until(&self, end: u64) -> impl Iterator<Item = (Range<u64>, Activity)> {
        let next = self.0.iter().skip(1).map(|span| span.0).chain([end]);
        let both = self.0.iter().zip(next);
        both.map(|(&(from, activity), to)| (from..to, activity))
    }
}

impl History {
    /// The share of each of so many equal parts of a run for which the link is in use.
    #[must_use]
    pub fn link_use(&self, parts: usize, end: u64) -> Vec<f64> {
        let moved = self.arrivals.iter().filter_map(|one| one.moved.as_ref());
        mean_over(parts, end, moved.chain(&self.lines))
    }

    /// The handlers that run on the SMs, in the mean over each of so many equal parts of a run.
    #[must_use]
    pub fn local_handlers(&self, parts: usize, end: u64) -> Vec<f64> {
        let local = self.arrivals.iter().filter_map(|one| one.local.as_ref());
        mean_over(parts, end, local)
    }
}

/// How many of some spans hold, in the mean over each of so many equal parts of a run.
fn mean_over<'run>(
    parts: usize,
    end: u64,
    spans: impl Iterator<Item = &'run Range<u64>>,
) -> Vec<f64> {
    let length = end as f64 / parts.max(1) as f64;
    let mut means = vec![0.0; parts];
    for span in spans {
        let (from, to) = (span.start as f64, span.end as f64);
        for (part, mean) in means.iter_mut().enumerate() {
            let begin = part as f64 * length;
            let inside = to.min(begin + length) - from.max(begin);
            *mean += inside.max(0.0) / length;
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_sm_waits_from_what_it_did_last() {
        let mut spans = Spans::default();
        for now in 0..=5_000 {
            let progress = if now < 4_000 { now.min(700) } else { now };
            spans.see(now, progress, now >= 4_500);
        }
        let spans: Vec<_> = spans.until(5_001).collect();
        let expected = [
            (0..700, Activity::Runs),
            (700..4_000, Activity::Waits),
            (4_000..4_500, Activity::Runs),
            (4_500..5_001, Activity::Ended),
        ];
        assert_eq!(spans, expected);
    }

    #[test]
    fn an_sm_that_never_began_waits_from_the_start() {
        let mut spans = Spans::default();
        (0..3_000).for_each(|now| spans.see(now, 0, false));
        let spans: Vec<_> = spans.until(3_000).collect();
        assert_eq!(spans, [(0..3_000, Activity::Waits)]);
    }

    #[test]
    fn an_sm_without_a_thread_block_is_empty_from_the_start() {
        let mut spans = Spans::default();
        (0..3_000).for_each(|now| spans.see(now, 0, now >= 12));
        let spans: Vec<_> = spans.until(3_000).collect();
        assert_eq!(spans, [(0..3_000, Activity::Empty)]);
    }

    #[test]
    fn the_link_is_used_for_as_long_as_parts_move() {
        let arrival = |moved: Range<u64>| Arrival {
            vpn: 0,
            pages: 16,
            reported: 0,
            local: None,
            sm: None,
            handled: Some(0..1),
            there: moved.end,
            moved: Some(moved),
        };
        let history = History {
            arrivals: vec![arrival(50..150), arrival(150..200)],
            ..History::default()
        };
        assert_eq!(history.link_use(4, 400), [0.5, 1.0, 0.0, 0.0]);
        let history = History {
            lines: std::iter::once(300..350).collect(),
            ..history
        };
        assert_eq!(history.link_use(4, 400), [0.5, 1.0, 0.0, 0.5]);
        assert_eq!(history.local_handlers(4, 400), [0.0; 4]);
    }

    #[test]
    fn handlers_on_sms_run_side_by_side() {
        let arrival = |local: Range<u64>| Arrival {
            vpn: 0,
            pages: 16,
            reported: local.start,
            there: local.end,
            local: Some(local),
            sm: Some(0),
            handled: None,
            moved: None,
        };
        let history = History {
            arrivals: vec![arrival(100..300), arrival(100..200)],
            ..History::default()
        };
        assert_eq!(history.local_handlers(4, 400), [0.0, 2.0, 1.0, 0.0]);
        assert_eq!(history.link_use(4, 400), [0.0; 4]);
    }
}
