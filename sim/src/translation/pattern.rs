//! Patterns of accesses, after those of the papers' workloads.

use fastrand::Rng;

use super::{Access, Phase, SmWork, Work};

/// Warps of an SM.
const WARPS: u64 = 32;
/// Accesses to a page that is streamed: its lines of 128 B.
const LINES: u64 = 32;
/// Cycles from an access of a warp to its next one, with its data: so an SM has 39 accesses in 1,000 cycles, as in Power
/// et al., HPCA 2014, Fig. 4.
const PERIOD: u32 = 820;
/// The shortest time, that of the data alone.
pub(super) const DATA: u32 = 300;
/// Pages of the mean footprint of Zheng et al., HPCA 2016, section 3.1: 43 MB.
const FOOTPRINT: u64 = 43 << 8;
/// The first page.
const BASE: u64 = 0x7_f000_0000;

/// What the SMs access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Each warp reads pages of its own from end to end, at its own pace (gaussian, hotspot).
    Stream,
    /// The warps of an SM go down neighbouring columns of a matrix whose rows are pages (backprop, pathfinder).
    Stride,
    /// One access of 16 goes anywhere, the others to the warp's own page (bfs).
    Random,
    /// All SMs begin to read new pages at the same moment, eight an SM, and wait for each other at the end.
    Burst,
    /// An SM has as many misses at once as it can, all the time, and the others a few now and then (nw).
    OneBursts,
    /// All SMs read the same pages at about the same time.
    Sharing,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Stream,
        Self::Stride,
        Self::Random,
        Self::Burst,
        Self::OneBursts,
        Self::Sharing,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Stride => "stride",
            Self::Random => "random",
            Self::Burst => "burst",
            Self::OneBursts => "one-bursts",
            Self::Sharing => "sharing",
        }
    }

    /// The pattern of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| pattern.name() == name)
    }

    /// What so many SMs do; the same seed does the same.
    #[must_use]
    pub fn work(self, sms: usize, seed: u64) -> Work {
        let mut rng = Rng::with_seed(seed);
        let phases = match self {
            Self::Burst => (0..20).map(|phase| burst(sms, phase)).collect(),
            _ => {
                let sm = |sm| self.of_sm(sm as u64, sms as u64, &mut rng);
                vec![(0..sms).map(sm).collect()]
            }
        };
        Work {
            name: self.name().to_owned(),
            phases,
        }
    }

    fn of_sm(self, sm: u64, sms: u64, rng: &mut Rng) -> SmWork {
        let endless = self == Self::OneBursts && sm == 0;
        let warps = if self == Self::OneBursts && !endless {
            4
        } else {
            WARPS
        };
        let own = |warp: u64| sm * WARPS + warp;
        let of_warp = |warp: u64| match self {
            Self::Stream | Self::Burst => stream(own(warp), sms * WARPS, rng),
            Self::Stride => stride(BASE + sm * 1024, rng),
            Self::Random => random(own(warp), rng),
            Self::OneBursts if endless => scattered(rng),
            Self::OneBursts => few(BASE + FOOTPRINT + own(warp) * 512, rng),
            Self::Sharing => stream(warp, WARPS, rng),
        };
        SmWork {
            warps: (0..warps).map(of_warp).collect(),
            endless,
        }
    }
}

/// A time between accesses with the mean of all.
fn period(rng: &mut Rng) -> u32 {
    rng.u32(DATA..=2 * PERIOD - DATA)
}

/// Four pages from end to end, so many pages after each other; the warp begins somewhere in its first one.
fn stream(first: u64, apart: u64, rng: &mut Rng) -> Vec<Access> {
    let begin = rng.u64(0..LINES);
    let mut access = |line: u64| Access {
        page: BASE + first + line / LINES * apart,
        after: period(rng),
    };
    (begin..begin + 4 * LINES).map(&mut access).collect()
}

/// Down a column of 128 rows.
fn stride(first: u64, rng: &mut Rng) -> Vec<Access> {
    let mut access = |row: u64| Access {
        page: first + row,
        after: period(rng),
    };
    (0..128).map(&mut access).collect()
}

/// The page of a warp, and pages of everybody.
fn random(own: u64, rng: &mut Rng) -> Vec<Access> {
    let mut access = |_| Access {
        page: match rng.u8(0..16) {
            0 => BASE + rng.u64(0..FOOTPRINT),
            _ => BASE + FOOTPRINT + own,
        },
        after: period(rng),
    };
    (0..128).map(&mut access).collect()
}

/// Eight new pages, four warps each, in the same cycle.
fn burst(sms: usize, phase: u64) -> Phase {
    let of_sm = |sm: u64| {
        let of_warp = |warp: u64| {
            let page = BASE + (phase * sms as u64 + sm) * (WARPS / 4) + warp / 4;
            vec![
                Access {
                    page,
                    after: PERIOD
                };
                LINES as usize / 4
            ]
        };
        SmWork {
            warps: (0..WARPS).map(of_warp).collect(),
            endless: false,
        }
    };
    (0..sms as u64).map(of_sm).collect()
}

/// Instructions whose lanes all access pages of their own.
fn scattered(rng: &mut Rng) -> Vec<Access> {
    let access = |lane: u64| Access {
        page: BASE + rng.u64(0..FOOTPRINT),
        after: if lane.is_multiple_of(32) { DATA } else { 0 },
    };
    (0..32 * 64).map(access).collect()
}

/// New pages now and then, few accesses each.
fn few(first: u64, rng: &mut Rng) -> Vec<Access> {
    let mut access = |number: u64| Access {
        page: first + number / 4,
        after: period(rng),
    };
    (0..256).map(&mut access).collect()
}
