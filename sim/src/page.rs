//! A page, as the TLBs and the far-fault MSHRs name it.

/// A virtual page number with its address space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Page {
    /// The virtual page number.
    pub vpn: u64,
    /// The address-space identifier.
    pub asid: u8,
}
