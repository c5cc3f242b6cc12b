//! The GPU: kernels with pages that are resident, and with pages that all are absent at first.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_sim::machines::gpu::restart::Trial;
use faultline_sim::machines::gpu::{Config, Gpu, Outcome, SchemeName};
use faultline_sim::machines::sm::Work;
use faultline_sim::simt::kernels::named;
use faultline_sim::sm::sm_pipeline::Scheme;

fn work(kernel: &str) -> Work {
    Work::of_kernel(&named(kernel).unwrap()(1).unwrap()).unwrap()
}

/// Runs a kernel with values to its end, which is the oracle's.
fn run(work: &Work, scheme: Scheme, absent: bool) -> Outcome {
    let mut config = Config::read("sms = 4", "", "tanasic").unwrap();
    config.sm.scheme = SchemeName(scheme);
    config.paging.absent = absent;
    let outcome = Gpu::new(&config.parameters(), work)
        .unwrap()
        .run(|_| {})
        .unwrap();
    assert_eq!(outcome.differences(), [], "{scheme:?}");
    outcome
}

#[test]
fn values_are_those_of_the_oracle_whether_pages_are_there_or_come() {
    let work = work("histo");
    for scheme in Scheme::ALL {
        let resident = run(&work, scheme, false);
        assert_eq!(resident.brought.records, 0);
        let absent = run(&work, scheme, true);
        assert!(absent.brought.records > 0 && absent.cycles > resident.cycles + 10_000);
        eprintln!(
            "{scheme:?} {} {} {:?}",
            resident.cycles, absent.cycles, absent
        );
    }
}

/// Random programs on random GPUs: with faults that fail on purpose, absent pages, blocks that leave and come back.
#[test]
fn programs_end_as_without_faults_whatever_faults() {
    let (mut squashed, mut left, mut far, mut nacks, mut resident) = (0, 0, 0, 0, 0);
    for scheme in Scheme::ALL {
        for seed in 0..20 {
            let trial = Trial::new(scheme, seed).unwrap();
            let outcome = trial
                .run()
                .unwrap_or_else(|error| panic!("{scheme:?}: {error}"));
            squashed += outcome.sms.occasions.faults;
            left += outcome.sms.switches;
            far += outcome.brought.records;
            nacks += outcome.translations.nacks;
            resident += u64::from(outcome.brought.records == 0);
        }
    }
    let counts = [squashed, left, far, nacks, resident];
    let least = [1_000, 100, 200, 20, 20];
    assert!(
        counts
            .iter()
            .zip(least)
            .all(|(count, least)| *count > least),
        "{counts:?}"
    );
}

/// Whether SMs and shared parts meet in every cycle or as rarely as they may, on one thread or on several, and whether cycles
/// in which nothing happens are skipped: it is the same run, to the last count.
#[test]
fn a_run_is_the_same_in_windows_on_threads_and_with_skipped_cycles() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let threads = threads.unwrap();
    for scheme in Scheme::ALL {
        for seed in 1_000..1_012 {
            let Trial { of_sm, parameters } = Trial::new(scheme, seed).unwrap();
            let mut gpu = Gpu::new(&parameters, &of_sm.work).unwrap();
            // The counts of the ports know nothing of blocks that come back.
            if parameters.sm.switches == 0.0 {
                gpu = gpu.counting();
            }
            let plain = gpu.clone().in_step().run(|_| {}).unwrap();
            let parallel = gpu.clone().in_parallel();
            let parallel = threads.install(|| parallel.run(|_| {}));
            for other in [gpu.run(|_| {}), parallel].map(Result::unwrap) {
                let counts = |outcome: &Outcome| {
                    let all = (outcome.cycles, outcome.traffic, outcome.translations);
                    (
                        all,
                        outcome.brought,
                        outcome.sms.misses,
                        outcome.history.clone(),
                    )
                };
                assert_eq!(counts(&other), counts(&plain), "{scheme:?} {seed}");
                assert!(other == plain, "{scheme:?} {seed}");
            }
        }
    }
}

#[test]
fn every_preset_runs_a_kernel_with_absent_pages() {
    let work = work("histo");
    for name in Config::presets() {
        let mut config = Config::read("sms = 2", "", name).unwrap();
        config.paging.absent = true;
        let gpu = Gpu::new(&config.parameters(), &work).unwrap();
        let outcome = gpu
            .run(|_| {})
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(outcome.differences(), [], "{name}");
        assert!(outcome.brought.migrated > 0, "{name}");
    }
}
