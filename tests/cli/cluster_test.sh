#!/bin/bash
# The commands of recipes/cluster.md as they are typed there, on small files: the bytes are those of one process. GNU parallel, MPI and PySpark
# (with Java) where they are there; what is not is said.
#   cluster_test.sh BIN     BIN: the folder of the tools. PYTHON: an interpreter with pyspark (python3).
# shellcheck disable=SC2015,SC2016,SC2154 # what stands after "||" ends the test; backquotes are meant; page_setup.sh assigns
# shellcheck source=SCRIPTDIR/page_setup.sh
. "$(dirname "$0")/page_setup.sh"
export PATH="$bin:$PATH"

head -n 3000 "$root/data/phrasebook/train.tsv" | cut -f1 >en.txt
head -n 3000 "$root/data/phrasebook/train.tsv" | cut -f2 >es-true.txt
sed -n '7~3p' en.txt >reviews.txt
tokenize --learn word --size 300 -q -o en.json en.txt
tokenize --learn word --size 300 --start-end -q -o es.json es-true.txt
tokenize --tokenizer en.json -q <en.txt | vectorize --tokenizer en.json --length 40 -q >whole.ids
paste whole.ids <(tokenize --tokenizer es.json -q <es-true.txt | vectorize --tokenizer es.json --length 40 --start --end -q) >all.ids
head -n 2800 all.ids >train.ids
tail -n 200 all.ids >validation.ids
cat >recipe.yaml <<'E2'
name: cluster
model: {width: 24, heads: 2, feed_forward_width: 32, length: 40}
training: {epochs: 3, batch_sequences: 16}
E2
cat >classifier.yaml <<'E2'
name: cluster-classifier
model: {kind: classifier, width: 16, heads: 2, feed_forward_width: 16, length: 40}
data: {columns: [source, label]}
training: {epochs: 1, batch_sequences: 64}
E2
one=(train --recipe recipe.yaml --source-tokenizer en.json --target-tokenizer es.json --validation validation.ids -q train.ids)
"${one[@]}" -o one >/dev/null
paste whole.ids <(awk '{ print (length($0) > 25 ? "long" : "short") }' en.txt) >labelled.ids
cut -f2 labelled.ids | vectorize --learn labels -q -o labels.txt
train --recipe classifier.yaml --tokenizer en.json --labels labels.txt --labels-as names -q -o classifier labelled.ids >/dev/null
cp -rL one model

# section NAME: its commands go to $tmp/session.
section() {
  sed -n "/^## $1\$/,/^## /p" "$root/recipes/cluster.md" | sed -n '/^```sh$/,/^```$/p' | sed '/^```/d' >"$tmp/session"
  [ -s "$tmp/session" ] || fail "the page has no commands under \"$1\""
}
tokenize --tokenizer en.json -q <en.txt >whole.tokens
translate -q model <en.txt >whole.es
classify -q classifier <reviews.txt >whole.labels
[ "$(sort -u whole.tokens | wc -l)" -gt 1000 ] && [ "$(sort -u whole.es | wc -l)" -gt 5 ] && [ "$(sort -u whole.labels | wc -l)" -gt 1 ] ||
  fail 'there is little to compare'
same() { cmp "$1" "$2" || fail "$3: other bytes than one process writes"; }
ran=() missing=()

if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
  mkdir -p "$tmp/home/.parallel"
  : >"$tmp/home/.parallel/will-cite"
  export HOME=$tmp/home
  section 'GNU parallel'
  sed -i 's/--block 1M/--block 20k/; s/--block 100k/--block 10k/' "$tmp/session"
  run_page
  same en.tokens whole.tokens tokenize
  same en.ids whole.ids vectorize
  same es.txt whole.es translate
  same labels.txt whole.labels classify
  rm en.ids
  section 'A vocabulary from parts'
  cp en.json words.json
  run_page
  tokenize --learn byte_bpe --size 8000 -q -o whole.json en.txt
  same en.json whole.json 'a vocabulary from parts'
  mv words.json en.json
  ran+=('GNU parallel')
else
  missing+=('GNU parallel')
fi

if command -v mpirun >/dev/null && [ -e "$bin/headwater_mpi.so" ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_plm_rsh_agent=''
  section 'Training on several ranks'
  rm -r model
  run_page
  for file in model.safetensors checkpoints/latest/optimizer.safetensors; do same "model/$file" "one/$file" "4 ranks, $file"; done
  grep -q '^bytes_exchanged_a_step	[1-9]' "$tmp/out" || fail 'what a rank sends'
  ran+=(MPI)
else
  missing+=(MPI)
fi
# The script of Slurm is one that a shell reads.
section Slurm
sh -n "$tmp/session" || fail 'the script of Slurm'

python=${PYTHON:-python3}
if command -v java >/dev/null && "$python" -c 'import pyspark' 2>/dev/null; then
  sed -n '/^## Spark$/,/^## /p' "$root/recipes/cluster.md" | sed -n '/^```python$/,/^```$/p' | sed '/^```/d' >spark.py
  PYSPARK_PYTHON=$python PYSPARK_SUBMIT_ARGS="--master ${SPARK_MASTER:-local[2]} --conf spark.ui.enabled=false pyspark-shell" "$python" spark.py >"$tmp/words" 2>&1 || fail 'Spark'
  for pair in en.tokens:whole.tokens en.ids:whole.ids es.txt:whole.es labels.txt:whole.labels; do
    parts=${pair%:*}.parts
    cat "$parts"/part-* >spark.whole
    [ "$(find "$parts" -name 'part-*' | wc -l)" -ge 4 ] || fail "Spark made fewer parts of ${pair%:*}"
    same spark.whole "${pair#*:}" "Spark, ${pair%:*}"
  done
  ran+=(Spark)
else
  missing+=(Spark)
fi
echo "ran: ${ran[*]-}; not there: ${missing[*]-}"
[ ${#ran[@]} -gt 0 ] || exit 77
