//! The page's rules on the model alone.

use std::collections::{HashMap, VecDeque};

use super::{Inputs, MemoryUnit, Outputs, PAGE_LINE_BITS, PageState, Parameters};
use crate::ports::Model;

/// What the L1 TLB answers for a page.
#[derive(Clone, Copy, Debug)]
enum Reply {
    Hit(u32),
    Miss,
    Fault,
    Denied,
}

/// What the unit reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Checked(u8),
    Faulted(u8),
    Denied(u8),
    Absent(u64),
    /// A line in physical memory, and whether it is marked as the last one.
    Line(u64, bool),
    Resume(u8),
    Check(u64),
}
use Event::{Absent, Check, Checked, Denied, Faulted, Line, Resume};

/// The model among a coalescer, an L1 TLB, a pipeline and a cache that take everything at once.
struct Unit {
    model: MemoryUnit,
    inputs: Inputs,
    pages: HashMap<u64, Reply>,
    requests: VecDeque<(u64, bool)>,
    checked: Option<u64>,
    events: Vec<Event>,
}

impl Unit {
    fn new() -> Self {
        Self {
            model: MemoryUnit::new(Parameters::PAPER),
            inputs: Inputs {
                split_ready: true,
                checked_ready: true,
                line_ready: true,
                resume_ready: true,
                ..Inputs::default()
            },
            pages: HashMap::new(),
            requests: VecDeque::new(),
            checked: None,
            events: Vec::new(),
        }
    }

    fn cycle(&mut self) -> Outputs {
        let mut inputs = self.inputs.clone();
        inputs.check_ready = !inputs.invalidate_valid;
        if let Some((line, last)) = self.requests.front() {
            inputs.request_valid = true;
            inputs.request_line = *line;
            inputs.request_mask = 1;
            inputs.request_last = *last;
        }
        if let Some(vpn) = self.checked {
            match self.pages.get(&vpn).copied().unwrap_or(Reply::Miss) {
                Reply::Hit(pfn) => {
                    inputs.answer_hit = true;
                    inputs.answer_pfn = pfn;
                }
                Reply::Miss => {}
                Reply::Fault => inputs.answer_fault = true,
                Reply::Denied => inputs.answer_denied = true,
            }
        }
        let outputs = self.model.cycle(&inputs);
        if inputs.request_valid && outputs.request_ready {
            self.requests.pop_front();
        }
        self.checked = (outputs.check_valid && inputs.check_ready).then_some(outputs.check_vpn);
        self.events.extend(self.checked.map(Check));
        if outputs.absent_valid {
            self.events.push(Absent(outputs.absent_vpn));
        }
        if outputs.faulted_valid {
            let entry = outputs.faulted_entry;
            self.events.push(if outputs.faulted_denied {
                Denied(entry)
            } else {
                Faulted(entry)
            });
        }
        if outputs.checked_valid && inputs.checked_ready {
            self.events.push(Checked(outputs.checked_entry));
        }
        if outputs.line_valid && inputs.line_ready {
            self.events
                .push(Line(outputs.line_number, outputs.line_last));
        }
        if outputs.resume_valid && inputs.resume_ready {
            self.events.push(Resume(outputs.resume_warp));
        }
        outputs
    }

    /// An instruction of warp 3 with these lines enters, and requests them from the next cycle but one on.
    fn enter(&mut self, entry: u8, store: bool, lines: &[u64]) {
        let rest = self.inputs.clone();
        self.inputs.instruction_valid = true;
        self.inputs.instruction_warp = 3;
        self.inputs.instruction_entry = entry;
        self.inputs.instruction_store = store;
        self.inputs.instruction_mask = (1 << lines.len()) - 1;
        assert!(self.cycle().instruction_ready);
        self.inputs = rest;
        self.cycle();
        let last = lines.len().saturating_sub(1);
        let requests = lines.iter().enumerate();
        self.requests
            .extend(requests.map(|(place, line)| (*line, place == last)));
    }

    fn wake(&mut self, vpn: u64) {
        self.inputs.wake_valid = true;
        self.inputs.wake_vpn = vpn;
        self.cycle();
        self.inputs.wake_valid = false;
    }

    fn invalidate(&mut self) {
        self.inputs.invalidate_valid = true;
        self.inputs.invalidate_scope = 1;
        self.cycle();
        self.inputs.invalidate_valid = false;
    }

    /// What is reported until nothing changes any more.
    fn settle(&mut self) -> Vec<Event> {
        for _ in 0..500 {
            self.cycle();
            if self.model.is_quiet() && self.requests.is_empty() {
                break;
            }
        }
        assert!(self.model.is_quiet());
        std::mem::take(&mut self.events)
    }

    fn without_checks(&mut self) -> Vec<Event> {
        let events = self.settle().into_iter();
        events.filter(|event| !matches!(event, Check(_))).collect()
    }
}

/// A line of a page, and where it is in a frame.
fn line(vpn: u64, within: u64) -> u64 {
    vpn << PAGE_LINE_BITS | within
}

#[test]
fn access_that_hits_is_decided_two_cycles_after_its_answer() {
    let mut unit = Unit::new();
    unit.pages.insert(7, Reply::Hit(70));
    unit.enter(1, false, &[line(7, 3)]);
    let check = unit.cycle();
    assert!(check.check_valid && check.request_ready && !check.check_write);
    let quiet = [unit.cycle(), unit.cycle()];
    assert!(quiet.iter().all(|outputs| !outputs.checked_valid));
    assert!(unit.cycle().checked_valid);
    assert!(!unit.cycle().line_valid);
    let shown = unit.cycle();
    assert_eq!((shown.line_number, shown.line_last), (line(70, 3), true));
    assert_eq!(
        unit.settle(),
        [Check(7), Checked(1), Line(line(70, 3), true)]
    );
    assert_eq!(unit.model.accesses().count(), 0);
}

#[test]
fn lines_leave_in_order_without_a_bubble() {
    let mut unit = Unit::new();
    unit.pages.insert(1, Reply::Hit(10));
    unit.pages.insert(2, Reply::Hit(20));
    unit.enter(0, true, &[line(2, 1), line(1, 4), line(2, 0)]);
    let cycles: Vec<usize> = (0..20).filter(|_| unit.cycle().line_valid).collect();
    assert_eq!(cycles.len(), 3);
    assert_eq!(cycles[2] - cycles[0], 2);
    let numbers = [
        (line(20, 1), false),
        (line(10, 4), false),
        (line(20, 0), true),
    ];
    let lines = numbers.map(|(number, last)| Line(number, last));
    assert_eq!(unit.without_checks()[1..], lines);
}

#[test]
fn missed_page_is_checked_once_for_all_who_wait_for_it() {
    let mut unit = Unit::new();
    unit.enter(0, false, &[line(7, 0)]);
    unit.enter(1, false, &[line(7, 1), line(7, 2)]);
    assert_eq!(unit.settle(), [Check(7), Check(7), Check(7)]);
    assert_eq!(unit.model.pages().count(), 1);
    unit.pages.insert(7, Reply::Hit(70));
    unit.wake(8);
    assert_eq!(unit.settle(), [], "nobody waits for that page");
    unit.wake(7);
    let events = unit.settle();
    assert_eq!(events[..3], [Check(7), Checked(0), Checked(1)]);
    assert_eq!(events.len(), 6);
    assert_eq!(unit.model.pages().count(), 0);
}

#[test]
fn access_faults_and_its_warp_is_resumed_when_its_pages_have_come() {
    let mut unit = Unit::new();
    unit.pages.insert(7, Reply::Fault);
    unit.pages.insert(8, Reply::Fault);
    unit.enter(2, false, &[line(8, 0), line(7, 0)]);
    let reports = [Absent(8), Absent(7), Faulted(2)];
    assert_eq!(unit.without_checks(), reports);
    assert_eq!((unit.model.away(), unit.model.pages().count()), (1 << 3, 2));
    unit.wake(7);
    assert_eq!(unit.settle(), [], "no access is left that waits");
    unit.inputs.hold = 1 << 3;
    unit.wake(8);
    assert_eq!(unit.settle(), []);
    unit.inputs.hold = 0;
    assert_eq!(unit.settle(), [Resume(3)]);
    assert_eq!(unit.model.away(), 0);
}

#[test]
fn younger_store_waits_for_the_older_one_and_follows_its_fault() {
    let mut unit = Unit::new();
    unit.pages.insert(1, Reply::Hit(10));
    unit.enter(0, true, &[line(7, 0)]);
    unit.enter(1, true, &[line(1, 0)]);
    unit.enter(2, true, &[line(1, 0)]);
    assert_eq!(unit.settle(), [Check(7), Check(1), Check(1)]);
    unit.pages.insert(7, Reply::Fault);
    unit.wake(7);
    let events = unit.settle();
    assert_eq!(
        events,
        [Check(7), Absent(7), Faulted(0), Faulted(1), Faulted(2)]
    );

    let mut unit = Unit::new();
    unit.pages.insert(1, Reply::Hit(10));
    unit.enter(0, false, &[line(7, 0)]);
    unit.enter(1, false, &[line(1, 0)]);
    let passes = [Checked(1), Line(line(10, 0), true)];
    assert_eq!(unit.without_checks(), passes, "loads do not conflict");
}

#[test]
fn denial_is_reported_and_leaves_no_page() {
    let mut unit = Unit::new();
    unit.pages.insert(7, Reply::Denied);
    unit.inputs.hold = 1 << 3;
    unit.enter(4, true, &[line(7, 0), line(9, 0)]);
    assert_eq!(unit.settle(), [Check(7), Check(9), Denied(4)]);
    assert_eq!(unit.model.pages().count(), 0);
    // A page that is denied when it is checked again.
    let mut unit = Unit::new();
    unit.inputs.hold = 1 << 3;
    unit.enter(5, true, &[line(9, 0)]);
    assert_eq!(unit.settle(), [Check(9)]);
    unit.pages.insert(9, Reply::Denied);
    unit.wake(9);
    assert_eq!(unit.settle(), [Check(9), Denied(5)]);
}

#[test]
fn invalidation_has_undecided_accesses_checked_again() {
    let mut unit = Unit::new();
    unit.pages.insert(1, Reply::Hit(10));
    unit.pages.insert(2, Reply::Hit(20));
    unit.inputs.checked_ready = false;
    unit.enter(0, false, &[line(1, 0), line(2, 0)]);
    unit.enter(1, false, &[line(2, 1), line(9, 0)]);
    for _ in 0..8 {
        unit.cycle();
    }
    unit.events.clear();
    unit.pages.insert(2, Reply::Hit(21));
    unit.pages.insert(9, Reply::Hit(90));
    unit.invalidate();
    assert!(!unit.cycle().settled);
    unit.inputs.checked_ready = true;
    let events = unit.settle();
    let old = [Line(line(10, 0), false), Line(line(20, 0), true)];
    let new = [Line(line(21, 1), false), Line(line(90, 0), true)];
    assert_eq!(events[0], Checked(0), "the offer holds");
    let lines = events.iter().filter(|event| matches!(event, Line(..)));
    assert_eq!(lines.copied().collect::<Vec<_>>(), [old, new].concat());
    assert!(unit.cycle().settled);
}

#[test]
fn refused_line_is_checked_again_after_any_wake_up() {
    let mut unit = Unit::new();
    let pages = Parameters::PAPER.pages as u64;
    for number in 0..pages {
        unit.enter(0, false, &[line(100 + number, 0)]);
    }
    unit.pages.insert(1, Reply::Hit(10));
    unit.enter(1, false, &[line(1, 0), line(200, 0)]);
    unit.settle();
    let refused = unit.model.accesses().filter(|(_, access)| access.refused);
    assert_eq!(refused.count(), 1);
    unit.pages.insert(200, Reply::Hit(20));
    unit.wake(5);
    let events = unit.settle();
    let lines = [Line(line(10, 0), false), Line(line(20, 0), true)];
    assert_eq!(events[..2], [Check(200), Checked(1)]);
    assert_eq!(events[2..], lines);
    let state = |number: usize| PageState::Waits == unit.model.pages[number].unwrap().state;
    assert!((0..pages as usize).all(state));
}

#[test]
fn nothing_happens_in_a_quiet_cycle() {
    let mut unit = Unit::new();
    assert!(unit.model.is_quiet());
    assert_eq!(
        unit.model.cycle(&Inputs::default()),
        Outputs {
            instruction_ready: true,
            settled: true,
            ..Outputs::default()
        }
    );
    unit.enter(0, false, &[line(7, 0)]);
    unit.settle();
    let outputs = unit.cycle();
    assert!(outputs.instruction_ready && outputs.request_ready && !outputs.check_valid);
    unit.inputs.reset = true;
    unit.cycle();
    assert_eq!(
        unit.model.accesses().count() + unit.model.pages().count(),
        0
    );
}
