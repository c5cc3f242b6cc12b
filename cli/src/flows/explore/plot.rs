//! The points as a picture: area added against performance lost, with their front and the paper's logs.

use plotters::prelude::*;

use super::points::{PaperPoint, Point};
use crate::bars::{COLOURS, Drawn, GRID, INK, LEGEND, centred, legend, page};

/// Width of the picture and height of what is below the legend, in the units of the view box.
const WIDTH: u32 = 880;
const HEIGHT: u32 = 440;
/// Height of the two lines of words below the plot.
const WORDS: u32 = 44;

/// What the marks are.
const NOTES: [&str; 2] = [
    "Line: no point takes less area and loses no more. Larger circles: longer queues. Black: the paper's logs (40 nm, without a queue).",
    "Black squares: Table 2 and Figure 11. Black bars: logs without a number of the loss, drawn from that of 16 KB to none.",
];

/// The points, drawn.
///
/// # Errors
/// If they cannot be drawn, with a sentence that says why.
pub fn svg(points: &[Point], papers: &[PaperPoint]) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, points, papers)
        .map_err(|error| format!("the plot cannot be drawn ({error})"))?;
    Ok(svg)
}

/// Performance lost, in percent of the baseline.
const fn lost(performance: f64) -> f64 {
    100.0 - performance
}

fn draw(svg: &mut String, points: &[Point], papers: &[PaperPoint]) -> Drawn {
    let mut logs: Vec<usize> = points.iter().map(|point| point.log_kb).collect();
    logs.dedup();
    let names: Vec<String> = logs.iter().map(|log| format!("{log} KB")).collect();
    let mut queues: Vec<usize> = points.iter().map(|point| point.queue_entries).collect();
    queues.sort_unstable();
    queues.dedup();
    let above = 20 + 22 * names.len().div_ceil(LEGEND) as u32;
    let height = above + HEIGHT + WORDS;
    let area = page(svg, (WIDTH, height))?;
    legend(&area, &names, &COLOURS)?;
    let (plot, _) = area.split_vertically(height - WORDS);
    let areas = points.iter().map(|point| point.sm_area_percent);
    let areas = areas.chain(papers.iter().map(|paper| paper.sm_area_percent));
    let losses = points.iter().map(|point| lost(point.performance_percent));
    let known = papers.iter().filter_map(|paper| paper.performance_percent);
    let losses: Vec<f64> = losses.chain(known.map(lost)).collect();
    let widest = areas.fold(0.0, f64::max);
    let most = losses.iter().copied().fold(0.5, f64::max);
    let least = losses.iter().copied().fold(0.0, f64::min);
    let room = 0.05 * (most - least);
    let mut chart = ChartBuilder::on(&plot)
        .margin(12)
        .margin_top(above)
        .x_label_area_size(44)
        .y_label_area_size(54)
        .build_cartesian_2d(0.0..1.05 * widest, (least - room)..(most + room))?;
    chart
        .configure_mesh()
        .x_desc("area added by log and queue, % of an SM of 16 mm2")
        .y_desc("performance lost, % of the baseline")
        .label_style(("sans-serif", 13).into_font().color(&INK))
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .draw()?;
    let mut front: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| point.is_on_front)
        .map(|point| (point.sm_area_percent, lost(point.performance_percent)))
        .collect();
    front.sort_by(|one, other| one.0.total_cmp(&other.0));
    chart.draw_series([PathElement::new(front, INK.stroke_width(2))])?;
    let circles = points.iter().map(|point| {
        let place = logs.iter().position(|log| *log == point.log_kb);
        let colour = COLOURS[place.unwrap_or_default() % COLOURS.len()];
        let size = queues
            .iter()
            .position(|queue| *queue == point.queue_entries);
        let at = (point.sm_area_percent, lost(point.performance_percent));
        Circle::new(at, 3 + size.unwrap_or_default() as i32, colour.filled())
    });
    chart.draw_series(circles)?;
    let largest = papers.iter().filter_map(|paper| paper.performance_percent);
    let bound = lost(largest.fold(0.0, f64::max));
    for paper in papers {
        let x = paper.sm_area_percent;
        let loss = paper.performance_percent.map(lost);
        let (left, right) = match loss {
            Some(_) => (-5, 5),
            None => (-2, 2),
        };
        let (center, top) = chart.backend_coord(&(x, loss.unwrap_or(bound)));
        let (_, bottom) = chart.backend_coord(&(x, loss.unwrap_or(0.0)));
        let margin = if loss.is_some() { 5 } else { 0 };
        let corners = [
            (center + left, top.min(bottom) - margin),
            (center + right, top.max(bottom) + margin),
        ];
        area.draw(&Rectangle::new(corners, BLACK.filled()))?;
        let label = format!("{} KB", paper.log_kb);
        area.draw(&Text::new(label, (center, top.min(bottom) - 22), centred()))?;
    }
    for (line, words) in (0..).zip(NOTES) {
        let at = (WIDTH as i32 / 2, (height - WORDS) as i32 + 18 * line);
        area.draw(&Text::new(words, at, centred()))?;
    }
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::points::of_paper;
    use super::super::points::tests::made;
    use super::*;

    /// A circle for each point, a mark and a name for each of the paper's logs.
    #[test]
    fn every_point_is_drawn() {
        let points = [made(8, 16, 60_000.0, 96.0), made(16, 64, 110_000.0, 101.0)];
        let drawn = svg(&points, &of_paper()).unwrap();
        assert_eq!(drawn.matches("<circle").count(), points.len());
        // Each size in the legend, and each of the paper's beside its mark.
        assert_eq!(drawn.matches(" KB\n").count(), points.len() + 4);
        assert!(drawn.contains("performance lost, % of the baseline"));
        // The longer queue has the larger circle.
        assert!(drawn.contains("r=\"3\"") && drawn.contains("r=\"4\""));
    }
}
