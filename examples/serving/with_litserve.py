"""with_litserve.py MODEL PORT METRICS_PORT: serves a model by LitServe: POST /predict {"INPUT": [...]}."""

import signal
import sys
from typing import Annotated

import litserve as ls
from observed import Session
from prometheus_client import start_http_server
from pydantic import AfterValidator
from rows import Rows, prepare, run

BATCH = 8


class Classifier(ls.LitAPI):
    def __init__(self, model, rows, metrics_port):
        super().__init__(max_batch_size=rows.batch, batch_timeout=0.001)
        self.model, self.metrics_port = model, metrics_port

    def setup(self, device):  # in the worker; /health is ready when it returns
        self.session = Session(self.model, threads=1, batch_invariant=True)
        prepare(self.session, self.max_batch_size)
        start_http_server(self.metrics_port, "127.0.0.1")

    def decode_request(self, request):
        return request

    def predict(self, requests):  # a list only where there are batches
        return run(self.session, requests) if self.max_batch_size > 1 else run(self.session, [requests])[0]


if __name__ == "__main__":
    model, port, metrics_port = sys.argv[1:]
    rows = Rows(model, BATCH)
    # LitServe checks a request by this type before it gets into a batch.
    Classifier.decode_request.__annotations__["request"] = Annotated[dict, AfterValidator(rows.read)]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # else LitServe's processes outlive the first
    server = ls.LitServer(Classifier(model, rows, int(metrics_port)), accelerator="cpu", workers_per_device=1)
    server.run(host="127.0.0.1", port=int(port), num_api_servers=1, generate_client_file=False)
