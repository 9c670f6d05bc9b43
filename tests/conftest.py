"""The fixtures of all Python tests, except those that need PyTorch."""

import importlib.util
import shutil

import numpy as np
import pytest
from installed import Prefix
from locations import BUILD, RUN_MODEL
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model, save_tensor
from run_model import RunModel

# tests/torch runs with Pythons that have PyTorch, the others with one that does not.
if importlib.util.find_spec("torch"):
    pytest_plugins = ["torch_fixtures"]


@pytest.fixture(scope="session")
def run_model():
    """Returns the command run_model of the build under test."""
    if not RUN_MODEL.exists():
        pytest.skip(f"{RUN_MODEL} is not there: name a build in LINNET_BUILD, or the command in LINNET_RUN_MODEL")
    return RunModel(RUN_MODEL)


@pytest.fixture
def linear(tmp_path):
    """y = x w + b: x float32[N,3], w and b constant, y float32[N,2]. Returns the path of the model, and the
    function."""
    rng = np.random.default_rng(7)
    weights = rng.standard_normal((3, 2)).astype(np.float32), rng.standard_normal(2).astype(np.float32)
    path = save_model(
        tmp_path / "linear.onnx",
        [helper.make_node("MatMul", ["x", "w"], ["xw"], "product"), helper.make_node("Add", ["xw", "b"], ["y"], "sum")],
        [("x", TensorProto.FLOAT, ["N", 3])],
        [("y", TensorProto.FLOAT, ["N", 2])],
        [numpy_helper.from_array(weights[0], "w"), numpy_helper.from_array(weights[1], "b")],
    )
    return path, lambda x: x @ weights[0] + weights[1]


@pytest.fixture
def cases(tmp_path, linear):
    """Returns a tree of two test cases, one of which has two data sets."""
    model, function = linear
    for name, sets in (("deep/good", 2), ("other", 1)):
        folder = tmp_path / "cases" / name
        folder.mkdir(parents=True)
        shutil.copy(model, folder / "model.onnx")
        for i in range(sets):
            x = np.full((i + 1, 3), i + 1, np.float32)
            save_tensor(folder / f"test_data_set_{i}" / "input_0.pb", x)
            save_tensor(folder / f"test_data_set_{i}" / "output_0.pb", function(x))
    return tmp_path / "cases"


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """Returns the installation of the build under test, moved to another place."""
    return Prefix(tmp_path_factory.mktemp("prefix"))


@pytest.fixture(scope="session")
def suite_folder(tmp_path_factory):
    """Returns the folder with all cases of ONNX's backend suite."""
    from backend_suite import write_suite

    folder = tmp_path_factory.mktemp("suite")
    write_suite(folder)
    return folder


@pytest.fixture(scope="session")
def checked_api():
    """Returns the C API as in builds with assertions, which detect freed handles."""
    from c_api import Api

    return Api(BUILD / "lib" / "liblinnet_c_checked.so")


@pytest.fixture(scope="session", params=["liblinnet.so", "liblinnet_c_checked.so"])
def api(request):
    """Returns the C API of the build under test."""
    from c_api import Api

    return Api(BUILD / "lib" / request.param)


@pytest.fixture
def loaded(api):
    """Loads c_models.LINEAR with the C API, and makes a context."""
    from c_models import LINEAR

    model = api.load(LINEAR)
    context = api.created("context_create", model)
    yield model, context
    api.context_free(context)
    api.model_free(model)
