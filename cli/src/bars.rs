//! Bars in groups, as a picture.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The colour of words and axes.
pub const INK: RGBColor = RGBColor(0x50, 0x50, 0x50);
/// The colour of grids.
pub const GRID: RGBColor = RGBColor(0xc8, 0xc8, 0xc8);
/// Colours that read on light and on dark, series by series.
pub const COLOURS: [RGBColor; 14] = [
    RGBColor(0x7d, 0x87, 0x91),
    RGBColor(0xc4, 0x4b, 0x4b),
    RGBColor(0xd9, 0x7a, 0x2b),
    RGBColor(0x3b, 0x82, 0xc4),
    RGBColor(0x2a, 0x9d, 0x8f),
    RGBColor(0x7a, 0x5c, 0xb8),
    RGBColor(0xa0, 0x8c, 0x2c),
    RGBColor(0xd6, 0x5d, 0xb1),
    RGBColor(0x5f, 0xa8, 0x3c),
    RGBColor(0x8b, 0x5a, 0x3c),
    RGBColor(0x3a, 0xb8, 0xd8),
    RGBColor(0x3f, 0x4f, 0x9e),
    RGBColor(0x1f, 0x6b, 0x45),
    RGBColor(0x86, 0x2b, 0x5c),
];
/// Colours of these bars, which come round again.
const SERIES: usize = 7;
/// Width of a bar and height of the plot, in the units of the view box.
const BAR: u32 = 14;
const HEIGHT: u32 = 420;
/// Entries of a line of the legend, and the width of one.
pub const LEGEND: usize = 4;
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

fn draw(svg: &mut String, bars: &Bars) -> Drawn {
    let colours = &COLOURS[..SERIES];
    let (groups, series) = (bars.groups.len() as u32, bars.series.len() as u32);
    let width = (groups * (series * BAR + 40) + 80).max(880);
    let lines = bars.series.len().div_ceil(LEGEND) as u32;
    let height = HEIGHT + lines * 22;
    let area = page(svg, (width, height))?;
    let most = bars.values.iter().map(|(_, _, value)| *value);
    let most = most.fold(f64::MIN_POSITIVE, f64::max);
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .margin_top(20 + lines * 22)
        .x_label_area_size(32)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..f64::from(groups), 0.0..1.05 * most)?;
    mesh(&mut chart, bars.title)?;
    let bar = 0.86 / f64::from(series.max(1));
    let drawn = bars.values.iter().map(|&(group, series, value)| {
        let left = group as f64 + 0.07 + series as f64 * bar;
        let colour = colours[series % colours.len()];
        Rectangle::new([(left, 0.0), (left + 0.9 * bar, value)], colour.filled())
    });
    chart.draw_series(drawn)?;
    let style = centred();
    for (group, name) in bars.groups.iter().enumerate() {
        let (x, y) = chart.backend_coord(&(group as f64 + 0.5, 0.0));
        let shown: String = name.chars().take(18).collect();
        area.draw(&Text::new(shown, (x, y + 8), style.clone()))?;
    }
    legend(&area, &bars.series, colours)?;
    area.present()?;
    Ok(())
}

/// A drawing, or why it fails.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

/// A white picture of a width and height in the units of the view box: what is drawn reads on a dark page too.
///
/// # Errors
/// If it cannot be drawn.
pub fn page(
    svg: &mut String,
    size: (u32, u32),
) -> Result<DrawingArea<SVGBackend<'_>, Shift>, Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, size).into_drawing_area();
    match area.fill(&WHITE) {
        Ok(()) => Ok(area),
        Err(error) => Err(error.to_string().into()),
    }
}

/// Draws the axes and the grid of groups of bars; what the bars show stands at the left.
pub fn mesh(
    chart: &mut ChartContext<SVGBackend, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
    title: &str,
) -> Drawn {
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_desc(title)
        .label_style(("sans-serif", 13).into_font().color(&INK))
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .draw()?;
    Ok(())
}

/// Text below its place, centred.
pub fn centred() -> TextStyle<'static> {
    ("sans-serif", 13)
        .into_font()
        .color(&INK)
        .pos(Pos::new(HPos::Center, VPos::Top))
}

/// Draws the names of the series above the plot, each beside its colour.
pub fn legend(
    area: &DrawingArea<SVGBackend, Shift>,
    series: &[String],
    colours: &[RGBColor],
) -> Drawn {
    for (place, name) in series.iter().enumerate() {
        let (column, line) = ((place % LEGEND) as i32, (place / LEGEND) as i32);
        let (x, y) = (60 + column * ENTRY, 14 + line * 22);
        let colour = colours[place % colours.len()];
        area.draw(&Rectangle::new([(x, y), (x + 12, y + 12)], colour.filled()))?;
        let style = ("sans-serif", 13).into_font().color(&INK);
        area.draw(&Text::new(name.clone(), (x + 18, y), style))?;
    }
    Ok(())
}
