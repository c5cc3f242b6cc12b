//! `faultline study` as its users meet it.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;
#[path = "common/obligation.rs"]
mod obligation;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime};

use assert_cmd::assert::Assert;
use predicates::prelude::*;
use predicates::str::contains;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use common::faultline;

/// Two schemes, far faults, and two links of which one is the preset's: 8 runs.
const STUDY: &str = "workloads = [\"histo\"]
baseline = { \"sm.scheme\" = \"stall-on-fault\" }
[set]
sms = 1
paging.absent = true
[axes]
\"sm.scheme\" = [\"stall-on-fault\", \"replay-queue\"]
gmmu.far_faults = [1, 4]
link = [{ name = \"preset\" }, { name = \"slow\", paging.migration = 25000, \"paging.link_bytes\" = 16 }]
";

/// A folder with a study.
struct Folder(TempDir);

impl Folder {
    fn new(study: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("study.toml"), study).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `faultline study study.toml` with these options, in the folder, to its end.
    fn study(&self, options: &[&str]) -> Assert {
        let mut command = faultline();
        command
            .current_dir(self.0.path())
            .args(["study", "study.toml"]);
        command.args(options).assert()
    }

    /// The same, which goes on by itself.
    fn begin(&self, options: &[&str]) -> Child {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_faultline"));
        command
            .current_dir(self.0.path())
            .args(["study", "study.toml"]);
        std::fs::create_dir_all(self.path("scratch")).unwrap();
        command.env("TMPDIR", self.path("scratch"));
        command
            .args(options)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// The table as CSV, of runs with these options.
    fn table(&self, options: &[&str]) -> String {
        let name = "table.csv";
        let ended = self.study(&[options, &["--csv", name]].concat()).success();
        ended.stderr(contains(" runs have taken 00:0").and(contains(" of processor time")));
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The results of a folder with the times at which they were written.
    fn results(&self, name: &str) -> BTreeMap<PathBuf, SystemTime> {
        let files = std::fs::read_dir(self.path(name)).into_iter().flatten();
        let files = files.map(|file| file.unwrap().path());
        let files = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
        files.map(|path| (path.clone(), modified(&path))).collect()
    }

    /// The sentence that the study ends with, which runs nothing.
    fn refused(&self, study: &str) -> String {
        std::fs::write(self.path("study.toml"), study).unwrap();
        let assert = self.study(&[]).failure();
        let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(!self.path("study-results").exists(), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        told.trim_end().trim_start_matches("error: ").to_owned()
    }
}

fn modified(path: &Path) -> SystemTime {
    std::fs::metadata(path).unwrap().modified().unwrap()
}

#[test]
fn the_table_is_in_the_order_of_the_file_for_any_number_of_jobs() {
    let folder = Folder::new(STUDY);
    let one = folder.table(&["--results", "one", "--jobs", "1"]);
    assert_eq!(folder.table(&["--results", "two", "--jobs", "2"]), one);
    assert_eq!(folder.results("one").len(), 8);
    let mut rows = csv::Reader::from_reader(one.as_bytes());
    let heads: Vec<_> = rows.headers().unwrap().iter().map(str::to_owned).collect();
    let expected = [
        "workload",
        "sm.scheme",
        "gmmu.far_faults",
        "link",
        "relative_percent",
        "kernel",
    ];
    assert_eq!(heads[..6], expected);
    let of = |name: &str| heads.iter().position(|head| head == name).unwrap();
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let named: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {} {}", &row[1], &row[2], &row[3]))
        .collect();
    let expected = [
        "stall-on-fault 1 preset",
        "stall-on-fault 1 slow",
        "stall-on-fault 4 preset",
        "stall-on-fault 4 slow",
        "replay-queue 1 preset",
        "replay-queue 1 slow",
        "replay-queue 4 preset",
        "replay-queue 4 slow",
    ];
    assert_eq!(named, expected);
    // Each run is beside the one of the baseline that differs in nothing else.
    let number = |row: &csv::StringRecord, name: &str| row[of(name)].parse::<f64>().unwrap();
    for (place, row) in rows.iter().enumerate() {
        let beside = number(&rows[place % 4], "cycles");
        let relative = 100.0 * beside / number(row, "cycles");
        assert!(
            (number(row, "relative_percent") - relative).abs() < 1e-9,
            "{row:?}"
        );
        assert_eq!(row[of("scheme")], row[1], "the scheme that ran");
        assert_eq!(row[of("values_checked")], *"true");
    }
    assert!(number(&rows[1], "cycles") > number(&rows[0], "cycles") + 10_000.0);
    // The same rows for a person and as JSON, of the results that are there.
    let gather = ["--gather", "--results", "one"];
    let text = contains("sm.scheme")
        .and(contains("Performance"))
        .and(contains("Far faults"));
    folder.study(&gather).success().stdout(text);
    let json = folder.study(&[&gather[..], &["--json"]].concat());
    let json = json.success();
    let json: Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 8);
    assert_eq!(json["rows"][7]["gmmu.far_faults"], 4);
    assert_eq!(json["rows"][0]["relative_percent"], 100.0);
}

/// A process of a run.
#[derive(Clone, Debug)]
struct Process {
    id: i32,
    hash: String,
}

/// The processes of runs in a folder.
fn processes(folder: &Path) -> Vec<Process> {
    let mut processes = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let is_here = std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder);
        let words = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        let mut words = words.split('\0').skip_while(|word| *word != "--run");
        if let Some(hash) = words.nth(1)
            && is_here
        {
            let hash = hash.to_owned();
            processes.push(Process { id, hash });
        }
    }
    processes
}

/// Kills a process in the middle of its run; false if it has ended before.
fn kill(process: &Process) -> bool {
    let id = Pid::from_raw(process.id).unwrap();
    // One that is stopped does not end by itself.
    if kill_process(id, Signal::STOP).is_err() {
        return false;
    }
    let stat = || std::fs::read_to_string(format!("/proc/{}/stat", process.id)).unwrap_or_default();
    let state = || {
        stat()
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.chars().next())
    };
    in_time("the process stops or ends", || {
        !matches!(state(), Some('R' | 'S' | 'D'))
    });
    let is_stopped = state() == Some('T');
    kill_process(id, Signal::KILL).ok();
    is_stopped
}

fn in_time(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "not so in five minutes: {what}"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The end of a study: whether it ended well, and what it said.
fn end(study: Child) -> (bool, String) {
    let output = study.wait_with_output().unwrap();
    (
        output.status.success(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// Kills a process of each of so many runs, while the study goes on.
fn kill_some(folder: &Folder, study: &mut Child, count: usize) -> Vec<Process> {
    let root = folder.0.path().canonicalize().unwrap();
    let mut killed: Vec<Process> = Vec::new();
    in_time("processes are killed", || {
        assert!(
            study.try_wait().unwrap().is_none(),
            "it has ended after {killed:?}"
        );
        for process in processes(&root) {
            let is_new = killed.iter().all(|other| other.hash != process.hash);
            if is_new && killed.len() < count && kill(&process) {
                killed.push(process);
            }
        }
        killed.len() == count
    });
    killed
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_killed_is_started_again_and_the_table_is_the_same() {
    let folder = Folder::new(STUDY);
    let expected = folder.table(&["--results", "whole"]);
    let mut study = folder.begin(&["--jobs", "2", "--csv", "again.csv"]);
    kill_some(&folder, &mut study, 2);
    let (is_well, told) = end(study);
    assert!(is_well, "{told}");
    let again = told
        .matches("has died (signal: 9 (SIGKILL)), and is started once again")
        .count();
    assert_eq!(again, 2, "{told}");
    assert_eq!(
        std::fs::read_to_string(folder.path("again.csv")).unwrap(),
        expected
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_dies_twice_is_named_and_the_others_go_on() {
    let folder = Folder::new(STUDY);
    let mut study = folder.begin(&["--jobs", "1"]);
    let root = folder.0.path().canonicalize().unwrap();
    let mut killed: Vec<Process> = Vec::new();
    in_time("a run is killed twice", || {
        assert!(study.try_wait().unwrap().is_none(), "it has ended");
        for process in processes(&root) {
            let is_new = killed.iter().all(|other| other.id != process.id);
            let is_same = killed.iter().all(|other| other.hash == process.hash);
            if is_new && is_same && kill(&process) {
                killed.push(process);
            }
        }
        killed.len() == 2
    });
    let (is_well, told) = end(study);
    assert!(!is_well, "{told}");
    let last = told.lines().last().unwrap();
    let named = "histo with sm.scheme = stall-on-fault, gmmu.far_faults = 1, link = preset";
    assert!(
        last.starts_with("error: 1 run has failed of 8; the first: ") && last.contains(named),
        "{told}"
    );
    assert!(last.ends_with(&killed[0].hash), "{told}");
    assert_eq!(folder.results("study-results").len(), 7);
    let missing = folder.study(&["--gather"]).failure();
    missing.stderr(contains("1 result is missing of 8 runs").and(contains(named)));
    folder.study(&[]).success();
    assert_eq!(folder.results("study-results").len(), 8);
}

#[cfg(target_os = "linux")]
#[test]
fn a_study_that_was_cut_off_goes_on_where_it_was() {
    let folder = Folder::new(STUDY);
    let expected = folder.table(&["--results", "whole"]);
    let root = folder.0.path().canonicalize().unwrap();
    for signal in [Signal::KILL, Signal::INT] {
        let name = format!("cut-off-{}", signal.as_raw());
        let mut study = folder.begin(&["--jobs", "2", "--results", &name]);
        in_time("runs are done", || {
            let done = folder.results(&name).len();
            done >= 2 && !processes(&root).is_empty()
        });
        kill_process(Pid::from_child(&study), signal).unwrap();
        assert!(!study.wait().unwrap().success());
        // Its processes end with it, and it takes its scratch folder away if it can.
        in_time("the processes end", || processes(&root).is_empty());
        let scratch = std::fs::read_dir(folder.path("scratch")).unwrap().count();
        assert_eq!(scratch, 1, "{signal:?}");
        let before = folder.results(&name);
        assert!(before.len() < 8, "{before:?}");
        // What no study writes.
        let partial = before.keys().next().unwrap();
        let text = std::fs::read_to_string(partial).unwrap();
        std::fs::write(partial, &text[..text.len() / 2]).unwrap();
        let (partial, cut) = (partial.clone(), modified(partial));
        assert_eq!(folder.table(&["--results", &name]), expected);
        let after = folder.results(&name);
        assert_eq!(after.len(), 8);
        for (path, time) in before {
            match path == partial {
                true => assert!(after[&path] > cut, "it was not whole"),
                false => assert_eq!(after[&path], time, "{} is run again", path.display()),
            }
        }
    }
}

/// Two numbers of SMs, ten of far faults, and ten times of a fault.
const TWO_HUNDRED: &str = "workloads = [\"histo\"]
set.paging.absent = true
[axes]
sms = [1, 2]
gmmu.far_faults = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
paging.migration = [6000, 7000, 8000, 9000, 10000, 11000, 12000, 13000, 14000, 15000]
";

#[cfg(target_os = "linux")]
#[test]
fn two_hundred_runs_survive_the_death_of_processes() {
    obligation::of_command(file!()).meet(|| {
        let folder = Folder::new(TWO_HUNDRED);
        let mut study = folder.begin(&["--jobs", "3", "--csv", "killed.csv"]);
        let dead = kill_some(&folder, &mut study, 10);
        let (is_well, told) = end(study);
        assert!(is_well, "{told}");
        assert_eq!(
            told.matches("and is started once again").count(),
            10,
            "{told}"
        );
        let killed = std::fs::read_to_string(folder.path("killed.csv")).unwrap();
        assert_eq!(killed.lines().count(), 201);
        assert_eq!(folder.results("study-results").len(), 200);
        // The runs whose processes have died, once more and in peace.
        for process in dead {
            let result = format!("study-results/{}.json", process.hash);
            std::fs::remove_file(folder.path(&result)).unwrap();
        }
        assert_eq!(folder.table(&["--jobs", "2"]), killed);
    });
}

#[test]
fn what_makes_no_sense_is_one_sentence_with_file_and_line() {
    let folder = Folder::new("");
    std::fs::write(folder.path("gpu.toml"), "sms = 2\n[sm]\nwarps = 65\n").unwrap();
    std::fs::write(
        folder.path("absent.toml"),
        "sms = 2\n[paging]\nabsent = true\ncopied = true\n",
    )
    .unwrap();
    std::fs::write(folder.path("bad.ptx"), "this is none\n").unwrap();
    std::fs::create_dir(folder.path("folder.ptx")).unwrap();
    let head = "workloads = [\"histo\"]\n";
    let axis = "workloads = [\"histo\"]\n[axes]\n";
    for (study, told) in [
        // Keys and values.
        (
            format!("{head}worklods = 3\n"),
            "study.toml:2: unknown field `worklods`",
        ),
        (
            format!("{head}[set]\nsm.warp = 4\n"),
            "study.toml:3: unknown field `warp`",
        ),
        (
            format!("{head}[set]\n\n\"sm.warps\" = 65\n"),
            "study.toml:4: 65 is not from 1 to 64",
        ),
        (
            format!("{head}[set]\nsm = 3\n"),
            "study.toml:3: invalid type: integer `3`, expected a table",
        ),
        (
            format!("{head}[set]\n\"sm..warps\" = 6\n"),
            "study.toml:3: \"sm..warps\" is no key of a configuration",
        ),
        (
            format!("{head}[set]\nsms = [1, 2]\n"),
            "study.toml:3: sms has a list of values; put it in [axes]",
        ),
        (
            format!("{axis}gmmu.walks = [\n  8,\n  24,\n]\n"),
            "study.toml:5: 24 is no power of two from 1 to 64",
        ),
        (
            format!("{axis}\"sm.scheme\" = [\"none\"]\n"),
            "study.toml:3: there is no scheme none",
        ),
        (
            format!("{axis}speed = [1, 2]\n"),
            "study.toml:3: unknown field `speed`",
        ),
        (
            format!("{axis}l = [\n{{ name = \"a\" }},\n{{ name = \"b\", sm.l1 = 0 }}]\n"),
            "study.toml:5: 0 is not from 1 to 1000",
        ),
        (
            format!("preset = \"none\"\n{head}"),
            "study.toml:1: there is no preset none; there are tanasic",
        ),
        // Axes.
        (
            format!("{axis}sms = []\n"),
            "study.toml:3: the axis sms has no value",
        ),
        (
            format!("{axis}sms = 4\n"),
            "study.toml:3: the axis sms has one value and no list",
        ),
        (
            format!("{axis}sms = [1, 2, 1]\n"),
            "study.toml:3: the axis sms has 1 twice",
        ),
        (
            format!("{axis}sms = [[1]]\n"),
            "study.toml:3: the axis sms has a list in its list",
        ),
        (
            format!("{axis}sms = [1]\nsms = [2]\n"),
            "study.toml:4: duplicate key",
        ),
        (
            format!("{axis}sm.warps = [8]\n\"sm.warps\" = [4]\n"),
            "study.toml:4: two axes are called sm.warps",
        ),
        (
            format!("{axis}sms = [1]\nl = [{{ name = \"a\", sms = 2 }}]\n"),
            "study.toml:4: sms is set by the axis sms and by the axis l",
        ),
        (
            format!("{head}set.sms = 1\naxes.sms = [2]\n"),
            "study.toml:3: sms is set by [set] and by the axis sms",
        ),
        (
            format!("preset = \"pep\"\n{axis}preset = [\"pep\"]\n"),
            "study.toml:4: preset is set by the top of the file and by the axis preset",
        ),
        (
            format!("{axis}l = [{{ sms = 2 }}]\n"),
            "study.toml:3: an alternative of l has no name",
        ),
        (
            format!("{axis}l = [{{ name = \"a\" }}, 3]\n"),
            "study.toml:3: the axis l has values and alternatives with names",
        ),
        (
            format!("{head}baseline = {{ sms = 1 }}\n"),
            "study.toml:2: baseline: there is no axis sms; there is none",
        ),
        (
            format!("baseline = {{ sms = 3 }}\n{axis}sms = [1, 2]\n"),
            "study.toml:1: baseline: sms is never 3; it is 1, 2",
        ),
        // Workloads.
        ("sms = 3\n".to_owned(), "study.toml:1: unknown field `sms`"),
        (
            "preset = \"pep\"\n".to_owned(),
            "study.toml:1: no workload is named",
        ),
        (
            "\nworkloads = []\n".to_owned(),
            "study.toml:2: no workload is named",
        ),
        (
            "workloads = [\n\"histo\",\n\"hist\"]\n".to_owned(),
            "study.toml:3: hist is neither a file nor a kernel; the kernels are bfs",
        ),
        (
            "workloads = [\"gaussian\"]\n".to_owned(),
            "study.toml:1: gaussian is neither a file nor a kernel; the program is { program = \"gaussian\" }",
        ),
        (
            "workloads = [{ program = \"none\" }]\n".to_owned(),
            "study.toml:1: there is no program none; there are bfs",
        ),
        (
            "workloads = [{ kernel = \"none\" }]\n".to_owned(),
            "study.toml:1: there is no kernel none; there are bfs",
        ),
        (
            "workloads = [{ trace = \"none.g\" }]\n".to_owned(),
            "study.toml:1: there is no file none.g; give a .traceg file",
        ),
        (
            "workloads = [{ ptx = \"folder.ptx\" }]\n".to_owned(),
            "study.toml:1: folder.ptx is a folder; give a file of PTX",
        ),
        (
            "workloads = [{ ptx = \"bad.ptx\", launch = \"folder.ptx\" }]\n".to_owned(),
            "study.toml:1: folder.ptx is a folder; give a launch file in TOML",
        ),
        (
            "workloads = [\n\"folder.ptx\"]\n".to_owned(),
            "study.toml:2: folder.ptx is a folder; give a file of PTX (.ptx) or an Accel-Sim trace",
        ),
        (
            "workloads = [{ name = \"x\" }]\n".to_owned(),
            "study.toml:1: give one of kernel, program, ptx and trace",
        ),
        (
            "workloads = [{ kernel = \"histo\", launch = \"a\" }]\n".to_owned(),
            "study.toml:1: launch: it is for PTX",
        ),
        (
            "workloads = [{ program = \"spmv\", sixteenths = 17 }]\n".to_owned(),
            "study.toml:1: sixteenths: 17 is not from 1 to 16",
        ),
        ("workloads = [\"bad.ptx\"]\n".to_owned(), "bad.ptx:1: "),
        (
            format!("{head}scale = 0\n"),
            "study.toml:2: scale: 0 is not from 1 to 1024",
        ),
        (
            "workloads = [{ program = \"spmv\" }]\nscale = 2\n".to_owned(),
            "study.toml:2: scale: it is for kernels",
        ),
        // What no GPU can do, at a key that asks for it.
        (
            format!("{head}config = \"gpu.toml\"\n"),
            "gpu.toml:3: 65 is not from 1 to 64",
        ),
        (
            format!("{head}config = \"none.toml\"\n"),
            "study.toml:2: none.toml: the file cannot be opened (No such file",
        ),
        (
            format!("{head}config = \"folder.ptx\"\n"),
            "study.toml:2: folder.ptx: this is a folder; give a configuration in TOML",
        ),
        (
            format!(
                "{axis}sm.scheme = [\"replay-queue\", \"stall-on-fault\"]\npaging.handling = [\"cpu\", \"gpu\"]\n[set]\npaging.absent = true\n"
            ),
            "study.toml:4: stall-on-fault squashes nothing",
        ),
        (
            format!(
                "{axis}sm.scheme = [\"stall-on-fault\"]\n[set]\nexceptions.response = \"restart\"\n"
            ),
            "study.toml:5: stall-on-fault squashes nothing",
        ),
        (
            format!("{axis}switching.mode = [\"none\", \"ideal\"]\n"),
            "study.toml:3: mode: every page is there",
        ),
        (
            format!("{axis}paging.capacity_percent = [50, \"unlimited\"]\n"),
            "study.toml:3: capacity_percent: every page is there, so set paging.absent = true too",
        ),
        (
            format!("{head}[set]\npaging.absent = false\npaging.capacity_percent = 50\n"),
            "study.toml:4: capacity_percent: every page is there",
        ),
        (
            format!("{axis}paging.prefetch = [\"none\", \"tree\"]\n"),
            "study.toml:3: prefetch: every page is there",
        ),
        (
            format!("{axis}paging.replay = [\"page\", \"once\"]\n"),
            "study.toml:3: replay: every page is there",
        ),
        (
            format!("{axis}paging.migration = [12000, 1]\n"),
            "study.toml:3: migration = 1 is less than 3639",
        ),
        (
            format!("config = \"absent.toml\"\n{axis}paging.absent = [true, false]\n"),
            "absent.toml:4: copied: every page is there",
        ),
        (format!("{axis}sms = [1\n"), "study.toml:"),
    ] {
        let sentence = folder.refused(&study);
        assert!(sentence.starts_with(told), "{study}{sentence}\n{told}");
    }
    let other = folder.study(&["--run", "0123"]);
    other.failure().stderr(contains("study.toml:"));
    std::fs::write(folder.path("study.toml"), head).unwrap();
    let other = folder.study(&["--run", "0123"]);
    other
        .failure()
        .stderr(contains("study.toml: no run has the hash 0123"));
}

#[test]
fn a_run_that_fails_is_named_and_the_others_go_on() {
    // With so few entries no thread block of the histogram fits in the log.
    let study = "workloads = [\"stencil\"]\nset.sms = 2\naxes.sm.log_bytes = [512, 16384]\n";
    let folder = Folder::new(study);
    let told = contains("error: 1 run has failed of 2; the first: stencil with sm.log_bytes = 512: SM 0: the log has 2 entries")
        .and(contains("has died").not());
    folder.study(&["--jobs", "1"]).failure().stderr(told);
    assert_eq!(folder.results("study-results").len(), 1);
}

/// What a workload holds is a part of a run's hash, and so is its configuration, but not its name.
#[test]
fn a_run_is_done_again_if_what_decides_it_changes() {
    let folder = Folder::new("");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["lattice.ptx", "lattice.toml"] {
        std::fs::copy(root.join("sim/programs").join(name), folder.path(name)).unwrap();
    }
    let trace = root.join("sim/traces/kernel-1-saxpy.traceg");
    std::fs::copy(trace, folder.path("kernel-1-saxpy.traceg")).unwrap();
    std::fs::write(
        folder.path("list.g"),
        "kernel-1-saxpy.traceg\nkernel-1-saxpy.traceg\n",
    )
    .unwrap();
    std::fs::write(folder.path("gpu.toml"), "preset = \"power\"\nsms = 1\n").unwrap();
    let study = |name: &str, sms: u32| {
        let study = format!(
            "config = \"gpu.toml\"\nworkloads = [\"lattice.ptx\", {{ trace = \"list.g\", name = \"{name}\" }}, \"histo\"]\nset.sms = {sms}\n"
        );
        std::fs::write(folder.path("study.toml"), study).unwrap();
        let table = folder.table(&[]);
        (table, folder.results("study-results").len())
    };
    let (table, count) = study("list", 2);
    assert_eq!(count, 3);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    let column = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    let of = |name: &str| -> Vec<&str> { rows[1..].iter().map(|row| row[column(name)]).collect() };
    // Two kernels of the list.
    assert_eq!(of("workload"), ["lattice", "list", "list", "histo"]);
    assert_eq!(of("preset"), ["power"; 4]);
    assert_ne!(of("kernel")[1], of("kernel")[2]);
    let (named, count) = study("others", 2);
    assert_eq!((named, count), (table.replace("\nlist,", "\nothers,"), 3));
    let change = |name: &str, from: &str, to: &str| {
        let text = std::fs::read_to_string(folder.path(name)).unwrap();
        assert!(text.contains(from), "{name}: {text}");
        std::fs::write(folder.path(name), text.replacen(from, to, 1)).unwrap();
    };
    change("lattice.toml", "\n", "\n# Another one.\n");
    assert_eq!(study("list", 2), (table.clone(), 4));
    change("lattice.ptx", "\n", "\n// Another one.\n");
    assert_eq!(study("list", 2), (table.clone(), 5));
    change("kernel-1-saxpy.traceg", "\n", "\n\n");
    assert_eq!(study("list", 2), (table.clone(), 6));
    change("gpu.toml", "sms = 1", "sms = 2");
    assert_eq!(study("list", 2), (table.clone(), 6));
    let (other, count) = study("list", 1);
    assert_ne!(other, table);
    assert_eq!(count, 9);
}

/// A compiled program at a part of its size.
#[test]
fn programs_of_the_papers_run() {
    let folder = Folder::new(
        "workloads = [{ program = \"spmv\", sixteenths = 1 }, \"spmv\"]\nset.sms = 1\n",
    );
    let table = folder.table(&[]);
    let names: Vec<_> = table
        .lines()
        .map(|line| line.split(',').next().unwrap())
        .collect();
    assert_eq!(names, ["workload", "spmv", "spmv #2"]);
}

/// Each value of the example is one that the schema allows, and what is no study is not allowed.
#[test]
fn a_schema_allows_the_example_and_nothing_else() {
    fn allows(schema: &Value, whole: &Value, value: &Value) -> bool {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.strip_prefix("#/$defs/").unwrap();
            return allows(&whole["$defs"][name], whole, value);
        }
        if let Some(all) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            return all.iter().any(|one| allows(one, whole, value));
        }
        if let Some(only) = schema.get("const") {
            return only == value;
        }
        if schema["enum"]
            .as_array()
            .is_some_and(|all| !all.contains(value))
        {
            return false;
        }
        let types = match &schema["type"] {
            Value::Array(types) => types.clone(),
            one => vec![one.clone()],
        };
        types
            .iter()
            .any(|one| match (one.as_str().unwrap(), value) {
                ("object", Value::Object(fields)) => {
                    let required = schema["required"].as_array().into_iter().flatten();
                    let mut required = required.map(|name| name.as_str().unwrap());
                    let others = schema.get("additionalProperties");
                    required.all(|name| fields.contains_key(name))
                        && fields
                            .iter()
                            .all(|(name, value)| match schema["properties"].get(name) {
                                Some(schema) => allows(schema, whole, value),
                                None => match others {
                                    Some(Value::Bool(truth)) => *truth,
                                    Some(schema) => allows(schema, whole, value),
                                    None => true,
                                },
                            })
                }
                ("array", Value::Array(values)) => {
                    values.len() as u64 >= schema["minItems"].as_u64().unwrap_or(0)
                        && values
                            .iter()
                            .all(|value| allows(&schema["items"], whole, value))
                }
                ("integer", Value::Number(number)) => number.as_i64().is_some_and(|number| {
                    let bound = |name: &str, other| schema[name].as_i64().unwrap_or(other);
                    (bound("minimum", i64::MIN)..=bound("maximum", i64::MAX)).contains(&number)
                }),
                ("string", Value::String(_))
                | ("boolean", Value::Bool(_))
                | ("null", Value::Null) => true,
                _ => false,
            })
    }
    let printed = faultline()
        .args(["study", "--print-schema"])
        .assert()
        .success();
    let schema: Value = serde_json::from_slice(&printed.get_output().stdout).unwrap();
    let allowed = |text: &str| allows(&schema, &schema, &toml::from_str(text).unwrap());
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/study/schemes.toml");
    assert!(allowed(&std::fs::read_to_string(example).unwrap()));
    assert!(allowed(STUDY) && allowed(TWO_HUNDRED));
    for wrong in [
        "worklods = [\"histo\"]",
        "workloads = []",
        "workloads = [{ kernels = \"histo\" }]",
        "scale = 0",
        "set.sm.warps = 65",
        "set.\"sm.warps\" = 65",
        "set.sm.warp = 6",
        "axes.sms = []",
        "axes.\"sm.scheme\" = [\"none\"]",
        "axes.link = [{ sms = 4 }]",
        "axes.link = [{ name = \"a\", speed = 4 }]",
    ] {
        assert!(!allowed(wrong), "{wrong}");
    }
}

/// Figures as a study: a run for each kernel, and in the end what the command of the figures draws.
#[test]
fn figures_are_drawn_from_the_runs_of_a_study() {
    let folder = Folder::new("figures = [\"zheng-5\"]\n");
    let schedule = folder.study(&["--snakemake", "workflow"]).success();
    schedule.stdout(contains("21 runs."));
    let text = std::fs::read_to_string(folder.path("workflow/Snakefile")).unwrap();
    let rule = "study --gather --results {RESULTS:q} --folder $(dirname {output:q}) -- {STUDY:q}";
    assert!(
        text.contains(rule) && text.contains("/study/figures.md\""),
        "{text}"
    );
    std::fs::write(
        folder.path("study.toml"),
        "figures = [\"zheng-5\"]\nkernels = [\"nn\", \"sad\"]\nscale = 1\n",
    )
    .unwrap();
    let missing = folder.study(&["--gather"]).failure();
    missing.stderr(contains(
        "2 results are missing of 2 runs, the first that of ",
    ));
    let json = folder.study(&["--jobs", "2", "--folder", "report", "--json"]);
    let json = json.success();
    let study: Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    assert_eq!(folder.results("study-results").len(), 2);
    let mut figures = faultline();
    figures.args([
        "figures",
        "zheng-5",
        "--kernels",
        "nn,sad",
        "--scale",
        "1",
        "--json",
    ]);
    figures.arg("--folder").arg(folder.path("figures"));
    let figures = figures.assert().success();
    let figures: Value = serde_json::from_slice(&figures.get_output().stdout).unwrap();
    assert_eq!(study, figures);
    for name in ["figures.json", "zheng-5.svg"] {
        let [one, other] = ["report", "figures"]
            .map(|from| std::fs::read_to_string(folder.path(from).join(name)).unwrap());
        assert_eq!(one, other);
    }
    let page = std::fs::read_to_string(folder.path("report/figures.md")).unwrap();
    assert!(
        page.contains("Generated by `faultline study study.toml --folder DIR`."),
        "{page}"
    );
    let csv = folder.study(&["--csv", "a.csv"]).failure();
    csv.stderr(contains("give --folder"));
    for (study, told) in [
        ("figures = []\n", "study.toml:1: figures is empty"),
        (
            "figures = [\"zheng-5\"]\nkernels = []\n",
            "study.toml:2: kernels is empty; give names, or leave it out",
        ),
        (
            "figures = [\n\"zheng-5\",\n\"zheng-7\"]\n",
            "study.toml:3: there is no figure zheng-7; there are tanasic-10",
        ),
        (
            "figures = [\"capacity\"]\nkernels = [\n\"stencil\",\n\"cutcp\"]\n",
            "study.toml:4: capacity: cutcp takes no part; there are lbm",
        ),
        (
            "figures = [\"active-pointers\"]\nkernels = [\"cutcp\"]\n",
            "study.toml:2: active-pointers: leave out kernels",
        ),
        (
            "figures = [\"active-pointers\"]\nscale = 2\n",
            "study.toml:2: active-pointers: leave out scale; of such keys there are none\n",
        ),
        (
            "figures = [\"pep-9\"]\nscale = 2\n",
            "study.toml:2: pep-9: leave out scale; of such keys there are kernels\n",
        ),
        (
            "figures = [\"all\"]\nsize = \"large\"\n",
            "study.toml:2: size is small or paper",
        ),
        (
            "figures = [\"all\"]\nscale = 17\n",
            "study.toml:2: scale is a number of sixteenths, from 1 to 16",
        ),
        (
            "figures = [\"all\"]\n[set]\nsms = 2\n",
            "study.toml:3: figures have GPUs and programs of their own: leave out set",
        ),
        (
            "workloads = [\"histo\"]\nsize = \"small\"\n",
            "study.toml:2: size is that of figures",
        ),
    ] {
        std::fs::write(folder.path("study.toml"), study).unwrap();
        let refused = folder.study(&[]).failure();
        refused.stderr(contains(told));
    }
}

#[test]
fn a_workflow_of_snakemake_has_a_job_for_each_run() {
    let folder = Folder::new(STUDY);
    let expected = folder.table(&["--results", "alone"]);
    let told = folder.study(&["--snakemake", "workflow", "--results", "jobs"]);
    told.success().stdout(
        contains("8 runs.").and(contains("snakemake -s workflow/Snakefile --executor slurm")),
    );
    assert!(folder.results("jobs").is_empty());
    let text = std::fs::read_to_string(folder.path("workflow/Snakefile")).unwrap();
    let hashes: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","))
        .collect();
    assert_eq!(hashes.len(), 8);
    // As its rules do it.
    for rule in [
        "study --run {wildcards.run} --results {RESULTS:q} -- {STUDY:q}",
        "study --gather --results {RESULTS:q} --csv {output:q} -- {STUDY:q}",
    ] {
        assert!(text.contains(rule), "{text}");
    }
    // In another order.
    for hash in hashes.iter().rev() {
        folder
            .study(&["--run", hash, "--results", "jobs"])
            .success();
    }
    folder
        .study(&["--gather", "--results", "jobs", "--csv", "jobs.csv"])
        .success();
    assert_eq!(
        std::fs::read_to_string(folder.path("jobs.csv")).unwrap(),
        expected
    );
    let json = folder
        .study(&["--snakemake", "workflow", "--json"])
        .success();
    let json: Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    assert_eq!(
        json,
        serde_json::json!({ "file": "workflow/Snakefile", "runs": 8 })
    );
    let file = folder.study(&["--snakemake", "study.toml"]).failure();
    file.stderr(contains(
        "--snakemake study.toml: this is no folder; give one, which may be new\n",
    ));
    let braces = folder.study(&["--snakemake", "{run}"]).failure();
    braces.stderr(contains("{run}/Snakefile: Snakemake takes no such name"));
    assert!(!folder.path("{run}").exists());
    // By itself, with results of its own.
    if std::process::Command::new("snakemake")
        .arg("--version")
        .output()
        .is_err()
    {
        faultline_ledger::missing("Snakemake is not installed");
        return;
    }
    folder
        .study(&["--snakemake", "workflow", "--results", "snakemake"])
        .success();
    let mut snakemake = std::process::Command::new("snakemake");
    snakemake
        .args(["-s", "workflow/Snakefile", "--cores", "2"])
        .current_dir(folder.0.path());
    let output = snakemake.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(folder.results("snakemake").len(), 8);
    assert_eq!(
        std::fs::read_to_string(folder.path("workflow/study.csv")).unwrap(),
        expected
    );
}
