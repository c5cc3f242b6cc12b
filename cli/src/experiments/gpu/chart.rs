//! A run as a picture: how much of the link is used, and what each SM does, over time.

use faultline_sim::machines::gpu::{Activity, Config, Outcome};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::bars::{COLOURS, Drawn, GRID, INK, centred, legend, page};

/// Width of the picture, and height of the link's plot and of an SM's row, in the units of the view box.
const WIDTH: u32 = 960;
const LINK: u32 = 190;
const HANDLERS: u32 = 130;
const ROW: u32 = 15;
/// Room for the legend above and for the axis below.
const ABOVE: u32 = 62;
const BELOW: u32 = 66;
/// Height of a line of the legend.
const LINE: u32 = 22;
/// Room for names at the left and at the right.
const LEFT: u32 = 76;
const RIGHT: u32 = 18;
/// Parts of a run over each of which the use of the link is averaged.
const PARTS: usize = 200;

/// The colour of what an SM does.
const fn colour(activity: Activity) -> RGBColor {
    match activity {
        Activity::Runs => COLOURS[3],
        Activity::Waits => COLOURS[2],
        Activity::Ended => GRID,
    }
}

/// The picture of a run.
///
/// # Errors
/// If it cannot be drawn, with a sentence that says why.
pub fn svg(name: &str, config: &Config, outcome: &Outcome) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, name, config, outcome)
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
        .margin_right(RIGHT)
        .y_label_area_size(LEFT)
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

fn draw(svg: &mut String, name: &str, config: &Config, outcome: &Outcome) -> Drawn {
    let history = &outcome.history;
    let sms = history.activities.len();
    let rows = ROW * sms as u32;
    let has_handlers = history.arrivals.iter().any(|one| one.local.is_some());
    // The legend has a second line, and the picture a second plot.
    let (above, handlers) = match has_handlers {
        true => (ABOVE + LINE, HANDLERS),
        false => (ABOVE, 0),
    };
    let height = above + LINK + handlers + rows + BELOW;
    let area = page(svg, (WIDTH, height))?;
    let end = outcome.cycles.max(1);
    let time = |cycle: u64| config.microseconds(cycle);
    let names = Activity::ALL.map(|activity| format!("SM {}", activity.name()));
    let mut names = [&names[..], &["link in use".to_owned()]].concat();
    let mut colours = [Activity::ALL.map(colour).to_vec(), vec![COLOURS[4]]].concat();
    let mut handled = String::new();
    if has_handlers {
        names.push("handlers on SMs".to_owned());
        colours.push(COLOURS[5]);
        handled = format!(", {} are allocated on the GPU", outcome.brought.local);
    }
    legend(&area, &names, &colours)?;
    let small = || ("sans-serif", 13).into_font().color(&INK);
    let title = format!(
        "{name} under {}: {:.0} us on {sms} SMs, {} parts of memory arrive, of which {} come over the link{handled}",
        config.sm.scheme.0.name(),
        time(end),
        history.arrivals.len(),
        outcome.brought.migrated
    );
    let at = (LEFT as i32, (above - ABOVE) as i32 + 38);
    area.draw(&Text::new(title, at, small()))?;
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
    for (sm, spans) in history.activities.iter().enumerate() {
        // The first SM is the highest.
        let bottom = (sms - 1 - sm) as f64;
        let spans = spans.until(end).map(|(span, activity)| {
            let corners = [
                (time(span.start), bottom + 0.08),
                (time(span.end), bottom + 0.92),
            ];
            Rectangle::new(corners, colour(activity).filled())
        });
        lanes.draw_series(spans)?;
        if sm % 5 == 0 || sm + 1 == sms {
            let (x, y) = lanes.backend_coord(&(0.0, bottom + 0.5));
            let label = Text::new(format!("SM {sm}"), (x - 26, y - 7), centred());
            area.draw(&label)?;
        }
    }
    area.present()?;
    Ok(())
}
