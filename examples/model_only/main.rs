//! A load that faults, is replayed and commits, on the reference model of the replay queue with 64 entries:
//!
//! ```text
//! cargo run -p faultline-sim --example model_only
//! ```
//!
//! It prints what the test bench in `examples/verilog_only` prints of the Verilog. The ports are described in
//! `docs/blocks/replay_queue.md`.

use faultline_sim::ports::Model as _;
use faultline_sim::sm::replay_queue::{Inputs, Instruction, Outputs, Parameters, ReplayQueue};

/// Lanes of every load.
const LANES: u32 = 0xffff_0001;
/// Cycles within which a replay comes.
const PATIENCE: u64 = 300;

/// The queue, the number of the current cycle, and a line for each event.
struct Bench {
    queue: ReplayQueue,
    now: u64,
    events: Vec<String>,
}

impl Bench {
    fn event(&mut self, text: &str) {
        self.events.push(format!("cycle {}: {text}", self.now));
    }

    /// Ends the current cycle, which has these inputs.
    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.now += 1;
        self.queue.cycle(inputs)
    }

    /// Cycles without inputs until an output is high in the current one.
    fn wait(&mut self, is_high: fn(&Outputs) -> bool) -> Outputs {
        let end = self.now + PATIENCE;
        loop {
            let outputs = self.queue.outputs(&Inputs::default());
            if is_high(&outputs) {
                return outputs;
            }
            assert!(self.now < end, "nothing comes in {PATIENCE} cycles");
            self.cycle(&Inputs::default());
        }
    }

    /// Offers a load for one cycle; it has to be accepted into this entry.
    fn load(&mut self, load: &Instruction, entry: u8) {
        let outputs = self.cycle(&insert(load));
        assert!(outputs.insert_ready, "there is room");
        assert_eq!(outputs.insert_index, entry);
        let Instruction { warp, pc, .. } = load;
        let issue = format!("warp {warp} issues the load at pc {pc}, entry {entry}");
        self.events.push(format!("cycle {}: {issue}", self.now - 1));
    }
}

/// A load by the register with its address. The highest register is the zero register.
fn load(warp: u8, pc: u32, address_register: u8, destination: u8) -> Instruction {
    Instruction {
        warp,
        pc,
        address_register,
        destination,
        data_register: u8::MAX,
        mask: LANES,
        ..Instruction::default()
    }
}

/// A cycle in which an instruction is issued.
fn insert(instruction: &Instruction) -> Inputs {
    let mut inputs = Inputs::default();
    inputs.insert(instruction, false);
    inputs
}

/// What happens, a line for each event.
fn replay() -> Vec<String> {
    let mut bench = Bench {
        queue: ReplayQueue::new(Parameters::with_entries(64)),
        now: 1,
        events: Vec::new(),
    };
    // Register 8 of warp 1 holds the address of the load that faults.
    let faulting = load(1, 32, 8, 10);
    bench.load(&load(1, 16, 7, 9), 0);
    bench.load(&faulting, 1);
    bench.load(&load(2, 16, 7, 9), 2);

    // The older load of warp 1 translates and commits. The younger one has no page.
    bench.event("entry 0 passes its last TLB check, entry 1 faults");
    bench.cycle(&Inputs {
        checked_valid: true,
        checked_index: 0,
        faulted_valid: true,
        faulted_index: 1,
        ..Inputs::default()
    });
    bench.event("entry 0 commits");
    bench.cycle(&Inputs {
        committed_valid: true,
        committed_index: 0,
        ..Inputs::default()
    });
    let looks = Inputs {
        held_warp: 1,
        held_register: 8,
        ..Inputs::default()
    };
    assert!(bench.queue.outputs(&looks).held, "the address is kept");

    // While the load waits, warp 1 issues nothing newer; warp 2 does, and takes the entry that the commit freed.
    let newer = bench.queue.outputs(&insert(&load(1, 48, 8, 10)));
    assert!(!newer.insert_ready);
    bench.event("warp 1 waits for its page");
    bench.load(&load(2, 32, 8, 10), 0);

    // The page has come.
    bench.event("the page is there, warp 1 resumes");
    let resumes = bench.cycle(&Inputs {
        resume_valid: true,
        resume_warp: 1,
        ..Inputs::default()
    });
    assert!(resumes.resume_ready);
    let offer = bench.wait(|outputs| outputs.replay_valid);
    assert_eq!((offer.entry_index, offer.entry()), (1, faulting));
    bench.event(&format!(
        "the load at pc {} of warp {} is replayed, lanes {:x}",
        offer.entry_pc, offer.entry_warp, offer.entry_mask
    ));
    bench.cycle(&Inputs {
        replay_ready: true,
        ..Inputs::default()
    });
    bench.wait(|outputs| outputs.replay_done);
    bench.cycle(&Inputs::default());

    bench.cycle(&Inputs {
        checked_valid: true,
        checked_index: 1,
        ..Inputs::default()
    });
    assert!(!bench.queue.outputs(&looks).held, "the address is free");
    bench.event("it commits");
    bench.cycle(&Inputs {
        committed_valid: true,
        committed_index: 1,
        ..Inputs::default()
    });
    // What warp 2 issued is still in flight.
    assert_eq!(bench.queue.outputs(&Inputs::default()).occupancy, 2);
    bench.events
}

fn main() {
    for event in replay() {
        println!("{event}");
    }
    println!("PASS");
}

#[test]
fn load_is_replayed_and_commits() {
    let events = replay();
    assert_eq!(events.len(), 10);
    let last = [
        "cycle 24: the load at pc 32 of warp 1 is replayed, lanes ffff0001",
        "cycle 27: it commits",
    ];
    assert_eq!(events[8..], last);
}
