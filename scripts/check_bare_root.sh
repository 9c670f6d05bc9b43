#!/usr/bin/env bash
# check_bare_root.sh [DIRECTORY]: clones HEAD into a bare Debian 12 root, where only git and certificates are installed,
# and runs the README's two commands there. On a machine in use, packages that the commands forget may already be
# installed. Needs root and debootstrap, the time of both commands, and 15 GB in DIRECTORY (a temporary folder by
# default), which it removes when both pass. CCACHE_DIR=FOLDER makes the builds use that cache.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

# The mounts belong to this process and end with it.
[ "${1:-}" = --mounted ] || exec unshare --mount --propagation private "$PWD/scripts/check_bare_root.sh" --mounted "$@"
shift

MIRROR=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
ROOT=${1:-$(mktemp -d)}
mkdir -p "$ROOT"
chmod 755 "$ROOT"  # Tests run programs as other users, who must be able to enter.
# Uses the same path as here, so that the object cache applies.
SOURCE=$PWD

[ "$(id -u)" -eq 0 ] || fail "only root may change the root of a process"
command -v debootstrap >/dev/null || fail "debootstrap is not here; install the package of that name"

step "Installing Debian 12 with git and certificates into $ROOT"
debootstrap --variant=minbase --include=ca-certificates,git bookworm "$ROOT" "$MIRROR" >"$ROOT.log" 2>&1 ||
  { tail "$ROOT.log" >&2; fail "debootstrap failed (see above)"; }
rm -f "$ROOT.log"
# The network configuration for reaching package servers.
for file in /etc/resolv.conf /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
  [ ! -f "$file" ] || cp -L "$file" "$ROOT$file"
done
for folder in proc sys dev; do mount --rbind "/$folder" "$ROOT/$folder"; done
git clone -q --no-hardlinks "$SOURCE" "$ROOT$SOURCE"

environment=(PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8)
if [ -n "${CCACHE_DIR:-}" ]; then
  mkdir -p "$ROOT$CCACHE_DIR"
  mount --bind "$CCACHE_DIR" "$ROOT$CCACHE_DIR"
  chroot "$ROOT" env -i "${environment[@]}" sh -c "apt-get update -qq && apt-get install -y -qq ccache >/dev/null 2>&1"
  environment+=("CCACHE_DIR=$CCACHE_DIR")
fi

for command in quickstart.sh test.sh; do
  step "Running ./$command in $ROOT"
  chroot "$ROOT" env -i "${environment[@]}" sh -c 'cd "$0" && exec "./$1"' "$SOURCE" "$command" ||
    fail "./$command failed; $ROOT has what it left"
done

for folder in dev sys proc; do umount -l "$ROOT/$folder"; done
[ -z "${CCACHE_DIR:-}" ] || umount "$ROOT$CCACHE_DIR"
rm -rf --one-file-system "$ROOT"
step "Both commands passed in a bare root"
