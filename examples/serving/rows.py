"""A request to a model has a row of each input. A row is the input without its first axis, the batch."""

import sys

import linnet
import numpy as np

NUMBERS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()


class Rows:
    """The requests of a model. `batch` is how many of them a run takes: `most`, or 1 if the model has batches of 1 or
    further open dims. Ends the program if the first axis of the model is not a batch."""

    def __init__(self, model, most):
        with linnet.Session(model, optimization=0) as session:
            self.inputs, values = session.inputs, session.inputs + session.outputs
        for info in values:
            if info.dtype not in NUMBERS or not info.shape or is_fixed(info.shape[:1]) and info.shape[0] != 1:
                sys.exit(f"{model}: {info.name!r} is {info.dtype} of shape {info.shape}; expected numbers whose first "
                         "axis, the batch, is open or 1. with_kserve.py serves other models")  # fmt: skip
        self.batch = most
        if any(info.shape[0] == 1 for info in values) or not all(is_fixed(info.shape[1:]) for info in self.inputs):
            self.batch = 1
            print(f"{model}: each run takes one request, as the batch is 1 or a further dim is open", flush=True)

    def read(self, request):
        """Returns the arrays of a request by name. Raises ValueError if it does not fit."""
        names = [info.name for info in self.inputs]
        if not isinstance(request, dict) or {*request} != {*names}:
            raise ValueError(f"expected a row of each input: {', '.join(names)}")
        return {info.name: read_row(info, request[info.name]) for info in self.inputs}


def is_fixed(dims):
    return all(isinstance(dim, int) for dim in dims)


def read_row(info, values):
    given, dims = np.array(values), info.shape[1:]
    sizes_fit = all(size == dim or not is_fixed([dim]) for size, dim in zip(given.shape, dims))
    if given.dtype.kind in "biuf" and given.ndim == len(dims) and sizes_fit:
        row = given.astype(info.dtype)
        if row.dtype.kind == "f" or (row == given).all():  # 1.5 is no int64, 300 is no uint8
            return row
    raise ValueError(f"input {info.name!r} is {given.dtype} of shape {given.shape}; expected {info.dtype} of {dims}")


def prepare(session, most):
    """Plans for 1 to `most` rows. If further dims are open, the first request of each shape makes its plan."""
    infos = [info for info in session.inputs if info.shape is None or not is_fixed(info.shape)]
    if all(info.shape and is_fixed(info.shape[1:]) for info in infos):
        for rows in range(1, most + 1):
            session.prepare({info.name: (rows, *info.shape[1:]) for info in infos})


def run(session, requests):
    """Runs requests as one batch. Returns the outputs of each by name, as lists."""
    outputs = session.run({name: np.stack([request[name] for request in requests]) for name in requests[0]})
    for name, y in outputs.items():
        if y.shape[:1] != (len(requests),):
            raise ValueError(f"output {name!r} has shape {y.shape}; expected {len(requests)} rows")
    return [{name: y[i].tolist() for name, y in outputs.items()} for i in range(len(requests))]
