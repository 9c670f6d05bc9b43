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
    """An input or output. Each entry of shape is an int, a symbol, or None where nothing is known of it; shape is None
    where not even the rank is, and for sequences and maps. That of an optional is its value's. dim_denotations: ONNX's
    words for the dims, as "DATA_BATCH", "" for a dim without one; empty where the model has none."""

    name: str
    dtype: str
    shape: tuple[int | str | None, ...] | None
    dim_denotations: tuple[str, ...] = ()


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
    properties: dict[str, str]
    overridable: list[ValueInfo]  #: initializers that are inputs, too


@dataclasses.dataclass(frozen=True)
class Memory:
    """Sizes in bytes. Those of values and of scratch are of all contexts that ran at the same time."""

    weights: int  #: that are in memory, not in the model's files alone
    packed: int  #: weights as kernels read them
    values: int  #: that runs compute, outputs included
    scratch: int


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
    max_memory: bytes of loading and of one run, deadline_ms: the time of each, 0: no limit. seed: of random operators that have none.
    profile: notes the nodes that run. overridable_initializers: runs take other values for those of
    metadata.overridable; without, they are constants. replaceable_weights: with_weights() is possible; keeps all weights
    a second time. cache_dir: a folder for the prepared model, which is mapped from there the next time. fast_int4:
    products with weights of few bits (MatMulNBits) multiply in int8 where the model leaves it open. precision: "bfloat16": products by constant weights
    round their factors to that where the processor multiplies it. plan_cache_bytes: what plans of other shapes than the
    last may hold; None: 128 MiB. batch_invariant: a sample's bits do not depend on the size of its batch. executor:
    "threads": Linnet's own; "openmp": OpenMP's, for programs whose other libraries use these; "serial": the caller's alone. files:
    where the file of that path and external data are read from, a ModelFiles, instead of the file system.
    Raises IoError, ModelError, UnsupportedError or LimitError where the model does not load, TypeError or ValueError,
    which name the option, where an option has another type or a value that it does not take.
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
        """A session with other contents of some initializers, arrays by their names in the file; all else is shared.
        Those of bodies count, too: where several have one name, all of them are replaced.

        This one goes on as it is. Later changes of the arrays have no effect.
        Raises ModelError for an unknown name, TypeError or ShapeError for an array of another dtype or shape than that
        in the file, UnsupportedError without replaceable_weights=True.
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
        """The outputs by name for inputs by name; `outputs`: the names of those wanted, all where None. `out`: arrays by
        name that outputs are written to. `cancellation`: a Cancellation that ends the run; Ctrl-C cancels it, too.
        `deadline_ms`: of this run, besides that of the session.

        Arrays in C order are read in place: NumPy's, and any other that has DLPack or the buffer protocol. Integers of
        fewer bits are taken for an int64 input. Outputs are arrays that own their memory. A sequence is a list, a map a
        dict, an optional its value or None.
        Raises TypeError, ShapeError or ModelError for inputs that do not fit, CancelledError where the run was ended,
        LimitError past the deadline.
        """
        return self._run(inputs, outputs, out, cancellation, deadline_ms)

    async def run_async(
        self, inputs: dict[str, Any], outputs: Iterable[str] | None = None, *, out: dict[str, Any] | None = None,
        deadline_ms: int | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """run() on a thread of the event loop's pool. Cancelling the task that awaits it ends the run."""
        import asyncio  # which takes longer to import than most models to load

        cancellation = _linnet.Cancellation()
        work = functools.partial(self.run, inputs, outputs, out=out, cancellation=cancellation, deadline_ms=deadline_ms)
        try:
            return await asyncio.get_running_loop().run_in_executor(None, work)
        except asyncio.CancelledError:
            cancellation.cancel()
            raise

    def prepare(self, shapes: Mapping[str, Iterable[int]] | None = None) -> None:
        """Plans for inputs of these shapes, by their names, and packs the weights: the next run of them is as fast as
        any. An input whose shape the model fixes may be left out.

        Raises ShapeError where the shape of an input is missing, what run() raises for shapes that do not fit, and
        UnsupportedError where the contents of an input decide on shapes.
        """
        given = options.mapping("shapes", shapes or {})
        known = [info.name for info in self.inputs]
        for name in given:
            if name not in known:
                raise ModelError(f"there is no input {name!r}; the inputs are {', '.join(map(repr, known))}")
        self._session.prepare([_concrete(info, given.get(info.name)) for info in self.inputs])

    @property
    def memory(self) -> Memory:
        """What the session holds while nothing runs."""
        return Memory(*self._session.memory)

    def close(self) -> None:
        """Frees the model. Runs that have begun end as usual; later calls raise ModelError."""
        self._session = self._run = _Closed()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def context(self) -> _linnet.Context:
        """A Context, which keeps outputs of a run as inputs of the next: bind_state() says which."""
        return self._session.context()

    def save(self, path: StrPath) -> None:
        """Writes the model as it runs, after the rewrites: fused operators are of domain "linnet", for Linnet only."""
        self._session.save(options.path("path", path))

    @property
    def profile(self) -> list[NodeEvent]:
        """Of all runs so far, in a session with profile=True."""
        return [NodeEvent(*event) for event in self._session.profile]

    @functools.cached_property
    def inputs(self) -> list[ValueInfo]:
        """Those that every run needs."""
        return [ValueInfo(*info) for info in self._session.inputs]

    @functools.cached_property
    def outputs(self) -> list[ValueInfo]:
        """In the order in which runs give them."""
        return [ValueInfo(*info) for info in self._session.outputs]

    @functools.cached_property
    def metadata(self) -> Metadata:
        values = self._session.metadata
        return Metadata(**values | {"overridable": [ValueInfo(*info) for info in values["overridable"]]})

    def __reduce__(self) -> tuple[Callable[..., Session], tuple[Any, ...]]:
        """Pickled as what it was made of: the other process loads the model again."""
        return _restore, (self._model, self._options, self._weights)

    def __repr__(self) -> str:
        model = "bytes" if isinstance(self._model, bytes) else repr(self._model)
        return f"linnet.Session({model})"


class _Closed:
    """What a session has in place of its model after close()."""

    def __getattr__(self, name: str) -> Any:
        raise ModelError("the session is closed")

    def __call__(self, *_: Any) -> Any:
        raise ModelError("the session is closed")


def _concrete(info: ValueInfo, shape: Iterable[int] | None) -> list[int]:
    """The dims for an input, those of the model where none are given."""
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
    """The Session of these arguments, loaded once per process, also where several threads ask for it at once."""
    key = os.fspath(path) if isinstance(path, os.PathLike) else path
    hashable = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    try:
        hash((key, *hashable.values()))
    except TypeError:
        return Session(path, **options)  # which names the option that is of another type
    with _loading:
        return _loaded(key, **hashable)
