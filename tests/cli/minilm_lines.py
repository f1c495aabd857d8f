"""200 lines of many scripts, lengths and oddities, for tests of published encoders: one a line, without TABs, and without names of special
tokens, which are text here and tokens there."""

import random

random.seed(38)
WORDS = """river bank account boat check guitar train station ticket north museum painting window teacher garden kitchen recipe quantum
reactor bicycle mountain winter harbour captain letter music concert violin doctor medicine market price engine water bridge forest wolf sheep
valley paper pencil language grammar verb tense dialogue Shakespeare Zürich Kraków café naïve façade jalapeño Ångström""".split()
FIXED = [
    "", " ", "   ", ".", "?!", "a", "I", "7", "#", "[brackets]", "[ MASK ] apart", "UNK", "##ing", "-", "—", "…", "'", '"', "\\",
    "don't won't can't it's", "e-mail: someone@example.org, https://example.org/a?b=c&d=e#f", "3.14159 1,000,000 1e-12 0x1F 50% $5.00 €7 £3 ¥9",
    "ALL CAPITALS AND SHOUTING!!!", "MiXeD cAsE wOrDs", "antidisestablishmentarianism floccinaucinihilipilification", "a" * 99, "a" * 100, "a" * 101, "ab" * 120,
    "Straße, Fuß und Übermut", "Où est la bibliothèque ? Là-bas, à côté.", "El niño comió piñas en España.", "Ação, coração e pães", "Žluťoučký kůň úpěl ďábelské ódy",
    "Zażółć gęślą jaźń", "Съешь же ещё этих мягких французских булок", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία", "שלום עולם", "مرحبا بالعالم", "नमस्ते दुनिया",
    "สวัสดีชาวโลก", "你好，世界！", "中文 and English 混合 text", "日本語のテキストです。", "カタカナ ｶﾀｶﾅ", "한국어 문장입니다.", "ﬁne ﬂuﬀy oﬃce", "ＦＵＬＬ ｗｉｄｔｈ",
    "e\u0301 is \u00e9, and n\u0303 is \u00f1", "\u0130stanbul \u0131s\u0131", "x\u00b2 + y\u00b2 = z\u00b2, \u00bd of \u00be", "zero\u200bwidth\u200djoiner", "soft\u00adhyphen",
    "no\u00a0break\u2003em\u3000ideographic spaces", "\u202eright to left\u202c", "emoji 😀 👩‍👩‍👧 🇩🇪 👍🏽", "math 𝒜𝔹𝕔 ∑∫√∞≠", "\ufffd replaced", "combining Z̸̡͇a̷̛͝l̶̀g̵o",
    "trailing spaces   ", "   leading spaces", "many    inner     spaces", "a,b;c:d(e)f[g]h{i}j<k>l", "C++ C# .NET node.js", "tic-tac-toe; rock'n'roll", "100km/h at 20°C",
    "The cat sat on the mat.", "the cat sat on the mat", "THE CAT SAT ON THE MAT", "I went to the bank of the river.", "He deposited the check in the bank.",
]


def sentence(words):
    text = " ".join(random.choice(WORDS) for _ in range(words))
    return text[0].upper() + text[1:] + random.choice([".", "!", "?", "", "..."])


lengths = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 120, 200, 250, 252, 253, 254, 255, 256, 300, 600]
lines = FIXED + [sentence(lengths[i % len(lengths)]) for i in range(200 - len(FIXED))]
for line in lines:
    print(line)
