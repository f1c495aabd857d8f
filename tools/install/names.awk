# The names of the programs in commands as they are installed: `prefix` (PROGRAM_PREFIX, may be empty) before each, `programs` their
# names with "|" between them. Read before man.awk and page.awk.

function commands(code,    out, start, end, before, after) {
  if (prefix == "") return code
  out = ""
  while (match(code, programs)) {
    start = RSTART
    end = RSTART + RLENGTH
    before = out substr(code, 1, start - 1)
    after = substr(code, end)
    if (before ~ /(^|[|;&(]|[ \t]do|[ \t]then|[ \t]xargs)[ \t]*$/ && after ~ /^([ \t)|;]|$)/) before = before prefix
    out = before substr(code, start, end - start)
    code = after
  }
  return out code
}
