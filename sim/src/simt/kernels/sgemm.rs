//! sgemm: C <- alpha A B + beta C of single-precision matrices.
//!
//! A block of 128 threads makes 128 rows of 16 columns, a thread one row. A tile of B goes to shared
//! memory between two barriers, and each element of A that a thread loads, coalesced and ahead of its
//! use, meets 16 of B: much arithmetic for few accesses.

use super::super::builder::{Builder, Reg};
use super::super::instruction::SpecialRegister::{Block, Thread};
use super::super::operation::Space::{Global, Shared};
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::{Layout, Values};

/// Rows of A and C.
const ROWS: usize = 256;
/// Columns of B and C for a scale of 1.
const COLUMNS: usize = 128;
/// Columns of A, rows of B.
const DEPTH: usize = 16;
/// Rows of a block, each a thread.
const TILE_ROWS: usize = 128;
/// Columns of a block.
const TILE_COLUMNS: usize = 16;
/// Depth of a tile of B in shared memory.
const TILE_DEPTH: usize = 8;
/// Loads of A that are under way at once.
const AHEAD: usize = 4;
const REGISTERS: u32 = 48;
const ALPHA: f32 = 1.5;
const BETA: f32 = 0.5;

/// A by columns, B by rows, C by columns.
fn matrices(scale: u32) -> [Vec<f32>; 3] {
    let columns = COLUMNS * scale as usize;
    let mut values = Values(3);
    [ROWS * DEPTH, DEPTH * columns, ROWS * columns].map(|size| values.units(size))
}

/// The kernel; a scale of 1 has 16 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let columns = COLUMNS * scale as usize;
    let [a, b, c] = matrices(scale);
    let mut layout = Layout::default();
    let a = layout.floats("a", &a);
    let b_matrix = layout.floats("b", &b);
    let c_matrix = layout.changed("c", &c);

    let b = &mut Builder::new();
    let [thread, row, first, from_a, from_b, staged, slot, left] = b.registers();
    let sums: [Reg; TILE_COLUMNS] = b.registers();
    let loaded: [Reg; AHEAD] = b.registers();
    let factors: [Reg; 4] = b.registers();
    b.mad(thread, Thread(1), TILE_COLUMNS as i32, Thread(0));
    b.mad(row, Block(0), TILE_ROWS as i32, thread);
    b.mul(first, Block(1), TILE_COLUMNS as i32);
    b.mad(from_a, row, 4, a);
    b.mad(from_b, Thread(1), columns as i32, first);
    b.add(from_b, from_b, Thread(0));
    b.mad(from_b, from_b, 4, b_matrix);
    b.shl(slot, thread, 2);
    for sum in sums {
        b.mov(sum, 0);
    }
    b.mov(left, DEPTH as i32);
    let load_a = |b: &mut Builder, to: Reg| {
        b.load(Global, to, from_a, 0);
        b.add(from_a, from_a, 4 * ROWS as i32);
    };
    b.repeat(|b| {
        b.load(Global, staged, from_b, 0);
        b.add(from_b, from_b, (4 * TILE_DEPTH * columns) as u64);
        loaded.iter().for_each(|&register| load_a(b, register));
        b.store(Shared, slot, 0, staged);
        b.barrier();
        for depth in 0..TILE_DEPTH {
            let element = loaded[depth % AHEAD];
            for group in 0..TILE_COLUMNS / factors.len() {
                for (place, factor) in factors.into_iter().enumerate() {
                    let column = group * factors.len() + place;
                    b.load(
                        Shared,
                        factor,
                        0,
                        4 * (depth * TILE_COLUMNS + column) as i64,
                    );
                }
                for (place, factor) in factors.into_iter().enumerate() {
                    let sum = sums[group * factors.len() + place];
                    b.fma(sum, element, factor, sum);
                }
            }
            if depth + AHEAD < TILE_DEPTH {
                load_a(b, element);
            }
        }
        b.barrier();
        b.sub(left, left, TILE_DEPTH as i32);
        left
    });
    let (place, old) = (from_a, loaded);
    b.mad(place, first, ROWS as i32, row);
    b.mad(place, place, 4, c_matrix);
    b.mov(from_b, place);
    for (group, sums) in sums.chunks(AHEAD).enumerate() {
        for old in old {
            b.load(Global, old, place, 0);
            b.add(place, place, 4 * ROWS as i32);
        }
        for (&sum, old) in sums.iter().zip(old) {
            b.fmul(sum, sum, ALPHA);
            b.fma(sum, old, BETA, sum);
        }
        for (place, &sum) in sums.iter().enumerate() {
            b.store(
                Global,
                from_b,
                4 * (ROWS * (group * AHEAD + place)) as i64,
                sum,
            );
        }
    }
    b.exit();
    let about =
        "matrix product: tiles in shared memory, much arithmetic for few coalesced accesses";
    let launch = Launch {
        grid: [
            (ROWS / TILE_ROWS) as u32,
            (columns / TILE_COLUMNS) as u32,
            1,
        ],
        block: [TILE_COLUMNS as u32, TILE_DEPTH as u32, 1],
        shared_memory: (4 * TILE_DEPTH * TILE_COLUMNS) as u32,
    };
    layout.kernel(b, "sgemm", about, launch, REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::super::data::assert_close;
    use super::*;

    #[test]
    fn equals_the_product_by_its_definition() {
        for scale in [1, 2] {
            let [a, b, c] = matrices(scale);
            let columns = COLUMNS * scale as usize;
            let element = |place: usize| {
                let (row, column) = (place % ROWS, place / ROWS);
                let product: f32 = (0..DEPTH)
                    .map(|k| a[k * ROWS + row] * b[k * columns + column])
                    .sum();
                ALPHA * product + BETA * c[place]
            };
            let expected: Vec<f32> = (0..c.len()).map(element).collect();
            assert_close(&kernel(scale).unwrap(), "c", &expected);
        }
    }
}
