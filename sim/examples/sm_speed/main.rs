//! How fast programs are executed, and how fast an SM with 64 warps and a GPU are simulated with values and without:
//! `cargo run --release -p faultline-sim --example sm_speed`.
//!
//! Seconds are those of the processor, where Linux tells them.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use faultline_sim::compiled::Compiled;
use faultline_sim::launch_file::LaunchFile;
use faultline_sim::machines::gpu::{self, Gpu};
use faultline_sim::machines::sm::{Parameters, Sm, Work};
use faultline_sim::ptx::lower::Options;
use faultline_sim::ptx::parse;
use faultline_sim::simt::kernels::{KERNELS, named};
use faultline_sim::sm::sm_pipeline::Scheme;

/// Warp instructions of each program that are executed at least.
const INSTRUCTIONS: u64 = 1_000_000;
/// Kernels that run on a GPU, and their scale.
const ON_GPU: [&str; 4] = ["stencil", "sgemm", "lbm", "spmv"];
const SCALE: u32 = 4;

/// The clock of the main thread.
struct Clock(Instant, Option<f64>);

impl Clock {
    fn new() -> Self {
        Self(Instant::now(), Self::processor())
    }

    /// Seconds for which the thread had a processor.
    fn processor() -> Option<f64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
        Some(nanoseconds / 1e9)
    }

    fn seconds(&self) -> f64 {
        let own = self.1.zip(Self::processor());
        own.map_or_else(
            || self.0.elapsed().as_secs_f64(),
            |(start, end)| end - start,
        )
    }
}

/// Executes the compiled programs.
fn programs() -> Result<Vec<Work>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .collect();
    paths.sort();
    let (mut logarithms, mut works) = (0.0, Vec::new());
    for path in &paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let module = parse(&std::fs::read_to_string(path)?)?;
        let toml = path.with_extension("toml");
        let file = LaunchFile::read(&std::fs::read_to_string(toml)?, &name)?;
        let compiled = Compiled::new(&module, &name, &file, &folder, Options::default())?;
        let (clock, mut instructions) = (Clock::new(), 0);
        while instructions < INSTRUCTIONS {
            instructions += compiled.execute()?.instructions;
        }
        let speed = instructions as f64 / clock.seconds();
        logarithms += speed.ln();
        println!("{name:24} {speed:12.0} warp instructions a second");
        works.extend(compiled.works()?.0.pop());
    }
    let mean = (logarithms / paths.len() as f64).exp();
    println!(
        "{:24} {mean:12.0} warp instructions a second",
        "mean, geometric"
    );
    Ok(works)
}

/// Runs works on an SM; gives cycles and instructions in a second.
fn speed(parameters: &Parameters, works: &[Work]) -> Result<(f64, f64), Box<dyn Error>> {
    let clock = Clock::new();
    let (mut cycles, mut instructions) = (0, 0);
    for work in works {
        let outcome = Sm::new(parameters, work)?.run(|_, _| {})?;
        cycles += outcome.cycles;
        instructions += outcome.instructions;
    }
    let seconds = clock.seconds();
    Ok((cycles as f64 / seconds, instructions as f64 / seconds))
}

/// Pairs of runs on a GPU, of which the best of each kind counts.
const PAIRS: usize = 5;

/// Runs a work on a GPU with values and without, in turn; gives the cycles of its SMs in a second without, and with.
fn gpu_speed(parameters: &gpu::Parameters, work: &Work) -> Result<[f64; 2], Box<dyn Error>> {
    let mut best = [0.0; 2];
    for _ in 0..PAIRS {
        for (best, values) in best.iter_mut().zip([false, true]) {
            let mut parameters = *parameters;
            parameters.sm.values = values;
            let clock = Clock::new();
            let outcome = Gpu::new(&parameters, work)?.run(|_| {})?;
            let cycles = outcome.cycles * parameters.sms as u64;
            *best = f64::max(*best, cycles as f64 / clock.seconds());
        }
    }
    Ok(best)
}

fn main() -> Result<(), Box<dyn Error>> {
    let compiled = programs()?;
    let kernels = KERNELS
        .iter()
        .map(|(_, make)| Ok(Work::of_kernel(&make(1)?)?));
    let kernels: Vec<Work> = kernels.collect::<Result<_, Box<dyn Error>>>()?;
    for (name, works) in [("kernels", &kernels), ("programs", &compiled)] {
        for scheme in Scheme::ALL {
            let without = Parameters::paper(scheme, 16 << 10);
            let with = Parameters {
                values: true,
                ..without
            };
            let (cycles, instructions) = speed(&without, works)?;
            let (slower, _) = speed(&with, works)?;
            println!(
                "{name:8} {:24} {cycles:8.0} cycles/s, {instructions:8.0} instructions/s, with values {:3.0} %",
                scheme.name(),
                100.0 * slower / cycles
            );
        }
    }
    let gpu = gpu::Config::preset("tanasic")
        .ok_or("no preset")?
        .parameters();
    let mut logarithm = 0.0;
    for name in ON_GPU {
        let make = named(name).ok_or(name)?;
        let work = Work::of_kernel(&make(SCALE)?)?;
        let [without, with] = gpu_speed(&gpu, &work)?;
        logarithm += (with / without).ln();
        println!(
            "gpu      {name:24} {without:8.0} SM cycles/s, with values {:3.0} %",
            100.0 * with / without
        );
    }
    let mean = (logarithm / ON_GPU.len() as f64).exp();
    println!(
        "gpu      {:24} with values {:3.0} %",
        "mean, geometric",
        100.0 * mean
    );
    Ok(())
}
