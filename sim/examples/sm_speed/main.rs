//! How fast the SM is simulated with 64 warps, without values:
//! `cargo run --release -p faultline-sim --example sm_speed`.

use std::error::Error;
use std::time::Instant;

use faultline_sim::machines::sm::{Parameters, Sm, Work};
use faultline_sim::simt::kernels::KERNELS;
use faultline_sim::sm::sm_pipeline::Scheme;

fn main() -> Result<(), Box<dyn Error>> {
    let kernels = KERNELS
        .iter()
        .map(|(_, make)| Ok(Work::of_kernel(&make(1)?)?));
    let works: Vec<Work> = kernels.collect::<Result<_, Box<dyn Error>>>()?;
    for scheme in Scheme::ALL {
        let parameters = Parameters::paper(scheme, 16 << 10);
        let start = Instant::now();
        let (mut cycles, mut instructions) = (0, 0);
        for work in &works {
            let outcome = Sm::new(&parameters, work)?.run(|_, _| {})?;
            cycles += outcome.cycles;
            instructions += outcome.instructions;
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{:24} {cycles:8} cycles, {:8.0} cycles/s, {:8.0} instructions/s",
            scheme.name(),
            cycles as f64 / seconds,
            instructions as f64 / seconds
        );
    }
    Ok(())
}
