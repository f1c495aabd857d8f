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

# Another set in the same layout.
mkdir "$tmp/mirror/fashion-mnist"
cp "$tmp/mirror/mnist/"*.gz "$tmp/mirror/fashion-mnist"
check 'prepares clothes' [ "$(prepare fashion-mnist "$tmp/f")" = 0 ]
check 'with their names' grep -q 'T-shirt/top.*Trouser.*Ankle boot' "$tmp/f/fashion-mnist/test.safetensors"

# Binary records: coarse label, fine label, pixels as bright as the fine label says; and the recipe on them, from the archive to the report.
mkdir "$tmp/cifar-100-binary" "$tmp/mirror/cifar100"
for part in train:400 test:200; do
  awk -v count="${part#*:}" 'BEGIN { for (i = 0; i < count; ++i) { printf "%c%c", i % 20, i % 100; for (k = 0; k < 3072; ++k) printf "%c", 32 + i % 100 + k % 7 } }' >"$tmp/cifar-100-binary/${part%:*}.bin"
done
awk 'BEGIN { for (i = 0; i < 100; ++i) print "thing_" i }' >"$tmp/cifar-100-binary/fine_label_names.txt"
(cd "$tmp" && tar -czf "$tmp/mirror/cifar100/cifar-100-binary.tar.gz" cifar-100-binary)
check 'prepares binary records' [ "$(prepare cifar100 "$tmp/r")" = 0 ]
check 'says that there are fewer' grep -q 'train.bin: 400 images, the set has 50000' "$tmp/stderr"
"$BIN/vectorize" -q --images "$tmp/cifar-100-binary/test.bin" --labels "$tmp/cifar-100-binary/fine_label_names.txt" -o fine.safetensors
check 'by their fine labels' cmp -s fine.safetensors "$tmp/r/cifar100/test.safetensors"
check 'cifar100-vit, end to end' "$root/tests/cli/recipe_test.sh" "$BIN" cifar100-vit real >"$tmp/recipe"
check 'over a hundred classes' grep -q '^top5_accuracy  *[01].* five most probable' "$tmp/recipe"
printf 'more' >>"$tmp/cifar-100-binary/test.bin"
(cd "$tmp" && tar -czf "$tmp/mirror/cifar100/cifar-100-binary.tar.gz" cifar-100-binary)
check 'a record that is cut off' [ "$(prepare cifar100 "$tmp/s")" = 1 ]

# Killed as the n-th file appears: where the training images are there, so are the others. What was fetched is there already.
mkdir "$tmp/stand-ins"
cat >"$tmp/stand-ins/mv" <<MV
#!/bin/sh
echo >>"$tmp/moves"
[ "\$(wc -l <"$tmp/moves")" -lt "\$MOVES" ] || { kill -9 \$PPID; exit; }
exec $(command -v mv) "\$@"
MV
chmod +x "$tmp/stand-ins/mv"
for prepared in a/mnist c./cifar10-jpeg f/fashion-mnist; do
  for moves in 1 2; do
    rm -f "$tmp/moves" "$tmp/$prepared/"*
    check 'killed' [ "$(PATH=$tmp/stand-ins:$PATH MOVES=$moves prepare "${prepared#*/}" "$tmp/${prepared%/*}" 2>/dev/null)" = 137 ]
    check "$prepared: the training images appear first" [ ! -e "$tmp/$prepared/train.safetensors" ]
  done
  check "$prepared: the same command after that" [ "$(prepare "${prepared#*/}" "$tmp/${prepared%/*}")" = 0 ]
  check "$prepared: all of it" [ "$(find "$tmp/$prepared" -name '*.safetensors' | wc -l)" = 2 ]
done

BIN=$tmp/nowhere
check 'without the tool it fails' [ "$(prepare mnist "$tmp/b")" = 1 ]
check 'and says what to do' grep -q "^prepare-mnist.sh: $tmp/nowhere/vectorize: no such program (make build" "$tmp/stderr"
check 'before anything else' [ ! -e "$tmp/b" ]
echo 'all checks of sets of images passed'
