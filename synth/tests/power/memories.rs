//! Memories in a netlist.

use crate::{assert_near, circuit, embedded, without_yosys};
use faultline_synth::power::{Calculator, Circuit, Kind, Simulator};
use faultline_synth::sram::Macro;
use faultline_synth::yosys::Memory;

const FIGURES: Macro = Macro {
    area_mm2: 0.0,
    leakage_mw: 0.3,
    gate_leakage_mw: 0.2,
    read_pj: 3.0,
    write_pj: 5.0,
    access_ns: 0.1,
    cycle_ns: 0.1,
    setup_ns: None,
};

fn memory(masked: bool) -> Memory {
    Memory {
        module: "sram".to_owned(),
        words: 5,
        bits: 70,
        masked,
        instances: 1,
    }
}

fn verilog(masked: bool) -> String {
    let (port, input, pin) = match masked {
        true => (", mask", "input [69:0] mask;", ", .mask(mask)"),
        false => ("", "", ""),
    };
    format!(
        "module top (clock, enable, write, address, data{port}, q);
        input clock, enable, write; input [2:0] address; input [69:0] data; {input} output [69:0] q;
        sram m (.clock(clock), .enable(enable), .write(write), .address(address), .data(data){pin}, .q(q));
        endmodule"
    )
}

struct Bench {
    circuit: Circuit,
    simulator: Simulator,
}

impl Bench {
    fn new(masked: bool) -> Self {
        let (_, cells) = embedded();
        let circuit = circuit(&verilog(masked), &cells, &[memory(masked)]);
        Self {
            simulator: Simulator::new(&circuit),
            circuit,
        }
    }

    fn set(&mut self, port: &str, words: [u64; 2]) {
        let port = crate::port(&self.circuit.inputs, port);
        self.simulator.set(port, &words);
    }

    /// Runs a cycle, and gives what `q` is after it.
    fn cycle(&mut self, enable: bool, write: bool, address: u64, data: [u64; 2]) -> [u64; 2] {
        self.set("enable", [enable.into(), 0]);
        self.set("write", [write.into(), 0]);
        self.set("address", [address, 0]);
        self.set("data", data);
        self.simulator.clock();
        self.simulator.settle();
        let mut words = [0; 2];
        self.simulator.get(&self.circuit.outputs[0], &mut words);
        words
    }
}

#[test]
fn a_memory_reads_what_was_written_and_each_access_takes_its_energy() {
    if without_yosys() {
        return;
    }
    let mut bench = Bench::new(false);
    let (one, other) = ([u64::MAX, 0x2A], [0x1234_5678, 0x15]);
    assert_eq!(
        bench.cycle(true, true, 4, one),
        [0, 0],
        "a write shows nothing"
    );
    assert_eq!(bench.cycle(true, true, 1, other), [0, 0]);
    assert_eq!(bench.cycle(true, false, 4, other), one);
    assert_eq!(bench.cycle(false, false, 1, other), one, "q holds");
    assert_eq!(
        bench.cycle(false, true, 4, other),
        one,
        "without enable nothing is written"
    );
    assert_eq!(bench.cycle(true, false, 1, one), other);
    assert_eq!(bench.cycle(true, false, 4, one), one);
    assert_eq!(
        bench.cycle(true, true, 7, other),
        one,
        "beyond the last word"
    );
    assert_eq!(bench.cycle(true, false, 7, other), [0, 0]);
    let (library, cells) = embedded();
    let calculator = Calculator::new(&bench.circuit, &cells, &library).unwrap();
    let activity = bench.simulator.activity(&bench.circuit);
    let estimate = calculator.estimate(&activity, 1000.0, &[FIGURES]);
    assert_eq!(
        (estimate.cycles, estimate.reads, estimate.writes),
        (9, 4, 3)
    );
    let memory = estimate.of_kind(Kind::Memory);
    assert_near(memory.leakage_mw, 0.5, "leakage");
    assert_near(
        memory.internal_mw,
        (4.0 * 3.0 + 3.0 * 5.0) / 9.0,
        "accesses",
    );
    // Of the clock there is the memory's pin alone: 25 fF x (1.1 V)² in each nanosecond.
    assert_near(
        estimate.of_kind(Kind::Clock).total_mw(),
        25e-3 * 1.21,
        "clock",
    );
    // Each change of q charges 10 fF and a wire to one pin.
    let changes: u32 = [([0, 0], one), (one, other), (other, one), (one, [0, 0])]
        .iter()
        .map(|(old, new)| (old[0] ^ new[0]).count_ones() + (old[1] ^ new[1]).count_ones())
        .sum();
    let wire = 1.746 * 0.1774;
    let switching = f64::from(changes) * 0.5 * (10.0 + wire) * 1.21 / 9.0 * 1e-3;
    assert_near(memory.switching_mw, switching, "switching");
}

#[test]
fn a_masked_write_changes_the_bits_of_the_mask() {
    if without_yosys() {
        return;
    }
    let mut bench = Bench::new(true);
    bench.set("mask", [u64::MAX, 0x3F]);
    bench.cycle(true, true, 2, [0xFF00, 0x3F]);
    bench.set("mask", [0x0FF0, 0x01]);
    bench.cycle(true, true, 2, [0x00FF, 0]);
    assert_eq!(bench.cycle(true, false, 2, [0, 0]), [0xF0F0, 0x3E]);
}
