//! Index expressions: loop indices, numbers, `+`, `-`, `*` and parentheses.

use std::collections::BTreeMap;

/// Values of loop indices.
pub type Indices = BTreeMap<String, i64>;

/// The value of an index expression, if it is one and all of its loop indices have a value.
pub fn evaluate(text: &str, indices: &Indices) -> Option<i64> {
    let mut rest = text.trim();
    let value = sum(&mut rest, indices)?;
    rest.is_empty().then_some(value)
}

/// Names in an index expression; `None` if it holds anything else than names, numbers and the operators.
pub fn names(text: &str) -> Option<Vec<&str>> {
    let known = |character: char| character.is_alphanumeric() || "_ +-*()".contains(character);
    text.chars().all(known).then(|| {
        text.split(|character: char| !character.is_alphanumeric() && character != '_')
            .filter(|word| !word.is_empty() && word.parse::<i64>().is_err())
            .collect()
    })
}

/// The expression with names that Verilog accepts.
pub fn rename(text: &str) -> String {
    let mut printed = String::new();
    let mut word = String::new();
    for character in text.chars().chain(['\0']) {
        if character.is_alphanumeric() || character == '_' {
            word.push(character);
        } else {
            printed += &super::names::plain(&word);
            word.clear();
            printed.push(character);
        }
    }
    printed.pop();
    printed
}

fn sum(rest: &mut &str, indices: &Indices) -> Option<i64> {
    let mut value = product(rest, indices)?;
    loop {
        if take(rest, '+') {
            value = value.checked_add(product(rest, indices)?)?;
        } else if take(rest, '-') {
            value = value.checked_sub(product(rest, indices)?)?;
        } else {
            return Some(value);
        }
    }
}

fn product(rest: &mut &str, indices: &Indices) -> Option<i64> {
    let mut value = factor(rest, indices)?;
    while take(rest, '*') {
        value = value.checked_mul(factor(rest, indices)?)?;
    }
    Some(value)
}

fn factor(rest: &mut &str, indices: &Indices) -> Option<i64> {
    if take(rest, '(') {
        let value = sum(rest, indices)?;
        return take(rest, ')').then_some(value);
    }
    let end = rest
        .find(|character: char| !character.is_alphanumeric() && character != '_')
        .unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after.trim_start();
    word.parse().ok().or_else(|| indices.get(word).copied())
}

fn take(rest: &mut &str, wanted: char) -> bool {
    match rest.strip_prefix(wanted) {
        Some(after) => {
            *rest = after.trim_start();
            true
        }
        None => false,
    }
}
