//! The reference model of the block scheduler: its page (`docs/blocks/block_scheduler.md`) as plain data.

use crate::ports::Model;

mod interface;

pub use interface::{Fill, Inputs, Outputs, Parameters};

/// A thread block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// A number that no other one has had.
    pub number: u64,
    /// Periods that have ended since it came.
    pub periods: u64,
}

/// What a slot is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Nothing.
    Free,
    /// It is reserved for a new block, or one that comes back.
    Filling,
    /// Its block runs.
    Active(Block),
    /// Its block is being saved, or has ended meanwhile.
    Leaving(Option<Block>),
}

impl Slot {
    /// Its block, active or leaving.
    #[must_use]
    pub const fn block(&self) -> Option<Block> {
        match *self {
            Self::Active(block) | Self::Leaving(Some(block)) => Some(block),
            _ => None,
        }
    }
}

/// A page that is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its virtual page number.
    pub vpn: u64,
    /// Its address space.
    pub asid: u64,
    /// It is past the threshold.
    pub far: bool,
    /// The blocks that wait for it.
    pub waiters: Vec<Block>,
}

/// A block that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// It leaves, or else comes back.
    pub leaves: bool,
    /// The slot that it leaves, or comes back to.
    pub slot: usize,
    /// The context that it goes to, or comes from.
    pub context: usize,
    /// The engine has taken the offer.
    pub taken: bool,
}

/// A block that is requested of the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The slot that it is for.
    pub slot: usize,
    /// The GPU has taken the offer.
    pub taken: bool,
}

/// The local scheduler of an SM.
#[derive(Clone, Debug)]
pub struct BlockScheduler {
    parameters: Parameters,
    pages: Vec<Page>,
    slots: Vec<Slot>,
    /// The blocks that are off chip with their contexts, in the order in which they left.
    off_chip: Vec<(usize, Block)>,
    /// The block that comes back.
    entering: Option<Block>,
    moving: Option<Move>,
    request: Option<Request>,
    last_left: usize,
    /// Cycles of this period.
    period: u64,
    blocks: u64,
}

impl BlockScheduler {
    /// The slots.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The pages that are followed.
    #[must_use]
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// The blocks that are off chip with their contexts, in the order in which they left.
    #[must_use]
    pub fn off_chip(&self) -> &[(usize, Block)] {
        &self.off_chip
    }

    /// The switch that is under way or on offer.
    #[must_use]
    pub const fn moving(&self) -> Option<Move> {
        self.moving
    }

    /// The request for a new block that is under way or valid.
    #[must_use]
    pub const fn request(&self) -> Option<Request> {
        self.request
    }

    /// Whether a block waits for any page, or for one past the threshold.
    #[must_use]
    pub fn waits(&self, block: Block, far: bool) -> bool {
        self.pages
            .iter()
            .filter(|page| page.far || !far)
            .any(|page| page.waiters.iter().any(|one| one.number == block.number))
    }

    /// Whether a block is off chip and waits for nothing.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.ready().is_some()
    }

    fn ready(&self) -> Option<usize> {
        self.off_chip
            .iter()
            .position(|(_, block)| !self.waits(*block, false))
    }

    fn free_slot(&self, inputs: &Inputs) -> Option<usize> {
        (0..self.slots.len().min(inputs.slots as usize))
            .find(|&slot| self.slots[slot] == Slot::Free)
    }

    /// The lowest context that no block has.
    fn free_context(&self) -> Option<usize> {
        (0..self.parameters.contexts)
            .find(|free| self.off_chip.iter().all(|(used, _)| used != free))
    }

    /// Whether the block in a slot has a reason to leave, and may.
    #[must_use]
    pub fn could_leave(&self, slot: usize, inputs: &Inputs) -> bool {
        let Slot::Active(block) = self.slots[slot] else {
            return false;
        };
        slot < inputs.slots as usize && block.periods >= 2 && self.waits(block, true)
    }

    /// The block that comes back now, by its place in the order.
    fn comes_back(&self, inputs: &Inputs) -> Option<(usize, usize)> {
        if self.moving.is_some() {
            return None;
        }
        Some((self.ready()?, self.free_slot(inputs)?))
    }

    /// The slot whose block is to leave now, and its context.
    #[must_use]
    pub fn leaves(&self, inputs: &Inputs) -> Option<(usize, usize)> {
        if self.moving.is_some() || self.free_slot(inputs).is_some() {
            return None;
        }
        let room = (self.off_chip.len() as u64) < inputs.extra;
        let replaced = self.is_ready() || (room && inputs.more && self.request.is_none());
        if !replaced {
            return None;
        }
        let context = self.free_context()?;
        let slots = self.slots.len();
        let slot = (1..=slots)
            .map(|turn| (self.last_left + turn) % slots)
            .find(|&slot| self.could_leave(slot, inputs))?;
        Some((slot, context))
    }

    /// The slot for which a new block is wanted now.
    fn wanted(&self, inputs: &Inputs) -> Option<usize> {
        if self.request.is_some() || self.is_ready() || !inputs.more {
            return None;
        }
        self.free_slot(inputs)
    }

    fn outputs(&self, inputs: &Inputs) -> Outputs {
        let mut outputs = Outputs {
            off_chip: self.off_chip.len() as u64,
            empty: self.off_chip.is_empty() && self.slots.iter().all(|slot| *slot == Slot::Free),
            ..Outputs::default()
        };
        for (number, slot) in self.slots.iter().enumerate() {
            outputs.active |= u64::from(matches!(slot, Slot::Active(_))) << number;
        }
        if let Some(moving) = self.moving {
            let (slot, context) = (moving.slot as u64, moving.context as u64);
            match (moving.leaves, moving.taken) {
                (true, false) => {
                    outputs.leave_valid = true;
                    (outputs.leave_slot, outputs.leave_context) = (slot, context);
                }
                (false, false) => {
                    outputs.enter_valid = true;
                    (outputs.enter_slot, outputs.enter_context) = (slot, context);
                }
                (false, true) if inputs.entered_valid && inputs.entered_refused => {
                    (outputs.lost_valid, outputs.lost_context) = (true, context);
                }
                _ => {}
            }
        }
        if let Some(Request { slot, taken: false }) = self.request {
            (outputs.want_valid, outputs.want_slot) = (true, slot as u64);
        }
        outputs
    }

    fn new_block(&mut self) -> Block {
        self.blocks += 1;
        Block {
            number: self.blocks,
            periods: 0,
        }
    }

    fn take_faults(&mut self, inputs: &Inputs) {
        let met = self.slots[inputs.fault_slot as usize].block();
        let Some(block) = met.filter(|_| inputs.fault_valid) else {
            return;
        };
        for page in &mut self.pages {
            if (page.vpn, page.asid) == (inputs.fault_vpn, inputs.fault_asid) {
                page.waiters.push(block);
            }
        }
    }

    fn take_fill(&mut self, inputs: &Inputs) {
        if !inputs.fill_valid {
            return;
        }
        let (vpn, asid) = (inputs.fill_vpn, inputs.fill_asid);
        let found = self
            .pages
            .iter()
            .position(|page| (page.vpn, page.asid) == (vpn, asid));
        let fill = Fill::ALL[inputs.fill_kind as usize];
        let far = fill == Fill::Far && inputs.fill_place > inputs.threshold;
        match (fill, found) {
            (Fill::Translation | Fill::Denial, Some(found)) => {
                self.pages.remove(found);
            }
            (Fill::Far | Fill::Nack, Some(found)) => self.pages[found].far = far,
            (Fill::Far | Fill::Nack, None) if self.pages.len() < self.parameters.pages => {
                self.pages.push(Page {
                    vpn,
                    asid,
                    far,
                    waiters: Vec::new(),
                });
            }
            _ => {}
        }
    }

    fn take_end(&mut self, inputs: &Inputs) {
        let slot = &mut self.slots[inputs.ended_slot as usize];
        let Some(block) = slot.block().filter(|_| inputs.ended_valid) else {
            return;
        };
        *slot = match slot {
            Slot::Leaving(_) => Slot::Leaving(None),
            _ => Slot::Free,
        };
        for page in &mut self.pages {
            page.waiters.retain(|waiter| waiter.number != block.number);
        }
    }

    /// What the engine and the GPU report of what they have taken.
    fn take_answers(&mut self, inputs: &Inputs) {
        match self.moving {
            Some(moving) if moving.taken && moving.leaves && inputs.left_valid => {
                if let Slot::Leaving(Some(block)) = self.slots[moving.slot] {
                    self.off_chip.push((moving.context, block));
                }
                self.slots[moving.slot] = Slot::Free;
                self.moving = None;
            }
            Some(moving) if moving.taken && !moving.leaves && inputs.entered_valid => {
                let block = self.entering.take().filter(|_| !inputs.entered_refused);
                self.slots[moving.slot] = block.map_or(Slot::Free, Slot::Active);
                self.moving = None;
            }
            Some(ref mut moving) => {
                let ready = match moving.leaves {
                    true => inputs.leave_ready,
                    false => inputs.enter_ready,
                };
                moving.taken |= ready;
            }
            None => {}
        }
        match self.request {
            Some(request) if request.taken && inputs.given_valid => {
                let block = inputs.given_some.then(|| self.new_block());
                self.slots[request.slot] = block.map_or(Slot::Free, Slot::Active);
                self.request = None;
            }
            Some(ref mut request) => request.taken |= inputs.want_ready,
            None => {}
        }
    }

    fn act(&mut self, inputs: &Inputs) {
        // What is decided, by what was so before.
        let comes_back = self.comes_back(inputs);
        let leaves = self
            .leaves(inputs)
            .filter(|(slot, _)| !(inputs.ended_valid && inputs.ended_slot as usize == *slot));
        let wanted = self.wanted(inputs);

        // What happens.
        self.take_faults(inputs);
        self.take_fill(inputs);
        self.take_end(inputs);
        self.period += 1;
        if self.period > inputs.residence {
            self.period = 0;
            for slot in &mut self.slots {
                if let Slot::Active(block) = slot {
                    block.periods += 1;
                }
            }
        }
        self.take_answers(inputs);

        // What begins.
        if let Some((place, slot)) = comes_back {
            let (context, block) = self.off_chip.remove(place);
            self.slots[slot] = Slot::Filling;
            self.entering = Some(Block {
                periods: 0,
                ..block
            });
            self.moving = Some(Move {
                leaves: false,
                slot,
                context,
                taken: false,
            });
        }
        if let Some((slot, context)) = leaves {
            self.slots[slot] = Slot::Leaving(self.slots[slot].block());
            self.last_left = slot;
            self.moving = Some(Move {
                leaves: true,
                slot,
                context,
                taken: false,
            });
        }
        if let Some(slot) = wanted {
            self.slots[slot] = Slot::Filling;
            self.request = Some(Request { slot, taken: false });
        }
    }
}

impl Model for BlockScheduler {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            pages: Vec::new(),
            slots: vec![Slot::Free; parameters.slots()],
            off_chip: Vec::new(),
            entering: None,
            moving: None,
            request: None,
            last_left: 0,
            period: 0,
            blocks: 0,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = self.outputs(inputs);
        if inputs.reset {
            *self = Self::new(self.parameters);
            return outputs;
        }
        self.act(inputs);
        outputs
    }
}
