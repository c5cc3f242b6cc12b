//! Both blocks together: a thread block leaves the SM with its instructions and operands, and comes back.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::sm::replay_queue::Instruction;
use faultline_testbench::support::log::{Log, Reader, operand};
use faultline_testbench::support::queue::{Queue, instruction};

/// Entries of each block in the log.
const SHARE: u8 = 4;

/// An instruction with its operands in the log: address, and data if it is a store.
fn issue(queue: &mut Queue, log: &mut Log, warp: u8, pc: u32, store: bool) -> u8 {
    let slot = warp / 4;
    let (address, data) = log.try_allocate(slot, store).unwrap();
    let instruction = Instruction {
        log_address: address,
        log_data: data,
        ..instruction(warp, pc)
    };
    log.write(address, &operand(u64::from(pc)));
    if store {
        log.write(data, &operand(1000 + u64::from(pc)));
    }
    queue.insert(&instruction)
}

/// An instruction that left, with what its log entries held.
type Saved = (Instruction, [Option<[u64; 32]>; 2]);

fn leave(queue: &mut Queue, log: &mut Log, slot: u8, is_store: fn(u32) -> bool) -> Vec<Saved> {
    let mut context = Vec::new();
    for instruction in queue.save_all(slot) {
        let address = log.read(Reader::Save, slot, instruction.log_address);
        log.release(slot, instruction.log_address);
        let data = is_store(instruction.pc).then(|| {
            let data = log.read(Reader::Save, slot, instruction.log_data);
            log.release(slot, instruction.log_data);
            data
        });
        context.push((instruction, [address, data.flatten()]));
    }
    context
}

fn come_back(queue: &mut Queue, log: &mut Log, slot: u8, context: &[Saved]) {
    for (instruction, [address, data]) in context {
        let (address_entry, data_entry) = log.try_allocate(slot, data.is_some()).unwrap();
        log.write(address_entry, &address.unwrap());
        if let Some(data) = data {
            log.write(data_entry, data);
        }
        let warp = slot * 4 + instruction.warp % 4;
        let moved = Instruction {
            warp,
            slot,
            log_address: address_entry,
            log_data: data_entry,
            ..*instruction
        };
        queue.restore(&moved);
    }
}

/// Stores have odd program counters here.
fn is_store(pc: u32) -> bool {
    pc % 2 == 1
}

#[test]
fn block_comes_back_to_another_slot_with_the_same_data() {
    let (mut queue, mut log) = (Queue::new("16"), Log::new("16k", SHARE));
    // Block 2 faults; block 3 goes on, and block 9 is where block 2 comes back to.
    let program = [(8, 20), (9, 21), (8, 22)];
    let indices = program.map(|(warp, pc)| issue(&mut queue, &mut log, warp, pc, is_store(pc)));
    indices.iter().for_each(|&index| queue.fault(index));
    let other = issue(&mut queue, &mut log, 12, 50, false);
    let context = leave(&mut queue, &mut log, 2, is_store);
    assert_eq!(context.len(), program.len());
    assert!(log.denies(2, 8), "nothing stays behind");
    assert_eq!(log.rest().free_two >> 2 & 1, 1);

    come_back(&mut queue, &mut log, 9, &context);
    for (warp, expected) in [(36, vec![20, 22]), (37, vec![21])] {
        assert!(queue.resume(warp));
        let (replayed, _) = queue.take_all();
        let programs: Vec<_> = replayed
            .iter()
            .map(|(_, instruction)| instruction.pc)
            .collect();
        assert_eq!(programs, expected, "in program order");
        for (_, instruction) in replayed {
            let pc = instruction.pc;
            let original = program
                .iter()
                .find(|(_, original)| *original == pc)
                .unwrap();
            assert_eq!(
                (instruction.slot, instruction.warp % 4),
                (9, original.0 % 4)
            );
            let address = log.read(Reader::Replay, 9, instruction.log_address);
            assert_eq!(address, Some(operand(pc.into())));
            if is_store(pc) {
                let data = log.read(Reader::Replay, 9, instruction.log_data);
                assert_eq!(data, Some(operand(1000 + u64::from(pc))));
            }
        }
    }
    queue.commit(other);
    assert_eq!(queue.rest().occupancy, 3);
}

#[test]
fn block_that_takes_the_place_of_another_sees_none_of_its_data() {
    let (mut queue, mut log) = (Queue::new("16"), Log::new("8k", 2));
    let index = issue(&mut queue, &mut log, 8, 21, true);
    queue.fault(index);
    let context = leave(&mut queue, &mut log, 2, is_store);
    assert_eq!(context.len(), 1);
    // The new block of slot 2 gets the same entries, and may not read them before it has written.
    assert_eq!(log.try_allocate(2, true), Some((4, 5)));
    assert!(log.denies(2, 4) && log.denies(2, 5));
}
