"""linnet.Session's options, and calls of run() with misplaced arguments. Errors must name what is wrong."""

import builtins
import os
import subprocess
import sys

import linnet
import numpy as np
import pytest
from onnx import TensorProto
from onnx_files import identity as identity_file
from sessions import identity


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Returns the path of a model whose output y is its input x."""
    path = tmp_path_factory.mktemp("options") / "model.onnx"
    identity_file(path, TensorProto.FLOAT, ["N"])
    return path


@pytest.fixture(scope="module")
def session():
    return identity(TensorProto.FLOAT, ["N"])


@pytest.mark.parametrize("options", [
    {"threads": "2"}, {"threads": 1.5}, {"threads": True}, {"optimization": None}, {"max_memory": "64M"},
    {"deadline_ms": 0.5}, {"seed": "1"}, {"seed": 1.0}, {"profile": 1}, {"overridable_initializers": "yes"},
    {"replaceable_weights": None}, {"cache_dir": 3}, {"cache_dir": b"cache"}, {"fast_int4": 0}, {"precision": 16},
    {"op_libraries": "x.so"}, {"op_libraries": 1}, {"op_libraries": [1]}, {"disabled_rewrites": "fuse_gelu"},
], ids=str)  # fmt: skip
def test_a_value_of_another_type_is_a_type_error_that_names_the_option(model, options):
    (name,) = options
    with pytest.raises(builtins.TypeError, match=f"^{name} must be "):
        linnet.Session(model, **options)


@pytest.mark.parametrize("options", [
    {"threads": -1}, {"threads": 1025}, {"threads": 2**70}, {"optimization": 9}, {"optimization": -1},
    {"max_memory": -1}, {"max_memory": 2**63}, {"deadline_ms": -1}, {"seed": -1}, {"seed": 2**64},
    {"precision": "float64"},
], ids=str)  # fmt: skip
def test_a_value_out_of_range_is_a_value_error_that_names_the_option(model, options):
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name} must be "):
        linnet.Session(model, **options)


def test_an_unknown_rewrite_is_a_value_error_that_lists_the_known_ones(model):
    with pytest.raises(ValueError, match="^disabled_rewrites must be names of rewrites, got 'fuse_everything'; known: .*fold_"):
        linnet.Session(model, disabled_rewrites=["fuse_everything"])


def test_a_cache_that_is_no_folder_is_a_value_error(model, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    for unusable in (file, file / "below"):
        with pytest.raises(ValueError, match="^cache_dir must be a folder: "):
            linnet.Session(model, cache_dir=unusable)
    linnet.Session(model, cache_dir=tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder").is_dir()


def test_numbers_of_numpy_are_numbers(model):
    options = {"threads": np.int64(1), "deadline_ms": np.int32(1000), "seed": np.uint64(2**64 - 1), "profile": np.True_}
    linnet.Session(model, **options)


def test_a_model_that_is_no_path_is_a_type_error():
    with pytest.raises(builtins.TypeError, match="^model must be a str or a path, got int 7"):
        linnet.Session(7)


HALF_PAIR = "a\ud800"  # half of a surrogate pair, which UTF-8 cannot encode


def test_paths_that_are_no_text_are_value_errors(model):
    with pytest.raises(ValueError, match="^model must be text"):
        linnet.Session(HALF_PAIR)
    for name, value in {"cache_dir": HALF_PAIR, "op_libraries": [HALF_PAIR], "disabled_rewrites": [HALF_PAIR]}.items():
        with pytest.raises(ValueError, match=f"^{name} must be text"):
            linnet.Session(model, **{name: value})
    with pytest.raises(ValueError, match="^path must be text"):
        linnet.Session(model).save(HALF_PAIR)


@pytest.mark.parametrize("call", [
    lambda s: s.run({"x": [1]}, cancellation=5), lambda s: s.context().run({"x": [1]}, cancellation=5),
    lambda s: s.run({"x": [1]}, out=[1]), lambda s: s.context().run({"x": [1]}, out=np.ones(3, np.float32)),
    lambda s: s.run({"x": [1]}, outputs=5), lambda s: s.save(5), lambda s: s.with_weights(None),
    lambda s: s.with_weights({1: [1]}), lambda s: s.context().truncate_states("3"), lambda s: s.context().state(5),
    lambda s: s.context().truncate_states(None), lambda s: s.context().bind_state("y", "x", [1], capacity=1.5),
    lambda s: linnet.batched(s, {"x": [1]}, "2"), lambda s: linnet.batched(s, {"x": [1]}, None),
    lambda s: linnet.batched(s, {"x": [1]}, 1.5), lambda s: linnet.batched(s, None, 2),
    lambda s: linnet.cached(b"", threads=[1]), lambda s: linnet.cached(5), lambda s: linnet.cached([5]),
])  # fmt: skip
def test_an_argument_of_another_type_is_a_type_error_that_names_it(session, call):
    names = "cancellation|out|outputs|path|weights|the name of a weight|length|input|capacity|size|inputs|threads|model"
    with pytest.raises(builtins.TypeError, match=f"^({names}) must be .*, got "):
        call(session)


@pytest.mark.parametrize("call", [
    lambda s: s.context().truncate_states(2**63), lambda s: s.context().truncate_states(-1),
    lambda s: s.context().bind_state("y", "x", [1], capacity=2**63), lambda s: linnet.batched(s, {"x": [1]}, 2**63),
    lambda s: linnet.batched(s, {"x": [1]}, 0), lambda s: s.with_weights({HALF_PAIR: [1]}), lambda s: s.with_weights({"x": [1, [2]]}),
])  # fmt: skip
def test_an_argument_out_of_range_is_a_value_error_that_names_it(session, call):
    with pytest.raises(ValueError, match="^(length|capacity|size|the name of a weight|initializer 'x') must be "):
        call(session)


@pytest.mark.parametrize("runner", [lambda s: s, lambda s: s.context()], ids=["session", "context"])
def test_names_are_texts(session, runner):
    x = np.ones(1, np.float32)
    for call, side in [
        (lambda name: runner(session).run({"x": x, name: x}), "input"), (lambda name: runner(session).run({"x": x}, [name]), "output"),
        (lambda name: runner(session).run({"x": x}, out={name: x}), "output"), (lambda name: session.context().bind_state(name, "x", x), "output"),
        (lambda name: session.context().bind_state("y", name, x), "input"), (lambda name: session.context().set_state(name, x), "input"),
    ]:  # fmt: skip
        with pytest.raises(linnet.TypeError, match=f"the name of an {side} must be a str, got int 5"):
            call(5)
        with pytest.raises(linnet.ModelError, match=rf"there is no {side} 'a\\ud800'; the {side}s are "):
            call(HALF_PAIR)
    with pytest.raises(linnet.ModelError, match=r"input 'x' is missing; the inputs are 'x', given are 'a\\ud800'"):
        runner(session).run({HALF_PAIR: x})
    with pytest.raises(linnet.ModelError, match=r"an input 'a\\ud800'"):
        session.context().state(HALF_PAIR)


def test_lists_of_options_are_cached(model):
    assert linnet.cached(model, disabled_rewrites=["fuse_slope"]) is linnet.cached(model, disabled_rewrites=["fuse_slope"])


@pytest.mark.parametrize("arguments", [(None, {"x": [1]}), (["y"], {"x": [1]}), (np.ones(1),), ([1],)], ids=str)
@pytest.mark.parametrize("runner", [lambda s: s, lambda s: s.context()], ids=["session", "context"])
def test_inputs_that_are_no_dict_are_answered_by_a_call(session, arguments, runner):
    with pytest.raises(builtins.TypeError, match=r"run\(\{'x': array\}\)"):
        runner(session).run(*arguments)


def test_one_text_is_no_list_of_outputs(session):
    with pytest.raises(builtins.TypeError, match="outputs must be a list of names, got the text 'y'"):
        session.run({"x": np.ones(1, np.float32)}, "y")


def test_a_missing_input_names_what_was_given(session):
    with pytest.raises(ValueError, match="input 'x' is missing; the inputs are 'x', given are 'X', 'z'"):
        session.run({"X": 1, "z": 2})
    with pytest.raises(ValueError, match="input 'x' is missing; the inputs are 'x', given are none"):
        session.run({})


class Frame:
    """Like a data frame of pandas: it has no dtype, but converts to an array."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or self.values.dtype)


def test_a_frame_is_treated_as_its_array(session):
    values = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(session.run({"x": Frame(values)})["y"], values)
    for wrong in (values.astype(np.float64), Frame(values.astype(np.float64))):
        with pytest.raises(linnet.TypeError, match="input 'x' must be float32, got float64"):
            session.run({"x": wrong})


def test_a_star_import_hides_nothing_of_python():
    code = "from linnet import *\nassert TypeError.__module__ == 'builtins' and Session"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)
