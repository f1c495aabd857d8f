# Writes the English-Spanish phrasebook from lexicon.txt: a small grammar with agreement in gender and number, adjectives
# behind their nouns, persons, tenses, questions and negation.
#
#   LC_ALL=C awk -v out=DIR -f generate.awk lexicon.txt
#
# train.tsv, validation.tsv  english<TAB>spanish
# heldout.tsv                the same; each sentence has a (noun, adjective) pair that stands together in no sentence of
#                            the other two files, in no number and in no role
# alignment.tsv              the lines of heldout.tsv whose pair is a noun phrase ("red house"), with four columns more:
#                            index of the noun and of the adjective in the English words, then in the Spanish words
#                            (from 0; words stand between spaces, punctuation belongs to its word)
#
# Same bytes from every awk: no rand(), no order of "for (x in array)", integers below 2^53 only.

BEGIN { FS = "|"; state = 20180513; persons = split("i you he she we they", person, " ") }

# The minimal standard generator of Park and Miller: state < 2^31, product < 2^46.
function draw(n) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * n) + 1 }

function describes(classes, class) { return index(" " classes " ", " " class " ") > 0 }

/^#/ || NF == 0 { next }
$1 == "noun" {
  ++nouns
  split($2, w, " "); en_noun[nouns, 1] = w[1]; en_noun[nouns, 2] = w[2]
  split($3, w, " "); es_noun[nouns, 1] = w[1]; es_noun[nouns, 2] = w[2]
  gender[nouns] = $4 == "m" ? 1 : 2
  class[nouns] = $5
}
$1 == "adjective" {
  ++adjectives
  en_adjective[adjectives] = $2
  split($3, w, " ")
  for (i = 1; i <= 4; ++i) es_adjective[adjectives, i] = w[i]
  copula[adjectives] = $4
  describable[adjectives] = $5
}
$1 == "verb" {
  ++verbs
  split($2, w, " ")
  for (i = 1; i <= 3; ++i) en_verb[verbs, i] = w[i]
  objects[verbs] = $3
  for (t = 1; t <= 3; ++t) {
    split($(3 + t), w, " ")
    for (i = 1; i <= 5; ++i) es_verb[verbs, t, i] = w[i]
  }
}
$1 == "phrase" { ++phrases; en_phrase[phrases] = $2; es_phrase[phrases] = $3 }

# Every seventh pair that makes sense is held out, by a fixed walk; "red house" is one of them.
function hold_out(    n, a, k) {
  for (n = 1; n <= nouns; ++n)
    for (a = 1; a <= adjectives; ++a)
      if (describes(describable[a], class[n]) && (++k * 5 + n) % 7 == 3) held[n, a] = 1
  held[1, 1] = 1
}

function form(noun, number) { return gender[noun] + 2 * (number - 1) }  # m, f, m plural, f plural

function pick(words, i,    w) { split(words, w, " "); return w[i] }

# A noun phrase: sets en, es; notes the noun and the adjective of the sentence. The pair is marked with "@" in front
# of each of its words so that their places can be read off the finished sentence.
function noun_phrase(noun, number, adjective, determiner,    f, d, e) {
  f = form(noun, number)
  if (determiner == "two" || determiner == "three" || determiner == "many") number = 2
  f = form(noun, number)
  if (determiner == "the") { e = "the"; d = pick("el la los las", f) }
  else if (determiner == "a") { e = number == 2 ? "some" : "a"; d = pick("un una unos unas", f) }
  else if (determiner == "this") { e = number == 2 ? "these" : "this"; d = pick("este esta estos estas", f) }
  else if (determiner == "that") { e = number == 2 ? "those" : "that"; d = pick("ese esa esos esas", f) }
  else if (determiner == "my") { e = "my"; d = pick("mi mi mis mis", f) }
  else if (determiner == "your") { e = "your"; d = pick("tu tu tus tus", f) }
  else if (determiner == "her") { e = "her"; d = pick("su su sus sus", f) }
  else if (determiner == "our") { e = "our"; d = pick("nuestro nuestra nuestros nuestras", f) }
  else if (determiner == "two") { e = "two"; d = "dos" }
  else if (determiner == "three") { e = "three"; d = "tres" }
  else if (determiner == "many") { e = "many"; d = pick("- - muchos muchas", f) }
  en = en_noun[noun, number]; es = es_noun[noun, number]
  note_noun(noun)
  if (adjective) {
    en = "@" en_adjective[adjective] " @" en; es = "@" es " @" es_adjective[adjective, f]
    note_adjective(adjective)
  }
  if (e == "a" && index("aeiou", substr(adjective ? en_adjective[adjective] : en, 1, 1))) e = "an"
  en = e " " en; es = d " " es
  phrase_number = number
}

function note_noun(noun) { used_noun[++used_nouns] = noun }
function note_adjective(adjective) { used_adjective[++used_adjectives] = adjective }

function some_noun(classes,    n) { do n = draw(nouns); while (!describes(classes, class[n])); return n }
function some_adjective(noun,    a) { do a = draw(adjectives); while (!describes(describable[a], class[noun])); return a }
# The same, or none with one chance in `one_in`.
function maybe_adjective(noun, one_in) { return draw(one_in) == 1 ? 0 : some_adjective(noun) }
function any_determiner() { return pick("the the the a a this that my your her our two three many", draw(14)) }
function definite() { return pick("the the the this that my your our", draw(8)) }

# "de" and "el" contract.
function after_de(text) { return substr(text, 1, 3) == "el " ? "del " substr(text, 4) : "de " text }

function be(number) { return number == 2 ? "are" : "is" }
function es_be(adjective, number) {
  if (copula[adjective] == "ser") return number == 2 ? "son" : "es"
  return number == 2 ? "están" : "está"
}

# Fills english and spanish; each kind of sentence is one branch.
function sentence(kind,    n, m, a, b, number, v, p, t, s, e, o, place, eo, eplace, ending, negative, question) {
  used_nouns = used_adjectives = 0
  number = draw(2)
  if (kind == "phrase") {  # the red house
    n = some_noun(all); noun_phrase(n, number, maybe_adjective(n, 12), any_determiner())
    english = en "."; spanish = es "."
  } else if (kind == "describe") {  # the old house is not red; is the old house red?
    n = some_noun(all); a = some_adjective(n); b = maybe_adjective(n, 2)
    if (a == b || copula[b] == "estar") b = 0
    noun_phrase(n, number, b, definite())
    note_adjective(a)
    number = phrase_number; p = draw(4); e = es_adjective[a, form(n, number)]
    if (p == 1) {
      english = be(number) " " en " " en_adjective[a] "?"
      spanish = "¿" es_be(a, number) " " e " " es "?"
    } else if (p == 2) {
      english = en " " be(number) " not " en_adjective[a] "."
      spanish = es " no " es_be(a, number) " " e "."
    } else {
      english = en " " be(number) " " en_adjective[a] "."
      spanish = es " " es_be(a, number) " " e "."
    }
  } else if (kind == "act") {  # she did not buy the red car; will you sell the red car?
    v = draw(verbs); n = some_noun(objects[v])
    noun_phrase(n, number, maybe_adjective(n, 4), any_determiner())
    p = draw(6); t = draw(3); question = draw(5) == 1 && p > 1; negative = !question && draw(4) == 1
    s = p == 6 ? 5 : p == 5 ? 4 : p >= 3 ? 3 : p
    e = es_verb[v, t, s]
    o = p == 3 ? "él" : p == 4 ? "ella" : p == 6 ? "ellos" : ""
    if (question) {
      english = (t == 3 ? "will" : t == 2 ? "did" : s == 3 ? "does" : "do") " " person[p] " " en_verb[v, 1] " " en "?"
      spanish = "¿" e (o ? " " o : "") " " es "?"
    } else {
      if (negative) eo = t == 3 ? "will not " : t == 2 ? "did not " : s == 3 ? "does not " : "do not "
      else eo = t == 3 ? "will " : ""
      eo = eo (negative || t == 3 ? en_verb[v, 1] : t == 2 ? en_verb[v, 3] : s == 3 ? en_verb[v, 2] : en_verb[v, 1])
      english = person[p] " " eo " " en "."
      spanish = (o ? o " " : "") (negative ? "no " : "") e " " es "."
    }
  } else if (kind == "like") {  # we do not like the red car
    n = some_noun(all); noun_phrase(n, number, maybe_adjective(n, 4), definite())
    number = phrase_number; p = draw(6); s = number == 2 ? "gustan" : "gusta"
    o = pick("me te le le nos les", p)
    e = p == 3 ? "a él " : p == 4 ? "a ella " : p == 6 ? "a ellos " : ""
    t = draw(4)
    if (t == 1 && p > 1) {
      english = (p == 3 || p == 4 ? "does " : "do ") person[p] " like " en "?"
      spanish = "¿" e o " " s " " es "?"
    } else if (t == 2) {
      english = person[p] (p == 3 || p == 4 ? " does not like " : " do not like ") en "."
      spanish = e "no " o " " s " " es "."
    } else {
      english = person[p] (p == 3 || p == 4 ? " likes " : " like ") en "."
      spanish = e o " " s " " es "."
    }
  } else if (kind == "place") {  # the white dog is in the old house; where is the white dog?
    n = some_noun("furniture thing clothing animal vehicle"); noun_phrase(n, number, maybe_adjective(n, 2), definite())
    eo = en; o = es; number = phrase_number
    if (draw(4) == 1) {
      english = "where " be(number) " " eo "?"
      spanish = "¿dónde " (number == 2 ? "están " : "está ") o "?"
    } else {
      t = draw(6)
      if (t <= 3) { m = some_noun("building outdoors"); place = "en"; eplace = "in" }
      else { m = some_noun("furniture"); place = t == 4 ? "sobre" : t == 5 ? "debajo" : "detrás"; eplace = pick("- - - on under behind", t) }
      if (t <= 3 && draw(3) == 1) { place = "cerca"; eplace = "near" }
      noun_phrase(m, 1, maybe_adjective(m, 2), pick("the the this my", draw(4)))
      english = eo " " be(number) " " eplace " " en "."
      spanish = o (number == 2 ? " están " : " está ") place " " (place == "en" || place == "sobre" ? es : after_de(es)) "."
    }
  } else if (kind == "name") {  # this is a red house
    n = some_noun(all); noun_phrase(n, number, maybe_adjective(n, 6), pick("a the my your our her", draw(6)))
    if (number == 2 && en ~ /^some /) { sub(/^some /, "", en); sub(/^un[oa]s /, "", es) }
    t = draw(2); e = t == 1 ? pick("this these", number) : pick("that those", number)
    o = t == 1 ? pick("este esta estos estas", form(n, number)) : pick("ese esa esos esas", form(n, number))
    english = e " " be(number) " " en "."
    spanish = o (number == 2 ? " son " : " es ") es "."
  } else if (kind == "exist") {  # there are two red houses in the village
    n = some_noun("building furniture animal vehicle"); noun_phrase(n, number, maybe_adjective(n, 5), pick("a a two three many", draw(5)))
    eo = en; o = es; number = phrase_number
    m = some_noun("outdoors"); noun_phrase(m, 1, 0, pick("the this our", draw(3)))
    if (draw(3) == 1) {
      english = be(number) " there " eo " in " en "?"; spanish = "¿hay " o " en " es "?"
    } else {
      english = "there " be(number) " " eo " in " en "."; spanish = "hay " o " en " es "."
    }
  } else {  # how much is the red hat?
    n = some_noun("furniture thing clothing food vehicle"); noun_phrase(n, number, maybe_adjective(n, 4), pick("the this that", draw(3)))
    english = "how much " be(phrase_number) " " en "?"
    spanish = "¿cuánto " (phrase_number == 2 ? "cuestan " : "cuesta ") es "?"
  }
}

# How many of the sentence's pairs are held out; sets phrase_is_held where it is the one marked phrase.
function held_pairs(    i, j, count) {
  for (i = 1; i <= used_nouns; ++i)
    for (j = 1; j <= used_adjectives; ++j)
      if ((used_noun[i], used_adjective[j]) in held) ++count
  return count + 0
}

# Index, from 0, of the k-th marked word.
function marked(text, k,    words, w, i) {
  words = split(text, w, " ")
  for (i = 1; i <= words; ++i) if (index(w[i], "@") && --k == 0) return i - 1
  return -1
}

function strip(text) { gsub(/@/, "", text); return text }

function fill(file, count, want_held,    kinds, kind, k, c, line, marks) {
  kinds = split("phrase phrase phrase describe describe act act act act like place place name exist price", kind, " ")
  while (count > 0) {
    sentence(kind[draw(kinds)])
    if (used_nouns == 1 && used_adjectives == 1 && held_pairs() == 1) c = 1
    else c = held_pairs() ? -1 : 0
    if (c != want_held) continue
    line = strip(english) "\t" strip(spanish)
    if (strip(english) in seen) continue
    seen[strip(english)] = 1
    print line > file
    marks = gsub(/@/, "@", english)
    if (want_held && marks == 2)
      print line "\t" marked(english, 2) "\t" marked(english, 1) "\t" marked(spanish, 1) "\t" marked(spanish, 2) > (out "/alignment.tsv")
    --count
  }
}

END {
  all = "building outdoors furniture thing clothing animal food vehicle"
  hold_out()
  for (k = 1; k <= phrases; ++k) { seen[en_phrase[k]] = 1; print en_phrase[k] "\t" es_phrase[k] > (out "/train.tsv") }
  # The sentence that the documentation talks about.
  english = "the @red @house."; spanish = "la @casa @roja."
  seen["the red house."] = 1
  print strip(english) "\t" strip(spanish) > (out "/heldout.tsv")
  print strip(english) "\t" strip(spanish) "\t2\t1\t1\t2" > (out "/alignment.tsv")
  fill(out "/heldout.tsv", 499, 1)
  fill(out "/validation.tsv", 300, 0)
  fill(out "/train.tsv", 6000, 0)
}
