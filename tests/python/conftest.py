"""Fixtures for tests that run with ONNX Runtime and with Linnet in its place."""

import importlib

import pytest


@pytest.fixture(scope="module", params=["onnxruntime", "linnet.onnxruntime"])
def ort(request):
    module = importlib.import_module(request.param)
    module.set_default_logger_severity(4)
    return module
