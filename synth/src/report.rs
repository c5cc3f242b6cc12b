//! The report: one HTML page that needs nothing beside it.

mod plots;

use crate::cost::Row;
use crate::paper;
use crate::sta::CLOCK;
use crate::table::{self, Grid};
use std::fmt::Write;

/// A table of the report, perhaps with a picture, with the command that made it.
#[derive(Clone, Debug)]
pub struct Section {
    /// The table.
    pub grid: Grid,
    /// The picture, as SVG.
    pub picture: Option<String>,
    /// The command.
    pub command: String,
}

/// What the report shows.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The cost of every design.
    pub rows: &'a [Row],
    /// What the figures were made with: name and value, the command among them.
    pub origin: &'a [(String, String)],
    /// What other commands show, such as the lockstep.
    pub sections: &'a [Section],
}

impl Report<'_> {
    /// The page.
    ///
    /// # Errors
    /// If a plot cannot be drawn; the error says which.
    pub fn html(&self) -> Result<String, String> {
        let mut page = String::from(HEAD);
        let _ = write!(
            page,
            "<header><h1>Faultline</h1><p>What it costs a GPU to take a page fault, leave, and come back: the operand log and the replay queue, from Rust to gates, beside Table 2 of Tanasic et al., MICRO-50 2017.</p></header>\n{}",
            self.cards()
        );
        let command = self.command();
        let made = self.made_with();
        for (title, note, plot) in [
            (
                "Size against area",
                "Share of an SM's area. Lower and further right is better.",
                plots::size_against_area(self.rows)?,
            ),
            (
                "SM area beside Table 2",
                "Percent of a 16 mm\u{b2} SM.",
                plots::bars(self.rows, "SM area, %", "control measured", |share| {
                    share.sm_area_percent
                })?,
            ),
            (
                "SM power beside Table 2",
                "Percent of 5.7 W: leakage and one log write per cycle at 1 GHz, memories only.",
                plots::bars(self.rows, "SM power, %", "memories only", |share| {
                    share.sm_power_percent
                })?,
            ),
        ] {
            let _ = writeln!(
                page,
                "<figure><figcaption><h2>{title}</h2>{note}</figcaption>{plot}{made}</figure>"
            );
        }
        for grid in table::grids(self.rows) {
            let _ = write!(page, "{}{made}", html_table(&grid));
        }
        for section in self.sections {
            let _ = writeln!(
                page,
                "{}{}<p class=\"made\"><code>{}</code></p>",
                html_table(&section.grid),
                section
                    .picture
                    .iter()
                    .map(|svg| format!("<figure>{svg}</figure>"))
                    .collect::<String>(),
                escape(&section.command)
            );
        }
        let _ = writeln!(
            page,
            "{}{}<p class=\"made\"><code>{command}</code></p></main></body></html>",
            self.origin_list(),
            METHOD.replace("{clock}", CLOCK)
        );
        Ok(page)
    }

    /// The figures that matter, on top.
    fn cards(&self) -> String {
        let single = |block: &str, config: &str| {
            self.rows.iter().find(|row| {
                row.block == block && row.config == config && row.sram_model == "single-port"
            })
        };
        let mut cards = Vec::new();
        if let Some(log) = single("operand_log", "16k") {
            cards.push((
                format!("{:.2} %", log.sm_area_percent),
                "of an SM for the 16 KB log, control synthesized".to_owned(),
            ));
            if let Some(control) = log.control_percent {
                cards.push((
                    format!("{control:.1} %"),
                    "of the log's memories is its control".to_owned(),
                ));
            }
        }
        if let Some((_, _, percent)) = table::together(self.rows)
            .into_iter()
            .find(|(name, _, _)| name.starts_with("16K "))
        {
            cards.push((
                format!("{percent:.2} %"),
                "of an SM for the 16 KB log and its replay queue".to_owned(),
            ));
        }
        if let Some(area) = single("replay_queue", "64").and_then(|row| row.entry_area_um2) {
            cards.push((
                format!("{area:.0} \u{b5}m\u{b2}"),
                "an entry of the 64-entry replay queue".to_owned(),
            ));
        }
        let clocks = self.rows.iter().filter_map(|row| row.fmax_mhz);
        let slowest = clocks.fold(f64::INFINITY, f64::min);
        if slowest.is_finite() {
            cards.push((format!("{slowest:.0} MHz"), "the slowest block".to_owned()));
        }
        let cards: String = cards
            .iter()
            .map(|(figure, text)| format!("<div><b>{figure}</b>{text}</div>"))
            .collect();
        format!("<section class=\"cards\">{cards}</section>\n")
    }

    fn value(&self, name: &str) -> &str {
        self.origin
            .iter()
            .find(|(key, _)| key == name)
            .map_or("unknown", |(_, value)| value)
    }

    fn command(&self) -> String {
        escape(self.value("command"))
    }

    /// The line under every figure.
    fn made_with(&self) -> String {
        format!(
            "<p class=\"made\"><code>{}</code> \u{b7} Yosys {} \u{b7} OpenSTA {} \u{b7} {}</p>",
            self.command(),
            escape(self.value("yosys")),
            escape(self.value("sta")),
            escape(self.value("library")),
        )
    }

    fn origin_list(&self) -> String {
        let items: String = self
            .origin
            .iter()
            .map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>", escape(name), escape(value)))
            .collect();
        format!("<h2>Made with</h2><dl>{items}</dl>\n")
    }
}

fn html_table(grid: &Grid) -> String {
    let mut text = format!(
        "<h2>{}</h2><div class=\"wide\"><table><thead><tr>",
        escape(&grid.title)
    );
    for heading in &grid.headings {
        let _ = write!(text, "<th>{}</th>", escape(heading));
    }
    text.push_str("</tr></thead><tbody>");
    for row in &grid.rows {
        // Lines that belong to the one above are indented.
        let inner = row.first().is_some_and(|label| label.starts_with(' '));
        text.push_str(if inner {
            "<tr class=\"inner\">"
        } else {
            "<tr>"
        });
        for cell in row {
            let _ = write!(text, "<td>{}</td>", escape(cell.trim()));
        }
        text.push_str("</tr>");
    }
    text.push_str("</tbody></table></div>\n");
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Everything before the first figure. The plots' colours are words of the style sheet, so that
/// they follow the reader's light or dark mode.
const HEAD: &str = r##"<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Faultline: cost</title>
<style>
:root{--page:#fbfbfa;--ink:#1b1f24;--soft:#5c6670;--line:#d9dde1;--card:#ffffff}
@media (prefers-color-scheme:dark){:root{--page:#14171a;--ink:#e6e8ea;--soft:#98a2ac;--line:#333a41;--card:#1b1f23}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:960px;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:2.25rem;letter-spacing:-.02em;margin:0 0 .25rem}
h2{font-size:1.1rem;margin:2.5rem 0 .5rem}
header p{color:var(--soft);max-width:46rem;margin:0}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:.75rem;margin:1.75rem 0}
.cards div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.9rem 1rem;color:var(--soft);font-size:.85rem}
.cards b{display:block;color:var(--ink);font-size:1.5rem;font-variant-numeric:tabular-nums}
figure{margin:2.5rem 0;padding:0}
figcaption{color:var(--soft);font-size:.9rem}
figcaption h2{margin:0;color:var(--ink)}
svg{width:100%;height:auto;display:block;margin:.5rem 0}
svg text{font-family:system-ui,sans-serif}
svg [fill="#101010"]{fill:var(--ink)}
svg [stroke="#101010"]{stroke:var(--soft)}
svg [stroke="#202020"]{stroke:var(--line)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .6rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left}
thead th{border-bottom:2px solid var(--line);font-weight:600}
tr.inner td{color:var(--soft)}
tr.inner td:first-child{padding-left:1.6rem}
.made{color:var(--soft);font-size:.78rem;margin:.35rem 0 0;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;font-size:.875rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
ul{font-size:.9rem;padding-left:1.2rem}
</style></head><body><main>
"##;

/// What a reader must know to believe the figures.
const METHOD: &str = "<h2>How to read the figures</h2><ul>
<li><b>paper-fit</b> is the SRAM setting that comes nearest to the paper's Table 2 among many: 16 macros of 128 bits with one read and one write port, 40 nm, times the paper's factor 1.5 for control. It is a fit, not the authors' own setting; their text says single-ported.</li>
<li><b>single-port</b> is what the text says and what the RTL here needs: 45 nm macros with one port, and the control as synthesized, without any factor.</li>
<li>Area counts every cell and every macro, before layout. Power is the memories' alone: leakage and one write per cycle at 1 GHz.</li>
<li>{clock} Clock ideal, before layout, with the library's default wire load.</li>
<li>CACTI finds no macro below 32 words: a 16-entry queue is charged for 32.</li>
</ul>
";

/// The paper's sizes in kilobytes, for the plots' axes.
pub(crate) fn paper_sizes() -> impl Iterator<Item = (f64, paper::Overhead)> {
    paper::TABLE_2
        .iter()
        .map(|(bytes, overhead)| (*bytes as f64 / 1024.0, *overhead))
}
