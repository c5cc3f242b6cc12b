//! Pointers that translate in software.

use faultline_sim::compiled::Compiled;
use faultline_sim::launch_file::LaunchFile;
use faultline_sim::machines::sm::{Difference, Parameters, Sm};
use faultline_sim::ptx::lower::Options;
use faultline_sim::ptx::parse;
use faultline_sim::sm::sm_pipeline::Scheme;

use super::Run;
use super::common::cpu;

#[test]
fn streams_are_the_same_by_plain_pointers_and_by_apointers() {
    let run = Run::of("ap-stream");
    let file = run.before("file", f32::from_le_bytes);
    let [plain, translated] =
        ["plain_sums", "sums"].map(|name| run.after(name, u32::from_le_bytes));
    assert_eq!(plain, translated);
    let [plain, translated] =
        ["plain_products", "products"].map(|name| run.after(name, u32::from_le_bytes));
    assert_eq!(plain, translated);
    for (thread, &bits) in plain.iter().enumerate() {
        let own = file[thread / 32 * 4096 + thread % 32..].iter().step_by(32);
        let sum = own.take(128).fold(0.0f32, |sum, value| {
            (0..8).fold(sum, |sum, _| sum.mul_add(0.5, *value))
        });
        assert_eq!(bits, sum.to_bits(), "{thread}");
    }
    // Every page has come once.
    assert_eq!(run.after("taken", u32::from_le_bytes), [32]);
}

#[test]
fn a_collage_has_the_nearest_tiles() {
    let run = Run::of("collage");
    let file = run.before("file", u8::from_le_bytes);
    let (tiles, image) = (&file[1024 * 32..], run.before("image", u8::from_le_bytes));
    let histogram = |pixels: &[u8]| {
        let mut bins = [0i64; 16];
        pixels
            .iter()
            .for_each(|pixel| bins[usize::from(pixel >> 4)] += 1);
        bins
    };
    let histograms: Vec<_> = tiles.chunks(256).map(histogram).collect();
    let distance = |left: [i64; 16], right: [i64; 16]| -> i64 {
        let off = left.iter().zip(right).map(|(left, right)| left - right);
        off.map(|off| off * off).sum()
    };
    let nearest: Vec<u32> = image
        .chunks(256)
        .map(|block| {
            let own = histogram(block);
            let tile = (0..1024).min_by_key(|&tile| distance(own, histograms[tile]));
            tile.unwrap() as u32
        })
        .collect();
    let result: Vec<u8> = nearest
        .iter()
        .flat_map(|&tile| tiles[256 * tile as usize..][..256].to_vec())
        .collect();
    for (indices, pixels) in [("plain_nearest", "plain_result"), ("nearest", "result")] {
        assert_eq!(run.after(indices, u32::from_le_bytes), nearest, "{indices}");
        assert_eq!(run.after[pixels], result, "{pixels}");
    }
    // All pages of histograms, and those of the tiles that were taken.
    let mut pages: Vec<u32> = nearest.iter().map(|tile| tile / 16).collect();
    pages.sort_unstable();
    pages.dedup();
    assert_eq!(
        run.after("taken", u32::from_le_bytes),
        [8 + pages.len() as u32]
    );
}

/// What the machine finds in the last launch of the collage, whose TLB and page table are read without atomics.
fn differences(recorded: bool) -> Vec<Difference> {
    let path = cpu::programs().join("collage.ptx");
    let module = parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let text = std::fs::read_to_string(path.with_extension("toml")).unwrap();
    let text = text.replace("recorded = true", &format!("recorded = {recorded}"));
    let file = LaunchFile::read(&text, "collage.toml").unwrap();
    let options = Options::default();
    let compiled = Compiled::new(&module, "collage", &file, &cpu::programs(), options).unwrap();
    let work = compiled.works().unwrap().0.pop().unwrap();
    let parameters = Parameters {
        values: true,
        ..Parameters::paper(Scheme::ReplayQueue, 16 << 10)
    };
    let outcome = Sm::new(&parameters, &work).unwrap().run(|_, _| ());
    outcome.unwrap().differences().to_vec()
}

#[test]
fn loads_that_are_recorded_return_what_the_run_without_faults_has_read() {
    assert_eq!(differences(true), []);
    assert!(differences(false).contains(&Difference::Branch));
}
