//! Whose fault finds room first.
//!
//! Where few parts fit, SMs that each hold a part of what another one needs would take them from each other for ever.
//! So SMs have turns while faults wait for room: the faults of the SM on turn go first, and the parts that it gets stay
//! until it wants no more, or until its turn is over.
//!
//! So may the warps of an SM. If the parts of the SM on turn fill memory and it wants more, its faults are served one
//! by one, each when the one before has had time to wake its warp. The last fault mostly goes first: it is of a warp
//! that has just been woken, and lacks something else.

use std::collections::{BTreeSet, VecDeque};

use fastrand::Rng;

use super::Demand;
use crate::page::Page;

/// The turns of SMs.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Cycles of a turn at most.
    length: u64,
    /// The port of the SM on turn, if one has been, and until when it is.
    turn: Option<u32>,
    until: u64,
    /// The parts that it got in its turn.
    own: BTreeSet<Page>,
    /// They have filled memory in vain.
    is_stuck: bool,
    random: Rng,
}

impl Turns {
    pub fn new(length: u64, seed: u64) -> Self {
        Self {
            length,
            turn: None,
            until: 0,
            own: BTreeSet::new(),
            is_stuck: false,
            random: Rng::with_seed(seed),
        }
    }

    /// The parts that stay, until the turn is over.
    pub const fn own(&self) -> &BTreeSet<Page> {
        &self.own
    }

    /// A part leaves.
    pub fn lose(&mut self, part: Page) {
        self.own.remove(&part);
    }

    /// Whether a fault of the SM on turn waits for room.
    pub fn seeks(&self, seeking: &VecDeque<Demand>) -> bool {
        self.turn.is_some() && seeking.iter().any(|one| one.port == self.turn)
    }

    /// When the turn is over.
    pub const fn until(&self) -> u64 {
        self.until
    }

    /// Faults are served one by one.
    pub const fn is_stuck(&self) -> bool {
        self.is_stuck
    }

    /// Time passes. Of a turn that is over no part has to stay.
    pub fn advance(&mut self, now: u64) {
        if self.until <= now {
            self.own.clear();
            self.is_stuck = false;
        }
    }

    /// All parts that are there are those of the turn, and the SM wants more: its turn begins again, in another order.
    pub fn give_up(&mut self, now: u64) {
        self.own.clear();
        self.is_stuck = true;
        self.until = now + self.length;
    }

    /// The fault that finds room now.
    pub fn next(&mut self, now: u64, seeking: &mut VecDeque<Demand>) -> Option<Demand> {
        self.advance(now);
        if self.until <= now {
            self.until = now + self.length;
            self.turn = seeking.front()?.port;
        }
        let all = seeking.iter().enumerate();
        let of_turn = all.filter(|(_, one)| one.port == self.turn);
        let mut places: Vec<usize> = of_turn.map(|(place, _)| place).collect();
        if self.is_stuck {
            places.reverse();
            if self.random.u8(0..4) == 0 {
                self.random.shuffle(&mut places);
            }
        }
        let place = places.first().copied();
        if let Some(place) = place {
            self.own.insert(seeking[place].part);
        }
        seeking.remove(place.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Faults of SMs, which want parts of the same numbers.
    fn seeking(ports: &[u32]) -> VecDeque<Demand> {
        let demand = |(arrival, &port)| Demand {
            part: Page {
                vpn: arrival as u64,
                asid: 0,
            },
            port: Some(port),
            moves: true,
            handled: 0,
            ready: 0,
            arrival,
        };
        ports.iter().enumerate().map(demand).collect()
    }

    fn order(turns: &mut Turns, now: u64, seeking: &mut VecDeque<Demand>) -> Vec<usize> {
        let next = || turns.next(now, seeking);
        std::iter::from_fn(next).map(|one| one.arrival).collect()
    }

    #[test]
    fn the_faults_of_the_sm_on_turn_go_first_and_their_parts_stay() {
        let mut turns = Turns::new(100, 1);
        let order = |turns: &mut Turns, now, ports: &[u32]| order(turns, now, &mut seeking(ports));
        assert_eq!(order(&mut turns, 10, &[2, 1, 2, 1]), [0, 2, 1, 3]);
        assert_eq!(turns.own().len(), 2);
        turns.advance(109);
        assert_eq!((turns.own().len(), turns.until()), (2, 110));
        // The turn is not over.
        assert!(turns.seeks(&seeking(&[1, 2])) && !turns.seeks(&seeking(&[1])));
        assert_eq!(order(&mut turns, 109, &[1, 2]), [1, 0]);
        turns.advance(110);
        assert!(turns.own().is_empty());
        assert_eq!(order(&mut turns, 110, &[1, 2, 1]), [0, 2, 1]);
    }

    /// Its last fault goes first, or any of them now and then.
    #[test]
    fn an_sm_that_is_stuck_begins_again_in_another_order() {
        let mut found = [0; 4];
        for seed in 0..100 {
            let mut turns = Turns::new(100, seed);
            turns.next(5, &mut seeking(&[2]));
            turns.give_up(7);
            assert!(turns.is_stuck() && turns.own().is_empty());
            found[order(&mut turns, 7, &mut seeking(&[2, 2, 1, 2]))[0]] += 1;
            turns.advance(107);
            assert!(!turns.is_stuck());
        }
        assert!(found[3] > 60 && found[0] > 0 && found[1] > 0 && found[2] == 0);
    }
}
