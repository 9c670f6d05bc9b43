"""A session of ONNX Runtime, the independent reference."""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it sends by default
import onnxruntime  # noqa: E402

FATAL = 4


class OnnxRuntime:
    """model: a path, or the bytes of a file. Unless `optimized`, its nodes run without rewrites."""

    def __init__(self, model, optimized=True, threads=2):
        options = onnxruntime.SessionOptions()
        if not optimized:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = options.inter_op_num_threads = threads
        options.log_severity_level = FATAL
        model = model if isinstance(model, bytes) else str(model)
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def run(self, inputs):
        """Returns the outputs in the model's order. inputs: by name."""
        return self.session.run(None, inputs)

    def run_in_place(self, inputs, places):
        """Returns the outputs. inputs: by name. places: for each output, the input that it is written over, by name."""
        binding = self.session.io_binding()
        values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(value) for name, value in inputs.items()}
        for name, value in values.items():
            binding.bind_ortvalue_input(name, value)
        for output in self.session.get_outputs():
            if output.name in places:
                binding.bind_ortvalue_output(output.name, values[places[output.name]])
            else:
                binding.bind_output(output.name)
        self.session.run_with_iobinding(binding)
        return binding.copy_outputs_to_cpu()

    def outputs(self, inputs):
        """Returns the outputs by name."""
        return dict(zip((output.name for output in self.session.get_outputs()), self.run(inputs)))
