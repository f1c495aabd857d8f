# The lines of a file as every stage of a recipe may read them: each has the columns that the recipe names, without a byte-order mark at
# the start of the file and CR at the ends of lines. What was dropped is said once, here.
#   awk -v columns="source label" -f lines.awk FILE            status 1: a line has more columns, or fewer, or no UTF-8, or none has anything
#   awk -v columns="source label" -v plain=1 -f lines.awk FILE lines that are one text, without columns, will do as well
BEGIN {
  FS = "\t"
  later = "[\200-\277]"
  utf8 = "^([\001-\177]|[\302-\337]" later "|\340[\240-\277]" later "|[\341-\354\356\357]" later later "|\355[\200-\237]" later \
    "|\360[\220-\277]" later later "|[\361-\363]" later later later "|\364[\200-\217]" later later ")*"
  wanted = split(columns, name, " ")
}
function counted(n, what) { return n " " what (n == 1 ? "" : "s") }
function say(text) { print "recipe: " text | "cat 1>&2" }
NR == 1 && substr($0, 1, 3) == "\357\273\277" {
  $0 = substr($0, 4)
  has_mark = 1
}
substr($0, length($0)) == "\r" {
  $0 = substr($0, 1, length($0) - 1)
  ++returns
}
# What is no UTF-8 (or a NUL) ends the reading here, with the place in the user's own file.
/[^\001-\177]/ {
  match($0, utf8)
  if (RLENGTH < length($0)) {
    byte = substr($0, RLENGTH + 1, 1)
    before = substr($0, 1, RLENGTH)
    gsub(later, "", before)
    for (code = 255; code > 0 && sprintf("%c", code) != byte; --code) continue
    cure = "convert it: iconv -f WINDOWS-1252 -t UTF-8, if that is what it is"
    if (NR == 1 && RLENGTH == 0 && code >= 254) cure = "it looks like UTF-16: iconv -f UTF-16 -t UTF-8 converts it"
    if (NR == 1 && RLENGTH == 1 && code == 139) cure = "it looks packed: gzip -d unpacks it"
    what = code ? sprintf("invalid UTF-8 at byte 0x%02x (%s)", code, cure) : "a NUL byte (tr -d '\\000' removes such)"
    say(FILENAME ":" NR ":" length(before) + 1 ": " what)
    close("cat 1>&2")
    is_refused = 1
    exit 1
  }
}
NR == 1 && plain && NF == 1 { wanted = 1 }
NF != wanted && !(NF == 0 && wanted == 1) {
  if (bad++ == 0) { line = NR; found = NF; is_csv = NF == 1 && /[,;]/ }
}
/[^ \t]/ { has_text = 1 }
bad == 0 { print }
END {
  if (is_refused) exit 1
  if (bad) {
    names = name[1]
    for (column = 2; column <= wanted; ++column) names = names ", " name[column]
    if (found == 0) what = "an empty line"
    else what = counted(found, "column")
    what = what " where " (wanted == 1 ? "1 is" : wanted " are") " wanted (" names ")"
    if (found > wanted) cure = "turn a TAB inside a text into a space"
    else if (found == 0) cure = "remove it"
    else cure = "set them apart by one TAB" (is_csv ? ", or set data.csv_columns if this is a CSV file" : "")
    say(FILENAME ":" line ": " what (bad > 1 ? ", and " counted(bad - 1, "more line") " like it" : "") "; " cure)
    close("cat 1>&2")
    exit 1
  }
  if (!has_text) {
    say(FILENAME ": there is nothing in it (take its key out of the recipe, or put lines into the file)")
    close("cat 1>&2")
    exit 1
  }
  if (has_mark) say(FILENAME " began with a byte-order mark; it was dropped")
  if (returns) say(FILENAME ": " counted(returns, "line") " ended in CR LF; the CR was dropped")
}
