//! The figures of paging, and the GPUs that they compare.

use std::collections::BTreeMap;

use faultline_sim::machines::gpu::Config;
use miette::{Result, miette};

/// The GPU of the paper.
const PRESET: &str = "zheng";
/// The figure whose runs show the use of the link.
pub const OF_LINK: &str = "zheng-5";

/// A value of a configuration: its table, its key, and what stands there.
pub type Setting = (&'static str, &'static str, &'static str);

/// A figure.
#[derive(Debug)]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    pub title: &'static str,
    /// What all of its runs have in common.
    common: &'static [Setting],
    pub columns: &'static [Column],
    /// The programs that run; all of them if there is none.
    pub only: &'static [&'static str],
    /// What the paper says besides the means of columns.
    pub claim: &'static str,
}

/// What is compared: its name, what the configuration says of it, and the paper's mean.
#[derive(Debug)]
pub struct Column {
    pub label: &'static str,
    settings: &'static [Setting],
    pub paper: Option<f64>,
}

const fn column(label: &'static str, settings: &'static [Setting], paper: Option<f64>) -> Column {
    Column {
        label,
        settings,
        paper,
    }
}

/// A column in which a far fault takes so many cycles, of 1.4 GHz.
macro_rules! service {
    ($label:literal, $cycles:literal, $paper:expr) => {
        column(
            $label,
            &[
                ("paging", "migration", $cycles),
                ("paging", "allocation", $cycles),
            ],
            $paper,
        )
    };
}

/// A column with so much room, in percent, where this leaves if there is none.
macro_rules! room {
    ($label:literal, $percent:literal, $eviction:literal) => {
        column(
            $label,
            &[
                ("paging", "capacity_percent", $percent),
                ("paging", "eviction", $eviction),
            ],
            None,
        )
    };
}

/// All figures.
pub const FIGURES: [Figure; 6] = [
    Figure {
        name: "zheng-3",
        title: "Figure 3: the time of a far fault, where an SM translates nothing meanwhile",
        common: &[("l1_tlb", "blocking", "true"), ("gmmu", "far_faults", "1")],
        columns: &[
            service!("5 us", "7000", Some(2.0)),
            service!("10 us", "14000", None),
            service!("20 us", "28000", Some(6.0)),
            service!("30 us", "42000", None),
            service!("40 us", "56000", None),
            service!("50 us", "70000", None),
        ],
        only: &[],
        claim: "up to 15 at 20 us (section 2.1)",
    },
    Figure {
        name: "zheng-5",
        title: "Figure 5: far faults that the GMMU holds for an SM",
        common: &[],
        columns: &[
            column("1", &[("gmmu", "far_faults", "1")], Some(3.6)),
            column("2", &[("gmmu", "far_faults", "2")], None),
            column("4", &[("gmmu", "far_faults", "4")], Some(2.0)),
            column("8", &[("gmmu", "far_faults", "8")], None),
            column("16", &[("gmmu", "far_faults", "16")], None),
            column("32", &[("gmmu", "far_faults", "32")], None),
        ],
        only: &[],
        claim: "4 are enough, nothing is gained beyond 16, nw and sgemm gain little (section 3.2)",
    },
    Figure {
        name: "zheng-prefetch",
        title: "Prefetching",
        common: &[],
        columns: &[
            column("none", &[("paging", "prefetch", "\"none\"")], Some(2.0)),
            column(
                "sequential",
                &[("paging", "prefetch", "\"sequential\"")],
                None,
            ),
            column("random", &[("paging", "prefetch", "\"random\"")], None),
            column("locality", &[("paging", "prefetch", "\"locality\"")], None),
            column("tree", &[("paging", "prefetch", "\"tree\"")], Some(0.89)),
            column("oracle", &[("paging", "prefetch", "\"oracle\"")], None),
        ],
        only: &[],
        claim: "the best is within 3 % of the oracle, and 12 % faster than copies that are made before (abstract)",
    },
    Figure {
        name: "capacity",
        title: "Capacity: room for a share of the parts of 64 KB that are accessed, and what leaves",
        common: &[("paging", "granularity", "\"64k\"")],
        columns: &[
            room!("125", "125", "\"lru\""),
            room!("100", "100", "\"lru\""),
            room!("90", "90", "\"lru\""),
            room!("75", "75", "\"lru\""),
            room!("50", "50", "\"lru\""),
            room!("75 random", "75", "\"random\""),
            room!("50 random", "50", "\"random\""),
            room!("75 tree", "75", "\"tree\""),
            room!("50 tree", "50", "\"tree\""),
        ],
        only: &[
            "stencil",
            "lbm",
            "hotspot",
            "srad",
            "backprop",
            "kmeans",
            "pathfinder",
            "sgemm",
        ],
        claim: "no such numbers; it has room for everything",
    },
    Figure {
        name: "replays",
        title: "Replays: when the driver has the GPU try again",
        common: &[("gmmu", "far_faults", "32")],
        columns: &[
            column("page", &[("paging", "replay", "\"page\"")], None),
            column("block", &[("paging", "replay", "\"block\"")], None),
            column("batch", &[("paging", "replay", "\"batch\"")], None),
            column(
                "batch-flush",
                &[("paging", "replay", "\"batch-flush\"")],
                None,
            ),
            column("once", &[("paging", "replay", "\"once\"")], None),
        ],
        only: &[],
        claim: "no such numbers; page is its hardware, and the others are the policies of NVIDIA's driver, of which batch-flush is the default",
    },
    Figure {
        name: "pinned",
        title: "Pinned memory: a share of the pages that are accessed stays in the CPU's memory",
        common: &[],
        columns: &[
            column("0", &[("paging", "pinned_percent", "0")], None),
            column("25", &[("paging", "pinned_percent", "25")], None),
            column("50", &[("paging", "pinned_percent", "50")], None),
            column("100", &[("paging", "pinned_percent", "100")], None),
        ],
        only: &[],
        claim: "no such numbers; memory is rarely accessed directly over PCIe in practice (section 1)",
    },
];

/// The paper's GPU with other values.
pub fn config<'all>(settings: impl IntoIterator<Item = &'all Setting>) -> Result<Config> {
    let mut tables: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for (table, key, value) in settings {
        tables.entry(table).or_default().insert(key, value);
    }
    let mut text = String::new();
    for (table, keys) in tables {
        text.push_str(&format!("[{table}]\n"));
        keys.iter()
            .for_each(|(key, value)| text.push_str(&format!("{key} = {value}\n")));
    }
    Config::read_over(&text, "figure", PRESET).map_err(|error| miette!("{error}"))
}

/// All pages are absent at first.
const ABSENT: Setting = ("paging", "absent", "true");

impl Figure {
    /// The configurations of its columns.
    pub fn configs(&self) -> Result<Vec<Config>> {
        let of = |column: &Column| {
            let settings = [ABSENT].iter().chain(self.common);
            config(settings.chain(column.settings))
        };
        self.columns.iter().map(of).collect()
    }
}
