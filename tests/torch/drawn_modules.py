"""Generates random modules, exports them with export_model, runs the files with run_model and compares with PyTorch.

    python3 tests/torch/drawn_modules.py --count 5000 --folder build-sampled [--seed 0]

Static modules are exported in batches. Dynamic modules, and those whose contents determine sizes, are exported
separately. Wrong and failing modules are listed in the folder's findings.txt, refused modules in its refused.txt.
"""

import argparse
import collections
import contextlib
import copy
import importlib.util
import io
import multiprocessing
import random
import re
import subprocess
import warnings
from pathlib import Path

import numpy as np
import torch
from drawn import Draw
from drawn_families import CONTROLLED, FAMILIES, FOLLOW_UPS
from installation import export_model
from locations import RUN_MODEL
from run_model import RunModel

BATCH = 16
OPSETS = (13, 15, 17, 18, 21)
SIZES = {"N": 3, "M": 4}
OTHER_SIZES = ({"N": 1, "M": 1}, {"N": 0, "M": 4}, {"N": 3, "M": 0}, {"N": 7, "M": 5}, {"N": 2, "M": 9})
AGREES, REFUSED, WRONG, FAILS = "agrees", "refused", "wrong", "does not run"
REFUSALS = (RuntimeError, IndexError, ValueError, TypeError, AssertionError, ArithmeticError, torch.jit.Error)
# The unit in the last place of numbers near 1, for narrow dtypes.
UNITS = {torch.float16: 2**-10, torch.bfloat16: 2**-7}
HEADER = "import math\n\nimport torch\nfrom torch import nn\nfrom torch.nn import functional as F\n\n\n"


class Case:
    """A random module: its tensors, and the lines of its forward."""

    def __init__(self, family, draw, body, scripted, opset):
        self.family, self.specs, self.layer, self.scripted = family, draw.specs, draw.layer, scripted
        self.opset = opset
        self.lines = [*draw.setup, f"return {body}"]
        self.dynamic = any(isinstance(size, str) for spec in self.specs.values() for size in spec.sizes)
        self.alone = self.dynamic or family in CONTROLLED

    def text(self):
        sizes = {name: f"{spec.dtype}{spec.sizes}" for name, spec in self.specs.items()}
        kind = "scripted" if self.scripted else "traced"
        return f"{self.family}, {kind}, opset {self.opset}: {'; '.join(self.lines)}  # {sizes} {self.layer or ''}"

    def inputs(self, generator, sizes, special):
        return {name: spec.make(generator, sizes, special) for name, spec in self.specs.items()}


def source_of(cases):
    """Returns a file with a module that returns the results of all cases. Each case is a method."""
    lines = [HEADER, "class Batch(nn.Module):\n    def __init__(self):\n        super().__init__()\n"]
    lines += [f"        self.layer_{i} = {case.layer}\n" for i, case in enumerate(cases) if case.layer]
    for i, case in enumerate(cases):
        lines.append(f"\n    def case_{i}(self, {', '.join(case.specs)}):\n")
        lines += [f"        {line.replace('layer(', f'self.layer_{i}(')}\n" for line in case.lines]
    names = [f"c{i}_{name}" for i, case in enumerate(cases) for name in case.specs]
    calls = [f"self.case_{i}({', '.join(f'c{i}_{n}' for n in case.specs)})" for i, case in enumerate(cases)]
    lines.append(f"\n    def forward(self, {', '.join(names)}):\n        return ({', '.join(calls)},)\n")
    return "".join(lines)


def module_of(cases, path):
    path.write_text(source_of(cases))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(1)
    return module.Batch().eval()


def flat(value):
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in flat(part)]
    return [] if value is None else [value if isinstance(value, torch.Tensor) else torch.tensor(value)]


def evaluate(module, i, inputs):
    """Returns the results of PyTorch's module, or of its case i; None if it refuses the inputs."""
    try:
        with torch.no_grad():
            function = module if i is None else getattr(module, f"case_{i}")
            return flat(function(*(tensor.clone() for tensor in inputs.values())))
    except REFUSALS:
        return None


def draw_case(seed, opset, folder):
    """Returns the case of a seed. Tries again until PyTorch can evaluate it."""
    for attempt in range(100):
        draw = Draw(f"{seed} {attempt}", dynamic=seed % 4 == 0)
        family = draw.choice(FAMILIES)
        try:
            body = family(draw)
        except (IndexError, ValueError, TypeError):
            continue
        if draw.integer(0, 5) == 0 and not draw.setup:
            body = draw.choice(FOLLOW_UPS).replace("{}", body)
        scripted = draw.integer(0, 1) == 1 or family.__name__ == "control"
        case = Case(family.__name__, draw, body, scripted, opset)
        if usable(case, folder / f"drawn_{seed}.py"):
            return case
    raise RuntimeError(f"seed {seed}: nothing that PyTorch evaluates")


def saved(module, cases, inputs, path):
    if cases[0].scripted:
        graph = torch.jit.script(module)
    else:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", torch.jit.TracerWarning)
            graph = torch.jit.trace(module, tuple(inputs), strict=False, check_trace=False)
        if any(str(warning.message).startswith("Converting") for warning in caught):
            raise ValueError("the trace does not hold for other inputs")
    graph.save(str(path))


def usable(case, path):
    try:
        module = module_of([case], path)
        inputs = case.inputs(torch.Generator().manual_seed(0), SIZES, False)
        results = evaluate(module, 0, inputs)
        if not results or any(result.is_complex() for result in results):
            return False
        saved(module, [case], [tensor.clone() for tensor in inputs.values()], path.with_suffix(".pt"))
        return True
    except Exception:
        if not case.scripted or case.family == "control":
            return False
        case.scripted = False  # TorchScript does not support all of Python
        return usable(case, path)


def is_bfloat16(tensor):
    return tensor.dtype == torch.bfloat16


def from_bfloat16(bits):
    """Returns the floats of numbers that NumPy reads as two bytes each."""
    words = np.left_shift(bits.reshape(-1).view(np.uint16), 16, dtype=np.uint32)
    return words.view(np.float32).reshape(bits.shape)


def allowance(got, expected, precise, unit):
    """Returns the accepted difference of each element, including PyTorch's own error if results in float64 show it."""
    of_element, of_largest = (10 * unit, 2 * unit) if unit else (1e-4, 5e-7)
    slack = 0 if precise is None else 4 * np.abs(np.nan_to_num(precise - expected, posinf=0, neginf=0))
    largest = np.abs(np.where(np.isfinite(expected), expected, 0)).max(initial=0)
    bound = (of_element if unit else 1e-5) + of_element * np.abs(expected) + slack + of_largest * largest
    return np.where(np.isfinite(bound), bound, 1e-2 * np.abs(got))


def is_near(got, expected, precise, unit):
    a, b = got.astype(np.float64), expected.astype(np.float64)
    if precise is not None and precise.shape != b.shape:
        precise = None
    with np.errstate(all="ignore"):
        bound = allowance(a, b, precise, unit)
        near = np.abs(a - b) <= np.where(np.isfinite(b), bound, 0)
        if precise is not None:  # PyTorch's own number may have overflowed
            near |= np.isfinite(precise) & (np.abs(a - precise) <= bound)
    return near | (a == b) | (np.isnan(a) & np.isnan(b))


def difference(got, expected, precise):
    """Describes what differs, or returns None.

    Integers must be equal. Floats are compared as closely as PyTorch's own rounding permits.
    """
    unit = UNITS.get(expected.dtype)
    dtype = np.dtype("V2") if is_bfloat16(expected) else torch.empty(0, dtype=expected.dtype).numpy().dtype
    if got.dtype != dtype or got.shape != expected.shape:
        return f"{got.dtype}{list(got.shape)} for PyTorch's {expected.dtype}{list(expected.shape)}"
    if is_bfloat16(expected):
        got, expected = from_bfloat16(got), expected.float()
    expected = expected.numpy()
    same = is_near(got, expected, precise, unit) if np.issubdtype(got.dtype, np.floating) else got == expected
    bad = ~np.asarray(same)
    if not bad.any():
        return None
    at = tuple(int(i) for i in np.argwhere(bad)[0]) if bad.ndim else ()
    return f"{int(bad.sum())} of {bad.size} elements, {got[at]} for PyTorch's {expected[at]} at {at}"


def in_double(module, i, inputs):
    """Returns the results in float64, if the module has any."""
    wide = {name: tensor.double() if tensor.is_floating_point() else tensor for name, tensor in inputs.items()}
    results = evaluate(copy.deepcopy(module).double(), i, wide)
    return [result.double().numpy() for result in results] if results else None


class Survey:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.command, problem = export_model()
        assert self.command, problem
        self.run_model = RunModel(RUN_MODEL)

    def outcomes(self, cases, tag):
        """Returns one (outcome, reason) for each case. The cases are either all scripted or all traced."""
        module = module_of(cases, self.folder / f"batch_{tag}.py")
        generator = torch.Generator().manual_seed(0)
        inputs = [tensor for case in cases for tensor in case.inputs(generator, SIZES, False).values()]
        path = self.folder / f"batch_{tag}.pt"
        saved(module, cases, inputs, path)
        flags = [
            word
            for i, case in enumerate(cases)
            for name, spec in case.specs.items()
            for word in self._flags(i, name, spec)
        ]
        file = path.with_suffix(".onnx")
        result = subprocess.run(
            [self.command, str(path), "-o", str(file), "--opset", str(cases[0].opset), *flags],
            capture_output=True, text=True,
        )  # fmt: skip
        if result.returncode == 3:
            return self._without(cases, tag, result.stderr.strip())
        if result.returncode != 0:
            return self._apart(
                cases, tag, (FAILS, f"export_model ends with {result.returncode}: {result.stderr[-300:]}")
            )
        return self._compared(module, cases, file, tag)

    def _flags(self, i, name, spec):
        yield from ("--input", spec.flag(f"c{i}_{name}", SIZES))
        for axis, size in enumerate(spec.sizes):
            if isinstance(size, str):
                yield from ("--dynamic", f"c{i}_{name}:{axis}={size}")

    def _without(self, cases, tag, message):
        """Returns the outcomes if one case is refused, which the line in the message identifies."""
        if len(cases) == 1:
            return [(REFUSED, message if "; at " in message else f"NO LINE: {message}")]
        line = re.search(rf"batch_{tag}\.py:(\d+)", message)
        starts = [i for i, text in enumerate(source_of(cases).splitlines(), 1) if text.startswith("    def case_")]
        if line is None or not any(start < int(line.group(1)) for start in starts):
            return self._apart(cases, tag, None)
        found = max(i for i, start in enumerate(starts) if start < int(line.group(1)))
        rest = self.outcomes(cases[:found] + cases[found + 1 :], tag)
        return rest[:found] + [(REFUSED, message)] + rest[found:]

    def _apart(self, cases, tag, outcome):
        """Returns the outcomes of both halves; for one case, the given outcome."""
        if len(cases) == 1:
            return [outcome]
        half = len(cases) // 2
        return self.outcomes(cases[:half], tag) + self.outcomes(cases[half:], tag)

    def _compared(self, module, cases, file, tag):
        outcomes = [(AGREES, "")] * len(cases)
        generator = torch.Generator().manual_seed(2)
        rounds = [(SIZES, False), (SIZES, True)]
        if any(case.dynamic for case in cases):
            rounds += [(sizes, False) for sizes in OTHER_SIZES if cases[0].opset >= 14 or 0 not in sizes.values()]
        for sizes, special in rounds:
            inputs = [case.inputs(generator, sizes, special) for case in cases]
            expected = self._expected(module, cases, inputs, file)
            if special:  # cases that PyTorch refuses get plain numbers
                for i, results in enumerate(expected):
                    if results is None:
                        inputs[i] = cases[i].inputs(generator, sizes, False)
                        expected[i] = evaluate(module, i, inputs[i])
            if any(results is None for results in expected):
                continue
            try:
                got = self._outputs(file, inputs)
            except (AssertionError, TypeError) as error:
                return self._apart(
                    cases, tag, (FAILS, f"{sizes if len(rounds) > 2 else ''} {str(error).strip()[-400:]}")
                )
            if len(got) != sum(len(results) for results in expected):
                return self._apart(cases, tag, (WRONG, f"{len(got)} outputs"))
            for i, results in enumerate(expected):
                mine, got = got[: len(results)], got[len(results) :]
                problem = self._problem(module, i, inputs[i], mine, results)
                if problem and self._agrees_otherwise(cases[i], inputs[i], mine, tag):
                    problem = None
                if problem and outcomes[i][0] == AGREES:
                    outcomes[i] = (
                        WRONG,
                        f"{sizes if cases[i].dynamic else ''} {'special' if special else ''} {problem}",
                    )
        return outcomes

    def _outputs(self, file, inputs):
        """Returns the outputs of the file. NumPy has no bfloat16, so those inputs are raw files."""
        tensors = {f"c{i}_{name}": tensor for i, case in enumerate(inputs) for name, tensor in case.items()}
        arrays = {name: tensor.numpy() for name, tensor in tensors.items() if not is_bfloat16(tensor)}
        flags = []
        for name, tensor in tensors.items():
            if is_bfloat16(tensor):
                raw = file.with_suffix(f".{name}")
                raw.write_bytes(tensor.contiguous().view(torch.int16).numpy().tobytes())
                sizes = "x".join(map(str, tensor.shape)) or "scalar"
                flags += ["-i", f"{name}:bfloat16:{sizes}={raw}"]
        return list(self.run_model.outputs(file, arrays, *flags).values())

    def _expected(self, module, cases, inputs, file):
        """Returns PyTorch's results; with dynamic axes, those of TorchScript, because Python code may branch on
        sizes."""
        if not cases[0].dynamic:
            return [evaluate(module, i, case_inputs) for i, case_inputs in enumerate(inputs)]
        return [evaluate(torch.jit.load(str(file.with_suffix(".pt"))), None, inputs[0])]

    def _agrees_otherwise(self, case, inputs, got, tag):
        """Whether the results equal those of the traced or of the Python module.

        A traced module treats Python numbers as tensors and may promote dtypes differently from Python. Both are
        accepted.
        """
        path = self.folder / f"single_{tag}.pt"
        module = module_of([case], path.with_suffix(".py"))
        saved(module, [case], list(inputs.values()), path)
        both = evaluate(torch.jit.load(str(path)), None, inputs), evaluate(module, 0, inputs)
        return any(results and not any(difference(a, b, None) for a, b in zip(got, results)) for results in both)

    def _problem(self, module, i, inputs, got, expected):
        for k, (mine, wanted) in enumerate(zip(got, expected)):
            if difference(mine, wanted, None):
                precise = in_double(module, i, inputs)
                problem = difference(mine, wanted, precise[k] if precise and k < len(precise) else None)
                if problem:
                    return f"output {k}: {problem}"
        return None


def survey(arguments):
    """Returns the cases of some seeds and their outcomes."""
    seeds, folder, tag = arguments
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    found = []
    with contextlib.redirect_stderr(io.StringIO()):
        survey = Survey(folder)
        opset = random.Random(seeds[0]).choice(OPSETS)
        cases = [draw_case(seed, opset, survey.folder) for seed in seeds]
        alone = [[case] for case in cases if case.alone]
        together = [[case for case in cases if not case.alone and case.scripted is kind] for kind in (True, False)]
        for batch in filter(None, alone + together):
            found += zip(batch, survey.outcomes(batch, tag))
    return [(case.family, case.text(), outcome, reason) for case, (outcome, reason) in found]


def run(count, folder, seed=0, workers=2):
    """Returns (family, text, outcome, reason) of each module."""
    step = 2 * BATCH
    jobs = [
        (range(begin, min(begin + step, seed + count)), folder, f"{begin}") for begin in range(seed, seed + count, step)
    ]
    with multiprocessing.get_context("spawn").Pool(workers, maxtasksperchild=40) as pool:
        for rows in pool.imap_unordered(survey, jobs):
            yield from rows


def reason_of(message):
    """Returns a refusal without the parts that are specific to the case."""
    text = re.sub(r"^export_model: ", "", message)
    text = re.sub(r"; schema: .*|; at .*", "", text)
    return re.sub(r"PyTorch cannot evaluate it: .*", "PyTorch cannot evaluate it", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", default="build-sampled")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    Path(options.folder).mkdir(parents=True, exist_ok=True)
    rows = []
    with Path(options.folder, "findings.txt").open("w") as findings:
        for row in run(options.count, options.folder, options.seed, options.workers):
            rows.append(row)
            _, text, outcome, reason = row
            if outcome in (WRONG, FAILS):
                print(f"{outcome}: {text}\n    {reason}", file=findings, flush=True)
    counts = collections.Counter(outcome for _, _, outcome, _ in rows)
    refused = sorted((reason_of(reason), text) for _, text, outcome, reason in rows if outcome == REFUSED)
    Path(options.folder, "refused.txt").write_text("".join(f"{reason}\n    {text}\n" for reason, text in refused))
    print(f"{len(rows)} modules: " + ", ".join(f"{counts[kind]} {kind}" for kind in (AGREES, REFUSED, WRONG, FAILS)))


if __name__ == "__main__":
    main()
