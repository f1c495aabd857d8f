# shellcheck shell=bash disable=SC2034,SC2154 # $version is for those who source this, $package_kind is theirs
# What the scripts of packages begin with: fail, need, SOURCE_DATE_EPOCH, and a build that runs on every 64-bit PC. Sourced with deb or
# wheel in $package_kind.
set -euo pipefail
export LC_ALL=C
umask 022
unset DESTDIR
fail() {
  echo "$package_kind: $1" >&2
  exit 1
}
need() { # PROGRAM:PACKAGE...
  local pair
  for pair in "$@"; do
    command -v "${pair%:*}" >/dev/null || fail "${pair%:*} is not installed (apt-get install ${pair#*:})"
  done
}
if [ -z "${SOURCE_DATE_EPOCH-}" ]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) || fail 'no commit whose time the files would have (set SOURCE_DATE_EPOCH)'
fi
export SOURCE_DATE_EPOCH

# Kernels carry every vector width; the rest is for x86-64-v2. Headers are not precompiled: with them g++ writes other bytes, and whether
# they are is for a compiler cache to say elsewhere. Sets $build and $version.
build_for_every_pc() { # BUILD
  local arch=
  [ "$(uname -m)" != x86_64 ] || arch=x86-64-v2
  mkdir -p "$1"
  build=$(CDPATH='' cd "$1" && pwd)
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr "-DHEADWATER_ARCH=$arch" -DHEADWATER_TESTS=OFF -DHEADWATER_PRECOMPILE=OFF -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON \
    -DHEADWATER_ZSH_FOLDER=share/zsh/vendor-completions >"$build/configure.log" 2>&1 || { cat "$build/configure.log" >&2 && fail 'cmake failed'; }
  cmake --build "$build" -j "${JOBS:-$(nproc)}"
  version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
}
