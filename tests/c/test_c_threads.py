"""The C API: several threads."""

import concurrent.futures
import threading
from ctypes import byref, c_size_t

import numpy as np
from c_api import CANCELLED, MODEL, refused
from c_models import ENDLESS, ENDLESS_INPUTS, LINEAR, W


def test_threads_share_a_model(api):
    model = api.load(LINEAR, threads=2)

    def work(seed):
        rng, context = np.random.default_rng(seed), api.created("context_create", model)
        for rows in rng.integers(1, 50, 20):
            x = rng.standard_normal((rows, 3)).astype(np.float32)
            api.run(context, [x])
            np.testing.assert_allclose(api.output(context), x @ W, rtol=1e-4, atol=1e-5)
        api.context_free(context)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))


def test_messages_belong_to_their_thread(api, loaded):
    refused(MODEL, "'here'", api.model_input_index, loaded[0], b"here", byref(c_size_t()))
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        assert pool.submit(api.last_error).result() == ""
        pool.submit(refused, MODEL, "'there'", api.model_input_index, loaded[0], b"there", byref(c_size_t())).result()
    assert "'here'" in api.last_error()


def test_another_thread_cancels_a_run(api):
    context = api.created("context_create", api.load(ENDLESS))
    token = api.created("cancellation_create")
    timer = threading.Timer(0.1, api.cancellation_cancel, [token])
    timer.start()
    refused(CANCELLED, "", lambda: api.run(context, ENDLESS_INPUTS, cancellation=token))
    timer.join()
    refused(CANCELLED, "", lambda: api.run(context, ENDLESS_INPUTS, cancellation=token))
    api.run(context, [ENDLESS_INPUTS[0], np.array(False)])
    np.testing.assert_array_equal(api.output(context), ENDLESS_INPUTS[0])
