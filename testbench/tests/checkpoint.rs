//! Contract tests of the checkpoint engine. Each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::cell::Cell;

use faultline_sim::preempt::checkpoint::{DOES_NOT_FIT, Inputs, Outputs, Parameters};
use faultline_sim::preempt::context_port::{Beat, Kind, Verdict};
use faultline_testbench::bench::Bench;
use faultline_testbench::blocks::checkpoint::{
    Pace, Request, Squashed, Surroundings, holds, is_back,
};
use faultline_testbench::blocks::{self, Checkpoint};
use faultline_testbench::support;

#[test]
fn matches_model() {
    support::matches_model("checkpoint");
}

/// An engine with an SM around it.
struct Engine {
    bench: Bench<Checkpoint>,
    sm: Surroundings,
    parameters: Parameters,
}

/// What became of a request.
#[derive(Clone, Debug, Default)]
struct Ended {
    verdict: u64,
    beats: u64,
    operands: u64,
    /// Cycles from the request to the verdict.
    cycles: u64,
    /// All beats of what was saved, in place or not.
    saved: Vec<Beat>,
    /// Where beats were put.
    puts: Vec<(u64, u64)>,
    /// Instructions that were offered to the pipeline.
    offered: u64,
}

impl Engine {
    fn new() -> Self {
        Self::of("32")
    }

    fn of(config: &str) -> Self {
        let bench = blocks::bench::<Checkpoint>(config).unwrap();
        let parameters = *bench.parameters();
        let sm = Surroundings::new(parameters, 5);
        let mut engine = Self {
            bench,
            sm,
            parameters,
        };
        engine.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
        engine
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = self.bench.cycle(inputs);
        outputs.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs a request to its verdict, and shows each cycle.
    fn watch(
        &mut self,
        request: &Request,
        mut look: impl FnMut(&mut Inputs, &Surroundings, u64),
        mut see: impl FnMut(&Inputs, &Outputs),
    ) -> Ended {
        let mut ended = Ended::default();
        let mut inputs = Inputs::default();
        let mut requests = true;
        self.sm.puts.clear();
        loop {
            assert!(ended.cycles < 200_000, "no verdict");
            inputs.request_valid = false;
            if requests {
                request.drive(&mut inputs);
            }
            self.sm.drive(&mut inputs);
            look(&mut inputs, &self.sm, ended.cycles);
            let outputs = self.cycle(&inputs);
            see(&inputs, &outputs);
            self.sm.observe(&inputs, &outputs);
            ended.cycles += 1;
            requests &= !outputs.request_ready;
            ended.offered += u64::from(outputs.restore_valid && inputs.restore_ready);
            if !request.restores {
                if outputs.out_valid && inputs.out_ready {
                    ended.saved.push(outputs.out_beat);
                }
                if outputs.put_valid && inputs.put_ready {
                    ended.saved.push(outputs.put_beat);
                }
            }
            if outputs.ended_valid && inputs.ended_ready {
                ended.verdict = outputs.ended_verdict;
                (ended.beats, ended.operands) = (outputs.ended_beats, outputs.ended_operands);
                ended.puts = std::mem::take(&mut self.sm.puts);
                return ended;
            }
        }
    }

    fn run(&mut self, request: &Request) -> Ended {
        self.watch(request, |_, _, _| {}, |_, _| {})
    }

    /// A block of two warps in slot 3, with 12 dirty rows, 20 beats of shared memory, a load and a store.
    fn block(&mut self) -> Request {
        for row in 0..12 {
            let lanes = [u64::from(u32::MAX), 1, 0xff00, 0x8000_0001][row as usize % 4];
            self.sm.write(40 + row, lanes);
        }
        self.fill(6, 2, (100, 20));
        self.sm.squash(3, 6, false, true);
        self.sm.squash(3, 7, true, true);
        self.sm.squash(2, 0, true, true);
        Request {
            block: 0xB10C,
            epoch: 0xE9,
            slot: 3,
            warps: (6, 7),
            groups: (5, 6),
            shared: (100, 20),
            ..Request::default()
        }
    }

    /// Fills SIMT state and shared memory.
    fn fill(&mut self, warp: u64, warps: u64, (first, count): (u64, u64)) {
        let states =
            warp << self.parameters.state_bits..(warp + warps) << self.parameters.state_bits;
        for place in states {
            self.sm.beats[2][place as usize] = self.sm.beat();
        }
        for place in first..first + count {
            self.sm.beats[1][place as usize] = self.sm.beat();
        }
    }
}

/// The same block somewhere else.
fn elsewhere(request: &Request, ended: &Ended, runs: bool) -> Request {
    Request {
        restores: true,
        runs,
        slot: 11,
        warps: (20, 21),
        groups: (200, 201),
        shared: (3000, request.shared.1),
        beats: ended.beats,
        operands: ended.operands,
        ..request.clone()
    }
}

/// Headers of a context, each with its data.
fn packets(parameters: &Parameters, context: &[Beat]) -> Vec<(u64, Beat, Vec<Beat>)> {
    let mut packets = Vec::new();
    let mut next = 0;
    while let Some(header) = context.get(next) {
        let length = parameters.port.length(header) as usize;
        let data = context[next + 1..next + 1 + length].to_vec();
        packets.push((parameters.port.kind(header), *header, data));
        next += 1 + length;
    }
    packets
}

/// G1. The stream is read here by the page alone.
#[test]
fn all_that_is_dirty_and_all_else_of_the_block_is_saved_and_nothing_else() {
    let mut engine = Engine::new();
    let request = engine.block();
    engine.sm.write(39, 1);
    engine.sm.write(56, 1);
    let sm = (engine.sm.beats.clone(), engine.sm.queue.clone());
    let ended = engine.run(&request);
    assert_eq!(ended.verdict, Verdict::Accepted as u64);
    let packets = packets(&engine.parameters, &ended.saved);
    let is_rows = |packet: &&(u64, Beat, Vec<Beat>)| packet.0 == Kind::Registers as u64;
    let lists = packets[1..].iter().take_while(is_rows).count();
    assert!(lists > 1, "the first list does not wait for all rows");
    let kinds: Vec<_> = packets.iter().map(|(kind, _, _)| *kind).collect();
    assert_eq!(kinds[lists + 1..], [3, 4, 5, 5, 5, 5, 5, 6]);
    let mut row = 0;
    for (_, list, data) in &packets[1..=lists] {
        let mut next = 0;
        for number in 0..14 {
            let half = list[1 + number / 2] >> (16 * (number % 2)) & 0xffff;
            let sectors = [0xf, 1, 2, 9][row as usize % 4];
            if half == 0 {
                break;
            }
            assert_eq!(half, row | sectors << 11);
            for sector in (0..4).filter(|sector| sectors >> sector & 1 == 1) {
                assert_eq!(data[next], sm.0[0][(160 + 4 * row + sector) as usize]);
                next += 1;
            }
            row += 1;
        }
        assert_eq!(next, data.len());
    }
    assert_eq!(row, 12);
    let packets = &packets[lists - 1..];
    assert_eq!(packets[2].2, sm.0[1][100..120]);
    assert_eq!(packets[3].2, sm.0[2][48..64]);
    let flags = |packet: usize| packets[packet].1[1];
    // The load's address, the load; the store's address and data, the store.
    assert_eq!([4, 5, 6, 7, 8].map(flags), [1, 0, 1, 3, 0b110]);
    assert_eq!(packets[4].2, sm.1[0].operands[0]);
    assert_eq!(packets[6].2, sm.1[1].operands[0]);
    assert_eq!(packets[7].2, sm.1[1].operands[1]);
    for (packet, squashed) in [(5, 0), (8, 1)] {
        assert_eq!(packets[packet].1[2..5], sm.1[squashed].words);
        assert_eq!(packets[packet].2.len(), 0);
    }
    assert_eq!((ended.operands, ended.beats), (3, ended.saved.len() as u64));
    assert_eq!(engine.sm.queue.len(), 1, "another block's stays");
    assert_eq!(
        engine.sm.dirty.len(),
        2,
        "rows around the block's stay dirty"
    );
}

/// G2. The slot drains late; the warps go on when the last beat has left.
#[test]
fn nothing_is_read_before_the_slot_has_drained_and_no_warp_goes_on_before_the_end() {
    for runs in [false, true] {
        let mut engine = Engine::new();
        let mut request = engine.block();
        request.runs = runs;
        let (mut drained, mut last, mut stopped, mut resumed) = (false, false, 0, 0);
        engine.watch(
            &request,
            |inputs, _, cycle| inputs.save_ready &= cycle >= 100,
            |inputs, outputs| {
                let reads = outputs.get_valid || outputs.walk_valid || outputs.out_valid;
                assert!(drained || !reads);
                drained |= inputs.save_ready && stopped == 2;
                stopped += u64::from(outputs.stop_valid && inputs.stop_ready);
                assert!(last || !outputs.resume_valid);
                resumed += u64::from(outputs.resume_valid && inputs.resume_ready);
                last |= outputs.out_last && inputs.out_ready;
            },
        );
        assert_eq!((stopped, resumed), (2, if runs { 2 } else { 0 }));
    }
}

/// G1, G3. A base, an increment, and both back in other places, at several paces.
#[test]
fn base_and_increment_come_back_as_the_block_was() {
    for pace in [256, 200, 60] {
        let mut engine = Engine::new();
        engine.sm.pace = Pace::all(pace);
        let mut base = engine.block();
        base.runs = true;
        let first = engine.run(&base);
        assert!(engine.sm.running[6] && engine.sm.running[7]);
        assert_eq!(
            engine.sm.queue.len(),
            3,
            "a base leaves instructions where they are"
        );
        // The block goes on.
        engine.sm.write(41, 0xffff);
        engine.sm.write(55, 2);
        engine.fill(6, 2, (100, 20));
        let leaves = Request {
            epoch: 0xEA,
            ..base.clone()
        };
        let leaves = Request {
            runs: false,
            ..leaves
        };
        // All of what is to be there at the end.
        let mut whole = engine.sm.dirty.clone();
        (40..52).for_each(|row| {
            whole.entry(row).or_insert(u64::from(u32::MAX));
        });
        let increment = engine.run(&leaves);
        assert!(!engine.sm.running[6]);
        assert!(increment.beats < first.beats + 40);
        let rows: Vec<Beat> = (160..224).map(|place| engine.sm.beats[0][place]).collect();
        let (shared, states) = (
            engine.sm.beats[1][100..120].to_vec(),
            engine.sm.beats[2][48..64].to_vec(),
        );
        for (requested, ended, runs) in [(&base, &first, false), (&leaves, &increment, true)] {
            engine.sm.read = ended.saved.clone().into();
            let verdict = engine.run(&elsewhere(requested, ended, runs)).verdict;
            assert_eq!(verdict, Verdict::Accepted as u64);
        }
        // Rows 40 to 51 and 55, with the sectors that were ever dirty.
        for (row, lanes) in whole {
            let sectors = match row {
                41 => 3,
                55 => 1,
                _ => [0xf, 1, 2, 9][row as usize % 4],
            };
            assert_ne!(lanes, 0);
            for sector in (0..4).filter(|sector| sectors >> sector & 1 == 1) {
                let (from, to) = (row - 40, 1600 + row - 40);
                let to = engine.sm.beats[0][(4 * to + sector) as usize];
                assert_eq!(
                    to,
                    rows[(4 * from + sector) as usize],
                    "row {row}, sector {sector}"
                );
            }
        }
        assert_eq!(engine.sm.beats[1][3000..3020], shared);
        assert_eq!(engine.sm.beats[2][160..176], states);
        assert!(engine.sm.running[20] && engine.sm.running[21]);
        let back = engine.sm.queue.iter().filter(|other| other.slot == 11);
        let back: Vec<_> = back.map(|other| (other.warp, other.store)).collect();
        assert_eq!(back, [(20, false), (21, true)]);
    }
}

/// G4, G5. Each 37th bit of a context; nothing of any is put anywhere else, and nothing stays in the queue.
#[test]
fn context_with_one_changed_bit_is_refused_and_touches_nobody_else() {
    let mut engine = Engine::new();
    let request = engine.block();
    let ended = engine.run(&request);
    let again = elsewhere(&request, &ended, true);
    let bits: Vec<_> = (0..ended.saved.len() * 256).step_by(37).collect();
    for bit in bits {
        let mut context = ended.saved.clone();
        context[bit / 256][bit % 256 / 32] ^= 1 << (bit % 32);
        engine.sm.read = context.into();
        engine.sm.running.fill(false);
        let refused = engine.run(&again);
        assert_ne!(refused.verdict, Verdict::Accepted as u64, "bit {bit}");
        for (space, place) in refused.puts {
            assert!(
                again.owns(&engine.parameters, space, place),
                "bit {bit}: {space} {place}"
            );
        }
        assert!(
            engine.sm.queue.iter().all(|other| other.slot != 11),
            "bit {bit}"
        );
        assert!(
            engine.sm.running.iter().all(|running| !running),
            "bit {bit}"
        );
    }
    // The engine is as it was.
    engine.sm.read = ended.saved.clone().into();
    assert_eq!(engine.run(&again).verdict, Verdict::Accepted as u64);
}

/// G4, G5. A whole context, for a block that is smaller in one way.
#[test]
fn context_that_does_not_fit_is_refused() {
    let mut engine = Engine::new();
    let request = engine.block();
    let ended = engine.run(&request);
    let fits = elsewhere(&request, &ended, true);
    let shared = |shared| Request {
        shared,
        ..fits.clone()
    };
    let warps = |warps| Request {
        warps,
        ..fits.clone()
    };
    let operands = |operands| Request {
        operands,
        ..fits.clone()
    };
    let others = [
        // What was reported when it was saved.
        Request {
            beats: ended.beats - 1,
            ..fits.clone()
        },
        operands(5),
    ];
    let smaller = [
        Request {
            groups: (200, 200),
            ..fits.clone()
        },
        shared((3000, 19)),
        shared((3000, 0)),
        warps((20, 20)),
        operands(2),
        operands(0),
    ];
    let larger = [shared((3000, 21)), warps((20, 22))];
    for other in smaller.iter().chain(&larger).chain(&others) {
        engine.sm.read = ended.saved.clone().into();
        let refused = engine.run(other);
        assert_eq!(refused.verdict, DOES_NOT_FIT, "{other:?}");
        for (space, place) in refused.puts {
            assert!(
                other.owns(&engine.parameters, space, place),
                "{other:?}: {space} {place}"
            );
        }
        assert!(engine.sm.queue.iter().all(|squashed| squashed.slot != 11));
    }
}

/// G5. A base has no SIMT state to run with, and what has no shared memory is not for a block that has some.
#[test]
fn context_that_lacks_a_part_is_refused() {
    let mut engine = Engine::new();
    let base = Request {
        runs: true,
        ..engine.block()
    };
    let ended = engine.run(&base);
    let none = Request {
        shared: (100, 0),
        runs: false,
        ..base.clone()
    };
    let without = engine.run(&none);
    let lacking = Request {
        shared: (3000, 20),
        ..elsewhere(&none, &without, true)
    };
    for (saved, requested) in [
        (&ended, elsewhere(&base, &ended, true)),
        (&without, lacking),
    ] {
        engine.sm.read = saved.saved.clone().into();
        engine.sm.running.fill(false);
        assert_eq!(engine.run(&requested).verdict, DOES_NOT_FIT);
        assert!(engine.sm.running.iter().all(|running| !running));
        assert!(engine.sm.queue.iter().all(|squashed| squashed.slot != 11));
    }
}

/// G8. A read that goes on for longer than beats can be counted ends.
#[test]
fn endless_read_ends_with_its_last_beat() {
    let mut engine = Engine::new();
    let request = engine.block();
    let ended = engine.run(&request);
    let again = Request {
        room_rows: (1000, 1),
        beats: 100,
        ..elsewhere(&request, &ended, true)
    };
    engine.sm.read = vec![[3, 0, 0, 0, 0, 0, 0, 0]; 65_600].into();
    let refused = engine.run(&again);
    assert_ne!(refused.verdict, Verdict::Accepted as u64);
    assert!(engine.sm.read.is_empty());
}

/// G6. With any room the beats are the same, and come back.
#[test]
fn in_place_and_in_memory_is_the_same() {
    let mut alone = Engine::new();
    let request = alone.block();
    let ended = alone.run(&request);
    let beats = ended.beats;
    for (rows, shared) in [
        (0, 1),
        (1, 0),
        (2, 3),
        (10, 10),
        (30, 0),
        (0, beats),
        (40, 200),
    ] {
        let mut engine = Engine::new();
        let request = Request {
            room_rows: (1000, rows),
            room_shared: (2000, shared),
            ..engine.block()
        };
        let held = holds(&engine.sm, &engine.parameters, &request);
        let in_place = engine.run(&request);
        assert_eq!(in_place.saved, ended.saved);
        let room = (4 * rows + shared).min(beats);
        assert_eq!(in_place.puts.len() as u64, room);
        let expected = (0..room).map(|beat| match beat < 4 * rows {
            true => (0, 4000 + beat),
            false => (1, 2000 + beat - 4 * rows),
        });
        assert_eq!(in_place.puts, expected.collect::<Vec<_>>());
        assert_eq!(engine.sm.left.len() as u64, beats - room);
        engine.sm.read = std::mem::take(&mut engine.sm.left).into();
        let again = elsewhere(&request, &in_place, false);
        assert_eq!(engine.run(&again).verdict, Verdict::Accepted as u64);
        assert!(is_back(&engine.sm, &engine.parameters, &again, &held));
    }
}

/// G7. All sides are ready; beats of what is dirty, shared memory and SIMT state count.
#[test]
fn saving_takes_hardly_more_cycles_than_beats() {
    for (rows, lanes, shared, most) in [
        (2000, u64::from(u32::MAX), 1500, 1.02),
        (2000, u64::from(u32::MAX), 0, 1.02),
        (100, u64::from(u32::MAX), 100, 1.05),
        (500, 0xffff, 100, 1.05),
        // A header for 14 beats.
        (1000, 1, 0, 1.08),
    ] {
        let mut engine = Engine::new();
        // Each third row is clean, where there is room.
        let step = if rows < 600 { 3 } else { 1 };
        (0..rows).for_each(|row| engine.sm.write(row * step, lanes));
        let request = Request {
            warps: (0, 7),
            groups: (0, 255),
            shared: (0, shared),
            ..Request::default()
        };
        let ended = engine.run(&request);
        let content = rows * engine.parameters.sectors_of(lanes).count_ones() as u64;
        let content = content + shared + 8 * 8;
        let limit = content as f64 * most + 60.0;
        assert!(
            (ended.cycles as f64) < limit,
            "{rows} rows, {shared} of shared memory: {} cycles for {content} beats",
            ended.cycles
        );
    }
}

/// G7. The whole context of a block that leaves: all of its share of an SM's registers, shared memory and operand log, of
/// which all is dirty and all is full, and the instructions to which the operands belong.
#[test]
fn whole_context_takes_hardly_more_cycles_than_its_bytes() {
    for (blocks, log_kb) in [(4, 16), (8, 8), (8, 16), (8, 20), (8, 32), (16, 16)] {
        let mut engine = Engine::new();
        let (rows, shared, warps) = (2048 / blocks, 3072 / blocks, 64 / blocks);
        (0..rows).for_each(|row| engine.sm.write(row, u32::MAX.into()));
        let operands = log_kb * 1024 / 256 / blocks;
        // Stores with address and data; the last one is a load if the number is odd.
        for number in 0..operands.div_ceil(2) {
            let store = 2 * number + 1 < operands;
            engine.sm.squash(3, number % warps, store, true);
        }
        let request = Request {
            slot: 3,
            warps: (0, warps - 1),
            groups: (0, rows / 8 - 1),
            shared: (0, shared),
            ..Request::default()
        };
        let ended = engine.run(&request);
        assert_eq!(ended.operands, operands);
        let content = rows * 4 + shared + warps * 8 + operands * 8 + operands.div_ceil(2);
        let ratio = ended.cycles as f64 / content as f64;
        println!("{blocks} blocks, {log_kb} KB: {ratio:.3} x {content} beats");
        assert!(
            ratio < 1.05,
            "{blocks} blocks, {log_kb} KB: {ratio:.3} x {content} beats"
        );
    }
}

/// A packet of a context that no engine has saved.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// The SIMT state of all warps.
    States,
    Shared,
    Address,
    Data,
    /// An address with so many beats.
    Beats(u64),
    Load,
    Store,
}

/// A context of these packets, whose end has the right count and check, and the request for which it is right.
fn composed(parameters: &Parameters, parts: &[Part]) -> (Vec<Beat>, Request) {
    let port = &parameters.port;
    let mut request = Request {
        restores: true,
        block: 0xB10C,
        epoch: 0xE9,
        slot: 3,
        warps: (6, 6),
        ..Request::default()
    };
    let mut beats = vec![port.begin(request.block, request.epoch)];
    let mut packet = |kind, length, detail| {
        let header = parameters.header(kind, length, &[detail]);
        beats.push(port.with_block(&header, request.block));
        beats.extend((0..length).map(|number| [number; 8]));
    };
    let operand = 1 << parameters.operand_bits;
    for part in parts {
        match part {
            Part::States => packet(Kind::SimtState, 1 << parameters.state_bits, 0),
            Part::Shared => packet(Kind::SharedMemory, 2, 0),
            Part::Address => packet(Kind::Instruction, operand, 0b01),
            Part::Data => packet(Kind::Instruction, operand, 0b11),
            Part::Beats(length) => packet(Kind::Instruction, *length, 0b01),
            Part::Load => packet(Kind::Instruction, 0, 0b00),
            Part::Store => packet(Kind::Instruction, 0, 0b10),
        }
        match part {
            Part::Shared => request.shared = (100, 2),
            Part::Load => request.operands += 1,
            Part::Store => request.operands += 2,
            _ => {}
        }
    }
    beats.push(port.end(request.block, &beats));
    request.beats = beats.len() as u64;
    (beats, request)
}

/// G3, G8. A load comes behind its address, a store behind its address and data, in this order. What comes otherwise does not
/// fit, though count, check and numbers are right; no instruction is offered without its operands, nor any behind what does
/// not fit.
#[test]
fn instruction_without_its_operands_does_not_fit_and_is_not_offered() {
    use Part::{Address, Beats, Data, Load, Shared, States, Store};
    let cases: &[(&[Part], u64, u64)] = &[
        (&[States, Address, Load], 0, 1),
        (&[Address, Data, Store, Address, Load, Shared], 0, 2),
        (&[], 0, 0),
        (&[States, Load], DOES_NOT_FIT, 0),
        (&[Store], DOES_NOT_FIT, 0),
        (&[Address, Store], DOES_NOT_FIT, 0),
        (&[Data, Store], DOES_NOT_FIT, 0),
        (&[Address, Data, Load], DOES_NOT_FIT, 0),
        (&[Data, Address, Store], DOES_NOT_FIT, 0),
        (&[Address, Address, Load], DOES_NOT_FIT, 0),
        (&[Address, Address, Data, Store], DOES_NOT_FIT, 0),
        (&[Address, Data, Data, Store], DOES_NOT_FIT, 0),
        (&[Address, Data, Address, Store], DOES_NOT_FIT, 0),
        (&[Address, States, Load], DOES_NOT_FIT, 0),
        (&[Address, Shared, Address, Load], DOES_NOT_FIT, 0),
        (&[Address], DOES_NOT_FIT, 0),
        (&[Address, Load, Address, Data], DOES_NOT_FIT, 1),
        (&[Address, Load, Load], DOES_NOT_FIT, 1),
        (&[Address, Load, Load, Address, Load], DOES_NOT_FIT, 1),
        (&[Beats(7), Load], DOES_NOT_FIT, 0),
        (&[Beats(9), Load], DOES_NOT_FIT, 0),
        (&[Beats(7), Data, Store], DOES_NOT_FIT, 0),
    ];
    let mut engine = Engine::new();
    for (parts, verdict, offered) in cases {
        let (context, request) = composed(&engine.parameters, parts);
        engine.sm.read = context.into();
        let ended = engine.run(&request);
        assert_eq!(
            (ended.verdict, ended.offered),
            (*verdict, *offered),
            "{parts:?}"
        );
        let stays = |other: &Squashed| other.slot == request.slot;
        let stay = engine.sm.queue.iter().filter(|other| stays(other)).count() as u64;
        assert_eq!(stay, if *verdict == 0 { *offered } else { 0 }, "{parts:?}");
        engine.sm.queue.clear();
    }
}

/// G3. Without an operand log no instruction has operands in the context; with any it does not fit.
#[test]
fn instructions_of_a_pipeline_without_a_log_come_back_without_operands() {
    use Part::{Address, Data, Load, Shared, States, Store};
    let cases: &[(&[Part], u64, u64)] = &[
        (&[States, Load], 0, 1),
        (&[Load, Store, Shared, Load], 0, 3),
        (&[Address, Load], DOES_NOT_FIT, 0),
        (&[Load, Address, Data, Store], DOES_NOT_FIT, 1),
        (&[Load, Address], DOES_NOT_FIT, 1),
    ];
    let mut engine = Engine::new();
    for (parts, verdict, offered) in cases {
        let (context, request) = composed(&engine.parameters, parts);
        engine.sm.read = context.into();
        let ended = engine.run(&Request {
            unlogged: true,
            ..request
        });
        assert_eq!(
            (ended.verdict, ended.offered),
            (*verdict, *offered),
            "{parts:?}"
        );
        engine.sm.queue.clear();
    }
}

/// G1, G5, G8. `save_done` before `save` was taken, for a cycle or for all of them, ends nothing.
#[test]
fn save_done_counts_only_once_save_was_taken() {
    let runs = |engine: &mut Engine, request: &Request, early: &dyn Fn(u64) -> bool| {
        let taken = Cell::new(false);
        engine.watch(
            request,
            |inputs, _, cycle| inputs.save_done |= !taken.get() && early(cycle),
            |inputs, outputs| taken.set(taken.get() || outputs.save_valid && inputs.save_ready),
        )
    };
    let mut engine = Engine::new();
    let mut request = engine.block();
    let first = runs(&mut engine, &request, &|_| false);
    assert_eq!(first.operands, 3);
    let cycles = 1..first.cycles;
    for early in cycles.step_by(5).map(Some).chain([None]) {
        let mut engine = Engine::new();
        request = engine.block();
        let ended = runs(&mut engine, &request, &|cycle| {
            early.is_none_or(|early| cycle == early)
        });
        assert_eq!(ended.operands, 3, "{early:?}");
        assert_eq!(ended.saved, first.saved, "{early:?}");
        assert!(engine.sm.queue.iter().all(|other| other.slot != 3));
    }
    // A refusal.
    let again = Request {
        operands: 4,
        ..elsewhere(&request, &first, true)
    };
    for early in (1..first.cycles).step_by(5).map(Some).chain([None]) {
        engine.sm.read = first.saved.clone().into();
        let refused = runs(&mut engine, &again, &|cycle| {
            early.is_none_or(|early| cycle == early)
        });
        assert_eq!((refused.verdict, refused.offered), (DOES_NOT_FIT, 2));
        let stays = |other: &Squashed| other.slot == again.slot;
        assert!(!engine.sm.queue.iter().any(stays), "{early:?}");
    }
}

/// What is on offer, and what it shows of it.
fn offers(outputs: &Outputs) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        (outputs.stop_valid, outputs.stop_warp),
        (outputs.resume_valid, outputs.resume_warp),
        outputs.save_valid,
        (outputs.restore_valid, outputs.restore_warp),
        outputs.walk_valid,
        (outputs.get_valid, outputs.get_space, outputs.get_place),
        (outputs.put_valid, outputs.put_space, outputs.put_place),
        (outputs.out_valid, outputs.out_last),
        outputs.out_valid.then_some(outputs.out_beat),
        outputs.ended_valid,
    )
}

/// An offer does not wait for a `ready`: in each cycle of a save, in memory and in place, and of a restore, it is the
/// same whether all of the others are ready in that cycle or none is.
#[test]
fn no_offer_depends_on_who_is_ready_in_the_same_cycle() {
    let mut engine = Engine::of("proof");
    engine.sm.pace = Pace::all(128);
    let mut request = Request {
        block: 1,
        slot: 3,
        warps: (0, 1),
        groups: (0, 1),
        shared: (0, 1),
        room_shared: (2, 1),
        ..Request::default()
    };
    for row in 0..3 {
        engine.sm.write(row, 0b1011);
    }
    engine.fill(0, 2, request.shared);
    engine.sm.squash(3, 1, true, true);
    let mut all = vec![Vec::new()];
    let mut record = |engine: &mut Engine, request: &Request| {
        let frames = all.last_mut().unwrap();
        let see =
            |inputs: &Inputs, outputs: &Outputs| frames.push((inputs.clone(), offers(outputs)));
        let ended = engine.watch(request, |_, _, _| {}, see);
        all.push(Vec::new());
        ended
    };
    let ended = record(&mut engine, &request);
    engine.sm.read = engine.sm.left.clone().into();
    request = Request {
        restores: true,
        beats: ended.beats,
        operands: ended.operands,
        room_shared: (2, 1),
        ..request
    };
    let back = record(&mut engine, &request);
    assert_eq!((ended.verdict, back.verdict), (0, 0));
    for frames in all {
        for (last, (_, shown)) in frames.iter().enumerate() {
            for ready in [false, true] {
                engine.cycle(&Inputs {
                    reset: true,
                    ..Inputs::default()
                });
                for (inputs, _) in &frames[..last] {
                    engine.cycle(inputs);
                }
                let outputs = engine.cycle(&Inputs {
                    stop_ready: ready,
                    resume_ready: ready,
                    save_ready: ready,
                    restore_ready: ready,
                    walk_ready: ready,
                    get_ready: ready,
                    put_ready: ready,
                    out_ready: ready,
                    ended_ready: ready,
                    ..frames[last].0.clone()
                });
                assert_eq!(&offers(&outputs), shown, "cycle {last}, ready: {ready}");
            }
        }
    }
}

/// G8. A request waits for its turn; each has one verdict.
#[test]
fn each_request_has_one_verdict_in_its_turn() {
    let mut engine = Engine::new();
    let request = engine.block();
    let (mut requested, mut ended) = (0, 0);
    let mut inputs = Inputs::default();
    for _ in 0..3000 {
        request.drive(&mut inputs);
        engine.sm.drive(&mut inputs);
        let outputs = engine.cycle(&inputs);
        engine.sm.observe(&inputs, &outputs);
        if outputs.request_ready {
            assert_eq!(requested, ended);
            requested += 1;
        }
        ended += u64::from(outputs.ended_valid && inputs.ended_ready);
    }
    assert!(requested > 10 && requested - ended < 2);
    inputs.request_valid = false;
    for _ in 0..1000 {
        engine.sm.drive(&mut inputs);
        let outputs = engine.cycle(&inputs);
        engine.sm.observe(&inputs, &outputs);
        ended += u64::from(outputs.ended_valid && inputs.ended_ready);
    }
    assert_eq!(requested, ended);
}

/// G8. A packet that memory gives twice is an instruction more than the log had room for: it is not even offered.
#[test]
fn instruction_beyond_what_the_log_had_is_not_offered() {
    let mut engine = Engine::new();
    let request = engine.block();
    let ended = engine.run(&request);
    let parts = packets(&engine.parameters, &ended.saved);
    let end = ended.saved.len() - 1;
    let load: usize = parts[4..6].iter().map(|(_, _, data)| 1 + data.len()).sum();
    let start: usize = parts[..4].iter().map(|(_, _, data)| 1 + data.len()).sum();
    let mut context = ended.saved[..end].to_vec();
    for _ in 0..5 {
        context.extend_from_slice(&ended.saved[start..start + load]);
    }
    context.push(ended.saved[end]);
    engine.sm.read = context.into();
    let refused = engine.run(&elsewhere(&request, &ended, false));
    assert_eq!(refused.verdict, Verdict::WrongCheck as u64);
    assert_eq!(refused.offered, 2);
    assert_eq!(
        engine.parameters.port.kind(&ended.saved[end]),
        Kind::End as u64
    );
}

/// G8. Loads alone have one operand each, so the numbers are those of twice as many as the replay queue has entries: what comes
/// beyond its entries would wait for itself.
#[test]
fn no_more_instructions_are_offered_than_the_queue_has_entries() {
    let mut engine = Engine::new();
    let entries = engine.parameters.queue_entries;
    let mut request = Request {
        unlogged: true,
        ..engine.block()
    };
    engine.sm.queue.clear();
    for _ in 0..entries {
        engine.sm.squash(request.slot, request.warps.0, true, false);
    }
    let ended = engine.run(&request);
    let end = ended.saved.len() - 1;
    let header = (0..end)
        .rev()
        .find(|&place| engine.parameters.port.kind(&ended.saved[place]) == Kind::Instruction as u64)
        .unwrap();
    let mut load = ended.saved[header];
    load[1] &= !2;
    let mut context = ended.saved[..end].to_vec();
    context.retain(|beat| *beat != ended.saved[header]);
    context.extend(vec![load; 2 * entries as usize]);
    context.push(ended.saved[end]);
    engine.sm.read = context.into();
    request = elsewhere(&request, &ended, false);
    assert!(request.operands > entries + 1, "the queue is the limit");
    let refused = engine.run(&request);
    assert_eq!(refused.verdict, Verdict::WrongCheck as u64);
    assert_eq!(refused.offered, entries);
    assert!(
        engine
            .sm
            .queue
            .iter()
            .all(|other| other.slot != request.slot)
    );
}
