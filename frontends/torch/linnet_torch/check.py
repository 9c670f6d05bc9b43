"""Runs an exported file with run_model and compares its outputs with PyTorch's."""

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator

import numpy as np
import onnx
import torch

from . import rounding, suspects
from .arguments import Arguments
from .comparison import compare
from .draws import draw
from .engine import run
from .errors import ExportError, MismatchError
from .request import Request
from .sizes import shapes_with


@dataclass
class Check:
    """Compares the files of one export with the same results; see linnet_torch.export."""

    run_model: str
    atol: float
    rtol: float
    cases: list = field(default_factory=list)

    def __call__(self, path: Path, request: Request) -> None:
        """Raises MismatchError if outputs differ, and ExportError if run_model cannot run the file."""
        model = onnx.load(str(path), load_external_data=False)
        self.cases = self.cases or list(_cases(request))
        for case in self.cases:
            try:
                self._compare(path, model, request, case)
            except ExportError as error:
                raise type(error)(f"{path}: {case.name}: {error}" if case.name else f"{path}: {error}") from None

    def _compare(self, path: Path, model: onnx.ModelProto, request: Request, case: "_Case") -> None:
        read = {value.name for value in model.graph.input}
        named = zip(request.input_names, map(array, case.arguments.tensors()))
        inputs = {name: value for name, value in named if name in read}
        expected = dict(zip(request.output_names, map(array, case.results)))
        got = run(self.run_model, path, inputs)
        bounds = {"atol": self.atol, "rtol": self.rtol}
        try:
            return compare(got, expected, **bounds)
        except MismatchError:
            slack = rounding.slack(request, case.arguments, case.results, model)
            bounds["slack"] = dict(zip(request.output_names, slack))
        random = [name for name, each in bounds["slack"].items() if np.ndim(each) == 0 and np.isposinf(each)]
        if random:
            warnings.warn(f"of {', '.join(random)} only type and shape are compared: the values are random", stacklevel=5)
        try:
            compare(got, expected, **bounds)
        except MismatchError as error:
            agrees = lambda other: _agrees(other, expected, bounds)  # noqa: E731
            suspect = suspects.suspect(self.run_model, path, inputs, not case.name, agrees)
            raise MismatchError(f"{error}. {suspect}") from None


@dataclass
class _Case:
    name: str  # empty for the example itself
    arguments: Arguments
    results: list


def _cases(request: Request) -> Iterator[_Case]:
    """Yields the example, random inputs of its sizes and, if axes are dynamic, inputs of other sizes.

    Omits inputs that the module rejects, and inputs with results that are not finite unless the example's are not
    either.
    """
    example = request.results(request.arguments)
    yield _Case("", request.arguments, example)
    generator = torch.Generator().manual_seed(0)
    for name, choose, negative in _PLANS if any(request.axes) else _PLANS[:2]:
        shapes = shapes_with(request, choose)
        tensors = [draw(tensor, shape, generator, negative)
                   for tensor, shape in zip(request.arguments.tensors(), shapes)]
        arguments = request.arguments.with_tensors(tensors)
        try:
            if request.quantised is not None:  # quantised operators accept inputs that others reject
                request.results(arguments, request.module)
            results = request.results(arguments)
        except Exception:  # a module may raise anything on inputs that it rejects
            continue
        if _is_finite(results) or not _is_finite(example):
            yield _Case(name, arguments, results)


# The name, the size of the i-th dynamic dim computed from the example's, and whether numbers are negative.
_PLANS = [
    ("with random inputs", lambda size, i: size, False),
    ("with negative inputs", lambda size, i: size, True),
    ("with dynamic axes twice as long", lambda size, i: 2 * size, False),
    ("with dynamic axes longer by 1, 2, 3 ...", lambda size, i: size + 1 + i, False),
]


def _agrees(got: dict, expected: dict, bounds: dict) -> bool:
    try:
        compare(got, expected, **bounds)
        return True
    except MismatchError:
        return False


def _is_finite(results: list) -> bool:
    return all(bool(result.isfinite().all()) for result in results)


def array(tensor: torch.Tensor):
    return tensor.detach().cpu().resolve_conj().numpy()
