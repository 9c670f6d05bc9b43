# Functions and settings that quickstart.sh and test.sh share. Sourced from the project's root.

# step TEXT: prints what the script does next, and how long it has run.
step() { printf '\n==> %s (after %d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }
fail() { printf '\n%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

linnet_version() { sed -n 's/^project(linnet VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt; }

# Distribution packages that a build needs. The names are the same on Debian 12, Debian 13 and Ubuntu 24.04.
BUILD_PACKAGES="g++ cmake ninja-build pkg-config libonnx-dev libprotobuf-dev protobuf-compiler libxsimd-dev libxxhash-dev libcli11-dev
  nlohmann-json3-dev libflatbuffers-dev flatbuffers-compiler libzip-dev libpng-dev libjpeg-dev libtiff-dev libwebp-dev libopenjp2-7-dev libunistring-dev libre2-dev"

# Options of a build for distribution. They exclude libtiff because Debian's loads libjbig, which is under the GPL.
RELEASE_OPTIONS="-DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_DISABLE_FIND_PACKAGE_TIFF=ON"

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || echo "$package"
  done
}

# install_packages PACKAGE...: installs the missing packages, with sudo if the user is not root.
install_packages() {
  local missing sudo=
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
    fail "this script installs packages with apt-get, which is not here. Install these yourself, then build with cmake:
$(echo "$@")"
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    sudo=sudo
    command -v sudo >/dev/null || fail "packages are missing, and without root or sudo they cannot be installed: $(echo $missing)"
  fi
  echo "installing:" $missing
  $sudo apt-get update -qq || fail "apt-get update failed; is the package mirror reachable?"
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
    fail "installing packages failed: $(echo $missing)"
}

# configure DIRECTORY OPTION...: runs cmake, with ccache if it is installed.
configure() {
  local directory=$1 log
  shift
  log=$(mktemp)
  if command -v ccache >/dev/null; then
    export CCACHE_SLOPPINESS=pch_defines,time_macros
    set -- "$@" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  if ! cmake -S . -B "$directory" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" >"$log" 2>&1; then
    cat "$log" >&2
    fail "cmake could not configure $directory (see above)"
  fi
  rm -f "$log"
}

build() {
  local directory=$1
  shift
  cmake --build "$directory" --parallel "$(nproc)" "$@" || fail "the build failed (see above)"
}
