"""An installed Linnet, and programs that are built outside of its tree."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from locations import BUILD



def compiler(name):
    """Returns g++ or clang++. Debian may install them only under names with a version."""
    found = shutil.which(name) or next(map(str, sorted(Path("/usr/bin").glob(f"{name}-[0-9]*"))), None)
    return found or pytest.skip(f"{name} is not installed")


def call(*command, **options):
    """Returns the output of a command, which must succeed."""
    result = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


class Prefix:
    """An installed Linnet that was moved after the installation."""

    def __init__(self, folder):
        call("cmake", "--install", BUILD, "--prefix", folder / "installed")
        self.path = (folder / "installed").rename(folder / "moved")
        self.libraries = next(self.path.glob("lib/**/liblinnet.so")).parent

    def configure(self, source, build, compiler, **variables):
        """Configures a CMake project that may use Linnet. Returns the completed process."""
        options = [f"-D{name}={value}" for name, value in variables.items()]
        return subprocess.run(
            ["cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.path}", f"-DCMAKE_CXX_COMPILER={compiler}",
             *options], capture_output=True, text=True)  # fmt: skip

    def pkg_config(self, *flags):
        path = f"{self.libraries}/pkgconfig:{os.environ.get('PKG_CONFIG_PATH', '')}"
        return call("pkg-config", *flags, "linnet", env=os.environ | {"PKG_CONFIG_PATH": path}).split()

    def environment(self):
        return os.environ | {"LD_LIBRARY_PATH": str(self.libraries)}
