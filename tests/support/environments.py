"""Virtual environments for test packages that are not in requirements.txt."""

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
    """Returns the folder. Calls make() to fill it unless an earlier call has succeeded."""
    done = folder / "done"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        make()
        done.touch()
    return folder


def install(folder, *arguments):
    """Creates the environment with what pip installs for the arguments. Returns its Python."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip(folder / "bin" / "python", *arguments)
    return folder / "bin" / "python"
