//! Sets of up to 64 members, a bit each.

/// Whether a set has a member.
pub(crate) const fn bit(set: u64, member: u8) -> bool {
    set >> member & 1 == 1
}

/// Puts a member into a set, or takes it out.
pub(crate) const fn put(set: &mut u64, member: u8, is_in: bool) {
    let bit = 1 << member;
    *set = if is_in { *set | bit } else { *set & !bit };
}

/// The lowest member.
pub(crate) fn lowest(set: u64) -> Option<u8> {
    (set != 0).then(|| set.trailing_zeros() as u8)
}

/// The members, ascending.
pub(crate) fn members(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let member = lowest(set)?;
        set &= set - 1;
        Some(member)
    })
}
