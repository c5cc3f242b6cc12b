//! What a configuration may not say.

use thiserror::Error;

use super::super::Failure;
use super::{Config, Granularity, Handling, Prefetch, Replay, SwitchingMode};

/// Times of faults that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct TooShort {
    /// The keys of `[paging]` that say so, the one that is too small before the others.
    pub keys: &'static [&'static str],
    /// What is wrong.
    pub sentence: String,
}

impl Config {
    /// Whether its scheme can do what it says of faults.
    ///
    /// # Errors
    /// If warps are to handle their faults, and the scheme cannot preempt them; if it is to, and the TLB blocks; or if the driver
    /// waits with replays, and faults are handled elsewhere or parts leave meanwhile; or if pages come and go where only pages that
    /// stay are translated; or if 2 MB are one page, and less of them comes; or if the block `sm_unit` is asked for what it has no part for.
    pub fn check(&self) -> Result<(), Failure> {
        let scheme = self.sm.scheme.0;
        let paging = &self.paging;
        let moves = paging.absent || paging.capacity_percent.percent().is_some();
        for (table, key, is_asked) in self.parameters().residents() {
            if is_asked && moves {
                return Err(Failure::Resident(table, key));
            }
        }
        if let Some(other) = self.parameters().beyond_the_unit(false) {
            return Err(Failure::Joined(other));
        }
        if paging.large_pages && paging.granularity != Granularity::Table {
            return Err(Failure::LargePages(paging.granularity.name()));
        }
        if paging.replay != Replay::Page {
            let replay = paging.replay.name();
            let is_limited = paging.capacity_percent.percent().is_some();
            for (other, is_asked) in [
                ("a handler on the GPU", paging.handling == Handling::Gpu),
                ("what finds no room", is_limited),
            ] {
                if is_asked {
                    return Err(Failure::Replay { replay, other });
                }
            }
        }
        match (self.paging.handling, scheme.squashes()) {
            (Handling::Gpu, false) => Err(Failure::Handler(scheme.name())),
            (_, true) if self.l1_tlb.blocking => Err(Failure::Blocks(scheme.name())),
            _ => Ok(()),
        }
    }

    /// The keys, each with its table, that ask for something of absent pages while every page is there; none if pages are absent.
    pub fn of_absent_pages(&self) -> Vec<(&'static str, &'static str)> {
        let paging = &self.paging;
        let all = [
            ("paging", "handling", paging.handling == Handling::Gpu),
            ("paging", "copied", paging.copied),
            (
                "switching",
                "mode",
                self.switching.mode != SwitchingMode::None,
            ),
            ("paging", "prefetch", paging.prefetch != Prefetch::None),
            (
                "paging",
                "capacity_percent",
                paging.capacity_percent.percent().is_some(),
            ),
            ("paging", "replay", paging.replay != Replay::Page),
        ];
        let asked = all.into_iter().filter(|one| one.2 && !paging.absent);
        asked.map(|(table, key, _)| (table, key)).collect()
    }

    /// Whether a fault takes as long as its handler, and the link if a page moves.
    ///
    /// # Errors
    /// If it is to take less.
    pub fn check_times(&self) -> Result<(), TooShort> {
        let paging = self.parameters().paging;
        let (handler, (size, transfer)) = (paging.handler, paging.measured());
        if paging.link.migration < handler + transfer {
            let sentence = format!(
                "migration = {} is less than {}: the handler takes {handler} cycles, and {size} bytes take {transfer} on the link",
                paging.link.migration,
                handler + transfer
            );
            let keys = &["migration", "handler", "link_bytes", "granularity"];
            return Err(TooShort { keys, sentence });
        }
        let least = handler + transfer + paging.interrupt;
        if paging.replay != Replay::Page
            && paging.link.migration.min(paging.link.allocation) < least
        {
            let sentence = format!(
                "interrupt = {} is too long: with it, {handler} cycles of the handler and {transfer} of the link a fault takes {least}, \
                 and migration = {} and allocation = {}",
                paging.interrupt, paging.link.migration, paging.link.allocation
            );
            let keys = &["interrupt", "migration", "allocation", "handler"];
            return Err(TooShort { keys, sentence });
        }
        if paging.link.allocation < handler {
            let sentence = format!(
                "allocation = {} is less than the {handler} cycles of the handler",
                paging.link.allocation
            );
            let keys = &["allocation", "handler"];
            return Err(TooShort { keys, sentence });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Link;
    use super::*;

    fn refused(text: &str) -> String {
        Config::read(text, "gpu.toml", "tanasic")
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_scheme_that_squashes_nothing_runs_no_handler() {
        let sentence = "stall-on-fault squashes nothing, so a warp that has faulted cannot run the handler of its fault";
        let both = "[sm]\nscheme = \"stall-on-fault\"\n\n[paging]\nhandling = \"gpu\"\n";
        assert_eq!(refused(both), format!("gpu.toml:5: {sentence}"));
        assert_eq!(Config::line_of(both, "paging", "handling"), Some(5));
        assert_eq!(Config::line_of(both, "paging", "absent"), None);
        let cpu = both.replace("gpu", "cpu");
        assert!(Config::read(&cpu, "gpu.toml", "tanasic").is_ok());
    }

    #[test]
    fn keys_of_absent_pages_are_named_where_every_page_is_there() {
        for (table, key, value) in [
            ("paging", "handling", "\"gpu\""),
            ("paging", "copied", "true"),
            ("switching", "mode", "\"ideal\""),
            ("paging", "prefetch", "\"tree\""),
            ("paging", "capacity_percent", "50"),
            ("paging", "replay", "\"once\""),
        ] {
            let text = |absent| {
                format!(
                    "sm.scheme = \"replay-queue\"\npaging.absent = {absent}\n{table}.{key} = {value}\n"
                )
            };
            let keys = |absent: bool| {
                let config = Config::read(&text(absent), "gpu.toml", "tanasic");
                config.unwrap().of_absent_pages()
            };
            assert_eq!(keys(false), [(table, key)]);
            assert_eq!(keys(true), []);
        }
        for name in Config::presets() {
            assert_eq!(
                Config::preset(name).unwrap().of_absent_pages(),
                [],
                "{name}"
            );
        }
    }

    #[test]
    fn a_large_page_comes_as_a_whole() {
        let text = "[l1_tlb]\nlarge_entries = 8\n[paging]\nlarge_pages = true\n";
        let sentence = "large_pages = true maps 2 MB as one page, of which 64k cannot come alone: give granularity = \"2m\"";
        // The granularity may come from elsewhere.
        let open = Config::read(text, "gpu.toml", "tanasic").unwrap();
        assert_eq!(open.check().unwrap_err().to_string(), sentence);
        let small = format!("{text}granularity = \"4k\"\n");
        assert_eq!(
            refused(&small),
            format!("gpu.toml:5: {}", sentence.replace("64k", "4k"))
        );
        let config = Config::read(&small.replace("4k", "2m"), "gpu.toml", "tanasic").unwrap();
        let parameters = config.parameters();
        assert_eq!(
            (parameters.sm.tlb.large_ways, parameters.paging.large_pages),
            (8, true)
        );
    }

    #[test]
    fn replays_wait_for_the_cpu_alone_and_while_nothing_leaves() {
        for (line, other) in [
            ("handling = \"gpu\"", "a handler on the GPU"),
            ("capacity_percent = 50", "what finds no room"),
        ] {
            let text =
                format!("[sm]\nscheme = \"replay-queue\"\n[paging]\nreplay = \"once\"\n{line}\n");
            let sentence = format!(
                "gpu.toml:4: replay = \"once\" waits with what has come until more has, and {other} cannot wait: give replay = \"page\""
            );
            assert_eq!(refused(&text), sentence);
            let page = text.replace("once", "page");
            assert!(Config::read(&page, "gpu.toml", "tanasic").is_ok());
        }
    }

    #[test]
    fn walkers_of_sms_and_ideal_translation_have_pages_that_stay() {
        for (table, key) in [
            ("gmmu", "per_sm"),
            ("gmmu", "ideal"),
            ("l1_tlb", "one_ahead"),
        ] {
            for line in ["absent = true", "capacity_percent = 50"] {
                let text = format!("[{table}]\n{key} = true\n[paging]\n{line}\n");
                let sentence = format!(
                    "gpu.toml:2: {key} = true translates pages that stay where they are: leave out absent pages and capacity_percent"
                );
                assert_eq!(refused(&text), sentence);
            }
            let stays = format!("[{table}]\n{key} = true\n");
            assert!(Config::read(&stays, "gpu.toml", "tanasic").is_ok());
        }
    }

    #[test]
    fn a_scheme_that_squashes_has_a_tlb_that_reports_faults() {
        let blocks = "[sm]\nscheme = \"replay-queue\"\n\n[l1_tlb]\nblocking = true\n";
        let sentence = "a TLB that blocks reports no fault, so replay-queue has nothing to squash, and only stall-on-fault runs with it";
        assert_eq!(refused(blocks), format!("gpu.toml:5: {sentence}"));
        let stalls = blocks.replace("replay-queue", "stall-on-fault");
        assert!(Config::read(&stalls, "gpu.toml", "tanasic").is_ok());
    }

    #[test]
    fn a_fault_takes_as_long_as_its_handler_and_the_link() {
        let check = |text: &str| {
            let config = Config::read(text, "gpu.toml", "tanasic").unwrap();
            let error = config.check_times().err();
            error.map(|error| (error.keys[0], error.sentence))
        };
        let (key, sentence) = check("[paging]\nmigration = 3638\n").unwrap();
        assert_eq!(
            (key, &*sentence),
            (
                "migration",
                "migration = 3638 is less than 3639: the handler takes 2000 cycles, and 65536 bytes take 1639 on the link"
            )
        );
        assert_eq!(check("[paging]\nmigration = 3639\n"), None);
        let pages = "[paging]\nmigration = 2103\ngranularity = \"4k\"\n";
        assert_eq!(check(pages), None);
        // What is above 64 KB is added.
        let large = "[paging]\nmigration = 3639\ngranularity = \"2m\"\n";
        assert_eq!(check(large), None);
        assert_eq!(check(&large.replace("39", "38")).unwrap().0, "migration");
        let (key, sentence) = check("[paging]\nallocation = 1999\n").unwrap();
        assert_eq!(
            (key, &*sentence),
            (
                "allocation",
                "allocation = 1999 is less than the 2000 cycles of the handler"
            )
        );
        // Each preset, over each link.
        for name in Config::presets() {
            let mut config = Config::preset(name).unwrap();
            assert_eq!(config.check_times(), Ok(()), "{name}");
            for link in [Link::NVLINK, Link::PCIE3] {
                config.set_link(link);
                assert_eq!(config.check_times(), Ok(()), "{name}");
            }
        }
    }
}
