//! The words of a record.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{ENGINE, GPC_SM_BITS, LOG_ENTRY_BITS, SLOT_BITS, WARP_BITS};
use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::popcount::Popcount;

/// Encodes a fault as the words of a record. `SMS` SMs with numbers of `SM` bits. Pages of `VPN` bits, spaces of
/// `ASID`; MSHRs with numbers of `MSHR` bits and places of `PLACE`. `LANES` lanes, PCs of `PC` bits, sequence numbers
/// of `COUNT`, times of `TIME`. Combinational.
#[block]
#[check(SMS <= 16 && ASID <= 8 && MSHR <= 16 && PLACE <= 16 && LANES <= 32 && COUNT <= 32, "the fields of a record do not fit")]
pub struct Record<
    const SMS: usize,
    const SM: usize,
    const VPN: usize,
    const ASID: usize,
    const MSHR: usize,
    const PLACE: usize,
    const LANES: usize,
    const PC: usize,
    const COUNT: usize,
    const TIME: usize,
> {
    /// Page number of the fault.
    pub vpn: Signal<In, Bits<VPN>>,
    /// Address space of the fault.
    pub asid: Signal<In, Bits<ASID>>,
    /// SMs that met the fault, one bit each, at least one.
    pub requester: [Signal<In, Bit>; SMS],
    /// Kind of access: bit 0 write, bit 1 execute, bit 2 user.
    pub access_kind: Signal<In, Bits<3>>,
    /// Cause of the failed walk.
    pub cause: Signal<In, Bits<3>>,
    /// Level at which the walk ended.
    pub level: Signal<In, Bits<3>>,
    /// The fault is replayable: its SMs wait for the page.
    pub replayable: Signal<In, Bit>,
    /// Far-fault MSHR of the fault.
    pub index: Signal<In, Bits<MSHR>>,
    /// Place of the fault in the queue of the MSHRs.
    pub place: Signal<In, Bits<PLACE>>,
    /// Time at which the fault was accepted.
    pub time: Signal<In, Bits<TIME>>,
    /// Sequence number of the record.
    pub sequence: Signal<In, Bits<COUNT>>,
    /// An instruction that waits for the page is known; otherwise words 6 and 7 are 0.
    pub known: Signal<In, Bit>,
    /// Warp of the instruction.
    pub warp: Signal<In, Bits<WARP_BITS>>,
    /// Thread-block slot of the instruction.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// Address of the instruction.
    pub pc: Signal<In, Bits<PC>>,
    /// Lanes of the instruction.
    pub lanes: Signal<In, Bits<LANES>>,
    /// Scheme by which the instruction will be restarted.
    pub scheme: Signal<In, Bits<3>>,
    /// Operand-log entry of the instruction.
    pub pointer: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// Word of the record that `word` shows, one bit each; with none, `word` is 0.
    pub show: [Signal<In, Bit>; 8],
    /// Number of the lowest SM of the fault.
    pub lowest: Signal<Out, Bits<SM>>,
    /// Word of the record that `show` selects.
    pub word: Signal<Out, Bits<64>>,

    client: FixedPriorityArbiter<SMS, SM, false>,
    others: Popcount<SMS, 5>,
    mask: OneHotMux<SMS, Bits<64>>,
    words: OneHotMux<8, Bits<64>>,
    #[init(std::array::from_fn(|sm| Constant::new((1 << (32 + sm) as LiteralType).into())))]
    sm_bit: [Constant<Bits<64>>; SMS],
    /// Bits of word 3 that every record has: engine, replayable faults enabled, and VALID.
    #[init(Constant::new((3 << 62 | ENGINE as LiteralType).into()))]
    seal: Constant<Bits<64>>,
    #[init(Constant::new((1 << (VPN - 1) as LiteralType).into()))]
    sign: Constant<Bits<VPN>>,
    #[init(Constant::new(((u64::MAX << (VPN + 12)) as LiteralType).into()))]
    above_address: Constant<Bits<64>>,
    #[init(Constant::new(((1 << GPC_SM_BITS) - 1 as LiteralType).into()))]
    within_gpc: Constant<Bits<64>>,
    #[init(Constant::new((GPC_SM_BITS as LiteralType).into()))]
    gpc_bits: Constant<Bits<64>>,
    #[init(Constant::new((1 << 63).into()))]
    known_bit: Constant<Bits<64>>,
    #[init(Constant::new((1 << 39).into()))]
    replayable_bit: Constant<Bits<64>>,
    #[init(Constant::new((1 << 48).into()))]
    write_bit: Constant<Bits<64>>,

    writes: Signal<Local, Bit>,
    kind: Signal<Local, Bits<5>>,
    of_replayable: Signal<Local, Bits<64>>,
    of_write: Signal<Local, Bits<64>>,
    instruction: Signal<Local, Bits<64>>,
    address: Signal<Local, Bits<64>>,
    faulting: Signal<Local, Bits<64>>,
    number: Signal<Local, Bits<64>>,
    gpc: Signal<Local, Bits<64>>,
}

impl<
    const SMS: usize,
    const SM: usize,
    const VPN: usize,
    const ASID: usize,
    const MSHR: usize,
    const PLACE: usize,
    const LANES: usize,
    const PC: usize,
    const COUNT: usize,
    const TIME: usize,
> Logic for Record<SMS, SM, VPN, ASID, MSHR, PLACE, LANES, PC, COUNT, TIME>
{
    #[logic]
    fn update(&mut self) {
        for s in 0..SMS {
            self.client.request[s].next = self.requester[s].val();
            self.others.of[s].next = self.requester[s].val() && !self.client.grant[s].val();
            self.mask.choose[s].next = self.requester[s].val();
            self.mask.of[s].next = self.sm_bit[s].val();
        }
        self.lowest.next = self.client.index.val();

        // NVIDIA's fault type.
        self.writes.next = self.access_kind.val().get_bit(0);
        self.kind.next = bits::<5>(2);
        if self.cause.val() == 1 {
            self.kind.next = bits::<5>(3);
        }
        if (self.cause.val() == 2) && !(self.level.val() == 1) {
            self.kind.next = bits::<5>(0);
        }
        if self.cause.val() == 3 {
            self.kind.next = bits::<5>(12);
        }
        if self.cause.val() == 4 {
            self.kind.next = bits::<5>(5);
        }
        if (self.cause.val() == 4) && self.writes.val() {
            self.kind.next = bits::<5>(6);
        }
        if self.cause.val() == 7 {
            self.kind.next = bits::<5>(10);
        }
        self.of_replayable.next = bits::<64>(0);
        if self.replayable.val() {
            self.of_replayable.next = self.replayable_bit.val();
        }
        self.of_write.next = bits::<64>(0);
        if self.writes.val() {
            self.of_write.next = self.write_bit.val();
        }

        // An instruction that was not found shows zeros.
        self.address.next = bits::<64>(0);
        self.instruction.next = bits::<64>(0);
        if self.known.val() {
            self.address.next = bit_cast::<64, PC>(self.pc.val());
            self.instruction.next = self.known_bit.val()
                | bit_cast::<64, LANES>(self.lanes.val())
                | (bit_cast::<64, WARP_BITS>(self.warp.val()) << 32)
                | (bit_cast::<64, SLOT_BITS>(self.slot.val()) << 40)
                | (bit_cast::<64, 3>(self.scheme.val()) << 48)
                | (bit_cast::<64, LOG_ENTRY_BITS>(self.pointer.val()) << 56);
        }

        // The address is canonical.
        self.faulting.next = bit_cast::<64, VPN>(self.vpn.val()) << 12;
        if (self.vpn.val() & self.sign.val()).any() {
            self.faulting.next =
                (bit_cast::<64, VPN>(self.vpn.val()) << 12) | self.above_address.val();
        }
        self.number.next = bit_cast::<64, SM>(self.client.index.val());
        self.gpc.next = self.number.val() >> self.gpc_bits.val();
        for w in 0..8 {
            self.words.choose[w].next = self.show[w].val();
        }
        self.words.of[0].next = bit_cast::<64, ASID>(self.asid.val()) << 12;
        self.words.of[1].next = self.faulting.val();
        self.words.of[2].next = bit_cast::<64, TIME>(self.time.val());
        self.words.of[3].next = self.seal.val()
            | (bit_cast::<64, 5>(self.kind.val()) << 32)
            | self.of_replayable.val()
            | ((self.number.val() & self.within_gpc.val()) << 40)
            | (self.gpc.val() << 56)
            | self.of_write.val();
        self.words.of[4].next = bit_cast::<64, ASID>(self.asid.val())
            | (bit_cast::<64, 3>(self.level.val()) << 8)
            | (bit_cast::<64, 3>(self.cause.val()) << 12)
            | (bit_cast::<64, 3>(self.access_kind.val()) << 16)
            | self.mask.chosen.val()
            | (bit_cast::<64, 5>(self.others.count.val()) << 48);
        self.words.of[5].next = bit_cast::<64, MSHR>(self.index.val())
            | (bit_cast::<64, PLACE>(self.place.val()) << 16)
            | (bit_cast::<64, COUNT>(self.sequence.val()) << 32);
        self.words.of[6].next = self.address.val();
        self.words.of[7].next = self.instruction.val();
        self.word.next = self.words.chosen.val();
    }
}
