//! Designs by their names.

use faultline_hw::registry::{Design, Tag, designs};
use miette::{Report, Result, miette};

/// The designs of these names, in the registry's order; `tops` stands for those that a flow is given as a whole, and
/// `measured` for all whose cost is of interest.
///
/// # Errors
/// If there is no design of a name.
pub fn of_names(names: &[String]) -> Result<Vec<Design>> {
    let asked = |name: &str| names.iter().any(|asked| asked == name);
    let mut known = designs();
    let groups = ["tops", "measured"];
    let is_known = |name: &String| {
        let is_it = |design: &Design| design.name == name || design.block == name;
        groups.contains(&name.as_str()) || known.iter().any(is_it)
    };
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        let also = "; tops stands for those that a flow is given as a whole, and measured for all but those for proofs";
        return Err(unknown(name, &known, also));
    }
    known.retain(|design| {
        asked(design.name)
            || (asked(design.block) && design.is_measured())
            || (asked("tops") && design.is(Tag::Top))
            || (asked("measured") && design.is_measured())
    });
    Ok(known)
}

/// The error for a name that is neither that of a design nor of a block: if it begins with a block, the designs of that block;
/// otherwise the blocks, and what else a command takes.
pub fn unknown(name: &str, known: &[Design], also: &str) -> Report {
    let of_block = |design: &&Design| {
        let rest = name.strip_prefix(design.block);
        rest.is_some_and(|rest| rest.starts_with('_'))
    };
    let near: Vec<&str> = known
        .iter()
        .filter(of_block)
        .map(|design| design.name)
        .collect();
    if !near.is_empty() {
        return miette!("there is no design {name}; there are {}", near.join(", "));
    }
    let mut blocks: Vec<&str> = known.iter().map(|design| design.block).collect();
    blocks.dedup();
    miette!(
        "there is no design or block {name}; the blocks are {}{also}",
        blocks.join(", ")
    )
}
