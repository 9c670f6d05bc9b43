"""with_litserve.py MODEL PORT METRICS_PORT: y of x, 64 numbers, by LitServe: POST /predict {"x": [...]}."""

import signal
import sys
from typing import Annotated

import litserve as ls
import numpy as np
from observed import Session
from prometheus_client import start_http_server
from pydantic import BaseModel, Field

BATCH = 8


class Row(BaseModel):  # another number of values is refused before it gets into a batch
    x: Annotated[list[float], Field(min_length=64, max_length=64)]


class Classifier(ls.LitAPI):
    def __init__(self, model, metrics_port):
        super().__init__(max_batch_size=BATCH, batch_timeout=0.001)
        self.model, self.metrics_port = model, metrics_port

    def setup(self, device):  # in the worker; /health is ready when it returns
        self.session = Session(self.model, threads=1, batch_invariant=True)
        for rows in range(1, BATCH + 1):
            self.session.prepare({"x": (rows, 64)})
        start_http_server(self.metrics_port, "127.0.0.1")

    def decode_request(self, request: Row):
        return np.array(request.x, np.float32)

    def predict(self, rows):  # LitServe stacks them, and takes the answer apart
        return self.session.run({"x": rows})["y"]

    def encode_response(self, y):
        return {"y": y.tolist()}


if __name__ == "__main__":
    model, port, metrics_port = sys.argv[1:]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # else LitServe's processes outlive the first
    server = ls.LitServer(Classifier(model, int(metrics_port)), accelerator="cpu", workers_per_device=1)
    server.run(host="127.0.0.1", port=int(port), num_api_servers=1, generate_client_file=False)
