#!/usr/bin/env bash
# release_tarball.sh BUILD FOLDER PATCHELF: packs a build into a tarball in the folder, together with the libraries that
# its programs need and its bill of materials. The tarball runs with the C library of Debian 12 or newer. Part of
# release.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

build=$1 dist=$2 patchelf=$3
machine=$(sed -n 's/^set(CMAKE_SYSTEM_PROCESSOR "\(.*\)")/\1/p' "$build"/CMakeFiles/*/CMakeSystem.cmake | sort -u)
name=linnet-$(linnet_version)-linux-$machine
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/$name
# The libraries of glibc and GCC, which every distribution has. A libstdc++ that is older than the system's would break
# other libraries of the same process.
SYSTEM_LIBRARIES='^(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so'

# needed FILE...: prints the libraries that the files load, except those of the system.
needed() {
  ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}' | sort -u | grep -Ev "$SYSTEM_LIBRARIES"
}

# check_symbols FILE...: checks that the C and C++ libraries of Debian 12 have all symbols that the files require.
check_symbols() {
  local symbols limit
  symbols=$(readelf --wide --version-info "$@" | grep -oE '(GLIBC|GLIBCXX|CXXABI)_[0-9.]+' | sort -u)
  for limit in GLIBC_2.36 GLIBCXX_3.4.30 CXXABI_1.3.13; do
    [ "$(printf '%s\n' $limit $symbols | grep "^${limit%%_*}_" | sort -V | tail -1)" = $limit ] ||
      fail "symbols newer than $limit are needed: build on Debian 12"
  done
}

# set_search_path PATH FILE...: sets the search path for libraries.
set_search_path() { "$patchelf" --set-rpath "$@"; }

for component in runtime development onnxruntime tools; do
  cmake --install "$build" --prefix "$root" --component $component --strip >/dev/null
done
/usr/bin/python3 scripts/sbom.py --check "$root/share/doc/linnet/linnet.cdx.json"
rm "$root"/lib/liblinnet.a "$root"/lib/cmake/linnet/linnet-static*  # require exactly the libraries of this machine
mkdir "$root/lib/linnet"  # a folder that programs that only look for liblinnet do not search
needed "$root"/bin/* "$root"/lib/liblinnet.so | while read -r library path; do
  case $path in "$root"/*) continue ;; esac
  install -m 644 "$path" "$root/lib/linnet/$library"
done
set_search_path '$ORIGIN' "$root"/lib/linnet/*
set_search_path '$ORIGIN/linnet' "$root"/lib/liblinnet.so.*.*.*
set_search_path '$ORIGIN/..' "$root"/lib/linnet-onnxruntime/libonnxruntime.so.*.*.*
set_search_path '$ORIGIN/../lib:$ORIGIN/../lib/linnet' "$root"/bin/*
! needed "$root"/bin/* | grep -v " $root/" || fail "the programs of the tarball load these libraries from elsewhere"
check_symbols "$root"/bin/* "$root"/lib/liblinnet.so "$root"/lib/linnet/* "$root"/lib/linnet-onnxruntime/libonnxruntime.so.1
cp "$root/share/doc/linnet/linnet.cdx.json" "$dist/$name.cdx.json"
# Uses one thread because the blocks of xz depend on the number of threads.
XZ_OPT=-T1 tar -C "$scratch" --sort=name "--mtime=@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --mode=u+rw,go+rX,go-w -cJf "$dist/$name.tar.xz" "$name"
