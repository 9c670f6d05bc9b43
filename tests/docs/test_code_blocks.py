"""Runs every code block of the documentation: programs with the build under test, command lines in a shell."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from documentation import COOKBOOKS, PAGES, blocks, commands, fill
from installed import compiler
from locations import BUILD, ROOT

LANGUAGES = {"c", "cpp", "python", "sh", "text"}
HEADERS = [f"-I{ROOT / folder / 'include'}" for folder in ("engine", "ops", "frontends/onnx", "bindings/c")]
LIBRARY = [f"-L{BUILD}/lib", "-llinnet", f"-Wl,-rpath,{BUILD}/lib"]
# The text that a page assumes before a part of a program.
BEFORE = {
    ("docs/cpp.md", "cpp", 1): """#include <linnet/onnx.h>
        linnet::Context context(linnet::load_onnx("sequence.onnx"));
        const linnet::Tensor x = linnet::Tensor::of<float>({1, 2}), a = x, b = x;
    """,
}
ENGINE = "takes half a gigabyte; tests/scale_out installs it in an environment of its own"
SERVER = "takes up to half a gigabyte; tests/serving installs it in an environment of its own and starts it"
BUILDS = "builds everything; scripts/common.sh has the same commands for test.sh"
# Command lines that are not run here, and the reasons.
ELSEWHERE = {
    "./quickstart.sh": BUILDS,
    "./test.sh": "runs these tests",
    "./test.sh quick": "runs some of these tests",
    "./test.sh unit": "runs some of these tests",
    "pip install .": "tests/package/test_python.py",
    "build/bin/run_model compare model_int8.onnx --against model.onnx --per-node --atol 0.1": "tests/tools/test_against.py",
    "tar -xf linnet-*-linux-x86_64.tar.xz && linnet-*/bin/run_model model.onnx": "tests/package/test_release.py",
    "pip install linnet-*-abi3-*.whl": "is run by scripts/release.sh",
    """build/bin/run_model bench model.onnx --vs-ort "$(python3 -c 'import onnxruntime; print(onnxruntime.__path__[0])')\"""": "tests/tools/test_vs_ort.py",
    "cmake -S . -B build-aarch64 --toolchain cmake/aarch64.cmake -DLINNET_BUILD_ONNX=OFF -DLINNET_WITH_TEXT=OFF": BUILDS,
    "cmake -S . -B build-small -DLINNET_OPERATORS=needed.txt": "tests/package/test_reduced.py",
    "cmake --build build-small": "tests/package/test_reduced.py",
    "cmake --build build --target my_ops": "is a part of the build under test; tests/tools/test_op_library.py",
    "pip install frontends/torch": "is run by test.sh",
    "cmake --install build --component onnxruntime": "installs for the whole system; tests/package",
    "LD_LIBRARY_PATH=/usr/local/lib/linnet-onnxruntime ./your_program": "tests/onnxruntime_abi/clients/test_client_c.py",
    ".venv/bin/python tests/differential/conformance_page.py build-test/bin/run_model": "runs for hours; tests/differential",
    "pip install 'dask[dataframe,distributed]'": ENGINE,
    "pip install 'ray[data]' pandas": ENGINE,
    "pip install pyspark pandas pyarrow numpy": ENGINE,
    "pip install litserve prometheus_client opentelemetry-api": SERVER,
    "python with_litserve.py model.onnx 8000 8002": SERVER,
    "pip install 'ray[serve]'": SERVER,
    "RAY_USAGE_STATS_ENABLED=0 python with_ray_serve.py model.onnx 8000 8002": SERVER,
    "pip install bentoml": SERVER,
    "BENTOML_DO_NOT_TRACK=True MODEL=model.onnx bentoml serve with_bentoml:Classifier --port 8000": SERVER,
    "pip install kserve opentelemetry-api": SERVER,
    "python with_kserve.py --model_name=rows --http_port=8000 model.onnx": SERVER,
    "PYTHONPATH=build/python python tests/serving/overhead.py": "measures for minutes, with all servers",
    "pip install -r benchmarks/requirements.txt && pip install --no-deps pnnx": "other engines, only for comparison",
    "python benchmarks/compare MODEL.onnx... --threads 1,2 --batch 1 --isa auto,avx2 --json results.json "
    "--report docs/performance_networks.md": "measures for hours",
    "python benchmarks/quantize_models.py NETWORK.onnx... --out quantized --kinds u8s8,s8s8":
    "needs ONNX Runtime's quantiser; tests/tools/test_compare.py",
    "python benchmarks/quantize_models.py ENCODER.onnx... --out quantized --kinds dynamic":
    "needs ONNX Runtime's quantiser; tests/tools/test_compare.py",
    "python benchmarks/compare quantized/*.onnx --quantized --threads 1,2 --json quantized.json "
    "--report docs/performance_quantized.md": "measures for an hour",
    "python benchmarks/transformer_models.py --out transformers --lengths 16,128":
    "needs PyTorch and transformers",
    "python benchmarks/compare transformers/*.onnx --threads 1,2 --json transformers.json "
    "--report docs/performance_transformers.md": "measures for an hour",
    "PYTHONPATH=build/python python benchmarks/operators --threads 1 --json operators.json "
    "--report docs/performance_operators.md": "measures for an hour",
    "PYTHONPATH=build/python python benchmarks/serving/executors.py models/*.onnx --seconds 0.2 --rounds 3": "measures; needs models",
    "PYTHONPATH=build/python python benchmarks/serving models/*.onnx --seconds 0.12 --rounds 3 --tolerance 0.1 "
    "--out docs/performance_serving.md": "measures; needs models",
    "PYTHONPATH=build/python python benchmarks/operators --filter '^Transpose' --size large --slowest 10":
    "measures for minutes; tests/python/test_operator_sweep.py",
    "PYTHONPATH=build/python python benchmarks/operators/unvectorised.py --size large --percent 5":
    "measures for minutes, by perf; tests/python/test_operator_sweep.py",
    "python benchmarks/decoder_models.py --out decoders": "needs PyTorch and transformers",
    "python benchmarks/microsoft_decoders.py --out decoders": "writes two gigabytes; tests/python/test_decoders.py",
    "PYTHONPATH=build/python python benchmarks/decoders decoders/*.onnx --past 32,1024 --json decoders.json":
    "measures for minutes; tests/python/test_decoders.py",
    ".venv/bin/python tests/fuzz/make_seeds.py seeds": "tests/hostile/test_fuzz_targets.py",
    "cmake --build build-asan --target fuzz_graph": BUILDS,
    "build-asan/bin/fuzz_graph -max_total_time=600 -timeout=20 -rss_limit_mb=2048 seeds/graph":
    "fuzzes for minutes; tests/hostile/test_fuzz_targets.py",
    "cmake --preset asan-ubsan": BUILDS,
    "cmake --build build-asan --target linnet_tests run_model fuzz_model vary_operators": BUILDS,
    "ctest --test-dir build-asan -j 2 --output-on-failure": BUILDS,
    "LINNET_BUILD=$PWD/build-asan .venv/bin/python -m pytest -q tests/onnx_backend tests/hostile": BUILDS,
    "cmake --preset coverage": BUILDS,
    "cmake --build build-coverage --target linnet_tests": BUILDS,
    "LLVM_PROFILE_FILE=build-coverage/unit.profraw build-coverage/bin/linnet_tests": BUILDS,
    "llvm-profdata merge build-coverage/unit.profraw -o build-coverage/unit.profdata": BUILDS,
    "llvm-cov report build-coverage/bin/linnet_tests -instr-profile=build-coverage/unit.profdata engine frontends ops/rewrites":
    BUILDS,
    "build-test/bin/kernel_benchmarks --benchmark_filter=gemm": "measures for minutes; is a part of the build of test.sh",
}


@pytest.fixture
def folder(tmp_path):
    """Returns the current folder, which contains the files that the pages use."""
    if not (BUILD / "lib" / "liblinnet.so").exists():
        pytest.skip(f"{BUILD} is no build: name one in LINNET_BUILD")
    fill(tmp_path)
    return tmp_path


def call(folder, *command, **variables):
    """Returns the output of a command, which must succeed."""
    result = subprocess.run([*map(str, command)], cwd=folder, env=os.environ | variables, capture_output=True, text=True)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def whole(block):
    """Returns the block as a complete program."""
    text = BEFORE.get(block.key, "") + block.text
    if "int main(" in text:
        return text
    includes = re.findall(r"^\s*#include.*\n", text, re.MULTILINE)
    rest = re.sub(r"^\s*#include.*\n", "", text, flags=re.MULTILINE)
    return f"{''.join(includes)}int main() {{\n{rest}\n}}\n"


def compile(folder, name, text, *flags):
    """Compiles a text with the headers for applications and the shared library."""
    (folder / name).write_text(text)
    command = compiler("g++"), "-std=c++20"
    if name.endswith(".c"):
        command = compiler("gcc"), "-std=c99", "-pedantic-errors"
    call(folder, *command, *flags, *HEADERS, name, *LIBRARY, "-o", folder / f"{name}.out")
    return folder / f"{name}.out"


def of(*languages):
    """Returns a parameter for each block of these languages that tests/torch does not run, and that is not a file
    itself."""
    found = [block for page in PAGES for block in blocks(page, *languages)]
    return [pytest.param(block, id=f"{block.page}-{block.language}-{block.number}")
            for block in found if not block.needs_pytorch and not block.file and block.page != "docs/custom_ops.md"]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_every_block_has_a_language(page):
    text = (ROOT / page).read_text()
    assert len(re.findall(r"^ *```", text, re.MULTILINE)) == 2 * len(blocks(page))
    assert {block.language for block in blocks(page)} <= LANGUAGES
    assert re.findall(r"^\S(?!\. |[- ]).*\n\n {4}\S.*", text, re.MULTILINE) == [], "code that is only indented"


def test_the_picture_of_speed_shows_what_the_pages_state():
    subprocess.run([sys.executable, ROOT / "scripts" / "draw_speed.py", "--check"], check=True)


def test_the_tables_name_blocks_and_commands_that_exist():
    found = [block for page in PAGES for block in blocks(page)]
    assert set(BEFORE) <= {block.key for block in found}
    assert set(ELSEWHERE) <= {line for block in found if block.language == "sh" for line in commands(block)}


@pytest.mark.parametrize("page", PAGES)
def test_blocks_named_after_files_have_their_text(page):
    for block in blocks(page):
        if (ROOT / block.file).is_file():
            assert block.text == (ROOT / block.file).read_text(), block.file


@pytest.mark.parametrize("block", of("cpp", "c"))
def test_program_runs(folder, block):
    flags = ["-Wall", "-Wextra", "-Werror"] if block.page in COOKBOOKS else []
    if block.page in COOKBOOKS and block.language == "c":
        flags += ["-std=c11"]
    call(folder, compile(folder, f"program.{'c' if block.language == 'c' else 'cc'}", whole(block), *flags))


def test_the_blocks_of_custom_operators_are_a_library(folder, run_model):
    text = "\n".join(block.text for block in blocks("docs/custom_ops.md", "cpp"))
    library = compile(folder, "twice.cc", text, "-shared", "-fPIC")
    x = np.array([1, -2, 3], np.float32)
    np.testing.assert_array_equal(run_model.outputs(folder / "twice.onnx", {"x": x}, "-R", library)["y"], 2 * x)


@pytest.fixture
def python_path():
    """Returns the path of the Python binding in the build under test."""
    if not list(BUILD.glob("python/linnet/_linnet*.so")):
        pytest.skip(f"{BUILD} has no Python binding: build with LINNET_BUILD_PYTHON")
    return str(BUILD / "python")


@pytest.mark.parametrize("block", of("python"))
def test_python_block_runs(folder, python_path, block):
    call(folder, sys.executable, "-c", BEFORE.get(block.key, "") + block.text, PYTHONPATH=python_path)


def shell(folder, line, **variables):
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return call(folder, "bash", "-euo", "pipefail", "-c", line, PATH=path, **variables)


PAGES_WITH_COMMANDS = [page for page in PAGES if blocks(page, "sh") and page != "docs/contributing.md"]


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS)
def test_command_lines_run(folder, request, page):
    lines = [line for block in blocks(page, "sh") if not block.needs_pytorch for line in commands(block)]
    variables = {}
    if any("pkg-config" in line for line in lines):
        variables["PKG_CONFIG_PATH"] = f"{request.getfixturevalue('installed').libraries}/pkgconfig"
    for line in [line for line in lines if line not in ELSEWHERE]:
        if line.startswith("python "):
            variables["PYTHONPATH"] = request.getfixturevalue("python_path")
        shell(folder, line, **variables)
