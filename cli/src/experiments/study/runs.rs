//! The runs of a study, each with its configuration and its hash.

use faultline_sim::machines::gpu::{Config, SwitchingMode};
use faultline_sim::machines::sm::Response;
use miette::{Report, Result, miette};

use super::digest::Digest;
use super::figures::Part;
use super::file::{Setting, StudyFile, shown};
use crate::experiments::gpu::{CONFIGURATION, PRESET};
use crate::experiments::program;

/// More runs than any study has.
const MOST: usize = 100_000;

/// A run, in a process of its own.
pub struct Run {
    /// What decides it, as a hash: what runs and the command's version.
    pub hash: String,
    pub job: Job,
}

/// What a run is.
pub enum Job {
    /// A workload on a GPU.
    Gpu(Box<Choice>),
    /// A kernel in all ways that figures compare.
    Figure(Part),
}

/// A workload on a GPU.
pub struct Choice {
    /// The number of the workload.
    pub workload: usize,
    /// The number of each axis's value.
    pub choices: Vec<usize>,
    pub config: Config,
}

/// A study with its runs.
pub struct Study {
    pub file: StudyFile,
    /// In the order of the file: the last axis changes first, and the workload last.
    pub runs: Vec<Run>,
}

impl Study {
    /// The runs of a file.
    ///
    /// # Errors
    /// If a configuration makes no sense, or a workload is not there.
    pub fn new(file: StudyFile) -> Result<Self> {
        if let Some(figures) = &file.figures {
            let runs = figures.runs();
            return Ok(Self { file, runs });
        }
        let base = Base::read(&file)?;
        let lengths: Vec<usize> = file.axes.iter().map(|axis| axis.choices.len()).collect();
        let count = lengths
            .iter()
            .try_fold(file.workloads.len(), |count, &length| {
                count.checked_mul(length)
            });
        let count = count.filter(|&count| count <= MOST);
        let Some(count) = count else {
            let sentence =
                format!("the axes have more than {MOST} combinations; give fewer values");
            return Err(file.source.wrong(&(0..0), sentence));
        };
        let mut configs = Vec::new();
        for choices in combinations(&lengths) {
            let config = base.config(&file, &choices)?;
            configs.push((choices, config.to_toml(), config));
        }
        let mut runs = Vec::with_capacity(count);
        for (number, workload) in file.workloads.iter().enumerate() {
            let mut digest = Digest::default();
            digest.text("faultline", env!("CARGO_PKG_VERSION"));
            workload.digest(&mut digest)?;
            for (choices, text, config) in &configs {
                let mut digest = digest.clone();
                digest.text("configuration", text);
                runs.push(Run {
                    hash: digest.hash(),
                    job: Job::Gpu(Box::new(Choice {
                        workload: number,
                        choices: choices.clone(),
                        config: config.clone(),
                    })),
                });
            }
        }
        Ok(Self { file, runs })
    }

    /// A run in words: its workload and its values of the axes.
    pub fn described(&self, run: &Run) -> String {
        let run = match (&run.job, &self.file.figures) {
            (Job::Gpu(choice), _) => choice,
            (Job::Figure(part), Some(figures)) => return figures.described(*part),
            (Job::Figure(_), None) => return run.hash.clone(),
        };
        let axes = self.file.axes.iter().zip(&run.choices);
        let values = axes.map(|(axis, &choice)| {
            let value = shown(&axis.choices[choice].shown);
            format!("{} = {value}", axis.name)
        });
        let values: Vec<_> = values.collect();
        let label = &self.file.workloads[run.workload].label;
        match values.is_empty() {
            true => label.clone(),
            false => format!("{label} with {}", values.join(", ")),
        }
    }
}

/// Every choice of a number below each of these, the last one changing first.
fn combinations(lengths: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let count: usize = lengths.iter().product();
    (0..count).map(move |number| {
        let mut rest = number;
        let mut choices: Vec<usize> = lengths
            .iter()
            .rev()
            .map(|length| {
                let choice = rest % length;
                rest /= length;
                choice
            })
            .collect();
        choices.reverse();
        choices
    })
}

/// What the configurations of all runs begin with.
struct Base {
    /// The file of a configuration, for errors, and its text.
    file: Option<(String, String)>,
    /// Its keys with their tables, and their values as TOML.
    settings: Vec<(String, String)>,
}

impl Base {
    fn read(study: &StudyFile) -> Result<Self> {
        if let Some(preset) = &study.preset
            && Config::preset(preset.get_ref()).is_none()
        {
            let all: Vec<_> = Config::presets().collect();
            let (name, all) = (preset.get_ref(), all.join(", "));
            let sentence = format!("there is no preset {name}; there are {all}");
            return Err(study.source.wrong(&preset.span(), sentence));
        }
        let Some(config) = &study.config else {
            return Ok(Self {
                file: None,
                settings: Vec::new(),
            });
        };
        let path = study.source.folder.join(config.get_ref());
        let name = path.display().to_string();
        let text = program::text(&path, CONFIGURATION)
            .map_err(|error| study.source.wrong(&config.span(), error))?;
        // By itself first, so that an error names its own line.
        Config::read(&text, &name, PRESET).map_err(|error| miette!("{error}"))?;
        let table: toml::Table =
            toml::from_str(&text).map_err(|error| miette!("{name}: {error}"))?;
        let mut settings = Vec::new();
        flatten("", &table, &mut settings);
        Ok(Self {
            file: Some((name, text)),
            settings,
        })
    }

    /// The configuration of a choice.
    fn config(&self, study: &StudyFile, choices: &[usize]) -> Result<Config> {
        let chosen = study.axes.iter().zip(choices);
        let chosen = chosen.flat_map(|(axis, &choice)| &axis.choices[choice].settings);
        let own: Vec<&Setting> = study.set.iter().chain(chosen).collect();
        let is_own = |key: &String| own.iter().any(|setting| setting.key == *key);
        let others = self.settings.iter().filter(|(key, _)| !is_own(key));
        let others = others.map(|(key, value)| format!("{key} = {value}\n"));
        let others: Vec<String> = others.collect();
        // A line for each setting, so that a line of an error is one of the study.
        let lines = own
            .iter()
            .map(|setting| format!("{} = {}\n", setting.key, setting.value));
        let text: String = others.iter().cloned().chain(lines).collect();
        let config = match &study.preset {
            Some(preset) => Config::read_over(&text, "", preset.get_ref()),
            None => Config::read(&text, "", PRESET),
        };
        let config = config.map_err(|error| {
            let setting = error.line.checked_sub(others.len() + 1);
            match setting.and_then(|place| own.get(place)) {
                Some(setting) => study.source.wrong(&setting.span, &error.sentence),
                None => self.wrong(
                    study,
                    &own,
                    &[("paging", "handling"), ("sm", "scheme")],
                    &error.sentence,
                ),
            }
        })?;
        // What a file alone may leave open is settled here.
        if let Err(failure) = config.check() {
            let keys = [
                ("paging", "large_pages"),
                ("paging", "handling"),
                ("l1_tlb", "blocking"),
            ];
            return Err(self.wrong(study, &own, &keys, &failure.to_string()));
        }
        match senseless(&config) {
            None => Ok(config),
            Some((keys, sentence)) => Err(self.wrong(study, &own, &keys, &sentence)),
        }
    }

    /// What is wrong, at the first of these keys that the study or the configuration sets.
    fn wrong(
        &self,
        study: &StudyFile,
        own: &[&Setting],
        keys: &[(&str, &str)],
        sentence: &str,
    ) -> Report {
        for (table, key) in keys {
            let name = format!("{table}.{key}");
            if let Some(setting) = own.iter().find(|setting| setting.key == name) {
                return study.source.wrong(&setting.span, sentence);
            }
            if let Some((file, text)) = &self.file
                && let Some(line) = Config::line_of(text, table, key)
            {
                return miette!("{file}:{line}: {sentence}");
            }
        }
        study.source.wrong(&(0..0), sentence)
    }
}

/// Keys, the one to change before the others.
type Keys = Vec<(&'static str, &'static str)>;

/// What a GPU cannot do, and the keys that ask for it.
fn senseless(config: &Config) -> Option<(Keys, String)> {
    let scheme = config.sm.scheme.0;
    let switching = &config.switching;
    let switches = switching.mode != SwitchingMode::None;
    let restarts = config.exceptions.response == Response::Restart;
    for (key, is_asked) in [
        (("switching", "mode"), switches),
        (("exceptions", "response"), restarts),
    ] {
        if is_asked && !scheme.squashes() {
            let sentence = format!(
                "{} squashes nothing, so {} = {} has no effect; name another scheme, or set both in alternatives of one axis",
                scheme.name(),
                key.1,
                match key.1 {
                    "mode" => switching.mode.name(),
                    _ => config.exceptions.response.name(),
                }
            );
            return Some((vec![key, ("sm", "scheme")], sentence));
        }
    }
    if let Some(&(table, key)) = config.of_absent_pages().first() {
        let sentence = format!("{key}: every page is there, so set paging.absent = true too");
        return Some((vec![(table, key)], sentence));
    }
    let error = config.check_times().err()?;
    let keys = error.keys.iter().map(|&key| ("paging", key));
    Some((keys.collect(), error.sentence))
}

/// The keys of a table with those before them, and their values as TOML.
fn flatten(before: &str, table: &toml::Table, settings: &mut Vec<(String, String)>) {
    for (key, value) in table {
        let name = match before {
            "" => key.clone(),
            _ => format!("{before}.{key}"),
        };
        match value {
            toml::Value::Table(table) => flatten(&name, table, settings),
            value => settings.push((name, value.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_axis_changes_first() {
        let all: Vec<_> = combinations(&[2, 1, 3]).collect();
        let expected = [
            [0, 0, 0],
            [0, 0, 1],
            [0, 0, 2],
            [1, 0, 0],
            [1, 0, 1],
            [1, 0, 2],
        ];
        assert_eq!(all, expected);
        assert_eq!(combinations(&[]).collect::<Vec<_>>(), [Vec::<usize>::new()]);
    }
}
