"""Inputs and outputs that are bound to memory before a run."""

import numpy as np

from linnet.onnxruntime import errors, types
from linnet.onnxruntime.values import OrtValue, OrtValueVector, array_at, check_device


class IOBinding:
    """Values by name. Memory that is given by its address is read and written there; the caller keeps it alive."""

    def __init__(self, session):
        self._session = session
        self._inputs, self._outputs, self._results = {}, {}, []

    def bind_cpu_input(self, name, arr_on_cpu):
        if not isinstance(arr_on_cpu, np.ndarray):
            raise RuntimeError(f"input '{name}' takes an array, got {type(arr_on_cpu)}")
        self._bind(name, arr_on_cpu)

    def bind_input(self, name, device_type, device_id, element_type, shape, buffer_ptr):
        check_device(device_type)
        self._bind(name, array_at(buffer_ptr, types.dtype_of_element(element_type), shape))

    def bind_ortvalue_input(self, name, ortvalue):
        self._bind(name, ortvalue)

    def _bind(self, name, value):
        if name not in self._session._inputs_by_name:
            raise RuntimeError(f"the model has no input '{name}'")
        self._inputs[name] = value

    def bind_output(self, name, device_type="cpu", device_id=0, element_type=None, shape=None, buffer_ptr=None):
        """Without a shape, the run takes memory of its own, as it does without an address."""
        check_device(device_type)
        memory = None
        if buffer_ptr is not None:
            memory = array_at(buffer_ptr, types.dtype_of_element(element_type), shape)
        self._outputs[name] = memory

    def bind_ortvalue_output(self, name, ortvalue):
        self._outputs[name] = ortvalue.numpy()

    def clear_binding_inputs(self):
        self._inputs = {}

    def clear_binding_outputs(self):
        self._outputs, self._results = {}, []

    def synchronize_inputs(self):
        """Without effect: runs end before they return."""

    def synchronize_outputs(self):
        """Without effect: runs end before they return."""

    def get_outputs(self):
        """[OrtValue] of the last run, in the order in which they were bound."""
        return list(self._results)

    def get_outputs_as_ortvaluevector(self):
        return OrtValueVector(self._results)

    def copy_outputs_to_cpu(self):
        """Arrays that nothing else writes to."""
        return [np.copy(value.numpy()) if value.is_tensor() else value._value for value in self._results]

    def _run(self, run_options):
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
