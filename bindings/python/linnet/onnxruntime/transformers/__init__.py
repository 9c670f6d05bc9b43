"""The part of onnxruntime.transformers that optimum uses. The rest of the original optimises files with the onnx
package."""
