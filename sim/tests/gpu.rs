//! The GPU: kernels with pages that are resident, and with pages that all are absent at first.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_ledger::Obligation;
use faultline_sim::machines::gpu::restart::Trial;
use faultline_sim::machines::gpu::{Config, Failure, Gpu, Outcome, SchemeName};
use faultline_sim::machines::sm::{Parameters, Response, Sm, SmError, Switching, Work};
use faultline_sim::simt::kernels::named;
use faultline_sim::simt::{Raised, run as oracle};
use faultline_sim::sm::block_scheduler::{BlockScheduler, Slot};
use faultline_sim::sm::sm_pipeline::Scheme;

fn work(kernel: &str) -> Work {
    Work::of_kernel(&named(kernel).unwrap()(1).unwrap()).unwrap()
}

/// Runs a kernel with values to its end, which is the oracle's.
fn run(work: &Work, scheme: Scheme, absent: bool) -> Outcome {
    let mut config = Config::read("sms = 4", "", "tanasic").unwrap();
    config.sm.scheme = SchemeName(scheme);
    config.paging.absent = absent;
    let outcome = Gpu::new(&config.parameters(), work)
        .unwrap()
        .run(|_| {})
        .unwrap();
    assert_eq!(outcome.differences(), [], "{scheme:?}");
    outcome
}

#[test]
fn values_are_those_of_the_oracle_whether_pages_are_there_or_come() {
    let work = work("histo");
    for scheme in Scheme::ALL {
        let resident = run(&work, scheme, false);
        assert_eq!(resident.brought.records, 0);
        let absent = run(&work, scheme, true);
        assert!(absent.brought.records > 0 && absent.cycles > resident.cycles + 10_000);
        eprintln!(
            "{scheme:?} {} {} {:?}",
            resident.cycles, absent.cycles, absent
        );
    }
}

/// A GPU of one SM beside the SM by itself, which finds each page in the L2 TLB and takes from 10 % less to 20 % more cycles.
#[test]
fn a_gpu_of_one_sm_agrees_with_the_sm_by_itself() {
    for kernel in ["histo", "lbm", "mri-q", "sgemm", "spmv"] {
        let work = work(kernel);
        for scheme in [Scheme::StallOnFault, Scheme::ReplayQueue] {
            let mut config = Config::read("sms = 1", "", "tanasic").unwrap();
            config.sm.scheme = SchemeName(scheme);
            let parameters = config.parameters();
            let gpu = Gpu::new(&parameters, &work).unwrap().run(|_| {}).unwrap();
            let alone = Parameters {
                pipeline: parameters.sm.pipeline,
                values: true,
                ..Parameters::paper(scheme, 16 << 10)
            };
            let alone = Sm::new(&alone, &work).unwrap().run(|_, _| {}).unwrap();
            assert_eq!(gpu.instructions, alone.instructions, "{kernel}");
            assert!(gpu.differences().is_empty() && alone.differences().is_empty());
            let beside = gpu.cycles as f64 / alone.cycles as f64;
            assert!(
                (0.9..1.2).contains(&beside),
                "{kernel}, {scheme:?}: {beside}"
            );
        }
    }
}

/// Conservation: the driver reads and resolves each far fault once, and a part of memory comes once, over the link if it is the
/// CPU's.
#[test]
fn far_faults_are_resolved_once_and_parts_come_once() {
    for kernel in ["histo", "stencil"] {
        let work = work(kernel);
        let mut parts = None;
        for scheme in Scheme::ALL {
            let brought = run_by_pages(&work, scheme).brought;
            assert_eq!(brought.resolved, brought.records, "{kernel}, {scheme:?}");
            let came = (brought.migrated, brought.allocated);
            assert!(came.0 > 1 && *parts.get_or_insert(came) == came, "{kernel}");
            assert_eq!(brought.bytes, 4096 * brought.migrated, "{kernel}");
        }
    }
}

/// Runs a kernel whose pages all are absent, and come one by one.
fn run_by_pages(work: &Work, scheme: Scheme) -> Outcome {
    let text = "sms = 4\n[paging]\nabsent = true\ngranularity = \"4k\"\n";
    let mut config = Config::read(text, "", "tanasic").unwrap();
    config.sm.scheme = SchemeName(scheme);
    let gpu = Gpu::new(&config.parameters(), work).unwrap();
    let outcome = gpu.run(|_| {}).unwrap();
    assert_eq!(outcome.differences(), [], "{scheme:?}");
    outcome
}

/// An SM whose TLB translates nothing while a page is absent waits for one page after the other, and it skips that time.
#[test]
fn a_tlb_that_blocks_waits_for_one_page_after_the_other() {
    let scheme = Scheme::StallOnFault;
    for kernel in ["stencil", "histo"] {
        let work = work(kernel);
        let text = "sms = 2\n[gmmu]\nfar_faults = 1\n[paging]\nabsent = true\n";
        let mut config = Config::read(text, "", "tanasic").unwrap();
        config.sm.scheme = SchemeName(scheme);
        let run = |parameters: &_| Gpu::new(parameters, &work).unwrap().run(|_| {}).unwrap();
        let passes = run(&config.parameters());
        config.l1_tlb.blocking = true;
        let parameters = config.parameters();
        let blocks = run(&parameters);
        assert_eq!(blocks.differences(), [], "{kernel}");
        assert_eq!(blocks.brought.bytes, passes.brought.bytes, "{kernel}");
        assert!(blocks.cycles > passes.cycles, "{kernel}");
        let in_step = Gpu::new(&parameters, &work).unwrap().in_step();
        let in_step = in_step.run(|_| {}).unwrap();
        assert_eq!(in_step.cycles, blocks.cycles, "{kernel}");
        assert_eq!(in_step.translations, blocks.translations, "{kernel}");
    }
}

/// More SMs than the GMMU has ports: those that share one wait for each other, and each gets its translations.
#[test]
fn forty_sms_share_sixteen_ports_of_the_gmmu() {
    Obligation::test(env!("CARGO_MANIFEST_DIR"), file!()).meet(|| {
        let work = work("stencil");
        let mut config =
            Config::read("sms = 40\n[paging]\nabsent = true\n", "", "tanasic").unwrap();
        config.sm.scheme = SchemeName(Scheme::ReplayQueue);
        let parameters = config.parameters();
        assert_eq!((parameters.cluster(), parameters.gmmu.sms()), (3, 14));
        let gpu = || Gpu::new(&parameters, &work).unwrap();
        let outcome = gpu().run(|_| {}).unwrap();
        assert_eq!(outcome.differences(), []);
        assert!(outcome.brought.records > 100 && outcome.translations.fills > 100);
        let in_step = gpu().in_step().run(|_| {}).unwrap();
        assert_eq!(
            (in_step.cycles, in_step.translations, in_step.brought),
            (outcome.cycles, outcome.translations, outcome.brought)
        );
    });
}

/// Random programs on random GPUs: with faults that fail on purpose, absent pages, blocks that leave and come back.
#[test]
fn programs_end_as_without_faults_whatever_faults() {
    let (mut squashed, mut left, mut far, mut nacks, mut resident) = (0, 0, 0, 0, 0);
    let (mut scheduled, mut exceptions, mut local, mut asked) = (0, 0, 0, 0);
    let (mut replays, mut lines) = (0, 0);
    for scheme in Scheme::ALL {
        for seed in 0..40 {
            let trial = Trial::new(scheme, seed).unwrap();
            let outcome = trial
                .run()
                .unwrap_or_else(|error| panic!("{scheme:?}: {error}"));
            squashed += outcome.sms.occasions.faults;
            exceptions += outcome.sms.occasions.exceptions;
            match trial.parameters.sm.switching {
                Switching::Local(_) => scheduled += outcome.sms.switches,
                _ => left += outcome.sms.switches,
            }
            far += outcome.brought.records;
            nacks += outcome.translations.nacks;
            local += outcome.brought.local;
            asked += outcome.brought.asked;
            replays += outcome.brought.replays.replays;
            lines += outcome.brought.lines.read + outcome.brought.lines.written;
            resident += u64::from(outcome.brought.records == 0);
        }
    }
    let counts = [
        squashed, exceptions, left, scheduled, far, nacks, resident, local, asked, replays, lines,
    ];
    let least = [2_000, 500, 200, 20, 400, 40, 40, 10, 40, 40, 1_000];
    assert!(
        counts
            .iter()
            .zip(least)
            .all(|(count, least)| *count > least),
        "{counts:?}"
    );
}

/// Whether SMs and shared parts meet in every cycle or as rarely as they may, on one thread or on several, and whether cycles
/// in which nothing happens are skipped: it is the same run, to the last count.
#[test]
fn a_run_is_the_same_in_windows_on_threads_and_with_skipped_cycles() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let threads = threads.unwrap();
    for scheme in Scheme::ALL {
        // In the last, an SM hears at a meeting that no thread block comes from that cycle on.
        for seed in (1_000..1_012).chain([232]) {
            let Trial { of_sm, parameters } = Trial::new(scheme, seed).unwrap();
            let mut gpu = Gpu::new(&parameters, &of_sm.work).unwrap();
            // The counts of the ports know nothing of blocks that come back.
            if parameters.sm.switching == Switching::Never {
                gpu = gpu.counting();
            }
            let plain = gpu.clone().in_step().run(|_| {}).unwrap();
            let parallel = gpu.clone().in_parallel();
            let parallel = threads.install(|| parallel.run(|_| {}));
            for other in [gpu.run(|_| {}), parallel].map(Result::unwrap) {
                let counts = |outcome: &Outcome| {
                    let all = (outcome.cycles, outcome.traffic, outcome.translations);
                    (
                        all,
                        outcome.brought,
                        outcome.sms.misses,
                        outcome.history.clone(),
                    )
                };
                assert_eq!(counts(&other), counts(&plain), "{scheme:?} {seed}");
                assert!(other == plain, "{scheme:?} {seed}");
            }
        }
    }
}

/// The exception is one of the oracle's, and of several SMs that raise one in a window the first ends the kernel.
#[test]
fn an_exception_that_ends_the_kernel_is_the_same_in_windows_and_on_threads() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let threads = threads.unwrap();
    let (mut ended, mut other_sms) = (0, 0);
    for scheme in Scheme::ALL {
        for seed in 2_000..2_020 {
            let Trial {
                of_sm,
                mut parameters,
            } = Trial::new(scheme, seed).unwrap();
            parameters.sm.exceptions.response = Response::End;
            let gpu = Gpu::new(&parameters, &of_sm.work).unwrap();
            let plain = gpu.clone().in_step().run(|_| {});
            let parallel = gpu.clone().in_parallel();
            let parallel = threads.install(|| parallel.run(|_| {}));
            for other in [gpu.run(|_| {}), parallel] {
                assert!(other == plain, "{scheme:?} {seed}");
            }
            let Err(failure) = plain else {
                assert_eq!(of_sm.work.exceptions(), 0, "{scheme:?} {seed}");
                continue;
            };
            let Failure::Sm {
                sm,
                error: SmError::Exception { raised, .. },
            } = failure
            else {
                panic!("{scheme:?} {seed}: {failure}");
            };
            let computation = of_sm.work.computation.as_ref().unwrap();
            let memory = computation.memory.clone();
            let run = oracle(&computation.program, &computation.launch, memory).unwrap();
            let met: Vec<Raised> = run.exceptions(&computation.program).collect();
            assert!(met.contains(&raised), "{scheme:?} {seed}: {raised}");
            ended += 1;
            other_sms += usize::from(sm > 0);
        }
    }
    assert!(ended > 50 && other_sms > 5, "{ended} {other_sms}");
}

#[test]
fn every_preset_runs_a_kernel_with_absent_pages() {
    let work = work("histo");
    for name in Config::presets() {
        let mut config = Config::read("sms = 2", "", name).unwrap();
        config.paging.absent = true;
        let gpu = Gpu::new(&config.parameters(), &work).unwrap();
        let outcome = gpu
            .run(|_| {})
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(outcome.differences(), [], "{name}");
        assert!(outcome.brought.migrated > 0, "{name}");
    }
}

/// An SM's blocks: on the SM, off chip, and on their way back.
fn blocks(scheduler: &BlockScheduler) -> usize {
    let is_there = |slot: &&Slot| slot.block().is_some();
    let comes_back = scheduler.moving().is_some_and(|moving| !moving.leaves);
    scheduler.slots().iter().filter(is_there).count()
        + scheduler.off_chip().len()
        + usize::from(comes_back)
}

/// The context of the block that left first of those that are ready.
fn first_ready(scheduler: &BlockScheduler) -> Option<usize> {
    let mut off_chip = scheduler.off_chip().iter();
    let first = off_chip.find(|(_, block)| !scheduler.waits(*block, false));
    first.map(|(context, _)| *context)
}

/// Compares an SM's scheduler with what it was a cycle before: it has no more blocks than it may, and those that are ready come back
/// first, in the order in which they left.
fn check(before: &BlockScheduler, now: &BlockScheduler, most: usize, extra: usize) {
    assert!(blocks(now) <= most + extra, "{now:?}");
    assert!(now.off_chip().len() <= extra + 1, "{now:?}");
    if before.request().is_none() && now.request().is_some() {
        assert!(!before.is_ready(), "{before:?}");
    }
    if let (None, Some(moving)) = (before.moving(), now.moving())
        && !moving.leaves
    {
        assert_eq!(Some(moving.context), first_ready(before), "{before:?}");
    }
}

/// Blocks that wait for pages far behind others leave and come back, in each scheme that squashes: each is dispatched once and
/// ends once, each fault is resolved, and values are the oracle's.
#[test]
fn blocks_are_switched_out_and_come_back() {
    Obligation::test(env!("CARGO_MANIFEST_DIR"), file!()).meet(|| {
    let mut work = work("sgemm");
    work.blocks_per_sm = 2;
    for scheme in Scheme::ALL.into_iter().filter(|scheme| scheme.squashes()) {
        for mode in ["normal", "ideal"] {
            let text = format!(
                "sms = 2\n[switching]\nmode = \"{mode}\"\nthreshold = 0\nextra = 2\nresidence = 100\n\
                 [paging]\nabsent = true\ngranularity = \"4k\"\n"
            );
            let mut config = Config::read(&text, "gpu.toml", "tanasic").unwrap();
            config.sm.scheme = SchemeName(scheme);
            let gpu = Gpu::new(&config.parameters(), &work).unwrap();
            let mut last: Vec<BlockScheduler> = gpu.schedulers().cloned().collect();
            let mut given = vec![0; last.len()];
            let outcome = gpu.in_step().run(|gpu| {
                let now: Vec<BlockScheduler> = gpu.schedulers().cloned().collect();
                for ((before, now), given) in last.iter().zip(&now).zip(&mut given) {
                    check(before, now, 2, 2);
                    let slots = now.slots().iter().filter_map(Slot::block);
                    *given = slots.map(|block| block.number).fold(*given, u64::max);
                }
                last = now;
            });
            let outcome = outcome.unwrap_or_else(|error| panic!("{scheme:?} {mode}: {error}"));
            assert_eq!(outcome.differences(), [], "{scheme:?} {mode}");
            assert!(outcome.sms.switches > 4, "{scheme:?} {mode}");
            assert_eq!(given.iter().sum::<u64>(), work.blocks() as u64);
            assert_eq!(outcome.brought.resolved, outcome.brought.records);
            for scheduler in &last {
                assert!(scheduler.pages().is_empty() && scheduler.off_chip().is_empty());
            }
            eprintln!(
                "{scheme:?} {mode}: {} cycles, {} switches, {:?}",
                outcome.cycles, outcome.sms.switches, outcome.sms.contexts
            );
        }
    }
    });
}

/// lbm names so many registers that a context has no bit to spare for the number of a row.
#[test]
fn blocks_with_many_registers_come_back_whole() {
    let work = Work::of_kernel(&named("lbm").unwrap()(2).unwrap()).unwrap();
    let text = "sms = 1\n[switching]\nmode = \"normal\"\nthreshold = 0\nextra = 4\nresidence = 100\n\
                [paging]\nabsent = true\ngranularity = \"4k\"\n";
    let mut config = Config::read(text, "gpu.toml", "tanasic").unwrap();
    config.sm.scheme = SchemeName(Scheme::ReplayQueue);
    let gpu = Gpu::new(&config.parameters(), &work).unwrap();
    let outcome = gpu.run(|_| {}).unwrap();
    assert_eq!(outcome.differences(), []);
    assert!(outcome.sms.switches > 4, "{}", outcome.sms.switches);
}

#[test]
fn a_scheme_that_squashes_nothing_switches_no_block_out() {
    let work = work("sgemm");
    let mut config = Config::read("[switching]\nmode = \"normal\"", "gpu.toml", "tanasic").unwrap();
    config.sm.scheme = SchemeName(Scheme::StallOnFault);
    let refused = Gpu::new(&config.parameters(), &work).map(|_| ());
    let error = SmError::Unsquashed;
    assert_eq!(refused, Err(Failure::Sm { sm: 0, error }));
}
