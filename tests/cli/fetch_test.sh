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
# Reviews as the archive of imdb has them: a file each, without a line end; one holds a TAB.
for part in train test; do
  for class in neg pos; do
    mkdir -p "$tmp/site/aclImdb/$part/$class"
    for id in 0 1 2 3 4 5 6 7 8 9 10 11; do printf '%s %s é\t%s' "$part" "$class" $id >"$tmp/site/aclImdb/$part/$class/${id}_7.txt"; done
  done
done
(cd "$tmp/site" && tar -czf aclImdb.tar.gz aclImdb)
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
printf 'imdb|%s.tsv|imdb/%s.tsv.gz|'"$url"'/aclImdb.tar.gz|aclImdb/%s|for research\n' train train train test test test >>"$HEADWATER_SETS"
mkdir -p "$tmp/mirror/imdb" "$tmp/wanted"
for part in train test; do
  for class in 0neg 1pos; do
    for id in 0 1 2 3 4 5 6 7 8 9 10 11; do printf '%s\t7\t%s\t%s %s é %s\n' "${class%???}" $id $part "${class#?}" $id; done
  done >"$tmp/wanted/$part.tsv"
  gzip -c "$tmp/wanted/$part.tsv" >"$tmp/mirror/imdb/$part.tsv.gz"
  printf '%s  raw/imdb/%s.tsv\n' "$(sha256sum <"$tmp/wanted/$part.tsv" | cut -d' ' -f1)" $part >>"$HEADWATER_PINS"
done
check 'turns a folder of reviews into lines' [ "$(status_of "$fetch" imdb "$tmp/i")" = 0 ]
check 'by label, then by id' cmp -s "$tmp/wanted/train.tsv" "$tmp/i/raw/imdb/train.tsv"
check 'the test part too' cmp -s "$tmp/wanted/test.tsv" "$tmp/i/raw/imdb/test.tsv"
check 'from one archive, fetched once' [ "$(wc -l <"$tmp/i/raw/imdb/archives.sha256")" = 1 ]
check 'a folder without reviews is an error' [ "$(status_of "$root/data/imdb-lines.sh" "$tmp/wanted")" = 1 ]
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
printf 'loose|lines.txt|loose/lines.txt.gz|%s/lines.txt.gz||public domain\n' "$url" >>"$HEADWATER_SETS"
mkdir "$tmp/mirror/loose"
seq 100000 | gzip | head -c 100000 >"$tmp/mirror/loose/lines.txt.gz"
check 'half an archive without a pin is refused' [ "$(HEADWATER_DATA=$tmp/mirror status_of "$fetch" loose "$tmp/m")" = 1 ]
check 'with the reason' says 'could not be unpacked: gzip'
check 'no piece of it stays' nothing_in "$tmp/m"
seq 100000 | gzip >"$tmp/mirror/loose/lines.txt.gz"
check 'and then the whole one is read, wherever cd prints to' [ "$(HEADWATER_DATA=$tmp/mirror CDPATH=. status_of "$fetch" loose "$tmp/m")" = 0 ]
check 'all of it' [ "$(wc -l <"$tmp/m/raw/loose/lines.txt")" = 100000 ]
check 'an unknown set is wrong use' [ "$(status_of "$fetch" unknown "$tmp/h")" = 2 ]
check 'no set is wrong use' [ "$(status_of "$fetch")" = 2 ]

# prepare-imdb.sh: a split for each seed
prepare=$root/data/prepare-imdb.sh
check 'splits the reviews' [ "$(HEADWATER_DATA=$tmp/mirror status_of "$prepare" "$tmp/j")" = 0 ]
check 'says that nothing is pinned' says 'imdb/train.tsv: nothing is pinned for seed 1'
check 'a fifth of so few is held out' [ "$(wc -l <"$tmp/j/imdb/validation.tsv") $(wc -l <"$tmp/j/imdb/train.tsv")" = '4 20' ]
printf 'test neg é 3\tneg\n' >"$tmp/expected"
check 'text, then the name of the label' grep -qxFf "$tmp/expected" "$tmp/j/imdb/test.tsv"
awk -F '\t' '{ print $4 "\t" ($1 ? "pos" : "neg") }' "$tmp/wanted/train.tsv" | sort >"$tmp/expected"
sort "$tmp/j/imdb/train.tsv" "$tmp/j/imdb/validation.tsv" >"$tmp/all"
check 'every review is in one part' cmp -s "$tmp/expected" "$tmp/all"
awk 'FILENAME == ARGV[1] { held[$1] = 1; next } FNR in held { split($0, column, "\t"); print column[4] }' \
  "$tmp/j/imdb/validation.lines" "$tmp/wanted/train.tsv" | sort >"$tmp/expected"
cut -f1 "$tmp/j/imdb/validation.tsv" | sort >"$tmp/all"
check 'validation.lines names those held out' cmp -s "$tmp/expected" "$tmp/all"
check 'another seed' [ "$(HEADWATER_DATA=$tmp/mirror status_of "$prepare" "$tmp/j" 2)" = 0 ]
check 'is another split' [ "$(cmp -s "$tmp/j/imdb/validation.lines" "$tmp/j/imdb-seed-2/validation.lines" || echo differs)" = differs ]
check 'of the same test set' cmp -s "$tmp/j/imdb/test.tsv" "$tmp/j/imdb-seed-2/test.tsv"
for wrong in 0 01 -1 x 1234567890; do check "seed $wrong is wrong use" [ "$(status_of "$prepare" "$tmp/k" $wrong)" = 2 ]; done
printf '%064d  imdb/test.tsv\n' 0 >>"$HEADWATER_PINS"
check 'a prepared file with other bytes is refused' [ "$(HEADWATER_DATA=$tmp/mirror status_of "$prepare" "$tmp/l")" = 1 ]
check 'and not left behind' [ ! -e "$tmp/l/imdb/test.tsv" ]

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
