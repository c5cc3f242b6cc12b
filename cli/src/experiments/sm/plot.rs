//! The performance of the schemes as a plot.

use plotters::prelude::*;

use super::jobs::Row;
use super::tables::{mean, of_works, paper, setups};
use super::workloads::labels;
use crate::bars::{COLOURS, Drawn, LEGEND, centred, legend, mesh, page};

/// Width of a group of bars and height of what is below the legend, in the units of the view box.
const GROUP: u32 = 92;
const HEIGHT: u32 = 356;
/// Characters of a workload's name that there is room for.
const NAME: usize = 14;

/// Names that fit under their bars, and differ. The number at the end of one that is there before stays.
fn short(names: &[String]) -> Vec<String> {
    let cut = |name: &String| {
        let numbered = name.rfind(" #").filter(|_| name.chars().count() > NAME);
        let (name, number) = name.split_at(numbered.unwrap_or(name.len()));
        let room = NAME.saturating_sub(number.len());
        name.chars().take(room).collect::<String>() + number
    };
    labels(&names.iter().map(cut).collect::<Vec<_>>())
}

/// Bars for each workload and their geometric means, with the paper's as lines over the means or without, and a note.
///
/// # Errors
/// If it cannot be drawn, with a sentence that says why.
pub fn svg(rows: &[Row], beside_paper: bool, note: &str) -> Result<String, String> {
    let setups = setups(rows);
    let names: Vec<String> = of_works(rows)
        .map(|rows| rows[0].workload.clone())
        .collect();
    let values = of_works(rows).map(|rows| {
        let shown = rows.iter().filter(|row| !row.hidden);
        shown.map(|row| row.relative_percent).collect()
    });
    let mut groups: Vec<(String, Vec<f64>)> = short(&names).into_iter().zip(values).collect();
    let means = setups.iter().map(|setup| mean(rows, setup)).collect();
    groups.push(("geometric mean".to_owned(), means));
    let paper = |setup: &String| paper(setup).filter(|_| beside_paper);
    let papers: Vec<Option<f64>> = setups.iter().map(paper).collect();
    let mut notes = vec![note];
    if papers.iter().any(Option::is_some) {
        notes.insert(0, "Thick lines over the means: the paper's.");
    }
    let title = "performance, baseline 100";
    bars(
        title,
        100.0,
        &setups,
        &papers,
        &groups,
        notes.join(" ").trim(),
    )
}

/// Bars for each group, one for each setup, with the paper's as lines over the last group, and a note. The scale goes to a
/// number at least.
///
/// # Errors
/// If it cannot be drawn, with a sentence that says why.
pub fn bars(
    title: &str,
    least: f64,
    setups: &[String],
    papers: &[Option<f64>],
    groups: &[(String, Vec<f64>)],
    note: &str,
) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, title, least, setups, papers, groups, note)
        .map_err(|error| format!("the plot cannot be drawn ({error})"))?;
    Ok(svg)
}

fn draw(
    svg: &mut String,
    title: &str,
    least: f64,
    setups: &[String],
    papers: &[Option<f64>],
    groups: &[(String, Vec<f64>)],
    note: &str,
) -> Drawn {
    let above = 20 + 22 * setups.len().div_ceil(LEGEND).max(2) as u32;
    let height = HEIGHT + above;
    let size = ((GROUP * groups.len() as u32 + 80).max(880), height);
    let area = page(svg, size)?;
    let most = groups
        .iter()
        .flat_map(|(_, values)| values)
        .fold(least, |most, &value| most.max(value));
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .margin_top(above)
        .x_label_area_size(44)
        .y_label_area_size(54)
        .build_cartesian_2d(0.0..groups.len() as f64, 0.0..1.05 * most)?;
    mesh(&mut chart, title)?;
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
    let style = centred();
    for (group, (name, _)) in groups.iter().enumerate() {
        let (x, y) = chart.backend_coord(&(group as f64 + 0.5, 0.0));
        area.draw(&Text::new(name.clone(), (x, y + 8), style.clone()))?;
    }
    let place = (size.0 as i32 / 2, height as i32 - 18);
    area.draw(&Text::new(note, place, style))?;
    legend(&area, setups, &COLOURS)?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{COLOURS, short};

    /// Neither two colours are the same, nor do two look alike.
    #[test]
    fn colours_of_setups_differ() {
        let parts = |place: usize| [COLOURS[place].0, COLOURS[place].1, COLOURS[place].2];
        for (left, right) in
            (0..COLOURS.len()).flat_map(|right| (0..right).map(move |left| (left, right)))
        {
            let pairs = parts(left).into_iter().zip(parts(right));
            let apart: u32 = pairs
                .map(|(left, right)| u32::from(left.abs_diff(right)))
                .sum();
            assert!(apart > 60, "{left} and {right}");
        }
        assert!(COLOURS.len() >= 12);
    }

    #[test]
    fn cut_names_differ() {
        let names = [
            "_Z9transposePKfPf",
            "_Z9transposePKfPf #2",
            "_Z9transposePKfPfi",
            "lbm",
            "lbm #12",
        ];
        let shown = short(&names.map(str::to_owned));
        let expected = [
            "_Z9transposePK",
            "_Z9transpos #2",
            "_Z9transposePK #2",
            "lbm",
            "lbm #12",
        ];
        assert_eq!(shown, expected);
    }
}
