"""Generation with a causal language model of random weights, for tests/bench/generation.sh: GPT-2's layout, made by transformers, with its
KV cache, greedy. Prints `batch<TAB>tokens a second`, the time of reading the prompt left out.

    python generation_transformers.py --model DIR --shape small|gpt2 [--batch 1] [--threads 2] [--tokens 128] [--make]

`--make` writes the model to DIR and ends. small: 6 layers of width 384, 10,000 words (14.7 million weights); gpt2: 12 layers of width 768,
50,257 words (124 million). Needs transformers, tokenizers and torch.
"""

import argparse
import time

PROMPT_TOKENS = 16


def make(folder, shape):
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel

    layers, width, heads, words, positions = (6, 384, 6, 10000, 512) if shape == "small" else (12, 768, 12, 50257, 1024)
    torch.manual_seed(1)
    config = GPT2Config(vocab_size=words, n_positions=positions, n_embd=width, n_layer=layers, n_head=heads, bos_token_id=None, eos_token_id=None)
    GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer = Tokenizer(models.WordLevel({f"w{i}": i for i in range(words)}, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(f"{folder}/tokenizer.json")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--shape", choices=["small", "gpt2"], required=True)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--make", action="store_true")
    options = parser.parse_args()
    if options.make:
        return make(options.model, options.shape)

    import torch
    from transformers import GPT2LMHeadModel

    torch.set_num_threads(options.threads)
    model = GPT2LMHeadModel.from_pretrained(options.model).eval()
    prompts = torch.tensor([[(7 * i + 13 * b + 1) % 10000 for i in range(PROMPT_TOKENS)] for b in range(options.batch)])

    def seconds(tokens):
        start = time.perf_counter()
        with torch.inference_mode():
            made = model.generate(prompts, max_new_tokens=tokens, do_sample=False, pad_token_id=0, attention_mask=torch.ones_like(prompts))
        assert made.shape[1] == PROMPT_TOKENS + tokens
        return time.perf_counter() - start

    seconds(8)
    first, all_tokens = seconds(8), seconds(options.tokens + 8)
    print(f"{options.batch}\t{options.batch * options.tokens / (all_tokens - first):.1f}")


if __name__ == "__main__":
    main()
