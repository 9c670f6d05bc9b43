"""Operators of com.microsoft on complex numbers and matrices, for which ONNX Runtime has no CPU kernels."""

import numpy as np
from by_operator import own


def complex_of(x):
    wide = x.astype(np.float64)
    return wide[..., 0] + 1j * wide[..., 1]


def parts(z):
    return np.stack([z.real, z.imag], -1)


@own("com.microsoft.ComplexMul", "com.microsoft.ComplexMulConj")
def complex_mul(configuration):
    a, b = map(complex_of, configuration.inputs)
    return [parts(a * (b.conj() if configuration.schema.name == "ComplexMulConj" else b))]


@own("com.microsoft.Rfft")
def rfft(configuration):
    axes = range(-configuration.attributes["signal_ndim"], 0)
    return [parts(np.fft.rfftn(configuration.inputs[0].astype(np.float64), axes=axes))]


@own("com.microsoft.Irfft")
def irfft(configuration):
    axes = range(-configuration.attributes["signal_ndim"], 0)
    return [np.fft.irfftn(complex_of(configuration.inputs[0]), axes=axes)]


@own("com.microsoft.Inverse")
def inverse(configuration):
    return [np.linalg.inv(configuration.inputs[0].astype(np.float64))]
