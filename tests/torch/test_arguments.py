"""Arguments and results of modules: all that torch.export supports, and objects that hold tensors."""

import dataclasses
import functools

import linnet_torch
import numpy as np
import onnx
import pytest
import torch
from exported import assert_close
from installation import EXPORTERS
from linnet_torch import nested
from torch import nn

X = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])


def decorated(forward):
    """Passes keywords on as the library transformers does."""

    @functools.wraps(forward)
    def wrapper(self, *args, flag=None, **kwargs):
        return forward(self, *args, flag=flag, **kwargs)

    return wrapper


class Decorated(nn.Module):
    @decorated
    def forward(self, x, flag=None, **kwargs):
        return x * 2


class OnlyDict(nn.Module):
    def forward(self, batch):
        return {"sum": batch["a"] + batch["b"]}


class Further(nn.Module):
    def forward(self, first, *more, scale, **named):
        return first + more[0] * more[1] + scale - named["offset"]


@dataclasses.dataclass
class Pair:
    value: torch.Tensor
    name: str
    other: torch.Tensor


class DataclassOut(nn.Module):
    def forward(self, x):
        return Pair(x * 3, "three", x + 1)


class Layer:
    def __init__(self, keys):
        self.keys, self.window = keys, 7


class Cache:
    """Resembles caches of transformers: objects in a list that a call changes."""

    def __init__(self, layers):
        self.layers = layers


class CacheModule(nn.Module):
    def forward(self, x, cache):
        for layer in cache.layers:
            layer.keys = torch.cat([layer.keys, x])
        return x * 2, cache


def outputs(run_model, file, *tensors):
    names = [value.name for value in onnx.load(str(file)).graph.input]
    given = {name: tensor.numpy() for name, tensor in zip(names, tensors, strict=True)}
    return list(run_model.outputs(file, given).values())


@pytest.fixture(params=EXPORTERS)
def export(request, tmp_path):
    def export(module, args, **options):
        linnet_torch.export(module, args, tmp_path / "m.onnx", exporter=request.param, **options)
        return tmp_path / "m.onnx"

    return export


@pytest.mark.parametrize("args, kwargs", [(({"x": X},), None), ((), {"x": X})], ids=["torch.onnx's way", "kwargs"])
def test_keywords_of_a_decorated_forward(run_model, export, args, kwargs):
    file = export(Decorated(), args, kwargs=kwargs)
    assert_close(outputs(run_model, file, X)[0], 2 * X.double().numpy())


def test_a_dict_is_the_only_argument(run_model, export):
    file = export(OnlyDict(), ({"a": X, "b": X + 1},), dynamic_shapes={"batch": {"a": {0: "N"}, "b": {0: "N"}}})
    longer = torch.rand(5, 3)
    assert_close(outputs(run_model, file, longer, longer)[0], 2 * longer.double().numpy())


def test_further_and_named_arguments(run_model, export):
    file = export(Further(), (X, X + 1, X + 2), kwargs={"offset": X - 1, "scale": X * 2})
    names = [value.name for value in onnx.load(str(file)).graph.input]
    assert names == ["first", "more_0", "more_1", "scale", "offset"]
    wide = X.double().numpy()
    expected = wide + (wide + 1) * (wide + 2) + 2 * wide - (wide - 1)
    assert_close(outputs(run_model, file, X, X + 1, X + 2, X * 2, X - 1)[0], expected)


def test_dataclass_result(run_model, export):
    got = outputs(run_model, export(DataclassOut(), X), X)
    assert len(got) == 2
    assert_close(got[0], 3 * X.double().numpy())
    assert_close(got[1], X.double().numpy() + 1)


def test_objects_that_hold_tensors(run_model, export):
    cache = Cache([Layer(X + 1), Layer(X + 2)])
    file = export(CacheModule(), (X, cache), dynamic_shapes={"cache": [{0: "past"}, {0: "past"}]})
    assert [layer.keys.shape[0] for layer in cache.layers] == [2, 2]
    long = torch.rand(5, 3)
    got = outputs(run_model, file, X, long, long + 1)
    assert len(got) == 3
    assert_close(got[2], np.concatenate([long.numpy() + 1, X.numpy()]).astype(np.float64), 0)


def test_structure_survives():
    value = {"a": (X, [X + 1, None, "text"]), "b": Pair(X + 2, "name", X + 3), "c": nn.Linear(2, 2)}
    mapped = nested.map_tensors(value, lambda tensor: tensor.sum())
    assert [tensor.dim() for tensor in nested.flatten(mapped)] == [0] * 4
    assert (mapped["a"][1][1:], mapped["b"].name, mapped["c"]) == ([None, "text"], "name", value["c"])
    assert value["b"].value.dim() == 2
