//! The GPU with two kernels: the second one is launched while the first one runs, and preempts every SM.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use faultline_sim::machines::gpu::restart::LaunchTrial;
use faultline_sim::machines::gpu::{Config, Failure, Gpu, Launch, Launched, Outcome, SchemeName};
use faultline_sim::machines::sm::{Choice, Preempted, Preemption, Saves, SmError, Work};
use faultline_sim::simt::kernels::named;
use faultline_sim::simt::{self, Memory, Width, assemble};
use faultline_sim::sm::sm_pipeline::Scheme;

/// What trials have met.
#[derive(Debug, Default)]
struct Met {
    drained: u64,
    saved: u64,
    bases: u64,
    /// Squashed instructions that came back with blocks that had left.
    restored: u64,
    far: u64,
    /// Launches that found blocks of the first kernel, and launches that found none.
    opposed: u64,
    unopposed: u64,
}

impl Met {
    fn add(&mut self, outcome: &Outcome) {
        let sms = &outcome.launched.as_ref().unwrap().sms;
        let sum = |of: fn(&Preempted) -> u64| sms.iter().map(of).sum::<u64>();
        let (drained, saved) = (sum(|sm| sm.drained), sum(|sm| sm.saved));
        self.drained += drained;
        self.saved += saved;
        self.bases += sum(|sm| sm.bases);
        self.restored += outcome.sms.restored;
        self.far += outcome.brought.records;
        self.opposed += u64::from(drained + saved > 0);
        self.unopposed += u64::from(drained + saved == 0);
    }
}

/// Random programs on random GPUs. Both access the same virtual pages, which all are absent in three of four trials.
#[test]
fn two_programs_end_as_without_faults_whenever_the_second_is_launched() {
    for choice in Choice::ALL {
        let mut met = Met::default();
        for scheme in Scheme::ALL {
            for seed in 0..12 {
                let trial = LaunchTrial::new(scheme, choice, seed).unwrap();
                let outcome = trial.run();
                let outcome =
                    outcome.unwrap_or_else(|error| panic!("{choice:?} {scheme:?}: {error}"));
                met.add(&outcome);
            }
        }
        eprintln!("{choice:?}: {met:?}");
        // Parts that are pinned have none.
        assert!(met.far > 300 && met.opposed > 20 && met.unopposed > 5);
        let counts = [met.drained, met.saved, met.bases, met.restored];
        let least = match choice {
            Choice::Drain => [60, 0, 0, 0],
            Choice::Switch => [0, 50, 0, 30],
            Choice::Pep => [10, 40, 15, 25],
            Choice::Chimera => [40, 10, 0, 5],
        };
        assert!(
            counts
                .iter()
                .zip(least)
                .all(|(count, least)| *count >= least)
        );
        assert!(choice != Choice::Drain || met.saved == 0);
        assert!(choice == Choice::Pep || met.bases == 0);
    }
}

/// As with one kernel: it is the same run, to the last count, however the parts meet and whatever is skipped.
#[test]
fn a_run_of_two_kernels_is_the_same_in_windows_on_threads_and_with_skipped_cycles() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let threads = threads.unwrap();
    for (scheme, choice) in Scheme::ALL
        .into_iter()
        .flat_map(|scheme| Choice::ALL.map(|choice| (scheme, choice)))
    {
        for seed in 1_000..1_003 {
            let trial = LaunchTrial::new(scheme, choice, seed).unwrap();
            let gpu = || trial.gpu().unwrap();
            let plain = gpu().in_step().run(|_| {}).unwrap();
            let parallel = threads.install(|| gpu().in_parallel().run(|_| {}));
            for other in [gpu().run(|_| {}), parallel].map(Result::unwrap) {
                assert_eq!(
                    other.launched, plain.launched,
                    "{scheme:?} {choice:?} {seed}"
                );
                assert!(other == plain, "{scheme:?} {choice:?} {seed}");
            }
        }
    }
}

fn program(text: &str, blocks: u32, memory: Memory) -> Work {
    let launch = simt::Launch {
        grid: [blocks, 1, 1],
        block: [32, 1, 1],
        shared_memory: 0,
    };
    Work::of_program(assemble(text).unwrap(), launch, memory).unwrap()
}

/// Runs two kernels on a GPU of these values, both to the end of their oracles.
fn launch(text: &str, work: &Work, second: &Work, at: u64, choice: Choice) -> (Outcome, Launched) {
    let config = Config::read(text, "", "tanasic").unwrap();
    let launch = Launch {
        work: second,
        at,
        preemption: config.preemption(choice, 5, 5),
    };
    let gpu = Gpu::with_second(&config.parameters(), work, launch).unwrap();
    let outcome = gpu.run(|_| {}).unwrap();
    assert_eq!(outcome.differences(), [], "{choice:?}");
    let launched = outcome.launched.clone().unwrap();
    (outcome, launched)
}

/// A block waits for a page of the CPU's when it is saved. The second kernel runs and ends before the page is there; then the block
/// comes back, with its squashed load, and goes on.
#[test]
fn a_block_that_was_saved_with_a_far_fault_comes_back_and_goes_on() {
    let mut memory = Memory::new();
    memory.write(0x10_0000, Width::Eight, 41);
    let first = "R0 <- mov 1048576\nR1 <- ld.64 [R0]\nR2 <- add R1, 1\nst.64 [R0 + 8], R2\nexit";
    let first = program(first, 1, memory);
    let second = program("R0 <- mov 5\nR1 <- add R0, 3\nexit", 1, Memory::new());
    for scheme in Scheme::ALL.into_iter().filter(|scheme| scheme.squashes()) {
        let text = format!(
            "sms = 1\n[sm]\nscheme = \"{}\"\n[paging]\nabsent = true\n",
            scheme.name()
        );
        let (outcome, launched) = launch(&text, &first, &second, 3_000, Choice::Switch);
        let sm = launched.sms[0];
        assert_eq!((sm.saved, sm.drained), (1, 0), "{scheme:?}");
        assert_eq!(
            outcome.sms.restored,
            u64::from(scheme.queues()),
            "{scheme:?}"
        );
        let there = outcome.history.arrivals[0].there;
        assert!(
            sm.free < 4_000 && sm.back < 5_000 && there > 12_000,
            "{sm:?}"
        );
        // It has faulted once more when it was back.
        assert!(outcome.sms.occasions.again > 0, "{scheme:?}");
        assert!(launched.cycles < 2_000 && launched.first_cycles > there);
        assert_eq!(outcome.brought.migrated, 1);
    }
}

/// A warp allocates the page that its block stores to: the block stays until the handler is over, and leaves at once where the CPU
/// handles the fault.
#[test]
fn a_block_whose_warp_runs_a_handler_leaves_after_it() {
    let first = "R0 <- mov 1048576\nR1 <- mov 3\nst.64 [R0], R1\nexit";
    let first = program(first, 1, Memory::new());
    let second = program("R0 <- mov 5\nexit", 1, Memory::new());
    let free = |handling: &str| {
        let text = format!(
            "sms = 1\n[paging]\nabsent = true\nhandling = \"{handling}\"\ngpu_handler = 8000\n"
        );
        let (outcome, launched) = launch(&text, &first, &second, 3_000, Choice::Switch);
        assert_eq!((launched.sms[0].saved, outcome.brought.allocated), (1, 1));
        launched.sms[0].free
    };
    assert!((3_000..4_000).contains(&free("cpu")));
    assert!((8_000..9_500).contains(&free("gpu")));
}

/// Both kernels load from the same address, which holds something else in each space, and is in another frame.
#[test]
fn equal_addresses_of_two_kernels_are_two_places() {
    let store = "R0 <- mov 1048576\nR1 <- ld.64 [R0]\nst.64 [R0 + 8], R1\nexit";
    let with = |value| {
        let mut memory = Memory::new();
        memory.write(0x10_0000, Width::Eight, value);
        program(store, 3, memory)
    };
    let (first, second) = (with(7), with(8));
    for absent in [false, true] {
        let text = format!("sms = 1\n[paging]\nabsent = {absent}\ngranularity = \"4k\"\n");
        for (at, choice) in [
            (200, Choice::Drain),
            (200, Choice::Switch),
            (90_000, Choice::Drain),
        ] {
            let (outcome, _) = launch(&text, &first, &second, at, choice);
            assert_eq!(outcome.brought.migrated, 2 * u64::from(absent));
        }
    }
}

/// Blocks that run long: saving them makes the SM free sooner than waiting for their end, and PEP has a base of each by then.
#[test]
fn who_is_saved_makes_room_sooner_than_who_ends() {
    let kernel = |name| Work::of_kernel(&named(name).unwrap()(1).unwrap()).unwrap();
    let (mut first, second) = (kernel("mri-q"), kernel("histo"));
    first.blocks_per_sm = 2;
    let text = "sms = 2\n[sm]\nscheme = \"replay-queue\"\n";
    let of = |choice| launch(text, &first, &second, 6_000, choice).1;
    let [drain, switch, pep, chimera] = Choice::ALL.map(of);
    eprintln!("{drain:?}\n{switch:?}\n{pep:?}\n{chimera:?}");
    let saved = |launched: &Launched| launched.sms.iter().map(|sm| sm.saved).sum::<u64>();
    assert_eq!(saved(&drain), 0);
    assert!(saved(&switch) == 4 && switch.latency() < drain.latency());
    assert!(pep.sms.iter().all(|sm| sm.bases > 0) && pep.latency() < switch.latency());
    // The blocks would end after Chimera's deadline.
    assert!(saved(&chimera) == 4 && chimera.latency() < drain.latency());
    for launched in [drain, switch, pep, chimera] {
        for sm in &launched.sms {
            assert!(sm.launched == 6_010 && sm.free <= sm.back && sm.latency() > 0);
            assert_eq!(sm.bytes > 0, sm.saved + sm.bases > 0);
        }
        let latest = launched.sms.iter().map(|sm| sm.free).max();
        assert_eq!(latest, Some(6_000 + launched.latency()));
    }
}

/// A second kernel that is launched long after the first one has ended finds every SM free.
#[test]
fn a_launch_after_the_end_finds_the_sms_free() {
    let work = Work::of_kernel(&named("histo").unwrap()(1).unwrap()).unwrap();
    for at in [200_000, 3_000_000] {
        let text = "sms = 2\n[paging]\nabsent = true\n";
        let (outcome, launched) = launch(text, &work, &work, at, Choice::Chimera);
        assert_eq!(launched.latency(), 10);
        assert!(launched.first_cycles < at && outcome.cycles >= at + launched.cycles);
        // Its pages are absent once more.
        assert!(launched.cycles > launched.first_cycles / 2);
    }
}

#[test]
fn a_second_kernel_is_refused_where_it_does_not_fit() {
    let work = Work::of_kernel(&named("histo").unwrap()(1).unwrap()).unwrap();
    let refused = |text: &str, work: &Work, second: &Work| {
        let mut config = Config::read(text, "", "tanasic").unwrap();
        config.sm.scheme = SchemeName(Scheme::ReplayQueue);
        let launch = Launch {
            work: second,
            at: 0,
            preemption: config.preemption(Choice::Drain, 20, 10),
        };
        let refused = Gpu::with_second(&config.parameters(), work, launch);
        refused.map(|_| ()).unwrap_err()
    };
    let switched = "[paging]\nabsent = true\n[switching]\nmode = \"normal\"\n";
    assert_eq!(refused(switched, &work, &work), Failure::Switched);
    let small = program("exit", 1, Memory::new());
    let error = SmError::Block {
        block: work.warps_per_block,
        warps: 2,
    };
    let too_large = Failure::Sm { sm: 0, error };
    assert_eq!(refused("[sm]\nwarps = 2\n", &small, &work), too_large);
}

/// What is said of a launch while the first kernel runs is as good as what is said before it begins.
#[test]
fn a_launch_that_is_planned_late_goes_as_one_that_was_planned() {
    let mut met = [0, 0];
    for (seed, choice) in (0..24).zip(Choice::ALL.into_iter().cycle()) {
        let trial = LaunchTrial::new(Scheme::ReplayQueue, choice, seed).unwrap();
        if trial.preemption.saves == Saves::Whole {
            // The rows of blocks that run become dirty at once when it is said.
            continue;
        }
        let planned = trial.gpu().unwrap().run(|_| {}).unwrap();
        let planned = planned.launched.unwrap();
        let mut late = LaunchTrial {
            at: 1 << 40,
            ..trial.clone()
        };
        late.preemption.lead = 0;
        let mut gpu = late.gpu().unwrap();
        let when = trial.at - trial.preemption.lead;
        if gpu.go_on(|gpu| gpu.now() + 100 > when).unwrap() || gpu.now() > when {
            continue;
        }
        gpu.plan(trial.at, trial.preemption);
        let freed = gpu.until_free().unwrap();
        assert_eq!(freed.len(), planned.sms.len());
        for (freed, planned) in freed.iter().zip(&planned.sms) {
            let of = |sm: &Preempted| (sm.launched, sm.free, sm.drained, sm.saved, sm.bytes);
            assert_eq!(of(&freed.preempted), of(planned), "{choice:?}, seed {seed}");
            assert!(freed.drains.len() as u64 <= planned.drained);
            met = [met[0] + planned.saved, met[1] + freed.drains.len() as u64];
        }
    }
    assert!(met.iter().all(|&count| count > 5), "{met:?}");
}

/// All of a context, what is dirty of it, and what does not stay on the SM.
#[test]
fn contexts_are_as_large_as_what_is_saved() {
    let work = Work::of_kernel(&named("mri-q").unwrap()(4).unwrap()).unwrap();
    let config = Config::read_over("sms = 2\n", "gpu.toml", "pep").unwrap();
    let bytes = [Saves::Whole, Saves::Dirty, Saves::InPlace].map(|saves| {
        let preemption = Preemption {
            saves,
            ..config.preemption(Choice::Pep, 20, 10)
        };
        let launch = Launch {
            work: &work,
            at: 25_000,
            preemption,
        };
        let gpu = Gpu::with_second(&config.parameters(), &work, launch).unwrap();
        let outcome = gpu.run(|_| {}).unwrap();
        assert_eq!(outcome.differences(), []);
        let sms = outcome.launched.unwrap().sms;
        let sum = |of: fn(&Preempted) -> u64| sms.iter().map(of).sum::<u64>();
        // A line holds four beats, and the last one of a context may hold fewer.
        assert!(outcome.traffic.contexts * 128 >= sum(|sm| sm.bytes));
        assert!(sum(|sm| sm.bases) >= sum(|sm| sm.saved) && sum(|sm| sm.saved) > 8);
        let increments = sum(|sm| sm.bytes - sm.base_bytes);
        [
            sum(|sm| sm.base_bytes),
            increments,
            sum(|sm| sm.whole_bytes),
        ]
    });
    let [whole, dirty, in_place] = bytes;
    // Bases are smaller with dirty bits, and increments stay on the SM but for what has no room there.
    assert!(dirty[0] < whole[0] && in_place[0] == dirty[0], "{bytes:?}");
    assert!(
        4 * in_place[1] < dirty[1] && dirty[1] <= dirty[2],
        "{bytes:?}"
    );
}

/// Warps end just when they are to stand still: the last instructions of some are under way at each of these launches.
#[test]
fn a_launch_finds_warps_at_their_ends() {
    let work = Work::of_kernel(&named("histo").unwrap()(2).unwrap()).unwrap();
    let config = Config::read_over("sms = 2\n", "gpu.toml", "pep").unwrap();
    let alone = Gpu::new(&config.parameters(), &work).unwrap();
    let end = alone.run(|_| {}).unwrap().cycles;
    let mut saved = 0;
    for at in (0..24).map(|step| end - 600 + 25 * step) {
        let launch = Launch {
            work: &work,
            at,
            preemption: config.preemption(Choice::Switch, 0, 10),
        };
        let gpu = Gpu::with_second(&config.parameters(), &work, launch).unwrap();
        let outcome = gpu.run(|_| {}).unwrap();
        assert_eq!(outcome.differences(), []);
        let sms = outcome.launched.unwrap().sms;
        saved += sms.iter().map(|sm| sm.saved).sum::<u64>();
    }
    assert!(saved > 10, "{saved}");
}
