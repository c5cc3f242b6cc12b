//! Calls qflow's scripts, one for each step, and reads what they log.

use super::failed;
use crate::error::Error;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Where Debian's package has qflow's scripts.
pub const SCRIPTS: &str = "/usr/lib/qflow/scripts";

/// How often a step's log is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// One of qflow's scripts.
pub struct Step {
    /// What it does, to show while the user waits.
    pub name: &'static str,
    /// Its file.
    pub script: &'static str,
    /// Its options.
    pub options: &'static [&'static str],
    /// Its log, in the folder `log`.
    pub log: &'static str,
}

impl Step {
    /// Runs the script in the folder of a project and gives the seconds that it took; `tell` is told how far it is.
    ///
    /// # Errors
    /// If it does not start, or fails.
    pub fn run(&self, folder: &Path, top: &str, tell: &impl Fn(&str)) -> Result<f64, Error> {
        let start = Instant::now();
        let folder = folder
            .canonicalize()
            .map_err(|source| Error::file(folder, "read", source))?;
        let program = Path::new(SCRIPTS).join(self.script);
        let log = folder.join("log").join(self.log);
        let said = folder.join("log").join(format!("{}.out", self.script));
        let file = File::create(&said).map_err(|source| Error::file(&said, "write", source))?;
        let again = file
            .try_clone()
            .map_err(|source| Error::file(&said, "write", source))?;
        tell(self.name);
        let mut child = Command::new(&program)
            .args(self.options)
            .arg(&folder)
            .arg(top)
            // With a display, graywolf would show itself at work.
            .env_remove("DISPLAY")
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(again)
            .spawn()
            .map_err(|source| Error::file(&program, "start", source))?;
        let status = loop {
            let status = child
                .try_wait()
                .map_err(|source| Error::file(&program, "wait for", source))?;
            match status {
                Some(status) => break status,
                None => sleep(LOOK),
            }
            if let Some(nets) = text(&log).lines().rev().find_map(nets_left) {
                tell(&format!("{}, {nets} nets left in", self.name));
            }
        };
        if !status.success() {
            let reason = format!(
                "{}: {}; see {}",
                self.script,
                complaint(&text(&said)),
                log.display()
            );
            return Err(failed(top, &reason));
        }
        Ok(start.elapsed().as_secs_f64())
    }
}

/// A log as far as it is written; its tools need not write UTF-8.
fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// The last that a script says before it says that it stops.
fn complaint(said: &str) -> &str {
    let lines = said.lines().rev().map(|line| line.trim());
    lines
        .map(|line| line.trim_end_matches('.'))
        .find(|line| !line.is_empty() && *line != "Premature exit")
        .unwrap_or("no message")
}

/// What qrouter says after each net.
fn nets_left(line: &str) -> Option<usize> {
    line.strip_prefix("Nets remaining: ")?.trim().parse().ok()
}

/// How many nets qrouter says at the end that it left. Its script does not say so: it looks for another file than qrouter
/// writes.
pub fn failed_nets(log: &str) -> Option<usize> {
    let last = log
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("Final: "))?;
    match last.strip_prefix("Failed net routes:") {
        Some(count) => count.trim().parse().ok(),
        None => last.starts_with("No failed routes").then_some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of a log of qrouter 1.4.71.
    const LOG: &str = "*** Running stage1 routing with defaults
Finished routing net out_valid
Nets remaining: 6

----------------------------------------------
Progress: Stage 1 total routes completed: 1435
Failed net routes: 6
----------------------------------------------
*** Running stage2 routing with options mask 10, effort 10
Best route of _0062_ collides with net: step_q_1_ 
Nets remaining: 1

----------------------------------------------
Progress: Stage 2 total routes completed: 1461
No failed routes!
----------------------------------------------
*** Writing DEF file context_port_proof_route.def
----------------------------------------------
Final: No failed routes!
----------------------------------------------
*** Writing RC file context_port_proof_route.rc
";

    #[test]
    fn the_last_word_about_failed_routes_counts() {
        assert_eq!(failed_nets(LOG), Some(0));
        let left = LOG.replace("Final: No failed routes!", "Final: Failed net routes: 2");
        assert_eq!(failed_nets(&left), Some(2));
        let (stopped, _) = LOG.split_once("*** Writing DEF").unwrap();
        assert_eq!(failed_nets(stopped), None);
    }

    #[test]
    fn a_script_says_why_it_stops_before_it_says_so() {
        let said = "*** Running stage1 routing with defaults\nqrouter failure:  No output file q_route.def.\nPremature exit.\n";
        assert_eq!(
            complaint(said),
            "qrouter failure:  No output file q_route.def"
        );
        assert_eq!(complaint("\n"), "no message");
    }

    #[test]
    fn the_nets_that_are_left_are_told() {
        assert_eq!(LOG.lines().rev().find_map(nets_left), Some(1));
        assert_eq!(nets_left("Failed net routes: 6"), None);
    }
}
