//! Designs by their names.

use faultline_hw::registry::{Design, Tag, designs};
use miette::{Result, miette};

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
        let names: Vec<&str> = known.iter().map(|design| design.name).collect();
        return Err(miette!(
            "there is no design {name}; there are {}, a block for its designs, tops for those that a flow is given as a whole, and measured for all \
             but those for proofs",
            names.join(", ")
        ));
    }
    known.retain(|design| {
        asked(design.name)
            || (asked(design.block) && design.is_measured())
            || (asked("tops") && design.is(Tag::Top))
            || (asked("measured") && design.is_measured())
    });
    Ok(known)
}
