"""Virtual environments that tests make for packages that are not in requirements.txt."""

import os
import subprocess
import sys
from pathlib import Path

from locations import BUILD

# Environments are kept between runs.
CACHE = Path(os.environ.get("LINNET_ENVIRONMENTS", BUILD / "environments"))


def pip(python, *arguments):
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *arguments], check=True)


def once(folder, make):
    """The folder, which make() fills where an earlier call did not finish."""
    done = folder / "done"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        make()
        done.touch()
    return folder


def install(folder, *arguments):
    """Makes the environment, with what pip installs for the arguments; returns its Python."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip(folder / "bin" / "python", *arguments)
    return folder / "bin" / "python"
