//! The points as a table for a person, and as a page.

use faultline_synth::sta::CLOCK;
use faultline_synth::table::Grid;
use serde::Serialize;

use super::points::{PaperPoint, Point, of_paper, sentence, smallest};
use crate::experiments::figures::family::Request;
use crate::experiments::figures::report::with_pictures;
use crate::output::grouped;

/// Points, and what they are of.
#[derive(Serialize)]
pub struct Explored {
    /// What stands for 100 %.
    pub baseline: &'static str,
    /// The programs.
    pub kernels: Vec<String>,
    /// SMs of the GPU.
    pub sms: u32,
    /// Sixteenths of a program's range of thread blocks that are run.
    pub scale: u32,
    /// Runs with the first thread block on another SM each time.
    pub runs: u64,
    /// The first of their seeds.
    pub seed: u64,
    /// How far from the baseline the smallest log may be, percent.
    pub within_percent: f64,
    /// The points, by log, banks and queue.
    pub points: Vec<Point>,
    /// The paper's logs.
    pub paper: [PaperPoint; 4],
    /// The smallest log that is near enough to the baseline, if there is one.
    pub smallest: Option<Point>,
    /// The same in words.
    pub sentence: String,
    /// Tools, library, memories and command.
    #[serde(serialize_with = "by_name")]
    pub origin: Vec<(String, String)>,
}

/// Pairs as an object, in their order.
fn by_name<S: serde::Serializer>(
    pairs: &[(String, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

impl Explored {
    /// Points of programs.
    pub fn new(
        request: &Request,
        seed: u64,
        within_percent: f64,
        points: Vec<Point>,
        origin: Vec<(String, String)>,
    ) -> Self {
        Self {
            baseline: "stall-on-fault",
            kernels: request.kernels.clone(),
            sms: request.sms,
            scale: request.scale,
            runs: request.runs,
            seed,
            within_percent,
            paper: of_paper(),
            smallest: smallest(&points, within_percent).cloned(),
            sentence: sentence(&points, within_percent),
            points,
            origin,
        }
    }

    /// The table: a row for each point, and one for each of the paper's logs.
    fn grid(&self, title: &str) -> Grid {
        let headings = [
            "log, banks, queue",
            "log um2",
            "queue um2",
            "added um2",
            "SM area %",
            "memories mW",
            "SM power %",
            "MHz",
            "performance",
            "worst",
            "front",
        ];
        let row = |point: &Point| {
            let log = point.log_memory_area_um2 + point.log_logic_area_um2;
            let performance = match self.runs {
                1 => format!("{:.1}", point.performance_percent),
                _ => format!(
                    "{:.1} ±{:.1}",
                    point.performance_percent,
                    point.performance_percent * point.error_percent / 100.0
                ),
            };
            let clock = point.clock_mhz.map(whole);
            vec![
                format!(
                    "{} KB, {}, {}",
                    point.log_kb, point.banks, point.queue_entries
                ),
                whole(log),
                whole(point.queue_area_um2),
                whole(point.area_um2),
                format!("{:.2}", point.sm_area_percent),
                format!("{:.1}", point.memory_power_mw),
                format!("{:.2}", point.sm_power_percent),
                clock.unwrap_or_else(|| "-".to_owned()),
                performance,
                format!("{} {:.1}", point.worst_kernel, point.worst_percent),
                if point.is_on_front { "x" } else { "" }.to_owned(),
            ]
        };
        let paper = |paper: &PaperPoint| {
            let performance = paper.performance_percent;
            let missing = || "-".to_owned();
            vec![
                format!("{} KB, paper", paper.log_kb),
                whole(paper.area_um2),
                missing(),
                whole(paper.area_um2),
                format!("{:.2}", paper.sm_area_percent),
                format!("{:.1}", paper.memory_power_mw),
                format!("{:.2}", paper.sm_power_percent),
                missing(),
                performance.map_or_else(missing, |percent| format!("{percent:.1}")),
                missing(),
                String::new(),
            ]
        };
        let rows = self.points.iter().map(row);
        Grid {
            title: title.to_owned(),
            headings: headings.map(str::to_owned).to_vec(),
            rows: rows.chain(self.paper.iter().map(paper)).collect(),
        }
    }

    /// The table and the sentence, for a terminal.
    pub fn terminal(&self) -> String {
        format!(
            "{}\n\n{}\n{CLOCK}\n{}\n\n{}",
            self.grid("Logs, their banks and queues; performance of the baseline as 100")
                .terminal(),
            self.sentence,
            self.runs_of(),
            self.origin_text("")
        )
    }

    /// What has run.
    fn runs_of(&self) -> String {
        let runs = match self.runs {
            1 => "One run".to_owned(),
            runs => format!("Means of {runs} runs"),
        };
        let parts = match self.scale {
            16 => "at the papers' problem sizes".to_owned(),
            scale => format!(
                "with {scale} of 16 parts of the thread blocks of the papers' problem sizes"
            ),
        };
        format!(
            "{runs} of {} on {} SMs, {parts}; nothing faults.",
            self.kernels.join(", "),
            self.sms
        )
    }

    /// The page, with a picture of a name or without, and a sentence that says what Verilog it is of.
    pub fn markdown(&self, picture: Option<String>, verilog: &str) -> String {
        let command = self.origin.iter().find(|(name, _)| name == "command");
        let command = command.map_or("faultline explore", |(_, command)| command);
        let page = format!(
            "# Sizes of the log, its banks and the queue\n\nGenerated by `{command}`. {verilog}.\n\n{}\n\n{}\n{NOTES}{CLOCK}\n\n{}",
            self.sentence,
            self.grid(&format!(
                "{} The baseline is `{}`, its performance 100.",
                self.runs_of(),
                self.baseline
            ))
            .markdown(),
            self.origin_text("- ")
        );
        with_pictures(&page, picture.into_iter())
    }

    fn origin_text(&self, mark: &str) -> String {
        let origin = self.origin.iter();
        origin
            .map(|(name, value)| format!("{mark}{name}: {value}\n"))
            .collect()
    }
}

/// What the figures are, and are not.
const NOTES: &str = "\
- Area is that of memories and logic of log and queue, before layout, without the logic that connects them to the pipeline. \
Power is that of the memories: leakage, and a write in each cycle at 1 GHz, as in the paper's Table 2.
- The model has no bank conflicts: an access takes an entry, which lies in all banks. So performance depends on the sizes of log \
and queue and not on the banks.
- A log of 4 KB has 16 entries. A thread block needs two, so at most 8 thread blocks are resident on an SM. Its memories are charged \
as macros of 32 words, the smallest that CACTI has.
- The queue keeps numbers of log entries in 7 bits each. With a log above 32 KB they take 8, which the area lacks: two bits of \
120 an entry.
- The paper's rows are its Table 2 (40 nm, a factor of 1.5 for control, no queue) and Figure 11, which its text has as a number for two logs.
- x in the last column: no other row takes less area and loses no more, or loses less and takes no more.

";

/// A number without its fraction.
fn whole(number: f64) -> String {
    grouped(number.round() as u64)
}
