//! Contract tests of the context port. Each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::preempt::context_port::{Beat, Kind, Parameters, Verdict, WORDS};
use faultline_testbench::support;
use faultline_testbench::support::port::{Port, packets};
use faultline_testbench::traffic::Rng;

/// The block and the epoch of the tests' contexts.
const BLOCK: u64 = 0xB10C;
const EPOCH: u64 = 0xE9;

#[test]
fn matches_model() {
    support::matches_model("context_port");
}

/// A context as it lies in memory: 6 packets, two of them without data, 15 beats in all.
fn short() -> (Parameters, Vec<Beat>) {
    let mut port = Port::new("32");
    let parameters = port.parameters();
    let given = packets(&parameters, &mut Rng::new(3), &[0, 2, 1, 3, 0, 1]);
    let (left, _) = port.save(BLOCK, EPOCH, &given);
    assert_eq!(left.len(), 15);
    (parameters, left)
}

/// What is reported of a context that was given so: its headers have the block's number, and its end is not reported.
fn stamped(parameters: &Parameters, given: &[Beat], block: u64) -> Vec<Beat> {
    let mut beats = given[..given.len() - 1].to_vec();
    let mut header = 0;
    while header < beats.len() {
        let length = parameters.length(&beats[header]) as usize;
        beats[header] = parameters.with_block(&beats[header], block);
        header += 1 + length;
    }
    beats
}

/// What is reported of a context when all of it is.
fn content(context: &[Beat]) -> &[Beat] {
    &context[1..context.len() - 1]
}

/// G1. The check is the remainder of all words as one polynomial, each two bits above the next and the last two bits up, by
/// long division.
#[test]
fn what_leaves_is_a_begin_the_packets_and_an_end() {
    let mut port = Port::new("32");
    let header = [0xFFFF | 2 << 16 | 1 << 19, 11, 22, 33, 44, 55, 66, 77];
    let data = [0xFFFF_FFFF, 0x8000_0000, 1, 2, 3, 4, 5, 6];
    let end = [6 << 16 | 0xFFF8_1234, 9, 9, 9, 9, 9, 9, 9];
    let (left, _) = port.save(0x1234, 0x56, &[header, data, end]);
    let begin = [0x1234 | 1 << 16, 0x56, 0, 0, 0, 0, 0, 0];
    let mut stamped = header;
    stamped[0] = 0x1234 | 2 << 16 | 1 << 19;
    assert_eq!(left[..3], [begin, stamped, data]);
    assert_eq!(left[3][..2], [0x1234 | 6 << 16, 3]);
    assert_eq!(left[3][3..], [0; 5]);
    assert_eq!(left.len(), 4);
    let words = [begin, stamped, data].concat();
    let mut sum = vec![0_u8; 33 + 2 * words.len()];
    for (number, word) in words.iter().enumerate() {
        let place = 2 * (words.len() - number);
        (0..32).for_each(|bit| sum[place + bit] ^= (word >> bit & 1) as u8);
    }
    for top in (32..sum.len()).rev() {
        if sum[top] == 1 {
            for term in [32, 22, 2, 1, 0] {
                sum[top - 32 + term] ^= 1;
            }
        }
    }
    let remainder: u64 = (0..32).map(|bit| u64::from(sum[bit]) << bit).sum();
    assert_eq!(left[3][2], remainder);
}

/// G4: through two ports, one behind the other, whichever waits for the other.
#[test]
fn what_was_saved_comes_back() {
    let mut rng = Rng::new(5);
    let (mut saver, mut restorer) = (Port::new("32"), Port::new("32"));
    let parameters = saver.parameters();
    for (pace, lengths) in [
        (256, &[3, 60, 0, 8][..]),
        (200, &[56, 56, 8, 8, 1, 0, 2]),
        (128, &[]),
        (128, &[7, 0, 0, 33, 8, 8]),
        (40, &[1, 2, 3, 4, 5]),
    ] {
        let given = packets(&parameters, &mut rng, lengths);
        let (block, epoch) = (rng.below(1 << 16), rng.below(1 << 8));
        (saver.pace, restorer.pace) = (pace, pace);
        saver.begin(false, block, epoch);
        restorer.begin(true, block, epoch);
        let (mut link, mut reported) = (Vec::new(), Vec::new());
        let (mut sent, mut taken, mut ended) = (0, 0, [false; 2]);
        while ended != [true; 2] {
            assert!(saver.cycle < 100_000, "no end");
            saver.pace();
            restorer.pace();
            saver.inputs.out_ready &= link.len() < taken + 2; // a short way
            saver.give(&given, sent);
            let (offered, ready) = (saver.inputs.packet_valid, saver.inputs.out_ready);
            saver.inputs.ended_ready &= !ended[0];
            let heard = saver.inputs.ended_ready;
            if let Some(&(beat, last)) = link.get(taken) {
                let inputs = &mut restorer.inputs;
                (inputs.in_valid, inputs.in_beat, inputs.in_last) = (true, beat, last);
            }
            let outputs = saver.cycle();
            sent += usize::from(offered && outputs.packet_ready);
            ended[0] |= outputs.ended_valid && heard;
            if outputs.out_valid && ready {
                link.push((outputs.out_beat, outputs.out_last));
            }
            let (offered, ready) = (restorer.inputs.in_valid, restorer.inputs.found_ready);
            restorer.inputs.ended_ready &= !ended[1];
            let heard = restorer.inputs.ended_ready;
            let outputs = restorer.cycle();
            taken += usize::from(offered && outputs.in_ready);
            if outputs.found_valid && ready {
                reported.push(outputs.found_beat);
            }
            if outputs.ended_valid && heard {
                assert_eq!(outputs.ended_verdict, Verdict::Accepted as u64);
                ended[1] = true;
            }
        }
        assert_eq!(reported, stamped(&parameters, &given, block));
    }
}

/// G2, G3: nothing is reported that belongs to another one.
#[test]
fn context_of_another_block_is_refused_before_anything_is_reported() {
    let (_, context) = short();
    let mut port = Port::new("32");
    for bit in 0..16 {
        let found = port.restore(BLOCK ^ 1 << bit, EPOCH, &context);
        assert_eq!(found.verdict, Verdict::AnotherBlock, "bit {bit}");
        assert_eq!((found.reported.len(), found.taken), (0, context.len()));
    }
    for bit in 0..8 {
        let found = port.restore(BLOCK, EPOCH ^ 1 << bit, &context);
        assert_eq!(found.verdict, Verdict::AnotherEpoch, "bit {bit}");
        assert_eq!((found.reported.len(), found.taken), (0, context.len()));
    }
    let found = port.restore(BLOCK ^ 1, EPOCH ^ 1, &context);
    assert_eq!(found.verdict, Verdict::AnotherBlock);
}

/// G2: memory that was never written, and the middle of a context.
#[test]
fn what_does_not_begin_like_a_context_is_none() {
    let (parameters, context) = short();
    let mut port = Port::new("32");
    let zeros = [[0; WORDS]; 5];
    let ones = [[parameters.most(); WORDS]; 5];
    for read in [&zeros[..], &ones, &context[1..], &context[14..]] {
        let found = port.restore(0, 0, read);
        assert_eq!(found.verdict, Verdict::NotAContext);
        assert_eq!((found.reported.len(), found.taken), (0, read.len()));
    }
    // A begin with anything else in it.
    for bit in (16..32).chain(40..256) {
        let mut read = context.clone();
        read[0][bit / 32] ^= 1 << (bit % 32);
        let found = port.restore(BLOCK, EPOCH, &read);
        assert_eq!(found.verdict, Verdict::NotAContext, "bit {bit}");
        assert_eq!(found.reported.len(), 0);
    }
}

/// G3.
#[test]
fn context_that_is_cut_at_any_beat_is_refused() {
    let (_, context) = short();
    for pace in [256, 100] {
        let mut port = Port::new("32");
        port.pace = pace;
        for beats in 1..context.len() {
            let found = port.restore(BLOCK, EPOCH, &context[..beats]);
            assert_eq!(found.verdict, Verdict::Truncated, "{beats} beats");
            assert_eq!(found.reported, context[1..beats.max(2) - 1]);
            assert_eq!(found.taken, beats);
        }
        let found = port.restore(BLOCK, EPOCH, &context);
        assert_eq!(found.verdict, Verdict::Accepted);
        assert_eq!(found.reported, content(&context));
    }
}

/// G3: beats after the end, though they be another context.
#[test]
fn context_that_goes_on_is_refused() {
    let (_, context) = short();
    let mut port = Port::new("32");
    for more in 1..=context.len() {
        let read = [&context[..], &context[..more]].concat();
        let found = port.restore(BLOCK, EPOCH, &read);
        assert_eq!(found.verdict, Verdict::BeyondTheEnd);
        assert_eq!(found.reported, content(&context));
        assert_eq!(found.taken, read.len());
    }
}

/// G3: each beat lost, each doubled, each two exchanged, words of a beat exchanged, and each word with the check.
#[test]
fn context_with_beats_out_of_order_is_refused() {
    let (_, context) = short();
    let mut port = Port::new("32");
    let mut refused = |read: &[Beat], what: String| {
        let found = port.restore(BLOCK, EPOCH, read);
        assert_ne!(found.verdict, Verdict::Accepted, "{what}");
        assert_eq!(found.taken, read.len(), "{what}");
    };
    for at in 0..context.len() {
        let mut lost = context.clone();
        lost.remove(at);
        refused(&lost, format!("without beat {at}"));
        let mut doubled = context.clone();
        doubled.insert(at, context[at]);
        refused(&doubled, format!("beat {at} twice"));
        for other in at + 1..context.len() {
            let mut exchanged = context.clone();
            exchanged.swap(at, other);
            refused(&exchanged, format!("beats {at} and {other} exchanged"));
        }
        for (one, other) in [(0, 1), (1, 7), (2, 3), (6, 7)] {
            let mut exchanged = context.clone();
            exchanged[at].swap(one, other);
            if exchanged != context {
                refused(&exchanged, format!("words {one} and {other} of {at}"));
            }
        }
        for word in 0..8 {
            let mut exchanged = context.clone();
            (exchanged[at][word], exchanged[14][2]) = (context[14][2], context[at][word]);
            if exchanged != context {
                refused(&exchanged, format!("the check and word {word} of {at}"));
            }
        }
    }
}

/// G3: what GPU programs write is no random data: in these rows the words of four beats follow from each other by a move
/// up by a bit. Each beat is told from each other one of its row, and from one of zeros.
#[test]
fn rows_that_follow_the_lanes_have_beats_of_their_own() {
    let mut port = Port::new("32");
    let rows: [fn(u64) -> u64; 5] = [
        |lane| 1 << lane,
        |lane| (1 << lane) - 1,
        |lane| !((1 << lane) - 1) & 0xFFFF_FFFF,
        |lane| lane,
        |lane| 0x7F00_1000 + 4 * lane,
    ];
    for (number, row) in rows.into_iter().enumerate() {
        let beat = |sector: u64| std::array::from_fn(|word| row(8 * sector + word as u64));
        let beats = [beat(0), beat(1), beat(2), beat(3)];
        let header = [2 << 16 | 4 << 19, 0, 0, 0, 0, 0, 0, 0];
        let end = [6 << 16, 0, 0, 0, 0, 0, 0, 0];
        let packets = [&[header][..], &beats, &[end]].concat();
        let (left, _) = port.save(BLOCK, EPOCH, &packets);
        assert_eq!(port.restore(BLOCK, EPOCH, &left).verdict, Verdict::Accepted);
        for at in 2..6 {
            let others = (2..6).filter(|&other| other != at).map(|other| left[other]);
            for other in others.chain([[0; 8]]) {
                let mut damaged = left.clone();
                damaged[at] = other;
                let found = port.restore(BLOCK, EPOCH, &damaged);
                let is_same = damaged == left;
                assert_eq!(
                    found.verdict == Verdict::Accepted,
                    is_same,
                    "row {number}, beat {at}"
                );
            }
        }
        for (one, other) in [(2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5)] {
            let mut exchanged = left.clone();
            exchanged.swap(one, other);
            let found = port.restore(BLOCK, EPOCH, &exchanged);
            assert_ne!(
                found.verdict,
                Verdict::Accepted,
                "row {number}, {one} and {other}"
            );
        }
        let mut zeros = left.clone();
        zeros[2..6].fill([0; 8]);
        let found = port.restore(BLOCK, EPOCH, &zeros);
        assert_ne!(found.verdict, Verdict::Accepted, "row {number}, zeros");
    }
}

/// G3: every bit of every beat.
#[test]
fn context_with_any_bit_changed_is_refused() {
    let (_, context) = short();
    let mut port = Port::new("32");
    for at in 0..context.len() {
        for bit in 0..256 {
            let mut changed = context.clone();
            changed[at][bit / 32] ^= 1 << (bit % 32);
            let found = port.restore(BLOCK, EPOCH, &changed);
            assert_ne!(found.verdict, Verdict::Accepted, "beat {at}, bit {bit}");
            let before = at.saturating_sub(1);
            assert_eq!(found.reported[..before], content(&context)[..before]);
        }
    }
}

/// G3: of a long context, one word is any other one, or two words at any places are exchanged.
#[test]
fn long_context_with_a_word_changed_is_refused() {
    let mut port = Port::new("32");
    let parameters = port.parameters();
    let mut rng = Rng::new(11);
    let given = packets(&parameters, &mut rng, &[56, 56, 56, 100, 8, 8, 16, 1]);
    let (context, _) = port.save(BLOCK, EPOCH, &given);
    for _ in 0..60 {
        let word = |rng: &mut Rng| {
            let beat = rng.below(context.len() as u64) as usize;
            (beat, rng.below(8) as usize)
        };
        let (one, other) = (word(&mut rng), word(&mut rng));
        let mut changed = context.clone();
        match rng.below(2) {
            0 => changed[one.0][one.1] ^= 1 + rng.below(parameters.most()),
            _ => {
                changed[one.0][one.1] = context[other.0][other.1];
                changed[other.0][other.1] = context[one.0][one.1];
            }
        }
        let found = port.restore(BLOCK, EPOCH, &changed);
        let same = changed == context;
        assert_eq!(
            found.verdict == Verdict::Accepted,
            same,
            "{one:?} {other:?}"
        );
    }
}

/// G3: kinds that are not defined, a begin in the middle, and a packet of another block.
#[test]
fn headers_that_do_not_belong_there_are_refused() {
    let (parameters, context) = short();
    let mut port = Port::new("32");
    for kind in [0, Kind::Begin as u64, 7] {
        let mut read = context.clone();
        read[2][0] = parameters.header(BLOCK, kind, 2)[0];
        let found = port.restore(BLOCK, EPOCH, &read);
        assert_eq!(found.verdict, Verdict::UnknownKind, "{kind}");
        assert_eq!(found.reported, context[1..2]);
        read[2][0] = parameters.header(BLOCK ^ 1, kind, 2)[0];
        let found = port.restore(BLOCK, EPOCH, &read);
        assert_eq!(found.verdict, Verdict::UnknownKind, "{kind}");
    }
    for place in [1, 2, 5, 14] {
        let mut read = context.clone();
        read[place] = parameters.with_block(&context[place], BLOCK ^ 0x8000);
        let found = port.restore(BLOCK, EPOCH, &read);
        assert_eq!(found.verdict, Verdict::AnotherBlock, "{place}");
        assert_eq!(found.reported, context[1..place]);
    }
}

/// G3: an end with anything else in it, and one that comes early with a right check of what was before.
#[test]
fn end_must_be_about_what_came() {
    let (parameters, context) = short();
    let mut port = Port::new("32");
    for bit in 19..256 {
        let mut read = context.clone();
        read[14][bit / 32] ^= 1 << (bit % 32);
        let found = port.restore(BLOCK, EPOCH, &read);
        assert_eq!(found.verdict, Verdict::WrongCheck, "bit {bit}");
        assert_eq!(found.reported, content(&context));
    }
    let early = [&context[..2], &[parameters.end(BLOCK, &context[..2])]].concat();
    let found = port.restore(BLOCK, EPOCH, &early);
    assert_eq!(found.verdict, Verdict::Accepted, "that is a context");
    let inside = [&early[..], &context[2..]].concat();
    let found = port.restore(BLOCK, EPOCH, &inside);
    assert_eq!(found.verdict, Verdict::BeyondTheEnd);
}

/// G1, G4: the count goes on at 0 after its greatest number, in the small configuration after 7.
#[test]
fn count_of_a_long_context_goes_around() {
    let mut port = Port::new("proof");
    let parameters = port.parameters();
    let count = 1 << parameters.count_bits;
    for beats in [count - 1, count, count + 1, 2 * count + 3] {
        // The begin is one of them, and packets without data are the others.
        let lengths = vec![0; beats as usize - 1];
        let given = packets(&parameters, &mut Rng::new(beats), &lengths);
        let (context, _) = port.save(1, 2, &given);
        let end = context.last().unwrap();
        assert_eq!(end[1], beats % count);
        assert_eq!(*end, parameters.end(1, &context[..context.len() - 1]));
        let found = port.restore(1, 2, &context);
        assert_eq!(found.verdict, Verdict::Accepted, "{beats} beats");
        assert_eq!(found.reported.len(), lengths.len());
    }
}

/// A reset ends no read: what is left of it is taken for the next context.
#[test]
fn rest_of_a_read_after_a_reset_is_the_next_context() {
    let (_, context) = short();
    let mut port = Port::new("32");
    port.begin(true, BLOCK, EPOCH);
    port.read(&context, 0);
    while port.inputs.in_valid {
        port.cycle();
    }
    port.reset();
    let found = port.restore(BLOCK, EPOCH, &context[1..]);
    assert_eq!(found.verdict, Verdict::NotAContext);
    assert_eq!(found.taken, context.len() - 1);
}

/// G5, G7.
#[test]
fn each_begin_has_one_verdict_and_it_holds() {
    let (_, context) = short();
    let mut port = Port::new("32");
    for (beats, verdict) in [(15, Verdict::Accepted), (4, Verdict::Truncated)] {
        port.begin(true, BLOCK, EPOCH);
        port.inputs.found_ready = true;
        let mut taken = 0;
        let first = loop {
            port.read(&context[..beats], taken);
            let offered = port.inputs.in_valid;
            let outputs = port.cycle();
            taken += usize::from(offered && outputs.in_ready);
            if outputs.ended_valid {
                break outputs;
            }
        };
        assert_eq!(first.ended_verdict, verdict as u64);
        port.inputs.begin_valid = true;
        for _ in 0..9 {
            let outputs = port.cycle();
            assert_eq!(outputs, first, "and no other context begins");
        }
        port.inputs.begin_valid = false;
        port.inputs.ended_ready = true;
        assert_eq!(port.cycle(), first);
        for _ in 0..20 {
            let outputs = port.cycle();
            assert!(!outputs.ended_valid && outputs.begin_ready);
        }
        port.inputs.ended_ready = false;
    }
}

/// G6: a context of 352 KB, all that an SM has, with headers, begin and end, and the same back.
#[test]
fn a_beat_leaves_or_comes_in_each_cycle() {
    let mut port = Port::new("32");
    let parameters = port.parameters();
    let rows = [56; 146]; // of 2,044 rows of registers
    let mut lengths = rows.to_vec();
    lengths.extend([16, 3072]); // four more, and shared memory
    let given = packets(&parameters, &mut Rng::new(1), &lengths);
    let data: u64 = lengths.iter().sum();
    assert_eq!(data * 32, 352 * 1024);
    let beats = data + 148 + 2;
    let (context, cycles) = port.save(1, 0, &given);
    assert_eq!(context.len() as u64, beats);
    assert_eq!(cycles, beats + 2, "the begin itself, and the verdict");
    let found = port.restore(1, 0, &context);
    assert_eq!(found.verdict, Verdict::Accepted);
    assert_eq!(
        found.cycles,
        beats + 3,
        "the begin, a register, the verdict"
    );
}

/// G7.
#[test]
fn offers_hold_until_they_are_taken() {
    let (_, context) = short();
    let mut port = Port::new("32");
    port.begin(true, BLOCK, EPOCH);
    for (taken, beat) in context.iter().enumerate().take(4) {
        port.read(&context, taken);
        assert!(port.cycle().in_ready);
        if taken == 0 {
            continue; // the begin is not reported
        }
        for _ in 0..5 {
            let outputs = port.cycle();
            assert!(outputs.found_valid && !outputs.in_ready);
            assert_eq!(outputs.found_beat, *beat);
            assert_eq!(outputs.found_header, taken == 1 || taken == 2);
        }
        port.inputs.found_ready = true;
        assert!(port.cycle().found_valid);
        port.inputs.found_ready = false;
        assert!(!port.cycle().found_valid);
    }
    port.reset();
    port.begin(false, BLOCK, EPOCH);
    for (number, beat) in context.iter().enumerate().take(3) {
        for _ in 0..5 {
            let outputs = port.cycle();
            assert!(outputs.out_valid && !outputs.packet_ready && !outputs.out_last);
            assert_eq!(outputs.out_beat, *beat);
        }
        port.inputs.out_ready = true;
        port.give(&context[1..], number);
        assert!(port.cycle().packet_ready);
        port.inputs.out_ready = false;
    }
}

/// G8: with the next read right behind, of which nothing is taken before its begin.
#[test]
fn rest_of_a_refused_read_is_not_the_next_context() {
    let (_, context) = short();
    let mut port = Port::new("32");
    let mut inner = context.clone();
    inner[1] = [0; WORDS]; // refused here, and what follows is a whole context
    inner.splice(2..2, context.iter().copied());
    for read in [
        &inner[..],
        &context[..3],
        &context[2..],
        &context[..1],
        &context,
    ] {
        let found = port.restore(BLOCK, EPOCH, read);
        assert_eq!(found.verdict == Verdict::Accepted, read == context);
        assert_eq!(found.taken, read.len());
        port.read(&context, 0);
        for _ in 0..10 {
            let outputs = port.cycle();
            assert!(!outputs.in_ready && !outputs.found_valid && outputs.begin_ready);
        }
        let found = port.restore(BLOCK, EPOCH, &context);
        assert_eq!(found.verdict, Verdict::Accepted);
        assert_eq!(found.reported, content(&context));
    }
}

/// A context that was cut off by a reset is nothing any more, wherever it was.
#[test]
fn reset_forgets_everything() {
    let (parameters, context) = short();
    let mut port = Port::new("32");
    for cycles in 0..20 {
        for restores in [false, true] {
            port.begin(restores, BLOCK, EPOCH);
            (port.inputs.out_ready, port.inputs.found_ready) = (true, true);
            let mut moved = 0;
            for _ in 0..cycles {
                match restores {
                    true => port.read(&context, moved),
                    false => port.give(&context[1..], moved),
                }
                let offered = port.inputs.in_valid || port.inputs.packet_valid;
                let outputs = port.cycle();
                moved += usize::from(offered && (outputs.in_ready || outputs.packet_ready));
            }
            port.reset();
            let outputs = port.cycle();
            assert!(outputs.begin_ready && !outputs.out_valid && !outputs.found_valid);
            assert!(!outputs.ended_valid && !outputs.in_ready && !outputs.packet_ready);
            assert_eq!(outputs.out_beat, [0; WORDS]);
        }
        let found = port.restore(BLOCK, EPOCH, &context);
        assert_eq!(found.verdict, Verdict::Accepted);
        assert_eq!(found.reported, content(&context));
        let end = parameters.end(BLOCK, &context[..14]);
        let (left, _) = port.save(BLOCK, EPOCH, &context[1..]);
        assert_eq!((left.last(), left.len()), (Some(&end), 15));
    }
}
