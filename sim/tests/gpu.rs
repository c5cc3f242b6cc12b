//! The GPU: kernels with pages that are resident, and with pages that all are absent at first.

use faultline_sim::machines::gpu::{Gpu, Outcome, Parameters};
use faultline_sim::machines::sm::Work;
use faultline_sim::simt::kernels::named;
use faultline_sim::sm::sm_pipeline::Scheme;

fn work(kernel: &str) -> Work {
    Work::of_kernel(&named(kernel).unwrap()(1).unwrap()).unwrap()
}

/// Runs a kernel with values to its end, which is the oracle's.
fn run(work: &Work, scheme: Scheme, absent: bool) -> Outcome {
    let mut parameters = Parameters::tanasic(scheme, 16 << 10);
    parameters.sm.values = true;
    parameters.paging.absent = absent;
    let outcome = Gpu::new(&parameters, work).unwrap().run(|_| {}).unwrap();
    assert_eq!(outcome.differences(work), [], "{scheme:?}");
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
