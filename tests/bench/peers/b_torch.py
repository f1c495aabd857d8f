"""Rows B and S: causal language models (../steps/language_model.hpp) as a user of PyTorch writes them.

    python b_torch.py {B,S} [--steps 10] [--threads 2]
"""

import sys

import torch
from torch import nn
from torch.nn import functional as F

from batches import PAD, PostNormBlock, dense, padded, read_lengths, run, table
from d_torch import Block


class LanguageModel(nn.Module):
    """`blocks` are called as block(x); `norm` is what pre-norm blocks end with."""

    def __init__(self, vocabulary, length, width, blocks, norm=None):
        super().__init__()
        self.token, self.position = table(vocabulary, width), table(length, width)
        self.blocks, self.norm = nn.ModuleList(blocks), norm or nn.Identity()
        self.head = dense(width, vocabulary)

    def forward(self, ids):
        # Padding stands after the real tokens, so the causal mask alone keeps it out of them.
        x = self.token(ids) + self.position.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class CausalPostNormBlock(PostNormBlock):
    def forward(self, x):
        return super().forward(x, is_causal=True)


def make(draws, model, vocabulary, batch, lengths, optimizer, parameters):
    def draw():
        rows = []
        for _ in range(batch):
            length, _ = lengths[draws.below(len(lengths))]
            rows.append(draws.sequence(length, vocabulary))
        return padded(rows), padded([draws.sequence(len(row), vocabulary) for row in rows])

    return {
        "model": model,
        "optimizer": optimizer,
        "parameters": parameters,
        "draw": draw,
        "loss": lambda batch: F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten(), ignore_index=PAD),
        "useful": lambda batch: int((batch[0] != PAD).sum()),
    }


def row_b(draws):
    model = LanguageModel(20000, 80, 256, [CausalPostNormBlock(256, 2, 256, 256, 1e-6, dropout=0.1)])
    return make(draws, model, 20000, 128, read_lengths("imdb-80.txt"), torch.optim.Adam(model.parameters(), lr=1e-3), 10_939_168)


def row_s(draws):
    blocks = [Block(128, 4, 32, 512, 0.0, False, is_causal=True) for _ in range(4)]
    model = LanguageModel(65, 64, 128, blocks, nn.LayerNorm(128, eps=1e-6))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.99), weight_decay=0.1)
    return make(draws, model, 65, 12, [(64, 0)], optimizer, 818_241) | {"clip_norm": 1.0}  # as nanoGPT's train.py


if __name__ == "__main__":
    run({"B": row_b, "S": row_s}[sys.argv.pop(1)])
