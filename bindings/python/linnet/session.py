"""Sessions: loaded models that run."""

from __future__ import annotations

import dataclasses
import functools
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from linnet import _linnet, options
from linnet.errors import ModelError, ShapeError
from linnet.files import ModelFiles

StrPath = str | os.PathLike[str]


@dataclasses.dataclass(frozen=True)
class ValueInfo:
    """An input or output. Each entry of `shape` is an int, a symbol, or None where nothing is known of it. `shape` is
    None where the rank is unknown, and for sequences and maps. The shape of an optional is that of its value.
    dim_denotations: ONNX's denotations of the dims, for example "DATA_BATCH", and "" for a dim without one. It is empty
    if the model has no denotations."""

    name: str
    dtype: str
    shape: tuple[int | str | None, ...] | None
    dim_denotations: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Metadata:
    """The metadata of the model."""

    producer_name: str
    producer_version: str
    domain: str
    description: str
    graph_name: str
    graph_description: str
    version: int
    properties: dict[str, str]
    overridable: list[ValueInfo]  #: initializers that are inputs, too


@dataclasses.dataclass(frozen=True)
class Memory:
    """Sizes in bytes. `values` and `scratch` are sums over all contexts that have run at the same time."""

    weights: int  #: that are in memory, rather than mapped from the model's files
    packed: int  #: weights in the layouts that kernels read
    values: int  #: that runs compute, including outputs
    scratch: int


@dataclasses.dataclass(frozen=True)
class NodeEvent:
    """A node that ran. Times are in microseconds on the clock of time.monotonic()."""

    name: str
    op_type: str
    domain: str
    begin: float
    duration: float
    thread: int


class Session:
    """A loaded model. Any number of threads may run it at the same time.

    model: a path, or the bytes of a file.
    threads: of one run. 0: OMP_NUM_THREADS, or else as many as the process may use.
    optimization: 0: as written; 1: folded and cleaned; 2: all rewrites.
    op_libraries: shared libraries with operators.
    max_memory: the limit of loading and of one run, in bytes. 0: no limit.
    deadline_ms: the limit on the time of loading and of each run. 0: no limit.
    seed: of random operators without a seed attribute.
    profile: records the nodes that run.
    overridable_initializers: runs may pass other values for those in metadata.overridable. Otherwise these are
    constants.
    replaceable_weights: enables with_weights(), and stores all weights a second time.
    cache_dir: a folder for the prepared model, which later loads map from there.
    fast_int4: products with weights of few bits (MatMulNBits) multiply in int8 where the model permits it.
    precision: "bfloat16": products by constant weights round their factors to bfloat16, on processors that multiply it.
    plan_cache_bytes: the limit on the memory of plans for shapes other than the last. None: 64 MiB.
    batch_invariant: the bits of a sample do not depend on the size of its batch.
    executor: "threads": Linnet's own threads; "openmp": those of OpenMP, for programs whose other libraries use them;
    "serial": only the caller's thread.
    files: a ModelFiles from which the file at `model` and its external data are read, instead of from the file system.

    Raises IoError, ModelError, UnsupportedError or LimitError if the model does not load. Raises TypeError or
    ValueError, which name the option, if an option has another type or a value that it does not accept.
    """

    def __init__(
        self, model: StrPath | bytes | bytearray | memoryview, *, threads: int = 0, optimization: int = 2,
        op_libraries: Iterable[StrPath] = (), disabled_rewrites: Iterable[str] = (), max_memory: int = 0,
        deadline_ms: int = 0, seed: int | None = None, profile: bool = False, overridable_initializers: bool = False,
        replaceable_weights: bool = False, cache_dir: StrPath = "", fast_int4: bool = False,
        precision: Literal["float32", "bfloat16"] = "float32", plan_cache_bytes: int | None = None,
        batch_invariant: bool = False, executor: Literal["threads", "openmp", "serial"] = "threads",
        files: ModelFiles | None = None,
    ) -> None:  # fmt: skip
        self._options: dict[str, Any] = {
            "threads": options.integer("threads", threads, options.MOST_THREADS),
            "optimization": options.integer("optimization", optimization, 2),
            "op_libraries": options.names("op_libraries", op_libraries),
            "disabled_rewrites": options.names("disabled_rewrites", disabled_rewrites),
            "max_memory": options.integer("max_memory", max_memory),
            "deadline_ms": options.integer("deadline_ms", deadline_ms),
            "seed": None if seed is None else options.integer("seed", seed, options.MOST_SEED),
            "profile": options.flag("profile", profile),
            "overridable_initializers": options.flag("overridable_initializers", overridable_initializers),
            "replaceable_weights": options.flag("replaceable_weights", replaceable_weights),
            "cache_dir": options.folder("cache_dir", cache_dir),
            "fast_int4": options.flag("fast_int4", fast_int4),
            "batch_invariant": options.flag("batch_invariant", batch_invariant),
            "executor": options.choice("executor", executor, ("threads", "openmp", "serial")),
            "precision": options.choice("precision", precision, ("float32", "bfloat16")),
            "plan_cache_bytes": None
            if plan_cache_bytes is None
            else options.integer("plan_cache_bytes", plan_cache_bytes),
            "files": options.files("files", files),
        }
        in_memory = isinstance(model, (bytes, bytearray, memoryview))
        self._model = bytes(model) if in_memory else options.path("model", model)
        self._weights: dict[str, Any] = {}
        self._take(_linnet.Session(self._model, self._options))

    def _take(self, session: _linnet.Session) -> None:
        self._session: Any = session
        self._run: Any = session.run

    def with_weights(self, weights: dict[str, Any]) -> Session:
        """Returns a session with other contents of some initializers, given as arrays by name. All else is shared.
        Names include initializers of bodies. If several initializers have one name, all of them are replaced.

        This session does not change. Later changes of the arrays have no effect.
        Raises ModelError for an unknown name, TypeError or ShapeError if the dtype or shape of an array differs from
        that in the file, and UnsupportedError without replaceable_weights=True.
        """
        copies = {
            options.text("the name of a weight", name): options.array(f"initializer {name!r}", array)
            for name, array in options.mapping("weights", weights).items()
        }
        session = object.__new__(type(self))
        session._model, session._options, session._weights = self._model, self._options, self._weights | copies
        session._take(self._session.with_weights(copies))
        return session

    def run(
        self, inputs: dict[str, Any], outputs: Iterable[str] | None = None, *, out: dict[str, Any] | None = None,
        cancellation: _linnet.Cancellation | None = None, deadline_ms: int | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Returns the outputs by name.

        inputs: values by name.
        outputs: the names of the requested outputs. None: all.
        out: arrays by name that outputs are written to.
        cancellation: a Cancellation that can end the run. Ctrl-C cancels the run, too.
        deadline_ms: the time limit of this run, in addition to that of the session.

        Arrays in C order are read in place: NumPy's, and all others that support DLPack or the buffer protocol. An
        int64 input also accepts integers of fewer bits. Outputs are arrays that own their memory. A sequence is a list,
        a map is a dict, and an optional is its value or None.
        Raises TypeError, ShapeError or ModelError for inputs that do not fit, CancelledError if the run was cancelled,
        and LimitError if it exceeded the deadline.
        """
        return self._run(inputs, outputs, out, cancellation, deadline_ms)

    async def run_async(
        self, inputs: dict[str, Any], outputs: Iterable[str] | None = None, *, out: dict[str, Any] | None = None,
        deadline_ms: int | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Calls run() on a thread of the event loop's pool. Cancelling the task that awaits it ends the run."""
        import asyncio  # imported here because it takes longer to import than most models take to load

        cancellation = _linnet.Cancellation()
        work = functools.partial(self.run, inputs, outputs, out=out, cancellation=cancellation, deadline_ms=deadline_ms)
        try:
            return await asyncio.get_running_loop().run_in_executor(None, work)
        except asyncio.CancelledError:
            cancellation.cancel()
            raise

    def prepare(self, shapes: Mapping[str, Iterable[int]] | None = None) -> None:
        """Plans for inputs of these shapes, given by name, and packs the weights. The next run with these shapes is
        then as fast as later ones. An input whose shape the model fixes may be left out.

        Raises ShapeError if the shape of an input is missing, what run() raises for shapes that do not fit, and
        UnsupportedError if shapes depend on the contents of an input.
        """
        given = options.mapping("shapes", shapes or {})
        known = [info.name for info in self.inputs]
        for name in given:
            if name not in known:
                raise ModelError(f"there is no input {name!r}; the inputs are {', '.join(map(repr, known))}")
        self._session.prepare([_concrete(info, given.get(info.name)) for info in self.inputs])

    @property
    def memory(self) -> Memory:
        """The memory that the session holds while no run is active."""
        return Memory(*self._session.memory)

    def close(self) -> None:
        """Frees the model. Runs that have begun end as usual; later calls raise ModelError."""
        self._session = self._run = _Closed()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def context(self) -> _linnet.Context:
        """Returns a Context, which keeps outputs of a run as inputs of the next. bind_state() selects them."""
        return self._session.context()

    def save(self, path: StrPath) -> None:
        """Writes the model as it runs, after the rewrites. Its fused operators are of the domain "linnet", which only
        Linnet runs."""
        self._session.save(options.path("path", path))

    @property
    def profile(self) -> list[NodeEvent]:
        """The nodes of all runs so far, in a session with profile=True."""
        return [NodeEvent(*event) for event in self._session.profile]

    @functools.cached_property
    def inputs(self) -> list[ValueInfo]:
        """The inputs that every run needs."""
        return [ValueInfo(*info) for info in self._session.inputs]

    @functools.cached_property
    def outputs(self) -> list[ValueInfo]:
        """The outputs, in the order in which runs return them."""
        return [ValueInfo(*info) for info in self._session.outputs]

    @functools.cached_property
    def metadata(self) -> Metadata:
        values = self._session.metadata
        return Metadata(**values | {"overridable": [ValueInfo(*info) for info in values["overridable"]]})

    def __reduce__(self) -> tuple[Callable[..., Session], tuple[Any, ...]]:
        """Pickles the arguments of the session. The other process loads the model again."""
        return _restore, (self._model, self._options, self._weights)

    def __repr__(self) -> str:
        model = "bytes" if isinstance(self._model, bytes) else repr(self._model)
        return f"linnet.Session({model})"


class _Closed:
    """Replaces the model of a session after close()."""

    def __getattr__(self, name: str) -> Any:
        raise ModelError("the session is closed")

    def __call__(self, *_: Any) -> Any:
        raise ModelError("the session is closed")


def _concrete(info: ValueInfo, shape: Iterable[int] | None) -> list[int]:
    """Returns the dims for an input: `shape`, or those of the model if it is `None`."""
    dims = info.shape if shape is None else shape
    if dims is None or any(not hasattr(dim, "__index__") for dim in dims):
        raise ShapeError(f"input {info.name!r} needs a shape of ints, its own is {info.shape}, got {shape}")
    return [options.integer(f"a dim of {info.name!r}", dim) for dim in dims]


def _restore(model: str | bytes, options: dict[str, Any], weights: dict[str, Any]) -> Session:
    session = Session(model, **options)
    return session.with_weights(weights) if weights else session


_loading = threading.Lock()


@functools.lru_cache(maxsize=None)
def _loaded(path: str, **options: Any) -> Session:
    return Session(path, **options)


def cached(path: StrPath, **options: Any) -> Session:
    """Returns the Session of these arguments. It is loaded once per process, even if several threads request it at
    once."""
    key = os.fspath(path) if isinstance(path, os.PathLike) else path
    hashable = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    try:
        hash((key, *hashable.values()))
    except TypeError:
        return Session(path, **options)  # raises TypeError that names the option of another type
    with _loading:
        return _loaded(key, **hashable)
