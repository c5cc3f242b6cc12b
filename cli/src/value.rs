//! Values of options, refused with what is expected instead.

use std::ops::RangeInclusive;

/// Reads a whole number in a range.
pub fn integer_in<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let expected = || {
            let bounds = match (*range.start(), *range.end()) {
                (0, u64::MAX) => "from 0".to_owned(),
                (start, u64::MAX) => format!("from {start}"),
                (start, end) => format!("from {start} to {end}"),
            };
            format!(
                "give a whole number {bounds}, in digits alone, such as {}",
                (*range.start()).max(100).min(*range.end())
            )
        };
        let number = text.parse().ok().filter(|number| range.contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(expected)
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
    fn numbers_outside_their_range_are_told_what_is_expected() {
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
