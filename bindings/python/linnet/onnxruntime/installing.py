"""Linnet under the name onnxruntime, for one process."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import sys

from linnet.onnxruntime.functions import VERSION

_NAME = "onnxruntime"


def install():
    """Makes `import onnxruntime` give Linnet, in this process and whatever is installed.

    Raises RuntimeError where another onnxruntime was imported before.
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if _NAME in sys.modules:
        raise RuntimeError("onnxruntime is imported already: call linnet.onnxruntime.install() before")
    sys.meta_path.insert(0, _Finder())


class _Loader(importlib.abc.Loader):
    """A module with what Linnet's of that name holds."""

    def exec_module(self, module):
        own = vars(module).keys()
        held = vars(importlib.import_module("linnet." + module.__name__))
        vars(module).update({name: value for name, value in held.items() if name not in own or name == "__doc__"})


class _Distribution(importlib.metadata.Distribution):
    """So that importlib.metadata.version("onnxruntime") answers."""

    def read_text(self, filename):
        return f"Metadata-Version: 2.1\nName: {_NAME}\nVersion: {VERSION}\n" if filename == "METADATA" else None

    def locate_file(self, path):
        raise FileNotFoundError(path)


class _Finder(importlib.metadata.DistributionFinder):
    def find_spec(self, fullname, path=None, target=None):
        if fullname.split(".")[0] != _NAME:
            return None
        real = importlib.util.find_spec("linnet." + fullname)
        if real is None:
            raise ModuleNotFoundError(f"Linnet's onnxruntime has no module '{fullname}'", name=fullname)
        spec = importlib.machinery.ModuleSpec(fullname, _Loader(), origin=real.origin)
        spec.submodule_search_locations = real.submodule_search_locations
        return spec

    def find_distributions(self, context=None):
        return [_Distribution()] if context is None or context.name in (None, _NAME) else []
