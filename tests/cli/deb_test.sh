#!/bin/bash
# The package of make deb (make deb-test): the last commit is built in two folders, and the packages have the same bytes; their size;
# lintian. Where it runs as root with debootstrap, the package is also installed in a fresh root of this release (deb_root_test.sh). Too
# long for make test: two builds of everything, of which no cache of a compiler may answer the second.
#   deb_test.sh         the packages are left in build-deb-test
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
root=$PWD
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD PROGRAM_PREFIX SOURCE_DATE_EPOCH
most=12000000 # bytes
commit=$(git rev-parse HEAD)
fail() {
  echo "failed: $1"
  exit 1
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ -z "$(git status --porcelain)" ] || echo 'deb-test: what is not committed is not tested' >&2
out=$root/build-deb-test
rm -rf "$out"
mkdir -p "$out/one" "$out/two"
one=$tmp/one two="$tmp/two/another folder, with a longer name"
for pair in "one=$one" "two=$two"; do
  clone=${pair#*=}
  git clone --quiet "$root" "$clone"
  git -C "$clone" checkout --quiet --detach "$commit"
  # Neither the mask of rights nor the zone of time may show.
  case $pair in one=*) mask=022 zone=UTC ;; *) mask=077 zone=Asia/Tokyo ;; esac
  (
    umask "$mask"
    case $pair in two=*) unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER ;; esac
    TZ=$zone make --no-print-directory -C "$clone" deb >"$tmp/log" 2>&1
  ) || {
    tail -n 20 "$tmp/log"
    fail "make deb in $clone"
  }
  mv "$clone"/build-deb/*.deb "$out/${pair%%=*}"
  rm -rf "$clone"
done
package=$(cd "$out/one" && echo *.deb)
cmp "$out/one/$package" "$out/two/$package" || fail 'two folders, two packages'
size=$(stat -c %s "$out/one/$package")
[ "$size" -lt "$most" ] || fail "$package has $size bytes, more than $most"
sha256sum "$out/one/$package" | sed "s|  .*|  $package, $size bytes, in both folders|"
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error "$out/one/$package" || fail lintian
  echo 'lintian: no errors'
else
  echo 'lintian is not installed: left out'
fi
if [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null; then
  tests/cli/deb_root_test.sh "$out/one/$package"
else
  echo 'no debootstrap, or not as root: no fresh root'
fi
