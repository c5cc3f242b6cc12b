//! The next state of a multiple-input signature register (MISR), for several words at a time; the state is outside. For each
//! bit there is a balanced tree, where a loop in a kernel would become a chain.
//!
//! It is no CRC: a word moves the check by two bits, where a CRC moves by all bits of the word.

use rust_hdl::prelude::*;

/// Goes on with a check over `WORDS` words of `WORD` bits, the lowest first. Each is added without carries; then the check moves
/// up by two bits, and a one that leaves it comes back as the polynomial `POLYNOMIAL`.
#[derive(LogicBlock)]
pub struct Misr<const WORDS: usize, const WORD: usize, const POLYNOMIAL: usize> {
    /// Check of the words before.
    pub so_far: Signal<In, Bits<WORD>>,
    /// Words that are added, the lowest first.
    pub of: [Signal<In, Bits<WORD>>; WORDS],
    /// Check of the words before and of those that are added.
    pub check: Signal<Out, Bits<WORD>>,
}

/// A check with a word more.
fn with(check: u64, word: u64, bits: usize, polynomial: u64) -> u64 {
    let most = u64::MAX >> (64 - bits);
    (0..2).fold(check ^ word, |sum, _| {
        let leaves = sum >> (bits - 1) & 1;
        ((sum << 1) & most) ^ (leaves * polynomial)
    })
}

impl<const WORDS: usize, const WORD: usize, const POLYNOMIAL: usize> Default
    for Misr<WORDS, WORD, POLYNOMIAL>
{
    fn default() -> Self {
        assert!(
            WORD <= 64 && POLYNOMIAL >> WORD == 0,
            "{POLYNOMIAL:#x} has more than {WORD} bits"
        );
        Self {
            so_far: Signal::default(),
            of: std::array::from_fn(|_| Signal::default()),
            check: Signal::default(),
        }
    }
}

impl<const WORDS: usize, const WORD: usize, const POLYNOMIAL: usize> Misr<WORDS, WORD, POLYNOMIAL> {
    /// The bits of a check that one of its bits comes to after so many words.
    fn reached(bit: usize, words: usize) -> u64 {
        (0..words).fold(1 << bit, |check, _| with(check, 0, WORD, POLYNOMIAL as u64))
    }

    /// The bits that come to one of the check, by their names.
    fn sources(bit: usize) -> Vec<String> {
        let comes = |reached: u64| reached >> bit & 1 == 1;
        let before = (0..WORD)
            .filter(|&from| comes(Self::reached(from, WORDS)))
            .map(|from| format!("so_far[{from}]"));
        let words = (0..WORDS * WORD)
            .filter(|from| comes(Self::reached(from % WORD, WORDS - from / WORD)))
            .map(|from| format!("of[{from}]"));
        before.chain(words).collect()
    }
}

crate::part!([const WORDS: usize, const WORD: usize, const POLYNOMIAL: usize] Misr<WORDS, WORD, POLYNOMIAL>);

impl<const WORDS: usize, const WORD: usize, const POLYNOMIAL: usize> Logic
    for Misr<WORDS, WORD, POLYNOMIAL>
{
    fn update(&mut self) {
        let so_far: u64 = self.so_far.val().into();
        let check = self.of.iter().fold(so_far, |check, word| {
            with(check, word.val().into(), WORD, POLYNOMIAL as u64)
        });
        self.check.next = check.into();
    }

    fn connect(&mut self) {
        self.check.connect();
    }

    fn hdl(&self) -> Verilog {
        let name = format!("misr_{WORDS}x{WORD}");
        let (high, wide) = (WORD - 1, WORDS * WORD - 1);
        let bits: String = (0..WORD)
            .map(|bit| {
                let sources = Self::sources(bit).join(", ");
                format!("    assign check[{bit}] = ^{{{sources}}};\n")
            })
            .collect();
        let code = format!(
            "// Goes on with a check over {WORDS} words of {WORD} bits, with the polynomial {POLYNOMIAL:#x}: each bit of it is the sum, without
// carries, of those that come to it.
module {name} (
    input  wire [{high}:0] so_far,
    input  wire [{wide}:0] of,
    output wire [{high}:0] check
);
{bits}endmodule
"
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
