//! Single-ported memory of any word count, in one or more banks: the only storage beside registers.

use rust_hdl::prelude::*;

/// A kind of memory macro that a design uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// The Verilog module to swap for a macro, `sram_<words>x<bits>`.
    pub module: String,
    /// Words of one macro.
    pub words: usize,
    /// Bits of one word.
    pub bits: usize,
    /// A write may leave some of them as they are: the macro has a port `mask`.
    pub masked: bool,
    /// How many of them the design holds.
    pub instances: usize,
}

/// A single-ported synchronous memory. An access is a cycle with `enable`: a write takes `data`, a read shows the
/// word on `q` from the next cycle on, and `q` holds until the next read. A word is `ELEMENTS` elements of type `T`,
/// spread evenly over the banks. Nothing resets the contents.
#[derive(LogicBlock)]
pub struct Memory<T: Synth, const ADDRESS: usize, const ELEMENTS: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// An access takes place.
    pub enable: Signal<In, Bit>,
    /// The access is a write.
    pub write: Signal<In, Bit>,
    /// Number of the word that is read or written, below the number of words.
    pub address: Signal<In, Bits<ADDRESS>>,
    /// Word to write.
    pub data: [Signal<In, T>; ELEMENTS],
    /// Word that was read last.
    pub q: [Signal<Out, T>; ELEMENTS],
    _contents: Vec<[T; ELEMENTS]>,
    _banks: usize,
}

impl<T: Synth, const ADDRESS: usize, const ELEMENTS: usize> Memory<T, ADDRESS, ELEMENTS> {
    /// A memory of `words` words in `banks` banks.
    ///
    /// # Panics
    /// If `ADDRESS` address bits do not fit `words`, or `banks` does not divide the word.
    pub fn new(words: usize, banks: usize) -> Self {
        assert!(
            words > 1 && clog2(words) == ADDRESS,
            "{ADDRESS} address bits do not fit {words} words"
        );
        assert!(
            ELEMENTS.is_multiple_of(banks),
            "{banks} banks do not divide {ELEMENTS} elements"
        );
        Self {
            clock: Signal::default(),
            enable: Signal::default(),
            write: Signal::default(),
            address: Signal::default(),
            data: std::array::from_fn(|_| Signal::default()),
            q: std::array::from_fn(|_| Signal::default()),
            _contents: vec![[T::default(); ELEMENTS]; words],
            _banks: banks,
        }
    }

    /// The macros that it is made of.
    fn usage(&self) -> MemoryUse {
        let (words, bits) = (self._contents.len(), T::BITS * ELEMENTS / self._banks);
        MemoryUse {
            module: format!("sram_{words}x{bits}"),
            words,
            bits,
            masked: false,
            instances: self._banks,
        }
    }
}

crate::part!([T: Synth, const ADDRESS: usize, const ELEMENTS: usize] Memory<T, ADDRESS, ELEMENTS>, clock; usage);

impl<T: Synth, const ADDRESS: usize, const ELEMENTS: usize> Logic for Memory<T, ADDRESS, ELEMENTS> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.enable.val() {
            let address = self.address.val().index();
            if self.write.val() {
                for (word, data) in self._contents[address].iter_mut().zip(&self.data) {
                    *word = data.val();
                }
            } else {
                for (q, word) in self.q.iter_mut().zip(&self._contents[address]) {
                    q.next = *word;
                }
            }
        }
    }

    fn connect(&mut self) {
        self.q.iter_mut().for_each(|q| q.connect());
    }

    fn hdl(&self) -> Verilog {
        let MemoryUse {
            module,
            words,
            bits,
            instances,
            ..
        } = self.usage();
        let sram = format!(
            "// A single-ported memory of {words} words of {bits} bits: swap it for a macro of the same ports.
module {module} (
    input  wire {clock:>8}clock,
    input  wire {clock:>8}enable,
    input  wire {clock:>8}write,
    input  wire {address:>7} address,
    input  wire {width:>7} data,
    output reg  {width:>7} q
);
    reg {width} contents [0:{last}];
    // Drives output q in a read and the contents in a write: one port does both.
    always @(posedge clock) begin : drive_contents_and_q
        if (enable) begin
            if (write) contents[address] <= data;
            else       q <= contents[address];
        end
    end
endmodule
",
            clock = "",
            address = format!("[{}:0]", ADDRESS - 1),
            width = format!("[{}:0]", bits - 1),
            last = words - 1,
        );
        if instances == 1 {
            return Verilog::Blackbox(BlackBox {
                name: module,
                code: sram,
            });
        }
        let name = format!("memory_{instances}_of_{words}x{bits}");
        let total = bits * instances;
        let code = format!(
            "{sram}
// {instances} banks side by side make a word of {total} bits.
module {name} (
    input  wire {clock:>9}clock,
    input  wire {clock:>9}enable,
    input  wire {clock:>9}write,
    input  wire {address:>8} address,
    input  wire {width:>8} data,
    output wire {width:>8} q
);
    genvar bank;
    generate
        for (bank = 0; bank < {instances}; bank = bank + 1) begin : banks
            {module} sram (
                .clock(clock), .enable(enable), .write(write), .address(address),
                .data(data[bank*{bits} +: {bits}]), .q(q[bank*{bits} +: {bits}])
            );
        end
    endgenerate
endmodule
",
            clock = "",
            address = format!("[{}:0]", ADDRESS - 1),
            width = format!("[{}:0]", total - 1),
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
