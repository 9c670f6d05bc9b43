#!/usr/bin/env bash
# release_arm64.sh FOLDER PATCHELF: makes the tarball for 64-bit ARM in the folder, and runs a model with it on qemu.
# Debian's cross compiler and the ARM libraries are installed in a new root of Debian 12, not on this system. Part of
# release.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

dist=$1 patchelf=$2
[ "$(id -u)" -eq 0 ] || fail "only root can make the root of a Debian"
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
inside() { chroot "$root" "$@"; }

unset TMPDIR  # does not exist in the root
debootstrap --variant=minbase bookworm "$root" >/dev/null || fail "debootstrap failed (see above)"
inside dpkg --add-architecture arm64
packages="binutils g++-aarch64-linux-gnu libgomp1:arm64 python3-minimal qemu-user xz-utils"
for package in $BUILD_PACKAGES; do
  case $package in
    g++ | libtiff-dev) ;;
    libcli11-dev | libxsimd-dev | nlohmann-json3-dev) packages+=" $package" ;;  # only headers, for all processors
    lib*) packages+=" $package:arm64" ;;
    *) packages+=" $package" ;;
  esac
done
inside apt-get update -qq
inside env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
# The root's native ldd does not support programs of another processor.
inside tee /usr/local/bin/ldd >/dev/null <<'END'
#!/bin/sh
for file; do qemu-aarch64 /lib/ld-linux-aarch64.so.1 --list "$file"; done
END
chmod +x "$root/usr/local/bin/ldd"

mkdir "$root/linnet" "$root/dist"
git ls-files -z | xargs -0 cp --parents -t "$root/linnet"
install "$patchelf" "$root/usr/local/bin/patchelf"
inside bash -ec "cd /linnet && . scripts/common.sh
  configure /build --toolchain cmake/aarch64.cmake $RELEASE_OPTIONS && build /build
  scripts/release_tarball.sh /build /dist /usr/local/bin/patchelf"
inside bash -ec "tar -C /tmp -xf /dist/*.tar.xz && qemu-aarch64 /tmp/linnet-*/bin/run_model /linnet/examples/deform_block.onnx" >/dev/null ||
  fail "the programs for ARM do not run a model"
cp "$root"/dist/* "$dist"
