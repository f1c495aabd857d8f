#!/bin/sh
# mnist: 60,000 and 10,000 images of handwritten digits to train.safetensors and test.safetensors (28x28, one channel).
#
#   data/prepare-mnist.sh [DATA]     DATA: the data root, data/cache by default
#   BIN=DIR data/prepare-mnist.sh    DIR: the folder of the tool vectorize, which must be built; build/bin by default
#
# The official split. There is no validation part: train holds out data.validation_fraction of the images, drawn by the seed.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
data=${1:-$data_root}
need_vectorize
"$here/fetch.sh" mnist "$data"

for part in train test; do
  "$vectorize" -q --images "$data/raw/mnist/$part-images.idx" --image-labels "$data/raw/mnist/$part-labels.idx" -o "$tmp/$part.safetensors"
done
publish_pinned mnist test.safetensors train.safetensors
