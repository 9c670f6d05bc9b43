#!/usr/bin/env bash
# build_docs.sh [FOLDER]: builds the documentation as a site in FOLDER, build-docs/ by default. A browser opens its
# index.html as a file.
set -euo pipefail
site=$(realpath -m "${1:-$(dirname "$0")/../build-docs}")
cd "$(dirname "$0")/.."
. scripts/common.sh

PYTHON=.venv-docs/bin/python

command -v doxygen >/dev/null || fail "doxygen is not installed: apt-get install doxygen"
[ -x "$PYTHON" ] || /usr/bin/python3 -m venv .venv-docs
"$PYTHON" -m pip install -q --disable-pip-version-check -r docs/requirements.txt ||
  fail "pip could not install the packages of docs/requirements.txt"
NO_MKDOCS_2_WARNING=1 "$PYTHON" -m mkdocs build -q --site-dir "$site" || fail "mkdocs could not build the site (see above)"
rm "$site/404.html"  # only for servers: its links begin at their root
