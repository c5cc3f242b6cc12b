//! The report's section on the order of service.

use faultline_sim::machines::translation::{Design, Pattern};

use super::Args;
use super::jobs::{Job, Known, Row};
use super::markdown::{grid, setup};

/// The patterns whose SMs are served unequally, after those that lose in the paper.
const UNEQUAL: [Pattern; 2] = [Pattern::Random, Pattern::OneBursts];
/// Seeds with which one SM bursts.
const SEEDS: u64 = 5;
const DESIGNS: [Design; 2] = [Design::Two, Design::Three];

/// What one SM that bursts does to the others, with other seeds.
pub fn works(args: &Args) -> Vec<Known> {
    let seeds = (args.seed..).skip(1).take(SEEDS as usize - 1);
    let work = |seed| Known::new(Pattern::OneBursts.work(args.sms, seed), seed);
    seeds.map(work).collect()
}

/// What is run besides all designs on all patterns.
pub fn jobs<'work>(works: &'work [Known], others: &'work [Known], args: &Args) -> Vec<Job<'work>> {
    let mut jobs = Vec::new();
    let mut add = |work, design, first_come| {
        let setups = setup(args, design, &|parameters| {
            parameters.first_come = first_come
        });
        jobs.extend(setups.into_iter().map(|setup| Job { work, setup }));
    };
    let unequal = |known: &&Known| {
        UNEQUAL
            .iter()
            .any(|pattern| known.work.name == pattern.name())
    };
    for work in works.iter().filter(unequal).chain(others) {
        for design in DESIGNS {
            add(work, design, true);
        }
    }
    for work in others {
        for design in [Design::One, Design::Two, Design::Three] {
            add(work, design, false);
        }
    }
    jobs
}

/// Performance with every seed.
struct Spread(Vec<f64>);

impl Spread {
    fn of(rows: &[Row], pattern: Pattern, design: Design, order: &str) -> Self {
        let of = rows.iter().filter(|row| {
            row.workload == pattern.name()
                && row.design == design.name()
                && row.order == order
                && row.far_faults_percent == 0
        });
        let mut all: Vec<_> = of.map(|row| (row.seed, row.percent_of_ideal)).collect();
        all.sort_by_key(|(seed, _)| *seed);
        Self(all.into_iter().map(|(_, value)| value).collect())
    }

    fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    fn cells(&self) -> [String; 3] {
        let least = self.0.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.0.iter().copied().fold(0.0, f64::max);
        [self.mean(), least, most].map(|value| format!("{value:.1}"))
    }

    /// The number of seeds with which it is below another one.
    fn below(&self, other: &Self) -> usize {
        self.0
            .iter()
            .zip(&other.0)
            .filter(|(here, there)| here < there)
            .count()
    }
}

/// The section.
pub fn order(rows: &[Row]) -> String {
    let (mut lines, mut told) = (Vec::new(), Vec::new());
    for pattern in UNEQUAL {
        let one = Spread::of(rows, pattern, Design::One, "turns");
        let seeds = one.0.len();
        for design in DESIGNS {
            let first = Spread::of(rows, pattern, design, "first-come");
            let turns = Spread::of(rows, pattern, design, "turns");
            let mut line = vec![format!("{}, design {}", pattern.name(), design.name())];
            line.push(seeds.to_string());
            line.extend([&one, &first, &turns].into_iter().flat_map(Spread::cells));
            lines.push(line);
            let behind = first.below(&one);
            if behind > 0 {
                let removed = seeds - turns.below(&one);
                told.push(format!(
                    "On `{}` first come, first served puts design {} below design 1 with {behind} of {seeds} seeds ({:.1} \
                     against {:.1} in the mean), and taking turns is not below it with {removed} of {seeds} ({:.1}).",
                    pattern.name(),
                    design.name(),
                    first.mean(),
                    one.mean(),
                    turns.mean()
                ));
            }
        }
    }
    if told.is_empty() {
        told.push("Nothing falls below design 1 here.".to_owned());
    }
    let table = grid(
        "## First come, first served\n\nPerformance, of ideal as 100; the mean of the seeds, the least and the most. In the \
         paper's section 4.3 design 2 falls below design 1 on bfs and nw, for an SM's burst queues ahead of the others' \
         misses. Here 64 requests wait in the order in which they came, or SMs take turns, as the walker does."
            .to_owned(),
        &[
            "workload", "seeds", "design 1", "least", "most", "first come", "least", "most", "turns", "least", "most",
        ],
        lines,
    );
    format!("{table}\n\n{}", told.join(" "))
}
