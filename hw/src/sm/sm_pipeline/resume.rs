//! Lets a warp that has drained go on: at once, or once the replay queue has presented what it holds of it.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::WARP_BITS;
use crate::primitives::register::Register;

/// Resumes a drained warp, after the replay queue has presented its instructions. One warp at a time is replayed.
#[block]
pub struct Resume {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The scheme has a replay queue.
    pub queues: Signal<In, Bit>,
    /// A warp that has stopped is to go on.
    pub resume_valid: Signal<In, Bit>,
    /// Warp that is to go on.
    pub resume_warp: Signal<In, Bits<WARP_BITS>>,
    /// The warp in `resume_warp` has drained, and the replay queue can replay it.
    pub resume_ready: Signal<In, Bit>,
    /// The replay queue has presented all instructions of the warp.
    pub replay_done: Signal<In, Bit>,
    /// An instruction faults.
    pub fault_valid: Signal<In, Bit>,
    /// Warp of the instruction that faults.
    pub fault_warp: Signal<In, Bits<WARP_BITS>>,
    /// A warp stops.
    pub stop_valid: Signal<In, Bit>,
    /// Warp that stops.
    pub stop_warp: Signal<In, Bits<WARP_BITS>>,
    /// The resume is accepted.
    pub accepted: Signal<Out, Bit>,
    /// A warp that has stopped fetches again.
    pub proceed_valid: Signal<Out, Bit>,
    /// Warp that fetches again.
    pub proceed_warp: Signal<Out, Bits<WARP_BITS>>,

    replaying: Register<Bits<WARP_BITS>>,
    // It has not stopped again since.
    well: Register<Bit>,
}

impl Logic for Resume {
    #[logic]
    fn update(&mut self) {
        self.accepted.next = self.resume_valid.val() && self.resume_ready.val();
        self.well.d.next = self.well.q.val()
            && !(self.fault_valid.val() && (self.fault_warp.val() == self.replaying.q.val()))
            && !(self.stop_valid.val() && (self.stop_warp.val() == self.replaying.q.val()));
        if self.accepted.val() {
            self.replaying.d.next = self.resume_warp.val();
            self.well.d.next = true;
        }
        self.proceed_valid.next = self.accepted.val();
        self.proceed_warp.next = self.resume_warp.val();
        if self.queues.val() {
            self.proceed_valid.next = self.replay_done.val() && self.well.q.val();
            self.proceed_warp.next = self.replaying.q.val();
        }
    }
}
