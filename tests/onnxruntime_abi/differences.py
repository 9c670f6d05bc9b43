"""Tests that Linnet's library fails on purpose, each with its reason; ONNX Runtime's library passes them."""

# The name of the module, of the test, and of its parameters without that of the library.
DIFFERENCES = {}
