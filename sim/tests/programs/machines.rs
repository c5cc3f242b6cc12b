//! The programs on an SM and on a GPU, in every scheme: whatever faults, they end as without faults.

use faultline_ledger::Obligation;
use faultline_sim::compiled::Compiled;
use faultline_sim::machines::gpu::{Config, Gpu, SchemeName, SwitchingMode};
use faultline_sim::machines::sm::{Faults, Parameters, Sm, Work};
use faultline_sim::ptx::lower::{Options, Order};
use faultline_sim::ptx::parse;
use faultline_sim::sm::sm_pipeline::Scheme;

use super::common::cpu;
use super::files;

/// Bytes of the log.
const LOG: usize = 16 << 10;
/// Launches of a program that run, from the last one back: many are alike.
const LAUNCHES: usize = 2;

/// As another back end would have made the programs.
const DIFFERENT: Options = Options {
    order: Order::Oldest,
    hoists: true,
    without_offsets: true,
};

/// A test of this file, which depends on the programs too.
fn obligation() -> Obligation {
    Obligation::test(env!("CARGO_MANIFEST_DIR"), file!()).file(&cpu::programs())
}

/// The programs with their last launches.
fn programs(options: Options) -> Vec<(String, Vec<Work>)> {
    let works = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let module = parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        let (_, file, _) = cpu::program(name);
        let compiled = Compiled::new(&module, name, &file, &cpu::programs(), options).unwrap();
        let (mut works, _) = compiled.works().unwrap();
        works.drain(..works.len().saturating_sub(LAUNCHES));
        (name.to_owned(), works)
    };
    files("ptx").iter().map(works).collect()
}

#[test]
fn programs_restart_on_an_sm() {
    obligation().meet(|| {
        let mut squashed = 0;
        for (name, works) in &programs(Options::default()) {
            for scheme in Scheme::ALL {
                let parameters = Parameters {
                    faults: Faults {
                        rate: 0.02,
                        absent: true,
                        cycles: 500,
                        granule_bits: 13,
                        once: 0,
                    },
                    values: true,
                    ..Parameters::paper(scheme, LOG)
                };
                for work in works {
                    let outcome = Sm::new(&parameters, work).unwrap().run(|_, _| ()).unwrap();
                    assert_eq!(outcome.differences(), [], "{name} {scheme:?}");
                    squashed += outcome.occasions.faults;
                }
            }
        }
        assert!(squashed > 1_000, "{squashed}");
    });
}

#[test]
fn programs_restart_on_a_gpu_whose_pages_are_absent() {
    obligation().meet(|| {
        let (mut squashed, mut left) = (0, 0);
        for (name, works) in &programs(DIFFERENT) {
            for scheme in Scheme::ALL {
                let mut config = Config::read("sms = 2", "", "tanasic").unwrap();
                config.sm.scheme = SchemeName(scheme);
                config.paging.absent = true;
                if scheme.squashes() {
                    config.switching.mode = SwitchingMode::Normal;
                    config.switching.threshold = 0.try_into().unwrap();
                }
                for work in works {
                    let gpu = Gpu::new(&config.parameters(), work).unwrap();
                    let outcome = gpu.run(|_| {});
                    let outcome =
                        outcome.unwrap_or_else(|error| panic!("{name} {scheme:?}: {error}"));
                    assert_eq!(outcome.differences(), [], "{name} {scheme:?}");
                    assert!(outcome.brought.records > 0, "{name} {scheme:?}");
                    squashed += outcome.sms.occasions.faults;
                    left += outcome.sms.contexts.beats;
                }
            }
        }
        assert!(squashed > 1_000 && left > 10, "{squashed} {left}");
    });
}
