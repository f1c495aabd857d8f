"""Encoding and learning with the libraries of others, for tests/bench/tokenizers.sh. Prints a line TASK WHO THREADS MB/S MB/CPU-SECOND IDS
SUM PEAK-MIB as tokenizers_bench does, or nothing where Python lacks the library.

    python tokenizers_peers.py encode NAME LIBRARY VOCABULARY TEXT THREADS    LIBRARY: tiktoken, tokenizers, sentencepiece
    python tokenizers_peers.py learn-bytes|learn-wordpiece NAME tokenizers SIZE TEXT THREADS
    python tokenizers_peers.py learn-bpe|learn-unigram NAME sentencepiece SIZE TEXT THREADS [MODEL PREFIX]

VOCABULARY: the folder of GPT-2's vocab.json and merges.txt or of BERT's vocab.txt, or a SentencePiece model. Text and lines are in memory
and the vocabulary is loaded before the clock starts.
"""

import os
import resource
import sys
import time

task, name, library, what, text_file, threads = sys.argv[1:7]
os.environ["RAYON_NUM_THREADS"] = threads
GPT2 = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


def tiktoken_encoder():
    import tiktoken
    from tiktoken.load import data_gym_to_mergeable_bpe_ranks

    ranks = data_gym_to_mergeable_bpe_ranks(f"{what}/merges.txt", f"{what}/vocab.json")
    encoding = tiktoken.Encoding("gpt2", pat_str=GPT2, mergeable_ranks=ranks, special_tokens={})
    if threads == "1":
        return lambda lines: map(encoding.encode_ordinary, lines)
    return lambda lines: encoding.encode_ordinary_batch(lines, num_threads=int(threads))


def tokenizers_encoder():
    from tokenizers import BertWordPieceTokenizer, Tokenizer, models, pre_tokenizers

    if os.path.exists(f"{what}/vocab.txt"):
        tokenizer = BertWordPieceTokenizer(f"{what}/vocab.txt", lowercase=True)._tokenizer
    else:
        tokenizer = Tokenizer(models.BPE.from_file(f"{what}/vocab.json", f"{what}/merges.txt"))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return lambda lines: (e.ids for e in tokenizer.encode_batch(lines, add_special_tokens=False))


def sentencepiece_encoder():
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=what)
    if threads == "1":
        return lambda lines: map(processor.encode, lines)
    return lambda lines: processor.encode(lines, num_threads=int(threads))


def learn(lines):
    if library == "tokenizers":
        from tokenizers import BertWordPieceTokenizer, Tokenizer, models, pre_tokenizers, trainers

        if task == "learn-wordpiece":
            tokenizer = BertWordPieceTokenizer(lowercase=False, strip_accents=False)
            tokenizer.train_from_iterator(lines, vocab_size=int(what), min_frequency=2, limit_alphabet=1 << 20, show_progress=False)
            return
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=int(what), initial_alphabet=alphabet, show_progress=False)
        tokenizer.train_from_iterator(lines, trainer)
        return
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        input=text_file,
        model_prefix=sys.argv[7] if len(sys.argv) > 7 else "/dev/null",
        vocab_size=int(what),
        model_type=task.removeprefix("learn-"),
        num_threads=int(threads),
        character_coverage=1.0,
        max_sentence_length=1 << 20,
        minloglevel=2,
    )


def main():
    try:
        __import__(library)
    except ImportError:
        return
    with open(text_file, encoding="utf-8", newline="\n") as file:
        text = file.read()
    megabytes = len(text.encode()) / 1e6
    lines = text.split("\n")[:-1]
    makers = {"tiktoken": tiktoken_encoder, "tokenizers": tokenizers_encoder, "sentencepiece": sentencepiece_encoder}
    encode = makers[library]() if task == "encode" else None
    start, cpu = time.perf_counter(), time.process_time()
    counts = [len(ids) for ids in encode(lines)] if encode else learn(lines)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    # Ids are summed in a second pass that is not timed.
    ids = sum(counts) if encode else 0
    total = sum(map(sum, encode(lines))) if encode else 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(name, library, threads, f"{megabytes / seconds:.1f}", f"{megabytes / cpu:.1f}", ids, total, peak, sep="\t")


main()
