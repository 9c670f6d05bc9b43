"""The Debian packages: lintian's reports, their contents and dependencies, and, if LINNET_TEST_DEBOOTSTRAP is set
(root, network, minutes), their installation and use in a minimal system.
"""

import os
import shutil
import subprocess

import pytest
from installed import call
from locations import BUILD

NAMES = ["liblinnet0", "liblinnet-dev", "linnet-onnxruntime", "linnet-tools"]


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """Returns the packages of the build under test by name."""
    if not shutil.which("dpkg-shlibdeps"):
        pytest.skip("dpkg-dev is not installed")
    folder = tmp_path_factory.mktemp("packages")
    call("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
    found = {path.name.split("_")[0]: path for path in folder.glob("*.deb")}
    assert sorted(found) == sorted(NAMES)
    return found


def field(package, name):
    return call("dpkg-deb", "-f", package, name).strip().split(", ")


def files(package):
    return [line.split()[5] for line in call("dpkg-deb", "-c", package).splitlines()]


def test_lintian_finds_no_error(packages):
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed")
    result = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", *packages.values()],
                            capture_output=True, text=True)  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr


def test_each_file_is_in_one_package(packages):
    contents = [{name for name in files(package) if not name.endswith("/")} for package in packages.values()]
    assert sum(map(len, contents)) == len(set().union(*contents))
    held = {name: next(owner for owner, package in packages.items() if any(path.endswith(name) for path in files(package)))
            for name in ("liblinnet.so.0.2", "liblinnet.so", "liblinnet.a", "onnx.h", "include/linnet.h", "linnet.pc",
                         "bin/run_model", "linnet-onnxruntime/libonnxruntime.so.1", "doc/linnet/linnet.cdx.json",
                         "doc/linnet/LICENSE", "doc/linnet/THIRD_PARTY_NOTICES")}
    assert list(held.values()) == ["liblinnet0", *["liblinnet-dev"] * 5, "linnet-tools", "linnet-onnxruntime",
                                   *["liblinnet0"] * 3]  # fmt: skip


def test_packages_ask_for_the_library_of_their_own_version(packages):
    version = field(packages["liblinnet0"], "Version")[0]
    for name in "liblinnet-dev", "linnet-onnxruntime", "linnet-tools":
        assert f"liblinnet0 (= {version})" in field(packages[name], "Depends")


def test_packages_ask_for_the_libraries_that_they_are_linked_with(packages):
    depends = {dependency.split()[0] for dependency in field(packages["liblinnet0"], "Depends")}
    assert {"libc6", "libgomp1", "libprotobuf32"} <= depends
    assert {"libprotobuf-dev", "libre2-dev"} <= set(field(packages["liblinnet-dev"], "Depends"))


@pytest.mark.skipif("LINNET_TEST_DEBOOTSTRAP" not in os.environ, reason="LINNET_TEST_DEBOOTSTRAP is not set")
def test_packages_install_and_run_in_a_new_system(packages, linear, tmp_path):
    root = tmp_path / "root"
    call("debootstrap", "--variant=minbase", os.environ["LINNET_TEST_DEBOOTSTRAP"], root)
    for path in [*packages.values(), linear[0]]:
        shutil.copy(path, root)
    for package in "liblinnet0", "linnet-tools":
        call("chroot", root, "apt-get", "install", "-y", "--no-install-recommends", f"/{packages[package].name}")
    assert "y" in call("chroot", root, "run_model", f"/{linear[0].name}")
