"""Decoding of a random translation model with CTranslate2, for tests/bench/decoding.sh: an encoder-decoder of width 128,
8 heads, 4 + 4 layers, feed-forward 512 and 10,000 words, made by transformers (Marian) and converted. 20 source tokens and exactly 24 target
tokens a sentence. Prints `batch<TAB>beams<TAB>tokens a second<TAB>tokens a second of processor time` for each batch size asked for.

    python decoding_ctranslate2.py --model DIR [--batch 1,64] [--beams 1] [--threads 2] [--seconds 3] [--compute-type float32]

`--model`: where the converted model is kept; made when missing. Needs ctranslate2, transformers and torch.
"""

import argparse
import os
import random
import time

WIDTH, HEADS, LAYERS, FEED_FORWARD, VOCABULARY = 128, 8, 4, 512, 10000
SOURCE_TOKENS, TARGET_TOKENS = 20, 24
END, UNKNOWN = 0, 1


class Tokens:
    """What the converter asks of a tokenizer."""

    eos_token, unk_token = "</s>", "<unk>"

    def get_vocab(self):
        names = [self.eos_token, self.unk_token] + [f"w{i}" for i in range(2, VOCABULARY)] + ["<pad>"]
        return {name: i for i, name in enumerate(names)}


def convert(folder):
    import torch
    from ctranslate2.converters.transformers import MarianMTLoader
    from transformers import MarianConfig, MarianMTModel

    torch.manual_seed(1)
    config = MarianConfig(
        vocab_size=VOCABULARY + 1,  # the last is the padding token, which the converter removes
        d_model=WIDTH,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=FEED_FORWARD,
        decoder_ffn_dim=FEED_FORWARD,
        activation_function="relu",
        max_position_embeddings=64,
        pad_token_id=VOCABULARY,
        eos_token_id=END,
        forced_eos_token_id=None,
        decoder_start_token_id=VOCABULARY,
        scale_embedding=True,
    )
    model = MarianMTModel(config).eval()
    with torch.no_grad():
        spec = MarianMTLoader()(model, Tokens())
    spec.validate()
    spec.optimize()
    os.makedirs(folder, exist_ok=True)
    spec.save(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--batch", default="1,64")
    parser.add_argument("--beams", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--compute-type", default="float32")
    args = parser.parse_args()
    if not os.path.exists(os.path.join(args.model, "model.bin")):
        convert(args.model)
    import ctranslate2

    translator = ctranslate2.Translator(args.model, device="cpu", compute_type=args.compute_type, inter_threads=1, intra_threads=args.threads)
    random.seed(1)
    for batch in map(int, args.batch.split(",")):
        sources = [[f"w{random.randrange(2, VOCABULARY)}" for _ in range(SOURCE_TOKENS)] for _ in range(batch)]

        def decode():
            results = translator.translate_batch(
                sources, beam_size=args.beams, max_batch_size=batch, min_decoding_length=TARGET_TOKENS, max_decoding_length=TARGET_TOKENS, disable_unk=True
            )
            made = sum(len(result.hypotheses[0]) for result in results)
            assert made == batch * TARGET_TOKENS, made

        decode()  # pages and caches
        begin, begin_cpu, tokens = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - begin < args.seconds:
            decode()
            tokens += batch * TARGET_TOKENS
        seconds, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
        print(f"{batch}\t{args.beams}\t{tokens / seconds:.1f}\t{tokens / cpu:.1f}", flush=True)


if __name__ == "__main__":
    main()
