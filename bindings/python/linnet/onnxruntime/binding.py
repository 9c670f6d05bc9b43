"""Inputs and outputs that are bound to memory before a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.onnxruntime import errors, types
from linnet.onnxruntime.devices import NativeDevice, OrtDevice, check_device
from linnet.onnxruntime.values import OrtValue, OrtValueVector, array_at

if TYPE_CHECKING:
    from linnet.onnxruntime.session import Session


class SessionIOBinding:
    """Bound values by name, in the terms of onnxruntime.capi. Memory that is given by its address is read and written
    in place; the caller keeps it alive. An output may share the memory of an input."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._inputs: dict[str, Any] = {}
        self._outputs: dict[str, types.Array | None] = {}
        self._results = OrtValueVector()

    def bind_input(
        self, name: str, device_or_array: NativeDevice | types.Array, element_type: Any = None,
        shape: Iterable[int] = (), buffer_ptr: int = 0,
    ) -> None:  # fmt: skip
        """Binds an array, or memory on a device."""
        if isinstance(device_or_array, np.ndarray):
            self._bind(name, device_or_array)
        elif isinstance(device_or_array, NativeDevice):
            self._bind(name, array_at(buffer_ptr, types.dtype_of_element(element_type), shape))
        else:
            raise RuntimeError(f"input '{name}' takes an array, got {type(device_or_array)}")

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        self._bind(name, ortvalue)

    def _bind(self, name: str, value: Any) -> None:
        if name not in self._session._inputs_by_name and name not in self._session._overridable_by_name:
            raise RuntimeError(f"the model has no input '{name}'")
        self._inputs[name] = value

    def bind_output(
        self, name: str, device: NativeDevice, element_type: Any = None, shape: Iterable[int] = (),
        buffer_ptr: int | None = None,
    ) -> None:  # fmt: skip
        """Binds an output. Without an address, each run allocates its memory."""
        check_device(device)
        memory = None
        if buffer_ptr is not None:
            memory = array_at(buffer_ptr, types.dtype_of_element(element_type), shape)
        self._outputs[name] = memory

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        self._outputs[name] = ortvalue.numpy()

    def clear_binding_inputs(self) -> None:
        self._inputs = {}

    def clear_binding_outputs(self) -> None:
        self._outputs, self._results = {}, OrtValueVector()

    def synchronize_inputs(self) -> None:
        """Has no effect: runs end before they return."""

    def synchronize_outputs(self) -> None:
        """Has no effect: runs end before they return."""

    def get_outputs(self) -> OrtValueVector:
        """Returns the outputs of the last run, in the order in which they were bound."""
        return OrtValueVector(self._results)

    def copy_outputs_to_cpu(self) -> list[Any]:
        """Returns copies, which nothing else writes to."""
        return [np.copy(value.numpy()) if value.is_tensor() else value._value for value in self._results]

    def _run(self, run_options: Any) -> None:
        """Runs the session. Raises RuntimeError for every failure, as ONNX Runtime does here."""
        try:
            if not self._outputs:
                raise RuntimeError("no output is bound")
            out = {name: memory for name, memory in self._outputs.items() if memory is not None}
            values = self._session._run(list(self._outputs), self._inputs, run_options, out)
        except Exception as cause:
            raise RuntimeError(f"Error in execution: {errors.text(cause)}") from cause
        args = self._session._outputs_by_name
        self._results = OrtValueVector(
            OrtValue._of(value, args[name].type) for name, value in zip(self._outputs, values)
        )


class IOBinding:
    """A SessionIOBinding whose devices have names."""

    def __init__(self, session: Session) -> None:
        self._iobinding = SessionIOBinding(session)

    def bind_cpu_input(self, name: str, arr_on_cpu: types.Array) -> None:
        self._iobinding.bind_input(name, arr_on_cpu)

    def bind_input(
        self, name: str, device_type: str, device_id: int, element_type: Any, shape: Iterable[int], buffer_ptr: int
    ) -> None:
        device = OrtDevice.make(device_type, device_id)._get_c_device()
        self._iobinding.bind_input(name, device, element_type, shape, buffer_ptr)

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        self._iobinding.bind_ortvalue_input(name, ortvalue)

    def bind_output(
        self, name: str, device_type: str = "cpu", device_id: int = 0, element_type: Any = None,
        shape: Iterable[int] | None = None, buffer_ptr: int | None = None,
    ) -> None:  # fmt: skip
        """Binds an output. Without an address, each run allocates its memory."""
        device = OrtDevice.make(device_type, device_id)._get_c_device()
        if buffer_ptr is not None and (element_type is None or shape is None):
            raise ValueError("`element_type` and `shape` are to be provided if pre-allocated memory is provided")
        self._iobinding.bind_output(name, device, element_type, shape or (), buffer_ptr)

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        self._iobinding.bind_ortvalue_output(name, ortvalue)

    def clear_binding_inputs(self) -> None:
        self._iobinding.clear_binding_inputs()

    def clear_binding_outputs(self) -> None:
        self._iobinding.clear_binding_outputs()

    def synchronize_inputs(self) -> None:
        self._iobinding.synchronize_inputs()

    def synchronize_outputs(self) -> None:
        self._iobinding.synchronize_outputs()

    def get_outputs(self) -> list[OrtValue]:
        """Returns the outputs of the last run, in the order in which they were bound."""
        return list(self._iobinding.get_outputs())

    def get_outputs_as_ortvaluevector(self) -> OrtValueVector:
        return self._iobinding.get_outputs()

    def copy_outputs_to_cpu(self) -> list[Any]:
        """Returns copies, which nothing else writes to."""
        return self._iobinding.copy_outputs_to_cpu()
