"""ncnn in float32. pnnx converts the model. ncnn has no batch dim, so the batch is 1 and the dim is omitted."""

import importlib.util
import json
import pathlib
import subprocess

import ncnn
import numpy as np

NARROW_TYPES = ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_packed", "use_bf16_storage")


def make_mat(feed):
    if feed.dtype != np.float32 or feed.ndim < 2 or feed.shape[0] != 1:
        raise ValueError("ncnn takes float32 inputs with a batch of 1")
    return ncnn.Mat(np.ascontiguousarray(feed[0])).clone()


class Session:
    def __init__(self, job, feeds):
        self.net = ncnn.Net()
        self.net.opt.num_threads = job["threads"]
        for name in NARROW_TYPES:
            if hasattr(self.net.opt, name):
                setattr(self.net.opt, name, False)
        converted = f"{job['folder']}/ncnn/model.ncnn"
        if self.net.load_param(f"{converted}.param") or self.net.load_model(f"{converted}.bin"):
            raise ValueError("ncnn does not load what pnnx made of the model")
        self.mats = [make_mat(feed) for feed in feeds.values()]
        with np.load(f"{job['folder']}/expected.npz") as expected:
            self.shapes = [value.shape for value in expected.values()]

    def run(self):
        extractor = self.net.create_extractor()
        for i, mat in enumerate(self.mats):
            extractor.input(f"in{i}", mat)
        self.results = [extractor.extract(f"out{i}") for i in range(len(self.shapes))]

    def outputs(self):
        if any(status for status, _ in self.results):
            raise ValueError("ncnn does not run what pnnx made of the model")
        return [np.array(mat).reshape(shape) for (_, mat), shape in zip(self.results, self.shapes)]


def version(job):
    find_pnnx()
    return ncnn.__version__


def find_pnnx():
    """Returns the program inside the package pnnx. Importing the package would import torch."""
    package = importlib.util.find_spec("pnnx")
    if package is None:
        raise ModuleNotFoundError("the package pnnx, which converts ONNX files, is not installed")
    return str(pathlib.Path(package.origin).parent / "pnnx")


def convert(job):
    folder = pathlib.Path(job["folder"]) / "ncnn"
    folder.mkdir()
    (folder / "model.onnx").symlink_to(pathlib.Path(job["model"]).resolve())
    shapes = ",".join(json.dumps(shape, separators=(",", ":")) + "f32" for shape in job["shapes"].values())
    command = [find_pnnx(), "model.onnx", f"inputshape={shapes}", "fp16=0"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode or not (folder / "model.ncnn.param").exists():
        raise ValueError("pnnx does not convert the model")
