from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy


version: str = '0.2.0'

def set_dtypes(numpys: dict[int, numpy.dtype[Any]], load_all: Callable[[], dict[int, numpy.dtype[Any]]]) -> None: ...

def did_you_mean(name: str, known: Sequence[str]) -> str: ...

def read_image(path: str) -> Any: ...

class Cancellation:
    """
    Cancels runs from any thread. A cancelled token stays cancelled; later runs need another one.
    """

    def __init__(self) -> None: ...

    def cancel(self) -> None:
        """
        Cancels all runs that have this token: they end after the node that runs, with CancelledError.
        """

    @property
    def cancelled(self) -> bool:
        """Whether cancel() was called."""

class Session:
    def __init__(self, model: str | bytes, options: dict[str, Any]) -> None: ...

    def run(self, inputs: dict[str, Any], outputs: Iterable[str] | None, out: dict[str, Any] | None, cancellation: Cancellation | None, deadline_ms: int | None) -> dict[str, Any]: ...

    def prepare(self, arg: Sequence[Sequence[int]], /) -> None: ...

    @property
    def memory(self) -> tuple[int, int, int, int]: ...

    def with_weights(self, weights: dict[str, Any]) -> Session: ...

    def context(self) -> Context: ...

    def save(self, path: str) -> None: ...

    @property
    def profile(self) -> list[tuple[str, str, str, float, float, int]]: ...

    @property
    def inputs(self) -> list[tuple[str, str, tuple[int | str | None, ...] | None, tuple[str, ...]]]: ...

    @property
    def outputs(self) -> list[tuple[str, str, tuple[int | str | None, ...] | None, tuple[str, ...]]]: ...

    @property
    def metadata(self) -> dict[str, Any]: ...

class Context:
    """
    Runs a session whose outputs are inputs of the next run: keys and values of a decoder, the state of a recurrent
    network. Session.context() creates one. Any thread may call it; one call runs at a time, the others wait.
    """

    def run(self, inputs: dict[str, Any], outputs: Iterable[str] | None = None, *, out: dict[str, Any] | None = None, cancellation: Cancellation | None = None, deadline_ms: int | None = None) -> dict[str, Any]:
        """
        Runs the model with the current states. A run that fails leaves all states unchanged.

        Args:
            inputs: As in Session.run(), without the states.
            outputs: The names of the outputs to return, which are not states. None: all that are not states.
            out: As in Session.run().
            cancellation: As in Session.run().
            deadline_ms: As in Session.run().

        Returns:
            The outputs by name.

        Raises:
            ModelError: An output is a state, or what Session.run() raises it for.
            ShapeError: A state gets a shape that its input cannot have, or what Session.run() raises it for.
            Error: What Session.run() raises.
        """

    def bind_state(self, output: str, input: str, initial: Any = None, *, capacity: int = 0) -> None:
        """
        Makes an output of each run an input of the next one.

        A state that each run extends by a known number of rows, along any axis, grows in place: new rows are
        written into memory that doubles whenever it is full.

        Args:
            output: The name of the output.
            input: The name of the input.
            initial: The input of the first run, an array that is copied. None, which only an overridable
                initializer allows: the value in the file.
            capacity: The number of rows that there is memory for from the beginning.

        Raises:
            ModelError: A name is unknown or already bound.
            TypeError: `initial` or the output has another dtype than the input.
            ShapeError: `initial` or the output has a shape that the input cannot have.
            UnsupportedError: The value is of strings, a container, or has elements smaller than a byte.
        """

    def state(self, input: str) -> Any:
        """
        Returns a copy of a state.

        Args:
            input: The name of the input that the state is bound to.

        Returns:
            The array that the next run gets as that input.

        Raises:
            ModelError: The input is not a state.
        """

    def set_state(self, input: str, value: Any) -> None:
        """
        Copies a value into a state.

        Args:
            input: The name of the input that the state is bound to.
            value: An array that fits the input.

        Raises:
            ModelError: The input is not a state.
            TypeError: The value has another dtype than the input.
            ShapeError: The value has a shape that the input cannot have.
        """

    def truncate_states(self, length: int) -> None:
        """
        Cuts states to their first rows, for example to take back tokens.

        It cuts every state that has grown along one axis or that, before the first run, can grow along only one.

        Args:
            length: The number of rows to keep.

        Raises:
            ShapeError: A state has fewer rows; none is cut.
            ValueError: The length is negative.
        """

    def reset_states(self) -> None:
        """Sets all states to their initial values."""

    def fork(self) -> Context:
        """
        Creates a context with a copy of the states, which change independently from then on; for beam search.

        Returns:
            The new context.
        """

def onnxruntime_load_failure(error: Exception, path: str) -> tuple[int, str]: ...

def onnxruntime_shape_mismatch(name: str, dims: Sequence[int], shape: Sequence[int]) -> str: ...

def onnxruntime_read_adapter(contents: bytes) -> tuple[int, int, dict[str, Any]]: ...

def onnxruntime_write_adapter(version: int, model_version: int, arrays: dict[str, Any]) -> bytes: ...
