//! What is brought before it is missed, and what leaves where there is no room for all.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use std::collections::BTreeMap;

use faultline_sim::machines::gpu::restart::Trial;
use faultline_sim::machines::gpu::{
    Brought, Config, Eviction, Failure, Gpu, Outcome, Prefetch, Replay, SchemeName,
};
use faultline_sim::machines::sm::Work;
use faultline_sim::simt::kernels::named;
use faultline_sim::sm::sm_pipeline::Scheme;

fn work(kernel: &str) -> Work {
    Work::of_kernel(&named(kernel).unwrap()(1).unwrap()).unwrap()
}

/// Runs a kernel whose pages all are absent at first on four SMs, to the oracle's end.
fn run(work: &Work, scheme: Scheme, paging: &str) -> Outcome {
    let text = format!("sms = 4\n[paging]\nabsent = true\n{paging}");
    let mut config = Config::read(&text, "gpu.toml", "tanasic").unwrap();
    config.sm.scheme = SchemeName(scheme);
    let gpu = Gpu::new(&config.parameters(), work).unwrap();
    let outcome = gpu.run(|_| {});
    let outcome = outcome.unwrap_or_else(|error| panic!("{}, {paging}: {error}", work.name));
    assert_eq!(outcome.differences(), [], "{}, {paging}", work.name);
    outcome
}

/// The least share in percent with which there is room for 4 (`most` - 1) + 1 parts.
fn least(most: u64, footprint: u64) -> u64 {
    (100 * 4 * most.saturating_sub(1) / footprint + 1).min(100)
}

/// How often each part has come, by its first page.
fn parts(outcome: &Outcome) -> BTreeMap<u64, usize> {
    let mut parts = BTreeMap::new();
    for arrival in &outcome.history.arrivals {
        *parts.entry(arrival.vpn).or_default() += 1;
    }
    parts
}

/// What has come is what moved and what was allocated, each with its bytes; no two parts are on the link at once.
fn check_conservation(outcome: &Outcome, part: u64) {
    let Brought {
        migrated,
        allocated,
        bytes,
        link,
        again,
        prefetched,
        used,
        ..
    } = outcome.brought;
    let parts = parts(outcome);
    let come: usize = parts.values().sum();
    assert_eq!(come as u64, migrated + allocated);
    assert_eq!(come as u64, parts.len() as u64 + again);
    assert_eq!(bytes, migrated * part);
    assert!(used <= prefetched && prefetched <= migrated + allocated);
    let moved = outcome.history.arrivals.iter();
    let mut moved: Vec<_> = moved.filter_map(|one| one.moved.clone()).collect();
    moved.sort_by_key(|span| span.start);
    assert_eq!(moved.len() as u64, migrated);
    let cycles: u64 = moved.iter().map(|span| span.end - span.start).sum();
    assert_eq!(cycles, link);
    let mut pairs = moved.windows(2);
    assert!(pairs.all(|pair| pair[0].end <= pair[1].start));
}

/// Without a limit each part comes once, whatever is prefetched; what is needed comes in any case.
#[test]
fn prefetched_parts_come_once_and_are_used() {
    for kernel in ["histo", "stencil"] {
        let work = work(kernel);
        for (granularity, part) in [("4k", 4096), ("64k", 65_536), ("2m", 2 << 20)] {
            let with = |prefetch: Prefetch| {
                let paging = format!(
                    "granularity = \"{granularity}\"\nprefetch = \"{}\"\nprefetch_parts = 3\n",
                    prefetch.name()
                );
                run(&work, Scheme::ReplayQueue, &paging)
            };
            let none = with(Prefetch::None);
            assert_eq!((none.brought.prefetched, none.brought.used), (0, 0));
            let needed = parts(&none);
            for prefetch in Prefetch::ALL {
                let outcome = with(prefetch);
                check_conservation(&outcome, part);
                let name = format!("{kernel}, {granularity}, {}", prefetch.name());
                let come = parts(&outcome);
                assert!(come.values().all(|&times| times == 1), "{name}");
                assert!(needed.keys().all(|vpn| come.contains_key(vpn)), "{name}");
                let Brought {
                    prefetched,
                    used,
                    evicted,
                    records,
                    ..
                } = outcome.brought;
                eprintln!("{name}: {} cycles, {:?}", outcome.cycles, outcome.brought);
                assert_eq!(evicted, 0);
                if prefetch != Prefetch::None && granularity == "4k" {
                    assert!(used > 0 && prefetched > 4, "{name}");
                    assert!(records < none.brought.records, "{name}");
                }
                // Parts of this size are the prefetcher's own, or larger.
                let brings_nothing = match prefetch {
                    Prefetch::None => true,
                    Prefetch::Locality => granularity != "4k",
                    Prefetch::Tree => granularity == "2m",
                    _ => false,
                };
                if brings_nothing {
                    assert_eq!(outcome.cycles, none.cycles, "{name}");
                }
                if prefetch == Prefetch::Oracle {
                    assert_eq!(come.len(), needed.len(), "{name}");
                    assert_eq!(outcome.brought.used, prefetched, "{name}");
                    assert!(outcome.cycles < none.cycles, "{name}");
                }
            }
        }
    }
}

/// The oracle's parts move one after the other from the first call of the handler on, in the order in which they are accessed.
#[test]
fn the_oracle_keeps_the_link_busy() {
    let work = work("histo");
    let outcome = run(&work, Scheme::ReplayQueue, "prefetch = \"oracle\"\n");
    let moved = outcome.history.arrivals.iter();
    let moved: Vec<_> = moved.filter_map(|one| one.moved.clone()).collect();
    assert!(moved.len() > 4);
    assert_eq!(moved[0].start, 12_000 - 1_639);
    let mut pairs = moved.windows(2);
    assert!(pairs.all(|pair| pair[0].end == pair[1].start));
}

/// With less room than is accessed parts leave and come again, under each policy and each scheme.
#[test]
fn parts_leave_for_others_and_come_again() {
    let work = work("histo");
    let small = "granularity = \"4k\"\n";
    let footprint = parts(&run(&work, Scheme::ReplayQueue, small)).len() as u64;
    for eviction in Eviction::ALL {
        let (mut all_evicted, mut all_again) = (0, 0);
        for scheme in Scheme::ALL {
            let paging = format!(
                "{small}capacity_percent = 20\neviction = \"{}\"\n",
                eviction.name()
            );
            let outcome = run(&work, scheme, &paging);
            check_conservation(&outcome, 4096);
            let Brought {
                migrated,
                allocated,
                evicted,
                again,
                written_back,
                ..
            } = outcome.brought;
            eprintln!(
                "{eviction:?} {scheme:?}: {} {:?}",
                outcome.cycles, outcome.brought
            );
            let room = footprint.div_ceil(5);
            // What has come and has not left has room.
            assert!(migrated + allocated - evicted <= room);
            assert!(again <= evicted && written_back <= evicted << 12);
            // What leaves last may be on its way at the end.
            assert!(written_back >> 12 > evicted / 2);
            (all_evicted, all_again) = (all_evicted + evicted, all_again + again);
        }
        assert!(all_evicted > 50 && all_again > 5, "{eviction:?}");
    }
    // All of it has room.
    let all = format!("{small}capacity_percent = 100\n");
    let [all, unlimited] = [&all, small].map(|paging| run(&work, Scheme::ReplayQueue, paging));
    assert_eq!((all.brought.evicted, all.cycles), (0, unlimited.cycles));
}

/// Copied pages are there at first, as far as there is room.
#[test]
fn what_was_copied_fills_the_room_at_first() {
    let work = work("stencil");
    let paging = "copied = true\ncapacity_percent = 30\n";
    let brought = run(&work, Scheme::ReplayQueue, paging).brought;
    assert!(brought.evicted > 0 && brought.migrated > 0, "{brought:?}");
    let all = run(&work, Scheme::ReplayQueue, "copied = true\n").brought;
    assert_eq!((all.migrated, all.evicted), (0, 0));
}

/// Random programs that have the least room that there has to be, whatever leaves: they end as without faults, and no SM
/// accesses a page that has left.
#[test]
fn programs_end_as_without_faults_in_the_least_room() {
    let mut evicted = [0; Eviction::ALL.len()];
    let mut again = 0;
    for scheme in Scheme::ALL {
        for seed in 5_000..5_060 {
            let mut trial = Trial::new(scheme, seed).unwrap();
            let which = seed as usize % Eviction::ALL.len();
            let paging = &mut trial.parameters.paging;
            (paging.absent, paging.copied) = (true, false);
            // What replays wait for would wait for room.
            paging.replay = Replay::Page;
            (paging.capacity, paging.eviction) = (Some(0), Eviction::ALL[which]);
            let refused = Gpu::new(&trial.parameters, &trial.of_sm.work).map(|_| ());
            // A program may access nothing.
            let Err(Failure::Capacity {
                most, footprint, ..
            }) = refused
            else {
                assert_eq!(refused, Ok(()));
                continue;
            };
            trial.parameters.paging.capacity = Some(least(most, footprint));
            let outcome = trial.run();
            let outcome = outcome.unwrap_or_else(|error| panic!("{scheme:?}: {error}"));
            evicted[which] += outcome.brought.evicted;
            again += outcome.brought.again;
        }
    }
    eprintln!("{evicted:?} {again}");
    assert!(evicted.iter().all(|&count| count > 200) && again > 500);
}

/// Less room than an instruction needs is refused in a sentence that says how much it is.
/// Whenever the driver has the GPU try again: each kernel ends as without faults, each part comes once, and each record is answered
/// once, whether it was read or dropped.
#[test]
fn replays_answer_every_record_once() {
    let mut flushed = 0;
    for (kernel, scheme) in [
        ("sad", Scheme::StallOnFault),
        ("histo", Scheme::ReplayQueue),
        ("spmv", Scheme::OperandLog),
    ] {
        let work = work(kernel);
        let mut duplicates = Vec::new();
        let alone = run(&work, scheme, "granularity = \"4k\"\n");
        assert_eq!(alone.brought.replays.batches, 0);
        for replay in Replay::ALL {
            // A driver that is there at once begins with a batch of few records, and others come meanwhile.
            let paging = format!(
                "granularity = \"4k\"\ninterrupt = {}\nreplay = \"{}\"\n",
                if kernel == "spmv" { 0 } else { 2000 },
                replay.name()
            );
            let outcome = run(&work, scheme, &paging);
            check_conservation(&outcome, 4096);
            assert_eq!(parts(&outcome), parts(&alone), "{kernel}, {paging}");
            let Brought {
                records,
                resolved,
                replays,
                ..
            } = outcome.brought;
            assert_eq!(records, resolved, "{kernel}, {paging}");
            assert!(replays.flushed == 0 || replay == Replay::BatchFlush);
            match replay {
                Replay::Page => assert_eq!(outcome.cycles, alone.cycles),
                Replay::Once | Replay::Batch => {
                    assert!(replays.replays <= replays.batches, "{replays:?}")
                }
                Replay::Block | Replay::BatchFlush => assert!(replays.replays > 0, "{replays:?}"),
            }
            flushed += replays.flushed;
            duplicates.push(replays.duplicates);
        }
        // What is dropped unread is reported again.
        assert_eq!(duplicates[0], 0);
    }
    assert!(flushed > 0);
}

#[test]
fn too_little_room_is_refused() {
    let text = "sms = 4\n[paging]\nabsent = true\ngranularity = \"4k\"\ncapacity_percent = 1\n";
    let config = Config::read(text, "gpu.toml", "tanasic").unwrap();
    let work = work("spmv");
    let failure = Gpu::new(&config.parameters(), &work)
        .map(|_| ())
        .unwrap_err();
    let Failure::Capacity {
        percent: 1,
        room,
        footprint,
        most,
    } = failure
    else {
        panic!("{failure}");
    };
    assert!(most > room && footprint > most, "{failure}");
    let least = least(most, footprint);
    let sentence = format!(
        "1 % of the {footprint} parts of memory that are accessed are {room}, and one instruction accesses up to {most}, so give {least} % or more"
    );
    assert_eq!(failure.to_string(), sentence);
    let run_with = |percent: u64| {
        let text = text.replace("= 1\n", &format!("= {percent}\n"));
        let config = Config::read(&text, "gpu.toml", "tanasic").unwrap();
        Gpu::new(&config.parameters(), &work).map(|_| ())
    };
    assert_eq!(run_with(least), Ok(()));
    assert!(run_with(least - 1).is_err());
}
