//! sad: how much a block of an image differs from the blocks of another image around the same place.
//!
//! A thread block has 4 x 4 pixels, and each of its 61 threads compares them with two places of
//! 11 x 11. Integers only; the loads of the searched image are not aligned, four in a row by one
//! pointer, which moves on right after them; neighbouring lanes load overlapping pixels.

use super::super::builder::{Builder, Reg};
use super::super::instruction::SpecialRegister::{Block, Thread};
use super::super::operation::Space::Global;
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::{Layout, Values};

/// Pixels of a block in a row, and rows.
const SIDE: usize = 4;
/// Blocks of the image along x.
const BLOCKS: usize = 8;
/// Blocks of the image along y for a scale of 1.
const BLOCK_ROWS: usize = 8;
/// Places that are searched in a row, and rows.
const SEARCHED: usize = 11;
/// Pixels that the searched image has around.
const BORDER: usize = SEARCHED / 2;
/// Half of the places, rounded up.
const THREADS: usize = (SEARCHED * SEARCHED).div_ceil(2);
/// Pixels of a row of either image.
const PITCH: usize = SIDE * BLOCKS + 2 * BORDER;
const REGISTERS: u32 = 41;
/// Shared memory of a block of the compiled kernel, bytes: there it holds the block's differences.
const SHARED_MEMORY: u32 = 2_224;

/// Both images, with the same border; a pixel is a word.
fn images(scale: u32) -> [Vec<u32>; 2] {
    let rows = SIDE * BLOCK_ROWS * scale as usize + 2 * BORDER;
    let mut values = Values(11);
    [(); 2].map(|()| (0..PITCH * rows).map(|_| values.below(256)).collect())
}

/// The kernel; a scale of 1 has 64 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let rows = BLOCK_ROWS * scale as usize;
    let [image, searched] = images(scale);
    let mut layout = Layout::default();
    let image = layout.input("image", &image);
    let searched = layout.input("searched", &searched);
    let result = layout.output("differences", BLOCKS * rows * SEARCHED * SEARCHED);

    let b = &mut Builder::new();
    let [corner, pointer, place, row, column, sum, inside] = b.registers();
    let pixels: [Reg; SIDE * SIDE] = b.registers();
    let (loaded, against): ([Reg; SIDE], [Reg; SIDE]) = (b.registers(), b.registers());
    // The block's corner in an image, and the first place that is searched for it.
    b.mul(corner, Block(1), (SIDE * PITCH) as i32);
    b.mad(corner, Block(0), SIDE as i32, corner);
    b.mad(pointer, corner, 4, image);
    for (at, &pixel) in pixels.iter().enumerate() {
        b.load(
            Global,
            pixel,
            pointer,
            4 * (BORDER * PITCH + BORDER + at % SIDE) as i64,
        );
        if at % SIDE == SIDE - 1 {
            b.add(pointer, pointer, 4 * PITCH as i32);
        }
    }
    for half in 0..2 {
        b.add(place, Thread(0), (half * THREADS) as i32);
        b.set_lt(inside, place, (SEARCHED * SEARCHED) as i32);
        b.when(inside, |b| {
            // place / 11 for places below 128.
            b.mul(row, place, 187);
            b.shr(row, row, 11);
            b.mad(column, row, -(SEARCHED as i32), place);
            b.mad(row, row, PITCH as i32, corner);
            b.add(column, column, row);
            b.mad(pointer, column, 4, searched);
            b.mov(sum, 0);
            for pixels in pixels.chunks(SIDE) {
                for (at, loaded) in loaded.into_iter().enumerate() {
                    b.load(Global, loaded, pointer, 4 * at as i64);
                }
                b.add(pointer, pointer, 4 * PITCH as i32);
                for ((&pixel, &loaded), &against) in pixels.iter().zip(&loaded).zip(&against) {
                    b.sub(against, pixel, loaded);
                    b.sub(loaded, loaded, pixel);
                    b.max(loaded, loaded, against);
                    b.add(sum, sum, loaded);
                }
            }
            b.mad(row, Block(1), BLOCKS as i32, Block(0));
            b.mad(row, row, (SEARCHED * SEARCHED) as i32, place);
            b.mad(pointer, row, 4, result);
            b.store(Global, pointer, 0, sum);
        });
    }
    b.exit();
    let about = "sums of absolute differences: integers, unaligned loads that overlap";
    let launch = Launch {
        grid: [BLOCKS as u32, rows as u32, 1],
        block: [THREADS as u32, 1, 1],
        shared_memory: SHARED_MEMORY,
    };
    layout.kernel(b, "sad", about, launch, REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::super::data::result;
    use super::*;

    #[test]
    fn equals_the_difference_pixel_by_pixel() {
        for scale in [1, 2] {
            let [image, searched] = images(scale);
            let mut expected = Vec::new();
            for block in 0..BLOCKS * BLOCK_ROWS * scale as usize {
                let (x, y) = (block % BLOCKS * SIDE, block / BLOCKS * SIDE);
                for place in 0..SEARCHED * SEARCHED {
                    let (dx, dy) = (place % SEARCHED, place / SEARCHED);
                    let difference = |at: usize| {
                        let (i, j) = (at % SIDE, at / SIDE);
                        let here = image[(y + j + BORDER) * PITCH + x + i + BORDER];
                        here.abs_diff(searched[(y + j + dy) * PITCH + x + i + dx])
                    };
                    expected.push((0..SIDE * SIDE).map(difference).sum::<u32>());
                }
            }
            assert_eq!(result(&kernel(scale).unwrap(), "differences"), expected);
        }
    }
}
