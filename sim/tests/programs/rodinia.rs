//! Algorithms of the Rodinia benchmarks, and the formula of Black and Scholes.

use super::Run;

#[test]
fn nw_scores_alignments() {
    let run = Run::of("nw");
    let similarity = run.before("similarity", i32::from_le_bytes);
    let mut scores = vec![0; 65 * 65];
    for place in 0..65 {
        scores[place] = -10 * place as i32;
        scores[65 * place] = -10 * place as i32;
    }
    for row in 1..65 {
        for column in 1..65 {
            let here = 65 * row + column;
            let aligned = scores[here - 66] + similarity[64 * (row - 1) + column - 1];
            let skipped = scores[here - 1].max(scores[here - 65]) - 10;
            scores[here] = aligned.max(skipped);
        }
    }
    assert_eq!(run.after("scores", i32::from_le_bytes), scores);
}

#[test]
fn pathfinder_finds_the_cheapest_way() {
    let run = Run::of("pathfinder");
    let weights = run.before("weights", i32::from_le_bytes);
    let mut costs = run.before("costs_a", i32::from_le_bytes);
    for row in weights.chunks(480) {
        let best = |column: usize| {
            let beside = &costs[column.saturating_sub(1)..(column + 2).min(480)];
            beside.iter().min().unwrap() + row[column]
        };
        costs = (0..480).map(best).collect();
    }
    assert_eq!(run.after("costs_a", i32::from_le_bytes), costs);
}

#[test]
fn kmeans_finds_the_nearest_center() {
    let run = Run::of("kmeans");
    let points = run.before("points", f32::from_le_bytes);
    let centers: Vec<f32> = super::numbers(&run.placed.symbols[0].bytes, f32::from_le_bytes);
    let (mut members, mut sums, mut sizes) = (Vec::new(), [0; 40], [0; 5]);
    for point in 0..1000 {
        let square = |center: &[f32]| {
            let along = center
                .iter()
                .enumerate()
                .map(|(axis, center)| points[1000 * axis + point] - center);
            along.fold(0.0f32, |sum, along| along.mul_add(along, sum))
        };
        let squares: Vec<f32> = centers.chunks(8).map(square).collect();
        let nearest = (0..5)
            .min_by(|&a, &b| squares[a].total_cmp(&squares[b]))
            .unwrap();
        members.push(nearest as i32);
        sizes[nearest] += 1;
        for axis in 0..8 {
            sums[8 * nearest + axis] +=
                (points[1000 * axis + point] * 1024.0).round_ties_even() as i32;
        }
    }
    assert_eq!(run.after("members", i32::from_le_bytes), members);
    assert_eq!(run.after("sums", i32::from_le_bytes), sums);
    assert_eq!(run.after("sizes", i32::from_le_bytes), sizes);
}

#[test]
fn hotspot_warms_cells() {
    let run = Run::of("hotspot");
    let power = run.before("power", f32::from_le_bytes);
    let mut heat = run.before("heat_a", f32::from_le_bytes);
    for _ in 0..4 {
        let next = |cell: usize| {
            let (x, y, own) = (cell % 40, cell / 40, heat[cell]);
            let there = |inside: bool, cell: usize| if inside { heat[cell] } else { own };
            let left = there(x > 0, cell.wrapping_sub(1));
            let right = there(x < 39, cell + 1);
            let above = there(y > 0, cell.wrapping_sub(40));
            let below = there(y < 29, cell + 40);
            let change =
                power[cell] + (above + below - 2.0 * own) * 0.2 + (left + right - 2.0 * own) * 0.1;
            own + 0.5 * (change + (80.0 - own) * 0.05)
        };
        heat = (0..1200).map(next).collect();
    }
    assert_eq!(run.after("heat_a", f32::from_le_bytes), heat);
}

/// Subtracts the multiple of a row from those below, column by column from the one of the diagonal on.
fn eliminate(matrix: &mut [f32], size: usize, step: usize, mut done: impl FnMut(usize, f32)) {
    for row in step + 1..size {
        let factor = matrix[row * size + step] / matrix[step * size + step];
        for column in step..size {
            let place = row * size + column;
            matrix[place] = (-factor).mul_add(matrix[step * size + column], matrix[place]);
        }
        done(row, factor);
    }
}

#[test]
fn lud_finds_both_factors() {
    let run = Run::of("lud");
    let mut matrix = run.before("matrix", f32::from_le_bytes);
    for step in 0..48 {
        let mut factors = Vec::new();
        eliminate(&mut matrix, 48, step, |row, factor| {
            factors.push((row, factor))
        });
        for (row, factor) in factors {
            matrix[48 * row + step] = factor;
        }
    }
    assert_eq!(run.after("matrix", f32::from_le_bytes), matrix);
}

#[test]
fn gaussian_solves_equations() {
    let run = Run::of("gaussian");
    let [mut matrix, mut right] =
        ["matrix", "right"].map(|name| run.before(name, f32::from_le_bytes));
    for step in 0..15 {
        let own = right[step];
        eliminate(&mut matrix, 16, step, |row, factor| {
            right[row] = (-factor).mul_add(own, right[row]);
        });
    }
    assert_eq!(run.after("right", f32::from_le_bytes), right);
    let after = run.after("matrix", f32::from_le_bytes);
    assert_eq!(after, matrix);
    assert!((1..16).all(|row| {
        after[16 * row..17 * row]
            .iter()
            .all(|below| below.abs() < 1e-4)
    }));
}

#[test]
fn nn_finds_the_nearest() {
    let run = Run::of("nn");
    let records = run.before("records", f32::from_le_bytes);
    let distance = |place: &[f32]| {
        let (x, y) = (place[0] - 30.0, place[1] - 90.0);
        (x * x + y * y).sqrt()
    };
    let distances: Vec<f32> = records.chunks(2).map(distance).collect();
    let least = distances.iter().copied().fold(f32::MAX, f32::min);
    assert_eq!(run.after("distances", f32::from_le_bytes), distances);
    assert_eq!(run.after("least", f32::from_le_bytes), [least]);
}

#[test]
fn black_scholes_prices_options() {
    let run = Run::of("black-scholes");
    let [price, strike, years] = ["price", "strike", "years"].map(|name| run.doubles(name));
    // Simpson's rule from -8 on.
    let normal = |x: f64| {
        let density = |x: f64| (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
        let (from, to) = (-8.0, x.clamp(-8.0, 8.0));
        let width = (to - from) / 200.0;
        let term = |place: i32| {
            let factor = [2.0, 4.0][place as usize % 2];
            let factor = if place % 200 == 0 { 1.0 } else { factor };
            factor * density(from + f64::from(place) * width)
        };
        (0..=200).map(term).sum::<f64>() * width / 3.0
    };
    let both = |option: usize| {
        let (price, strike, years) = (price[option], strike[option], years[option]);
        let spread = 0.3 * years.sqrt();
        let first = ((price / strike).ln() + (0.02 + 0.045) * years) / spread;
        let discounted = strike * (-0.02 * years).exp();
        let call = price * normal(first) - discounted * normal(first - spread);
        [call, call + discounted - price]
    };
    let prices: Vec<_> = (0..3000).map(both).collect();
    run.near("call", prices.iter().map(|both| both[0]), 1e-4);
    run.near("put", prices.iter().map(|both| both[1]), 1e-4);
}

#[test]
fn backprop_learns() {
    let run = Run::of("backprop");
    let [inputs, weights, targets, changes] =
        ["inputs", "weights", "targets", "changes"].map(|name| run.doubles(name));
    let output = |unit: usize| {
        let sum: f64 = (0..256)
            .map(|input| inputs[input] * weights[16 * input + unit])
            .sum();
        1.0 / (1.0 + (-sum).exp())
    };
    let outputs: Vec<f64> = (0..16).map(output).collect();
    let errors = outputs
        .iter()
        .zip(&targets)
        .map(|(own, target)| own * (1.0 - own) * (target - own));
    let errors: Vec<f64> = errors.collect();
    let change =
        |place: usize| 0.3 * errors[place % 16] * inputs[place / 16] + 0.3 * changes[place];
    run.near("output", outputs.iter().copied(), 1e-5);
    run.near("error", errors.iter().copied(), 1e-5);
    run.near("changes", (0..4096).map(change), 1e-6);
    run.near(
        "weights",
        (0..4096).map(|place| weights[place] + change(place)),
        1e-6,
    );
}

#[test]
fn srad_smooths_an_image() {
    let run = Run::of("srad");
    let image = run.doubles("image");
    let beside = |pixel: usize| {
        let (x, y) = (pixel % 60, pixel / 60);
        let north = if y > 0 { pixel - 60 } else { pixel };
        let south = if y < 43 { pixel + 60 } else { pixel };
        let west = if x > 0 { pixel - 1 } else { pixel };
        let east = if x < 59 { pixel + 1 } else { pixel };
        [north, south, west, east]
    };
    let rate = |pixel: usize| {
        let slopes = beside(pixel).map(|other| (image[other] - image[pixel]) / image[pixel]);
        let slope: f64 = slopes.iter().map(|slope| slope * slope).sum();
        let curve: f64 = slopes.iter().sum();
        let speckle = (0.5 * slope - curve * curve / 16.0) / (1.0 + 0.25 * curve).powi(2);
        let excess = (speckle - 0.05) / (0.05 * 1.05);
        (1.0 / (1.0 + excess)).clamp(0.0, 1.0)
    };
    let rates: Vec<f64> = (0..2640).map(rate).collect();
    let smooth = |pixel: usize| {
        let around = beside(pixel);
        let rates = [
            rates[pixel],
            rates[around[1]],
            rates[pixel],
            rates[around[3]],
        ];
        let change: f64 = around
            .iter()
            .zip(rates)
            .map(|(&other, rate)| rate * (image[other] - image[pixel]))
            .sum();
        image[pixel] + 0.125 * change
    };
    run.near("rates", rates.iter().copied(), 2e-5);
    run.near("smooth", (0..2640).map(smooth), 1e-5);
    assert!(rates.iter().any(|rate| *rate < 0.5) && rates.iter().any(|rate| *rate > 0.99));
}
