//! Contract tests of the SM pipeline, each named for a guarantee of its page: monitors that follow the ports of a
//! pipeline with 4 warps under random traffic, in all back ends at once. Of the model they look only at which warps run and
//! are replayed, as the traffic does.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::VecDeque;

use faultline_sim::ports::Model;
use faultline_sim::sm::scoreboard::ZERO_REGISTER;
use faultline_sim::sm::sm_pipeline::{
    CONTROL_UNIT, Class, Inputs, MEMORY_UNIT, Outputs, Parameters, SPECIAL_UNIT, Scheme,
    SmPipeline, UNITS, WIDTH,
};
use faultline_testbench::backend::Kind;
use faultline_testbench::blocks::{self, Block};
use faultline_testbench::support;
use faultline_testbench::traffic::Traffic;

/// Every scheme in loose round robin, and the log greedily.
const FAIR: [&str; 5] = ["stall_4", "commit_4", "check_4", "queue_4", "log_4"];
const ALL: [&str; 6] = [
    "stall_4",
    "commit_4",
    "check_4",
    "queue_4",
    "log_4",
    "log_4_greedy",
];

const WARPS: usize = 4;
/// Places of the memory stage.
const PLACES: usize = 4;
/// Cycles of each configuration, and those in which the kernel, which is slow, takes part.
const CYCLES: u64 = 400_000;
const KERNEL_CYCLES: u64 = 300;
/// The number of times that an occasion must have arisen, or a test says nothing.
const OFTEN: u64 = 100;

/// A cycle, with the model as it was before.
struct Cycle<'a> {
    parameters: &'a Parameters,
    model: &'a SmPipeline,
    inputs: &'a Inputs,
    outputs: &'a Outputs,
    number: u64,
}

impl Cycle<'_> {
    /// Some warp's squashed instructions are being presented.
    fn replays(&self) -> bool {
        (0..WARPS as u8).any(|warp| self.model.is_replaying(warp))
    }
}

/// What follows the cycles of a pipeline, and knows how often its occasions have arisen.
trait Monitor: Default {
    /// Looks at a cycle without a reset.
    fn look(&mut self, cycle: &Cycle);

    /// Nothing is under way any more.
    fn reset(&mut self);

    /// The occasions of this configuration, by name.
    fn occasions(&self, scheme: Scheme) -> Vec<(&'static str, u64)>;

    /// The nearest that it came to its bound.
    fn longest(&self) -> Option<u64> {
        None
    }
}

/// Runs a monitor for each configuration: first with every back end, then without the kernel.
fn watch<M: Monitor>(configurations: &[&str]) {
    for config in configurations {
        let what = format!("holds for {}", std::any::type_name::<M>());
        let obligation = support::obligation("sm_pipeline", config, &what);
        let source = include_str!("sm_pipeline_guarantees.rs");
        obligation.of(source).meet(|| watched::<M>(config));
    }
}

fn watched<M: Monitor>(config: &str) {
    let mut monitor = M::default();
    let parameters = SmPipeline::parameters(config).unwrap();
    for (seed, kernel, cycles) in [(1, true, KERNEL_CYCLES), (2, false, CYCLES)] {
        let kinds: Vec<_> = Kind::built()
            .filter(|&kind| kernel || kind != Kind::RustHdl)
            .collect();
        let mut bench = blocks::bench_of::<SmPipeline>(config, &kinds).unwrap();
        let mut traffic = SmPipeline::traffic(parameters, seed);
        let mut model = SmPipeline::new(parameters);
        let mut inputs = Inputs::default();
        for number in 0..cycles {
            traffic.drive(&model, &mut inputs);
            let outputs = bench
                .cycle(&inputs)
                .unwrap_or_else(|error| panic!("{error}"));
            if inputs.reset {
                monitor.reset();
            } else {
                monitor.look(&Cycle {
                    parameters: &parameters,
                    model: &model,
                    inputs: &inputs,
                    outputs: &outputs,
                    number,
                });
            }
            model.cycle(&inputs);
            traffic.observe(&model, &inputs, &outputs);
        }
    }
    let occasions = monitor.occasions(parameters.scheme);
    println!("{config}: {occasions:?}, longest {:?}", monitor.longest());
    for (occasion, times) in occasions {
        assert!(times > OFTEN, "{config}: {occasion} only {times} times");
    }
}

/// An instruction, as `fetched` and `read` show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Instruction {
    class: Class,
    destination: u8,
    sources: [u8; 3],
    pc: u64,
    mask: u64,
    opcode: u64,
}

impl Instruction {
    fn fetched(inputs: &Inputs, port: usize) -> Self {
        Self {
            class: Class::of(inputs.fetched_class[port]),
            destination: inputs.fetched_destination[port] as u8,
            sources: [
                inputs.fetched_source_a[port] as u8,
                inputs.fetched_source_b[port] as u8,
                inputs.fetched_source_c[port] as u8,
            ],
            pc: inputs.fetched_pc[port],
            mask: inputs.fetched_mask[port],
            opcode: inputs.fetched_opcode[port],
        }
    }

    fn writes(&self, register: u8) -> bool {
        register != ZERO_REGISTER && self.destination == register
    }

    fn reads(&self, register: u8) -> bool {
        register != ZERO_REGISTER && self.sources.contains(&register)
    }
}

/// An instruction in operand read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Issued {
    warp: usize,
    entry: usize,
    instruction: Instruction,
    replayed: bool,
    restored: bool,
}

impl Issued {
    /// It is on its way to the replay queue, if there is one.
    fn enters_queue(&self) -> bool {
        self.instruction.class.is_global() && !self.replayed
    }
}

/// Operand read, the one that shows what was issued in the cycle before: in program order, if both are of one warp.
#[derive(Default)]
struct OperandRead {
    /// A saved instruction was taken in the cycle before, and is on port 0 now.
    restores: bool,
    now: Vec<Issued>,
}

impl OperandRead {
    fn begin(&mut self, cycle: &Cycle) {
        let &Cycle {
            inputs, outputs, ..
        } = cycle;
        self.now.clear();
        for port in 0..WIDTH {
            let restored = port == 0 && self.restores;
            if outputs.read_valid[port] == 0 && !restored {
                continue;
            }
            self.now.push(Issued {
                warp: outputs.read_warp[port] as usize,
                entry: outputs.read_entry[port] as usize,
                instruction: Instruction {
                    class: Class::of(outputs.read_class[port]),
                    destination: outputs.read_destination[port] as u8,
                    sources: [
                        outputs.read_source_a[port] as u8,
                        outputs.read_source_b[port] as u8,
                        outputs.read_source_c[port] as u8,
                    ],
                    pc: outputs.read_pc[port],
                    mask: outputs.read_mask[port],
                    opcode: outputs.read_opcode[port],
                },
                replayed: outputs.read_replayed[port] == 1,
                restored,
            });
        }
        // The older one of a warp is on the warp's own port.
        if self.now.len() == WIDTH
            && self.now[0].warp == self.now[1].warp
            && self.now[0].warp % 2 == 1
        {
            self.now.swap(0, 1);
        }
        self.restores = inputs.restore_valid && outputs.restore_ready;
    }

    /// What was issued for the first time.
    fn first_issues(&self) -> impl Iterator<Item = &Issued> {
        let first = |issued: &&Issued| !issued.replayed && !issued.restored;
        self.now.iter().filter(first)
    }
}

/// The memory stage: what has read its operands and not left it yet, oldest first.
#[derive(Default)]
struct Stage {
    held: VecDeque<Issued>,
    /// The front only goes to the queue: that it has left is seen in the next cycle.
    squashed: bool,
}

impl Stage {
    /// The front is the oldest that has not left. Gives what has left for the queue alone in the cycle before.
    fn begin(&mut self, cycle: &Cycle) -> Option<Issued> {
        let Outputs {
            memory_warp,
            memory_entry,
            memory_class,
            memory_pc,
            memory_mask,
            memory_opcode,
            memory_replayed,
            ..
        } = *cycle.outputs;
        let shown = cycle.outputs.memory_front.then_some((
            (usize::from(memory_warp), usize::from(memory_entry)),
            (Class::of(memory_class.into()), memory_replayed),
            [memory_pc.into(), memory_mask.into(), memory_opcode.into()],
        ));
        let expected = |held: &VecDeque<Issued>| {
            held.front().map(|issued| {
                let Instruction {
                    class,
                    pc,
                    mask,
                    opcode,
                    ..
                } = issued.instruction;
                (
                    (issued.warp, issued.entry),
                    (class, issued.replayed),
                    [pc, mask, opcode],
                )
            })
        };
        let left = if self.squashed && shown != expected(&self.held) {
            self.held.pop_front()
        } else {
            None
        };
        let number = cycle.number;
        assert_eq!(shown, expected(&self.held), "cycle {number}");
        left
    }

    /// The front may leave, and what reads its operands enters.
    fn end(&mut self, cycle: &Cycle, read: &OperandRead) {
        let outputs = cycle.outputs;
        if outputs.memory_valid && cycle.inputs.memory_ready {
            self.held.pop_front();
        }
        self.squashed = outputs.memory_front && outputs.memory_squashed;
        let memory = |issued: &&Issued| issued.instruction.class.is_memory();
        self.held.extend(read.now.iter().filter(memory));
    }
}

/// What was fetched and not issued, of each warp, oldest first.
#[derive(Default)]
struct Buffers([VecDeque<Instruction>; WARPS]);

impl Buffers {
    fn begin(&mut self, cycle: &Cycle, read: &OperandRead) {
        for issued in read.first_issues() {
            let first = self.0[issued.warp].pop_front();
            let number = cycle.number;
            assert_eq!(first, Some(issued.instruction), "cycle {number}");
        }
    }

    fn end(&mut self, cycle: &Cycle) {
        let outputs = cycle.outputs;
        for port in 0..WIDTH {
            if outputs.fetch_valid[port] & cycle.inputs.fetched_valid[port] == 1 {
                let fetched = Instruction::fetched(cycle.inputs, port);
                self.0[outputs.fetch_warp[port] as usize].push_back(fetched);
            }
        }
        if outputs.revert_valid {
            self.0[usize::from(outputs.revert_warp)].clear();
        }
    }

    /// The next instruction of each warp.
    fn next(&self) -> [Option<Instruction>; WARPS] {
        std::array::from_fn(|warp| self.0[warp].front().copied())
    }
}

/// What was issued and has neither finished nor been squashed, of each warp, by its entry.
#[derive(Default)]
struct Flights([[Option<Flight>; 16]; WARPS]);

#[derive(Clone, Copy)]
struct Flight {
    instruction: Instruction,
    checked: bool,
}

impl Flights {
    fn begin(&mut self, read: &OperandRead, squashed: Option<Issued>) {
        if let Some(left) = squashed {
            self.0[left.warp][left.entry] = None;
        }
        for issued in &read.now {
            self.0[issued.warp][issued.entry] = Some(Flight {
                instruction: issued.instruction,
                checked: false,
            });
        }
    }

    fn end(&mut self, cycle: &Cycle) {
        let inputs = cycle.inputs;
        if inputs.checked_valid && cycle.outputs.checked_ready {
            let warp = usize::from(inputs.checked_warp);
            if let Some(flight) = &mut self.0[warp][usize::from(inputs.checked_entry)] {
                flight.checked = true;
            }
        }
        for unit in (0..UNITS).filter(|&unit| inputs.finished_valid[unit] == 1) {
            let warp = inputs.finished_warp[unit] as usize;
            self.0[warp][inputs.finished_entry[unit] as usize] = None;
        }
        if inputs.faulted_valid {
            self.0[usize::from(inputs.faulted_warp)][usize::from(inputs.faulted_entry)] = None;
        }
    }

    fn of(&self, warp: usize) -> impl Iterator<Item = &Flight> {
        self.0[warp].iter().flatten()
    }
}

/// Whether a thread block is leaving.
#[derive(Default)]
struct Save(bool);

impl Save {
    /// Whether a save goes on: from the cycle in which it is accepted to the one in which it is done.
    fn goes_on(&mut self, cycle: &Cycle) -> bool {
        let outputs = cycle.outputs;
        let goes_on = self.0 || (cycle.inputs.save_valid && outputs.save_ready);
        self.0 = goes_on && !outputs.save_done;
        goes_on
    }
}

/// Slots of thread blocks.
const SLOTS: usize = 16;

/// Log entries in use, by slot: at least those that are, for what is given back counts until the log has it for certain.
#[derive(Default)]
struct LogUse {
    /// Entries of each slot.
    size: usize,
    used: [usize; SLOTS],
    slot_of: [usize; WARPS],
    /// What is given back: cycles until it counts, and its slot.
    returning: VecDeque<(u8, usize)>,
}

/// Cycles after which the log has an entry that is given back.
const RETURNED: u8 = 4;

/// Log entries that an instruction needs.
fn log_entries(class: Class) -> usize {
    match class {
        Class::Load => 1,
        Class::Store => 2,
        _ => 0,
    }
}

impl LogUse {
    fn free(&self, warp: usize) -> usize {
        self.size.saturating_sub(self.used[self.slot_of[warp]])
    }

    /// What is given back and, after it was looked at, what reads its operands.
    fn end(&mut self, cycle: &Cycle, read: &OperandRead) {
        let Cycle {
            parameters,
            inputs,
            outputs,
            ..
        } = *cycle;
        if parameters.scheme != Scheme::OperandLog {
            return;
        }
        if inputs.launch_valid {
            self.size = inputs.launch_entries.into();
        }
        if inputs.start_valid {
            self.slot_of[usize::from(inputs.start_warp)] = inputs.start_slot.into();
        }
        for issued in read.now.iter().filter(|issued| issued.enters_queue()) {
            self.used[self.slot_of[issued.warp]] += log_entries(issued.instruction.class);
        }
        for (left, _) in &mut self.returning {
            *left -= 1;
        }
        while let Some(&(0, slot)) = self.returning.front() {
            self.used[slot] -= 1;
            self.returning.pop_front();
        }
        if inputs.checked_valid && outputs.checked_ready {
            let of = if inputs.checked_store { 2 } else { 1 };
            let slot = usize::from(inputs.checked_slot);
            self.returning.extend(vec![(RETURNED, slot); of]);
        }
        if outputs.spilled_valid {
            let slot = usize::from(inputs.save_slot);
            self.returning.push_back((RETURNED, slot));
        }
    }
}

/// G4: what is read by a unit of which there is one, and what the memory stage does with it.
#[derive(Default)]
struct SingleUnits {
    read: OperandRead,
    stage: Stage,
    buffers: Buffers,
    /// What the warps had next in the cycle before.
    next: [Option<Instruction>; WARPS],
    /// Instructions of each unit that another warp's next one wanted too.
    contested: [u64; UNITS],
    /// Cycles with two instructions, and those in which one entered a memory stage that had one place left, or was full.
    pairs: u64,
    last_place: u64,
    full: u64,
}

impl Monitor for SingleUnits {
    fn look(&mut self, cycle: &Cycle) {
        let number = cycle.number;
        self.read.begin(cycle);
        self.stage.begin(cycle);
        let mut sent = [0; UNITS];
        for issued in &self.read.now {
            let Some(unit) = issued.instruction.class.single_unit() else {
                continue;
            };
            sent[unit] += 1;
            let wants = |next: &Instruction| next.class.single_unit() == Some(unit);
            let others = (0..WARPS).filter(|&warp| warp != issued.warp);
            let mut others = others.filter_map(|warp| self.next[warp]);
            self.contested[unit] += u64::from(others.any(|next| wants(&next)));
        }
        assert!(
            sent.iter().all(|&sent| sent <= 1),
            "cycle {number}: {sent:?}"
        );
        let held = self.stage.held.len();
        assert!(held <= PLACES, "cycle {number}: {held} in the memory stage");
        self.pairs += u64::from(self.read.now.len() == WIDTH);
        self.last_place += u64::from(held == PLACES - 1 && sent[MEMORY_UNIT] == 1);
        self.full += u64::from(held == PLACES);
        self.buffers.begin(cycle, &self.read);
        self.next = self.buffers.next();
        self.buffers.end(cycle);
        self.stage.end(cycle, &self.read);
    }

    fn reset(&mut self) {
        *self = Self {
            contested: self.contested,
            pairs: self.pairs,
            last_place: self.last_place,
            full: self.full,
            ..Self::default()
        };
    }

    fn occasions(&self, _: Scheme) -> Vec<(&'static str, u64)> {
        vec![
            ("two instructions in a cycle", self.pairs),
            (
                "the unit for special functions or control is contested",
                self.contested[SPECIAL_UNIT] + self.contested[CONTROL_UNIT],
            ),
            ("the memory unit is contested", self.contested[MEMORY_UNIT]),
            (
                "the last place of the memory stage is taken",
                self.last_place,
            ),
            ("the memory stage is full", self.full),
        ]
    }
}

/// G4: operand read sends a single unit one instruction a cycle at most, and all that it sends to the memory stage, which
/// never holds more than it has places for, comes to its front in order and unchanged.
#[test]
fn single_unit_gets_one_instruction_a_cycle() {
    watch::<SingleUnits>(&ALL);
}

/// G6: how long the front of the memory stage has stood there.
#[derive(Default)]
struct Front {
    read: OperandRead,
    stage: Stage,
    save: Save,
    /// Cycles that count in which it stood, and those since it came or was refused, whether a thread block leaves or not.
    stood: u64,
    in_a_row: u64,
    /// Whether the cycle before is one of either, if the front has not left in it.
    stands: [bool; 2],
    /// The memory unit has refused it, or a fault was reported while it was there.
    refused: bool,
    fault: bool,
    /// What has left: after a refusal, after a fault, and after having stood for a cycle; and the longest that one stood.
    left_refused: u64,
    left_fault: u64,
    left_late: u64,
    longest: u64,
}

/// Cycles within which the front leaves.
const LEAVES: u64 = 6;

impl Front {
    fn leaves(&mut self) {
        self.left_refused += u64::from(self.refused);
        self.left_fault += u64::from(self.fault);
        self.left_late += u64::from(self.in_a_row > 0);
        self.longest = self.longest.max(self.in_a_row.max(self.stood) + 1);
        (self.stood, self.in_a_row, self.stands) = (0, 0, [false; 2]);
        (self.refused, self.fault) = (false, false);
    }
}

impl Monitor for Front {
    fn look(&mut self, cycle: &Cycle) {
        let Cycle {
            inputs,
            outputs,
            number,
            ..
        } = *cycle;
        self.read.begin(cycle);
        if self.stage.begin(cycle).is_some() {
            self.leaves();
        }
        // One that leaves in its fifth cycle has stood for four.
        self.stood += u64::from(self.stands[0]);
        self.in_a_row += u64::from(self.stands[1]);
        assert!(
            self.stood < LEAVES && self.in_a_row < LEAVES,
            "cycle {number}: {:?} has stood for {LEAVES} cycles",
            self.stage.held.front()
        );
        let saves = self.save.goes_on(cycle);
        let refused = outputs.memory_valid && !inputs.memory_ready;
        if refused {
            self.in_a_row = 0;
        }
        let stands = outputs.memory_front && !refused && !inputs.faulted_valid;
        self.stands = [stands && !saves, stands];
        self.refused |= refused;
        self.fault |= outputs.memory_front && inputs.faulted_valid;
        if outputs.memory_valid && inputs.memory_ready {
            self.leaves();
        }
        self.stage.end(cycle, &self.read);
    }

    fn reset(&mut self) {
        *self = Self {
            left_refused: self.left_refused,
            left_fault: self.left_fault,
            left_late: self.left_late,
            longest: self.longest,
            ..Self::default()
        };
    }

    fn occasions(&self, scheme: Scheme) -> Vec<(&'static str, u64)> {
        let mut occasions = vec![("left after a refusal", self.left_refused)];
        if scheme.squashes() {
            occasions.push(("left after a fault", self.left_fault));
        }
        if scheme.queues() {
            occasions.push(("left after having stood", self.left_late));
        }
        occasions
    }

    fn longest(&self) -> Option<u64> {
        Some(self.longest)
    }
}

/// G6: from when it is shown, the front is gone after six cycles that count: those do not in which the memory unit refuses
/// it, a fault is reported or a thread block leaves, which reads the queue's memory again and again. Even then it does not stand
/// for six cycles in a row without having been refused.
#[test]
fn front_of_the_memory_stage_leaves_within_six_cycles() {
    watch::<Front>(&ALL);
}

/// G7: how long each warp's next instruction could have been issued.
#[derive(Default)]
struct Turns {
    read: OperandRead,
    stage: Stage,
    buffers: Buffers,
    flights: Flights,
    before: Before,
    log: LogUse,
    /// Cycles in a row in which the next instruction of a warp could have been issued, and was not.
    passed: [u64; WARPS],
    /// Instructions that were issued to the only unit of a kind while the next instruction of a warp waited for nothing but
    /// that and room in queue and log, those of its thread block if it needs log entries; and the most of them.
    overtaken: [u64; WARPS],
    overtaken_most: u64,
    overtaken_store: u64,
    /// Instructions sent towards the queue since it was last empty: if they are few, none is near the greatest age.
    sent_to_queue: u64,
    /// Next instructions that could be issued and were: at once, and after another cycle; of the latter, those of each
    /// single unit; and the longest that one waited.
    at_once: u64,
    later: u64,
    later_of: [u64; UNITS],
    longest: u64,
}

/// What is still to be known of the cycle before.
#[derive(Default)]
struct Before {
    /// The class of the next instruction of each warp that could have been issued, if none came back on its port.
    able: [Option<Class>; WARPS],
    /// The class of those that need the only unit of a kind, and whose registers are free.
    waiting: [Option<Class>; WARPS],
    /// One was offered from outside, or one of the queue may have been that was not taken.
    may_come_back: bool,
    /// Entries of the queue that are used or promised, what was issued in that cycle left aside; or none can be told.
    promised: Option<usize>,
}

/// Cycles within which an instruction is issued; those for one that needs log entries, while two of its block are free; and
/// accesses that may take entries before another one of their block.
const ISSUED: u64 = 8;
const LOGGED: u64 = 24;
const OVERTAKEN: u64 = 16;

impl Turns {
    /// Whether no instruction in flight keeps a warp's next one from its registers.
    fn registers_are_free(&self, scheme: Scheme, warp: usize, next: &Instruction) -> bool {
        let in_flight = self.flights.of(warp).all(|flight| {
            let older = &flight.instruction;
            let holds = scheme == Scheme::ReplayQueue && older.class.is_global() && !flight.checked;
            let waits = older.writes(next.destination)
                || next.reads(older.destination)
                || (holds && older.reads(next.destination));
            !waits
        });
        let mut reading = self.read.now.iter().filter(|issued| issued.warp == warp);
        in_flight && reading.all(|issued| !issued.instruction.reads(next.destination))
    }

    /// Whether the unit of a warp's instruction is free, and so are its log entries.
    fn unit_is_free(&self, cycle: &Cycle, warp: usize, class: Class, credit: bool) -> bool {
        let scheme = cycle.parameters.scheme;
        let promised = || {
            let coming = self.read.now.iter().filter(|issued| issued.enters_queue());
            Some(self.before.promised? + coming.count())
        };
        match class {
            Class::Math | Class::Control => true,
            Class::Special => cycle.inputs.special_ready,
            Class::Shared => credit,
            Class::Load | Class::Store => {
                let in_queue = || {
                    promised().is_some_and(|promised| promised + 1 < cycle.parameters.queue.entries)
                };
                let in_log = scheme != Scheme::OperandLog || self.log.free(warp) >= 2;
                credit && in_log && (!scheme.queues() || in_queue())
            }
        }
    }

    /// Counts the cycle before, now that it is seen what was issued in it.
    fn count(&mut self, scheme: Scheme, number: u64) {
        let logs = scheme == Scheme::OperandLog;
        let comes_back = self.before.may_come_back || self.read.now.iter().any(|it| it.replayed);
        for warp in 0..WARPS {
            let blocks = |class: Class| comes_back && (warp % WIDTH == 0 || class.is_memory());
            let able = self.before.able[warp].filter(|&class| !blocks(class));
            let issued = self.read.first_issues().any(|issued| issued.warp == warp);
            if let Some(class) = able.filter(|_| !issued) {
                self.passed[warp] += 1;
                let passed = self.passed[warp];
                let bound = match logs && class.is_global() {
                    true => LOGGED,
                    false => ISSUED,
                };
                assert!(
                    passed < bound,
                    "cycle {number}: warp {warp} has waited with a {class:?} for {passed} cycles"
                );
                self.longest = self.longest.max(passed);
                continue;
            }
            if let Some(class) = able {
                if self.passed[warp] == 0 {
                    self.at_once += 1;
                } else {
                    self.later += 1;
                    if let Some(unit) = class.single_unit() {
                        self.later_of[unit] += 1;
                    }
                }
            }
            self.passed[warp] = 0;
        }
        for warp in 0..WARPS {
            let issued = self.read.first_issues().any(|issued| issued.warp == warp);
            let Some(class) = self.before.waiting[warp].filter(|_| !issued) else {
                self.overtaken[warp] = 0;
                continue;
            };
            let of_its_block = logs && class.is_global();
            let before_it = |issued: &&Issued| {
                let slot_of = &self.log.slot_of;
                issued.instruction.class.single_unit() == class.single_unit()
                    && (!of_its_block
                        || issued.instruction.class.is_global()
                            && slot_of[issued.warp] == slot_of[warp])
            };
            let others = self.read.first_issues().filter(before_it).count() as u64;
            self.overtaken[warp] += others;
            let overtaken = self.overtaken[warp];
            assert!(
                overtaken < OVERTAKEN,
                "cycle {number}: warp {warp} waits with a {class:?}, and {overtaken} others have gone before it"
            );
            self.overtaken_most = self.overtaken_most.max(overtaken);
            self.overtaken_store += u64::from(others > 0 && class == Class::Store);
        }
    }
}

impl Monitor for Turns {
    fn look(&mut self, cycle: &Cycle) {
        let Cycle {
            parameters,
            inputs,
            outputs,
            ..
        } = *cycle;
        self.read.begin(cycle);
        let squashed = self.stage.begin(cycle);
        self.flights.begin(&self.read, squashed);
        self.count(parameters.scheme, cycle.number);
        self.buffers.begin(cycle, &self.read);

        let memory = |issued: &&Issued| issued.instruction.class.is_memory();
        let reading = self.read.now.iter().filter(memory).count();
        // A warp is chosen for two places, of which another one may take one.
        let credit = self.stage.held.len() + reading + 1 < PLACES;
        let able = |(warp, next): (usize, Option<Instruction>)| {
            let next = next.filter(|next| {
                cycle.model.runs(warp as u8)
                    && self.registers_are_free(parameters.scheme, warp, next)
                    && self.unit_is_free(cycle, warp, next.class, credit)
            });
            next.map(|next| next.class)
        };
        let waits = |(warp, next): (usize, Option<Instruction>)| {
            let next = next.filter(|next| {
                next.class.single_unit().is_some()
                    && cycle.model.runs(warp as u8)
                    && self.registers_are_free(parameters.scheme, warp, next)
            });
            next.map(|next| next.class)
        };
        let next = self.buffers.next();
        let waiting = std::array::from_fn(|warp| waits((warp, next[warp])));
        let able = std::array::from_fn(|warp| able((warp, next[warp])));

        let enter = |issued: &&Issued| issued.enters_queue();
        let entering = self.read.now.iter().filter(enter).count();
        let staged = self.stage.held.iter().filter(enter).count();
        self.sent_to_queue += entering as u64;
        if outputs.occupancy == 0 {
            self.sent_to_queue = (entering + staged) as u64;
        }
        let young = self.sent_to_queue < (1 << parameters.queue.age_bits) / 2;
        self.before = Before {
            able,
            waiting,
            may_come_back: inputs.restore_valid
                || (cycle.replays() && self.stage.held.len() + reading == PLACES),
            promised: young.then_some(usize::from(outputs.occupancy) + staged + entering),
        };
        self.buffers.end(cycle);
        self.flights.end(cycle);
        self.log.end(cycle, &self.read);
        self.stage.end(cycle, &self.read);
    }

    fn reset(&mut self) {
        *self = Self {
            at_once: self.at_once,
            later: self.later,
            later_of: self.later_of,
            longest: self.longest,
            overtaken_most: self.overtaken_most,
            overtaken_store: self.overtaken_store,
            ..Self::default()
        };
    }

    fn occasions(&self, scheme: Scheme) -> Vec<(&'static str, u64)> {
        let mut occasions = vec![
            ("issued at once", self.at_once),
            ("issued later", self.later),
            ("special function issued later", self.later_of[SPECIAL_UNIT]),
            ("control issued later", self.later_of[CONTROL_UNIT]),
            (
                "memory instruction issued later",
                self.later_of[MEMORY_UNIT],
            ),
        ];
        if scheme == Scheme::OperandLog {
            occasions.push(("store that others went before", self.overtaken_store));
        }
        occasions
    }

    fn longest(&self) -> Option<u64> {
        Some(self.longest)
    }
}

/// G7, as a naive scoreboard over the ports sees it. Registers are free if nothing in flight writes one of them, and nothing
/// in operand read, nor in the replay-queue scheme an unchecked access, reads the destination. The memory unit is free if the
/// stage has two places besides those that are promised, and nothing comes back; in the schemes with a queue, what goes to
/// global memory also needs two places there, and in the log scheme two free entries of its block, for one that waits for two
/// may go before it. How many go before it to the memory stage is counted whether there is room or not; where it needs log
/// entries, those of its block.
#[test]
fn ready_warp_is_issued_in_turn() {
    watch::<Turns>(&FAIR);
}

/// G8: how long the resume of a warp has been requested.
#[derive(Default)]
struct Resumes {
    read: OperandRead,
    stage: Stage,
    flights: Flights,
    save: Save,
    /// Cycles in a row in which a drained warp was held back.
    held_back: u64,
    /// Drained warps that went on at once, and after another cycle; and the longest that one was held back.
    at_once: u64,
    later: u64,
    longest: u64,
}

/// Cycles within which a drained warp goes on.
const GOES_ON: u64 = 8;

impl Monitor for Resumes {
    fn look(&mut self, cycle: &Cycle) {
        let Cycle {
            inputs,
            outputs,
            number,
            ..
        } = *cycle;
        self.read.begin(cycle);
        let squashed = self.stage.begin(cycle);
        self.flights.begin(&self.read, squashed);
        let warp = inputs.resume_warp;
        let drained = inputs.resume_valid
            && !cycle.model.runs(warp)
            && self.flights.of(warp.into()).next().is_none();
        let others = self.save.goes_on(cycle) || cycle.replays();
        if drained && !others && !outputs.resume_ready {
            self.held_back += u64::from(!inputs.faulted_valid);
            let held_back = self.held_back;
            assert!(
                held_back < GOES_ON,
                "cycle {number}: warp {warp} has drained and does not go on for {held_back} cycles"
            );
            self.longest = self.longest.max(held_back);
        } else {
            let goes_on = u64::from(drained && outputs.resume_ready);
            if self.held_back == 0 {
                self.at_once += goes_on;
            } else {
                self.later += goes_on;
            }
            self.held_back = 0;
        }
        self.flights.end(cycle);
        self.stage.end(cycle, &self.read);
    }

    fn reset(&mut self) {
        *self = Self {
            at_once: self.at_once,
            later: self.later,
            longest: self.longest,
            ..Self::default()
        };
    }

    fn occasions(&self, _: Scheme) -> Vec<(&'static str, u64)> {
        vec![
            ("went on at once", self.at_once),
            ("went on later", self.later),
        ]
    }

    fn longest(&self) -> Option<u64> {
        Some(self.longest)
    }
}

/// G8: a warp that does not run, and whose instructions have all finished, faulted or gone to the queue, is held back for less
/// than eight cycles in a row. Those in which a warp is replayed or a thread block leaves are left aside, and those do not
/// count in which a fault is reported, which goes before what the memory stage has to report.
#[test]
fn drained_warp_goes_on_within_eight_cycles() {
    watch::<Resumes>(&ALL);
}
