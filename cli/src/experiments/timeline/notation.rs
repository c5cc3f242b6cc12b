//! The notation of programs, for those who write them.

use faultline_sim::simt::{Class, Operation};

/// A program with a store and a branch.
const EXAMPLE: &str = "\
      R1 <- mov 3
      R2 <- mov 0x1000
loop: st [R2 + 16], R1   # a store to global memory
      R1 <- sub R1, 1
      brnz R1, loop
";

/// Names of a line at most.
const NAMES: usize = 12;

/// What `--help` says below the options.
pub fn help() -> String {
    let units: [(&str, Class); 9] = [
        ("math", Class::Math),
        ("special functions", Class::Special),
        ("global memory, load", Class::GlobalLoad),
        ("global memory, store", Class::GlobalStore),
        ("shared memory", Class::Shared),
        ("division, trap", Class::Raising),
        ("branch", Class::Branch),
        ("barrier", Class::Barrier),
        ("end", Class::Exit),
    ];
    let mut text = format!(
        "Programs:\n  An instruction a line, with labels before it; # begins a comment. One warp of 32 lanes runs it, with\n  \
         registers and memory 0 at first. An exit at its end may be left out. An example:\n\n{EXAMPLE}\n\
         Sources:\n  Registers R0 to R255 (R255 is 0, and cannot be written), numbers such as 4, -1, 0x10 and 0.5, and\n  \
         thread.x, block.x, block_size.x, grid_size.x (also .y, .z), lane and warp.\n  \
         The address of a memory operation stands in brackets: [R2], [R2 + 16], [0x1000].\n  \
         A div by 0 gives all ones and a rem by 0 the dividend; both raise an exception, as trap does, which gives nothing.\n\n\
         Operations:\n"
    );
    for (unit, class) in units {
        let all = Operation::all().filter(|operation| operation.class() == class);
        let names: Vec<_> = all.map(Operation::name).collect();
        for (place, line) in names.chunks(NAMES).enumerate() {
            let unit = if place == 0 { unit } else { "" };
            text += &format!("  {unit:<22}{}\n", line.join(" "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use faultline_sim::simt::assemble;

    use super::*;

    #[test]
    fn the_help_names_every_operation_and_its_example_is_a_program() {
        let help = help();
        let words: Vec<_> = help.split_whitespace().collect();
        assert!(Operation::all().all(|operation| words.contains(&&*operation.name())));
        assemble(&format!("{EXAMPLE}exit")).unwrap();
    }
}
