//! How busy a walker keeps its memory.

use super::memory::{LAST_FRAME, Memory, ROOT};
use crate::mmu::page_walker::{Inputs, PageWalker, Parameters};
use crate::ports::Model;

/// Cycles until as many walks are under way as there can be, and those in which is counted.
const BEFORE: u64 = 4_000;
const COUNTED: u64 = 20_000;

/// The requests to memory that a walker makes in a cycle, in the mean, while every requester requests one new page after the
/// other and memory answers each request after so many cycles. A walk makes four of them.
#[must_use]
pub fn memory_requests(walks: usize, latency: u64) -> f64 {
    let parameters = Parameters::with_walks(walks);
    let mut walker = PageWalker::new(parameters);
    let mut memory = Memory::new(latency, 0, 1);
    let mut inputs = Inputs {
        memory_ready: true,
        answer_ready: true,
        root_valid: true,
        root_pfn: ROOT,
        execute_disable: true,
        last_pfn: LAST_FRAME,
        ..Inputs::default()
    };
    let (mut next, mut requests) = (0, 0);
    for now in 0..BEFORE + COUNTED {
        for requester in 0..parameters.requesters {
            if inputs.request_valid[requester] == 0 {
                inputs.request_valid[requester] = 1;
                inputs.request_vpn[requester] = next;
                inputs.request_user[requester] = 1;
                next += 1;
            }
        }
        let response = memory.response(now);
        inputs.response_valid = response.is_some();
        if let Some(response) = response {
            inputs.response_walk = response.walk;
            inputs.response_data = response.data;
        }
        let outputs = walker.cycle(&inputs);
        if outputs.memory_valid {
            memory.request(now, 0, outputs.memory_walk, outputs.memory_word);
            requests += u64::from(now >= BEFORE);
        }
        for requester in 0..parameters.requesters {
            inputs.request_valid[requester] &= 1 - outputs.request_ready[requester];
        }
        inputs.root_valid = false;
    }
    requests as f64 / COUNTED as f64
}
