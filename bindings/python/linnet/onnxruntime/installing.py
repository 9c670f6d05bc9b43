"""Makes Linnet available under the name onnxruntime, for one process."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
import types
from typing import Any

from linnet.onnxruntime.functions import VERSION

_NAME = "onnxruntime"


def install() -> None:
    """Makes `import onnxruntime` import Linnet in this process, whatever is installed.

    Raises RuntimeError if another onnxruntime was imported before.
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if _NAME in sys.modules:
        raise RuntimeError("onnxruntime is imported already: call linnet.onnxruntime.install() before")
    sys.meta_path.insert(0, _Finder())


class _Loader(importlib.abc.Loader):
    """Loads a module with the contents of Linnet's module of that name."""

    def exec_module(self, module: types.ModuleType) -> None:
        own = vars(module).keys()
        held = vars(importlib.import_module("linnet." + module.__name__))
        vars(module).update({name: value for name, value in held.items() if name not in own or name == "__doc__"})


class _Distribution(importlib.metadata.Distribution):
    """Makes importlib.metadata.version("onnxruntime") return a version."""

    def read_text(self, filename: str) -> str | None:
        return f"Metadata-Version: 2.1\nName: {_NAME}\nVersion: {VERSION}\n" if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        raise FileNotFoundError(path)


class _Finder(importlib.metadata.DistributionFinder):
    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if fullname.split(".")[0] != _NAME:
            return None
        real = importlib.util.find_spec("linnet." + fullname)
        if real is None:
            raise ModuleNotFoundError(f"Linnet's onnxruntime has no module '{fullname}'", name=fullname)
        spec = importlib.machinery.ModuleSpec(fullname, _Loader(), origin=real.origin)
        spec.submodule_search_locations = real.submodule_search_locations
        return spec

    def find_distributions(self, context: Any = None) -> list[importlib.metadata.Distribution]:
        return [_Distribution()] if context is None or context.name in (None, _NAME) else []
