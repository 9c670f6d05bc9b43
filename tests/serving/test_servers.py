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
from served_models import BUSY, ROWS, save_lengths_model, save_pairs_model, save_rows_model
from servers import EXAMPLES, SERVERS, ask_at_once, running, variables

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_rows_model(tmp_path_factory.mktemp("model") / "rows.onnx")


def pairs(count):
    """Returns requests to the model of save_pairs_model."""
    rng = np.random.default_rng(2)
    images, ids = rng.standard_normal((count, 1, 8, 8)).astype(np.float32), rng.integers(0, 50, (count, 6))
    return [{"input": image, "input.ids": row} for image, row in zip(images, ids)]


def misfits(request):
    """Returns requests with another shape, another dtype, an input too few and an unknown one."""
    image, ids = request.values()
    return [{"input": image[:, 1:], "input.ids": ids}, {"input": image, "input.ids": ids + 0.5}, {"input": image},
            {"input": image, "ids": ids}]  # fmt: skip


def runs_alone(model, requests):
    with linnet.Session(model, threads=1, batch_invariant=True) as session:
        return [{name: y[0] for name, y in session.run({name: row[None] for name, row in request.items()}).items()}
                for request in requests]  # fmt: skip


def expect_equal_bits(answers, alone):
    assert len(answers) == len(alone)
    for answer, expected in zip(answers, alone):
        assert answer.keys() == expected.keys()
        for name, y in expected.items():
            np.testing.assert_array_equal(np.array(answer[name], y.dtype), y)


def programs_of(server):
    try:
        return server.environment()
    except subprocess.CalledProcessError:
        pytest.skip(f"pip could not install {server.packages}")


@pytest.fixture(scope="module", params=SERVERS, ids=lambda server: server.name)
def server(request):
    programs_of(request.param)
    return request.param


def post(started, requests):
    """Returns the status of each."""
    client = started.client()
    return [client.post(started.server.body(request))[0] for request in requests]


def test_eight_clients_get_the_bits_of_runs_alone(server, tmp_path):
    requests = pairs(200)
    model = save_pairs_model(tmp_path / "pairs.onnx")
    alone = runs_alone(model, requests)
    with running(server, model) as started:
        with ThreadPoolExecutor(1) as thread:
            refused = thread.submit(post, started, 5 * misfits(requests[0]))
            expect_equal_bits(ask_at_once(started, requests), alone)
        assert all(400 <= status < 500 for status in refused.result())
        expect_equal_bits([started.client().ask(requests[0])], alone[:1])
        counts = started.metrics()
    assert counts["nv_inference_request_success_total"] == counts["nv_inference_count_total"] == 201
    runs = counts["nv_inference_exec_count_total"]
    assert runs == counts["nv_inference_compute_infer_duration_us_count"]
    assert runs < 201 if server.batches else runs == 201


def test_requests_of_different_shapes_run_alone(server, tmp_path):
    rng = np.random.default_rng(4)
    requests = [{"ids": rng.integers(0, 50, length)} for length in [3, 7, 1, 7] * 8]
    model = save_lengths_model(tmp_path / "lengths.onnx")
    with running(server, model) as started:
        with ThreadPoolExecutor(1) as thread:
            refused = thread.submit(post, started, 10 * [{"ids": np.array([1, 99])}])  # only a run finds that 99 is too large
            expect_equal_bits(ask_at_once(started, requests), runs_alone(model, requests))
        assert all(status >= 400 for status in refused.result())


def test_a_stop_answers_what_has_begun_and_leaves_nothing(server, model):
    x = np.zeros(ROWS, np.float32)
    x[0] = BUSY
    with running(server, model) as started:
        with ThreadPoolExecutor(1) as thread:
            answer = thread.submit(started.client().ask, {"x": x})
            time.sleep(0.5)
            left = started.stop()
            assert np.shape(answer.result()["y"]) == (10,)
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
