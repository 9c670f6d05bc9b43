"""Programs of torch.export as modules that can be exported like any other."""

import inspect
import os

import torch


def is_program(module) -> bool:
    """Whether `module` is a program, or the path of one."""
    return isinstance(module, (str, os.PathLike)) or is_loaded(module)


def load(program):
    """Returns the program of a .pt2 file; returns a loaded program unchanged."""
    return program if is_loaded(program) else torch.export.load(os.fspath(program))


def example_of(program) -> tuple:
    """Returns the arguments and keywords that the program was made with."""
    return program.example_inputs or ((), {})


def is_loaded(module) -> bool:
    return hasattr(torch, "export") and isinstance(module, torch.export.ExportedProgram)


def as_module(program) -> torch.nn.Module:
    """Returns the program as a module that can be called by position or name, and traced."""
    unguarded = {"check_guards": False} if "check_guards" in inspect.signature(program.module).parameters else {}
    module = program.module(**unguarded)
    # The program requires the exact arguments that it was made with, and refuses changes of mode.
    module._forward_pre_hooks.clear()
    for name in ("train", "eval"):
        vars(module).pop(name, None)
    _make_traceable(module)
    return module


def dynamic_axes(program) -> list[dict]:
    """Returns the dynamic axes of each tensor of the arguments, in order, with the names that torch.export assigned."""
    return [
        {axis: str(size) for axis, size in enumerate(shape) if isinstance(size, torch.SymInt)}
        for shape in input_shapes(program)
    ]


def input_shapes(program) -> list[list]:
    """Returns the shape of each tensor of the arguments, in order: numbers and symbols."""
    inputs = set(program.graph_signature.user_inputs)
    values = [node.meta["val"] for node in program.graph.nodes if node.op == "placeholder" and node.name in inputs]
    return [[_size(size) for size in value.shape] for value in values if isinstance(value, torch.Tensor)]


def _size(size):
    """Returns a symbol that can only be one number as that number."""
    return int(str(size)) if str(size).isdigit() else size


def _make_traceable(module) -> None:
    """Makes sizes computed by methods and functions of Python, which the tracer of TorchScript sees, not by
    operators."""
    for node in list(module.graph.nodes):
        if node.op != "call_function":
            continue
        if node.target is torch.ops.aten.sym_size.int:
            node.op, node.target = "call_method", "size"
        elif _is_assertion(node.target):
            module.graph.erase_node(node)
        elif any(isinstance(value.meta.get("val"), torch.SymInt) for value in node.all_input_nodes):
            node.target = _function_of(node.target)
    module.recompile()


def _is_assertion(target) -> bool:
    return str(target).startswith(("aten._assert", "aten.sym_constrain"))


def _function_of(operator):
    """Returns the Python function that does what an operator does and takes the same arguments."""
    if operator is torch.ops.aten.slice.Tensor:
        return _slice
    if not isinstance(operator, torch._ops.OpOverload) or operator.namespace != "aten":
        return operator
    name = operator._schema.name.split("::")[1]
    places = (torch.Tensor, torch._C._VariableFunctions, torch._C._nn)
    return next((getattr(place, name) for place in places if hasattr(place, name)), operator)


def _slice(x, dim=0, start=None, end=None, step=1):
    return x[(slice(None),) * (dim % x.dim()) + (slice(start, end, step),)]
