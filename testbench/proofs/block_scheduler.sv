// The guarantees of block_scheduler.md, stated over its ports, for 2 slots, 3 contexts, and 2 of 4 pages. Beside the block
// is what its users know: where blocks are, which pages are followed, and who has met them. `bad[k]` must stay low for ever,
// and `seen[k]` must be reachable, or guarantee k holds for want of an occasion.
module block_scheduler_proof_top (
    input  wire       clock,
    input  wire [1:0] want_slots,
    input  wire [1:0] want_extra,
    input  wire [1:0] want_residence,
    input  wire [1:0] threshold,
    input  wire       more,
    input  wire       fill_valid,
    input  wire [1:0] fill_kind,
    input  wire [1:0] fill,
    input  wire [1:0] fill_place,
    input  wire       fault_valid,
    input  wire       fault_slot,
    input  wire [1:0] fault,
    input  wire       ended_valid,
    input  wire       ended_slot,
    input  wire       leave_ready,
    input  wire       left_valid,
    input  wire       enter_ready,
    input  wire       entered_valid,
    input  wire       entered_refused,
    input  wire       want_ready,
    input  wire       given_valid,
    input  wire       given_some,
    output wire [9:1] bad,
    output wire [9:1] seen
);
    wire       leave_valid, enter_valid, want_valid, lost_valid, empty;
    wire       leave_slot, enter_slot, want_slot;
    wire [1:0] leave_context, enter_context, lost_context, active, off_chip;

    // How the SM is set up changes only while it is empty; extra blocks are fewer than contexts.
    reg  [5:0] set_up;
    initial set_up = 6'd0;
    wire [1:0] slots, extra, residence;
    assign {slots, extra, residence} = empty ? {want_slots, want_extra == 2'd3 ? 2'd2 : want_extra, want_residence} : set_up;
    always @(posedge clock) set_up <= {slots, extra, residence};

    block_scheduler_proof scheduler (
        .clock(clock), .reset(1'b0), .slots(slots), .extra(extra), .threshold(threshold), .residence(residence), .more(more),
        .fill_valid(fill_valid), .fill_kind(fill_kind), .fill_vpn(fill[0]), .fill_asid(fill[1]), .fill_place(fill_place),
        .fault_valid(fault_valid), .fault_slot(fault_slot), .fault_vpn(fault[0]), .fault_asid(fault[1]),
        .ended_valid(ended_valid), .ended_slot(ended_slot),
        .leave_ready(leave_ready), .left_valid(left_valid), .enter_ready(enter_ready), .entered_valid(entered_valid),
        .entered_refused(entered_refused), .want_ready(want_ready), .given_valid(given_valid), .given_some(given_some),
        .leave_valid(leave_valid), .leave_slot(leave_slot), .leave_context(leave_context),
        .enter_valid(enter_valid), .enter_slot(enter_slot), .enter_context(enter_context),
        .lost_valid(lost_valid), .lost_context(lost_context), .want_valid(want_valid), .want_slot(want_slot),
        .active(active), .off_chip(off_chip), .empty(empty)
    );

    // What was taken and not answered.
    reg        saving, restoring, asked, moving_slot, asked_slot;
    reg  [1:0] moving_context;
    initial {saving, restoring, asked} = 3'd0;
    wire       left = saving && left_valid;
    wire       entered = restoring && entered_valid;
    wire       given = asked && given_valid;
    always @(posedge clock) begin
        saving <= (leave_valid && leave_ready) || (saving && !left_valid);
        restoring <= (enter_valid && enter_ready) || (restoring && !entered_valid);
        asked <= (want_valid && want_ready) || (asked && !given_valid);
        if (leave_valid) {moving_slot, moving_context} <= {leave_slot, leave_context};
        if (enter_valid) {moving_slot, moving_context} <= {enter_slot, enter_context};
        if (want_valid) asked_slot <= want_slot;
    end

    // Where blocks are.
    reg  [1:0] in_slot;
    reg  [2:0] in_context;
    initial {in_slot, in_context} = 5'd0;
    function [1:0] one;
        input valid, number;
        one = {valid && number, valid && !number};
    endfunction
    function [2:0] one_context;
        input       valid;
        input [1:0] number;
        one_context = valid ? 3'd1 << number : 3'd0;
    endfunction
    wire [1:0] ends = one(ended_valid, ended_slot);
    wire [1:0] leaves = one(left, moving_slot);
    wire [1:0] comes = one(entered && !entered_refused, moving_slot) | one(given && given_some, asked_slot);
    wire       stays = |(leaves & in_slot & ~ends);
    wire [2:0] into = one_context(stays, moving_context);
    always @(posedge clock) begin
        in_slot <= (in_slot & ~ends & ~leaves) | comes;
        in_context <= (in_context | into) & ~one_context(entered, moving_context);
    end

    // Those that come back, and slots that are kept for somebody.
    wire [2:0] coming = one_context(enter_valid, enter_context) | one_context(restoring, moving_context);
    wire [1:0] kept = one(enter_valid, enter_slot) | one(want_valid, want_slot) | one(asked, asked_slot)
        | one(restoring || saving, moving_slot) | one(leave_valid, leave_slot);
    wire [1:0] used = slots == 2'd0 ? 2'd0 : slots == 2'd1 ? 2'd1 : 2'd3;
    wire [1:0] free = used & ~in_slot & ~kept;
    wire [2:0] outside = in_context & ~coming;

    // The pages, and who waits for each.
    reg  [3:0] followed, far;
    reg  [3:0] met_0, met_1, met_2, met_3, met_4; // in two slots and three contexts
    initial {followed, far, met_0, met_1, met_2, met_3, met_4} = 28'd0;
    wire [3:0] told = fill_valid ? 4'd1 << fill : 4'd0;
    wire [3:0] over = fill_kind[1] ? 4'd0 : told;
    wire [3:0] absent = fill_kind[1] ? told : 4'd0;
    wire       room = followed == 4'd0 || (followed & (followed - 4'd1)) == 4'd0;
    wire [3:0] taken = absent & (followed | {4{room}});
    wire       past = fill_kind == 2'd2 && fill_place > threshold;
    wire [3:0] met = fault_valid && in_slot[fault_slot] ? (4'd1 << fault) & followed : 4'd0;
    wire [3:0] now_0 = met_0 | (fault_slot ? 4'd0 : met);
    wire [3:0] now_1 = met_1 | (fault_slot ? met : 4'd0);
    wire [3:0] moved = moving_slot ? now_1 : now_0;
    always @(posedge clock) begin
        followed <= (followed | taken) & ~over;
        far <= (past ? far | taken : far & ~taken) & ~over;
        met_0 <= ends[0] || leaves[0] ? 4'd0 : now_0 & ~over;
        met_1 <= ends[1] || leaves[1] ? 4'd0 : now_1 & ~over;
        met_2 <= (into[0] ? moved : met_2) & ~over;
        met_3 <= (into[1] ? moved : met_3) & ~over;
        met_4 <= (into[2] ? moved : met_4) & ~over;
    end
    wire [1:0] waits = {|met_1, |met_0} & in_slot;
    wire [1:0] behind = {|(met_1 & far), |(met_0 & far)} & in_slot;
    wire [2:0] waits_outside = {|met_4, |met_3, |met_2} & outside;
    wire [2:0] ready = outside & ~waits_outside;

    // Who left before whom: 1 before 0, 2 before 0, 2 before 1.
    reg  [2:0] before;
    initial before = 3'd0;
    always @(posedge clock) begin
        if (into[0]) before[1:0] <= 2'b11;
        if (into[1]) {before[2], before[0]} <= 2'b10;
        if (into[2]) before[2:1] <= 2'b00;
    end
    // The ready ones that left after another ready one.
    wire [2:0] overtaken = {(ready[0] && !before[1]) || (ready[1] && !before[2]),
        (ready[0] && !before[0]) || (ready[2] && before[2]),
        (ready[1] && before[0]) || (ready[2] && before[1])};

    // How it was in the cycle before, when what is offered now was decided.
    reg        leaving_then, entering_then, wanting_then, some_free_then, replaced_then, more_then;
    reg  [1:0] behind_then;
    reg  [2:0] ready_then, overtaken_then;
    reg  [7:0] offers_then;
    initial {leaving_then, entering_then, wanting_then, some_free_then, replaced_then, more_then} = 6'd0;
    initial {behind_then, ready_then} = 5'd0;
    wire [2:0] off_count = {2'd0, outside[0]} + {2'd0, outside[1]} + {2'd0, outside[2]};
    always @(posedge clock) begin
        leaving_then <= leave_valid && !leave_ready;
        entering_then <= enter_valid && !enter_ready;
        wanting_then <= want_valid && !want_ready;
        offers_then <= {leave_slot, leave_context, enter_slot, enter_context, want_slot, 1'b0};
        behind_then <= behind & active & used;
        some_free_then <= |free;
        replaced_then <= |ready || (more && !want_valid && !asked && off_count < {1'b0, extra});
        more_then <= more;
        ready_then <= ready;
        overtaken_then <= overtaken;
    end
    wire new_leave = leave_valid && !leaving_then;
    wire new_enter = enter_valid && !entering_then;
    wire new_want = want_valid && !wanting_then;

    // For how long each block has been there.
    reg  [3:0] age_0, age_1;
    always @(posedge clock) begin
        age_0 <= comes[0] ? 4'd0 : age_0 + (age_0 != 4'd15);
        age_1 <= comes[1] ? 4'd0 : age_1 + (age_1 != 4'd15);
    end
    wire [3:0] age = leave_slot ? age_1 : age_0;

    // How often one that could leave was passed over.
    (* hierconn *) wire [1:0] \scheduler.slot[0].periods_q ;
    (* hierconn *) wire [1:0] \scheduler.slot[1].periods_q ;
    wire [1:0] settled = {\scheduler.slot[1].periods_q == 2'd2, \scheduler.slot[0].periods_q == 2'd2};
    wire [1:0] could = behind & active & used & settled;
    reg  [1:0] passed_0, passed_1;
    initial {passed_0, passed_1} = 4'd0;
    wire [1:0] passes_0 = passed_0 + {1'b0, new_leave && leave_slot && passed_0 != 2'd3};
    wire [1:0] passes_1 = passed_1 + {1'b0, new_leave && !leave_slot && passed_1 != 2'd3};
    always @(posedge clock) begin
        passed_0 <= could[0] ? passes_0 : 2'd0;
        passed_1 <= could[1] ? passes_1 : 2'd0;
    end

    // Who waits, as the block has it.
    (* hierconn *) wire [1:0] \scheduler.page[0].waits_q ;
    (* hierconn *) wire [1:0] \scheduler.page[1].waits_q ;
    (* hierconn *) wire [2:0] \scheduler.page[0].waits_off_chip_q ;
    (* hierconn *) wire [2:0] \scheduler.page[1].waits_off_chip_q ;
    wire [1:0] known_waits = (\scheduler.page[0].waits_q | \scheduler.page[1].waits_q ) & in_slot;
    wire [2:0] known_outside = (\scheduler.page[0].waits_off_chip_q | \scheduler.page[1].waits_off_chip_q ) & outside;

    // An answer ends what was under way, and the next decision falls in the cycle after it.
    reg left_then, entered_then, given_then;
    initial {left_then, entered_then, given_then} = 3'd0;
    always @(posedge clock) {left_then, entered_then, given_then} <= {left, entered, given};

    wire [2:0] blocks = {2'd0, in_slot[0]} + {2'd0, in_slot[1]} + {2'd0, in_context[0]} + {2'd0, in_context[1]}
        + {2'd0, in_context[2]};
    wire [2:0] room_for = {1'b0, slots == 2'd3 ? 2'd2 : slots} + {1'b0, extra};
    wire [1:0] leaving = one(saving, moving_slot) | one(leave_valid, leave_slot);
    wire [2:0] offered_context = 3'd1 << leave_context;

    assign bad[1] = active != (in_slot & ~leaving) || |(in_slot & (one(want_valid, want_slot) | one(enter_valid, enter_slot)))
        || (want_valid && enter_valid && want_slot == enter_slot)
        || (new_leave && !in_slot[leave_slot])
        || (leave_valid && |(offered_context & in_context))
        || (enter_valid && !in_context[enter_context]) || {1'b0, off_chip} != off_count
        || lost_valid != (entered && entered_refused) || (lost_valid && lost_context != moving_context)
        || empty != (in_slot == 2'd0 && in_context == 3'd0 && kept == 2'd0);
    assign bad[2] = blocks > room_for || !(off_count <= {1'b0, extra}
        || (off_count == {1'b0, extra} + 3'd1 && |ready && |free));
    assign bad[3] = new_leave && !(behind_then[leave_slot] && !some_free_then && replaced_then);
    assign bad[4] = (new_enter && (!ready_then[enter_context] || overtaken_then[enter_context])) || (new_want && |ready_then);
    assign bad[5] = known_waits != waits || known_outside != waits_outside;
    assign bad[6] = new_leave && age < {2'd0, residence};
    assign bad[7] = (leaving_then && !(leave_valid && offers_then[7:5] == {leave_slot, leave_context}))
        || (entering_then && !(enter_valid && offers_then[4:2] == {enter_slot, enter_context}))
        || (wanting_then && !(want_valid && offers_then[1] == want_slot));
    assign bad[8] = some_free_then && (|ready_then ? !(leave_valid || enter_valid || saving || restoring || left_then || entered_then)
        : more_then && !(want_valid || asked || given_then)) || (new_want && !more_then);
    assign bad[9] = passes_0 > 2'd1 || passes_1 > 2'd1;

    assign seen[1] = in_slot == 2'd3 && off_count == 3'd2 && active == 2'd3;
    assign seen[2] = off_count == 3'd2 && extra == 2'd1;
    assign seen[3] = new_leave && off_count == 3'd2 && extra == 2'd2;
    assign seen[4] = new_enter && |(overtaken_then) && ready_then[0] && enter_context == 2'd1;
    assign seen[5] = |(into) && !over && now_0 != met_0 && moving_slot == 1'b0 && met_0 != 4'd0;
    assign seen[6] = new_leave && residence == 2'd3 && age < 4'd7;
    assign seen[7] = leaving_then && wanting_then && offers_then[7:5] == 3'b101;
    assign seen[8] = some_free_then && |ready_then && saving;
    assign seen[9] = passes_0 == 2'd1 && could[0];
endmodule
