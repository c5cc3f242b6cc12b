//! Reports that were made from older Verilog whose circuits are those of the Verilog at hand:
//! `cargo run -p faultline-testbench --example same -- --since COMMIT`, or `--older FOLDER` with what an older version has
//! exported.
//!
//! Each design of the older text is proved to be the same circuit as the design at hand. For each report whose designs are
//! all proved, a row of `testbench/proofs/same.tsv` says that its SHA-256 stands for the one at hand. `--all` proves every
//! design, also those that no report names, and `--markdown` writes a report of it.

mod page;
mod ports;
mod proof;
mod stale;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Parser;
use faultline_hw::registry::{self, Design};
use faultline_testbench::{file, origin};
use indicatif::{ProgressBar, ProgressStyle};
use page::markdown;
use ports::Ports;
use proof::Same;

/// Proves that older Verilog is the same circuit as the Verilog at hand
#[derive(Parser)]
struct Options {
    /// The commit whose rtl-out is the older Verilog
    #[arg(long, value_name = "COMMIT", required_unless_present_any = ["older", "list", "stale"])]
    since: Option<String>,
    /// A folder with the older Verilog, for designs that are not in rtl-out
    #[arg(long, value_name = "FOLDER", conflicts_with = "since")]
    older: Option<PathBuf>,
    /// Prove nothing, and list the reports with the commands that make them
    #[arg(long, conflicts_with_all = ["since", "older"])]
    list: bool,
    /// The same of those of other Verilog than that at hand
    #[arg(long, conflicts_with_all = ["since", "older", "list"])]
    stale: bool,
    /// Words of a name, and what they are called now
    #[arg(long = "rename", value_name = "OLD=NEW", value_parser = rename)]
    renames: Vec<proof::Rename>,
    /// Look at these reports alone, such as synth/reports/l1_tlb.md, instead of at all
    #[arg(long = "report", value_name = "REPORT")]
    reports: Vec<String>,
    /// Prove every design that the older Verilog has
    #[arg(long)]
    all: bool,
    /// Write a report of what was proved
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write a table of the ports that were renamed
    #[arg(long, value_name = "FILE")]
    ports: Option<PathBuf>,
    /// Print JSON instead of sentences
    #[arg(long)]
    json: bool,
}

fn rename(text: &str) -> Result<proof::Rename, String> {
    let pair = text.split_once('=');
    let pair = pair.filter(|(old, new)| !old.is_empty() && !new.is_empty());
    pair.map(|(old, new)| (old.to_owned(), new.to_owned()))
        .ok_or_else(|| "write OLD=NEW".to_owned())
}

/// A report, and what became of it.
struct Found {
    report: String,
    /// Its row of the table, if all is proved.
    same: Option<String>,
    /// Why not.
    reason: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The older `rtl-out`, out of git.
fn archived(commit: &str, folder: &Path) -> Result<PathBuf, String> {
    let mut archive = Command::new("git")
        .args(["archive", "--format=tar", commit, "rtl-out"])
        .current_dir(root())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("git does not start ({error})"))?;
    let stream = archive.stdout.take().map_or_else(Stdio::null, Stdio::from);
    let unpacked = Command::new("tar")
        .args(["-x", "-C"])
        .arg(folder)
        .stdin(stream)
        .status()
        .map_err(|error| format!("tar does not start ({error})"))?;
    let archived = archive
        .wait()
        .map_err(|error| format!("git does not end ({error})"))?;
    if archived.success() && unpacked.success() {
        Ok(folder.join("rtl-out"))
    } else {
        Err(format!("git has no rtl-out of `{commit}`"))
    }
}

/// Every report of the project, as paths in it.
fn reports() -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for folder in ["sim/reports", "synth/reports", "testbench/reports"] {
        let unreadable = |error| format!("{folder} cannot be read ({error})");
        for entry in fs::read_dir(root().join(folder)).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            let name = name.to_string_lossy();
            if name.ends_with(".md") {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The proofs so far.
struct Proofs<'a> {
    /// A folder with a list of files for each older design.
    old: &'a Path,
    renames: &'a [proof::Rename],
    /// What was proved of each design, or why it was not.
    known: BTreeMap<&'static str, Result<Same, String>>,
    /// The rows so far: a report may be of text that is older still.
    table: String,
    bar: ProgressBar,
}

impl Proofs<'_> {
    /// The texts of an older design, by the names of their files.
    fn files(&self, design: &str) -> Result<proof::Files, String> {
        let read = |name: &str| {
            let path = self.old.join(name);
            fs::read_to_string(&path).map_err(|_| format!("the older rtl-out has no {name}"))
        };
        let list = read(&format!("{design}.f"))?;
        let file = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            Ok((name.to_owned(), read(path)?))
        };
        list.lines().map(file).collect()
    }

    fn design(&mut self, design: &Design) -> Result<Same, String> {
        if let Some(known) = self.known.get(design.name) {
            return known.clone();
        }
        self.bar.set_message(design.name);
        let proved = self.files(design.name).and_then(|old| {
            let export = design
                .export()
                .map_err(|error| format!("{}: {error}", design.name))?;
            let new: proof::Files = export
                .files
                .into_iter()
                .map(|file| (file.name, file.text))
                .collect();
            proof::prove(design.name, &old, &new, self.renames)
        });
        self.bar.inc(1);
        self.known.insert(design.name, proved.clone());
        proved
    }

    fn report(&mut self, report: &str) -> Result<Option<Found>, String> {
        let text = fs::read_to_string(root().join(report))
            .map_err(|error| format!("{report}: {error}"))?;
        let Some((designs, named)) = origin::designs(&text).zip(origin::named_hash(&text)) else {
            return Ok(None);
        };
        let at_hand = origin::verilog(&designs)?;
        let Some(at_hand) = origin::named_hash(&at_hand).filter(|hash| *hash != named) else {
            return Ok(None);
        };
        let (named, at_hand) = (named.to_owned(), at_hand.to_owned());
        let mut files = BTreeMap::new();
        let mut reason = String::new();
        for design in &designs {
            match self.files(design.name) {
                Ok(found) => files.extend(found),
                Err(sentence) => reason = sentence,
            }
        }
        let older = origin::hash(files.values());
        if reason.is_empty() && !origin::leads(&self.table, &named, &older) {
            "it is of other Verilog than that commit's".clone_into(&mut reason);
        }
        if reason.is_empty() && older == at_hand {
            return Ok(None); // the table has it
        }
        if reason.is_empty() {
            let failed = designs
                .iter()
                .filter_map(|design| self.design(design).err());
            reason = failed.collect::<Vec<_>>().join("; ");
        }
        let names: Vec<&str> = designs.iter().map(|design| design.name).collect();
        let row = format!("{}\t{older}\t{at_hand}", names.join(" "));
        Ok(Some(Found {
            report: report.to_owned(),
            same: reason.is_empty().then_some(row),
            reason,
        }))
    }
}

fn list(options: &Options) -> Result<bool, String> {
    let mut reports = stale::reports(reports()?)?;
    reports.retain(|report| report.is_stale || options.list);
    if options.json {
        let objects = reports.iter().map(|report| {
            serde_json::json!({"report": report.name, "stale": report.is_stale, "command": report.command})
        });
        println!("{}", serde_json::Value::from_iter(objects));
        return Ok(true);
    }
    for report in &reports {
        let state = if report.is_stale {
            "of other Verilog"
        } else {
            "current"
        };
        println!("{}: {state}; {}", report.name, report.command);
    }
    println!("{} reports", reports.len());
    Ok(true)
}

fn run(options: &Options) -> Result<bool, String> {
    if options.list || options.stale {
        return list(options);
    }
    let folder = || tempfile::tempdir().map_err(|error| format!("no scratch folder ({error})"));
    let scratch = folder()?;
    let old = match (&options.older, &options.since) {
        (Some(folder), _) => folder.clone(),
        (None, Some(commit)) => archived(commit, scratch.path())?,
        (None, None) => return Err("name a commit or a folder".to_owned()),
    };
    let path = root().join("testbench/proofs/same.tsv");
    let bar = ProgressBar::no_length();
    if let Ok(style) = ProgressStyle::with_template("{pos} designs, {elapsed}: {msg}") {
        bar.set_style(style);
    }
    let mut proofs = Proofs {
        old: &old,
        renames: &options.renames,
        known: BTreeMap::new(),
        table: fs::read_to_string(&path).unwrap_or_default(),
        bar,
    };
    let mut found = Vec::new();
    let mut looked_at = reports()?;
    if let Some(unknown) = options
        .reports
        .iter()
        .find(|name| !looked_at.contains(name))
    {
        return Err(format!("there is no report {unknown}; --list lists them"));
    }
    looked_at.retain(|report| options.reports.is_empty() || options.reports.contains(report));
    for report in looked_at {
        found.extend(proofs.report(&report)?);
    }
    if let Some(path) = &options.ports {
        let mut ports = Ports::default();
        for design in registry::designs() {
            if let Ok(old) = proofs.files(design.name) {
                ports.compare(&design, &old)?;
            }
        }
        file::write_whole(path, ports.markdown(&page::since(options)))
            .map_err(|error| error.to_string())?;
    }
    if options.all {
        let designs = registry::designs().into_iter();
        let older = designs.filter(|design| old.join(format!("{}.f", design.name)).is_file());
        for design in older {
            let _ = proofs.design(&design); // is among the known
        }
    }
    proofs.bar.finish_and_clear();
    if let Some(path) = &options.markdown {
        file::write_whole(path, &markdown(options, &proofs.known)?)
            .map_err(|error| error.to_string())?;
    }
    let mut rows: BTreeSet<String> = proofs.table.lines().map(str::to_owned).collect();
    rows.extend(found.iter().filter_map(|found| found.same.clone()));
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    file::write_whole(&path, &text).map_err(|error| error.to_string())?;
    if options.json {
        let objects = found.iter().map(|found| {
            serde_json::json!({"report": found.report, "same": found.same.is_some(), "reason": found.reason})
        });
        println!("{}", serde_json::Value::from_iter(objects));
    } else {
        for found in &found {
            match &found.same {
                Some(_) => println!("{}: the same circuits", found.report),
                None => println!("{}: {}", found.report, found.reason),
            }
        }
    }
    for sentence in proofs
        .known
        .values()
        .filter_map(|proved| proved.as_ref().err())
    {
        eprintln!("{sentence}");
    }
    let is_proved = proofs.known.values().all(Result::is_ok);
    Ok(is_proved && found.iter().all(|found| found.same.is_some()))
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::from(2)
        }
    }
}
