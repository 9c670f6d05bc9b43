"""skl2onnx: text pipelines after operators of onnxruntime-extensions."""

import pytest

CLIENT = {"name": "skl2onnx", "packages": ["onnxruntime-extensions", "onnxruntime==1.32.0", "skl2onnx", "scikit-learn", "numpy", "onnx",
                                           "ml_dtypes", "pytest"], "script": "run_pipelines.py", "way": "path"}  # fmt: skip


def test_pipelines_do_not_depend_on_the_library(client, tmp_path):
    expected, found = client.both(tmp_path)
    assert len(expected) == 6
    for name, (labels, probabilities, alike) in expected.items():
        assert alike and found[name][2]
        assert found[name][0] == labels
        for row, other in zip(found[name][1], probabilities):
            assert row == pytest.approx(other, abs=1e-4)
