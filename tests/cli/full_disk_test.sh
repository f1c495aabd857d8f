#!/bin/bash
# A disk without room for the checkpoints of a run is found before the first step; one with room for some goes as far.
#   full_disk_test.sh BIN_DIR
# Status 77: no small disk can be mounted here.
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
tmp=$(mktemp -d)
if [ -z "${FULL_DISK_TEST_INSIDE-}" ]; then
  rmdir "$tmp"
  unshare --map-root-user --mount true 2>/dev/null || { echo 'skipped: no mounts in a namespace'; exit 77; }
  FULL_DISK_TEST_INSIDE=1 exec unshare --map-root-user --mount "$0" "$bin"
fi
cd "$tmp"
end() {
  umount "$tmp/disk" 2>/dev/null || :
  rm -rf "$tmp"
}
trap end EXIT
fail() {
  echo "failed: $1" >&2
  exit 1
}
mkdir disk
mount -t tmpfs -o size=256k tmpfs disk 2>/dev/null || { echo 'skipped: no small disk'; exit 77; }
for _ in {1..40}; do printf 'the red house\na red cat\n'; done >text
"$bin/tokenize" --learn word --size 20 -q -o t.json text
"$bin/tokenize" -t t.json -q text | "$bin/vectorize" -q -t t.json --length 9 >ids
cat >r.yaml <<'RECIPE'
name: r
data: {columns: [source]}
source_tokenizer: {size: 20}
model: {kind: language_model, width: 32, heads: 2, layers: 1, length: 8}
training: {epochs: 9, batch_sequences: 8}
RECIPE
status=0
"$bin/train" -q -r r.yaml --tokenizer t.json -o disk/model ids >out 2>err || status=$?
[ "$status" = 1 ] || fail "status $status of a run without room: $(cat err)"
grep -qx 'train: disk/model: the disk has room for [0-9,]* bytes, and 4 checkpoints of [0-9,]* bytes are to come, [0-9,]* in all (free some space, or train on another disk)' err ||
  fail "$(cat err)"
[ "$(wc -l <err)" = 1 ] || fail "more than a line: $(cat err)"
[ -z "$(find disk -name '*.safetensors')" ] || fail 'a step was made'
mount -o remount,size=2m disk
"$bin/train" -q -r r.yaml --tokenizer t.json -o disk/model ids >out || fail 'a run with room'
[ -e disk/model/model.safetensors ] || fail 'no model'
