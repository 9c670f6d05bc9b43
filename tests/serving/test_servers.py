"""Runs the programs of examples/serving. Answers must have the bits of a separate run whatever other requests there
are, and servers must stop cleanly.

pip installs each server into a separate environment in the build folder, with 0.1 to 0.5 GB each. test.sh runs only
LitServe; pytest tests/serving runs all.
"""

import json
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import linnet
import numpy as np
import pytest
from rows import BUSY, ROWS, save_rows_model
from servers import EXAMPLES, SERVERS, ask_at_once, running, variables

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_rows_model(tmp_path_factory.mktemp("model") / "rows.onnx")


def programs_of(server):
    try:
        return server.environment()
    except subprocess.CalledProcessError:
        pytest.skip(f"pip could not install {server.packages}")


@pytest.fixture(scope="module", params=SERVERS, ids=lambda server: server.name)
def server(request):
    programs_of(request.param)
    return request.param


@pytest.fixture
def started(server, model):
    with running(server, model) as found:
        yield found


def post_often(started, x, times):
    client = started.client()
    return [client.post(started.server.body(x))[0] for _ in range(times)]


def test_eight_clients_get_the_bits_of_runs_alone(started, model):
    x = np.random.default_rng(2).standard_normal((200, ROWS)).astype(np.float32)
    with linnet.Session(model, threads=1, batch_invariant=True) as session:
        alone = np.concatenate([session.run({"x": row[None]})["y"] for row in x])
    with ThreadPoolExecutor(1) as thread:
        refused = thread.submit(post_often, started, x[0, 1:], 20)
        np.testing.assert_array_equal(ask_at_once(started, x), alone)
    assert all(400 <= status < 600 for status in refused.result())
    np.testing.assert_array_equal(started.client().ask(x[0]), alone[0])
    counts = started.metrics()
    assert counts["nv_inference_request_success_total"] == counts["nv_inference_count_total"] == 201
    runs = counts["nv_inference_exec_count_total"]
    assert runs == counts["nv_inference_compute_infer_duration_us_count"]
    assert runs < 201 if started.server.batches else runs == 201


def test_a_stop_answers_what_has_begun_and_leaves_nothing(started):
    x = np.zeros(ROWS, np.float32)
    x[0] = BUSY
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(started.client().ask, x)
        time.sleep(0.5)
        left = started.stop()
        assert answer.result().shape == (10,)
    assert left == []
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", started.port))


def test_observed_counts_and_traces(model, tmp_path):
    """Runs in LitServe's environment, which has both packages."""
    programs = programs_of(SERVERS[0])
    paths = variables(programs, model, tmp_path)
    paths["PYTHONPATH"] += f":{EXAMPLES}"
    subprocess.run([programs / "python", HERE / "spans.py", model], env=paths, check=True)


def test_kserve_takes_and_gives_binary_tensors(model):
    server = SERVERS[-1]
    programs_of(server)
    x = np.random.default_rng(3).standard_normal((5, ROWS)).astype(np.float32)
    tensor = {"name": "x", "shape": x.shape, "datatype": "FP32", "parameters": {"binary_data_size": x.nbytes}}
    head = json.dumps({"inputs": [tensor], "parameters": {"binary_data_output": True}}).encode()
    with running(server, model) as found:
        connection = found.client().connection
        headers = {"Inference-Header-Content-Length": str(len(head)), "Content-Type": "application/octet-stream"}
        connection.request("POST", server.path, head + x.tobytes(), headers)
        response = connection.getresponse()
        text = response.read()
    y = np.frombuffer(text[int(response.headers["Inference-Header-Content-Length"]) :], np.float32)
    with linnet.Session(model, threads=1, batch_invariant=True) as session:
        np.testing.assert_array_equal(y.reshape(5, 10), session.run({"x": x})["y"])
