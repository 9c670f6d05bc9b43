"""The requests of clients: seeded random inputs of a model with chosen open dims."""

import numpy as np
import onnx

BATCHES, LENGTHS = (1, 2, 3, 4), range(8, 129)
# The open dims after the first, when all requests have the same size.
LENGTH = 64


class Requests:
    def __init__(self, path, seed=0):
        graph = onnx.load(path, load_external_data=False).graph
        constants = {tensor.name for tensor in graph.initializer}
        self.random = np.random.default_rng(seed)
        self.inputs = [(value.name, value.type.tensor_type) for value in graph.input if value.name not in constants]

    def feeds(self, batch=1, length=LENGTH):
        return {name: self._array(name, kind, batch, length) for name, kind in self.inputs}

    def drawn(self):
        """Returns a request of a random batch size and length."""
        return self.feeds(int(self.random.choice(BATCHES)), int(self.random.choice(LENGTHS)))

    def _array(self, name, kind, batch, length):
        open_dims = [batch] + [length] * len(kind.shape.dim)
        shape = [dim.dim_value or size for dim, size in zip(kind.shape.dim, open_dims)]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        if dtype.kind == "f":
            return self.random.standard_normal(shape).astype(dtype)
        return (np.ones(shape) if "mask" in name else self.random.integers(5, 1000, shape)).astype(dtype)
