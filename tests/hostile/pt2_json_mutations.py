"""Programs and tables of weights whose JSON has invalid contents."""

import copy

import pt2_archive
from pt2_archive import BOOL, FLOAT, LONG, meta, members, node, size, tensor, zip_bytes

MODEL, UNSUPPORTED, LIMIT, OK = "model", "unsupported", "limit", "ok"
ABSENT = object()


def put(root, path, value):
    """Replaces the value at a path such as "a.0.b", or removes it if the new value is ABSENT."""
    keys = [int(key) if key.lstrip("-").isdigit() else key for key in path.split(".")]
    for key in keys[:-1]:
        root = root[key]
    if value is ABSENT:
        del root[keys[-1]]
    else:
        root[keys[-1]] = value


GRAPH = "graph_module.graph."
SIGNATURE = "graph_module.signature."
CALL = "graph_module.module_call_graph.0.signature."
X = GRAPH + "tensor_values.x."
ARG = GRAPH + "nodes.0.inputs.0.arg"


def expr(text):
    return {"as_expr": {"expr_str": text, "hint": None}}


def nested(head, depth):
    return f"{head}(Integer(1), " * depth + "Integer(1)" + ")" * depth


EXPRESSIONS = [
    ("", MODEL), ("Integer(", MODEL), ("Integer(2))", MODEL), ("Symbol()", MODEL), ("Symbol('s0", MODEL),
    ("Mul(Integer(2) Integer(3))", MODEL), ("1.5", MODEL), ("-", MODEL), ("a b", MODEL), ("Integer(-1)", MODEL),
    ("Symbol('s0', positive=positive=True)", MODEL), (nested("Add", 10_000), LIMIT), ("(" * 10_000, LIMIT),
    ("Integer(99999999999999999999999)", UNSUPPORTED),
    ("Unknown(Symbol('s9'), 'text', key=Integer(1))", UNSUPPORTED),
    ("oo", UNSUPPORTED),
    ("Float('1.5', precision=53)", UNSUPPORTED),
    ("Pow(Integer(9), Integer(9999999999))", UNSUPPORTED),
    ("Mul()", UNSUPPORTED),
    ("FloorDiv(Integer(1), Integer(0))", UNSUPPORTED),
    ("Mod(Integer(-9223372036854775808), Integer(-1))", UNSUPPORTED),
    ("Mul(Integer(9223372036854775807), Integer(9223372036854775807))", UNSUPPORTED),
    (nested("Add", 150), OK),
    ("Pow(Integer(2), Integer(-9223372036854775808))", UNSUPPORTED),
    ("Rational(1, 0)", UNSUPPORTED),
    ("Float('nan')", UNSUPPORTED),
    ("Mul(" + "Symbol('s0'), " * 50_000 + "Integer(0))", UNSUPPORTED),
]

# (name, path, value, kind)
PROGRAM = [
    ("unknown_field", "novelty", {"a": [1]}, OK),
    ("unknown_node_field", GRAPH + "nodes.0.novelty", 1, OK),
    ("no_schema", "schema_version", ABSENT, MODEL),
    ("schema_7", "schema_version.major", 7, UNSUPPORTED),
    ("schema_9", "schema_version.major", 9, UNSUPPORTED),
    ("schema_minor", "schema_version.minor", 999, OK),
    ("schema_text", "schema_version.major", "8", MODEL),
    ("no_graph", "graph_module.graph", ABSENT, MODEL),
    ("no_signature", "graph_module.signature", ABSENT, MODEL),
    ("no_verifiers", "verifiers", ABSENT, OK),
    ("no_torch_version", "torch_version", ABSENT, OK),
    ("no_guards", "guards_code", ABSENT, OK),
    ("no_calls", "graph_module.module_call_graph", [], OK),
    ("no_metadata", GRAPH + "nodes.0.metadata", ABSENT, OK),
    ("metadata_list", GRAPH + "nodes.0.metadata", [], MODEL),
    ("no_node_name", GRAPH + "nodes.0.name", ABSENT, OK),
    ("no_target", GRAPH + "nodes.0.target", ABSENT, MODEL),
    ("target_number", GRAPH + "nodes.0.target", 3, MODEL),
    ("no_nodes", GRAPH + "nodes", [], MODEL),
    ("nodes_object", GRAPH + "nodes", {}, MODEL),
    ("node_null", GRAPH + "nodes.0", None, MODEL),
    ("no_input_name", GRAPH + "nodes.0.inputs.0.name", ABSENT, MODEL),
    ("unknown_kind", ARG, {"as_tensor_list_of_the_future": []}, UNSUPPORTED),
    ("no_kind", ARG, {}, MODEL),
    ("two_kinds", ARG, {"as_int": 1, "as_tensor": {"name": "x"}}, MODEL),
    ("kind_list", ARG, [], MODEL),
    ("int_text", ARG, {"as_int": "1"}, MODEL),
    ("int_float", ARG, {"as_int": 1.5}, MODEL),
    ("int_too_large", ARG, {"as_int": 1 << 70}, MODEL),
    ("int_unsigned", ARG, {"as_int": (1 << 64) - 1}, MODEL),
    ("int_least", ARG, {"as_int": -(1 << 63)}, UNSUPPORTED),
    ("ints_mixed", ARG, {"as_ints": [1, "2"]}, MODEL),
    ("float_text", ARG, {"as_float": "Infinite"}, MODEL),
    ("float_infinity", ARG, {"as_float": "-Infinity"}, UNSUPPORTED),
    ("bool_number", ARG, {"as_bool": 1}, MODEL),
    ("complex_part", ARG, {"as_complex": {"real": 1.0}}, MODEL),
    ("scalar_type_99", ARG, {"as_scalar_type": 99}, UNSUPPORTED),
    ("memory_format_9", ARG, {"as_memory_format": 9}, UNSUPPORTED),
    ("layout_minus", ARG, {"as_layout": -1}, UNSUPPORTED),
    ("device_empty", ARG, {"as_device": {}}, MODEL),
    ("sym_int_kind", ARG, {"as_sym_int": {"as_float": 1.0}}, MODEL),
    ("sym_int_unknown", ARG, {"as_sym_int": {"as_name": "nobody"}}, MODEL),
    ("sym_ints_unknown", ARG, {"as_sym_ints": [{"as_int": 1}, {"as_name": "nobody"}]}, MODEL),
    ("tensors_unknown", ARG, {"as_tensors": [{"name": "nobody"}]}, MODEL),
    ("nested_unknown", ARG, {"as_nested_tensors": [[{"name": "nobody"}]]}, MODEL),
    ("optional_unknown", ARG, {"as_optional_tensors": [{"as_none": True}, {"as_tensor": {"name": "nobody"}}]}, MODEL),
    ("map_unknown", ARG, {"as_string_to_argument": {"k": tensor("nobody")}}, MODEL),
    ("custom_obj_unknown", ARG, {"as_custom_obj": {"name": "nobody", "class_fqn": "C"}}, MODEL),
    ("graph_without_graph", ARG, {"as_graph": {"name": "g"}}, MODEL),
    ("body_reads_outer", GRAPH + "nodes.1.inputs.1.arg.as_graph.graph.nodes.0.inputs.0.arg", tensor("x"), MODEL),
    ("reads_itself", ARG, tensor("product"), MODEL),
    ("reads_later", ARG, tensor("y"), MODEL),
    ("defined_twice", GRAPH + "nodes.0.outputs", [tensor("y")], MODEL),
    ("defines_input", GRAPH + "nodes.0.outputs", [tensor("x")], MODEL),
    ("input_twice", GRAPH + "inputs.0", tensor("x"), MODEL),
    ("output_unknown", GRAPH + "outputs.0", tensor("nobody"), MODEL),
    ("no_outputs_of_node", GRAPH + "nodes.3.outputs", [], MODEL),
    ("no_tensor_value", GRAPH + "tensor_values.y", ABSENT, MODEL),
    ("no_tensor_values", GRAPH + "tensor_values", {}, MODEL),
    ("input_is_no_tensor", GRAPH + "inputs.1", {"as_sym_int": {"as_name": "b_scale"}}, MODEL),
    ("more_inputs", GRAPH + "inputs.4", tensor("z"), MODEL),
    ("tensor_null", GRAPH + "tensor_values.x", None, MODEL),
    ("dtype_0", X + "dtype", 0, UNSUPPORTED),
    ("dtype_complex32", X + "dtype", 9, UNSUPPORTED),
    ("dtype_minus", X + "dtype", -1, UNSUPPORTED),
    ("sparse", X + "layout", 1, UNSUPPORTED),
    ("size_minus", X + "sizes.1", size(-3), MODEL),
    ("stride_minus", X + "strides.1", size(-3), MODEL),
    ("offset_minus", X + "storage_offset", size(-3), MODEL),
    ("size_huge", X + "sizes.1", size((1 << 63) - 1), UNSUPPORTED),
    ("size_beyond", X + "sizes.1", size(1 << 63), MODEL),
    ("fewer_strides", X + "strides", [size(1)], MODEL),
    ("rank_17", X[:-1], meta([1] * 17), LIMIT),
    ("rank_100000", X[:-1], meta([1] * 100_000), LIMIT),
    ("no_sizes", X + "sizes", ABSENT, MODEL),
    ("size_kind", X + "sizes.0", {"as_size": 1}, MODEL),
    ("expr_number", X + "sizes.0", {"as_expr": 1}, MODEL),
    ("fewer_input_specs", SIGNATURE + "input_specs", [], MODEL),
    ("other_input_spec", SIGNATURE + "input_specs.4.user_input.arg", tensor("mask"), MODEL),
    ("unknown_input_spec", SIGNATURE + "input_specs.4", {"novel_input": {}}, UNSUPPORTED),
    ("custom_obj_for_tensor", SIGNATURE + "input_specs.4",
     {"custom_obj": {"arg": {"name": "x", "class_fqn": "C"}, "custom_obj_name": "o"}}, MODEL),
    ("object_read_as_tensor", GRAPH + "inputs.4", {"as_custom_obj": {"name": "x", "class_fqn": "C"}}, MODEL),
    ("tensor_read_as_int", ARG, {"as_sym_int": {"as_name": "x"}}, MODEL),
    ("unknown_output_spec", SIGNATURE + "output_specs.0", {"novel_output": {}}, UNSUPPORTED),
    ("mutation_unknown", SIGNATURE + "output_specs.0", {"buffer_mutation": {"arg": {"name": "y"}}}, MODEL),
    ("mutation", SIGNATURE + "output_specs.0", {"buffer_mutation": {"arg": {"name": "y"}, "buffer_name": "scale"}}, OK),
    ("parameter_unknown", SIGNATURE + "input_specs.0.parameter.parameter_name", "nobody", MODEL),
    ("parameter_other", SIGNATURE + "input_specs.0.parameter.parameter_name", "scale", MODEL),
    ("buffer_persistent", SIGNATURE + "input_specs.2.buffer.persistent", True, MODEL),
    ("persistent_text", SIGNATURE + "input_specs.2.buffer.persistent", "no", MODEL),
    ("weight_other_dtype", GRAPH + "tensor_values.b_scale.dtype", LONG, MODEL),
    ("weight_other_size", GRAPH + "tensor_values.b_scale.sizes.0", size(3), MODEL),
    ("tree_cut", CALL + "in_spec", "[1, {", MODEL),
    ("tree_protocol", CALL + "in_spec", "[2, {}]", UNSUPPORTED),
    ("tree_empty", CALL + "in_spec", "[]", MODEL),
    ("tree_number", CALL + "in_spec", 3, MODEL),
    ("tree_children", CALL + "in_spec", '[1, {"type": "builtins.list"}]', MODEL),
    ("tree_names", CALL + "out_spec",
     '[1, {"type": "builtins.dict", "context": "[\\"a\\", \\"b\\"]", "children_spec": []}]', MODEL),
    ("tree_context", CALL + "out_spec",
     '[1, {"type": "builtins.dict", "context": "[", "children_spec": []}]', MODEL),
    ("tree_unknown_type", CALL + "out_spec", '[1, {"type": "my.Cache", "context": "x", "children_spec": []}]', OK),
    ("tree_deep", CALL + "out_spec",
     "[1, " + '{"type": "builtins.list", "context": "null", "children_spec": [' * 500 + "]}" * 500 + "]", LIMIT),
    ("arg_names", CALL + "forward_arg_names", [1], MODEL),
    ("no_arg_names", CALL + "forward_arg_names", None, OK),
    ("range_text", "range_constraints.s0.min_val", "none", MODEL),
    ("range_infinite", "range_constraints.s0.max_val", "Infinity", OK),
    ("range_huge", "range_constraints.s0.max_val", 1 << 80, OK),
    ("opset_text", "opset_version.aten", "10", MODEL),
]


def deep_bodies(depth):
    program = pt2_archive.program()
    body = pt2_archive.graph([], [], [], {})
    for _ in range(depth):
        call = node("torch.ops.higher_order.cond", None, a={"as_graph": {"name": "g", "graph": body}})
        body = pt2_archive.graph([], [call], [], {})
    put(program, ARG, {"as_graph": {"name": "g", "graph": body}})
    return zip_bytes(members(model=program))


def programs():
    for name, path, value, kind in PROGRAM:
        program = pt2_archive.program()
        put(program, path, value)
        yield "program_" + name, zip_bytes(members(model=program)), kind
    for i, (text, kind) in enumerate(EXPRESSIONS):
        program = pt2_archive.program()
        put(program, X + "sizes.0", expr(text))
        yield f"program_expression_{i}", zip_bytes(members(model=program)), kind
    for depth, kind in ((15, UNSUPPORTED), (70, LIMIT), (120, LIMIT)):
        yield f"program_bodies_{depth}", deep_bodies(depth), kind
    program = pt2_archive.program()
    custom = {"name": "o", "class_fqn": "C"}
    program["graph_module"]["graph"]["inputs"].append({"as_custom_obj": custom})
    program["graph_module"]["signature"]["input_specs"].append({"custom_obj": {"arg": custom, "custom_obj_name": "o"}})
    yield "program_custom_obj", zip_bytes(members(model=program)), UNSUPPORTED
    program = pt2_archive.program()
    program["graph_module"]["graph"]["tensor_values"] |= {f"t{i}": meta([i]) for i in range(20_000)}
    yield "program_many_values", zip_bytes(members(model=program)), OK


HUGE = (1 << 62) + 1

CONFIG = [
    ("unknown_field", "config.weight.novelty", 1, OK),
    ("unused", "config.other", None, OK),
    ("no_config", "config", ABSENT, MODEL),
    ("config_list", "config", [], MODEL),
    ("payload_null", "config.weight", None, MODEL),
    ("no_path", "config.weight.path_name", ABSENT, MODEL),
    ("path_number", "config.weight.path_name", 1, MODEL),
    ("path_unknown", "config.weight.path_name", "weight_9", MODEL),
    ("path_up", "config.weight.path_name", "../weights/weight_0", MODEL),
    ("path_absolute", "config.weight.path_name", "/etc/passwd", MODEL),
    ("pickle", "config.weight.use_pickle", True, UNSUPPORTED),
    ("pickle_text", "config.weight.use_pickle", "no", MODEL),
    ("no_meta", "config.weight.tensor_meta", None, UNSUPPORTED),
    ("meta_list", "config.weight.tensor_meta", [], MODEL),
    ("tied", "config.scale", pt2_archive.payload("weight_0", meta([2], offset=2)), OK),
]

# Tensors in place of "weight", whose storage has 24 bytes.
VIEWS = [
    ("beyond", meta([2, 3], strides=[1, 3]), MODEL),
    ("beyond_offset", meta([2, 3], offset=1), MODEL),
    ("offset_huge", meta([2, 3], offset=HUGE), LIMIT),
    ("offset_minus", meta([2, 3], offset=-1), MODEL),
    ("strides_huge", meta([2, 3], strides=[HUGE, HUGE]), LIMIT),
    ("strides_minus", meta([2, 3], strides=[-1, 1]), MODEL),
    ("sizes_huge", meta([1 << 31, 1 << 31, 1 << 31]), LIMIT),
    ("sizes_zero_huge", meta([0, 1 << 62, 1 << 62], strides=[1, 1, 1]), MODEL),
    ("size_minus", meta([-2, 3], strides=[3, 1]), MODEL),
    ("size_symbol", meta(["Symbol('s0')", 3], strides=[3, 1]), MODEL),
    ("broadcast_bomb", meta([1 << 40, 3], strides=[0, 1]), LIMIT),
    ("broadcast_large", meta([1 << 28, 3], strides=[0, 1]), LIMIT),
    ("other_shape", meta([6]), MODEL),
    ("other_order", meta([3, 2]), MODEL),
    ("dtype_other", meta([2, 3], LONG), MODEL),
    ("dtype_narrow", meta([2, 3], BOOL), MODEL),
    ("rank_17", meta([1] * 17), LIMIT),
    ("empty", meta([0, 3]), MODEL),
    ("scalar", meta([]), MODEL),
    ("overlapping", meta([2, 3], strides=[0, 0]), OK),
    ("fewer_strides", meta([2, 3], strides=[1]), MODEL),
]


def many_views(count):
    """Each tensor reads the same storage, which the file contains once."""
    program, weights = pt2_archive.program(), pt2_archive.weights()
    outer = program["graph_module"]["graph"]
    for i in range(count):
        outer["inputs"].insert(0, tensor(f"p{i}"))
        outer["tensor_values"][f"p{i}"] = meta([1 << 22, i + 1], strides=[0, 0])
        program["graph_module"]["signature"]["input_specs"].insert(
            0, {"parameter": {"arg": {"name": f"p{i}"}, "parameter_name": f"p{i}"}})
        weights["config"][f"p{i}"] = pt2_archive.payload("weight_0", meta([1 << 22, i + 1], strides=[0, 0]))
    return zip_bytes(members(model=program, weight=weights))


def configs():
    for name, path, value, kind in CONFIG:
        weights = pt2_archive.weights()
        put(weights, path, value)
        yield "config_" + name, zip_bytes(members(weight=weights)), kind
    for name, view, kind in VIEWS:
        weights = pt2_archive.weights()
        weights["config"]["weight"]["tensor_meta"] = view
        yield "view_" + name, zip_bytes(members(weight=weights)), kind
    both = pt2_archive.constants()
    both["config"]["weight"] = pt2_archive.payload("tensor_0", meta([4], LONG))
    yield "config_two_tables", zip_bytes(members(constant=both)), OK
    yield "config_many_views", many_views(40), LIMIT
    fake = members()
    fake[0].data = b""
    yield "fake_tensor", zip_bytes(fake), UNSUPPORTED


VALUES = (None, True, 0, 1, -1, 1 << 31, (1 << 63) - 1, 1 << 64, 1.5, 1e300, "", "x", "Infinity", [], [1], {}, {"a": 1},
          {"as_int": -1}, {"as_tensor": {"name": "x"}}, {"as_none": True}, [[]], FLOAT)


def places(value, path=()):
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


def drawn(draw, weights):
    """Returns an archive in which one to three JSON values are changed, removed, or replaced by copies of other
    values."""
    program, config = pt2_archive.program(), pt2_archive.weights()
    root = config if weights else program
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        below = [place for place in places(root) if place]
        if not below:
            break
        *path, last = draw.choice(below)
        at = root
        for key in path:
            at = at[key]
        other = root
        for key in draw.choice(list(places(root))):
            other = other[key]
        choice = draw.randrange(8)
        if choice == 0:
            del at[last]
        else:
            at[last] = copy.deepcopy(draw.choice(VALUES) if choice > 2 else other)
    return zip_bytes(members(model=program, weight=config))
