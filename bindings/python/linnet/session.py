"""Sessions: loaded models that run."""

import dataclasses
import functools
import os

from linnet import _linnet


@dataclasses.dataclass(frozen=True)
class ValueInfo:
    """An input or output. Each entry of shape is an int, a symbol, or None where nothing is known of it; shape is None
    where not even the rank is, and for sequences and maps. That of an optional is its value's."""

    name: str
    dtype: str
    shape: tuple | None


@dataclasses.dataclass(frozen=True)
class Metadata:
    """What the model says of itself."""

    producer_name: str
    producer_version: str
    domain: str
    description: str
    graph_name: str
    graph_description: str
    version: int
    properties: dict
    overridable: list  #: [ValueInfo] of initializers that are inputs, too; Linnet takes those of the file


@dataclasses.dataclass(frozen=True)
class NodeEvent:
    """A node that ran. Times are in microseconds, on the clock of time.monotonic()."""

    name: str
    op_type: str
    domain: str
    begin: float
    duration: float
    thread: int


class Session:
    """A loaded model. Any number of threads may run it at the same time.

    model: a path, or the bytes of a file. threads: of one run; 0: OMP_NUM_THREADS, else as many as the process may use.
    optimization: 0 as written, 1 folded and cleaned, 2 all rewrites. op_libraries: shared libraries with operators.
    max_memory: bytes of one run, deadline_ms: its time, 0: no limit. seed: of random operators that have none.
    profile: notes the nodes that run.
    Raises IoError, ModelError, UnsupportedError or LimitError where the model does not load.
    """

    def __init__(
        self, model, *, threads=0, optimization=2, op_libraries=(), disabled_rewrites=(), max_memory=0, deadline_ms=0,
        seed=None, profile=False,
    ):  # fmt: skip
        self._options = {
            "threads": threads, "optimization": optimization, "op_libraries": [os.fspath(p) for p in op_libraries],
            "disabled_rewrites": list(disabled_rewrites), "max_memory": max_memory, "deadline_ms": deadline_ms,
            "seed": seed, "profile": profile,
        }  # fmt: skip
        self._model = bytes(model) if isinstance(model, (bytes, bytearray, memoryview)) else os.fspath(model)
        self._session = _linnet.Session(self._model, self._options)
        self._run = self._session.run

    def run(self, inputs, outputs=None, *, out=None, cancellation=None):
        """The outputs by name for inputs by name; `outputs`: the names of those wanted, all where None. `out`: arrays by
        name that outputs are written to. `cancellation`: a Cancellation that ends the run; Ctrl-C cancels it, too.

        Arrays in C order are read where they lie: NumPy's, and any other that speaks DLPack or the buffer protocol.
        Outputs are arrays that own their memory. A sequence is a list, a map a dict, an optional its value or None.
        Raises TypeError, ShapeError or ModelError for inputs that do not fit, CancelledError where the run was ended.
        """
        return self._run(inputs, outputs, out or {}, cancellation)

    def save(self, path):
        """Writes the model as it runs, after the rewrites: fused operators are of domain "linnet", for Linnet only."""
        self._session.save(os.fspath(path))

    @property
    def profile(self):
        """[NodeEvent] of all runs so far, in a session with profile=True."""
        return [NodeEvent(*event) for event in self._session.profile]

    @functools.cached_property
    def inputs(self):
        """[ValueInfo]"""
        return [ValueInfo(*info) for info in self._session.inputs]

    @functools.cached_property
    def outputs(self):
        """[ValueInfo]"""
        return [ValueInfo(*info) for info in self._session.outputs]

    @functools.cached_property
    def metadata(self):
        values = self._session.metadata
        return Metadata(**values | {"overridable": [ValueInfo(*info) for info in values["overridable"]]})

    def __reduce__(self):
        """Pickled as what it was made of: the other process loads the model again."""
        return _restore, (self._model, self._options)

    def __repr__(self):
        model = "bytes" if isinstance(self._model, bytes) else repr(self._model)
        return f"linnet.Session({model})"


def _restore(model, options):
    return Session(model, **options)


@functools.lru_cache(maxsize=None)
def cached(path, **options):
    """The Session of these arguments, loaded once per process."""
    return Session(path, **options)


def batched(session, inputs, size):
    """The outputs for inputs whose first axis is any number of rows, run by `size` rows at a time.

    The last rows are run with as many as there are: at most two plans for each session. Every output needs the rows of
    the batch as its first axis, too.
    """
    import numpy as np

    counts = {len(array) for array in inputs.values()}
    if len(counts) != 1 or size < 1:
        raise ValueError(f"expected inputs of equally many rows and a size of at least 1, got {sorted(counts)}, {size}")
    starts = range(0, max(1, counts.pop()), size)
    parts = [session.run({name: array[i : i + size] for name, array in inputs.items()}) for i in starts]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
