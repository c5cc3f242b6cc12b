//! Bars in groups, as a picture.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const INK: RGBColor = RGBColor(0x50, 0x50, 0x50);
const GRID: RGBColor = RGBColor(0xc8, 0xc8, 0xc8);
/// Colours that read on light and on dark, series by series.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0x7d, 0x87, 0x91),
    RGBColor(0xc4, 0x4b, 0x4b),
    RGBColor(0xd9, 0x7a, 0x2b),
    RGBColor(0x3b, 0x82, 0xc4),
    RGBColor(0x2a, 0x9d, 0x8f),
    RGBColor(0x7a, 0x5c, 0xb8),
    RGBColor(0xa0, 0x8c, 0x2c),
];
/// Width of a bar and height of the plot, in the units of the view box.
const BAR: u32 = 14;
const HEIGHT: u32 = 420;
/// Entries of a line of the legend, and its width.
const LEGEND: usize = 4;
const ENTRY: i32 = 200;

/// What is drawn: a value for each group and series, where there is one.
pub struct Bars {
    pub title: &'static str,
    pub groups: Vec<String>,
    pub series: Vec<String>,
    /// Group, series and value.
    pub values: Vec<(usize, usize, f64)>,
}

/// The bars, drawn.
///
/// # Errors
/// If they cannot be drawn, with a sentence that says why.
pub fn svg(bars: &Bars) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, bars).map_err(|error| format!("the plot cannot be drawn ({error})"))?;
    Ok(svg)
}

fn draw(svg: &mut String, bars: &Bars) -> Result<(), Box<dyn std::error::Error>> {
    let (groups, series) = (bars.groups.len() as u32, bars.series.len() as u32);
    let width = (groups * (series * BAR + 40) + 80).max(880);
    let lines = bars.series.len().div_ceil(LEGEND) as u32;
    let height = HEIGHT + lines * 22;
    let area = SVGBackend::with_string(svg, (width, height)).into_drawing_area();
    let most = bars.values.iter().map(|(_, _, value)| *value);
    let most = most.fold(f64::MIN_POSITIVE, f64::max);
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .margin_top(20 + lines * 22)
        .x_label_area_size(32)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..f64::from(groups), 0.0..1.05 * most)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_desc(bars.title)
        .label_style(("sans-serif", 13).into_font().color(&INK))
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .draw()?;
    let bar = 0.86 / f64::from(series.max(1));
    let drawn = bars.values.iter().map(|&(group, series, value)| {
        let left = group as f64 + 0.07 + series as f64 * bar;
        let colour = COLOURS[series % COLOURS.len()];
        Rectangle::new([(left, 0.0), (left + 0.9 * bar, value)], colour.filled())
    });
    chart.draw_series(drawn)?;
    let style = ("sans-serif", 13)
        .into_font()
        .color(&INK)
        .pos(Pos::new(HPos::Center, VPos::Top));
    for (group, name) in bars.groups.iter().enumerate() {
        let (x, y) = chart.backend_coord(&(group as f64 + 0.5, 0.0));
        let shown: String = name.chars().take(18).collect();
        area.draw(&Text::new(shown, (x, y + 8), style.clone()))?;
    }
    for (place, name) in bars.series.iter().enumerate() {
        let (column, line) = ((place % LEGEND) as i32, (place / LEGEND) as i32);
        let (x, y) = (60 + column * ENTRY, 14 + line * 22);
        let colour = COLOURS[place % COLOURS.len()];
        area.draw(&Rectangle::new([(x, y), (x + 12, y + 12)], colour.filled()))?;
        let style = ("sans-serif", 13).into_font().color(&INK);
        area.draw(&Text::new(name.clone(), (x + 18, y), style))?;
    }
    area.present()?;
    Ok(())
}
