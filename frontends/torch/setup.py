"""Builds the package's libraries for the PyTorch in the environment that it is installed into."""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

SOURCE = Path(__file__).resolve().parent
LINNET_BUILD = Path(os.environ.get("LINNET_BUILD", SOURCE.parents[1] / "build")).resolve()
LIBRARIES = ["liblinnet_torch_ops.so", "liblinnet_torch_export.so"]


@functools.lru_cache(maxsize=None)
def folder_of_torch() -> str:
    """Returns the folder of PyTorch, or "". -E is needed because pip hides the environment's packages by
    $PYTHONPATH."""
    program = "import os, torch; print(os.path.dirname(torch.__file__))"
    return subprocess.run([sys.executable, "-E", "-c", program], stdout=subprocess.PIPE, text=True).stdout.strip()


class BuildWithLibraries(build_py):
    def run(self) -> None:
        super().run()
        if why_not := self.missing():
            return self.warn(f"{why_not}, so operators and exporter are not built")
        work = Path(self.get_finalized_command("build").build_base) / "libraries"
        options = [f"-DLINNET_BUILD={LINNET_BUILD}", f"-DLINNET_TORCH={folder_of_torch()}"]
        subprocess.run(["cmake", "-S", SOURCE, "-B", work, "-DCMAKE_BUILD_TYPE=Release", *options], check=True)
        subprocess.run(["cmake", "--build", work, "--parallel", str(os.cpu_count())], check=True)
        for library in LIBRARIES:
            self.copy_file(str(work / library), str(Path(self.build_lib) / "linnet_torch" / library))

    def missing(self) -> str:
        needed = ("ops/liblinnet_ops.a", "frontends/torch/exporter/liblinnet_exporter.a")
        if not all((LINNET_BUILD / library).is_file() for library in needed):
            return f"{LINNET_BUILD} is not a build of Linnet (name one in LINNET_BUILD)"
        if not folder_of_torch():
            return "there is no PyTorch in this environment"
        return "" if shutil.which("cmake") else "there is no cmake"


class BinaryDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


# The build folder is not in the source tree: there, files built for one PyTorch would get into the wheel for the next.
with tempfile.TemporaryDirectory() as folder:
    setup(
        cmdclass={"build_py": BuildWithLibraries},
        distclass=BinaryDistribution,
        options={"build": {"build_base": folder}},
    )
