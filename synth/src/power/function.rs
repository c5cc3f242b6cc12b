//! Functions of cells as truth tables.

use liberty_db::biodivine_lib_bdd::boolean_expression::BooleanExpression as Expr;
use liberty_db::expression::LogicBooleanExpression;

/// Most variables of a function.
pub const VARIABLES: usize = 7;

/// A function of up to [`VARIABLES`] variables: bit `i` is its value where variable `n` is bit `n` of `i`.
pub type Truth = u128;

/// The truth table of an expression over named variables; a name with a value of its own stands for the complement of
/// a variable. `None` if the expression has other names, or there are too many variables.
pub fn truth(
    expression: &LogicBooleanExpression,
    variables: &[&str],
    complement: Option<(&str, usize)>,
) -> Option<Truth> {
    truth_of(expression, variables.len(), |name, row| match complement {
        Some((other, variable)) if other == name => Some(row >> variable & 1 == 0),
        _ => {
            let variable = variables.iter().position(|variable| *variable == name)?;
            Some(row >> variable & 1 == 1)
        }
    })
}

/// The truth table of an expression over so many variables, whose names have a value in each row. `None` if a name has none,
/// or there are too many variables.
pub fn truth_of(
    expression: &LogicBooleanExpression,
    variables: usize,
    value: impl Fn(&str, usize) -> Option<bool>,
) -> Option<Truth> {
    if variables > VARIABLES {
        return None;
    }
    let mut table = 0;
    for row in 0..1 << variables {
        let high = evaluate(&expression.0.expr, &|name| value(name, row))?;
        table |= Truth::from(high) << row;
    }
    Some(table)
}

fn evaluate(expression: &Expr, value: &dyn Fn(&str) -> Option<bool>) -> Option<bool> {
    let both = |one, other| Some((evaluate(one, value)?, evaluate(other, value)?));
    Some(match expression {
        Expr::Const(high) => *high,
        Expr::Variable(name) => value(name)?,
        Expr::Not(one) => !evaluate(one, value)?,
        Expr::And(one, other) => both(one, other).map(|(one, other)| one & other)?,
        Expr::Or(one, other) => both(one, other).map(|(one, other)| one | other)?,
        Expr::Xor(one, other) => both(one, other).map(|(one, other)| one ^ other)?,
        Expr::Imp(one, other) => both(one, other).map(|(one, other)| !one | other)?,
        Expr::Iff(one, other) => both(one, other).map(|(one, other)| one == other)?,
        Expr::Cond(condition, one, other) => {
            let (one, other) = both(one, other)?;
            if evaluate(condition, value)? {
                one
            } else {
                other
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(text: &str) -> LogicBooleanExpression {
        let library = format!(
            "library (l) {{ cell (c) {{ pin (y) {{ direction : output; function : \"{text}\"; }} }} }}"
        );
        let library = faultline_liberty::parse(&library).unwrap();
        let cell = library.cell.iter().next().unwrap();
        cell.pin.iter().next().unwrap().function.clone().unwrap()
    }

    #[test]
    fn truth_tables_are_those_of_the_operators() {
        for (text, table) in [
            ("a & b", 0b1000),
            ("!(a + b)", 0b0001),
            ("a ^ b", 0b0110),
            ("a' b", 0b0100),
            ("1", 0b1111),
        ] {
            assert_eq!(
                truth(&function(text), &["a", "b"], None),
                Some(table),
                "{text}"
            );
        }
        let state = truth(&function("IQN"), &["d", "IQ"], Some(("IQN", 1)));
        assert_eq!(state, Some(0b0011));
        assert_eq!(truth(&function("a & c"), &["a", "b"], None), None);
    }
}
