#!/bin/sh
# cifar100: 50,000 and 10,000 colour images of a hundred classes to train.safetensors and test.safetensors (32x32, three channels).
#
#   data/prepare-cifar100.sh [DATA]     DATA: the data root, data/cache by default
#   BIN=DIR data/prepare-cifar100.sh    DIR: the folder of the tool vectorize, which must be built; build/bin by default
#
# The binary version, with the fine labels, the official split. There is no validation part: train holds out data.validation_fraction of
# the images, drawn by the seed.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
data=${1:-$data_root}
need_vectorize
"$here/fetch.sh" cifar100 "$data"

# A record: coarse label, fine label, 3,072 pixel values.
for part in train:50000 test:10000; do
  file=$data/raw/cifar100/${part%:*}.bin
  records=$(($(wc -c <"$file") / 3074))
  [ $records -eq "${part#*:}" ] || note "$file: $records images, the set has ${part#*:}"
  "$vectorize" -q --images "$file" --labels "$data/raw/cifar100/fine_label_names.txt" -o "$tmp/${part%:*}.safetensors"
done
publish_pinned cifar100 test.safetensors train.safetensors
