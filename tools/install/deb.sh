#!/bin/bash
# Makes a package for Debian or Ubuntu, of the release that this machine has, of what make install installs (make deb).
#   deb.sh BUILD        BUILD: the folder of the build; the package goes there
# JOBS is the number of compilations at a time; PROGRAM_PREFIX stands before the names of the programs; SOURCE_DATE_EPOCH is the time of
# all files, without it that of the last commit: the same commit makes the same bytes, in any folder.
cd "$(dirname "$0")/../.."
package_kind=deb
# shellcheck source=tools/install/portable_build.sh
. tools/install/portable_build.sh
need cmake:cmake cpack:cmake ninja:ninja-build dpkg-shlibdeps:dpkg-dev file:file strip:binutils gzip:gzip
build_for_every_pc "$1"
rm -rf "$build"/*.deb "$build/_CPack_Packages"
cpack -G DEB --config tools/install/deb.cmake -R "$version" -B "$build" -D "CPACK_INSTALL_CMAKE_PROJECTS=$build;headwater;ALL;/" >"$build/cpack.log" 2>&1 || {
  cat "$build/cpack.log" >&2
  fail 'cpack failed'
}
rm -rf "$build/_CPack_Packages"
for package in "$build"/*.deb; do echo "deb: $package: $(stat -c %s "$package") bytes"; done
