//! How the exporter prints what is easily printed wrong.

use faultline_hw::primitives::register::Register;
use rust_hdl::prelude::*;

use crate::text;

#[test]
fn keywords_get_an_underscore() {
    block!(Named { matches: Signal<Local, Bits<8>>, queue: Signal<Local, Bits<8>>, release: Register<Bits<8>>,
        clock: Signal<In, Clock>, reset: Signal<In, Bit> } #[hdl_gen] |self| {
        self.release.clock.next = self.clock.val();
        self.release.reset.next = self.reset.val();
        self.release.d.next = self.a.val();
        self.matches.next = self.release.q.val() & self.b.val();
        self.queue.next = self.matches.val() + 1;
        self.y.next = self.queue.val();
        self.z.next = self.a.val();
        for bit in 0..8 {
            if self.a.val().get_bit(bit) {
                self.z.next = self.b.val();
            }
        }
    });
    let text = text(&Named::default());
    for name in [
        " matches_;",
        " queue_;",
        "register #(.WIDTH(8)) release_ (",
        "integer bit_;",
    ] {
        assert!(text.contains(name), "{name} is not in\n{text}");
    }
}

#[test]
fn blocks_of_one_type_share_a_module() {
    block!(Half {} #[hdl_gen] |self| {
        self.y.next = self.a.val() >> 1;
        self.z.next = self.b.val() >> 1;
    });
    block!(Pair { one: Half, two: Half } #[hdl_gen] |self| {
        self.one.a.next = self.a.val();
        self.one.b.next = self.b.val();
        self.two.a.next = self.one.y.val();
        self.two.b.next = self.one.z.val();
        self.y.next = self.two.y.val();
        self.z.next = self.two.z.val();
    });
    let text = text(&Pair::default());
    assert_eq!(text.matches("endmodule").count(), 2, "{text}");
    assert!(
        text.contains("block_one one (") && text.contains("block_one two ("),
        "{text}"
    );
}

#[test]
fn the_last_of_overlapping_assignments_holds() {
    #[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
    pub struct Halves {
        low: Bits<4>,
        high: Bits<4>,
    }
    block!(Over { halves: Signal<Local, Halves>, other: Signal<Local, Halves> } #[hdl_gen] |self| {
        self.other.next.low = bits::<4>(1);
        self.other.next.high = bits::<4>(2);
        self.halves.next = self.other.val();
        self.halves.next.low = self.a.val().get_bits::<4>(0);
        self.y.next = bit_cast::<8, 4>(self.halves.val().low) + self.b.val();
        self.z.next = bit_cast::<8, 4>(self.halves.val().high);
    });
    // Two continuous assignments would fight.
    let text = text(&Over::default());
    assert!(
        text.contains("halves = other;\n        halves[3:0] = a[3:0];"),
        "{text}"
    );
    assert!(!text.contains("assign halves"), "{text}");
}

#[test]
fn a_loop_over_constants_needs_nobody_to_wake_it() {
    block!(Tied { tied: [Signal<Out, Bits<3>>; 3] } #[hdl_gen] |self| {
        for i in 0..3 {
            self.tied[i].next = i.to_bits::<3>();
        }
        self.y.next = self.a.val();
        self.z.next = self.b.val();
    });
    let text = text(&Tied::default());
    assert!(text.contains("assign tied[8:6] = 3'd2;"), "{text}");
    assert!(!text.contains("always"), "{text}");
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "it is about an empty loop")]
fn an_array_without_elements_and_its_loop_are_not_there() {
    block!(EmptyArray { none: [Signal<Local, Bit>; 0] } #[hdl_gen] |self| {
        self.y.next = self.a.val();
        self.z.next = self.b.val();
        for i in 0..0 {
            self.none[i].next = self.a.val().get_bit(0);
            if self.none[i].val() {
                self.y.next = self.b.val();
            }
        }
    });
    let text = text(&EmptyArray::default());
    assert!(text.contains("assign y = a;"), "{text}");
    assert!(!text.contains("none") && !text.contains("for ("), "{text}");
}

#[test]
fn a_signal_may_be_read_above_the_statement_that_writes_it() {
    block!(Late { late: Signal<Local, Bits<8>> } #[hdl_gen] |self| {
        self.y.next = self.late.val();
        self.late.next = self.a.val();
        self.z.next = self.b.val();
    });
    assert!(text(&Late::default()).contains("assign y = late;"));
}

#[test]
fn an_operator_never_follows_another() {
    block!(Twice {} #[hdl_gen] |self| {
        self.y.next = !!self.a.val();
        self.z.next = self.b.val() + !self.b.val().any();
    });
    let text = text(&Twice::default());
    assert!(
        text.contains("y = ~(~a);") && text.contains("!(|b)"),
        "{text}"
    );
}

#[test]
fn a_variable_of_a_branch_has_a_value_in_every_case() {
    block!(Branch {} #[hdl_gen] |self| {
        if self.a.val().any() {
            self.y.next = self.b.val();
        } else if (self.a.val() << self.b.val()).get_bit(7) {
            self.y.next = self.a.val();
        } else {
            self.y.next = bits::<8>(0);
        }
        self.z.next = self.b.val();
    });
    let text = text(&Branch::default());
    assert!(text.contains("        part_0 = 1'd0;\n"), "{text}");
    assert!(text.contains("{part_0, unused_0} = a << b;"), "{text}");
}

#[test]
fn an_array_of_blocks_may_have_arrays_of_ports() {
    block!(Lane { x: [Signal<In, Bit>; 3] } #[hdl_gen] |self| {
        self.y.next = self.a.val() + self.x[0].val() + self.x[1].val();
        self.z.next = self.b.val() + self.x[2].val();
    });
    block!(Lanes { lane: [Lane; 2] } #[hdl_gen] |self| {
        for i in 0..2 {
            self.lane[i].a.next = self.a.val();
            self.lane[i].b.next = self.b.val();
            for j in 0..2 {
                self.lane[i].x[j].next = self.a.val().any();
            }
            self.lane[i].x[2].next = false;
        }
        self.y.next = self.lane[0].y.val();
        self.z.next = self.lane[1].z.val();
    });
    let text = text(&Lanes::default());
    assert!(text.contains("lane_x[i*3 + j] = |a;"), "{text}");
    assert!(text.contains("lane_x[i*3 + 2] = 1'd0;"), "{text}");
}

#[test]
fn a_part_of_an_expression_is_that_expression_of_parts() {
    block!(Parts {
        low: Signal<Out, Bits<4>>,
        sum: Signal<Out, Bits<3>>,
        masked: Signal<Out, Bits<4>>,
        odd: Signal<Out, Bits<4>>;
        shift: 3, mask: 0xbf
    } #[hdl_gen] |self| {
        self.low.next = bit_cast::<4, 8>(self.a.val() >> self.shift.val());
        self.sum.next = (self.a.val() - self.b.val()).get_bits::<3>(0);
        self.masked.next = bit_cast::<4, 8>(self.b.val() & self.mask.val());
        self.odd.next = (!self.a.val() ^ self.b.val()).get_bits::<4>(4);
        self.y.next = self.a.val() << self.shift.val();
        self.z.next = self.b.val() >> self.shift.val();
    });
    let text = text(&Parts::default());
    for line in [
        "assign low = a[6:3];",
        "assign sum = a[2:0] - b[2:0];",
        "assign masked = b[3:0];",
        "assign odd = ~a[7:4] ^ b[7:4];",
        "assign y = {a[4:0], 3'd0};",
        "assign z = {3'd0, b[7:3]};",
    ] {
        assert!(text.contains(line), "no `{line}` in {text}");
    }
    // A constant that shifts, or masks nothing that is kept, is not printed.
    assert!(!text.contains("localparam"), "{text}");
}

#[test]
fn what_is_cut_off_everywhere_is_said_to_be_unused() {
    block!(Cut { word: Signal<Local, Bits<8>>, high: Signal<Out, Bits<2>> } #[hdl_gen] |self| {
        self.word.next = self.a.val() + self.b.val();
        self.high.next = bit_cast::<2, 8>(self.word.val() >> 5);
        self.y.next = self.a.val();
        self.z.next = self.b.val();
    });
    let text = text(&Cut::default());
    assert!(text.contains("assign high = word[6:5];"), "{text}");
    let line = "wire unused_bits = &{1'b0, word[7], word[4:0]};";
    assert!(text.contains(line), "{text}");
}

#[test]
fn masks_are_hexadecimal_and_counts_are_decimal() {
    block!(Masks { ; mask: 0x8f, most: 20 } #[hdl_gen] |self| {
        self.y.next = (self.a.val() & self.mask.val()) | 0x30;
        self.z.next = self.b.val() + self.most.val();
    });
    let text = text(&Masks::default());
    for part in [
        "localparam [7:0] MASK = 8'h8f;",
        "localparam [7:0] MOST = 8'd20;",
        "(a & MASK) | 8'h30",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

#[test]
fn a_process_is_named_and_described_after_what_it_drives() {
    block!(Both { kept: Signal<Local, Bits<8>> } #[hdl_gen] |self| {
        self.kept.next = self.a.val();
        self.y.next = self.b.val();
        if self.a.val().any() {
            self.kept.next = self.b.val();
            self.y.next = self.a.val();
        }
        self.z.next = self.kept.val();
    });
    let text = text(&Both::default());
    let process = "    // Drives output y; signal kept, from a and b.\n    always @* begin : drive_kept_and_y\n";
    assert!(text.contains(process), "{text}");
}
