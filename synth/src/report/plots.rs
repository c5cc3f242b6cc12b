//! The report's plots, as SVG text.

use super::paper_sizes;
use crate::cost::Row;
use crate::paper::Overhead;
use crate::table::{measured_shares, shares};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

/// Ink and grid lines; the page's style sheet replaces both with the reader's colours.
const INK: RGBColor = RGBColor(0x10, 0x10, 0x10);
const GRID: RGBColor = RGBColor(0x20, 0x20, 0x20);
/// Width and height, in the units of the SVG's view box.
const SIZE: (u32, u32) = (900, 380);

/// A series of figures over the logs' sizes, with a colour that reads on light and on dark.
struct Series {
    name: &'static str,
    colour: RGBColor,
    /// Size in KB and shares.
    points: Vec<(f64, Overhead)>,
}

fn series(rows: &[Row]) -> Vec<Series> {
    let logs = |model: &'static str| {
        rows.iter()
            .filter(move |row| row.paper.is_some() && row.sram_model == model)
    };
    let size = |row: &Row| row.log_bytes.map(|bytes| bytes as f64 / 1024.0);
    let mut all = vec![
        Series {
            name: "Table 2 of the paper",
            colour: RGBColor(0x7d, 0x87, 0x91),
            points: paper_sizes().collect(),
        },
        Series {
            name: "paper-fit, x 1.5",
            colour: RGBColor(0x3b, 0x82, 0xc4),
            points: logs("paper-fit")
                .filter_map(|row| Some((size(row)?, shares(row))))
                .collect(),
        },
        Series {
            name: "paper-fit, control measured",
            colour: RGBColor(0x2a, 0x9d, 0x8f),
            points: logs("paper-fit")
                .filter_map(|row| Some((size(row)?, measured_shares(row)?)))
                .collect(),
        },
        Series {
            name: "single-port, control measured",
            colour: RGBColor(0xd9, 0x7a, 0x2b),
            points: logs("single-port")
                .filter_map(|row| Some((size(row)?, shares(row))))
                .collect(),
        },
    ];
    for series in &mut all {
        // Two organizations of one size share a place; the smaller one is shown.
        series.points.sort_by(|one, other| {
            one.0
                .total_cmp(&other.0)
                .then(one.1.sm_area_percent.total_cmp(&other.1.sm_area_percent))
        });
        series.points.dedup_by_key(|point| point.0);
    }
    all.retain(|series| !series.points.is_empty());
    all
}

/// The largest value, with room above it.
fn ceiling(series: &[Series], share: fn(&Overhead) -> f64) -> f64 {
    series
        .iter()
        .flat_map(|series| &series.points)
        .map(|point| share(&point.1))
        .fold(0.1, f64::max)
        * 1.12
}

/// Log size against the share of an SM's area.
pub fn size_against_area(rows: &[Row]) -> Result<String, String> {
    let all = series(rows);
    let share: fn(&Overhead) -> f64 = |share| share.sm_area_percent;
    let ends = (36.0, ceiling(&all, share));
    draw("the plot of size against area", ends, |chart| {
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(9)
            .y_labels(6)
            .x_label_formatter(&|size| format!("{size:.0}"))
            .y_label_formatter(&|share| format!("{share:.1}"))
            .x_desc("log, KB")
            .y_desc("SM area, %")
            .label_style(("sans-serif", 14).into_font().color(&INK))
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()?;
        for series in &all {
            let points: Vec<(f64, f64)> = series
                .points
                .iter()
                .map(|point| (point.0, share(&point.1)))
                .collect();
            let colour = series.colour;
            chart
                .draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))?
                .label(series.name)
                .legend(move |(x, y)| {
                    Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled())
                });
            chart.draw_series(
                points
                    .iter()
                    .map(|&point| Circle::new(point, 5, colour.filled())),
            )?;
        }
        Ok(())
    })
}

/// Bars for each size of Table 2: the paper, and every series beside it. `alone` is what stands
/// beside the memories in the series without the factor: their control's area is measured, its
/// power is not.
pub fn bars(
    rows: &[Row],
    what: &str,
    alone: &str,
    share: fn(&Overhead) -> f64,
) -> Result<String, String> {
    let all = series(rows);
    let sizes: Vec<f64> = paper_sizes().map(|(size, _)| size).collect();
    let ends = (sizes.len() as f64, ceiling(&all, share) * 1.15);
    draw(what, ends, |chart| {
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(0)
            .y_labels(6)
            .y_label_formatter(&|share| format!("{share:.1}"))
            .y_desc(what)
            .label_style(("sans-serif", 14).into_font().color(&INK))
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()?;
        let width = 0.8 / all.len() as f64;
        for (index, series) in all.iter().enumerate() {
            let colour = series.colour;
            let bars: Vec<(f64, f64)> = sizes
                .iter()
                .enumerate()
                .filter_map(|(group, size)| {
                    let point = series.points.iter().find(|point| point.0 == *size)?;
                    Some((group as f64 + 0.1 + index as f64 * width, share(&point.1)))
                })
                .collect();
            chart
                .draw_series(bars.iter().map(|&(left, height)| {
                    Rectangle::new(
                        [(left + 0.01, 0.0), (left + width - 0.01, height)],
                        colour.filled(),
                    )
                }))?
                .label(series.name.replace("control measured", alone))
                .legend(move |(x, y)| {
                    Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled())
                });
            let style = centred(13);
            chart.draw_series(bars.iter().map(|&(left, height)| {
                EmptyElement::at((left + width / 2.0, height))
                    + Text::new(format!("{height:.2}"), (0, -14), style.clone())
            }))?;
        }
        let style = centred(14);
        chart.draw_series(sizes.iter().enumerate().map(|(group, size)| {
            EmptyElement::at((group as f64 + 0.5, 0.0))
                + Text::new(format!("{size:.0} KB"), (0, 8), style.clone())
        }))?;
        Ok(())
    })
}

/// Text that is centred on its place.
fn centred(size: i32) -> TextStyle<'static> {
    use plotters::style::text_anchor::{HPos, Pos, VPos};
    ("sans-serif", size)
        .into_font()
        .color(&INK)
        .pos(Pos::new(HPos::Center, VPos::Top))
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Draws a chart that goes from zero to these ends onto a fresh SVG; `what` names it in an error.
fn draw(
    what: &str,
    ends: (f64, f64),
    content: impl FnOnce(&mut Chart) -> Drawn,
) -> Result<String, String> {
    let mut svg = String::new();
    framed(&mut svg, ends, content).map_err(|error| format!("{what} cannot be drawn ({error})"))?;
    // The page gives the width; without a fixed one the plot follows it.
    let fixed = format!("width=\"{}\" height=\"{}\" ", SIZE.0, SIZE.1);
    Ok(svg.replacen(&fixed, "role=\"img\" ", 1))
}

/// Draws a chart's content, and the names of the series over it.
fn framed(svg: &mut String, ends: (f64, f64), content: impl FnOnce(&mut Chart) -> Drawn) -> Drawn {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(58)
        .build_cartesian_2d(0.0..ends.0, 0.0..ends.1)?;
    content(&mut chart)?;
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("sans-serif", 14).into_font().color(&INK))
        .draw()?;
    area.present()?;
    Ok(())
}
