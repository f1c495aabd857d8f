"""Rows D1 and D2: vision Transformers (../steps/vision_model.hpp) as a user of PyTorch writes them.

    python d_torch.py {D1,D2} [--steps 10] [--threads 2]
"""

import sys

import torch
from torch import nn
from torch.nn import functional as F

from batches import Attention, dense, run


class Block(nn.Module):
    """Pre-norm: x + attention(norm(x)), then x + feed_forward(norm(x))."""

    def __init__(self, width, heads, head_width, feed_forward, dropout, has_second_activation, is_causal=False):
        super().__init__()
        self.is_causal = is_causal
        self.attention_norm, self.attention = nn.LayerNorm(width, eps=1e-6), Attention(width, heads, head_width, dropout)
        layers = [dense(width, feed_forward), nn.GELU(), nn.Dropout(dropout), dense(feed_forward, width)]
        if has_second_activation:
            layers.append(nn.GELU())
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width, eps=1e-6), nn.Sequential(*layers, nn.Dropout(dropout))

    def forward(self, x):
        read = self.attention_norm(x)
        x = x + self.attention(read, read, is_causal=self.is_causal)
        return x + self.feed_forward(self.feed_forward_norm(x))


class Vision(nn.Module):
    def __init__(self, patches, patch_values, classes, width, heads, head_width, feed_forward, head_widths, has_class_token=False,
                 has_second_activation=False, dropout=0.0, head_dropout=0.0):
        super().__init__()
        self.patch = dense(patch_values, width)
        self.class_token = nn.Parameter(torch.empty(1, 1, width).uniform_(-0.05, 0.05)) if has_class_token else None
        length = patches + (1 if has_class_token else 0)
        self.position = nn.Parameter(torch.empty(length, width).uniform_(-0.05, 0.05))
        self.blocks = nn.Sequential(*(Block(width, heads, head_width, feed_forward, dropout, has_second_activation) for _ in range(8)))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        head, inputs = [nn.Dropout(head_dropout)], width if has_class_token else length * width
        for outputs in head_widths:
            head += [dense(inputs, outputs), nn.GELU(), nn.Dropout(head_dropout)]
            inputs = outputs
        self.head = nn.Sequential(*head, dense(inputs, classes))

    def forward(self, pixels):
        x = self.patch(pixels)
        if self.class_token is not None:
            x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], 1)
        x = self.blocks(x + self.position)
        return self.head(self.norm(x[:, 0]) if self.class_token is not None else self.norm(x).flatten(1))


def make_row(batch, parameters, patches, patch_values, classes, **settings):
    def make(_):
        model = Vision(patches, patch_values, classes, **settings)
        pixels = 2 * torch.rand(batch, patches, patch_values) - 1
        length = model.position.shape[0]
        return {
            "model": model,
            "optimizer": torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-4),
            "parameters": parameters,
            "draw": lambda: (pixels, torch.randint(classes, (batch,))),
            "loss": lambda drawn: F.cross_entropy(model(drawn[0]), drawn[1]),
            "useful": lambda _: batch * length,
        }

    return make


if __name__ == "__main__":
    rows = {
        "D1": make_row(16, 823_434, 49, 16, 10, width=128, heads=8, head_width=16, feed_forward=128, head_widths=(128,), has_class_token=True),
        "D2": make_row(
            256, 21_759_012, 144, 108, 100,
            width=64, heads=4, head_width=64, feed_forward=128, head_widths=(2048, 1024), has_second_activation=True, dropout=0.1, head_dropout=0.5,
        ),
    }
    run(rows[sys.argv.pop(1)])
