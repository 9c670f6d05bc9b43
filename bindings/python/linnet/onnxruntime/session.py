"""InferenceSession on linnet.Session."""

import json
import os
import threading
import time

import linnet
from linnet.onnxruntime import errors, feeds, functions
from linnet.onnxruntime.binding import IOBinding
from linnet.onnxruntime.enums import GraphOptimizationLevel
from linnet.onnxruntime.options import RunOptions, SessionOptions
from linnet.onnxruntime.types import ModelMetadata, NodeArg
from linnet.onnxruntime.values import OrtValue

_LEVELS = {GraphOptimizationLevel.ORT_DISABLE_ALL: 0, GraphOptimizationLevel.ORT_ENABLE_BASIC: 1}


class Session:
    """What sessions of all kinds do."""

    def get_inputs(self):
        return list(self._inputs_meta)

    def get_outputs(self):
        return list(self._outputs_meta)

    def get_overridable_initializers(self):
        """Those that the file lets callers override. Linnet does not: a run that is given one raises NotImplemented."""
        return list(self._overridable_initializers)

    def get_modelmeta(self):
        return self._model_meta

    def get_session_options(self):
        return self._sess_options

    def get_providers(self):
        return list(self._providers)

    def get_provider_options(self):
        return {name: {} for name in self._providers}

    def set_providers(self, providers=None, provider_options=None):
        self._providers = functions.choose_providers(providers, provider_options)

    def disable_fallback(self):
        """Without effect: there is one provider."""

    def enable_fallback(self):
        """Without effect: there is one provider."""

    def set_ep_dynamic_options(self, options):
        """Without effect: ONNX Runtime's have none on results."""

    def get_tuning_results(self):
        return []

    def set_tuning_results(self, results, *, error_on_invalid=False):
        """Without effect: nothing is tuned."""

    def create_ortvalue_from_shape_and_type(self, shape, element_type, device_type, device_id=0, vendor_id=-1):
        return OrtValue.ortvalue_from_shape_and_type(shape, element_type, device_type, device_id)

    def io_binding(self):
        return IOBinding(self)

    def run(self, output_names, input_feed, run_options=None):
        """The outputs of these names, all where there are none, for inputs by name."""
        return self._run(output_names, input_feed, run_options)

    def run_with_ort_values(self, output_names, input_dict_ort_values, run_options=None):
        feed = {name: value._get_c_value() for name, value in input_dict_ort_values.items()}
        names = self._names(output_names)
        values = self._run(names, feed, run_options)
        return [OrtValue(value, self._outputs_by_name[name].type) for name, value in zip(names, values)]

    def run_with_iobinding(self, iobinding, run_options=None):
        iobinding._run(run_options)

    def run_async(self, output_names, input_feed, callback, user_data, run_options=None):
        """Calls callback(outputs, user_data, error) on another thread; error is "" where there is none."""
        feeds.check_names(input_feed, self._inputs_meta, self._overridable_names)

        def work():
            outputs, message = [], ""
            try:
                outputs = self._run(output_names, input_feed, run_options)
            except Exception as error:
                message = errors.text(error)
            callback(outputs, user_data, message)

        threading.Thread(target=work).start()

    def run_with_ortvaluevector(self, run_options, feed_names, feeds, fetch_names, fetches, fetch_devices):
        raise errors.unsupported("InferenceSession.run_with_ortvaluevector")

    def get_input_memory_infos(self):
        raise errors.unsupported("InferenceSession.get_input_memory_infos")

    def get_output_memory_infos(self):
        raise errors.unsupported("InferenceSession.get_output_memory_infos")

    def get_input_epdevices(self):
        raise errors.unsupported("InferenceSession.get_input_epdevices")

    def get_provider_graph_assignment_info(self):
        raise errors.unsupported("InferenceSession.get_provider_graph_assignment_info")

    def release_captured_graph(self, graph_annotation_id=0):
        raise errors.unsupported("InferenceSession.release_captured_graph")

    def get_profiling_start_time_ns(self):
        """On the clock of time.monotonic_ns(); 0 without enable_profiling."""
        return self._profiling_start_time_ns

    def end_profiling(self):
        """Writes what ran so far, in Chrome's trace format; the file's name, "" without enable_profiling."""
        if not self._profiling_start_time_ns:
            return ""
        stamp = time.strftime("%Y-%m-%d_%H-%M-%S")
        path = f"{self._sess_options.profile_file_prefix}_{stamp}_{time.monotonic_ns() % 1000000}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump([self._trace_event(event) for event in self._sess.profile], file, indent=0)
        return path

    def _trace_event(self, event):
        return {
            "cat": "Node", "pid": os.getpid(), "tid": event.thread, "ph": "X", "name": f"{event.name}_kernel_time",
            "ts": int(event.begin - self._profiling_start_time_ns / 1000), "dur": int(event.duration),
            "args": {"op_name": event.op_type, "provider": functions.PROVIDERS[0]},
        }  # fmt: skip

    def _names(self, output_names):
        """Those asked for, all where there are none."""
        if isinstance(output_names, (str, bytes)):
            raise TypeError(f"run(): output_names is a list of names, got {output_names!r}")
        names = list(output_names or self._outputs_by_name)
        for name in names:
            if name not in self._outputs_by_name:
                raise errors.error(errors.InvalidArgument, f"Invalid output name: {name}")
        return names

    def _run(self, output_names, input_feed, run_options, out=None):
        if not isinstance(run_options, (RunOptions, type(None))):
            raise TypeError(f"run(): run_options is a RunOptions, got {type(run_options)}")
        if input_feed.keys() != self._inputs_by_name.keys():
            feeds.check_names(input_feed, self._inputs_meta, self._overridable_names)
        names = self._names(output_names)
        feed = {arg.name: feeds.convert(arg, input_feed.get(arg.name)) for arg in self._inputs_meta}
        try:
            cancellation = run_options and run_options._cancellation
            outputs = self._sess.run(feed, names, out=out, cancellation=cancellation)
        except linnet.Error as cause:
            raise errors.of_run(cause) from cause
        values = [outputs[name] for name in names]
        return [value.copy() if i and name in names[:i] else value for i, (name, value) in enumerate(zip(names, values))]


class InferenceSession(Session):
    """A loaded model. Any number of threads may run it at the same time.

    path_or_bytes: str, os.PathLike, or the bytes of a file. Other keywords are ignored, as ONNX Runtime does.
    Raises NoSuchFile, InvalidProtobuf, InvalidGraph, NotImplemented or Fail where the model does not load.
    """

    def __init__(self, path_or_bytes, sess_options=None, providers=None, provider_options=None, **kwargs):
        self._model_path = self._model_bytes = None
        if isinstance(path_or_bytes, (str, os.PathLike)):
            self._model_path = os.fspath(path_or_bytes)
        elif isinstance(path_or_bytes, bytes):
            self._model_bytes = path_or_bytes
        else:
            raise TypeError(f"Unable to load from type '{type(path_or_bytes)}'")
        self._sess_options = sess_options or SessionOptions()
        if not isinstance(self._sess_options, SessionOptions):
            raise TypeError(f"sess_options is a SessionOptions, got {type(sess_options)}")
        self._providers = functions.choose_providers(providers, provider_options)
        self._sess = self._load(kwargs.get("disabled_optimizers"))
        self._describe()

    def _load(self, disabled_optimizers):
        options = self._sess_options
        options._check()
        self._profiling_start_time_ns = time.monotonic_ns() if options.enable_profiling else 0
        try:
            session = linnet.Session(
                self._model_bytes if self._model_path is None else self._model_path,
                threads=functions.threads_of(options), seed=functions.seed(), profile=options.enable_profiling,
                optimization=_LEVELS.get(options.graph_optimization_level, 2), op_libraries=options._libraries,
            )  # fmt: skip
            if options.optimized_model_filepath:
                session.save(options.optimized_model_filepath)
        except linnet.Error as cause:
            raise errors.of_load(cause, self._model_path) from cause
        return session

    def _describe(self):
        dimensions, metadata = self._sess_options._dimensions, self._sess.metadata
        self._inputs_meta = [NodeArg(info, dimensions) for info in self._sess.inputs]
        self._outputs_meta = [NodeArg(info, dimensions) for info in self._sess.outputs]
        self._overridable_initializers = [NodeArg(info, dimensions) for info in metadata.overridable]
        self._model_meta = ModelMetadata(metadata)
        self._inputs_by_name = {arg.name: arg for arg in self._inputs_meta}
        self._outputs_by_name = {arg.name: arg for arg in self._outputs_meta}
        self._overridable_names = {arg.name for arg in self._overridable_initializers}
