# Stanzas of an index of package descriptions (Translation-en) to lines: package TAB summary TAB description. Paragraphs are joined by a
# space; of a package that stands there twice the first counts.
#   awk -f descriptions.awk INDEX...
function finish() {
  gsub(/[ \t\r]+/, " ", text)
  sub(/^ /, "", text); sub(/ $/, "", text)
  gsub(/[ \t\r]+/, " ", summary)
  sub(/^ /, "", summary); sub(/ $/, "", summary)
  if (package != "" && summary != "" && text != "" && !(package in seen)) {
    seen[package] = 1
    print package "\t" summary "\t" text
  }
  package = summary = text = ""
  inside = 0
}
/^$/ { finish(); next }
/^Package: / { package = $2; inside = 0; next }
/^Description-en: / { summary = substr($0, 17); inside = 1; next }
/^ / { if (inside && $0 != " .") text = text $0; next }
{ inside = 0 }
END { finish() }
