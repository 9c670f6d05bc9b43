"""The functions of the module."""

from __future__ import annotations

import itertools
import operator
import platform
import warnings
from typing import TYPE_CHECKING, Any

import linnet

if TYPE_CHECKING:
    from linnet.onnxruntime.options import SessionOptions

VERSION = "1.32.0"
PROVIDERS = ["CPUExecutionProvider"]


class _Settings:
    """Settings of the whole process, as in ONNX Runtime."""

    seed: int | None = None
    threads = 0


def get_available_providers() -> list[str]:
    return list(PROVIDERS)


def get_all_providers() -> list[str]:
    return list(PROVIDERS)


def get_device() -> str:
    return "CPU"


def get_version_string() -> str:
    return VERSION


def get_build_info() -> str:
    return f"Linnet {linnet.__version__}"


def has_collective_ops() -> bool:
    return False


def set_seed(seed: int) -> None:
    """Sets the seed of random operators without a `seed` attribute, for sessions that are made later. The random values
    differ from those of ONNX Runtime."""
    _Settings.seed = operator.index(seed)


def set_global_thread_pool_sizes(intra_op_num_threads: int = 0, inter_op_num_threads: int = 0) -> None:
    """Sets the threads of sessions that are made later with use_per_session_threads = False."""
    _Settings.threads = operator.index(intra_op_num_threads)


def threads_of(options: SessionOptions) -> int:
    own = options.intra_op_num_threads if options.use_per_session_threads else _Settings.threads
    return max(own, 0)


def seed() -> int | None:
    return _Settings.seed


def set_default_logger_severity(severity: int) -> None:
    """Has no effect: Linnet writes no log."""
    if not 0 <= operator.index(severity) <= 4:
        raise RuntimeError(f"the severity of a logger is 0 to 4, got {severity}")


def set_default_logger_verbosity(verbosity: int) -> None:
    """Has no effect: Linnet writes no log."""
    operator.index(verbosity)


def set_default_logger_callback(callback: Any, severity: int = 2) -> None:
    """Has no effect: Linnet writes no log."""


def disable_telemetry_events() -> None:
    """Has no effect: Linnet collects no telemetry."""


def enable_telemetry_events() -> None:
    """Has no effect: Linnet collects no telemetry."""


def preload_dlls(cuda: bool = True, cudnn: bool = True, msvc: bool = True, directory: str | None = None) -> None:
    """Has no effect: Linnet runs on CPUs."""


def print_debug_info() -> None:
    print(f"linnet {linnet.__version__} as onnxruntime {VERSION}\n{platform.platform()}")


def choose_providers(providers: Any, provider_options: Any) -> list[str]:
    """Returns the names of the providers to use. As in ONNX Runtime, unavailable providers cause a warning. Options of
    the CPU's provider change no result."""
    chosen: list[str] = []
    for name in _names(providers or [], provider_options or []):
        if name in chosen:
            warnings.warn(f"Duplicate provider '{name}' encountered, ignoring.", stacklevel=4)
        elif name in PROVIDERS:
            chosen.append(name)
        else:
            warnings.warn(
                f"Specified provider '{name}' is not in available provider names."
                f"Available providers: '{', '.join(PROVIDERS)}'", stacklevel=4)  # fmt: skip
    return chosen or list(PROVIDERS)


def _names(providers: Any, provider_options: Any) -> list[str]:
    """Returns the names of the providers. If the arguments are malformed, warns and returns no names."""
    pairs = [(provider, {}) if isinstance(provider, str) else provider for provider in providers]
    if providers and provider_options:
        pairs = list(itertools.zip_longest(providers, provider_options))
    if isinstance(providers, (list, tuple)) and all(_is_pair(pair) for pair in pairs):
        return [name for name, _ in pairs]
    warnings.warn(f"expected names of providers, or (name, options), got {providers} with options {provider_options}: "
                  f"running on {PROVIDERS[0]}", stacklevel=5)  # fmt: skip
    return []


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, (tuple, list)) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], dict)
