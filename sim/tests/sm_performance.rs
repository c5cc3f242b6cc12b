//! The schemes' performance without faults: the paper's order, and its hardest case (Tanasic et al., Figures 10 and 11).

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_ledger::Obligation;
use faultline_sim::machines::sm::{Parameters, Sm, Work};
use faultline_sim::simt::kernels::{KERNELS, named};
use faultline_sim::sm::sm_pipeline::Scheme;
use rayon::prelude::*;

/// The paper's order, the slowest first, with the kilobytes of the log; the baseline is the last.
const ORDER: [(Scheme, usize); 6] = [
    (Scheme::WarpDisableCommit, 8),
    (Scheme::WarpDisableLastCheck, 8),
    (Scheme::ReplayQueue, 8),
    (Scheme::OperandLog, 8),
    (Scheme::OperandLog, 16),
    (Scheme::StallOnFault, 8),
];

/// The performance of the schemes in their order, in percent of the baseline's, over runs with a few seeds.
fn performance(kernel: &str) -> Vec<f64> {
    let work = Work::of_kernel(&named(kernel).unwrap()(2).unwrap()).unwrap();
    let cycles = |(scheme, kilobytes): (Scheme, usize)| {
        let run = |seed| {
            let mut parameters = Parameters::paper(scheme, kilobytes << 10);
            parameters.seed = seed;
            let outcome = Sm::new(&parameters, &work).unwrap().run(|_, _| {});
            outcome.unwrap().cycles
        };
        (1..=6).map(run).sum::<u64>() as f64
    };
    let cycles = ORDER.map(cycles);
    cycles.iter().map(|own| 100.0 * cycles[5] / own).collect()
}

/// The percent by which a scheme may be faster than the next one, because runs differ by as much. On lbm and the stencil a log
/// of 8 KB is behind the queue by more.
fn equal(kernel: &str) -> f64 {
    match kernel {
        "lbm" => 15.0,
        "stencil" => 2.5,
        _ => 1.5,
    }
}

/// The paper's order of the five schemes, on every kernel, as far as six runs at scale 2 of an SM by itself tell;
/// `sim/reports/performance.md` has the GPU's, and says where the order does not hold. With a log of 16 KB the mean of the kernels is the baseline's within 2 %.
#[test]
fn no_scheme_is_far_behind_an_earlier_one() {
    Obligation::test(env!("CARGO_MANIFEST_DIR"), file!()).meet(in_the_order_of_the_schemes);
}

fn in_the_order_of_the_schemes() {
    let of_kernel = |(kernel, _): &(&'static str, _)| (*kernel, performance(kernel));
    let performances: Vec<(&str, Vec<f64>)> = KERNELS.par_iter().map(of_kernel).collect();
    let mut logarithms = 0.0;
    for (kernel, performance) in performances {
        let mut pairs = performance.windows(2);
        assert!(
            pairs.all(|pair| pair[0] <= pair[1] * (1.0 + equal(kernel) / 100.0)),
            "{kernel}: {performance:.1?}"
        );
        logarithms += performance[4].ln();
    }
    let mean = f64::exp(logarithms / KERNELS.len() as f64);
    assert!((mean - 100.0).abs() < 2.0, "{mean:.1}");
}

/// In the paper, where lbm runs at 8 warps: 60 % with the replay queue, 97 % with a log of 16 KB.
#[test]
fn a_kernel_of_few_warps_needs_the_log() {
    let lbm = performance("lbm-8-warps");
    let [commit, check, queue, small, large] = lbm[..5] else {
        panic!("five schemes")
    };
    assert!(commit < 30.0 && commit < check - 20.0, "{lbm:.1?}");
    assert!(queue < 75.0 && check < queue, "{lbm:.1?}");
    assert!(small > queue + 20.0 && small > 95.0, "{lbm:.1?}");
    assert!((large - 100.0).abs() < 2.0, "{lbm:.1?}");
}
