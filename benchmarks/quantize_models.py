"""Writes quantised forms of float models with ONNX Runtime's quantiser, for benchmarks/compare --quantized.

usage: python benchmarks/quantize_models.py MODEL.onnx... --out FOLDER [--kinds u8s8,s8s8,u8s8_qoperator,s8s8_qoperator,dynamic]

NAME.KIND.onnx: u8s8 and s8s8 are the types of activations and weights, in QDQ form, or in that of QOperator;
weights have a scale for each channel. Calibrated on four seeded inputs of normal distribution, symbolic dims being 1.
"""

import pathlib
import tempfile

import numpy as np
import onnx
import writers
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

SAMPLES = 4
STATIC = {
    "u8s8": (QuantType.QUInt8, QuantFormat.QDQ),
    "s8s8": (QuantType.QInt8, QuantFormat.QDQ),
    "u8s8_qoperator": (QuantType.QUInt8, QuantFormat.QOperator),
    "s8s8_qoperator": (QuantType.QInt8, QuantFormat.QOperator),
}
KINDS = [*STATIC, "dynamic"]


class Samples(CalibrationDataReader):
    def __init__(self, model):
        graph = onnx.load(model, load_external_data=False).graph
        constants = {tensor.name for tensor in graph.initializer}
        inputs = [(value.name, [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim])
                  for value in graph.input if value.name not in constants]  # fmt: skip
        random = np.random.default_rng(0)
        self.samples = iter([
            {name: random.standard_normal(shape).astype(np.float32) for name, shape in inputs} for _ in range(SAMPLES)
        ])  # fmt: skip

    def get_next(self):
        return next(self.samples, None)


def quantize(model, kind, out):
    if kind == "dynamic":
        return quantize_dynamic(model, out, weight_type=QuantType.QInt8)
    activations, form = STATIC[kind]
    with tempfile.TemporaryDirectory() as folder:
        ready = f"{folder}/model.onnx"
        quant_pre_process(model, ready, skip_symbolic_shape=True)
        quantize_static(ready, out, Samples(ready), quant_format=form, activation_type=activations,
                        weight_type=QuantType.QInt8, per_channel=True)  # fmt: skip


def main():
    parser = writers.parser(__doc__)
    parser.add_argument("models", nargs="+", metavar="MODEL.onnx", type=pathlib.Path)
    parser.add_argument("--kinds", type=writers.among(KINDS), default=["u8s8", "s8s8"], metavar="KIND,...")
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    for model in flags.models:
        for kind in flags.kinds:
            out = flags.out / f"{model.stem}.{kind}.onnx"
            quantize(model, kind, out)
            print(out, flush=True)


if __name__ == "__main__":
    main()
