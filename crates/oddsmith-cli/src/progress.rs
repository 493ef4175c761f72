//! A bar for work that takes longer than a second.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use oddsmith::control::Control;

use crate::console::Console;

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const BEAT: Duration = Duration::from_millis(100);

/// Draws the control's progress on standard error until it is dropped.
pub(crate) struct Progress {
    stop: Option<Sender<()>>,
    drawer: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts to wait; the bar appears after a second and only where it can be seen.
    pub(crate) fn start(console: &Console, control: &Arc<Control>, what: &'static str) -> Self {
        if !console.shows_progress() {
            return Progress { stop: None, drawer: None };
        }
        let (stop, stopped) = mpsc::channel();
        let control = Arc::clone(control);
        let drawer = std::thread::spawn(move || {
            if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
            let mut phase = Phase::new(&control);
            loop {
                phase.draw(&bar, &control, what);
                if stopped.recv_timeout(BEAT) != Err(RecvTimeoutError::Timeout) {
                    bar.finish_and_clear();
                    return;
                }
            }
        });
        Progress { stop: Some(stop), drawer: Some(drawer) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(drawer) = self.drawer.take() {
            // A drawer that failed has only lost a picture.
            let _ = drawer.join();
        }
    }
}

/// One count from zero to a total. The speed is taken over the whole phase: batches come in bursts.
struct Phase {
    total: u64,
    done: u64,
    began: Instant,
}

impl Phase {
    /// The phase that has been going on while nothing was shown.
    fn new(control: &Control) -> Self {
        let (done, total) = control.progress();
        Phase { total, done, began: Instant::now() - PATIENCE }
    }

    fn draw(&mut self, bar: &ProgressBar, control: &Control, what: &str) {
        let (done, total) = control.progress();
        if total != self.total || done < self.done {
            *self = Phase { total, done, began: Instant::now() };
        }
        self.done = done;
        let speed = done as f64 / self.began.elapsed().as_secs_f64().max(BEAT.as_secs_f64());
        let rows = format!("{} rows, {}/s", HumanCount(done), HumanCount(speed as u64));
        let template = if total > 0 { "{msg} {wide_bar} {prefix}" } else { "{spinner} {msg} {prefix}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        bar.set_length(total.max(1));
        // A total that was estimated from the first rows may be too small.
        bar.set_prefix(match total > done && speed > 0.0 {
            true => format!("{rows}, {} left", HumanDuration(Duration::from_secs_f64((total - done) as f64 / speed))),
            false => rows,
        });
        bar.set_position(done.min(total));
        bar.tick();
    }
}
