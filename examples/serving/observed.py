"""A session that counts for Prometheus, under Triton's names, and whose runs and nodes are spans of OpenTelemetry."""

import time
from pathlib import Path

import linnet
import numpy as np
from opentelemetry import trace
from prometheus_client import Counter, Histogram

LABELS = "model", "version"
SUCCESS = Counter("nv_inference_request_success", "Requests answered", LABELS)
FAILURE = Counter("nv_inference_request_failure", "Requests that failed", [*LABELS, "reason"])
ROWS = Counter("nv_inference_count", "Rows run", LABELS)
RUNS = Counter("nv_inference_exec_count", "Batches run", LABELS)
TIME = Histogram("nv_inference_compute_infer_duration_us", "Time of a batch", LABELS,
                 buckets=[10.0**e * m for e in range(1, 7) for m in (1, 2, 5)])  # fmt: skip
tracer = trace.get_tracer("linnet")


class Session(linnet.Session):
    """Each row is a request, as where a server makes batches of them."""

    def __init__(self, model, **options):
        super().__init__(model, **options)
        self.labels = Path(model).stem, str(self.metadata.version)

    def run(self, inputs, *args, **options):
        first, begin = next(iter(inputs.values()), None), time.perf_counter()
        rows = len(first) if np.ndim(first) else 1
        with tracer.start_as_current_span("linnet.run", attributes={"model": self.labels[0], "rows": rows}):
            try:
                outputs = super().run(inputs, *args, **options)
            except Exception as error:
                FAILURE.labels(*self.labels, "CANCELED" if isinstance(error, linnet.CancelledError) else "BACKEND").inc(rows)
                raise
        TIME.labels(*self.labels).observe((time.perf_counter() - begin) * 1e6)
        RUNS.labels(*self.labels).inc()
        ROWS.labels(*self.labels).inc(rows)
        SUCCESS.labels(*self.labels).inc(rows)
        return outputs


def trace_nodes(model, inputs, **options):
    """One run with a span for each node. Its session is separate: with profile=True a session stores the nodes of all its runs."""
    with linnet.Session(model, profile=True, **options) as session, tracer.start_as_current_span("linnet.nodes"):
        session.run(inputs)
        epoch = time.time_ns() - time.monotonic_ns()
        for node in session.profile:
            begin = epoch + int(node.begin * 1000)
            tracer.start_span(f"{node.op_type} {node.name}", start_time=begin).end(begin + int(node.duration * 1000))
