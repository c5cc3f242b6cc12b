//! stencil: one step of a 7-point stencil over a three-dimensional grid.
//!
//! A thread makes two columns of points, 32 apart, from the front of the grid to its back. The plane
//! that is worked on goes to shared memory between two barriers; the one behind it is loaded
//! meanwhile, and the pointers move on right after the loads. At the border of a block's tile the
//! lanes diverge and load the neighbour themselves.

use super::super::builder::{Builder, Reg};
use super::super::instruction::SpecialRegister::{Block, Thread};
use super::super::operation::Space::{Global, Shared};
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::{Layout, Values};

/// Points along x.
const WIDTH: usize = 128;
/// Points along y for a scale of 1.
const ROWS: usize = 64;
/// Points along z. In a few planes all blocks would begin and end together, and the run would be one of full and empty queues of
/// DRAM.
const PLANES: usize = 32;
/// Threads of a block along x; a thread has two points.
const TILE_WIDTH: usize = 32;
/// Threads of a block along y.
const TILE_ROWS: usize = 4;
const REGISTERS: u32 = 32;
/// The weight of the point itself.
const CENTRE: f32 = 0.5;
/// The weight of each neighbour.
const NEIGHBOUR: f32 = 0.125;

/// Bytes of a row of a tile in shared memory.
const SHARED_ROW: i64 = 8 * TILE_WIDTH as i64;
/// Bytes from a row to the next in global memory.
const GLOBAL_ROW: i64 = 4 * WIDTH as i64;

fn points(scale: u32) -> Vec<f32> {
    Values(5).units(WIDTH * ROWS * scale as usize * PLANES)
}

/// The kernel; a scale of 1 has 32 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let rows = ROWS * scale as usize;
    let plane = (4 * WIDTH * rows) as u64;
    let mut layout = Layout::default();
    let from = layout.floats("from", &points(scale));
    let to = layout.output("to", WIDTH * rows * PLANES);

    let b = &mut Builder::new();
    let [x, y, ahead, here, slot, planes] = b.registers();
    let [left_edge, right_edge, top_edge, bottom_edge] = b.registers();
    let (behind, centre, front): ([Reg; 2], [Reg; 2], [Reg; 2]) =
        (b.registers(), b.registers(), b.registers());
    let (inside, near): ([Reg; 2], [Reg; 4]) = (b.registers(), b.registers());
    let [sum, scratch] = b.registers();
    b.mul(x, Block(0), 2 * TILE_WIDTH as i32);
    b.add(x, x, Thread(0));
    b.mad(y, Block(1), TILE_ROWS as i32, Thread(1));
    b.mad(here, y, WIDTH as i32, x);
    b.mad(ahead, here, 4, from);
    b.mad(here, here, 4, to);
    b.mad(slot, Thread(1), 2 * TILE_WIDTH as i32, Thread(0));
    b.shl(slot, slot, 2);
    let load_plane = |b: &mut Builder, points: [Reg; 2]| {
        b.load(Global, points[0], ahead, 0);
        b.load(Global, points[1], ahead, 4 * TILE_WIDTH as i64);
        b.add(ahead, ahead, plane);
    };
    load_plane(b, behind);
    load_plane(b, centre);
    b.set_eq(left_edge, Thread(0), 0);
    b.set_eq(right_edge, Thread(0), TILE_WIDTH as i32 - 1);
    b.set_eq(top_edge, Thread(1), 0);
    b.set_eq(bottom_edge, Thread(1), TILE_ROWS as i32 - 1);
    // Points on the border of the grid stay as they are.
    b.set_lt(scratch, 0, y);
    b.set_lt(sum, y, rows as i32 - 1);
    b.and(scratch, scratch, sum);
    b.set_lt(sum, 0, x);
    b.and(inside[0], sum, scratch);
    b.set_lt(sum, x, (WIDTH - TILE_WIDTH) as i32 - 1);
    b.and(inside[1], sum, scratch);
    b.mov(planes, PLANES as i32 - 2);
    b.repeat(|b| {
        load_plane(b, front);
        b.add(here, here, plane);
        b.store(Shared, slot, 0, centre[0]);
        b.store(Shared, slot, 4 * TILE_WIDTH as i64, centre[1]);
        b.barrier();
        for point in 0..2 {
            let across = 4 * (TILE_WIDTH * point) as i64;
            b.when(inside[point], |b| {
                // `ahead` is two planes further by now.
                b.sub(scratch, ahead, 2 * plane);
                let sides = [
                    (-4, -4, (point == 0).then_some(left_edge)),
                    (4, 4, (point == 1).then_some(right_edge)),
                    (-SHARED_ROW, -GLOBAL_ROW, Some(top_edge)),
                    (SHARED_ROW, GLOBAL_ROW, Some(bottom_edge)),
                ];
                for (near, (in_tile, in_grid, edge)) in near.into_iter().zip(sides) {
                    let shared = |b: &mut Builder| b.load(Shared, near, slot, across + in_tile);
                    let global = |b: &mut Builder| b.load(Global, near, scratch, across + in_grid);
                    match edge {
                        Some(edge) => b.when_else(edge, global, shared),
                        None => shared(b),
                    }
                }
                b.fadd(sum, behind[point], front[point]);
                for near in near {
                    b.fadd(sum, sum, near);
                }
                b.fmul(sum, sum, NEIGHBOUR);
                b.fma(sum, centre[point], -CENTRE, sum);
                b.store(Global, here, across, sum);
            });
        }
        b.barrier();
        for point in 0..2 {
            b.mov(behind[point], centre[point]);
            b.mov(centre[point], front[point]);
        }
        b.sub(planes, planes, 1);
        planes
    });
    b.exit();
    let about =
        "7-point stencil: a plane in shared memory, the next one loaded ahead, edges diverge";
    let launch = Launch {
        grid: [
            (WIDTH / TILE_WIDTH / 2) as u32,
            (rows / TILE_ROWS) as u32,
            1,
        ],
        block: [TILE_WIDTH as u32, TILE_ROWS as u32, 1],
        shared_memory: (TILE_ROWS as i64 * SHARED_ROW) as u32,
    };
    layout.kernel(b, "stencil", about, launch, REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::super::data::assert_close;
    use super::*;

    #[test]
    fn equals_the_stencil_point_by_point() {
        for scale in [1, 2] {
            let from = points(scale);
            let rows = ROWS * scale as usize;
            let plane = WIDTH * rows;
            let mut to = vec![0.0; from.len()];
            for z in 1..PLANES - 1 {
                for y in 1..rows - 1 {
                    for x in 1..WIDTH - 1 {
                        let at = z * plane + y * WIDTH + x;
                        let near = [
                            at - 1,
                            at + 1,
                            at - WIDTH,
                            at + WIDTH,
                            at - plane,
                            at + plane,
                        ];
                        let sum: f32 = near.iter().map(|&near| from[near]).sum();
                        to[at] = NEIGHBOUR * sum - CENTRE * from[at];
                    }
                }
            }
            assert_close(&kernel(scale).unwrap(), "to", &to);
        }
    }
}
