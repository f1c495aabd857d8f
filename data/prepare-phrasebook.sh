#!/bin/sh
# The embedded phrasebook (data/phrasebook) to the data root, where recipes look for data.
#
#   data/prepare-phrasebook.sh [DATA]     DATA: the data root, data/cache by default
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
data=${1:-$data_root}
mkdir -p "$data/phrasebook"
for part in validation heldout alignment train; do
  publish "$here/phrasebook/$part.tsv" "$data/phrasebook/$part.tsv"
done
