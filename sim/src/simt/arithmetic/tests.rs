//! What [`Arithmetic`] computes is computed a second time, in another way.

mod approximate;
mod compare;
mod convert;
mod directed;
mod name;
mod real;
mod whole;

use super::super::warp::LANES;
use super::{Arithmetic, Mode, Rounding, Whole};
use fastrand::Rng;

const WHOLES: [Whole; 8] = [
    Whole::U8,
    Whole::S8,
    Whole::U16,
    Whole::S16,
    Whole::U32,
    Whole::S32,
    Whole::U64,
    Whole::S64,
];

const DIRECTIONS: [Rounding; 3] = [Rounding::Zero, Rounding::Down, Rounding::Up];

const ROUNDINGS: [Rounding; 4] = [
    Rounding::Nearest,
    Rounding::Zero,
    Rounding::Down,
    Rounding::Up,
];

/// A mode without `.ftz` and `.sat`.
fn mode(rounding: Rounding) -> Mode {
    Mode {
        rounding,
        flushes: false,
        saturates: false,
    }
}

/// Calls a function with the sources and the result of each lane.
fn each(arithmetic: Arithmetic, sources: &[[u64; 3]], mut check: impl FnMut([u64; 3], u64)) {
    for chunk in sources.chunks(LANES) {
        let lanes = std::array::from_fn(|source| {
            std::array::from_fn(|lane| chunk.get(lane).map_or(0, |sources| sources[source]))
        });
        let result = arithmetic.evaluate(lanes.each_ref());
        for (sources, result) in chunk.iter().zip(result) {
            check(*sources, result);
        }
    }
}

/// The result for these sources.
fn one(arithmetic: Arithmetic, sources: [u64; 3]) -> u64 {
    let mut all = 0;
    each(arithmetic, &[sources], |_, result| all = result);
    all
}

/// All triples of these values, each with random bits above its width, and as many random ones.
fn triples(values: &[u64], bits: u32, random: &mut Rng) -> Vec<[u64; 3]> {
    let above = u64::MAX.checked_shl(bits).unwrap_or(0);
    let mut triples = Vec::new();
    for &a in values {
        for &b in values {
            for &c in values {
                triples.push([a, b, c].map(|value| value & !above | random.u64(..) & above));
                triples.push([(); 3].map(|()| random.u64(..)));
            }
        }
    }
    triples
}

/// Bits of floating-point numbers of 32 bits: zeros, denormal numbers, powers of 2, limits and what is no number.
fn bits_of_32() -> Vec<u64> {
    let positive = [
        0x0000_0000,
        0x0000_0001,
        0x0000_0002,
        0x0040_0000,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x00ff_ffff,
        0x0100_0000,
        0x3300_0000,
        0x337f_ffff,
        0x3380_0000,
        0x3380_0001,
        0x33ff_ffff,
        0x3400_0000,
        0x3eff_ffff,
        0x3f00_0000,
        0x3f00_0001,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x3fc0_0000,
        0x4020_0000,
        0x4b00_0000,
        0x4b00_0001,
        0x4b7f_ffff,
        0x4f00_0000,
        0x4f7f_ffff,
        0x5f00_0000,
        0x7e80_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
    ];
    positive
        .into_iter()
        .flat_map(|bits| [bits, bits | 1 << 31])
        .collect()
}

/// The same numbers of 64 bits, with the neighbours of some, halfway between numbers of 32, and the limits of 64.
fn bits_of_64() -> Vec<u64> {
    let mut all = Vec::new();
    for bits in bits_of_32() {
        let wide = f64::from(f32::from_bits(bits as u32)).to_bits();
        all.extend([wide, wide + (1 << 28)]);
    }
    for bits in [
        1,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x0010_0000_0000_0001,
        0x3fef_ffff_ffff_ffff,
        0x3ff0_0000_0000_0001,
        0x4340_0000_0000_0001,
        0x43df_ffff_ffff_ffff,
        0x43e0_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0001,
        0x41df_ffff_ffe0_0000,
        0x41ef_ffff_fff0_0000,
        0x47ef_ffff_f000_0001,
        0x36a0_0000_0000_0001,
        0x3690_0000_0000_0000,
        0x3690_0000_0000_0001,
    ] {
        all.extend([bits, bits | 1 << 63]);
    }
    all
}
