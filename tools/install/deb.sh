#!/bin/bash
# Makes a package for Debian or Ubuntu, of the release that this machine has, of what make install installs (make deb). It runs on every
# 64-bit PC: kernels carry every vector width, the rest is for x86-64-v2.
#   deb.sh BUILD        BUILD: the folder of the build; the package goes there
# JOBS is the number of compilations at a time; PROGRAM_PREFIX stands before the names of the programs; SOURCE_DATE_EPOCH is the time of
# all files, without it that of the last commit: the same commit makes the same bytes, in any folder.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
umask 022
fail() {
  echo "deb: $1" >&2
  exit 1
}
for pair in cmake:cmake cpack:cmake ninja:ninja-build dpkg-shlibdeps:dpkg-dev file:file strip:binutils gzip:gzip; do
  command -v "${pair%:*}" >/dev/null || fail "${pair%:*} is not installed (apt-get install ${pair#*:})"
done
if [ -z "${SOURCE_DATE_EPOCH-}" ]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) || fail 'no commit whose time the files would have (set SOURCE_DATE_EPOCH)'
fi
export SOURCE_DATE_EPOCH
case $(uname -m) in x86_64) arch=x86-64-v2 ;; *) arch= ;; esac
unset DESTDIR
mkdir -p "$1"
build=$(cd "$1" && pwd)
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr "-DHEADWATER_ARCH=$arch" -DHEADWATER_TESTS=OFF \
  -DHEADWATER_ZSH_FOLDER=share/zsh/vendor-completions >"$build/configure.log" 2>&1 || { cat "$build/configure.log" >&2 && fail 'cmake failed'; }
cmake --build "$build" -j "${JOBS:-$(nproc)}"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
rm -rf "$build"/*.deb "$build/_CPack_Packages"
cpack -G DEB --config tools/install/deb.cmake -R "$version" -B "$build" -D "CPACK_INSTALL_CMAKE_PROJECTS=$build;headwater;ALL;/" >"$build/cpack.log" 2>&1 || {
  cat "$build/cpack.log" >&2
  fail 'cpack failed'
}
rm -rf "$build/_CPack_Packages"
for package in "$build"/*.deb; do echo "deb: $package: $(stat -c %s "$package") bytes"; done
