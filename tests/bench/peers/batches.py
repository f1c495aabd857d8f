"""What the PyTorch programs of this folder share: the random batches of ../steps/batches.hpp (lengths of the real data, padded to the
longest of the batch), the loop that times steps, and layers as users of PyTorch write them."""

import argparse
import contextlib
import math
import pathlib
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

PAD = 0


def read_lengths(name):
    """[(source, target)]; target 0 where an example has one side."""
    table = []
    for line in (pathlib.Path(__file__).parent.parent / "lengths" / name).read_text().splitlines():
        if not line.startswith("#"):
            table += [tuple(map(int, (word + ":0").split(":")[:2])) for word in line.split()]
    return table


class Draws:
    def __init__(self):
        self.state = 1

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound

    def uniform(self):
        return self.below(2**24) / 2**24

    def id(self, vocabulary):
        """Frequent as words are: the n-th in proportion to 1/n."""
        return int(math.exp(self.uniform() * math.log(vocabulary - 1)))

    def sequence(self, length, vocabulary):
        return [self.id(vocabulary) for _ in range(length)]


def padded(rows, length=None):
    """To the longest of the batch, or to `length`."""
    longest = length or max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def dense(inputs, outputs):
    layer = nn.Linear(inputs, outputs)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


def table(rows, width):
    layer = nn.Embedding(rows, width)
    nn.init.uniform_(layer.weight, -0.05, 0.05)
    return layer


class Attention(nn.Module):
    def __init__(self, width, heads, head_width, dropout=0.0):
        super().__init__()
        self.heads, self.head_width, self.dropout = heads, head_width, dropout
        inner = heads * head_width
        self.query, self.key, self.value = (dense(width, inner) for _ in range(3))
        self.output = dense(inner, width)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, self.head_width).transpose(1, 2)

    def forward(self, x, memory, mask=None, is_causal=False):
        mixed = F.scaled_dot_product_attention(
            self.split(self.query(x)),
            self.split(self.key(memory)),
            self.split(self.value(memory)),
            attn_mask=mask,
            dropout_p=self.dropout,
            is_causal=is_causal,
        )
        return self.output(mixed.transpose(1, 2).flatten(2))


class PostNormBlock(nn.Module):
    """norm(x + attention(x)), with cross-attention where there is a memory, then norm(x + feed_forward(x))."""

    def __init__(self, width, heads, head_width, feed_forward, epsilon, dropout=0.0, has_memory=False):
        super().__init__()
        self.attention, self.attention_norm = Attention(width, heads, head_width), nn.LayerNorm(width, eps=epsilon)
        if has_memory:
            self.cross, self.cross_norm = Attention(width, heads, head_width), nn.LayerNorm(width, eps=epsilon)
        self.feed_forward = nn.Sequential(dense(width, feed_forward), nn.ReLU(), dense(feed_forward, width))
        self.feed_forward_norm = nn.LayerNorm(width, eps=epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None, is_causal=False, memory=None, memory_mask=None):
        x = self.attention_norm(x + self.dropout(self.attention(x, x, mask, is_causal)))
        if memory is not None:
            x = self.cross_norm(x + self.dropout(self.cross(x, memory, memory_mask)))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


def key_mask(ids):
    """[B, 1, 1, N]: which keys are tokens."""
    return (ids != PAD)[:, None, None, :]


def run(make_row):
    """`make_row(draws)` returns a dictionary: model, optimizer, parameters (their number), draw() -> batch, loss(batch), useful(batch); where it
    has them a schedule and clip_norm, what the norm of all gradients is clipped to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    row = make_row(Draws())
    model, optimizer, schedule, clip_norm = row["model"], row["optimizer"], row.get("schedule"), row.get("clip_norm")
    parameters = sum(p.numel() for p in model.parameters())
    assert parameters == row["parameters"], parameters
    model.train()
    untimed, seconds, tokens = 3, 0.0, 0
    for number in range(untimed + options.steps):
        batch = row["draw"]()
        begin = time.perf_counter()
        loss = row["loss"](batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if clip_norm:
            nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
        optimizer.step()
        if schedule:
            schedule.step()
        value = loss.item()
        if number >= untimed:
            seconds += time.perf_counter() - begin
            tokens += row["useful"](batch)
    assert math.isfinite(value), value
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    with contextlib.suppress(BrokenPipeError):
        print(f"useful_tokens_per_second\t{tokens / seconds:.1f}")
        print(f"milliseconds_a_step\t{1000 * seconds / options.steps:.3f}")
        print(f"peak_resident_bytes\t{peak}")
        print(f"parameters\t{parameters}")
        print(f"last_loss\t{value:.4f}")
    print(f"torch {torch.__version__}, {options.threads} threads", file=sys.stderr)
