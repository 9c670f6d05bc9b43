"""What optimum takes from onnxruntime.transformers; the rest of it optimises files with the onnx package."""
