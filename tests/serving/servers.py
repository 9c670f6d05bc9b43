"""Runs the programs of examples/serving as separate processes, and clients that connect to them over the loopback
interface."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from environments import CACHE, install, once
from locations import BUILD, ROOT

EXAMPLES = ROOT / "examples" / "serving"
OBSERVED = "numpy prometheus_client==0.26.0 opentelemetry-sdk"


# KServe's names of dtypes.
DATATYPES = {"float32": "FP32", "float64": "FP64", "int64": "INT64"}


def as_lists(request):
    return {name: row.tolist() for name, row in request.items()}


def as_tensors(request):
    return {"inputs": [{"name": name, "shape": [1, *row.shape], "datatype": DATATYPES[row.dtype.name],
                        "data": row.ravel().tolist()} for name, row in request.items()]}  # fmt: skip


def of_tensors(found):
    return {y["name"]: np.reshape(y["data"], y["shape"])[0] for y in found["outputs"]}


@dataclass(frozen=True)
class Server:
    packages: str
    command: str  # relative to the environment's bin/
    path: str
    ready: str
    body: callable = as_lists  # of a request, a row of each input by name
    answer: callable = dict  # outputs by name
    batches: bool = True  # combines requests of several clients
    metrics_apart: bool = True  # on a separate port

    @property
    def name(self):
        return self.packages.split("==")[0].split("[")[0]

    def environment(self):
        """Returns the programs of the environment that has the server's packages."""
        folder = CACHE / f"serving_{self.name}"
        return once(folder, lambda: install(folder, *self.packages.split(), *OBSERVED.split())) / "bin"


SERVERS = [
    Server("litserve==0.2.19", "python with_litserve.py {model} {port} {metrics}", "/predict", "/health"),
    Server("ray[serve]==2.60.0", "python with_ray_serve.py {model} {port} {metrics}", "/", "/"),
    Server("bentoml==1.4.40", "bentoml serve with_bentoml:Classifier --host 127.0.0.1 --port {port}", "/predict", "/readyz",
           lambda request: {"requests": [as_lists(request)]}, lambda found: found[0], metrics_apart=False),
    Server("kserve==0.21.0", "python with_kserve.py --model_name=rows --http_port={port} {model}", "/v2/models/rows/infer",
           "/v2/health/ready", as_tensors, of_tensors, batches=False, metrics_apart=False),
]  # fmt: skip


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [held.getsockname()[1] for held in sockets]
    for held in sockets:
        held.close()
    return ports


class Running:
    """A server as a process. All its files go to a folder, and all its processes end with it."""

    def __init__(self, server, model, folder):
        self.server, self.folder = server, folder
        self.port, metrics = free_ports(2)
        self.metrics_port = metrics if server.metrics_apart else self.port
        command = server.command.format(model=model, port=self.port, metrics=metrics).split()
        programs = server.environment()
        with (folder / "log").open("w") as log:
            self.process = subprocess.Popen(
                [programs / command[0], *command[1:]], cwd=EXAMPLES, env=variables(programs, model, folder), stdout=log,
                stderr=log, start_new_session=True)  # fmt: skip

    def wait_until_ready(self, seconds=240):
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.process.poll() is None:
            with suppress(OSError):
                if self.client().get(self.server.ready)[0] == 200:
                    return
            time.sleep(0.1)
        raise AssertionError(f"{self.server.name} is not ready:\n{self.log()}")

    def client(self):
        return Client(self.server, self.port)

    def metrics(self):
        """Returns values by name, as sums over labels."""
        status, text = Client(self.server, self.metrics_port).get("/metrics")
        assert status == 200, text
        found = {}
        for line in text.decode().splitlines():
            if line and not line.startswith("#"):
                name, value = line.split("{")[0].split(" ")[0], float(line.split("} ")[-1].split(" ")[-1])
                found[name] = found.get(name, 0) + value
        return found

    def log(self):
        return (self.folder / "log").read_text()[-6000:]

    def stop(self, seconds=60):
        """Requests it to stop. Returns its remaining processes."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(seconds)
        until = time.monotonic() + 10
        while self.left() and time.monotonic() < until:
            time.sleep(0.1)
        return self.left()

    def left(self):
        """Returns the processes that it has started, directly or indirectly."""
        return [process for process in Path("/proc").glob("[0-9]*") if self.started(process)]

    def started(self, process):
        try:
            return f"LINNET_SERVER={self.folder}".encode() in (process / "environ").read_bytes().split(b"\0")
        except OSError:
            return False

    def end(self):
        while left := self.left():
            for process in left:
                with suppress(ProcessLookupError):
                    os.kill(int(process.name), signal.SIGKILL)
            time.sleep(0.05)
        self.process.wait()


@contextmanager
def running(server, model):
    """Starts the server, in a separate folder. Sockets need a short path."""
    folder = Path(tempfile.mkdtemp(prefix="linnet-"))
    found = None
    try:
        found = Running(server, model, folder)
        found.wait_until_ready()
        yield found
    finally:
        if found:
            found.end()
        shutil.rmtree(folder)


def variables(programs, model, folder):
    """Returns the variables of an activated environment, and all settings by which the servers send no telemetry."""
    unset = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    return unset | {
        "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1",
        "MODEL": str(model), "LINNET_SERVER": str(folder), "TMPDIR": str(folder), "HOME": str(folder),
        "RAY_TMPDIR": str(folder), "RAY_USAGE_STATS_ENABLED": "0", "BENTOML_DO_NOT_TRACK": "True",
        "BENTOML_HOME": str(folder / "bentoml"),
    }  # fmt: skip


class Client:
    """A persistent connection."""

    def __init__(self, server, port):
        self.server, self.connection = server, http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(self, path):
        self.connection.request("GET", path)
        return self.read()

    def post(self, body):
        headers = {"Content-Type": "application/json"}
        self.connection.request("POST", self.server.path, json.dumps(body), headers)
        return self.read()

    def read(self):
        response = self.connection.getresponse()
        return response.status, response.read()

    def ask(self, request):
        """Returns the outputs of a request by name."""
        status, text = self.post(self.server.body(request))
        assert status == 200, text
        return self.server.answer(json.loads(text))


def ask_at_once(running, requests, clients=8):
    """Returns the answers to requests of clients that start at the same time. The requests are distributed among
    them."""
    begin = threading.Barrier(clients)

    def work(first):
        client = running.client()
        begin.wait()
        return [client.ask(request) for request in requests[first::clients]]

    answers = [None] * len(requests)
    with ThreadPoolExecutor(clients) as threads:
        for first, found in enumerate(threads.map(work, range(clients))):
            answers[first::clients] = found
    return answers
