// The guarantees of far_fault_mshr.md, stated over its ports, for 2 entries, pages of 2 bits in 2 spaces, regions of 2
// pages, and 2 SMs. Place, entry and report are stated for one page, which may be any. `bad[k]` must stay low for ever,
// and `seen[k]` must be reachable, or guarantee k holds for want of an occasion.
module far_fault_mshr_proof_top (
    input  wire        clock,
    input  wire [2:0]  watched_in,
    input  wire        region_in,
    input  wire [1:0]  limit,
    input  wire        fault_valid,
    input  wire [2:0]  fault_of,
    input  wire [1:0]  fault_requesters,
    input  wire [2:0]  fault_access,
    input  wire [2:0]  fault_cause,
    input  wire [2:0]  fault_level,
    input  wire        answer_ready,
    input  wire        report_ready,
    input  wire        command_valid,
    input  wire        command_cancel,
    input  wire        command_all,
    input  wire [2:0]  command_of,
    input  wire [1:0]  command_requesters,
    input  wire        walk_ready,
    input  wire        present_valid,
    input  wire [2:0]  present_of,
    input  wire        present_missing,
    input  wire [2:0]  present_cause,
    input  wire [2:0]  present_level,
    input  wire        wake_ready,
    output wire [10:1] bad,
    output wire [10:1] seen
);
    wire       fault_ready, answer_valid, report_valid, command_ready, walk_valid, present_ready, wake_valid, wake_denied;
    wire       sweeping, lost, walk_write;
    wire [2:0] answer_of, report_of, report_access, report_cause, report_level, walk_of, wake_of;
    wire [1:0] answer_far, answer_nack, answer_place, report_requesters, report_place, wake_to, held;
    wire       report_index;

    reg       started, region_kept;
    reg [2:0] watched_kept;
    initial started = 1'b0;
    always @(posedge clock) begin
        started <= 1'b1;
        if (!started) {watched_kept, region_kept} <= {watched_in, region_in};
    end
    wire       region = started ? region_kept : region_in;
    wire [2:0] watched = started ? watched_kept : watched_in;

    // A page here is its space and its number.
    far_fault_mshr_proof mshr (
        .clock(clock), .reset(1'b0), .region(region), .limit(limit),
        .fault_valid(fault_valid), .fault_vpn(fault_of[1:0]), .fault_asid(fault_of[2]),
        .fault_requesters(fault_requesters), .fault_access(fault_access), .fault_cause(fault_cause),
        .fault_level(fault_level), .answer_ready(answer_ready), .report_ready(report_ready),
        .command_valid(command_valid), .command_cancel(command_cancel), .command_all(command_all),
        .command_vpn(command_of[1:0]), .command_asid(command_of[2]),
        .command_requesters(command_requesters), .walk_ready(walk_ready),
        .present_valid(present_valid), .present_vpn(present_of[1:0]), .present_asid(present_of[2]),
        .present_missing(present_missing), .present_cause(present_cause), .present_level(present_level),
        .wake_ready(wake_ready), .fault_ready(fault_ready),
        .answer_valid(answer_valid), .answer_vpn(answer_of[1:0]), .answer_asid(answer_of[2]),
        .answer_far(answer_far), .answer_nack(answer_nack), .answer_place(answer_place),
        .report_valid(report_valid), .report_vpn(report_of[1:0]), .report_asid(report_of[2]),
        .report_requesters(report_requesters), .report_access(report_access), .report_cause(report_cause),
        .report_level(report_level), .report_index(report_index), .report_place(report_place),
        .command_ready(command_ready), .walk_valid(walk_valid), .walk_vpn(walk_of[1:0]), .walk_asid(walk_of[2]),
        .walk_write(walk_write), .lost(lost),
        .present_ready(present_ready), .wake_valid(wake_valid), .wake_vpn(wake_of[1:0]), .wake_asid(wake_of[2]),
        .wake_to(wake_to), .wake_denied(wake_denied), .held(held), .sweeping(sweeping)
    );

    // The page that stands for all that are the same.
    function [2:0] key;
        input [2:0] page;
        key = {page[2:1], page[0] && !region};
    endfunction

    // The operation under way, of those that the ports show; what it owes.
    reg        faulting, waking, denying, asking, missing;
    reg  [2:0] vpn_of, access, cause, level;
    reg  [1:0] requesters;
    reg  [4:0] age;

    // What is held: each page, and who waits for it.
    reg  [7:0] open, waits_0, waits_1, marked, writes;
    reg  [1:0] count;
    reg        all_denied;
    reg  [1:0] denied_of, all_denied_of;
    // Those who are to be denied the watched page by a cancel of all, and have not been.
    reg  [1:0] owed;

    // An offer in its first cycle.
    reg  answer_before, report_before, walk_before, wake_before;
    wire told = answer_valid && !answer_before;
    wire reported = report_valid && !report_before;
    wire walked = walk_valid && !walk_before;
    wire woken = wake_valid && !wake_before;

    wire [2:0] fault_key = key(vpn_of);
    wire [2:0] woken_key = key(wake_of);
    wire [2:0] walk_key = key(walk_of);
    wire       merges = open[fault_key];
    // A write merges into an entry that was reported as a read.
    wire       upgrades = told && merges && answer_far != 2'd0 && access[0] && !writes[fault_key];
    wire       renews = upgrades && limit_then != 2'd0;
    // A walk has not found the page of an entry.
    wire       again = reported && !told;
    wire       unheard = lost && !told;
    wire       takes = told && !merges && answer_far != 2'd0;
    wire [1:0] waiting = {waits_1[fault_key], waits_0[fault_key]};
    wire [1:0] added = answer_far & ~waiting;
    wire [1:0] waits_woken = {waits_1[woken_key], waits_0[woken_key]};
    wire       ended = woken && (waits_woken & ~wake_to) == 2'd0;
    wire [1:0] waits_commanded = {waits_1[key(command_of)], waits_0[key(command_of)]};
    wire [3:0] count_0 = $countones(waits_0);
    wire [3:0] count_1 = $countones(waits_1);
    wire [1:0] below = {count_1 < limit_then, count_0 < limit_then};
    wire       accept = (fault_valid && fault_ready) || (present_valid && present_ready)
        || (command_valid && command_ready);
    reg  [1:0] limit_then;
    always @(posedge clock) begin
        limit_then <= limit;
        answer_before <= answer_valid && !answer_ready;
        report_before <= report_valid && !report_ready;
        walk_before <= walk_valid && !walk_ready;
        wake_before <= wake_valid && !wake_ready;
        age <= accept ? 5'd1 : age + (age != 5'd31);
        if (told) begin
            faulting <= 1'b0;
            if (answer_far[0]) waits_0[fault_key] <= 1'b1;
            if (answer_far[1]) waits_1[fault_key] <= 1'b1;
        end
        if (takes) open[fault_key] <= 1'b1;
        writes <= writes_next;
        if (again || unheard) missing <= 1'b0;
        if (woken) begin
            if (ended) open[woken_key] <= 1'b0;
            if (wake_to[0]) waits_0[woken_key] <= 1'b0;
            if (wake_to[1]) waits_1[woken_key] <= 1'b0;
            if (ended || !denying) marked[woken_key] <= 1'b0;
            if (woken_key == key(watched)) owed <= owed & ~wake_to;
            {waking, denying} <= 2'd0;
        end
        count <= count + takes - ended;
        // An entry in which nobody is to be denied loses its mark unseen.
        if (all_denied && !sweeping && age > 5'd1) marked <= 8'd0;
        if (walked) begin
            asking <= 1'b0;
            if (!asking) marked[walk_key] <= 1'b0;
        end
        if (fault_valid && fault_ready) begin
            faulting <= 1'b1;
            {vpn_of, requesters} <= {fault_of, fault_requesters};
            {access, cause, level} <= {fault_access, fault_cause, fault_level};
        end
        if (present_valid && present_ready) begin
            vpn_of <= present_of;
            {cause, level} <= {present_cause, present_level};
            waking <= open[key(present_of)] && !present_missing;
            missing <= open[key(present_of)] && present_missing;
        end
        if (command_valid && command_ready) begin
            vpn_of <= command_of;
            denying <= !command_all && command_cancel && (waits_commanded & command_requesters) != 2'd0;
            denied_of <= command_requesters;
            asking <= !command_all && !command_cancel && open[key(command_of)];
            if (command_all) begin
                marked <= open;
                all_denied <= command_cancel;
                all_denied_of <= command_requesters;
                owed <= {waits_1[key(watched)], waits_0[key(watched)]} & {2{command_cancel}} & command_requesters;
            end
        end
    end

    // The watched page: its place, its entry, and the page that its first fault named.
    reg  [1:0] place;
    reg        entry, named, only_write;
    reg  [2:0] kept;
    wire       here = open[key(watched)];
    wire       takes_watched = takes && fault_key == key(watched);
    wire       upgrades_watched = upgrades && fault_key == key(watched);
    wire       refused = cause == 3'd4 || cause == 3'd6;
    wire [7:0] fault_bit = 8'd1 << fault_key;
    wire [7:0] writes_next = takes && !access[0] ? writes & ~fault_bit : takes || upgrades ? writes | fault_bit : writes;
    wire [2:0] kept_next = takes_watched ? access : upgrades_watched ? kept | access : kept;
    wire       only_write_next = takes_watched ? refused : upgrades_watched ? only_write || refused : only_write;
    always @(posedge clock) {kept, only_write} <= {kept_next, only_write_next};
    always @(posedge clock)
        if (takes_watched) {place, entry, named} <= {answer_place, report_index, vpn_of[0]};

    // The registers that say which entries are taken, and how many faults an SM has: with them the proofs are short.
    (* hierconn *) wire [1:0] \mshr.entries.taken_q ;
    (* hierconn *) wire [3:0] \mshr.limits.count_q ;

    // What lies in the memories, and that it is what is held: with this each guarantee is nearly inductive.
    (* hierconn *) wire [1:0] \mshr.entries.tags_q ;
    (* hierconn *) wire       \mshr.names_write ;
    (* hierconn *) wire       \mshr.names_address ;
    (* hierconn *) wire [7:0] \mshr.names_data ;
    (* hierconn *) wire [1:0] \mshr.entries.of_write_q ;
    (* hierconn *) wire       \mshr.waiters_write ;
    (* hierconn *) wire       \mshr.waiters_address ;
    (* hierconn *) wire [1:0] \mshr.waiters_data ;
    reg  [7:0] name_0, name_1;
    reg  [1:0] waiters_0, waiters_1;
    always @(posedge clock) begin
        if (\mshr.names_write && !\mshr.names_address ) name_0 <= \mshr.names_data ;
        if (\mshr.names_write && \mshr.names_address ) name_1 <= \mshr.names_data ;
        if (\mshr.waiters_write && !\mshr.waiters_address ) waiters_0 <= \mshr.waiters_data ;
        if (\mshr.waiters_write && \mshr.waiters_address ) waiters_1 <= \mshr.waiters_data ;
    end
    wire [1:0] taken = \mshr.entries.taken_q ;
    wire [1:0] tags = \mshr.entries.tags_q ;
    wire [2:0] key_0 = key(name_0[2:0]);
    wire [2:0] key_1 = key(name_1[2:0]);
    (* hierconn *) wire [1:0] \mshr.entries.noted_q , \mshr.entries.candidate_q , \mshr.vpn_q , \mshr.requester_q ,
        \mshr.far_q , \mshr.place_q , \mshr.count_q , \mshr.sweep_of_q , \mshr.waiters_q ;
    (* hierconn *) wire [2:0] \mshr.phase_q , \mshr.access_kind_q , \mshr.cause_q , \mshr.level_q ;
    (* hierconn *) wire [7:0] \mshr.names_q ;
    (* hierconn *) wire       \mshr.of_fault_q , \mshr.of_sweep_q , \mshr.of_all_q , \mshr.of_missing_q , \mshr.ends_q , \mshr.denies_q ,
        \mshr.asid_q , \mshr.entry_q , \mshr.found_q , \mshr.sweep_denies_q , \mshr.walking_q ,
        \mshr.reports.offered_q ;
    wire [1:0] noted = \mshr.entries.noted_q ;
    wire [1:0] is_watched = taken & {key_1 == key(watched), key_0 == key(watched)};

    // What is held once the offers of this cycle count.
    wire [7:0] open_next = (open | ({7'd0, takes} << fault_key)) & ~({7'd0, ended} << woken_key);
    wire [7:0] waits_0_next = (waits_0 | ({7'd0, told && answer_far[0]} << fault_key))
        & ~({7'd0, woken && wake_to[0]} << woken_key);
    wire [7:0] waits_1_next = (waits_1 | ({7'd0, told && answer_far[1]} << fault_key))
        & ~({7'd0, woken && wake_to[1]} << woken_key);
    wire [7:0] marked_next = (all_denied && !sweeping && age > 5'd1) ? 8'd0
        : marked & ~({7'd0, woken && (ended || !denying)} << woken_key) & ~({7'd0, walked && !asking} << walk_key);
    wire [1:0] owed_next = (woken && woken_key == key(watched)) ? owed & ~wake_to : owed;
    wire [1:0] watched_next = {waits_1_next[key(watched)], waits_0_next[key(watched)]};
    wire       differs = (taken[0] && (!open_next[key_0] || waiters_0 == 2'd0
            || waiters_0 != {waits_1_next[key_0], waits_0_next[key_0]} || tags[0] != (key_0[0] ^ key_0[2])))
        || (taken[1] && (!open_next[key_1] || waiters_1 == 2'd0
            || waiters_1 != {waits_1_next[key_1], waits_0_next[key_1]} || tags[1] != (key_1[0] ^ key_1[2])))
        || (taken[0] && name_0[5] != writes_next[key_0]) || (taken[1] && name_1[5] != writes_next[key_1])
        || (taken == 2'd3 && key_0 == key_1) || $countones(open_next) != {3'd0, taken[0]} + {3'd0, taken[1]}
        || ((waits_0_next | waits_1_next) & ~open_next) != 8'd0
        || \mshr.count_q != {1'b0, taken[0]} + {1'b0, taken[1]} || \mshr.count_q != count + takes - ended
        || \mshr.limits.count_q != {2'($countones(waits_1_next)), 2'($countones(waits_0_next))};

    // Where an operation is: it has been accepted and searches, reads and compares, acts, answers or wakes.
    wire [2:0] phase = \mshr.phase_q ;
    wire       searching = phase == 3'd1, choosing = phase == 3'd2, comparing = phase == 3'd3, acting = phase == 3'd4,
        answering = phase == 3'd5, waking_now = phase == 3'd6;
    wire       active = searching || choosing || comparing || acting;
    wire       of_fault = \mshr.of_fault_q , of_sweep = \mshr.of_sweep_q , of_all = \mshr.of_all_q , ends = \mshr.ends_q ,
        denies = \mshr.denies_q ;
    wire       of_missing = \mshr.of_missing_q ;
    wire       of_one = !of_fault && !of_sweep && !of_all;
    wire [2:0] here_key = key(vpn_of);
    wire       is_held = open[here_key];
    wire [1:0] held_by = {waits_1[here_key], waits_0[here_key]};
    wire       entry_now = \mshr.entry_q ;
    wire [7:0] name_now = entry_now ? name_1 : name_0;
    wire [1:0] waiters_now = entry_now ? waiters_1 : waiters_0;
    wire [2:0] key_read = key( \mshr.names_q [2:0]);
    wire [1:0] candidate = \mshr.entries.candidate_q ;
    wire [1:0] matches = taken & {key_1 == here_key, key_0 == here_key};
    wire [1:0] compared = {comparing && entry_now, comparing && !entry_now};
    wire       found = \mshr.found_q ;
    wire       misplaced = phase > 3'd6
        || faulting != (of_fault && (active || told)) || (answering && !of_fault) || (waking_now && (of_fault || !ends))
        || (answer_before && !answering) || (wake_before && !waking_now) || (walk_before && ! \mshr.walking_q )
        || (report_before && ! \mshr.reports.offered_q )
        || ((active || answering || waking_now) && !of_sweep && vpn_of != { \mshr.asid_q , \mshr.vpn_q })
        || (of_fault && (active || answering) && requesters != \mshr.requester_q )
        || (of_fault && (active || told) && {access, cause, level} != { \mshr.access_kind_q , \mshr.cause_q , \mshr.level_q })
        || (of_missing && (active || again) && {cause, level} != { \mshr.cause_q , \mshr.level_q })
        || (active && !of_fault && \mshr.access_kind_q != 3'd0)
        || (of_missing && (of_fault || of_sweep || of_all || ends || denies))
        || (of_fault && (of_sweep || of_all || ends)) || (of_sweep && of_all) || (of_all && !searching && phase != 3'd0)
        || (active && (of_fault || of_missing) && \mshr.reports.offered_q )
        || (active && !of_fault && ends && !denies && !of_one)
        || (active && !of_fault && !of_missing && !(ends && !denies) && \mshr.walking_q )
        || waking != ((active || woken) && of_one && ends && !denies && is_held)
        || denying != ((active || woken) && of_one && ends && denies && (held_by & \mshr.requester_q ) != 2'd0)
        || ((active || woken) && of_one && ends && (denies ? denied_of : 2'd3) != \mshr.requester_q )
        || missing != ((active || again || unheard) && of_missing && is_held)
        || asking != ((active && of_one && !ends && !of_missing && is_held) || (walked && !of_sweep));
    // The search leaves nothing out.
    wire       mislaid = (active && !searching && !of_sweep
            && ((candidate & ~taken) != 2'd0 || (!found && !acting && (matches & ~candidate & ~compared) != 2'd0)))
        || (comparing && (!taken[entry_now] || candidate[entry_now]))
        || ((choosing || comparing || acting) && of_sweep && (((candidate & ~noted) != 2'd0) || (candidate == 2'd0 && choosing)
            || (!choosing && !noted[entry_now]) || (acting && !found)))
        || (searching && of_sweep && noted == 2'd0) || (found && !acting)
        || ((comparing || (acting && found)) && ( \mshr.names_q != name_now || \mshr.waiters_q != waiters_now))
        || (acting && (found ? !taken[entry_now] || (!of_sweep && !matches[entry_now])
            : matches != 2'd0 || (taken != 2'd3 && taken[entry_now])))
        || (!of_sweep && ((searching && age != 5'd1) || (choosing && age + {3'd0, 2'($countones(candidate)), 1'b0} > 6'd6)
            || (comparing && age + {3'd0, 2'($countones(candidate)), 1'b0} > 6'd5) || (acting && age > 5'd7) || (told && age > 5'd8)
            || (woken && age > 5'd8) || ((again || unheard) && age > 5'd8)));
    // What an answer says is in an entry, and what is woken has been.
    wire       untrue = (told && (( \mshr.far_q & ~ \mshr.requester_q ) != 2'd0
            || ( \mshr.far_q != 2'd0 && (!matches[entry_now] || \mshr.place_q != name_now[4:3]))
            || ( \mshr.far_q == 2'd0 && merges && ((matches & {name_1[4:3] == \mshr.place_q , name_0[4:3] == \mshr.place_q })) == 2'd0)
            || (!merges && \mshr.place_q != count)))
        || (woken && (!open[key_read] || \mshr.waiters_q != {waits_1[key_read], waits_0[key_read]}
            || (!of_sweep && key_read != here_key) || (of_sweep && (!marked[key_read] || !all_denied || denying || waking))))
        || (walked && asking && walk_key != here_key) || (walked && !asking && (all_denied || !marked[walk_key]))
        || (walked && walk_key == key(watched) && walk_of[0] != named)
        || (taken[0] && is_watched[0] && (takes_watched ? answer_place != name_0[4:3] || report_index || vpn_of[0] != name_0[0]
            : place != name_0[4:3] || entry || named != name_0[0]))
        || (is_watched[0] && (kept_next != name_0[7:5] || only_write_next != \mshr.entries.of_write_q [0]))
        || (is_watched[1] && (kept_next != name_1[7:5] || only_write_next != \mshr.entries.of_write_q [1]))
        || (taken[1] && is_watched[1] && (takes_watched ? answer_place != name_1[4:3] || !report_index || vpn_of[0] != name_1[0]
            : place != name_1[4:3] || !entry || named != name_1[0]));
    // A sweep has its marks.
    wire       calling = searching && of_all;
    wire       strays = (noted & ~taken) != 2'd0 || (calling && (noted != 2'd0 || marked != open || ends != all_denied
            || \mshr.requester_q != all_denied_of))
        || (!calling && ((noted[0] && !marked_next[key_0]) || (noted[1] && !marked_next[key_1])
            || (!all_denied && marked_next != (({7'd0, noted[0]} << key_0) | ({7'd0, noted[1]} << key_1)))
            || (noted != 2'd0 && ( \mshr.sweep_denies_q != all_denied || \mshr.sweep_of_q != all_denied_of))))
        || ((active || woken) && of_sweep && (ends != all_denied || !denies || \mshr.requester_q != all_denied_of))
        || (owed_next & ~watched_next) != 2'd0 || (owed_next & ~all_denied_of) != 2'd0 || (owed_next != 2'd0 && !all_denied)
        || (owed_next != 2'd0 && !calling && (noted & is_watched) == 2'd0) || (marked_next & ~open_next) != 8'd0 && !all_denied;
    wire       astray = differs || misplaced || mislaid || untrue || strays;

    // A sweep goes on while nothing goes before it for ever.
    reg  [5:0] waited, idled;
    always @(posedge clock) begin
        idled <= sweeping && !walk_valid && !present_valid && answer_ready && wake_ready && !woken
            ? idled + (idled != 6'd63) : 6'd0;
        waited <= fault_valid && !fault_ready && !report_valid && answer_ready && wake_ready
            ? waited + (waited != 6'd63) : 6'd0;
    end

    // What the cycle before says about this one.
    reg [8:0]  answer_then;
    reg [16:0] report_then;
    reg [2:0]  walk_then;
    reg [1:0]  held_then;
    reg        sweeping_then;
    reg [5:0]  wake_then;
    wire [8:0]  answer_now = {answer_of, answer_far, answer_nack, answer_place};
    wire [16:0] report_now = {report_of, report_access, report_cause, report_level, report_requesters, report_index,
        report_place};
    wire [5:0]  wake_now = {wake_of, wake_to, wake_denied};
    always @(posedge clock) begin
        answer_then <= answer_now;
        report_then <= report_now;
        walk_then <= walk_of;
        wake_then <= wake_now;
        held_then <= held;
        sweeping_then <= sweeping;
    end

    assign bad[1] = astray || (told && (!faulting || answer_of != vpn_of || (answer_far | answer_nack) != requesters
            || (answer_far & answer_nack) != 2'd0)) || (!answer_valid && answer_now != 9'd0) || (accept && faulting);
    assign bad[2] = astray || (told && reported != (takes || renews)) || (again && !missing)
        || (told && lost != (upgrades && !renews)) || (unheard && !(missing && limit_then == 2'd0))
        || (again && limit_then == 2'd0) || (missing && !again && !unheard && (accept || age > 5'd7))
        || (takes && here && takes_watched);
    wire [1:0] to_be_told = !wake_denied ? 2'd3 : denying ? denied_of : all_denied_of;
    assign bad[3] = astray || woken && (!open[woken_key] || wake_to == 2'd0 || wake_to != (waits_woken & to_be_told));
    assign bad[4] = astray || told && ((added & ~below) != 2'd0 || (answer_nack & waiting) != 2'd0
        || ((answer_nack & below) != 2'd0 && (merges || count != 2'd2)));
    assign bad[5] = astray || (woken && !wake_denied && (!waking || woken_key != key(vpn_of)))
        || (woken && wake_denied && !(denying && woken_key == key(vpn_of)) && !(all_denied && marked[woken_key]))
        || ((waking || denying) && !woken && (accept || age > 5'd7));
    assign bad[6] = astray || (walked && !(asking && walk_key == key(vpn_of)) && !(!all_denied && marked[walk_key]))
        || (walked && walk_key == key(watched) && (walk_of[0] != named || walk_write != only_write))
        || (asking && !walked && (accept || age > 5'd7)) || idled > 6'd40
        || (age > 5'd2 && !all_denied && (marked != 8'd0) != sweeping_then)
        || (age > 5'd2 && all_denied && (sweeping_then ? marked == 8'd0 : owed != 2'd0));
    assign bad[7] = astray || held_then != count || (told && !merges && answer_place != count)
        || (told && fault_key == key(watched) && here && answer_place != place);
    assign bad[8] = astray || (reported && (report_of != vpn_of || report_cause != cause || report_level != level))
        || (told && reported && (report_requesters != answer_far || report_place != answer_place))
        || (takes && (report_access != access || (here && report_index == entry)))
        || (again && report_requesters != {waits_1[key(vpn_of)], waits_0[key(vpn_of)]})
        || (reported && here && !takes && key(vpn_of) == key(watched) && (report_index != entry || report_place != place
            || report_access != (again ? kept : kept | access))) || (here && !woken && !\mshr.entries.taken_q [entry]);
    assign bad[9] = (answer_before && (!answer_valid || answer_then != answer_now))
        || (report_before && (!report_valid || report_then != report_now))
        || (walk_before && (!walk_valid || walk_then != walk_of)) || (wake_before && (!wake_valid || wake_then != wake_now));
    assign bad[10] = astray || (faulting && !told && age > 5'd7) || waited > 6'd40;

    reg was_taken, was_woken, was_walked, was_denied, was_merged, was_renewed, was_again;
    always @(posedge clock) begin
        was_taken <= was_taken || takes_watched;
        was_merged <= was_merged || (told && here && fault_key == key(watched) && added != 2'd0);
        was_renewed <= was_renewed || (renews && fault_key == key(watched));
        was_again <= was_again || (again && key(vpn_of) == key(watched));
        was_woken <= was_woken || (woken && !wake_denied && woken_key == key(watched));
        was_denied <= was_denied || (woken && wake_denied && woken_key == key(watched));
        was_walked <= was_walked || (walked && walk_key == key(watched));
    end
    assign seen[1] = told && answer_far != 2'd0 && answer_nack != 2'd0;
    assign seen[2] = was_woken && was_taken && takes_watched;
    assign seen[3] = woken && wake_to == 2'd3 && was_merged;
    assign seen[4] = told && (answer_nack & below) != 2'd0;
    assign seen[5] = was_denied && was_woken && woken && !ended;
    assign seen[6] = was_walked && was_merged && walked && walk_key == key(watched) && here && region;
    assign seen[7] = told && here && place == 2'd1 && count == 2'd2 && fault_key == key(watched);
    assign seen[8] = takes && here && report_index && was_renewed && was_again;
    assign seen[9] = answer_before && report_before && walk_before;
    assign seen[10] = faulting && age == 5'd7;
endmodule
