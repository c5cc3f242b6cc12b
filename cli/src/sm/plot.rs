//! The performance of the schemes as a plot.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::jobs::Row;
use super::tables::{mean, of_works, paper, setups};

const INK: RGBColor = RGBColor(0x50, 0x50, 0x50);
const GRID: RGBColor = RGBColor(0xc8, 0xc8, 0xc8);
/// Colours that read on light and on dark, set-up by set-up.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0x7d, 0x87, 0x91),
    RGBColor(0xc4, 0x4b, 0x4b),
    RGBColor(0xd9, 0x7a, 0x2b),
    RGBColor(0x3b, 0x82, 0xc4),
    RGBColor(0x2a, 0x9d, 0x8f),
    RGBColor(0x7a, 0x5c, 0xb8),
    RGBColor(0xa0, 0x8c, 0x2c),
];
/// Width of a group of bars and height of the plot, in the units of the view box.
const GROUP: u32 = 92;
const HEIGHT: u32 = 420;

/// Bars for each workload and their geometric means, with the paper's as lines over the means or without.
///
/// # Errors
/// If it cannot be drawn, with a sentence that says why.
pub fn svg(rows: &[Row], beside_paper: bool) -> Result<String, String> {
    let setups = setups(rows);
    let mut groups: Vec<(String, Vec<f64>)> = of_works(rows)
        .map(|rows| {
            let shown = rows.iter().filter(|row| !row.hidden);
            let values = shown.map(|row| row.relative_percent).collect();
            (rows[0].workload.clone(), values)
        })
        .collect();
    let means = setups.iter().map(|setup| mean(rows, setup)).collect();
    groups.push(("geometric mean".to_owned(), means));
    let mut svg = String::new();
    let paper = |setup: &String| paper(setup).filter(|_| beside_paper);
    let papers: Vec<Option<f64>> = setups.iter().map(paper).collect();
    draw(&mut svg, &setups, &papers, &groups)
        .map_err(|error| format!("the plot cannot be drawn ({error})"))?;
    Ok(svg)
}

fn draw(
    svg: &mut String,
    setups: &[String],
    papers: &[Option<f64>],
    groups: &[(String, Vec<f64>)],
) -> Result<(), Box<dyn std::error::Error>> {
    let size = ((GROUP * groups.len() as u32 + 80).max(880), HEIGHT);
    let area = SVGBackend::with_string(svg, size).into_drawing_area();
    let most = groups
        .iter()
        .flat_map(|(_, values)| values)
        .fold(100.0f64, |most, &value| most.max(value));
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .margin_top(64)
        .x_label_area_size(44)
        .y_label_area_size(54)
        .build_cartesian_2d(0.0..groups.len() as f64, 0.0..1.05 * most)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_desc("performance, baseline 100")
        .label_style(("sans-serif", 13).into_font().color(&INK))
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .draw()?;
    let width = 0.86 / setups.len().max(1) as f64;
    for (place, paper) in papers.iter().enumerate() {
        let colour = COLOURS[place % COLOURS.len()];
        let left = |group: usize| group as f64 + 0.07 + place as f64 * width;
        let bars = groups.iter().enumerate().map(|(group, (_, values))| {
            let corners = [
                (left(group), 0.0),
                (left(group) + 0.9 * width, values[place]),
            ];
            Rectangle::new(corners, colour.filled())
        });
        chart.draw_series(bars)?;
        if let Some(value) = *paper {
            let last = left(groups.len() - 1);
            let line = vec![(last, value), (last + 0.9 * width, value)];
            chart.draw_series([PathElement::new(line, BLACK.stroke_width(3))])?;
        }
    }
    let style = ("sans-serif", 13)
        .into_font()
        .color(&INK)
        .pos(Pos::new(HPos::Center, VPos::Top));
    for (group, (name, _)) in groups.iter().enumerate() {
        let (x, y) = chart.backend_coord(&(group as f64 + 0.5, 0.0));
        let shown: String = name.chars().take(14).collect();
        area.draw(&Text::new(shown, (x, y + 8), style.clone()))?;
    }
    if papers.iter().any(Option::is_some) {
        let note = "thick lines over the means: the paper's";
        let place = (size.0 as i32 / 2, HEIGHT as i32 - 18);
        area.draw(&Text::new(note, place, style))?;
    }
    // The legend above the plot.
    for (place, setup) in setups.iter().enumerate() {
        let (column, row) = (place as i32 % 4, place as i32 / 4);
        let (x, y) = (60 + column * 200, 14 + row * 22);
        let colour = COLOURS[place % COLOURS.len()];
        area.draw(&Rectangle::new([(x, y), (x + 12, y + 12)], colour.filled()))?;
        let style = ("sans-serif", 13).into_font().color(&INK);
        area.draw(&Text::new(setup.clone(), (x + 18, y), style))?;
    }
    area.present()?;
    Ok(())
}
