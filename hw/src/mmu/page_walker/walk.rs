//! One walk: what it is for, how far it has come, and who waits for it.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// What a walk does.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Step {
    /// Nothing.
    Free,
    /// It wants an entry.
    Asking,
    /// It waits for memory.
    Reading,
    /// It has ended, and is to be answered.
    Ended,
}

/// One walk: its request, how far it has come, and the requesters that wait for it. `REQUESTERS` requesters; pages of
/// `VPN` bits, spaces of `ASID`, frames of `PFN`.
#[block]
pub struct Walk<const REQUESTERS: usize, const VPN: usize, const ASID: usize, const PFN: usize>
{
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The level of the root.
    pub top: Signal<In, Bits<3>>,
    /// The first request that waits: its page,
    pub first_vpn: Signal<In, Bits<VPN>>,
    /// its space,
    pub first_asid: Signal<In, Bits<ASID>>,
    /// that it is for a write,
    pub first_write: Signal<In, Bit>,
    /// to execute,
    pub first_execute: Signal<In, Bit>,
    /// by a user,
    pub first_user: Signal<In, Bit>,
    /// and its requester's bit.
    pub first_requester: Signal<In, Bits<REQUESTERS>>,
    /// It begins here.
    pub begin: Signal<In, Bit>,
    /// It is alike, and joins.
    pub join: Signal<In, Bit>,
    /// What the walk wants to say, its next entry or its answer, is on its way.
    pub moved: Signal<In, Bit>,
    /// Memory has answered,
    pub answered: Signal<In, Bit>,
    /// and the walk is to begin again, anew,
    pub changed: Signal<In, Bit>,
    /// or it has used what is kept,
    pub next_used: Signal<In, Bit>,
    /// and has ended,
    pub ends: Signal<In, Bit>,
    /// or goes on at this level,
    pub next_level: Signal<In, Bits<3>>,
    /// to set accessed and dirty bits;
    pub next_marking: Signal<In, Bit>,
    /// this is the table or page that it has come to,
    pub next_pfn: Signal<In, Bits<PFN>>,
    /// why it has ended, or the first level whose accessed bit is clear,
    pub next_note: Signal<In, Bits<3>>,
    /// and the rights so far: to write,
    pub next_writable: Signal<In, Bit>,
    /// of users,
    pub next_user_page: Signal<In, Bit>,
    /// to execute.
    pub next_executable: Signal<In, Bit>,
    /// What was read does not count any more,
    pub invalidating: Signal<In, Bit>,
    /// in this space,
    pub invalidate_asid: Signal<In, Bits<ASID>>,
    /// or in all.
    pub invalidate_all: Signal<In, Bit>,

    /// It does nothing.
    pub free: Signal<Out, Bit>,
    /// It is alike to the first request that waits.
    pub alike: Signal<Out, Bit>,
    /// It wants an entry.
    pub asking: Signal<Out, Bit>,
    /// It is to be answered.
    pub ended: Signal<Out, Bit>,
    /// It waits for memory to set bits.
    pub setting: Signal<Out, Bit>,
    /// It was under way when something was last invalidated that it may have read.
    pub delayed: Signal<Out, Bit>,
    /// Its page.
    pub vpn: Signal<Out, Bits<VPN>>,
    /// Its space.
    pub asid: Signal<Out, Bits<ASID>>,
    /// It is for a write.
    pub write: Signal<Out, Bit>,
    /// It is to execute.
    pub execute: Signal<Out, Bit>,
    /// It is for a user.
    pub user: Signal<Out, Bit>,
    /// Who waits for it.
    pub requesters: Signal<Out, Bits<REQUESTERS>>,
    /// Its level.
    pub level: Signal<Out, Bits<3>>,
    /// It sets accessed and dirty bits; if it has ended with a page, the dirty bit of that is clear.
    pub marking: Signal<Out, Bit>,
    /// The table or page that it has come to.
    pub pfn: Signal<Out, Bits<PFN>>,
    /// Why it has ended, or the first level whose accessed bit was clear.
    pub note: Signal<Out, Bits<3>>,
    /// All levels so far may be written; if it has ended without the right, a read would have found the page.
    pub writable: Signal<Out, Bit>,
    /// Users may access all levels so far.
    pub user_page: Signal<Out, Bit>,
    /// All levels so far may be executed.
    pub executable: Signal<Out, Bit>,
    /// Since it was begun last it has used what is kept.
    pub used: Signal<Out, Bit>,
    /// It does not believe what is kept.
    pub bypass: Signal<Out, Bit>,

    step: Register<Step>,
    of_vpn: Register<Bits<VPN>>,
    of_asid: Register<Bits<ASID>>,
    of_write: Register<Bit>,
    of_execute: Register<Bit>,
    of_user: Register<Bit>,
    waits: Register<Bits<REQUESTERS>>,
    at_level: Register<Bits<3>>,
    marks: Register<Bit>,
    stale: Register<Bit>,
    hit: Register<Bit>,
    uses: Register<Bit>,
    doubts: Register<Bit>,
    at_pfn: Register<Bits<PFN>>,
    noted: Register<Bits<3>>,
    may_write: Register<Bit>,
    for_users: Register<Bit>,
    may_execute: Register<Bit>,

    meant: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    finishing: Signal<Local, Bit>,
    changing: Signal<Local, Bit>,
    restarting: Signal<Local, Bit>,
}

impl<const REQUESTERS: usize, const VPN: usize, const ASID: usize, const PFN: usize> Logic
    for Walk<REQUESTERS, VPN, ASID, PFN>
{
    #[logic]
    fn update(&mut self) {
        self.asks.next = self.step.q.val() == Step::Asking;
        self.reads.next = self.step.q.val() == Step::Reading;
        self.done.next = self.step.q.val() == Step::Ended;
        self.meant.next = self.invalidating.val()
            && (self.invalidate_all.val()
                || (self.of_asid.q.val() == self.invalidate_asid.val()));
        self.finishing.next = self.answered.val() && self.reads.val();
        self.changing.next = self.finishing.val() && self.changed.val();
        self.restarting.next = self.changing.val()
            || (self.finishing.val() && (self.stale.q.val() || self.meant.val()))
            || (self.meant.val() && (self.asks.val() || self.done.val()) && !self.moved.val());

        if self.moved.val() {
            self.step.d.next = Step::Free;
            if self.asks.val() {
                self.step.d.next = Step::Reading;
            }
        }
        if self.finishing.val() {
            self.step.d.next = Step::Asking;
            if self.ends.val() {
                self.step.d.next = Step::Ended;
            }
        }
        if self.restarting.val() || self.begin.val() {
            self.step.d.next = Step::Asking;
        }

        // One that leaves becomes stale as well, which is forgotten when the next one begins.
        self.stale.d.next = self.stale.q.val() || self.meant.val();
        if self.restarting.val() || self.begin.val() {
            self.stale.d.next = false;
        }

        self.hit.d.next = self.hit.q.val() || self.meant.val();
        if self.begin.val() {
            self.hit.d.next = false;
        }

        // It begins anew once: it is not answered from what is kept any more, so it uses nothing of it.
        self.uses.d.next = self.uses.q.val() || (self.finishing.val() && self.next_used.val());
        if self.restarting.val() || self.begin.val() {
            self.uses.d.next = false;
        }
        self.doubts.d.next = self.doubts.q.val() || self.changing.val();
        if self.begin.val() {
            self.doubts.d.next = false;
        }

        if self.finishing.val() {
            self.at_level.d.next = self.next_level.val();
            self.marks.d.next = self.next_marking.val();
        }
        if self.restarting.val() || self.begin.val() {
            self.at_level.d.next = self.top.val();
            self.marks.d.next = false;
        }

        if self.finishing.val() {
            self.at_pfn.d.next = self.next_pfn.val();
            self.noted.d.next = self.next_note.val();
            self.may_write.d.next = self.next_writable.val();
            self.for_users.d.next = self.next_user_page.val();
            self.may_execute.d.next = self.next_executable.val();
        }

        if self.join.val() {
            self.waits.d.next = self.waits.q.val() | self.first_requester.val();
        }
        if self.begin.val() {
            self.of_vpn.d.next = self.first_vpn.val();
            self.of_asid.d.next = self.first_asid.val();
            self.of_write.d.next = self.first_write.val();
            self.of_execute.d.next = self.first_execute.val();
            self.of_user.d.next = self.first_user.val();
            self.waits.d.next = self.first_requester.val();
        }

        self.free.next = self.step.q.val() == Step::Free;
        self.alike.next = (self.of_vpn.q.val() == self.first_vpn.val())
            && (self.of_asid.q.val() == self.first_asid.val())
            && (self.of_write.q.val() == self.first_write.val())
            && (self.of_execute.q.val() == self.first_execute.val())
            && (self.of_user.q.val() == self.first_user.val());
        self.asking.next = self.asks.val();
        self.ended.next = self.done.val();
        self.setting.next = self.reads.val() && self.marks.q.val();
        self.delayed.next = self.hit.q.val() && (self.step.q.val() != Step::Free);
        self.vpn.next = self.of_vpn.q.val();
        self.asid.next = self.of_asid.q.val();
        self.write.next = self.of_write.q.val();
        self.execute.next = self.of_execute.q.val();
        self.user.next = self.of_user.q.val();
        self.requesters.next = self.waits.q.val();
        self.level.next = self.at_level.q.val();
        self.marking.next = self.marks.q.val();
        self.pfn.next = self.at_pfn.q.val();
        self.note.next = self.noted.q.val();
        self.writable.next = self.may_write.q.val();
        self.user_page.next = self.for_users.q.val();
        self.executable.next = self.may_execute.q.val();
        self.used.next = self.uses.q.val();
        self.bypass.next = self.doubts.q.val();
    }
}
