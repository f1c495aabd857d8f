"""What the heads of an encoder look at, over the lines of a text, by Hugging Face's transformers with output_attentions=True: the means of
attn-dump --view heads, summed up in PyTorch batch by batch.

Writes CSV (layer, head, previous, next, same, first, separator, entropy, distance) to --output, and prints seconds on the clock, seconds of
the processor and the batch size, separated by TABs. The batch size is the one of --batches that makes the first 200 lines fastest; the model
is loaded before.
"""

import argparse
import time

import torch
from transformers import AutoModel, AutoTokenizer


def sums_of(model, tokenizer, lines, batch):
    config = model.config
    total = torch.zeros(config.num_hidden_layers, config.num_attention_heads, 7, dtype=torch.float64)
    queries = 0
    order = sorted(range(len(lines)), key=lambda i: len(lines[i]))  # lines of like length together
    for begin in range(0, len(lines), batch):
        some = tokenizer([lines[i] for i in order[begin : begin + batch]], return_tensors="pt", padding=True, truncation=True)
        with torch.inference_mode():
            attentions = model(**some, output_attentions=True).attentions
        real = some["attention_mask"].bool()
        length = real.shape[1]
        places = torch.arange(length)
        apart = (places[:, None] - places[None, :]).abs().float()
        separators = ((some["input_ids"] == tokenizer.cls_token_id) | (some["input_ids"] == tokenizer.sep_token_id)) & real
        query = real[:, None, :].float()
        queries += int(real.sum())
        for layer, weights in enumerate(attentions):
            rows = [
                torch.nn.functional.pad(torch.diagonal(weights, -1, 2, 3), (1, 0)),
                torch.nn.functional.pad(torch.diagonal(weights, 1, 2, 3), (0, 1)),
                torch.diagonal(weights, 0, 2, 3),
                weights[:, :, :, 0],
                (weights * separators[:, None, None, :]).sum(3),
                -torch.special.xlogy(weights, weights).sum(3),
                (weights * apart).sum(3),
            ]
            total[layer] += torch.stack([(row * query).sum((0, 2)) for row in rows], 1).double()
    return total / queries


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--batches", default="8,16,32,64")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", required=True)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    with open(args.text, encoding="utf-8") as file:
        lines = file.read().splitlines()
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModel.from_pretrained(args.model, attn_implementation="eager").eval()

    def timed(some, batch):
        begin, busy = time.perf_counter(), time.process_time()
        means = sums_of(model, tokenizer, some, batch)
        return time.perf_counter() - begin, time.process_time() - busy, batch, means

    timed(lines[:64], 16)  # pages and caches
    batch = min(timed(lines[:200], batch)[1:3] for batch in map(int, args.batches.split(",")))[1]
    seconds, busy, _, means = timed(lines, batch)
    with open(args.output, "w", encoding="utf-8") as file:
        for layer, heads in enumerate(means.tolist()):
            for head, figures in enumerate(heads):
                print(layer, head, *figures, sep=",", file=file)
    print(f"{seconds:.3f}\t{busy:.3f}\t{batch}")


if __name__ == "__main__":
    main()
