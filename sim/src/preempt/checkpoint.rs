//! The reference model of the checkpoint engine: its page (`docs/blocks/checkpoint.md`) as plain data.

use std::collections::VecDeque;

use crate::ports::Model;
use crate::preempt::context_port::{self, Beat, ContextPort, Kind};

mod interface;

pub use interface::{DOES_NOT_FIT, Inputs, Outputs, Parameters, Space};

/// What the engine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Nothing.
    Idle,
    /// It stops warps, this one next.
    Stopping(u64),
    /// It waits until nothing of the slot is under way.
    Draining,
    /// It begins a context.
    Opening,
    /// It saves dirty rows.
    SavingRegisters,
    /// It saves shared memory.
    SavingShared,
    /// It saves the SIMT state of the warps.
    SavingStates,
    /// It requests the squashed instructions.
    SavingQueue,
    /// It takes a squashed instruction, or has an operand leave the log.
    Taking,
    /// It looks whether an operand has left the log.
    Looking,
    /// It sends an operand.
    SavingOperand,
    /// It gives the end.
    Closing,
    /// It waits for the verdict of what it saved.
    Waiting,
    /// It restores, until the verdict.
    Restoring,
    /// It requests the instructions of a context that was refused.
    Clearing,
    /// It drops them.
    Dropping,
    /// It lets warps go on, this one next.
    Resuming(u64),
    /// It reports the verdict.
    Reporting,
}

/// What is requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Request {
    restores: bool,
    runs: bool,
    block: u64,
    epoch: u64,
    slot: u64,
    warps: (u64, u64),
    groups: (u64, u64),
    /// The first beat of shared memory, and how many.
    shared: (u64, u64),
    /// The first free row, and how many there are.
    room_rows: (u64, u64),
    /// The first free beat of shared memory, and how many there are.
    room_shared: (u64, u64),
    /// Beats of the context that is restored, and operands of its instructions.
    beats: u64,
    operands: u64,
    /// Its instructions come without operands.
    unlogged: bool,
}

/// The beats behind a header, of which some have still to be fetched or put.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Job {
    /// Rows, counted from the block's first one, each with its sectors.
    Rows(VecDeque<(u64, u64)>),
    /// The next beats from a number on, counted from the block's first one.
    Run { space: Space, next: u64, left: u64 },
    /// Beats that belong nowhere.
    Stray,
}

impl Job {
    fn is_empty(&self) -> bool {
        match self {
            Self::Rows(rows) => rows.is_empty(),
            Self::Run { left, .. } => *left == 0,
            Self::Stray => true,
        }
    }

    /// One beat less.
    fn advance(&mut self) {
        match self {
            Self::Rows(rows) => {
                if let Some((_, sectors)) = rows.front_mut() {
                    *sectors &= *sectors - 1;
                    if *sectors == 0 {
                        rows.pop_front();
                    }
                }
            }
            Self::Run { next, left, .. } => {
                *next += 1;
                *left = left.saturating_sub(1);
            }
            Self::Stray => {}
        }
    }
}

/// The checkpoint engine.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    parameters: Parameters,
    port: ContextPort,
    activity: Activity,
    request: Request,
    /// Dirty rows that the next header will name, with their sectors.
    gathered: Vec<(u64, u64)>,
    /// All dirty rows were found.
    found_all: bool,
    job: Job,
    /// The header that goes before the job, if it has not yet gone.
    header: Option<Beat>,
    /// The job's first beat was requested before its header has gone.
    ahead: bool,
    /// Beats behind it that have not yet gone.
    left: u64,
    /// The address of the next instruction was saved.
    has_address: bool,
    /// The operands that have come for the next instruction: whether each is data.
    came: Vec<bool>,
    /// Operands of the instructions that have left, or come back.
    operands: u64,
    /// Instructions that have come back.
    instructions: u64,
    /// All squashed instructions have left, since they were requested.
    queue_done: bool,
    /// Beats of the context that have left or come.
    beats: u64,
    /// Beats that were requested where they are kept.
    fetched: u64,
    /// Something of what is restored does not fit the block.
    strayed: bool,
    /// Shared memory has come, and SIMT state.
    has_shared: bool,
    has_states: bool,
    verdict: u64,
}

/// What a header of an instruction says.
struct Instruction {
    /// It is an operand, and the instruction comes later.
    operand: bool,
    /// It is a store; or the operand is its data.
    store: bool,
    warp: u64,
    /// What is known of it besides.
    words: [u64; 3],
}

impl Instruction {
    /// Operands that it has in the log, if there is one.
    const fn operands(&self) -> u64 {
        1 + self.store as u64
    }

    fn of(parameters: &Parameters, header: &Beat) -> Self {
        let [_, first, words @ ..] = header;
        Self {
            operand: first & 1 == 1,
            store: first >> 1 & 1 == 1,
            warp: first >> 2 & ((1 << parameters.warp_bits) - 1),
            words: [words[0], words[1], words[2]],
        }
    }

    fn header(&self, parameters: &Parameters) -> Beat {
        let first = u64::from(self.operand) | u64::from(self.store) << 1 | self.warp << 2;
        let length = match self.operand {
            true => 1 << parameters.operand_bits,
            false => 0,
        };
        let [a, b, c] = self.words;
        parameters.header(Kind::Instruction, length, &[first, a, b, c])
    }
}

impl Checkpoint {
    /// What it does.
    #[must_use]
    pub const fn activity(&self) -> Activity {
        self.activity
    }

    /// Its context port.
    #[must_use]
    pub const fn port(&self) -> &ContextPort {
        &self.port
    }

    /// The dirty rows that the next header will name.
    #[must_use]
    pub fn gathered(&self) -> usize {
        self.gathered.len()
    }

    /// Whether a beat was requested whose header has not gone.
    #[must_use]
    pub const fn is_ahead(&self) -> bool {
        self.ahead
    }

    /// Beats of the context that fit into free rows and free shared memory.
    #[must_use]
    pub const fn room(&self) -> u64 {
        let rows = self.request.room_rows.1 << self.parameters.sector_bits;
        rows + self.request.room_shared.1
    }

    /// The place of a beat of the context that is kept on the SM.
    const fn kept(&self, beat: u64) -> (Space, u64) {
        let rows = self.request.room_rows.1 << self.parameters.sector_bits;
        if beat < rows {
            let first = self.request.room_rows.0 << self.parameters.sector_bits;
            return (Space::Registers, first + beat);
        }
        let first = self.request.room_shared.0;
        (Space::SharedMemory, first + beat - rows)
    }

    /// The place of the job's next beat; nowhere if it has none, or that is not the block's.
    fn place(&self) -> Option<(Space, u64)> {
        let request = &self.request;
        let sector_bits = self.parameters.sector_bits;
        match &self.job {
            Job::Rows(rows) => {
                let &(row, sectors) = rows.front()?;
                let groups = request.groups.1.checked_sub(request.groups.0)?;
                let first = request.groups.0 << self.parameters.group_bits;
                let sector = u64::from(sectors.trailing_zeros());
                (row >> self.parameters.group_bits <= groups)
                    .then_some((Space::Registers, (first + row) << sector_bits | sector))
            }
            Job::Run { left: 0, .. } | Job::Stray => None,
            Job::Run { space, next, .. } => {
                let first = match space {
                    Space::SimtState => request.warps.0 << self.parameters.state_bits,
                    Space::SharedMemory => request.shared.0,
                    _ => 0,
                };
                Some((*space, first + next))
            }
        }
    }

    /// Beats of the SIMT state of the block.
    const fn state_beats(&self) -> u64 {
        (self.request.warps.1 + 1).saturating_sub(self.request.warps.0)
            << self.parameters.state_bits
    }

    /// What the port receives in this cycle, as far as it does not follow from what it shows.
    fn port_inputs(&self, inputs: &Inputs) -> context_port::Inputs {
        let saves = !self.request.restores;
        let in_place = self.beats < self.room();
        let kept = self.is_kept();
        context_port::Inputs {
            reset: inputs.reset,
            begin_valid: self.activity == Activity::Opening && (!saves || inputs.walk_ready),
            begin_restores: self.request.restores,
            begin_cta: self.request.block,
            begin_epoch: self.request.epoch,
            out_ready: if in_place {
                inputs.put_ready
            } else {
                inputs.out_ready
            },
            in_valid: self.activity == Activity::Restoring
                && if kept {
                    inputs.got_valid
                } else {
                    inputs.in_valid
                },
            in_last: if kept {
                self.beats + 1 == self.request.beats
            } else {
                inputs.in_last
            },
            in_beat: if kept {
                inputs.got_beat
            } else {
                inputs.in_beat
            },
            ended_ready: matches!(self.activity, Activity::Waiting | Activity::Restoring),
            ..context_port::Inputs::default()
        }
    }

    /// Whether the next beat of what is restored is on the SM.
    fn is_kept(&self) -> bool {
        self.beats < self.request.beats.min(self.room())
    }

    /// What the port is given in this cycle, if it takes it.
    fn packet(&self, inputs: &Inputs) -> Option<Beat> {
        if self.left > 0 {
            return inputs.got_valid.then_some(inputs.got_beat);
        }
        match self.activity {
            Activity::Taking => inputs.saved_valid.then(|| {
                let saved = Instruction {
                    operand: false,
                    store: inputs.saved_store,
                    warp: inputs.saved_warp.wrapping_sub(self.request.warps.0)
                        & ((1 << self.parameters.warp_bits) - 1),
                    words: inputs.saved_words,
                };
                saved.header(&self.parameters)
            }),
            Activity::Closing => Some(self.parameters.header(Kind::End, 0, &[])),
            // Of an operand, if there is one.
            Activity::Looking => self.header.filter(|_| inputs.spilled_valid),
            _ => self.header,
        }
    }

    /// What it shows for these inputs, without going on: for a caller that answers some of it in the same cycle.
    #[must_use]
    pub fn outputs(&self, inputs: &Inputs) -> Outputs {
        self.show(inputs).0
    }

    /// What it shows, and what it gives its port.
    fn show(&self, inputs: &Inputs) -> (Outputs, context_port::Inputs) {
        let mut port_inputs = self.port_inputs(inputs);
        if let Some(beat) = self.packet(inputs) {
            (port_inputs.packet_valid, port_inputs.packet_beat) = (true, beat);
        }
        let request = &self.request;
        let activity = self.activity;
        let restores = activity == Activity::Restoring;
        let shown = self.port.outputs(&port_inputs);
        let mut outputs = Outputs {
            request_ready: activity == Activity::Idle,
            save_slot: request.slot,
            save_valid: matches!(activity, Activity::SavingQueue | Activity::Clearing),
            walk_valid: activity == Activity::Opening && !request.restores,
            walk_first: request.groups.0,
            walk_last: request.groups.1,
            dirty_ready: activity == Activity::SavingRegisters
                && !self.found_all
                && self.gathered.len() < self.parameters.listed,
            total_ready: activity == Activity::SavingRegisters && !self.found_all,
            saved_ready: activity == Activity::Dropping
                || (activity == Activity::Taking && shown.packet_ready),
            out_beat: shown.out_beat,
            restore_slot: request.slot,
            restore_words: Instruction::of(&self.parameters, &shown.out_beat).words,
            ended_valid: activity == Activity::Reporting,
            ..Outputs::default()
        };
        if let Activity::Stopping(warp) = activity {
            (outputs.stop_valid, outputs.stop_warp) = (true, warp);
        }
        if let Activity::Resuming(warp) = activity {
            (outputs.resume_valid, outputs.resume_warp) = (true, warp);
        }
        if activity == Activity::Reporting {
            (outputs.ended_verdict, outputs.ended_beats) = (self.verdict, self.beats);
            outputs.ended_operands = self.operands;
        }

        // What leaves: to free rows and free shared memory, or to memory.
        outputs.put_beat = shown.out_beat;
        if shown.out_valid && self.beats < self.room() {
            self.puts(&mut outputs, self.kept(self.beats));
        } else {
            outputs.out_valid = shown.out_valid;
            outputs.out_last = shown.out_last;
        }
        // Of what is saved one beat may be fetched before its header has gone.
        let is_there = activity != Activity::Looking || inputs.spilled_valid;
        if !request.restores && !self.ahead && is_there {
            self.gets(&mut outputs, self.place());
        }
        outputs.got_ready = !request.restores && self.left > 0 && shown.packet_ready;
        if !restores {
            return (outputs, port_inputs);
        }

        // What comes.
        if self.fetched < request.beats.min(self.room()) {
            self.gets(&mut outputs, Some(self.kept(self.fetched)));
        }
        port_inputs.found_ready = true;
        if shown.found_valid && shown.found_header {
            let found = &shown.found_beat;
            let instruction = Instruction::of(&self.parameters, found);
            let returns = self.parameters.port.kind(found) == Kind::Instruction as u64
                && !instruction.operand
                && self.fits(&instruction);
            if returns {
                self.restores(&mut outputs, &instruction);
                port_inputs.found_ready = inputs.restore_ready;
            }
        } else if shown.found_valid {
            outputs.put_beat = shown.found_beat;
            if let Some(place) = self.place() {
                self.puts(&mut outputs, place);
                port_inputs.found_ready = inputs.put_ready;
            }
        }
        let takes = self.port.outputs(&port_inputs).in_ready;
        outputs.in_ready = takes && !self.is_kept();
        outputs.got_ready = takes && self.is_kept();
        (outputs, port_inputs)
    }

    /// Whether an instruction is one of the block's warps and has come behind its operands and nothing that does not fit, the
    /// log has had its operands before, and the queue has an entry when others have left it: it will not wait for ever.
    fn fits(&self, instruction: &Instruction) -> bool {
        let (first, last) = self.request.warps;
        let own: &[bool] = match (self.request.unlogged, instruction.store) {
            (true, _) => &[],
            (false, false) => &[false],
            (false, true) => &[false, true],
        };
        first + instruction.warp <= last
            && self.came == own
            && self.job.is_empty()
            && !self.strayed
            && self.instructions < self.parameters.queue_entries
            && self.operands + instruction.operands() <= self.request.operands
    }

    /// Whether an operand is the next one of an instruction: an address, or data behind it.
    fn operand_fits(&self, operand: &Instruction) -> bool {
        let is_next = match self.came[..] {
            [] => !operand.store,
            [_] => operand.store,
            _ => false,
        };
        is_next && !self.request.unlogged
    }

    fn puts(&self, outputs: &mut Outputs, (space, place): (Space, u64)) {
        outputs.put_valid = true;
        (outputs.put_space, outputs.put_place) = (space as u64, place);
    }

    fn gets(&self, outputs: &mut Outputs, place: Option<(Space, u64)>) {
        if let Some((space, place)) = place {
            outputs.get_valid = true;
            (outputs.get_space, outputs.get_place) = (space as u64, place);
        }
    }

    const fn restores(&self, outputs: &mut Outputs, instruction: &Instruction) {
        outputs.restore_valid = true;
        outputs.restore_warp = self.request.warps.0 + instruction.warp;
        outputs.restore_store = instruction.store;
    }

    fn accept(&mut self, inputs: &Inputs) {
        self.request = Request {
            restores: inputs.request_restores,
            runs: inputs.request_runs,
            block: inputs.request_cta,
            epoch: inputs.request_epoch,
            slot: inputs.request_slot,
            warps: (inputs.request_first_warp, inputs.request_last_warp),
            groups: (inputs.request_first_group, inputs.request_last_group),
            shared: (inputs.request_shared_first, inputs.request_shared_beats),
            room_rows: (inputs.request_room_row, inputs.request_room_rows),
            room_shared: (inputs.request_room_first, inputs.request_room_beats),
            beats: inputs.request_beats,
            operands: inputs.request_operands,
            unlogged: inputs.request_unlogged,
        };
        (self.beats, self.fetched, self.verdict) = (0, 0, 0);
        (self.operands, self.instructions) = (0, 0);
        self.found_all = false;
        self.has_address = false;
        self.came.clear();
        (self.strayed, self.has_shared, self.has_states) = (false, false, false);
        self.activity = if inputs.request_restores {
            Activity::Opening
        } else {
            Activity::Stopping(inputs.request_first_warp)
        };
    }

    /// The next warp, or what comes behind the last.
    fn next_warp(&self, warp: u64, next: fn(u64) -> Activity, behind: Activity) -> Activity {
        if warp == self.request.warps.1 {
            behind
        } else {
            next((warp + 1) & ((1 << self.parameters.warp_bits) - 1))
        }
    }

    /// A packet begins: its header, and where its beats are.
    fn begin(&mut self, header: Beat, job: Job) {
        (self.header, self.job) = (Some(header), job);
    }

    fn begin_run(&mut self, kind: Kind, space: Space, beats: u64) {
        let header = self.parameters.header(kind, beats, &[]);
        self.begin(
            header,
            Job::Run {
                space,
                next: 0,
                left: beats,
            },
        );
    }

    /// Names the rows that were found.
    fn begin_rows(&mut self) {
        let parameters = self.parameters;
        let sectors = self
            .gathered
            .iter()
            .map(|(_, sectors)| sectors.count_ones());
        let beats = u64::from(sectors.sum::<u32>());
        let list = parameters.list(&self.gathered);
        let words = parameters.listed.div_ceil(2);
        let header = parameters.header(Kind::Registers, beats, &list[..words]);
        let rows = std::mem::take(&mut self.gathered).into();
        self.begin(header, Job::Rows(rows));
    }

    /// What is saved goes on to its next part: nothing is left to be fetched, or the last of it is sent.
    fn save(&mut self, inputs: &Inputs, outputs: &Outputs, fetches: bool, through: bool) {
        match self.activity {
            Activity::SavingRegisters => {
                if fetches && !self.gathered.is_empty() {
                    self.begin_rows();
                } else if fetches && self.found_all {
                    self.activity = Activity::SavingShared;
                    if self.request.shared.1 > 0 {
                        let beats = self.request.shared.1;
                        self.begin_run(Kind::SharedMemory, Space::SharedMemory, beats);
                    }
                }
                if inputs.dirty_valid && outputs.dirty_ready {
                    let first = self.request.groups.0 << self.parameters.group_bits;
                    let row = inputs.dirty_row.wrapping_sub(first)
                        & ((1 << self.parameters.row_bits) - 1);
                    let sectors = self.parameters.sectors_of(inputs.dirty_lanes);
                    self.gathered.push((row, sectors));
                }
                self.found_all |= inputs.total_valid && outputs.total_ready;
            }
            Activity::SavingShared if fetches => {
                self.activity = Activity::Closing;
                if !self.request.runs {
                    self.activity = Activity::SavingStates;
                    let beats = self.state_beats();
                    self.begin_run(Kind::SimtState, Space::SimtState, beats);
                }
            }
            Activity::SavingStates if through => self.activity = Activity::SavingQueue,
            Activity::SavingQueue if inputs.save_ready => self.activity = Activity::Taking,
            Activity::Taking if self.queue_done => self.activity = Activity::Closing,
            Activity::Taking if outputs.saved_ready && inputs.saved_valid => {
                self.has_address = false;
                self.operands += 1 + u64::from(inputs.saved_store);
            }
            Activity::Taking if outputs.saved_ready => {
                self.activity = Activity::Looking;
                let operand = Instruction {
                    operand: true,
                    store: self.has_address,
                    warp: 0,
                    words: [0; 3],
                };
                let job = Job::Run {
                    space: Space::Operand,
                    next: 0,
                    left: 1 << self.parameters.operand_bits,
                };
                self.begin(operand.header(&self.parameters), job);
            }
            Activity::Looking if inputs.spilled_valid => {
                self.has_address = true;
                self.activity = Activity::SavingOperand;
            }
            Activity::Looking => {
                (self.header, self.job) = (None, Job::Stray);
                self.activity = Activity::Taking;
            }
            Activity::SavingOperand if through => self.activity = Activity::Taking,
            _ => {}
        }
    }

    /// A header or data that comes has gone on.
    fn settle(&mut self, header: bool, beat: &Beat) {
        if !header {
            if self.place().is_none() {
                self.strayed = true;
            }
            self.job.advance();
            return;
        }
        // All that belongs to the header before has come.
        self.strayed |= !self.job.is_empty();
        let parameters = &self.parameters;
        let kind = parameters.port.kind(beat);
        let instruction = Instruction::of(parameters, beat);
        let fits = match instruction.operand {
            true => self.operand_fits(&instruction),
            false => self.fits(&instruction),
        };
        let came = std::mem::take(&mut self.came);
        if kind != Kind::Instruction as u64 {
            self.strayed |= !came.is_empty();
        }
        let run = |space, left| Job::Run {
            space,
            next: 0,
            left,
        };
        self.job = if kind == Kind::Registers as u64 {
            let entry = |number| {
                let (row, sectors) = parameters.listed_row(beat, number);
                (sectors != 0).then_some((row, sectors))
            };
            Job::Rows((0..parameters.listed).map_while(entry).collect())
        } else if kind == Kind::SharedMemory as u64 {
            self.has_shared = true;
            run(Space::SharedMemory, self.request.shared.1)
        } else if kind == Kind::SimtState as u64 {
            self.has_states = true;
            run(Space::SimtState, self.state_beats())
        } else if !fits {
            self.strayed = true;
            Job::Stray
        } else if instruction.operand {
            self.came = came;
            self.came.push(instruction.store);
            Job::Run {
                space: Space::Operand,
                next: u64::from(instruction.store) << parameters.operand_bits,
                left: 1 << parameters.operand_bits,
            }
        } else {
            self.instructions += 1;
            self.operands += instruction.operands();
            Job::Stray
        };
    }

    fn act(&mut self, inputs: &Inputs, outputs: &Outputs, port_inputs: &context_port::Inputs) {
        let fetches_all = self.header.is_none() && self.job.is_empty();
        let shown = self.port.cycle(port_inputs);
        let given = port_inputs.packet_valid && shown.packet_ready;
        let through = fetches_all && (self.left == 0 || (self.left == 1 && given));
        let ends = self.left == 0 && shown.packet_ready;
        // Beats on their way.
        let leaves = shown.out_valid && port_inputs.out_ready;
        let comes = port_inputs.in_valid && shown.in_ready;
        let most = (1 << self.parameters.port.count_bits) - 1;
        self.beats = (self.beats + u64::from(leaves || comes)).min(most);
        let fetches = outputs.get_valid && inputs.get_ready;
        if self.activity == Activity::Restoring {
            self.fetched += u64::from(fetches);
            if shown.found_valid && port_inputs.found_ready {
                self.settle(shown.found_header, &shown.found_beat);
            }
        } else {
            // A header names all that the job has, so the job goes on no earlier.
            let goes = self.header.is_none() || (given && self.left == 0);
            let requested = self.ahead || fetches;
            self.ahead = requested && !goes;
            if requested && goes {
                self.job.advance();
            }
            self.give(given);
        }
        // Before `save` was taken it says nothing of this save.
        let done = inputs.save_done && self.awaits_queue();
        match self.activity {
            Activity::Idle if inputs.request_valid => self.accept(inputs),
            Activity::Stopping(warp) if inputs.stop_ready => {
                self.activity = self.next_warp(warp, Activity::Stopping, Activity::Draining);
            }
            Activity::Draining if inputs.save_ready => self.activity = Activity::Opening,
            Activity::Opening if port_inputs.begin_valid => {
                self.job = Job::Stray;
                self.activity = match self.request.restores {
                    true => Activity::Restoring,
                    false => Activity::SavingRegisters,
                };
            }
            Activity::Closing if ends => self.activity = Activity::Waiting,
            Activity::Waiting | Activity::Restoring if shown.ended_valid => {
                self.conclude(shown.ended_verdict);
            }
            Activity::Clearing if inputs.save_ready => self.activity = Activity::Dropping,
            Activity::Dropping if inputs.save_done => self.activity = Activity::Reporting,
            Activity::Resuming(warp) if inputs.resume_ready => {
                self.activity = self.next_warp(warp, Activity::Resuming, Activity::Reporting);
            }
            Activity::Reporting if inputs.ended_ready => self.activity = Activity::Idle,
            _ => self.save(inputs, outputs, fetches_all, through),
        }
        self.queue_done = self.awaits_queue() && (self.queue_done || done);
    }

    /// Whether `save` was taken, and the pipeline gives what it has.
    const fn awaits_queue(&self) -> bool {
        use Activity::{Looking, SavingOperand, Taking};
        matches!(self.activity, Taking | Looking | SavingOperand)
    }

    /// The port has taken what it was given.
    fn give(&mut self, taken: bool) {
        if !taken {
            return;
        }
        if self.left > 0 {
            self.left -= 1;
        } else if let Some(header) = self.header.take() {
            self.left = self.parameters.port.length(&header);
        }
    }

    fn conclude(&mut self, verdict: u64) {
        self.verdict = verdict;
        let request = &self.request;
        let lacks = (request.shared.1 > 0 && !self.has_shared)
            || (request.runs && !self.has_states)
            || self.beats != request.beats
            || self.operands != request.operands
            || !self.came.is_empty();
        let strays = self.strayed || !self.job.is_empty() || (request.restores && lacks);
        if verdict == 0 && strays {
            self.verdict = DOES_NOT_FIT;
        }
        self.job = Job::Stray;
        self.activity = if self.verdict != 0 {
            Activity::Clearing
        } else if self.request.runs {
            Activity::Resuming(self.request.warps.0)
        } else {
            Activity::Reporting
        };
    }
}

impl Model for Checkpoint {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            port: ContextPort::new(parameters.port),
            activity: Activity::Idle,
            request: Request::default(),
            gathered: Vec::new(),
            found_all: false,
            job: Job::Stray,
            header: None,
            ahead: false,
            left: 0,
            has_address: false,
            came: Vec::new(),
            operands: 0,
            instructions: 0,
            queue_done: false,
            beats: 0,
            fetched: 0,
            strayed: false,
            has_shared: false,
            has_states: false,
            verdict: 0,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let (outputs, port_inputs) = self.show(inputs);
        if inputs.reset {
            *self = Self::new(self.parameters);
            return outputs;
        }
        self.act(inputs, &outputs, &port_inputs);
        outputs
    }
}
