//! Models of the blocks that all SMs share: translation, far faults, and their records for the driver.

pub mod far_fault_mshr;
pub mod fault_buffer;
pub mod gmmu;
pub mod l2_tlb;
pub mod page_walk_cache;
pub mod page_walker;
