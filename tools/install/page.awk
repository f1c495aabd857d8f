# A Markdown page as it is installed: links lead to where their files are then, those to files that are not installed become text; commands
# have the programs' names (names.awk).
#
#   awk -v programs='train|...' -v prefix=hw- -v page=recipes/README.md -f tools/install/names.awk -f tools/install/page.awk MAP PAGE
#
# MAP has a line for each installed file: its path in this repository, TAB, its path below PREFIX.

function folder(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/)) : "" }

# "recipes/../tools/train.md" is tools/train.md.
function resolved(path) {
  while (match(path, /(^|\/)[^\/.][^\/]*\/\.\.\//)) path = substr(path, 1, RSTART - (substr(path, RSTART, 1) != "/")) substr(path, RSTART + RLENGTH)
  return path
}

# The way from one file below PREFIX to another.
function relative(from, to,    a, b, i, n, way) {
  n = split(folder(from), a, "/") - 1
  split(to, b, "/")
  for (i = 1; i <= n && a[i] == b[i]; ++i) to = substr(to, length(b[i]) + 2)
  for (; i <= n; ++i) way = way "../"
  return way to
}

function link(word,    middle, name, address, fragment, target) {
  middle = index(word, "](")
  address = substr(word, middle + 2, length(word) - middle - 2)
  name = substr(word, 1, middle)
  name = names(substr(name, 1, length(name) - 1)) "]"
  if (address ~ /^([a-z]+:|#)/) return name "(" address ")"
  fragment = ""
  if (match(address, /#/)) {
    fragment = substr(address, RSTART)
    address = substr(address, 1, RSTART - 1)
  }
  target = resolved(folder(page) address)
  if (target in installed) return name "(" relative(installed[page], installed[target]) fragment ")"
  sub(/^!?\[/, "", name)
  return substr(name, 1, length(name) - 1)
}

# Code spans of a text without links.
function names(text,    out, start, end) {
  out = ""
  while (match(text, /`[^`]+`/)) {
    start = RSTART
    end = RSTART + RLENGTH
    out = out substr(text, 1, start) commands(substr(text, start + 1, end - start - 2)) "`"
    text = substr(text, end)
  }
  return out text
}

function line(text,    out, start, end) {
  out = ""
  if (match(text, /^\| `[a-z_]+` \|/)) { # the name of a key
    out = substr(text, 1, RLENGTH)
    text = substr(text, RLENGTH + 1)
  }
  while (match(text, /!?\[[^]]+\]\([^)]+\)/)) {
    start = RSTART
    end = RSTART + RLENGTH
    out = out names(substr(text, 1, start - 1)) link(substr(text, start, end - start))
    text = substr(text, end)
  }
  return out names(text)
}

FILENAME == ARGV[1] {
  split($0, pair, "\t")
  installed[pair[1]] = pair[2]
  next
}
/^```/ {
  is_commands = !in_code && $0 !~ /^```yaml/
  in_code = !in_code
  print
  next
}
in_code { print (is_commands ? commands($0) : $0); next }
{ print line($0) }
