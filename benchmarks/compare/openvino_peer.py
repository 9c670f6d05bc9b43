"""OpenVINO with float32, one stream, pinned threads and fixed shapes."""

import openvino


class Session:
    def __init__(self, job, feeds):
        core = openvino.Core()
        model = core.read_model(job["model"])
        model.reshape({name: list(feed.shape) for name, feed in feeds.items()})
        settings = {
            "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": "1",
            "INFERENCE_NUM_THREADS": job["threads"], "ENABLE_CPU_PINNING": True,
        }  # fmt: skip
        self.compiled = core.compile_model(model, "CPU", settings)
        self.request = self.compiled.create_infer_request()
        for name, feed in feeds.items():
            self.request.set_tensor(name, openvino.Tensor(feed))

    def run(self):
        self.request.infer()

    def outputs(self):
        return [self.request.get_output_tensor(i).data for i in range(len(self.compiled.outputs))]


def version(job):
    return openvino.__version__.split("-")[0]
