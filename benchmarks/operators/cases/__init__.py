"""The cases, in modules by the folders of ONNX's operator definitions (onnx/defs); UNTIMED has the operators without
cases."""

import dataclasses
import importlib

import notation

GROUPS = ("math", "logical", "tensor", "reduction", "nn", "rnn", "image", "quantization", "object_detection", "sequence",
          "controlflow", "text", "training", "traditionalml", "microsoft", "microsoft_quantized")  # fmt: skip

# Why it makes no sense to time them.
UNTIMED = {
    "Constant": "folded: nothing runs",
    "com.microsoft.WhisperBeamSearch": "BeamSearch with other bodies",
    **dict.fromkeys(
        ("Optional", "OptionalGetElement", "OptionalHasElement"),
        "no computation, and ONNX Runtime takes no optional from Python",
    ),  # fmt: skip
    **dict.fromkeys(
        [f"com.microsoft.{name}" for name in ("ComplexMul", "ComplexMulConj", "Irfft", "Rfft")],
        "ONNX Runtime has no kernel for CPUs",
    ),
}


def load():
    found = []
    for group in GROUPS:
        first = len(notation.CASES)
        importlib.import_module(f"cases.{group}")
        found += [dataclasses.replace(case, group=group) for case in notation.CASES[first:]]
    return found


CASES = load()
