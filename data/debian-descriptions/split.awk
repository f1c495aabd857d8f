# Lines of descriptions.awk to the parts of a set: description TAB summary to DIR/test.tsv, validation.tsv and train.tsv, of a
# description of more than 60 words the first 45 and the last 15, which often say what the package holds. All packages that are built from
# one source package go to one part: 4 % of the sources to the test, 2 % to validation, by a hash of the source's name.
#   awk -v dir=DIR -f split.awk SOURCES LINES         SOURCES: package TAB source, as an index names it
#   awk -v dir=DIR -v known=1 -f split.awk PARTS LINES    PARTS: package TAB test | validation | none; the others are for training
# With -v list=1 it writes such PARTS instead; a package without a source goes to none.
function hash(name,   i, h) {
  h = 7
  for (i = 1; i <= length(name); ++i) h = (h * 131 + index("abcdefghijklmnopqrstuvwxyz0123456789+-.", substr(name, i, 1))) % 999983
  return h
}
function part_of(package,   h) {
  if (known) return package in given ? given[package] : "train"
  if (!(package in given)) return "none"
  h = hash(given[package]) % 100
  return h < 4 ? "test" : h < 6 ? "validation" : "train"
}
function shortened(text,   words, word, i, cut) {
  words = split(text, word, " ")
  if (words <= 60) return text
  cut = word[1]
  for (i = 2; i <= 45; ++i) cut = cut " " word[i]
  cut = cut " ..."
  for (i = words - 14; i <= words; ++i) cut = cut " " word[i]
  return cut
}
BEGIN { FS = "\t" }
FILENAME == ARGV[ARGC - 2] { given[$1] = $2; next }
$3 in seen { next } # the texts of some packages are the same
{
  seen[$3] = 1
  part = part_of($1)
  if (list) {
    if (part != "train") print $1 "\t" part
  } else if (part != "none") print shortened($3) "\t" $2 >(dir "/" part ".tsv")
}
