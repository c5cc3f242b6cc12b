//! What the papers claim of the designs, as the models show it.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use faultline_ledger::Obligation;
use faultline_sim::machines::translation::{
    Design, Outcome, Parameters, Pattern, Work, ideal, memory_requests, run,
};
use faultline_sim::trace::{SAXPY, Trace};
use rayon::prelude::*;

const SMS: usize = 16;

fn outcome(work: &Work, parameters: &Parameters) -> Outcome {
    run(work, parameters).unwrap()
}

/// A pattern's beginning.
fn beginning(pattern: Pattern, seed: u64) -> Work {
    let mut work = pattern.work(SMS, seed);
    let (phases, accesses) = match pattern {
        Pattern::Burst => (4, usize::MAX),
        Pattern::Gather => (1, usize::MAX),
        _ => (1, 64),
    };
    work.phases.truncate(phases);
    let beside = work.phases.iter_mut().flatten().filter(|sm| !sm.endless);
    for warp in beside.flat_map(|sm| &mut sm.warps) {
        warp.truncate(accesses);
    }
    work
}

/// The performance of all designs, ideal translation as 100.
fn performance(work: &Work) -> [f64; 6] {
    let best = ideal(work);
    Design::ALL.map(|design| outcome(work, &design.parameters()).percent_of(&best))
}

/// Power et al., HPCA 2014, Figs. 6 and 11: on every pattern no design is behind the one before it, and in the mean each is
/// far before it. Where SMs go down columns of their own, one walk at once for each SM is enough; where they share pages, an
/// L2 TLB stands for the cache.
#[test]
fn designs_are_in_the_papers_order() {
    Obligation::test(env!("CARGO_MANIFEST_DIR"), file!()).meet(|| {
        let all = Pattern::ALL.par_iter();
        let all: Vec<_> = all
            .map(|&pattern| (pattern, performance(&beginning(pattern, 1))))
            .collect();
        for (pattern, [one, two, three, shared, both, ideal_cache]) in &all {
            let shown = format!("{pattern:?}: {one} {two} {three} {shared} {both} {ideal_cache}");
            assert!(two * 1.005 > *one && three > two, "{shown}");
            assert!(both + 8.0 > *three, "{shown}");
            assert!(shared < three || *pattern == Pattern::Sharing, "{shown}");
            assert!(ideal_cache >= three && *ideal_cache <= 100.0, "{shown}");
            if [Pattern::Burst, Pattern::Gather].contains(pattern) {
                assert!(1.2 * one < *two && 1.1 * two < *three, "{shown}");
            }
        }
        let mean = |design: usize| {
            let logs = all.iter().map(|(_, of)| of[design].ln());
            f64::exp(logs.sum::<f64>() / all.len() as f64)
        };
        let [one, two, three] = [0, 1, 2].map(mean);
        assert!(1.2 * one < two && 1.2 * two < three, "{one} {two} {three}");
    });
}

/// The walks under way, counted in every cycle, are those whose service was measured: each from its beginning to its end.
#[test]
fn walks_under_way_are_those_that_are_served() {
    for design in [Design::One, Design::Two, Design::Three] {
        let parameters = design.parameters();
        let outcome = outcome(&beginning(Pattern::Stream, 1), &parameters);
        let served = outcome.walking as f64 / outcome.service.sum() as f64;
        assert!((0.95..1.05).contains(&served), "{design:?}: {served}");
        let most = outcome.walking_most as usize;
        assert!(most > parameters.threads / 4 && most <= parameters.threads);
        assert!(outcome.walking_mean() > 0.0 && outcome.walking_mean() <= most as f64);
        let walkers = if design == Design::One { SMS } else { 1 };
        assert_eq!(outcome.walkers, walkers);
    }
}

/// Sections 4.1 and 4.2, Figs. 4, 7 and 8: an SM's accesses and misses, and the walks that are active at an SM of design 1
/// as one begins: 60 in the mean, over 100 at most.
#[test]
fn gathers_are_the_papers_bursts_of_an_sm() {
    Obligation::test(env!("CARGO_MANIFEST_DIR"), file!()).meet(|| {
        for seed in [1, 2] {
            let work = beginning(Pattern::Gather, seed);
            let one = outcome(&work, &Design::One.parameters());
            let active = (one.in_flight.mean(), one.in_flight.most());
            assert!((55.0..70.0).contains(&active.0), "{active:?}");
            assert!(active.1 > 100, "{active:?}");
            assert!(one.intervals.percent_within(500) > 90.0);
            let best = ideal(&work);
            let accesses = best.accesses_per_1000();
            assert!((accesses - 39.0).abs() < 1.0, "{accesses}");
            let misses = 1000.0 * one.latency.count() as f64 / (best.cycles * SMS as u64) as f64;
            assert!((misses - 1.4).abs() < 0.2, "{misses}");
        }
    });
}

/// The way out is shared: four requests and an answer for each walk, so four requests in five cycles at most.
#[test]
fn walker_requests_memory_as_often_as_walks_and_its_way_out_allow() {
    for walks in [32, 64] {
        let bound = walks as f64 / 200.0;
        let requested = memory_requests(walks, 200);
        assert!(
            requested >= 0.95 * bound && requested <= bound,
            "{walks}: {requested}"
        );
        let requested = memory_requests(walks, 20);
        assert!((requested - 0.8).abs() < 0.01, "{walks}: {requested}");
    }
}

/// Section 4.3: a page-walk cache leaves one access to memory of four, and its walks leave the queue sooner.
#[test]
fn page_walk_cache_cuts_service_and_queueing() {
    let work = Pattern::Burst.work(SMS, 1);
    let two = outcome(&work, &Design::Two.parameters());
    let three = outcome(&work, &Design::Three.parameters());
    assert!(3.0 * three.latency.mean() < 2.0 * two.latency.mean());
    assert!(2.0 * three.service.mean() < two.service.mean());
    assert!(2.0 * three.queueing.mean() < two.queueing.mean());
    let requests = |level| [three.reads[level], three.memory_reads[level]];
    assert_eq!(requests(0), [three.walks; 2]);
    for level in 1..4 {
        assert_eq!(three.reads[level], three.walks);
        assert!(three.cache_hits(level) * 10 > three.walks * 9);
        assert_eq!(two.cache_hits(level), 0);
    }
    let work = beginning(Pattern::Gather, 1);
    let [two, three] =
        [Design::Two, Design::Three].map(|design| outcome(&work, &design.parameters()));
    assert!(4.0 * three.latency.mean() < two.latency.mean());
}

/// Section 4.3: first come, first served, an SM's bursts queue ahead of the others' misses; whatever the seed.
#[test]
fn turns_remove_the_regression_of_first_come() {
    Obligation::test(env!("CARGO_MANIFEST_DIR"), file!()).meet(|| {
        (1..=6).into_par_iter().for_each(|seed| {
            let work = beginning(Pattern::OneBursts, seed);
            let cycles = |parameters: Parameters| outcome(&work, &parameters).cycles as f64;
            let two = Design::Two.parameters();
            let own = cycles(Design::One.parameters());
            let turns = cycles(two);
            let first_come = cycles(Parameters {
                first_come: true,
                ..two
            });
            assert!(first_come > 1.1 * own, "{seed}: {first_come} {own}");
            assert!(1.1 * turns < own, "{seed}: {turns} {own}");
        });
    });
}

/// Zheng et al., HPCA 2016, section 3.2, with half as many SMs and half of the link.
#[test]
fn four_mshrs_are_enough() {
    Obligation::test(env!("CARGO_MANIFEST_DIR"), file!()).meet(|| {
        let mut work = Pattern::Stream.work(8, 1);
        for warp in work.phases[0].iter_mut().flat_map(|sm| &mut sm.warps) {
            warp.truncate(33);
        }
        let [one, two, four, eight, sixteen, more] = [1, 2, 4, 8, 16, 32].map(|mshrs| {
            let parameters = Parameters {
                mshrs,
                far_percent: 100,
                transfer: 716,
                ..Design::Three.parameters()
            };
            let outcome = outcome(&work, &parameters);
            assert!(usize::from(outcome.held) <= mshrs * 8);
            assert_eq!(outcome.fault_service.count(), outcome.far_faults);
            // A page receives a Nack when it is missed, and hardly ever when it is requested again.
            let far = outcome.far_faults;
            assert!(10 * outcome.nacks < 11 * far, "{} {far}", outcome.nacks);
            outcome.cycles as f64
        });
        assert!(one > 1.8 * two && two > 1.7 * four, "{one} {two} {four}");
        let (gained, all) = (one / four, one / sixteen);
        assert!(gained > 0.6 * all, "{gained} {all}");
        assert!(eight <= four * 1.01 && sixteen <= eight * 1.01);
        assert!((more / sixteen - 1.0).abs() < 0.02, "{sixteen} {more}");
    });
}

/// A page may come while another SM's walk, which has read that it is absent, is under way.
#[test]
fn all_who_share_absent_pages_are_woken() {
    for (service, seed) in [(400, 1), (700, 2), (1000, 3)] {
        let mut work = Pattern::Sharing.work(SMS, seed);
        let warps = work.phases[0].iter_mut().flat_map(|sm| &mut sm.warps);
        for access in warps.flatten() {
            access.after = 1 + access.after % 60;
        }
        let parameters = Parameters {
            mshrs: 16,
            far_percent: 100,
            service,
            transfer: 10,
            ..Design::Three.parameters()
        };
        assert!(outcome(&work, &parameters).far_faults > 100);
    }
}

#[test]
fn same_seed_does_the_same() {
    let run = |seed| {
        let work = Pattern::Random.work(2, seed);
        let parameters = Parameters {
            far_percent: 50,
            service: 2000,
            seed,
            ..Design::Three.parameters()
        };
        let outcome = outcome(&work, &parameters);
        (outcome.cycles, outcome.walks, outcome.far_faults)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn traces_are_translated() {
    let folder = std::env::temp_dir().join(format!("faultline-translation-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("saxpy.traceg");
    std::fs::write(&file, SAXPY).unwrap();
    let work = Work::of_trace("saxpy".to_owned(), &Trace::open(&file).unwrap(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
    let work = work.unwrap();
    assert_eq!((work.phases.len(), work.sms()), (1, 2));
    let best = ideal(&work);
    let three = outcome(&work, &Design::Three.parameters());
    assert!(best.accesses > 0 && best.accesses == three.accesses);
    assert!(three.cycles > best.cycles && three.walks > 0);
}
