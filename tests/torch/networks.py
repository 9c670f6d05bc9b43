"""Exports torchvision's classification networks, and one with deformable convolutions, with every exporter.

Compares run_model's outputs with PyTorch's.

python networks.py --json networks.json [NAME...]              those (all) with this Python's PyTorch; rows are added
python networks.py --json networks.json --report exporter_accuracy.md   writes the table between the file's two markers

The weights are random with a fixed seed. One batch in training mode determines the normalisations' statistics, without
which the values of a deep network vanish or exceed float32. An output may differ by 1e-4 + 1e-3 |value|. If PyTorch's
own float32 result is less accurate than that, an output may differ by 4 times its difference from the float64 result.
"""

import argparse
import copy
import json
import subprocess
import tempfile
import warnings
from pathlib import Path

import installation
import linnet_torch
import numpy as np
import torch
from linnet_torch import engine
from models import resnet50_dcn

BEGIN, END = "<!-- networks.py: begin -->", "<!-- networks.py: end -->"
DEFORMABLE = "resnet50_dcn"
ABSOLUTE, RELATIVE = 1e-4, 1e-3


def network(name):
    """Returns the seeded network and an image for it."""
    import torchvision

    torch.manual_seed(0)
    module = resnet50_dcn() if name == DEFORMABLE else torchvision.models.get_model(name, weights=None)
    size = 299 if name == "inception_v3" else 224
    for layer in module.modules():
        if isinstance(layer, torch.nn.Linear) and not layer.weight.any():  # the head of vision transformers
            torch.nn.init.xavier_uniform_(layer.weight)
    norms = [layer for layer in module.modules() if isinstance(layer, torch.nn.modules.batchnorm._BatchNorm)]
    module.eval()
    for norm in norms:
        norm.train()
        norm.momentum = 1.0
    with torch.no_grad():
        if norms:
            module(torch.randn(4, 3, size, size))
    return module.eval(), torch.randn(1, 3, size, size)


def export_model(graph, image, folder):
    """Writes the ONNX file of a TorchScript module with the command export_model."""
    command, _ = installation.export_model()
    graph.save(f"{folder}/model.pt")
    name = [argument.name for argument in graph.forward.schema.arguments][1]
    sizes = "x".join(map(str, image.shape))
    words = [command, f"{folder}/model.pt", "-o", f"{folder}/model.onnx", "--input", f"{name}:{sizes}"]
    subprocess.run(words, check=True, capture_output=True, text=True)


def traced(module, image):
    return torch.jit.trace(module, image, strict=False, check_trace=False)


def python_export(exporter):
    def export(module, image, folder):
        linnet_torch.export(module, image, f"{folder}/model.onnx", exporter=exporter, check=False)

    return export


def forms():
    """Returns, by name, functions that export a module with an image to FOLDER/model.onnx with this PyTorch."""
    found = {f"linnet_torch, {exporter}": python_export(exporter) for exporter in installation.TORCH_EXPORTERS}
    if installation.export_model()[0]:
        found["export_model, traced"] = lambda m, x, f: export_model(traced(m, x), x, f)
        found["export_model, scripted"] = lambda m, x, f: export_model(torch.jit.script(m), x, f)
    return found


def measure(module, image, expected, export):
    """Returns a row of the table."""
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        try:
            export(module, image, folder)
            got = next(iter(run(f"{folder}/model.onnx", image.numpy()).values()))
        except subprocess.CalledProcessError as error:
            return {"error": (error.stderr or str(error)).strip().splitlines()[-1]}
        except Exception as error:
            return {"error": str(error).strip().splitlines()[0]}
    difference = np.abs(got - expected)
    row = {"largest": float(np.abs(expected).max()), "difference": float(difference.max())}
    if (difference <= ABSOLUTE + RELATIVE * np.abs(expected)).all():
        return row | {"agrees": True}
    own = float(np.abs(result_of(module.double(), image.double()) - expected).max())
    return row | {"own_difference": own, "agrees": row["difference"] <= 4 * own}


def result_of(module, image):
    """Returns the first output, in float64."""
    with torch.no_grad():
        result = module(image)
    return (result if isinstance(result, torch.Tensor) else result[0]).numpy().astype(np.float64)


def run(file, image):
    import onnx

    name = onnx.load(file, load_external_data=False).graph.input[0].name
    return engine.run(engine.find_run_model(), Path(file), {name: image})


def table(rows):
    columns = sorted({(row["torch"], row["exporter"]) for row in rows})
    cells = {(row["model"], row["torch"], row["exporter"]): row for row in rows}
    yield "| network | largest value | " + " | ".join(f"{form}, PyTorch {torch}" for torch, form in columns) + " |"
    yield "|---" * (len(columns) + 2) + "|"
    for name in sorted({row["model"] for row in rows}):
        found = [cells.get((name, *column)) for column in columns]
        largest = max((row.get("largest", 0) for row in found if row), default=0)
        yield f"| {name} | {largest:.2g} | " + " | ".join(map(cell, found)) + " |"


def cell(row):
    if row is None:
        return ""
    if "error" in row:
        return row["error"]
    own = f" (PyTorch's own: {row['own_difference']:.1e})" if "own_difference" in row else ""
    return f"{row['difference']:.1e}{own}" + ("" if row["agrees"] else " **too large**")


def report(path, rows):
    before, _, rest = path.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(before + BEGIN + "\n\n" + "\n".join(table(rows)) + "\n\n" + END + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--json", type=Path, required=True, help="rows that it holds are not measured anew")
    parser.add_argument("--report", type=Path, metavar="FILE.md")
    arguments = parser.parse_args()
    rows = json.loads(arguments.json.read_text()) if arguments.json.exists() else []
    if arguments.report:
        return report(arguments.report, rows)
    import torchvision

    warnings.simplefilter("ignore")
    version = torch.__version__.split("+")[0]
    known = {(row["model"], row["exporter"]) for row in rows if row["torch"] == version}
    for name in arguments.names or [*torchvision.models.list_models(torchvision.models), DEFORMABLE]:
        missing = {form: export for form, export in forms().items() if (name, form) not in known}
        if not missing:
            continue
        module, image = network(name)
        expected = result_of(module, image)
        for form, export in missing.items():
            found = measure(copy.deepcopy(module), image, expected, export)
            rows.append({"model": name, "exporter": form, "torch": version} | found)
            print(rows[-1], flush=True)
            arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
