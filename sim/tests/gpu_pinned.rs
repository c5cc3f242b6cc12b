//! Parts of memory that are pinned to the CPU: they are translated, never move, and each access of a line takes the link.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use std::collections::BTreeSet;

use faultline_sim::machines::gpu::{Config, Gpu, Outcome, SchemeName};
use faultline_sim::machines::sm::Work;
use faultline_sim::simt::kernels::named;
use faultline_sim::sm::sm_pipeline::Scheme;

/// Bytes of a line.
const LINE: u64 = 128;

fn work(kernel: &str) -> Work {
    Work::of_kernel(&named(kernel).unwrap()(1).unwrap()).unwrap()
}

fn gpu<'work>(work: &'work Work, scheme: Scheme, paging: &str) -> Gpu<'work> {
    let text = format!("sms = 4\n[paging]\n{paging}");
    let mut config = Config::read(&text, "gpu.toml", "tanasic").unwrap();
    config.sm.scheme = SchemeName(scheme);
    Gpu::new(&config.parameters(), work).unwrap()
}

/// Runs a kernel on four SMs, to the oracle's end.
fn run(work: &Work, scheme: Scheme, paging: &str) -> Outcome {
    let outcome = gpu(work, scheme, paging).run(|_| {});
    let outcome = outcome.unwrap_or_else(|error| panic!("{}, {paging}: {error}", work.name));
    assert_eq!(outcome.differences(), [], "{}, {paging}", work.name);
    outcome
}

/// The parts that came, by their first page.
fn came(outcome: &Outcome) -> BTreeSet<u64> {
    let arrivals = outcome.history.arrivals.iter();
    arrivals.map(|arrival| arrival.vpn).collect()
}

/// With all parts pinned nothing faults and nothing migrates, no cache has a line of them, and the link has moved what was accessed.
#[test]
fn the_link_moves_each_line_that_is_accessed() {
    for (kernel, has_atomics) in [("stencil", false), ("spmv", false), ("histo", true)] {
        let work = work(kernel);
        for absent in [true, false] {
            let paging = format!("absent = {absent}\npinned_percent = 100\n");
            let outcome = run(&work, Scheme::StallOnFault, &paging);
            let (brought, lines) = (outcome.brought, outcome.brought.lines);
            let accessed = outcome.sms.lookups.lines;
            match has_atomics {
                // An atomic goes and comes.
                true => assert!(lines.read + lines.written > accessed, "{kernel}"),
                false => assert_eq!(lines.read + lines.written, accessed, "{kernel}"),
            }
            assert!(
                lines.read > 1_000 && lines.written > 10,
                "{kernel} {lines:?}"
            );
            assert_eq!(outcome.sms.misses.lines, accessed, "{kernel}");
            assert_eq!(brought.bytes, lines.read * LINE);
            assert_eq!(lines.bytes_written(), lines.written * LINE);
            // The caches below the SMs have entries of the page tables alone.
            assert_eq!(outcome.traffic.lines, outcome.translations.reads);
            assert_eq!(outcome.traffic.stores, 0);
            let parts = (brought.records, brought.migrated, brought.allocated);
            assert_eq!(parts, (0, 0, 0), "{kernel}");
            assert!(came(&outcome).is_empty());
            // 40 bytes a cycle.
            assert_eq!(brought.link, lines.read * LINE.div_ceil(40));
            let spans = &outcome.history.lines;
            let cycles: u64 = spans.iter().map(|span| span.end - span.start).sum();
            assert_eq!(cycles, brought.link);
            assert!(spans.windows(2).all(|pair| pair[0].end < pair[1].start));
            // The link bounds the run, on each of its ways.
            let most = lines.read.max(lines.written) * LINE.div_ceil(40);
            assert!(outcome.cycles >= most, "{kernel}");
        }
    }
}

/// Of some pinned parts the others come as if there were no pinned one, under each scheme.
#[test]
fn pinned_parts_never_migrate() {
    let work = work("histo");
    for scheme in Scheme::ALL {
        let with = |percent: u64| {
            let paging =
                format!("absent = true\ngranularity = \"4k\"\npinned_percent = {percent}\n");
            run(&work, scheme, &paging)
        };
        let all = with(0);
        assert_eq!(all.brought.lines, Default::default());
        let footprint = came(&all);
        let mut last = footprint.clone();
        for percent in [25, 50, 75] {
            let outcome = with(percent);
            let (parts, lines) = (came(&outcome), outcome.brought.lines);
            let pinned = footprint.len() as u64 * percent / 100;
            assert_eq!(lines.parts, pinned, "{scheme:?}");
            assert_eq!(parts.len() as u64 + pinned, footprint.len() as u64);
            assert!(parts.is_subset(&footprint) && lines.read > 0);
            assert!(outcome.brought.migrated < all.brought.migrated);
            assert_eq!(
                outcome.brought.bytes,
                (outcome.brought.migrated << 12) + lines.bytes_read()
            );
            assert_ne!(parts, last);
            last = parts;
        }
    }
}

/// Pinned parts take no room, are no victims, and are not prefetched.
#[test]
fn pinned_parts_take_no_room_and_are_not_prefetched() {
    let work = work("histo");
    let small = "absent = true\ngranularity = \"4k\"\n";
    let scheme = Scheme::ReplayQueue;
    let limited = format!("{small}capacity_percent = 50\n");
    let evicted = run(&work, scheme, &limited).brought.evicted;
    assert!(evicted > 0);
    let half = run(&work, scheme, &format!("{limited}pinned_percent = 50\n"));
    assert_eq!(half.brought.evicted, 0);
    let less = format!("{small}capacity_percent = 25\npinned_percent = 50\n");
    let less = run(&work, scheme, &less).brought;
    assert!(less.evicted > 0 && less.lines.read > 0, "{less:?}");
    let pinned = format!("{small}pinned_percent = 50\n");
    let needed = came(&run(&work, scheme, &pinned));
    for prefetch in ["sequential", "random", "locality", "tree", "oracle"] {
        let paging = format!("{pinned}prefetch_parts = 3\nprefetch = \"{prefetch}\"\n");
        let outcome = run(&work, scheme, &paging);
        assert!(outcome.brought.prefetched > 0, "{prefetch}");
        assert!(came(&outcome).is_superset(&needed), "{prefetch}");
        let all = run(
            &work,
            scheme,
            &format!("{small}prefetch = \"{prefetch}\"\n"),
        );
        let pinned = came(&all).difference(&came(&outcome)).count();
        assert!(pinned as u64 >= outcome.brought.lines.parts, "{prefetch}");
    }
}

/// A slower link makes the run longer, on each of its two counts.
#[test]
fn latency_and_bandwidth_of_the_link_bound_pinned_memory() {
    let work = work("stencil");
    let cycles = |paging: &str| {
        let paging = format!("pinned_percent = 100\n{paging}");
        run(&work, Scheme::ReplayQueue, &paging).cycles
    };
    let here = run(&work, Scheme::ReplayQueue, "").cycles;
    let base = cycles("link_latency = 1000\n");
    let far = cycles("link_latency = 4000\n");
    let narrow = cycles("link_latency = 1000\nlink_bytes = 8\n");
    eprintln!("{here} {base} {far} {narrow}");
    assert!(here < base && base + 3_000 <= far && base < narrow);
}

/// Whether SMs meet in every cycle, after a window, or run on several threads: the run is the same.
#[test]
fn the_run_is_the_same_in_step_and_in_parallel() {
    let work = work("histo");
    for paging in [
        "pinned_percent = 100\n",
        "absent = true\ngranularity = \"4k\"\npinned_percent = 40\nprefetch = \"tree\"\ncapacity_percent = 30\n",
    ] {
        let gpu = || gpu(&work, Scheme::ReplayQueue, paging);
        let first = gpu().run(|_| {}).unwrap();
        assert!(first.brought.lines.read > 0);
        assert_eq!(gpu().in_step().run(|_| {}).unwrap(), first, "{paging}");
        assert_eq!(gpu().in_parallel().run(|_| {}).unwrap(), first, "{paging}");
    }
}
