//! bfs: one level of a breadth-first search.
//!
//! A thread takes a node of the frontier and looks at its neighbours, of which every node has another
//! number: the lanes of a warp diverge and gather all over memory. What it finds goes to the next
//! level's array, where equal stores may meet, while the costs that it reads stay as they are: so the
//! result does not depend on which thread comes first, as the original's queue does.

use super::super::builder::Builder;
use super::super::instruction::SpecialRegister::{Block, BlockSize, Thread};
use super::super::operation::Space::Global;
use super::super::program::ProgramError;
use super::super::warp::Launch;
use super::Kernel;
use super::data::{Layout, Values};

/// Threads of a block.
const THREADS: usize = 512;
/// Nodes for a scale of 1.
const NODES: usize = 12 * THREADS;
/// Nodes of the frontier, of 16.
const FRONTIER: u32 = 13;
/// Nodes that have a cost already, of 16.
const VISITED: u32 = 6;
/// The level of the frontier.
const LEVEL: u32 = 5;
/// The cost of a node that was not visited.
const NONE: u32 = 0x7fff_ffff;
const REGISTERS: u32 = 26;
/// Shared memory of a block of the compiled kernel, bytes: there it holds the block's queue of what it finds.
const SHARED_MEMORY: u32 = 12_900;

struct Graph {
    frontier: Vec<u32>,
    /// Where each node's neighbours start, and where the last one's end.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    costs: Vec<u32>,
}

fn graph(scale: u32) -> Graph {
    let nodes = NODES * scale as usize;
    let mut values = Values(8);
    let frontier = (0..nodes as u32)
        .filter(|_| values.below(16) < FRONTIER)
        .collect();
    let mut starts = vec![0];
    let mut neighbours = Vec::new();
    for _ in 0..nodes {
        // Many nodes have few neighbours, and few have many.
        let count = values.below(4) + u32::from(values.below(16) == 0) * values.below(24);
        neighbours.extend((0..count).map(|_| values.below(nodes as u32)));
        starts.push(neighbours.len() as u32);
    }
    let cost = |_| {
        if values.below(16) < VISITED {
            values.below(LEVEL + 1)
        } else {
            NONE
        }
    };
    Graph {
        frontier,
        starts,
        neighbours,
        costs: (0..nodes).map(cost).collect(),
    }
}

/// The kernel; a scale of 1 has 10 blocks.
pub fn kernel(scale: u32) -> Result<Kernel, ProgramError> {
    let graph = graph(scale);
    let mut layout = Layout::default();
    let frontier = layout.input("frontier", &graph.frontier);
    let starts = layout.input("starts", &graph.starts);
    let neighbours = layout.input("neighbours", &graph.neighbours);
    let costs = layout.input("costs", &graph.costs);
    let next = layout.output("next", graph.costs.len());

    let b = &mut Builder::new();
    let [thread, inside, address, node, pointer, end, unseen, cost] = b.registers();
    b.mad(thread, Block(0), BlockSize(0), Thread(0));
    b.set_lt(inside, thread, graph.frontier.len() as u64);
    b.when(inside, |b| {
        b.mad(address, thread, 4, frontier);
        b.load(Global, node, address, 0);
        b.mad(address, node, 4, starts);
        b.load(Global, pointer, address, 0);
        b.load(Global, end, address, 4);
        b.mad(pointer, pointer, 4, neighbours);
        b.mad(end, end, 4, neighbours);
        b.repeat_while(
            |b| {
                b.set_lt(inside, pointer, end);
                inside
            },
            |b| {
                b.load(Global, node, pointer, 0);
                b.add(pointer, pointer, 4);
                b.mad(address, node, 4, costs);
                b.load(Global, cost, address, 0);
                b.mad(address, node, 4, next);
                b.set_eq(unseen, cost, u64::from(NONE));
                b.when(unseen, |b| b.store(Global, address, 0, LEVEL as i32 + 1));
            },
        );
    });
    b.exit();
    let about = "graph search: lanes diverge and gather all over memory";
    let launch = Launch {
        grid: [graph.frontier.len().div_ceil(THREADS) as u32, 1, 1],
        block: [THREADS as u32, 1, 1],
        shared_memory: SHARED_MEMORY,
    };
    layout.kernel(b, "bfs", about, launch, REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::super::data::result;
    use super::*;

    #[test]
    fn finds_the_neighbours_that_were_not_visited() {
        for scale in [1, 2] {
            let graph = graph(scale);
            let mut expected = vec![0; graph.costs.len()];
            for &node in &graph.frontier {
                let [start, end] = [0, 1].map(|side| graph.starts[node as usize + side] as usize);
                for &neighbour in &graph.neighbours[start..end] {
                    if graph.costs[neighbour as usize] == NONE {
                        expected[neighbour as usize] = LEVEL + 1;
                    }
                }
            }
            assert!(expected.contains(&(LEVEL + 1)));
            assert_eq!(result(&kernel(scale).unwrap(), "next"), expected);
        }
    }
}
