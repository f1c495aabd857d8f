"""Rows C and E: encoder-decoders (../steps/translator.hpp) as a user of PyTorch writes them.

    python ce_torch.py {C,E} [--steps 10] [--threads 2]
"""

import math
import sys

import torch
from torch import nn
from torch.nn import functional as F

from batches import PAD, PostNormBlock, dense, key_mask, padded, read_lengths, run, table

BATCH = 64


def sinusoids(length, width):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


class Embedding(nn.Module):
    def __init__(self, vocabulary, width, length, is_sinusoidal, dropout):
        super().__init__()
        self.token, self.scale = table(vocabulary, width), math.sqrt(width) if is_sinusoidal else 1.0
        if is_sinusoidal:
            self.register_buffer("position", sinusoids(length, width))
        else:
            self.position = nn.Parameter(torch.empty(length, width).uniform_(-0.05, 0.05))
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids):
        x = self.token(ids)
        if self.scale != 1.0:
            x = x * self.scale
        return self.dropout(x + self.position[: ids.shape[1]])


class Translator(nn.Module):
    def __init__(self, vocabulary, width, heads, head_width, feed_forward, layers, length, epsilon, is_sinusoidal=False, dropout=0.0, output_dropout=0.0):
        super().__init__()
        self.source, self.target = (Embedding(vocabulary, width, length, is_sinusoidal, dropout) for _ in range(2))
        block = (width, heads, head_width, feed_forward, epsilon, dropout)
        self.encoder = nn.ModuleList(PostNormBlock(*block) for _ in range(layers))
        self.decoder = nn.ModuleList(PostNormBlock(*block, has_memory=True) for _ in range(layers))
        self.dropout, self.head = nn.Dropout(output_dropout), dense(width, vocabulary)

    def forward(self, source, target):
        mask = key_mask(source)
        memory, x = self.source(source), self.target(target)
        for block in self.encoder:
            memory = block(memory, mask)
        # Padding stands after the real tokens, so the causal mask alone keeps it out of them.
        for block in self.decoder:
            x = block(x, is_causal=True, memory=memory, memory_mask=mask)
        return self.head(self.dropout(x))


def make_row(lengths_name, vocabulary, parameters, optimizer_of, **settings):
    def make(draws):
        lengths = read_lengths(lengths_name)
        model = Translator(vocabulary, **settings)

        def draw():
            sources, targets = [], []
            for _ in range(BATCH):
                source, target = lengths[draws.below(len(lengths))]
                sources.append(draws.sequence(source, vocabulary))
                targets.append(draws.sequence(target, vocabulary))
            return padded(sources), padded(targets), padded([draws.sequence(len(row), vocabulary) for row in targets])

        return {
            "model": model,
            "parameters": parameters,
            "draw": draw,
            "loss": lambda batch: F.cross_entropy(model(batch[0], batch[1]).flatten(0, 1), batch[2].flatten(), ignore_index=PAD),
            "useful": lambda batch: int((batch[0] != PAD).sum() + (batch[1] != PAD).sum()),
            **optimizer_of(model),
        }

    return make


def rmsprop(model):
    return {"optimizer": torch.optim.RMSprop(model.parameters(), lr=1e-3, alpha=0.9, eps=1e-7)}


def adam_with_warm_up(model):
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    rate = lambda step: 128**-0.5 * min((step + 1) ** -0.5, (step + 1) * 4000**-1.5)
    return {"optimizer": optimizer, "schedule": torch.optim.lr_scheduler.LambdaLR(optimizer, rate)}


ROWS = {
    "C": make_row(
        "spa-eng-20.txt", 15000, 19_960_216, rmsprop,
        width=256, heads=8, head_width=256, feed_forward=2048, layers=1, length=20, epsilon=1e-3, output_dropout=0.5,
    ),
    "E": make_row(
        "ted-pt-en-40.txt", 8192, 5_005_312, adam_with_warm_up,
        width=128, heads=8, head_width=16, feed_forward=512, layers=4, length=40, epsilon=1e-6, is_sinusoidal=True, dropout=0.1,
    ),
}

if __name__ == "__main__":
    run(ROWS[sys.argv.pop(1)])
