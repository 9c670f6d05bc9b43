"""What scripts/release.sh packs of the build under test: the tarball and the wheel of one Python, which the script tries. They
are packed twice, which takes minutes: where LINNET_TEST_RELEASE=1. Where LINNET_TEST_DEBOOTSTRAP names a release of Debian
(root, network), the image of Containerfile is made of it.
"""

import json
import os
import re
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from installed import call, compiler
from locations import BUILD, ROOT

pytestmark = pytest.mark.skipif(os.environ.get("LINNET_TEST_RELEASE") != "1", reason="packing takes minutes: LINNET_TEST_RELEASE=1")
MODEL = ROOT / "examples" / "deform_block.onnx"
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|gcc_s|stdc\+\+))\.so")


def pack(folder):
    environment = os.environ | {"LINNET_BUILD": str(BUILD), "LINNET_PYTHONS": "/usr/bin/python3"}
    command = [ROOT / "scripts" / "release.sh", folder, "tarball", "wheels"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if "pip could not install" in done.stderr:
        pytest.skip("pip cannot get auditwheel")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return pack(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def unpacked(release, tmp_path_factory):
    """The folders of the tarball and of the wheel."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(next(release.glob("*.tar.xz"))) as file:
        file.extractall(folder / "tarball")
    with zipfile.ZipFile(next(release.glob("*.whl"))) as file:
        file.extractall(folder / "wheel")
    return next(folder.glob("tarball/*")), folder / "wheel"


def loaded(program):
    """The libraries that a program loads but for those of the system, and their paths."""
    paths = dict(re.findall(r"(\S+) => (.+?)(?: \(0x.*)?\n", call("ldd", program)))
    return {name: path for name, path in paths.items() if not SYSTEM.match(name)}


def test_checksums_fit_and_name_all_files(release):
    call("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=release)
    named = {line.split()[1] for line in (release / "SHA256SUMS").read_text().splitlines()}
    assert named == {path.name for path in release.iterdir()} - {"SHA256SUMS"}


def test_a_second_run_gives_the_same_bytes(release, tmp_path):
    assert (pack(tmp_path) / "SHA256SUMS").read_text() == (release / "SHA256SUMS").read_text()


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
    """The bill of materials has the fields that CycloneDX and readers ask for, and names the libraries."""
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


def follow(containerfile, release, root):
    """Makes the last image of a Containerfile in the root of a Debian: the command of the image."""
    last = re.split("^FROM ", containerfile.read_text(), flags=re.MULTILINE)[-1]
    for instruction, rest in re.findall(r"^(ADD|RUN|ENTRYPOINT) (.*)", last, re.MULTILINE):
        if instruction == "ADD":
            pattern, folder = rest.split()
            call("tar", "-C", root / folder.strip("/"), "-xf", *release.glob(Path(pattern).name))
        elif instruction == "RUN":
            call("chroot", root, "sh", "-c", rest)
        else:
            return json.loads(rest)


@pytest.mark.skipif("LINNET_TEST_DEBOOTSTRAP" not in os.environ, reason="LINNET_TEST_DEBOOTSTRAP is not set")
def test_the_image_of_the_containerfile_runs(release, tmp_path):
    root = tmp_path / "root"
    call("debootstrap", "--variant=minbase", os.environ["LINNET_TEST_DEBOOTSTRAP"], root)
    command = follow(ROOT / "Containerfile", release, root)
    shutil.copy(MODEL, root)
    # A container has /proc, which the loader asks where a program lies.
    container = "unshare", "--pid", "--fork", "--root", root, "--mount-proc", "--setuid", "65534", "--setgid", "65534"
    environment = {"PATH": "/usr/local/bin:/usr/bin:/usr/sbin"}
    assert "output" in call(*container, *command, f"/{MODEL.name}", env=environment)
