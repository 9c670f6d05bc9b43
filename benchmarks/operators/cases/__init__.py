"""The cases, in modules by the folders of ONNX's operator definitions (onnx/defs). UNTIMED lists the operators without
a case."""

import dataclasses
import importlib

import notation

GROUPS = ("math", "logical", "tensor", "reduction", "nn", "rnn", "image", "quantization", "object_detection", "sequence",
          "controlflow", "text", "training", "traditionalml", "microsoft", "microsoft_quantized")  # fmt: skip

# The reason why timing them is not meaningful.
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
