//! What reads the registers of other lanes: votes and shuffles (PTX ISA 9.7.8.5 and 9.7.12).

use super::warp::{LANES, Lanes};

/// What the lanes of a warp agree on. Lanes that are not active have no vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vote {
    /// A bit for each lane whose predicate holds.
    Ballot,
    /// 1 if all predicates hold.
    All,
    /// 1 if one predicate holds.
    Any,
    /// 1 if all predicates are the same.
    Uniform,
}

impl Vote {
    /// Its name in PTX.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ballot => "vote.ballot.b32",
            Self::All => "vote.all.pred",
            Self::Any => "vote.any.pred",
            Self::Uniform => "vote.uni.pred",
        }
    }

    /// The result, which is the same in all lanes.
    pub(super) fn evaluate(self, predicates: &Lanes, mask: u32) -> Lanes {
        let holds = predicates
            .iter()
            .enumerate()
            .fold(0, |holds, (lane, value)| {
                holds | u32::from(*value != 0) << lane
            })
            & mask;
        let result = match self {
            Self::Ballot => holds,
            Self::All => (holds == mask).into(),
            Self::Any => (holds != 0).into(),
            Self::Uniform => (holds == mask || holds == 0).into(),
        };
        [result.into(); LANES]
    }
}

/// The lane that a shuffle reads, by the distance or the lane that is its second source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shuffle {
    /// So many lanes below.
    Up,
    /// So many lanes above.
    Down,
    /// That whose number differs in these bits.
    Butterfly,
    /// That of this number.
    Index,
}

impl Shuffle {
    /// Its name in PTX.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Up => "shfl.up.b32",
            Self::Down => "shfl.down.b32",
            Self::Butterfly => "shfl.bfly.b32",
            Self::Index => "shfl.idx.b32",
        }
    }

    /// The lane that a lane reads, if it is in the range that the third source gives.
    fn from(self, lane: usize, by: u64, limits: u64) -> Option<usize> {
        let (lane, by) = (lane as i64, (by & 0x1f) as i64);
        let (clamp, segment) = ((limits & 0x1f) as i64, (limits >> 8 & 0x1f) as i64);
        let least = lane & segment;
        let limit = least | clamp & !segment & 0x1f;
        let (from, is_inside) = match self {
            Self::Up => (lane - by, lane - by >= limit),
            Self::Down => (lane + by, lane + by <= limit),
            Self::Butterfly => (lane ^ by, lane ^ by <= limit),
            Self::Index => {
                let from = least | by & !segment & 0x1f;
                (from, from <= limit)
            }
        };
        let from = usize::try_from(from).ok()?;
        (is_inside && from < LANES).then_some(from)
    }

    /// What each lane reads: its own value if the other lane is out of range, or not active.
    pub(super) fn evaluate(self, [values, by, limits]: [&Lanes; 3], mask: u32) -> Lanes {
        std::array::from_fn(|lane| {
            let from = self.from(lane, by[lane], limits[lane]);
            let from = from.filter(|from| mask >> from & 1 == 1);
            values[from.unwrap_or(lane)]
        })
    }

    /// 1 for each lane that reads one in range; the sources are the last two of the shuffle.
    pub(super) fn ranges(self, [by, limits, _]: [&Lanes; 3]) -> Lanes {
        std::array::from_fn(|lane| self.from(lane, by[lane], limits[lane]).is_some().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_active_lanes_vote() {
        let predicates: Lanes = std::array::from_fn(|lane| u64::from(lane % 2 == 0));
        let vote = |vote: Vote, mask| vote.evaluate(&predicates, mask)[7];
        assert_eq!(vote(Vote::Ballot, u32::MAX), 0x5555_5555);
        assert_eq!(vote(Vote::Ballot, 0xff00), 0x5500);
        assert_eq!([0x5, 0xf, 0xa].map(|mask| vote(Vote::All, mask)), [1, 0, 0]);
        assert_eq!([0x5, 0xf, 0xa].map(|mask| vote(Vote::Any, mask)), [1, 1, 0]);
        let uniform = [0x5, 0xf, 0xa].map(|mask| vote(Vote::Uniform, mask));
        assert_eq!(uniform, [1, 0, 1]);
    }

    #[test]
    fn shuffles_stay_in_their_segment() {
        let shuffled = |shuffle: Shuffle, by, limits, mask| {
            let lanes = std::array::from_fn(|lane| lane as u64);
            let sources = [lanes, [by; LANES], [limits; LANES]];
            let ranges = shuffle.ranges([&sources[1], &sources[2], &sources[0]]);
            (shuffle.evaluate(sources.each_ref(), mask), ranges)
        };
        let (up, inside) = shuffled(Shuffle::Up, 3, 0, u32::MAX);
        assert_eq!((up[2], up[3], up[31]), (2, 0, 28));
        assert_eq!((inside[2], inside[3]), (0, 1));
        let (down, inside) = shuffled(Shuffle::Down, 1, 31, u32::MAX);
        assert_eq!((down[0], down[31], inside[31]), (1, 31, 0));
        // Segments of eight lanes, as `__shfl_xor(value, 4, 8)` and `__shfl(value, 9, 8)` have them.
        let (butterfly, _) = shuffled(Shuffle::Butterfly, 4, 0x181f, u32::MAX);
        assert_eq!((butterfly[0], butterfly[12], butterfly[31]), (4, 8, 27));
        let (index, inside) = shuffled(Shuffle::Index, 9, 0x181f, u32::MAX);
        assert_eq!((index[0], index[20], inside[20]), (1, 17, 1));
        // What is not active is not read.
        assert_eq!(shuffled(Shuffle::Index, 4, 31, 0xf).0[2], 2);
    }
}
