//! How fast the GMMU is simulated, alone and in a machine with its SMs, by design:
//! `cargo run --release -p faultline-sim --example gmmu_speed`.

use std::collections::VecDeque;
use std::error::Error;
use std::time::Instant;

use faultline_sim::machines::translation::{Design, Pattern, run};
use faultline_sim::mmu::gmmu::{Gmmu, Inputs, Parameters};
use faultline_sim::ports::Model;
use faultline_sim::walk::{ACCESSED, DIRTY, PRESENT, USER, WRITABLE};

const CYCLES: u64 = 2_000_000;
/// All 16 SMs miss so many pages at once, so often: as in the pattern of bursts.
const PAGES: u64 = 8;
const PERIOD: u64 = 6600;
const LATENCY: u64 = 300;

/// Walks that end.
fn alone() -> u64 {
    let mut gmmu = Gmmu::new(Parameters::with_walks(32));
    let mut memory: VecDeque<(u64, u8, u64)> = VecDeque::new();
    let mut left = [0; 16];
    let mut ended = 0;
    let mut inputs = Inputs {
        memory_ready: true,
        execute_disable: true,
        last_pfn: u64::MAX >> 36,
        cached_levels: 0b111,
        far_limit: 4,
        ..Inputs::default()
    };
    for cycle in 0..CYCLES {
        if cycle % PERIOD == 0 {
            left = [PAGES; 16];
        }
        inputs.request_valid = 0;
        for (sm, left) in left.iter().enumerate() {
            inputs.request_valid |= u16::from(*left > 0) << sm;
            inputs.request_vpn[sm] = (cycle / PERIOD * 16 + sm as u64) * PAGES + left;
        }
        inputs.response_valid = false;
        if let Some(&(_, walk, word)) = memory.front().filter(|(due, ..)| *due <= cycle) {
            memory.pop_front();
            inputs.response_valid = true;
            inputs.response_walk = walk;
            // Some frame: whatever is there is a table, or the page at last.
            let pfn = (word ^ 1) & inputs.last_pfn;
            inputs.response_data = pfn << 12 | PRESENT | WRITABLE | USER | ACCESSED | DIRTY;
        }
        let outputs = gmmu.cycle(&inputs);
        if outputs.memory_valid {
            memory.push_back((cycle + LATENCY, outputs.memory_walk, outputs.memory_word));
        }
        for (sm, left) in left.iter_mut().enumerate() {
            *left -= u64::from(outputs.request_ready >> sm & 1);
        }
        ended += u64::from(outputs.fill_valid.count_ones());
    }
    ended
}

fn speed(
    name: &str,
    run: impl FnOnce() -> Result<(u64, u64), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let (cycles, walks) = run()?;
    let speed = cycles as f64 / start.elapsed().as_secs_f64();
    println!("{name:24} {cycles:8} cycles, {walks:6} walks, {speed:8.0} cycles/s");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    speed("alone", || Ok((CYCLES, alone())))?;
    let work = Pattern::Burst.work(16, 1);
    for design in Design::ALL {
        speed(design.name(), || {
            let outcome = run(&work, &design.parameters())?;
            Ok((outcome.cycles, outcome.walks))
        })?;
    }
    Ok(())
}
