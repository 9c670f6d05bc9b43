"""The results of scripts/release.sh for the build under test, configured with the RELEASE_OPTIONS of scripts/common.sh:
the tarball, the Debian packages and the wheel for one Python, which the script tests. They are built twice, which takes
minutes, so this runs only with LINNET_TEST_RELEASE=1. If LINNET_TEST_DEBOOTSTRAP names a release of Debian (root,
network), the images of Containerfile are built from it.
"""

import json
import os
import re
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path
from string import Template

import numpy as np
import pytest
from installed import call, compiler
from locations import BUILD, ROOT

pytestmark = pytest.mark.skipif(os.environ.get("LINNET_TEST_RELEASE") != "1", reason="packing takes minutes: LINNET_TEST_RELEASE=1")
MODEL = ROOT / "examples" / "deform_block.onnx"
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|gcc_s|stdc\+\+))\.so")


def pack(folder, **options):
    environment = os.environ | {"LINNET_BUILD": str(BUILD), "LINNET_PYTHONS": "/usr/bin/python3"}
    command = [ROOT / "scripts" / "release.sh", folder, "tarball", "debian", "wheels"]
    done = subprocess.run(command, env=environment | options.pop("env", {}), capture_output=True, text=True, **options)
    if "pip could not install" in done.stderr:
        pytest.skip("pip cannot get auditwheel")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return pack(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def unpacked(release, tmp_path_factory):
    """Returns the folders of the tarball and of the wheel."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(next(release.glob("*.tar.xz"))) as file:
        file.extractall(folder / "tarball")
    with zipfile.ZipFile(next(release.glob("*.whl"))) as file:
        file.extractall(folder / "wheel")
    return next(folder.glob("tarball/*")), folder / "wheel"


def loaded(program):
    """Returns the libraries that a program loads, except those of the system, and their paths."""
    paths = dict(re.findall(r"(\S+) => (.+?)(?: \(0x.*)?\n", call("ldd", program)))
    return {name: path for name, path in paths.items() if not SYSTEM.match(name)}


def test_checksums_fit_and_name_all_files(release):
    call("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=release)
    named = {line.split()[1] for line in (release / "SHA256SUMS").read_text().splitlines()}
    assert named == {path.name for path in release.iterdir()} - {"SHA256SUMS"}


def test_a_second_run_gives_the_same_bytes(release, tmp_path):
    pack(tmp_path, umask=0o077, env={"TZ": "Asia/Tokyo", "LC_ALL": "en_US.UTF-8", "TMPDIR": str(tmp_path.parent)})
    assert (tmp_path / "SHA256SUMS").read_text() == (release / "SHA256SUMS").read_text()


def test_programs_run_without_the_libraries_of_this_machine(unpacked):
    tarball, _ = unpacked
    moved = {path for program in (*tarball.glob("bin/*"), tarball / "lib" / "liblinnet.so",
                                  tarball / "lib" / "linnet-onnxruntime" / "libonnxruntime.so.1")
             for path in loaded(program).values()}  # fmt: skip
    assert len(moved) > 10
    assert [path for path in moved if not Path(path).resolve().is_relative_to(tarball)] == []
    assert "output" in call(tarball / "bin" / "run_model", MODEL, env={})


def test_programs_are_linked_with_the_library_of_the_tarball(unpacked, linear, tmp_path):
    tarball, _ = unpacked
    environment = os.environ | {"PKG_CONFIG_PATH": str(tarball / "lib" / "pkgconfig")}
    flags = call("pkg-config", "--cflags", "--libs", "linnet", env=environment).split()
    source = Path(__file__).parent / "c_consumer" / "app.c"
    call(compiler("gcc"), source, *flags, f"-Wl,-rpath,{tarball}/lib", "-o", tmp_path / "app")
    assert str(tarball) in loaded(tmp_path / "app")["libprotobuf.so.32"]
    assert len(call(tmp_path / "app", linear[0]).split()) == 2


def check_bill(path, libraries):
    """The bill of materials must contain the fields that CycloneDX and its readers require, and name the libraries."""
    bill = json.loads(path.read_text())
    assert (bill["bomFormat"], bill["specVersion"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "1.5", "linnet")
    for component in (bill["metadata"]["component"], *bill["components"]):
        assert component["name"] and component["version"] and component["licenses"] and component["purl"]
    references = {component["bom-ref"] for component in bill["components"]}
    edges = {edge["ref"]: edge["dependsOn"] for edge in bill["dependencies"]}
    assert set(edges) == references | {bill["metadata"]["component"]["bom-ref"]}
    assert {reference for needs in edges.values() for reference in needs} == references
    named = {entry["value"].split(".so")[0] for component in bill["components"] for entry in component["properties"]}
    assert libraries and {library.split(".so")[0] for library in libraries} <= named


def test_bills_of_materials_name_each_library(release, unpacked):
    tarball, wheel = unpacked
    check_bill(tarball / "share" / "doc" / "linnet" / "linnet.cdx.json", os.listdir(tarball / "lib" / "linnet"))
    plain = [re.sub("-[0-9a-f]{8}", "", name) for name in os.listdir(wheel / "linnet.libs")]
    check_bill(next(wheel.glob("*.dist-info/sboms/linnet.cdx.json")), plain)
    inside = {path.read_text() for folder in unpacked for path in folder.rglob("linnet.cdx.json")}
    assert inside == {path.read_text() for path in release.glob("*.cdx.json")}


def test_licences_are_in_all_artefacts(unpacked):
    for folder in unpacked:
        assert next(folder.rglob("LICENSE")).read_text() == (ROOT / "LICENSE").read_text()
        notices = next(folder.rglob("THIRD_PARTY_NOTICES")).read_text()
        assert "libunistring" in notices and "GNU LESSER GENERAL PUBLIC LICENSE" in notices


def test_nothing_names_the_folders_of_the_build(unpacked):
    folders = bytes(ROOT), bytes(BUILD), b"/tmp/pip-"
    files = [path for folder in unpacked for path in folder.rglob("*") if path.is_file()]
    assert [path for path in files if any(folder in path.read_bytes() for folder in folders)] == []


def container(root, *command, environment):
    """Returns the output of a command that runs as the user `nobody` in a root. The container has /proc, which the
    loader needs to locate a program."""
    isolated = "unshare", "--pid", "--fork", "--root", root, "--mount-proc", "--setuid", "65534", "--setgid", "65534"
    return call(*isolated, *command, env=environment)


def follow(target, release, root, environment):
    """Builds an image of Containerfile in the root of a Debian. Returns the command of the image."""
    text = (ROOT / "Containerfile").read_text()
    variables = dict(re.findall("^ARG (.+)=(.+)", text, re.MULTILINE))
    image = next(part for part in re.split("^FROM ", text, flags=re.MULTILINE) if part.split("\n")[0].endswith(f"AS {target}"))
    for instruction, rest in re.findall(r"^(ADD|COPY|RUN|ENTRYPOINT) (.*)", image, re.MULTILINE):
        if instruction == "RUN":
            call("chroot", root, "sh", "-c", rest, env=environment)
        elif instruction == "ENTRYPOINT":
            return json.loads(rest)
        else:
            pattern, folder = Template(rest).substitute(variables).split()
            copy = ["tar", "-xf"] if instruction == "ADD" else ["cp"]
            call(*copy, *release.glob(Path(pattern).name), "-C" if instruction == "ADD" else "-t", root / folder.strip("/"))


@pytest.fixture
def root(tmp_path):
    if "LINNET_TEST_DEBOOTSTRAP" not in os.environ:
        pytest.skip("LINNET_TEST_DEBOOTSTRAP is not set")
    call("debootstrap", "--variant=minbase", os.environ["LINNET_TEST_DEBOOTSTRAP"], tmp_path / "root")
    return tmp_path / "root"


def test_the_image_of_the_containerfile_runs(release, root):
    environment = {"PATH": "/usr/local/bin:/usr/bin:/usr/sbin"}
    command = follow("run_model", release, root, environment)
    shutil.copy(MODEL, root)
    assert "output" in container(root, *command, f"/{MODEL.name}", environment=environment)


def test_the_image_with_python_runs_the_lines_of_the_readme(release, root, linear):
    call("/usr/bin/python3", "-m", "pip", "download", "-q", "--only-binary=:all:", "-d", root / "pypi", "numpy")
    # The root's pip may not trust the certificates of this machine's network.
    environment = {"PATH": "/usr/bin:/usr/sbin:/bin:/sbin", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/pypi"}
    command = follow("python", release, root, environment)
    model, expected = linear
    shutil.copy(model, root / "model.onnx")
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    readme = re.search(r"```python\n(import linnet\n.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    lines, count = re.subn(r"(?m)^array = .*$", "array = np.arange(6, dtype='f4').reshape(2, 3)", readme)
    assert count == 1
    program = f"{lines}\nprint(outputs['y'].tolist())"
    printed = container(root, *command, "-c", program, environment=environment)
    np.testing.assert_allclose(json.loads(printed), expected(x), rtol=1e-5, atol=1e-6)
