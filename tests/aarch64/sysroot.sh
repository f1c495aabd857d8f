#!/bin/bash
# The libraries and headers of 64-bit ARM that a cross build needs, in a folder of their own: packages of this machine's release, with what
# they depend on, unpacked and not installed. So neither dpkg's list of architectures nor any package of this machine changes.
#   sysroot.sh FOLDER PACKAGE...      makes FOLDER/sysroot; does nothing where it is there with the same packages
set -euo pipefail
export LC_ALL=C
folder=$1
shift
if [ -f "$folder/sysroot/packages" ] && [ "$(cat "$folder/sysroot/packages")" = "$*" ]; then exit 0; fi
rm -rf "$folder/sysroot" "$folder/packages"
mkdir -p "$folder/packages/lists/partial" "$folder/packages/archives/partial" "$folder/sysroot"
folder=$(cd "$folder" && pwd)
trap 'rm -rf "$folder/packages"' EXIT
: >"$folder/packages/status" # nothing is installed there

# apt with the sources of this machine, and state and cache of its own. The user who downloads for root may not read this folder.
apt() {
  apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User= -o Dir::State="$folder/packages" \
    -o Dir::State::status="$folder/packages/status" -o Dir::Cache="$folder/packages" "$@" >>"$folder/packages/log" 2>&1 ||
    { echo "sysroot: apt-get $1 failed:" >&2 && tail -n 20 "$folder/packages/log" >&2 && exit 1; }
}
apt update
apt install -y --no-install-recommends --download-only "$@"
for package in "$folder"/packages/archives/*.deb; do
  dpkg-deb -x "$package" "$folder/sysroot"
done
printf '%s\n' "$*" >"$folder/sysroot/packages"
