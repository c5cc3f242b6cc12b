//! The points: a log in its banks, with a queue.

use faultline_synth::cost::{Row, overhead};
use faultline_synth::paper;
use serde::Serialize;

use super::axes::Banks;
use super::costs::Costs;
use super::speed::Speed;
use crate::experiments::sm::setups;
use crate::experiments::sm::tables;
use crate::output::grouped;

/// A log and a queue: what they cost and what they lose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// KB of the log.
    pub log_kb: usize,
    /// Banks and bits of a bank.
    pub banks: Banks,
    /// Entries of the queue.
    pub queue_entries: usize,
    /// Area of the log's memories, um2.
    pub log_memory_area_um2: f64,
    /// Area of the log's logic, um2.
    pub log_logic_area_um2: f64,
    /// Area of the queue, memory and logic, um2.
    pub queue_area_um2: f64,
    /// Area of both, um2.
    pub area_um2: f64,
    /// The same as a share of a streaming multiprocessor of 16 mm2, percent.
    pub sm_area_percent: f64,
    /// Power of the memories of both with a write in each cycle at 1 GHz, mW.
    pub memory_power_mw: f64,
    /// The same as a share of a streaming multiprocessor's 5.7 W, percent.
    pub sm_power_percent: f64,
    /// Clock of the slower one, MHz.
    pub clock_mhz: Option<f64>,
    /// Performance without faults, geometric mean, that of the baseline as 100.
    pub performance_percent: f64,
    /// Standard error of that mean over the runs, in percent of it; 0 of one run.
    pub error_percent: f64,
    /// The program that loses most.
    pub worst_kernel: String,
    /// Its performance.
    pub worst_percent: f64,
    /// No other point has less area and no less performance, or more performance and no more area.
    pub is_on_front: bool,
}

/// A log of the paper: Tanasic et al., MICRO-50, Table 2 and Figure 11.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PaperPoint {
    /// KB of the log.
    pub log_kb: usize,
    /// Area, um2.
    pub area_um2: f64,
    /// Share of a streaming multiprocessor's area, percent.
    pub sm_area_percent: f64,
    /// Power of the memories with a write in each cycle at 1 GHz, mW.
    pub memory_power_mw: f64,
    /// Share of a streaming multiprocessor's power, percent.
    pub sm_power_percent: f64,
    /// Performance, that of the baseline as 100, where the paper has it as a number.
    pub performance_percent: Option<f64>,
}

/// The paper's four logs.
pub fn of_paper() -> [PaperPoint; 4] {
    paper::TABLE_2.map(|(bytes, overhead)| PaperPoint {
        log_kb: bytes >> 10,
        area_um2: overhead.sm_area_percent / 100.0 * paper::SM_AREA_MM2 * 1e6,
        sm_area_percent: overhead.sm_area_percent,
        memory_power_mw: overhead.sm_power_percent / 100.0 * paper::SM_POWER_W * 1e3,
        sm_power_percent: overhead.sm_power_percent,
        performance_percent: tables::paper(&setups::name("operand-log", Some(bytes))),
    })
}

/// The points of all combinations, by log, banks and queue.
pub fn points(costs: &Costs, speeds: &[Speed]) -> Vec<Point> {
    let mut points = Vec::new();
    for (log_kb, banks, log) in &costs.logs {
        for (entries, queue) in &costs.queues {
            let is_own = |speed: &&Speed| speed.log_kb == *log_kb && speed.queue == *entries;
            let speed = speeds.iter().find(is_own);
            points.extend(speed.map(|speed| point(*banks, log, queue, speed)));
        }
    }
    let front: Vec<bool> = points.iter().map(|one| is_on_front(one, &points)).collect();
    for (point, is_on_front) in points.iter_mut().zip(front) {
        point.is_on_front = is_on_front;
    }
    points
}

fn point(banks: Banks, log: &Row, queue: &Row, speed: &Speed) -> Point {
    let area_um2 = log.total_area_um2 + queue.total_area_um2;
    let memory_power_mw = log.sram_power_mw + queue.sram_power_mw;
    let share = overhead(area_um2, memory_power_mw);
    let clocks = [log.fmax_mhz, queue.fmax_mhz];
    Point {
        log_kb: speed.log_kb,
        banks,
        queue_entries: speed.queue,
        log_memory_area_um2: log.sram_area_um2,
        log_logic_area_um2: log.logic_area_um2,
        queue_area_um2: queue.total_area_um2,
        area_um2,
        sm_area_percent: share.sm_area_percent,
        memory_power_mw,
        sm_power_percent: share.sm_power_percent,
        clock_mhz: clocks.into_iter().flatten().reduce(f64::min),
        performance_percent: speed.percent,
        error_percent: speed.error_percent,
        worst_kernel: speed.worst.0.clone(),
        worst_percent: speed.worst.1,
        is_on_front: false,
    }
}

/// Whether no other point is better in area or performance and no worse in the other.
fn is_on_front(own: &Point, all: &[Point]) -> bool {
    let (area, performance) = (own.area_um2, own.performance_percent);
    !all.iter().any(|other| {
        let no_worse = other.area_um2 <= area && other.performance_percent >= performance;
        no_worse && (other.area_um2 < area || other.performance_percent > performance)
    })
}

/// The smallest log within so many percent of the baseline, in the banks and with the queue of the least area.
pub fn smallest(points: &[Point], within: f64) -> Option<&Point> {
    let near = points
        .iter()
        .filter(|point| point.performance_percent >= 100.0 - within);
    near.min_by(|one, other| {
        let area = || one.area_um2.total_cmp(&other.area_um2);
        one.log_kb.cmp(&other.log_kb).then_with(area)
    })
}

/// The least area within so many percent of the baseline.
fn cheapest(points: &[Point], within: f64) -> Option<&Point> {
    let near = points
        .iter()
        .filter(|point| point.performance_percent >= 100.0 - within);
    near.min_by(|one, other| one.area_um2.total_cmp(&other.area_um2))
}

/// What an architect asks: the smallest log within so many percent of the baseline, and what it costs.
pub fn sentence(points: &[Point], within: f64) -> String {
    if let Some(point) = smallest(points, within) {
        let mut text = format!(
            "The smallest log within {within} % of the baseline has {}: {}.",
            sizes(point),
            costs(point)
        );
        if let Some(other) = cheapest(points, within).filter(|other| *other != point) {
            text += &format!(
                " A larger one takes less area: {}: {}.",
                sizes(other),
                costs(other)
            );
        }
        return text;
    }
    let best = points.iter().max_by(|one, other| {
        one.performance_percent
            .total_cmp(&other.performance_percent)
    });
    match best {
        Some(point) => format!(
            "No log here is within {within} % of the baseline. The nearest has {}: {}.",
            sizes(point),
            costs(point)
        ),
        None => "There is nothing to compare.".to_owned(),
    }
}

fn sizes(point: &Point) -> String {
    format!(
        "{} KB in {} banks of {} bits with a queue of {} entries",
        point.log_kb,
        point.banks.0,
        point.banks.bits(),
        point.queue_entries
    )
}

fn costs(point: &Point) -> String {
    let clock = point.clock_mhz.map_or_else(String::new, |clock| {
        format!(", runs at {} MHz", grouped(clock.round() as u64))
    });
    let lost = 100.0 - point.performance_percent;
    let (lost, verb) = match lost < 0.0 {
        true => (-lost, "gains"),
        false => (lost, "loses"),
    };
    format!(
        "it adds {} um2 ({:.2} % of an SM) and {:.1} mW of memories with a write in each cycle{clock}, and {verb} {lost:.1} %",
        grouped(point.area_um2.round() as u64),
        point.sm_area_percent,
        point.memory_power_mw
    )
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A point of a size, an area and a performance.
    pub fn made(log_kb: usize, queue_entries: usize, area_um2: f64, percent: f64) -> Point {
        Point {
            log_kb,
            banks: Banks(32),
            queue_entries,
            log_memory_area_um2: area_um2 / 2.0,
            log_logic_area_um2: area_um2 / 4.0,
            queue_area_um2: area_um2 / 4.0,
            area_um2,
            sm_area_percent: area_um2 / 160_000.0,
            memory_power_mw: 40.0,
            sm_power_percent: 0.7,
            clock_mhz: Some(1207.4),
            performance_percent: percent,
            error_percent: 0.0,
            worst_kernel: "stencil".to_owned(),
            worst_percent: percent - 10.0,
            is_on_front: false,
        }
    }

    #[test]
    fn smallest_log_is_the_one_with_the_fewest_bytes_and_then_the_least_area() {
        let points = [
            made(8, 16, 60_000.0, 98.9),
            made(16, 64, 110_000.0, 99.4),
            made(16, 32, 90_000.0, 99.0),
            made(32, 16, 120_000.0, 99.9),
        ];
        assert_eq!(smallest(&points, 1.0), Some(&points[2]));
        assert_eq!(smallest(&points, 2.0), Some(&points[0]));
        assert_eq!(smallest(&points, 0.05), None);
        assert_eq!(
            sentence(&points, 1.0),
            "The smallest log within 1 % of the baseline has 16 KB in 32 banks of 64 bits with a queue of 32 entries: it adds \
             90,000 um2 (0.56 % of an SM) and 40.0 mW of memories with a write in each cycle, runs at 1,207 MHz, and loses 1.0 %."
        );
        let none = sentence(&points, 0.05);
        assert!(
            none.starts_with("No log here is within 0.05 % of the baseline. The nearest has 32 KB"),
            "{none}"
        );
    }

    #[test]
    fn larger_log_with_less_area_is_told_too() {
        let points = [made(8, 128, 100_000.0, 99.5), made(12, 16, 80_000.0, 100.4)];
        let text = sentence(&points, 1.0);
        assert!(
            text.contains(" A larger one takes less area: 12 KB"),
            "{text}"
        );
        assert!(text.ends_with("and gains 0.4 %."), "{text}");
    }

    #[test]
    fn front_has_the_points_that_none_beats() {
        let points = [
            made(8, 16, 50.0, 90.0),
            made(8, 32, 60.0, 90.0),
            made(16, 16, 70.0, 95.0),
            made(16, 32, 80.0, 94.0),
            made(32, 16, 90.0, 99.0),
        ];
        let front: Vec<bool> = points.iter().map(|one| is_on_front(one, &points)).collect();
        assert_eq!(front, [true, false, true, false, true]);
    }

    /// Table 2 has four logs; Figure 11 gives the number of two of them.
    #[test]
    fn paper_has_four_logs() {
        let points = of_paper();
        assert_eq!(points.map(|point| point.log_kb), [8, 16, 20, 32]);
        assert_eq!(
            points.map(|point| point.performance_percent),
            [Some(96.6), Some(99.2), None, None]
        );
        assert!((points[1].area_um2 - 235_200.0).abs() < 1.0);
    }
}
