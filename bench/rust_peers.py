"""linfa and smartcore, built on demand outside of the workspace."""

from __future__ import annotations

import os
import subprocess
import sys

from worker import ROOT

CRATE = ROOT / "bench" / "rust-peers"
TARGET = ROOT / "target" / "rust-peers"
PROGRAM = TARGET / "release" / "rust-peers"


def build() -> bool:
    """Builds the program of the Rust peers; where that fails they are left out, with a message."""
    command = [os.environ.get("CARGO", "cargo"), "build", "--release", "--locked", "--quiet", "--manifest-path", str(CRATE / "Cargo.toml")]
    done = subprocess.run(command, env={**os.environ, "CARGO_TARGET_DIR": str(TARGET)})
    if done.returncode:
        print("# linfa and smartcore cannot be built and are left out", file=sys.stderr, flush=True)
    return done.returncode == 0
