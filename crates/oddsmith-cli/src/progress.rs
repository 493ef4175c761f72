//! A bar for work that takes longer than a second.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
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
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_message(what);
            let mut known = None;
            loop {
                let (done, total) = control.progress();
                if known != Some(total) {
                    known = Some(total);
                    bar.reset();
                    dress(&bar, total);
                }
                bar.set_position(done);
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

/// A bar with an estimate where the total is known, a spinner where it is not.
fn dress(bar: &ProgressBar, total: u64) {
    let template = match total {
        0 => "{spinner} {msg} {human_pos} rows, {per_sec}",
        _ => "{msg} {wide_bar} {human_pos}/{human_len} rows, {per_sec}, {eta} left",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    if total > 0 {
        bar.set_length(total);
    }
}
