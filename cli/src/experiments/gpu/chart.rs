//! A run as a picture: how much of the link is used, and what each SM does, over time.

use std::ops::Range;

use faultline_sim::machines::gpu::{Config, Outcome};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::lanes::{State, away, states};
use crate::bars::{COLOURS, Drawn, GRID, INK, LEGEND, centred, legend, page};

/// Width of the picture, and height of the link's plot and of an SM's row, in the units of the view box.
const WIDTH: u32 = 960;
const LINK: u32 = 190;
const HANDLERS: u32 = 130;
const ROW: u32 = 15;
/// Height that a row has more for the line that shows when blocks are away.
const MARK: u32 = 5;
/// Room above the legend and below the words, and for the axis below.
const ABOVE: u32 = 24;
const BELOW: u32 = 66;
/// Height of a line of the legend, and of one of words.
const LINE: u32 = 22;
const WORDS: u32 = 16;
/// The colour of the time in which blocks are away.
const AWAY: RGBColor = COLOURS[13];
/// Room for names at the left and at the right, and what of the left stays empty.
const LEFT: u32 = 76;
const EDGE: u32 = 12;
const RIGHT: u32 = 18;
/// Parts of a run over each of which the use of the link is averaged.
const PARTS: usize = 200;

/// The picture of a run.
///
/// # Errors
/// If it cannot be drawn, with a sentence that says why.
pub fn svg(
    name: &str,
    second: Option<&str>,
    config: &Config,
    outcome: &Outcome,
) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, name, second, config, outcome)
        .map_err(|error| format!("the chart cannot be drawn ({error})"))?;
    Ok(svg)
}

/// Draws values over equal parts of a run, which ends at a time.
fn strip(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    end: f64,
    about: &str,
    values: &[f64],
    most: f64,
    colour: RGBColor,
) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .margin_left(EDGE)
        .margin_right(RIGHT)
        .y_label_area_size(LEFT - EDGE)
        .build_cartesian_2d(0.0..end, 0.0..most)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_labels(5)
        .y_label_formatter(&|value| format!("{value:.0}"))
        .y_desc(about)
        .label_style(("sans-serif", 13).into_font().color(&INK))
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .draw()?;
    let part = end / values.len().max(1) as f64;
    let bars = values.iter().enumerate().filter(|(_, value)| **value > 0.0);
    chart.draw_series(bars.map(|(place, value)| {
        let from = place as f64 * part;
        let corners = [(from, 0.0), (from + part, *value)];
        Rectangle::new(corners, colour.filled())
    }))?;
    Ok(())
}

/// The words above the picture: of the whole run, and of blocks that leave.
fn words(name: &str, second: Option<&str>, config: &Config, outcome: &Outcome) -> Vec<String> {
    let history = &outcome.history;
    let handled = match history.arrivals.iter().any(|one| one.local.is_some()) {
        true => format!(", {} are allocated on the GPU", outcome.brought.local),
        false => String::new(),
    };
    let mut words = vec![format!(
        "{name} under {}: {:.0} us on {} SMs, {} parts of memory arrive, of which {} come over the link{handled}",
        config.sm.scheme.0.name(),
        config.microseconds(outcome.cycles.max(1)),
        history.activities.len(),
        history.arrivals.len(),
        outcome.brought.migrated
    )];
    if let (Some(second), Some(launched)) = (second, &outcome.launched) {
        words.push(format!(
            "{second} is launched at {:.1} us and takes {:.1} us; {} thread blocks of {name} leave for it",
            config.microseconds(launched.at),
            config.microseconds(launched.cycles),
            outcome.sms.switches
        ));
    } else if outcome.sms.switches > 0 {
        words.push(format!(
            "thread blocks are switched out {} times",
            outcome.sms.switches
        ));
    }
    words
}

fn draw(
    svg: &mut String,
    name: &str,
    second: Option<&str>,
    config: &Config,
    outcome: &Outcome,
) -> Drawn {
    let history = &outcome.history;
    let sms = history.activities.len();
    let end = outcome.cycles.max(1);
    let time = |cycle: u64| config.microseconds(cycle);
    let switches = history.moved.iter().any(|moved| !moved.is_empty());
    let rows = sms as u32 * (ROW + if switches { MARK } else { 0 });
    let states: Vec<_> = (0..sms).map(|sm| states(outcome, sm)).collect();
    let is_shown = |state: &State| states.iter().flatten().any(|one| one.1 == *state);
    let shown = State::ALL.into_iter().filter(is_shown);
    let (mut names, mut colours): (Vec<_>, Vec<_>) = shown
        .map(|state| (state.name(name, second), state.colour()))
        .unzip();
    let has_handlers = history.arrivals.iter().any(|one| one.local.is_some());
    let handlers = if has_handlers { HANDLERS } else { 0 };
    for (name, colour, is_shown) in [
        ("link in use", COLOURS[4], true),
        ("handlers on SMs", COLOURS[5], has_handlers),
        ("thread blocks switched out", AWAY, switches),
    ] {
        if is_shown {
            names.push(name.to_owned());
            colours.push(colour);
        }
    }
    let words = words(name, second, config, outcome);
    let entries = LINE * names.len().div_ceil(LEGEND) as u32;
    let above = ABOVE + entries + WORDS * words.len() as u32;
    let height = above + LINK + handlers + rows + BELOW;
    let area = page(svg, (WIDTH, height))?;
    legend(&area, &names, &colours)?;
    let small = || ("sans-serif", 13).into_font().color(&INK);
    for (line, words) in (0..).zip(words) {
        let at = (LEFT as i32, (entries + WORDS * (line + 1)) as i32);
        area.draw(&Text::new(words, at, small()))?;
    }
    let (_, below) = area.split_vertically(above);
    let (above, below) = below.split_vertically(LINK);
    let used = history.link_use(PARTS, end);
    let used: Vec<f64> = used.iter().map(|used| 100.0 * used).collect();
    strip(
        &above,
        time(end),
        "link in use, %",
        &used,
        100.0,
        COLOURS[4],
    )?;
    let (above, below) = below.split_vertically(handlers);
    if has_handlers {
        let running = history.local_handlers(PARTS, end);
        let most = running
            .iter()
            .fold(1.0, |most: f64, &running| most.max(running));
        strip(
            &above,
            time(end),
            "handlers on SMs",
            &running,
            most,
            COLOURS[5],
        )?;
    }
    let mut lanes = ChartBuilder::on(&below)
        .margin_top(12)
        .margin_right(RIGHT)
        .x_label_area_size(BELOW - 12)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(0.0..time(end), 0.0..sms as f64)?;
    lanes
        .configure_mesh()
        .disable_mesh()
        .y_labels(0)
        .x_label_formatter(&|time| format!("{time:.0}"))
        .x_desc("time, us")
        .label_style(small())
        .axis_style(INK)
        .draw()?;
    // A bar has a least width, in units of the view box.
    let bar = |span: &Range<u64>, (low, high): (f64, f64), colour: RGBColor, least: i32| {
        let (left, bottom) = lanes.backend_coord(&(time(span.start), low));
        let (right, top) = lanes.backend_coord(&(time(span.end), high));
        Rectangle::new(
            [(left, top), (right.max(left + least), bottom)],
            colour.filled(),
        )
    };
    let floor = if switches { 0.32 } else { 0.08 };
    for (sm, states) in states.iter().enumerate() {
        // The first SM is the highest.
        let bottom = (sms - 1 - sm) as f64;
        let heights = (bottom + floor, bottom + 0.92);
        // An SM makes room for a moment only, which nothing else may hide.
        let (makes_room, others): (Vec<_>, Vec<_>) =
            states.iter().partition(|one| one.1 == State::MakesRoom);
        for (span, state) in others.into_iter().chain(makes_room) {
            let least = i32::from(*state == State::MakesRoom);
            area.draw(&bar(span, heights, state.colour(), least))?;
        }
        for span in away(history.moved.get(sm).map_or(&[], |moved| moved), end) {
            area.draw(&bar(&span, (bottom + 0.08, bottom + 0.24), AWAY, 1))?;
        }
        if sm % 5 == 0 || sm + 1 == sms {
            let (x, y) = lanes.backend_coord(&(0.0, bottom + 0.5));
            let label = Text::new(format!("SM {sm}"), (x - 26, y - 7), centred());
            area.draw(&label)?;
        }
    }
    area.present()?;
    Ok(())
}
