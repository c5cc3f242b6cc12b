//! Values of options, refused with what is expected instead.

use std::fmt::Display;
use std::ops::RangeInclusive;

use num_traits::PrimInt;

/// Reads a whole number in a range.
pub fn integer_in<T: PrimInt + From<u8> + Display>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = T::from_str_radix(text, 10).ok();
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (start, end) = (*range.start(), *range.end());
                let bounds = match end == T::max_value() {
                    true => format!("from {start}"),
                    false => format!("from {start} to {end}"),
                };
                let example = start.max(100.into()).min(end);
                format!("give a whole number {bounds}, in digits alone, such as {example}")
            })
    }
}

/// Each of these once, in their order.
pub fn distinct<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

/// Takes any text but an empty one.
///
/// # Errors
/// If it is empty.
pub fn named(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("the value is empty; name one, or leave the option away".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_their_range_are_refused_with_what_is_expected() {
        let node = integer_in::<u32>(22..=180);
        assert_eq!(node("45"), Ok(45));
        for wrong in ["1e6", "", "-1", "4.5", "21", "181", "99999999999999999999"] {
            let sentence = node(wrong).unwrap_err();
            assert!(
                sentence.contains("whole number from 22 to 180"),
                "{sentence}"
            );
        }
        assert!(
            integer_in::<u64>(1..=u64::MAX)("0")
                .unwrap_err()
                .contains("from 1,")
        );
    }

    #[test]
    fn example_is_in_the_range() {
        assert!(
            integer_in::<u8>(4..=5)("3")
                .unwrap_err()
                .ends_with("such as 5")
        );
    }

    #[test]
    fn empty_values_are_called_empty() {
        assert_eq!(named("16K"), Ok("16K".to_owned()));
        assert!(named(" ").unwrap_err().contains("empty"));
    }
}
