"""Writes valid cases of every operator and version for vary_operators.

Each is a model of one node, NAME.onnx, whose tensors are initializers. Its sequences, optionals and maps are inputs,
with their values in NAME.INPUT.pb. names.txt contains every word that may be an attribute name in the sources of
operators.
"""

import contextlib
import re
import sys
from pathlib import Path

import numpy as np
from onnx import helper

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("differential", "support")]

import microsoft_schemas  # noqa: E402, F401  Registers the schemas of com.microsoft.
from by_operator import title  # noqa: E402
from configuration import Configuration  # noqa: E402
from containers import tensor_proto, tensors, type_proto, value_proto  # noqa: E402
from draw import Impossible, SeededDraw  # noqa: E402
from families import family_of  # noqa: E402
from onnx import defs  # noqa: E402
from own_cases import CASES  # noqa: E402

# The number of configurations that are generated for each that is kept.
DRAWS = 4


def is_tensor(configuration, i):
    return isinstance(configuration.inputs[i], np.ndarray) and "(" not in configuration.input_type(i)


def files(configuration):
    """Yields the files of a configuration's case, each with the suffix of its name."""
    model = Configuration.model(configuration)
    del model.graph.initializer[:], model.graph.input[:]
    for i, value in enumerate(configuration.inputs):
        name, kind = f"x{i}", configuration.input_type(i) if value is not None else ""
        if value is None:
            continue
        if is_tensor(configuration, i):
            model.graph.initializer.append(tensor_proto(value, name))
        else:
            model.graph.input.append(helper.make_value_info(name, type_proto(kind)))
            yield f"{name}.pb", value_proto(value, kind).SerializeToString()
    yield "onnx", model.SerializeToString()


def own_model(case):
    names = ["" if value is None else f"x{i}" for i, value in enumerate(case.inputs)]
    results = [f"y{i}" for i in range(case.outputs)]
    node = helper.make_node(case.op, names, results, domain=case.domain, **case.attributes)
    constants = [tensor_proto(np.asarray(x), f"x{i}") for i, x in enumerate(case.inputs) if x is not None]
    graph = helper.make_graph([node], "own", [], [helper.make_empty_tensor_value_info(name) for name in results], constants)
    opsets = [helper.make_opsetid(case.domain, case.opset)] + [helper.make_opsetid("", 21)] * bool(case.domain)
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def fullness(configuration):
    """Returns a key that is greater for more informative configurations: inputs, attributes, outputs, no dim of 0;
    floats, which have most kernels."""
    given = [x for value in configuration.inputs for x in tensors(value)]
    floats = any(x.dtype == np.float32 for x in given)
    return (all(x.size for x in given), floats, len(given) + len(configuration.attributes) + configuration.outputs)


def configurations(schema, count):
    """Returns the most informative of some generated configurations, then others."""
    drawn = []
    for seed in range(20 * DRAWS):
        with contextlib.suppress(Impossible):
            drawn.append(family_of(schema)(SeededDraw(schema, seed)))
        if len(drawn) == DRAWS * count:
            break
    drawn.sort(key=fullness, reverse=True)
    return drawn[:1] + drawn[1 :: max(1, len(drawn) // max(1, count - 1))][: count - 1]


def schemas(all_versions):
    """Returns every version of every operator, or only the first and the last."""
    found = [schema for schema in defs.get_all_schemas_with_history() if not schema.deprecated]
    found.sort(key=lambda schema: (schema.domain, schema.name, schema.since_version))
    if all_versions:
        return found
    ends = {}
    for schema in found:
        ends.setdefault((schema.domain, schema.name), {}).setdefault("first", schema)
        ends[schema.domain, schema.name]["last"] = schema
    return [schema for pair in ends.values() for schema in {id(entry): entry for entry in pair.values()}.values()]


def words():
    """Returns possible attribute names: the words in string literals in the sources of operators."""
    text = "".join(path.read_text() for path in (ROOT / "ops").rglob("*.[ch]*"))
    return sorted(set(re.findall(r'"([A-Za-z_]\w*)"', text)))


def write(folder, count=1, all_versions=True):
    """Writes `count` cases of each version, or one of the first and the last."""
    for schema in schemas(all_versions):
        for i, configuration in enumerate(configurations(schema, count)):
            name = f"{schema.domain or 'ai.onnx'}.{schema.name}.{schema.since_version}.{i}"
            for suffix, contents in files(configuration):
                (folder / f"{name}.{suffix}").write_bytes(contents)
    for i, case in enumerate(CASES):
        name = f"{case.domain or 'ai.onnx'}.{case.op}.{case.opset}.own{i}.onnx"
        (folder / name).write_bytes(own_model(case).SerializeToString())
    (folder / "names.txt").write_text("\n".join(words()))
