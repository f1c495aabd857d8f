#!/bin/sh
# The data scripts: fetching from a server on this machine and from a mirror, what they say about wrong bytes, and that nothing
# half done stays behind. Status 77: skipped (no python3 for the server, or no curl or wget).
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v python3 >/dev/null || { echo 'skipped: no python3 to serve files'; exit 77; }
command -v curl >/dev/null || command -v wget >/dev/null || { echo 'skipped: neither curl nor wget'; exit 77; }
unset HEADWATER_DATA
tmp=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

failures=0
check() { # WHAT COMMAND...: the command must succeed
  what=$1
  shift
  if ! "$@"; then
    echo "failed: $what"
    cat "$tmp/stderr" 2>/dev/null || true
    failures=$((failures + 1))
  fi
}
status_of() { # COMMAND...: its exit status; its words go to stderr and stdout in $tmp
  "$@" >"$tmp/stdout" 2>"$tmp/stderr" && echo 0 || echo $?
}
# shellcheck disable=SC2317 # both are called through check
says() { grep -qF -- "$1" "$tmp/stderr"; }
# shellcheck disable=SC2317
nothing_in() { [ -z "$(find "$1" -type f 2>/dev/null)" ]; }

mkdir -p "$tmp/site/toy" "$tmp/mirror/toy"
printf 'one\tuno\ntwo\tdos\n' >"$tmp/site/toy/pairs.txt"
(cd "$tmp/site" && python3 -c 'import zipfile; zipfile.ZipFile("toy.zip", "w").write("toy/pairs.txt")')
gzip -c "$tmp/site/toy/pairs.txt" >"$tmp/mirror/toy/pairs.txt.gz"
printf 'nonsense' >"$tmp/site/broken.zip"
python3 - "$tmp/site" >"$tmp/port" 2>/dev/null <<'PYTHON' &
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.HTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
server=$!
tries=0
while [ ! -s "$tmp/port" ] && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
[ -s "$tmp/port" ] || { echo 'skipped: no server on 127.0.0.1'; exit 77; }
url=http://127.0.0.1:$(cat "$tmp/port")

export HEADWATER_SETS="$tmp/sets.txt" HEADWATER_PINS="$tmp/pins.sha256"
printf 'toy|pairs.txt|toy/pairs.txt.gz|%s/toy.zip|toy/pairs.txt|public domain\n' "$url" >"$HEADWATER_SETS"
printf '%s  raw/toy/pairs.txt\n' "$(sha256sum <"$tmp/site/toy/pairs.txt" | cut -d' ' -f1)" >"$HEADWATER_PINS"
fetch=$root/data/fetch.sh

if command -v unzip >/dev/null; then
  check 'fetches from the server' [ "$(status_of "$fetch" toy "$tmp/a")" = 0 ]
  check 'shows where from' says "$url/toy.zip"
  check 'shows the licence' says 'public domain'
  check 'brings the same bytes' cmp -s "$tmp/site/toy/pairs.txt" "$tmp/a/raw/toy/pairs.txt"
  check 'records the hash of the archive' grep -q "^$(sha256sum <"$tmp/site/toy.zip" | cut -d' ' -f1)  " "$tmp/a/raw/toy/archives.sha256"
  check 'is done the second time' [ "$(status_of "$fetch" toy "$tmp/a")" = 0 ]
  check 'and says so' says 'already there'
  check 'refuses what cannot be unpacked' [ "$(status_of "$fetch" --from "$url/broken.zip" toy "$tmp/b")" = 1 ]
  check 'leaves nothing behind then' [ ! -e "$tmp/b/raw/toy/pairs.txt" ]
else
  echo 'left out: archives from the server (no unzip)'
fi
check 'fetches a plain file from another origin' [ "$(status_of "$fetch" --from "$url/toy/pairs.txt" toy "$tmp/c")" = 0 ]
check 'a missing file is an error' [ "$(status_of "$fetch" --from "$url/nowhere.txt" toy "$tmp/d")" = 1 ]
check 'with a word of advice' says 'HEADWATER_DATA=DIR'
check 'and leaves nothing behind' nothing_in "$tmp/d"

kill "$server"
wait "$server" 2>/dev/null || true
server=
check 'a mirror needs no network' [ "$(HEADWATER_DATA=$tmp/mirror status_of "$fetch" toy "$tmp/e")" = 0 ]
check 'brings the same bytes from the mirror' cmp -s "$tmp/site/toy/pairs.txt" "$tmp/e/raw/toy/pairs.txt"
check 'an incomplete mirror is an error' [ "$(HEADWATER_DATA=$tmp/nowhere status_of "$fetch" toy "$tmp/f")" = 1 ]

printf 'one\tuno\n' | gzip >"$tmp/mirror/toy/pairs.txt.gz"
check 'other bytes are refused' [ "$(HEADWATER_DATA=$tmp/mirror status_of "$fetch" toy "$tmp/g")" = 1 ]
check 'in one line' [ "$(grep -c SHA-256 "$tmp/stderr")" = 1 ]
check 'without a trace' nothing_in "$tmp/g"
check 'an unknown set is wrong use' [ "$(status_of "$fetch" unknown "$tmp/h")" = 2 ]
check 'no set is wrong use' [ "$(status_of "$fetch")" = 2 ]

# overlap.sh
mkdir "$tmp/set"
printf 'a\tx\nb\ty\n' >"$tmp/set/train.tsv"
printf 'c\tz\na\tw\nd\tv\n' >"$tmp/set/test.tsv"
check 'reports the overlap' [ "$(status_of "$root/data/overlap.sh" "$tmp/set")" = 0 ]
check 'with its share' grep -q '^1 of 3 test sources (33.3 %) also stand in training; 2 do not$' "$tmp/stdout"
printf 'c\tz\nd\tv\n' >"$tmp/expected"
check 'writes the others' cmp -s "$tmp/expected" "$tmp/set/test-unseen.tsv"

[ "$failures" = 0 ] && echo 'all checks of the data scripts passed'
exit $((failures > 0))
