//! Pointers that translate in software.

use super::Run;

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
