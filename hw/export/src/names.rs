//! Plain names: no `$`, no keyword of Verilog, SystemVerilog or Verilog-AMS.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Keywords of IEEE 1800-2017 that a Rust identifier could be.
const KEYWORDS: &str = " accept_on alias always always_comb always_ff always_latch and assert assign assume automatic \
before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos \
config const constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist \
do edge else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface \
endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event eventually \
expect export extends extern final first_match for force foreach forever fork forkjoin function generate genvar global \
highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input inside \
instance int integer interconnect interface intersect join join_any join_none large let liblist library local localparam \
logic longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not \
notif0 notif1 null or output package packed parameter pmos posedge primitive priority program property protected pull0 \
pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime \
ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime \
s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify specparam static \
string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this \
throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique \
unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while \
wildcard wire with within wor xnor xor ";

/// Keywords of Verilog-AMS 2.4 (Annex B) that are none of the above: some tools read every file as AMS.
const ANALOG: &str = " above abs absdelay absdelta abstol access acos acosh ac_stim aliasparam analog analysis asin asinh atan atan2 atanh \
branch ceil connect connectmodule connectrules continuous cos cosh ddt ddt_nature ddx discipline discrete domain \
driver_update endconnectrules enddiscipline endnature endparamset exclude exp final_step flicker_noise floor flow \
from ground hypot idt idt_nature idtmod inf infinite initial_step laplace_nd laplace_np laplace_zd laplace_zp \
last_crossing limexp ln log max merged min nature net_resolution noise_table noise_table_log paramset potential pow \
resolveto sin sinh slew split sqrt tan tanh timer transition units white_noise wreal zi_nd zi_np zi_zd zi_zp ";

/// Words that Verilator refuses, or warns of because they mean something in the C++ that it writes.
const WORDS: &str = " abort alignas alignof and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bit_vector \
bitand bitor bool catch cdecl char char16_t char32_t compl complex concept const_cast const_iterator constexpr decltype \
delete deque double dynamic_cast explicit far float friend goto huge inline interrupt iterator list long mailbox map \
mutable namespace near noexcept not_eq nullptr operator or_eq override pascal private process public queue reference \
register requires sc_clock sc_in sc_inout sc_out sc_signal semaphore sensitive sensitive_neg sensitive_pos set short \
sizeof stack switch synchronized template thread_local throw transaction_safe transaction_safe_dynamic try type_info \
typeid typename uint8_t uint16_t uint32_t using vector volatile wchar_t xor_eq ";

/// All of them.
static TAKEN: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let words = [KEYWORDS, ANALOG, WORDS].into_iter();
    words.flat_map(str::split_whitespace).collect()
});

/// A Rust name as a Verilog name; a keyword gets an underscore behind it.
pub fn plain(name: &str) -> String {
    let name = name.trim_start_matches("r#").replace('$', "_");
    if TAKEN.contains(name.as_str()) {
        name + "_"
    } else {
        name
    }
}

/// The wire at a port of a child.
pub fn joined(child: &str, port: &str) -> String {
    plain(&format!("{child}_{port}"))
}

/// An enum's discriminant, `State::Idle` as `STATE_IDLE`.
pub fn constant(name: &str) -> String {
    let mut text = String::new();
    let mut after_lower = false;
    for character in name.replace("::", "_").replace('$', "_").chars() {
        if character.is_uppercase() && after_lower {
            text.push('_');
        }
        after_lower = character.is_lowercase() || character.is_ascii_digit();
        text.extend(character.to_uppercase());
    }
    text
}

/// The names and numbers of a text, each with its place in bytes.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(is_part)?;
        let length = text[start..].find(|character| !is_part(character));
        from = length.map_or(text.len(), |length| start + length);
        Some((start, &text[start..from]))
    })
}
