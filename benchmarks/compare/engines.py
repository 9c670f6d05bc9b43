"""The engines that take part. Each block of runs is a separate process, so that no engine's threads spin while another runs."""

import dataclasses
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TITLES = {"linnet": "Linnet", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "ncnn": "ncnn"}


class Problem(Exception):
    """Why an engine is not timed."""


@dataclasses.dataclass(frozen=True)
class Setup:
    """How a model is run."""

    threads: int
    batch: int
    isa: str


@dataclasses.dataclass(frozen=True)
class Block:
    median_ms: float
    load_ms: float
    runs: int
    peak_rss_mib: float


def cores():
    """One processor of each core that this process may use."""
    first = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        siblings = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        first.setdefault(siblings.read_text() if siblings.exists() else cpu, cpu)
    return list(first.values())


def launcher(command, threads, report=os.devnull):
    """The command that runs this one on as many cores, each thread on its own, and its environment."""
    cpus = ",".join(map(str, cores()[:threads]))
    launched = [sys.executable, "-S", "-E", HERE / "launch.py", cpus, report, *command]
    return list(map(str, launched)), {**os.environ, "OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}


def launch(command, threads):
    """Runs a command on as many cores; (stdout, peak resident memory in MiB). Throws Problem with its last message."""
    with tempfile.NamedTemporaryFile("r") as report:
        launched, environment = launcher(command, threads, report.name)
        done = subprocess.run(launched, capture_output=True, text=True, env=environment)
        if done.returncode:
            raise Problem(last_message(done.stderr) or f"exit code {done.returncode}")
        return done.stdout, int(report.read()) / 1024


def ask(engine, action, threads=1, folder="", **job):
    """What the other engine's process answers (see peer.py) and its peak resident memory in MiB."""
    job = {"engine": engine, "action": action, "threads": threads, "folder": folder} | job
    stdout, peak_rss_mib = launch([sys.executable, HERE / "peer.py", json.dumps(job)], threads)
    return json.loads(stdout.splitlines()[-1]), peak_rss_mib


@functools.cache
def version_of(engine):
    """The version, and the peak resident memory in MiB of a process that only asks for it."""
    return ask(engine, "version")


def last_message(stderr):
    """The last line, without the kind of a Python error."""
    line = (stderr.strip().splitlines() or [""])[-1]
    return (line.partition("Error: ")[2] or line).lstrip("- ")


class Linnet:
    name, settings = "linnet", {}

    def __init__(self, program):
        self.program = program
        stdout, self.bare_mib = launch([program, "--version"], 1)
        self.version = stdout.split()[-1]

    def prepare(self, case):
        pass

    def call(self, case, setup, verb, *flags):
        inputs = ["--input-npz", f"{case.folder}/inputs.npz", "--threads", setup.threads, "--isa", setup.isa]
        return launch([self.program, verb, case.model, *inputs, *flags], setup.threads)

    def save_outputs(self, case, setup):
        self.call(case, setup, "run", "--save-outputs", f"{case.folder}/linnet.npz")

    def block(self, case, setup, seconds, warmup=3, runs=3):
        flags = ["--warmup", warmup, "--iters", runs, "--json", "-", *(["--duration", seconds] if seconds else [])]
        stdout, peak_rss_mib = self.call(case, setup, "bench", *flags)
        result = json.loads(stdout)
        return Block(result["median_ms"], result["load_ms"], result["iterations"], peak_rss_mib)


class Peer:
    """An engine with a Python package."""

    def __init__(self, name, level="all"):
        self.name, self.level = name, level
        self.version, self.bare_mib = version_of(name)

    @property
    def settings(self):
        return {"level": self.level} if self.name == "onnxruntime" else {}

    def prepare(self, case):
        if self.name == "ncnn":
            ask(self.name, "convert", folder=case.folder, model=case.model, shapes=case.shapes)

    def save_outputs(self, case, setup):
        ask(self.name, "outputs", setup.threads, case.folder, model=case.model, level=self.level)

    def block(self, case, setup, seconds, warmup=3, runs=3):
        job = {"model": case.model, "level": self.level, "seconds": seconds, "warmup": warmup, "runs": runs}
        result, peak_rss_mib = ask(self.name, "time", setup.threads, case.folder, **job)
        return Block(**result, peak_rss_mib=peak_rss_mib)
