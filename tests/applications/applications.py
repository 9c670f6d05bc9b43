"""Applications that use ONNX Runtime: the packages that pip installs for each, and their folders."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from environments import CACHE, install, once, pip

HERE = Path(__file__).parent
# A site-packages folder with PyTorch. If it is not set, pip installs PyTorch.
TORCH_SITE = os.environ.get("LINNET_TORCH_SITE")
TORCH = "torch==2.13.0"
RUNTIME = "onnxruntime==1.32.0 flatbuffers packaging"
HUB = "filelock fsspec requests urllib3 idna certifi charset_normalizer httpx httpcore h11 anyio hf-xet tqdm PyYAML"


@dataclass
class Application:
    scenario: str
    packages: str  # for pip install --no-deps
    torch: bool = False
    speech: bool = False
    tolerance: float = 1e-3  # relative to the largest magnitude of an array


APPLICATIONS = [
    # The model computes variances as differences of squares, which cancel for files of a few bytes. Rounding in the
    # sums then changes scores by some thousandths.
    Application("magika_files", "magika==1.0.3 numpy click python-dotenv", tolerance=1e-2),
    Application("skl2onnx_pipelines", "scikit-learn==1.7.2 skl2onnx==1.20.0 numpy scipy joblib cloudpickle threadpoolctl narwhals "
                                      "onnx==1.19.1 protobuf==5.29.5 ml_dtypes typing_extensions"),
    Application("rapidocr_text", "rapidocr-onnxruntime==1.4.4 numpy opencv-python-headless shapely pyclipper pillow PyYAML "
                                 "six tqdm"),
    Application("silero_speech", "silero-vad==6.2.3 numpy packaging", torch=True, speech=True),
    Application("whisper_speech", f"faster-whisper==1.2.1 numpy ctranslate2 av tokenizers packaging typing_extensions "
                                  f"setuptools huggingface_hub==0.36.0 {HUB}", speech=True),
    # ONNX Runtime's STFT computes in float32. For nearly silent sound, its logarithms therefore differ from those of
    # onnx-asr's variants that use Conv. Linnet's agree with these variants.
    Application("asr_preprocessors", "onnx-asr==0.12.0 numpy", speech=True, tolerance=1e-2),
    Application("optimum_bert", f"optimum==2.3.0 optimum-onnx==0.1.0 transformers==4.57.6 huggingface_hub==0.36.0 "
                                f"tokenizers==0.22.1 numpy packaging regex safetensors onnx==1.19.1 protobuf==5.29.5 "
                                f"ml_dtypes typing_extensions {HUB}", torch=True),
    Application("ultralytics_yolo", "ultralytics==8.4.190 ultralytics-thop numpy opencv-python-headless pillow PyYAML requests "
                                    "psutil matplotlib scipy polars tqdm urllib3 idna certifi charset_normalizer packaging "
                                    "pyparsing cycler kiwisolver python-dateutil six contourpy fonttools onnx protobuf "
                                    "ml_dtypes torchvision==0.28.0", torch=True),
]  # fmt: skip


def runtime():
    """Returns a folder for PYTHONPATH with ONNX Runtime."""
    folder = CACHE / "onnxruntime"
    return once(folder, lambda: pip(sys.executable, "--no-deps", "--target", str(folder), *RUNTIME.split()))


class Environment:
    """The application's environment, which has no onnxruntime."""

    def __init__(self, application):
        self.application = application
        self.folder = CACHE / application.scenario
        self.python = self.folder / "bin" / "python"
        once(self.folder, self.install)

    def install(self):
        install(self.folder, "--no-deps", *self.application.packages.split())
        if not self.application.torch:
            return
        if TORCH_SITE:
            site = next(self.folder.glob("lib/python*/site-packages"))
            (site / "torch.pth").write_text(TORCH_SITE + "\n")
        else:
            pip(self.python, TORCH)

    def run(self, arguments, path, prefix=()):
        """Runs the scenario with `path` as PYTHONPATH. Fails with its output."""
        command = [self.python, *prefix, HERE / "run_scenario.py", self.application.scenario, *arguments]
        result = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(path), "HF_HUB_OFFLINE": "1"},
                                capture_output=True, text=True, cwd=self.folder, timeout=1500)  # fmt: skip
        assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-6000:]
