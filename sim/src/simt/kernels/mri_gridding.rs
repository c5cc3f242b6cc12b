//! mri-gridding: samples of a magnetic-resonance image, spread over the points around them.
//!
//! A block has a tile of 8 x 8 points and takes the samples of its bin to shared memory, 16 at a time
//! between two barriers; each thread adds those near its point. Some bins have a hundred times
//! as many samples as others, so some blocks run a hundred times as long.

use super::super::builder::{Builder, Reg};
use super::super::instruction::SpecialRegister::{Block, Thread};
use super::super::operation::Space::{Global, Shared};
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::{Layout, Values};

/// Points of a tile in a row, and rows.
const SIDE: usize = 8;
/// Blocks for a scale of 1.
const BLOCKS: usize = 48;
/// Samples in shared memory at once; each has x, y, and a real and an imaginary part.
const CHUNK: usize = 16;
/// Samples of the fullest bin at most, and of the emptiest.
const FULLEST: f32 = 220.0;
const EMPTIEST: u32 = 2;
/// The square of the distance up to which a sample counts.
const NEAR: f32 = 4.0;
const REGISTERS: u32 = 45;

/// Where the samples of each bin start, the last one's end, and the samples by bins; places are
/// relative to the tile's corner.
fn samples(scale: u32) -> (Vec<u32>, Vec<f32>) {
    let mut values = Values(13);
    let (mut starts, mut samples) = (vec![0], Vec::new());
    for _ in 0..BLOCKS * scale as usize {
        let count = EMPTIEST + (FULLEST * values.unit().powi(7)) as u32;
        for _ in 0..count {
            let [x, y] = [(); 2].map(|()| values.unit() * (SIDE as f32 + 2.0) - 1.0);
            samples.extend([x, y, values.unit(), values.unit()]);
        }
        starts.push(samples.len() as u32 / 4);
    }
    (starts, samples)
}

/// The kernel; a scale of 1 has 48 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let blocks = BLOCKS * scale as usize;
    let (starts, samples) = samples(scale);
    let mut layout = Layout::default();
    let starts = layout.input("starts", &starts);
    let samples = layout.floats("samples", &samples);
    let results = ["real", "imaginary"].map(|name| layout.output(name, blocks * SIDE * SIDE));

    let b = &mut Builder::new();
    let [thread, address, slot, some, staged, left, now, sample] = b.registers();
    let (place, sums, fields): ([Reg; 2], [Reg; 2], [Reg; 4]) =
        (b.registers(), b.registers(), b.registers());
    let [distance, weight] = b.registers();
    b.mad(thread, Thread(1), SIDE as i32, Thread(0));
    b.mad(address, Block(0), 4, starts);
    b.load(Global, sample, address, 0);
    b.load(Global, left, address, 4);
    b.to_float(place[0], Thread(0));
    b.to_float(place[1], Thread(1));
    sums.iter().for_each(|&sum| b.mov(sum, 0));
    b.shl(slot, thread, 2);
    b.sub(left, left, sample);
    b.shl(address, sample, 4);
    b.add(address, address, slot);
    b.add(address, address, samples);
    b.repeat(|b| {
        b.min(now, left, CHUNK as i32);
        b.shl(staged, now, 2);
        b.set_lt(some, thread, staged);
        b.when(some, |b| {
            b.load(Global, staged, address, 0);
            b.store(Shared, slot, 0, staged);
        });
        b.add(address, address, 16 * CHUNK as i32);
        b.sub(left, left, now);
        b.barrier();
        b.mov(sample, 0);
        b.repeat(|b| {
            b.load(Shared, fields[0], sample, 0);
            b.load(Shared, fields[1], sample, 4);
            b.sub(now, now, 1);
            b.fsub(fields[0], fields[0], place[0]);
            b.fsub(fields[1], fields[1], place[1]);
            b.fmul(distance, fields[0], fields[0]);
            b.fma(distance, fields[1], fields[1], distance);
            b.fset_lt(some, distance, NEAR);
            b.when(some, |b| {
                // A window like Kaiser's and Bessel's: 2^sqrt(near - distance).
                b.fsub(weight, NEAR, distance);
                b.load(Shared, fields[2], sample, 8);
                b.sqrt(weight, weight);
                b.load(Shared, fields[3], sample, 12);
                b.exp2(weight, weight);
                b.fma(sums[0], weight, fields[2], sums[0]);
                b.fma(sums[1], weight, fields[3], sums[1]);
            });
            b.add(sample, sample, 16);
            now
        });
        b.barrier();
        left
    });
    b.mad(thread, Block(0), (SIDE * SIDE) as i32, thread);
    for (&sum, result) in sums.iter().zip(results) {
        b.mad(address, thread, 4, result);
        b.store(Global, address, 0, sum);
    }
    b.exit();
    let about =
        "gridding: blocks that run a hundred times as long as others, samples in shared memory";
    let launch = Launch {
        grid: [blocks as u32, 1, 1],
        block: [SIDE as u32, SIDE as u32, 1],
        shared_memory: 16 * CHUNK as u32,
    };
    layout.kernel(b, "mri-gridding", about, launch, REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::super::data::assert_close;
    use super::*;

    #[test]
    fn equals_the_sum_over_the_bin() {
        for scale in [1, 2] {
            let (starts, samples) = samples(scale);
            let sum = |field: usize| -> Vec<f32> {
                let point = |at: usize| {
                    let (bin, inside) = (at / (SIDE * SIDE), at % (SIDE * SIDE));
                    let range = 4 * starts[bin] as usize..4 * starts[bin + 1] as usize;
                    let part = |sample: &[f32]| {
                        let x = sample[0] - (inside % SIDE) as f32;
                        let y = sample[1] - (inside / SIDE) as f32;
                        let distance = y.mul_add(y, x * x);
                        match distance < NEAR {
                            true => (NEAR - distance).sqrt().exp2() * sample[field],
                            false => 0.0,
                        }
                    };
                    samples[range].chunks(4).map(part).sum()
                };
                (0..BLOCKS * scale as usize * SIDE * SIDE)
                    .map(point)
                    .collect()
            };
            let kernel = kernel(scale).unwrap();
            assert_close(&kernel, "real", &sum(2));
            assert_close(&kernel, "imaginary", &sum(3));
        }
    }

    #[test]
    fn some_bins_are_far_fuller_than_others() {
        let (starts, _) = samples(1);
        let counts = starts.windows(2).map(|pair| pair[1] - pair[0]);
        let (least, most) = counts.fold((u32::MAX, 0), |(least, most), count| {
            (least.min(count), most.max(count))
        });
        assert!(most >= 50 * least, "{least} to {most}");
    }
}
