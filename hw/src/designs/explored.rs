//! Logs of other sizes and in other banks than the exported ones: `faultline explore` synthesizes them, and `rtl-out` lacks them.

use super::connected;
use crate::ports::Hardware;
use crate::sm::operand_log::OperandLog;

/// A log of entries of 256 B, each spread over so many banks.
fn log<const ENTRIES: usize, const INDEX: usize, const COUNT: usize, const BANKS: usize>()
-> Box<dyn Hardware> {
    connected(OperandLog::<ENTRIES, INDEX, COUNT>::new(BANKS))
}

super::sizes! {
    operand_log {
        "4k_8x256" [] => log::<16, 4, 5, 8>,
        "4k_16x128" [] => log::<16, 4, 5, 16>,
        "4k" [] => log::<16, 4, 5, 32>,
        "4k_64x32" [] => log::<16, 4, 5, 64>,
        "8k_8x256" [] => log::<32, 5, 6, 8>,
        "8k_16x128" [] => log::<32, 5, 6, 16>,
        "8k_64x32" [] => log::<32, 5, 6, 64>,
        "12k_8x256" [] => log::<48, 6, 7, 8>,
        "12k_16x128" [] => log::<48, 6, 7, 16>,
        "12k" [] => log::<48, 6, 7, 32>,
        "12k_64x32" [] => log::<48, 6, 7, 64>,
        "16k_8x256" [] => log::<64, 6, 7, 8>,
        "16k_64x32" [] => log::<64, 6, 7, 64>,
        "20k_8x256" [] => log::<80, 7, 8, 8>,
        "20k_16x128" [] => log::<80, 7, 8, 16>,
        "20k_64x32" [] => log::<80, 7, 8, 64>,
        "24k_8x256" [] => log::<96, 7, 8, 8>,
        "24k_16x128" [] => log::<96, 7, 8, 16>,
        "24k" [] => log::<96, 7, 8, 32>,
        "24k_64x32" [] => log::<96, 7, 8, 64>,
        "32k_8x256" [] => log::<128, 7, 8, 8>,
        "32k_16x128" [] => log::<128, 7, 8, 16>,
        "32k_64x32" [] => log::<128, 7, 8, 64>,
        "48k_8x256" [] => log::<192, 8, 9, 8>,
        "48k_16x128" [] => log::<192, 8, 9, 16>,
        "48k" [] => log::<192, 8, 9, 32>,
        "48k_64x32" [] => log::<192, 8, 9, 64>,
        "64k_8x256" [] => log::<256, 8, 9, 8>,
        "64k_16x128" [] => log::<256, 8, 9, 16>,
        "64k" [] => log::<256, 8, 9, 32>,
        "64k_64x32" [] => log::<256, 8, 9, 64>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    /// A size is what its name says: KB, and banks by bits of a bank, which are 32 x 64 if it does not say.
    #[test]
    fn names_tell_the_memories() {
        for design in designs() {
            let (size, banks) = design
                .config
                .split_once('_')
                .unwrap_or((design.config, "32x64"));
            let kilobytes: usize = size.strip_suffix('k').unwrap().parse().unwrap();
            let (banks, bits) = banks.split_once('x').unwrap();
            let memories = (design.build)().memories();
            let [memory] = memories.as_slice() else {
                panic!("{}: {memories:?}", design.name);
            };
            assert_eq!(memory.instances.to_string(), banks, "{}", design.name);
            assert_eq!(memory.bits.to_string(), bits, "{}", design.name);
            let bytes = memory.words * memory.bits * memory.instances / 8;
            assert_eq!(bytes, kilobytes << 10, "{}", design.name);
        }
    }

    /// No size is there twice, and with the exported ones each size is there in each way to bank it.
    #[test]
    fn sizes_and_banks_are_complete() {
        let all: Vec<&str> = registry::designs()
            .iter()
            .chain(&designs())
            .filter(|design| design.block == "operand_log" && design.is_measured())
            .map(|design| design.config)
            .collect();
        assert_eq!(all.len(), 9 * 4);
        for size in [4, 8, 12, 16, 20, 24, 32, 48, 64] {
            for banks in ["", "_8x256", "_16x128", "_64x32"] {
                let config = format!("{size}k{banks}");
                let count = all.iter().filter(|other| **other == config).count();
                assert_eq!(count, 1, "{config}");
            }
        }
    }

    /// The smallest and the largest are Verilog.
    #[test]
    fn the_ends_of_the_range_can_be_exported() {
        for design in designs() {
            if ["4k_8x256", "64k_64x32"].contains(&design.config) {
                let export = design.export().unwrap();
                assert_eq!(export.name, design.name);
                assert!(
                    export
                        .verilog()
                        .contains(&format!("module {} ", design.name))
                );
            }
        }
    }
}
