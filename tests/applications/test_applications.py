"""Real applications must return the same results with Linnet as with ONNX Runtime.

pytest tests/applications -s prints the table of docs/coming_from_onnxruntime.md. pip installs each application into a
separate environment in the build folder, which takes minutes, and some gigabytes with PyTorch.
"""

import pickle
import shutil

import numpy as np
import pytest
from applications import APPLICATIONS, Environment, runtime
from environments import once
from locations import BUILD


def differences(want, got, place=""):
    """Yields (place, difference relative to the magnitude, or infinity if the kinds of values or the shapes differ)."""
    if isinstance(want, dict) and isinstance(got, dict) and want.keys() == got.keys():
        return [d for key in want for d in differences(want[key], got[key], f"{place}/{key}")]
    if isinstance(want, (list, tuple)) and isinstance(got, (list, tuple)) and len(want) == len(got):
        return [d for i, (a, b) in enumerate(zip(want, got)) for d in differences(a, b, f"{place}/{i}")]
    return [(place, difference(want, got))]


def difference(want, got):
    a, b = np.asarray(want), np.asarray(got)
    if a.shape != b.shape or a.dtype != b.dtype:
        return np.inf
    if a.dtype.kind != "f":
        return 0 if np.array_equal(a, b) else np.inf
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return np.inf
    a, b = np.nan_to_num(a), np.nan_to_num(b)
    return float(np.max(np.abs(a - b), initial=0) / max(1e-6, np.max(np.abs(a), initial=0)))


@pytest.mark.parametrize("application", APPLICATIONS, ids=lambda application: application.scenario)
def test_results_are_those_of_onnxruntime(application, tmp_path):
    if application.speech and not shutil.which("espeak-ng"):
        pytest.skip("espeak-ng is not installed")
    environment = Environment(application)
    prepared = environment.folder / "prepared"
    once(prepared, lambda: environment.run([prepared], runtime()))
    environment.run([prepared, tmp_path / "want"], runtime())
    environment.run([prepared, tmp_path / "got"], BUILD / "python", ["-m", "linnet.as_onnxruntime"])
    (real, real_seconds, want), (linnet, seconds, got) = (
        pickle.loads((tmp_path / name).read_bytes()) for name in ("want", "got")
    )
    assert real is None and linnet is not None
    found = differences(want, got)
    worst = max(found, key=lambda item: item[1])
    print(f"\n| {application.scenario} | {len(found)} | {worst[1]:.1e} | {real_seconds:.1f} s | {seconds:.1f} s |")
    assert len(found) >= 5 and worst[1] <= application.tolerance, [d for d in found if d[1] > application.tolerance][:10]
