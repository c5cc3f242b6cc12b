//! Figures with runs of their own, which are asked for by themselves.

use faultline_sim::machines::gpu::Config;
use faultline_sim::simt::kernels::KERNELS;
use faultline_testbench::file;
use miette::{Result, miette};

use super::code::Code;
use super::{
    Args, PAPERS_SMS, SCALE, SWITCHING, active_pointers, handling, paging, runs, switching,
};
use crate::Global;

/// The figure of switching.
pub fn switching(args: &Args, global: &Global) -> Result<()> {
    let [_] = &args.figures[..] else {
        return Err(miette!("{SWITCHING} has runs of its own: give it alone"));
    };
    if args.svg.is_some() || args.runs > 1 {
        return Err(miette!(
            "{SWITCHING} is a table of one run each: leave out --svg and --runs"
        ));
    }
    let config = runs::config(args.queue, args.sms)?;
    args.check_kernels(SWITCHING, &KERNELS.map(|(name, _)| name))?;
    let rows = switching::rows(&args.parboil()?, &config)?;
    if let Some(path) = &args.markdown {
        let page = switching::markdown(&rows, &config, &args.command(), args.about());
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&rows),
        false => global.print(&switching::text(&rows, args.about())),
    }
}

/// Pointers that translate in software.
pub fn active_pointers(args: &Args, global: &Global) -> Result<()> {
    let name = active_pointers::NAME;
    let is_alone = args.figures.len() == 1 && args.kernels.is_empty() && args.runs == 1;
    let has_defaults = args.code == Code::Compiled && args.scale == SCALE && args.sms == PAPERS_SMS;
    if !is_alone || !has_defaults {
        return Err(miette!(
            "{name} has programs and runs of its own on one SM: give it alone, without --code, --kernels, --scale, --sms and \
             --runs"
        ));
    }
    let results = active_pointers::Results::new(args.queue)?;
    if let Some(path) = &args.svg {
        let svg = results.svg().map_err(|error| miette!("{error}"))?;
        file::write_whole(path, &svg).map_err(|error| miette!("{error}"))?;
    }
    let command = format!(
        "faultline figures {name} --queue {} --svg FILE.svg --markdown FILE",
        args.queue
    );
    if let Some(path) = &args.markdown {
        let page = active_pointers::report::markdown(&results, &command);
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&results),
        false => global.print(&active_pointers::report::tables(&results)),
    }
}

/// The figures of handling.
pub fn handling(args: &Args, figures: &[&handling::Figure], global: &Global) -> Result<()> {
    let names: Vec<_> = figures.iter().map(|figure| figure.name).collect();
    let names = names.join(" and ");
    if args.figures.len() > figures.len() {
        return Err(miette!(
            "{names} have runs of their own: leave out the other figures, and give each once"
        ));
    }
    if args.runs > 1 {
        return Err(miette!(
            "{names} are tables of one run each: leave out --runs"
        ));
    }
    if args.svg.is_some() && figures.len() > 1 {
        return Err(miette!("--svg draws one figure: give one of {names}"));
    }
    let kernels = figures.iter().flat_map(|figure| figure.kernels);
    let kernels: Vec<_> = kernels.map(|(name, _)| *name).collect();
    args.check_kernels(&names, &kernels)?;
    let config = runs::config(args.queue, args.sms)?;
    let run = |config: &Config| -> Result<Vec<handling::Row>> {
        let mut rows = Vec::new();
        for figure in figures {
            let works = args.of_figure(figure)?;
            rows.extend(handling::rows(figure, &works, config)?);
        }
        Ok(rows)
    };
    let rows = run(&config)?;
    let is_whole = args.is_the_papers();
    if let Some(path) = &args.svg {
        let svg = handling::svg(&rows, is_whole).map_err(|error| miette!("{error}"))?;
        file::write_whole(path, &svg).map_err(|error| miette!("{error}"))?;
    }
    if let Some(path) = &args.markdown {
        let wide = run(&handling::with_more_far_faults(&config)?)?;
        let page = handling::report::markdown(
            &rows,
            &wide,
            &config,
            &args.command(),
            is_whole,
            &args.about_handling(),
        );
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&handling::Results::new(&rows, is_whole)),
        false => global.print(&handling::text(&rows, is_whole, &args.about_handling())),
    }
}

/// The figures of paging.
pub fn paging(args: &Args, figures: &[&'static paging::Figure], global: &Global) -> Result<()> {
    let names: Vec<_> = figures.iter().map(|figure| figure.name).collect();
    let names = names.join(" ");
    if args.figures.len() > figures.len() {
        return Err(miette!(
            "{names}: they have runs of their own: leave out the other figures, and give each once"
        ));
    }
    if args.code != Code::Compiled || args.sms != PAPERS_SMS || args.runs > 1 {
        return Err(miette!(
            "{names}: compiled programs run once on the paper's 15 SMs: leave out --code, --sms and --runs"
        ));
    }
    if args.svg.is_some() && figures.len() > 1 {
        return Err(miette!("--svg draws one figure: give one of {names}"));
    }
    args.check_kernels(&names, &paging::programs())?;
    let rows = paging::rows(figures, &paging::works(&args.kernels, args.scale)?)?;
    if let (Some(path), [figure]) = (&args.svg, figures) {
        let svg = paging::svg(figure, &rows).map_err(|error| miette!("{error}"))?;
        file::write_whole(path, &svg).map_err(|error| miette!("{error}"))?;
    }
    if let Some(path) = &args.markdown {
        let kernels = match args.kernels.is_empty() {
            true => String::new(),
            false => format!(" --kernels {}", args.kernels.join(",")),
        };
        let command = format!(
            "faultline figures {names}{kernels} --scale {} --markdown FILE",
            args.scale
        );
        let page = paging::markdown(figures, &rows, &command);
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&rows),
        false => global.print(&paging::text(figures, &rows)),
    }
}
