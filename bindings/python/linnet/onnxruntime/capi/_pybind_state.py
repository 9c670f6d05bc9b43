"""All of onnxruntime_pybind11_state."""

from linnet.onnxruntime.capi.onnxruntime_pybind11_state import *
from linnet.onnxruntime.capi.onnxruntime_pybind11_state import __getattr__
