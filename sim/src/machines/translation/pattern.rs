//! Patterns of accesses, after those of the papers' workloads.

use fastrand::Rng;

use super::{Access, Phase, SmWork, Work};

/// Warps of an SM.
const WARPS: u64 = 32;
/// Warps of an SM beside one that bursts, an assumption. With four, the walks of an SM's own walker wait for each other about as long as
/// those of a shared one for the other SMs, and which of the two is faster is chance.
const BESIDE: u64 = 5;
/// Pages of a gathering instruction, an assumption after these figures: 39 accesses are made where 268 lane instructions, coalesced perfectly, would make 9
/// (Power et al., section 4.1).
const GATHERED: u32 = 4;
/// Other instructions for each one that gathers: so an SM misses some 1.4 pages in 1,000 cycles, the
/// mean of Power et al., section 4.3.
const OTHERS: u32 = 112;
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
    /// Now and then all warps of an SM gather at once from pages anywhere, four each; the SMs wait for each other at the end
    /// (bfs, a kernel for each level). An SM then misses some 128 pages in as many cycles, so that in design 1 about 60 walks
    /// are active as one begins, as in Power et al., section 4.2.
    Gather,
    /// An SM has as many misses at once as it can, all the time, and the others a few now and then (nw).
    OneBursts,
    /// All SMs read the same pages at about the same time.
    Sharing,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Stream,
        Self::Stride,
        Self::Random,
        Self::Burst,
        Self::Gather,
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
            Self::Gather => "gather",
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
            Self::Gather => (0..3).map(|_| gather(sms, &mut rng)).collect(),
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
            BESIDE
        } else {
            WARPS
        };
        let own = |warp: u64| sm * WARPS + warp;
        let of_warp = |warp: u64| match self {
            Self::Stream | Self::Burst | Self::Gather => stream(own(warp), sms * WARPS, rng),
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

/// The page of a warp, and pages that all warps share.
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

/// A kernel in which the warps of each SM gather once, together; when, is another time on each SM.
fn gather(sms: usize, rng: &mut Rng) -> Phase {
    let mut of_sm = |sm: u64| {
        let before = rng.u32(0..=OTHERS);
        let mut of_warp = |warp: u64| {
            let own = Access {
                page: BASE + FOOTPRINT + sm * WARPS / 4 + warp / 4,
                after: PERIOD,
            };
            let mut accesses = vec![own; before as usize];
            for page in 0..GATHERED {
                accesses.push(Access {
                    page: BASE + rng.u64(0..FOOTPRINT),
                    after: if page == 0 { PERIOD } else { 0 },
                });
            }
            // As many accesses in a time as of the others.
            let rest = (before..OTHERS).map(|number| Access {
                after: if number == before {
                    GATHERED * PERIOD
                } else {
                    PERIOD
                },
                ..own
            });
            accesses.extend(rest);
            accesses
        };
        SmWork {
            warps: (0..WARPS).map(&mut of_warp).collect(),
            endless: false,
        }
    };
    (0..sms as u64).map(&mut of_sm).collect()
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
