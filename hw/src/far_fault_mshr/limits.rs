//! How many far faults each SM has, and so which of those that ask may have another one.

use rust_hdl::prelude::*;

use crate::register::Register;

/// `N` SMs, whose far faults are counted in `C` bits.
#[derive(LogicBlock)]
pub struct Limits<const N: usize, const C: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Far faults that an SM may have.
    pub limit: Signal<In, Bits<C>>,
    /// The SMs that ask.
    pub requester: [Signal<In, Bit>; N],
    /// Those that wait in the entry already.
    pub waits: [Signal<In, Bit>; N],
    /// There is an entry for the others.
    pub room: Signal<In, Bit>,
    /// Those that are told far wait from now on.
    pub add: Signal<In, Bit>,
    /// Those who ask and wait wait no longer.
    pub remove: Signal<In, Bit>,
    /// The SMs that are told far.
    pub far: [Signal<Out, Bit>; N],

    count: [Register<Bits<C>>; N],
    added: [Signal<Local, Bit>; N],
}

impl<const N: usize, const C: usize> Logic for Limits<N, C> {
    #[hdl_gen]
    fn update(&mut self) {
        for s in 0..N {
            self.count[s].clock.next = self.clock.val();
            self.count[s].reset.next = self.reset.val();
        }

        for s in 0..N {
            self.added[s].next = self.requester[s].val()
                && !self.waits[s].val()
                && self.room.val()
                && (self.count[s].q.val() < self.limit.val());
            self.far[s].next =
                self.added[s].val() || (self.requester[s].val() && self.waits[s].val());
            self.count[s].d.next = self.count[s].q.val();
            if self.add.val() && self.added[s].val() {
                self.count[s].d.next = self.count[s].q.val() + 1;
            }
            if self.remove.val() && self.waits[s].val() && self.requester[s].val() {
                self.count[s].d.next = self.count[s].q.val() - 1;
            }
        }
    }
}

impl<const N: usize, const C: usize> Default for Limits<N, C> {
    fn default() -> Self {
        macro_rules! signals {
            ($($field:ident),*; $($array:ident),*) => {
                Self {
                    $($field: Default::default(),)*
                    $($array: std::array::from_fn(|_| Default::default()),)*
                }
            };
        }
        signals!(
            clock, reset, limit, room, add, remove;
            requester, waits, far, count, added
        )
    }
}
