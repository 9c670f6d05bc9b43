"""Functions that Linnet's exporter uses both on programs of torch.export and on TorchScript."""

from .errors import ExportError
from .request import Request
from .symbolics import SELU_DOMAIN

_OLDEST_OPSET, _DEFAULT_OPSET, _NEWEST_OPSET, _DEFORM_CONV_OPSET = 13, 17, 25, 19


def opset_of(request: Request) -> int:
    """Returns the opset of the file: 17 unless another is requested; DeformConv needs 19."""
    opset = _DEFAULT_OPSET if request.opset_version is None else request.opset_version
    if not _OLDEST_OPSET <= opset <= _NEWEST_OPSET:
        raise ExportError(
            f"opset_version must be {_OLDEST_OPSET} to {_NEWEST_OPSET} with Linnet's exporter, got {opset}"
        )
    return max(opset, _DEFORM_CONV_OPSET) if request.forms["deform_conv"] == "standard" else opset


def functions_of(request: Request) -> dict:
    """Returns domain and name of the model functions that replace operators, by operator."""
    result = {"aten::selu": [SELU_DOMAIN, "Selu"]} if request.forms["selu"] == "function" else {}
    for overload, function in request.translations.items():
        if not hasattr(function, "to_function_proto"):
            raise ExportError(
                f"custom_translation_table: Linnet's exporter takes functions of onnxscript.script only, for {overload}"
            )
        proto = function.to_function_proto()
        schema = overload._schema
        name = f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name
        result[name] = [proto.domain, proto.name]
    return result
