//! A page for which accesses or warps wait.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// What is known of a page.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum State {
    /// It was missed, and is to be checked again when it is woken.
    Waits,
    /// It is absent.
    Absent,
    /// It is in a frame.
    Present,
    /// The access to it is not allowed.
    Denied,
}

/// A page of `VPN` bits for which accesses, of `ACCESSES`, or warps, of `WARPS`, wait; its frame has `PFN` bits.
#[block]
pub struct Page<const ACCESSES: usize, const WARPS: usize, const VPN: usize, const PFN: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Page number of the line that is answered.
    pub look_vpn: Signal<In, Bits<VPN>>,
    /// The line that is answered is a store's.
    pub look_store: Signal<In, Bit>,
    /// This entry begins, with the page of the line that is answered.
    pub begins: Signal<In, Bit>,
    /// With `begins`, the page is absent.
    pub begins_absent: Signal<In, Bit>,
    /// Access that becomes a member, one bit each; 0 if none does.
    pub joins: Signal<In, Bits<ACCESSES>>,
    /// Accesses that leave all lists, one bit each.
    pub leaves: Signal<In, Bits<ACCESSES>>,
    /// Access that leaves this list, one bit each, and whose warp waits instead; 0 if none does.
    pub faults: Signal<In, Bits<ACCESSES>>,
    /// Warp of that access, one bit each.
    pub fault_warp: Signal<In, Bits<WARPS>>,
    /// Warp that waits no longer, one bit each; 0 if there is none.
    pub leave_warp: Signal<In, Bits<WARPS>>,
    /// The check of this entry is taken.
    pub checks: Signal<In, Bit>,
    /// The check of this entry is answered.
    pub answered: Signal<In, Bit>,
    /// The answer is a hit.
    pub hit: Signal<In, Bit>,
    /// Frame of the page that is hit.
    pub hit_pfn: Signal<In, Bits<PFN>>,
    /// The answer is that the page is absent.
    pub fault: Signal<In, Bit>,
    /// The answer is that the access is not allowed.
    pub denial: Signal<In, Bit>,
    /// The page in `wake_vpn` is woken.
    pub wakes: Signal<In, Bit>,
    /// Every page that waits is woken.
    pub wakes_all: Signal<In, Bit>,
    /// Page number of the wake-up.
    pub wake_vpn: Signal<In, Bits<VPN>>,
    /// Accesses or warps wait for this entry.
    pub used: Signal<Out, Bit>,
    /// The line that is answered belongs to this entry.
    pub found: Signal<Out, Bit>,
    /// This entry is to be checked again.
    pub wants: Signal<Out, Bit>,
    /// This entry waits.
    pub waits: Signal<Out, Bit>,
    /// The page is absent.
    pub absent: Signal<Out, Bit>,
    /// The access to the page is not allowed.
    pub denied: Signal<Out, Bit>,
    /// Accesses that are members, one bit each.
    pub accesses: Signal<Out, Bits<ACCESSES>>,
    /// Warps that wait for the page, one bit each.
    pub warps: Signal<Out, Bits<WARPS>>,
    /// Page number.
    pub vpn: Signal<Out, Bits<VPN>>,
    /// The entry is for stores.
    pub store: Signal<Out, Bit>,
    /// Frame of a page that is present.
    pub pfn: Signal<Out, Bits<PFN>>,

    state: Register<State>,
    woken: Register<Bit>,
    members: Register<Bits<ACCESSES>>,
    waiters: Register<Bits<WARPS>>,
    page: Register<Bits<VPN>>,
    of_store: Register<Bit>,
    frame: Register<Bits<PFN>>,

    in_use: Signal<Local, Bit>,
    concerned: Signal<Local, Bit>,
    decides: Signal<Local, Bit>,
    #[init(Constant::new(0.into()))]
    no_warp: Constant<Bits<WARPS>>,
}

impl<const ACCESSES: usize, const WARPS: usize, const VPN: usize, const PFN: usize> Logic
    for Page<ACCESSES, WARPS, VPN, PFN>
{
    #[logic]
    fn update(&mut self) {
        self.in_use.next = self.members.q.val().any() || self.waiters.q.val().any();
        self.concerned.next = self.wakes.val() && (self.page.q.val() == self.wake_vpn.val());

        self.used.next = self.in_use.val();
        self.waits.next = self.in_use.val() && (self.state.q.val() == State::Waits);
        self.absent.next = self.in_use.val() && (self.state.q.val() == State::Absent);
        self.denied.next = self.in_use.val() && (self.state.q.val() == State::Denied);
        self.found.next = self.in_use.val()
            && ((self.state.q.val() == State::Waits) || (self.state.q.val() == State::Absent))
            && (self.page.q.val() == self.look_vpn.val())
            && (self.of_store.q.val() == self.look_store.val());
        self.wants.next =
            self.in_use.val() && (self.state.q.val() == State::Waits) && self.woken.q.val();
        self.accesses.next = self.members.q.val();
        self.warps.next = self.waiters.q.val();
        self.vpn.next = self.page.q.val();
        self.store.next = self.of_store.q.val();
        self.pfn.next = self.frame.q.val();

        // Wake-ups. The warps of an absent page wait no longer.
        if self.checks.val() {
            self.woken.d.next = false;
        }
        self.members.d.next =
            (self.members.q.val() | self.joins.val()) & !self.leaves.val() & !self.faults.val();
        self.waiters.d.next = self.waiters.q.val() & !self.leave_warp.val();
        if self.faults.val().any() {
            self.waiters.d.next =
                (self.waiters.q.val() | self.fault_warp.val()) & !self.leave_warp.val();
        }
        if (self.state.q.val() == State::Waits) && (self.concerned.val() || self.wakes_all.val()) {
            self.woken.d.next = true;
        }
        if (self.state.q.val() == State::Absent) && self.concerned.val() {
            self.woken.d.next = true;
            self.state.d.next = State::Waits;
            self.waiters.d.next = self.no_warp.val();
        }

        // The answer to its check comes before a wake-up of its cycle.
        self.decides.next = self.answered.val() && (self.state.q.val() == State::Waits);
        if self.decides.val() && self.hit.val() {
            self.state.d.next = State::Present;
            self.frame.d.next = self.hit_pfn.val();
        }
        if self.decides.val() && self.fault.val() {
            self.state.d.next = State::Absent;
        }
        if self.decides.val() && self.denial.val() {
            self.state.d.next = State::Denied;
        }

        if self.begins.val() {
            self.state.d.next = State::Waits;
            if self.begins_absent.val() {
                self.state.d.next = State::Absent;
            }
            self.woken.d.next = false;
            self.page.d.next = self.look_vpn.val();
            self.of_store.d.next = self.look_store.val();
        }
    }
}
