"""Expressions that double, nest, multiply or are very many must lead to right results, in time and memory that grow
with the file."""

import numpy as np
import open_forms
import pytest
from locations import RUN_MODEL
from measured import measured
from onnx_runtime import OnnxRuntime

COUNT, SECONDS = 2000, 30


@pytest.mark.parametrize("form", open_forms.FORMS, ids=lambda form: form.__name__)
def test_gives_what_onnx_runtime_gives(run_model, tmp_path, form):
    made, outputs = form(120)
    path, feeds = tmp_path / "model.onnx", made.feeds()
    path.write_bytes(made.model(outputs).SerializeToString())
    want = OnnxRuntime(path, optimized=False).outputs(feeds)
    got = run_model.outputs(path, feeds)
    for name, value in want.items():
        np.testing.assert_allclose(got[name], value, 1e-5, strict=True)


@pytest.mark.parametrize("form", open_forms.FORMS, ids=lambda form: form.__name__)
def test_loads_and_runs(tmp_path, form):
    """Dims are 1 in the run, so a second class is made for it."""
    made, outputs = form(COUNT)
    path = tmp_path / "model.onnx"
    path.write_bytes(made.model(outputs).SerializeToString())
    result = measured([RUN_MODEL, "run", path, "--print", 0], SECONDS)
    assert result.code == 0, result.stderr
    assert result.peak_bytes <= (80 << 20) + 10_000 * COUNT
