"""The fixtures for tests of ONNX Runtime's C ABI. Each test runs with Linnet's library and with the original one."""

import pytest
from differences import DIFFERENCES
from libraries import PLACES, load
from session_support import Ort


def pytest_configure(config):
    config.addinivalue_line("markers", "only(library): the test is about one of the libraries")


def pytest_generate_tests(metafunc):
    """Runs every test that uses a library with both of them, or with the one that its marker names."""
    if "library_name" not in metafunc.fixturenames:
        return
    only = metafunc.definition.get_closest_marker("only")
    names = [only.args[0]] if only else list(PLACES)
    metafunc.parametrize("library_name", names, scope="session")


def pytest_collection_modifyitems(items):
    """Expects the tests with known differences to fail with Linnet's library."""
    for item in items:
        if not hasattr(item, "callspec") or item.callspec.params.get("library_name") != "linnet":
            continue
        reason = DIFFERENCES.get(f"{item.path.stem}::{item.name.replace('[linnet-', '[').replace('[linnet]', '')}")
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.fixture(scope="session")
def library(library_name):
    """Returns the library under test."""
    loaded, reason = load(library_name)
    if loaded is None:
        pytest.skip(reason)
    return loaded


@pytest.fixture(scope="session")
def api(library):
    """Returns the table of the library under test."""
    return library.api()


@pytest.fixture(scope="session")
def env(api):
    """Returns the environment that all tests of a process share."""
    handle = api.CreateEnv(4, b"tests")
    yield handle
    api.ReleaseEnv(handle)


@pytest.fixture
def ort(api, env):
    """Makes objects with the library under test, and releases them after the test."""
    maker = Ort(api, env)
    yield maker
    maker.close()
