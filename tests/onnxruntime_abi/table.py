"""The tables of ONNX Runtime's C ABI: every slot with its number, its name and its signature."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_void_p
from dataclasses import dataclass
from pathlib import Path

TYPES = {
    "i": ctypes.c_int32, "u": ctypes.c_uint32, "l": ctypes.c_int64, "q": ctypes.c_uint64, "z": ctypes.c_size_t,
    "b": ctypes.c_bool, "f": ctypes.c_float, "p": c_void_p, "s": c_char_p, "-": None,
}  # fmt: skip


class Failed(Exception):
    """A status other than success."""

    def __init__(self, code, text):
        super().__init__(f"[{code}] {text}")
        self.code, self.text = code, text


@dataclass(frozen=True)
class Slot:
    """One function of a table."""

    number: int
    name: str
    inputs: tuple
    outputs: tuple
    result: str

    @property
    def prototype(self):
        """Returns the ctypes type of the function."""
        types = [TYPES[letter] for letter in self.inputs] + [c_void_p] * len(self.outputs)
        return CFUNCTYPE(TYPES[self.result], *types)

    @property
    def gives_status(self):
        return self.result == "status"


TYPES["status"] = c_void_p


def read_slot(line):
    """Returns the slot that one line of slots.txt describes."""
    signature, _, result = line.partition(" = ")
    number, name, *parameters = signature.split()
    inputs = tuple(letter for letter in parameters if letter[0] != ">")
    outputs = tuple(letter[1:] for letter in parameters if letter[0] == ">")
    return Slot(int(number), name, inputs, outputs, result or "status")


def read_tables():
    """Returns all tables by name. Each contains its slots by name."""
    tables = {}
    for line in Path(__file__).with_name("slots.txt").read_text().splitlines():
        if line.startswith("["):
            slots = tables[line.strip("[]")] = {}
        elif not line.startswith("#"):
            slot = read_slot(line)
            slots[slot.name] = slot
    return tables


TABLES = read_tables()
SLOTS = TABLES["OrtApi"]


class Table:
    """The functions of one table of a library, as attributes.

    A call may omit the results at its end. It then returns them, as one value or a tuple. Statuses of failure are
    raised as Failed.
    """

    def __init__(self, address, name, statuses=None):
        self.address, self.slots = address, TABLES[name]
        self.pointers = ctypes.cast(address, POINTER(c_void_p))
        self.statuses = statuses or self

    def function(self, name):
        """Returns the function in a slot, as a callable that returns what C returns."""
        slot = self.slots[name]
        return slot.prototype(self.pointers[slot.number])

    def __getattr__(self, name):
        if name not in self.slots:
            raise AttributeError(name)
        slot, function = self.slots[name], self.function(name)

        def call(*arguments):
            missing = len(slot.inputs) + len(slot.outputs) - len(arguments)
            assert 0 <= missing <= len(slot.outputs), f"{name} takes {slot.inputs} and {slot.outputs}"
            results = [TYPES[letter]() for letter in slot.outputs[len(slot.outputs) - missing :]]
            value = function(*arguments, *(byref(result) for result in results))
            if slot.gives_status:
                self.statuses.check(value)
                value = None
            values = [result.value for result in results]
            return value if not values else values[0] if len(values) == 1 else tuple(values)

        setattr(self, name, call)
        return call

    def check(self, status):
        """Raises the failure in a status, and releases it."""
        if status:
            code, text = self.GetErrorCode(status), self.GetErrorMessage(status)
            self.ReleaseStatus(status)
            raise Failed(code, text.decode(errors="replace"))


class Library:
    """A shared library with ONNX Runtime's entry point."""

    def __init__(self, path):
        self.path = str(path)
        self.library = ctypes.CDLL(self.path)
        self.library.OrtGetApiBase.restype = POINTER(c_void_p)
        base = self.library.OrtGetApiBase()
        self.get_api = CFUNCTYPE(c_void_p, ctypes.c_uint32)(base[0])
        self.version_string = CFUNCTYPE(c_char_p)(base[1])

    def api(self, version=32):
        """Returns the library's table for a version."""
        return Table(self.get_api(version), "OrtApi")
