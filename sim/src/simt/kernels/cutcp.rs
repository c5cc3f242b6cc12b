//! cutcp: the electric potential of atoms, cut off at a distance.
//!
//! A block has the points of a cell of the lattice and walks over the nine cells around: their atoms
//! go to shared memory between two barriers, and each thread adds those that are near enough, for
//! which its lanes diverge. Inverse square roots and multiply-adds, few accesses.

use super::super::builder::{Builder, Reg};
use super::super::instruction::SpecialRegister::{Block, Thread};
use super::super::operation::Space::{Global, Shared};
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::{Layout, Values};

/// Cells along x.
const CELLS: usize = 4;
/// Cells along y for a scale of 1.
const CELL_ROWS: usize = 4;
/// Points of a cell along x and y, each a thread.
const POINTS: [usize; 2] = [16, 8];
/// Places for atoms in a cell; an atom without charge stands for none. Each has x, y, z and charge.
const ATOMS: usize = 4;
/// The width of a cell and the distance at which the potential is cut off.
const WIDTH: f32 = 1.0;
const REGISTERS: u32 = 30;
/// Shared memory of a block of the compiled kernel, bytes: it has places for more atoms.
const SHARED_MEMORY: u32 = 4_116;

/// The atoms of every cell; cells are counted with one more on every side.
fn atoms(scale: u32) -> Vec<f32> {
    let mut values = Values(9);
    let mut atoms = Vec::new();
    for row in 0..CELL_ROWS * scale as usize + 2 {
        for column in 0..CELLS + 2 {
            for _ in 0..ATOMS {
                let [x, y, z, charge] = [(); 4].map(|()| values.unit());
                atoms.extend([
                    (column as f32 + x) * WIDTH,
                    (row as f32 + y) * WIDTH,
                    0.1 + z * WIDTH / 2.0,
                    if charge < 0.25 { 0.0 } else { charge },
                ]);
            }
        }
    }
    atoms
}

/// The kernel; a scale of 1 has 16 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let rows = CELL_ROWS * scale as usize;
    let mut layout = Layout::default();
    let atoms = layout.floats("atoms", &atoms(scale));
    let potential = layout.output("potential", CELLS * rows * POINTS[0] * POINTS[1]);

    let b = &mut Builder::new();
    let [thread, place, slot, staged, loads, down, across, result] = b.registers();
    let ([x, y], [sum, near, weight]) = (b.registers(), b.registers());
    let (fields, difference): ([Reg; 4], [Reg; 2]) = (b.registers(), b.registers());
    let [distance, scaled] = b.registers();
    b.mad(thread, Thread(1), POINTS[0] as i32, Thread(0));
    // The point's place; the first cell inside has number 1.
    for (axis, at) in [x, y].into_iter().enumerate() {
        let points = POINTS[axis] as i32;
        b.add(at, Block(axis as u8), 1);
        b.mad(at, at, points, Thread(axis as u8));
        b.to_float(at, at);
        b.fmul(at, at, WIDTH / points as f32);
    }
    let cell = 16 * ATOMS;
    b.mad(place, Block(1), CELLS as i32 + 2, Block(0));
    b.mul(place, place, cell as i32);
    b.mad(place, thread, 4, place);
    b.add(place, place, atoms);
    b.shl(slot, thread, 2);
    b.set_lt(loads, thread, 4 * ATOMS as i32);
    b.mov(sum, 0);
    b.mov(down, 3);
    b.repeat(|b| {
        b.mov(across, 3);
        b.repeat(|b| {
            b.when(loads, |b| {
                b.load(Global, staged, place, 0);
                b.store(Shared, slot, 0, staged);
            });
            b.add(place, place, cell as i32);
            b.barrier();
            for atom in 0..ATOMS {
                for (field, &register) in fields.iter().enumerate() {
                    b.load(Shared, register, 0, 4 * (4 * atom + field) as i64);
                }
                b.fsub(difference[0], x, fields[0]);
                b.fsub(difference[1], y, fields[1]);
                b.fmul(distance, fields[2], fields[2]);
                b.fma(distance, difference[0], difference[0], distance);
                b.fma(distance, difference[1], difference[1], distance);
                b.fset_lt(near, distance, WIDTH * WIDTH);
                b.when(near, |b| {
                    b.rsqrt(weight, distance);
                    b.fma(scaled, distance, -1.0 / (WIDTH * WIDTH), 1.0);
                    b.fmul(weight, weight, fields[3]);
                    b.fmul(scaled, scaled, scaled);
                    b.fma(sum, weight, scaled, sum);
                });
            }
            b.barrier();
            b.sub(across, across, 1);
            across
        });
        b.add(place, place, ((CELLS + 2 - 3) * cell) as i32);
        b.sub(down, down, 1);
        down
    });
    b.mad(result, Block(1), CELLS as i32, Block(0));
    b.mad(result, result, (POINTS[0] * POINTS[1]) as i32, thread);
    b.mad(result, result, 4, potential);
    b.store(Global, result, 0, sum);
    b.exit();
    let about = "potential with a cut-off: special functions, atoms in shared memory, divergence";
    let launch = Launch {
        grid: [CELLS as u32, rows as u32, 1],
        block: [POINTS[0] as u32, POINTS[1] as u32, 1],
        shared_memory: SHARED_MEMORY,
    };
    layout.kernel(b, "cutcp", about, launch, REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::super::data::assert_close;
    use super::*;

    #[test]
    fn equals_the_sum_over_all_atoms() {
        for scale in [1, 2] {
            let atoms = atoms(scale);
            let point = |at: usize| {
                let (cell, inside) = (at / (POINTS[0] * POINTS[1]), at % (POINTS[0] * POINTS[1]));
                let place = |cell: usize, point: usize, axis: usize| {
                    (cell + 1) as f32 * WIDTH + point as f32 * WIDTH / POINTS[axis] as f32
                };
                let x = place(cell % CELLS, inside % POINTS[0], 0);
                let y = place(cell / CELLS, inside / POINTS[0], 1);
                let part = |atom: &[f32]| {
                    let r2 = (x - atom[0]).powi(2) + (y - atom[1]).powi(2) + atom[2].powi(2);
                    match r2 < WIDTH * WIDTH {
                        true => atom[3] / r2.sqrt() * (1.0 - r2 / (WIDTH * WIDTH)).powi(2),
                        false => 0.0,
                    }
                };
                atoms.chunks(4).map(part).sum()
            };
            let points = CELLS * CELL_ROWS * scale as usize * POINTS[0] * POINTS[1];
            let expected: Vec<f32> = (0..points).map(point).collect();
            assert_close(&kernel(scale).unwrap(), "potential", &expected);
        }
    }
}
