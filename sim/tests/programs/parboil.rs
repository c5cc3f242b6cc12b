//! The algorithms of the Parboil benchmarks.

use std::collections::VecDeque;

use super::Run;

#[test]
fn sgemm_multiplies_and_adds() {
    let run = Run::of("sgemm");
    let [a, b, c] = ["a", "b", "c"].map(|name| run.doubles(name));
    let expected = (0..8192).map(|place| {
        let (column, row) = (place / 256, place % 256);
        let product: f64 = (0..32).map(|k| a[k * 256 + row] * b[k * 32 + column]).sum();
        1.5 * product + 0.5 * c[place]
    });
    run.near("c", expected, 1e-5);
}

#[test]
fn stencil_weighs_neighbours() {
    let run = Run::of("stencil");
    let from = run.doubles("from");
    let expected = (0..14000).map(|cell| {
        let (x, y, z) = (cell % 100, cell / 100 % 14, cell / 1400);
        if [(x, 100), (y, 14), (z, 10)]
            .iter()
            .any(|&(at, size)| at == 0 || at == size - 1)
        {
            return 0.0;
        }
        let steps = [1, 100, 1400];
        let near: f64 = steps
            .iter()
            .map(|step| from[cell - step] + from[cell + step])
            .sum();
        0.25 * near - 0.5 * from[cell]
    });
    run.near("to", expected, 1e-6);
}

#[test]
fn spmv_multiplies_jagged_diagonals() {
    let run = Run::of("spmv");
    let [elements, x] = ["elements", "x"].map(|name| run.doubles(name));
    let [columns, lengths, order] = ["columns", "lengths", "order"]
        .map(|name| run.before(name, |bytes| i32::from_le_bytes(bytes) as usize));
    let mut expected = vec![0.0; 1500];
    let mut place = 0;
    for number in 0..24 {
        for row in (0..1500).take_while(|&row| lengths[row] > number) {
            expected[order[row]] += elements[place] * x[columns[place]];
            place += 1;
        }
    }
    assert_eq!(place, elements.len());
    run.near("y", expected, 1e-5);
}

#[test]
fn mri_q_sums_over_samples() {
    let run = Run::of("mri-q");
    let places = &run.placed.symbols[0].bytes;
    let places: Vec<f64> = super::numbers(places, |bytes| f32::from_le_bytes(bytes).into());
    let [real, imaginary] = ["phi_real", "phi_imaginary"].map(|name| run.doubles(name));
    let [x, y, z] = ["x", "y", "z"].map(|name| run.doubles(name));
    let sum = |voxel: usize, of: fn(f64) -> f64| -> f64 {
        let term = |sample: usize| {
            let place = &places[4 * sample..];
            let along = place[0] * x[voxel] + place[1] * y[voxel] + place[2] * z[voxel];
            let magnitude = real[sample].powi(2) + imaginary[sample].powi(2);
            magnitude * of(std::f64::consts::TAU * along)
        };
        (0..64).map(term).sum()
    };
    run.near("real", (0..512).map(|voxel| sum(voxel, f64::cos)), 1e-4);
    run.near(
        "imaginary",
        (0..512).map(|voxel| sum(voxel, f64::sin)),
        1e-4,
    );
}

#[test]
fn mri_gridding_spreads_samples() {
    let run = Run::of("mri-gridding");
    let [places, values] = ["places", "values"].map(|name| run.doubles(name));
    let window = |part: f64| {
        let (mut term, mut sum) = (1.0, 1.0);
        for k in 1..=5 {
            term *= 4.0 * part / f64::from(k * k);
            sum += term;
        }
        sum
    };
    let expected = (0..1024).map(|number| {
        let (point, part) = (number / 2, number % 2);
        let at = [point % 8, point / 8 % 8, point / 64].map(|axis| axis as f64);
        let sum = places
            .chunks(4)
            .zip(values.chunks(2))
            .map(|(place, value)| {
                let square: f64 = place
                    .iter()
                    .zip(at)
                    .map(|(place, at)| (place - at).powi(2))
                    .sum();
                let inside = 1.0 - square / 6.25;
                if inside > 0.0 {
                    place[3] * window(inside) * value[part]
                } else {
                    0.0
                }
            });
        sum.sum()
    });
    let largest = run
        .after("grid", f32::from_le_bytes)
        .into_iter()
        .fold(0.0, f32::max);
    assert!(largest > 1.0);
    run.near("grid", expected, 2e-3);
    assert_eq!(
        run.after("counts", i32::from_le_bytes).iter().sum::<i32>(),
        60
    );
}

#[test]
fn cutcp_sums_over_atoms() {
    let run = Run::of("cutcp");
    let atoms = run.doubles("atoms");
    let expected = (0..2048).map(|point| {
        let at = [point % 16, point / 16 % 16, point / 256].map(|axis| axis as f64 * 0.5);
        let term = |(atom, own): (usize, &[f64])| {
            let bin = [atom / 8 % 2, atom / 16, 0].map(|axis| axis as f64);
            let along = (0..3).map(|axis| (own[axis] + bin[axis]) * 4.0 - at[axis]);
            let square: f64 = along.map(|along| along * along).sum();
            let shape = 1.0 - square / 16.0;
            if shape > 0.0 {
                own[3] / square.sqrt() * shape * shape
            } else {
                0.0
            }
        };
        atoms.chunks(4).enumerate().map(term).sum::<f64>()
    });
    run.near("potential", expected, 1e-3);
}

#[test]
fn tpacf_counts_pairs() {
    let run = Run::of("tpacf");
    let raw = ["x", "y", "z"].map(|name| run.before(name, f32::from_le_bytes));
    let mut points = vec![[0.0f32; 3]; 240];
    for (place, point) in points.iter_mut().enumerate() {
        let [x, y, z] = [0, 1, 2].map(|axis| raw[axis][place]);
        let scale = 1.0 / (x * x + y * y + z * z).sqrt();
        *point = [x * scale, y * scale, z * scale];
    }
    let edges: Vec<f32> = super::numbers(&run.placed.symbols[0].bytes, f32::from_le_bytes);
    let mut bins = [0; 40];
    for (own, a) in points[..120].iter().enumerate() {
        for (other, b) in points.iter().enumerate().skip(own + 1) {
            let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let bin = edges.iter().filter(|edge| cosine >= **edge).count();
            if other < 120 {
                bins[bin] += 1;
            }
        }
        for b in &points[120..] {
            let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            bins[20 + edges.iter().filter(|edge| cosine >= **edge).count()] += 1;
        }
    }
    let counted = run.after("histograms", u32::from_le_bytes);
    assert_eq!(counted, bins);
    assert_eq!(counted.iter().sum::<u32>(), 120 * 119 / 2 + 120 * 120);
}

#[test]
fn sad_compares_blocks() {
    let run = Run::of("sad");
    let [frame, before] = ["frame", "before"].map(|name| run.before(name, u16::from_le_bytes));
    let there = |x: i32, y: i32| before[(y.clamp(0, 7) * 16 + x.clamp(0, 15)) as usize];
    let sum = |left: i32, top: i32, edge: i32, place: i32| -> u16 {
        let (dx, dy) = (place % 33 - 16, place / 33 - 16);
        let pixels = (0..edge * edge).map(|pixel| (left + pixel % edge, top + pixel / edge));
        let off = pixels.map(|(x, y)| frame[(y * 16 + x) as usize].abs_diff(there(x + dx, y + dy)));
        off.sum()
    };
    let [sums, larger] = ["sums", "larger"].map(|name| run.after(name, u16::from_le_bytes));
    for place in 0..1089 {
        for block in 0..8 {
            let expected = sum(block % 4 * 4, block / 4 * 4, 4, place);
            assert_eq!(
                sums[(block * 1096 + place) as usize],
                expected,
                "{block} {place}"
            );
        }
        // A block of 8 x 8 has one place for its four parts, each of which ends at the edge by itself.
        for block in 0..2 {
            let expected = sum(block * 8, 0, 8, place);
            assert_eq!(
                larger[(block * 1096 + place) as usize],
                expected,
                "{block} {place}"
            );
        }
    }
}

#[test]
fn histo_cuts_counts_off() {
    let run = Run::of("histo");
    let mut bins = vec![0u8; 12288];
    for value in run.before("values", u32::from_le_bytes) {
        let bin = &mut bins[value as usize];
        *bin = (*bin + 1).min(2);
    }
    assert_eq!(run.after["bins"], bins);
    assert!(bins.contains(&2));
}

#[test]
fn bfs_finds_the_shortest_ways() {
    let run = Run::of("bfs");
    let [offsets, edges] = ["offsets", "edges"]
        .map(|name| run.before(name, |bytes| i32::from_le_bytes(bytes) as usize));
    let mut costs = vec![-1; 1000];
    let mut found = [0u32; 20];
    costs[17] = 0;
    let mut queue = VecDeque::from([17]);
    while let Some(node) = queue.pop_front() {
        found[costs[node] as usize] += 1;
        for &neighbour in &edges[offsets[node]..offsets[node + 1]] {
            if costs[neighbour] == -1 {
                costs[neighbour] = costs[node] + 1;
                queue.push_back(neighbour);
            }
        }
    }
    assert_eq!(run.after("costs", i32::from_le_bytes), costs);
    assert_eq!(
        run.after("sizes", u32::from_le_bytes),
        found[..11],
        "{found:?}"
    );
    // The last launch finds nothing.
    assert_eq!((found[9] > 0, found[10]), (true, 0), "{found:?}");
}

#[test]
fn lbm_relaxes_and_moves() {
    let (width, height, depth, margin, pitch) = (120, 6, 4, 848, 4576);
    let run = Run::of("lbm");
    let from = run.doubles("from");
    let to = run.after("to", |bytes| f64::from(f32::from_le_bytes(bytes)));
    let kinds = run.after("kinds", u8::from_le_bytes);
    let mut steps = vec![[0i32; 3]];
    for axis in 0..3 {
        for sign in [1, -1] {
            steps.push(std::array::from_fn(
                |own| if own == axis { sign } else { 0 },
            ));
        }
    }
    for [first, second] in [[1, 1], [1, -1]] {
        steps.extend([[first, second, 0], [-first, -second, 0]]);
    }
    for [first, second] in [[1, 1], [1, -1]] {
        steps.extend([[first, 0, second], [-first, 0, -second]]);
    }
    for [first, second] in [[1, 1], [1, -1]] {
        steps.extend([[0, first, second], [0, -first, -second]]);
    }
    let (mut fluid, mut moved) = (0, 0);
    for cell in 0..width * height * depth {
        let (x, y, z) = (cell % width, cell / width % height, cell / (width * height));
        let is_edge = [(x, width), (y, height), (z, depth)]
            .iter()
            .any(|&(at, size)| at == 0 || at == size - 1);
        let kind = if is_edge {
            1
        } else if y == height - 2 {
            2
        } else {
            0
        };
        assert_eq!(kinds[cell], kind, "{cell}");
        let own: Vec<f64> = (0..19)
            .map(|direction| from[direction * pitch + margin + cell])
            .collect();
        let density: f64 = own.iter().sum();
        let mut speed: [f64; 3] = std::array::from_fn(|axis| {
            let terms = steps
                .iter()
                .zip(&own)
                .map(|(step, own)| f64::from(step[axis]) * own);
            terms.sum::<f64>() / density
        });
        if kind == 2 {
            speed = [0.05, 0.0, 0.02];
        }
        let square: f64 = speed.iter().map(|speed| speed * speed).sum();
        for (direction, step) in steps.iter().enumerate() {
            let expected = if kind == 1 {
                let back = steps
                    .iter()
                    .position(|other| other.map(|axis| -axis) == *step)
                    .unwrap();
                own[back]
            } else {
                let along: f64 = step
                    .iter()
                    .zip(speed)
                    .map(|(&step, speed)| f64::from(step) * speed)
                    .sum();
                let weight = [1.0 / 3.0, 1.0 / 18.0, 1.0 / 36.0]
                    [step.iter().filter(|axis| **axis != 0).count()];
                let wanted =
                    weight * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square);
                own[direction] + 0.8 * (wanted - own[direction])
            };
            let next = (margin + cell) as i32
                + step[0]
                + (step[1] + step[2] * height as i32) * width as i32;
            let there = to[direction * pitch + next as usize];
            assert!(
                (there - expected).abs() < 1e-6,
                "{cell} {direction}: {there} {expected}"
            );
            moved += 1;
        }
        fluid += usize::from(kind != 1);
    }
    assert_eq!((fluid, moved), (118 * 4 * 2, 19 * 2880));
}
