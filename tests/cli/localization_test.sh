#!/bin/bash
# Every command of recipes/localization.md as it is typed there, in a scratch folder, on small catalogs and a small model: only messages
# without a translation are filled in, for review, with their placeholders, line ends and plurals; gettext accepts the result.
#   localization_test.sh BIN     BIN: the folder of the tools; PYTHON: an interpreter with translate-toolkit (python3)
# shellcheck disable=SC2015,SC2016,SC2154 # what stands after "||" ends the test; %1$s is a placeholder; page_setup.sh assigns
# shellcheck source=SCRIPTDIR/page_setup.sh
. "$(dirname "$0")/page_setup.sh"

[ -z "${PYTHON-}" ] || PATH=$(cd "$(dirname "$(command -v "$PYTHON")")" && pwd):$PATH
for program in msgfilter jq pofilter; do
  command -v $program >/dev/null || {
    echo "skipped: no $program"
    exit 77
  }
done

read_page localization.md 1 "s|^model=.*|model=$tmp/model|"
# A model that knows these sentences by heart.
cat >known.tsv <<'PAIRS'
the cat has %s and %-5.2f houses	el gato tiene %s y %-5.2f casas
the cat has %d house	el gato tiene %d casa
the cats have %d houses	los gatos tienen %d casas
the red house	la casa roja
the %1$s cat.	el gato %1$s.
The cat of %2$s…	El gato de %2$s…
Open the house	¡Abre la casa
the cat %(name)s of 100%% of "cats"	el gato %(name)s del 100%% de los "gatos"
{name} has <b>{n:d}</b> cats, see <a href="https://example.org/a">the cats</a>	{name} tiene <b>{n:d}</b> gatos, mira <a href="https://example.org/a">los gatos</a>
see https://example.org/the+cat now	mira https://example.org/the+cat ahora
the cat has %@ & a <house>	el gato tiene %@ & una <house>
the <x id="1" equiv-text="&lt;br&gt;"/> red <g id="2">house</g>	la <x id="1" equiv-text="&lt;br&gt;"/> roja <g id="2">casa</g>
the house	la casa
the cat	el gato
PAIRS
for ((i = 0; i < 20; ++i)); do cat known.tsv; done >train.tsv
cat >model.yaml <<'YAML'
data: {train: train.tsv, columns: [source, target]}
shared_tokenizer: true
source_tokenizer: {kind: byte_bpe, size: 400}
model: {kind: encoder_decoder, width: 64, heads: 2, feed_forward_width: 64, encoder_layers: 1, decoder_layers: 1, length: 120}
training: {epochs: 15, batch_sequences: 14, optimizer: {kind: adam, learning_rate: 3.0e-3}, checkpoint: {keep: 1}}
YAML
tr '\t' '\n' <known.tsv | "$bin/tokenize" -q --recipe model.yaml -o tokenizer.json
cut -f 1 train.tsv | "$bin/tokenize" -q --tokenizer tokenizer.json | "$bin/vectorize" -q --recipe model.yaml --tokenizer tokenizer.json >source.ids
cut -f 2 train.tsv | "$bin/tokenize" -q --tokenizer tokenizer.json |
  "$bin/vectorize" -q --recipe model.yaml --tokenizer tokenizer.json --side target >target.ids
paste source.ids target.ids | "$bin/train" -q --recipe model.yaml --source-tokenizer tokenizer.json --target-tokenizer tokenizer.json \
  -o "$tmp/model" >/dev/null

cat >es.po <<'PO'
msgid ""
msgstr ""
"Project-Id-Version: cats 1.0\n"
"PO-Revision-Date: 2026-01-01 12:00+0000\n"
"Last-Translator: A Translator <translator@example.org>\n"
"Language-Team: Spanish <es@example.org>\n"
"Language: es\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=3; plural=(n == 1) ? 0 : (n < 5) ? 1 : 2;\n"

msgid "the dog"
msgstr "el perro"

#, fuzzy
msgid "the red house"
msgstr "la casa"

#: cats.c:10
#, c-format
msgid "the cat has %s and %-5.2f houses"
msgstr ""

#: cats.c:12
#, c-format
msgid "the cat has %d house"
msgid_plural "the cats have %d houses"
msgstr[0] ""
msgstr[1] ""
msgstr[2] ""

#: cats.c:14
#, c-format
msgid ""
"\n"
"the red house\n"
"  the %1$s cat. The cat of %2$s…\n"
msgstr ""

#: cats.c:16
msgctxt "menu"
msgid "&Open the house"
msgstr ""

#: cats.c:17
msgctxt "button"
msgid "&Open the house"
msgstr ""

#: cats.py:4
#, python-format
msgid "the cat %(name)s of 100%% of \"cats\""
msgstr ""

#: cats.py:5
#, python-brace-format
msgid "\t{name} has <b>{n:d}</b> cats, see <a href=\"https://example.org/a\">the cats</a>"
msgstr ""

#: cats.c:18
msgid "see https://example.org/the+cat now "
msgstr ""

#: cats.c:20
#, c-format
msgid "%s: %s\n"
msgstr ""

#: cats.c:22
#, c-format
msgid "%d"
msgid_plural "the cats have %d houses"
msgstr[0] ""
msgstr[1] ""
msgstr[2] ""

#~ msgid "the old cat"
#~ msgstr "el gato viejo"
PO
cat >app.xlf <<'XLIFF'
<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="app.strings" source-language="en" target-language="es" datatype="plaintext">
    <body>
      <trans-unit id="1" approved="yes"><source>the dog</source><target state="final">el perro</target></trans-unit>
      <trans-unit id="2"><source>the cat has %@ &amp; a &lt;house&gt;</source><note>a verb</note></trans-unit>
      <trans-unit id="3"><source>the <x id="1" equiv-text="&lt;br&gt;"/> red <g id="2">house</g></source><target/></trans-unit>
      <trans-unit id="4" xml:space="preserve"><source>the house
the cat</source><target></target></trans-unit>
      <trans-unit id="5"><source>the cat has %@ &amp; a &lt;house&gt;</source></trans-unit>
      <trans-unit id="6" translate="no"><source>cats</source></trans-unit>
    </body>
  </file>
</xliff>
XLIFF
cat >memory.tmx <<'TMX'
<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
  <header creationtool="cats" creationtoolversion="1" segtype="sentence" o-tmf="cats" adminlang="en" srclang="en" datatype="plaintext"/>
  <body>
    <tu><tuv xml:lang="en"><seg>the white cat</seg></tuv><tuv xml:lang="es"><seg>el gato
blanco</seg></tuv></tu>
  </body>
</tmx>
TMX
run_page

# What was translated is as it was, to the byte; what was not is now what the model has learned, and marked.
sed '/^$/q' es.new.po | cmp - <(sed '/^$/q' es.po) || fail 'the header'
for id in 'the dog' 'the red house' 'the old cat'; do
  cmp <(grep -B 1 -A 1 "msgid \"$id\"" es.po) <(grep -B 1 -A 1 "msgid \"$id\"" es.new.po) || fail "$id: touched"
done
export LC_ALL=C.UTF-8
msgattrib --only-fuzzy --no-obsolete es.new.po | msgexec -i - jq -Rs . | tail -n +2 >filled.txt
diff filled.txt - <<'FILLED' || fail 'translations'
"la casa"
"el gato tiene %s y %-5.2f casas"
"el gato tiene %d casa"
"los gatos tienen %d casas"
"los gatos tienen %d casas"
"\nla casa roja\n  el gato %1$s. El gato de %2$s…\n"
"¡&Abre la casa"
"¡&Abre la casa"
"el gato %(name)s del 100%% de los \"gatos\""
"\t{name} tiene <b>{n:d}</b> gatos, mira <a href=\"https://example.org/a\">los gatos</a>"
"mira https://example.org/the+cat ahora "
FILLED
grep -qx '1 translated message, 9 fuzzy translations, 2 untranslated messages.' "$tmp/words" || fail 'statistics of msgfmt'
grep -qxF 'msgid "%s: %s\n"' left.po && ! grep -q '^#, fuzzy' left.po || fail 'a message without a word is left'
[ ! -e failed.po ] || fail 'pofilter finds nothing'
diff <(sed 's/<target[^>]*>.*<\/target>/\n&\n/' app.new.xlf | grep '^<target') - <<'TARGETS' || fail 'targets'
<target state="final">el perro</target>
<target state="needs-review-translation">el gato tiene %@ &amp; una &lt;house&gt;</target>
<target state="needs-review-translation">la <x id="1" equiv-text="&lt;br&gt;"/> roja <g id="2">casa</g></target>
<target state="needs-review-translation">el gato tiene %@ &amp; una &lt;house&gt;</target>
TARGETS
diff <(grep -A 1 '>la casa$' app.new.xlf) - <<<'the cat</source><target state="needs-review-translation">la casa
el gato</target></trans-unit>' || fail 'a target of two lines'
grep -qF 'translate="no"><source>cats</source></trans-unit>' app.new.xlf || fail 'a unit that is not translated'
printf 'the dog\tel perro\nthe dog\tel perro\nthe white cat\tel gato blanco\n' | cmp - pairs.tsv || fail 'pairs'
[ "$(grep -c '<tu ' es.tmx)" = 1 ] && grep -q '<seg>el perro</seg>' es.tmx || fail 'only what was reviewed is in the memory'

# A translation that lost a placeholder, has one twice, or those of C in another order, is left out.
translations() { # SOURCE TRANSLATION
  jq -cn --arg keep "$(sed -n "s/^keep='\(.*\)'$/\1/p" "$tmp/session")" --arg mark '' \
    --argjson kept "[{\"text\":\"$2\"}]" -f collect.jq <<<"{\"source\":\"$1\",\"before\":\"\",\"after\":\"\",\"marked\":false}"
}
for case in '%s a {b}|{b} %s|{b} %s' '%s a|b|' '{a} %d|{a} {a} %d|' '%d %s|%s %d|' '%d %s|%d %s b|%d %s b' '%1$s %2$s|%2$s %1$s|%2$s %1$s' \
  '<b>a</b>|</b>a<b>|' '<b>a</b>|<b>c</b> |<b>c</b>' '%5.1f|%5.2f|' 'http://a.b/?c=d e|http://a.b/? c=d|'; do
  IFS='|' read -r source translation wanted <<<"$case"
  [ "$(translations "$source" "$translation" | jq -r '.[]')" = "$wanted" ] || fail "the filter: $case"
done

# A mark inside a word is none, and may be part of a name.
prepared() { # MARK SOURCE
  jq -nc --arg source "$2" '{source: $source}' | jq --arg keep "$(sed -n "s/^keep='\(.*\)'$/\1/p" "$tmp/session")" --arg mark "$1" -f prepare.jq |
    jq -r .text
}
for case in '_|_Open {file_name}|Open {file_name}' '_|Set file_name now|' '_|E_xit|' '&|E&xit file_name|Exit file_name' '|Set file_name|Set file_name'; do
  IFS='|' read -r mark source wanted <<<"$case"
  [ "$(prepared "$mark" "$source")" = "$wanted" ] || fail "the mark: $case"
done

# With nothing left to translate, nothing changes.
cp es.new.po es.po && cp app.new.xlf app.xlf
run_page
cmp es.po es.new.po && cmp app.xlf app.new.xlf || fail 'a second time'
echo 'localization.md: every command ran'
