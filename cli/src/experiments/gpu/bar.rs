//! The progress bar of runs of the GPU, in simulated time.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use faultline_sim::machines::gpu::Gpu;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// How often the bar is drawn while no thread block is dispatched.
const REDRAWN: Duration = Duration::from_millis(200);

/// The progress of runs that may be side by side: cycles of all of them, and thread blocks that were dispatched.
#[derive(Clone, Debug)]
pub struct Progress {
    bar: ProgressBar,
    cycles: Arc<AtomicU64>,
}

impl Progress {
    /// A bar of so many thread blocks on standard error, invisible where that is no terminal.
    pub fn new(blocks: u64) -> Self {
        Self::on(ProgressBar::new(blocks))
    }

    /// The same on a bar that is there.
    fn on(bar: ProgressBar) -> Self {
        let cycles = Arc::new(AtomicU64::new(0));
        let shown = Arc::clone(&cycles);
        let simulated = move |_: &ProgressState, text: &mut dyn Write| {
            // There is nowhere to report that a bar cannot be drawn.
            let _ = text.write_str(&simulated(shown.load(Ordering::Relaxed)));
        };
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {simulated}, {pos}/{len} thread blocks {eta}")
        {
            bar.set_style(style.with_key("simulated", simulated).progress_chars("=> "));
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(REDRAWN);
        }
        Self { bar, cycles }
    }

    /// Follows one of the runs.
    pub fn follow(&self) -> impl FnMut(&Gpu<'_>) {
        let Self { bar, cycles } = self.clone();
        let (mut now, mut dispatched) = (0, 0);
        move |gpu| {
            cycles.fetch_add(gpu.now() - now, Ordering::Relaxed);
            now = gpu.now();
            if gpu.dispatched() > dispatched {
                bar.inc((gpu.dispatched() - dispatched) as u64);
                dispatched = gpu.dispatched();
            }
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Cycles in words.
fn simulated(cycles: u64) -> String {
    match cycles {
        0..1_000_000 => format!("{} k cycles", cycles / 1_000),
        _ => format!("{:.1} M cycles", cycles as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use faultline_sim::machines::gpu::Config;
    use faultline_sim::machines::sm::Work;
    use faultline_sim::simt::kernels::named;
    use indicatif::{ProgressDrawTarget, TermLike};

    use super::*;

    /// A terminal that keeps what is written to it.
    #[derive(Clone, Debug, Default)]
    struct Kept(Arc<Mutex<String>>);

    impl TermLike for Kept {
        fn width(&self) -> u16 {
            120
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn cycles_are_in_thousands_and_millions() {
        let cycles = [999, 812_345, 12_399_999];
        let texts = ["0 k cycles", "812 k cycles", "12.4 M cycles"];
        assert_eq!(cycles.map(simulated), texts);
    }

    /// Two runs, one after the other: the bar has the cycles of both, and grows while no thread block is dispatched.
    #[test]
    fn the_bar_goes_on_while_all_wait_for_far_faults() {
        let kernel = named("histo").unwrap()(1).unwrap();
        let work = Work::of_kernel(&kernel).unwrap();
        let text = "sms = 2\n[paging]\nabsent = true\n";
        let config = Config::read(text, "", "tanasic").unwrap();
        let kept = Kept::default();
        let target = ProgressDrawTarget::term_like(Box::new(kept.clone()));
        let blocks = 2 * work.blocks() as u64;
        let progress = Progress::on(ProgressBar::with_draw_target(Some(blocks), target));
        let mut cycles = 0;
        for _ in 0..2 {
            let gpu = Gpu::new(&config.parameters(), &work).unwrap();
            let mut follow = progress.follow();
            let (mut last, mut idle) = (0, 0);
            let outcome = gpu.run(|gpu| {
                let before = progress.cycles.load(Ordering::Relaxed);
                follow(gpu);
                if gpu.dispatched() == last {
                    idle += progress.cycles.load(Ordering::Relaxed) - before;
                }
                last = gpu.dispatched();
            });
            let outcome = outcome.unwrap();
            assert!(10 * idle > 9 * outcome.cycles, "{idle}");
            cycles += outcome.cycles;
        }
        let counted = progress.cycles.load(Ordering::Relaxed);
        assert!((cycles..cycles + 1_000).contains(&counted), "{counted}");
        assert_eq!(progress.bar.position(), blocks);
        // The bar is drawn again after a while.
        std::thread::sleep(3 * REDRAWN);
        let drawn = kept.0.lock().unwrap().clone();
        let shown = format!("{}, {blocks}/{blocks} thread blocks", simulated(counted));
        assert!(drawn.contains(&shown), "{shown}: {drawn}");
        progress.finish();
    }
}
