//! Bugs that other walkers and TLBs had, put into the exported Verilog by hand, one at a time.
//!
//! A bug is an expression in place of another. Verilator gets both, and an input of the top module chooses: a module
//! below reads it by its place in the hierarchy.

use std::fmt::Write as _;

use faultline_hw::registry::Design;
use tempfile::TempDir;

use crate::netlist::{SELECT, SELECT_BITS, committed};
use crate::tool;

/// A bug, and where it is put.
#[derive(Clone, Copy, Debug)]
pub struct Bug {
    /// What goes wrong.
    pub bug: &'static str,
    /// Where it was found.
    pub found_in: &'static str,
    pub design: &'static str,
    /// The part of the block, such as `walk`; nothing for the block itself.
    pub part: &'static str,
    /// Text that is there once, and has `right` in it once.
    pub within: &'static str,
    pub right: &'static str,
    pub wrong: &'static str,
}

impl Bug {
    /// Whether a file of the design has the module with the bug.
    fn is_of(&self, file: &str) -> bool {
        match self.part {
            "" => file == format!("{}.v", self.design),
            part => file.ends_with(&format!("_{part}.v")),
        }
    }

    /// The design and the part, for a report.
    pub fn place(&self) -> String {
        match self.part {
            "" => format!("`{}`", self.design),
            part => format!("`{}`, {part}", self.design),
        }
    }
}

/// The bugs of the walker, of the page-walk cache and of the TLBs.
pub const BUGS: [Bug; 17] = [
    Bug {
        bug: "An invalidation in the cycle of an answer is lost",
        found_in: "rocket-chip PR 2534",
        design: "page_walker_2_updates",
        part: "walk",
        within: "finishing && (stale_q || meant)",
        right: "meant",
        wrong: "1'd0",
    },
    Bug {
        bug: "After a flush in mid-walk a late old response passes for the new entry",
        found_in: "cva6 PR 3179, issue 61",
        design: "page_walker_2_updates",
        part: "walk",
        within: "stale_d = stale_q || meant;",
        right: "meant",
        wrong: "meant && !reads",
    },
    Bug {
        bug: "A selective flush uses the space of another request",
        found_in: "cva6 3307",
        design: "page_walker_2_updates",
        part: "walk",
        within: "of_asid_q == invalidate_asid",
        right: "of_asid_q",
        wrong: "first_asid",
    },
    Bug {
        bug: "The mode of one walk counts for another",
        found_in: "cvw 392",
        design: "page_walker_2_updates",
        part: "",
        within: "looked_user_of[i] = arrived_at[i] &&",
        right: "arrived_at[i]",
        wrong: "1'd1",
    },
    Bug {
        bug: "Who waited for the walk before is answered, too",
        found_in: "cva6 3475",
        design: "page_walker_2_updates",
        part: "walk",
        within: "waits_d = first_requester;",
        right: "first_requester",
        wrong: "waits_q | first_requester",
    },
    Bug {
        bug: "Reserved bits go unchecked in entries that lead to tables",
        found_in: "cva6 3420",
        design: "page_walker_2_updates",
        part: "entry",
        within: "(|(address[39:20] & reserved_bits))",
        right: "(|(address[39:20] & reserved_bits))",
        wrong: "maps && (|(address[39:20] & reserved_bits))",
    },
    Bug {
        bug: "A truncated page defeats isolation",
        found_in: "XiangShan 5854",
        design: "page_walker_2_updates",
        part: "walk",
        within: "(of_vpn_q == first_vpn)",
        right: "of_vpn_q == first_vpn",
        wrong: "of_vpn_q[34:0] == first_vpn[34:0]",
    },
    Bug {
        bug: "A walk goes on after a failed fetch",
        found_in: "BOOM 810",
        design: "page_walker_2_updates",
        part: "entry",
        within: "broken = error ||",
        right: "error",
        wrong: "1'd0",
    },
    Bug {
        bug: "A failed fetch is reported as another fault",
        found_in: "BOOM 785",
        design: "page_walker_2_updates",
        part: "entry",
        within: "if (error)",
        right: "error",
        wrong: "1'd0",
    },
    Bug {
        bug: "Walks of one page are not merged",
        found_in: "XiangShan 4788",
        design: "page_walker_2_updates",
        part: "",
        within: "joins_q && was_alike_q[i] &&",
        right: "was_alike_q[i]",
        wrong: "1'd0",
    },
    Bug {
        bug: "With all walks taken a request does not join its like",
        found_in: "XiangShan 1599",
        design: "page_walker_2_updates",
        part: "",
        within: "joined[i] = matched[i] &&",
        right: "matched[i]",
        wrong: "matched[i] && some_free_any",
    },
    Bug {
        bug: "An absent entry is kept",
        found_in: "cva6 PR 3486",
        design: "page_walk_cache_8k",
        part: "fill",
        within: "leads = data[0] &&",
        right: "data[0]",
        wrong: "1'd1",
    },
    Bug {
        bug: "The entry of a failed fetch is kept",
        found_in: "cva6 PR 3486",
        design: "page_walk_cache_8k",
        part: "fill",
        within: "!withholds && !reserved && !error",
        right: "!error",
        wrong: "1'd1",
    },
    Bug {
        bug: "A truncated tag defeats isolation",
        found_in: "XiangShan 5854",
        design: "page_walk_cache_8k",
        part: "way",
        within: "(tags_q[28:0] == look_tag)",
        right: "tags_q[28:0] == look_tag",
        wrong: "tags_q[27:0] == look_tag[27:0]",
    },
    Bug {
        bug: "A flush of a space spares the walks under way",
        found_in: "XiangShan PR 4811",
        design: "l1_tlb_32",
        part: "misses",
        within: "(drop_asid && in_asid[i])",
        right: "in_asid[i]",
        wrong: "looked[i]",
    },
    Bug {
        bug: "A flush of a space drops only the page that it names",
        found_in: "XiangShan PR 4811",
        design: "l2_tlb_512",
        part: "",
        within: "(drop_asid_q && way_in_asid[w])",
        right: "way_in_asid[w]",
        wrong: "way_contained[w]",
    },
    Bug {
        bug: "A flush of a space drops the pages of others",
        found_in: "XiangShan 1889",
        design: "l2_tlb_512",
        part: "",
        within: "dropping && (drop_all_q ||",
        right: "drop_all_q",
        wrong: "drop_all_q || drop_asid_q",
    },
];

/// The designs that have some.
pub fn designs() -> Vec<String> {
    let mut names: Vec<_> = BUGS.iter().map(|bug| bug.design.to_owned()).collect();
    names.dedup();
    names
}

/// Writes `mutated.v`, the design with all its bugs, and gives the bugs: number 1 comes first.
///
/// # Errors
/// If a file is not there, or does not have the text that a bug replaces.
pub fn write(design: &Design) -> Result<(TempDir, Vec<Bug>), String> {
    let folder = tool::scratch()?;
    let bugs: Vec<_> = BUGS
        .into_iter()
        .filter(|bug| bug.design == design.name)
        .collect();
    let mut all = String::new();
    for (name, mut text) in committed(design.name)? {
        for (place, bug) in bugs.iter().enumerate() {
            if bug.is_of(&name) {
                text = with(&text, bug, place + 1)?;
            }
        }
        let top = format!("\nmodule {} (\n", design.name);
        text = text.replace(
            &top,
            &format!("{top}    input wire [{}:0] {SELECT},\n", SELECT_BITS - 1),
        );
        let _ = writeln!(all, "{text}");
    }
    tool::write(&folder.path().join("mutated.v"), &all)?;
    Ok((folder, bugs))
}

/// The text with a bug where the input has its number.
fn with(text: &str, bug: &Bug, number: usize) -> Result<String, String> {
    let choice = format!(
        "(({}.{SELECT} == {number}) ? ({}) : {})",
        bug.design, bug.wrong, bug.right
    );
    let within = bug.within.replacen(bug.right, &choice, 1);
    match text.matches(bug.within).count() {
        1 => Ok(text.replace(bug.within, &within)),
        count => Err(format!(
            "{} has `{}` {count} times, not once",
            bug.place(),
            bug.within
        )),
    }
}
