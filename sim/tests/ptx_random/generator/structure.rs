//! Branches, loops, calls, functions and the kernel of a random program.

use super::{Function, Generator, INPUT, LEFT, OUTPUT, OWN, Program, REGISTERS, Type};

impl Generator {
    /// A branch of which some threads take one side.
    pub fn branch(&mut self, depth: u32) {
        let (label, condition) = (self.label(), self.predicate());
        let has_else = self.random.bool();
        let count = self.random.u32(1..5);
        match has_else {
            true => self.line(&format!("@{condition} bra ELSE{label};")),
            false => self.line(&format!("@{condition} bra END{label};")),
        }
        self.statements(count, depth);
        if has_else {
            self.line(&format!("bra END{label}; ELSE{label}:"));
            self.statements(count, depth);
        }
        self.line(&format!("END{label}:"));
    }

    /// A loop of which each thread has its own number of turns.
    pub fn repeat(&mut self, depth: u32) {
        let label = self.label();
        let (bound, count) = (self.register(Type::U32, false), self.random.u32(1..5));
        self.line(&format!(
            "{{ .reg .u32 c{label}, b{label}; .reg .pred q{label};"
        ));
        self.line(&format!(
            "and.b32 b{label}, {bound}, 3; mov.u32 c{label}, 0; LOOP{label}:"
        ));
        self.statements(count, depth);
        if self.chance(3) {
            let condition = self.predicate();
            self.line(&format!("@{condition} bra OUT{label};"));
            self.statements(count, depth);
        }
        self.line(&format!(
            "add.u32 c{label}, c{label}, 1; setp.le.u32 q{label}, c{label}, b{label};"
        ));
        self.line(&format!("@q{label} bra LOOP{label}; OUT{label}: }}"));
    }

    /// A call of a function that is known.
    pub fn call(&mut self) {
        let number = self.random.usize(..self.functions.len());
        let Function { parameters, result } = &self.functions[number];
        let (parameters, result) = (parameters.clone(), *result);
        let mut text = String::from("{ ");
        let mut passed = vec!["a".to_owned(), "w".to_owned()];
        text += ".param .b64 a; st.param.b64 [a], %out; .param .align 8 .b8 w[32];";
        for place in 0..4 {
            let of = self.pick(&[Type::B64, Type::U64, Type::F64]);
            text += &format!(" st.param.{of} [w+{}], {};", 8 * place, self.source(of));
        }
        for (place, &of) in parameters.iter().enumerate() {
            // Numbers of 32 bits are also passed without a variable.
            if of.bits() == 32 && self.chance(3) {
                passed.push(self.register(of, false));
                continue;
            }
            text += &format!(
                " .param .{of} p{place}; st.param.{of} [p{place}], {};",
                self.source(of)
            );
            passed.push(format!("p{place}"));
        }
        let passed = passed.join(", ");
        match result {
            Some(of) => {
                let register = self.register(of, false);
                text += &format!(
                    " .param .{of} r; call.uni (r), f{number}, ({passed}); ld.param.{of} {register}, [r]; }}"
                );
            }
            None => text += &format!(" call f{number}, ({passed}); }}"),
        }
        self.line(&text);
    }

    fn declare(&mut self) {
        for (prefix, of, count) in REGISTERS {
            self.line(&format!(".reg .{of} {prefix}<{count}>;"));
        }
        self.line(".reg .b16 %t16; .reg .b32 %t32, %own, %next, %mine, %id; .reg .b64 %t64, %in, %out, %common, %x, %xs, %xc, %xl, %gs, %gl, %gc, %loc;");
        self.line(&format!(".local .align 16 .b8 depot[{OWN}];"));
    }

    /// Gives all registers, and the thread's own memory, values of the input.
    fn begin(&mut self) {
        let mut place = 0;
        for &(prefix, of, count) in REGISTERS {
            for number in 0..count {
                let offset = place * 8 % INPUT;
                place += 1;
                match of {
                    Type::Pred => self.line(&format!(
                        "ld.global.b32 %t32, [%in+{offset}]; setp.ne.s32 {prefix}{number}, %t32, 0;"
                    )),
                    _ => self.line(&format!("ld.global.{of} {prefix}{number}, [%in+{offset}];")),
                }
            }
        }
        self.line("mov.u64 %loc, depot; cvta.local.u64 %gl, %loc;");
        for offset in (0..OWN).step_by(8) {
            self.line(&format!(
                "ld.global.u64 %t64, [%in+{offset}]; st.local.u64 [depot+{offset}], %t64;"
            ));
            if self.is_kernel {
                self.line(&format!("st.shared.u64 [%own+{offset}], %t64;"));
            }
        }
    }

    /// A function with an address, a few bytes and some numbers as parameters.
    fn function(&mut self) {
        let number = self.functions.len();
        let all = [
            Type::B32,
            Type::U32,
            Type::S32,
            Type::F32,
            Type::B64,
            Type::S64,
            Type::F64,
            Type::U16,
            Type::B16,
        ];
        let parameters: Vec<_> = (0..self.random.usize(..4))
            .map(|_| self.pick(&all))
            .collect();
        let result = if self.chance(4) {
            None
        } else {
            Some(self.pick(&all))
        };
        let list: String = parameters
            .iter()
            .enumerate()
            .map(|(place, of)| format!(", .param .{of} a{place}"))
            .collect();
        let results = result.map_or(String::new(), |of| format!("(.param .{of} result) "));
        self.text += &format!(
            ".func {results}f{number}(.param .b64 to, .param .align 8 .b8 whole[32]{list})\n{{\n"
        );
        self.declare();
        self.line("ld.param.u64 %out, [to]; mov.u64 %in, %out;");
        self.begin();
        for (place, of) in parameters.iter().enumerate() {
            let register = self.register(*of, false);
            self.line(&format!("ld.param.{of} {register}, [a{place}];"));
        }
        let count = self.random.u32(2..9);
        self.statements(count, 1);
        let give = |generator: &mut Self| {
            if let Some(of) = result {
                let register = generator.register(of, false);
                generator.line(&format!("st.param.{of} [result], {register};"));
            }
        };
        if self.random.bool() {
            give(self);
            let condition = self.predicate();
            self.line(&format!("@{condition} ret;"));
            self.statements(count, 1);
        }
        give(self);
        self.text += "    ret;\n}\n";
        self.functions.push(Function { parameters, result });
    }

    /// A thread gives its neighbour a word.
    fn exchange(&mut self) {
        let (given, taken) = (
            self.register(Type::B32, false),
            self.register(Type::B32, false),
        );
        self.line(&format!("st.shared.b32 [%mine], {given}; bar.sync 0; ld.shared.b32 {taken}, [%next]; bar.sync 0;"));
    }

    fn kernel(&mut self) {
        self.is_kernel = true;
        self.text += ".entry kernel(.param .u64 to, .param .u64 from, .param .u64 all, .param .align 16 .b8 whole[32])\n{\n";
        self.declare();
        self.line(".reg .b32 %n, %m; .reg .pred %again; .reg .u32 %turn;");
        self.line("mov.u32 %id, %tid.y; mov.u32 %n, %ntid.x; mov.u32 %m, %tid.x; mad.lo.u32 %id, %id, %n, %m;");
        self.line(
            "mov.u32 %m, %ntid.y; mul.lo.u32 %n, %n, %m; mad.lo.u32 %own, %id, 64, tile_at;"
                .replace("tile_at", "0")
                .as_str(),
        );
        self.line("mov.u32 %m, tile; add.u32 %own, %own, %m; cvt.u64.u32 %xs, %own; cvta.shared.u64 %gs, %xs;");
        self.line("mov.u32 %m, words; mad.lo.u32 %mine, %id, 4, %m; add.u32 %next, %id, 1; rem.u32 %next, %next, %n; mad.lo.u32 %next, %next, 4, %m;");
        self.line("mov.u32 %m, %ctaid.x; mad.lo.u32 %m, %m, %n, %id;");
        self.line(
            "ld.param.u64 %common, [all]; ld.param.u64 %out, [to]; ld.param.u64 %in, [from];",
        );
        self.line(&format!("mul.wide.u32 %x, %m, {OUTPUT}; add.s64 %out, %out, %x; mul.wide.u32 %x, %m, {INPUT}; add.s64 %in, %in, %x;"));
        self.line("cvta.to.global.u64 %out, %out; cvta.to.global.u64 %common, %common; mov.u64 %xc, table; cvta.const.u64 %gc, %xc;");
        self.begin();
        for part in 0..self.random.u32(1..4) {
            let count = self.random.u32(6..30);
            self.statements(count, 2);
            match self.random.u32(..3) {
                0 => self.exchange(),
                1 => {
                    self.line(&format!("mov.u32 %turn, 0; TURN{part}:"));
                    self.statements(3, 1);
                    self.exchange();
                    self.line(&format!("add.u32 %turn, %turn, 1; setp.lt.u32 %again, %turn, 2; @%again bra TURN{part};"));
                }
                _ => {}
            }
        }
        if self.chance(8) {
            let condition = self.predicate();
            self.line(&format!("@{condition} exit;"));
        }
        self.end();
        self.text += "    ret;\n}\n";
    }

    /// Stores all registers and the thread's own memory.
    fn end(&mut self) {
        let mut offset = LEFT;
        for &(prefix, of, count) in REGISTERS {
            for number in 0..count {
                match of {
                    Type::Pred => self.line(&format!("selp.u32 %t32, 1, 0, {prefix}{number}; st.global.u32 [%out+{offset}], %t32;")),
                    _ => self.line(&format!("st.global.{of} [%out+{offset}], {prefix}{number};")),
                }
                offset += 8;
            }
        }
        for place in (0..OWN).step_by(8) {
            self.line(&format!(
                "ld.local.u64 %t64, [depot+{place}]; st.global.u64 [%out+{offset}], %t64;"
            ));
            self.line(&format!(
                "ld.shared.u64 %t64, [%own+{place}]; st.global.u64 [%out+{}], %t64;",
                offset + OWN
            ));
            offset += 8;
        }
        self.line("red.global.add.u32 [counts+4], %id;");
    }

    pub fn program(mut self) -> Program {
        let block = self.pick(&[
            [1, 1, 1],
            [7, 1, 1],
            [32, 1, 1],
            [16, 2, 1],
            [33, 1, 1],
            [8, 5, 1],
            [64, 1, 1],
        ]);
        let grid = [self.random.u32(1..3), 1, 1];
        let table: Vec<_> = (0..32)
            .map(|_| format!("0x{:x}", self.number(64)))
            .collect();
        self.text = format!(
            ".version 7.8\n.target sm_35\n.address_size 64\n.const .align 16 .u64 table[32] = {{{}}};\n\
             .global .align 4 .u32 counts[2] = {{5, 6}};\n.shared .align 16 .b8 tile[{}];\n.shared .u32 words[64];\n",
            table.join(", "),
            64 * OWN
        );
        (0..self.random.u32(..4)).for_each(|_| self.function());
        self.kernel();
        let threads = u64::from(block.iter().product::<u32>() * grid[0]);
        let words = threads * INPUT / 8;
        let input = (0..words)
            .flat_map(|_| self.number(64).to_le_bytes())
            .collect();
        let whole = (0..4).flat_map(|_| self.number(64).to_le_bytes()).collect();
        Program {
            text: self.text,
            grid,
            block,
            input,
            parameters: vec![whole],
        }
    }
}
