//! What a warp fetches next: its program counter, its lanes, and where diverged lanes meet again.

use super::operation::Operation;
use super::program::Program;

/// A warp's program counters: a stack of groups of lanes, of which the top one runs until it comes
/// to where the group below it waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    groups: Vec<Group>,
    waiting: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Group {
    pc: u32,
    /// Where it joins the group below.
    join: u32,
    mask: u32,
}

/// An instruction that was fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Its program counter.
    pub pc: u32,
    /// The lanes that execute it.
    pub mask: u32,
}

impl Control {
    /// The lanes of the mask stand before the first instruction.
    #[must_use]
    pub fn new(mask: u32) -> Self {
        let mut control = Self {
            groups: vec![Group {
                pc: 0,
                join: Program::NEVER,
                mask,
            }],
            waiting: false,
        };
        control.settle();
        control
    }

    /// What [`Control::fetch`] would give.
    #[must_use]
    pub fn peek(&self) -> Option<Fetched> {
        let top = self.groups.last().filter(|_| !self.waiting)?;
        Some(Fetched {
            pc: top.pc,
            mask: top.mask,
        })
    }

    /// The next instruction. After a branch, barrier or exit there is none until that one has been
    /// resolved by [`Control::branch`], [`Control::pass`] or [`Control::exit`].
    pub fn fetch(&mut self, program: &Program) -> Option<Fetched> {
        let fetched = self.peek()?;
        if program.at(fetched.pc).class().is_control() {
            self.waiting = true;
        } else {
            self.go(fetched.pc + 1);
        }
        Some(fetched)
    }

    /// A branch, barrier or exit was fetched and is not resolved.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// All lanes have ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.groups.is_empty()
    }

    /// Resolves the branch that was fetched: the lanes of `taken` go to its target. Those that do
    /// not are to go first if both ways are taken.
    pub fn branch(&mut self, program: &Program, taken: u32) {
        self.waiting = false;
        let Some(top) = self.groups.last_mut() else {
            return;
        };
        let Group { pc, join, mask } = *top;
        let instruction = program.at(pc);
        if !matches!(instruction.operation, Operation::Branch(_)) {
            return;
        }
        let ways = [(instruction.target, mask & taken), (pc + 1, mask & !taken)];
        match ways {
            [(_, 0), (next, _)] | [(next, _), (_, 0)] => top.pc = next,
            _ => {
                let meeting = program.join(pc);
                if meeting == join || meeting == Program::NEVER {
                    // A group below waits there already, or none ever will.
                    self.groups.pop();
                } else {
                    top.pc = meeting;
                }
                let parts = ways.map(|(pc, mask)| Group {
                    pc,
                    join: meeting,
                    mask,
                });
                self.groups
                    .extend(parts.iter().filter(|part| part.pc != meeting));
            }
        }
        self.settle();
    }

    /// Resolves the barrier that was fetched: all warps of the block have come to it.
    pub fn pass(&mut self) {
        self.waiting = false;
        if let Some(top) = self.groups.last() {
            self.go(top.pc + 1);
        }
    }

    /// Resolves the exit that was fetched: the lanes that fetched it end.
    pub fn exit(&mut self) {
        self.waiting = false;
        let ended = self.groups.last().map_or(0, |top| top.mask);
        for group in &mut self.groups {
            group.mask &= !ended;
        }
        self.groups.retain(|group| group.mask != 0);
        self.settle();
    }

    fn go(&mut self, pc: u32) {
        if let Some(top) = self.groups.last_mut() {
            top.pc = pc;
        }
        self.settle();
    }

    /// Lets groups that have come to their join go up in the group below.
    fn settle(&mut self) {
        while let Some(top) = self.groups.last()
            && (top.mask == 0 || top.pc == top.join)
        {
            self.groups.pop();
        }
    }
}
