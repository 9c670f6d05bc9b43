"""A model with inputs and expected outputs in a temporary folder."""

import tempfile

import numpy as np
from engines import Problem, ask, cores

# ATOL applies to outputs of magnitude 1 or less. The tolerance of larger outputs is this part of their largest value.
ATOL, RTOL = 1e-4, 1e-3
# In quantised models, a value that is rounded the other way differs by a step, and steps add up. The norm of the
# difference may therefore be this part of the output's norm.
QUANTIZED = 0.1


class Case:
    """Raises Problem if ONNX Runtime, which computes the expected outputs, does not run the model with this batch."""

    def __init__(self, model, batch, dims, values, quantized=False):
        self.model = str(model)
        self.compare = compare_norms if quantized else compare
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        job = {"model": self.model, "batch": batch, "dims": dims, "values": values}
        made, _ = ask("onnxruntime", "prepare", len(cores()), self.folder, **job)
        self.shapes = made["shapes"]
        if batch != 1 and not made["free_batch"]:
            raise Problem("the batch is fixed")

    def check(self, engine, setup):
        """Raises Problem unless the engine's outputs are the expected ones."""
        engine.save_outputs(self, setup)
        with np.load(f"{self.folder}/expected.npz") as expected, np.load(f"{self.folder}/{engine.name}.npz") as outputs:
            for name, value in expected.items():
                self.compare(name, outputs[name], value)


def require_shape(name, output, expected):
    if output.shape != expected.shape:
        raise Problem(f"output {name} has the shape {list(output.shape)}, not {list(expected.shape)}")


def compare_norms(name, output, expected):
    require_shape(name, output, expected)
    norm = np.linalg.norm(expected.astype(np.float64))
    difference = np.linalg.norm(output.astype(np.float64) - expected.astype(np.float64))
    if not difference <= QUANTIZED * norm:
        raise Problem(f"output {name} differs by {difference / norm:.2g} of its norm")


def compare(name, output, expected):
    require_shape(name, output, expected)
    finite = np.abs(expected[np.isfinite(expected)])
    atol = ATOL * max(1.0, float(finite.max(initial=0)))
    if not np.allclose(output, expected, atol=atol, rtol=RTOL, equal_nan=True):
        difference = np.abs(output.astype(np.float64) - expected.astype(np.float64)).max()
        raise Problem(f"output {name} differs by {difference:.2g}")
