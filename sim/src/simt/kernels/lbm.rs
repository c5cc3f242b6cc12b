//! lbm: one step of the lattice-Boltzmann method with 19 directions, a thread a cell.
//!
//! Each thread loads its cell's 19 densities, all at once and far apart; then it computes; then it
//! stores to 19 neighbours, which are mostly not aligned. A solid cell sends everything back.
//!
//! What the paper says of lbm and what a compiler of today makes of it differ, so there are four
//! kernels. NVIDIA's compiler for sm_35 gives a thread 39 registers, with which 48 warps are resident,
//! and names each density by one pointer and an offset: that is `lbm`. The paper has 8 resident
//! warps, which it explains by the kernel's many registers; a thread with 255 gives that. Two pointers
//! that move on right after each load are what a compiler without offsets writes, and what makes the
//! replay queue hold a register that the next instruction writes. `lbm-8-warps` has both,
//! `lbm-offsets` the 8 warps alone, and `lbm-pointers` the two pointers alone.

use super::super::builder::{Builder, Reg};
use super::super::instruction::SpecialRegister::{Block, Thread};
use super::super::operation::Space::Global;
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::{Layout, Values};

/// Cells of a row, each a thread of a block.
const WIDTH: usize = 120;
/// Cells from a row to the next in memory.
const PITCH: usize = 128;
/// Rows of a layer.
const ROWS: usize = 4;
/// Layers for a scale of 1.
const LAYERS: usize = 4;
/// What lies before the first cell and behind the last, so that every neighbour is there.
const MARGIN: usize = PITCH * (ROWS + 2);
/// Registers of a thread of the compiled kernel: 48 warps are resident.
const COMPILED: u32 = 39;
/// Registers of a thread that give the paper's occupancy of 8 warps.
const MANY: u32 = 255;
/// Directions that are computed side by side.
const AT_ONCE: usize = 4;
/// How far the densities go to their equilibrium in a step.
const OMEGA: f32 = 1.25;

/// The directions with the weight of each.
const DIRECTIONS: [([i32; 3], f32); 19] = {
    const FACE: f32 = 1.0 / 18.0;
    const EDGE: f32 = 1.0 / 36.0;
    [
        ([0, 0, 0], 1.0 / 3.0),
        ([0, 1, 0], FACE),
        ([0, -1, 0], FACE),
        ([1, 0, 0], FACE),
        ([-1, 0, 0], FACE),
        ([0, 0, 1], FACE),
        ([0, 0, -1], FACE),
        ([1, 1, 0], EDGE),
        ([-1, -1, 0], EDGE),
        ([-1, 1, 0], EDGE),
        ([1, -1, 0], EDGE),
        ([0, 1, 1], EDGE),
        ([0, -1, -1], EDGE),
        ([0, 1, -1], EDGE),
        ([0, -1, 1], EDGE),
        ([1, 0, 1], EDGE),
        ([-1, 0, -1], EDGE),
        ([1, 0, -1], EDGE),
        ([-1, 0, 1], EDGE),
    ]
};

/// The direction against a direction: they stand in pairs.
const fn opposite(direction: usize) -> usize {
    match direction {
        0 => 0,
        odd if odd % 2 == 1 => odd + 1,
        even => even - 1,
    }
}

/// Cells from a cell to its neighbour in a direction.
const fn shift(direction: usize) -> i64 {
    let [x, y, z] = DIRECTIONS[direction].0;
    x as i64 + PITCH as i64 * (y as i64 + ROWS as i64 * z as i64)
}

/// Cells of each direction's array.
const fn cells(scale: u32) -> usize {
    PITCH * ROWS * LAYERS * scale as usize + 2 * MARGIN
}

fn densities(scale: u32) -> Vec<f32> {
    let mut values = Values(1);
    let cells = cells(scale);
    let density = |place: usize| DIRECTIONS[place / cells].1 * (0.9 + 0.2 * values.unit());
    (0..DIRECTIONS.len() * cells).map(density).collect()
}

/// 1 for the solid cells, one of 256: most warps have none.
fn solids(scale: u32) -> Vec<u32> {
    let mut values = Values(2);
    let solid = |_| u32::from(values.below(256) == 0);
    (0..cells(scale)).map(solid).collect()
}

/// How a thread names its densities.
#[derive(Clone, Copy, PartialEq)]
enum Addresses {
    /// Two pointers, each of which moves on after each access.
    Pointers,
    /// One pointer that stays, and an offset.
    Offsets,
}

/// Where a thread stores.
#[derive(Clone, Copy)]
struct Out {
    addresses: Addresses,
    pointers: [Reg; 2],
    cells: i64,
}

/// Stores the value of a direction to the neighbour that it goes to, and moves the pointer on to the
/// direction after the next.
fn store(b: &mut Builder, out: Out, direction: usize, value: Reg) {
    let place = |direction: usize| 4 * (direction as i64 * out.cells + shift(direction));
    if out.addresses == Addresses::Offsets {
        b.store(Global, out.pointers[0], place(direction), value);
        return;
    }
    let to = out.pointers[direction % 2];
    b.store(Global, to, 0, value);
    if direction + 2 < DIRECTIONS.len() {
        let step = place(direction + 2) - place(direction);
        b.add(to, to, step.cast_unsigned());
    }
}

/// Adds a value times -1, 0 or 1; `first` says that the sum has nothing in it yet.
fn add_signed(b: &mut Builder, sum: Reg, value: Reg, sign: i32, first: bool) {
    match (sign, first) {
        (0, _) => {}
        (1, true) => b.mov(sum, value),
        (_, true) => b.fsub(sum, 0, value),
        (1, false) => b.fadd(sum, sum, value),
        (_, false) => b.fsub(sum, sum, value),
    }
}

/// Moves the densities towards their equilibrium and stores them. The sums of the four moments are
/// interleaved, and so are the directions by fours, so that one does not wait for the other.
fn collide(b: &mut Builder, f: &[Reg; 19], out: Out) {
    let [total, scaled, squares] = b.registers();
    let flow: [Reg; 3] = b.registers();
    let (along, part): ([Reg; AT_ONCE], [Reg; AT_ONCE]) = (b.registers(), b.registers());
    let mut begun = [false; 3];
    b.mov(total, f[0]);
    for (&density, (vector, _)) in f.iter().zip(DIRECTIONS).skip(1) {
        b.fadd(total, total, density);
        for ((&flow, sign), begun) in flow.iter().zip(vector).zip(&mut begun) {
            add_signed(b, flow, density, sign, !*begun);
            *begun |= sign != 0;
        }
    }
    b.rcp(scaled, total);
    b.fmul(total, total, OMEGA);
    for flow in flow {
        b.fmul(flow, flow, scaled);
    }
    b.fmul(squares, flow[0], flow[0]);
    b.fma(squares, flow[1], flow[1], squares);
    b.fma(squares, flow[2], flow[2], squares);
    b.fma(squares, squares, -1.5, 1.0);
    let all: [usize; 19] = std::array::from_fn(|direction| direction);
    for group in all.chunks(AT_ONCE) {
        for axis in 0..3 {
            for (&direction, &along) in group.iter().zip(&along) {
                let vector = DIRECTIONS[direction].0;
                let first = vector[..axis].iter().all(|&sign| sign == 0);
                add_signed(b, along, flow[axis], vector[axis], first);
            }
        }
        // squares + 3 along + 4.5 along^2; the cell's own density has no way to go along.
        for (&direction, (&along, &part)) in group.iter().zip(along.iter().zip(&part)) {
            if direction != 0 {
                b.fma(part, along, 4.5, 3.0);
            }
        }
        for (&direction, (&along, &part)) in group.iter().zip(along.iter().zip(&part)) {
            match direction {
                0 => b.mov(part, squares),
                _ => b.fma(part, part, along, squares),
            }
        }
        for (&direction, &part) in group.iter().zip(&part) {
            b.fmul(part, part, total);
            b.fmul(f[direction], f[direction], 1.0 - OMEGA);
        }
        for (&direction, &part) in group.iter().zip(&part) {
            b.fma(f[direction], part, DIRECTIONS[direction].1, f[direction]);
        }
        for &direction in group {
            store(b, out, direction, f[direction]);
        }
    }
}

/// The kernel as it is compiled; a scale of 1 has 16 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    with("lbm", COMPILED, Addresses::Offsets, scale)
}

/// At the paper's 8 warps, with two pointers.
pub fn at_8_warps(scale: u32) -> Result<Kernel, ProgramError> {
    with("lbm-8-warps", MANY, Addresses::Pointers, scale)
}

/// At 8 warps with offsets, so that no instruction writes the address register of a load before it.
pub fn with_offsets(scale: u32) -> Result<Kernel, ProgramError> {
    with("lbm-offsets", MANY, Addresses::Offsets, scale)
}

/// At 48 warps with two pointers.
pub fn with_pointers(scale: u32) -> Result<Kernel, ProgramError> {
    with("lbm-pointers", COMPILED, Addresses::Pointers, scale)
}

fn with(
    name: &'static str,
    registers: u32,
    addresses: Addresses,
    scale: u32,
) -> Result<Kernel, ProgramError> {
    let mut layout = Layout::default();
    let from = layout.floats("densities", &densities(scale));
    let solid = layout.input("solids", &solids(scale));
    let cells = cells(scale) as i64;
    let to = layout.output("moved", DIRECTIONS.len() * cells as usize);

    let b = &mut Builder::new();
    let [cell, flag, left, right, out_left, out_right] = b.registers();
    let f: [Reg; 19] = b.registers();
    b.mad(cell, Block(1), ROWS as i32, Block(0));
    b.mad(cell, cell, PITCH as i32, Thread(0));
    b.add(cell, cell, MARGIN as i32);
    let pointers = addresses == Addresses::Pointers;
    // No load of a density has this address register, so that none waits for it.
    let flag_at = if pointers { left } else { right };
    b.mad(flag_at, cell, 4, solid);
    b.load(Global, flag, flag_at, 0);
    b.mad(left, cell, 4, from);
    if pointers {
        b.add(right, left, (4 * cells).cast_unsigned());
    }
    for (direction, &density) in f.iter().enumerate() {
        if !pointers {
            b.load(Global, density, left, 4 * cells * direction as i64);
            continue;
        }
        let pointer = [left, right][direction % 2];
        b.load(Global, density, pointer, 0);
        b.add(pointer, pointer, (8 * cells).cast_unsigned());
    }
    b.mad(out_left, cell, 4, to);
    if pointers {
        b.add(
            out_right,
            out_left,
            (4 * (cells + shift(1))).cast_unsigned(),
        );
    }
    let out = Out {
        addresses,
        pointers: [out_left, out_right],
        cells,
    };
    b.when_else(
        flag,
        |b| (0..f.len()).for_each(|i| store(b, out, i, f[opposite(i)])),
        |b| collide(b, &f, out),
    );
    b.exit();
    let about = "lattice-Boltzmann step: 19 independent loads and 19 stores a cell";
    let launch = Launch {
        grid: [ROWS as u32, LAYERS as u32 * scale, 1],
        block: [WIDTH as u32, 1, 1],
        shared_memory: 0,
    };
    layout.kernel(b, name, about, launch, registers)
}

#[cfg(test)]
mod tests {
    use super::super::data::assert_close;
    use super::*;

    #[test]
    fn equals_the_computation_cell_by_cell() {
        for scale in [1, 2] {
            let (from, solid, cells) = (densities(scale), solids(scale), cells(scale));
            assert!(solid.contains(&1));
            let mut to = vec![0.0; from.len()];
            for row in 0..ROWS * LAYERS * scale as usize {
                for cell in (0..WIDTH).map(|x| MARGIN + row * PITCH + x) {
                    let f: [f32; 19] = std::array::from_fn(|i| from[i * cells + cell]);
                    let total: f32 = f.iter().sum();
                    let flow: [f32; 3] = std::array::from_fn(|axis| {
                        let parts = f.iter().zip(DIRECTIONS);
                        parts.map(|(f, (e, _))| f * e[axis] as f32).sum::<f32>() / total
                    });
                    let squares: f32 = flow.iter().map(|u| u * u).sum();
                    for (i, (e, weight)) in DIRECTIONS.into_iter().enumerate() {
                        let eu: f32 = e.iter().zip(flow).map(|(&e, u)| e as f32 * u).sum();
                        let rest =
                            weight * total * (1.0 + 3.0 * eu + 4.5 * eu * eu - 1.5 * squares);
                        let neighbour = (i * cells + cell) as i64 + shift(i);
                        to[neighbour as usize] = match solid[cell] {
                            0 => (1.0 - OMEGA) * f[i] + OMEGA * rest,
                            _ => f[opposite(i)],
                        };
                    }
                }
            }
            for make in [kernel, at_8_warps, with_offsets, with_pointers] {
                assert_close(&make(scale).unwrap(), "moved", &to);
            }
        }
    }
}
