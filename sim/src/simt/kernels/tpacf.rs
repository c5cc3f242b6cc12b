//! tpacf: how often two points of the sky stand at an angle.
//!
//! Each thread compares its point with those of a tile in shared memory, looks for the bin of each
//! product in a search whose length differs from lane to lane, and counts in a histogram of its warp
//! with atomics in shared memory; at the end the warps' histograms are summed behind a barrier.

use super::super::builder::{Builder, Reg};
use super::super::instruction::SpecialRegister::{Block, BlockSize, Thread, Warp};
use super::super::operation::Space::{Global, Shared};
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::{Layout, Values};

/// Threads of a block, each a point.
const THREADS: usize = 256;
const WARPS: usize = THREADS / 32;
/// Blocks for a scale of 1.
const BLOCKS: usize = 10;
/// Points that a block compares its own with; the original has 256 at a time.
const TILE: usize = 16;
/// Bins of the histogram.
const BINS: usize = 20;
const REGISTERS: u32 = 31;
/// Shared memory of a block of the compiled kernel, bytes: its tile has 256 points and its histograms are larger.
const SHARED_MEMORY: u32 = 13_312;

/// Where the bins' bounds, the tile and the histograms lie in shared memory.
const BOUNDS_AT: i64 = 0;
const TILE_AT: i64 = 4 * (BINS as i64 + 1);
const COUNTS_AT: i64 = TILE_AT + 12 * TILE as i64;

/// Points on the sphere: all x, all y, all z.
fn points(values: &mut Values, count: usize) -> Vec<f32> {
    let mut points = vec![0.0; 3 * count];
    for at in 0..count {
        let vector = [(); 3].map(|()| 2.0 * values.unit() - 1.0);
        let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
        for (axis, part) in vector.into_iter().enumerate() {
            points[axis * count + at] = part / length.max(0.001);
        }
    }
    points
}

/// The points of the threads, of the tile, and the bounds of the bins, from high to low.
fn data(scale: u32) -> [Vec<f32>; 3] {
    let mut values = Values(10);
    let bound = |bin: usize| match bin {
        0 => 2.0,
        BINS => -2.0,
        _ => (bin as f32 * std::f32::consts::PI / BINS as f32).cos(),
    };
    [
        points(&mut values, THREADS * BLOCKS * scale as usize),
        points(&mut values, TILE),
        (0..=BINS).map(bound).collect(),
    ]
}

/// The kernel; a scale of 1 has 10 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let blocks = BLOCKS * scale as usize;
    let [points, tile, bounds] = data(scale);
    let mut layout = Layout::default();
    let points = layout.floats("points", &points);
    let tile = layout.floats("tile", &tile);
    let bounds = layout.floats("bounds", &bounds);
    let counts = layout.output("counts", blocks * BINS);

    let b = &mut Builder::new();
    let [thread, address, slot, some, staged, other, left, product] = b.registers();
    let [low, high, middle, bound, beyond, histogram] = b.registers();
    let (place, fields): ([Reg; 3], [Reg; 3]) = (b.registers(), b.registers());
    b.mad(thread, Block(0), BlockSize(0), Thread(0));
    b.mad(address, thread, 4, points);
    for place in place {
        b.load(Global, place, address, 0);
        b.add(address, address, (4 * THREADS * blocks) as u64);
    }
    b.shl(slot, Thread(0), 2);
    for (from, to, words) in [(bounds, BOUNDS_AT, BINS + 1), (tile, TILE_AT, 3 * TILE)] {
        b.set_lt(some, Thread(0), words as i32);
        b.when(some, |b| {
            b.add(address, slot, from);
            b.load(Global, staged, address, 0);
            b.store(Shared, slot, to, staged);
        });
    }
    b.set_lt(some, Thread(0), (BINS * WARPS) as i32);
    b.when(some, |b| b.store(Shared, slot, COUNTS_AT, 0));
    b.mul(histogram, Warp, 4 * BINS as i32);
    b.barrier();
    b.mov(other, 0);
    b.mov(left, TILE as i32);
    b.repeat(|b| {
        for (axis, &field) in fields.iter().enumerate() {
            b.load(Shared, field, other, TILE_AT + 4 * (axis * TILE) as i64);
        }
        b.add(other, other, 4);
        b.sub(left, left, 1);
        b.fmul(product, place[0], fields[0]);
        b.fma(product, place[1], fields[1], product);
        b.fma(product, place[2], fields[2], product);
        // The bin from `low` to `high`, whose bounds are on either side of the product.
        b.mov(low, 0);
        b.mov(high, BINS as i32);
        b.repeat(|b| {
            b.add(middle, low, high);
            b.shr(middle, middle, 1);
            b.shl(bound, middle, 2);
            b.load(Shared, bound, bound, BOUNDS_AT);
            b.fset_ge(beyond, product, bound);
            b.select(high, beyond, middle, high);
            b.select(low, beyond, low, middle);
            b.add(some, low, 1);
            b.set_lt(some, some, high);
            some
        });
        b.mad(low, low, 4, histogram);
        b.atomic_add(Shared, low, COUNTS_AT, 1);
        left
    });
    b.barrier();
    b.set_lt(some, Thread(0), BINS as i32);
    b.when(some, |b| {
        b.mov(product, 0);
        for warp in 0..WARPS {
            b.load(Shared, bound, slot, COUNTS_AT + 4 * (warp * BINS) as i64);
            b.add(product, product, bound);
        }
        b.mad(address, Block(0), BINS as i32, Thread(0));
        b.mad(address, address, 4, counts);
        b.store(Global, address, 0, product);
    });
    b.exit();
    let about = "angular correlation: searches of differing length, atomics in shared memory";
    let launch = Launch {
        grid: [blocks as u32, 1, 1],
        block: [THREADS as u32, 1, 1],
        shared_memory: SHARED_MEMORY,
    };
    layout.kernel(b, "tpacf", about, launch, REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::super::data::result;
    use super::*;

    #[test]
    fn counts_every_pair_in_its_bin() {
        for scale in [1, 2] {
            let [points, tile, bounds] = data(scale);
            let count = points.len() / 3;
            let mut expected = vec![0; count / THREADS * BINS];
            for at in 0..count {
                for other in 0..TILE {
                    let [x, y, z] = [0, 1, 2]
                        .map(|axis| (points[axis * count + at], tile[axis * TILE + other]));
                    // Rounded as the kernel does: a product on a bound must not change its bin.
                    let product = z.0.mul_add(z.1, y.0.mul_add(y.1, x.0 * x.1));
                    let bin = (0..BINS).find(|bin| product >= bounds[bin + 1]).unwrap();
                    expected[at / THREADS * BINS + bin] += 1;
                }
            }
            assert_eq!(result(&kernel(scale).unwrap(), "counts"), expected);
        }
    }
}
