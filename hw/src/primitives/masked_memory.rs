//! Single-ported memory of which a write may change some bits of a word.

use rust_hdl::prelude::*;

use crate::primitives::memory::MemoryUse;

/// A [`Memory`](crate::primitives::memory::Memory) of one bank with a mask: a write takes those bits of `data` whose bit in `mask`
/// is high, and leaves the others.
#[derive(LogicBlock)]
pub struct MaskedMemory<const WORD: usize, const ADDRESS: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// An access takes place.
    pub enable: Signal<In, Bit>,
    /// The access is a write.
    pub write: Signal<In, Bit>,
    /// Number of the word that is read or written, below the number of words.
    pub address: Signal<In, Bits<ADDRESS>>,
    /// Word to write.
    pub data: Signal<In, Bits<WORD>>,
    /// Bits of the word that are written, one bit each.
    pub mask: Signal<In, Bits<WORD>>,
    /// Word that was read last.
    pub q: Signal<Out, Bits<WORD>>,
    _contents: Vec<Bits<WORD>>,
}

impl<const WORD: usize, const ADDRESS: usize> MaskedMemory<WORD, ADDRESS> {
    /// The macro that it is.
    fn usage(&self) -> MemoryUse {
        let words = self._contents.len();
        MemoryUse {
            module: format!("sram_{words}x{WORD}_masked"),
            words,
            bits: WORD,
            masked: true,
            instances: 1,
        }
    }
}

impl<const WORD: usize, const ADDRESS: usize> Default for MaskedMemory<WORD, ADDRESS> {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            enable: Signal::default(),
            write: Signal::default(),
            address: Signal::default(),
            data: Signal::default(),
            mask: Signal::default(),
            q: Signal::default(),
            _contents: vec![Bits::default(); 1 << ADDRESS],
        }
    }
}

crate::part!([const WORD: usize, const ADDRESS: usize] MaskedMemory<WORD, ADDRESS>, clock; usage);

impl<const WORD: usize, const ADDRESS: usize> Logic for MaskedMemory<WORD, ADDRESS> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.enable.val() {
            let word = &mut self._contents[self.address.val().index()];
            if self.write.val() {
                let mask = self.mask.val();
                *word = (*word & !mask) | (self.data.val() & mask);
            } else {
                self.q.next = *word;
            }
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        let MemoryUse {
            module,
            words,
            bits,
            ..
        } = self.usage();
        let code = format!(
            "// A single-ported memory of {words} words of {bits} bits with a mask for writes: swap it for a macro of the same ports.
module {module} (
    input  wire {clock:>8}clock,
    input  wire {clock:>8}enable,
    input  wire {clock:>8}write,
    input  wire {address:>7} address,
    input  wire {width:>7} data,
    input  wire {width:>7} mask,
    output reg  {width:>7} q
);
    reg {width} contents [0:{last}];
    // Drives output q in a read and the contents in a write: one port does both, and each bit has its own
    // write enable, as block RAMs have.
    always @(posedge clock) begin : drive_contents_and_q
        integer bit_number;
        if (enable) begin
            if (write) begin
                for (bit_number = 0; bit_number < {bits}; bit_number = bit_number + 1)
                    if (mask[bit_number]) contents[address][bit_number] <= data[bit_number];
            end
            else q <= contents[address];
        end
    end
endmodule
",
            clock = "",
            address = format!("[{}:0]", ADDRESS - 1),
            width = format!("[{}:0]", bits - 1),
            last = words - 1,
        );
        Verilog::Blackbox(BlackBox { name: module, code })
    }
}
