//! State machines whose states Yosys has numbered anew.

/// A state machine: the codes of its states in the RTL, and in the netlist. Codes are bits, lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The net of its state.
    pub name: String,
    /// Each state's code before and after.
    pub codes: Vec<(Vec<bool>, Vec<bool>)>,
}

impl Machine {
    /// Reads what `fsm_recode -encfile` wrote. Of codes with one bit each it tells that bit alone.
    ///
    /// # Errors
    /// If it is something else: the reason.
    pub fn parse(text: &str) -> Result<Vec<Self>, String> {
        let mut machines: Vec<Self> = Vec::new();
        let code = |text: &str| text.bytes().rev().map(|bit| bit == b'1').collect();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match (&words[..], machines.last_mut()) {
                ([".fsm", _, name], _) => machines.push(Self {
                    name: (*name).to_owned(),
                    codes: Vec::new(),
                }),
                ([".map", old, new], Some(last)) => last.codes.push((code(old), code(new))),
                ([], _) => {}
                _ => return Err(format!("no coding of states: `{line}`")),
            }
        }
        let whole = |machine: &&Self| {
            let widths = |pick: fn(&(Vec<bool>, Vec<bool>)) -> usize| {
                let mut widths: Vec<usize> = machine.codes.iter().map(pick).collect();
                widths.dedup();
                widths.len() == 1
            };
            widths(|codes| codes.0.len()) && widths(|codes| codes.1.len())
        };
        match machines.iter().find(|machine| !whole(machine)) {
            Some(machine) => Err(format!(
                "the states of {} have codes of several lengths",
                machine.name
            )),
            None => Ok(machines),
        }
    }

    /// The names of the bits of its state, of which there are so many.
    pub fn bits(&self, count: usize) -> Vec<String> {
        match count {
            1 => vec![self.name.clone()],
            _ => (0..count)
                .map(|bit| format!("{}[{bit}]", self.name))
                .collect(),
        }
    }

    /// Bits of a code before, and after.
    pub fn widths(&self) -> [usize; 2] {
        self.codes
            .first()
            .map_or([0; 2], |(old, new)| [old.len(), new.len()])
    }

    /// Whether the old code in these nets is one of a state, as a table of BLIF.
    pub fn is_a_state(&self, nets: &[String], to: &str) -> String {
        self.table(nets, to, |_| true)
    }

    /// A bit of the new code of the state whose old code is in these nets; 0 if it is none.
    pub fn new_bit(&self, nets: &[String], bit: usize, to: &str) -> String {
        self.table(nets, to, |(_, new)| new[bit])
    }

    /// A bit of a code in these nets that is made the first state's if it is none; `pick` says of which code.
    pub fn legal(
        &self,
        nets: &[String],
        to: &str,
        pick: impl Fn(&(Vec<bool>, Vec<bool>)) -> bool,
    ) -> String {
        let [width, _] = self.widths();
        let mut text = self.table(nets, to, &pick);
        if self.codes.first().is_some_and(&pick) {
            let codes = (0..1_usize << width)
                .map(|code| -> Vec<bool> { (0..width).map(|bit| code >> bit & 1 == 1).collect() });
            for code in codes.filter(|code| self.codes.iter().all(|(old, _)| old != code)) {
                text += &line(&code);
            }
        }
        text
    }

    fn table(
        &self,
        nets: &[String],
        to: &str,
        pick: impl Fn(&(Vec<bool>, Vec<bool>)) -> bool,
    ) -> String {
        let lines = self.codes.iter().filter(|codes| pick(codes));
        let lines: String = lines.map(|(old, _)| line(old)).collect();
        format!(".names {} {to}\n{lines}", nets.join(" "))
    }
}

/// A line of a table in which this code gives 1.
fn line(code: &[bool]) -> String {
    let bits: String = code
        .iter()
        .map(|bit| if *bit { '1' } else { '0' })
        .collect();
    format!("{bits} 1\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".fsm top scan.q\n.map 00 --1\n.map 10 -1-\n.map 01 1--\n\n";

    #[test]
    fn codes_are_read_lowest_bit_first() {
        let machines = Machine::parse(TEXT).unwrap();
        assert_eq!(machines.len(), 1);
        assert_eq!(machines[0].widths(), [2, 3]);
        assert_eq!(
            machines[0].codes[1],
            (vec![false, true], vec![false, true, false])
        );
        assert_eq!(machines[0].bits(2), ["scan.q[0]", "scan.q[1]"]);
        assert!(Machine::parse(".map 0 1\n").is_err());
        assert!(Machine::parse(".fsm a b\n.map 0 1\n.map 00 1\n").is_err());
    }

    #[test]
    fn a_code_of_no_state_stands_for_the_first_one() {
        let machine = &Machine::parse(TEXT).unwrap()[0];
        let nets = ["a".to_owned(), "b".to_owned()];
        assert_eq!(
            machine.is_a_state(&nets, "y"),
            ".names a b y\n00 1\n01 1\n10 1\n"
        );
        assert_eq!(machine.new_bit(&nets, 2, "y"), ".names a b y\n10 1\n");
        let first = machine.legal(&nets, "y", |(_, new)| new[0]);
        assert_eq!(first, ".names a b y\n00 1\n11 1\n");
        let second = machine.legal(&nets, "y", |(_, new)| new[1]);
        assert_eq!(second, ".names a b y\n01 1\n");
    }
}
