"""Makes seeds for the fuzz targets: models of every operator, arrays, values, images, and bytes that determine choices.

usage: make_seeds.py FOLDER [--configurations N] [--operators N]
"""

import argparse
import contextlib
import io
import random
import re
import struct
import sys
from pathlib import Path

import numpy as np
from onnx import numpy_helper

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / folder) for folder in ("differential", "support", "hostile")]

import drawn_models  # noqa: E402
import model_cases  # noqa: E402
import operator_cases  # noqa: E402
from operator_forms import forms  # noqa: E402

MOST_BYTES = 1 << 14


def models(configurations, operators):
    """Yields models of each operator, or of some."""
    schemas = sorted(drawn_models.latest(), key=lambda schema: (schema.domain, schema.name))
    for schema in random.Random(1).sample(schemas, min(operators, len(schemas))):
        for i, drawn in enumerate(drawn_models.draws(schema, configurations)):
            with contextlib.suppress(ValueError):
                yield f"{schema.domain or 'onnx'}.{schema.name}.{i}", drawn.model().SerializeToString()


def catalogue():
    """Yields models that no engine should accept, or that crashed one."""
    for name, (model, _) in model_cases.cases().items():
        yield f"bad.{name}", model if isinstance(model, bytes) else model.SerializeToString()
    for i, case in enumerate(operator_cases.CASES):
        for form, model, *_ in forms(case):
            yield f"bad.{i}.{case.op}.{form}", model.SerializeToString()


def arrays():
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    for name, array in {"floats": values, "texts": np.array(["a", "bc"]), "columns": np.asfortranarray(values)}.items():
        file = io.BytesIO()
        np.save(file, array)
        yield f"{name}.npy", file.getvalue()
    file = io.BytesIO()
    np.savez_compressed(file, x=values, y=values > 3)
    yield "two.npz", file.getvalue()


def values():
    """Yields values, each after a byte that determines its kind."""
    for name, array in {"floats": np.ones((2, 3), np.float32), "texts": np.array([b"a", b"bc"], object)}.items():
        yield f"{name}.pb", b"\0" + numpy_helper.from_array(array).SerializeToString()
    yield "sequence.pb", b"\1" + numpy_helper.from_list([np.ones(2, np.float32)]).SerializeToString()
    yield "optional.pb", b"\2" + numpy_helper.from_optional(np.ones(2, np.float32)).SerializeToString()
    yield "map.pb", b"\3" + numpy_helper.from_dict({1: np.float32(1), 2: np.float32(2)}).SerializeToString()


def images():
    """Yields the images of the unit tests and, for formats that need no library, images of 1 x 2 pixels."""
    text = (TESTS / "ops" / "image" / "image_files.h").read_text()
    for name, digits in re.findall(r'k(\w+) =\s*((?:"\w+"\s*)+);', text):
        yield name, bytes.fromhex("".join(re.findall(r'"(\w+)"', digits)))
    yield "plain.ppm", b"P3 1 2 255 1 2 3 4 5 6"
    yield "raw.ppm", b"P6 1 2 255 \1\2\3\4\5\6"
    yield "24_bits.bmp", b"BM" + struct.pack("<IIIIiiHHIIIIII8x", 62, 0, 54, 40, 1, 2, 1, 24, 0, 8, 0, 0, 0, 0)


def choices(count):
    chance = random.Random(1)
    for i in range(count):
        yield f"{i}", chance.randbytes(chance.randint(8, 200))


def write(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, contents in files:
        if len(contents) <= MOST_BYTES:
            (folder / name).write_bytes(contents)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--configurations", type=int, default=3, help="of each operator")
    parser.add_argument("--operators", type=int, default=1000, help="drawn from all")
    arguments = parser.parse_args()
    found = list(models(arguments.configurations, arguments.operators))
    for target, files in {
        "model": [*found, *catalogue()],
        "graph": found,
        "operator": choices(100),
        "api": choices(100),
        "rules": choices(300),
        "arrays": arrays(),
        "value": values(),
        "image": images(),
    }.items():
        write(arguments.folder / target, files)


if __name__ == "__main__":
    main()
