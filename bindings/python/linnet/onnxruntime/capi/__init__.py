"""The names that applications import from onnxruntime.capi."""

from linnet.onnxruntime.capi import _pybind_state, onnxruntime_inference_collection, onnxruntime_pybind11_state

__all__ = ["_pybind_state", "onnxruntime_inference_collection", "onnxruntime_pybind11_state"]
