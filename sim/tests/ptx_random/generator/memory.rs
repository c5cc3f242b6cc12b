//! Accesses to memory of a random program.

use super::{Generator, INPUT, LEFT, OWN, Type, suffix, ty};

impl Generator {
    /// An access to memory of the thread's own.
    pub fn access(&mut self) {
        let words = "u8 s8 b8 u16 s16 b16 u32 s32 b32 u64 s64 b64 f32 f64"
            .split(' ')
            .collect::<Vec<_>>();
        let of = ty(self.pick(&words));
        let most = if self.chance(3) { 16 / of.bytes() } else { 1 }.min(4);
        let count = if most < 2 { 1 } else { self.pick(&[2, most]) };
        let bytes = u64::from(of.bytes() * count);
        let vector = if count == 1 {
            String::new()
        } else {
            format!(".v{count}")
        };
        let (is_load, kind) = (self.random.bool(), self.random.u32(..10));
        let mut place = |all: u64| self.random.u64(..all / bytes) * bytes;
        let (space, address) = match kind {
            0..=2 => (".global", format!("%out+{}", place(LEFT))),
            3 => ("", format!("%out+{}", place(LEFT))),
            4 if is_load => (".global.nc", format!("%in+{}", place(INPUT))),
            5 if is_load && (self.is_kernel || of.bits() == 64) => {
                (".param", format!("whole+{}", place(32)))
            }
            4..=5 => (".local", format!("depot+{}", place(OWN))),
            6 if is_load && self.is_kernel => ("", format!("%gc+{}", place(256))),
            6 => (".local", format!("%loc+{}", place(OWN))),
            7 if self.is_kernel => ("", format!("%gs+{}", place(OWN))),
            7 => ("", format!("%gl+{}", place(OWN))),
            8 if self.is_kernel => (".shared", format!("%own+{}", place(OWN))),
            8 if is_load => (".const", format!("table+{}", place(256))),
            _ => return self.indexed(is_load, of),
        };
        let registers: Vec<_> = (0..count).map(|_| self.register(of, true)).collect();
        let mut list = registers.join(", ");
        if count > 1 {
            // An element that is loaded may be dropped, and no register is written twice.
            let mut known = Vec::new();
            let elements = registers
                .iter()
                .map(|one| match is_load && known.contains(&one) {
                    true => "_",
                    false => {
                        known.push(one);
                        one.as_str()
                    }
                });
            list = format!("{{{}}}", elements.collect::<Vec<_>>().join(", "));
        }
        let guard = if self.chance(7) {
            format!("@{} ", self.predicate())
        } else {
            String::new()
        };
        let cache = if space == ".global" {
            self.chosen(if is_load {
                "<|.ca|.cg|.cs|.cv>"
            } else {
                "<|.wb|.cg|.cs|.wt>"
            })
        } else {
            String::new()
        };
        match is_load {
            true => self.line(&format!(
                "{guard}ld{space}{cache}{vector}.{of} {list}, [{address}];"
            )),
            false => self.line(&format!(
                "{guard}st{space}{cache}{vector}.{of} [{address}], {list};"
            )),
        }
    }

    /// An access to a table or to local memory at an index that is computed.
    fn indexed(&mut self, is_load: bool, of: Type) {
        let index = self.register(Type::U32, false);
        let register = self.register(of, true);
        let (space, base, most, x) = match is_load && self.random.bool() {
            true => ("const", "table", 31, "%xc"),
            false => ("local", "depot", 7, "%xl"),
        };
        self.line(&format!("and.b32 %t32, {index}, {most}; mul.wide.u32 %t64, %t32, 8; mov.u64 {x}, {base}; add.s64 {x}, {x}, %t64;"));
        match is_load {
            true => self.line(&format!("ld.{space}.{of} {register}, [{x}];")),
            false => self.line(&format!("st.{space}.{of} [{x}], {register};")),
        }
    }

    /// An atomic on a word of the thread, or one on a word of all threads that needs no order.
    pub fn atomic(&mut self) {
        if self.is_kernel && self.chance(3) {
            let (place, word) = self.pick(&[
                (0, "add.u32"),
                (8, "add.u64"),
                (16, "xor.b32"),
                (20, "and.b32"),
                (24, "or.b32"),
                (28, "max.s32"),
                (32, "min.u32"),
                (40, "max.u64"),
                (48, "xor.b64"),
                (56, "min.s64"),
            ]);
            let source = self.source(suffix(word));
            return self.line(&format!("red.global.{word} [%common+{place}], {source};"));
        }
        let word = self.chosen("<add.u32|add.s32|add.u64|add.f32|add.f64|min.s32|max.u32|min.u64|max.s64|inc.u32|dec.u32|and.b32|or.b64|xor.b32|exch.b32|exch.b64|cas.b32>");
        let of = suffix(&word);
        let (space, base, all) = match self.random.u32(..3) {
            0 if self.is_kernel => (".shared", "%own", OWN),
            1 => ("", "%out", LEFT),
            _ => (".global", "%out", LEFT),
        };
        let place = self.random.u64(..all / u64::from(of.bytes())) * u64::from(of.bytes());
        let source = self.source(of);
        let last = if word.starts_with("cas") {
            format!(", {}", self.source(of))
        } else {
            String::new()
        };
        let destination = if self.chance(4) {
            "_".to_owned()
        } else {
            self.register(of, false)
        };
        self.line(&format!(
            "atom{space}.{word} {destination}, [{base}+{place}], {source}{last};"
        ));
    }
}
