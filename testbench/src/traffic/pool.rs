//! The pages that traffic uses for a while.

use faultline_sim::page::Page;

use super::Rng;

/// Some pages, and how many bits a page and a space have.
pub struct Pool {
    pages: Vec<Page>,
    vpn_bits: usize,
    asid_bits: usize,
}

impl Pool {
    /// No page yet.
    #[must_use]
    pub const fn new(vpn_bits: usize, asid_bits: usize) -> Self {
        Self {
            pages: Vec::new(),
            vpn_bits,
            asid_bits,
        }
    }

    /// A page that is as likely as any other one.
    pub fn any(&self, rng: &mut Rng) -> Page {
        let (vpn, asid) = (rng.bits(), rng.byte());
        self.cut(Page { vpn, asid })
    }

    /// A page whose number and space have no more bits than there are.
    #[must_use]
    pub const fn cut(&self, page: Page) -> Page {
        Page {
            vpn: page.vpn & (u64::MAX >> (64 - self.vpn_bits)),
            asid: page.asid & (u8::MAX >> (8 - self.asid_bits)),
        }
    }

    /// Other pages: neighbours, pages one bit apart from another, the same page of another space, or anything. `shape`
    /// receives each of them with the first one, and gives what it becomes.
    pub fn change(&mut self, rng: &mut Rng, count: usize, shape: impl Fn(Page, Page) -> Page) {
        self.pages.clear();
        let mut page = self.any(rng);
        for _ in 0..count {
            let one = rng.below(36);
            page = match rng.byte() {
                0..90 => Page {
                    vpn: page.vpn + 1,
                    ..page
                },
                90..150 => Page {
                    vpn: page.vpn ^ (1 << one),
                    ..page
                },
                150..200 => Page {
                    asid: page.asid ^ (1 << (one % 8)),
                    ..page
                },
                _ => self.any(rng),
            };
            page = self.cut(page);
            let first = self.pages.first().copied();
            page = shape(page, first.unwrap_or_default());
            self.pages.push(page);
        }
    }
}

impl std::ops::Deref for Pool {
    type Target = [Page];

    fn deref(&self) -> &[Page] {
        &self.pages
    }
}
