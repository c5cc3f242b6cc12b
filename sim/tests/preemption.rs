//! Preemption: what is saved against what was written, what is chosen against the paper's times, and the whole of a preemption.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_sim::machines::preemption::{
    Allocation, Chooser, Dirty, Entry, Executed, MHZ, Policy, Query, Recording, Request, SECTORS,
    Setup, Shape, Stream, Subject, TABLE_1, measure, preempt, save, sectors,
};
use faultline_sim::machines::sm::Work;
use faultline_sim::ports::Model;
use faultline_sim::preempt::dirty_bits::{self, DirtyBits};
use faultline_sim::preempt::preemption_policy::Case;
use faultline_sim::simt::kernels::{self, KERNELS, named};
use rayon::prelude::*;

fn recording(name: &str, allocation: Allocation) -> Recording {
    let kernel = named(name).unwrap()(1).unwrap();
    let work = Work::of_kernel(&kernel).unwrap();
    let shape = Shape::of_kernel(&kernel, &work, allocation);
    Recording::new(&work, shape, 1).unwrap()
}

fn of_table(name: &str) -> Subject {
    let entry: &Entry = TABLE_1.iter().find(|entry| entry.name == name).unwrap();
    Subject::of_table(entry, &recording(entry.stand_in, Allocation::Given)).unwrap()
}

/// The policy at this part of the blocks' time.
fn at(subject: &Subject, progress: u64) -> Chooser {
    let mut chooser = Chooser::new(subject);
    let target = subject.block * progress / 100;
    chooser.advance(target - chooser.run());
    chooser
}

fn setup(policy: Policy, launch_us: u64, expected_us: u64, progress: u64) -> Setup {
    Setup {
        policy,
        launch: launch_us * MHZ,
        expected: expected_us * MHZ,
        progress,
        by_lane: true,
        stops_together: false,
        most_of_base: None,
    }
}

fn one(issued: u64, committed: u64, warp: u64, row: u64, lanes: u64) -> Executed {
    Executed {
        issued,
        committed,
        warp,
        rows: Some((row, 1)),
        lanes,
    }
}

/// Two warps of eight rows; the second one ends early.
fn stream() -> Stream {
    Stream {
        cycles: 100,
        rows: 16,
        executed: vec![
            one(0, 5, 0, 0, 0xff),
            one(10, 30, 1, 8, 0xf),
            one(20, 25, 0, 0, 0xff00),
            one(40, 60, 0, 2, 0xff),
            one(70, 71, 0, 0, 0xff),
        ],
        ends: vec![100, 50],
    }
}

#[test]
fn what_was_issued_is_dirty_until_its_warp_ends() {
    let stream = stream();
    assert_eq!(stream.dirty(15), Dirty::from([(0, 0xff), (8, 0xf)]));
    assert_eq!(
        stream.dirty(49),
        Dirty::from([(0, 0xffff), (2, 0xff), (8, 0xf)])
    );
    assert_eq!(stream.dirty(50), Dirty::from([(0, 0xffff), (2, 0xff)]));
    assert_eq!(stream.between(20, 99), Dirty::from([(0, 0xff), (2, 0xff)]));
    assert_eq!(
        (stream.drain(15), stream.drain(35), stream.drain(90)),
        (15, 0, 0)
    );
    assert_eq!((stream.time_of(2), stream.time_of(1000)), (20, 100));
}

/// Where the block ends too soon, what it has done before as long counts, of those warps that are there.
#[test]
fn a_block_that_goes_on_changes_what_it_has_changed_before() {
    let stream = stream();
    // From 15 on for 25 cycles, before the second warp ends at 50.
    assert_eq!(stream.since(15, 25), Dirty::from([(0, 0xff00), (2, 0xff)]));
    // 40 cycles before 49.
    assert_eq!(
        stream.since(45, 40),
        Dirty::from([(0, 0xff00), (2, 0xff), (8, 0xf)])
    );
    // 80 cycles before 99, without the warp that has ended.
    assert_eq!(stream.since(60, 80), Dirty::from([(0, 0xffff), (2, 0xff)]));
}

/// The blocks' instructions are those of the work, and their writes leave in the reference of the dirty bits, cycle by cycle,
/// what the stream says.
#[test]
fn recordings_agree_with_the_dirty_bits() {
    KERNELS.par_iter().for_each(|(name, make)| {
        let kernel = make(1).unwrap();
        let work = Work::of_kernel(&kernel).unwrap();
        for allocation in [Allocation::Given, Allocation::Named] {
            let shape = Shape::of_kernel(&kernel, &work, allocation);
            let recording = Recording::new(&work, shape, 1).unwrap();
            let executed = recording.streams.iter().map(|stream| stream.executed.len());
            assert_eq!(executed.sum::<usize>(), work.steps(), "{name}");
            assert_eq!(recording.streams.len(), work.blocks(), "{name}");
            let stream = recording.median().unwrap();
            for percent in [10, 25, 50, 75, 95] {
                let until = stream.cycles * percent / 100;
                let bits = replay(stream, until);
                let dirty: Dirty = bits.rows().map(|row| (row, bits.lanes(row))).collect();
                assert_eq!(dirty, stream.dirty(until), "{name} at {percent} %");
            }
        }
    });
}

/// An address takes two rows, another register one, in whole groups; a thread has at least what its program names.
#[test]
fn registers_take_the_rows_that_they_need() {
    // Of sgemm's 32 registers two are addresses, of spmv's 10 one.
    for (name, named, given) in [
        ("sgemm", 40, 48),
        ("spmv", 16, 32),
        ("lbm-8-warps", 48, 256),
    ] {
        let kernel = kernels::named(name).unwrap()(1).unwrap();
        let work = Work::of_kernel(&kernel).unwrap();
        let rows = |allocation| Shape::of_kernel(&kernel, &work, allocation).rows;
        assert_eq!(
            (rows(Allocation::Named), rows(Allocation::Given)),
            (named, given),
            "{name}"
        );
        assert_eq!(
            Shape::new(&work, 1, 0, Allocation::Given).rows,
            named,
            "{name}"
        );
    }
    let tests = [("sgemm", 34), ("spmv", 11), ("lbm-8-warps", 44)];
    for (name, written) in tests {
        let recording = recording(name, Allocation::Named);
        let rows = recording.shape.rows;
        let of_warp = |one: &Executed| one.rows.map(|(row, count)| row % rows + count);
        let streams = recording.streams.iter().flat_map(|stream| &stream.executed);
        let most = streams.filter_map(of_warp).max();
        assert!(
            most <= Some(written) && most >= Some(written - 2),
            "{name}: {most:?}"
        );
    }
}

/// The dirty bits after a block has stopped: its writes one by one, and its warps' ends.
fn replay(stream: &Stream, until: u64) -> DirtyBits {
    let mut bits = DirtyBits::new(dirty_bits::Parameters::paper(true));
    let rows = stream.rows / stream.ends.len() as u64;
    let mut ends: Vec<_> = stream.ends.iter().zip(0..).collect();
    ends.sort_unstable();
    let mut ends = ends
        .into_iter()
        .filter(|&(&end, _)| end <= until)
        .peekable();
    let clear = |bits: &mut DirtyBits, warp: u64| {
        bits.cycle(&dirty_bits::Inputs {
            clear_valid: true,
            clear_first: warp * rows / 8,
            clear_last: (warp + 1) * rows / 8 - 1,
            ..dirty_bits::Inputs::default()
        });
    };
    for one in stream.executed.iter().filter(|one| one.issued <= until) {
        while let Some((_, warp)) = ends.next_if(|&(&end, _)| end <= one.issued) {
            clear(&mut bits, warp);
        }
        let (first, count) = one.rows.unwrap_or_default();
        for row in first..first + count {
            let outputs = bits.cycle(&dirty_bits::Inputs {
                write_valid: 1,
                write_row: [row, 0],
                write_lanes: [one.lanes, 0],
                ..dirty_bits::Inputs::default()
            });
            assert_eq!(outputs.write_ready & 1, 1);
        }
    }
    for (_, warp) in ends {
        clear(&mut bits, warp);
    }
    bits.cycle(&dirty_bits::Inputs::default());
    bits
}

/// Random contexts: every sector that is dirty is saved once, and all of shared memory; what there is room for stays; memory
/// takes no more than its share.
#[test]
fn contexts_are_what_is_dirty_and_take_their_time() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows = 8 * random.u64(1..24);
        let mut dirty = Dirty::new();
        for row in 0..rows {
            if random.u8(0..4) > 0 {
                dirty.insert(
                    row,
                    1 << random.u32(0..32) | u64::from(random.u32(..)) & u64::from(random.u32(..)),
                );
            }
        }
        let request = Request {
            rows,
            dirty,
            shared: random.u64(0..64),
            warps: random.u64(1..9),
            runs: random.bool(),
            by_lane: random.bool(),
            drain: random.u64(0..300),
            share: [0.25, 0.37, 0.9, 1.0][random.usize(0..4)],
            room: [(0, 0), (8, 0), (0, 40), (512, 512)][random.usize(0..4)],
        };
        let saved = save(&request).unwrap();
        let registers = match request.by_lane {
            true => sectors(&request.dirty),
            false => SECTORS * request.dirty.len() as u64,
        };
        assert_eq!(
            (saved.registers, saved.shared),
            (registers, request.shared),
            "seed {seed}"
        );
        let state = if request.runs { 0 } else { 8 * request.warps };
        assert_eq!(saved.state, state, "seed {seed}");
        // A begin, an end, and headers of shared memory and of the state; and one of every fourteen rows, or of fewer, as
        // long as the engine waits for rows: of one more than in the list before, if they have a sector each.
        let rows = request.dirty.len() as u64;
        let others = 2 + u64::from(request.shared > 0) + u64::from(!request.runs);
        let lists = saved.beats - saved.context() - state - others;
        let least = rows.div_ceil(14);
        assert!(
            least <= lists && lists <= rows.min(least + 7),
            "seed {seed}: {lists} lists of {rows} rows"
        );
        let room = SECTORS * request.room.0 + request.room.1;
        assert_eq!(saved.kept, saved.beats.min(room), "seed {seed}");
        let memory = (saved.beats - saved.kept) as f64 / request.share;
        let least = memory as u64 + request.drain;
        assert!(saved.cycles + 4 > least, "seed {seed}: {saved:?}");
        let most = least + saved.kept + 4 * (saved.beats + request.warps) + 40;
        assert!(saved.cycles < most, "seed {seed}: {saved:?}, {most}");
    }
}

/// The average of the profile is a block's time, and what is left of it follows.
#[test]
fn the_policy_knows_how_long_blocks_take() {
    for name in ["CP", "LBM", "ST", "PF", "BP2"] {
        let subject = of_table(name);
        for progress in [25, 50, 75] {
            let answer = at(&subject, progress).query(0, Query::Pep { launch: 20 * MHZ });
            let remaining = subject.block - subject.block * progress / 100;
            let error = answer.remaining.abs_diff(remaining);
            assert!(
                error <= 48,
                "{name} at {progress} %: {answer:?}, {remaining}"
            );
            assert!(answer.cycles <= 90, "{answer:?}");
        }
    }
}

/// Chimera counts instructions: it comes within a tenth as long as they come at one rate.
#[test]
fn chimera_drains_what_meets_the_deadline() {
    let subject = of_table("ST");
    let mut chooser = at(&subject, 75);
    let remaining = subject.block / 4;
    for (deadline, case) in [
        (remaining * 11 / 10, Case::Drain),
        (remaining * 9 / 10, Case::Switch),
    ] {
        let answer = chooser.clone().query(1, Query::Chimera { deadline });
        assert_eq!(answer.case, case, "{answer:?}");
    }
    chooser.advance(subject.block - chooser.run());
    assert_eq!(chooser.run(), 0);
}

/// The paper's: the last seven kernels drain, long ones are saved twice, LBM and PF sometimes drain first.
#[test]
fn cases_are_the_papers() {
    let long = ["CP", "MRI", "SC", "GM", "BS", "KS"];
    TABLE_1.par_iter().for_each(|entry| {
        let subject = of_table(entry.name);
        let mut cases = Vec::new();
        for progress in [25, 50, 75] {
            let chooser = at(&subject, progress);
            for expected in [20, 30] {
                let outcome = preempt(
                    &subject,
                    &chooser,
                    &setup(Policy::Pep, 15, expected, progress),
                )
                .unwrap();
                assert_eq!(outcome.cases.len() as u64, subject.blocks);
                cases.push(outcome.cases[0]);
            }
        }
        let all = |case: Case| cases.iter().all(|known| *known == case);
        let any = |case: Case| cases.contains(&case);
        if long.contains(&entry.name) {
            assert!(all(Case::TwoCheckpoints), "{}: {cases:?}", entry.name);
        } else if entry.block_us < 12.0 {
            assert!(all(Case::Drain), "{}: {cases:?}", entry.name);
        } else {
            assert!(any(Case::DrainThenOne), "{}: {cases:?}", entry.name);
        }
    });
}

/// What is predicted counts from the launch call, and the query comes with the driver's signal, 1.3 us later: blocks that have
/// 20.65 us left at the call outlive 20 us, and blocks with 19.8 do not.
#[test]
fn the_prediction_counts_from_the_launch_call() {
    let subject = of_table("ST");
    for (progress, twice) in [(50, true), (52, false)] {
        let outcome = preempt(
            &subject,
            &at(&subject, progress),
            &setup(Policy::Pep, 25, 20, progress),
        )
        .unwrap();
        let is_twice = outcome
            .cases
            .iter()
            .all(|case| *case == Case::TwoCheckpoints);
        assert_eq!(is_twice, twice, "{progress} %: {:?}", outcome.cases);
    }
}

/// Whole contexts take the longest, then dirty ones, then increments, and least what stays on the SM.
#[test]
fn policies_wait_in_the_papers_order() {
    for name in ["CP", "MRI", "GM", "KS"] {
        let subject = of_table(name);
        let chooser = at(&subject, 50);
        let of = |policy, expected| {
            preempt(&subject, &chooser, &setup(policy, 25, expected, 50)).unwrap()
        };
        let chimera = of(Policy::Chimera, 10);
        let dirty = of(Policy::ChimeraDirty, 10);
        let (pep, in_place) = (of(Policy::Pep, 20), of(Policy::PepInPlace, 20));
        let latencies = [&chimera, &dirty, &pep, &in_place].map(|outcome| outcome.latency);
        assert!(
            latencies.is_sorted_by(|left, right| left >= right),
            "{name}: {latencies:?}"
        );
        assert_eq!(
            chimera.singles.saved.context(),
            subject.whole() * subject.blocks,
            "{name}"
        );
        assert_eq!(
            (pep.bases.count, pep.increments.count, pep.singles.count),
            (subject.blocks, subject.blocks, 0)
        );
        assert!(
            pep.increments.saved.context() < chimera.singles.saved.context(),
            "{name}"
        );
        assert_eq!((pep.bases.saved.kept, pep.increments.saved.kept), (0, 0));
        assert!(in_place.increments.saved.kept > 0, "{name}");
        let room = subject.room();
        assert!(
            in_place.increments.saved.kept <= SECTORS * room.0 + room.1,
            "{name}"
        );
        // Saving is all that holds blocks up, and the engine saves one at a time.
        assert_eq!(
            pep.stopped,
            pep.bases.saved.cycles + pep.increments.saved.cycles,
            "{name}"
        );
        assert_eq!(pep.latency, pep.increments.saved.cycles, "{name}");
    }
}

/// What is varied to find out what it is worth: less of an increment, and one drain for all blocks.
#[test]
fn variations_change_what_they_name() {
    let subject = of_table("GM");
    let chooser = at(&subject, 50);
    let built = setup(Policy::Pep, 25, 20, 50);
    let of = |setup: &Setup| preempt(&subject, &chooser, setup).unwrap();
    let (here, half) = (
        of(&built),
        of(&Setup {
            most_of_base: Some(50),
            ..built
        }),
    );
    let part = |outcome: &faultline_sim::machines::preemption::Outcome| {
        outcome.increments.saved.registers as f64 / outcome.bases.saved.registers as f64
    };
    assert!(
        part(&here) > 0.6 && (0.45..0.51).contains(&part(&half)),
        "{}",
        part(&half)
    );
    let together = of(&Setup {
        stops_together: true,
        ..built
    });
    let drains = (subject.blocks - 1) * subject.drain;
    assert!(subject.drain > 100);
    assert_eq!(here.latency - together.latency, drains);
}

/// An SM issues two instructions in a cycle, however many blocks it has.
#[test]
fn blocks_issue_no_more_than_the_sm_can() {
    for entry in &TABLE_1 {
        let subject = of_table(entry.name);
        assert!(
            subject.rate() * subject.blocks as f64 <= 2.0 + 1e-9,
            "{}",
            entry.name
        );
        let least = 1000 * subject.blocks / 2;
        assert!(
            subject.warm_up() >= least.min(subject.block),
            "{}",
            entry.name
        );
    }
}

/// A kernel that comes before the bases are done finds blocks that are saved once, and one that comes late finds all bases.
#[test]
fn blocks_without_a_base_are_saved_once() {
    let subject = of_table("BS");
    let chooser = at(&subject, 25);
    let early = preempt(&subject, &chooser, &setup(Policy::Pep, 5, 20, 25)).unwrap();
    let late = preempt(&subject, &chooser, &setup(Policy::Pep, 35, 20, 25)).unwrap();
    assert_eq!(early.cases, late.cases);
    assert!(early.singles.count > 0 && early.bases.count > 0);
    assert_eq!(early.bases.count, early.increments.count);
    assert_eq!(early.singles.count + early.bases.count, subject.blocks);
    assert_eq!((late.singles.count, late.bases.count), (0, subject.blocks));
}

/// Draining costs the rest of the block, and nothing is saved.
#[test]
fn draining_takes_the_rest_of_the_block() {
    let subject = of_table("SRAD2");
    for (progress, launch) in [(25, 5), (50, 15), (75, 25)] {
        let outcome = preempt(
            &subject,
            &at(&subject, progress),
            &setup(Policy::Pep, launch, 20, progress),
        )
        .unwrap();
        let run = (subject.block * progress / 100 + launch * MHZ) % subject.block;
        assert_eq!(outcome.latency, subject.block - run);
        assert_eq!(
            (outcome.stopped, outcome.singles.count, outcome.bases.count),
            (0, 0, 0)
        );
    }
}

/// Rows alone make contexts no smaller than lanes do; what is dirty is part of the whole; a later increment has what an
/// earlier one has.
#[test]
fn measures_are_in_order() {
    KERNELS.par_iter().for_each(|(name, _)| {
        let recording = recording(name, Allocation::Given);
        for progress in [25, 50, 75] {
            let known = measure(&recording, progress, &[1, 5, 15, 35]);
            assert!(
                0.0 < known.by_lane && known.by_lane <= known.by_row,
                "{name}"
            );
            assert!(known.by_row <= known.registers, "{name}");
            let increments = known.increments.iter();
            let increments: Vec<_> = increments.map(|one| (one.by_lane, one.by_row)).collect();
            assert!(increments.iter().all(|(lane, row)| lane <= row), "{name}");
            assert!(
                increments.is_sorted_by(|a, b| a.0 <= b.0 + 1e-9),
                "{name}: {increments:?}"
            );
        }
    });
}
