"""A session of ONNX Runtime, the independent reference."""

import onnxruntime

FATAL = 4


class OnnxRuntime:
    """model: a path or the bytes of one. Unless `optimized`, its nodes run as they are."""

    def __init__(self, model, optimized=True, threads=2):
        options = onnxruntime.SessionOptions()
        if not optimized:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = options.inter_op_num_threads = threads
        options.log_severity_level = FATAL
        model = model if isinstance(model, bytes) else str(model)
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def run(self, inputs):
        """The outputs, in the model's order, for inputs by name."""
        return self.session.run(None, inputs)

    def outputs(self, inputs):
        """The outputs by name."""
        return dict(zip((output.name for output in self.session.get_outputs()), self.run(inputs)))
