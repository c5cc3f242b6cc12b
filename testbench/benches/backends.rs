//! Speed of each back end of each block, on traffic that was made beforehand.

#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use faultline_sim::ports::Ports;
use faultline_testbench::backend::Kind;
use faultline_testbench::blocks::{
    self, Block, BlockScheduler, Checkpoint, ContextPort, DirtyBits, Gmmu, OperandLog,
    PreemptionPolicy, ReplayQueue,
};
use faultline_testbench::session::Stimulus;
use faultline_testbench::traffic::Driven;

/// Cycles of traffic, in many modes; the last of them leads back into the first one's reset.
const CYCLES: usize = 16_384;
/// The kernel is slower by far.
const KERNEL_CYCLES: usize = 1024;

fn block<B: Block>(criterion: &mut Criterion, config: &str) {
    let parameters = B::parameters(config).unwrap();
    let mut traffic = Driven::<B::Traffic>::new(parameters.clone(), 1);
    let words: usize = B::Inputs::ports(&parameters)
        .iter()
        .map(|port| port.words())
        .sum();
    let mut frames = vec![0; CYCLES * words];
    frames
        .chunks_exact_mut(words)
        .for_each(|frame| traffic.next(frame));
    let inputs: Vec<_> = frames
        .chunks_exact(words)
        .map(|frame| {
            let mut inputs = B::Inputs::default();
            inputs.unpack(&parameters, frame);
            inputs
        })
        .collect();

    let mut group = criterion.benchmark_group(format!("{}_{config}", B::NAME));
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Elements(CYCLES as u64));
    let mut model = B::new(parameters.clone());
    group.bench_function("model", |bencher| {
        bencher.iter(|| {
            inputs
                .iter()
                .for_each(|inputs| drop(black_box(model.cycle(inputs))))
        });
    });
    for kind in Kind::built() {
        let cycles = if kind == Kind::RustHdl {
            KERNEL_CYCLES
        } else {
            CYCLES
        };
        group.throughput(Throughput::Elements(cycles as u64));
        let mut backend = blocks::backend(B::NAME, config, kind).unwrap();
        let outputs: usize = B::Outputs::ports(&parameters)
            .iter()
            .map(|port| port.words())
            .sum();
        let mut outputs = vec![0; cycles * outputs];
        group.bench_function(kind.name(), |bencher| {
            bencher.iter(|| {
                backend
                    .run(black_box(&frames[..cycles * words]), &mut outputs)
                    .unwrap()
            });
        });
    }
    group.finish();
}

fn backends(criterion: &mut Criterion) {
    block::<ReplayQueue>(criterion, "64");
    block::<OperandLog>(criterion, "16k");
    block::<Gmmu>(criterion, "64");
    block::<DirtyBits>(criterion, "lanes");
    block::<PreemptionPolicy>(criterion, "16");
    block::<BlockScheduler>(criterion, "8");
    block::<ContextPort>(criterion, "32");
    block::<Checkpoint>(criterion, "32");
}

criterion_group!(benches, backends);
criterion_main!(benches);
