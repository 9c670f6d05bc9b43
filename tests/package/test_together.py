"""One process with Linnet and the libraries that programs use together with it. Each has a file in together/ with a
function that uses it.
"""

import importlib.util
from pathlib import Path

import pytest
from installed import call

TOGETHER = Path(__file__).parent / "together"
# The libraries to link, and a header without which the file does not compile.
OTHERS = {
    "protobuf": (["-lprotobuf"], "google/protobuf/message.h"),
    "torch": (["-ltorch_cpu", "-lc10"], "ATen/ATen.h"),
    "opencv": (["-l:libopencv_dnn.so.406", "-l:libopencv_core.so.406"], None),
    "grpc": (["-lgrpc++", "-lgrpc"], "grpcpp/grpcpp.h"),
    "onnxruntime": (["-l:libonnxruntime.so.1"], None),
}
MAIN = """
#include <fstream>
#include <iostream>
bool use_linnet(const char*);
%s
int main(int, char** argv) {
  for (int i = 0; i < 2; ++i) {
    if (!use_linnet(argv[1])%s) return 1;
  }
  std::cout << std::ifstream("/proc/self/maps").rdbuf();
}
"""


def is_there(name):
    libraries, header = OTHERS[name]
    if name == "onnxruntime":
        return importlib.util.find_spec(name) is not None
    if header:
        return (Path("/usr/include") / header).exists()
    return all(library.removeprefix("-l:") in call("/sbin/ldconfig", "-p") for library in libraries)


@pytest.fixture(scope="module")
def objects(installed, tmp_path_factory):
    """Returns the compiled files by name, and a folder with ONNX Runtime under the name that programs link."""
    folder = tmp_path_factory.mktemp("together")
    others = [name for name in OTHERS if is_there(name)]
    if "onnxruntime" in others:
        package = Path(importlib.util.find_spec("onnxruntime").origin).parent
        (folder / "libonnxruntime.so.1").symlink_to(next((package / "capi").glob("libonnxruntime.so.*")))
    declared = "".join(f"bool use_{name}();\n" for name in others)
    (folder / "main.cc").write_text(MAIN % (declared, "".join(f" || !use_{name}()" for name in others)))
    sources = [folder / "main.cc", *(TOGETHER / f"{name}.cc" for name in ("linnet", *others))]
    call("c++", "-std=c++20", "-c", *sources, *installed.pkg_config("--cflags"), cwd=folder)
    return folder, others


@pytest.fixture(scope="module", params=["shared-first", "shared-last", "static"])
def process(request, objects, installed):
    """Returns a function of a model that runs a process with all libraries. Its result lists the libraries in
    memory."""
    folder, others = objects
    linnet = installed.pkg_config("--libs", *(["--static"] if request.param == "static" else []))
    if request.param == "static":
        linnet = ["-l:liblinnet.a" if flag == "-llinnet" else flag for flag in linnet]
    libraries = [flag for name in others for flag in OTHERS[name][0]]
    libraries = [*libraries, *linnet] if request.param == "shared-last" else [*linnet, *libraries]
    program = folder / request.param
    call("c++", *folder.glob("*.o"), "-Wl,--no-as-needed", f"-L{folder}", *libraries, "-o", program)
    environment = installed.environment()
    environment["LD_LIBRARY_PATH"] += f":{folder}"
    return lambda model: call(program, model, env=environment)


@pytest.mark.parametrize("name", OTHERS)
def test_linnet_works_in_one_process_with(name, process, linear):
    if not is_there(name):
        pytest.skip(f"{name} is not installed")
    assert f"lib{name}" in process(linear[0])


def test_a_process_has_one_copy_of_protobuf(process, linear):
    libraries = process(linear[0])
    assert "libprotobuf.so" in libraries
    assert "libprotobuf-lite.so" not in libraries
