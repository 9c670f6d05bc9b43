"""The machine of the measurements."""

import datetime
import os
import pathlib
import platform

from engines import cores

INSTRUCTION_SETS = ("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "asimd", "sve")


def cpuinfo(*keys):
    """Returns the first value of any of the keys, or an empty text."""
    path = pathlib.Path("/proc/cpuinfo")
    for line in path.read_text().splitlines() if path.exists() else []:
        key, _, value = line.partition(":")
        if key.strip() in keys:
            return value.strip()
    return ""


def describe():
    flags = cpuinfo("flags", "Features").split()
    family, model = cpuinfo("cpu family"), cpuinfo("model")
    numbers = f" (family {family}, model {model})" if family else ""
    return {
        "date": datetime.date.today().isoformat(),
        "processor": (cpuinfo("model name") or platform.machine()) + numbers,
        "instruction_sets": [name for name in INSTRUCTION_SETS if name in flags],
        "virtual": "hypervisor" in flags,
        "cores": len(cores()),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", "") + ", Linux " + platform.release(),
    }
