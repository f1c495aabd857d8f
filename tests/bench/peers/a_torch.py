"""Rows A1, A2 and A2P: a review classifier of one encoder block (../steps/classifier.hpp) as a user of PyTorch writes it.

    python a_torch.py {A1,A2,A2P} [--steps 10] [--threads 2]
"""

import sys

import torch
from torch import nn
from torch.nn import functional as F

from batches import PAD, PostNormBlock, dense, key_mask, padded, read_lengths, run, table

VOCABULARY, LENGTH, HEADS, FEED_FORWARD, BATCH = 20000, 600, 2, 32, 32


class Classifier(nn.Module):
    def __init__(self, width, has_positions, pools_padding):
        super().__init__()
        self.token = table(VOCABULARY, width)
        self.position = table(LENGTH, width) if has_positions else None
        self.block = PostNormBlock(width, HEADS, width, FEED_FORWARD, 1e-3)
        self.pools_padding = pools_padding
        self.dropout, self.head = nn.Dropout(0.5), dense(width, 1)

    def forward(self, ids):
        x = self.token(ids)
        if self.position is not None:
            x = x + self.position.weight[: ids.shape[1]]
        x = self.block(x, key_mask(ids))
        if not self.pools_padding:
            x = x.masked_fill((ids == PAD)[:, :, None], float("-inf"))
        pooled = x.amax(1)
        return self.head(self.dropout(pooled))[:, 0]


def make_row(width, has_positions, parameters, pools_padding=False):
    def make(draws):
        lengths = read_lengths("imdb-600.txt")
        model = Classifier(width, has_positions, pools_padding)

        def draw():
            rows = []
            for _ in range(BATCH):
                length, _ = lengths[draws.below(len(lengths))]
                rows.append(draws.sequence(length, VOCABULARY))
            return padded(rows, LENGTH if pools_padding else None), torch.tensor([float(draws.below(2)) for _ in rows])

        return {
            "model": model,
            "optimizer": torch.optim.RMSprop(model.parameters(), lr=1e-3, alpha=0.9, eps=1e-7),
            "parameters": parameters,
            "draw": draw,
            "loss": lambda batch: F.binary_cross_entropy_with_logits(model(batch[0]), batch[1]),
            "useful": lambda batch: int((batch[0] != PAD).sum()),
        }

    return make


if __name__ == "__main__":
    rows = {"A1": make_row(32, False, 650_689), "A2": make_row(256, True, 5_817_633), "A2P": make_row(256, True, 5_817_633, True)}
    run(rows[sys.argv.pop(1)])
