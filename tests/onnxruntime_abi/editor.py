"""Models that are built with the editing interface."""

import ctypes

from abi_models import X
from session_support import dims, pointers, strings
from table import Table


class Editor:
    """The editing interface, with the objects of a test."""

    def __init__(self, ort):
        self.ort, self.api = ort, ort.api
        self.table = Table(ort.api.GetModelEditorApi(), "OrtModelEditorApi", ort.api)

    def tensor_type(self, kind, *shape):
        """Returns type information of a tensor."""
        info = self.ort.new("TensorTypeAndShapeInfo", self.api.CreateTensorTypeAndShapeInfo())
        self.api.SetTensorElementType(info, kind)
        self.api.SetDimensions(info, dims(*shape), len(shape))
        return self.ort.new("TypeInfo", self.table.CreateTensorTypeInfo(info))

    def value(self, name, kind=1, shape=(2, 3)):
        """Returns the name and the type of a value. The object that receives it owns it."""
        return self.table.CreateValueInfo(name.encode(), self.tensor_type(kind, *shape))

    def node(self, operator, inputs, outputs, name="", domain="", attributes=()):
        """Returns a node. The graph that receives it owns it."""
        return self.table.CreateNode(operator.encode(), domain.encode(), name.encode(), strings(inputs), len(inputs),
                                     strings(outputs), len(outputs), pointers(attributes), len(attributes))  # fmt: skip

    def graph(self, inputs, outputs, nodes, weights=(), external=False):
        """Returns a graph, which owns its weights. The model that receives it owns it."""
        graph = self.table.CreateGraph()
        self.table.SetGraphInputs(graph, pointers(inputs), len(inputs))
        self.table.SetGraphOutputs(graph, pointers(outputs), len(outputs))
        for name, tensor in dict(weights).items():
            self.table.AddInitializerToGraph(graph, name.encode(), tensor, external)
            self.ort.held.remove(("Value", tensor))
        for node in nodes:
            self.table.AddNodeToGraph(graph, node)
        return graph

    def model(self, graph, domains=(("", 17),)):
        """Returns a model. The caller owns it."""
        names, versions = zip(*domains)
        numbers = (ctypes.c_int32 * len(versions))(*versions)
        model = self.ort.new("Model", self.table.CreateModel(strings(names), numbers, len(names)))
        self.table.AddGraphToModel(model, graph)
        return model

    def session(self, model, options=None):
        return self.ort.new(
            "Session", self.table.CreateSessionFromModel(self.ort.env, model, options or self.ort.options())
        )

    def add_model(self, weight=X):
        """z = x + w."""
        tensor = self.ort.tensor(weight)
        return self.model(
            self.graph(
                [self.value("x")], [self.value("z")], [self.node("Add", ["x", "w"], ["z"], "sum")], {"w": tensor}
            )
        )
