//! The page's rules on the model alone.

use super::{Inputs, Outputs};
use crate::ports::Model;
use crate::sm::l1_tlb::{DENIED, FAR, OF_PAGE, TRANSLATION};
use crate::sm::sm_pipeline::Scheme;

mod bench;

use bench::{Absent, Denied, Event, Faulted, Line, Load, Other, Sent, Store, Walk, line, pc, warm};

#[test]
fn load_that_hits_leaves_the_queue_and_its_line_goes_to_the_cache() {
    for scheme in Scheme::ALL {
        let mut bench = warm(scheme);
        bench.start(1, &[Load(line(1, 3)), Store(line(1, 5))]);
        let events = bench.settle();
        let lines: Vec<Event> = events
            .into_iter()
            .filter(|event| !matches!(event, Sent(..)))
            .collect();
        let expected = [line(10, 3), line(10, 5)].map(|number| Line(number, 1, true));
        assert_eq!(lines, expected, "{}", scheme.name());
        let outputs = bench.cycle();
        assert_eq!((outputs.occupancy, outputs.settled), (0, true));
        bench.with(|inputs| (inputs.stop_valid, inputs.stop_warp) = (true, 1));
        assert!(bench.unit.pipeline().is_drained(1));
    }
}

#[test]
fn warp_of_an_absent_page_faults_and_goes_on_when_the_page_has_come() {
    for scheme in Scheme::ALL.into_iter().filter(|scheme| scheme.squashes()) {
        let mut bench = warm(scheme);
        bench.start(0, &[Load(line(7, 2))]);
        assert_eq!(bench.settle(), [Sent(0, false), Walk(7)]);
        bench.fill(FAR, 7, 0);
        let faults = [Absent(0, 7), Faulted(0)];
        assert_eq!(bench.settle(), faults, "{}", scheme.name());
        let unit = &bench.unit;
        assert!(!unit.pipeline().runs(0) && unit.pipeline().is_drained(0));
        assert_eq!(
            (unit.memory().away(), unit.memory().accesses().count()),
            (1, 0)
        );
        assert_eq!(unit.tlb().misses().filter(|miss| miss.absent).count(), 1);
        // Another warp does not wait for it.
        bench.start(1, &[Load(line(1, 1))]);
        let passes = [Sent(pc(1, 0), false), Line(line(10, 1), 1, true)];
        assert_eq!(bench.settle(), passes);
        bench.resolve(7);
        assert_eq!(bench.settle(), [Walk(7)]);
        bench.fill(TRANSLATION, 7, 70);
        let again = [Sent(0, scheme.queues()), Line(line(70, 2), 0, true)];
        assert_eq!(bench.settle(), again, "{}", scheme.name());
        assert_eq!(
            (bench.unit.memory().away(), bench.cycle().occupancy),
            (0, 0)
        );
    }
}

#[test]
fn access_of_an_absent_page_waits_in_the_scheme_that_stalls() {
    let mut bench = warm(Scheme::StallOnFault);
    bench.start(0, &[Load(line(7, 2))]);
    assert_eq!(bench.settle(), [Sent(0, false), Walk(7)]);
    bench.fill(FAR, 7, 0);
    assert_eq!(bench.settle(), []);
    let (pipeline, memory) = (bench.unit.pipeline(), bench.unit.memory());
    assert!(pipeline.runs(0) && memory.away() == 0);
    assert_eq!(memory.accesses().count(), 1);
    bench.resolve(7);
    assert_eq!(bench.settle(), [Walk(7)]);
    bench.fill(TRANSLATION, 7, 70);
    assert_eq!(bench.settle(), [Line(line(70, 2), 0, true)]);
}

#[test]
fn younger_store_to_the_line_comes_back_behind_the_load_that_faulted() {
    let mut bench = warm(Scheme::OperandLog);
    bench.start(0, &[Load(line(7, 2)), Load(line(1, 1)), Store(line(7, 2))]);
    bench.settle();
    bench.fill(FAR, 7, 0);
    let events = bench.settle();
    assert_eq!(events[..2], [Absent(0, 7), Faulted(0)]);
    bench.resolve(7);
    bench.settle();
    bench.fill(TRANSLATION, 7, 70);
    let lines = [Line(line(70, 2), 0, true), Line(line(70, 2), 0, true)];
    let events = bench.settle();
    assert_eq!(events[..2], [Sent(0, true), Sent(2, true)]);
    assert_eq!(events[2..], lines);
}

#[test]
fn denied_warp_stays_away_while_it_is_held() {
    let mut bench = warm(Scheme::OperandLog);
    bench.start(0, &[Load(line(7, 2))]);
    bench.settle();
    bench.fill(DENIED, 7, 0);
    bench.inputs.hold = 1;
    assert_eq!(bench.settle(), [Denied(0)]);
    bench.with(|inputs| {
        inputs.invalidate_valid = true;
        inputs.invalidate_scope = OF_PAGE;
        inputs.invalidate_vpn = 7;
    });
    assert_eq!(bench.settle(), []);
    bench.inputs.hold = 0;
    assert_eq!(bench.settle(), [Sent(0, true), Walk(7)]);
    bench.fill(TRANSLATION, 7, 70);
    assert_eq!(bench.settle(), [Line(line(70, 2), 0, true)]);
}

#[test]
fn certain_goes_before_a_check_of_the_memory_unit() {
    let mut bench = warm(Scheme::OperandLog);
    bench.start(1, &[Other]);
    assert_eq!(bench.settle(), [Sent(pc(1, 0), false)]);
    bench.start(0, &[Load(line(1, 4))]);
    bench.run_up_to(|bench, _| bench.decided() == 1);
    assert_eq!(bench.clone().cycle().occupancy, 2);
    let ahead = bench.clone();
    let outputs = bench.with(|inputs| ahead.certain(inputs));
    assert!(outputs.certain_ready);
    assert_eq!((bench.decided(), bench.clone().cycle().occupancy), (0, 1));
    // The check stayed on offer, and is taken now.
    bench.cycle();
    assert_eq!((bench.decided(), bench.clone().cycle().occupancy), (1, 0));

    // Of a store the pipeline needs another cycle to release the entries of the log.
    let mut bench = ahead.clone();
    let certain_store = |inputs: &mut Inputs| {
        ahead.certain(inputs);
        inputs.certain_store = true;
    };
    assert!(bench.with(certain_store).certain_ready);
    assert!(!bench.cycle().certain_ready);
    assert_eq!(bench.decided(), 0);
    assert!(bench.cycle().certain_ready);
    assert_eq!(bench.decided(), 1);
}

#[test]
fn raised_waits_for_a_fault_of_the_memory_unit() {
    let mut bench = warm(Scheme::OperandLog);
    bench.start(1, &[Other]);
    bench.start(0, &[Load(line(7, 4))]);
    bench.settle();
    bench.fill(FAR, 7, 0);
    bench.run_up_to(|_, outputs| outputs.faulted_valid);
    let ahead = bench.clone();
    let outputs = bench.with(|inputs| ahead.raise(inputs));
    assert!(outputs.faulted_valid && !outputs.raised_ready);
    assert_eq!(outputs.faulted_warp, 0);
    let pipeline = bench.unit.pipeline();
    assert!(!pipeline.runs(0) && pipeline.runs(1));
    let outputs = bench.with(|inputs| ahead.raise(inputs));
    assert!(outputs.faulted_valid && outputs.raised_ready && !outputs.faulted_denied);
    assert_eq!(
        (
            outputs.faulted_warp,
            outputs.faulted_entry,
            outputs.faulted_index
        ),
        (1, ahead.other.memory_entry, ahead.other.memory_index)
    );
    assert!(!bench.unit.pipeline().runs(1));
    assert_eq!(
        bench.unit.memory().away(),
        1,
        "the memory unit does not resume what another unit has raised"
    );
    bench.settle();
    bench.with(|inputs| (inputs.resume_valid, inputs.resume_warp) = (true, 1));
    assert_eq!(bench.settle(), [Sent(pc(1, 0), true)]);
}

#[test]
fn resume_from_outside_goes_before_that_of_the_memory_unit() {
    let mut bench = warm(Scheme::OperandLog);
    bench.start(1, &[]);
    bench.start(0, &[Load(line(7, 4))]);
    bench.settle();
    bench.fill(FAR, 7, 0);
    bench.settle();
    bench.with(|inputs| (inputs.stop_valid, inputs.stop_warp) = (true, 1));
    bench.resolve(7);
    bench.settle();
    bench.fill(TRANSLATION, 7, 70);
    bench.run_up_to(|bench, _| bench.unit.memory().away() == 0);
    let outputs = bench.with(|inputs| (inputs.resume_valid, inputs.resume_warp) = (true, 1));
    assert!(outputs.resume_ready);
    let unit = &bench.unit;
    assert!(unit.pipeline().is_replaying(1) && !unit.pipeline().is_replaying(0));
    assert_eq!(unit.memory().away(), 1);
    // The other one stayed on offer.
    assert_eq!(bench.settle(), [Sent(0, true), Line(line(70, 4), 0, true)]);
    assert!(bench.unit.pipeline().runs(0) && bench.unit.pipeline().runs(1));
}

#[test]
fn unit_is_as_its_page_says_after_reset() {
    for scheme in Scheme::ALL {
        let mut bench = warm(scheme);
        bench.start(0, &[Load(line(7, 2))]);
        bench.settle();
        bench.with(|inputs| inputs.reset = true);
        let outputs = bench.unit.cycle(&Inputs::default());
        let expected = Outputs {
            resume_ready: true,
            memory_ready: true,
            save_ready: true,
            certain_ready: true,
            raised_ready: true,
            settled: true,
            ..Outputs::default()
        };
        let shown = Outputs {
            logged_data: expected.logged_data,
            saved_warp: 0,
            saved_store: false,
            saved_destination: 0,
            saved_source_a: 0,
            saved_source_b: 0,
            saved_pc: 0,
            saved_mask: 0,
            saved_opcode: 0,
            ..outputs
        };
        assert_eq!(shown, expected, "{}", scheme.name());
        assert_eq!(bench.unit.tlb().filled().count(), 0);
    }
}
