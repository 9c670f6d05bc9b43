"""The memory limit applies to all memory that a process touches, not only to its tensors: also to memory that operators
keep, and that the readers and writers of the command need."""

import os
import sys
import zipfile

import hungry
import hungry_graphs  # noqa: F401 - adds to hungry.HUNGRY
import numpy as np
import pytest
from demanding import FLOAT, INT64, STRING, constant, model, node
from locations import ROOT, RUN_MODEL
from measured import measured
from onnx import helper

sys.path.insert(0, str(ROOT / "tests" / "differential"))
import drawn_models  # noqa: E402
import enlarged  # noqa: E402

MEMORY = 64 << 20
BESIDES = 16 << 20  # the memory of libraries and the process itself, and what the heap has not returned
# The number of variants of each operator with larger dims and numbers.
VARIANTS = int(os.environ.get("LINNET_HUNGRY_VARIANTS", "1"))
OK, LOAD, RUN, LIMIT = 0, 2, 3, 5
FLAGS = ["--untrusted", "--max-memory", MEMORY, "--deadline", 3000, "--print", 0, "--threads", 1]


def run(path, *flags):
    return measured([RUN_MODEL, "run", path, *FLAGS, *flags], seconds=30)


@pytest.fixture(scope="session")
def trivial(tmp_path_factory):
    """Returns the peak of a process that runs a trivial model."""
    path = tmp_path_factory.mktemp("trivial") / "model.onnx"
    path.write_bytes(model([node("Relu", ["x"], ["y"])], [("x", FLOAT, [1])], [("y", FLOAT, [1])]).SerializeToString())
    return run(path).peak_bytes


@pytest.mark.parametrize("name", hungry.HUNGRY)
def test_an_operator_touches_no_more_than_the_limit(run_model, trivial, tmp_path, name):
    path = tmp_path / "model.onnx"
    path.write_bytes(hungry.HUNGRY[name]().SerializeToString())
    result = run(path)
    assert result.code in (OK, LIMIT, RUN), result.stderr
    assert result.peak_bytes <= trivial + MEMORY + BESIDES, result.stderr


@pytest.mark.parametrize("part", range(8))
def test_operators_with_larger_dims_and_numbers_touch_no_more(run_model, trivial, tmp_path, part):
    for schema in list(drawn_models.latest())[part::8]:
        for i, proto in enumerate(enlarged.variants(schema, VARIANTS)):
            path = write_model(tmp_path, proto)
            result = run(path)
            where = f"{schema.domain} {schema.name} {i}: {result.stderr}"
            assert result.code in (OK, LOAD, RUN, LIMIT), where
            assert result.peak_bytes <= trivial + MEMORY + BESIDES, where


def identity(dtype, *dims):
    return model([node("Identity", ["x"], ["y"])], [("x", dtype, list(dims))], [("y", dtype, None)])


def write_model(folder, proto):
    (folder / "model.onnx").write_bytes(proto.SerializeToString())
    return folder / "model.onnx"


def expect_limit(result, trivial):
    assert result.code == LIMIT, result.stderr
    assert b"more than the limit of" in result.stderr
    assert result.peak_bytes <= trivial + MEMORY + BESIDES


@pytest.mark.parametrize("dtype, descr, item", [(STRING, "<U50000000", 200_000_000), (FLOAT, "<f4", 4)])
def test_an_archive_is_refused_before_it_is_unpacked(run_model, trivial, tmp_path, dtype, descr, item):
    count = 200_000_000 // item
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}".ljust(117) + "\n"
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("x.npy", "w") as member:
            member.write(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode())
            for _ in range(200):
                member.write(bytes(1_000_000))
    expect_limit(run(write_model(tmp_path, identity(dtype, count)), "--input-npz", tmp_path / "bomb.npz"), trivial)


def test_texts_that_become_equally_long_in_a_file_are_refused_before(run_model, trivial, tmp_path):
    nodes = [node("Concat", ["long", "short"], ["y"], axis=0), node("Shape", ["x"], ["s"])]
    texts = [helper.make_tensor("long", STRING, [1], [b"a" * 1_000_000]), helper.make_tensor("short", STRING, [500], [b"b"] * 500)]
    path = write_model(tmp_path, model(nodes, [("x", FLOAT, [1])], [("y", STRING, None), ("s", INT64, None)], texts))
    expect_limit(run(path, "--save-outputs", tmp_path / "y.npz"), trivial)


def test_a_value_of_many_texts_is_refused(run_model, trivial, tmp_path):
    count = 2_000_000
    (tmp_path / "x.pb").write_bytes(helper.make_tensor("x", STRING, [count], [b""] * count).SerializeToString())
    expect_limit(run(write_model(tmp_path, identity(STRING, count)), "-i", f"x={tmp_path / 'x.pb'}"), trivial)


def test_outputs_are_saved_without_a_copy(run_model, trivial, tmp_path):
    nodes = [node("Expand", ["x", "shape"], ["y"])]
    path = write_model(tmp_path, model(nodes, [("x", FLOAT, [1])], [("y", FLOAT, None)], [constant("shape", [10_000_000], np.int64)]))
    assert run(path, "--save-outputs", tmp_path / "y.npz").code == OK
    with np.load(tmp_path / "y.npz") as saved:
        assert saved["y"].shape == (10_000_000,)


def test_a_file_of_many_small_messages_is_counted(run_model, trivial, tmp_path):
    """Each message takes two bytes of the file, and more than a hundred bytes in memory."""
    count, path = 1_000_000, tmp_path / "model.onnx"
    path.write_bytes(identity(FLOAT, 1).SerializeToString() + b"\x3a" + varint(2 * count) + b"\x0a\0" * count)
    expect_limit(run(path), trivial)


def varint(number):
    return number.to_bytes(1, "little") if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)
