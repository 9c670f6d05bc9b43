"""with_ray_serve.py MODEL PORT METRICS_PORT: y of x, 64 numbers, by Ray Serve: POST / {"x": [...]}."""

import signal
import sys
import threading

import numpy as np
import ray
from observed import Session
from prometheus_client import start_http_server
from ray import serve

BATCH = 8


@serve.deployment(num_replicas=1, ray_actor_options={"num_cpus": 1})
class Classifier:
    def __init__(self, model, metrics_port):  # in the replica
        self.session = Session(model, batch_invariant=True)  # Ray sets OMP_NUM_THREADS to num_cpus
        for rows in range(1, BATCH + 1):
            self.session.prepare({"x": (rows, 64)})
        start_http_server(metrics_port, "127.0.0.1")

    @serve.batch(max_batch_size=BATCH, batch_wait_timeout_s=0.001)
    async def predict(self, rows):
        return list((await self.session.run_async({"x": np.stack(rows)}))["y"])

    async def __call__(self, request):
        if request.method == "GET":
            return "ready"  # /-/healthz is only that of Ray's proxy
        x = np.array((await request.json())["x"], np.float32).reshape(64)
        return {"y": (await self.predict(x)).tolist()}


if __name__ == "__main__":
    model, port, metrics_port = sys.argv[1:]
    ray.init(num_cpus=1, include_dashboard=False)
    serve.start(http_options={"host": "127.0.0.1", "port": int(port)})
    serve.run(Classifier.bind(model, int(metrics_port)))
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    stop.wait()
    serve.shutdown()  # replicas answer what they have begun
    ray.shutdown()
