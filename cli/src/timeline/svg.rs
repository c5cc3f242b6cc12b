//! The diagrams as a picture.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Diagram;

const INK: RGBColor = RGBColor(0x30, 0x30, 0x30);
/// Sides of a cell, the width of the text before the cells, and space around, in the units of the view box.
const CELL: i32 = 22;
const TEXT: i32 = 270;
const MARGIN: i32 = 16;

/// The left side of a column.
fn left_of(column: i32) -> i32 {
    MARGIN + TEXT + column * CELL
}

/// The colour of a stage.
fn colour(stage: char) -> RGBColor {
    match stage {
        'F' => RGBColor(0xb9, 0xcd, 0xe5),
        'I' => RGBColor(0xd7, 0xe4, 0xbd),
        'O' => RGBColor(0xfc, 0xe4, 0xb6),
        'E' => RGBColor(0xf2, 0xc1, 0x9b),
        'C' => RGBColor(0x9f, 0xd0, 0x9a),
        '.' => RGBColor(0x9a, 0x9a, 0x9a),
        _ => RGBColor(0xe0, 0x8a, 0x8a),
    }
}

/// One diagram below the other.
///
/// # Errors
/// If it cannot be drawn, with a sentence that says why.
pub fn svg(diagrams: &[Diagram]) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, diagrams).map_err(|error| format!("the diagram cannot be drawn ({error})"))?;
    Ok(svg)
}

fn draw(svg: &mut String, diagrams: &[Diagram]) -> Result<(), Box<dyn std::error::Error>> {
    let columns = diagrams.iter().map(|diagram| diagram.columns().len());
    let widest = columns.max().unwrap_or(0) as i32;
    // A diagram has a line of cycles above its rows, and one of space below.
    let lines: usize = diagrams.iter().map(|diagram| diagram.rows.len() + 2).sum();
    let size = (
        (2 * MARGIN + TEXT + widest * CELL).cast_unsigned(),
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
    let mut top = MARGIN;
    for diagram in diagrams {
        let title = Text::new(
            diagram.scheme,
            (MARGIN, top + CELL / 2),
            middle.clone().pos(left.pos),
        );
        area.draw(&title)?;
        let columns = diagram.columns();
        for (place, cycle) in (0i32..).zip(&columns) {
            let text = cycle.map_or("~".to_owned(), |cycle| cycle.to_string());
            let middle_of_cell = (left_of(place) + CELL / 2, top + CELL / 2);
            area.draw(&Text::new(text, middle_of_cell, middle.clone()))?;
        }
        for row in &diagram.rows {
            top += CELL;
            let again = if row.replayed { " (again)" } else { "" };
            let text = format!("{}{again}", row.text);
            area.draw(&Text::new(text, (MARGIN, top + CELL / 2), left.clone()))?;
            let stages: Vec<char> = row.stages.chars().collect();
            for (place, cycle) in (0i32..).zip(&columns) {
                let stage = cycle.and_then(|cycle| stages.get(cycle as usize - 1).copied());
                let Some(stage) = stage.filter(|stage| *stage != ' ') else {
                    continue;
                };
                let (x, y) = (left_of(place), top);
                let corners = [(x, y), (x + CELL, y + CELL)];
                area.draw(&Rectangle::new(corners, colour(stage).filled()))?;
                area.draw(&Rectangle::new(corners, INK.stroke_width(1)))?;
                if stage != '.' {
                    let letter = stage.to_ascii_uppercase().to_string();
                    let place = (x + CELL / 2, y + CELL / 2);
                    area.draw(&Text::new(letter, place, middle.clone()))?;
                }
                // The last TLB check is a bar below its stage.
                if row.last_check.is_some() && row.last_check == *cycle {
                    let bar = [(x + 2, y + CELL - 4), (x + CELL - 2, y + CELL - 2)];
                    area.draw(&Rectangle::new(bar, INK.filled()))?;
                }
            }
        }
        top += 2 * CELL;
    }
    area.present()?;
    Ok(())
}
