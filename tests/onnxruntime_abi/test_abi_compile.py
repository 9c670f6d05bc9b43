"""Models that are compiled ahead of time. Without providers that compile, they are written unchanged."""

import ctypes

import pytest
from abi_models import WEIGHTED, W, X, Y
from editor import Editor
from session_support import ARGUMENT, FAIL, RUNTIME, refused
from table import Table

ERROR_IF_NOTHING_COMPILED, ERROR_IF_THERE = 1, 2
WRITE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class Compiler:
    """The compilation interface, with options for one compilation."""

    def __init__(self, ort, folder):
        self.ort, self.folder = ort, folder
        self.table = Table(ort.api.GetCompileApi(), "OrtCompileApi", ort.api)
        self.options = self.table.CreateModelCompilationOptionsFromSessionOptions(ort.env, ort.options())
        (folder / "m.onnx").write_bytes(WEIGHTED)

    def set(self, name, *arguments):
        getattr(self.table, f"ModelCompilationOptions_Set{name}")(self.options, *arguments)
        return self

    def paths(self):
        self.set("InputModelPath", self.path("m.onnx"))
        return self.set("OutputModelPath", self.path("o.onnx"))

    def path(self, name):
        return str(self.folder / name).encode()

    def compile(self):
        self.table.CompileModel(self.ort.env, self.options)

    def result(self, contents=None):
        """Returns what the compiled model computes."""
        contents = contents or (self.folder / "o.onnx").read_bytes()
        return self.ort.run(self.ort.session(contents), {"x": Y}, "z")[0].tolist()


@pytest.fixture
def compiler(ort, tmp_path):
    compiler = Compiler(ort, tmp_path)
    yield compiler
    compiler.table.ReleaseModelCompilationOptions(compiler.options)


EXPECTED = (Y + W).tolist()


def test_from_file_to_file(compiler):
    for _ in range(2):
        compiler.paths().compile()
        assert compiler.result() == EXPECTED


def test_a_file_that_is_there_may_be_an_error(compiler):
    compiler.paths().compile()
    refused(FAIL, "exists already", compiler.set("Flags", ERROR_IF_THERE).compile)


def test_nothing_compiled_may_be_an_error(compiler):
    refused(FAIL, "unable to compile any nodes", compiler.paths().set("Flags", ERROR_IF_NOTHING_COMPILED).compile)


@pytest.mark.parametrize("from_buffer", [True, False])
def test_to_a_buffer(ort, compiler, from_buffer):
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    if from_buffer:
        compiler.set("InputModelFromBuffer", WEIGHTED, len(WEIGHTED))
    else:
        compiler.set("InputModelPath", compiler.path("m.onnx"))
    compiler.set("OutputModelBuffer", ort.allocator, ctypes.byref(data), ctypes.byref(size)).compile()
    assert compiler.result(ctypes.string_at(data.value, size.value)) == EXPECTED
    ort.api.AllocatorFree(ort.allocator, data)


def test_to_a_function(compiler):
    written = []
    write = WRITE(lambda state, data, size: written.append((state, ctypes.string_at(data, size))) or None)
    compiler.set("InputModelPath", compiler.path("m.onnx")).set("OutputModelWriteFunc", write, 9).compile()
    assert {state for state, _ in written} == {9}
    assert compiler.result(b"".join(part for _, part in written)) == EXPECTED


def test_a_function_that_fails(ort, compiler):
    write = WRITE(lambda *arguments: ort.api.function("CreateStatus")(6, b"the disk is full"))
    compiler.set("InputModelPath", compiler.path("m.onnx")).set("OutputModelWriteFunc", write, None)
    refused(RUNTIME, "the disk is full", compiler.compile)


def test_from_a_model_in_memory(ort, compiler):
    compiler.set("InputModel", Editor(ort).add_model()).set("OutputModelPath", compiler.path("o.onnx")).compile()
    assert compiler.result() == (Y + X).tolist()


def test_without_an_output_the_file_is_beside_the_model(compiler):
    compiler.set("InputModelPath", compiler.path("m.onnx")).compile()
    assert compiler.result((compiler.folder / "m_ctx.onnx").read_bytes()) == EXPECTED


def test_further_settings(compiler):
    compiler.paths().set("EpContextEmbedMode", True).set("GraphOptimizationLevel", 99).set("Flags", 0)
    compiler.set("OutputModelExternalInitializersFile", b"w.bin", 1 << 20).set("WeightlessEnabled", False).compile()
    assert compiler.result() == EXPECTED


def test_inputs_that_cannot_be_used(ort, compiler):
    compiler.set("OutputModelPath", compiler.path("o.onnx"))
    refused(ARGUMENT, "input model", compiler.compile)
    refused(ARGUMENT, "path string is empty", compiler.set, "InputModelPath", b"")
    refused(ARGUMENT, "data size is 0", compiler.set, "InputModelFromBuffer", WEIGHTED, 0)
    refused(ARGUMENT, "graph_optimization_level.*7.*invalid", compiler.set, "GraphOptimizationLevel", 7)
    refused(ARGUMENT, "does not exist", lambda: compiler.set("InputModelPath", b"/no/such").compile())


def test_options_need_an_environment_and_session_options(ort, compiler):
    create = compiler.table.CreateModelCompilationOptionsFromSessionOptions
    refused(ARGUMENT, "env", create, None, ort.options())
    refused(ARGUMENT, "session_options", create, ort.env, None)
