"""Programs for ONNX Runtime, each in a separate environment."""

import os

import pytest
from client_support import Client


def pytest_collection_modifyitems(items):
    """Skips the tests that install packages, unless they are enabled."""
    if os.environ.get("LINNET_TEST_CLIENTS") == "1":
        return
    skip = pytest.mark.skip(reason="programs for ONNX Runtime are installed and tested with LINNET_TEST_CLIENTS=1 only")
    for item in items:
        if "client" in getattr(item, "fixturenames", []):
            item.add_marker(skip)


@pytest.fixture(scope="module")
def client(request):
    """Returns the client that the module describes in CLIENT, and installs it."""
    client = Client(**request.module.CLIENT)
    client.install()
    return client
