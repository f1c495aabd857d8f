#!/bin/bash
# Downloads of data/fetch.sh from a server on this machine that cuts off, stalls, is slow, has no ranges, has another version by now, or is
# not there: what comes is whole and right or does not come, a cut is gone on from, and one line says what is wrong. With curl and with wget,
# as far as they are there. Status 77: skipped (no python3 for the server, or neither of them).
# shellcheck disable=SC2317 # functions are called through check
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v python3 >/dev/null || { echo 'skipped: no python3 to serve files'; exit 77; }
unset HEADWATER_DATA http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
tmp=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# /KIND/NAME serves $tmp/site/NAME in the manner of KIND. Every request is written down: path, then its range.
mkdir "$tmp/site"
python3 - "$tmp" >"$tmp/port" 2>"$tmp/server-words" <<'PYTHON' &
import http.server, os, re, sys, time
root = sys.argv[1]
seen = set()
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"
    def log_message(self, *words): pass
    def do_GET(self):
        asked = self.headers.get("Range")
        with open(root + "/requests", "a") as log: print(self.path, asked or "whole", file=log)
        kind, name = self.path.lstrip("/").split("/", 1)
        path = root + "/site/" + name
        if kind == "gone" or not os.path.exists(path): return self.send_error(404)
        if kind == "broken": return self.send_error(503)
        data = open(path, "rb").read()
        first = self.path not in seen
        seen.add(self.path)
        begin, has_ranges = 0, kind != "cut-plain"
        if asked and has_ranges:
            begin = int(re.match(r"bytes=(\d+)-", asked).group(1))
            if begin >= len(data): return self.send_error(416)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        else:
            self.send_response(200)
        data = data[begin:]
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if kind in ("cut", "cut-plain") and first: data = data[: len(data) // 2]
        if kind == "always-cut": data = data[: len(data) // 2]
        if kind == "stall" and first:
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            time.sleep(8)
            return
        if kind == "slow":
            for at in range(0, len(data), len(data) // 8):
                self.wfile.write(data[at : at + len(data) // 8])
                self.wfile.flush()
                time.sleep(0.3)
            return
        self.wfile.write(data)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
server=$!
for _ in $(seq 100); do [ -s "$tmp/port" ] && break; sleep 0.1; done
[ -s "$tmp/port" ] || { echo 'skipped: no server on 127.0.0.1'; exit 77; }
url=http://127.0.0.1:$(cat "$tmp/port")

failures=0
check() { # WHAT COMMAND...: the command must succeed
  local what=$1
  shift
  "$@" || {
    echo "failed: $client: $what"
    sed 's/^/  /' "$tmp/words"
    failures=$((failures + 1))
  }
}
export HEADWATER_SETS=$tmp/sets.txt HEADWATER_PINS=$tmp/pins.sha256 HEADWATER_STALL=2
# Text that no archive can be made much smaller of, so that half of it is half a file.
awk 'BEGIN { state = 7; for (i = 0; i < 4000; ++i) { state = state * 16807 % 2147483647; print state "\t" i } }' >"$tmp/site/pairs.txt"
gzip -nc "$tmp/site/pairs.txt" >"$tmp/site/pairs.txt.gz"
sed 's/7/8/g' "$tmp/site/pairs.txt" | gzip -nc >"$tmp/site/other.txt.gz"
printf '%s  raw/toy/pairs.txt\n' "$(sha256sum <"$tmp/site/pairs.txt" | cut -d' ' -f1)" >"$HEADWATER_PINS"
half=$(($(wc -c <"$tmp/site/pairs.txt.gz") / 2))
data=$tmp/data
raw=$data/raw/toy

fetch() { # KIND [NAME]: the exit status is in $status, what was said in $tmp/words, what was asked of the server in $tmp/requests
  printf 'toy|pairs.txt|toy/pairs.txt.gz|%s/%s/%s||public domain\n' "$url" "$1" "${2-pairs.txt.gz}" >"$HEADWATER_SETS"
  : >"$tmp/requests"
  status=0
  PATH=$programs "$root/data/fetch.sh" toy "$data" >"$tmp/out" 2>"$tmp/words" || status=$?
}
anew() { rm -rf "$data"; }
says() { grep -qE -- "$1" "$tmp/words"; }
one_line() { [ "$(sed '/licence:/d' "$tmp/words" | wc -l)" = 1 ]; }
is_whole() { [ "$status" = 0 ] && cmp -s "$tmp/site/pairs.txt" "$raw/pairs.txt" && [ -z "$(find "$data" -name '*.part')" ]; }
is_nowhere() { [ "$status" = 1 ] && [ ! -e "$raw/pairs.txt" ]; }
asked() { [ "$(cut -d' ' -f2 "$tmp/requests" | tr '\n' ' ' | sed 's/ $//')" = "$1" ]; }

all_programs=$PATH
clients=
for client in curl wget; do
  command -v $client >/dev/null || continue
  clients="$clients $client"
  # Every program but the other client.
  mkdir "$tmp/only-$client"
  for program in sh bash awk sed grep cut tr sort head tail wc cat cp mv rm mkdir mktemp dirname sha256sum gzip tar xz ls $client; do
    path=$(PATH=$all_programs command -v "$program") && ln -s "$path" "$tmp/only-$client/$program"
  done
  programs=$tmp/only-$client

  anew
  fetch ranges
  check 'a whole file' is_whole
  check 'its hash is recorded' grep -q "^$(sha256sum <"$tmp/site/pairs.txt.gz" | cut -d' ' -f1)  $url/ranges/pairs.txt.gz$" "$raw/archives.sha256"
  fetch ranges
  check 'the second time nothing is fetched' [ ! -s "$tmp/requests" ]

  for kind in cut cut-plain; do
    anew
    cp "$tmp/site/pairs.txt.gz" "$tmp/site/$client-$kind.txt.gz" # the first request of a path is cut
    fetch $kind "$client-$kind.txt.gz"
    check "$kind: a cut is an error" is_nowhere
    check "$kind: in one line, which says how to go on" one_line
    check "$kind: with the bytes that came" says "cut off after $half bytes(: .*)?; the same command goes on from there$"
    check "$kind: they stay" [ "$(wc -c <"$raw/$client-$kind.txt.gz.part")" = "$half" ]
    fetch $kind "$client-$kind.txt.gz"
    check "$kind: the next call has it whole" is_whole
    check "$kind: and says so" says "going on after $half bytes"
    check "$kind: it asked for the rest first" [ "$(head -n 1 "$tmp/requests" | cut -d' ' -f2)" = "bytes=$half-" ]
  done

  # Half of what is left each time.
  anew
  for size in $half $((half + (half + 1) / 2)); do
    fetch always-cut
    check 'each call brings more' [ "$(wc -c <"$raw/pairs.txt.gz.part")" -ge "$size" ]
  done
  fetch ranges
  check 'until all is there' is_whole

  anew
  cp "$tmp/site/pairs.txt.gz" "$tmp/site/$client-stall.txt.gz"
  fetch stall "$client-stall.txt.gz"
  check 'a server that falls silent is a cut' is_nowhere
  check 'a server that falls silent: in one line' one_line
  fetch stall "$client-stall.txt.gz"
  check 'gone on from' is_whole
  anew
  fetch slow
  check 'a slow server is waited for' is_whole

  anew
  mkdir -p "$raw"
  head -c 1000 "$tmp/site/other.txt.gz" >"$raw/pairs.txt.gz.part"
  fetch ranges
  check 'a beginning of another version: all anew' is_whole
  check 'and says so' says 'do not fit; from the beginning'
  check 'asked for the rest, then for all' asked 'bytes=1000- whole'
  anew
  mkdir -p "$raw"
  cat "$tmp/site/pairs.txt.gz" "$tmp/site/pairs.txt.gz" >"$raw/pairs.txt.gz.part"
  fetch ranges
  check 'a part longer than the file: all anew' is_whole

  anew
  fetch ranges other.txt.gz
  check 'wrong bytes' is_nowhere
  check 'wrong bytes: both hashes' says "has SHA-256 [0-9a-f]{64}, pinned is $(cut -d' ' -f1 "$HEADWATER_PINS")"
  check 'wrong bytes: in one line' one_line
  check 'wrong bytes: no part of them' [ -z "$(find "$data" -name '*.part')" ]
  fetch gone
  check '404' is_nowhere
  check '404: in one line' one_line
  check '404: what the server says' says 'could not be fetched: .*404'
  check '404: leaves no part' [ -z "$(find "$data" -name '*.part')" ]
  fetch broken
  check 'an error of the server' is_nowhere
  check 'an error of the server: in one line' one_line
  mkdir -p "$raw"
  head -c 1000 "$tmp/site/pairs.txt.gz" >"$raw/pairs.txt.gz.part"
  fetch broken
  check 'an error of the server keeps what is there' [ "$(wc -c <"$raw/pairs.txt.gz.part")" = 1000 ]

  # No network: nothing listens on the port, or the name has no address.
  anew
  url_before=$url
  for url in http://127.0.0.1:1 http://nowhere.invalid; do
    fetch ranges
    check "$url" is_nowhere
    check "$url: in one line" one_line
    check "$url: with a word of advice" says 'is there a network\? HEADWATER_DATA=DIR names a folder that holds the set\)$'
  done
  url=$url_before
done
[ -n "$clients" ] || { echo 'skipped: neither curl nor wget'; exit 77; }

client=mirror
programs=$all_programs
mkdir -p "$tmp/mirror/toy"
cp "$tmp/site/pairs.txt.gz" "$tmp/mirror/toy"
anew
export HEADWATER_DATA=$tmp/mirror
fetch ranges
check 'a mirror' is_whole
check 'touches no network' [ ! -s "$tmp/requests" ]
cp "$tmp/site/other.txt.gz" "$tmp/mirror/toy/pairs.txt.gz"
anew
fetch ranges
check 'a mirror with wrong bytes' is_nowhere
rm "$tmp/mirror/toy/pairs.txt.gz"
fetch ranges
check 'a mirror without the file' is_nowhere
check 'a mirror without the file: where else it is' says "it comes from $url/ranges/pairs.txt.gz\)$"
unset HEADWATER_DATA
for stall in 0 x 1.5 -1 123456; do
  HEADWATER_STALL=$stall fetch ranges
  check "HEADWATER_STALL=$stall is wrong use" [ "$status" = 2 ]
done
client=none
mkdir "$tmp/no-client"
cp -P "$tmp/only-${clients##* }"/* "$tmp/no-client"
rm -f "$tmp/no-client/curl" "$tmp/no-client/wget"
programs=$tmp/no-client
anew
fetch ranges
check 'no client' is_nowhere
check 'no client: what to install' says 'neither curl nor wget is installed'

[ "$failures" = 0 ] && echo "downloads: all checks passed, with$clients"
exit $((failures > 0))
