"""Small models as the bytes of their files."""

from onnx import TensorProto, helper


def model(nodes, inputs, outputs, initializers=(), *, opset=21, domains=None, graph_doc="", ir=10, **fields):
    """inputs and outputs: (name, TensorProto type, shape), or a ValueInfoProto. fields: of the ModelProto."""
    values = [[v if hasattr(v, "type") else helper.make_tensor_value_info(*v) for v in side] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, "graph", *values, initializer=list(initializers), doc_string=graph_doc)
    imports = [helper.make_opsetid(*item) for item in {"": opset, **(domains or {})}.items()]
    return helper.make_model(graph, ir_version=ir, opset_imports=imports, **fields).SerializeToString()


def identity(dtype=TensorProto.FLOAT, shape=("N", 3), **fields):
    """y = x"""
    return model([helper.make_node("Identity", ["x"], ["y"])], [("x", dtype, shape)], [("y", dtype, shape)], **fields)


def endless():
    """A loop that ends if `go` is False: y = x, doubled in every round."""
    turn = [helper.make_node("Identity", ["go"], ["more"]), helper.make_node("Add", ["v", "v"], ["w"])]
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        turn, "body",
        [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, []), info("v", TensorProto.FLOAT, ["N"])],
        [info("more", TensorProto.BOOL, []), info("w", TensorProto.FLOAT, ["N"])])  # fmt: skip
    loop = helper.make_node("Loop", ["", "go", "x"], ["y"], body=body)
    return model([loop], [("go", TensorProto.BOOL, []), ("x", TensorProto.FLOAT, ["N"])], [("y", TensorProto.FLOAT, ["N"])])
