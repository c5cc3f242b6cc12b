//! Programs that allocate memory on the device.

use super::Run;

/// Objects of a thread.
const OBJECTS: u32 = 4;

#[test]
fn objects_hold_what_their_threads_have_written() {
    let run = Run::of("heap");
    for name in ["fixed", "random"] {
        let counts = run.after(name, u32::from_le_bytes);
        assert!(counts.iter().all(|&count| count == OBJECTS), "{name}");
    }
    let sums = run.after("sums", u32::from_le_bytes);
    for (thread, sum) in (0u32..).zip(sums) {
        let rounds = (0..OBJECTS).map(|round| thread * round + thread + round);
        assert_eq!(sum, rounds.sum::<u32>(), "{thread}");
    }
}

/// Points of a tile, and of a leaf at most, but for those of the last level.
const TILE: usize = 256;
const LEAF: usize = 4;
const LEVELS: u8 = 8;

/// Notes the level of the leaf of each point, and gives the number of nodes.
fn split(points: &[u32], own: &[usize], level: u8, depths: &mut [u8]) -> u32 {
    if own.len() <= LEAF || level == LEVELS {
        own.iter().for_each(|&point| depths[point] = level);
        return 1;
    }
    let bit = 15 - level;
    let quadrants = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let of_quadrant = quadrants.map(|(y, x)| {
        let lies = |&&point: &&usize| {
            let place = points[point];
            (place >> (bit + 16) & 1, place >> bit & 1) == (y, x)
        };
        let inside: Vec<usize> = own.iter().filter(lies).copied().collect();
        split(points, &inside, level + 1, depths)
    });
    1 + of_quadrant.iter().sum::<u32>()
}

#[test]
fn every_point_is_in_the_leaf_of_its_place() {
    let run = Run::of("quad-tree");
    let points = run.before("points", u32::from_le_bytes);
    let mut expected = vec![0; points.len()];
    let tiles = 0..points.len() / TILE;
    let nodes: Vec<u32> = tiles
        .map(|tile| {
            let own: Vec<usize> = (tile * TILE..(tile + 1) * TILE).collect();
            split(&points, &own, 0, &mut expected)
        })
        .collect();
    assert_eq!(run.after("depths", u8::from_le_bytes), expected);
    assert_eq!(run.after("nodes", u32::from_le_bytes), nodes);
}
