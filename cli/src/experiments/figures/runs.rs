//! Runs of the figures that have absent pages.

use faultline_sim::machines::gpu::{Activity, Config, Gpu, Outcome, SchemeName};
use faultline_sim::machines::sm::Work;
use faultline_sim::sm::sm_pipeline::Scheme;
use miette::{Result, miette};

/// The paper's GPU, with so many SMs.
pub fn gpu(sms: u32) -> Result<Config> {
    let mut config = Config::read("", "", "tanasic").map_err(|error| miette!("{error}"))?;
    config.sms = u64::from(sms)
        .try_into()
        .map_err(|error| miette!("--sms: {error}"))?;
    Ok(config)
}

/// The same with a replay queue, from which the use cases start (section 5.1), and with all pages absent.
pub fn config(queue: usize, sms: u32) -> Result<Config> {
    let mut config = gpu(sms)?;
    config.sm.scheme = SchemeName(Scheme::ReplayQueue);
    config.sm.queue_entries = (queue as u64)
        .try_into()
        .map_err(|error| miette!("--queue: {error}"))?;
    config.paging.absent = true;
    Ok(config)
}

/// Runs a kernel to its end, which is that of the run without faults.
pub fn run(config: &Config, work: &Work) -> Result<Outcome> {
    let failed = |error: &dyn std::fmt::Display| miette!("{}: {error}", work.name);
    let gpu = Gpu::new(&config.parameters(), work).map_err(|error| failed(&error))?;
    let outcome = gpu.run(|_| {}).map_err(|error| failed(&error))?;
    match outcome.differences().first() {
        Some(difference) => Err(failed(difference)),
        None => Ok(outcome),
    }
}

/// Percent of all SMs' time in which they do this.
pub fn share(outcome: &Outcome, activity: Activity) -> f64 {
    let sms = outcome.history.activities.len();
    let activities = outcome.history.activities.iter();
    let spans = activities.flat_map(|spans| spans.until(outcome.cycles));
    let of_activity = spans.filter(|span| span.1 == activity);
    let time: u64 = of_activity.map(|(span, _)| span.end - span.start).sum();
    100.0 * time as f64 / (sms as u64 * outcome.cycles).max(1) as f64
}

/// Percent of a run.
pub fn of_run(cycles: u64, outcome: &Outcome) -> f64 {
    100.0 * cycles as f64 / outcome.cycles.max(1) as f64
}

/// The geometric mean; 1 of nothing.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let logarithms: Vec<f64> = values.map(f64::ln).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
}
