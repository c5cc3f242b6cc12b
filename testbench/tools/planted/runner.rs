//! Runs trials of the GPU's restart theorem, and prints the first that fails.

use std::panic::catch_unwind;
use std::thread;

use faultline_sim::machines::gpu::Gpu;
use faultline_sim::machines::gpu::restart::Trial;
use faultline_sim::sm::sm_pipeline::Scheme;

/// Bytes of the stack of a trial.
const STACK: usize = 64 << 20;
/// One of this number of programs runs a second time, with parts that meet in every cycle.
const IN_STEP: u64 = 4;

fn main() {
    let programs = std::env::args().nth(1).and_then(|count| count.parse().ok());
    let programs: u64 = programs.expect("the number of programs");
    std::panic::set_hook(Box::new(|_| {}));
    let first = thread::Builder::new().stack_size(STACK).spawn(move || {
        let all = (1..=programs).flat_map(|seed| Scheme::ALL.map(|scheme| (seed, scheme)));
        { all }.find_map(|(seed, scheme)| Some((seed, scheme, failure(scheme, seed)?)))
    });
    let first = first.expect("a thread").join().expect("its trials");
    if let Some((seed, scheme, failure)) = first {
        println!("{seed}\t{}\t{failure}", scheme.name());
    }
}

/// How a trial fails.
fn failure(scheme: Scheme, seed: u64) -> Option<String> {
    let trial = || {
        let trial = Trial::new(scheme, seed).map_err(|error| error.to_string())?;
        let outcome = trial.run().map_err(|failure| failure.to_string())?;
        if seed % IN_STEP == 0 {
            let gpu = Gpu::new(&trial.parameters, &trial.of_sm.work);
            let plain = gpu.and_then(|gpu| gpu.in_step().run(|_| {}));
            if plain.map_err(|failure| failure.to_string())? != outcome {
                return Err("it ends otherwise when all parts meet in every cycle".to_owned());
            }
        }
        Ok(())
    };
    match catch_unwind(trial) {
        Ok(result) => result.err(),
        Err(_) => Some("an index or a number leaves its range".to_owned()),
    }
}
