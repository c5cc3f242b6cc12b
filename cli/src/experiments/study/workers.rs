//! Runs as processes of this command, several at once, so that the end of one is the end of one run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::ProgressBar;
use miette::{Result, miette};
use rustix::process::{Pid, getpid, getppid};

use super::results::Results;
use super::runs::{Run, Study};
use crate::ending;
use crate::output;

/// A process that dies is started once again.
const TRIES: usize = 2;
/// The exit status of a process that has said what is wrong.
const FAILED: i32 = 1;

/// The processes of a study.
pub struct Workers<'study> {
    pub study: &'study Study,
    /// The file of the study.
    pub path: PathBuf,
    pub results: &'study Results,
    /// The command.
    pub program: PathBuf,
    /// Processes at once.
    pub jobs: usize,
}

impl Workers<'_> {
    /// Runs these, and returns what is wrong with those that fail.
    pub fn run(&self, pending: &[&Run]) -> Vec<String> {
        let bar = output::progress(
            pending.len() as u64,
            "{bar:30} {pos}/{len} runs {eta} {wide_msg}",
        );
        bar.tick();
        let next = AtomicUsize::new(0);
        let running = Mutex::new(BTreeMap::new());
        let failures = Mutex::new(BTreeMap::new());
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(pending.len()) {
                scope.spawn(|| {
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(run) = pending.get(place) else {
                            break;
                        };
                        show(&bar, &running, place, Some(self.study.described(run)));
                        if let Err(failure) = self.one(run, &bar) {
                            bar.suspend(|| output::note(&failure));
                            if let Ok(mut failures) = failures.lock() {
                                failures.insert(place, failure.to_string());
                            }
                        }
                        show(&bar, &running, place, None);
                        bar.inc(1);
                    }
                });
            }
        });
        bar.finish_and_clear();
        let failures = failures.into_inner().unwrap_or_default();
        failures.into_values().collect()
    }

    /// Runs one in a process, and in another one if that dies.
    fn one(&self, run: &Run, bar: &ProgressBar) -> Result<()> {
        let described = self.study.described(run);
        let hash = &run.hash;
        let mut death = String::new();
        for number in 1..=TRIES {
            let ended = self.process(run);
            // A signal that ends the command has ended the process too.
            ending::give_way();
            let ended =
                ended.map_err(|error| miette!("{described}: no process starts ({error})"))?;
            let told = String::from_utf8_lossy(&ended.stderr);
            let told = told.lines().rev().find(|line| !line.trim().is_empty());
            let told = told.unwrap_or_default();
            match ended.status.code() {
                Some(0) if self.results.rows(run).is_some() => return Ok(()),
                Some(FAILED) => {
                    let told = told.strip_prefix("error: ").unwrap_or(told);
                    return Err(miette!("{told}"));
                }
                _ => {}
            }
            let status = ended.status;
            death = format!("{described}: its process has died ({status})");
            if number < TRIES {
                bar.suspend(|| output::note(&format_args!("{death}, and is started once again")));
            }
        }
        Err(miette!("{death} {TRIES} times; the run is {hash}"))
    }

    /// A process of a run, to its end.
    fn process(&self, run: &Run) -> std::io::Result<Output> {
        let mut command = Command::new(&self.program);
        command.args(["study", "--run", &run.hash, "--parent"]);
        command.arg(getpid().as_raw_nonzero().to_string());
        command.arg("--results").arg(&self.results.folder);
        command.arg("--").arg(&self.path);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        // A signal to the group of the terminal is one to the study, which ends its processes.
        #[cfg(target_os = "linux")]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stderr(Stdio::piped()).spawn()?.wait_with_output()
    }
}

/// Shows what is running.
fn show(
    bar: &ProgressBar,
    running: &Mutex<BTreeMap<usize, String>>,
    place: usize,
    described: Option<String>,
) {
    let Ok(mut running) = running.lock() else {
        return;
    };
    match described {
        Some(described) => drop(running.insert(place, described)),
        None => drop(running.remove(&place)),
    }
    let all: Vec<_> = running.values().map(String::as_str).collect();
    bar.set_message(all.join("; "));
}

/// Has this process end with the study that has started it, however that ends.
///
/// # Errors
/// If the study has ended already.
pub fn follow(parent: i32) -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        let ends =
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
        ends.map_err(|error| miette!("the end of the study cannot be followed ({error})"))?;
    }
    match getppid() == Pid::from_raw(parent) {
        true => Ok(()),
        false => Err(miette!("the study that has started this run has ended")),
    }
}
