# The first sentence of each line, what a summary has to beat: up to the first full stop, question or exclamation mark before a space.
#   awk [-v words=N] -f lead.awk FILE      words: no more than so many of its words
{
  line = $0
  if (match(line, /[.?!] /)) line = substr(line, 1, RSTART)
  if (words) {
    count = split(line, word, " ")
    line = word[1]
    for (i = 2; i <= count && i <= words; ++i) line = line " " word[i]
  }
  print line
}
