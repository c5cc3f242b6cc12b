//! A page, as the TLBs and the far-fault MSHRs name it.

/// A page number with its space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Page {
    /// The number.
    pub number: u64,
    /// The space.
    pub space: u8,
}
