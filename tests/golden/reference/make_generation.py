"""Makes generation/ beside this file by transformers (5.24): a translator in Marian's layout and a language model in GPT-2's, with random weights and a
tokenizer of words; and in expected.json what `generate` writes for some lines under many generation_config.json (or members of config.json, where
there is no such file): the ids after the prompt or the start, the end's among them.

    OMP_NUM_THREADS=1 python make_generation.py
"""

import json
import pathlib
import shutil
import tempfile

import torch
import transformers
from transformers import GPT2Config, GPT2LMHeadModel, MarianConfig, MarianMTModel

OUT = pathlib.Path(__file__).parent / "generation"
VOCABULARY = 32
WORDS = ["<pad>", "</s>", "<unk>"] + [f"w{i}" for i in range(3, VOCABULARY)]
LINES = ["w4 w9 w21", "w7", "w30 w12 w5 w5 w18", "w3 w3 w3"]
IDS = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 0}
NO_END = {**IDS, "suppress_tokens": [1]}
START = {"decoder_start_token_id": 0, "eos_token_id": 1, "pad_token_id": 0, "max_length": 10}
BAD = {**START, "bad_words_ids": [[0]]}

LANGUAGE_MODEL = {  # name: members; those that begin with "config" stand in config.json
    "end": {**IDS, "max_new_tokens": 9},
    "list of ends": {"eos_token_id": [17, 1, 22, 5], "max_new_tokens": 9},
    "no end": {"max_new_tokens": 9},
    "config end": {"eos_token_id": [8, 1], "max_new_tokens": 9},
    "config null end": {"eos_token_id": None, "max_new_tokens": 9},
    "end beyond": {"eos_token_id": 500, "max_new_tokens": 9},
    "suppressed end": {"eos_token_id": 1, "suppress_tokens": [1, 4, 9], "max_new_tokens": 9},
    "max_length": {**NO_END, "max_length": 8},
    "config max_length": {**NO_END, "max_length": 8},
    "both lengths": {**NO_END, "max_length": 8, "max_new_tokens": 4},
    "min_length": {**IDS, "eos_token_id": [1, 5, 9, 11, 17, 22, 28, 30], "min_length": 6, "max_new_tokens": 9},
    "min_new_tokens": {**IDS, "eos_token_id": [1, 5, 9, 11, 17, 22, 28, 30], "min_new_tokens": 3, "max_new_tokens": 9},
    "beams": {**IDS, "num_beams": 3, "max_new_tokens": 7, "min_new_tokens": 3, "length_penalty": 0.6},
    "beams, list of ends": {"eos_token_id": [1, 5, 9, 11], "num_beams": 3, "max_new_tokens": 7},
    "penalty": {**NO_END, "repetition_penalty": 1.7, "max_new_tokens": 9},
    "penalty, beams": {**NO_END, "repetition_penalty": 1.7, "max_new_tokens": 7, "num_beams": 3},
    "n-grams": {**NO_END, "no_repeat_ngram_size": 2, "max_new_tokens": 9},
    "bad words": {**NO_END, "bad_words_ids": [[4], [9, 21], [17]], "max_new_tokens": 9},
    "begin": {**IDS, "begin_suppress_tokens": [1, 4, 17, 22], "max_new_tokens": 5},
    "forced start": {**NO_END, "forced_bos_token_id": 19, "max_new_tokens": 5},
    "forced end": {**IDS, "forced_eos_token_id": 1, "max_new_tokens": 5, "min_new_tokens": 4},
    "forced end, beams": {**IDS, "forced_eos_token_id": 1, "max_length": 9, "num_beams": 3},
    "renormalized": {**NO_END, "renormalize_logits": True, "num_beams": 3, "max_new_tokens": 7},
    "nothing": {**IDS, "use_cache": False, "temperature": 0.3, "top_k": 3, "typical_p": 0.5, "output_scores": True, "max_new_tokens": 5},
    "drawn from one": {**NO_END, "do_sample": True, "top_k": 1, "max_new_tokens": 5},
}
TRANSLATOR = {
    "config": {**BAD, "num_beams": 4},
    "greedy": BAD,
    "nothing forbidden": START,
    "other start": {**BAD, "decoder_start_token_id": 5},
    "bos_token_id": {"bos_token_id": 7, "eos_token_id": 1, "max_length": 10},
    "other end": {**BAD, "eos_token_id": 12},
    "list of ends": {**BAD, "eos_token_id": [12, 1, 20], "num_beams": 4},
    "max_new_tokens": {**BAD, "max_new_tokens": 4, "num_beams": 3},
    "forced end": {**BAD, "forced_eos_token_id": 1},
    "forced end, beams": {**BAD, "forced_eos_token_id": 1, "num_beams": 4},
    "forced start": {**BAD, "forced_bos_token_id": 9},
    "forced start, beams": {**BAD, "forced_bos_token_id": 9, "num_beams": 4},
    "begin behind a forced start": {**BAD, "forced_bos_token_id": 9, "begin_suppress_tokens": [1, 10, 11, 20], "num_beams": 2},
    "penalty": {**BAD, "repetition_penalty": 2.0},
    "penalty, beams": {**BAD, "repetition_penalty": 2.0, "num_beams": 4},
    "low penalty, beams": {**BAD, "repetition_penalty": 0.7, "num_beams": 4},
    "renormalized": {**BAD, "renormalize_logits": True, "num_beams": 4},
    "min_length": {**BAD, "min_length": 6},
    "min_length, beams": {**BAD, "min_length": 6, "num_beams": 3},
    "n-grams": {**BAD, "no_repeat_ngram_size": 2, "num_beams": 3},
    "first": {**BAD, "num_beams": 4, "early_stopping": True, "length_penalty": 2.0},
    "never": {**BAD, "num_beams": 4, "early_stopping": "never", "length_penalty": -1.0},
    "bad words": {**BAD, "bad_words_ids": [[0], [4, 4], [8, 9], [5, 6, 7]], "num_beams": 2},
    "all": {**BAD, "num_beams": 5, "max_length": 11, "repetition_penalty": 1.3, "no_repeat_ngram_size": 3, "length_penalty": 0.6, "renormalize_logits": True,
            "forced_eos_token_id": 1, "min_length": 3, "suppress_tokens": [10]},
}


def tokenizer_json():
    special = [{"id": i, "content": WORDS[i], "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True} for i in range(3)]
    model = {"type": "WordLevel", "vocab": {word: i for i, word in enumerate(WORDS)}, "unk_token": "<unk>"}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
            "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None, "model": model}


def make(name, model):
    folder = OUT / name
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json(), indent=1) + "\n")


def outputs(name, kind, case, members):
    """What a fresh copy of the folder writes, line by line."""
    with tempfile.TemporaryDirectory() as copy:
        folder = pathlib.Path(copy) / "model"
        shutil.copytree(OUT / name, folder)
        file = folder / ("config.json" if case.startswith("config") else "generation_config.json")
        text = json.loads(file.read_text()) if file.exists() else {}
        file.write_text(json.dumps({**text, **members}))
        model = kind.from_pretrained(folder).eval()
        ids = []
        for line in LINES:
            read = torch.tensor([[WORDS.index(word) for word in line.split()]])
            before = 1 if model.config.is_encoder_decoder else read.shape[1]
            ids.append(model.generate(input_ids=read, attention_mask=torch.ones_like(read))[0, before:].tolist())
        return {"name": case, "file": file.name, "members": members, "ids": ids}


torch.set_num_threads(1)
torch.manual_seed(3)
common = {"vocab_size": VOCABULARY, "pad_token_id": 0, "eos_token_id": 1}
make("gpt2", GPT2LMHeadModel(GPT2Config(**common, bos_token_id=0, n_positions=24, n_embd=16, n_layer=1, n_head=2, initializer_range=0.6)))
make("marian", MarianMTModel(MarianConfig(**common, decoder_vocab_size=VOCABULARY, decoder_start_token_id=0, forced_eos_token_id=None, d_model=16, encoder_layers=1,
                                          decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=24,
                                          max_position_embeddings=24, init_std=0.6)))
expected = {"transformers": transformers.__version__, "lines": LINES}
for name, kind, cases in (("gpt2", GPT2LMHeadModel, LANGUAGE_MODEL), ("marian", MarianMTModel, TRANSLATOR)):
    expected[name] = [outputs(name, kind, case, members) for case, members in cases.items()]
(OUT / "expected.json").write_text(json.dumps(expected).replace('{"name"', '\n{"name"') + "\n")
