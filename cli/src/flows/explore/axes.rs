//! What is compared: sizes of the log, the ways to bank it, and sizes of the queue.

use std::fmt;

use faultline_hw::designs::explored;
use faultline_hw::registry::{self, Design};
use faultline_sim::simt::kernels::KERNELS;
use faultline_synth::paper;
use serde::{Serialize, Serializer};

/// Sizes of the log, KB.
pub const LOGS: [usize; 9] = [4, 8, 12, 16, 20, 24, 32, 48, 64];
/// Ways to spread an entry of 256 B.
pub const BANKS: [Banks; 4] = [Banks(8), Banks(16), Banks(32), Banks(64)];
/// Entries of the queue.
pub const QUEUES: [usize; 4] = [16, 32, 64, 128];

/// Bits of an entry of the log: 32 lanes of 8 B (Tanasic et al., section 3.3).
const ENTRY_BITS: usize = 8 * paper::ENTRY_BYTES;
/// The banks of the logs that are exported without a word about banks in their names.
const PLAIN: Banks = Banks(32);

/// Banks that an entry of the log is spread over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banks(pub usize);

impl Banks {
    /// Bits of a bank's word.
    pub const fn bits(self) -> usize {
        ENTRY_BITS / self.0
    }
}

impl fmt::Display for Banks {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(text, "{}x{}", self.0, self.bits())
    }
}

impl Serialize for Banks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The values that were asked for, each once and in the order of all; all if none was.
pub fn chosen<T: PartialEq + Copy>(asked: &[T], all: &[T]) -> Vec<T> {
    let is_asked = |one: &&T| asked.is_empty() || asked.contains(one);
    all.iter().filter(is_asked).copied().collect()
}

/// A value of an axis by its text.
fn named<T: Copy + fmt::Display>(text: &str, all: &[T], what: &str) -> Result<T, String> {
    let wanted = text.trim();
    let mut known = all.iter().copied();
    known
        .find(|one| one.to_string() == wanted)
        .ok_or_else(|| format!("{what}: {}", listed(all)))
}

fn listed<T: fmt::Display>(all: &[T]) -> String {
    let names: Vec<String> = all.iter().map(T::to_string).collect();
    names.join(", ")
}

/// A size of the log in KB; its letter may stand behind it.
pub fn log(text: &str) -> Result<usize, String> {
    let number = text.trim().trim_end_matches(['k', 'K']);
    named(number, &LOGS, "give sizes of the log in KB out of these")
}

/// Banks and their width in bits, such as 32x64.
pub fn banks(text: &str) -> Result<Banks, String> {
    named(
        text,
        &BANKS,
        "give banks and their bits, 2,048 together, out of these",
    )
}

/// Entries of the queue.
pub fn queue(text: &str) -> Result<usize, String> {
    named(text, &QUEUES, "give entries of the queue out of these")
}

/// The name of a program.
pub fn kernel(text: &str) -> Result<String, String> {
    let names = KERNELS.map(|(name, _)| name);
    named(text, &names, "give programs out of these").map(str::to_owned)
}

/// A share in percent.
pub fn within(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim().parse().ok();
    number
        .filter(|number| (0.0..100.0).contains(number))
        .ok_or_else(|| "give a share in percent, from 0 and below 100, such as 1".to_owned())
}

/// The design of a log.
pub fn log_design(kilobytes: usize, banks: Banks) -> Option<Design> {
    let config = match banks == PLAIN {
        true => format!("{kilobytes}k"),
        false => format!("{kilobytes}k_{banks}"),
    };
    design("operand_log", &config)
}

/// The design of a queue.
pub fn queue_design(entries: usize) -> Option<Design> {
    design("replay_queue", &entries.to_string())
}

fn design(block: &str, config: &str) -> Option<Design> {
    let mut known = registry::designs().into_iter().chain(explored::designs());
    known.find(|design| design.block == block && design.config == config)
}

#[cfg(test)]
mod tests {
    use faultline_synth::designs::DEFAULT;

    use super::*;

    #[test]
    fn each_value_has_its_design() {
        for kilobytes in LOGS {
            for banks in BANKS {
                assert!(
                    log_design(kilobytes, banks).is_some(),
                    "{kilobytes} {banks}"
                );
            }
        }
        assert!(
            QUEUES
                .iter()
                .all(|&entries| queue_design(entries).is_some())
        );
        // The logs of the page of costs are the same designs.
        for name in DEFAULT {
            let config = name.rsplit('_').next().unwrap();
            let design = match config.strip_suffix('k') {
                Some(kilobytes) => log_design(kilobytes.parse().unwrap(), PLAIN),
                None => queue_design(config.parse().unwrap()),
            };
            assert_eq!(design.unwrap().name, name);
        }
    }

    #[test]
    fn values_are_read_and_others_are_refused_with_those_that_are_there() {
        assert_eq!(log("16k"), Ok(16));
        assert_eq!(log("64"), Ok(64));
        assert_eq!(banks("8x256"), Ok(Banks(8)));
        assert_eq!(queue("128"), Ok(128));
        assert_eq!(within("0.5"), Ok(0.5));
        for (refused, expected) in [
            (log("10").map(drop), "4, 8, 12, 16"),
            (log("").map(drop), "in KB"),
            (banks("8x128").map(drop), "8x256, 16x128, 32x64, 64x32"),
            (queue("256").map(drop), "16, 32, 64, 128"),
            (kernel("heap-fixed").map(drop), "bfs, cutcp"),
            (within("100").map(drop), "below 100"),
            (within("nan").map(drop), "below 100"),
        ] {
            let sentence = refused.unwrap_err();
            assert!(sentence.contains(expected), "{sentence}");
        }
    }

    #[test]
    fn values_come_once_and_in_their_order() {
        assert_eq!(chosen(&[64, 16, 64], &QUEUES), [16, 64]);
        assert_eq!(chosen(&[], &QUEUES), QUEUES);
    }
}
