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
    """An input, output or overridable initializer of a model.

    Attributes:
        name: The name by which runs pass the value.
        dtype: The element type, such as "float32" or "string"; of containers "sequence(float32)", "map(int64,float32)".
        shape: One entry per dim: a number, the name or expression of an open dim ("N", "2*N+1"), or None for an unknown
            dim. None if the rank is unknown, and for sequences and maps; for an optional, the shape of its value.
        dim_denotations: ONNX's denotations of the dims, such as "DATA_BATCH"; "" for a dim without one. Empty if the
            model does not have them.
    """

    name: str
    dtype: str
    shape: tuple[int | str | None, ...] | None
    dim_denotations: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Metadata:
    """The metadata of a model file; fields that it does not set are "" or 0.

    Attributes:
        producer_name: The program that wrote the file.
        producer_version: The version of that program.
        domain: The domain of the model, a reverse DNS name.
        description: The documentation of the model.
        graph_name: The name of the graph.
        graph_description: The documentation of the graph.
        version: The version of the model, as its author counts.
        properties: ONNX's metadata_props.
        overridable: Initializers that the file also lists as inputs. Runs take other values for them if the session has
            overridable_initializers=True.
    """

    producer_name: str
    producer_version: str
    domain: str
    description: str
    graph_name: str
    graph_description: str
    version: int
    properties: dict[str, str]
    overridable: list[ValueInfo]


@dataclasses.dataclass(frozen=True)
class Memory:
    """Sizes in bytes of what a session holds while nothing runs.

    Attributes:
        weights: The weights that are in memory, not only in the model's files.
        packed: Weights in the form that kernels read.
        values: The values that runs compute, including outputs, of all contexts that ran at the same time.
        scratch: The scratch memory of kernels, of all contexts that ran at the same time.
    """

    weights: int
    packed: int
    values: int
    scratch: int


@dataclasses.dataclass(frozen=True)
class NodeEvent:
    """A node that has run, see Session.profile.

    Attributes:
        name: The name of the node; may be "".
        op_type: Its operator.
        domain: The domain of the operator; "" is ai.onnx, "linnet" the domain of fused operators.
        begin: When it began, in microseconds on the clock of time.monotonic().
        duration: The time that it took, in microseconds.
        thread: A number that identifies the thread that called run().
    """

    name: str
    op_type: str
    domain: str
    begin: float
    duration: float
    thread: int


class Session:
    """A loaded model. Any number of threads may run it at the same time.

    Args:
        model: The path of an ONNX file, of a program of torch.export.save (.pt2) or of a file of ONNX Runtime (.ort),
            or the bytes of such a file.
        threads: The threads of one run, at most 1024. 0: OMP_NUM_THREADS if it is set, otherwise as many as the process
            may use.
        optimization: 0: the graph as written. 1: constants folded, equal and dead nodes removed. 2: all rewrites.
        op_libraries: Paths of shared libraries with operators.
        disabled_rewrites: Names of rewrites to leave out; the error for an unknown name lists them.
        max_memory: The limit on the memory of loading and of one run, in bytes; 0: no limit.
        deadline_ms: The limit on the wall time of loading and of each run, in milliseconds; 0: no limit.
        seed: The seed of random operators without a seed attribute, below 2**64. None: a different one per context.
        profile: Whether to record the nodes that run, see `profile`.
        overridable_initializers: Whether runs take other values for the initializers that `metadata.overridable` lists.
            Otherwise they are constants, which is faster.
        replaceable_weights: Whether with_weights() works. All weights are then stored a second time.
        cache_dir: A folder in which prepared models are cached and mapped into memory by later sessions. It is created
            if it is missing; "": no cache. Anyone who can write to it can change what models compute.
        fast_int4: Whether products with weights of few bits (MatMulNBits) multiply in int8 if the model does not
            specify the accuracy.
        precision: With "bfloat16", products of float32 with constant weights round both factors to bfloat16, an error
            of at most 2**-8 of each, if the processor has instructions for it.
        plan_cache_bytes: The bytes that plans for shapes other than the last may hold. None: 64 MiB.
        batch_invariant: Whether the bits of a sample's outputs do not depend on the batch size.
        executor: "threads": Linnet's own threads. "openmp": OpenMP's threads, for programs whose other libraries use
            them. "serial": the calling thread alone.
        files: An object that reads the model's file and its external data instead of the file system, a ModelFiles.

    Raises:
        IoError: A file cannot be read.
        ModelError: The model is malformed.
        UnsupportedError: This build lacks an operator, a type or an opset of the model.
        LimitError: Loading exceeds max_memory or deadline_ms.
        builtins.TypeError: An option has another type; the message names it.
        ValueError: An option has a value that is out of range or unknown; the message names it.
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
        """Creates a session with other contents of some initializers; everything else is shared.

        This session is unchanged. Later changes of the arrays have no effect.

        Args:
            weights: Arrays by the names of initializers in the file, including those in bodies of If, Loop and Scan. If
                several initializers have the same name, all of them are replaced.

        Returns:
            The new session, whose profile is empty.

        Raises:
            ModelError: The file has no initializer of that name.
            TypeError: An array has another dtype than in the file.
            ShapeError: An array has another shape than in the file.
            UnsupportedError: The session was made without replaceable_weights=True.
            ValueError: A value is not an array.
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
        """Runs the model. Any number of threads may call it at the same time.

        Args:
            inputs: The inputs by name. A tensor is an array of the input's dtype, of NumPy or of any library that has
                DLPack or the buffer protocol; arrays in C order are read in place. Numbers and nested lists are
                converted. An int64 input also takes narrower integers. A sequence is a list, a map a dict, an optional
                its value or None.
            outputs: The names of the outputs to return, in that order. None: all outputs.
            out: Arrays by name of outputs, which are written to these arrays: of the output's dtype and shape,
                writable and in C order.
            cancellation: A token that ends the run. Ctrl-C ends a run of the main thread, too.
            deadline_ms: The limit on the wall time of this run, in milliseconds; that of the session applies as well.

        Returns:
            The outputs by name: arrays that own their memory, or the arrays of `out`.

        Raises:
            ModelError: An input or output name is missing or unknown.
            TypeError: A value has another type than the input, or an argument has another type.
            ShapeError: A shape does not fit.
            CancelledError: The token was cancelled.
            LimitError: The run exceeds a deadline or max_memory.
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        return self._run(inputs, outputs, out, cancellation, deadline_ms)

    async def run_async(
        self, inputs: dict[str, Any], outputs: Iterable[str] | None = None, *, out: dict[str, Any] | None = None,
        deadline_ms: int | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Runs the model on a thread of the event loop's pool. Cancelling the task that awaits it ends the run.

        Args:
            inputs: As in run().
            outputs: As in run().
            out: As in run().
            deadline_ms: As in run().

        Returns:
            What run() returns.

        Raises:
            Error: What run() raises.
            asyncio.CancelledError: The task was cancelled.
        """
        import asyncio  # imported here because it takes longer to import than most models take to load

        cancellation = _linnet.Cancellation()
        work = functools.partial(self.run, inputs, outputs, out=out, cancellation=cancellation, deadline_ms=deadline_ms)
        try:
            return await asyncio.get_running_loop().run_in_executor(None, work)
        except asyncio.CancelledError:
            cancellation.cancel()
            raise

    def prepare(self, shapes: Mapping[str, Iterable[int]] | None = None) -> None:
        """Plans for inputs of these shapes and packs the weights, so that the first run with them is as fast as any.

        Args:
            shapes: Shapes by the names of inputs. Inputs whose shape the model fixes may be left out.

        Raises:
            ModelError: There is no input of that name.
            ShapeError: The shape of an input is missing or does not fit.
            UnsupportedError: Shapes depend on the contents of an input, or an input is not a tensor.
        """
        given = options.mapping("shapes", shapes or {})
        known = [info.name for info in self.inputs]
        for name in given:
            if name not in known:
                raise ModelError(f"there is no input {name!r}; the inputs are {', '.join(map(repr, known))}"
                                 f"{_linnet.did_you_mean(str(name), known)}")  # fmt: skip
        self._session.prepare([_concrete(info, given.get(info.name)) for info in self.inputs])

    @property
    def memory(self) -> Memory:
        """Sizes of what the session holds while nothing runs."""
        return Memory(*self._session.memory)

    def close(self) -> None:
        """Frees the model. Runs that have begun end as usual; later calls raise ModelError. `with` calls it."""
        self._session = self._run = _Closed()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def context(self) -> _linnet.Context:
        """Creates a Context, which keeps states between runs: outputs that are inputs of the next run."""
        return self._session.context()

    def save(self, path: StrPath) -> None:
        """Writes the model after the rewrites. Its fused operators are in the domain "linnet": only Linnet can load it.

        Args:
            path: The file to write.

        Raises:
            IoError: The file cannot be written.
            LimitError: The model exceeds the 2 GiB that the format holds.
        """
        self._session.save(options.path("path", path))

    @property
    def profile(self) -> list[NodeEvent]:
        """The nodes of all runs so far, if the session was made with profile=True; otherwise empty."""
        return [NodeEvent(*event) for event in self._session.profile]

    @functools.cached_property
    def inputs(self) -> list[ValueInfo]:
        """The inputs that every run needs, in the order of the file."""
        return [ValueInfo(*info) for info in self._session.inputs]

    @functools.cached_property
    def outputs(self) -> list[ValueInfo]:
        """The outputs, in the order in which run() returns them."""
        return [ValueInfo(*info) for info in self._session.outputs]

    @functools.cached_property
    def metadata(self) -> Metadata:
        """The metadata of the model file."""
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
    """Returns the Session of these arguments, loaded once per process, even if several threads ask at the same time.

    Args:
        path: The path of the model.
        options: The options of Session.

    Returns:
        The session; the same object for equal arguments.

    Raises:
        Error: What Session raises.
    """
    key = os.fspath(path) if isinstance(path, os.PathLike) else path
    hashable = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    try:
        hash((key, *hashable.values()))
    except TypeError:
        return Session(path, **options)  # raises TypeError that names the option of another type
    with _loading:
        return _loaded(key, **hashable)
