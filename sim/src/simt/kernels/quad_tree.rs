//! quad-tree: each warp sorts the points of a tile into a tree, every node of which allocates its children.
//!
//! A warp takes nodes from a stack in shared memory. It counts the points of each quadrant, moves them to their quadrants in the
//! other one of two buffers, allocates four children at once, and pushes them. A node with few points, or of the last level,
//! stays a leaf. The points crowd in one corner, so trees are deep there. Warps share nothing but the heap.
//!
//! The sample of NVIDIA's CUDA SDK launches a kernel for the children of a node. The paper has removed these launches, and its
//! nodes allocate their children; so do those here.

use super::super::builder::{Builder, Reg};
use super::super::instruction::SpecialRegister::{Block, Lane, Warp};
use super::super::operation::Operation;
use super::super::operation::Space::{Global, Shared};
use super::super::operation::Width::Eight;
use super::super::program::ProgramError;
use super::super::warp::{LANES, Launch};
use super::Kernel;
use super::data::{Layout, Values};
use super::heap::{Heap, store};

/// Warps of a block.
const WARPS: usize = 4;
/// Blocks for a scale of 1.
const BLOCKS: usize = 20;
/// Points of a tile.
const POINTS: usize = 64;
/// Points of a leaf at most, but for those of the last level.
const LEAF: u64 = 4;
/// Levels below the root.
const LEVELS: u64 = 6;
/// Bits of a coordinate; a point has x in the lower half of a word and y in the upper one.
const BITS: u64 = 16;
/// Bytes of a node, and of four, as powers of two. A node has its points in its first 8 bytes: the first one's place in its tile,
/// their number from bit 16 on, and the node's level from bit 32 on. Its children's address follows, 0 for a leaf.
const NODE_LOG: u64 = 5;
const CHILDREN_LOG: u64 = 7;
/// Shared memory of a warp, bytes: four counts, four places, an address, and the stack of nodes with their points.
const SHARED: u64 = 512;
const PLACES: i64 = 16;
const ADDRESS: i64 = 32;
const STACK: i64 = 64;
const ENTRY: u64 = 16;
const REGISTERS: u32 = 32;

const _: () = assert!(STACK as u64 + ENTRY * (1 + 3 * LEVELS) <= SHARED);

fn points(scale: u32) -> Vec<u32> {
    let mut values = Values(14);
    let mut point = |_| {
        // Every second point lies in a corner of an eighth of the width.
        let limit = 1 << (BITS - 3 * u64::from(values.below(2)));
        let [x, y] = [(); 2].map(|()| values.below(limit));
        y << BITS | x
    };
    let count = POINTS * WARPS * BLOCKS * scale as usize;
    (0..count).map(&mut point).collect()
}

/// The kernel; a scale of 1 has 20 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let tiles = WARPS * BLOCKS * scale as usize;
    let mut layout = Layout::default();
    let b = &mut Builder::new();
    let heap = Heap::new(&mut layout, b);
    let sorted = [
        layout.changed_words("points", &points(scale)),
        layout.cleared("moved", POINTS * tiles),
    ];
    let roots = layout.cleared("roots", 2 * tiles);

    let [own, tile, leads, top, node, word, splits] = b.registers();
    let [begin, count, level, bit, from, to] = b.registers();
    let [at, point, quadrant, slot, child] = b.registers();
    let counts: [Reg; 4] = b.registers();
    let (load, store_shared) = (
        Operation::Load(Shared, Eight),
        Operation::Store(Shared, Eight),
    );
    b.mul(own, Warp, SHARED);
    b.mad(tile, Block(0), WARPS as u64, Warp);
    b.set_eq(leads, Lane, 0);
    // All lanes get the address of what the first one allocates.
    let allocate = |b: &mut Builder, to: Reg, log: u64| {
        b.when(leads, |b| {
            heap.allocate(b, to, log);
            b.access(store_shared, None, own, ADDRESS, Some(to));
        });
        b.access(load, Some(to), own, ADDRESS, None);
    };
    let push = |b: &mut Builder, node: Reg, word: Reg| {
        store(b, node, 0, word);
        b.access(store_shared, None, top, STACK, Some(node));
        b.access(store_shared, None, top, STACK + 8, Some(word));
        b.add(top, top, ENTRY);
    };
    allocate(b, node, NODE_LOG);
    b.mad(slot, tile, 8, roots);
    store(b, slot, 0, node);
    b.mov(word, (POINTS as u64) << BITS);
    b.mov(top, own);
    push(b, node, word);
    // The place of the tile's points in each buffer.
    b.mul(tile, tile, 4 * POINTS as u64);
    b.repeat(|b| {
        b.sub(top, top, ENTRY);
        b.access(load, Some(node), top, STACK, None);
        b.access(load, Some(word), top, STACK + 8, None);
        b.and(begin, word, 0xffff);
        b.shr(count, word, BITS);
        b.and(count, count, 0xffff);
        b.shr(level, word, 2 * BITS);
        b.set_lt(splits, LEAF, count);
        b.set_lt(slot, level, LEVELS);
        b.and(splits, splits, slot);
        b.when(splits, |b| {
            b.and(slot, level, 1);
            b.select(from, slot, sorted[1], sorted[0]);
            b.select(to, slot, sorted[0], sorted[1]);
            b.add(from, from, tile);
            b.mad(from, begin, 4, from);
            b.add(to, to, tile);
            b.sub(bit, BITS - 1, level);
            b.set_lt(slot, Lane, 4);
            b.when(slot, |b| {
                b.mad(slot, Lane, 4, own);
                b.store(Shared, slot, 0, 0);
            });
            // Each point of the node, with the shared count of its quadrant in `slot`.
            let each_point = |b: &mut Builder, body: &dyn Fn(&mut Builder)| {
                b.mov(at, Lane);
                b.repeat_while(
                    |b| {
                        b.set_lt(slot, at, count);
                        slot
                    },
                    |b| {
                        b.mad(slot, at, 4, from);
                        b.load(Global, point, slot, 0);
                        b.shr(quadrant, point, bit);
                        b.shr(slot, quadrant, BITS - 1);
                        b.and(slot, slot, 2);
                        b.and(quadrant, quadrant, 1);
                        b.or(quadrant, quadrant, slot);
                        b.mad(slot, quadrant, 4, own);
                        body(b);
                        b.add(at, at, LANES as u64);
                    },
                );
            };
            each_point(b, &|b: &mut Builder| b.atomic_add(Shared, slot, 0, 1));
            b.mov(at, begin);
            for (quadrant, count) in (0..).zip(counts) {
                b.load(Shared, count, own, 4 * quadrant);
                b.store(Shared, own, PLACES + 4 * quadrant, at);
                b.add(at, at, count);
            }
            each_point(b, &|b: &mut Builder| {
                b.fetch_add(Shared, slot, slot, PLACES, 1);
                b.mad(slot, slot, 4, to);
                b.store(Global, slot, 0, point);
            });
            allocate(b, child, CHILDREN_LOG);
            store(b, node, 8, child);
            b.add(level, level, 1);
            b.shl(level, level, 2 * BITS);
            for count in counts {
                b.shl(word, count, BITS);
                b.or(word, word, begin);
                b.or(word, word, level);
                push(b, child, word);
                b.add(begin, begin, count);
                b.add(child, child, 1 << NODE_LOG);
            }
        });
        b.set_lt(slot, own, top);
        slot
    });
    b.exit();
    let about = "quad-tree: every node allocates its children, and moves its points to them";
    let launch = Launch {
        grid: [(BLOCKS * scale as usize) as u32, 1, 1],
        block: [(WARPS * LANES) as u32, 1, 1],
        shared_memory: (WARPS as u64 * SHARED) as u32,
    };
    let kernel = layout.kernel(b, "quad-tree", about, launch, REGISTERS)?;
    Ok(Kernel {
        is_ordered: true,
        ..kernel
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::memory::Memory;
    use super::super::heap::tests::{assert_apart, left, words};
    use super::*;

    /// A tree as it should be, and where the nodes of the kernel's lie.
    struct Tree<'run> {
        memory: &'run Memory,
        /// The buffers of a tile's points.
        buffers: [u64; 2],
        nodes: Vec<(u64, u64)>,
        leaves: usize,
    }

    impl Tree<'_> {
        /// Compares a node and what is below it with the points that belong there.
        fn check(&mut self, node: u64, points: &[u32], begin: u64, level: u64) {
            let [word, children] = [0, 8].map(|at| self.memory.read(node + at, Eight));
            let expected = level << (2 * BITS) | (points.len() as u64) << BITS | begin;
            assert_eq!(word, expected, "node {node:#x}");
            if points.len() as u64 <= LEAF || level == LEVELS {
                assert_eq!(children, 0);
                self.leaves += 1;
                let from = self.buffers[(level % 2) as usize] + 4 * begin;
                assert_eq!(self.memory.read_words(from, points.len()), points);
                return;
            }
            self.nodes.push((children, 1 << CHILDREN_LOG));
            let bit = BITS - 1 - level;
            let mut begin = begin;
            for quadrant in 0..4 {
                let lies = |point: &&u32| {
                    let (x, y) = (**point >> bit & 1, **point >> (bit + BITS) & 1);
                    2 * y + x == quadrant
                };
                let points: Vec<u32> = points.iter().filter(lies).copied().collect();
                let child = children + (u64::from(quadrant) << NODE_LOG);
                self.check(child, &points, begin, level + 1);
                begin += points.len() as u64;
            }
        }
    }

    #[test]
    fn every_point_is_in_the_leaf_of_its_place() {
        let kernel = kernel(1).unwrap();
        let memory = left(&kernel);
        let points = points(1);
        let tiles = points.len() / POINTS;
        let roots = words(&kernel, &memory, "roots", tiles);
        let [points_at, moved_at] =
            ["points", "moved"].map(|name| kernel.region(name).unwrap().address);
        let (mut nodes, mut leaves) = (Vec::new(), 0);
        for (tile, (points, &root)) in points.chunks(POINTS).zip(&roots).enumerate() {
            let offset = (4 * POINTS * tile) as u64;
            let mut tree = Tree {
                memory: &memory,
                buffers: [points_at + offset, moved_at + offset],
                nodes: vec![(root, 1 << NODE_LOG)],
                leaves: 0,
            };
            tree.check(root, points, 0, 0);
            nodes.extend(tree.nodes);
            leaves += tree.leaves;
        }
        assert!(
            nodes.len() > 5 * tiles && leaves > 20 * tiles,
            "{}",
            nodes.len()
        );
        assert_apart(&kernel, nodes);
    }
}
