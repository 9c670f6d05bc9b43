"""The example arguments of an export: their names, and how PyTorch's exporters get them."""

import contextlib
import copy
import inspect

import torch

from .errors import ExportError
from .nested import flatten, leaves, map_tensors


class Arguments:
    """Arguments as torch.onnx.export takes them: a tensor, or a tuple whose last element may be a dict of keywords."""

    def __init__(self, module: torch.nn.Module, args):
        args = args if isinstance(args, tuple) else (args,)
        positional, keywords = (args[:-1], args[-1]) if args and isinstance(args[-1], dict) else (args, {})
        try:
            bound = _signature(module).bind(*positional, **keywords)
        except TypeError as error:
            raise ExportError(f"args do not fit {type(module).__name__}.forward: {error}") from None
        bound.apply_defaults()
        self._positional, self._keywords = bound.args, bound.kwargs
        self.by_parameter = bound.arguments

    def names(self) -> list[str]:
        """Of each tensor: its parameter's name; where a parameter holds several, name_0, name_1 ..."""
        result = []
        for name, value in self.by_parameter.items():
            single = isinstance(value, torch.Tensor)
            result += [name if single else f"{name}_{i}" for i in range(len(flatten(value)))]
        return result

    def tensors(self) -> list[torch.Tensor]:
        return flatten((self._positional, self._keywords))

    def doubled(self, axes: list[dict]):
        """The same with twice the length of the axes named for each tensor."""
        result, rest = copy.copy(self), iter(axes)

        def double(tensor):
            for axis in next(rest):
                tensor = torch.cat([tensor, tensor], axis)
            return tensor

        result._positional = map_tensors(self._positional, double)
        result._keywords = map_tensors(self._keywords, double)
        return result

    def call(self, module: torch.nn.Module):
        """module(...) on copies, so that a module that writes into its inputs leaves the caller's tensors alone."""
        return module(*map_tensors(self._positional, _copy), **map_tensors(self._keywords, _copy))

    @contextlib.contextmanager
    def exported(self, module: torch.nn.Module):
        """Yields the arguments to give to the TorchScript exporter for `module`: as they are where it takes them so.

        It makes graph inputs of Python numbers, takes a dict in last place for keywords and knows no keyword-only
        parameters.
        """
        if isinstance(module, torch.jit.ScriptModule) or self._is_plain():
            yield map_tensors(self._positional, _copy)
        else:
            with self.tensors_alone(module) as tensors:
                yield tensors

    @contextlib.contextmanager
    def tensors_alone(self, module: torch.nn.Module):
        """Yields the tensors in a flat tuple, and lets module.forward take them for as long as the context lasts.

        The module sees all else as it was given, so it becomes constant in the file. It returns its tensors in a flat
        tuple, too.
        """
        own = vars(module).get("forward")
        module.forward = self._forward_of_tensors(module.forward)
        try:
            yield tuple(map(_copy, self.tensors()))
        finally:
            del module.forward
            if own is not None:
                module.forward = own

    def _is_plain(self) -> bool:
        tensors_only = all(leaf is None or isinstance(leaf, torch.Tensor) for leaf in leaves(self._positional))
        return tensors_only and not self._keywords and not any(isinstance(arg, dict) for arg in self._positional)

    def _forward_of_tensors(self, forward):
        def forward_of_tensors(*tensors):
            rest = iter(tensors)
            positional = map_tensors(self._positional, lambda _: next(rest))
            return tuple(flatten(forward(*positional, **map_tensors(self._keywords, lambda _: next(rest)))))

        return forward_of_tensors


def _signature(module: torch.nn.Module) -> inspect.Signature:
    if not isinstance(module, torch.jit.ScriptModule):
        return inspect.signature(module.forward)
    arguments = module.forward.schema.arguments[1:]
    kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    return inspect.Signature(
        [
            inspect.Parameter(a.name, kind, default=a.default_value if a.has_default_value() else empty)
            for a in arguments
        ]
    )


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()
