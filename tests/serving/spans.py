"""spans.py MODEL: checks the metrics and traces of examples/serving/observed.py."""

import sys

import numpy as np
from observed import Session, trace_nodes
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import REGISTRY

exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)

model, labels = sys.argv[1], {"model": "rows", "version": "0"}
x = np.ones((3, 64), np.float32)
session = Session(model)
session.run({"x": x})
try:
    session.run({"x": x[:, 1:]})
except ValueError:
    pass
(good, bad) = exporter.get_finished_spans()
assert good.name == bad.name == "linnet.run" and good.attributes["rows"] == 3
assert good.status.is_ok and not bad.status.is_ok
for name, count in ("request_success", 3), ("count", 3), ("exec_count", 1):
    assert REGISTRY.get_sample_value(f"nv_inference_{name}_total", labels) == count
failed = REGISTRY.get_sample_value("nv_inference_request_failure_total", labels | {"reason": "BACKEND"})
assert failed == 3

exporter.clear()
trace_nodes(model, {"x": x})
*nodes, run = exporter.get_finished_spans()
assert len(nodes) > 3 and run.name == "linnet.nodes"
for node in nodes:
    assert node.parent.span_id == run.context.span_id
    assert run.start_time <= node.start_time <= node.end_time <= run.end_time
