//! Opcodes: their class, and the width of their accesses.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::Fault;

/// The memory that an instruction goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Global memory, with what generic instructions reach outside the two windows.
    Global,
    /// Shared memory of the thread block.
    Shared,
    /// Local memory of the thread.
    Local,
    /// Constant memory.
    Constant,
    /// Textures and surfaces.
    Texture,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Reads memory.
    Load(Space),
    /// Writes memory.
    Store(Space),
    /// Reads and writes memory, atomically.
    Atomic(Space),
    /// Branches, calls, exits, reconvergence.
    Control,
    /// Barriers, fences, cache control.
    Barrier,
    /// Matrix multiply-accumulate.
    Tensor,
    /// The special-function unit: transcendentals, conversions, bit counts.
    Special,
    /// Everything else.
    Arithmetic,
}

impl Class {
    /// The class of an opcode such as `LDG.E.128`, by its part before the first point.
    #[must_use]
    pub fn of(opcode: &str) -> Self {
        use Space::{Constant, Global, Local, Shared, Texture};
        match opcode.split('.').next().unwrap_or_default() {
            "LDG" | "LD" | "LDGSTS" | "LDGMC" => Self::Load(Global),
            "STG" | "ST" => Self::Store(Global),
            "ATOMG" | "ATOM" | "RED" | "REDG" => Self::Atomic(Global),
            "LDS" | "LDSM" | "LDSLK" => Self::Load(Shared),
            "STS" | "STSM" | "STSCUL" | "STAS" => Self::Store(Shared),
            "ATOMS" | "REDAS" => Self::Atomic(Shared),
            "LDL" => Self::Load(Local),
            "STL" => Self::Store(Local),
            "LDC" | "LDCU" | "ULDC" => Self::Load(Constant),
            "TEX" | "TEXS" | "TLD" | "TLDS" | "TLD4" | "TLD4S" | "TXD" | "SULD" | "SULDGA" => {
                Self::Load(Texture)
            }
            "SUST" | "SUSTGA" => Self::Store(Texture),
            "SURED" | "SUATOM" => Self::Atomic(Texture),
            "BRA" | "BRX" | "BRXU" | "JMP" | "JMX" | "JMXU" | "CAL" | "JCAL" | "CALL" | "RET"
            | "EXIT" | "BRK" | "BREAK" | "CONT" | "SSY" | "PBK" | "PCNT" | "SYNC" | "BSSY"
            | "BSYNC" | "BMOV" | "WARPSYNC" | "YIELD" | "KILL" | "BPT" | "RTT" | "NANOSLEEP" => {
                Self::Control
            }
            "BAR" | "MEMBAR" | "DEPBAR" | "LDGDEPBAR" | "ERRBAR" | "CCTL" | "CCTLL" | "CCTLT"
            | "SYNCS" | "FENCE" | "ARRIVES" => Self::Barrier,
            "HMMA" | "IMMA" | "DMMA" | "BMMA" | "QMMA" | "HGMMA" | "IGMMA" | "QGMMA" | "BGMMA" => {
                Self::Tensor
            }
            "MUFU" | "F2F" | "F2I" | "I2F" | "I2I" | "FRND" | "POPC" | "FLO" | "BREV" => {
                Self::Special
            }
            _ => Self::Arithmetic,
        }
    }

    /// The memory that it goes to, if any.
    #[must_use]
    pub fn space(self) -> Option<Space> {
        match self {
            Self::Load(space) | Self::Store(space) | Self::Atomic(space) => Some(space),
            _ => None,
        }
    }

    /// The same class in another memory.
    pub(super) fn moved(self, space: Space) -> Self {
        match self {
            Self::Load(_) => Self::Load(space),
            Self::Store(_) => Self::Store(space),
            Self::Atomic(_) => Self::Atomic(space),
            other => other,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Load(_) => "load",
            Self::Store(_) => "store",
            Self::Atomic(_) => "atomic",
            Self::Control => "control",
            Self::Barrier => "barrier",
            Self::Tensor => "tensor",
            Self::Special => "special function",
            Self::Arithmetic => "arithmetic",
        };
        let space = match self.space() {
            Some(Space::Global) => "global ",
            Some(Space::Shared) => "shared ",
            Some(Space::Local) => "local ",
            Some(Space::Constant) => "constant ",
            Some(Space::Texture) => "texture ",
            None => "",
        };
        write!(formatter, "{space}{kind}")
    }
}

/// An opcode; equal names of one file share one number.
#[derive(Clone, Debug)]
pub struct Opcode {
    /// Name with all its suffixes, such as `LDG.E.128`.
    pub name: Arc<str>,
    /// Number in the order of first appearance in the file.
    pub id: u16,
    /// What the name says; generic accesses count as global here.
    pub class: Class,
    /// Bytes that each lane accesses, if it accesses memory.
    pub width: u8,
}

impl Opcode {
    /// Generic instructions reach shared and local memory through their windows.
    #[must_use]
    pub fn generic(&self) -> bool {
        matches!(self.name.split('.').next(), Some("LD" | "ST" | "ATOM"))
    }

    /// A bulk copy, which one thread starts and the tensor-memory unit carries out.
    pub(super) fn is_bulk(&self) -> bool {
        const BULK: [&str; 7] = [
            "UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG", "UBLKCP", "UBLKPF", "UBLKRED",
        ];
        BULK.iter().any(|name| self.name.starts_with(name))
    }

    /// Cache control and barriers in memory have addresses without an access of the warp, and QSPC asks what lies at one.
    pub(super) fn may_have_addresses(&self) -> bool {
        self.class.space().is_some()
            || self.class == Class::Barrier
            || self.name.split('.').next() == Some("QSPC")
    }
}

/// Bytes per lane: the first suffix that is a size in bits (`.128`, `.U16`, `.F64`), else 4,
/// because the width that the tracer records can be wrong.
fn width(name: &str) -> u8 {
    let size = |suffix: &str| match suffix.trim_start_matches(['U', 'S', 'F', 'B']) {
        "8" => Some(1),
        "16" => Some(2),
        "32" => Some(4),
        "64" => Some(8),
        "128" => Some(16),
        "256" => Some(32),
        _ => None,
    };
    name.split('.').skip(1).find_map(size).unwrap_or(4)
}

/// The opcodes that a file has used so far.
#[derive(Default)]
pub(super) struct Opcodes {
    known: HashMap<Arc<str>, Opcode>,
}

impl Opcodes {
    /// No instruction set has more; more of them mean a corrupt file.
    const MOST: usize = 4096;
    /// Longer than any opcode with its suffixes.
    const LONGEST: usize = 80;

    pub fn get(&mut self, name: &str) -> Result<Opcode, Fault> {
        if let Some(opcode) = self.known.get(name) {
            return Ok(opcode.clone());
        }
        let plausible = name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_graphic())
            && name.len() <= Self::LONGEST;
        if !plausible {
            let expected = "a name such as LDG.E";
            return Err(Fault::Field {
                field: "the opcode",
                text: name.to_owned(),
                expected,
            });
        }
        if self.known.len() == Self::MOST {
            let limit = Self::MOST as u64;
            return Err(Fault::TooMany {
                field: "the number of opcodes",
                value: limit + 1,
                limit,
            });
        }
        let shared: Arc<str> = name.into();
        let opcode = Opcode {
            name: shared.clone(),
            id: self.known.len() as u16,
            class: Class::of(name),
            width: width(name),
        };
        self.known.insert(shared, opcode.clone());
        Ok(opcode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_comes_from_the_opcode() {
        let cases = [
            ("LDG.E", 4),
            ("LDG.E.128.CONSTANT", 16),
            ("LD.E.U16", 2),
            ("LDG.E.S8", 1),
            ("RED.E.ADD.F64.RN", 8),
            ("LDG.E.CG", 4),
            ("STS.64", 8),
        ];
        for (name, bytes) in cases {
            assert_eq!(width(name), bytes, "{name}");
        }
    }

    #[test]
    fn class_comes_from_the_opcode() {
        assert_eq!(Class::of("LDGSTS.E.128"), Class::Load(Space::Global));
        assert_eq!(Class::of("RED.E.ADD"), Class::Atomic(Space::Global));
        assert_eq!(Class::of("ATOMS.ADD"), Class::Atomic(Space::Shared));
        assert_eq!(Class::of("STL"), Class::Store(Space::Local));
        assert_eq!(Class::of("ULDC.64"), Class::Load(Space::Constant));
        assert_eq!(Class::of("HFMA2.MMA"), Class::Arithmetic);
        assert_eq!(Class::of("BAR.SYNC").to_string(), "barrier");
        assert_eq!(Class::of("STG.E").to_string(), "global store");
    }
}
