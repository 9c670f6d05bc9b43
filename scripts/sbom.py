#!/usr/bin/env python3
"""sbom.py VERSION FOLDER FILE... [pypi:PACKAGE...]: describes the components of Linnet's programs and libraries (those
of the files that exist) in the folder: linnet.cdx.json, a bill of materials in CycloneDX 1.5, and THIRD_PARTY_NOTICES,
the licences. dpkg provides the packages of libraries. The PyPI packages, which must be installed for this Python, are
compiled in, too.

sbom.py --check BILL...: exits with an error if a bill contains a package that can only be used under the GPL.
"""

import datetime
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

# By source package, in the notation of https://spdx.org/licenses.
LICENCES = {
    "abseil": "Apache-2.0",
    "bzip2": "bzip2-1.0.6",
    "cli11": "BSD-3-Clause",
    "flatbuffers": "Apache-2.0",
    "gcc": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "jbigkit": "GPL-2.0-or-later",
    "lerc": "Apache-2.0",
    "libdeflate": "MIT",
    "libjpeg-turbo": "IJG AND BSD-3-Clause AND Zlib",
    "libpng": "libpng-2.0",
    "libunistring": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libwebp": "BSD-3-Clause",
    "libzip": "BSD-3-Clause",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only",
    "nanobind": "BSD-3-Clause",
    "nlohmann-json": "MIT",
    "onnx": "Apache-2.0",
    "openjpeg": "BSD-2-Clause",
    "openssl": "Apache-2.0",
    "protobuf": "BSD-3-Clause",
    "re2": "BSD-3-Clause",
    "tiff": "libtiff",
    "xsimd": "BSD-3-Clause",
    "xxhash": "BSD-2-Clause",
    "xz-utils": "LicenseRef-public-domain",
    "zlib": "Zlib",
}
# Packages whose code is compiled into Linnet.
HEADERS = ["libcli11-dev", "libflatbuffers-dev", "libonnx-dev", "libxsimd-dev", "libxxhash-dev", "nlohmann-json3-dev"]


def output(*command):
    return subprocess.run([*map(str, command)], check=True, stdout=subprocess.PIPE, text=True).stdout


def licence(source):
    """Returns the licence of a source package, whose name may end in a version: gcc-12, openjpeg2, libpng1.6."""
    name = source if source in LICENCES else re.sub(r"-?[0-9.]+$", "", source)
    if name not in LICENCES:
        sys.exit(f"sbom.py: LICENCES has no entry for the package {source}")
    return LICENCES[name]


class Package:
    """A package of the distribution, with those of its libraries that Linnet loads and the packages that they need."""

    def __init__(self, name):
        self.libraries, self.needs = set(), set()
        show = "${source:Package} ${source:Version} ${Version} ${Architecture}\n"
        self.source, source_version, self.version, architecture = output("dpkg-query", "-W", "-f", show, name).splitlines()[0].split()
        name, distribution = name.split(":")[0], platform.freedesktop_os_release()["ID"]
        self.notice = Path("/usr/share/doc", name, "copyright").read_text()
        if distribution == "debian":
            self.notice = f"Sources: https://snapshot.debian.org/package/{self.source}/{source_version}/\n\n{self.notice}"
        self.reference = f"pkg:deb/{distribution}/{name}@{quote(self.version)}?arch={architecture}"


class PythonPackage:
    """A package that is installed for the Python that runs this."""

    def __init__(self, name):
        found = importlib.metadata.distribution(name)
        self.source, self.version, self.libraries, self.needs = name, found.version, set(), set()
        self.notice = "\n".join(file.read_text() for file in found.files if file.name.startswith("LICENSE"))
        self.reference = f"pkg:pypi/{name}@{self.version}"


def owner(library):
    """Returns the package of a library. dpkg may know the file by a path from before /lib became a link."""
    path = os.path.realpath(library)
    paths = [path, path.removeprefix("/usr")]
    found = subprocess.run(["dpkg-query", "-S", *paths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return found.split(": ")[0] or sys.exit(f"sbom.py: {library} is of no package")


def packages_of(files):
    """Returns the packages of all libraries that the files load, by name, and the names of those that they load
    directly."""
    own = {os.path.realpath(file) for file in files}
    paths = dict(re.findall(r"(\S+) => (/\S+)", output("ldd", *files)))
    owners = {name: owner(path) for name, path in paths.items() if os.path.realpath(path) not in own}
    packages = {name: Package(name) for name in sorted({*owners.values()})}

    def needed(file):
        names = re.findall(r"\(NEEDED\) .*\[(.+)\]", output("readelf", "--dynamic", file))
        return {owners[name] for name in names if name in owners}

    for name, package in owners.items():
        packages[package].libraries.add(name)
        packages[package].needs |= needed(paths[name]) - {package}
    system = {name for name, package in packages.items() if package.source == "glibc"}
    for package in packages.values():
        package.needs -= system
    direct = set().union(*map(needed, files)) - system
    return {name: package for name, package in packages.items() if name not in system}, direct


def component(package):
    return {
        "type": "library",
        "bom-ref": package.reference,
        "name": package.source,
        "version": package.version,
        "licenses": [{"expression": licence(package.source)}],
        "purl": package.reference,
        "properties": [{"name": "linnet:library", "value": library} for library in sorted(package.libraries)],
    }


def bill(version, packages, direct):
    own = {
        "type": "library",
        "bom-ref": f"pkg:generic/linnet@{version}",
        "name": "linnet",
        "version": version,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "purl": f"pkg:generic/linnet@{version}",
    }
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
    time = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    edges = [(own["bom-ref"], direct), *((package.reference, package.needs) for package in packages.values())]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": own},
        "components": [component(package) for package in packages.values()],
        "dependencies": [
            {"ref": reference, "dependsOn": sorted(packages[name].reference for name in needs)} for reference, needs in edges
        ],
    }


def notices(packages):
    """Returns the notices of all packages, and the licences to which Debian's notices only refer."""
    texts = [f"{package.source} {package.version}\n\n{package.notice}" for package in packages.values()]
    named = re.findall(r"/usr/share/common-licenses/[\w.-]*\w", "".join(texts))
    texts += [path.read_text() for path in sorted({Path(name).resolve() for name in named}) if path.exists()]
    return f"\n{'=' * 80}\n\n".join(dict.fromkeys(texts))


def is_gpl(expression):
    """Whether each choice of the licence has a part under the GPL without an exception for programs."""

    def binds(part):
        return re.match("A?GPL-", part) and " WITH " not in part

    return all(any(map(binds, choice.split(" AND "))) for choice in expression.split(" OR "))


def check(path):
    for part in json.loads(Path(path).read_text())["components"]:
        expression = part["licenses"][0]["expression"]
        if is_gpl(expression):
            libraries = ", ".join(entry["value"] for entry in part["properties"])
            sys.exit(f"sbom.py: {path} names {part['name']} ({libraries}) under {expression}: it is not given away with Linnet")


def main(version, folder, *items):
    pypi = [item.removeprefix("pypi:") for item in items if item.startswith("pypi:")]
    packages, direct = packages_of([item for item in items if Path(item).exists()])
    compiled_in = {name: Package(name) for name in HEADERS if Path("/usr/share/doc", name).exists()}
    compiled_in |= {name: PythonPackage(name) for name in pypi}
    packages |= compiled_in
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "linnet.cdx.json").write_text(json.dumps(bill(version, packages, direct | {*compiled_in}), indent=1) + "\n")
    (folder / "THIRD_PARTY_NOTICES").write_text(notices(packages))


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        for path in sys.argv[2:]:
            check(path)
    else:
        main(*sys.argv[1:])
