//! One program for all targets: the variable `ODDSMITH_TARGET` names the one to run.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use oddsmith_fuzz::{TARGETS, Target, target};

static CHOSEN: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("ODDSMITH_TARGET").unwrap_or_default();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    target(&name).unwrap_or_else(|| panic!("ODDSMITH_TARGET is `{name}`; the targets are {}", names.join(", ")))
});

fuzz_target!(
    init: {
        LazyLock::force(&CHOSEN);
        // Readers of typed files catch panics of other people's code, and those are no findings: only one that comes through is.
        std::panic::set_hook(Box::new(|_| ()));
    },
    |data: &[u8]| (CHOSEN.run)(data)
);
