//! The restart theorem, and what fails it.

use faultline_sim::sm::restart::Trial;
use faultline_sim::sm_pipeline::Scheme;

#[test]
fn faults_change_nothing() {
    for scheme in Scheme::ALL {
        let mut cycles = 0;
        for seed in 0..1000 {
            let trial = Trial::new(scheme, seed).unwrap();
            match trial.run() {
                Ok(count) => cycles += count,
                Err(failure) => panic!("{}: {failure}", scheme.name()),
            }
        }
        println!("{} {cycles}", scheme.name());
    }
}
