"""Trains row C (recipes/spa-eng.yaml) in PyTorch on the id lines of a run, to lay its losses beside those of log.csv.

    python c_curve.py models/recipes/spa-eng [--weights DIR] [--seed 1] [--steps 200] [--dropout 0.5]

With --weights, a model directory of Headwater, training starts from those weights and takes the batches in Headwater's order of that
seed; without, everything is PyTorch's own draw. (Headwater's initial weights: train one step with `learning_rate: 1.0e-12`.)
Prints the step and the mean loss over real target tokens so far, as log.csv has it.
"""

import argparse
import math
import pathlib

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

from batches import PAD, padded
from ce_torch import Translator

BATCH, VOCABULARY = 64, 15000


def philox(seed, purpose, step, block):
    """libcore/support/random.hpp: the four words of a counter block."""
    mask = 0xFFFFFFFF
    c = [block & mask, (block >> 32 & 0xFFFFFF) | purpose << 24, 0, step]
    k = [seed & mask, seed >> 32]
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & mask, (p0 >> 32) ^ c[3] ^ k[1], p0 & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


def read_pairs(path):
    for line in path.read_text().splitlines():
        source, target = (list(map(int, column.split())) for column in line.split("\t"))
        yield source[:20], target[:-1][:20], target[1:][:20]


def initialize(model):
    """As the source's framework: fans of attention kernels are computed as those of a convolution."""
    for name, weight in model.named_parameters():
        if name.endswith(("query.weight", "key.weight", "value.weight")):
            limit = math.sqrt(6 / (256 * 8 + 256 * 256))
            nn.init.uniform_(weight, -limit, limit)
        elif name.endswith("output.weight"):
            limit = math.sqrt(6 / (8 * 256 + 8 * 256))
            nn.init.uniform_(weight, -limit, limit)


def load(model, weights):
    """Matrices stand the other way round in PyTorch; positions are no module of their own there."""
    names = {"source.token.weight": "source_embedding.tokens", "source.position": "source_embedding.positions",
             "target.token.weight": "target_embedding.tokens", "target.position": "target_embedding.positions"}
    words = [("attention_norm.", "self_attention_norm."), ("cross_norm.", "cross_attention_norm."),
             ("attention.", "self_attention."), ("cross.", "cross_attention."),
             ("feed_forward.0.", "feed_forward.inner."), ("feed_forward.2.", "feed_forward.outer.")]
    for name, parameter in model.named_parameters():
        ours = names.get(name, name)
        for theirs, word in words:
            if f".0.{theirs}" in ours:
                ours = ours.replace(f".0.{theirs}", f".0.{word}")
                break
        if "norm." in ours:
            ours = ours.replace(".weight", ".gamma").replace(".bias", ".beta")
        tensor = weights.pop(ours)
        is_matrix = parameter.dim() == 2 and name not in names
        parameter.data.copy_(tensor.reshape(parameter.shape[::-1]).T if is_matrix else tensor.reshape(parameter.shape))
    assert not weights, weights.keys()


def order_of(seed, count):
    """libcore/support/random.cpp, epoch 0."""
    order = list(range(count))
    for i in range(count, 1, -1):
        words = philox(seed, 3, 0, i // 2)[i % 2 * 2 :]
        j = (words[0] | words[1] << 32) * i >> 64
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--weights", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    pairs = list(read_pairs(options.run / "train.ids"))
    model = Translator(
        VOCABULARY, width=256, heads=8, head_width=256, feed_forward=2048, layers=1, length=20, epsilon=1e-3, output_dropout=options.dropout
    )
    if options.weights:
        load(model, load_file(options.weights / "model.safetensors"))
        order = order_of(options.seed, len(pairs))
    else:
        initialize(model)
        order = torch.randperm(len(pairs)).tolist()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, alpha=0.9, eps=1e-7)
    model.train()
    batches = math.ceil(len(pairs) / BATCH)
    total = tokens = 0
    for number in range(options.steps):
        chosen = [pairs[i] for i in order[number * len(pairs) // batches : (number + 1) * len(pairs) // batches]]
        source, target, labels = (padded(rows) for rows in zip(*chosen))
        loss = F.cross_entropy(model(source, target).flatten(0, 1), labels.flatten(), ignore_index=PAD)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        count = int((labels != PAD).sum())
        total, tokens = total + loss.item() * count, tokens + count
        if number < 10 or (number + 1) % 20 == 0:
            print(f"{number + 1}\t{total / tokens:.5f}", flush=True)


if __name__ == "__main__":
    main()
