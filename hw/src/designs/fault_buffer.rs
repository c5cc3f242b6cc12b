//! Sizes of the fault buffer.

use super::ready;
use crate::mmu::fault_buffer::FaultBuffer;
use crate::params::{
    ASID_BITS, COUNT_BITS, FILTER_BITS, FILTER_COUNT_BITS, IN_FLIGHT_BITS, LANES, PC_BITS,
    PFN_BITS, RING_BITS, SM_BITS, SMS, TIME_BITS, VPN_BITS, WORD_BITS,
};

/// The fault buffer of a GPU with 64 far-fault MSHRs.
pub type PaperFaultBuffer = FaultBuffer<
    SMS,
    SM_BITS,
    VPN_BITS,
    ASID_BITS,
    6,
    7,
    RING_BITS,
    PFN_BITS,
    WORD_BITS,
    LANES,
    PC_BITS,
    FILTER_BITS,
    FILTER_COUNT_BITS,
    51,
    COUNT_BITS,
    TIME_BITS,
    IN_FLIGHT_BITS,
>;

super::sizes! {
    fault_buffer {
        "64" [Default] => ready::<PaperFaultBuffer>,
        "proof" [Proof] => ready::<FaultBuffer<2, 1, 2, 1, 1, 2, 3, 1, 10, 1, 1, 1, 2, 10, 3, 2, 4>>,
    }
}
