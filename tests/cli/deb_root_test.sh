#!/bin/bash
# A package of make deb in a fresh root: installed with what it depends on; a tutorial run by an ordinary user without a network; removed
# without a trace. As root, and with the archive of the release at hand.
#   deb_root_test.sh PACKAGE [ROOT]      ROOT: what debootstrap has made, which stays; without it a new one of this system's release
# shellcheck disable=SC2016 # what dpkg and the inner shell expand
set -euo pipefail
export LC_ALL=C
package=$(realpath "$1")
tmp=$(mktemp -d)
trap 'rm -rf --one-file-system "$tmp"' EXIT
fail() {
  echo "failed: $1"
  [ ! -s "$tmp/log" ] || tail -n 20 "$tmp/log"
  exit 1
}
if [ $# -gt 1 ]; then
  fresh=$(realpath "$2")
else
  fresh=$tmp/root
  # shellcheck source=/dev/null
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  debootstrap --variant=minbase "$release" "$fresh" >"$tmp/log" 2>&1 || fail "debootstrap $release"
fi
# Each command has a /proc and processes of its own, and leaves no mount.
inside() { # [-n: without a network] COMMAND...
  local without=()
  if [ "$1" = -n ]; then
    without=(-n)
    shift
  fi
  unshare -m -p -f "${without[@]}" sh -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' sh "$fresh" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
# Names of all files but those that apt and dpkg keep of their own work.
everything() {
  (cd "$fresh" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/cache -o -path ./var/log \
    -o -path ./var/lib/apt -o -path ./var/lib/dpkg \) -prune -o -print | sort)
}

inside apt-get update -q >"$tmp/log" 2>&1 || fail 'apt-get update'
inside useradd -m reader >"$tmp/log" 2>&1 || fail 'an ordinary user'
everything >"$tmp/before"
cp "$package" "$fresh/headwater.deb"
inside apt-get install -y --no-install-recommends /headwater.deb >"$tmp/log" 2>&1 || fail 'apt-get install'
rm "$fresh/headwater.deb"
echo "installed: $(inside dpkg-query -W -f '${Version}, ${Installed-Size} KiB as dpkg counts' headwater), $(grep -c '^Unpacking ' "$tmp/log") packages"
inside dpkg -L headwater | sort >"$tmp/files"

cat >"$fresh/home/reader/session" <<'END'
set -eu
cd
! (exec 3<>/dev/tcp/127.0.0.1/9) 2>errors # there is no network at all
[ "$(tail -n +3 /proc/net/dev | grep -vc 'lo:')" = 0 ]
headwater recipes >recipes.txt
headwater run phrasebook >report.md 2>log.txt
grep 'exactly right' report.md
echo 'where are the red houses?' | translate models/recipes/phrasebook/model
bash -c 'source /usr/share/bash-completion/completions/train && complete -p train'
headwater --version
END
inside -n su reader -s /bin/bash -c 'time bash /home/reader/session' >"$tmp/session" 2>&1 || { cat "$tmp/session" "$fresh/home/reader/log.txt" && fail 'the tutorial'; }
cat "$tmp/session"
grep -q '^¿dónde están las casas rojas' "$tmp/session" || fail 'the translation'
rm -rf "$fresh/home/reader"

inside apt-get purge -y headwater >"$tmp/log" 2>&1 || fail 'apt-get purge'
inside apt-get autoremove -y --purge >"$tmp/log" 2>&1 || fail 'apt-get autoremove'
while IFS= read -r path; do
  [ ! -e "$fresh$path" ] || [ -d "$fresh$path" ] || fail "$path is left"
done <"$tmp/files"
grep -v '^./home/reader' "$tmp/before" >"$tmp/wanted"
everything | grep -v '^./home/reader' >"$tmp/after" || true
diff "$tmp/wanted" "$tmp/after" >"$tmp/differences" || { cat "$tmp/differences" && fail 'something is left, or missing'; }
! grep -i headwater "$tmp/after" || fail 'a trace'
inside userdel reader >"$tmp/log" 2>&1 || true
echo 'removed: the files are those of before'
