//! What each SM does in a run, kernel by kernel, and when thread blocks of it are away.

use std::ops::Range;

use faultline_sim::machines::gpu::{Activity, Outcome};
use faultline_sim::machines::sm::Moved;
use plotters::style::RGBColor;

use crate::bars::{COLOURS, GRID};

/// Letters of a kernel's name that are shown.
const LETTERS: usize = 12;

/// What an SM does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is the first kernel's.
    First(Activity),
    /// It makes room for the second kernel.
    MakesRoom,
    /// It is the second kernel's.
    Second(Activity),
}

impl State {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::First(Activity::Runs),
        Self::First(Activity::Waits),
        Self::First(Activity::Empty),
        Self::First(Activity::Ended),
        Self::MakesRoom,
        Self::Second(Activity::Runs),
        Self::Second(Activity::Waits),
    ];

    /// Its colour.
    pub const fn colour(self) -> RGBColor {
        match self {
            Self::First(Activity::Runs) => COLOURS[3],
            Self::First(Activity::Waits) => COLOURS[2],
            Self::First(Activity::Empty) => RGBColor(0xee, 0xee, 0xee),
            Self::First(Activity::Ended) => GRID,
            Self::MakesRoom => COLOURS[1],
            Self::Second(Activity::Runs) => COLOURS[8],
            Self::Second(_) => RGBColor(0xc3, 0xe2, 0xb2),
        }
    }

    /// What the SM does, in words; the kernels are named if there are two.
    pub fn name(self, first: &str, second: Option<&str>) -> String {
        let short = |name: &str| name.chars().take(LETTERS).collect::<String>();
        let other = short(second.unwrap_or_default());
        match (self, second) {
            (Self::First(Activity::Runs), Some(_)) => format!("SM runs {}", short(first)),
            (Self::First(Activity::Waits), Some(_)) => format!("SM waits in {}", short(first)),
            (Self::First(activity), _) => format!("SM {}", activity.name()),
            (Self::MakesRoom, _) => format!("SM makes room for {other}"),
            (Self::Second(Activity::Waits), _) => format!("SM waits in {other}"),
            (Self::Second(activity), _) => format!("SM {} {other}", activity.name()),
        }
    }
}

/// What an SM does from the first cycle to the end of a run, in cycles.
pub fn states(outcome: &Outcome, sm: usize) -> Vec<(Range<u64>, State)> {
    let end = outcome.cycles;
    let launched = outcome.launched.as_ref();
    let parts = match launched.and_then(|launched| launched.sms.get(sm)) {
        None => vec![(0..end, None)],
        Some(one) => {
            // No block of the first kernel is left before the launch.
            let idle = one.ends[0].min(one.launched);
            let empty = Some(State::First(Activity::Empty));
            let of_second = match one.ends[1] {
                0 => empty,
                _ => Some(State::Second(Activity::Runs)),
            };
            vec![
                (0..idle, None),
                (idle..one.launched, empty),
                (one.launched..one.free, Some(State::MakesRoom)),
                (one.free..one.back, of_second),
                (one.back..end, None),
            ]
        }
    };
    let Some(spans) = outcome.history.activities.get(sm) else {
        return Vec::new();
    };
    let mut states: Vec<(Range<u64>, State)> = Vec::new();
    for (part, state) in parts {
        for (span, activity) in spans.until(end) {
            let inside = part.start.max(span.start)..part.end.min(span.end);
            let state = match state {
                None => State::First(activity),
                Some(State::Second(_)) => State::Second(activity),
                Some(state) => state,
            };
            match states.last_mut() {
                _ if inside.is_empty() => {}
                Some(last) if last.1 == state => last.0.end = inside.end,
                _ => states.push((inside, state)),
            }
        }
    }
    states
}

/// When at least one thread block is away, in cycles: from when the first one begins to leave until the last one is back, or the
/// run ends.
pub fn away(moved: &[Moved], end: u64) -> Vec<Range<u64>> {
    let (mut spans, mut blocks, mut since) = (Vec::new(), 0_u64, 0);
    for one in moved {
        match (one.leaves, blocks) {
            (true, 0) => (blocks, since) = (1, one.span.start),
            (true, _) => blocks += 1,
            (false, 0) => {}
            (false, 1) => {
                blocks = 0;
                spans.push(since..one.span.end);
            }
            (false, _) => blocks -= 1,
        }
    }
    if blocks > 0 {
        spans.push(since..end);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_away_until_the_last_one_is_back() {
        let moved = |block, leaves, span| Moved {
            block,
            leaves,
            span,
        };
        let mut all = vec![
            moved(1, true, 10..20),
            moved(2, true, 30..40),
            moved(1, false, 50..60),
            moved(2, false, 70..80),
            moved(1, true, 90..95),
        ];
        assert_eq!(away(&all, 200), [10..80, 90..200]);
        all.pop();
        assert_eq!(away(&all, 200), vec![10..80; 1]);
        assert!(away(&[], 200).is_empty());
    }
}
