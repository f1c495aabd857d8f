#!/bin/sh
# The scripts of data/ that prepare sets of images, on a mirror of small files that are made here.
#   image_sets_test.sh BIN     BIN: the folder of the tools
set -eu
export LC_ALL=C
command -v xz >/dev/null || { echo 'skipped: no xz'; exit 77; }
BIN=$(cd "$1" && pwd)
export BIN
root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export HEADWATER_DATA="$tmp/mirror" HEADWATER_PINS="$tmp/pins.sha256"

check() { # WHAT COMMAND...: the command must succeed
  what=$1
  shift
  "$@" || {
    echo "failed: $what"
    cat "$tmp/stderr"
    exit 1
  }
}
prepare() { # SET DATA: its exit status; its words go to $tmp/stderr
  "$root/data/prepare-$1.sh" "$2" 2>"$tmp/stderr" && echo 0 || echo $?
}
pin() { printf '%s  %s\n' "$(sha256sum <"$1" | cut -d' ' -f1)" "$2" >>"$HEADWATER_PINS"; }

mkdir -p "$tmp/mirror/mnist" "$tmp/made"
cd "$tmp/made"
printf '\0\0\010\003\0\0\0\003\0\0\0\001\0\0\0\002abcdef' >train-images.idx
printf '\0\0\010\001\0\0\0\003\002\0\001' >train-labels.idx
printf '\0\0\010\003\0\0\0\002\0\0\0\001\0\0\0\002ghij' >test-images.idx
printf '\0\0\010\001\0\0\0\002\001\002' >test-labels.idx
for kind in images-idx3 labels-idx1; do
  gzip -c "train-${kind%-*}.idx" >"$tmp/mirror/mnist/train-$kind-ubyte.gz"
  gzip -c "test-${kind%-*}.idx" >"$tmp/mirror/mnist/t10k-$kind-ubyte.gz"
done
for part in train test; do
  pin $part-images.idx raw/mnist/$part-images.idx
  pin $part-labels.idx raw/mnist/$part-labels.idx
  "$BIN/vectorize" -q --images $part-images.idx --image-labels $part-labels.idx -o $part.safetensors
done

pin train.safetensors mnist/train.safetensors
pin train.safetensors mnist/test.safetensors # wrong
check 'a prepared file with other bytes is refused' [ "$(prepare mnist "$tmp/a")" = 1 ]
check 'by its name' grep -q '^prepare-mnist.sh: mnist/test.safetensors: SHA-256 is ' "$tmp/stderr"
check 'and not left behind' [ ! -e "$tmp/a/mnist/test.safetensors" ]
sed -i.old '$d' "$HEADWATER_PINS"
pin test.safetensors mnist/test.safetensors
check 'prepares both parts' [ "$(prepare mnist "$tmp/a")" = 0 ]
check 'the training images' cmp -s train.safetensors "$tmp/a/mnist/train.safetensors"
check 'the test images' cmp -s test.safetensors "$tmp/a/mnist/test.safetensors"

# Folders of images: at the top of the mirror's archive, in one folder of the origin's.
for part in train test; do
  for class in cat dog; do
    mkdir -p "$tmp/images/$part/$class"
    base64 -d >"$tmp/images/$part/$class/0000.jpg" <<'PNG'
iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR42mNITklNS88AAAhJAmKo
uZ2lAAAAAElFTkSuQmCC
PNG
  done
  "$BIN/vectorize" -q --images "$tmp/images/$part" -o "$part.safetensors"
done
mkdir "$tmp/mirror/cifar10-jpeg"
for from in . ..; do
  (cd "$tmp/images/$from" && if [ $from = . ]; then tar -cf "$tmp/images.tar" train test; else tar -cf "$tmp/images.tar" images; fi)
  xz -c "$tmp/images.tar" >"$tmp/mirror/cifar10-jpeg/cifar10-jpeg.tar.xz"
  check 'prepares folders of images' [ "$(prepare cifar10-jpeg "$tmp/c$from")" = 0 ]
  for part in train test; do
    check "their $part images" cmp -s "$part.safetensors" "$tmp/c$from/cifar10-jpeg/$part.safetensors"
  done
done
(cd "$tmp/images" && tar -cf "$tmp/images.tar" train)
xz -c "$tmp/images.tar" >"$tmp/mirror/cifar10-jpeg/cifar10-jpeg.tar.xz"
check 'another archive is refused' [ "$(prepare cifar10-jpeg "$tmp/other")" = 1 ]
check 'and said' grep -q '^prepare-cifar10-jpeg.sh: .*: no folders train and test' "$tmp/stderr"

BIN=$tmp/nowhere
check 'without the tool it fails' [ "$(prepare mnist "$tmp/b")" = 1 ]
check 'and says what to do' grep -q "^prepare-mnist.sh: $tmp/nowhere/vectorize: no such program (make build" "$tmp/stderr"
check 'before anything else' [ ! -e "$tmp/b" ]
echo 'all checks of sets of images passed'
