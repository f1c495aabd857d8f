#!/bin/sh
# fashion-mnist: 60,000 and 10,000 images of clothes to train.safetensors and test.safetensors (28x28, one channel).
#
#   data/prepare-fashion-mnist.sh [DATA]     DATA: the data root, data/cache by default
#   BIN=DIR data/prepare-fashion-mnist.sh    DIR: the folder of the tool vectorize, which must be built; build/bin by default
#
# From the folder of Debian's package dataset-fashion-mnist where that is installed (and HEADWATER_DATA names none that has the set), so
# without a network; else from its origin. The official split. There is no validation part: train holds out data.validation_fraction of the
# images, drawn by the seed.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
data=${1:-$data_root}
need_vectorize
package=/usr/share/datasets
if [ ! -d "${HEADWATER_DATA-}/fashion-mnist" ] && [ -d "$package/fashion-mnist" ]; then export HEADWATER_DATA=$package; fi
"$here/fetch.sh" fashion-mnist "$data"

printf '%s\n' T-shirt/top Trouser Pullover Dress Coat Sandal Shirt Sneaker Bag 'Ankle boot' >"$tmp/names"
for part in train test; do
  "$vectorize" -q --images "$data/raw/fashion-mnist/$part-images.idx" --image-labels "$data/raw/fashion-mnist/$part-labels.idx" --labels "$tmp/names" -o "$tmp/$part.safetensors"
done
publish_pinned fashion-mnist test.safetensors train.safetensors
