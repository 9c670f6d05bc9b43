"""Objects for calls of all slots, made once per library."""

import ctypes
import re
from ctypes import CFUNCTYPE, c_float, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path

import numpy as np
import pytest
from abi_models import ADD, OVERRIDABLE, X, Y
from session_support import Ort, dims, pointers, strings
from table import SLOTS, Failed

LOGGER = CFUNCTYPE(None, c_void_p, c_int32, *[ctypes.c_char_p] * 4)
FUNCTION = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_void_p)


class Specimens(Ort):
    """Valid arguments by name."""

    def __init__(self, api, env, folder):
        super().__init__(api, env)
        path = Path(folder) / "add.onnx"
        path.write_bytes(ADD)
        self.known = {
            "null": None,
            "env": env,
            "allocator": self.allocator,
            "cpu": self.cpu,
            "path": str(path).encode(),
        }
        self.missing = {}
        for make in (self.plain, self.objects, self.sparse_objects, self.container_objects, self.device_objects):
            try:
                self.known.update(make())
            except Failed as failure:
                self.missing[make.__name__] = str(failure)

    def plain(self):
        """Memory, strings and functions."""
        memory = ctypes.create_string_buffer(4096)
        return {
            "text": b"specimen", "cpu_name": b"Cpu", "cpu_upper": b"CPU", "name_x": b"x", "name_z": b"z",
            "affinity": b"1", "bytes": ADD, "bytes_size": len(ADD), "buffer": memory, "buffers": pointers([ctypes.addressof(memory)]),
            "sizes": (c_size_t * 4)(8, 8), "out_z": pointers([None]), "int64": dims(3),
            "names_xy": strings(["x", "y"]), "names_z": strings(["z"]),
            "arena_keys": strings(["max_mem"]), "arena_values": (c_size_t * 1)(0),
            "dims_23": dims(2, 3), "dims_11": dims(1, 1), "dims_2": dims(2), "dims_111": dims(1, 1, 1), "dims_21": dims(2, 1),
            "floats": (c_float * 6)(1, 2, 3), "indices": dims(0, 2), "outer": dims(0, 1, 2), "indices32": (c_int32 * 2)(0, 0),
            "logger": LOGGER(lambda *arguments: None), "function": FUNCTION(lambda *arguments: None),
            "custom_op": (c_void_p * 26)(8),
        }  # fmt: skip

    def objects(self):
        """Objects of sessions, values and options."""
        api, session, options = self.api, self.session(ADD), self.options()
        api.AddSessionConfigEntry(options, b"specimen", b"text")
        x, y = self.tensor(X), self.tensor(Y)
        info = self.new("TypeInfo", api.SessionGetInputTypeInfo(session, 0))
        run_options, arena = self.new("RunOptions", api.CreateRunOptions()), self.new(
            "ArenaCfg", api.CreateArenaCfg(0, -1, -1, -1)
        )
        return {
            "session": session, "overridable": self.session(OVERRIDABLE),
            "cuda": self.new("MemoryInfo", api.CreateMemoryInfo(b"Cuda", 0, 0, 0)), "options": options, "tensor": x,
            "strings": self.tensor(np.array(["a", "b"], object)), "values_xy": pointers([x, y]), "type_info": info,
            "shape_info": self.new("TensorTypeAndShapeInfo", api.GetTensorTypeAndShape(x)),
            "sequence": self.new("Value", api.CreateValue(pointers([x, y]), 2, 2)), "run_options": run_options, "arena": arena,
            "metadata": self.new("ModelMetadata", api.SessionGetModelMetadata(session)),
            "binding": self.bound(session, x, y), "domain": self.new("CustomOpDomain", api.CreateCustomOpDomain(b"tests")),
            "threading": self.new("ThreadingOptions", api.CreateThreadingOptions()),
            "container": self.new("PrepackedWeightsContainer", api.CreatePrepackedWeightsContainer()),
            "pairs": self.new("KeyValuePairs", api.CreateKeyValuePairs()),
            "attribute": self.new("OpAttr", api.CreateOpAttr(b"a", ctypes.byref(c_int64(7)), 1, 1)),
            "status": self.api.function("CreateStatus")(2, b"specimen"),
            "allocated": api.AllocatorAlloc(self.allocator, 64), "own_allocator": self.allocator,
        }  # fmt: skip

    def bound(self, session, x, y):
        binding = self.new("IoBinding", self.api.CreateIoBinding(session))
        self.api.BindInput(binding, b"x", x)
        self.api.BindInput(binding, b"y", y)
        self.api.BindOutputToDevice(binding, b"z", self.cpu)
        return binding

    def sparse_objects(self):
        """Returns sparse tensors: one with values and indices, one without indices, an empty one."""
        api, fresh = self.api, lambda: self.new(
            "Value", api.CreateSparseTensorAsOrtValue(self.allocator, dims(2, 3), 2, 1)
        )
        full = fresh()
        self.values_of_sparse = (c_float * 2)(1, 2)
        api.FillSparseTensorCoo(full, self.cpu, dims(2), 1, self.values_of_sparse, dims(0, 2), 2)
        bare = api.CreateSparseTensorWithValuesAsOrtValue(self.cpu, self.values_of_sparse, dims(2, 3), 2, dims(2), 1, 1)
        return {"sparse": full, "fresh_sparse": fresh(), "bare_sparse": self.new("Value", bare)}

    def container_objects(self):
        """Returns type information of a map and of a sequence."""
        api, keys, sequence = self.api, self.tensor(np.array([1, 2])), self.known["sequence"]
        pairs = self.new("Value", api.CreateValue(pointers([keys, self.tensor(np.ones(2, np.float32))]), 2, 3))
        infos = [self.new("TypeInfo", api.GetTypeInfo(value)) for value in (pairs, sequence)]
        return {"map": pairs, "map_info": api.CastTypeInfoToMapTypeInfo(infos[0]),
                "sequence_info": api.CastTypeInfoToSequenceTypeInfo(infos[1])}  # fmt: skip

    def device_objects(self):
        """Returns the device of the CPU's execution provider, and a position in a file."""
        devices, _ = self.api.GetEpDevices(self.env)
        device = ctypes.cast(devices, ctypes.POINTER(c_void_p))[0]
        external = self.new("ExternalInitializerInfo", self.api.CreateExternalInitializerInfo(b"file", 0, 8))
        return {
            "devices": devices,
            "device": device,
            "hardware": self.api.EpDevice_Device(device),
            "external": external,
        }

    def argument(self, word):
        """Returns the argument that a word of calls.txt represents."""
        if word == "out":
            return ctypes.create_string_buffer(64)
        if word not in self.known and not re.fullmatch(r"-?\d+", word):
            pytest.skip(f"{word} cannot be made: {self.missing}")
        return self.known[word] if word in self.known else int(word)


def read_calls():
    """Returns the words of the arguments of calls, by slot."""
    lines = Path(__file__).with_name("calls.txt").read_text().splitlines()
    calls = {name: words for name, *words in (line.split() for line in lines if not line.startswith("#"))}
    for name, words in calls.items():
        slot = SLOTS[name]
        assert len(words) == len(slot.inputs) + len(slot.outputs), name
    return calls


CALLS = read_calls()
