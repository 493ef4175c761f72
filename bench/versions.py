"""What was measured with what."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "scipy", "scikit-learn", "statsmodels", "glum", "pandas", "polars")


def versions() -> dict[str, str]:
    """Names and versions of the machine's processor, the compiler, and the peers."""
    found = {"processor": processor(), "cores": str(os.cpu_count()), "python": platform.python_version(), "rustc": first_line("rustc", "--version")}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            pass
    return found | {"R": first_line("Rscript", "--version")}


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def first_line(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "none"
    return (done.stdout or done.stderr).splitlines()[0]
