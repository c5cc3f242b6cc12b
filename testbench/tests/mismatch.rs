//! A lockstep that must fail: what it says, and the waveform that it leaves.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::{HashMap, HashSet};
use std::path::Path;

use faultline_sim::ports::Model;
use faultline_sim::sm::replay_queue::{Inputs, Outputs, Parameters, ReplayQueue};
use faultline_testbench::backend::{Backend, BackendError, Kind, Reference};
use faultline_testbench::blocks;
use faultline_testbench::blocks::replay_queue::ReplayQueueTraffic;
use faultline_testbench::layout::Layout;
use faultline_testbench::lockstep::{Lockstep, LockstepError, Mismatch};
use faultline_testbench::session::Session;
use faultline_testbench::traffic::Driven;
use fst_reader::FstHierarchyEntry;

/// A model that counts one too many from a cycle on.
struct Broken {
    model: Reference<ReplayQueue>,
    /// Words of its outputs, and the one with the occupancy.
    words: usize,
    occupancy: usize,
    cycle: usize,
    breaks: usize,
}

impl Backend for Broken {
    fn kind(&self) -> Kind {
        Kind::Verilog
    }

    fn run(&mut self, inputs: &[u64], outputs: &mut [u64]) -> Result<(), BackendError> {
        self.model.run(inputs, outputs)?;
        for frame in outputs.chunks_exact_mut(self.words) {
            frame[self.occupancy] += u64::from(self.cycle >= self.breaks);
            self.cycle += 1;
        }
        Ok(())
    }
}

fn broken_session(breaks: usize) -> Session {
    let parameters = Parameters::with_entries(16);
    let layout = Layout::of::<ReplayQueue>(&parameters);
    let before = layout.outputs.iter();
    let before = before.take_while(|port| port.name != "occupancy");
    let occupancy = before.map(|port| port.words()).sum();
    let broken = Broken {
        model: Reference::new(parameters),
        words: layout.output_words(),
        occupancy,
        cycle: 0,
        breaks,
    };
    let backends: Vec<Box<dyn Backend>> = vec![
        Box::new(Reference::<ReplayQueue>::new(parameters)),
        Box::new(broken),
    ];
    let lockstep = Lockstep::new("replay_queue_16", layout, backends);
    Session::new(
        lockstep,
        Box::new(Driven::<ReplayQueueTraffic>::new(parameters, 7)),
    )
}

fn mismatch(session: &mut Session) -> Mismatch {
    match session.run(10_000) {
        Err(LockstepError::Mismatch(mismatch)) => *mismatch,
        other => panic!("{other:?}"),
    }
}

#[test]
fn mismatch_names_seed_cycle_port_and_values() {
    for breaks in [0, 1, 255, 256, 5000] {
        let mut session = broken_session(breaks);
        let mismatch = mismatch(&mut session);
        assert_eq!(
            (mismatch.cycle, mismatch.port),
            (breaks as u64, "occupancy")
        );
        assert_eq!(mismatch.source, "seed 7");
        let number = |value: &str| u64::from_str_radix(value.trim_start_matches("0x"), 16).unwrap();
        let [(_, good), (_, bad)] = mismatch.values.as_slice() else {
            panic!("{:?}", mismatch.values)
        };
        assert_eq!(number(bad), number(good) + 1);
        let text = mismatch.to_string();
        assert!(text.starts_with(&format!(
            "replay_queue_16 with seed 7: in cycle {breaks}, occupancy is {good}"
        )));
    }
}

#[test]
fn mismatch_leaves_a_waveform() {
    for breaks in [0, 3, 250, 5000] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wave.fst");
        let mut session = broken_session(breaks);
        session.wave_on_mismatch(&path);
        let mismatch = mismatch(&mut session);
        assert_eq!(mismatch.wave.as_deref(), Some(path.as_path()));
        assert!(mismatch.to_string().ends_with("wave.fst"));
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let wave = fst_reader::FstReader::open_and_read_time_table(file).unwrap();
        let times = wave.get_time_table().unwrap();
        // Every file has the time 0, at which nothing is known.
        let first = times.iter().find(|&&time| time > 0).unwrap() / 2;
        let last = times[times.len() - 1] / 2;
        assert!(
            first <= breaks as u64 && breaks as u64 <= last,
            "{first} to {last}"
        );
        assert!(last - first < 64, "{first} to {last}");
        let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(files.len(), 3, "two views, and nothing else is left behind");
        let mark = format!("cursor_set {}\n", 2 * breaks);
        let surfer = std::fs::read_to_string(path.with_extension("sucl")).unwrap();
        assert!(surfer.ends_with(&mark), "{surfer}");
        assert!(
            surfer.contains(
                "divider_add mismatch\nvariable_add replay_queue_16.reference.occupancy\n"
            )
        );
        check_views(&path);
    }
}

/// The signals of a waveform with their bits.
fn signals(wave: &Path) -> HashMap<String, u32> {
    let file = std::io::BufReader::new(std::fs::File::open(wave).unwrap());
    let mut wave = fst_reader::FstReader::open(file).unwrap();
    let mut scopes: Vec<String> = Vec::new();
    let mut signals = HashMap::new();
    wave.read_hierarchy(|entry| match entry {
        FstHierarchyEntry::Scope { name, .. } => scopes.push(name),
        FstHierarchyEntry::UpScope => {
            scopes.pop();
        }
        FstHierarchyEntry::Var { name, length, .. } => {
            signals.insert(format!("{}.{name}", scopes.join(".")), length);
        }
        _ => {}
    })
    .unwrap();
    signals
}

/// What a view shows is in its waveform, with the same width, and it shows everything but the outputs of all back ends
/// besides the first.
fn check_views(wave: &Path) {
    let signals = signals(wave);
    let expected: HashSet<&str> = signals
        .keys()
        .map(String::as_str)
        .filter(|name| !name.contains(".verilog.") && !name.contains(".rust_hdl."))
        .collect();
    let read = |extension| std::fs::read_to_string(wave.with_extension(extension)).unwrap();
    let gtkwave = read("gtkw");
    let mut shown = HashSet::new();
    let mut lines = gtkwave.lines();
    while let Some(line) = lines.next() {
        if line != "@28" && line != "@22" {
            assert!(line.starts_with(['[', '*', '@', '-']), "{line}");
            continue;
        }
        let signal = lines.next().unwrap();
        let (name, bits) = match signal
            .strip_suffix(":0]")
            .and_then(|bus| bus.split_once('['))
        {
            Some((name, highest)) => (name, highest.parse::<u32>().unwrap() + 1),
            None => (signal, 1),
        };
        assert_eq!(signals.get(name), Some(&bits), "{signal}");
        shown.insert(name);
    }
    assert!(expected.is_subset(&shown), "{gtkwave}");
    let surfer = read("sucl");
    let shown: HashSet<&str> = surfer
        .lines()
        .filter_map(|line| line.strip_prefix("variable_add "))
        .inspect(|name| assert!(signals.contains_key(*name), "{name}"))
        .collect();
    assert!(expected.is_subset(&shown), "{surfer}");
}

/// A waveform of a design's traffic, without a mismatch, is as long as one likes.
#[test]
fn every_block_has_views_of_its_traffic() {
    let folder = tempfile::tempdir().unwrap();
    for block in blocks::names() {
        let config = blocks::default_configuration(block);
        let mut session = blocks::session(block, config, &[Kind::Reference], 1).unwrap();
        session.show_cycles(200);
        session.run(300).unwrap();
        let path = folder.path().join(format!("{block}.fst"));
        session.write_wave(&path).unwrap();
        check_views(&path);
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let wave = fst_reader::FstReader::open_and_read_time_table(file).unwrap();
        let times = wave.get_time_table().unwrap();
        assert!(times.contains(&200) && times.contains(&599));
        assert!(
            !times.contains(&199),
            "{block} shows more than was requested"
        );
    }
}

#[test]
fn waveform_that_cannot_be_written_is_said_in_a_sentence() {
    let mut session = broken_session(100);
    session.run(50).unwrap();
    let error = session
        .write_wave(Path::new("/no/such/folder/wave.fst"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("/no/such/folder/wave.fst: cannot write: its folder is not there"),
        "{error}"
    );
    session.wave_on_mismatch(Path::new("/no/such/folder/wave.fst"));
    let text = mismatch(&mut session).to_string();
    assert!(
        text.contains("cannot write") && text.contains("in cycle 100"),
        "{text}"
    );
}

#[test]
fn unknown_design_is_said_in_a_sentence() {
    let error = |block, config| {
        blocks::lockstep(block, config, &[Kind::Reference])
            .err()
            .unwrap()
            .to_string()
    };
    for (block, config, known) in [
        ("replay_queue", "63", "replay_queue 16, 32, 64, 128"),
        ("replay_queue", "banana", "replay_queue 16, 32, 64, 128"),
        (
            "operand_log",
            "",
            "operand_log 8k, 16k, 20k, 32k, 16k_16x128",
        ),
    ] {
        assert_eq!(
            error(block, config),
            format!("there is no design {block} {config}; there are {known}")
        );
    }
    let text = error("crossbar", "64");
    assert!(
        text.starts_with("there is no block crossbar; there are replay_queue,"),
        "{text}"
    );
    assert!(
        "quantum"
            .parse::<Kind>()
            .unwrap_err()
            .contains("there is no back end quantum")
    );
}

#[cfg(not(feature = "verilog"))]
#[test]
fn missing_verilator_is_said_with_the_way_to_get_it() {
    let error = blocks::lockstep("replay_queue", "16", &[Kind::Verilog])
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("apt-get install verilator") && error.contains("--features verilog"),
        "{error}"
    );
}

/// The ports of a model are those of its kernel, whatever their order: names and widths of every design.
#[test]
fn every_design_has_the_ports_of_its_model() {
    for block in blocks::names() {
        for config in blocks::configurations(block) {
            let quick = blocks::quick_configurations(block).any(|quick| quick == config);
            let kinds: Vec<_> = Kind::built()
                .filter(|&kind| quick || kind != Kind::Verilog)
                .collect();
            blocks::lockstep(block, config, &kinds).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// A model is as it was after a reset.
#[test]
fn reset_makes_a_new_model() {
    let parameters = Parameters::with_entries(4);
    let mut queue = ReplayQueue::new(parameters);
    let mut inputs = Inputs {
        insert_valid: true,
        insert_warp: 3,
        ..Inputs::default()
    };
    queue.cycle(&inputs);
    inputs.reset = true;
    queue.cycle(&inputs);
    assert_eq!(
        queue.cycle(&Inputs::default()),
        ReplayQueue::new(parameters).cycle(&Inputs::default())
    );
    assert_ne!(queue.cycle(&inputs), Outputs::default());
}
