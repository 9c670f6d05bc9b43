"""The features of the processor, determined without Linnet."""

import os
from pathlib import Path


def multiplies_bfloat16():
    """Whether Linnet may, and can, use AVX512-BF16 here."""
    cpuinfo = Path("/proc/cpuinfo")
    isa = os.environ.get("LINNET_ISA", "auto")
    return cpuinfo.exists() and "avx512_bf16" in cpuinfo.read_text() and (isa == "auto" or "+bf16" in isa)


def onnx_runtime_sums_bytes_exactly():
    """Whether ONNX Runtime's sums of products of uint8 by int8 are exact. Without VNNI they saturate."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    return "avx2" not in text or "avx512_vnni" in text or "avx_vnni" in text
