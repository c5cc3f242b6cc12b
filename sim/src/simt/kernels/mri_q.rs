//! mri-q: the Q matrix of a magnetic-resonance image.
//!
//! A thread sums, for its point of space, a sine and a cosine over all samples: special functions and
//! multiply-adds, hardly any memory. The samples are the same for all threads and lie in shared
//! memory, where the original has them in constant memory.

use super::super::builder::{Builder, Reg};
use super::super::instruction::SpecialRegister::{Block, BlockSize, Thread};
use super::super::operation::Space::{Global, Shared};
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::{Layout, Values};

/// Threads of a block.
const THREADS: usize = 256;
/// Blocks for a scale of 1.
const BLOCKS: usize = 12;
/// Samples, an even number; each has a place x, y, z and a weight. The original has a thousand for a launch: what counts is
/// that a thread computes for far longer than it waits for its point.
const SAMPLES: usize = 64;
const REGISTERS: u32 = 24;
const TURN: f32 = 2.0 * std::f32::consts::PI;

/// The points' x, y and z, and the samples.
fn data(scale: u32) -> ([Vec<f32>; 3], Vec<f32>) {
    let mut values = Values(7);
    let points = [(); 3].map(|()| values.units(THREADS * BLOCKS * scale as usize));
    (points, values.units(4 * SAMPLES))
}

/// The kernel; a scale of 1 has 12 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let (points, samples) = data(scale);
    let mut layout = Layout::default();
    let samples = layout.floats("samples", &samples);
    let names = ["x", "y", "z"];
    let places: [u64; 3] = std::array::from_fn(|axis| layout.floats(names[axis], &points[axis]));
    let results = ["real", "imaginary"].map(|name| layout.output(name, points[0].len()));

    let b = &mut Builder::new();
    let [thread, address, staged, sample, left, inside] = b.registers();
    let (place, sums): ([Reg; 3], [Reg; 2]) = (b.registers(), b.registers());
    // Two samples at once, so that one does not wait for the other.
    let (fields, angle, sine): ([[Reg; 4]; 2], [Reg; 2], [Reg; 2]) =
        ([b.registers(), b.registers()], b.registers(), b.registers());
    b.mad(thread, Block(0), BlockSize(0), Thread(0));
    for (&place, points) in place.iter().zip(places) {
        b.mad(address, thread, 4, points);
        b.load(Global, place, address, 0);
    }
    b.set_lt(inside, Thread(0), 4 * SAMPLES as i32);
    b.when(inside, |b| {
        b.mad(address, Thread(0), 4, samples);
        b.load(Global, staged, address, 0);
        b.shl(address, Thread(0), 2);
        b.store(Shared, address, 0, staged);
    });
    b.barrier();
    b.mov(sample, 0);
    b.mov(left, SAMPLES as i32);
    sums.iter().for_each(|&sum| b.mov(sum, 0));
    b.repeat(|b| {
        for (number, fields) in fields.iter().enumerate() {
            for (field, &register) in fields.iter().enumerate() {
                b.load(Shared, register, sample, 4 * (4 * number + field) as i64);
            }
        }
        b.add(sample, sample, 32);
        b.sub(left, left, 2);
        for (&angle, fields) in angle.iter().zip(&fields) {
            b.fmul(angle, place[0], fields[0]);
        }
        for axis in 1..3 {
            for (&angle, fields) in angle.iter().zip(&fields) {
                b.fma(angle, place[axis], fields[axis], angle);
            }
        }
        for &angle in &angle {
            b.fmul(angle, angle, TURN);
        }
        for (&sine, &angle) in sine.iter().zip(&angle) {
            b.sin(sine, angle);
            b.cos(angle, angle);
        }
        for ((&sine, &angle), fields) in sine.iter().zip(&angle).zip(&fields) {
            b.fma(sums[0], fields[3], angle, sums[0]);
            b.fma(sums[1], fields[3], sine, sums[1]);
        }
        left
    });
    for (&sum, result) in sums.iter().zip(results) {
        b.mad(address, thread, 4, result);
        b.store(Global, address, 0, sum);
    }
    b.exit();
    let about = "image reconstruction: sines and cosines over broadcast samples, hardly any memory";
    let launch = Launch {
        grid: [BLOCKS as u32 * scale, 1, 1],
        block: [THREADS as u32, 1, 1],
        shared_memory: 16 * SAMPLES as u32,
    };
    layout.kernel(b, "mri-q", about, launch, REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::super::data::assert_close;
    use super::*;

    #[test]
    fn equals_the_sum_over_the_samples() {
        let ([x, y, z], samples) = data(1);
        let sum = |part: fn(f32) -> f32| -> Vec<f32> {
            let point = |at: usize| {
                let sample = |sample: &[f32]| {
                    let angle = x[at] * sample[0] + y[at] * sample[1] + z[at] * sample[2];
                    sample[3] * part(TURN * angle)
                };
                samples.chunks(4).map(sample).sum()
            };
            (0..x.len()).map(point).collect()
        };
        let kernel = kernel(1).unwrap();
        assert_close(&kernel, "real", &sum(f32::cos));
        assert_close(&kernel, "imaginary", &sum(f32::sin));
    }
}
