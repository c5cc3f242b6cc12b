//! An interpreter of a kernel's syntax tree, which runs it until it settles.

use std::collections::BTreeMap;

use rust_hdl::prelude::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogExpression as Tree, VerilogOp, VerilogOpUnary,
    VerilogStatement as Statement,
};

/// Runs a kernel until its signals do not change any more.
pub fn settle(
    statements: &VerilogBlock,
    inputs: &BTreeMap<String, u128>,
) -> BTreeMap<String, u128> {
    let mut signals = inputs.clone();
    for _ in 0..100 {
        let mut run = Run {
            signals: &signals,
            next: signals.clone(),
            index: None,
        };
        run.block(statements);
        let next = run.next;
        if next == signals {
            return signals;
        }
        signals = next;
    }
    panic!("the kernel does not settle");
}

struct Run<'a> {
    signals: &'a BTreeMap<String, u128>,
    next: BTreeMap<String, u128>,
    index: Option<u128>,
}

fn mask(value: u128, width: usize) -> u128 {
    if width < 128 {
        value & ((1 << width) - 1)
    } else {
        value
    }
}

/// A value, and its width if it is no literal.
type Value = (u128, Option<usize>);

impl Run<'_> {
    fn block(&mut self, statements: &VerilogBlock) {
        for statement in statements {
            match statement {
                Statement::Assignment(Tree::Signal(target), value) => {
                    let (value, _) = self.value(value);
                    let target = self.name(target.strip_suffix("$next").unwrap());
                    self.next.insert(target, value);
                }
                Statement::If(conditional) => {
                    if self.value(&conditional.test).0 == 1 {
                        self.block(&conditional.then);
                    } else {
                        match &conditional.otherwise {
                            VerilogBlockOrConditional::Block(inner) => self.block(inner),
                            VerilogBlockOrConditional::Conditional(inner) => {
                                self.block(&vec![(**inner).clone()]);
                            }
                            VerilogBlockOrConditional::None => {}
                        }
                    }
                }
                Statement::Loop(each) => {
                    for index in each.from.as_usize()..each.to.as_usize() {
                        self.index = Some(index as u128);
                        self.block(&each.block);
                    }
                    self.index = None;
                }
                _ => panic!("no such statement is made"),
            }
        }
    }

    /// The name with its index.
    fn name(&self, name: &str) -> String {
        match self.index {
            Some(index) => name
                .replace("[3-i]", &format!("[{}]", 3 - index))
                .replace("[i]", &format!("[{index}]")),
            None => name.to_owned(),
        }
    }

    fn value(&self, tree: &Tree) -> Value {
        match tree {
            Tree::Signal(name) if name == "i" => (self.index.unwrap(), None),
            Tree::Signal(name) => {
                let width = name[1..].split('[').next().unwrap().parse().unwrap();
                let name = self.name(name);
                (self.signals.get(&name).copied().unwrap_or(0), Some(width))
            }
            Tree::Literal(literal) => {
                let text = format!("{literal:x}");
                (
                    u128::from_str_radix(text.split_once("'h").unwrap().1, 16).unwrap(),
                    None,
                )
            }
            Tree::Paren(inner) => self.value(inner),
            Tree::Cast(inner, width) => (mask(self.value(inner).0, *width), Some(*width)),
            Tree::Unary(operator, inner) => {
                let (value, width) = self.value(inner);
                let width = width.unwrap();
                match operator {
                    VerilogOpUnary::Not => (mask(!value, width), Some(width)),
                    VerilogOpUnary::All => (u128::from(value == mask(u128::MAX, width)), Some(1)),
                    VerilogOpUnary::Any => (u128::from(value != 0), Some(1)),
                    VerilogOpUnary::Xor => (u128::from(value.count_ones() % 2), Some(1)),
                    VerilogOpUnary::Neg => panic!("no such operator is made"),
                }
            }
            Tree::Index(inner, place) => (self.value(inner).0 >> self.value(place).0 & 1, Some(1)),
            Tree::Slice(inner, width, offset) => {
                let shifted = self.value(inner).0.checked_shr(self.value(offset).0 as u32);
                (mask(shifted.unwrap_or(0), *width), Some(*width))
            }
            Tree::IndexReplace(inner, place, bit) => {
                let (value, width) = self.value(inner);
                let place = self.value(place).0;
                (value & !(1 << place) | self.value(bit).0 << place, width)
            }
            Tree::Binary(left, operator, right) => self.binary(left, operator, right),
            Tree::Signed(_) | Tree::Unsigned(_) => panic!("no such cast is made"),
        }
    }

    fn binary(&self, left: &Tree, operator: &VerilogOp, right: &Tree) -> Value {
        let ((a, left_width), (b, right_width)) = (self.value(left), self.value(right));
        let width = left_width.or(right_width).unwrap();
        let shift = |by: &dyn Fn(u128, u32) -> Option<u128>| {
            // A literal that is shifted has 64 bits, and so has its amount.
            let (width, amount) = match left_width {
                Some(width) => (width, b),
                None => (64, mask(b, 64)),
            };
            let shifted = u32::try_from(amount).ok().and_then(|amount| by(a, amount));
            (mask(shifted.unwrap_or(0), width), Some(width))
        };
        let whole = |value: u128| (mask(value, width), Some(width));
        let flag = |value: bool| (u128::from(value), Some(1));
        match operator {
            VerilogOp::Add => whole(a.wrapping_add(b)),
            VerilogOp::Sub => whole(a.wrapping_sub(b)),
            VerilogOp::BitAnd => whole(a & b),
            VerilogOp::BitOr => whole(a | b),
            VerilogOp::BitXor => whole(a ^ b),
            VerilogOp::Shl => shift(&|a, by| a.checked_shl(by)),
            VerilogOp::Shr => shift(&|a, by| a.checked_shr(by)),
            VerilogOp::Eq => flag(a == b),
            VerilogOp::Ne => flag(a != b),
            VerilogOp::Lt => flag(a < b),
            VerilogOp::Le => flag(a <= b),
            VerilogOp::Gt => flag(a > b),
            VerilogOp::Ge => flag(a >= b),
            VerilogOp::LogicalAnd => flag(a == 1 && b == 1),
            VerilogOp::LogicalOr => flag(a == 1 || b == 1),
            VerilogOp::Mul => panic!("no such operator is made"),
        }
    }
}
