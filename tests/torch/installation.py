"""Finds the parts under test: export_model, and the installed linnet_torch or else that of the source tree.

It also determines what this PyTorch supports. Import it before linnet_torch.
"""

import functools
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

# Other programs than pytest import this, too.
sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from locations import BUILD, ROOT, RUN_MODEL  # noqa: E402

if importlib.util.find_spec("linnet_torch") is None:
    sys.path.insert(0, str(ROOT / "frontends" / "torch"))
    os.environ.setdefault("LINNET_TORCH_OPS", f"{BUILD}/lib/liblinnet_torch_ops.so")
if RUN_MODEL.exists():
    os.environ.setdefault("LINNET_RUN_MODEL", str(RUN_MODEL))

HAS_DYNAMO = torch.__version__ >= (2, 9) and importlib.util.find_spec("onnxscript") is not None
HAS_TORCHVISION = importlib.util.find_spec("torchvision") is not None
TORCH_EXPORTERS = ["torchscript", "dynamo"] if HAS_DYNAMO else ["torchscript"]
needs_dynamo = pytest.mark.skipif(not HAS_DYNAMO, reason="this PyTorch has no dynamo exporter")
needs_torchvision = pytest.mark.skipif(not HAS_TORCHVISION, reason="torchvision is not installed")

from linnet_torch import library  # noqa: E402

# This library is built together with the operators; it must then load.
HAS_LINNET = (library.find() or Path("missing")).is_file()
EXPORTERS = [*TORCH_EXPORTERS, "linnet"] if HAS_LINNET else TORCH_EXPORTERS
needs_linnet = pytest.mark.skipif(not HAS_LINNET, reason="liblinnet_torch_export is not built for this PyTorch")

if HAS_DYNAMO:
    # Listing the operators that PyTorch can translate takes most of the time of a small export, so the list is cached.
    from torch.onnx._internal.exporter import _registration

    apis = _registration.onnxscript_apis
    apis.get_torchlib_ops = functools.lru_cache(apis.get_torchlib_ops)


@functools.cache
def export_model():
    """Returns the built export_model and "", or None and the reason.

    An older PyTorch does not read all that a newer one saves.
    """
    command = BUILD / "bin" / "export_model"
    if not command.exists():
        return None, "export_model is not built: cmake -DLINNET_BUILD_TORCH=ON"
    version = subprocess.run([str(command), "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    if version.split()[-1].split(".")[:2] != torch.__version__.split(".")[:2]:
        return None, f"another PyTorch than this one's: {version.strip()}"
    return str(command), ""
