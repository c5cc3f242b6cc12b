//! The designs of Power et al. (HPCA 2014, Table 2) on the whole GPU.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_sim::machines::gpu::{Config, Failure, Gpu, Outcome};
use faultline_sim::machines::sm::Work;
use faultline_sim::programs::Program;
use faultline_sim::ptx::lower::Options;

/// Levels of page tables.
const LEVELS: u64 = 4;

fn config(gmmu: &str) -> Config {
    let text = format!("sms = 4\n[gmmu]\n{gmmu}\n");
    Config::read(&text, "gpu.toml", "power").unwrap()
}

fn gpu<'work>(config: &Config, work: &'work Work) -> Gpu<'work> {
    Gpu::new(&config.parameters(), work).unwrap()
}

fn run(gmmu: &str, work: &Work) -> Outcome {
    let outcome = gpu(&config(gmmu), work).run(|_| {}).unwrap();
    assert_eq!(outcome.differences(), [], "{gmmu}");
    outcome
}

fn work() -> Work {
    let program = Program::named("nw").unwrap();
    program.work(1, Options::default()).unwrap()
}

const ONE: &str = "per_sm = true\nwalks = 1\nwalk_cache = \"none\"";

const AHEAD: &str = "[l1_tlb]\none_ahead = true";
const LARGE: &str =
    "[l1_tlb]\nlarge_entries = 8\n[paging]\ngranularity = \"2m\"\nlarge_pages = true";

#[test]
fn each_design_ends_alike_and_translates_as_it_says() {
    let work = work();
    let one = run(ONE, &work);
    let two = run("walk_cache = \"none\"", &work);
    let three = run("", &work);
    let ideal_cache = run("walk_cache = \"ideal\"", &work);
    let ideal = run("ideal = true", &work);
    // Without a page-walk cache each walk reads an entry of each level. SMs share none of those of their own walkers.
    let reads = |outcome: &Outcome| outcome.translations.reads;
    let walks = |outcome: &Outcome| outcome.sms.lookups.walks;
    assert_eq!(reads(&one), LEVELS * walks(&one));
    assert!(
        reads(&two) > 3 * reads(&three),
        "{} {}",
        reads(&two),
        reads(&three)
    );
    assert!(reads(&ideal_cache) <= reads(&three));
    // An ideal MMU walks for nothing, and is the fastest.
    assert_eq!(
        (walks(&ideal), reads(&ideal), ideal.translations.fills),
        (0, 0, 0)
    );
    assert_eq!(ideal.sms.lookups.missed, 0);
    for design in [&one, &two, &three, &ideal_cache] {
        assert!(design.cycles > ideal.cycles && walks(design) > 0);
        let lookups = design.sms.lookups;
        // All make the same accesses.
        let own = ideal.sms.lookups;
        assert_eq!(
            (lookups.instructions, lookups.lanes, lookups.lines),
            (own.instructions, own.lanes, own.lines)
        );
        assert!(lookups.walks <= lookups.missed && lookups.missed < lookups.lines);
        assert!(lookups.most <= lookups.waiting && lookups.soon <= lookups.walks);
    }
    // A walk waits behind others where a walker has one at a time, and reads less with the cache.
    let latency = |outcome: &Outcome| {
        outcome.translations.latency as f64 / outcome.translations.answers.max(1) as f64
    };
    assert!(latency(&one) > latency(&two) && latency(&two) > latency(&three));
    assert!(one.cycles > three.cycles);
}

/// The next page is walked for at each miss. What is accessed and what it ends with stay the same, and each translation that comes
/// answers a walk.
#[test]
fn a_prefetcher_walks_for_the_next_page() {
    let work = work();
    let [without, with] = ["", AHEAD].map(|gmmu| run(gmmu, &work));
    let (own, ahead) = (without.sms.lookups, with.sms.lookups);
    assert_eq!((own.ahead, own.spared), (0, 0));
    assert_eq!((own.lines, own.lanes), (ahead.lines, ahead.lanes));
    eprintln!("{} {own:?}\n{} {ahead:?}", without.cycles, with.cycles);
    assert!(ahead.ahead > 10 && ahead.spared > 5, "{ahead:?}");
    assert!(ahead.spared <= ahead.ahead && ahead.spared < ahead.walks);
    // What is requested last may not come before the end.
    let sent = ahead.walks - ahead.spared + ahead.ahead;
    assert!(with.translations.fills <= sent && with.translations.fills + 64 > sent);
    assert_ne!(without.cycles, with.cycles);
}

/// With pages of 2 MB a large entry has what hundreds of walks brought. What is accessed and what it ends with stay the same.
#[test]
fn large_pages_are_walked_for_once() {
    let work = work();
    let pieces = LARGE.replace("= true", "= false");
    let [small, mapped] = [&*pieces, LARGE].map(|paging| run(paging, &work));
    let (own, few) = (small.sms.lookups, mapped.sms.lookups);
    assert_eq!((own.lines, own.lanes), (few.lines, few.lanes));
    eprintln!("{} {own:?}\n{} {few:?}", small.cycles, mapped.cycles);
    // An SM misses a large page at most as often as pages of it are missed until its walk has come.
    assert!(20 * few.walks < own.walks, "{few:?}");
    assert!(mapped.translations.reads < small.translations.reads);
    assert!(mapped.cycles < small.cycles);
    // Each translation that came is one of a walk, and was compared with the page tables.
    assert!(mapped.translations.fills > 0 && mapped.translations.fills <= few.walks);
    // An L1 TLB without large entries gains nothing.
    let alone = run(&LARGE.replace("= 8", "= 0"), &work);
    assert!(2 * alone.sms.lookups.walks > own.walks);
}

/// No part looks at what another one has not sent yet, and nothing depends on the cycles that are skipped.
#[test]
fn designs_do_the_same_in_step_and_side_by_side() {
    let work = work();
    for gmmu in [ONE, "first_come = true", "ideal = true", AHEAD, LARGE] {
        let config = config(gmmu);
        let plain = gpu(&config, &work).run(|_| {}).unwrap();
        let in_step = gpu(&config, &work).in_step().run(|_| {}).unwrap();
        let beside = gpu(&config, &work).in_parallel().run(|_| {}).unwrap();
        for other in [&in_step, &beside] {
            assert_eq!(plain.cycles, other.cycles, "{gmmu}");
            assert_eq!(plain.translations, other.translations, "{gmmu}");
            assert_eq!(plain.sms.lookups, other.sms.lookups, "{gmmu}");
            assert_eq!(plain.traffic, other.traffic, "{gmmu}");
        }
    }
}

#[test]
fn a_gpu_refuses_pages_that_move_where_only_those_are_translated_that_stay() {
    let work = work();
    for (gmmu, table, key) in [
        (ONE, "gmmu", "per_sm"),
        ("ideal = true", "gmmu", "ideal"),
        (AHEAD, "l1_tlb", "one_ahead"),
    ] {
        let mut parameters = config(gmmu).parameters();
        parameters.paging.absent = true;
        let failure = Gpu::new(&parameters, &work).err();
        assert_eq!(failure, Some(Failure::Resident(table, key)));
    }
}
