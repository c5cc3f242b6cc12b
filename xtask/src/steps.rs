//! Steps that are timed, counted and summed up.

use std::collections::VecDeque;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use faultline_ledger::{Counts, Runner};

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

    /// Runs of tests, as many at once as there are cores, whose results are read from what they print. What a run prints is
    /// shown when it ends.
    pub fn tests(&mut self, name: &str, runs: Vec<Command>) {
        self.step(name, || {
            let runs = Mutex::new(VecDeque::from(runs));
            let sum = Mutex::new((0, 0));
            let next = || runs.lock().ok()?.pop_front();
            thread::scope(|scope| {
                for _ in 0..thread::available_parallelism().map_or(2, NonZero::get) {
                    scope.spawn(|| {
                        while let Some(mut run) = next() {
                            let (text, (passed, failed)) = count(&mut run);
                            let Ok(mut sum) = sum.lock() else { return };
                            print!("{}", String::from_utf8_lossy(&text));
                            *sum = (sum.0 + passed, sum.1 + failed);
                        }
                    });
                }
            });
            // A thread that panics leaves its run uncounted.
            sum.into_inner().unwrap_or((0, 1))
        });
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

/// Runs tests, and gives what they print with the numbers of those that passed and failed.
fn count(command: &mut Command) -> (Vec<u8>, (u64, u64)) {
    let program = command.get_program().to_string_lossy().into_owned();
    let start = Instant::now();
    let output = match command.stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => {
            let sentence = format!("{program} does not start ({error})\n");
            return (sentence.into_bytes(), (0, 1));
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let name = Path::new(&program).file_name().unwrap_or_default();
    let mut text = format!("\n-- {}, {seconds:.1} s\n", name.display()).into_bytes();
    text.extend(&output.stdout);
    text.extend(&output.stderr);
    let printed = String::from_utf8_lossy(&output.stdout);
    let results = printed.lines().filter_map(result);
    let (passed, failed) = results.fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
    // If nothing failed it did not get as far as its tests, or failed in another way.
    (
        text,
        (passed, failed.max(u64::from(!output.status.success()))),
    )
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
        steps.tests("nothing and three", vec![nothing(), three]);
        steps.check("good", || Ok(()));
        assert_eq!((steps.passed, steps.failed), (4, 1));
        steps.tests("fails", vec![nothing(), Command::new("false")]);
        assert_eq!((steps.passed, steps.failed), (4, 3));
    }

    #[test]
    fn warnings_make_a_quiet_command_fail() {
        assert!(succeed(&mut Command::new("true"), true).is_ok());
        assert!(succeed(Command::new("echo").arg("warning"), true).is_err());
        assert!(succeed(&mut Command::new("false"), false).is_err());
    }
}
