//! How the command ends: nothing it started runs on, and nothing temporary stays.
//!
//! Tools such as Yosys run in scratch folders, and make some of their own. All of these lie in one folder of this
//! process, to which TMPDIR leads. It goes when the command ends, by itself or by a signal.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use miette::{Result, miette};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use tempfile::TempDir;

/// The scratch folder of this process.
static SCRATCH: Mutex<Option<TempDir>> = Mutex::new(None);

/// Whether a signal is ending the command.
static SIGNALLED: AtomicBool = AtomicBool::new(false);

/// Begins a command that runs tools: makes its scratch folder, and ends tools and folder when a signal ends the command.
///
/// # Errors
/// If the folder cannot be made, or the signals cannot be caught.
pub fn begin() -> Result<()> {
    let scratch = tempfile::Builder::new().prefix("faultline-").tempdir();
    let scratch = scratch.map_err(|error| {
        miette!(
            "{}: no scratch folder can be made there ({error}); set TMPDIR to a folder that can be written",
            std::env::temp_dir().display()
        )
    })?;
    // SAFETY: this is the first thing that the command does, and there is no other thread yet.
    #[expect(unsafe_code, reason = "tools make folders of their own, in TMPDIR")]
    unsafe {
        std::env::set_var("TMPDIR", scratch.path());
    }
    if let Ok(mut slot) = SCRATCH.lock() {
        *slot = Some(scratch);
    }
    let signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM]);
    let mut signals = signals.map_err(|error| miette!("signals cannot be caught ({error})"))?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            SIGNALLED.store(true, Ordering::Release);
            end_children();
            remove_scratch();
            // Ends the process as the signal would have, so that a shell knows of it.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// Ends the command by itself.
pub fn end(code: ExitCode) -> ExitCode {
    remove_scratch();
    code
}

/// Ends the command at once, well.
pub fn leave() -> ! {
    remove_scratch();
    std::process::exit(0)
}

/// Removes the folder. A second caller waits until it is gone.
fn remove_scratch() {
    if let Ok(mut slot) = SCRATCH.lock() {
        drop(slot.take());
    }
}

/// Waits for the end if a signal is ending the command: what its tools say then, as they end, is no error of theirs.
pub fn give_way() {
    while SIGNALLED.load(Ordering::Acquire) {
        std::thread::park();
    }
}

/// Ends all processes that this one started, and those that they started, until there is none.
///
/// Without a `/proc` it finds none of them, and the terminal that sends the signal has to send it to them too.
fn end_children() {
    for _ in 0..100 {
        let running = descendants();
        if running.is_empty() {
            return;
        }
        for child in running {
            let _ = kill_process(child, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The processes below this one that still run.
fn descendants() -> Vec<Pid> {
    // Each process, its parent, and whether it runs.
    let mut all: Vec<(i32, i32, bool)> = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(number) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if let Some((parent, runs)) = status(&entry.path()) {
            all.push((number, parent, runs));
        }
    }
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let mut below = vec![own];
    let mut place = 0;
    while let Some(&parent) = below.get(place) {
        below.extend(all.iter().filter(|one| one.1 == parent).map(|one| one.0));
        place += 1;
    }
    let runs = |number: &i32| all.iter().any(|one| one.0 == *number && one.2);
    let running = below.into_iter().skip(1).filter(runs);
    running.filter_map(Pid::from_raw).collect()
}

/// The parent of a process, and whether it runs, from its `stat`: number, name in brackets, state, parent.
fn status(process: &Path) -> Option<(i32, bool)> {
    let stat: PathBuf = process.join("stat");
    let text = fs::read_to_string(stat).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // A zombie and a dead process have ended.
    Some((parent, !matches!(state, "Z" | "X")))
}
