//! Branches, matches, loops, structures, constants, and names that Verilog reserves.

use faultline_hw::primitives::register::Register;
use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// Three values in two bits.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum Phase {
    Idle,
    Reading,
    WritingBack,
}

/// Fields of several kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Record {
    low: Bits<7>,
    flag: Bit,
    phase: Phase,
    high: Bits<33>,
}

/// Statements.
#[block(top)]
pub struct Control {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub a: Signal<In, Bits<7>>,
    pub b: Signal<In, Bits<7>>,
    pub c: Signal<In, Bits<33>>,
    pub p: Signal<In, Bit>,
    pub q: Signal<In, Bit>,
    pub lanes: [Signal<In, Bits<5>>; 4],
    pub flags: [Signal<In, Bit>; 8],

    pub branch: Signal<Out, Bits<7>>,
    pub chain: Signal<Out, Bits<7>>,
    pub nested: Signal<Out, Bits<7>>,
    pub two: Signal<Out, Bits<7>>,
    pub other_two: Signal<Out, Bit>,
    pub part_in_test: Signal<Out, Bits<2>>,
    pub phase_code: Signal<Out, Bits<2>>,
    pub phase_is: Signal<Out, Bit>,
    pub exhaustive: Signal<Out, Bits<7>>,
    pub with_default: Signal<Out, Bits<7>>,
    pub on_bool: Signal<Out, Bits<7>>,
    pub last_set: Signal<Out, Bits<3>>,
    pub counted: Signal<Out, Bits<4>>,
    pub prefix: [Signal<Out, Bit>; 8],
    pub suffix: [Signal<Out, Bit>; 8],
    pub rotated: [Signal<Out, Bits<5>>; 4],
    pub evens: [Signal<Out, Bit>; 4],
    pub odds: [Signal<Out, Bit>; 4],
    pub numbered: [Signal<Out, Bits<5>>; 4],
    pub tied: [Signal<Out, Bits<3>>; 4],
    pub one_hot: Signal<Out, Bits<4>>,
    pub reversed: [Signal<Out, Bit>; 7],
    pub replaced: Signal<Out, Bits<7>>,
    pub looked_up: [Signal<Out, Bits<9>>; 4],
    pub second_of_table: Signal<Out, Bits<9>>,
    pub record_low: Signal<Out, Bits<7>>,
    pub record_flag: Signal<Out, Bit>,
    pub record_high: Signal<Out, Bits<33>>,
    pub record_reading: Signal<Out, Bit>,
    pub field_sum: Signal<Out, Bits<7>>,
    pub patched_low: Signal<Out, Bits<7>>,
    pub patched_phase: Signal<Out, Bit>,
    pub patched_high: Signal<Out, Bits<33>>,
    pub lane_sum: Signal<Out, Bits<5>>,
    pub late_first: Signal<Out, Bits<7>>,
    pub late_second: Signal<Out, Bits<7>>,
    pub single: [Signal<Out, Bit>; 1],

    phase: Register<Phase>,
    record: Signal<Local, Record>,
    patched: Signal<Local, Record>,
    early: Signal<Local, Bits<7>>,
    counts: [Signal<Local, Bits<4>>; 9],
    replacements: [Signal<Local, Bits<7>>; 8],
    ahead: Signal<Local, Bits<7>>,
    #[init([7, 0, 511, 256].map(|value: LiteralType| Constant::new(bits(value))))]
    table: [Constant<Bits<9>>; 4],
    #[init(Constant::new(bits(100)))]
    limit: Constant<Bits<7>>,
    #[init(Constant::new(Phase::Idle))]
    rest: Constant<Phase>,
}

impl Logic for Control {
    #[logic]
    fn update(&mut self) {
        // A default and an override.
        self.branch.next = self.a.val();
        if self.a.val() + 1 == self.b.val() {
            self.branch.next = self.b.val() + 1;
        }

        // A chain, one of whose tests takes a part of an expression.
        if self.p.val() && self.a.val() < self.limit.val() {
            self.chain.next = self.a.val() << 1;
        } else if (self.a.val() + self.b.val()).get_bit(3) {
            self.chain.next = self.b.val() >> 1;
        } else if bit_cast::<2, 7>(self.a.val() - self.b.val()) == 1 {
            self.chain.next = 5.into();
        } else {
            self.chain.next = !self.a.val();
        }

        if self.p.val() {
            if self.q.val() {
                self.nested.next = self.a.val();
            } else {
                self.nested.next = self.b.val();
                if self.a.val().any() {
                    self.nested.next = self.a.val() & self.b.val();
                }
            }
        } else {
            self.nested.next = bits::<7>(0);
        }

        // Two signals in one branch.
        self.two.next = bits::<7>(1);
        self.other_two.next = false;
        if self.q.val() {
            self.two.next = self.b.val();
            self.other_two.next = true;
        }
        self.part_in_test.next = (self.a.val() + self.b.val()).get_bits::<2>(5);

        // A state machine.
        self.phase.d.next = self.phase.q.val();
        match self.phase.q.val() {
            Phase::Idle => {
                self.phase_code.next = bits::<2>(0);
                self.exhaustive.next = self.a.val();
                if self.p.val() {
                    self.phase.d.next = Phase::Reading;
                }
            }
            Phase::Reading => {
                self.phase_code.next = bits::<2>(1);
                self.exhaustive.next = self.b.val();
                if self.q.val() {
                    self.phase.d.next = Phase::WritingBack;
                }
            }
            Phase::WritingBack => {
                self.phase_code.next = bits::<2>(2);
                self.exhaustive.next = !self.b.val();
                self.phase.d.next = self.rest.val();
            }
        }
        self.phase_is.next =
            (self.phase.q.val() == Phase::Reading) || self.phase.d.val() != Phase::Idle;
        match self.phase.q.val() {
            Phase::WritingBack => self.with_default.next = self.a.val() - 1,
            _ => self.with_default.next = self.b.val() - 1,
        }
        match self.p.val() {
            true => self.on_bool.next = self.a.val(),
            false => self.on_bool.next = self.b.val(),
        }

        // Loops: the last assignment wins, counters run along arrays, indices are computed.
        self.last_set.next = bits::<3>(0);
        for i in 0..8 {
            if self.flags[i].val() {
                self.last_set.next = i.to_bits::<3>();
            }
        }
        self.counts[0].next = bits::<4>(0);
        for i in 0..8 {
            self.counts[i + 1].next = self.counts[i].val() + self.flags[i].val();
        }
        self.counted.next = self.counts[8].val();
        self.prefix[0].next = self.flags[0].val();
        for i in 1..8 {
            self.prefix[i].next = self.prefix[i - 1].val() || self.flags[i].val();
        }
        self.suffix[7].next = self.flags[7].val();
        for i in 0..7 {
            self.suffix[6 - i].next = self.suffix[7 - i].val() ^ self.flags[6 - i].val();
        }
        self.rotated[3].next = self.lanes[0].val();
        for i in 0..3 {
            self.rotated[i].next = self.lanes[i + 1].val();
        }
        for i in 0..4 {
            self.evens[i].next = self.flags[2 * i].val() && self.flags[2 * (3 - i)].val();
            self.odds[i].next = self.flags[2 * i + 1].val();
            self.numbered[i].next = i.to_bits::<5>() + self.lanes[i].val();
            self.tied[i].next = i.to_bits::<3>();
            self.looked_up[i].next = self.table[i].val() + 1;
        }
        self.one_hot.next = bits::<4>(0);
        for i in 0..4 {
            if self.lanes[i].val() == i.to_bits::<5>() {
                self.one_hot.next = bits::<4>(1) << i.to_bits::<2>();
            }
        }
        self.replacements[0].next = self.b.val();
        for i in 0..7 {
            self.reversed[6 - i].next =
                self.a.val().get_bit(i) != (self.a.val() + self.b.val()).get_bit(i);
            self.replacements[i + 1].next = self.replacements[i]
                .val()
                .replace_bit(i, self.a.val().get_bit(i));
        }
        self.replaced.next = self.replacements[7].val();
        self.second_of_table.next = self.table[1].val();
        for i in 0..1 {
            self.single[i].next = self.flags[i].val() && self.p.val();
        }

        // Fields.
        self.record.next.low = self.a.val() + self.b.val();
        self.record.next.flag = self.a.val() < self.b.val();
        self.record.next.phase = self.phase.q.val();
        self.record.next.high = self.c.val() + 1;
        self.record_low.next = self.record.val().low;
        self.record_flag.next = self.record.val().flag;
        self.record_high.next = self.record.val().high >> 1;
        self.record_reading.next = self.record.val().phase == Phase::Reading;
        self.field_sum.next = self.record.val().low + self.record.val().flag;
        self.patched.next = self.record.val();
        self.patched.next.low = self.b.val();
        if self.p.val() {
            self.patched.next.high = self.c.val();
        }
        self.patched_low.next = self.patched.val().low + self.patched.val().flag;
        self.patched_phase.next = self.patched.val().phase == Phase::Idle;
        self.patched_high.next = self.patched.val().high;

        self.lane_sum.next =
            self.lanes[0].val() + self.lanes[1].val() - (self.lanes[2].val() ^ self.lanes[3].val());

        // A signal is read above the statement that gives its value: the kernel settles on the final one.
        self.late_first.next = self.ahead.val() + self.early.val();
        self.early.next = self.a.val() ^ self.b.val();
        self.ahead.next = self.early.val() + 1;
        self.late_second.next = self.ahead.val();
    }
}

/// Names that are keywords of Verilog, of SystemVerilog or of the C++ that Verilator makes.
#[block(top)]
pub struct Keywords {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub release: Signal<In, Bits<8>>,
    pub matches: Signal<In, Bits<8>>,
    pub byte: Signal<In, Bits<8>>,
    pub begin: Signal<In, Bits<4>>,
    pub logic: Signal<Out, Bits<8>>,
    pub cell: Signal<Out, Bits<8>>,
    pub endmodule: Signal<Out, Bits<8>>,
    pub switch: Signal<Out, Bits<8>>,
    pub double: [Signal<Out, Bit>; 4],
    integer: Register<Bits<8>>,
    table: Signal<Local, Bits<8>>,
    delete: Signal<Local, Bits<8>>,
}

impl Logic for Keywords {
    #[logic]
    fn update(&mut self) {
        self.integer.d.next = self.integer.q.val() + self.byte.val();
        self.table.next = self.release.val() & self.matches.val();
        self.delete.next = self.table.val() + 1;
        self.logic.next = self.integer.q.val();
        self.cell.next = self.delete.val() ^ self.matches.val();
        self.endmodule.next = self.table.val() - self.byte.val();
        self.switch.next = self.release.val() - 1;
        for bit in 0..4 {
            self.double[bit].next = self.begin.val().get_bit(bit) && self.byte.val().get_bit(bit);
        }
    }
}
