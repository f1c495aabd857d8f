# A manual page (section 1, or 7) from a page of tools/, for `make install`: the Markdown that these pages use, and no other.
#
#   awk -v manual=1 -v version=0.1.0 -v programs='train|...' -v prefix=hw- -f tools/install/names.awk -f tools/install/man.awk tools/NAME.md > NAME.1
#                                                                                  prefix: PROGRAM_PREFIX, may be empty
#
# The first sentence becomes NAME, the first fenced block SYNOPSIS; the rest of the head is the DESCRIPTION. Rows of tables become
# terms with their meaning.

# Characters that troff would take for something else. In code also those that it would print as typographic ones.
function escaped(text, is_code) {
  gsub(/\\/, "\\e", text)
  if (is_code) {
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    gsub(/`/, "\\(ga", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
  }
  return text
}

# `code`, **strong** and [text](link) of a line or paragraph.
function inline(text,    out, start, end, word) {
  out = ""
  while (match(text, /`[^`]+`|\*\*[^*]+\*\*|\[[^]]+\]\([^)]+\)/)) {
    start = RSTART
    end = RSTART + RLENGTH
    word = substr(text, start, RLENGTH)
    out = out escaped(substr(text, 1, start - 1), 0)
    if (word ~ /^`/) out = out "\\fB" escaped(commands(substr(word, 2, length(word) - 2)), 1) "\\fR"
    else if (word ~ /^\*/) out = out "\\fB" escaped(substr(word, 3, length(word) - 4), 0) "\\fR"
    else out = out link(word)
    text = substr(text, end)
  }
  return out escaped(text, 0)
}

# A page on the web with its address; that of a program with its section; of another file the name.
function link(word,    middle, name, address) {
  middle = index(word, "](")
  name = substr(word, 2, middle - 2)
  address = substr(word, middle + 2, length(word) - middle - 2)
  if (address ~ "^([.][.]/)?(" programs ")[.]md") return "\\fB" escaped(prefix name, 1) "\\fR(1)"
  return escaped(name, 0) (address ~ /^https?:/ ? " (" escaped(address, 1) ")" : "")
}

# A line of text: one that begins with a dot or an apostrophe is no request.
function line(text) { print (text ~ /^[.']/ ? "\\&" : "") text }

function flush() {
  if (paragraph == "") return
  if (is_see_also) sub(/;.*/, ".", paragraph) # pages that are no manual pages: named at the end
  if (place == "name") { name_of(paragraph) }
  else {
    if (place == "text" && !in_item) print ".PP"
    line(inline(paragraph))
  }
  paragraph = ""
  in_item = 0
}

# "Does this. More." is the line of NAME and the first words of the DESCRIPTION.
function name_of(text,    first) {
  first = text
  if (match(text, /\. /)) {
    first = substr(text, 1, RSTART - 1)
    description = substr(text, RSTART + 2)
  }
  sub(/\.$/, "", first)
  print ".SH NAME"
  print escaped(prefix title, 1) " \\- " inline(tolower(substr(first, 1, 1)) substr(first, 2))
}

function row(text,    cell, cells, i) {
  gsub(/\\\|/, "\001", text)
  cells = split(text, cell, "|") - 1
  for (i = 2; i <= cells; ++i) {
    gsub(/^ +| +$/, "", cell[i])
    gsub(/\001/, "|", cell[i])
  }
  if (!in_table) { # the head
    for (i = 2; i <= cells; ++i) head[i] = cell[i]
    in_table = 1
    if (cell[3] == "") print ".SS " inline(cell[2]) # options of a group
    return
  }
  if (cell[2] ~ /^:?-+:?$/) return
  print ".TP"
  line(inline(cell[2] == "" ? "\\&" : cell[2]))
  for (i = 3; i <= cells; ++i) {
    if (i > 3) print ".br"
    line((cells > 3 ? inline(head[i]) ": " : "") inline(cell[i]))
  }
}

function section(text) {
  flush()
  print ".SH " toupper(escaped(text, 0))
  is_see_also = text == "See also"
  place = "text"
}

/^# / && title == "" {
  title = substr($0, 3)
  printf ".TH \"%s\" %s \"\" \"Headwater %s\" \"Headwater\"\n", toupper(prefix title), manual, version
  print ".nr HY 0" # words are not hyphenated: they may be options
  print ".ad l"
  place = "name"
  next
}
in_code && /^```/ {
  print ".EE"
  print ".RE"
  in_code = 0
  next
}
in_code {
  line(escaped(commands($0), 1))
  next
}
/^```/ {
  is_synopsis = place == "name"
  flush()
  if (is_synopsis) { print ".SH SYNOPSIS"; place = "synopsis" }
  else print ".PP"
  print ".RS " (is_synopsis ? 0 : 4)
  print ".EX"
  in_code = 1
  next
}
!/^\|/ { in_table = 0 }
/^\|/ { flush(); row($0); next }
/^## / { section(substr($0, 4)); next }
/^### / { flush(); print ".SS " escaped(substr($0, 5), 0); next }
/^$/ { flush(); next }
/^- / {
  flush()
  print ".IP \\(bu 2"
  in_item = 1
  paragraph = substr($0, 3)
  next
}
{
  sub(/^ +/, "")
  # The head goes on after the synopsis.
  if (place == "synopsis") {
    print ".SH DESCRIPTION"
    place = "text"
    if (description != "") line(inline(description))
  }
  paragraph = paragraph (paragraph == "" ? "" : " ") $0
}
END {
  flush()
  print ".PP"
  line("Below the folder of the installation: formats, promises and errors of all programs in share/doc/headwater/FORMATS.md, recipes in share/headwater/recipes/README.md.")
}
