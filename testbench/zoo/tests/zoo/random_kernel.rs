//! Random syntax trees of kernels.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rust_hdl::prelude::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression as Tree,
    VerilogLiteral, VerilogLoop, VerilogOp, VerilogOpUnary, VerilogStatement as Statement,
};
use rust_hdl::prelude::*;

const WIDTHS: [usize; 10] = [1, 7, 8, 31, 32, 33, 63, 64, 65, 128];
/// Elements of the arrays of outputs and locals.
const COUNT: usize = 4;

macro_rules! kernel {
    ($($a:ident $b:ident $v:ident $t:ident $y:ident $width:literal),*) => {
        /// A block with two inputs `a`, `b` and arrays of inputs `v`, locals `t` and outputs `y` of each width.
        #[derive(LogicBlock, Default)]
        pub struct Kernel {
            $(
                $a: Signal<In, Bits<$width>>,
                $b: Signal<In, Bits<$width>>,
                $v: [Signal<In, Bits<$width>>; COUNT],
                $t: [Signal<Local, Bits<$width>>; COUNT],
                $y: [Signal<Out, Bits<$width>>; COUNT],
            )*
            _statements: VerilogBlock,
        }
    };
}
kernel!(a1 b1 v1 t1 y1 1, a7 b7 v7 t7 y7 7, a8 b8 v8 t8 y8 8, a31 b31 v31 t31 y31 31, a32 b32 v32 t32 y32 32,
    a33 b33 v33 t33 y33 33, a63 b63 v63 t63 y63 63, a64 b64 v64 t64 y64 64, a65 b65 v65 t65 y65 65,
    a128 b128 v128 t128 y128 128);

impl Logic for Kernel {
    fn update(&mut self) {}
    fn connect(&mut self) {}
    fn hdl(&self) -> Verilog {
        Verilog::Combinatorial(self._statements.clone())
    }
}

impl Kernel {
    /// The kernel of a seed.
    pub fn random(seed: u64) -> Self {
        let mut maker = Maker {
            generator: Xoshiro256PlusPlus::seed_from_u64(seed),
            rank: 0,
            in_loop: false,
        };
        Self {
            _statements: maker.statements(),
            ..Self::default()
        }
    }

    pub fn statements(&self) -> &VerilogBlock {
        &self._statements
    }

    /// Width and elements of an array.
    pub fn array(name: &str) -> Option<(usize, usize)> {
        let (kind, width) = name.split_at(1);
        (!["a", "b"].contains(&kind)).then(|| (width.parse().unwrap(), COUNT))
    }
}

struct Maker {
    generator: Xoshiro256PlusPlus,
    /// Local arrays of widths below this one of the list may be read, so that there is no combinational loop.
    rank: usize,
    /// The loop index `i`, from 0 to `COUNT`, is in scope.
    in_loop: bool,
}

impl Maker {
    fn below(&mut self, bound: usize) -> usize {
        (self.generator.next_u64() % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Writes every element of every local and output, in an order that is independent of which reads which.
    fn statements(&mut self) -> VerilogBlock {
        let mut parts = Vec::new();
        for (rank, width) in WIDTHS.into_iter().enumerate() {
            for kind in ["t", "y"] {
                self.rank = if kind == "t" { rank } else { WIDTHS.len() };
                let mut part = Vec::new();
                self.array(kind, width, &mut part);
                parts.push(part);
            }
        }
        // Two arrays of one loop or branch, now and then, so that they share a process.
        for _ in 0..2 {
            let rank = self.below(WIDTHS.len() - 1) + 1;
            self.rank = rank;
            let (first, second) = (WIDTHS[rank], self.pick(&WIDTHS));
            let test = self.tree(1, 2);
            let inner = vec![self.assignment("t", first), self.assignment("y", second)];
            parts[2 * rank].push(Statement::If(VerilogConditional {
                test,
                then: inner,
                otherwise: VerilogBlockOrConditional::None,
            }));
        }
        for at in (1..parts.len()).rev() {
            let other = self.below(at + 1);
            parts.swap(at, other);
        }
        // What overrides must stand behind what it overrides.
        let (first, last): (Vec<_>, Vec<_>) = parts
            .into_iter()
            .flatten()
            .partition(|statement| !matches!(statement, Statement::If(_)));
        first.into_iter().chain(last).collect()
    }

    fn array(&mut self, kind: &str, width: usize, into: &mut VerilogBlock) {
        if self.below(2) == 0 {
            self.in_loop = true;
            let name = format!("{kind}{width}[{}]$next", self.pick(&["i", "3-i"]));
            let mut block = vec![Statement::Assignment(
                Tree::Signal(name.clone()),
                self.tree(width, 3),
            )];
            if self.below(2) == 0 {
                let then = vec![Statement::Assignment(
                    Tree::Signal(name),
                    self.tree(width, 2),
                )];
                let (test, otherwise) = (self.tree(1, 3), VerilogBlockOrConditional::None);
                block.push(Statement::If(VerilogConditional {
                    test,
                    then,
                    otherwise,
                }));
            }
            self.in_loop = false;
            into.push(Statement::Loop(VerilogLoop {
                index: "i".into(),
                from: 0_u64.into(),
                to: (COUNT as u64).into(),
                block,
            }));
        } else {
            for element in 0..COUNT {
                let name = Tree::Signal(format!("{kind}{width}[{element}]$next"));
                into.push(Statement::Assignment(name, self.tree(width, 4)));
            }
            if self.below(2) == 0 {
                let test = self.tree(1, 3);
                let then = vec![self.assignment(kind, width)];
                let otherwise = match self.below(3) {
                    0 => VerilogBlockOrConditional::None,
                    1 => VerilogBlockOrConditional::Block(vec![self.assignment(kind, width)]),
                    _ => VerilogBlockOrConditional::Conditional(Box::new(Statement::If(
                        VerilogConditional {
                            test: self.tree(1, 3),
                            then: vec![self.assignment(kind, width)],
                            otherwise: VerilogBlockOrConditional::None,
                        },
                    ))),
                };
                into.push(Statement::If(VerilogConditional {
                    test,
                    then,
                    otherwise,
                }));
            }
        }
    }

    fn assignment(&mut self, kind: &str, width: usize) -> Statement {
        let name = format!("{kind}{width}[{}]$next", self.below(COUNT));
        Statement::Assignment(Tree::Signal(name), self.tree(width, 3))
    }

    fn literal(&mut self, width: usize) -> Tree {
        let most = if width >= 64 {
            u64::MAX
        } else {
            (1 << width) - 1
        };
        let value = match self.below(4) {
            0 => 0,
            1 => 1,
            2 => most,
            _ => self.generator.next_u64() & most,
        };
        Tree::Literal(VerilogLiteral::from(value))
    }

    fn signal(&mut self, width: usize) -> Tree {
        let readable = WIDTHS[..self.rank].contains(&width);
        let name = match self.below(if readable { 5 } else { 3 }) {
            0 => format!("a{width}"),
            1 => format!("b{width}"),
            choice => {
                let kind = if choice == 2 { "v" } else { "t" };
                let index = match (self.in_loop, self.below(3)) {
                    (true, 0) => "i".to_owned(),
                    (true, 1) => "3-i".to_owned(),
                    _ => self.below(COUNT).to_string(),
                };
                format!("{kind}{width}[{index}]")
            }
        };
        Tree::Signal(name)
    }

    /// A tree of so many bits.
    fn tree(&mut self, width: usize, depth: usize) -> Tree {
        if depth == 0 || self.below(8) == 0 {
            return self.signal(width);
        }
        let other = self.pick(&WIDTHS);
        let tree = match self.below(if width == 1 { 14 } else { 9 }) {
            0..=2 => {
                let operator = match self.below(5) {
                    0 => VerilogOp::Add,
                    1 => VerilogOp::Sub,
                    2 => VerilogOp::BitAnd,
                    3 => VerilogOp::BitOr,
                    _ => VerilogOp::BitXor,
                };
                self.binary(operator, width, depth)
            }
            3 => {
                let (left, right) = (self.tree(width, depth - 1), self.tree(1, depth - 1));
                Tree::Binary(Box::new(left), VerilogOp::Add, Box::new(right))
            }
            4 => self.shift(width, depth),
            5 => Tree::Unary(VerilogOpUnary::Not, Box::new(self.tree(width, depth - 1))),
            6 => Tree::Cast(Box::new(self.tree(other, depth - 1)), width),
            7 => {
                let offset = match other {
                    1 | 7 => Tree::Literal((self.below(other + 1) as u64).into()),
                    _ if self.below(2) == 0 => Tree::Literal((self.below(other + 1) as u64).into()),
                    _ => Tree::Cast(Box::new(self.tree(8, depth - 1)), 3),
                };
                Tree::Slice(
                    Box::new(self.tree(other, depth - 1)),
                    width,
                    Box::new(offset),
                )
            }
            8 => {
                let place = self.place(width, depth);
                let (inner, bit) = (self.tree(width, depth - 1), self.tree(1, depth - 1));
                Tree::IndexReplace(Box::new(inner), Box::new(place), Box::new(bit))
            }
            9 | 10 => {
                let operator = match self.below(6) {
                    0 => VerilogOp::Eq,
                    1 => VerilogOp::Ne,
                    2 => VerilogOp::Lt,
                    3 => VerilogOp::Le,
                    4 => VerilogOp::Gt,
                    _ => VerilogOp::Ge,
                };
                self.binary(operator, other, depth)
            }
            11 => {
                let operator = match self.below(3) {
                    0 => VerilogOpUnary::All,
                    1 => VerilogOpUnary::Any,
                    _ => VerilogOpUnary::Xor,
                };
                Tree::Unary(operator, Box::new(self.tree(other, depth - 1)))
            }
            12 => {
                let place = self.place(other, depth);
                Tree::Index(Box::new(self.tree(other, depth - 1)), Box::new(place))
            }
            _ => {
                let (left, right) = (self.tree(1, depth - 1), self.tree(1, depth - 1));
                let and = self.below(2) == 0;
                let operator = if and {
                    VerilogOp::LogicalAnd
                } else {
                    VerilogOp::LogicalOr
                };
                Tree::Binary(Box::new(left), operator, Box::new(right))
            }
        };
        match self.below(3) {
            0 => Tree::Paren(Box::new(tree)),
            _ => tree,
        }
    }

    fn binary(&mut self, operator: VerilogOp, width: usize, depth: usize) -> Tree {
        let mut left = self.tree(width, depth - 1);
        let mut right = self.tree(width, depth - 1);
        match self.below(6) {
            0 => left = self.literal(width),
            1 => right = self.literal(width),
            // A loop index is a literal too.
            2 if self.in_loop && width > 1 => right = Tree::Signal("i".into()),
            _ => {}
        }
        Tree::Binary(Box::new(left), operator, Box::new(right))
    }

    fn shift(&mut self, width: usize, depth: usize) -> Tree {
        let operator = if self.below(2) == 0 {
            VerilogOp::Shl
        } else {
            VerilogOp::Shr
        };
        let amount = match self.below(5) {
            0 => Tree::Literal((self.below(70) as u64).into()),
            1 if self.in_loop => Tree::Signal("i".into()),
            2 => self.tree(7, depth - 1),
            3 => self.tree(8, depth - 1),
            _ => Tree::Cast(Box::new(self.tree(8, depth - 1)), 3),
        };
        let left = match width {
            64 if self.below(3) == 0 => {
                let any = self.pick(&WIDTHS);
                let amount = self.tree(any, depth - 1);
                return Tree::Binary(Box::new(self.literal(64)), operator, Box::new(amount));
            }
            _ => self.tree(width, depth - 1),
        };
        Tree::Binary(Box::new(left), operator, Box::new(amount))
    }

    /// A bit that a value of this width has.
    fn place(&mut self, width: usize, depth: usize) -> Tree {
        match self.below(3) {
            0 if width >= 8 => Tree::Cast(Box::new(self.tree(8, depth - 1)), 3),
            1 if self.in_loop && width >= COUNT => Tree::Signal("i".into()),
            _ => Tree::Literal((self.below(width) as u64).into()),
        }
    }
}
