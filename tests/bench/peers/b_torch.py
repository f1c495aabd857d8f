"""Row B: a causal language model of one block (../steps/language_model.hpp) as a user of PyTorch writes it.

    python b_torch.py B [--steps 10] [--threads 2]
"""

import sys

import torch
from torch import nn
from torch.nn import functional as F

from batches import PAD, PostNormBlock, dense, padded, read_lengths, run, table

VOCABULARY, LENGTH, WIDTH, HEADS, HEAD_WIDTH, FEED_FORWARD, BATCH = 20000, 80, 256, 2, 256, 256, 128


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.position = table(VOCABULARY, WIDTH), table(LENGTH, WIDTH)
        self.block = PostNormBlock(WIDTH, HEADS, HEAD_WIDTH, FEED_FORWARD, 1e-6, dropout=0.1)
        self.head = dense(WIDTH, VOCABULARY)

    def forward(self, ids):
        # Padding stands after the real tokens, so the causal mask alone keeps it out of them.
        return self.head(self.block(self.token(ids) + self.position.weight[: ids.shape[1]], is_causal=True))


def make_row(draws):
    lengths = read_lengths("imdb-80.txt")
    model = LanguageModel()

    def draw():
        rows = []
        for _ in range(BATCH):
            length, _ = lengths[draws.below(len(lengths))]
            rows.append(draws.sequence(length, VOCABULARY))
        return padded(rows), padded([draws.sequence(len(row), VOCABULARY) for row in rows])

    return {
        "model": model,
        "optimizer": torch.optim.Adam(model.parameters(), lr=1e-3),
        "parameters": 10_939_168,
        "draw": draw,
        "loss": lambda batch: F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten(), ignore_index=PAD),
        "useful": lambda batch: int((batch[0] != PAD).sum()),
    }


if __name__ == "__main__":
    sys.argv.pop(1)
    run(make_row)
