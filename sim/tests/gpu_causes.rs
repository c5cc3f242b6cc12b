//! What the cycles of the GPU's SMs go to, and how long faults keep what they stop.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_sim::machines::gpu::restart::{LaunchTrial, Trial};
use faultline_sim::machines::gpu::{Config, Gpu, Outcome, SchemeName};
use faultline_sim::machines::sm::{Cause, Choice, Cycles, Switching, Work};
use faultline_sim::simt::kernels::named;
use faultline_sim::sm::sm_pipeline::Scheme;

/// The cycles of all SMs.
fn all(outcome: &Outcome) -> Cycles {
    let mut all = Cycles::default();
    for &cycles in &outcome.cycles_by_cause {
        all += cycles;
    }
    all
}

/// Each cycle of each SM is counted once.
fn check_sum(outcome: &Outcome, sms: usize) {
    assert_eq!(outcome.cycles_by_cause.len(), sms);
    for cycles in &outcome.cycles_by_cause {
        assert_eq!(cycles.all(), outcome.cycles);
    }
}

/// Each fault that the SMs know of restarts once: those that squash, or those that stall an access.
fn check_faults(outcome: &Outcome, scheme: Scheme) {
    let times = &outcome.sms.fault_times;
    assert_eq!(times.restarts(), times.faults);
    let bars = times.histogram();
    let counted: u64 = bars.iter().map(|bar| bar.1).sum();
    assert_eq!(counted, times.faults);
    if scheme.squashes() {
        assert_eq!(times.faults, outcome.sms.occasions.faults);
    }
}

/// Random programs with faults, absent pages, and blocks that leave and come back: each cycle has one cause, the same in windows, on
/// threads and with skipped cycles, and issues are those on the pipelines' ports.
#[test]
fn each_cycle_of_each_sm_has_one_cause() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let threads = threads.unwrap();
    let (mut sum, mut stalled, mut squashed) = (Cycles::default(), 0, 0);
    for scheme in Scheme::ALL {
        for seed in (3_000..3_030).chain([232]) {
            let Trial { of_sm, parameters } = Trial::new(scheme, seed).unwrap();
            let gpu = Gpu::new(&parameters, &of_sm.work).unwrap();
            let mut gpu = gpu.counting_causes();
            let is_counted = parameters.sm.switching == Switching::Never;
            if is_counted {
                gpu = gpu.counting();
            }
            let plain = gpu.clone().in_step().run(|_| {}).unwrap();
            let parallel = gpu.clone().in_parallel();
            let parallel = threads.install(|| parallel.run(|_| {}));
            for other in [gpu.run(|_| {}), parallel].map(Result::unwrap) {
                assert_eq!(
                    other.cycles_by_cause, plain.cycles_by_cause,
                    "{scheme:?} {seed}"
                );
                assert!(other == plain, "{scheme:?} {seed}");
            }
            check_sum(&plain, parameters.sms);
            check_faults(&plain, scheme);
            match scheme.squashes() {
                true => squashed += plain.sms.fault_times.faults,
                false => stalled += plain.sms.fault_times.faults,
            }
            for (ports, cycles) in plain.statistics.iter().zip(&plain.cycles_by_cause) {
                let stalls: u64 = ports.stalls.iter().sum();
                assert_eq!(cycles.issuing, ports.cycles - stalls, "{scheme:?} {seed}");
            }
            sum += all(&plain);
        }
    }
    assert!(stalled > 200 && squashed > 2_000, "{stalled} {squashed}");
    eprintln!("{sum:?}");
    for cause in Cause::ALL {
        assert!(sum[cause] > 100, "{cause:?}: {sum:?}");
    }
}

/// Two kernels on the GPU: what makes room for the second one, and what is back, is counted too.
#[test]
fn cycles_of_two_kernels_have_one_cause_each() {
    let mut switching = 0;
    for (scheme, seed) in Scheme::ALL
        .into_iter()
        .flat_map(|scheme| (0..12).map(move |seed| (scheme, seed)))
    {
        for choice in [Choice::Switch, Choice::Pep] {
            let trial = LaunchTrial::new(scheme, choice, seed).unwrap();
            let gpu = trial.gpu().unwrap().counting_causes();
            let plain = gpu.clone().in_step().run(|_| {}).unwrap();
            let other = gpu.run(|_| {}).unwrap();
            assert!(other == plain, "{scheme:?} {seed}");
            check_sum(&plain, plain.cycles_by_cause.len());
            check_faults(&plain, scheme);
            switching += all(&plain)[Cause::Switching];
        }
    }
    assert!(switching > 1_000, "{switching}");
}

/// A kernel on two SMs with a scheme, by shares of the SMs' cycles.
fn shares(kernel: &str, scheme: Scheme, text: &str) -> impl Fn(Cause) -> f64 {
    let work = Work::of_kernel(&named(kernel).unwrap()(1).unwrap()).unwrap();
    let mut config = Config::read(text, "", "tanasic").unwrap();
    config.sm.scheme = SchemeName(scheme);
    let gpu = Gpu::new(&config.parameters(), &work).unwrap();
    let outcome = gpu.counting_causes().run(|_| {}).unwrap();
    check_sum(&outcome, 2);
    let cycles = all(&outcome);
    eprintln!("{kernel} {scheme:?}: {cycles:?}");
    move |cause| cycles[cause] as f64 / cycles.all() as f64
}

/// What a scheme has no part for, and pages that are there, are no cause; where pages are absent they are the first one.
#[test]
fn causes_are_those_of_the_scheme_and_of_the_pages() {
    for scheme in Scheme::ALL {
        let resident = shares("lbm", scheme, "sms = 2");
        let [log, holds, fault] = [Cause::Log, Cause::Scheme, Cause::Fault].map(&resident);
        assert!(fault == 0.0, "{scheme:?}");
        assert_eq!(log > 0.0, scheme.queues(), "{scheme:?}");
        let has_holds = scheme.disables() || scheme == Scheme::ReplayQueue;
        assert_eq!(holds > 0.0, has_holds, "{scheme:?}");
        // Until commit nothing is fetched that could wait for the data of a load.
        let has_data = scheme != Scheme::WarpDisableCommit;
        assert_eq!(resident(Cause::Memory) > 0.0, has_data, "{scheme:?}");
        let absent = shares("lbm", scheme, "sms = 2\n[paging]\nabsent = true\n");
        assert!(absent(Cause::Fault) > 0.5, "{scheme:?}");
    }
}
