//! The reference model of the SM unit: its page (`docs/blocks/sm_unit.md`) as plain data, around the models of its four
//! blocks.

use super::coalescer::{self, Coalescer};
use super::l1_tlb::{self, L1Tlb};
use super::memory_unit::{self, MemoryUnit};
use super::sm_pipeline::{self, Class, SmPipeline};
use crate::ports::Model;

mod interface;

pub use super::sm_pipeline::Parameters;
pub use interface::{Inputs, Outputs};

/// The tag of every check.
const TAG: u8 = 0;

/// A struct of ports: some with values of their own, the others as they are called in the structs that they come from.
macro_rules! joined {
    ($($into:ident)::+ { $($port:ident: $value:expr,)* } $($from:ident { $($same:ident)* })*) => {
        $($into)::+ { $($port: $value,)* $($($same: $from.$same,)*)* }
    };
}

/// Ports that are called the same in two structs.
macro_rules! taken {
    ($into:ident $from:ident $($same:ident)*) => { $($into.$same.clone_from(&$from.$same);)* };
}

/// An access that the pipeline has given, and that the memory unit has not accepted.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    warp: u8,
    slot: u8,
    entry: u8,
    index: u8,
    log_address: u8,
    log_data: u8,
    store: bool,
    mask: u32,
}

/// What goes over the ports of the unit and of its parts in a cycle.
#[derive(Clone, Debug)]
pub struct Inside {
    /// What the unit shows.
    pub outputs: Outputs,
    /// What its pipeline receives.
    pub received: sm_pipeline::Inputs,
    /// What its pipeline shows.
    pub pipeline: sm_pipeline::Outputs,
    /// A line of the coalescer goes to the L1 TLB for the first time.
    pub requested: bool,
    /// The L1 TLB answers the check of the cycle before.
    pub answered: bool,
    /// That is a hit.
    pub hit: bool,
}

/// The reference model.
#[derive(Clone, Debug)]
pub struct SmUnit {
    parameters: Parameters,
    held: Option<Held>,
    pipeline: SmPipeline,
    memory: MemoryUnit,
    coalescer: Coalescer,
    tlb: L1Tlb,
}

impl Inputs {
    /// Takes what is the same for the pipeline alone.
    pub fn take(&mut self, pipeline: &sm_pipeline::Inputs) {
        taken! {
            self pipeline
            reset start_valid start_warp start_slot stop_valid stop_warp resume_valid resume_warp
            fetched_valid fetched_class fetched_destination
            fetched_source_a fetched_source_b fetched_source_c
            fetched_pc fetched_mask fetched_opcode
            special_ready operand finished_valid finished_warp finished_entry
            launch_valid launch_entries save_valid save_slot saved_ready
            restore_valid restore_warp restore_slot restore_store restore_destination
            restore_source_a restore_source_b restore_pc restore_mask restore_opcode
        }
    }

    /// Takes what is the same for the L1 TLB alone.
    pub fn take_translations(&mut self, tlb: &l1_tlb::Inputs) {
        taken! {
            self tlb
            walk_ready fill_valid fill_kind fill_vpn fill_asid fill_pfn fill_writable fill_clean
            resolve_valid resolve_vpn resolve_asid
            invalidate_valid invalidate_scope invalidate_vpn invalidate_asid far_limit
        }
    }
}

impl SmUnit {
    /// The pipeline.
    #[must_use]
    pub const fn pipeline(&self) -> &SmPipeline {
        &self.pipeline
    }

    /// The memory unit.
    #[must_use]
    pub const fn memory(&self) -> &MemoryUnit {
        &self.memory
    }

    /// The L1 TLB.
    #[must_use]
    pub const fn tlb(&self) -> &L1Tlb {
        &self.tlb
    }

    /// What goes into the L1 TLB, without the check.
    fn tlb_inputs(&self, inputs: &Inputs) -> l1_tlb::Inputs {
        joined! {
            l1_tlb::Inputs {
                check_valid: false,
                check_vpn: 0,
                check_asid: inputs.asid,
                check_write: false,
                check_tag: TAG,
                report_faults: self.parameters.scheme.squashes(),
            }
            inputs {
                reset walk_ready
                fill_valid fill_kind fill_vpn fill_asid fill_pfn fill_writable fill_clean
                resolve_valid resolve_vpn resolve_asid
                invalidate_valid invalidate_scope invalidate_vpn invalidate_asid
                far_limit
            }
        }
    }

    /// What goes into the memory unit, without what the pipeline and the coalescer say.
    fn memory_inputs(
        &self,
        inputs: &Inputs,
        requests: &coalescer::Outputs,
        tlb: &l1_tlb::Outputs,
    ) -> memory_unit::Inputs {
        let access = self.held.unwrap_or_default();
        joined! {
            memory_unit::Inputs {
                instruction_valid: self.held.is_some(),
                instruction_warp: access.warp,
                instruction_slot: access.slot,
                instruction_entry: access.entry,
                instruction_index: access.index,
                instruction_log_address: access.log_address,
                instruction_log_data: access.log_data,
                instruction_store: access.store,
                instruction_mask: access.mask,
                split_ready: false,
                checked_ready: false,
                resume_ready: false,
                answer_denied: tlb.answer_denied && self.parameters.scheme.squashes(),
            }
            inputs {
                reset asid line_ready hold leave_valid leave_warp
                invalidate_valid invalidate_scope invalidate_asid
            }
            requests { request_valid request_line request_mask request_last }
            tlb {
                check_ready answer_hit answer_pfn answer_fault
                wake_valid wake_all wake_vpn wake_asid
            }
        }
    }

    /// What goes into the pipeline. `memory_ready` says that the front is taken where it goes.
    fn pipeline_inputs(
        inputs: &Inputs,
        memory: &memory_unit::Outputs,
        memory_ready: bool,
    ) -> sm_pipeline::Inputs {
        let mut joined = joined! {
            sm_pipeline::Inputs {
                memory_ready: memory_ready,
                resume_valid: inputs.resume_valid || memory.resume_valid,
                resume_warp: if inputs.resume_valid {
                    inputs.resume_warp
                } else {
                    memory.resume_warp
                },
                faulted_valid: memory.faulted_valid || inputs.raised_valid,
                faulted_warp: inputs.raised_warp,
                faulted_entry: inputs.raised_entry,
                faulted_index: inputs.raised_index,
                checked_valid: inputs.certain_valid || memory.checked_valid,
                checked_warp: inputs.certain_warp,
                checked_entry: inputs.certain_entry,
                checked_index: inputs.certain_index,
                checked_slot: inputs.certain_slot,
                checked_store: inputs.certain_store,
                checked_log_address: inputs.certain_log_address,
                checked_log_data: inputs.certain_log_data,
            }
            inputs {
                reset start_valid start_warp start_slot stop_valid stop_warp
                fetched_valid fetched_class fetched_destination
                fetched_source_a fetched_source_b fetched_source_c
                fetched_pc fetched_mask fetched_opcode
                special_ready operand finished_valid finished_warp finished_entry
                launch_valid launch_entries save_valid save_slot saved_ready
                restore_valid restore_warp restore_slot restore_store restore_destination
                restore_source_a restore_source_b restore_pc restore_mask restore_opcode
            }
        };
        if memory.faulted_valid {
            joined.faulted_warp = memory.faulted_warp;
            joined.faulted_entry = memory.faulted_entry;
            joined.faulted_index = memory.faulted_index;
        }
        if !inputs.certain_valid {
            joined.checked_warp = memory.checked_warp;
            joined.checked_entry = memory.checked_entry;
            joined.checked_index = memory.checked_index;
            joined.checked_slot = memory.checked_slot;
            joined.checked_store = memory.checked_store;
            joined.checked_log_address = memory.checked_log_address;
            joined.checked_log_data = memory.checked_log_data;
        }
        joined
    }

    /// The outputs: those of the blocks, but for the fault, of which the pipeline receives one.
    fn outputs(
        received: &sm_pipeline::Inputs,
        pipeline: &sm_pipeline::Outputs,
        memory: &memory_unit::Outputs,
        tlb: &l1_tlb::Outputs,
    ) -> Outputs {
        let of_fault = |tag: u8| if received.faulted_valid { tag } else { 0 };
        joined! {
            Outputs {
                memory_ready: received.memory_ready,
                certain_ready: pipeline.checked_ready,
                raised_ready: !memory.faulted_valid,
                faulted_valid: received.faulted_valid,
                faulted_warp: of_fault(received.faulted_warp),
                faulted_entry: of_fault(received.faulted_entry),
                faulted_index: of_fault(received.faulted_index),
            }
            pipeline {
                resume_ready fetch_valid fetch_warp revert_valid revert_warp revert_count
                read_valid read_warp read_entry read_class read_replayed read_destination
                read_source_a read_source_b read_source_c read_pc read_mask read_opcode
                memory_front memory_data memory_valid memory_warp memory_slot memory_entry
                memory_class memory_replayed memory_squashed memory_pc memory_mask memory_opcode
                memory_index memory_log_address memory_log_data
                logged_valid logged_data occupancy save_ready save_done
                spilled_valid saved_valid saved_warp saved_store saved_destination
                saved_source_a saved_source_b saved_pc saved_mask saved_opcode
                restore_ready
            }
            memory {
                faulted_denied absent_valid absent_warp absent_slot absent_vpn
                line_valid line_number line_mask line_warp line_entry line_store line_last
                settled
            }
            tlb { walk_valid walk_vpn walk_asid walk_write }
        }
    }

    /// A cycle, with what goes over the ports of its parts.
    #[must_use]
    pub fn cycle_inside(&mut self, inputs: &Inputs) -> Inside {
        // What the blocks show before they know everything.
        let of_tlb = self.tlb_inputs(inputs);
        let tlb = self.tlb.shown(&of_tlb);
        let requests = self.coalescer.shown();
        let of_memory = self.memory_inputs(inputs, &requests, &tlb);
        let decides = self.memory.shown(&of_memory);
        let split_ready = self.coalescer.accepts(decides.outputs.request_ready);

        // The pipeline.
        let lanes = self.held.map(|held| held.mask);
        let leaves = lanes.is_some_and(|lanes| self.memory.accepts(split_ready, lanes));
        let memory_ready = if inputs.front_other {
            inputs.other_ready
        } else {
            self.held.is_none() || leaves
        };
        let received = Self::pipeline_inputs(inputs, &decides.outputs, memory_ready);
        let pipeline = self.pipeline.cycle(&received);

        // The others, from the pipeline to the L1 TLB.
        let of_memory = memory_unit::Inputs {
            split_ready,
            checked_ready: pipeline.checked_ready && !inputs.certain_valid,
            resume_ready: pipeline.resume_ready && !inputs.resume_valid,
            ..of_memory
        };
        let memory = self.memory.cycle_after(&of_memory, decides);
        self.coalescer.cycle(&coalescer::Inputs {
            reset: inputs.reset,
            instruction_valid: memory.split_valid,
            instruction_pages: false,
            instruction_mask: of_memory.instruction_mask,
            instruction_line: inputs.access_line,
            request_ready: memory.request_ready,
        });
        let of_tlb = l1_tlb::Inputs {
            check_valid: memory.check_valid,
            check_vpn: memory.check_vpn,
            check_write: memory.check_write,
            ..of_tlb
        };
        let tlb = self.tlb.cycle_after(&of_tlb, tlb);
        let takes = pipeline.memory_valid && !inputs.front_other && memory_ready;
        if takes || leaves || inputs.reset {
            self.held = (takes && !inputs.reset).then_some(Held {
                warp: pipeline.memory_warp,
                slot: pipeline.memory_slot,
                entry: pipeline.memory_entry,
                index: pipeline.memory_index,
                log_address: pipeline.memory_log_address,
                log_data: pipeline.memory_log_data,
                store: pipeline.memory_class == Class::Store as u8,
                mask: pipeline.memory_mask,
            });
        }
        Inside {
            outputs: Self::outputs(&received, &pipeline, &memory, &tlb),
            received,
            pipeline,
            requested: requests.request_valid && memory.request_ready,
            answered: tlb.answer_valid,
            hit: tlb.answer_hit,
        }
    }
}

impl Model for SmUnit {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        let memory = memory_unit::Parameters {
            index_bits: parameters.queue.index_bits(),
            log_bits: parameters.log.entry_bits(),
            ..memory_unit::Parameters::PAPER
        };
        Self {
            parameters,
            held: None,
            pipeline: SmPipeline::new(parameters),
            memory: MemoryUnit::new(memory),
            coalescer: Coalescer::new(coalescer::Parameters::PAPER),
            tlb: L1Tlb::new(l1_tlb::Parameters::PAPER),
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.cycle_inside(inputs).outputs
    }
}

#[cfg(test)]
mod tests;
