//! Which registers of a design and of its netlist are the same, by their names.

use super::blif::{Blif, Latch};
use super::states::Machine;
use std::collections::HashMap;
use std::mem;

/// The registers of both sides.
#[derive(Clone, Debug, Default)]
pub struct Registers<'a> {
    /// Those of the state machines, in their order.
    pub coded: Vec<Coded<'a>>,
    /// Those that are the same.
    pub same: Vec<Same<'a>>,
    /// Flip-flops of the design that are constants in the netlist, with the net of BLIF that stands for it.
    pub constant: Vec<(&'a Latch, &'static str)>,
    /// Flip-flops of the design that are nowhere in the netlist.
    pub removed: Vec<&'a Latch>,
}

/// The flip-flops of a state machine, by the bits of its codes.
#[derive(Clone, Debug, Default)]
pub struct Coded<'a> {
    /// The flip-flops of the design.
    pub design: Vec<&'a Latch>,
    /// The flip-flops of the netlist, with their bits; it may have done without some.
    pub netlist: Vec<(usize, &'a Latch)>,
}

/// Flip-flops that hold the same, at least one on each side: Yosys makes one of several of the design that always do.
#[derive(Clone, Debug, Default)]
pub struct Same<'a> {
    /// The flip-flops of the design.
    pub design: Vec<&'a Latch>,
    /// The flip-flops of the netlist.
    pub netlist: Vec<&'a Latch>,
}

impl<'a> Registers<'a> {
    /// Matches them. That they hold the same is to be proved: a wrong match is found out.
    ///
    /// # Errors
    /// If a register is on one side alone: the reason.
    pub fn new(design: &'a Blif, netlist: &'a Blif, machines: &[Machine]) -> Result<Self, String> {
        let [old, new] = [0, 1].map(|side| places(machines, side));
        let mut coded = vec![Coded::default(); machines.len()];
        let mut states = vec![Vec::new(); machines.len()];
        let mut groups: Vec<Same> = Vec::new();
        let mut group_of: HashMap<&str, usize> = HashMap::new();
        for latch in &design.latches {
            let names = design.names(&latch.state);
            if let Some((machine, bit)) = names.iter().find_map(|name| old.get(*name)) {
                states[*machine].push((*bit, latch));
                continue;
            }
            group_of.extend(names.into_iter().map(|name| (name, groups.len())));
            groups.push(Same {
                design: vec![latch],
                netlist: Vec::new(),
            });
        }
        for ((machine, coded), mut bits) in machines.iter().zip(&mut coded).zip(states) {
            bits.sort_by_key(|(bit, _)| *bit);
            if bits.len() != machine.widths()[0] {
                return Err(format!("the design has no state {}", machine.name));
            }
            coded.design = bits.into_iter().map(|(_, latch)| latch).collect();
        }
        for latch in &netlist.latches {
            let names = netlist.names(&latch.state);
            if let Some((machine, bit)) = names.iter().find_map(|name| new.get(*name)) {
                coded[*machine].netlist.push((*bit, latch));
                continue;
            }
            let mut found = names.iter().filter_map(|name| group_of.get(name)).copied();
            let Some(group) = found.next() else {
                let name = names.last().copied().unwrap_or_default();
                return Err(format!(
                    "no register of the design is {name} of the netlist"
                ));
            };
            let others: Vec<usize> = found.filter(|other| *other != group).collect();
            for other in others {
                let other = mem::take(&mut groups[other]);
                for latch in &other.design {
                    let names = design.names(&latch.state);
                    group_of.extend(names.into_iter().map(|name| (name, group)));
                }
                groups[group].design.extend(other.design);
                groups[group].netlist.extend(other.netlist);
            }
            groups[group].netlist.push(latch);
        }
        let (same, alone): (Vec<Same>, Vec<Same>) = groups
            .into_iter()
            .partition(|group| !group.netlist.is_empty());
        let constants: HashMap<&str, &'static str> = ["$false", "$true"]
            .into_iter()
            .flat_map(|net| netlist.names(net).into_iter().map(move |name| (name, net)))
            .collect();
        let (mut constant, mut removed) = (Vec::new(), Vec::new());
        for latch in alone.into_iter().flat_map(|group| group.design) {
            let names = design.names(&latch.state);
            match names.iter().find_map(|name| constants.get(name)) {
                Some(net) => constant.push((latch, *net)),
                None => removed.push(latch),
            }
        }
        Ok(Self {
            coded,
            same,
            constant,
            removed,
        })
    }
}

/// The machine and the bit that a name stands for, on this side.
fn places(machines: &[Machine], side: usize) -> HashMap<String, (usize, usize)> {
    let machines = machines.iter().enumerate();
    let places = machines.flat_map(|(number, machine)| {
        let names = machine.bits(machine.widths()[side]).into_iter();
        names
            .enumerate()
            .map(move |(bit, name)| (name, (number, bit)))
    });
    places.collect()
}
