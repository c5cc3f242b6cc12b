//! The diagrams as a picture.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{CHECK, Diagram, LETTERS, gap};

const INK: RGBColor = RGBColor(0x30, 0x30, 0x30);
/// Sides of a cell, the width of a letter of the text before the cells, and space around, in the units of the view box.
const CELL: i32 = 22;
const LETTER: i32 = 8;
const MARGIN: i32 = 16;
/// What an instruction is marked with that is issued again.
const AGAIN: &str = " (again)";
/// The width of the legend.
const LEGEND: i32 = 720;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// The colour of a stage.
fn colour(stage: char) -> RGBColor {
    match stage {
        'F' => RGBColor(0xb9, 0xcd, 0xe5),
        'I' => RGBColor(0xd7, 0xe4, 0xbd),
        'O' => RGBColor(0xfc, 0xe4, 0xb6),
        'E' => RGBColor(0xf2, 0xc1, 0x9b),
        'C' => RGBColor(0x9f, 0xd0, 0x9a),
        '.' => RGBColor(0x9a, 0x9a, 0x9a),
        'W' => RGBColor(0xcd, 0xc1, 0xe3),
        'x' => RGBColor(0xd6, 0xd0, 0xc4),
        _ => RGBColor(0xe0, 0x8a, 0x8a),
    }
}

/// The cell of a stage at a place; the point, which waits for its issue, is dark as in the paper.
fn cell(area: &Area<'_>, (x, y): (i32, i32), stage: char, style: &TextStyle<'_>) -> Drawn {
    let corners = [(x, y), (x + CELL, y + CELL)];
    area.draw(&Rectangle::new(corners, colour(stage).filled()))?;
    area.draw(&Rectangle::new(corners, INK.stroke_width(1)))?;
    if stage != '.' {
        let middle = (x + CELL / 2, y + CELL / 2);
        area.draw(&Text::new(stage.to_string(), middle, style.clone()))?;
    }
    Ok(())
}

/// The bar of the last TLB check, below the stage of the cell at a place.
fn bar(area: &Area<'_>, (x, y): (i32, i32)) -> Drawn {
    let corners = [(x + 2, y + CELL - 4), (x + CELL - 2, y + CELL - 2)];
    area.draw(&Rectangle::new(corners, INK.filled()))?;
    Ok(())
}

/// One diagram below the other, and the legend.
///
/// # Errors
/// If it cannot be drawn, with a sentence that says why.
pub fn svg(diagrams: &[Diagram]) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, diagrams).map_err(|error| format!("the diagram cannot be drawn ({error})"))?;
    Ok(svg)
}

fn draw(svg: &mut String, diagrams: &[Diagram]) -> Drawn {
    let rows = diagrams.iter().flat_map(|diagram| &diagram.rows);
    let longest = rows.map(|row| row.label(AGAIN).chars().count()).max();
    // The name of a scheme is text as well.
    let text = LETTER * (longest.unwrap_or(0) as i32 + 2).max(28);
    let left_of = |column: i32| MARGIN + text + column * CELL;
    let columns = diagrams.iter().map(|diagram| diagram.columns().len());
    let widest = columns.max().unwrap_or(0) as i32;
    // A diagram has a line of cycles above its rows, and one of space below; the legend has the bar and the gap.
    let lines: usize = diagrams.iter().map(|diagram| diagram.rows.len() + 2).sum();
    let lines = lines + LETTERS.len() + 2;
    let size = (
        (left_of(widest).max(LEGEND) + MARGIN).cast_unsigned(),
        (2 * MARGIN + lines as i32 * CELL).cast_unsigned(),
    );
    let area = SVGBackend::with_string(svg, size).into_drawing_area();
    area.fill(&WHITE)?;
    let middle = ("sans-serif", 13)
        .into_font()
        .color(&INK)
        .pos(Pos::new(HPos::Center, VPos::Center));
    let left = ("monospace", 13)
        .into_font()
        .color(&INK)
        .pos(Pos::new(HPos::Left, VPos::Center));
    let plain = middle.clone().pos(left.pos);
    let mut top = MARGIN;
    for diagram in diagrams {
        let title = Text::new(diagram.scheme, (MARGIN, top + CELL / 2), plain.clone());
        area.draw(&title)?;
        let columns = diagram.columns();
        for (place, cycle) in (0i32..).zip(&columns) {
            let text = cycle.map_or("~".to_owned(), |cycle| cycle.to_string());
            let middle_of_cell = (left_of(place) + CELL / 2, top + CELL / 2);
            area.draw(&Text::new(text, middle_of_cell, middle.clone()))?;
        }
        for row in &diagram.rows {
            top += CELL;
            let text = row.label(AGAIN);
            area.draw(&Text::new(text, (MARGIN, top + CELL / 2), left.clone()))?;
            let stages: Vec<char> = row.stages.chars().collect();
            for (place, cycle) in (0i32..).zip(&columns) {
                let stage = cycle.and_then(|cycle| stages.get(cycle as usize - 1).copied());
                let Some(stage) = stage.filter(|stage| *stage != ' ') else {
                    continue;
                };
                cell(&area, (left_of(place), top), stage, &middle)?;
                if row.last_check.is_some() && row.last_check == *cycle {
                    bar(&area, (left_of(place), top))?;
                }
            }
        }
        top += 2 * CELL;
    }
    let told = |text: &str, top: i32| {
        let place = (MARGIN + CELL + LETTER, top + CELL / 2);
        area.draw(&Text::new(text.to_owned(), place, plain.clone()))
    };
    for (letter, meaning) in LETTERS {
        cell(&area, (MARGIN, top), letter, &middle)?;
        told(meaning, top)?;
        top += CELL;
    }
    bar(&area, (MARGIN, top))?;
    told(CHECK, top)?;
    if let Some(gap) = gap(diagrams) {
        top += CELL;
        let place = (MARGIN + CELL / 2, top + CELL / 2);
        area.draw(&Text::new("~", place, middle.clone()))?;
        told(&gap, top)?;
    }
    area.present()?;
    Ok(())
}
