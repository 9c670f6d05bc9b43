"""The time and memory for loading must grow linearly with the file. Each of these models took minutes when any part was
quadratic."""

import many_nodes
import pytest
from locations import RUN_MODEL
from measured import measured

COUNT = 50_000
SECONDS = 60


@pytest.mark.parametrize("form", many_nodes.FORMS, ids=lambda form: form.__name__)
def test_very_many_nodes_load(run_model, tmp_path, form):
    path = tmp_path / "model.onnx"
    path.write_bytes(form(COUNT).SerializeToString())
    result = measured([RUN_MODEL, "run", path, "--print", 0], SECONDS)
    assert result.code == (2 if form is many_nodes.cycle else 0), result.stderr
    assert len(result.stderr) <= 1024 + len(str(path)) + 20
    assert result.peak_bytes <= (64 << 20) + 8000 * COUNT
