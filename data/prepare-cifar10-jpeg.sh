#!/bin/sh
# cifar10-jpeg: 50,000 and 10,000 colour images of ten classes to train.safetensors and test.safetensors (32x32, three channels).
#
#   data/prepare-cifar10-jpeg.sh [DATA]     DATA: the data root, data/cache by default
#   BIN=DIR data/prepare-cifar10-jpeg.sh    DIR: the folder of the tool vectorize, which must be built; build/bin by default
#
# CIFAR-10 as JPEG files in a folder for each class, the official split. There is no validation part: train holds out
# data.validation_fraction of the images, drawn by the seed.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
data=${1:-$data_root}
need_vectorize
need tar tar
"$here/fetch.sh" cifar10-jpeg "$data"

# The parts are at the top of the archive, or in one folder that is named after it.
tar -xf "$data/raw/cifar10-jpeg/images.tar" -C "$tmp" || fail "$data/raw/cifar10-jpeg/images.tar: could not be unpacked (delete it and call this again)"
folder=$(find "$tmp" -maxdepth 2 -type d -name train)
[ -d "${folder%/train}/test" ] || fail "$data/raw/cifar10-jpeg/images.tar: no folders train and test (another archive?)"
for part in train test; do
  "$vectorize" -q --images "${folder%/train}/$part" -o "$tmp/$part.safetensors"
done
publish_pinned cifar10-jpeg test.safetensors train.safetensors
