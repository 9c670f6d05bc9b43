"""Inputs and outputs that are bound to memory before a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.onnxruntime import errors, types
from linnet.onnxruntime.values import OrtValue, OrtValueVector, array_at, check_device

if TYPE_CHECKING:
    from linnet.onnxruntime.session import Session


class IOBinding:
    """Values by name. Memory that is given by its address is read and written there; the caller keeps it alive."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._inputs: dict[str, Any] = {}
        self._outputs: dict[str, types.Array | None] = {}
        self._results: list[OrtValue] = []

    def bind_cpu_input(self, name: str, arr_on_cpu: types.Array) -> None:
        if not isinstance(arr_on_cpu, np.ndarray):
            raise RuntimeError(f"input '{name}' takes an array, got {type(arr_on_cpu)}")
        self._bind(name, arr_on_cpu)

    def bind_input(
        self, name: str, device_type: str, device_id: int, element_type: Any, shape: Iterable[int], buffer_ptr: int
    ) -> None:
        check_device(device_type)
        self._bind(name, array_at(buffer_ptr, types.dtype_of_element(element_type), shape))

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        self._bind(name, ortvalue)

    def _bind(self, name: str, value: Any) -> None:
        if name not in self._session._inputs_by_name and name not in self._session._overridable_by_name:
            raise RuntimeError(f"the model has no input '{name}'")
        self._inputs[name] = value

    def bind_output(
        self, name: str, device_type: str = "cpu", device_id: int = 0, element_type: Any = None,
        shape: Iterable[int] | None = None, buffer_ptr: int | None = None,
    ) -> None:  # fmt: skip
        """Without a shape, the run takes memory of its own, as it does without an address."""
        check_device(device_type)
        memory = None
        if buffer_ptr is not None:
            memory = array_at(buffer_ptr, types.dtype_of_element(element_type), shape or ())
        self._outputs[name] = memory

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        self._outputs[name] = ortvalue.numpy()

    def clear_binding_inputs(self) -> None:
        self._inputs = {}

    def clear_binding_outputs(self) -> None:
        self._outputs, self._results = {}, []

    def synchronize_inputs(self) -> None:
        """Without effect: runs end before they return."""

    def synchronize_outputs(self) -> None:
        """Without effect: runs end before they return."""

    def get_outputs(self) -> list[OrtValue]:
        """[OrtValue] of the last run, in the order in which they were bound."""
        return list(self._results)

    def get_outputs_as_ortvaluevector(self) -> OrtValueVector:
        return OrtValueVector(self._results)

    def copy_outputs_to_cpu(self) -> list[Any]:
        """Arrays that nothing else writes to."""
        return [np.copy(value.numpy()) if value.is_tensor() else value._value for value in self._results]

    def _run(self, run_options: Any) -> None:
        """Raises RuntimeError for all that goes wrong, as ONNX Runtime does here."""
        try:
            if not self._outputs:
                raise RuntimeError("no output is bound")
            out = {name: memory for name, memory in self._outputs.items() if memory is not None}
            values = self._session._run(list(self._outputs), self._inputs, run_options, out)
        except Exception as cause:
            raise RuntimeError(f"Error in execution: {errors.text(cause)}") from cause
        args = self._session._outputs_by_name
        self._results = [OrtValue(value, args[name].type) for name, value in zip(self._outputs, values)]
