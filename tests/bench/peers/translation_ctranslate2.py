"""Translating a text with CTranslate2, for tests/bench/translation.sh: a model in Marian's layout as `convert` writes it, in
float32. Prints the seconds that the search took.

    python translation_ctranslate2.py EXPORTED CONVERTED TEXT --batch 64 --beams 4 --output FILE [--threads 2]

CONVERTED: where the converted model is kept; made when missing. Needs ctranslate2, tokenizers, transformers and torch.
"""

import argparse
import json
import os
import time

from ctranslate2.converters.transformers import BartLoader, MarianMTLoader


class Tokens:
    eos_token, unk_token = "</s>", "<unk>"  # what the converter asks for before it asks the loader


class Loader(MarianMTLoader):
    """Tokens are named by their ids, the decoder starts with a token of its own, and no padding token is at the end of the table."""

    def _remove_pad_weights(self, spec):
        pass

    def set_decoder(self, spec, decoder):
        BartLoader.set_decoder(self, spec, decoder)

    def set_config(self, config, model, tokenizer):
        config.decoder_start_token = config.bos_token = str(model.config.decoder_start_token_id)
        config.eos_token = str(model.config.eos_token_id)
        config.unk_token = str(model.config.eos_token_id + 1)

    def get_vocabulary(self, model, tokenizer):
        return [str(i) for i in range(model.config.vocab_size)]


def convert(exported, converted):
    import torch
    from transformers import MarianMTModel

    model = MarianMTModel.from_pretrained(exported).eval()
    with torch.no_grad():
        spec = Loader()(model, Tokens())
    spec.validate()
    spec.optimize()
    os.makedirs(converted)
    spec.save(converted)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("exported")
    parser.add_argument("converted")
    parser.add_argument("text")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--beams", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", required=True)
    args = parser.parse_args()
    if not os.path.exists(os.path.join(args.converted, "model.bin")):
        convert(args.exported, args.converted)
    import ctranslate2
    from tokenizers import Tokenizer

    source = Tokenizer.from_file(os.path.join(args.exported, "source-tokenizer.json"))
    target = Tokenizer.from_file(os.path.join(args.exported, "target-tokenizer.json"))
    with open(os.path.join(args.exported, "config.json")) as file:
        longest = json.load(file)["max_position_embeddings"]
    with open(args.text) as file:
        sentences = [[str(i) for i in source.encode(line.rstrip("\n")).ids] for line in file]
    translator = ctranslate2.Translator(args.converted, device="cpu", compute_type="float32", inter_threads=1, intra_threads=args.threads)
    settings = {"beam_size": args.beams, "max_batch_size": args.batch, "max_decoding_length": longest}

    def decode():
        if args.batch > 1:
            return translator.translate_batch(sentences, **settings)
        return [translator.translate_batch([sentence], **settings)[0] for sentence in sentences]

    translator.translate_batch(sentences[: args.batch], **settings)  # pages and caches
    begin = time.perf_counter()
    results = decode()
    print(time.perf_counter() - begin)
    with open(args.output, "w") as file:
        for result in results:
            print(target.decode([int(token) for token in result.hypotheses[0]]), file=file)


if __name__ == "__main__":
    main()
