//! Random programs in PTX that are well typed and leave the same memory in every order of their threads.

use fastrand::Rng;
use faultline_sim::ptx::{Kind, Type};

use super::forms::{FORMS, NUMBERS};

/// Bytes of a thread's own input and output.
pub const INPUT: u64 = 256;
pub const OUTPUT: u64 = 768;
/// Where in its output a thread leaves its registers; before it is room for its stores.
const LEFT: u64 = 256;
/// Bytes of shared and local memory that a thread uses for itself.
const OWN: u64 = 64;

/// A program with its launch.
pub struct Program {
    pub text: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub input: Vec<u8>,
    /// The parameters after the three addresses.
    pub parameters: Vec<Vec<u8>>,
}

/// The names of registers with their types, and how many there are.
const REGISTERS: &[(&str, Type, u32)] = &[
    ("%p", Type::Pred, 5),
    ("%hb", Type::B16, 2),
    ("%hu", Type::U16, 2),
    ("%hs", Type::S16, 2),
    ("%rb", Type::B32, 3),
    ("%ru", Type::U32, 3),
    ("%rs", Type::S32, 3),
    ("%db", Type::B64, 2),
    ("%du", Type::U64, 2),
    ("%ds", Type::S64, 2),
    ("%f", Type::F32, 4),
    ("%g", Type::F64, 3),
];

/// A device function: its parameters, and its result.
struct Function {
    parameters: Vec<Type>,
    result: Option<Type>,
}

struct Generator {
    random: Rng,
    text: String,
    functions: Vec<Function>,
    /// It is in a kernel, which has all the addresses.
    is_kernel: bool,
    labels: u32,
}

/// A program of this seed.
pub fn program(seed: u64) -> Program {
    let generator = Generator {
        random: Rng::with_seed(seed),
        text: String::new(),
        functions: Vec::new(),
        is_kernel: false,
        labels: 0,
    };
    generator.program()
}

/// The type with this word.
fn ty(word: &str) -> Type {
    Type::of_word(word).unwrap()
}

/// The type at the end of a mnemonic.
fn suffix(word: &str) -> Type {
    word.rsplit('.').next().map(ty).unwrap()
}

impl Generator {
    fn chance(&mut self, one_in: u32) -> bool {
        self.random.u32(..one_in) == 0
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.random.usize(..all.len())]
    }

    fn line(&mut self, text: &str) {
        self.text += "    ";
        self.text += text;
        self.text += "\n";
    }

    /// A number whose bits are often at an edge of some type.
    fn number(&mut self, bits: u32) -> u64 {
        let number = match self.random.u32(..4) {
            0 => self.random.u64(..),
            1 => self.random.u64(..64),
            2 => self.random.u64(..64).wrapping_neg(),
            _ => self.pick(NUMBERS),
        };
        // The upper half of a word is as often at an edge as the lower one.
        let number = if self.random.bool() {
            number
        } else {
            number.rotate_left(32)
        };
        number & (u64::MAX >> (64 - bits))
    }

    /// A number of a type as text.
    fn immediate(&mut self, of: Type) -> String {
        let number = self.number(of.bits());
        match (of, self.random.u32(..4)) {
            (Type::F32, 0) => (self.pick(&["1.5", "-0.25", "3e-40", "1e38", "0.0"])).to_string(),
            (Type::F64, 0) => (self.pick(&["1.5", "-0.25", "3e-310", "0.0"])).to_string(),
            (Type::F32, _) => format!("0f{number:08X}"),
            (Type::F64, _) => format!("0d{number:016x}"),
            (Type::B32, 0) => format!("0F{number:08x}"),
            (_, 1) => format!("0x{number:x}"),
            (_, 2) if of.bits() == 64 => format!("{}", number.cast_signed()),
            (_, 3) => format!("{number}U"),
            _ => format!("{number}"),
        }
    }

    /// A register that holds values of a type; a wider one if that is allowed.
    fn register(&mut self, of: Type, takes_wider: bool) -> String {
        let fits = |&&(_, other, _): &&(&str, Type, u32)| {
            let (own, other_kind) = (of.kind(), other.kind());
            let kind = match (own, other_kind) {
                (Kind::Predicate, _) | (_, Kind::Predicate) => own == other_kind,
                (Kind::Bits, _) | (_, Kind::Bits) => true,
                _ => (own == Kind::Float) == (other_kind == Kind::Float),
            };
            let is_wider = takes_wider && own != Kind::Float && other_kind != Kind::Float;
            kind && (other.bits() == of.bits() || is_wider && other.bits() > of.bits())
        };
        let all: Vec<_> = REGISTERS.iter().filter(fits).collect();
        let &(prefix, _, count) = self.pick(&all);
        format!("{prefix}{}", self.random.u32(..count))
    }

    /// A predicate, perhaps negated.
    fn predicate(&mut self) -> String {
        let negation = if self.chance(3) { "!" } else { "" };
        format!("{negation}{}", self.register(Type::Pred, false))
    }

    /// A source of a type.
    fn source(&mut self, of: Type) -> String {
        match self.chance(5) {
            true => self.immediate(of),
            false => self.register(of, false),
        }
    }

    /// Two registers of a type that are not the same.
    fn pair(&mut self, of: Type) -> [String; 2] {
        loop {
            let pair = [self.register(of, false), self.register(of, false)];
            if pair[0] != pair[1] {
                return pair;
            }
        }
    }

    /// One of the alternatives between brackets in place of each of them.
    fn chosen(&mut self, form: &str) -> String {
        let mut text = String::new();
        let mut rest = form;
        while let Some((before, after)) = rest.split_once('<') {
            let (all, behind) = after.split_once('>').unwrap();
            let all: Vec<_> = all.split('|').collect();
            text += before;
            text += self.pick(&all);
            rest = behind;
        }
        text + rest
    }

    /// An instruction of a form. [`FORMS`] says what a letter after `$` stands for.
    fn instruction(&mut self) {
        let (types, form) = self.pick(FORMS);
        let types: Vec<_> = types.split(' ').collect();
        let of = ty(self.pick(&types));
        let form = self.chosen(form).replace('#', of.word());
        let mut text = if self.chance(7) {
            format!("@{} ", self.predicate())
        } else {
            String::new()
        };
        // What comes before a semicolon is not guarded.
        if let Some((before, _)) = form.split_once(';') {
            text = if before.is_empty() {
                text
            } else {
                String::new()
            };
        }
        let mut letters = form.chars();
        while let Some(letter) = letters.next() {
            if letter != '$' {
                text.push(letter);
                continue;
            }
            let letter = letters.next().unwrap();
            text += &match letter {
                'd' => self.register(of, false),
                's' => self.source(of),
                'r' => self.register(of, false),
                'W' | 'w' => self.register(
                    if of.bits() == 16 {
                        Type::U32
                    } else {
                        Type::U64
                    },
                    false,
                ),
                'P' => self.register(Type::Pred, false),
                'Q' => match self.random.u32(..4) {
                    0 => format!("{}|_", self.register(Type::Pred, false)),
                    1 => self.pair(Type::Pred).join("|"),
                    2 => format!("_|{}", self.register(Type::Pred, false)),
                    _ => self.register(Type::Pred, false),
                },
                'p' => self.predicate(),
                'u' if self.random.bool() => self.random.u32(..80).to_string(),
                'u' => self.register(Type::U32, false),
                'i' => self.source(Type::S32),
                'f' => self.source(Type::F32),
                'h' => self.register(Type::B16, false),
                'k' => self.register(Type::B32, false),
                'H' => self.pair(Type::B16).join(", "),
                'I' => self.pair(Type::B32).join(", "),
                'n' => of.bits().to_string(),
                't' => format!("%t{}", of.bits()),
                _ => (self.pick(&[
                    "tid.x", "tid.y", "ntid.x", "ctaid.x", "laneid", "warpid", "nctaid.x", "ntid.z",
                ]))
                .to_string(),
            };
        }
        self.line(&(text + ";"));
    }

    /// A comparison to a number.
    fn set(&mut self) {
        let to = self.pick(&[Type::U32, Type::S32, Type::F32]);
        let words = "u16 u32 u64 s16 s32 s64 b16 b32 b64 f32 f64"
            .split(' ')
            .collect::<Vec<_>>();
        let from = ty(self.pick(&words));
        let comparison = match from.kind() {
            Kind::Bits => "<eq|ne>",
            Kind::Signed => "<eq|ne|lt|le|gt|ge>",
            Kind::Unsigned => "<eq|ne|lt|le|gt|ge|lo|ls|hi|hs>",
            _ => "<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan>",
        };
        let combination = self.chosen("<|.and|.or|.xor>");
        let ftz = if [to, from].contains(&Type::F32) && self.random.bool() {
            ".ftz"
        } else {
            ""
        };
        let comparison = self.chosen(comparison);
        let destination = self.register(to, false);
        let [first, second] = [self.source(from), self.source(from)];
        let last = if combination.is_empty() {
            String::new()
        } else {
            format!(", {}", self.predicate())
        };
        self.line(&format!(
            "set.{comparison}{combination}{ftz}.{to}.{from} {destination}, {first}, {second}{last};"
        ));
    }

    /// A conversion between two types.
    fn conversion(&mut self) {
        let words = "u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
            .split(' ')
            .collect::<Vec<_>>();
        let (to, from) = (ty(self.pick(&words)), ty(self.pick(&words)));
        let is_float = |ty: Type| ty.kind() == Kind::Float;
        let round = match (is_float(to), is_float(from)) {
            (false, true) => "<.rni|.rzi|.rmi|.rpi>",
            (true, true) if to == from => "<|.rni|.rzi|.rmi|.rpi>",
            (true, true) if to == Type::F64 => "",
            (true, _) => "<.rn|.rz|.rm|.rp>",
            _ => "",
        };
        // Integers are clamped only where that changes something.
        let is_whole = |from: Type, to: Type| match (from.kind(), to.kind()) {
            (Kind::Signed, Kind::Unsigned) => false,
            (Kind::Unsigned, Kind::Signed) => from.bits() < to.bits(),
            _ => from.bits() <= to.bits(),
        };
        let sat = if !is_float(to) && !is_float(from) && is_whole(from, to) {
            ""
        } else {
            "<|.sat>"
        };
        let ftz = if [to, from].contains(&Type::F32) {
            "<|.ftz>"
        } else {
            ""
        };
        let suffixes = self.chosen(&format!("{round}{ftz}{sat}"));
        let (destination, source) = (self.register(to, true), self.register(from, true));
        let guard = if self.chance(7) {
            format!("@{} ", self.predicate())
        } else {
            String::new()
        };
        self.line(&format!(
            "{guard}cvt{suffixes}.{to}.{from} {destination}, {source};"
        ));
    }

    /// A statement. So many more may stand in one another.
    fn statement(&mut self, depth: u32) {
        match self.random.u32(..40) {
            0..=19 => self.instruction(),
            20..=21 => self.set(),
            22..=25 => self.conversion(),
            26..=31 => self.access(),
            32..=33 => self.atomic(),
            34..=35 if !self.functions.is_empty() => self.call(),
            36..=37 if depth > 0 => self.branch(depth - 1),
            38 if depth > 0 => self.repeat(depth - 1),
            39 => {
                let of = self.pick(&[Type::U32, Type::F32, Type::B64]);
                let (source, other) = (self.source(of), self.register(of, false));
                let name = format!("inner{}", self.labels);
                self.line(&format!("{{ .reg .{of} {name}; mov.{of} {name}, {source}; selp.{of} {other}, {name}, {other}, %p0; }}"));
            }
            _ => self.instruction(),
        }
    }

    fn statements(&mut self, count: u32, depth: u32) {
        (0..count).for_each(|_| self.statement(depth));
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }
}

mod memory;
mod structure;
