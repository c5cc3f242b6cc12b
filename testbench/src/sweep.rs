//! Sweeps of page walks: every combination of what entries may hold, against the rules of the reference. Those are held
//! against a second oracle, and the page walker of every back end against them: one walk after the other with each
//! machine, and many walks at once, of several requesters and spaces, with the machines that larger walkers have.

use faultline_sim::walk::{Access, Cause, DIRTY, Image, Memory, Request, Rules, Walk};

use crate::backend::Kind;
use crate::sdm::{self, Machine, Query, Verdict};
use crate::walks::{WalkError, Walker};

mod cases;
mod concurrent;

pub use cases::{BITS, Case, LIMIT, OPEN, ROOT, Sweep, Words, all_rules, requests, tables};
pub use concurrent::{AT_ONCE, CONFIGS, Load, machines};

/// Differences that are shown; the others are only counted.
const SHOWN: usize = 5;

/// What a sweep has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests that were walked.
    pub cases: u64,
    /// Those that were not walked as the rules say.
    pub differences: u64,
    /// The first of them, in words.
    pub shown: Vec<String>,
}

impl Tally {
    /// Counts cases, and what is wrong with them.
    pub fn add(&mut self, cases: u64, wrong: impl IntoIterator<Item = String>) {
        self.cases += cases;
        for sentence in wrong {
            self.differences += 1;
            if self.shown.len() < SHOWN {
                self.shown.push(sentence);
            }
        }
    }

    /// Counts what another one has found.
    pub fn add_all(&mut self, other: Self) {
        let more = other.differences - other.shown.len() as u64;
        self.add(other.cases, other.shown);
        self.differences += more;
    }
}

/// Every `step`th case of a sweep by the rules and by the second oracle. `walked` receives how many requests were walked.
pub fn oracles(sweep: Sweep, step: usize, mut walked: impl FnMut(u64)) -> Tally {
    let mut tally = Tally::default();
    let rules = sweep.rules();
    let cases = rules
        .iter()
        .flat_map(|rules| sweep.cases(rules).map(move |case| (rules, case)));
    for (rules, case) in cases.skip(step - 1).step_by(step) {
        let wrong = case
            .requests
            .iter()
            .filter_map(|request| judged(rules, &case.words, request).err());
        let count = case.requests.len() as u64;
        tally.add(count, wrong);
        walked(count);
    }
    tally
}

/// Every `step`th case of a sweep, one walk after the other, by a back end. `walked` receives how many requests were walked.
///
/// # Errors
/// If the back end cannot be had or does not answer.
pub fn one_by_one(
    sweep: Sweep,
    kind: Kind,
    step: usize,
    mut walked: impl FnMut(u64),
) -> Result<Tally, WalkError> {
    let (mut tally, mut number) = (Tally::default(), 0);
    for rules in sweep.rules() {
        let mut walker = Walker::new(rules, Some(LIMIT), kind)?;
        for case in sweep.cases(&rules) {
            number += 1;
            if number % step != 0 {
                continue;
            }
            let image = image(&case.words);
            for request in &case.requests {
                let wrong = difference(&mut walker, &rules, &image, request)?;
                tally.add(1, wrong);
            }
            walked(case.requests.len() as u64);
        }
    }
    Ok(tally)
}

/// Every `step`th case of the sweeps in [`AT_ONCE`], many walks at once, on a walker of one of [`CONFIGS`]. `walked` receives
/// how many requests were walked.
///
/// # Errors
/// If the back end cannot be had or does not answer.
pub fn at_once(
    config: &str,
    kind: Kind,
    step: usize,
    mut walked: impl FnMut(u64),
) -> Result<(Tally, Load), WalkError> {
    let (mut tally, mut load, mut number) = (Tally::default(), Load::default(), 0);
    for rules in machines(config) {
        let mut concurrent = concurrent::Concurrent::new(config, rules, kind)?;
        for case in AT_ONCE.iter().flat_map(|sweep| sweep.cases(&rules)) {
            number += 1;
            if number % step != 0 {
                continue;
            }
            concurrent.put(&case)?;
            walked(case.requests.len() as u64);
        }
        let (found, of_machine) = concurrent.end()?;
        tally.add_all(found);
        load.add(&of_machine);
    }
    Ok((tally, load))
}

/// Memory with these words.
#[must_use]
pub fn image(words: &Words) -> Image {
    let mut image = Image::new(Some(LIMIT));
    for &(address, value) in words {
        image.put(address, value);
    }
    image
}

/// Walks by the rules and by the second oracle.
///
/// # Errors
/// If they differ in how it ends, or in what is in memory then, or if more was read than there are levels.
pub fn judged(rules: &Rules, words: &Words, request: &Request) -> Result<Walk, String> {
    let mut image = image(words);
    let walk = rules.walk(&mut image, ROOT, request);
    let before = words.iter().copied().collect();
    let (expected, after) = sdm::judge(&machine(rules), &before, ROOT, &query(request));
    let found = verdict(rules, &walk);
    let case = || format!("{rules:?}, {request:x?}, {words:x?}");
    if found != expected {
        return Err(format!("{found:x?} and not {expected:x?}: {}", case()));
    }
    if walk.reads.len() > usize::from(rules.levels) {
        return Err(format!("{} reads: {}", walk.reads.len(), case()));
    }
    let written = walk.writes.iter().map(|entry| entry.address);
    for address in after.keys().copied().chain(written) {
        let (found, expected) = (image.read(address), after.get(&address).copied());
        if found != expected {
            return Err(format!(
                "{found:x?} and not {expected:x?} at {address:#x}: {}",
                case()
            ));
        }
    }
    Ok(walk)
}

fn machine(rules: &Rules) -> Machine {
    Machine {
        five_levels: rules.levels == 5,
        nxe: rules.execute_disable,
        updates: rules.updates,
        physical_bits: rules.physical_bits.into(),
        limit: LIMIT,
    }
}

fn query(request: &Request) -> Query {
    Query {
        linear: request.address,
        write: request.access == Access::Write,
        user: request.user,
        fetch: request.access == Access::Execute,
    }
}

/// The reference's walk in the words of the second oracle.
fn verdict(rules: &Rules, walk: &Walk) -> Verdict {
    match walk.end {
        Ok(page) => Verdict::Page(
            page.physical,
            page.page_size,
            page.writable,
            page.user,
            page.executable,
        ),
        Err(fault) => Verdict::Fault(
            fault.cause.name(),
            (fault.level > 0).then(|| usize::from(rules.levels - fault.level)),
            fault.code.map(u32::from),
        ),
    }
}

/// What an answer shows of its page besides how the walk has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shown {
    /// The frame that a read of the same user would find, with no bit to be set, if it would.
    pfn: Option<u64>,
    /// The dirty bit is clear.
    clean: bool,
}

impl Shown {
    /// What must be shown, by the rules.
    fn of(rules: &Rules, before: &Image, root: u64, request: &Request, walk: &Walk) -> Self {
        let read = || {
            let access = Access::Read;
            let read = Request { access, ..*request };
            let walk = rules.walk(&mut before.clone(), root, &read);
            walk.end.ok().filter(|_| walk.writes.is_empty())
        };
        let page = match walk.end {
            Ok(page) => Some(page),
            Err(fault) if fault.cause == Cause::Protection => read(),
            Err(_) => None,
        };
        let leaf = walk.reads.last().map_or(0, |entry| entry.value);
        Self {
            pfn: page.map(|page| page.physical >> 12),
            clean: walk.end.is_ok() && request.access != Access::Write && leaf & DIRTY == 0,
        }
    }

    /// What an answer shows.
    fn by(answer: &faultline_sim::mmu::page_walker::Outputs) -> Self {
        Self {
            pfn: answer.answer_readable.then_some(answer.answer_pfn),
            clean: answer.answer_clean,
        }
    }
}

/// Walks by the rules and by the hardware: gives what is different in how it ends, what is read, written and shown, and in
/// memory.
///
/// # Errors
/// If the back end cannot go on or does not answer.
pub fn difference(
    walker: &mut Walker,
    rules: &Rules,
    before: &Image,
    request: &Request,
) -> Result<Option<String>, WalkError> {
    let (mut expected_image, mut image) = (before.clone(), before.clone());
    let expected = rules.walk(&mut expected_image, ROOT, request);
    let walk = walker.walk(&mut image, ROOT, request)?;
    let case = || format!("{rules:?}, {request:x?}, {before:x?}");
    if walk != expected {
        return Ok(Some(format!("{walk:x?} and not {expected:x?}: {}", case())));
    }
    if image != expected_image {
        return Ok(Some(format!("{image:x?} is in memory: {}", case())));
    }
    let shown = Shown::by(walker.answer());
    let expected = Shown::of(rules, before, ROOT, request, &walk);
    Ok((shown != expected).then(|| format!("{shown:x?} and not {expected:x?}: {}", case())))
}
