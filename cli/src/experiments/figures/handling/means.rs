//! Means of the figures beside the paper's, and why they are far from them.

use serde::Serialize;

use super::super::runs::geometric_mean;
use super::{FIGURES, LINKS, Row};

/// Points by which a mean is far from the paper's.
const FAR: f64 = 5.0;
/// The geometric mean of a figure over a link, beside the paper's.
#[derive(Serialize)]
pub struct Mean {
    pub figure: &'static str,
    pub link: &'static str,
    pub performance_percent: f64,
    /// None if a part of the kernels has run.
    pub paper_percent: Option<f64>,
}

/// The means of figures whose kernels have run; the paper's are those of all kernels of a figure.
pub fn means(rows: &[Row], is_whole: bool) -> Vec<Mean> {
    let mut means = Vec::new();
    for figure in &FIGURES {
        for ((link, _), paper) in LINKS.into_iter().zip(figure.paper) {
            let here = rows
                .iter()
                .filter(|row| row.figure == figure.name && row.link == link);
            let here: Vec<f64> = here.map(|row| row.performance_percent).collect();
            if !here.is_empty() {
                means.push(Mean {
                    figure: figure.name,
                    link,
                    performance_percent: geometric_mean(here.into_iter()),
                    paper_percent: is_whole.then_some(paper),
                });
            }
        }
    }
    means
}

impl Mean {
    /// It in a sentence.
    pub fn text(&self) -> String {
        let paper = self.paper_percent;
        let paper = paper.map_or_else(String::new, |paper| format!(" (paper {paper:.0})"));
        let Self { figure, link, .. } = self;
        format!(
            "{figure} over {link} {:.1}{paper}",
            self.performance_percent
        )
    }

    /// The cause, by counters, of a mean that is far from the paper's.
    pub fn cause(&self, rows: &[Row]) -> Option<String> {
        let far = self.performance_percent - self.paper_percent?;
        let of_mean = |row: &&Row| row.figure == self.figure && row.link == self.link;
        let own = rows.iter().filter(of_mean);
        let own: Vec<&Row> = own.filter(|row| row.allocated[0] > 0).collect();
        let mean = |of: &dyn Fn(&Row) -> f64| {
            own.iter().map(|row| of(row)).sum::<f64>() / own.len().max(1) as f64
        };
        let at_once = own.iter().map(|row| row.handlers_at_once).max();
        (far.abs() > FAR).then(|| {
            format!(
                "{} over {} is {:.0} points {} the paper's mean. Its kernels allocate {:.0} regions in the mean. A fault takes {:.1} us with the \
                 CPU, for {:.1} us of which its handler is busy with others, and {:.1} us on the GPU, where up to {} handlers \
                 run at once; SMs wait for {:.0} % of their time with the CPU and for {:.0} % without.",
                self.figure,
                self.link,
                far.abs(),
                if far > 0.0 { "above" } else { "below" },
                mean(&|row| row.allocated[1] as f64),
                mean(&|row| row.fault_us[0]),
                mean(&|row| row.waited_us[0]),
                mean(&|row| row.fault_us[1]),
                at_once.unwrap_or_default(),
                mean(&|row| row.waits_percent[0]),
                mean(&|row| row.waits_percent[1]),
            )
        })
    }
}
