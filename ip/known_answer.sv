// SPDX-License-Identifier: Apache-2.0
//
// known_answer: send words to an encoder or decoder and compare what comes with what must come.
//
// Twice: without pauses, then with both sides pausing by chance, each on its own. +send=FILE and
// +expect=FILE hold the words of the two streams in hexadecimal, {tlast, tuser, tkeep, tdata} as
// far as the stream has them. +tables=FILE holds what is written to its tables before, in lines
// "@address data". Ends with "passed", or with an error and a bad exit status.
// +vcd=FILE records the ports of a run without pauses, and ends after it.
//
//   TOP         the module
//   ENCODER     defined if it is one
//   DECODER     defined if it is one
//   VALUE_KEEP  defined if words of values have tkeep
//   LOADABLE    defined if tables are written to it
//   VALUE_BITS  of tdata where values move
//   CHUNK_BITS  of tdata where chunks move
//   TABLE_ADDRESS_BITS, TABLE_DATA_BITS  of the port that tables are written to
`timescale 1ns / 1ps
`default_nettype none

module known_answer #(
    parameter VALUE_BITS = 32,
    parameter CHUNK_BITS = 32,
    parameter TABLE_ADDRESS_BITS = 8,
    parameter TABLE_DATA_BITS = 32
);
    localparam KEEP_BITS = CHUNK_BITS / 8;
`ifdef VALUE_KEEP
    localparam VALUE_WORD = VALUE_BITS + VALUE_BITS / 8 + 1;
`else
    localparam VALUE_WORD = VALUE_BITS + 1;
`endif
    localparam CHUNK_WORD = CHUNK_BITS + KEEP_BITS + 2;
`ifdef ENCODER
    localparam SEND_WORD = VALUE_WORD;
    localparam COME_WORD = CHUNK_WORD;
`else
    localparam SEND_WORD = CHUNK_WORD;
    localparam COME_WORD = VALUE_WORD;
`endif
    localparam MOST = 1 << 16;  // words of a file
    localparam PATIENCE = 20000;  // cycles without a word

    reg clk = 0;
    reg rst = 1;
    always #5 clk = !clk;

    reg [SEND_WORD-1:0] to_send[0:MOST-1];
    reg [COME_WORD-1:0] to_come[0:MOST-1];
    integer send_count, come_count;
    integer sent, came, waited;
    reg pausing;

    reg s_valid, m_ready;
    wire s_ready, m_valid;
    wire [SEND_WORD-1:0] s_word = to_send[sent];
    wire [COME_WORD-1:0] m_word;

`ifdef LOADABLE
    reg table_write = 0;
    reg [TABLE_ADDRESS_BITS-1:0] table_address;
    reg [TABLE_DATA_BITS-1:0] table_data;
`endif

`ifdef ENCODER
    `TOP top (
        .clk(clk),
        .rst(rst),
`ifdef LOADABLE
        .table_write(table_write),
        .table_address(table_address),
        .table_data(table_data),
`endif
        .s_axis_tdata(s_word[VALUE_BITS-1:0]),
`ifdef VALUE_KEEP
        .s_axis_tkeep(s_word[VALUE_BITS+:VALUE_BITS/8]),
`endif
        .s_axis_tlast(s_word[VALUE_WORD-1]),
        .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready),
        .m_axis_tdata(m_word[CHUNK_BITS-1:0]),
        .m_axis_tkeep(m_word[CHUNK_BITS+:KEEP_BITS]),
        .m_axis_tuser(m_word[CHUNK_WORD-2]),
        .m_axis_tlast(m_word[CHUNK_WORD-1]),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready)
    );
    wire [3:0] error_code = 0;
`endif
`ifdef DECODER
    wire [3:0] error_code;
    `TOP top (
        .clk(clk),
        .rst(rst),
`ifdef LOADABLE
        .table_write(table_write),
        .table_address(table_address),
        .table_data(table_data),
`endif
        .s_axis_tdata(s_word[CHUNK_BITS-1:0]),
        .s_axis_tkeep(s_word[CHUNK_BITS+:KEEP_BITS]),
        .s_axis_tuser(s_word[CHUNK_WORD-2]),
        .s_axis_tlast(s_word[CHUNK_WORD-1]),
        .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready),
        .m_axis_tdata(m_word[VALUE_BITS-1:0]),
`ifdef VALUE_KEEP
        .m_axis_tkeep(m_word[VALUE_BITS+:VALUE_BITS/8]),
`endif
        .m_axis_tlast(m_word[VALUE_WORD-1]),
        .m_axis_tvalid(m_valid),
        .m_axis_tuser(error_code),
        .m_axis_tready(m_ready)
    );
`endif

    // Bytes that tkeep does not mark come as zeros, but go to an encoder as ones.
    wire [COME_WORD-1:0] expected = to_come[came];
    wire [COME_WORD-1:0] must_come;
`ifdef DECODER
`ifdef VALUE_KEEP
    localparam MASKED = VALUE_BITS / 8;
`else
    localparam MASKED = 0;
`endif
`else
    localparam MASKED = 0;
`endif
    genvar i;
    generate
        for (i = 0; i < MASKED; i = i + 1) begin : mask
            assign must_come[8*i+:8] = expected[8*i+:8] & {8{expected[8*MASKED+i]}};
        end
    endgenerate
    assign must_come[COME_WORD-1:8*MASKED] = expected[COME_WORD-1:8*MASKED];

    // Both sides, as docs/streams.md has it: a word that is offered stays until it has moved.
    wire s_moves = s_valid && s_ready;
    wire m_moves = m_valid && m_ready;
    wire more = sent + (s_moves ? 1 : 0) < send_count;
    always @(posedge clk)
        if (rst) begin
            sent <= 0;
            came <= 0;
            waited <= 0;
            s_valid <= 0;
            m_ready <= 0;
        end else begin
            if (s_moves) sent <= sent + 1;
            if (s_moves || !s_valid) s_valid <= more && !(pausing && $urandom_range(1) == 1);
            m_ready <= !(pausing && $urandom_range(1) == 1);
            waited <= s_moves || m_moves ? 0 : waited + 1;
            if (m_moves) begin
                came <= came + 1;
                if (came == come_count) $fatal(1, "word %0d came, %0d were expected", came, come_count);
                if (m_word !== must_come)
                    $fatal(1, "word %0d is %h, not %h", came, m_word, must_come);
            end
            if (m_moves && error_code != 0) $fatal(1, "error %0d at word %0d", error_code, came);
            if (waited == PATIENCE) $fatal(1, "only %0d words of %0d came", came, come_count);
        end

    task run(input with_pauses);
        begin
            pausing = with_pauses;
            rst <= 1;
            repeat (2) @(posedge clk);
            rst <= 0;
            @(posedge clk);
            wait (came == come_count);
            repeat (100) @(posedge clk);  // in which nothing more may come
        end
    endtask

`ifdef LOADABLE
    task load(input integer tables);
        reg [TABLE_ADDRESS_BITS-1:0] address;
        reg [TABLE_DATA_BITS-1:0] data;
        begin
            while ($fscanf(tables, "@%h %h\n", address, data) == 2) begin
                table_write <= 1;
                table_address <= address;
                table_data <= data;
                @(posedge clk);
            end
            table_write <= 0;
        end
    endtask
`endif

    reg [8*256-1:0] name;
    integer file;

    initial begin
        if (!$value$plusargs("send=%s", name)) $fatal(1, "no +send=FILE");
        file = $fopen(name, "r");
        if (file == 0) $fatal(1, "cannot read %0s", name);
        send_count = 0;
        while ($fscanf(file, "%h\n", to_send[send_count]) == 1) send_count = send_count + 1;
        $fclose(file);

        if (!$value$plusargs("expect=%s", name)) $fatal(1, "no +expect=FILE");
        file = $fopen(name, "r");
        if (file == 0) $fatal(1, "cannot read %0s", name);
        come_count = 0;
        while ($fscanf(file, "%h\n", to_come[come_count]) == 1) come_count = come_count + 1;
        $fclose(file);
        if (send_count == 0 || come_count == 0) $fatal(1, "a file has no words");

`ifdef LOADABLE
        if (!$value$plusargs("tables=%s", name)) $fatal(1, "no +tables=FILE");
        file = $fopen(name, "r");
        if (file == 0) $fatal(1, "cannot read %0s", name);
        load(file);
        $fclose(file);
`endif

        if ($value$plusargs("vcd=%s", name)) begin
            $dumpfile(name);
            $dumpvars(1, top);
        end
        run(0);
        if (!$test$plusargs("vcd=")) run(1);
        $display("passed: %0d words sent, %0d words as expected", sent, came);
        $finish;
    end
endmodule

`default_nettype wire
