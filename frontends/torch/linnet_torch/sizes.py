"""The sizes of dynamic axes: their names in a file, and other sizes to try.

The name of an axis may be an expression of others, such as "past + T" or, as torch.export.Dim writes them, "2*N".
"""

import ast
import operator

from .errors import ExportError

_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv}


def dim_name(dim, axis: int, input_name: str) -> str:
    """Returns the name of a dim in a file: the caller's, or one made from the input's if it is unnamed (Dim.AUTO)."""
    return dim if isinstance(dim, str) else getattr(dim, "__name__", f"{input_name}_dim_{axis}")


def check_sizes(request) -> None:
    """Raises ExportError if the example has two sizes for a name."""
    sizes = {}
    for tensor, name, axes in zip(request.arguments.tensors(), request.input_names, request.axes):
        for axis, dim in axes.items():
            known = sizes.setdefault(dim_name(dim, axis, name), tensor.shape[axis])
            if known != tensor.shape[axis]:
                raise ExportError(f"the dynamic axis {dim_name(dim, axis, name)} has sizes {known} and {tensor.shape[axis]}")


def shapes_with(request, choose) -> list[list[int]]:
    """Returns the shape of each tensor of the arguments with other sizes.

    The i-th named size becomes choose(size, i), within the range of its torch.export.Dim. An expression becomes its
    value.
    """
    shapes = [list(tensor.shape) for tensor in request.arguments.tensors()]
    named = [
        (shape, axis, dim_name(dim, axis, name), dim)
        for shape, name, axes in zip(shapes, request.input_names, request.axes)
        for axis, dim in axes.items()
    ]
    sizes = {}
    for shape, axis, name, dim in named:
        if name not in sizes and not is_expression(name):
            sizes[name] = _within(choose(shape[axis], len(sizes)), dim)
    for shape, axis, name, _ in named:
        value = _value(name, sizes)
        shape[axis] = choose(shape[axis], 0) if value is None else value
    return shapes


def is_expression(name: str) -> bool:
    """Whether a name is an expression of other names. "batch size" is a name, not an expression; "past+T" is one."""
    tree = _parsed(name)
    return tree is not None and not isinstance(tree, ast.Name)


def _parsed(name: str):
    try:
        return ast.parse(name.strip(), mode="eval").body
    except SyntaxError:
        return None


def _value(name: str, sizes: dict):
    """Returns None if the name is an expression of unknown names."""
    return sizes[name] if name in sizes else _evaluate(_parsed(name), sizes)


def _evaluate(tree, sizes: dict):
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int):
        return tree.value
    if isinstance(tree, ast.Name):
        return sizes.get(tree.id)
    if not isinstance(tree, ast.BinOp) or type(tree.op) not in _OPERATORS:
        return None
    left, right = _evaluate(tree.left, sizes), _evaluate(tree.right, sizes)
    return None if left is None or right is None else _OPERATORS[type(tree.op)](left, right)


def _within(size: int, dim) -> int:
    least, most = getattr(dim, "min", None), getattr(dim, "max", None)
    size = size if not isinstance(most, int) else min(size, most)
    return size if not isinstance(least, int) else max(size, least)
