"""Options of sessions and of runs."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any, NoReturn

import linnet
from linnet.onnxruntime import errors
from linnet.onnxruntime.adapters import LoraAdapter
from linnet.onnxruntime.enums import ExecutionMode, ExecutionOrder, GraphOptimizationLevel
from linnet.onnxruntime.types import Array

# Entries that would change results or files, with their default values. All other entries tune how ONNX Runtime
# computes. They are stored and have no effect.
_UNSUPPORTED_ENTRIES = {
    "ep.context_enable": "0", "session.load_model_format": "ONNX", "session.save_model_format": "ONNX",
    "session.model_external_initializers_file_folder_path": "", "session.set_denormal_as_zero": "0",
    "session.use_env_allocators": "0", "session.optimized_model_external_initializers_file_name": "",
}  # fmt: skip


def _bool(value: Any) -> bool:
    if value is not None and not hasattr(type(value), "__bool__"):
        raise TypeError
    return bool(value)


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a str, got {value!r}")
    return value


def _member(kind: type[Any]) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError
        return value

    return check


class _Option:
    """An attribute that accepts one kind of value and raises TypeError for others."""

    def __init__(self, convert: Callable[[Any], Any], default: Any) -> None:
        self._convert, self.default = convert, default

    def __set_name__(self, owner: type[_Options], name: str) -> None:
        self._name = name

    def __get__(self, options: _Options | None, owner: type[_Options]) -> Any:
        return self if options is None else options._values.get(self._name, self.default)

    def __set__(self, options: _Options, value: Any) -> None:
        try:
            options._values[self._name] = self._convert(value)
        except TypeError:
            raise TypeError(f"{type(options).__name__}.{self._name} cannot be {value!r}") from None


class _Options:
    """Attributes and named entries. Unknown attributes raise AttributeError."""

    __slots__ = ("_entries", "_values")

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._entries: dict[str, str] = {}

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def _add_entry(self, key: str, value: str) -> None:
        if not 0 < len(_str(key)) <= 1024:
            raise RuntimeError("the key of an entry has 1 to 1024 characters")
        self._entries[key] = _str(value)

    def _entry(self, key: str) -> str:
        if key not in self._entries:
            raise RuntimeError(f"{type(self).__name__} does not have configuration with key: {key}")
        return self._entries[key]


class SessionOptions(_Options):
    """How a session loads and runs. docs/coming_from_onnxruntime.md lists the options that have an effect."""

    __slots__ = ("_cancelled", "_denoted_dimensions", "_dimensions", "_libraries", "_providers")

    enable_cpu_mem_arena = _Option(_bool, True)
    enable_mem_pattern = _Option(_bool, True)
    enable_mem_reuse = _Option(_bool, True)
    enable_profiling = _Option(_bool, False)
    execution_mode = _Option(_member(ExecutionMode), ExecutionMode.ORT_SEQUENTIAL)
    execution_order = _Option(_member(ExecutionOrder), ExecutionOrder.DEFAULT)
    graph_optimization_level = _Option(_member(GraphOptimizationLevel), GraphOptimizationLevel.ORT_ENABLE_ALL)
    inter_op_num_threads = _Option(operator.index, 0)
    intra_op_num_threads = _Option(operator.index, 0)
    log_severity_level = _Option(operator.index, -1)
    log_verbosity_level = _Option(operator.index, 0)
    logid = _Option(_str, "")
    optimized_model_filepath = _Option(_str, "")
    profile_file_prefix = _Option(_str, "onnxruntime_profile_")
    use_deterministic_compute = _Option(_bool, False)
    use_per_session_threads = _Option(_bool, True)

    def __init__(self) -> None:
        super().__init__()
        self._dimensions: dict[str, int] = {}
        self._denoted_dimensions: dict[str, int] = {}
        self._libraries: list[str] = []
        self._providers: list[tuple[str, dict[str, Any]]] = []
        self._cancelled = False

    def add_session_config_entry(self, key: str, value: str) -> None:
        self._add_entry(key, value)

    def get_session_config_entry(self, key: str) -> str:
        return self._entry(key)

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        """Fixes the dims of inputs that have the symbol `name` to `size`. The first size of a name holds."""
        self._dimensions.setdefault(_str(name), operator.index(size))

    def add_free_dimension_override_by_denotation(self, denotation: str, size: int) -> None:
        """Does the same for dims that the model marks with `denotation`, for example "DATA_BATCH", ignoring case."""
        self._denoted_dimensions.setdefault(_str(denotation), operator.index(size))

    def register_custom_ops_library(self, path: str) -> None:
        """Adds a library of operators that were written for ONNX Runtime or for Linnet."""
        if not os.path.exists(path):
            raise errors.error(errors.Fail, f"the library {path} does not exist")
        self._libraries.append(path)

    def add_provider(self, name: str, options: dict[str, Any]) -> None:
        if name != "CPUExecutionProvider":
            raise errors.unsupported(name)
        self._providers.append((name, dict(options)))

    def has_providers(self) -> bool:
        return bool(self._providers)

    def set_load_cancellation_flag(self, cancelled: bool) -> None:
        """If `cancelled`, sessions that are made later raise ModelLoadCanceled."""
        self._cancelled = bool(cancelled)

    def clear_ep_context_data_read_func(self) -> None:
        pass

    def add_initializer(self, name: str, value: Any) -> None:
        raise errors.unsupported("SessionOptions.add_initializer")

    def add_external_initializers(self, names: Any, values: Any) -> None:
        raise errors.unsupported("SessionOptions.add_external_initializers")

    def add_external_initializers_from_files_in_memory(self, names: Any, buffers: Any, lengths: Any) -> None:
        raise errors.unsupported("SessionOptions.add_external_initializers_from_files_in_memory")

    def add_provider_for_devices(self, devices: Any, options: Any) -> None:
        raise errors.unsupported("SessionOptions.add_provider_for_devices")

    def set_ep_context_data_read_func(self, read_func: Any, max_data_size: int) -> None:
        raise errors.unsupported("SessionOptions.set_ep_context_data_read_func")

    def set_provider_selection_policy(self, policy: Any) -> None:
        raise errors.unsupported("SessionOptions.set_provider_selection_policy")

    def set_provider_selection_policy_delegate(self, delegate: Any) -> None:
        raise errors.unsupported("SessionOptions.set_provider_selection_policy_delegate")

    def _plan_cache_bytes(self) -> int | None:
        """The value of the entry linnet.plan_cache_bytes."""
        text = self._entries.get("linnet.plan_cache_bytes")
        if text is None or text.isdecimal():
            return None if text is None else int(text)
        raise errors.error(errors.InvalidArgument, f"linnet.plan_cache_bytes must be a number of bytes, got {text!r}")

    def _check(self) -> None:
        """Raises an exception if no session can have these options."""
        if self._cancelled:
            raise errors.error(errors.ModelLoadCanceled, "the load was cancelled by set_load_cancellation_flag")
        for key, value in self._entries.items():
            if value.upper() != _UNSUPPORTED_ENTRIES.get(key, value).upper():
                raise errors.unsupported(f"the session's entry {key} = {value!r}")


class RunOptions(_Options):
    """How a run runs. Setting `terminate` from any thread ends the runs that use the options."""

    __slots__ = ("_adapters", "_cancellation")

    log_severity_level = _Option(operator.index, -1)
    log_verbosity_level = _Option(operator.index, 0)
    logid = _Option(_str, "")
    only_execute_path_to_fetches = _Option(_bool, False)

    def __init__(self) -> None:
        super().__init__()
        self._adapters: list[LoraAdapter] = []
        self._cancellation = linnet.Cancellation()

    @property
    def terminate(self) -> bool:
        return self._cancellation.cancelled

    @terminate.setter
    def terminate(self, value: bool) -> None:
        if _bool(value):
            self._cancellation.cancel()
        elif self._cancellation.cancelled:
            self._cancellation = linnet.Cancellation()

    def add_run_config_entry(self, key: str, value: str) -> None:
        self._add_entry(key, value)

    def get_run_config_entry(self, key: str) -> str:
        return self._entry(key)

    def add_active_adapter(self, adapter: LoraAdapter | None) -> None:
        """The adapter's values take precedence over the inputs of run() and run_with_ort_values(). Of several adapters
        with values for one input, the last takes precedence."""
        if not isinstance(adapter, (LoraAdapter, type(None))):
            raise TypeError(f"add_active_adapter(): the adapter is a LoraAdapter, got {type(adapter)}")
        if adapter:
            self._adapters.append(adapter)

    def _adapted(self) -> dict[str, Array]:
        """Returns the values of the active adapters by input."""
        return {name: array for adapter in self._adapters for name, array in adapter._parameters.items()}
