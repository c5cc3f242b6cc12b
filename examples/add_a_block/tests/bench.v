// The exported counter beside the model: a line of the file `vectors` has the inputs of a cycle and the outputs of the model
// in it. Before the first rising edge the outputs are unknown.
module bench;
    reg        clock = 0, wrong = 0;
    reg        reset, fault, clear, model_saturated;
    reg  [7:0] model_count;
    wire [7:0] count;
    wire       saturated;
    integer    vectors, cycle = 0;

    fault_counter_8 counter (
        .clock(clock), .reset(reset), .fault(fault), .clear(clear), .count(count), .saturated(saturated)
    );

    initial begin
        vectors = $fopen("vectors", "r");
        while (!wrong && $fscanf(vectors, "%h %h %h %h %h\n", reset, fault, clear, model_count, model_saturated) == 5) begin
            #1 wrong = cycle > 0 && {count, saturated} !== {model_count, model_saturated};
            if (wrong) $display("cycle %0d: %0d, %b; the model has %0d, %b", cycle, count, saturated, model_count, model_saturated);
            #1 clock = 1;
            #1 clock = 0;
            cycle = cycle + 1;
        end
        if (!wrong) $display("%0d cycles agree", cycle);
    end
endmodule
