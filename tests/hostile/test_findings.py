"""Models that crashed an engine before, or require more than the limits allow, must be answered in time and within the
memory."""

import demanding
import numpy as np
import onnx
import pytest
from locations import RUN_MODEL
from measured import measured

MEMORY = 64 << 20
# The memory of the command itself, its libraries and the protobuf message of a file.
BESIDES = 48 << 20
OK, LOAD, RUN, LIMIT = 0, 2, 3, 5


@pytest.fixture
def answer(run_model, tmp_path):
    """Runs a model with limits. Expects an exit code, printable and short messages, and little memory."""

    def run(model, code, *flags, memory=MEMORY):
        path = tmp_path / "model.onnx"
        path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        result = measured([RUN_MODEL, "run", path, "--untrusted", "--max-memory", memory, "--print", 1, *flags])
        message = result.stderr.decode("utf-8")
        assert result.code == code, message
        assert len(message) <= 1024 + len(str(path)) and message.count("\n") <= 1
        assert not any(ord(c) < 32 and c != "\n" for c in message + result.stdout.decode("utf-8"))
        assert result.peak_bytes <= memory + BESIDES + 10 * path.stat().st_size
        return message or result.stdout.decode("utf-8")

    return run


ENDLESS = {
    "folded einsum": demanding.einsum(True),
    "einsum": demanding.einsum(False),
    "folded samples": demanding.samples(True),
    "samples": demanding.samples(False),
    "power": demanding.power(3500, 100),
    "loop": demanding.endless(),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_the_deadline_ends_what_goes_on_for_long(answer, name):
    assert "exceeds the deadline of 300 ms; --deadline or --trusted" in answer(ENDLESS[name], LIMIT, "--deadline", 300, memory=256 << 20)


@pytest.mark.parametrize("folded", [False, True])
def test_means_of_any_number_of_samples_are_weighted_sums_of_pixels(answer, folded):
    answer(demanding.samples(folded, "avg"), OK, "--deadline", 5000)


def test_branches_in_branches_are_looked_at_once(answer):
    assert "dims 2 and 3 cannot be broadcast" in answer(demanding.branches(14), LOAD)


LARGE = {
    "input": demanding.large_input(),
    "sparse initializers": demanding.sparse(),
    "values on values": demanding.levels(20, 15_000_000),
    "a function's attributes": demanding.attributes(60, 400_000),
    "names of calls": demanding.long_names(1000, 2000),
    "a loop's value": demanding.doubling(),
    "tables of a product": demanding.matrices(8000),
    "plans on plans": demanding.data_dependent(5000),
}


@pytest.mark.parametrize("name", LARGE)
def test_the_limit_holds_for_all_memory_together(answer, name):
    assert "more than the limit of" in answer(LARGE[name], LIMIT)


RECURRENT = [("LSTM", 4, 1), ("GRU", 3, 1), ("RNN", 4, 4)]


@pytest.mark.parametrize("op_type, gates, hidden", RECURRENT)
@pytest.mark.parametrize("steps", [demanding.HUGE, 2**61 - 1, 2**60])
def test_states_of_any_number_of_steps_are_counted(answer, op_type, gates, hidden, steps):
    answer(demanding.recurrent(op_type, gates, hidden, steps), LIMIT)


NAME = "\x1b]0;title\x07\x1b[31mred\u202e"


@pytest.mark.parametrize("op_type, code", [("Add", LOAD), ("Sum", LOAD), ("Gather", LOAD)])
def test_names_in_messages_are_escaped(answer, op_type, code):
    node = onnx.helper.make_node(op_type, ["p", "q"], ["y"], name=NAME)
    message = answer(demanding.model([node], [("p", 1, [2]), ("q", 1, [3])], [("y", 1, None)]), code)
    assert r"\x1b]0;title\x07\x1b[31mred\xe2\x80\xae" in message


def test_names_in_results_are_escaped_bytes_without_meaning_too(answer):
    node = onnx.helper.make_node("Relu", ["x"], [NAME])
    model = demanding.model([node], [("x", 1, [2])], [(NAME, 1, None)]).SerializeToString()
    assert r"\x1b]0;title\x07\x1b[31mred" in answer(model, OK)
    assert r"\xffred" in answer(model.replace(b"mred", b"\xffred"), OK)


def test_messages_stay_short_whatever_names_there_are(answer):
    nodes = [onnx.helper.make_node("Nowhere", ["x"], [f"v{i}"], name="n" * 5000) for i in range(50)]
    message = answer(demanding.model(nodes, [("x", 1, [2])], [("v0", 1, None)]), LOAD)
    assert "operators that this build does not have" in message and " ... " in message


def test_saved_outputs_have_names_of_their_own(answer, tmp_path):
    names = ["../../evil", "/abs", "a", "a", "a_2", "x/../y", "ok/name:0", "\x1b[31m", ".."]
    nodes = [onnx.helper.make_node("Identity", ["x"], [name]) for name in dict.fromkeys(names)]
    model = demanding.model(nodes, [("x", 1, [2])], [(name, 1, None) for name in names])
    answer(model, OK, "--save-outputs", tmp_path / "outputs.npz")
    with np.load(tmp_path / "outputs.npz") as outputs:
        assert sorted(outputs) == sorted(["../../evil", "/abs", "a", "a_2", "a_2_2", "x/../y", "ok/name:0", r"\x1b[31m", ".."])


def test_saved_outputs_stay_in_their_folder(answer, tmp_path):
    names = ["../../evil", "/abs", "..", ".hidden", "a", "a", "%2F", "/"]
    nodes = [onnx.helper.make_node("Identity", ["x"], [name]) for name in dict.fromkeys(names)]
    model = demanding.model(nodes, [("x", 1, [2])], [(name, 1, None) for name in names])
    answer(model, OK, "--save-outputs", f"{tmp_path}/deep/outputs/")
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["outputs"]
    files = [path.name for path in (tmp_path / "deep/outputs").iterdir()]
    assert sorted(files) == sorted(
        ["%2E.%2F..%2Fevil.npy", "%2Fabs.npy", "%2E..npy", "%2Ehidden.npy", "a.npy", "a_2.npy", "%252F.npy", "%2F.npy"]
    )


def test_an_archive_that_states_any_size_is_an_error(run_model, linear, tmp_path):
    np.savez(tmp_path / "inputs.npz", x=np.ones((1, 3), np.float32))
    whole = (tmp_path / "inputs.npz").read_bytes()
    size = len(np.ones((1, 3), np.float32).tobytes()) + 128
    damaged = whole.replace(size.to_bytes(4, "little"), (2**31 - 1).to_bytes(4, "little"))
    assert damaged != whole
    (tmp_path / "inputs.npz").write_bytes(damaged)
    result = measured([RUN_MODEL, "run", linear[0], "--input-npz", tmp_path / "inputs.npz"])
    assert result.code == RUN and result.peak_bytes < MEMORY


def test_an_operator_may_read_what_it_writes_over(run_model, tmp_path):
    x = np.random.default_rng(1).standard_normal((4, 3)).astype(np.float32)
    nodes = [onnx.helper.make_node("Transpose", ["x"], ["t"]), onnx.helper.make_node("SwiGLU", ["t", "t"], ["y"])]
    onnx.save(demanding.model(nodes, [("x", 1, [4, 3])], [("y", 1, None)], opset=28), tmp_path / "model.onnx")
    y = run_model.outputs(tmp_path / "model.onnx", {"x": x})["y"]
    np.testing.assert_allclose(y, (x * x / (1 + np.exp(-x.astype(np.float64)))).T, rtol=1e-5)


def test_a_chain_that_reads_a_scalar_alone_gives_it_everywhere(run_model, tmp_path):
    """Tests sizes that differ from a block. Elements that were not written contained bytes of the heap."""
    nodes = [onnx.helper.make_node("Elementwise", ["s", "v"], ["y"], domain="linnet", ops=["Sigmoid"], first=[0],
                                   second=[-1], alpha=[0.0], beta=[0.0])]  # fmt: skip
    model = demanding.model(nodes, [("s", 1, [1]), ("v", 1, ["N"])], [("y", 1, None)], domains=["linnet"])
    onnx.save(model, tmp_path / "model.onnx")
    for size in (2, 1000, 5003):
        feeds = {"s": np.array([0.7], np.float32), "v": np.zeros(size, np.float32)}
        y = run_model.outputs(tmp_path / "model.onnx", feeds)["y"]
        np.testing.assert_allclose(y, np.full(size, 1 / (1 + np.exp(-0.7)), np.float32), rtol=1e-6)


@pytest.mark.parametrize("folded", [False, True])
def test_no_channels_are_normalised(answer, folded):
    """The number of channels was used as a divisor."""
    inputs, x, s = [("x", 1, [1, 0, 4])], np.zeros((1, 0, 4), np.float32), np.zeros(0, np.float32)
    constants = [onnx.numpy_helper.from_array(s, "s")] + ([onnx.numpy_helper.from_array(x, "x")] if folded else [])
    nodes = [onnx.helper.make_node("InstanceNormalization", ["x", "s", "s"], ["y"])]
    answer(demanding.model(nodes, [] if folded else inputs, [("y", 1, None)], constants), OK)
