"""Models whose names, attributes, functions, nodes or outputs take more memory than the bytes of their file."""

import numpy as np
from demanding import BOOL, FLOAT, INT64, STRING, constant, info, node
from hungry import HUNGRY, MICROSOFT, ML
from onnx import AttributeProto, helper

IMPORTS = [helper.make_opsetid("", 21), helper.make_opsetid(ML, 5), helper.make_opsetid(MICROSOFT, 1), helper.make_opsetid("f", 1)]
Kind = AttributeProto


def model(nodes, inputs, outputs=(("y", FLOAT, None),), initializers=(), functions=()):
    graph = helper.make_graph(nodes, "g", [info(*i) for i in inputs], [info(*o) for o in outputs], list(initializers))
    return helper.make_model(graph, opset_imports=IMPORTS, functions=list(functions), ir_version=10)


def hungry_graph(function):
    HUNGRY[function.__name__] = function


def chain(op_type, count, **attributes):
    names = ["x", *(f"t{i}" for i in range(count - 1)), "y"]
    return [node(op_type, [names[i]], [names[i + 1]], **attributes) for i in range(count)]


# Names.


@hungry_graph
def long_names_of_dims():
    return model(chain("Relu", 3000), [("x", FLOAT, [f"{'d' * 400_000}{i}" for i in range(4)])])


@hungry_graph
def one_dim_of_inputs_with_long_names():
    inputs = [(f"{'i' * 400_000}{i}", FLOAT, ["N"] * 16) for i in range(10)]
    return model([node("Sum", [name for name, *_ in inputs], ["y"])], inputs)


@hungry_graph
def calls_in_calls_of_long_names():
    """The names in each call have a long prefix."""
    inner = helper.make_function("f", "F", ["x"], ["y"], [node("G", ["x"], ["y"], domain="f", name="n" * 400_000)], IMPORTS)
    empty = helper.make_function("f", "G", ["x"], ["x"], [], IMPORTS)
    return model(chain("F", 1000, domain="f"), [("x", FLOAT, [1])], functions=[inner, empty])


@hungry_graph
def long_names_of_values_in_calls():
    inner = helper.make_function("f", "F", ["x"], ["y"], [node("Relu", ["x"], ["n" * 400_000], name="k"), node("Relu", ["n" * 400_000], ["y"])], IMPORTS)
    return model(chain("F", 1000, domain="f"), [("x", FLOAT, [1])], functions=[inner])


@hungry_graph
def long_names_of_captured_values():
    """Bodies name them after the values around the call."""
    def branch(op_type):
        return helper.make_graph([node(op_type, ["a"], ["r"])], op_type, [], [info("r", FLOAT, None)])
    nodes = [node("If", ["c"], [f"t{i}"], then_branch=branch("Relu"), else_branch=branch("Sigmoid")) for i in range(1000)]
    function = helper.make_function("f", "F", ["a", "c"], ["y"], [*nodes, node("Sum", [f"t{i}" for i in range(1000)], ["y"])], IMPORTS)
    name = "n" * 400_000
    calls = [node("Relu", ["x"], [name]), node("F", [name, "c"], ["y"], domain="f")]
    return model(calls, [("x", FLOAT, [1]), ("c", BOOL, [])], functions=[function])


# Attributes that functions repeat.


def repeated(op_type, name, kind, value, dtype=FLOAT, count=1000, weights=()):
    """A single value, which a call passes to each node of a function by reference. With weights, all dims are
    unknown."""

    def build():
        nodes = chain(op_type, count)
        for each in nodes:
            each.input.extend(weights)
            each.attribute.append(Kind(name=name, type=kind, ref_attr_name="v"))
        names = ["x", *weights]
        function = helper.make_function("f", "F", names, ["y"], nodes, IMPORTS, attributes=["v"])
        inputs = [(name, dtype, None if weights else [1]) for name in names]
        return model([node("F", names, ["y"], domain="f", v=value)], inputs, [("y", dtype, None)], functions=[function])

    return build


WORDS = [str(i) for i in range(20_000)]
HUNGRY["repeated_stop_words"] = repeated("StringNormalizer", "stopwords", Kind.STRINGS, WORDS, STRING)
HUNGRY["repeated_strings"] = repeated("Relu", "unknown", Kind.STRINGS, WORDS)
HUNGRY["repeated_ints"] = repeated("Relu", "unknown", Kind.INTS, list(range(100_000)))
HUNGRY["repeated_floats"] = repeated("Relu", "unknown", Kind.FLOATS, [1.0] * 100_000)
HUNGRY["repeated_pads"] = repeated("Conv", "pads", Kind.INTS, list(range(100_000)), count=75, weights=["w"])
HUNGRY["repeated_text"] = repeated("Relu", "unknown", Kind.STRING, "s" * 400_000)


@hungry_graph
def repeated_empty_strings():
    function = helper.make_function("f", "F", ["x"], ["y"], [node("Relu", ["x"], ["y"], unknown=[""] * 200_000)], IMPORTS)
    return model(chain("F", 60, domain="f"), [("x", FLOAT, [1])], functions=[function])


@hungry_graph
def functions_that_nobody_calls():
    functions = [helper.make_function("f", f"F{i}", ["a"], ["b"], [node("Relu", ["a"], ["b"])], IMPORTS[:1]) for i in range(60_000)]
    return model(chain("Relu", 1), [("x", FLOAT, [1])], functions=functions)


# Nodes of many inputs and outputs.


@hungry_graph
def sum_of_many():
    return model([node("Sum", ["x"] * 200_000, ["y"])], [("x", FLOAT, [1])])


@hungry_graph
def largest_of_many():
    return model([node("Max", ["x"] + ["c"] * 200_000, ["y"])], [("x", FLOAT, [1])], initializers=[constant("c", [1])])


@hungry_graph
def many_pieces():
    count = 100_000
    names = [f"y{i}" for i in range(count)]
    return model([node("Split", ["x"], names, axis=0, num_outputs=count)], [("x", FLOAT, [count])], [(n, FLOAT, None) for n in names])


@hungry_graph
def many_outputs():
    names = [f"y{i}" for i in range(20_000)]
    nodes = [node("LeakyRelu", ["x"], [name], alpha=i / 20_000) for i, name in enumerate(names)]
    return model(nodes, [("x", FLOAT, [2])], [(name, FLOAT, None) for name in names])


# Operators whose memory depends on attributes and texts.


@hungry_graph
def heads_of_a_sink():
    inputs = [*((name, FLOAT, ["B", "S", "D"]) for name in "qkv"), ("last", 6, [1]), ("total", 6, [])]
    outputs = [(name, FLOAT, None) for name in ("y", "keys", "values")]
    attention = node("GroupQueryAttention", ["q", "k", "v", "", "", "last", "total"], ["y", "keys", "values"], domain=MICROSOFT,
                     num_heads=300_000_000, kv_num_heads=300_000_000, smooth_softmax=1)  # fmt: skip
    return model([attention], inputs, outputs)


@hungry_graph
def padding_of_tokens():
    texts = ["a " * 1000] + ["a"] * 1000
    tokens = node("Tokenizer", ["texts"], ["y"], domain=MICROSOFT, pad_value="p" * 100_000, mark=0, mincharnum=1, separators=[" "])
    return model([tokens], [], [("y", STRING, None)], [helper.make_tensor("texts", STRING, [len(texts)], [t.encode() for t in texts])])


@hungry_graph
def cast_map():
    count = 1_000_000
    nodes = [node("ConstantOfShape", ["shape"], ["x"]), node("ZipMap", ["x"], ["maps"], domain=ML, classlabels_int64s=list(range(count))),
             node("SequenceAt", ["maps", "first"], ["map"]), node("CastMap", ["map"], ["y"], domain=ML, cast_to="TO_FLOAT")]  # fmt: skip
    return model(nodes, [], initializers=[constant("shape", [1, count], np.int64), constant("first", 0, np.int64)])


@hungry_graph
def long_words_as_keys():
    words = [f"{i}".rjust(60, "w") for i in range(150_000)]
    encoder = node("LabelEncoder", ["x"], ["y"], domain=ML, keys_strings=words, values_int64s=[0] * len(words))
    return model([encoder], [("x", STRING, [1])], [("y", INT64, None)])
