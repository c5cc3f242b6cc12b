//! Kernels and traces on the SM.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_sim::machines::sm::{Faults, Parameters, Sm, Stall, Statistics, Work};
use faultline_sim::simt::kernels::{KERNELS, named};
use faultline_sim::sm::replay_queue;
use faultline_sim::sm::sm_pipeline::{Scheme, WIDTH};
use faultline_sim::trace::{OWN_KERNELS, Reader};

/// Bytes of a 16 KB log.
const LOG: usize = 16 << 10;

fn statistics(parameters: &Parameters, work: &Work) -> Statistics {
    let mut statistics = Statistics::new(&parameters.pipeline);
    let sm = Sm::new(parameters, work).unwrap();
    let outcome = sm.run(|inputs, outputs| statistics.observe(inputs, outputs));
    let outcome = outcome.unwrap();
    assert_eq!(outcome.differences(), []);
    assert_eq!(outcome.cycles, statistics.cycles);
    statistics
}

/// Half of all pages' neighbours come together, and some instructions fault besides.
fn faults(parameters: Parameters) -> Parameters {
    Parameters {
        faults: Faults {
            rate: 0.02,
            absent: true,
            cycles: 500,
            granule_bits: 13,
            once: 0,
        },
        values: true,
        ..parameters
    }
}

#[test]
fn kernels_restart_from_faults_with_the_values_of_the_oracle() {
    for (place, (name, make)) in KERNELS.iter().enumerate() {
        let work = Work::of_kernel(&make(1).unwrap()).unwrap();
        // Each kernel in two of the four schemes that squash.
        for scheme in [Scheme::ALL[1 + place % 4], Scheme::ALL[1 + (place + 2) % 4]] {
            let statistics = statistics(&faults(Parameters::paper(scheme, LOG)), &work);
            assert!(statistics.faults > 0, "{name}");
            let replays = scheme.queues() && statistics.replays >= statistics.faults;
            assert_eq!(replays, scheme.queues(), "{name}");
        }
    }
}

#[test]
fn traces_run_in_every_scheme() {
    for (name, text) in OWN_KERNELS {
        let work = Work::of_trace(Reader::new(text.as_bytes(), name).unwrap()).unwrap();
        for scheme in Scheme::ALL {
            let parameters = faults(Parameters::paper(scheme, LOG));
            let statistics = statistics(&parameters, &work);
            assert_eq!(statistics.instructions, work.steps() as u64, "{name}");
        }
    }
}

#[test]
fn runs_depend_on_their_seeds() {
    let work = Work::of_kernel(&named("histo").unwrap()(1).unwrap()).unwrap();
    let cycles = |seed| {
        let parameters = Parameters {
            seed,
            ..faults(Parameters::paper(Scheme::OperandLog, LOG))
        };
        statistics(&parameters, &work).cycles
    };
    assert_eq!(cycles(1), cycles(1));
    assert_ne!(cycles(1), cycles(2));
}

#[test]
fn a_histogram_has_a_mean_and_a_percentile() {
    let histogram = [0, 90, 0, 5, 4, 0, 1];
    assert!((Statistics::mean(&histogram) - 1.27).abs() < 1e-9);
    assert_eq!(Statistics::percentile_95(&histogram), 3);
    assert_eq!(Statistics::percentile_95(&[]), 0);
}

#[test]
fn every_cycle_is_accounted_for() {
    let work = Work::of_kernel(&named("spmv").unwrap()(1).unwrap()).unwrap();
    let statistics = statistics(&Parameters::paper(Scheme::OperandLog, LOG), &work);
    let steps = work.steps() as u64;
    assert_eq!(statistics.instructions, steps);
    let stalled: u64 = statistics.stalls.iter().sum();
    // What is not stalled issues one instruction or two.
    let issuing = statistics.cycles - stalled;
    assert!(issuing <= steps && steps <= WIDTH as u64 * issuing);
    for histogram in [&statistics.queue, &statistics.log] {
        assert_eq!(histogram.iter().sum::<u64>(), statistics.cycles);
        assert!(Statistics::mean(histogram) > 0.0);
    }
    // 64 entries for 10 blocks: no more than 6 of each.
    assert_eq!(statistics.log[61..].iter().sum::<u64>(), 0);
    assert_eq!((statistics.faults, statistics.replays), (0, 0));
}

/// Each cause is seen where it should be, and nowhere else.
#[test]
fn stalls_are_distinguished() {
    let work = Work::of_kernel(&named("lbm-8-warps").unwrap()(1).unwrap()).unwrap();
    let share = |scheme, queue, log, cause: Stall| {
        let mut parameters = Parameters::paper(scheme, log);
        parameters.pipeline.queue = replay_queue::Parameters::with_entries(queue);
        let statistics = statistics(&parameters, &work);
        statistics.stalls[cause as usize] as f64 / statistics.cycles as f64
    };
    assert!(share(Scheme::ReplayQueue, 64, LOG, Stall::Source) > 0.3);
    assert!(share(Scheme::ReplayQueue, 64, LOG, Stall::Queue) < 0.01);
    assert!(share(Scheme::ReplayQueue, 4, LOG, Stall::Queue) > 0.3);
    assert!(share(Scheme::OperandLog, 64, 2 << 10, Stall::Log) > 0.3);
    assert!(share(Scheme::OperandLog, 64, 32 << 10, Stall::Log) < 0.01);
    assert!(share(Scheme::WarpDisableCommit, 64, LOG, Stall::Fetch) > 0.5);
    for cause in [Stall::Source, Stall::Queue, Stall::Log] {
        assert!(share(Scheme::StallOnFault, 64, LOG, cause) == 0.0);
    }
}
