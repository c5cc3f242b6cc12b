//! Numbers of any type: how texts and traces write them, and what they are in proportion.

use num_traits::{AsPrimitive, PrimInt, Unsigned};

/// Reads a number that is written in digits of a radix alone, without a sign; there is none if it does not fit its type.
pub(crate) fn unsigned<T: Unsigned>(text: &str, radix: u32) -> Option<T> {
    let plain = text.bytes().all(|byte| char::from(byte).is_digit(radix));
    T::from_str_radix(text, radix).ok().filter(|_| plain)
}

/// Gives a part of a whole, or a mean; a whole of 0 counts as 1.
pub(crate) fn ratio<P, W>(part: P, whole: W) -> f64
where
    P: AsPrimitive<f64>,
    W: PrimInt + AsPrimitive<f64>,
{
    part.as_() / whole.max(W::one()).as_()
}

/// Gives a part of a whole in percent; a whole of 0 counts as 1.
pub(crate) fn percent<P, W>(part: P, whole: W) -> f64
where
    P: AsPrimitive<f64>,
    W: PrimInt + AsPrimitive<f64>,
{
    100.0 * part.as_() / whole.max(W::one()).as_()
}

#[cfg(test)]
mod tests {
    use super::{percent, ratio, unsigned};

    #[test]
    fn number_has_digits_alone_and_fits() {
        assert_eq!(unsigned("0255", 10), Some(255u8));
        assert_eq!(unsigned("fF", 16), Some(255u64));
        for wrong in ["", "256", "+5", "-0", "1f", " 7", "1_0", "٣"] {
            assert_eq!(unsigned::<u8>(wrong, 10), None, "{wrong}");
        }
    }

    #[test]
    fn nothing_of_nothing_is_nothing() {
        assert_eq!(ratio(0u64, 0usize).to_bits(), 0);
        assert_eq!(percent(0usize, 0u64).to_bits(), 0);
        assert!((ratio(1u64, 4u64) - 0.25).abs() < f64::EPSILON);
        assert!((percent(1usize, 4u64) - 25.0).abs() < f64::EPSILON);
    }
}
