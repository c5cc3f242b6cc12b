//! A product of matrices, a lattice-Boltzmann step, and a histogram.

use super::Run;

#[test]
fn matrix_is_a_product() {
    let run = Run::of("matrix");
    let [a, b] = ["a", "b"].map(|name| run.before(name, f32::from_le_bytes));
    let c = run.after("c", f32::from_le_bytes);
    for (place, &sum) in c.iter().enumerate() {
        let (row, column) = (place / 48, place % 48);
        let terms = (0..32).map(|k| (a[row * 32 + k], b[k * 48 + column]));
        let expected = terms.fold(0.0, |sum, (a, b)| a.mul_add(b, sum));
        assert_eq!(sum.to_bits(), expected.to_bits(), "{place}");
    }
    let [rows, x] = ["rows", "x"].map(|name| run.before(name, f64::from_le_bytes));
    for (row, &sum) in run.after("y", f64::from_le_bytes).iter().enumerate() {
        let expected: f64 = (0..200).map(|k| rows[row * 200 + k] * x[k]).sum();
        assert!((sum - expected).abs() < 1e-12, "{row}: {sum} {expected}");
    }
    assert_eq!(
        run.after["a"],
        run.placed.buffer("a").unwrap().read(&run.placed.memory)
    );
}

#[test]
fn lattice_keeps_its_densities() {
    const DIRECTIONS: [(i64, i64, usize); 9] = [
        (0, 0, 0),
        (1, 0, 3),
        (0, 1, 4),
        (-1, 0, 1),
        (0, -1, 2),
        (1, 1, 7),
        (-1, 1, 8),
        (-1, -1, 5),
        (1, -1, 6),
    ];
    let (width, height, pitch, rate) = (100, 12, 1216, 0.6f64);
    let run = Run::of("lattice");
    let from = run.before("from", |bytes| f64::from(f32::from_le_bytes(bytes)));
    let solid = run.before("solid", u8::from_le_bytes);
    let to = run.after("to", |bytes| f64::from(f32::from_le_bytes(bytes)));
    let weight = |direction: usize| match direction {
        0 => 4.0 / 9.0,
        1..5 => 1.0 / 9.0,
        _ => 1.0 / 36.0,
    };
    for cell in 0..width * height {
        let own: Vec<f64> = (0..9)
            .map(|direction| from[direction * pitch + cell])
            .collect();
        let density: f64 = own.iter().sum();
        let along = |axis: fn((i64, i64)) -> i64| {
            let steps = DIRECTIONS.iter().map(|&(x, y, _)| axis((x, y)) as f64);
            steps.zip(&own).map(|(step, own)| step * own).sum::<f64>() / density
        };
        let (u, v) = (along(|step| step.0), along(|step| step.1));
        for (direction, &(x, y, back)) in DIRECTIONS.iter().enumerate() {
            let source = if solid[cell] == 1 { back } else { direction };
            let (moved_x, moved_y) = (DIRECTIONS[source].0 as f64, DIRECTIONS[source].1 as f64);
            let speed = moved_x * u + moved_y * v;
            let shape = 1.0 + 3.0 * speed + 4.5 * speed * speed - 1.5 * (u * u + v * v);
            let relaxed = own[source] + rate * (weight(source) * density * shape - own[source]);
            let expected = if solid[cell] == 1 {
                own[source]
            } else {
                relaxed
            };
            let next_x = (cell % width) as i64 + x;
            let next_y = (cell / width) as i64 + y;
            let next = next_y.rem_euclid(height as i64) as usize * width
                + next_x.rem_euclid(width as i64) as usize;
            let there = to[direction * pitch + next];
            assert!(
                (there - expected).abs() < 1e-6,
                "{cell} {direction}: {there} {expected}"
            );
        }
    }
}

#[test]
fn histogram_counts() {
    let run = Run::of("histogram");
    let table = run.before("table", u32::from_le_bytes);
    let mut bins = [0; 256];
    for pixel in run.before("pixels", u8::from_le_bytes) {
        bins[table[usize::from(pixel)] as usize] += 1;
    }
    assert_eq!(run.after("bins", u32::from_le_bytes), bins);
    assert_eq!(
        run.after("most", u32::from_le_bytes),
        [*bins.iter().max().unwrap()]
    );
    assert_eq!(
        run.after("packed", u8::from_le_bytes),
        bins.map(|bin| bin.min(255) as u8)
    );
    let logarithms = run.after("logarithms", f32::from_le_bytes);
    for (four, logarithm) in bins.chunks(4).zip(logarithms) {
        let expected = ((four.iter().sum::<u32>() + 1) as f32).log2();
        assert!((logarithm - expected).abs() < 1e-5);
    }
}
