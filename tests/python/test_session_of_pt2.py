"""linnet.Session on a program of PyTorch: everything that works with ONNX files must work with .pt2 files."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import linnet
import numpy as np
import pt2_archive
import pytest

X = np.random.default_rng(0).standard_normal((3, 3)).astype(np.float32)


def close(got, want):
    return np.testing.assert_allclose(got, want, 1e-5, 1e-5)


@pytest.fixture(params=["path", "bytes"])
def load(request, tmp_path):
    def load(program, **options):
        data = pt2_archive.zip_bytes(pt2_archive.members(model=program))
        if request.param == "bytes":
            return linnet.Session(data, **options)
        (tmp_path / "m.pt2").write_bytes(data)
        return linnet.Session(tmp_path / "m.pt2", **options)

    return load


def test_inputs_and_outputs_of_the_program(load):
    session = load(pt2_archive.program())
    assert [(info.name, info.dtype, info.shape) for info in session.inputs] == [("x", "float32", ("s0", 3))]
    assert [(info.name, info.shape) for info in session.outputs] == [("y", ("s0", 2))]
    for rows in (3, 1, 0):
        close(session.run({"x": X[:rows]})["y"], pt2_archive.expected(X[:rows])[0])


def test_bits_do_not_depend_on_threads_or_rewrites(load):
    first = load(pt2_archive.program(), threads=1).run({"x": X})["y"]
    for options in ({"threads": 2}, {"optimization": 0}):
        close(load(pt2_archive.program(), **options).run({"x": X})["y"], first)
    assert (load(pt2_archive.program(), threads=2).run({"x": X})["y"] == first).all()


def test_replaced_weights_and_pickles(load):
    session = load(pt2_archive.program(), replaceable_weights=True)
    zero = session.with_weights({"weight": np.zeros((2, 3), np.float32)})
    for again in (zero, pickle.loads(pickle.dumps(zero))):
        assert (again.run({"x": X})["y"] == 0).all()
    close(session.run({"x": X})["y"], pt2_archive.expected(X)[0])


def test_states_of_contexts(load):
    session = load(pt2_archive.counter())
    assert [info.name for info in session.metadata.overridable] == ["scale"]
    context, other = session.context(), session.context()
    context.bind_state("scale.next", "scale")
    for times in (1, 2, 3):
        close(context.run({"x": X})["y"], pt2_archive.expected(X, times)[1])
    close(other.run({"x": X, "scale": np.float32([16, 18])})["y"], pt2_archive.expected(X, 2)[1])


@pytest.mark.parametrize("threads", [1, 2])
def test_contexts_at_once_go_their_own_ways(load, threads):
    """Each of four threads has a context with states. The bits must be those of a single context."""
    session = load(pt2_archive.counter(), threads=threads)

    def outputs(start):
        context = session.context()
        context.bind_state("scale.next", "scale")
        return [context.run({"x": X + np.float32(start + i)})["y"] for i in range(20)]

    alone = [outputs(start) for start in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            np.testing.assert_array_equal(list(pool.map(outputs, range(4))), alone)
    assert len({run[0].tobytes() for run in alone}) == 4


def test_prepared_models_are_kept(load, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    first = load(pt2_archive.program(), cache_dir=folder).run({"x": X})["y"]
    assert list(folder.iterdir())
    again = load(pt2_archive.program(), cache_dir=folder)
    assert (again.run({"x": X})["y"] == first).all()


def test_what_cannot_be_read_is_named(tmp_path):
    (tmp_path / "m.pt2").write_bytes(b"PK\x03\x04")
    with pytest.raises(linnet.ModelError, match="m.pt2: "):
        linnet.Session(tmp_path / "m.pt2")
