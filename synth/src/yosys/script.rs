//! What Yosys and ABC are told to do.

use super::{Design, Memory};

/// How ABC restructures and maps the logic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mapping {
    /// Yosys's own script for `abc -D -constr`: what the peers' figures were made with.
    Plain,
    /// The same steps until the logic is mapped; then it is rebalanced for depth (`if -g`), mapped
    /// for delay (`map` instead of `&nf`), buffered, and sized with the library's wire loads. `synth/reports/cost_plain.md` beside
    /// `cost.md` shows what that gains and what it costs.
    #[default]
    Balanced,
    /// As [`Mapping::Balanced`], but mapped for area (`&nf`): smaller by some eight percent, and slower, for what has
    /// time to spare.
    Compact,
}

impl Mapping {
    /// The name in tables and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Balanced => "balanced",
            Self::Compact => "compact",
        }
    }

    /// The script for ABC, with `{D}` where the delay target goes: Yosys puts it only into scripts that are given on its
    /// command line, and ABC takes no notice of what it does not know.
    pub(super) fn script(self) -> Option<String> {
        let map = match self {
            Self::Plain => return None,
            Self::Balanced => BALANCED,
            Self::Compact => COMPACT,
        };
        Some([REBALANCE, map, SIZE].concat())
    }
}

const REBALANCE: &str = "strash
&get -n
&fraig -x
&put
scorr
dc2
dretime
strash
if -g
strash
";

const BALANCED: &str = "dch -f
map -B 0.9 {D}
";

const COMPACT: &str = "if -g
strash
&get -n
&dch -f
&nf {D}
&put
";

const SIZE: &str = "topo
buffer -c
topo
upsize -c {D}
dnsize -c {D}
stime -p -c
";

/// The script. It is public so that a figure can be shown with what made it. Where flip-flops may show complements only, what they
/// show gets names that last, and the names that these are the complements of are written.
pub fn script(design: &Design, target_ps: u32, mapping: Mapping, complements: bool) -> String {
    let top = &design.top;
    let abc_script = match mapping.script() {
        None => "",
        Some(_) => " -script mapping.abc",
    };
    let black_boxes: String = design
        .memories
        .iter()
        .map(|memory| format!("blackbox {}\n", memory.module))
        .collect();
    let tapped: String = design
        .memories
        .iter()
        .map(|Memory { module, .. }| {
            format!("techmap -map taps.v t:{module}\nchtype -set {module} t:{module}_tapped\n")
        })
        .collect();
    let named = match complements {
        true => "autoname\nwrite_blif complements.blif\n",
        false => "",
    };
    // `check` comes before the cells of the library, whose pin directions Yosys does not know. The names are written before
    // all but one of each net are dropped. Ports are split into bits, because OpenSTA does not read an assignment of
    // constants to some bits of a port.
    format!(
        "read_verilog -noautowire design.v
{black_boxes}hierarchy -check -top {top}
synth -flatten -encfile states.txt -top {top}
check -assert
dfflibmap -liberty cells.lib
{named}{tapped}abc -liberty cells.lib -D {target_ps} -constr abc.constr{abc_script}
write_blif names.blif
opt_clean -purge
select -assert-none t:$*
tee -q -o statistics.json stat -json
splitnets -ports
opt_clean -purge
write_verilog -noattr -noexpr netlist.v
"
    )
}

/// A map that puts a buffer of its own before each control and address pin of a memory.
///
/// ABC sees a memory's pins as outputs of the logic, and a net that goes to many memories as one
/// output with one load: it would leave a small gate to drive 32 macros. With a buffer before each
/// pin there is an output for each, and ABC builds the tree that they need. The buffers themselves
/// vanish in it.
pub(super) fn taps(memory: &Memory) -> String {
    let Memory {
        module,
        words,
        bits,
        masked,
        ..
    } = memory;
    let address = address_bits(*words);
    let (mask, mask_pin) = match masked {
        true => (", mask", ", .mask(mask)"),
        false => ("", ""),
    };
    let mask_input = match masked {
        true => format!("  input [{}:0] mask;\n", bits - 1),
        false => String::new(),
    };
    let tap =
        |name: &str, pin: &str, wire: &str| format!("  \\$_BUF_ {name} (.A({pin}), .Y({wire}));\n");
    let address_taps: String = (0..address)
        .map(|bit| {
            tap(
                &format!("tap_{bit}"),
                &format!("address[{bit}]"),
                &format!("near[{bit}]"),
            )
        })
        .collect();
    format!(
        "module {module} (clock, enable, write, address, data{mask}, q);
  input clock, enable, write;
  input [{}:0] address;
  input [{}:0] data;
{mask_input}  output [{}:0] q;
  wire near_enable, near_write;
  wire [{}:0] near;
{address_taps}{}{}  {module}_tapped _TECHMAP_REPLACE_ (.clock(clock), .enable(near_enable), .write(near_write), .address(near), .data(data){mask_pin}, .q(q));
endmodule
",
        address - 1,
        bits - 1,
        bits - 1,
        address - 1,
        tap("tap_enable", "enable", "near_enable"),
        tap("tap_write", "write", "near_write"),
    )
}

/// Bits of the address of a memory.
pub(crate) fn address_bits(words: usize) -> usize {
    (usize::BITS - words.saturating_sub(1).leading_zeros()).max(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_an_address() {
        assert_eq!([1, 2, 3, 64, 80, 128].map(address_bits), [1, 1, 2, 6, 7, 7]);
    }
}
