//! Steps that are timed, counted and summed up.

use std::collections::VecDeque;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use faultline_ledger::{Counts, Runner};

/// What decides whether a tool has complained.
pub const SELF: &str = include_str!("steps.rs");

/// What can be done beside others.
pub enum Job {
    /// A run of tests, whose results are read from what it prints.
    Tests(Command),
    /// What passes or fails as a whole, with its name; it says what it looked at.
    Check(
        String,
        Box<dyn FnOnce() -> Result<String, String> + Send + Sync>,
    ),
}

/// Runs steps one after the other, whether or not they fail, and counts.
#[derive(Default)]
pub struct Steps {
    passed: u64,
    failed: u64,
    /// The steps that failed.
    names: Vec<String>,
    number: u32,
    /// What became of the obligations, if a ledger was kept.
    counts: Option<Counts>,
}

impl Steps {
    /// A step that passes or fails as a whole.
    pub fn check(&mut self, name: &str, step: impl FnOnce() -> Result<(), String>) {
        self.step(name, || match step() {
            Ok(()) => (1, 0),
            Err(sentence) => {
                println!("{sentence}");
                (0, 1)
            }
        });
    }

    /// Does jobs, as many at once as there are cores. What a job says is shown when it ends.
    pub fn at_once(&mut self, name: &str, jobs: Vec<Job>) {
        let failures = Mutex::new(Vec::new());
        self.step(name, || {
            let jobs = Mutex::new(VecDeque::from(jobs));
            let sum = Mutex::new((0, 0));
            let next = || jobs.lock().ok()?.pop_front();
            thread::scope(|scope| {
                for _ in 0..thread::available_parallelism().map_or(2, NonZero::get) {
                    scope.spawn(|| {
                        while let Some(job) = next() {
                            let (name, text, (passed, failed)) = job.run();
                            let Ok(mut sum) = sum.lock() else { return };
                            print!("{}", String::from_utf8_lossy(&text));
                            *sum = (sum.0 + passed, sum.1 + failed);
                            if failed > 0
                                && let Ok(mut failures) = failures.lock()
                            {
                                failures.push(name);
                            }
                        }
                    });
                }
            });
            // A thread that panics leaves its job uncounted.
            sum.into_inner().unwrap_or((0, 1))
        });
        self.names.extend(failures.into_inner().unwrap_or_default());
    }

    /// Writes the ledger from what the tests reported. A test that is missing has not passed, though its harness says so.
    pub fn ledger(&mut self, ledger: &Runner) {
        let mut counts = Counts::default();
        self.check("the ledger is written", || {
            counts = ledger.end()?;
            Ok(())
        });
        let missing = counts.missing.len() as u64;
        self.passed = self.passed.saturating_sub(missing);
        self.counts = Some(counts);
    }

    fn step(&mut self, name: &str, step: impl FnOnce() -> (u64, u64)) {
        self.number += 1;
        println!("\n== {}. {name}", self.number);
        let start = Instant::now();
        let (passed, failed) = step();
        let seconds = start.elapsed().as_secs_f64();
        println!("-- {name}: {passed} passed, {failed} failed, {seconds:.1} s");
        self.passed += passed;
        self.failed += failed;
        if failed > 0 {
            self.names.push(name.to_owned());
        }
    }

    /// Prints what failed and the sum, which is the last line.
    pub fn finish(self) -> ExitCode {
        println!();
        for name in &self.names {
            println!("failed: {name}");
        }
        if let Some(counts) = &self.counts {
            for missing in &counts.missing {
                println!("missing: {missing}");
            }
            println!("obligations: {counts}");
        }
        println!("{} passed, {} failed", self.passed, self.failed);
        if self.failed == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

/// Runs a command that should succeed and, if `quiet`, print nothing.
pub fn succeed(command: &mut Command, quiet: bool) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let silent = |error| format!("{program} does not start ({error})");
    if !quiet {
        let status = command.status().map_err(silent)?;
        return if status.success() {
            Ok(())
        } else {
            Err(format!("{program} failed ({status})"))
        };
    }
    let output = command.stdin(Stdio::null()).output().map_err(silent)?;
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    let text = text.concat();
    if output.status.success() && text.trim().is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{program} ({}) says:\n{}",
            output.status,
            text.trim_end()
        ))
    }
}

impl Job {
    /// Does it, and gives its name, what it says, and the numbers of what passed and failed.
    fn run(self) -> (String, Vec<u8>, (u64, u64)) {
        let start = Instant::now();
        let (name, said, counts) = match self {
            Self::Tests(mut command) => {
                let program = Path::new(command.get_program());
                let name = program.file_name().unwrap_or_default();
                let name = name.to_string_lossy().into_owned();
                let (said, counts) = count(&mut command);
                (name, said, counts)
            }
            Self::Check(name, check) => match check() {
                Ok(sentence) => (name, format!("{sentence}\n").into_bytes(), (1, 0)),
                Err(sentence) => (name, format!("{sentence}\n").into_bytes(), (0, 1)),
            },
        };
        let seconds = start.elapsed().as_secs_f64();
        let mut text = format!("\n-- {name}, {seconds:.1} s\n").into_bytes();
        text.extend(said);
        (name, text, counts)
    }
}

/// Runs tests, and gives what they print with the numbers of those that passed and failed.
fn count(command: &mut Command) -> (Vec<u8>, (u64, u64)) {
    let output = match command.stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => {
            let program = command.get_program().to_string_lossy();
            let sentence = format!("{program} does not start ({error})\n");
            return (sentence.into_bytes(), (0, 1));
        }
    };
    let printed = String::from_utf8_lossy(&output.stdout);
    let results = printed.lines().filter_map(result);
    let (passed, failed) = results.fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
    // If nothing failed it did not get as far as its tests, or failed in another way.
    let failed = failed.max(u64::from(!output.status.success()));
    ([output.stdout, output.stderr].concat(), (passed, failed))
}

/// Reads `test result: ok. 10 passed; 0 failed; ...`.
fn result(line: &str) -> Option<(u64, u64)> {
    let (_, rest) = line.split_once("test result: ")?;
    let (_, numbers) = rest.split_once(". ")?;
    let number = |noun| {
        let part = numbers
            .split(';')
            .find_map(|part| part.trim().strip_suffix(noun))?;
        part.trim().parse().ok()
    };
    Some((number("passed")?, number("failed")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let line =
            "test result: FAILED. 9 passed; 12 failed; 1 ignored; 0 measured; 0 filtered out";
        assert_eq!(result(line), Some((9, 12)));
        assert_eq!(result("test a_test ... ok"), None);
        assert_eq!(result("test result: ok"), None);
    }

    #[test]
    fn a_test_run_that_does_not_start_has_failed() {
        let mut steps = Steps::default();
        let nothing = || Command::new("/nonexistent/program");
        let mut three = Command::new("echo");
        three.arg("test result: ok. 3 passed; 0 failed; 0 ignored");
        steps.at_once(
            "nothing and three",
            [nothing(), three].map(Job::Tests).into(),
        );
        steps.check("good", || Ok(()));
        assert_eq!((steps.passed, steps.failed), (4, 1));
        let jobs = [nothing(), Command::new("false")].map(Job::Tests);
        steps.at_once("fails", jobs.into());
        assert_eq!((steps.passed, steps.failed), (4, 3));
    }

    #[test]
    fn checks_are_done_beside_runs_of_tests() {
        let mut steps = Steps::default();
        let check = |name: &str, result: Result<&'static str, &'static str>| {
            let result = result.map(str::to_owned).map_err(str::to_owned);
            Job::Check(name.to_owned(), Box::new(|| result))
        };
        let mut two = Command::new("echo");
        two.arg("test result: ok. 2 passed; 0 failed; 0 ignored");
        let jobs = [
            check("good", Ok("5 files")),
            check("bad", Err("a warning")),
            Job::Tests(two),
        ];
        steps.at_once("all", jobs.into());
        assert_eq!((steps.passed, steps.failed), (3, 1));
        assert_eq!(steps.names, ["all", "bad"]);
    }

    #[test]
    fn warnings_make_a_quiet_command_fail() {
        assert!(succeed(&mut Command::new("true"), true).is_ok());
        assert!(succeed(Command::new("echo").arg("warning"), true).is_err());
        assert!(succeed(&mut Command::new("false"), false).is_err());
    }
}
