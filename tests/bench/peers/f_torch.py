"""Rows F and FA: a masked language model (../steps/masked_lm.hpp) as a user of PyTorch writes it: the output layer reads hidden tokens alone.

    python f_torch.py {F,FA} [--steps 10] [--threads 2]
"""

import sys

import torch
from torch import nn
from torch.nn import functional as F

from batches import PostNormBlock, dense, run, table

LENGTH, VOCABULARY, WIDTH = 128, 8192, 128


class MaskedModel(nn.Module):
    def __init__(self, heads, feed_forward, layers, attention_dropout, epsilon=1e-12, dropout=0.1):
        super().__init__()
        self.token, self.position, self.segment = table(VOCABULARY, WIDTH), table(LENGTH, WIDTH), table(2, WIDTH)
        self.norm, self.dropout = nn.LayerNorm(WIDTH, eps=epsilon), nn.Dropout(dropout)
        self.blocks = nn.ModuleList(PostNormBlock(WIDTH, heads, WIDTH // heads, feed_forward, epsilon, dropout) for _ in range(layers))
        for block in self.blocks:
            block.feed_forward[1], block.attention.dropout = nn.GELU(), attention_dropout
        self.transform = nn.Sequential(dense(WIDTH, WIDTH), nn.GELU(), nn.LayerNorm(WIDTH, eps=epsilon))
        self.bias = nn.Parameter(torch.zeros(VOCABULARY))

    def forward(self, ids, segments, places):
        x = self.token(ids) + self.position.weight[: ids.shape[1]] + self.segment(segments)
        x = self.dropout(self.norm(x))
        for block in self.blocks:
            x = block(x)
        return F.linear(self.transform(x.flatten(0, 1)[places]), self.token.weight, self.bias)


def make_row(batch_size, attention_dropout):
    def make(draws):
        model = MaskedModel(heads=4, feed_forward=512, layers=4, attention_dropout=attention_dropout)
        hidden = LENGTH * 15 // 100
        segments = torch.zeros(batch_size, LENGTH, dtype=torch.long)

        def draw():
            ids, places, were = [], [], []
            for text in range(batch_size):
                ids.append(draws.sequence(LENGTH, VOCABULARY))
                for h in range(hidden):
                    places.append(text * LENGTH + h * LENGTH // hidden + draws.below(LENGTH // hidden))
                    were.append(draws.id(VOCABULARY))
            return torch.tensor(ids), torch.tensor(places), torch.tensor(were)

        return {
            "model": model,
            "optimizer": torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01),
            "parameters": 1_883_520,
            "draw": draw,
            "loss": lambda batch: F.cross_entropy(model(batch[0], segments, batch[1]), batch[2]),
            "useful": lambda _: batch_size * LENGTH,
            "clip_norm": 1.0,
        }

    return make


if __name__ == "__main__":
    run({"F": make_row(64, 0.0), "FA": make_row(32, 0.1)}[sys.argv.pop(1)])
