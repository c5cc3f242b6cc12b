// The guarantees of memory_unit.md, stated over its ports, for 2 accesses of 2 lanes, 2 page entries, 2 warps and 4 pages, of
// which two lines are accessed.
// Beside the unit are a coalescer that splits instructions in any way, and a TLB whose pages keep frames and rights between two
// invalidations. Of all instructions one is marked, and of those behind it another one; their scoreboard entries are 7 and 6,
// and no others have these. `bad[k]` must stay low for ever, and `seen[k]` must be reachable, or guarantee k holds for want
// of an occasion.
module memory_unit_proof_top (
    input  wire        clock,
    input  wire        want_instruction,
    input  wire        mark,
    input  wire        warp,
    input  wire        index,
    input  wire        store,
    input  wire [1:0]  mask,
    input  wire        want_split,
    input  wire        want_request,
    input  wire [1:0]  want_mask,
    input  wire [2:0]  want_line,
    input  wire [1:0]  answer,
    input  wire [3:0]  frames,
    input  wire [3:0]  denies_loads,
    input  wire [3:0]  denies_stores,
    input  wire        wake_valid,
    input  wire        wake_all,
    input  wire [1:0]  wake_vpn,
    input  wire        wake_asid,
    input  wire        invalidate_valid,
    input  wire [1:0]  invalidate_scope,
    input  wire        invalidate_asid,
    input  wire        checked_ready,
    input  wire        line_ready,
    input  wire        resume_ready,
    input  wire [1:0]  hold,
    input  wire        want_leave,
    input  wire        leave_warp,
    output wire [11:1] bad,
    output wire [11:1] seen
);
    wire       instruction_ready, split_valid, request_ready, check_valid, check_write, settled;
    wire [1:0] check_vpn, absent_vpn, line_mask;
    wire       checked_valid, checked_warp, checked_index, checked_store;
    wire       faulted_valid, faulted_denied, faulted_warp, faulted_index;
    wire       absent_valid, absent_warp, line_valid, line_warp, line_store, line_last, resume_valid, resume_warp;
    wire [2:0] checked_entry, faulted_entry, line_entry;
    wire [5:0] line_number;

    // The marked instruction, and the second one, which comes behind it.
    reg        m_here, m_undecided, m_checked, n_here, n_undecided;
    initial {m_here, m_undecided, m_checked, n_here, n_undecided} = 5'd0;
    reg        m_warp, m_index, m_store, n_store;
    wire       marks = mark && !m_here;
    wire       marks_n = mark && m_here && m_undecided && !n_here && warp == m_warp && (store || m_store);
    wire [2:0] entry = marks ? 3'd7 : marks_n ? 3'd6 : 3'd0;

    wire       instruction_valid = want_instruction;
    wire       enters = instruction_valid && instruction_ready;
    wire       m_enters = enters && marks;
    wire       n_enters = enters && marks_n;

    // The coalescer has one instruction that is served and one behind it.
    reg  [1:0] served, behind;
    reg        served_m, behind_m, served_n, behind_n, served_store, behind_store;
    initial {served, behind, served_m, behind_m, served_n, behind_n} = 8'd0;
    wire       split_ready = want_split && behind == 2'd0;
    wire       splits = split_valid && split_ready;
    wire       request_valid = want_request && served != 2'd0;
    wire [1:0] request_mask = (served & want_mask) == 2'd0 ? served : served & want_mask;
    wire       request_last = request_mask == served;
    wire [6:0] line = {want_line[2:1], 4'd0, want_line[0]};
    wire       requests = request_valid && request_ready;
    wire       over = requests && request_last;
    always @(posedge clock) begin
        if (over || served == 2'd0) begin
            served <= behind != 2'd0 ? behind : splits ? mask : 2'd0;
            {served_m, served_n, served_store} <= behind != 2'd0 ? {behind_m, behind_n, behind_store} : {marks, marks_n, store};
            behind <= behind != 2'd0 && splits ? mask : 2'd0;
            {behind_m, behind_n, behind_store} <= {marks, marks_n, store};
        end else begin
            if (requests) served <= served & ~request_mask;
            if (splits) begin
                behind <= mask;
                {behind_m, behind_n, behind_store} <= {marks, marks_n, store};
            end
        end
    end

    // The TLB.
    wire       own = invalidate_valid && (invalidate_scope[1] || !invalidate_asid);
    wire       check_ready = !invalidate_valid;
    reg        asked, asked_write;
    reg  [1:0] asked_vpn;
    initial asked = 1'b0;
    reg  [3:0] frame_of, denied_loads, denied_stores;
    wire       forbidden = asked_write ? denied_stores[asked_vpn] : denied_loads[asked_vpn];
    wire       hit = asked && answer == 2'd1 && !forbidden;
    wire       fault = asked && answer == 2'd2;
    wire       denied = asked && answer == 2'd1 && forbidden;
    always @(posedge clock) begin
        asked <= check_valid && check_ready;
        asked_vpn <= check_vpn;
        asked_write <= check_write;
        if (own) {frame_of, denied_loads, denied_stores} <= {frames, denies_loads, denies_stores};
    end

    // The accesses of each warp: those that are not decided, and those that are here.
    reg  [1:0] undecided_0, undecided_1, here_0, here_1;
    initial {undecided_0, undecided_1, here_0, here_1} = 8'd0;
    wire       decides = faulted_valid || (checked_valid && checked_ready);
    wire       decided_warp = faulted_valid ? faulted_warp : checked_warp;
    wire       leaves_line = line_valid && line_ready && line_last;
    always @(posedge clock) begin
        undecided_0 <= undecided_0 + (enters && !warp) - (decides && !decided_warp);
        undecided_1 <= undecided_1 + (enters && warp) - (decides && decided_warp);
        here_0 <= here_0 + (enters && !warp) - (faulted_valid && !faulted_warp) - (leaves_line && !line_warp);
        here_1 <= here_1 + (enters && warp) - (faulted_valid && faulted_warp) - (leaves_line && line_warp);
    end
    wire       leave_valid = want_leave && (leave_warp ? here_1 == 2'd0 : here_0 == 2'd0)
        && !(enters && warp == leave_warp);
    wire       resumes = resume_valid && resume_ready;
    memory_unit_proof unit (
        .clock(clock), .reset(1'b0),
        .instruction_valid(instruction_valid), .instruction_warp(warp), .instruction_slot(4'd0), .instruction_entry(entry),
        .instruction_index(index), .instruction_log_address(7'd0), .instruction_log_data(7'd0),
        .instruction_store(store), .instruction_mask(mask), .split_ready(split_ready),
        .request_valid(request_valid), .request_line(line), .request_mask(request_mask), .request_last(request_last),
        .asid(1'b0), .check_ready(check_ready), .answer_hit(hit), .answer_pfn(hit && frame_of[asked_vpn]),
        .answer_fault(fault), .answer_denied(denied),
        .wake_valid(wake_valid), .wake_all(wake_all), .wake_vpn(wake_vpn), .wake_asid(wake_asid),
        .invalidate_valid(invalidate_valid), .invalidate_scope(invalidate_scope), .invalidate_asid(invalidate_asid),
        .checked_ready(checked_ready), .line_ready(line_ready), .hold(hold),
        .leave_valid(leave_valid), .leave_warp(leave_warp), .resume_ready(resume_ready),
        .instruction_ready(instruction_ready), .split_valid(split_valid), .request_ready(request_ready),
        .check_valid(check_valid), .check_vpn(check_vpn), .check_write(check_write),
        .checked_valid(checked_valid), .checked_warp(checked_warp), .checked_entry(checked_entry),
        .checked_index(checked_index), .checked_store(checked_store),
        .faulted_valid(faulted_valid), .faulted_denied(faulted_denied), .faulted_warp(faulted_warp),
        .faulted_entry(faulted_entry), .faulted_index(faulted_index),
        .absent_valid(absent_valid), .absent_warp(absent_warp), .absent_vpn(absent_vpn),
        .line_valid(line_valid), .line_number(line_number), .line_mask(line_mask), .line_warp(line_warp),
        .line_entry(line_entry), .line_store(line_store), .line_last(line_last),
        .resume_valid(resume_valid), .resume_warp(resume_warp), .settled(settled)
    );

    // What happens to the marked one.
    wire       m_offered = checked_valid && checked_entry == 3'd7;
    wire       m_faults = faulted_valid && faulted_entry == 3'd7;
    wire       m_line = line_valid && line_entry == 3'd7;
    wire       m_passes = m_offered && checked_ready;
    wire       m_leaves = m_line && line_ready;
    reg        m_held;
    initial m_held = 1'b0;
    always @(posedge clock) begin
        m_here <= m_here || m_enters;
        m_undecided <= (m_undecided || m_enters) && !m_passes && !m_faults;
        m_checked <= m_checked || m_passes;
        m_held <= m_offered && !checked_ready;
        n_here <= n_here || n_enters;
        n_undecided <= (n_undecided || n_enters)
            && !(checked_valid && checked_ready && checked_entry == 3'd6) && !(faulted_valid && faulted_entry == 3'd6);
        if (m_enters) {m_warp, m_index, m_store} <= {warp, index, store};
        if (n_enters) n_store <= store;
    end

    // Its lines, in their order, and what is known of each: that it was hit, missed, is absent, or is denied.
    reg        m_lanes, m_split, m_two;
    reg  [1:0] m_lines, n_lines;
    reg  [6:0] first, second, n_first, n_second;
    reg  [1:0] first_mask, second_mask;
    initial {m_lines, n_lines, m_split, m_two} = 6'd0;
    wire       m_requests = requests && served_m;
    always @(posedge clock) begin
        if (m_enters) m_lanes <= mask != 2'd0;
        if (m_requests) begin
            m_lines <= m_lines + 2'd1;
            m_split <= request_last;
            if (m_lines == 2'd0) {first, first_mask} <= {line, request_mask};
            else {second, second_mask} <= {line, request_mask};
        end
        if (requests && served_n) begin
            n_lines <= n_lines + 2'd1;
            if (n_lines == 2'd0) n_first <= line;
            else n_second <= line;
        end
    end
    wire [1:0] of_m = {m_lines == 2'd2 && asked_vpn == second[6:5], m_lines != 2'd0 && asked_vpn == first[6:5]}
        & {2{asked && asked_write == m_store && m_undecided}};
    wire [1:0] woken = {m_lines == 2'd2 && wake_vpn == second[6:5], m_lines != 2'd0 && wake_vpn == first[6:5]}
        & {2{wake_valid && !wake_asid}};
    reg  [3:0] absent_loads, absent_stores; // pages whose checks were answered so, and that were not woken since
    reg  [1:0] hits, denials, missed, due;
    reg        early; // an answer to another access is all that says that a page is hit, or it was evicted since
    initial {absent_loads, absent_stores, hits, denials, missed, due, early} = 17'd0;
    wire [3:0] asked_page = fault ? 4'd1 << asked_vpn : 4'd0;
    wire [3:0] comes = wake_valid && !wake_asid ? 4'd1 << wake_vpn : 4'd0;
    wire [3:0] gone = m_store ? absent_stores : absent_loads;
    wire [1:0] absent = {m_lines == 2'd2 && gone[second[6:5]], m_lines != 2'd0 && gone[first[6:5]]};
    wire       spoils = own && !m_offered;
    wire [1:0] open = of_m & ~hits & ~denials;
    always @(posedge clock) begin
        hits <= spoils ? 2'd0 : hits | (of_m & {2{hit}});
        denials <= spoils ? 2'd0 : denials | (open & {2{denied}});
        absent_loads <= (absent_loads & ~comes) | (asked_write ? 4'd0 : asked_page);
        absent_stores <= (absent_stores & ~comes) | (asked_write ? asked_page : 4'd0);
        missed <= spoils ? 2'd0 : (missed | (open & {2{!hit && !denied}})) & ~(of_m & {2{hit || denied}});
        // Woken, and not checked since.
        due <= spoils ? 2'd0 : (due & ~of_m) | (missed & ~of_m & (woken | ({2{wake_valid && wake_all}} & ~absent)));
        early <= !spoils && (early || (hit && |(of_m & missed & ~due)) || (!hit && |(of_m & hits)));
    end
    wire       all_hit = !m_lanes || (m_split && hits[0] && (m_lines == 2'd1 || hits[1]));

    // G1.
    assign bad[1] = (m_offered && (!m_undecided || checked_warp != m_warp || checked_index != m_index || checked_store != m_store))
        || (m_faults && (!m_undecided || m_offered || faulted_warp != m_warp || faulted_index != m_index));

    // G2, G3. The frames are those of the cycle in which it is put on offer.
    reg        first_frame, second_frame;
    reg  [1:0] left;
    initial left = 2'd0;
    always @(posedge clock) begin
        if (m_offered && !m_held) {first_frame, second_frame} <= {frame_of[first[6:5]], frame_of[second[6:5]]};
        if (m_leaves) left <= left + 2'd1;
    end
    wire [5:0] wanted = !m_lanes ? 6'd0 : left == 2'd0 ? {first_frame, first[4:0]} : {second_frame, second[4:0]};
    wire [1:0] wanted_mask = !m_lanes ? 2'd0 : left == 2'd0 ? first_mask : second_mask;
    wire       wanted_last = left == (m_lanes ? m_lines - 2'd1 : 2'd0);
    reg        m_done;
    initial m_done = 1'b0;
    always @(posedge clock) m_done <= m_done || (m_leaves && line_last);
    assign bad[2] = (m_offered && !m_held && !all_hit)
        || (m_line && (line_number != wanted || line_mask != wanted_mask || line_last != wanted_last
            || line_warp != m_warp || line_store != m_store));
    assign bad[3] = m_line && (!m_checked || m_done);

    // G4.
    wire       common = n_lines != 2'd0 && m_lines != 2'd0 && (n_first == first || (m_lines == 2'd2 && n_first == second)
        || (n_lines == 2'd2 && (n_second == first || (m_lines == 2'd2 && n_second == second))));
    wire       n_offered = checked_valid && checked_entry == 3'd6;
    reg        m_faulted;
    initial m_faulted = 1'b0;
    always @(posedge clock) m_faulted <= m_faulted || (m_faults && (n_here || n_enters));
    assign bad[4] = common && ((m_undecided && (n_offered || (faulted_valid && faulted_entry == 3'd6)))
        || (n_offered && m_faulted) || (line_valid && line_entry == 3'd6 && m_checked && !m_done));

    // G5. The warp of the marked one has faulted before, or it does beside it.
    reg  [1:0] away;
    reg        m_reported, followed;
    initial {away, m_reported, followed} = 4'd0;
    wire       reports = absent_valid && m_undecided && absent_warp == m_warp && (|(absent & {second[6:5] == absent_vpn, first[6:5] == absent_vpn}));
    always @(posedge clock) begin
        m_reported <= m_reported || reports;
        followed <= followed || (m_enters && away[warp]) || (faulted_valid && (m_undecided || m_enters) && faulted_warp == (m_enters ? warp : m_warp) && faulted_entry != 3'd7);
    end
    assign bad[5] = m_faults && (!(m_reported || reports || |denials || followed) || (faulted_denied && denials == 2'd0));

    // G6. While all sides are ready: all that it needs has come, or it does not fail and a page that it misses was woken.
    wire       others = m_warp ? undecided_1 > 2'd1 : undecided_0 > 2'd1;
    wire       ready = m_undecided && line_ready && checked_ready && !invalidate_valid && !wake_valid && !request_valid;
    reg  [4:0] wait_all, wait_due;
    initial {wait_all, wait_due} = 10'd0;
    always @(posedge clock) begin
        wait_all <= ready && all_hit && !early && !others ? (&wait_all ? wait_all : wait_all + 5'd1) : 5'd0;
        wait_due <= ready && m_split && denials == 2'd0 && absent == 2'd0 && !followed && |due ? (&wait_due ? wait_due : wait_due + 5'd1) : 5'd0;
    end
    assign bad[6] = &wait_all || &wait_due;

    // G7.
    reg  [3:0] waits_0, waits_1;
    initial {waits_0, waits_1} = 8'd0;
    wire [3:0] page = 4'd1 << absent_vpn;
    always @(posedge clock) begin
        if (leave_valid) away[leave_warp] <= 1'b0;
        if (resumes) away[resume_warp] <= 1'b0;
        if (faulted_valid) away[faulted_warp] <= 1'b1;
        waits_0 <= leave_valid && !leave_warp ? 4'd0 : (waits_0 | (absent_valid && !absent_warp ? page : 4'd0)) & ~comes;
        waits_1 <= leave_valid && leave_warp ? 4'd0 : (waits_1 | (absent_valid && absent_warp ? page : 4'd0)) & ~comes;
    end
    wire       can_0 = away[0] && waits_0 == 4'd0 && undecided_0 == 2'd0 && !hold[0] && !leave_valid;
    wire       shows_0 = resume_valid && !resume_warp;
    reg  [2:0] wait_0;
    initial wait_0 = 3'd0;
    always @(posedge clock) wait_0 <= can_0 && !shows_0 && resume_ready ? (&wait_0 ? wait_0 : wait_0 + 3'd1) : 3'd0;
    assign bad[7] = (resume_valid && (!away[resume_warp] || (resume_warp ? waits_1 != 4'd0 || undecided_1 != 2'd0
        : waits_0 != 4'd0 || undecided_0 != 2'd0))) || &wait_0;

    // G8. Alone and not invalidated, it misses two pages, and both are woken together: the first one is checked first.
    reg        alone, together;
    initial {alone, together} = 2'd0;
    wire       both = m_split && m_lines == 2'd2 && first[6:5] != second[6:5] && missed == 2'b11 && due == 2'd0 && of_m == 2'd0;
    always @(posedge clock) begin
        alone <= m_enters ? undecided_0 == 2'd0 && undecided_1 == 2'd0 && waits_0 == 4'd0 && waits_1 == 4'd0
            && here_0 == 2'd0 && here_1 == 2'd0 : alone && !enters && !own;
        together <= alone && !own && absent == 2'd0 && (both && !asked && !check_valid && wake_valid && wake_all
            || (together && !(check_valid && check_ready) && !wake_valid));
    end
    assign bad[8] = together && m_undecided && check_valid && check_ready && check_vpn == second[6:5];

    // G9. Nothing was woken, and nothing invalidated yet.
    reg        quiet, wrote, went;
    initial {quiet, wrote, went} = 3'b100;
    always @(posedge clock) begin
        quiet <= quiet && !wake_valid && !invalidate_valid;
        went <= m_leaves && !line_last && !asked;
    end
    assign bad[9] = (quiet && !wake_valid && request_valid && check_ready && !request_ready) || (went && !m_line);

    // G10.
    reg        m_old;
    initial m_old = 1'b0;
    always @(posedge clock) m_old <= (m_old || (own && (m_offered || (m_checked && !m_done)))) && !(m_leaves && line_last);
    assign bad[10] = m_old && settled;

    // G11.
    reg        held, held_line, held_resume;
    initial {held, held_line, held_resume} = 3'd0;
    reg  [2:0] entry_before;
    reg  [8:0] line_before;
    reg        resume_before;
    always @(posedge clock) begin
        held <= checked_valid && !checked_ready;
        held_line <= line_valid && !line_ready;
        held_resume <= resume_valid && !resume_ready && !hold[resume_warp] && !(leave_valid && leave_warp == resume_warp)
            && !(enters && warp == resume_warp);
        entry_before <= checked_entry;
        line_before <= {line_number, line_entry};
        resume_before <= resume_warp;
    end
    assign bad[11] = (held && (!checked_valid || checked_entry != entry_before))
        || (held_line && (!line_valid || {line_number, line_entry} != line_before))
        || (held_resume && (!resume_valid || resume_warp != resume_before));

    assign seen[1] = m_offered && m_warp && m_store;
    assign seen[2] = m_line && line_last && left == 2'd1 && line_number[5];
    assign seen[3] = m_leaves && !m_lanes;
    assign seen[4] = common && n_undecided && m_undecided && all_hit;
    assign seen[5] = m_faults && followed && !m_reported;
    assign seen[6] = m_undecided && wait_due == 5'd1;
    assign seen[7] = resume_valid && m_faulted;
    assign seen[8] = together && check_valid && check_ready;
    assign seen[9] = went && m_line;
    assign seen[10] = m_old && m_leaves;
    assign seen[11] = held && checked_valid && own;
endmodule
