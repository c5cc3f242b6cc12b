//! Designs by their names.

use faultline_hw::registry::{Design, designs};
use miette::{Result, miette};

/// What a flow is given as a whole: the designs behind the name `tops`.
const TOPS: [&str; 13] = [
    "replay_queue_64",
    "operand_log_8k",
    "operand_log_16k",
    "operand_log_20k",
    "operand_log_32k",
    "sm_pipeline_stall_64",
    "sm_pipeline_commit_64",
    "sm_pipeline_check_64",
    "sm_pipeline_queue_64",
    "sm_pipeline_log_64",
    "page_walker_64",
    "gmmu_64",
    "dirty_bits_lanes",
];

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
            || (asked("tops") && TOPS.contains(&design.name))
            || (asked("measured") && design.is_measured())
    });
    Ok(known)
}
