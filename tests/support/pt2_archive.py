"""Writes .pt2 archives, valid ones as PyTorch does and malformed ones, without needing PyTorch."""

import copy
import json
import struct
import zlib

import numpy as np

FLOAT, LONG, BOOL = 7, 5, 12


class Member:
    """An entry of a ZIP file. `lies`: header fields with wrong values."""

    def __init__(self, name, data, **lies):
        self.name, self.data, self.lies = name, data, lies

    def local(self, offset):
        name = self.lies.get("local_name", self.name).encode()
        padding = -(offset + 30 + len(name) + 4) % 64
        extra = struct.pack("<HH", 0x4246, padding) + b"Z" * padding
        extra_bytes = self.lies.get("local_extra_bytes", len(extra))
        head = struct.pack("<IHHHHHIIIHH", self.lies.get("local_mark", 0x04034B50), 0, 0x0808,
                           self.lies.get("local_method", 0), 0, 0, 0, 0, 0, len(name), extra_bytes)
        size = len(self.data)
        descriptor = struct.pack("<IIII", 0x08074B50, zlib.crc32(self.data), size, size)
        return head + name + extra, descriptor

    def central(self, offset):
        get = self.lies.get
        name = get("central_name", self.name)
        name = name if isinstance(name, bytes) else name.encode()
        size = get("size", len(self.data))
        extra = get("extra", b"")
        return struct.pack("<IHHHHHHIIIHHHHHII", get("mark", 0x02014B50), 0, 0, get("flags", 0x0808), get("method", 0),
                           0, 0, get("crc", zlib.crc32(self.data)), get("stored_size", size), size,
                           get("name_bytes", len(name)), get("extra_bytes", len(extra)), get("comment_bytes", 0),
                           get("disk", 0), 0, 0, get("offset", offset)) + name + extra


def zip_bytes(members, zip64=True, comment=b"", before=b"", **lies):
    """Returns the archive of some members."""
    out, directory = bytearray(before), bytearray()
    for member in members:
        offset = len(out)
        head, descriptor = member.local(offset)
        out += head + member.data + descriptor
        directory += member.central(offset)
    get = lies.get
    offset, count = get("directory_offset", len(out)), get("count", len(members))
    size = get("directory_bytes", len(directory))
    out += directory
    end = len(out)
    if zip64:
        out += struct.pack("<IQHHIIQQQQ", get("end64_mark", 0x06064B50), get("end64_bytes", 44), 0x31E, 45,
                           get("disk64", 0), 0, get("count64", count), get("count64", count), get("size64", size),
                           get("offset64", offset))
        out += struct.pack("<IIQI", 0x07064B50, 0, get("locator", end), 1)
    out += struct.pack("<IHHHHIIH", get("end_mark", 0x06054B50), get("disk", 0), 0, count & 0xFFFF, count & 0xFFFF,
                       size & 0xFFFFFFFF, offset & 0xFFFFFFFF, get("comment_bytes", len(comment)))
    return bytes(out) + comment


def size(value):
    if isinstance(value, int):
        return {"as_int": value}
    return {"as_expr": {"expr_str": value, "hint": {"as_int": 2}}}


def meta(sizes, dtype=FLOAT, strides=None, offset=0):
    if strides is None:
        strides, step = [], 1
        for dim in reversed(sizes):
            strides.insert(0, step)
            step *= dim if isinstance(dim, int) else 1
    return {"dtype": dtype, "sizes": [size(s) for s in sizes], "requires_grad": False,
            "device": {"type": "cpu", "index": None}, "strides": [size(s) for s in strides],
            "storage_offset": size(offset), "layout": 7}


def tensor(name):
    return {"as_tensor": {"name": name}}


def node(target, output, **inputs):
    named = [{"name": name.rstrip("_"), "arg": arg, "kind": 1} for name, arg in inputs.items()]
    stack = 'File "/home/me/model.py", line 7, in forward\n    return f(x)'
    return {"target": target, "inputs": named, "outputs": [tensor(output)] if output else [],
            "metadata": {"stack_trace": stack, "nn_module_stack": "L__self__,,m.M;L__self__layer,layer,m.L"},
            "is_hop_single_tensor_return": None, "name": output}


def graph(inputs, nodes, outputs, values):
    return {"inputs": inputs, "outputs": outputs, "nodes": nodes, "tensor_values": values, "sym_int_values": {},
            "sym_bool_values": {}, "is_single_tensor_return": False, "custom_obj_values": {}, "sym_float_values": {}}


def program():
    """x [s0, 3] * weight [2, 3] (transposed) ...: an example of everything that a program may contain."""
    batch = "Symbol('s0', positive=True, integer=True)"
    body = graph([tensor("a")], [node("torch.ops.aten.sin.default", "sin", self=tensor("a"))], [tensor("sin")],
                 {"a": meta([batch, 2]), "sin": meta([batch, 2])})
    cond = node("torch.ops.higher_order.cond", "chosen")
    cond["inputs"] = [{"name": "", "arg": arg, "kind": 1} for arg in (
        tensor("mask"), {"as_graph": {"name": "true_graph_0", "graph": body}},
        {"as_graph": {"name": "false_graph_0", "graph": copy.deepcopy(body)}}, {"as_tensors": [{"name": "product"}]})]
    rows = node("torch.ops.aten.sym_size.int", None, self=tensor("x"), dim={"as_int": 0})
    rows["outputs"] = [{"as_sym_int": {"as_name": "rows"}}]
    nodes = [node("torch.ops.aten.linear.default", "product", input=tensor("x"), weight=tensor("p_weight")), cond, rows,
             node("torch.ops.aten.view.default", "y", self=tensor("chosen"),
                  size={"as_sym_ints": [{"as_name": "rows"}, {"as_int": 2}]})]
    values = {"p_weight": meta([2, 3], strides=[1, 2]), "b_scale": meta([2]), "mask": meta([], BOOL),
              "c_table": meta([4], LONG), "x": meta([batch, 3]), "product": meta([batch, 2]),
              "chosen": meta([batch, 2]), "y": meta([batch, 2])}
    outer = graph([tensor(n) for n in ("p_weight", "b_scale", "mask", "c_table", "x")], nodes, [tensor("y")], values)
    outer["sym_int_values"] = {"rows": size(batch)}
    leaf = {"type": None, "context": None, "children_spec": []}
    inputs = {"type": "builtins.tuple", "context": "null", "children_spec": [
        {"type": "builtins.tuple", "context": "null", "children_spec": [leaf]},
        {"type": "builtins.dict", "context": "[]", "children_spec": []}]}
    outputs = {"type": "builtins.dict", "context": '["y"]', "children_spec": [leaf]}
    signature = {"input_specs": [
        {"parameter": {"arg": {"name": "p_weight"}, "parameter_name": "weight"}},
        {"buffer": {"arg": {"name": "b_scale"}, "buffer_name": "scale", "persistent": True}},
        {"buffer": {"arg": {"name": "mask"}, "buffer_name": "mask", "persistent": False}},
        {"tensor_constant": {"arg": {"name": "c_table"}, "tensor_constant_name": "table"}},
        {"user_input": {"arg": tensor("x")}}], "output_specs": [{"user_output": {"arg": tensor("y")}}]}
    calls = [{"fqn": "", "signature": {"inputs": [], "outputs": [], "in_spec": json.dumps([1, inputs]),
                                       "out_spec": json.dumps([1, outputs]), "forward_arg_names": ["x"]}}]
    return {"graph_module": {"graph": outer, "signature": signature, "module_call_graph": calls, "metadata": {},
                             "treespec_namedtuple_fields": {}},
            "opset_version": {"aten": 10}, "range_constraints": {"s0": {"min_val": 0, "max_val": None}},
            "schema_version": {"major": 8, "minor": 20}, "verifiers": ["TRAINING"], "torch_version": "2.13.0+cpu",
            "guards_code": []}


def counter():
    """The same, times the buffer `scale`, which the program doubles."""
    result = program()
    graph_, signature = result["graph_module"]["graph"], result["graph_module"]["signature"]
    batch = "Symbol('s0', positive=True, integer=True)"
    graph_["nodes"] += [
        node("torch.ops.aten.mul.Tensor", "scaled", self=tensor("y"), other=tensor("b_scale")),
        node("torch.ops.aten.add.Tensor", "doubled", self=tensor("b_scale"), other=tensor("b_scale"))]
    graph_["tensor_values"] |= {"scaled": meta([batch, 2]), "doubled": meta([2])}
    graph_["outputs"] = [tensor("doubled"), tensor("scaled")]
    signature["output_specs"] = [{"buffer_mutation": {"arg": {"name": "doubled"}, "buffer_name": "scale"}},
                                 {"user_output": {"arg": tensor("scaled")}}]
    return result


def payload(path, tensor_meta, parameter=False):
    return {"path_name": path, "is_param": parameter, "use_pickle": False, "tensor_meta": tensor_meta}


def weights():
    return {"config": {"weight": payload("weight_0", meta([2, 3], strides=[1, 2]), True),
                       "scale": payload("weight_1", meta([2], offset=1))}}


def constants():
    return {"config": {"table": payload("tensor_0", meta([4], LONG)), "mask": payload("tensor_1", meta([], BOOL))}}


def members(model=None, weight=None, constant=None, folder="m/"):
    """Returns the members of a valid archive, with the given parts instead of the default ones. Texts are already
    JSON."""
    def text(value):
        return value.encode() if isinstance(value, str) else json.dumps(value).encode()

    parts = {
        "data/weights/weight_0": struct.pack("<6f", 1, 2, 3, 4, 5, 6),
        "data/weights/weight_1": struct.pack("<3f", 7, 8, 9),
        "data/weights/model_weights_config.json": text(weights() if weight is None else weight),
        "data/constants/tensor_0": struct.pack("<4q", 1, 2, 3, 4),
        "data/constants/tensor_1": b"\x02",
        "data/constants/model_constants_config.json": text(constants() if constant is None else constant),
        "models/model.json": text(program() if model is None else model),
        "archive_format": b"pt2", "archive_version": b"0", ".data/version": b"6\n", "byteorder": b"little",
    }
    return [Member(folder + name, data) for name, data in parts.items()]


def expected(x, times=1):
    """Returns the outputs of program(), and of counter() in its `times`-th run."""
    y = np.sin(x.astype(np.float64) @ np.array([[1, 3, 5], [2, 4, 6]]).T)
    return y, y * np.array([8, 9]) * 2 ** (times - 1)
