//! `faultline walk`: page walks over a memory image.

use std::path::PathBuf;

use faultline_sim::walk::{
    Access, Entry, Image, Request, Rules, Walk, hexadecimal, level_name, read_requests,
};
use faultline_testbench::backend::Kind;
use faultline_testbench::walks::Walker;
use miette::{Result, miette};
use serde::Serialize;

use crate::Global;
use crate::output::{fitted, right, table};

/// Walk x86-64 page tables in a memory image: physical address, page and rights, or the fault
///
/// An image is a text of lines `ADDRESS VALUE`, 64-bit words in hexadecimal; `#` begins a comment. What is not listed is
/// zero; a word that no walk can reach, at --memory-limit or 2^MAXPHYADDR and above, is refused. The last line ends with a
/// line break, as the others do: else a value there might be cut, and is refused. Requests are walked in their order on one
/// memory, so that one sees the accessed and dirty bits of those before it.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Virtual addresses, hexadecimal; without --requests
    #[arg(value_name = "VA", value_parser = address, required_unless_present = "requests", conflicts_with = "requests")]
    addresses: Vec<u64>,
    /// The memory image
    #[arg(long, value_name = "FILE")]
    memory: PathBuf,
    /// Physical address of the first table, hexadecimal
    #[arg(long, value_name = "ADDR", value_parser = address)]
    root: u64,
    /// Requests, a line each: `VA read|write|execute user|supervisor`
    #[arg(long, value_name = "FILE")]
    requests: Option<PathBuf>,
    /// What is done at the addresses of the command line
    #[arg(long, default_value = "read", conflicts_with = "requests")]
    access: AccessName,
    /// The mode of the access
    #[arg(long, default_value = "user", conflicts_with = "requests")]
    mode: Mode,
    /// Where memory ends, hexadecimal; nowhere if not given
    #[arg(long, value_name = "ADDR", value_parser = address)]
    memory_limit: Option<u64>,
    /// Bits of a physical address: MAXPHYADDR
    #[arg(long, default_value_t = 52, value_name = "N", value_parser = crate::value::integer_in::<u8>(32..=52))]
    maxphyaddr: u8,
    /// Whether pages can be execute-disabled: IA32_EFER.NXE
    #[arg(long, default_value = "on", value_name = "on|off")]
    nxe: Switch,
    /// Whether the walker sets accessed and dirty bits; if not, a clear one is a fault
    #[arg(long, default_value = "on", value_name = "on|off")]
    ad_update: Switch,
    /// Levels of tables: 4, or 5 with 57-bit addresses
    #[arg(long, default_value_t = 4, value_name = "4|5", value_parser = crate::value::integer_in::<u8>(4..=5))]
    levels: u8,
    /// What performs the walks: the rules alone (reference), or the page walker as a kernel (rust-hdl) or Verilated (verilog)
    #[arg(long, default_value_t = Kind::Reference, value_name = "BACK END")]
    backend: Kind,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Switch {
    On,
    Off,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Mode {
    User,
    Supervisor,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum AccessName {
    Read,
    Write,
    Execute,
}

fn address(text: &str) -> std::result::Result<u64, String> {
    hexadecimal(text)
        .ok_or_else(|| "give a hexadecimal number of at most 64 bits, such as 7f00a000".to_owned())
}

/// An entry as JSON.
#[derive(Debug, Serialize)]
struct EntryRow {
    level: u8,
    address: String,
    value: String,
}

impl EntryRow {
    fn of(entry: &Entry) -> Self {
        Self {
            level: entry.level,
            address: hex(entry.address),
            value: hex(entry.value),
        }
    }
}

/// A walk as JSON.
#[derive(Debug, Serialize)]
struct Row {
    va: String,
    access: Access,
    user: bool,
    ok: bool,
    pa: Option<String>,
    page_size: Option<u64>,
    writable: Option<bool>,
    user_accessible: Option<bool>,
    executable: Option<bool>,
    fault: Option<&'static str>,
    error_code: Option<u8>,
    level: u8,
    reads: Vec<EntryRow>,
    writes: Vec<EntryRow>,
}

impl Row {
    fn of(request: &Request, walk: &Walk) -> Self {
        let (page, fault) = (walk.end.ok(), walk.end.err());
        Self {
            va: hex(request.address),
            access: request.access,
            user: request.user,
            ok: page.is_some(),
            pa: page.map(|page| hex(page.physical)),
            page_size: page.map(|page| page.page_size),
            writable: page.map(|page| page.writable),
            user_accessible: page.map(|page| page.user),
            executable: page.map(|page| page.executable),
            fault: fault.map(|fault| fault.cause.name()),
            error_code: fault.and_then(|fault| fault.code),
            level: page.map_or_else(|| fault.map_or(0, |fault| fault.level), |page| page.level),
            reads: walk.reads.iter().map(EntryRow::of).collect(),
            writes: walk.writes.iter().map(EntryRow::of).collect(),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If a file cannot be used, or the root is no address of a table.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let rules = Rules {
        levels: args.levels,
        physical_bits: args.maxphyaddr,
        execute_disable: matches!(args.nxe, Switch::On),
        updates: matches!(args.ad_update, Switch::On),
    };
    if !args.root.is_multiple_of(4096) || args.root >> args.maxphyaddr != 0 {
        return Err(miette!(
            "--root {:#x} is no address of a table; give a multiple of 1000 (hexadecimal) below 2^{}",
            args.root,
            args.maxphyaddr
        ));
    }
    let memory = Image::read(&args.memory, args.memory_limit, args.maxphyaddr);
    let mut memory = memory.map_err(|error| miette!("{error}"))?;
    let requests = match &args.requests {
        Some(path) => read_requests(path).map_err(|error| miette!("{error}"))?,
        None => args.addresses.iter().map(|&at| request(args, at)).collect(),
    };
    let walks = walks(args, rules, &mut memory, &requests)?;
    let walks: Vec<(&Request, Walk)> = requests.iter().zip(walks).collect();
    if global.json {
        let rows: Vec<_> = walks
            .iter()
            .map(|(request, walk)| Row::of(request, walk))
            .collect();
        return global.print_json(&rows);
    }
    global.print(&text(&walks))
}

/// The walks and what they read and wrote, in two tables that fit 80 columns.
fn text(walks: &[(&Request, Walk)]) -> String {
    let mut ends = table(&["walk", "request", "result", "rights or fault"]);
    let mut entries = table(&["walk", "entry", "address", "read", "written"]);
    for (number, (request, walk)) in (1..).zip(walks) {
        let (result, told) = told(walk);
        let who = if request.user { "user" } else { "supervisor" };
        ends.add_row(vec![
            right(number),
            right(format!(
                "{}\n{} {who}",
                hex(request.address),
                request.access.name()
            )),
            right(result),
            told.into(),
        ]);
        let row = |entry: &Entry, read: String, written: String| {
            let name = level_name(entry.level);
            let numbers = [hex(entry.address), read, written].map(right);
            let mut cells = vec![right(number), name.into()];
            cells.extend(numbers);
            cells
        };
        for entry in &walk.reads {
            entries.add_row(row(entry, hex(entry.value), String::new()));
        }
        for entry in &walk.writes {
            entries.add_row(row(entry, String::new(), hex(entry.value)));
        }
    }
    format!("{}\n{}", fitted(&ends), fitted(&entries))
}

/// The walks of all requests, one after the other.
fn walks(args: &Args, rules: Rules, memory: &mut Image, requests: &[Request]) -> Result<Vec<Walk>> {
    if args.backend == Kind::Reference {
        let walks = requests
            .iter()
            .map(|request| rules.walk(memory, args.root, request));
        return Ok(walks.collect());
    }
    let limit = args.memory_limit;
    if let Some(limit) = limit.filter(|&limit| limit == 0 || limit % 4096 != 0) {
        return Err(miette!(
            "--memory-limit {limit:#x}: the hardware knows whole frames of memory; give a multiple of 1000 (hexadecimal)"
        ));
    }
    let mut walker = Walker::new(rules, limit, args.backend).map_err(|error| miette!("{error}"))?;
    let walks = requests
        .iter()
        .map(|request| walker.walk(memory, args.root, request));
    walks
        .collect::<Result<_, _>>()
        .map_err(|error| miette!("{error}"))
}

fn request(args: &Args, address: u64) -> Request {
    Request {
        address,
        access: match args.access {
            AccessName::Read => Access::Read,
            AccessName::Write => Access::Write,
            AccessName::Execute => Access::Execute,
        },
        user: matches!(args.mode, Mode::User),
    }
}

/// How a walk ended: the address and the page, and the rights; or no page, and the fault.
fn told(walk: &Walk) -> (String, String) {
    match walk.end {
        Ok(page) => {
            let size = match page.page_size {
                0x1000 => "4 KB",
                0x20_0000 => "2 MB",
                _ => "1 GB",
            };
            let rights = [
                (true, "read"),
                (page.writable, "write"),
                (page.executable, "execute"),
                (page.user, "user"),
            ];
            let rights: Vec<_> = rights
                .into_iter()
                .filter_map(|(has, name)| has.then_some(name))
                .collect();
            (format!("{}\n{size}", hex(page.physical)), rights.join(" "))
        }
        Err(fault) => {
            let at = match fault.level {
                0 => String::new(),
                level => format!("\nat the {}", level_name(level)),
            };
            let code = fault.code.map_or_else(String::new, |code| {
                let bits = ["P", "W/R", "U/S", "RSVD", "I/D"];
                let set: Vec<_> = (0..bits.len())
                    .filter(|bit| code >> bit & 1 != 0)
                    .map(|bit| bits[bit])
                    .collect();
                format!("\nerror code {code:#04x} {}", set.join(" "))
            });
            ("-".to_owned(), format!("{}{at}{code}", fault.cause.name()))
        }
    }
}

fn hex(number: u64) -> String {
    format!("{number:#x}")
}
