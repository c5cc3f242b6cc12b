//! The bugs.

/// A bug, and where it is put.
#[derive(Clone, Copy, Debug)]
pub struct Bug {
    /// What goes wrong.
    pub bug: &'static str,
    /// The file in `sim/src`.
    pub file: &'static str,
    /// A text that is there once, and what stands there instead.
    pub right: &'static str,
    pub wrong: &'static str,
}

impl Bug {
    /// A file with the bug.
    pub fn plant(&self, text: &str) -> Result<String, String> {
        match text.matches(self.right).count() {
            1 => Ok(text.replace(self.right, self.wrong)),
            count => Err(format!("`{}` is there {count} times", self.right)),
        }
    }
}

/// The bugs of waking, paging, ordering, switching, and of what lets parts run side by side.
pub const BUGS: [Bug; 17] = [
    Bug {
        bug: "Who was refused by a full TLB is not woken",
        file: "machines/sm/memory_unit.rs",
        right: "miss.woken |= all || Some(miss.page) == page;",
        wrong: "miss.woken |= !all && Some(miss.page) == page;",
    },
    Bug {
        bug: "A warp that waits for an absent page is not woken",
        file: "machines/sm/memory_unit.rs",
        right: "squashed.pages.retain(|&other| other != page);",
        wrong: "squashed.pages.retain(|_| true);",
    },
    Bug {
        bug: "Of the far faults of a region only the first is resolved",
        file: "machines/gpu/pager.rs",
        right: "self.resolve_all(part, waiting);",
        wrong: "self.resolve_all(part, waiting.into_iter().take(1));",
    },
    Bug {
        bug: "A far fault of a page that has come meanwhile is not resolved",
        file: "machines/gpu/pager.rs",
        right: "self.resolve_all(part, [page]);\n            return;",
        wrong: "return;",
    },
    Bug {
        bug: "Of what a batch has brought only the first page is replayed",
        file: "machines/gpu/pager/replays.rs",
        right: "there: std::mem::take(&mut self.held),",
        wrong: "there: self.held.drain(..).take(1).collect(),",
    },
    Bug {
        bug: "The L2 TLB keeps a page with its neighbour's frame",
        file: "mmu/l2_tlb.rs",
        right: "used: self.cycle,",
        wrong: "used: self.cycle, pfn: filled.pfn ^ 1,",
    },
    Bug {
        bug: "A credit for a walk is lost now and then",
        file: "machines/gpu/port.rs",
        right: "self.walks -= 1;",
        wrong: "self.walks -= usize::from(now % 16 != 0);",
    },
    Bug {
        bug: "An access does not wait for an older one to the same line",
        file: "machines/sm/memory_unit.rs",
        right: "older.any(|older| access.follows(older))",
        wrong: "older.any(|_| false)",
    },
    Bug {
        bug: "An access overtakes one to the same line that has faulted",
        file: "machines/sm/memory_unit.rs",
        right: "if access.fault.is_some() || follows {",
        wrong: "if access.fault.is_some() || follows && writes && !writes {",
    },
    Bug {
        bug: "The log gives address and data of a store in the wrong order",
        file: "machines/sm/reaction.rs",
        right: "let data = store && flight.awaited == 1;",
        wrong: "let data = store && flight.awaited == 2;",
    },
    Bug {
        bug: "A barrier lets warps pass when one is still missing",
        file: "machines/sm/blocks.rs",
        right: "&& block.arrived == block.live",
        wrong: "&& block.arrived + 1 >= block.live",
    },
    Bug {
        bug: "A register that is written is not marked dirty, and does not leave with its thread block",
        file: "machines/sm/machine.rs",
        right: "self.switch.written(warp, write);",
        wrong: "",
    },
    Bug {
        bug: "A thread block is dispatched twice",
        file: "machines/gpu/machine.rs",
        right: "supply.blocks.push_back((due, block));",
        wrong: "if block.number == 1 { supply.blocks.push_back((due, block.clone())); }\n\
                supply.blocks.push_back((due, block));",
    },
    Bug {
        bug: "An access is performed twice when SMs and memory meet",
        file: "machines/gpu/machine.rs",
        right: "self.sms[number].sm().access(warp, entry, memory);",
        wrong: "self.sms[number].sm().access(warp, entry, memory);\n\
                self.sms[number].sm().access(warp, entry, memory);",
    },
    Bug {
        bug: "An SM that rests sleeps through the end of a fault",
        file: "machines/sm/rest.rs",
        right: "let waits = resident.flying > 0 || self.core.waits(warp);",
        wrong: "let waits = true;",
    },
    Bug {
        bug: "A page is freed while SMs still use it",
        file: "machines/sm/memory_unit.rs",
        right: "if self.pages.are_invalidated() {",
        wrong: "if self.pages.are_invalidated() && now == 0 {",
    },
    Bug {
        bug: "A store is lost while its thread block leaves",
        file: "machines/sm/machine.rs",
        right: "&& let Some(resident) = self.warps[usize::from(warp)].as_mut()\n            && let Some(flight) = resident.flights[usize::from(entry)].as_mut()\n        {\n            let step",
        wrong: "&& let Some(resident) = self.warps[usize::from(warp)].as_mut()\n            && let Some(flight) = resident.flights[usize::from(entry)].as_mut()\n        {\n            if self.switch.holds() == Some(resident.slot) {\n                flight.awaits_memory = false;\n                return;\n            }\n            let step",
    },
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::BUGS;

    #[test]
    fn each_bug_has_its_place() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/src");
        for bug in BUGS {
            let text = std::fs::read_to_string(models.join(bug.file)).unwrap();
            bug.plant(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", bug.bug));
        }
    }
}
