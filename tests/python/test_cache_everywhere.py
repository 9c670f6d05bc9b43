"""Compares models from a cache with models without one, bit by bit, while their files, the options and the cache
change."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import linnet
import numpy as np
import onnx
import pytest
from crosses import cells
from weight_cells import BRANCHES, FORMS, NESTINGS, SHAPE, build

FEED = {"x": np.random.default_rng(5).standard_normal(SHAPE).astype(np.float32)}
STORES = ("inside", "external", "two_files")


def settle():
    """Waits until the file timestamps of later changes will differ."""
    time.sleep(0.02)


class Models:
    """Folders with a model and different weights. The model is the same file in all folders if its weights are
    external."""

    def __init__(self, root, form, store, link):
        self.root, self.form, self.store, self.link = root, form, store, link
        self.cache = root / "cache"

    def write(self, folder, seed):
        folder = self.root / folder
        folder.mkdir(exist_ok=True)
        model, path = build("top", self.form, seed), folder / "model.onnx"
        if self.store == "inside":
            path.write_bytes(model.SerializeToString())
        else:
            onnx.save(model, path, save_as_external_data=True, all_tensors_to_one_file=self.store == "external",
                      location="w.bin" if self.store == "external" else None, size_threshold=0)  # fmt: skip
            first = self.root / "first.onnx"
            if not first.exists():
                shutil.copy(path, first)
            assert first.read_bytes() == path.read_bytes()
            path.unlink()
            self.link(first, path)
        settle()
        return path

    def data(self, folder):
        """Returns all files of a folder, except for a model whose weights are in other files."""
        files = (self.root / folder).iterdir()
        return [f for f in files if self.store == "inside" or f.name != "model.onnx"]

    def check(self, path, **options):
        options.setdefault("threads", 1)
        want = linnet.Session(path, **options).run(FEED)["out"].tobytes()
        for _ in range(2):
            assert linnet.Session(path, cache_dir=self.cache, **options).run(FEED)["out"].tobytes() == want
        return want


def other_folders(models):
    """Each folder has different weights."""
    paths = [models.write(name, seed) for seed, name in enumerate("abc")]
    assert len({models.check(path) for path in [*paths, *paths]}) == 3


def moved_folders(models):
    first, second = models.write("a", 1), models.write("b", 2)
    want = models.check(first), models.check(second)
    (models.root / "a").rename(models.root / "c")
    (models.root / "b").rename(models.root / "a")
    settle()
    assert models.check(first) == want[1] and models.check(models.root / "c" / "model.onnx") == want[0]


def linked_folders(models):
    """A link to a folder that is changed to refer to another one."""
    models.write("a", 1), models.write("b", 2)
    link, seen = models.root / "current", []
    for name in "abab":
        link.unlink(missing_ok=True)
        link.symlink_to(models.root / name)
        seen.append(models.check(link / "model.onnx"))
    assert seen[0] == seen[2] != seen[1] == seen[3]


def relative_paths(models):
    models.write("a", 1), models.write("b", 2)
    seen, here = [], pathlib.Path.cwd()
    try:
        for name in "abab":
            os.chdir(models.root / name)
            seen.append(models.check("model.onnx"))
    finally:
        os.chdir(here)
    assert seen[0] == seen[2] != seen[1] == seen[3]


def changed_in_place(models):
    """The file keeps its size, and its modification time is restored."""
    path, seen = models.write("a", 1), []
    models.write("b", 2), models.write("c", 1)
    for source in "acbcb":
        for file in models.data(source):
            target = models.root / "a" / file.name
            status = target.stat()
            target.write_bytes(file.read_bytes())
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
        settle()
        seen.append(models.check(path))
    assert seen[1] == seen[3] != seen[2] == seen[4]


def replaced(models):
    path, seen = models.write("a", 1), []
    for seed in (1, 2, 1, 2):
        for file in (models.write("b", seed), models.data("b"))[1]:
            file.replace(models.root / "a" / file.name)
        settle()
        seen.append(models.check(path))
    assert seen[0] == seen[2] != seen[1] == seen[3]


def linked_data(models):
    """Links that are changed to refer to other files. Data must not follow them out of its folder."""
    path, seen = models.write("a", 1), []
    for seed in (1, 2):
        models.write("b", seed)
        for file in models.data("b"):
            shutil.move(file, models.root / "a" / f"{file.name}.{seed}")
    for seed in (1, 2, 1, 2):
        for file in models.data("b") or [models.root / "a" / n for n in sorted(p.name for p in models.data("a"))]:
            if file.suffix not in (".1", ".2") and file.with_name(f"{file.name}.{seed}").exists():
                file.unlink()
                file.symlink_to(f"{file.name}.{seed}")
        seen.append(models.check(path))
    assert seen[0] == seen[2] != seen[1] == seen[3]


def hard_linked_data(models):
    path, seen = models.write("a", 1), []
    models.write("b", 1), models.write("c", 2)
    for source in "bcbc":
        for file in models.data(source):
            target = models.root / "a" / file.name
            target.unlink()
            os.link(file, target)
        settle()
        seen.append(models.check(path))
    assert seen[0] == seen[2] != seen[1] == seen[3]


def missing_data(models):
    path = models.write("a", 1)
    models.check(path)
    for file in models.data("a"):
        file.unlink()
    with pytest.raises(linnet.IoError):
        linnet.Session(path, cache_dir=models.cache)


def other_options(models):
    path = models.write("a", 1)
    for _ in range(2):
        for options in ({}, {"optimization": 0}, {"optimization": 1}, {"precision": "bfloat16"}, {"fast_int4": True},
                        {"threads": 2}, {"max_memory": 1 << 20}, {"disabled_rewrites": ["fold_affine_into_matmul"]},
                        {"disabled_rewrites": ["convert_conv_to_channels_last", "fuse_activation"]},
                        {"replaceable_weights": True}, {"overridable_initializers": True}):  # fmt: skip
            models.check(path, **options)


def other_instruction_sets(models):
    path = models.write("a", 1)
    for isa in ("baseline", "auto") * 2:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LINNET_ISA", isa)
            models.check(path)


RUN = """
import sys, numpy, linnet
x = numpy.load(sys.argv[1])
for path in sys.argv[3:]:
    sys.stdout.write(linnet.Session(path, cache_dir=sys.argv[2], threads=1).run({"x": x})["out"].tobytes().hex() + " ")
"""


def start(models, paths, **more):
    array = models.root / "x.npy"
    np.save(array, FEED["x"])
    return subprocess.Popen([sys.executable, "-c", RUN, array, models.cache, *paths], stdout=subprocess.PIPE, text=True,
                            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, **more)  # fmt: skip


def several_processes(models):
    paths = [models.write("a", 1), models.write("b", 2)]
    want = [linnet.Session(path, threads=1).run(FEED)["out"].tobytes().hex() for path in paths]
    runs = [start(models, order) for order in (paths, paths[::-1], paths)]
    for run, expected in zip(runs, (want, want[::-1], want)):
        assert run.communicate(timeout=60)[0].split() == expected
    for path in paths:
        models.check(path)


def read_only(models):
    """A read-only cache of another user, full or empty, in a folder that all users may enter, unlike pytest's
    folder."""
    with tempfile.TemporaryDirectory() as folder:
        read_only_in(Models(pathlib.Path(folder), models.form, models.store, models.link))


def imports_linnet(user):
    """Whether this Python and its packages are readable for another user."""
    try:
        return subprocess.run([sys.executable, "-c", "import linnet"], stderr=subprocess.DEVNULL, **user,
                              env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}).returncode == 0  # fmt: skip
    except PermissionError:
        return False


def read_only_in(models):
    path = models.write("a", 1)
    want = models.check(path)
    nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    readable = imports_linnet(nobody)
    for folder in (models.cache, models.root / "empty"):
        folder.mkdir(exist_ok=True)
        models.cache = folder
        files = [folder, *folder.rglob("*")]
        for file in [*files, *path.parent.rglob("*"), models.root / "first.onnx"]:
            if file.exists():
                file.chmod(0o555 if file.is_dir() else 0o444)
        models.root.chmod(0o755)
        if readable:
            assert start(models, [path], **nobody).communicate(timeout=60)[0].split() == [want.hex()]
            assert [folder, *folder.rglob("*")] == files
        for file in files:
            file.chmod(0o755 if file.is_dir() else 0o644)
        models.check(path)


EVENTS = {event.__name__: event for event in (
    other_folders, moved_folders, linked_folders, relative_paths, changed_in_place, replaced, linked_data,
    hard_linked_data, missing_data, other_options, other_instruction_sets, several_processes, read_only)}  # fmt: skip
LINKS = {"link": lambda source, target: target.symlink_to(source), "hard_link": os.link, "copy": shutil.copy}


@pytest.mark.parametrize("event, form, store, link", [
    cell for cell in cells(EVENTS, ("product", "convolution", "nbits"), STORES, LINKS)
    if not (cell[0] == "missing_data" and cell[2] == "inside")])  # fmt: skip
def test_a_cache_gives_what_the_files_hold(event, form, store, link, tmp_path):
    EVENTS[event](Models(tmp_path, form, store, LINKS[link]))


@pytest.mark.parametrize("nesting, form, optimization", cells(NESTINGS, FORMS, (2, 1, 0)))
def test_a_cache_gives_what_the_model_computes(nesting, form, optimization, tmp_path):
    for seed in (1, 2, 1):
        model = build(nesting, form, seed).SerializeToString()
        for c in (True, False) if nesting in BRANCHES else (None,):
            feed = FEED if c is None else FEED | {"c": np.array(c)}
            options = {"threads": 1, "optimization": optimization}
            want = linnet.Session(model, **options).run(feed)["out"].tobytes()
            assert linnet.Session(model, cache_dir=tmp_path, **options).run(feed)["out"].tobytes() == want
