"""with_ray_serve.py MODEL PORT METRICS_PORT: serves a model by Ray Serve: POST / {"INPUT": [...]}."""

import asyncio
import signal
import sys
import threading

import ray
from observed import Session
from prometheus_client import start_http_server
from ray import serve
from rows import Rows, prepare, run
from starlette.responses import JSONResponse

BATCH = 8


@serve.deployment(num_replicas=1, ray_actor_options={"num_cpus": 1})
class Classifier:
    def __init__(self, model, rows, metrics_port):  # in the replica
        self.session, self.rows = Session(model, batch_invariant=True), rows  # Ray sets OMP_NUM_THREADS to num_cpus
        self.predict.set_max_batch_size(rows.batch)
        prepare(self.session, rows.batch)
        start_http_server(metrics_port, "127.0.0.1")

    @serve.batch(max_batch_size=BATCH, batch_wait_timeout_s=0.001)
    async def predict(self, requests):
        return await asyncio.to_thread(run, self.session, requests)

    async def __call__(self, request):
        if request.method == "GET":
            return "ready"  # /-/healthz is only that of Ray's proxy
        try:
            row = self.rows.read(await request.json())
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 422)
        return await self.predict(row)


if __name__ == "__main__":
    model, port, metrics_port = sys.argv[1:]
    rows = Rows(model, BATCH)
    ray.init(num_cpus=1, include_dashboard=False)
    serve.start(http_options={"host": "127.0.0.1", "port": int(port)})
    serve.run(Classifier.bind(model, rows, int(metrics_port)))
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    stop.wait()
    serve.shutdown()  # replicas answer what they have begun
    ray.shutdown()
