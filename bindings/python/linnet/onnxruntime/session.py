"""InferenceSession, implemented with linnet.Session."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import linnet
from linnet.onnxruntime import devices, dim_overrides, errors, feeds, functions
from linnet.onnxruntime.binding import IOBinding, SessionIOBinding
from linnet.onnxruntime.enums import GraphOptimizationLevel
from linnet.onnxruntime.options import RunOptions, SessionOptions
from linnet.onnxruntime.types import ModelMetadata, NodeArg
from linnet.onnxruntime.values import OrtValue

_LEVELS = {GraphOptimizationLevel.ORT_DISABLE_ALL: 0, GraphOptimizationLevel.ORT_ENABLE_BASIC: 1}


class Session:
    """The base class of all kinds of sessions."""

    _sess: linnet.Session
    _overriding: linnet.Session | None
    _lock: threading.Lock
    _sess_options: SessionOptions
    _load_options: dict[str, Any]
    _model: str | bytes
    _providers: list[str]
    _profiling_start_time_ns: int
    _model_meta: ModelMetadata
    _inputs_meta: list[NodeArg]
    _outputs_meta: list[NodeArg]
    _overridable_initializers: list[NodeArg]
    _inputs_by_name: dict[str, NodeArg]
    _outputs_by_name: dict[str, NodeArg]
    _overridable_by_name: dict[str, NodeArg]

    def get_inputs(self) -> list[NodeArg]:
        return list(self._inputs_meta)

    def get_outputs(self) -> list[NodeArg]:
        return list(self._outputs_meta)

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Returns the initializers that a run may override."""
        return list(self._overridable_initializers)

    def get_modelmeta(self) -> ModelMetadata:
        return self._model_meta

    def get_session_options(self) -> SessionOptions:
        return self._sess_options

    def get_providers(self) -> list[str]:
        return list(self._providers)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        return {name: {} for name in self._providers}

    def set_providers(self, providers: Any = None, provider_options: Any = None) -> None:
        self._providers = functions.choose_providers(providers, provider_options)

    def disable_fallback(self) -> None:
        """Has no effect: there is one provider."""

    def enable_fallback(self) -> None:
        """Has no effect: there is one provider."""

    def set_ep_dynamic_options(self, options: dict[str, str]) -> None:
        """Has no effect: ONNX Runtime's options do not change results."""

    def get_tuning_results(self) -> list[Any]:
        return []

    def set_tuning_results(self, results: list[Any], *, error_on_invalid: bool = False) -> None:
        """Has no effect: nothing is tuned."""

    def create_ortvalue_from_shape_and_type(
        self, shape: Iterable[int], element_type: Any, device_type: str, device_id: int = 0, vendor_id: int = -1
    ) -> OrtValue:
        return OrtValue.ortvalue_from_shape_and_type(shape, element_type, device_type, device_id)

    def io_binding(self) -> IOBinding:
        return IOBinding(self)

    def run(
        self, output_names: Sequence[str] | None, input_feed: dict[str, Any], run_options: RunOptions | None = None
    ) -> list[Any]:
        """Returns the outputs of these names, or all outputs where no names are given. input_feed: inputs by name."""
        return self._run(output_names, self._with_adapters(input_feed, run_options), run_options)

    def run_with_ort_values(
        self, output_names: Sequence[str] | None, input_dict_ort_values: dict[str, OrtValue],
        run_options: RunOptions | None = None,
    ) -> list[OrtValue]:  # fmt: skip
        feed = {name: value._get_c_value() for name, value in input_dict_ort_values.items()}
        names = self._names(output_names)
        values = self._run(names, self._with_adapters(feed, run_options), run_options)
        return [OrtValue._of(value, self._outputs_by_name[name].type) for name, value in zip(names, values)]

    def run_with_iobinding(
        self, iobinding: IOBinding | SessionIOBinding, run_options: RunOptions | None = None
    ) -> None:
        native = iobinding._iobinding if isinstance(iobinding, IOBinding) else iobinding
        native._run(run_options)

    def run_async(
        self, output_names: Sequence[str] | None, input_feed: dict[str, Any],
        callback: Callable[[list[Any], Any, str], Any], user_data: Any, run_options: RunOptions | None = None,
    ) -> None:  # fmt: skip
        """Calls callback(outputs, user_data, error) on another thread. `error` is "" on success."""
        feeds.check_names(input_feed, self._inputs_meta, self._overridable_by_name)

        def work() -> None:
            outputs: list[Any] = []
            message = ""
            try:
                outputs = self._run(output_names, input_feed, run_options)
            except Exception as error:
                message = errors.text(error)
            callback(outputs, user_data, message)

        threading.Thread(target=work).start()

    def run_with_ortvaluevector(
        self, run_options: Any, feed_names: Any, feeds: Any, fetch_names: Any, fetches: Any, fetch_devices: Any
    ) -> None:
        raise errors.unsupported("InferenceSession.run_with_ortvaluevector")

    def get_input_memory_infos(self) -> list[devices.OrtMemoryInfo]:
        return [devices.of_the_cpu() for _ in self._inputs_meta]

    def get_output_memory_infos(self) -> list[devices.OrtMemoryInfo]:
        return [devices.of_the_cpu() for _ in self._outputs_meta]

    def get_input_epdevices(self) -> Any:
        raise errors.unsupported("InferenceSession.get_input_epdevices")

    def get_provider_graph_assignment_info(self) -> Any:
        raise errors.unsupported("InferenceSession.get_provider_graph_assignment_info")

    def release_captured_graph(self, graph_annotation_id: int = 0) -> None:
        raise errors.unsupported("InferenceSession.release_captured_graph")

    def get_profiling_start_time_ns(self) -> int:
        """Returns the time on the clock of time.monotonic_ns(), or 0 without enable_profiling."""
        return self._profiling_start_time_ns

    def end_profiling(self) -> str:
        """Writes all runs so far in Chrome's trace format. Returns the name of the file, or "" without
        enable_profiling."""
        if not self._profiling_start_time_ns:
            return ""
        stamp = time.strftime("%Y-%m-%d_%H-%M-%S")
        path = f"{self._sess_options.profile_file_prefix}_{stamp}_{time.monotonic_ns() % 1000000}.json"
        events = [event for session in (self._sess, self._overriding) if session for event in session.profile]
        with open(path, "w", encoding="utf-8") as file:
            json.dump([self._trace_event(event) for event in events], file, indent=0)
        return path

    def _trace_event(self, event: linnet.NodeEvent) -> dict[str, Any]:
        return {
            "cat": "Node", "pid": os.getpid(), "tid": event.thread, "ph": "X", "name": f"{event.name}_kernel_time",
            "ts": int(event.begin - self._profiling_start_time_ns / 1000), "dur": int(event.duration),
            "args": {"op_name": event.op_type, "provider": functions.PROVIDERS[0]},
        }  # fmt: skip

    def _load(self, optimized_path: str = "", **more: Any) -> linnet.Session:
        try:
            session = linnet.Session(self._model, **self._load_options, **more)
            if optimized_path:
                session.save(optimized_path)
        except linnet.Error as cause:
            raise errors.of_load(cause, self._model) from cause
        return session

    def _overriding_session(self) -> linnet.Session:
        """Loads the model a second time at the first run that overrides an initializer. In the first copy they are
        constants."""
        with self._lock:
            if self._overriding is None:
                self._overriding = self._load(overridable_initializers=True)
            return self._overriding

    def _names(self, output_names: Sequence[str] | None) -> list[str]:
        """Returns the requested names, or all names where none are requested."""
        if isinstance(output_names, (str, bytes)):
            raise TypeError(f"run(): output_names is a list of names, got {output_names!r}")
        if not output_names:
            return list(self._outputs_by_name)
        names = list(output_names)
        for name in names:
            if name not in self._outputs_by_name:
                raise errors.error(errors.InvalidArgument, f"Invalid output name: {name}")
        return names

    def _with_adapters(self, feed: dict[str, Any], run_options: RunOptions | None) -> dict[str, Any]:
        """Returns the feed with the values of the adapters. As in ONNX Runtime, the feed must be complete without them,
        and bound and asynchronous runs do not use adapters."""
        adapted = run_options._adapted() if isinstance(run_options, RunOptions) else None
        if not adapted:
            return feed
        feeds.check_names(feed, self._inputs_meta, self._overridable_by_name)
        return {**feed, **adapted}

    def _run(
        self, output_names: Sequence[str] | None, input_feed: dict[str, Any], run_options: RunOptions | None,
        out: dict[str, Any] | None = None,
    ) -> list[Any]:  # fmt: skip
        if not isinstance(run_options, (RunOptions, type(None))):
            raise TypeError(f"run(): run_options is a RunOptions, got {type(run_options)}")
        session, args = self._sess, self._inputs_meta
        if input_feed.keys() != self._inputs_by_name.keys():
            feeds.check_names(input_feed, args, self._overridable_by_name)
            overridden = [arg for name, arg in self._overridable_by_name.items() if input_feed.get(name) is not None]
            if overridden:
                session, args = self._overriding_session(), args + overridden
        names = self._names(output_names)
        feed = {arg.name: feeds.convert(arg, input_feed.get(arg.name)) for arg in args}
        try:
            cancellation = run_options._cancellation if run_options else None
            outputs = session.run(feed, names, out=out, cancellation=cancellation)
        except linnet.Error as cause:
            raise errors.of_run(cause) from cause
        values = [outputs[name] for name in names]
        if len(outputs) == len(names):
            return values
        return [value.copy() if i and name in names[:i] else value for i, (name, value) in enumerate(zip(names, values))]


class InferenceSession(Session):
    """A loaded model. Any number of threads may run it at the same time.

    path_or_bytes: str, os.PathLike, or the bytes of a file. Other keywords are ignored, as ONNX Runtime does.
    Raises NoSuchFile, InvalidProtobuf, InvalidGraph, NotImplemented or Fail if the model does not load.
    """

    def __init__(
        self, path_or_bytes: str | bytes | os.PathLike[str], sess_options: SessionOptions | None = None,
        providers: Any = None, provider_options: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        if not isinstance(path_or_bytes, (str, os.PathLike, bytes)):
            raise TypeError(f"Unable to load from type '{type(path_or_bytes)}'")
        self._model = os.fspath(path_or_bytes)
        self._model_path = None if isinstance(self._model, bytes) else self._model
        self._model_bytes = self._model if isinstance(self._model, bytes) else None
        self._sess_options = sess_options or SessionOptions()
        if not isinstance(self._sess_options, SessionOptions):
            raise TypeError(f"sess_options is a SessionOptions, got {type(sess_options)}")
        self._providers = functions.choose_providers(providers, provider_options)
        self._sess = self._open(self._sess_options)
        self._overriding = None
        self._lock = threading.Lock()
        self._describe()

    def _open(self, options: SessionOptions) -> linnet.Session:
        options._check()
        self._profiling_start_time_ns = time.monotonic_ns() if options.enable_profiling else 0
        self._load_options = {
            "threads": functions.threads_of(options), "seed": functions.seed(), "profile": options.enable_profiling,
            "optimization": _LEVELS.get(options.graph_optimization_level, 2), "op_libraries": list(options._libraries),
            "plan_cache_bytes": options._plan_cache_bytes(), "batch_invariant": options.use_deterministic_compute,
        }  # fmt: skip
        return self._load(options.optimized_model_filepath)

    def _describe(self) -> None:
        options, metadata, by_name = self._sess_options, self._sess.metadata, dict(self._sess_options._dimensions)
        inputs = dim_overrides.fix_denoted(self._sess.inputs, options._denoted_dimensions, by_name)
        dimensions = dim_overrides.of_inputs(self._sess.inputs, by_name)
        self._inputs_meta = [NodeArg(info, dimensions) for info in inputs]
        self._outputs_meta = [NodeArg(info, dimensions) for info in self._sess.outputs]
        self._overridable_initializers = [NodeArg(info, dimensions) for info in metadata.overridable]
        self._model_meta = ModelMetadata(metadata)
        self._inputs_by_name = {arg.name: arg for arg in self._inputs_meta}
        self._outputs_by_name = {arg.name: arg for arg in self._outputs_meta}
        self._overridable_by_name = {arg.name: arg for arg in self._overridable_initializers}
