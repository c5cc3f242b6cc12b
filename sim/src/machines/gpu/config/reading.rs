//! A configuration as a file says it, completed from a preset.

use std::ops::Range;

use schemars::transform::{RecursiveTransform, Transform};
use schemars::{Schema, SchemaGenerator};
use serde::Deserialize;
use thiserror::Error;
use toml::de::{self, DeTable, DeValue};

use super::super::Failure;
use super::Config;
use crate::place::{line_at, one_sentence};

/// Presets, as files in TOML that hold every value.
const PRESETS: [(&str, &str); 4] = [
    ("tanasic", include_str!("../presets/tanasic.toml")),
    ("power", include_str!("../presets/power.toml")),
    ("zheng", include_str!("../presets/zheng.toml")),
    ("pep", include_str!("../presets/pep.toml")),
];

/// Why a file is no configuration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {sentence}")]
pub struct ConfigError {
    /// The file.
    pub file: String,
    /// The line, from 1 on.
    pub line: usize,
    /// What is wrong.
    pub sentence: String,
}

impl Config {
    /// The names of the presets.
    pub fn presets() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }

    /// Reads a file of this name in errors. What it leaves out is as in the preset that it names, or else in `preset`.
    ///
    /// # Errors
    /// If a table or value is unknown, of another type or out of its range, or if there is no such preset.
    pub fn read(text: &str, file: &str, preset: &str) -> Result<Self, ConfigError> {
        Self::with_base(text, file, preset, None)
    }

    /// As [`Config::read`], but what the file leaves out is as in this preset, whatever the file names.
    ///
    /// # Errors
    /// Those of [`Config::read`].
    pub fn read_over(text: &str, file: &str, preset: &str) -> Result<Self, ConfigError> {
        Self::with_base(text, file, preset, Some(preset))
    }

    /// Reads a file. What it leaves out is as in the preset `over`, or else in the one that it names, or else in `preset`.
    fn with_base(
        text: &str,
        file: &str,
        preset: &str,
        over: Option<&str>,
    ) -> Result<Self, ConfigError> {
        let wrong = |span: Option<Range<usize>>, sentence: &str| ConfigError {
            file: file.to_owned(),
            line: line_at(text, span.map_or(0, |span| span.start)),
            sentence: one_sentence(sentence),
        };
        let of_toml = |error: de::Error| wrong(error.span(), error.message());
        let mut own = DeTable::parse(text).map_err(of_toml)?;
        let named = own.get_ref().get("preset");
        let name = named.and_then(|name| name.get_ref().as_str());
        let known = |name: &str| {
            let known = PRESETS.iter().find(|(known, _)| *known == name);
            known.map(|(_, base)| *base).ok_or_else(|| {
                let all: Vec<_> = Self::presets().collect();
                let sentence = format!("there is no preset {name}; there are {}", all.join(", "));
                wrong(named.map(toml::Spanned::span), &sentence)
            })
        };
        let mut base = known(name.unwrap_or(preset))?;
        let is_named = name.is_some();
        if let Some(over) = over {
            base = known(over)?;
            if is_named {
                own.get_mut().remove("preset");
            }
        }
        let base = DeTable::parse(base).map_err(of_toml)?;
        let place = |keys: [_; 2]| keys.into_iter().find_map(|key| span_of(own.get_ref(), key));
        let scheme = ("sm", "scheme");
        let [handles, blocks] =
            [("paging", "handling"), ("l1_tlb", "blocking")].map(|key| place([key, scheme]));
        let replays = place([("paging", "replay"); 2]);
        let unit = place([("sm", "unit"); 2]);
        let granularity = place([("paging", "granularity"); 2]);
        let residents = [
            ("gmmu", "per_sm"),
            ("gmmu", "ideal"),
            ("l1_tlb", "one_ahead"),
        ];
        let residents = residents.map(|key| (key, place([key; 2])));
        let has_scheme = place([scheme; 2]).is_some();
        complete(own.get_mut(), base.into_inner());
        // What the preset holds is right, so a span is one of this file.
        let config = Self::deserialize(de::Deserializer::from(own)).map_err(of_toml)?;
        match config.check() {
            Ok(()) => Ok(config),
            // The scheme or the granularity may come from elsewhere.
            Err(Failure::Blocks(_) | Failure::Handler(_)) if !has_scheme => Ok(config),
            Err(Failure::LargePages(_)) if granularity.is_none() => Ok(config),
            Err(failure @ Failure::LargePages(_)) => Err(wrong(granularity, &failure.to_string())),
            Err(failure @ Failure::Blocks(_)) => Err(wrong(blocks, &failure.to_string())),
            Err(failure @ Failure::Joined(_)) => Err(wrong(unit, &failure.to_string())),
            Err(failure @ Failure::Replay { .. }) => Err(wrong(replays, &failure.to_string())),
            Err(failure @ Failure::Resident(table, key)) => {
                let found = residents
                    .into_iter()
                    .find(|(known, _)| *known == (table, key));
                let span = found.and_then(|(_, span)| span);
                Err(wrong(span, &failure.to_string()))
            }
            Err(failure) => Err(wrong(handles, &failure.to_string())),
        }
    }

    /// The line of a file that has a key of a table.
    #[must_use]
    pub fn line_of(text: &str, table: &str, key: &str) -> Option<usize> {
        let own = DeTable::parse(text).ok()?;
        let span = span_of(own.get_ref(), (table, key))?;
        Some(line_at(text, span.start))
    }

    /// What a file may say, as a JSON schema: nothing that the preset says has to be there.
    #[must_use]
    pub fn schema() -> Schema {
        let mut schema = SchemaGenerator::default().into_root_schema_for::<Self>();
        RecursiveTransform(|schema: &mut Schema| drop(schema.remove("required")))
            .transform(&mut schema);
        schema
    }

    /// The preset of a name.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        Self::read("", name, name).ok()
    }

    /// The file that says all of it.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }
}

/// Where a table of a file has a key, if it does.
fn span_of(file: &DeTable<'_>, (table, key): (&str, &str)) -> Option<Range<usize>> {
    let table = file.get(table)?.get_ref().as_table()?;
    Some(table.get(key)?.span())
}

/// Adds what a table leaves out.
fn complete<'text>(own: &mut DeTable<'text>, base: DeTable<'text>) {
    for (key, value) in base {
        match (own.get_mut(key.get_ref().as_ref()), value.into_inner()) {
            (None, value) => {
                own.insert(key, toml::Spanned::new(0..0, value));
            }
            (Some(there), DeValue::Table(base)) => {
                if let DeValue::Table(own) = there.get_mut() {
                    complete(own, base);
                }
            }
            (Some(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::sm::{self, Exceptions, Response};
    use super::super::super::Granularity;
    use super::super::super::values::Within;
    use super::*;
    use crate::sm::sm_pipeline::Scheme;

    fn refused(text: &str) -> String {
        Config::read(text, "gpu.toml", "tanasic")
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn what_a_file_leaves_out_is_the_presets() {
        let preset = Config::preset("tanasic").unwrap();
        assert_eq!(
            Config::read(&preset.to_toml(), "gpu.toml", "none").unwrap(),
            preset
        );
        let text = "sms = 4\n[sm]\nscheme = \"replay-queue\"\n[paging]\ngranularity = \"4k\"\n";
        let own = Config::read(text, "gpu.toml", "tanasic").unwrap();
        let (expected, parameters) = (preset.parameters(), own.parameters());
        assert_eq!((expected.sms, parameters.sms), (16, 4));
        assert_eq!(parameters.sm.pipeline.scheme, Scheme::ReplayQueue);
        assert_eq!(parameters.paging.granularity, Granularity::Page);
        assert_eq!(parameters.caches, expected.caches);
        assert_eq!(parameters.paging.link, expected.paging.link);
        assert_eq!(expected.sm.timing, sm::Timing::PAPER);
        let paper = sm::Parameters::paper(Scheme::OperandLog, 16 << 10);
        assert_eq!(expected.sm.pipeline, paper.pipeline);
        assert_eq!(expected.sm.exceptions, Exceptions::END);
        let restarts = "[exceptions]\nresponse = \"restart\"\nhandler = 70\n";
        let restarts = Config::read(restarts, "gpu.toml", "tanasic").unwrap();
        let exceptions = Exceptions {
            response: Response::Restart,
            handler: 70,
        };
        assert_eq!(restarts.parameters().sm.exceptions, exceptions);
    }

    #[test]
    fn a_preset_over_a_file_replaces_the_one_that_it_names() {
        let text = "preset = \"power\"\nsms = 3\n";
        let read = |text| Config::read_over(text, "gpu.toml", "zheng");
        let expected = Config {
            sms: Within(3),
            ..Config::preset("zheng").unwrap()
        };
        assert_eq!(read(text).unwrap(), expected);
        assert_eq!(
            Config::read(text, "gpu.toml", "zheng").unwrap().preset,
            "power"
        );
        let unknown = read("preset = \"none\"\n").unwrap_err().to_string();
        assert!(
            unknown.starts_with("gpu.toml:1: there is no preset none"),
            "{unknown}"
        );
    }

    #[test]
    fn each_preset_is_whole_and_says_its_own_name() {
        for (name, text) in PRESETS {
            let preset = Config::preset(name).unwrap();
            let alone: Config = toml::from_str(text).unwrap();
            assert_eq!((&alone, &*alone.preset), (&preset, name));
            assert!(preset.parameters().sms <= 16);
        }
    }

    #[test]
    fn what_cannot_be_is_one_sentence_with_file_and_line() {
        let out_of_range = refused("\n[sm]\nwarps = 65\n");
        assert_eq!(out_of_range, "gpu.toml:3: 65 is not from 1 to 64");
        let unknown = refused("sms = 4\n[sm]\n\nwarp = 4\n");
        assert!(
            unknown.starts_with("gpu.toml:4: unknown field `warp`"),
            "{unknown}"
        );
        let small = refused("[paging]\ngranularity = \"2k\"\n");
        assert_eq!(
            small,
            "gpu.toml:2: there is no granularity 2k; there are 4k, 64k, 2m"
        );
        let preset = refused("preset = \"none\"\n");
        assert_eq!(
            preset,
            "gpu.toml:1: there is no preset none; there are tanasic, power, zheng, pep"
        );
        assert!(refused("sms = \n").starts_with("gpu.toml:1: "));
        let mode = refused("[switching]\nextra = 4\nmode = \"some\"\n");
        assert_eq!(
            mode,
            "gpu.toml:3: there is no mode some; there are none, normal, ideal"
        );
        // Of another type.
        for (text, expected) in [
            ("\nsm = 3\n", "integer `3`, expected a table"),
            (
                "\nsms = \"4\"\n",
                "string \"4\", expected a whole number from 1 to 64",
            ),
            (
                "\nclock_mhz = 1.5\n",
                "floating point `1.5`, expected a whole number from 1 to 10000",
            ),
            (
                "[gmmu]\nwalks = true\n",
                "boolean `true`, expected a power of two from 1 to 64",
            ),
            (
                "[paging]\nhandling = 3\n",
                "integer `3`, expected one of cpu, gpu",
            ),
            (
                "[paging]\ngranularity = 4\n",
                "integer `4`, expected one of 4k, 64k, 2m",
            ),
            (
                "[exceptions]\nresponse = 1\n",
                "integer `1`, expected one of masked, restart, end",
            ),
            (
                "[paging]\nabsent = \"yes\"\n",
                "string \"yes\", expected a boolean",
            ),
        ] {
            assert_eq!(
                refused(text),
                format!("gpu.toml:2: invalid type: {expected}")
            );
        }
        let scheme = refused("[sm]\nscheme = 1\n");
        assert!(
            scheme.starts_with(
                "gpu.toml:2: invalid type: integer `1`, expected one of stall-on-fault, "
            ),
            "{scheme}"
        );
        let negative = refused("\nsms = -1\n");
        assert_eq!(
            negative,
            "gpu.toml:2: -1 is not a whole number from 1 to 64"
        );
        let rounded = refused("[sm]\nlog_bytes = 600\n");
        assert_eq!(
            rounded,
            "gpu.toml:2: 600 is not a multiple of 256 from 512 to 32768"
        );
        let log = "sms = 2\n[sm]\n\nlog_bytes = 512\n";
        assert_eq!(Config::line_of(log, "sm", "log_bytes"), Some(4));
        assert_eq!(Config::line_of(log, "sm", "warps"), None);
        let response = refused("[exceptions]\nhandler = 5\nresponse = \"stop\"\n");
        assert_eq!(
            response,
            "gpu.toml:3: there is no response stop; there are masked, restart, end"
        );
        let handler = refused("[exceptions]\nhandler = 0\n");
        assert_eq!(handler, "gpu.toml:2: 0 is not from 1 to 50000");
        let power = refused("[gmmu]\nwalks = 24\n");
        assert_eq!(power, "gpu.toml:2: 24 is no power of two from 1 to 64");
    }
}
