//! The GPU that a preset, a file and options say, and where a file says it.

use faultline_sim::machines::gpu::{
    Config, Eviction, Failure, Granularity, Link, SchemeName, SwitchingMode, Unit,
};
use faultline_sim::machines::sm::{Response, SmError};
use faultline_sim::sm::sm_pipeline::Scheme;
use faultline_testbench::backend::Kind;
use miette::{Result, miette};

use super::super::program;
use super::super::sm::schemes;
use super::super::sm::setups::log_bytes;
use super::{Args, Bus, CONFIGURATION, Mode, PRESET, Prefetcher, Replaying, Size};
use crate::value::distinct;

impl Args {
    /// The text of the file, and its name; empty if there is none.
    pub(super) fn file(&self) -> Result<(String, String)> {
        let Some(path) = &self.config else {
            return Ok(Default::default());
        };
        let text = program::text(path, CONFIGURATION)?;
        Ok((text, path.display().to_string()))
    }

    /// The file and the line of the first of these keys that the file says, with a colon; empty if it says none.
    pub(super) fn place_of(&self, keys: &[(&str, &str)]) -> Result<String> {
        let (text, file) = self.file()?;
        let line = keys
            .iter()
            .find_map(|(table, key)| Config::line_of(&text, table, key));
        Ok(line.map_or_else(String::new, |line| format!("{file}:{line}: ")))
    }

    /// Fails if the file wants of absent pages what no option asks for, and every page is there.
    fn check_absent(&self, config: &Config) -> Result<()> {
        let is_option = |key: &str| match key {
            "handling" => !self.handling.is_empty(),
            "copied" => self.copied,
            "mode" => !self.switching.is_empty(),
            "prefetch" => !self.prefetch.is_empty(),
            "replay" => !self.replay.is_empty(),
            _ => false,
        };
        let mut keys = config.of_absent_pages().into_iter();
        if let Some((table, key)) = keys.find(|(_, key)| !is_option(key)) {
            let place = self.place_of(&[(table, key)])?;
            return Err(miette!(
                "{place}{key}: every page is there, so give --absent too, or absent = true in [paging]"
            ));
        }
        Ok(())
    }

    /// Fails if a way of evicting was chosen, and nothing is evicted.
    fn check_eviction(&self, config: &Config) -> Result<()> {
        if config.paging.capacity_percent.percent().is_some() {
            return Ok(());
        }
        let give =
            "there is room for everything, so give --capacity too, or capacity_percent in [paging]";
        if !self.eviction.is_empty() {
            return Err(miette!("--eviction: {give}"));
        }
        if config.paging.eviction != Eviction::default() {
            let place = self.place_of(&[("paging", "eviction")])?;
            return Err(miette!("{place}eviction: {give}"));
        }
        Ok(())
    }

    /// Fails if a fault is to take less than its parts; of a file it names the line.
    fn check_times(&self, config: &Config) -> Result<()> {
        let Err(error) = config.check_times() else {
            return Ok(());
        };
        let is_of_file = |key: &&&str| match **key {
            "migration" | "allocation" | "link_bytes" => self.link.is_none(),
            "granularity" => self.granularity.is_none(),
            _ => true,
        };
        let keys = error.keys.iter().filter(is_of_file);
        let keys: Vec<_> = keys.map(|&key| ("paging", key)).collect();
        let place = self.place_of(&keys)?;
        Err(miette!("{place}{error}"))
    }

    /// The keys of a file that say what a scheme is to do and which scheme it is, without those that options replace.
    pub(super) fn of_scheme<'key>(
        &self,
        key: (&'key str, &'key str),
        is_option: bool,
    ) -> Vec<(&'key str, &'key str)> {
        let own = (!is_option).then_some(key);
        let scheme = self.scheme.is_empty().then_some(("sm", "scheme"));
        own.into_iter().chain(scheme).collect()
    }

    /// The GPU that the preset, the file and the options say.
    pub(super) fn config(&self) -> Result<Config> {
        let (text, file) = self.file()?;
        let config = match &self.preset {
            Some(preset) => Config::read_over(&text, &file, preset),
            None => Config::read(&text, &file, PRESET),
        };
        let mut config = config.map_err(|error| miette!("{error}"))?;
        if let Some(sms) = self.sms {
            config.sms = sms.try_into().map_err(|error| miette!("--sms: {error}"))?;
        }
        if let Some(log) = &self.log {
            let bytes = log_bytes(log)? as u64;
            config.sm.log_bytes = bytes
                .try_into()
                .map_err(|error| miette!("--log: {error}"))?;
        }
        if let Some(percent) = self.pinned {
            let percent = percent.try_into();
            config.paging.pinned_percent = percent.map_err(|error| miette!("--pinned: {error}"))?;
        }
        let paging = &mut config.paging;
        let has_pinned = u64::from(paging.pinned_percent) > 0;
        paging.absent |= self.absent;
        paging.copied |= self.copied;
        for (option, is_given) in [
            ("--copied", self.copied),
            ("--handling", !self.handling.is_empty()),
            ("--link", self.link.is_some() && !has_pinned),
            ("--granularity", self.granularity.is_some() && !has_pinned),
            ("--capacity", self.capacity.is_some()),
            ("--eviction", !self.eviction.is_empty()),
            (
                "--replay",
                self.replay.iter().any(|one| *one != Replaying::Page),
            ),
            (
                "--prefetch",
                self.prefetch.iter().any(|one| *one != Prefetcher::None),
            ),
            (
                "--switching",
                self.switching.iter().any(|mode| *mode != Mode::None),
            ),
        ] {
            if is_given && !paging.absent {
                return Err(miette!(
                    "{option}: every page is there, so give --absent too"
                ));
            }
        }
        match self.link {
            Some(Bus::Nvlink) => config.set_link(Link::NVLINK),
            Some(Bus::Pcie3) => config.set_link(Link::PCIE3),
            None => {}
        }
        match self.granularity {
            Some(Size::Page) => config.paging.granularity = Granularity::Page,
            Some(Size::Region) => config.paging.granularity = Granularity::Region,
            Some(Size::Table) => config.paging.granularity = Granularity::Table,
            None => {}
        }
        if let Some(capacity) = self.capacity {
            config.paging.capacity_percent = capacity;
        }
        let exceptions = &mut config.exceptions;
        if let Some(response) = self.exceptions.response() {
            exceptions.response = response;
        }
        if let Some(cycles) = self.exceptions.cycles() {
            let cycles = cycles.try_into();
            exceptions.handler = cycles.map_err(|error| miette!("--exception-cycles: {error}"))?;
        }
        if self.backend != Kind::Reference {
            config.sm.unit = Unit::Rtl;
        }
        self.check_absent(&config)?;
        self.check_eviction(&config)?;
        self.check_times(&config)?;
        Ok(config)
    }

    /// The file and the line of the configuration that a failure is about, with a colon; empty if it says none.
    pub(super) fn place(&self, failure: &Failure) -> String {
        let key = match failure {
            Failure::Sm { error, .. } => match error {
                SmError::Log { .. } if self.log.is_none() => ("sm", "log_bytes"),
                SmError::Block { .. } => ("sm", "warps"),
                _ => return String::new(),
            },
            Failure::Capacity { .. } if self.capacity.is_some() => {
                return "--capacity: ".to_owned();
            }
            Failure::Capacity { .. } => ("paging", "capacity_percent"),
            _ => return String::new(),
        };
        self.place_of(&[key]).unwrap_or_default()
    }

    /// A failure in a sentence. It names the back end where that has put SMs around the block `sm_unit`.
    pub(super) fn sentence(&self, failure: &Failure) -> String {
        match failure {
            Failure::Joined(other) if self.backend != Kind::Reference => format!(
                "--backend {} runs the block sm_unit, which has no part for {other}: leave that out, or give --backend reference",
                self.backend.name()
            ),
            _ => failure.to_string(),
        }
    }

    /// Fails if a scheme cannot do what its configuration says of faults; of a file it names the line.
    fn check(&self, config: &Config) -> Result<()> {
        let Err(failure) = config.check() else {
            return Ok(());
        };
        let (text, file) = self.file()?;
        let (table, key, advice) = match failure {
            Failure::Blocks(_) => ("l1_tlb", "blocking", "give --scheme stall-on-fault"),
            Failure::Joined(_) => {
                let is_of_file = self.backend == Kind::Reference;
                let keys = [("sm", "unit")];
                let place = self.place_of(if is_of_file { &keys } else { &[] })?;
                return Err(miette!("{place}{}", self.sentence(&failure)));
            }
            Failure::Resident(table, key) => {
                let place = self.place_of(&[(table, key)])?;
                return Err(miette!("{place}{failure}"));
            }
            Failure::Replay { .. } => {
                let keys = [("paging", "replay")];
                let is_of_file = self.replay.is_empty();
                let place = self.place_of(if is_of_file { &keys } else { &[] })?;
                return Err(miette!("{place}{failure}"));
            }
            Failure::LargePages(_) => {
                let is_of_file = self.granularity.is_none();
                let keys = [("paging", "granularity"), ("paging", "large_pages")];
                let place = self.place_of(&keys[usize::from(!is_of_file)..])?;
                return Err(miette!("{place}{failure}"));
            }
            _ => (
                "paging",
                "handling",
                "name other schemes with --scheme, or give --handling cpu",
            ),
        };
        let line = Config::line_of(&text, table, key);
        let place = line.filter(|_| key == "blocking" || self.handling.is_empty());
        let place = place.map_or_else(String::new, |line| format!("{file}:{line}: "));
        Err(miette!("{place}{failure}: {advice}"))
    }

    /// The configurations that are run, one for each scheme, way of switching and way of handling faults.
    pub(super) fn configs(&self) -> Result<Vec<Config>> {
        let config = self.config()?;
        let schemes = match self.scheme.is_empty() {
            true => vec![config.sm.scheme.0],
            false => schemes(&self.scheme)?,
        };
        if self.log.is_some() && !schemes.contains(&Scheme::OperandLog) {
            return Err(miette!(
                "--log: none of the schemes has a log, so add operand-log to --scheme"
            ));
        }
        let modes = match self.switching.is_empty() {
            true => vec![config.switching.mode],
            false => distinct(self.switching.iter().map(|&mode| mode.into()).collect()),
        };
        let switches = modes.iter().any(|mode| *mode != SwitchingMode::None);
        if let Some(scheme) = schemes.iter().find(|scheme| !scheme.squashes())
            && switches
        {
            let name = scheme.name();
            let keys = self.of_scheme(("switching", "mode"), !self.switching.is_empty());
            let place = self.place_of(&keys)?;
            return Err(miette!(
                "{place}{name} squashes nothing, so no thread block that has faulted can be switched out: name other schemes with \
                 --scheme, or give --switching none"
            ));
        }
        let response = config.exceptions.response;
        if let Err(error) = self.exceptions.check(response, &schemes) {
            let is_option = self.exceptions.response().is_some();
            let keys = self.of_scheme(("exceptions", "response"), is_option);
            // That cycles are of no use is about an option.
            let place = match response {
                Response::Restart => self.place_of(&keys)?,
                _ => String::new(),
            };
            return Err(miette!("{place}{error}"));
        }
        let handlers = match self.handling.is_empty() {
            true => vec![config.paging.handling],
            false => distinct(self.handling.iter().map(|&one| one.into()).collect()),
        };
        let mut configs = Vec::new();
        for scheme in schemes {
            for &mode in &modes {
                for &handling in &handlers {
                    let mut config = config.clone();
                    config.sm.scheme = SchemeName(scheme);
                    config.switching.mode = mode;
                    config.paging.handling = handling;
                    for config in self.policies(&config) {
                        self.check(&config)?;
                        configs.push(config);
                    }
                }
            }
        }
        Ok(configs)
    }

    /// A configuration with each prefetcher, each way of evicting and each time of replays that options name.
    fn policies(&self, config: &Config) -> Vec<Config> {
        let prefetchers = match self.prefetch.is_empty() {
            true => vec![config.paging.prefetch],
            false => distinct(self.prefetch.iter().map(|&one| one.into()).collect()),
        };
        let evictions = match self.eviction.is_empty() {
            true => vec![config.paging.eviction],
            false => distinct(self.eviction.iter().map(|&one| one.into()).collect()),
        };
        let replays = match self.replay.is_empty() {
            true => vec![config.paging.replay],
            false => distinct(self.replay.iter().map(|&one| one.into()).collect()),
        };
        let mut configs = Vec::new();
        for &prefetch in &prefetchers {
            for &eviction in &evictions {
                for &replay in &replays {
                    let mut config = config.clone();
                    let paging = &mut config.paging;
                    (paging.prefetch, paging.eviction, paging.replay) =
                        (prefetch, eviction, replay);
                    configs.push(config);
                }
            }
        }
        configs
    }
}
