//! spmv: a sparse matrix times a vector, the matrix in jagged diagonals.
//!
//! A thread makes a row. The k-th elements of all rows lie together, so that a warp's accesses to the
//! matrix coalesce, while those to the vector go where the column numbers say: a load whose address
//! another load brings. The one address register is used for each of the three.

use super::super::builder::Builder;
use super::super::instruction::SpecialRegister::{Block, BlockSize, Thread};
use super::super::operation::Space::{Global, Shared};
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::{Layout, Values};

/// Threads of a block.
const THREADS: usize = 192;
/// Blocks for a scale of 1.
const BLOCKS: usize = 24;
/// Rows that the last block lacks.
const MISSING: usize = 40;
/// Elements of the longest row at most.
const LONGEST: usize = 24;
const REGISTERS: u32 = 29;

/// A matrix in jagged diagonals, its rows sorted by length and filled up warp by warp.
struct Matrix {
    rows: usize,
    /// Elements of each row of a warp.
    lengths: Vec<u32>,
    /// Where each diagonal starts.
    diagonals: Vec<u32>,
    columns: Vec<u32>,
    elements: Vec<f32>,
    /// The row of the result that each row makes.
    order: Vec<u32>,
    vector: Vec<f32>,
}

fn matrix(scale: u32) -> Matrix {
    let rows = THREADS * BLOCKS * scale as usize - MISSING;
    let warps = rows.div_ceil(32);
    let mut values = Values(4);
    // Few long rows and many short ones.
    let length = |warp: usize| {
        let place = warp as f32 / warps as f32;
        4 + ((LONGEST - 4) as f32 * (1.0 - place) * (1.0 - place)) as u32
    };
    let lengths: Vec<u32> = (0..warps).map(length).collect();
    let mut diagonals = Vec::new();
    let mut size = 0;
    for diagonal in 0..LONGEST as u32 {
        diagonals.push(size);
        size += 32 * lengths.iter().filter(|length| **length > diagonal).count() as u32;
    }
    // Half of a row's elements lie near its diagonal, the others anywhere.
    let column = |place: u32| {
        let diagonal = diagonals.partition_point(|start| *start <= place) - 1;
        let row = place - diagonals[diagonal];
        match diagonal % 2 {
            0 => (row + diagonal as u32) % rows as u32,
            _ => values.below(rows as u32),
        }
    };
    let columns: Vec<u32> = (0..size).map(column).collect();
    // An odd factor that shares no divisor with the rows scatters them without gaps.
    let factor = (rows / 3..)
        .find(|factor| coprime(*factor, rows))
        .unwrap_or(1);
    Matrix {
        rows,
        lengths,
        diagonals,
        columns,
        elements: values.units(size as usize),
        order: (0..rows).map(|row| (row * factor % rows) as u32).collect(),
        vector: values.units(rows),
    }
}

fn coprime(mut left: usize, mut right: usize) -> bool {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left == 1
}

/// The kernel; a scale of 1 has 24 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let matrix = matrix(scale);
    let mut layout = Layout::default();
    let lengths = layout.input("lengths", &matrix.lengths);
    let diagonals = layout.input("diagonals", &matrix.diagonals);
    let columns = layout.input("columns", &matrix.columns);
    let elements = layout.floats("elements", &matrix.elements);
    let order = layout.input("order", &matrix.order);
    let vector = layout.floats("vector", &matrix.vector);
    let result = layout.output("result", matrix.rows);

    let b = &mut Builder::new();
    let [
        row,
        inside,
        address,
        start,
        left,
        sum,
        at,
        column,
        element,
        factor,
    ] = b.registers();
    b.mad(row, Block(0), BlockSize(0), Thread(0));
    b.set_lt(inside, Thread(0), LONGEST as i32);
    b.when(inside, |b| {
        b.mad(address, Thread(0), 4, diagonals);
        b.load(Global, start, address, 0);
        b.shl(address, Thread(0), 2);
        b.store(Shared, address, 0, start);
    });
    b.barrier();
    b.set_lt(inside, row, matrix.rows as i32);
    b.when(inside, |b| {
        b.shr(address, row, 5);
        b.mad(address, address, 4, lengths);
        b.load(Global, left, address, 0);
        b.mov(sum, 0);
        b.mov(start, 0);
        b.repeat(|b| {
            b.load(Shared, at, start, 0);
            b.add(start, start, 4);
            b.add(at, at, row);
            b.mad(address, at, 4, columns);
            b.load(Global, column, address, 0);
            b.mad(address, at, 4, elements);
            b.load(Global, element, address, 0);
            b.sub(left, left, 1);
            b.mad(address, column, 4, vector);
            b.load(Global, factor, address, 0);
            b.fma(sum, element, factor, sum);
            left
        });
        b.mad(address, row, 4, order);
        b.load(Global, at, address, 0);
        b.mad(address, at, 4, result);
        b.store(Global, address, 0, sum);
    });
    b.exit();
    let about = "sparse matrix by vector: loads whose addresses come from loads, many warps";
    let launch = Launch {
        grid: [BLOCKS as u32 * scale, 1, 1],
        block: [THREADS as u32, 1, 1],
        shared_memory: 4 * LONGEST as u32,
    };
    layout.kernel(b, "spmv", about, launch, REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::super::data::assert_close;
    use super::*;

    #[test]
    fn equals_the_product_row_by_row() {
        for scale in [1, 2] {
            let matrix = matrix(scale);
            let mut expected = vec![0.0; matrix.rows];
            for row in 0..matrix.rows {
                let product = |diagonal: usize| {
                    let place = matrix.diagonals[diagonal] as usize + row;
                    matrix.elements[place] * matrix.vector[matrix.columns[place] as usize]
                };
                let length = matrix.lengths[row / 32] as usize;
                expected[matrix.order[row] as usize] = (0..length).map(product).sum();
            }
            assert_close(&kernel(scale).unwrap(), "result", &expected);
        }
    }
}
